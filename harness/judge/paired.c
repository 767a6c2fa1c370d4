#include "harness/judge/paired.h"

#include "harness/judge/stats.h"

#include <math.h>

enum { EXACT = 64 };

/* The values of the blocks, in room; returns how many. */
static size_t take_blocks(const double *a, const double *b, const int *block, size_t n,
                          double *room) {
  size_t blocks = 0;
  for (size_t first = 0, end; first < n; first = end) {
    double least_a = a[first], least_b = b[first];
    for (end = first; end < n && block[end] == block[first]; end++) {
      least_a = fmin(least_a, a[end]);
      least_b = fmin(least_b, b[end]);
    }
    room[blocks++] = log(least_b / least_a);
  }
  return blocks;
}

/* Of the n(n + 1)/2 averages of two values, each with itself included, how many are at most x. The
 * values ascend. */
static size_t count_at_most(const double *values, size_t n, double x) {
  size_t count = 0, end = n; /* of those that go with value i */
  for (size_t i = 0; i < n; i++) {
    while (end > 0 && values[i] + values[end - 1] > 2 * x)
      end--;
    count += end > i ? end - i : 0;
  }
  return count;
}

/* The k-th smallest average, k from 1, by bisection down to neighbouring numbers. */
static double kth_average(const double *values, size_t n, size_t k) {
  double lo = values[0], hi = values[n - 1];
  if (count_at_most(values, n, lo) >= k) return lo;
  for (double middle = 0.5 * (lo + hi); middle > lo && middle < hi; middle = 0.5 * (lo + hi)) {
    if (count_at_most(values, n, middle) >= k)
      hi = middle;
    else
      lo = middle;
  }
  return hi;
}

/* The probability that so many averages or fewer lie on one side of the centre: that of a sum of at
 * most `count` of those of 1..n whose coin fell heads. */
static double tail(size_t n, size_t count) {
  double ways[EXACT * (EXACT + 1) / 2 + 1] = {1}, sum = 0;
  const double all = (double)n * (double)(n + 1) / 2;
  if ((double)count >= all) return 1;
  if (n > EXACT) {
    const double deviation = sqrt(all * (double)(2 * n + 1) / 12);
    return 0.5 * erfc((0.5 * all - (double)count - 0.5) / deviation / sqrt(2));
  }
  for (size_t i = 1; i <= n; i++)
    for (size_t s = count; s >= i; s--)
      ways[s] += ways[s - i];
  for (size_t s = 0; s <= count; s++)
    sum += ways[s];
  return ldexp(sum, -(int)n);
}

/* The rank of the interval's ends, from below and from above: averages beyond it are as few as the
 * test at 5% takes for chance no more. */
static size_t interval_rank(size_t n) {
  size_t lo = 0, hi = n * (n + 1) / 2; /* tail(lo) is at most 0.025, tail(hi) above */
  while (hi - lo > 1) {
    const size_t middle = lo + (hi - lo) / 2;
    if (tail(n, middle) <= 0.025)
      lo = middle;
    else
      hi = middle;
  }
  return hi;
}

static double median_average(const double *values, size_t n) {
  const size_t all = n * (n + 1) / 2;
  const double upper = kth_average(values, n, all / 2 + 1);
  return all % 2 ? upper : 0.5 * (kth_average(values, n, all / 2) + upper);
}

/* Of values whose estimate is above 0. */
static double probability(const double *values, size_t n) {
  return fmin(1, 2 * tail(n, count_at_most(values, n, log(DCS_CHANGE_MARGIN))));
}

static void negate(double *values, size_t n) {
  for (size_t i = 0; i < n; i++)
    values[i] = -values[i];
  dcs_sort_values(values, n);
}

dcs_ratio dcs_ratio_of_pairs(const double *a, const double *b, const int *block, size_t n,
                             double *room, double *p) {
  dcs_ratio ratio = {.n_a = n, .n_b = n, .value = NAN, .lo = NAN, .hi = NAN};
  const size_t blocks = take_blocks(a, b, block, n, room);
  *p = NAN;
  if (blocks == 0) return ratio;
  dcs_sort_values(room, blocks);
  ratio.value = exp(median_average(room, blocks));
  if (blocks < DCS_PAIRED_BLOCKS) return ratio;
  const size_t rank = interval_rank(blocks);
  ratio.lo = exp(kth_average(room, blocks, rank));
  ratio.hi = exp(kth_average(room, blocks, blocks * (blocks + 1) / 2 + 1 - rank));
  if (ratio.value < 1) negate(room, blocks);
  *p = probability(room, blocks);
  return ratio;
}

/* Simple insertion: there are as many as rows of a table that people read. */
void dcs_holm(double *p, size_t n, size_t *order) {
  size_t known = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(p[i])) continue;
    size_t at = known++;
    for (; at > 0 && p[order[at - 1]] > p[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  double least = 0;
  for (size_t i = 0; i < known; i++) {
    least = fmax(least, fmin(1, (double)(known - i) * p[order[i]]));
    p[order[i]] = least;
  }
}
