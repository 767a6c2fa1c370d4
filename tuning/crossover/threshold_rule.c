/* Rules from the differences of two methods: by an isotonic fit, or by what they lose. */
#include "tuning/crossover/threshold.h"

#include <math.h>

size_t dcs_isotonic_fit(const double *x, const double *y, double sign, size_t n,
                        dcs_isotonic_block *blocks) {
  size_t last = 0; /* one past */
  for (size_t i = 0; i < n; i++) {
    dcs_isotonic_block next = {.value = sign * y[i], .centre = x[i], .n = 1};
    for (; last > 0 && blocks[last - 1].value >= next.value; last--) {
      const dcs_isotonic_block *before = &blocks[last - 1];
      double a = (double)before->n, b = (double)next.n;
      next.value = (a * before->value + b * next.value) / (a + b);
      next.centre = (a * before->centre + b * next.centre) / (a + b);
      next.n += before->n;
    }
    blocks[last++] = next;
  }
  return last;
}

static double squared_error(const double *y, double sign, const dcs_isotonic_block *blocks,
                            size_t n_blocks) {
  double sum = 0;
  for (size_t b = 0; b < n_blocks; b++)
    for (size_t i = 0; i < blocks[b].n; i++, y++)
      sum += (sign * *y - blocks[b].value) * (sign * *y - blocks[b].value);
  return sum;
}

/* Where the line through the blocks' centres passes from below 0 to 0 or above. */
static double zero_of(const dcs_isotonic_block *blocks, size_t n) {
  size_t first = 0;
  while (first < n && blocks[first].value < 0)
    first++;
  if (first == 0) return -INFINITY;
  if (first == n) return INFINITY;
  const dcs_isotonic_block *a = &blocks[first - 1], *b = &blocks[first];
  return a->centre + (b->centre - a->centre) * a->value / (a->value - b->value);
}

double dcs_threshold_zero(const double *log_x, const double *d, size_t n, int below,
                          dcs_isotonic_block *blocks, double *error) {
  double sign = below == 0 ? 1 : -1;
  size_t n_blocks = dcs_isotonic_fit(log_x, d, sign, n, blocks);
  *error = squared_error(d, sign, blocks, n_blocks);
  return zero_of(blocks, n_blocks);
}

dcs_threshold_rule dcs_threshold_by_fit(const double *log_x, const double *d, size_t n,
                                        dcs_isotonic_block *blocks) {
  dcs_threshold_rule rules[2];
  double errors[2];
  for (int below = 0; below < 2; below++)
    rules[below] =
        (dcs_threshold_rule){dcs_threshold_zero(log_x, d, n, below, blocks, &errors[below]), below};
  return rules[errors[1] < errors[0]];
}

double dcs_threshold_side_loss(int taken, double d) {
  return fmax(0, expm1(taken == 0 ? d : -d));
}

double dcs_threshold_loss(dcs_threshold_rule rule, double log_x, double d) {
  int chosen = log_x < rule.log_x ? rule.below : 1 - rule.below;
  return dcs_threshold_side_loss(chosen, d);
}

dcs_threshold_rule dcs_threshold_by_loss(const double *log_x, const double *d, size_t n,
                                         dcs_isotonic_block *room) {
  dcs_threshold_rule best = {-INFINITY, 0};
  double least = INFINITY;
  for (int below = 0; below < 2; below++) {
    double before = 0, after = 0; /* lost at the sizes below the rule's, and from it on */
    for (size_t i = n; i-- > 0;)
      room[i].value = after += dcs_threshold_side_loss(1 - below, d[i]);
    for (size_t i = 0; i < n; before += dcs_threshold_side_loss(below, d[i++])) {
      if (i > 0 && log_x[i] == log_x[i - 1]) continue; /* no rule tells these apart */
      if (!(before + room[i].value < least)) continue;
      least = before + room[i].value;
      best = (dcs_threshold_rule){i == 0 ? -INFINITY : 0.5 * (log_x[i - 1] + log_x[i]), below};
    }
  }
  return best;
}
