/* Two runs held against each other, cell by cell: did anything get slower? */
#ifndef DCS_COMPARE_H
#define DCS_COMPARE_H

#include "harness/judge/ratio.h"
#include "harness/runs/run.h"

/* A method in a scope on a number of atoms and a grid, in both runs. Texts are the runs'. */
typedef struct {
  const char *key[DCS_N_KEYS];
  const char *outcome[2]; /* of A and of B; "" where a killed run left no row in summary.csv */
  bool failed;            /* an outcome is not ok: no times are compared */
  double median_ns[2];    /* NaN when failed */
  dcs_ratio ratio;        /* NaN when failed; the numbers of samples are told all the same */
  dcs_change change;      /* UNSURE when failed */
} dcs_compared;

typedef struct {
  dcs_run runs[2];
  dcs_difference differences[DCS_MAX_DIFFERENCES];
  size_t n_differences;
  bool forced;         /* the runs are not comparable */
  dcs_compared *cells; /* in the order of A's samples; those that failed in both runs left out */
  size_t n_cells;
  size_t changes[DCS_N_CHANGES]; /* cells with times in both runs, by verdict */
  double median_ratio;           /* of the cells with times in both */
  size_t failed[2];              /* cells whose outcome is not ok in one run; in both runs */
  size_t only[2];                /* cells of A alone; of B alone */
} dcs_comparison;

/* Reads both folders and compares. Each cell is judged by its own 95% interval, not corrected for
 * the number of cells: whatever their number, at most 2.5% of cells without a change are expected
 * to be called SLOWER and as many FASTER, and far fewer unless the times scatter much more than the
 * margin. A correction would base the verdicts at 9 samples on the extreme ones. Intervals know
 * nothing of what differs from one sitting to the next.
 *
 * DCS_USAGE, naming the facts and their values, when the runs are
 * not comparable and not `force`; DCS_INPUT when no cell has samples in both; otherwise the
 * statuses of dcs_run_open(). Free with dcs_comparison_free(), whatever the status. */
dcs_status dcs_compare(const char *const folders[2], bool force, dcs_comparison *comparison);
void dcs_comparison_free(dcs_comparison *comparison);

#endif
