#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int dcs_by_value(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

void dcs_sort_values(double *values, size_t n) {
  if (n > 0) qsort(values, n, sizeof *values, dcs_by_value);
}

double dcs_median_of_sorted(const double *values, size_t n) {
  if (n == 0) return NAN;
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* Moves the k-th smallest value to its place, those below it before it (Hoare, Algorithm 65: FIND,
 * CACM 4, 1961). */
static void move_to_rank(double *values, size_t n, size_t k) {
  ptrdiff_t first = 0, last = (ptrdiff_t)n - 1;
  while (first < last) {
    const double pivot = values[k];
    ptrdiff_t up = first, down = last;
    while (up <= down) {
      while (values[up] < pivot)
        up++;
      while (pivot < values[down])
        down--;
      if (up > down) break;
      const double swapped = values[up];
      values[up++] = values[down];
      values[down--] = swapped;
    }
    if (down < (ptrdiff_t)k) first = up;
    if ((ptrdiff_t)k < up) last = down;
  }
}

double dcs_median_of(double *values, size_t n) {
  if (n == 0) return NAN;
  const size_t half = n / 2;
  move_to_rank(values, n, half);
  if (n % 2) return values[half];
  double below = values[0];
  for (size_t i = 1; i < half; i++)
    below = values[i] > below ? values[i] : below;
  return 0.5 * (below + values[half]);
}

/* Rank k (from 0) such that the median lies between the k-th smallest and the k-th largest value
 * with probability at least 95%: 2 * P(Binomial(n, 1/2) <= k) <= 0.05. -1: none. */
static long interval_rank(size_t n) {
  double log_half_n = -(double)n * log(2.0);
  double tail = 0, log_choose = 0;
  long rank = -1;
  for (size_t k = 0; k < n; k++) {
    tail += exp(log_choose + log_half_n);
    if (tail > 0.025) break;
    rank = (long)k;
    log_choose += log((double)(n - k)) - log((double)(k + 1));
  }
  return rank;
}

dcs_stats dcs_summarize(double *values, size_t n) {
  dcs_stats stats = {
      .n = n, .median = NAN, .lo = NAN, .hi = NAN, .min = NAN, .mad = NAN, .inflation = 1};
  for (size_t i = 0; i < n; i++)
    if (isnan(values[i])) return stats;
  if (n == 0) return stats;
  dcs_sort_values(values, n);
  stats.median = dcs_median_of_sorted(values, n);
  stats.min = values[0];
  long rank = interval_rank(n);
  if (rank >= 0) {
    stats.lo = values[rank];
    stats.hi = values[n - 1 - (size_t)rank];
  }

  /* Deviations, merged from both sides of the median in ascending order. */
  size_t above = 0;
  while (above < n && values[above] < stats.median)
    above++;
  size_t below = above;
  double previous = 0, current = 0;
  for (size_t taken = 0; taken <= n / 2; taken++) {
    double down = below > 0 ? stats.median - values[below - 1] : INFINITY;
    double up = above < n ? values[above] - stats.median : INFINITY;
    previous = current;
    if (up <= down) {
      current = up;
      above++;
    } else {
      current = down;
      below--;
    }
  }
  stats.mad = n % 2 ? current : 0.5 * (previous + current);
  return stats;
}

/* The lag-1 correlation of the side of the median, as the header says; 0 at least. */
static double side_correlation(const double *times, size_t n, double median) {
  static const double assumed = 0.45, weight = 20;
  double agreeing = 0;
  for (size_t i = 0; i + 1 < n; i++)
    agreeing += (times[i] <= median) == (times[i + 1] <= median) ? 1 : -1;
  const double own = n > 1 ? agreeing / (double)(n - 1) + 1.0 / (double)n : 0; /* less its bias */
  const double s = ((double)n * own + weight * assumed) / ((double)n + weight);
  return fmin(fmax(s, 0), 0.9);
}

static double side_of(double time, double median) {
  return (time > median) - (time < median);
}

/* By how much wider the interval is of sides whose means over batches scatter as they do, as the
 * header says. */
static double batch_inflation(const double *times, size_t n, double median) {
  enum { MOST_BATCHES = 8, WEIGHT = 4 };
  /* Student's 97.5% quantiles: of batches + WEIGHT - 1 degrees of freedom, from no batch on. */
  static const double quantiles[] = {3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201};
  const size_t batches = n / 3 < MOST_BATCHES ? n / 3 : MOST_BATCHES;
  double mean = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    mean += side_of(times[i], median) / (double)n;
  for (size_t b = 0; b < batches; b++) {
    const size_t first = b * n / batches, end = (b + 1) * n / batches;
    double sum = 0;
    for (size_t i = first; i < end; i++)
      sum += side_of(times[i], median) - mean;
    squares += sum * sum / (double)(end - first);
  }
  return quantiles[batches] / 1.96 * sqrt((squares + WEIGHT) / (double)(batches + WEIGHT - 1));
}

/* Half the standard deviations that an interval of 95% of independent values is wide, and one of
 * 97.2%. */
static const double half_of_95 = 0.98, half_of_97_2 = 1.1;

dcs_stats dcs_summarize_series(const double *times, size_t n, double *room) {
  if (n > 0) memcpy(room, times, n * sizeof *room);
  dcs_stats stats = dcs_summarize(room, n);
  if (isnan(stats.lo)) return stats;
  const double s = side_correlation(times, n, stats.median), alike = sqrt((1 + s) / (1 - s));
  stats.inflation =
      half_of_97_2 / half_of_95 * fmax(alike, batch_inflation(times, n, stats.median));
  const double half = half_of_95 * sqrt((double)n) * stats.inflation, rank = 0.5 * (double)n - half;
  const size_t at = rank > 0 ? (size_t)rank : 0;
  stats.lo = fmin(fmin(stats.lo, room[at]), stats.median * (1 - DCS_PACE));
  stats.hi = fmax(fmax(stats.hi, room[n - 1 - at]), stats.median * (1 + DCS_PACE));
  return stats;
}

size_t dcs_outliers(const double *values, const dcs_stats *stats) {
  size_t count = 0;
  for (size_t i = 0; i < stats->n; i++)
    count += stats->mad > 0 && 0.6745 * fabs(values[i] - stats->median) > 3.5 * stats->mad;
  return count;
}
