#include "harness/judge/paired.h"

#include "harness/judge/stats.h"

#include <math.h>

/* Scores of ranks are whole numbers up to this. */
enum { MOST = 8 };

/* n log ratios, and room: of each block the sum of its scores, of sums their chances. */
typedef struct {
  double *values;
  const int *block;
  size_t n;
  double *sums, *chances;
} pairs;

/* Of the i-th value by the rank of its distance from the centre, of equal ones the first first; all
 * beyond a quarter of the ranks have the highest. */
static size_t score_of(const pairs *p, size_t i, double centre) {
  const double distance = fabs(p->values[i] - centre);
  const size_t end = (p->n + 3) / 4, most = end < MOST ? end : MOST;
  size_t rank = 1;
  for (size_t j = 0; j < p->n && rank < end; j++) {
    const double other = fabs(p->values[j] - centre);
    rank += other < distance || (other == distance && j < i);
  }
  return (rank * most + end - 1) / end;
}

/* The scores of a block's values above the centre less those of its values below; they begin at
 * *first, which goes on to the next block. */
static double sum_of_block(const pairs *p, double centre, size_t *first) {
  const int block = p->block[*first];
  double sum = 0;
  for (; *first < p->n && p->block[*first] == block; ++*first) {
    const double value = p->values[*first];
    if (value != centre) sum += (value > centre ? 1 : -1) * (double)score_of(p, *first, centre);
  }
  return sum;
}

/* The probability of blocks as far above the centre, or further, if their signs are those of coins:
 * that those which fell tails sum up to no more than the blocks below it do. 1 from a half on. */
static double tail(const pairs *p, double centre) {
  size_t blocks = 0, below = 0, all = 0;
  for (size_t i = 0; i < p->n;) {
    const double sum = sum_of_block(p, centre, &i);
    p->sums[blocks++] = fabs(sum);
    all += (size_t)fabs(sum);
    below += sum < 0 ? (size_t)-sum : 0;
  }
  if (2 * below >= all) return 1;
  double *chances = p->chances, sum = 0;
  for (size_t s = 0; s <= below; s++)
    chances[s] = s == 0;
  for (size_t b = 0; b < blocks; b++) {
    const size_t more = (size_t)p->sums[b];
    for (size_t s = below + 1; s-- > 0;)
      chances[s] = 0.5 * (chances[s] + (s >= more ? chances[s - more] : 0));
  }
  for (size_t s = 0; s <= below; s++)
    sum += chances[s];
  return sum;
}

static void negate(const pairs *p) {
  for (size_t i = 0; i < p->n; i++)
    p->values[i] = -p->values[i];
}

/* The lower end of the interval, of values whose median is `middle`. */
static double lower_end(const pairs *p, double middle) {
  double lo = p->values[0], hi = middle;
  for (size_t i = 1; i < p->n; i++)
    lo = fmin(lo, p->values[i]);
  if (tail(p, lo) > 0.025) return lo; /* what is below is rejected: there are blocks enough */
  while (hi - lo > 1e-6) {
    const double centre = 0.5 * (lo + hi);
    if (tail(p, centre) > 0.025)
      hi = centre;
    else
      lo = centre;
  }
  return lo;
}

static size_t count_blocks(const int *block, size_t n) {
  size_t blocks = n > 0;
  for (size_t i = 1; i < n; i++)
    blocks += block[i] != block[i - 1];
  return blocks;
}

dcs_ratio dcs_ratio_of_pairs(const double *a, const double *b, const int *block, size_t n,
                             double *room, double *p) {
  dcs_ratio ratio = {.n_a = n, .n_b = n, .value = NAN, .lo = NAN, .hi = NAN};
  const pairs of = {room, block, n, room + n, room + 2 * n};
  for (size_t i = 0; i < n; i++)
    room[i] = of.chances[i] = log(b[i] / a[i]);
  const double middle = dcs_median_of(of.chances, n);
  *p = NAN;
  ratio.value = exp(middle);
  if (count_blocks(block, n) < DCS_PAIRED_BLOCKS) return ratio;
  ratio.lo = exp(lower_end(&of, middle));
  negate(&of);
  ratio.hi = exp(-lower_end(&of, -middle));
  if (middle > 0) negate(&of);
  *p = fmin(1, 2 * tail(&of, log(DCS_CHANGE_MARGIN)));
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
