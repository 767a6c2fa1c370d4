#include "harness/judge/ratio.h"

#include "harness/judge/stats.h"

#include <math.h>
#include <stdint.h>

enum { EXACT = 66 }; /* the binomial coefficient of 66 over 33 still fits 64 bits */

/* Of the n_a * n_b ratios b/a, how many are at most x. */
static size_t count_at_most(const double *a, size_t n_a, const double *b, size_t n_b, double x) {
  size_t count = 0, below = 0;
  for (size_t i = 0; i < n_a; i++) {
    while (below < n_b && b[below] <= x * a[i])
      below++;
    count += below;
  }
  return count;
}

/* The k-th smallest ratio b/a, k from 1, by bisection down to neighbouring numbers: no room for all
 * of them is needed. */
static double kth_ratio(const double *a, size_t n_a, const double *b, size_t n_b, size_t k) {
  double lo = 0, hi = 2 * b[n_b - 1] / a[0];
  for (double middle = 0.5 * hi; middle > lo && middle < hi; middle = 0.5 * (lo + hi)) {
    if (count_at_most(a, n_a, b, n_b, middle) >= k)
      hi = middle;
    else
      lo = middle;
  }
  return hi;
}

static double median_ratio(const double *a, size_t n_a, const double *b, size_t n_b) {
  size_t n = n_a * n_b;
  double upper = kth_ratio(a, n_a, b, n_b, n / 2 + 1);
  return n % 2 ? upper : sqrt(kth_ratio(a, n_a, b, n_b, n / 2) * upper);
}

/* The number of orders of n_a + n_b values in which the Mann-Whitney statistic is u is the
 * coefficient of q^u in the product of (1 - q^(n_b + i)) / (1 - q^i), i = 1..n_a. Unsigned
 * arithmetic wraps, so what overflows on the way cancels. Returns how many u, from 0, together have
 * at most `share` of all orders. */
static size_t exact_rank(size_t n_a, size_t n_b, double share) {
  uint64_t orders[EXACT * EXACT / 8 + 1] = {1};
  size_t last = n_a * n_b / 2, rank = 0;
  double all = 1, seen = 0;
  for (size_t i = 1; i <= n_a; i++) {
    all *= (double)(n_b + i) / (double)i;
    for (size_t u = last; u >= n_b + i; u--)
      orders[u] -= orders[u - n_b - i];
    for (size_t u = i; u <= last; u++)
      orders[u] += orders[u - i];
  }
  while (rank <= last && (seen += (double)orders[rank]) <= share * all)
    rank++;
  return rank;
}

static size_t normal_rank(size_t n_a, size_t n_b, double quantile) {
  double pairs = (double)n_a * (double)n_b;
  double deviation = sqrt(pairs * (double)(n_a + n_b + 1) / 12);
  return (size_t)floor(0.5 * pairs + 0.5 - quantile * deviation);
}

/* The variances of both add up. */
static double inflation_of(size_t n_a, double a, size_t n_b, double b) {
  const double share = (double)n_b / (double)(n_a + n_b); /* of 1/n_a in 1/n_a + 1/n_b */
  return sqrt(share * a * a + (1 - share) * b * b);
}

static size_t farther(size_t rank, size_t n, double inflation) {
  const double middle = 0.5 * (double)(n + 1), at = middle - inflation * (middle - (double)rank);
  return at > 1 ? (size_t)at : 1;
}

static dcs_ratio ratio_of(const double *a, size_t n_a, const double *b, size_t n_b,
                          double inflation) {
  dcs_ratio ratio = {.n_a = n_a, .n_b = n_b, .value = NAN, .lo = NAN, .hi = NAN};
  if (n_a == 0 || n_b == 0) return ratio;
  ratio.value = median_ratio(a, n_a, b, n_b);
  if (n_a < DCS_RATIO_SAMPLES || n_b < DCS_RATIO_SAMPLES) return ratio;
  size_t rank =
      n_a + n_b <= EXACT ? exact_rank(n_a, n_b, 0.025) : normal_rank(n_a, n_b, 1.959963985);
  rank = farther(rank, n_a * n_b, inflation);
  ratio.lo = kth_ratio(a, n_a, b, n_b, rank);
  ratio.hi = kth_ratio(a, n_a, b, n_b, n_a * n_b + 1 - rank);
  return ratio;
}

dcs_ratio dcs_ratio_of_series(const double *a, size_t n_a, double inflation_a, const double *b,
                              size_t n_b, double inflation_b) {
  static const double least = 1 + 1.41421356 * DCS_PACE; /* both change their pace */
  dcs_ratio ratio = ratio_of(a, n_a, b, n_b, inflation_of(n_a, inflation_a, n_b, inflation_b));
  if (isnan(ratio.lo)) return ratio;
  ratio.lo = fmin(ratio.lo, ratio.value / least);
  ratio.hi = fmax(ratio.hi, ratio.value * least);
  return ratio;
}

dcs_ratio dcs_ratio_of_times(const double *a, size_t n_a, const double *b, size_t n_b) {
  return ratio_of(a, n_a, b, n_b, 1);
}

dcs_change dcs_change_of_ratio(const dcs_ratio *ratio) {
  if (ratio->lo > DCS_CHANGE_MARGIN) return DCS_CHANGE_SLOWER;
  if (ratio->hi < 1 / DCS_CHANGE_MARGIN) return DCS_CHANGE_FASTER;
  if (ratio->lo >= 1 / DCS_CHANGE_MARGIN && ratio->hi <= DCS_CHANGE_MARGIN) return DCS_CHANGE_SAME;
  return DCS_CHANGE_UNSURE;
}

const char *dcs_change_name(dcs_change change) {
  static const char *const names[DCS_N_CHANGES] = {"SAME", "FASTER", "SLOWER", "UNSURE"};
  return names[change];
}
