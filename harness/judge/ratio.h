/* Two samples of times held against each other: their ratio, its interval, and what that says. */
#ifndef DCS_RATIO_H
#define DCS_RATIO_H

#include <stddef.h>

/* Fewer samples have no interval. */
enum { DCS_RATIO_SAMPLES = 6 };

typedef struct {
  size_t n_a, n_b;
  double value;  /* time B / time A; above 1: B is slower. NaN when either sample is empty */
  double lo, hi; /* 95% interval; NaN when either has fewer than DCS_RATIO_SAMPLES */
} dcs_ratio;

/* a[n_a] and b[n_b] are times above 0, sorted ascending. The value is the Hodges-Lehmann shift of
 * the log times, the median of all n_a * n_b ratios b/a (Hodges and Lehmann, Estimates of location
 * based on rank tests, Ann. Math. Statist. 34, 1963). The interval is the pair of those ratios that
 * the Mann-Whitney test at 5% does not reject (Lehmann, Nonparametrics, 1975, chapter 2): for
 * times that differ by a factor alone it holds with at least 95%, whatever their distribution; with
 * ties more often. Exact for up to 66 values together; for more, by the normal approximation with
 * continuity correction. Ratios are exact to rounding. Exchanging a and b gives the reciprocals. */
dcs_ratio dcs_ratio_of_times(const double *a, size_t n_a, const double *b, size_t n_b);
/* The same of two series, whose intervals are by so much wider than of independent times
 * (dcs_stats.inflation): the ends are as many times as far from the middle of the ranks, the range
 * of all ratios at most, and no nearer to the value than sqrt(2) DCS_PACE allows. */
dcs_ratio dcs_ratio_of_series(const double *a, size_t n_a, double inflation_a, const double *b,
                              size_t n_b, double inflation_b);

typedef enum {
  DCS_CHANGE_SAME,   /* the whole interval lies within the margin around 1 */
  DCS_CHANGE_FASTER, /* the whole interval lies below it */
  DCS_CHANGE_SLOWER, /* the whole interval lies above it */
  DCS_CHANGE_UNSURE, /* the interval crosses an end of the margin, or there is none */
  DCS_N_CHANGES
} dcs_change;

/* Times within a factor of this are the same in practice: rebuilding or restarting a program moves
 * them as much (Mytkowicz, Diwan, Hauswirth, Sweeney: Producing wrong data without doing anything
 * obviously wrong, ASPLOS 2009). */
#define DCS_CHANGE_MARGIN 1.02

dcs_change dcs_change_of_ratio(const dcs_ratio *ratio);
/* "SAME", "FASTER", "SLOWER", "UNSURE". */
const char *dcs_change_name(dcs_change change);

#endif
