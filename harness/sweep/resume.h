/* Taking up an interrupted sweep. */
#ifndef DCS_RESUME_H
#define DCS_RESUME_H

#include "harness/sweep/cells.h"

/* Reads the samples of the run in `folder` into the records of the cells, drops cells that are
 * finished from the list, removes unfinished cells' rows from summary.csv (they will be written
 * again), and leaves in *seq the number after the last sample. */
dcs_status dcs_resume(const char *folder, int rounds, dcs_cells *cells, int64_t *seq);

#endif
