#include "kernels/common/phase.h"

#include <stddef.h>
#include <string.h>

static _Thread_local dcs_phases *listening;

void dcs_phases_listen(dcs_phases *phases) {
  listening = phases;
}

void dcs_phases_add(dcs_phases *phases, const char *name, double ns) {
  int i = 0;
  while (i < phases->n && strcmp(phases->list[i].name, name) != 0)
    i++;
  if (i == DCS_MAX_PHASES) i--;
  if (i == phases->n) {
    phases->list[i].name = name;
    phases->list[i].ns = 0;
    phases->n++;
  }
  phases->list[i].ns += ns;
}

void dcs_phase(const char *name) {
  if (!listening) return;
  const double now = listening->now_ns();
  if (listening->current) dcs_phases_add(listening, listening->current, now - listening->since_ns);
  listening->current = name;
  listening->since_ns = now;
}
