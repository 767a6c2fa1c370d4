/* Measurements of this program as T4, which other tuners and what analyses their results read. */
#ifndef DCS_T4_WRITE_H
#define DCS_T4_WRITE_H

#include "harness/runs/run.h"

/* Each row of a journal is a result, and so is each row of a run's summary. A configuration is the
 * variant with its scope and values, and what of the problem and the machine is not the same in all
 * rows. Times are milliseconds, as Kernel Tuner has them. A journal's rows are kept beside (the
 * member `dcsbench`), so that it is read back whole and to the last digit. DCS_INPUT names file,
 * row and what is wrong. */
dcs_status dcs_t4_write_journal(const dcs_table *journal, const char *path);
dcs_status dcs_t4_write_run(const dcs_run *run, const char *path);

#endif
