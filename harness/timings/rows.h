/* Rows of timings in the files of a run folder. */
#ifndef DCS_TIMINGS_ROWS_H
#define DCS_TIMINGS_ROWS_H

#include "harness/files/csv.h"
#include "harness/timings/timings.h"

/* The headers of samples.csv and summary.csv. */
dcs_status dcs_timings_sample_header(dcs_csv *csv, const dcs_kind *kind);
dcs_status dcs_timings_summary_header(dcs_csv *csv, const dcs_kind *kind);

/* A sample, number `seq` of the run. */
dcs_status dcs_timings_put_sample(dcs_csv *csv, const dcs_timing *timing, int64_t seq,
                                  const dcs_kind *kind);
/* A row of what the timing says but its time: times[n], in the order that they were taken, are
 * summarized. `why` is of an outcome that is not ok. */
dcs_status dcs_timings_put_row(dcs_csv *csv, const dcs_timing *timing, const double *times,
                               size_t n, const char *stop_reason, const char *why,
                               const dcs_kind *kind);

#endif
