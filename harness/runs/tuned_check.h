/* tuned_check.csv of a run folder: whether the tuned configurations still take their previous time.
 * results/README.md has its columns. */
#ifndef DCS_TUNED_CHECK_H
#define DCS_TUNED_CHECK_H

#include "harness/runs/record.h"

#include <stdio.h>

/* Appends a row for a measured record, whose times are sorted, to the folder's file, which is made
 * where it is missing. Nothing where no time is recorded of its very problem, measured in the same
 * way (pageable memory, as many useful evaluations), or it was not timed. */
dcs_status dcs_tuned_check_write(const char *folder, const dcs_record *record);

/* Says what does not hold, a line each with what to do; nothing where all holds or the run has no
 * such file. The last row of a method counts. */
dcs_status dcs_tuned_check_say(const char *folder, FILE *out);

#endif
