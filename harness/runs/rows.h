/* How rows of a run's tables are read. Internal to harness/runs. */
#ifndef DCS_RUN_ROWS_H
#define DCS_RUN_ROWS_H

#include "harness/runs/run.h"

/* Reads the rows of run->summary. */
dcs_status dcs_run_read_rows(dcs_run *run);

#endif
