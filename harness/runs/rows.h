/* How rows of a run's tables are read. Internal to harness/runs. */
#ifndef DCS_RUN_ROWS_H
#define DCS_RUN_ROWS_H

#include "harness/runs/run.h"

/* Nanoseconds of a sample or a median may be up to this: 30 years. */
#define DCS_MOST_NS 1e18

/* Reads the rows of run->summary. */
dcs_status dcs_run_read_rows(dcs_run *run);

#endif
