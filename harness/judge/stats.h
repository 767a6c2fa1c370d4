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
  double lo, hi; /* distribution-free interval of the median, at least 95%; NaN below 6 values */
  double min;
  double mad;       /* median absolute deviation from the median, not scaled */
  double inflation; /* by how much an interval is wider than of so many independent values */
} dcs_stats;

/* values[n] is sorted in place. n = 0 gives NaN everywhere, as a NaN among the values does. The
 * interval is the pair of order statistics whose coverage by the binomial distribution is at least
 * 95% (David and Nagaraja, Order Statistics, 3rd ed., section 7.1); inflation is 1. */
dcs_stats dcs_summarize(double *values, size_t n);

/* The same of times in the order that they were taken, from one session; room[n] gets them sorted.
 * Such times resemble those before them (of CPU samples the lag-1 autocorrelation was found to be
 * 0.37), so n of them tell less than n independent ones: where s is the lag-1 correlation of which
 * side of the median they lie on, about n (1 - s)/(1 + s). The interval is as wide as that many
 * allow. A short run tells s badly; what is taken is its own s and 0.45, as if that had been found
 * in 20 samples more. Who stops when the interval is narrow stops more often where it is so by
 * chance: it is that of 97.2% of as many, which leaves 95% with autocorrelations up to 0.37 and 91%
 * with 0.6 under the rule of dcs_is_time_to_look(), and more of a number that was fixed before (by
 * simulation, tests/test_stats.c). It knows nothing of other sessions. */
dcs_stats dcs_summarize_series(const double *times, size_t n, double *room);

/* How many of the values are outliers: further from the median than 3.5 times mad / 0.6745, which
 * estimates a standard deviation (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
 * None when mad is 0: then most values are equal, and every other would be one. */
size_t dcs_outliers(const double *values, const dcs_stats *stats);

#endif
