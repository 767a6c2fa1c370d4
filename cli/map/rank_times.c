/* What the ranks of a job took, and which devices and CPUs they have. */
#include "cli/map/ranks.h"

#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/machine.h"
#include "harness/device/devices.h"
#include "harness/files/csv.h"
#include "tuning/scale/scale.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- times ---- */

static dcs_status print_times(const dcs_rank_times *all, int n) {
  static const char *const columns[] =
      DCS_NAMES("schema", "rank", "host", "parts", "most_parts", "steps", "slices", "preparing_s",
                "reading_s", "computing_s", "communicating_s", "hidden_s", "receiving_s",
                "writing_s", "wall_s");
  dcs_csv csv = dcs_csv_stdout();
  DCS_TRY(dcs_csv_header(&csv, columns));
  for (int r = 0; r < n; r++) {
    const dcs_rank_times *t = &all[r];
    dcs_csv_text(&csv, DCS_RANK_TIMES_SCHEMA);
    dcs_csv_integer(&csv, r);
    dcs_csv_text(&csv, t->host);
    dcs_csv_integer(&csv, t->parts);
    dcs_csv_integer(&csv, t->most_parts);
    dcs_csv_integer(&csv, t->steps);
    dcs_csv_integer(&csv, t->slices);
    DCS_CSV_NUMBERS(&csv, t->preparing_s, t->reading_s, t->computing_s, t->communicating_s,
                    t->hidden_s, t->receiving_s, t->writing_s, t->wall_s);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

dcs_status dcs_print_rank_times(dcs_workers *w, dcs_rank_times *mine) {
  dcs_rank_times *all = malloc((size_t)w->size * sizeof *all);
  if (!all) return dcs_fail(DCS_UNAVAILABLE, "no memory for the times of %d ranks", w->size);
  snprintf(mine->host, sizeof mine->host, "%s", w->host);
  mine->communicating_s = w->communicating_s;
  mine->receiving_s = w->receiving_s;
  mine->preparing_s = 1e-9 * (w->begun_ns - dcs_started_ns);
  mine->wall_s = 1e-9 * (dcs_now_ns() - dcs_started_ns);
  dcs_status status = w->gather(w, mine, sizeof *mine, all);
  if (status == DCS_OK && w->rank == 0) status = print_times(all, w->size);
  free(all);
  return status;
}

/* ---- devices, CPUs ---- */

/* Every so many-th of the list, or of fewer devices than ranks one. */
static void take_own(const dcs_workers *w, const dcs_device_list *list, char text[DCS_TEXT]) {
  *text = '\0';
  for (int d = w->local_rank % list->n; d < list->n; d += w->local_size)
    dcs_append(text, DCS_TEXT, "%s%s", *text ? "," : "", list->names[d]);
}

const char *dcs_rank_device(const dcs_workers *w, const char *device, char text[DCS_TEXT]) {
  dcs_device_list list;
  if (!dcs_names_several(device) || dcs_device_list_of(device, &list) != DCS_OK) return device;
  take_own(w, &list, text);
  return text;
}

/* mpirun may have bound each rank to CPUs of its own. */
int dcs_rank_threads(const dcs_workers *w) {
  const int cpus = dcs_cpus();
  if (w->local_size == 1 || getenv("OMP_NUM_THREADS") || cpus == 1) return 0;
  if (cpus < sysconf(_SC_NPROCESSORS_ONLN) / 2) return 0;
  return cpus > w->local_size ? cpus / w->local_size : 1;
}
