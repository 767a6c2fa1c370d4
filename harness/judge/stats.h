/* Order statistics of a sample of times. */
#ifndef DCS_STATS_H
#define DCS_STATS_H

#include <stddef.h>

/* Ascending, in place. */
void dcs_sort_values(double *values, size_t n);
/* For qsort(): doubles, and structs that begin with one, ascending. */
int dcs_by_value(const void *left, const void *right);
/* NaN where n is 0. */
double dcs_median_of_sorted(const double *values, size_t n);
/* The same of values in any order, which are moved: several times faster than to sort them. */
double dcs_median_of(double *values, size_t n);

typedef struct {
  size_t n;
  double median;
  double lo, hi; /* interval of the median, at least 95%; NaN below 6 values */
  double min;
  double mad;       /* median absolute deviation from the median, not scaled */
  double inflation; /* by how much an interval is wider than of so many independent values */
} dcs_stats;

/* values[n] is sorted in place. n = 0 gives NaN everywhere, as a NaN among the values does. The
 * interval is the pair of order statistics whose coverage by the binomial distribution is at least
 * 95% (David and Nagaraja, Order Statistics, 3rd ed., section 7.1); inflation is 1. */
dcs_stats dcs_summarize(double *values, size_t n);

/* How far a session's median may be from that of a window although nothing in the window, nor the
 * other methods of the same rounds, tells: machines change their pace within minutes. Chosen on one
 * recorded session and half of the methods of another, as the least multiple of 0.05% with which
 * 95% of windows of each length hold; it does on the other half and on two sessions of another
 * machine (tests/test_windows.c). */
#define DCS_PACE 0.003

/* The same of times in the order that they were taken, from one session; room[n] gets them sorted.
 * Such times resemble those before them, so n of them tell less than n independent ones. How much
 * less is the larger of what two estimates say, both of the side of the median they lie on:
 *
 * - of their lag-1 correlation s, as of a first-order process: (1 + s)/(1 - s). A short run tells s
 *   badly; what is taken is its own s and 0.45, as if that had been found in 20 samples more.
 * - of the scatter of up to 8 batch means, which knows what outlasts a few samples (Schmeiser,
 *   Batch size effects in the analysis of simulation output, Oper. Res. 30, 1982), with Student's
 *   quantile and drawn towards that of independent values with the weight of 4 batches.
 *
 * Who stops when the interval is narrow stops more often where it is so by chance: it is that of
 * 97.2% of as many, which leaves 95% with autocorrelations up to 0.37 and 92% with 0.6 under the
 * rule of dcs_is_time_to_look(), and more of a number that was fixed before (by simulation,
 * tests/test_stats.c). Neither end is nearer to the median than DCS_PACE times it. */
dcs_stats dcs_summarize_series(const double *times, size_t n, double *room);

/* How many of the values are outliers: further from the median than 3.5 times mad / 0.6745, which
 * estimates a standard deviation (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
 * None when mad is 0: then most values are equal, and every other would be one. */
size_t dcs_outliers(const double *values, const dcs_stats *stats);

#endif
