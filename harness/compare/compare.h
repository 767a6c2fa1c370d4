/* Two runs held against each other, row by row: did anything get slower? */
#ifndef DCS_COMPARE_H
#define DCS_COMPARE_H

#include "harness/judge/ratio.h"
#include "harness/runs/run.h"

/* A method in a scope at a size, in both runs. */
typedef struct {
  const dcs_run_row *row[2]; /* of A and of B */
  bool failed;               /* an outcome is not ok: no times are compared */
  double median_ns[2];       /* of the samples; NaN when failed */
  dcs_ratio ratio;           /* NaN when failed; the numbers of samples are told all the same */
  dcs_change change;         /* UNSURE when failed */
} dcs_compared;

typedef struct {
  dcs_run runs[2];
  dcs_difference differences[DCS_MAX_DIFFERENCES];
  size_t n_differences;
  bool forced;        /* the runs are not comparable */
  dcs_compared *list; /* in the order of A's summary; those that failed in both runs left out */
  size_t n;
  size_t changes[DCS_N_CHANGES]; /* those with times in both runs, by verdict */
  double median_ratio;           /* of those with times in both */
  size_t failed[2];              /* rows whose outcome is not ok in one run; in both runs */
  size_t only[2];                /* rows of A alone; of B alone */
} dcs_comparison;

/* Reads both folders and compares. Each row is judged by its own 95% interval, not corrected for
 * the number of rows: whatever their number, at most 2.5% of rows without a change are expected to
 * be called SLOWER and as many FASTER, and far fewer unless the times scatter much more than the
 * margin. A correction would base the verdicts at 9 samples on the extreme ones. Intervals know
 * nothing of what differs from one session to the next.
 *
 * DCS_USAGE, naming the facts and their values, when the runs are not comparable and not `force`;
 * DCS_INPUT when no row is ok in both; otherwise the statuses of dcs_run_open(). Free with
 * dcs_comparison_free(), whatever the status. */
dcs_status dcs_compare(const char *const folders[2], bool force, dcs_comparison *comparison);
void dcs_comparison_free(dcs_comparison *comparison);

#endif
