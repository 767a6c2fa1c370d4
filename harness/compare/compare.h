/* Two runs held against each other, row by row: did anything get slower? */
#ifndef DCS_COMPARE_H
#define DCS_COMPARE_H

#include "harness/compare/spread.h"
#include "harness/judge/paired.h"
#include "harness/runs/run.h"

/* A method in a scope at a size, in both runs. */
typedef struct {
  const dcs_run_row *row[2]; /* of A and of B */
  bool failed;               /* an outcome is not ok: no times are compared */
  double median_ns[2];       /* of the samples; NaN when failed */
  dcs_ratio ratio;           /* NaN when failed; the numbers of samples are told all the same */
  double scatter; /* dcs_spread_scatter() of the rows of its backend and scope, in its interval */
  double pace;    /* dcs_spread_of_sizes() of them, in its interval, too */
  double p;       /* of such a ratio without a change, after Holm's correction; NaN: not in pairs */
  dcs_change change; /* UNSURE when failed */
} dcs_compared;

/* The probability that a comparison in turns of a program with itself finds any change. */
#define DCS_COMPARE_LEVEL 0.05

typedef struct {
  dcs_run runs[2];
  dcs_difference differences[DCS_MAX_DIFFERENCES];
  size_t n_differences;
  bool forced;                       /* the runs are not comparable */
  bool interleaved;                  /* their samples were taken in turns */
  dcs_spread spread[DCS_N_BACKENDS]; /* of sessions, in the intervals when they were not */
  bool any[DCS_N_BACKENDS];          /* rows were compared */
  dcs_compared *list; /* in the order of A's summary; those that failed in both runs left out */
  size_t n;
  size_t changes[DCS_N_CHANGES]; /* those with times in both runs, by verdict */
  double median_ratio;           /* of those with times in both */
  size_t failed[2];              /* rows whose outcome is not ok in one run; in both runs */
  size_t only[2];                /* rows of A alone; of B alone */
} dcs_comparison;

/* Reads both folders and compares.
 *
 * Of runs whose samples were taken in turns (dcs_interleave) the n-th samples of a row are a pair,
 * and the interval is dcs_ratio_of_pairs(). A row is SLOWER or FASTER when its two-sided
 * probability beyond the margin is below 5% after Holm's correction over all rows: a program held
 * against itself has such a row in at most 5% of runs, any number of rows.
 *
 * Of others each row is judged by its own 95% interval, not corrected for
 * the number of rows: whatever their number, at most 2.5% of rows without a change are expected to
 * be called SLOWER and as many FASTER, and far fewer unless the times scatter much more than the
 * margin. A correction would base the verdicts at 9 samples on the extreme ones.
 * What differs from one session to the next is in the interval: by the spread between the sessions
 * of the runs, where rows of both have 3 or more; else by the machine's in the file `spreads`
 * (NULL: there is none); else by the default. Where the ratios of a backend's rows in a scope
 * scatter around their median, the machine changed its pace within a session or many methods did:
 * these two look the same. The scatter is in the intervals, too, and can hide such changes. So it
 * is with sizes of 3 rows or more whose rows moved together: how far sizes lie apart is in the
 * intervals.
 *
 * DCS_USAGE, naming the facts and their values, when the runs are not comparable and not `force`;
 * DCS_INPUT when no row is ok in both; otherwise the statuses of dcs_run_open(). Free with
 * dcs_comparison_free(), whatever the status. */
dcs_status dcs_compare(const char *const folders[2], bool force, const char *spreads,
                       dcs_comparison *comparison);
void dcs_comparison_free(dcs_comparison *comparison);

#endif
