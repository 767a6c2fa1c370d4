/* The ladder from the record of this very machine down to the safe default. */
#include "tuning/tuned.h"

#include "harness/compute/methods.h"

#include <math.h>
#include <string.h>

const char *dcs_rung_name(dcs_rung rung) {
  static const char *const names[DCS_N_RUNGS] = {
      "tuned on this machine", "tuned on another one of the same capability and number of units",
      "tuned on another one of the same capability", "not tuned: initial values"};
  return names[rung];
}

static dcs_rung rung_of(const dcs_subject *record, const dcs_subject *wanted) {
  bool capability = strcmp(record->capability, wanted->capability) == 0;
  bool units = record->units == wanted->units;
  bool machine = strcmp(record->machine, wanted->machine) == 0;
  if (!capability) return DCS_RUNG_DEFAULT;
  if (units) return machine ? DCS_RUNG_MACHINE : DCS_RUNG_UNITS;
  /* The best number of threads says nothing where there are more or fewer CPUs. */
  return wanted->variant->backend == DCS_CPU ? DCS_RUNG_DEFAULT : DCS_RUNG_CAPABILITY;
}

static double log2_ratio(int64_t a, int64_t b) {
  return fabs(log2((double)a) - log2((double)b));
}

/* Distance between sizes; INFINITY where they are too far apart to have the same best. */
static double size_distance(const dcs_subject *a, const dcs_subject *b) {
  double atoms = log2_ratio(a->atoms, b->atoms);
  double x = log2_ratio(a->n.x, b->n.x), y = log2_ratio(a->n.y, b->n.y);
  double z = log2_ratio(a->n.z, b->n.z);
  if (atoms > 2 || x > 1 || y > 1 || z > 1) return INFINITY;
  return atoms + x + y + z;
}

dcs_tuned_choice dcs_tuned_find(const dcs_tuned *tuned, const dcs_subject *wanted, int cpus) {
  const dcs_problem problem = {NULL, wanted->atoms, wanted->n, 1};
  dcs_tuned_choice choice = {.rung = DCS_RUNG_DEFAULT,
                             .config = dcs_initial_config(wanted->variant, cpus)};
  double least = INFINITY;
  char why[DCS_TEXT];
  for (int r = 0; r < tuned->n; r++) {
    const dcs_tuned_record *record = &tuned->list[r];
    const dcs_subject *s = &record->subject;
    if (s->variant != wanted->variant || s->scope != wanted->scope) continue;
    dcs_rung rung = rung_of(s, wanted);
    double distance = size_distance(s, wanted);
    if (rung == DCS_RUNG_DEFAULT || !isfinite(distance)) continue;
    if (strcmp(s->kernel_hash, wanted->kernel_hash) != 0) {
      choice.other_source++;
      continue;
    }
    if (!dcs_applicable(s->variant, &problem, &record->config, why)) continue;
    if (rung > choice.rung || (rung == choice.rung && !(distance < least))) continue;
    choice.rung = rung;
    choice.config = record->config;
    choice.record = record;
    least = distance;
  }
  return choice;
}
