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

typedef struct {
  size_t n;
  double median;
  double lo, hi; /* distribution-free interval of the median, at least 95%; NaN below 6 values */
  double min;
  double mad; /* median absolute deviation from the median, not scaled */
} dcs_stats;

/* values[n] is sorted in place. n = 0 gives NaN everywhere. The interval is the pair of order
 * statistics whose coverage by the binomial distribution is at least 95% (David and Nagaraja, Order
 * Statistics, 3rd ed., section 7.1). */
dcs_stats dcs_summarize(double *values, size_t n);

/* How many of the values are outliers: further from the median than 3.5 times mad / 0.6745, which
 * estimates a standard deviation (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
 * None when mad is 0: then most values are equal, and every other would be one. */
size_t dcs_outliers(const double *values, const dcs_stats *stats);

#endif
