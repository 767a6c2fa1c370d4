/* Taking up an interrupted sweep. */
#ifndef DCS_RESUME_H
#define DCS_RESUME_H

#include "harness/runs/run.h"
#include "harness/sweep/cells.h"

/* Takes the samples of the run into the records of the cells, drops cells that are finished from
 * the list, marks those that have rows in summary.csv, and leaves in *seq the number after the last
 * sample, in *process that after its process. `again`: what has fewer samples than `rounds` is not
 * finished, why ever it stopped. Nothing is written. */
dcs_status dcs_resume(const dcs_run *run, int rounds, bool again, dcs_cells *cells, int64_t *seq,
                      int *process);

/* Writes summary.csv again, with a new row of each of the cell's records of which something is
 * known in place of its old one. Rows of the others stay as they are. */
dcs_status dcs_replace_rows(const char *folder, dcs_cell *cell);

#endif
