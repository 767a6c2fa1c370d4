/* Taking up an interrupted sweep. */
#ifndef DCS_RESUME_H
#define DCS_RESUME_H

#include "harness/runs/run.h"
#include "harness/sweep/sizes.h"

/* Takes the samples of the run into the records of the sizes, drops sizes that are finished from
 * the list, marks those that have rows in summary.csv, and leaves in *seq, *process and *session
 * the numbers after the greatest of its samples. `again`: what has fewer samples than `rounds` is
 * not finished, why ever it stopped. Nothing is written. */
dcs_status dcs_resume(const dcs_run *run, int rounds, bool again, dcs_sweep_sizes *sizes,
                      int64_t *seq, int *process, int *session);

/* Writes summary.csv again, with a new row of each of the size's records of which something is
 * known in place of its old one. Rows of the others stay as they are. */
dcs_status dcs_replace_rows(const char *folder, dcs_sweep_size *entry);

#endif
