/* The few methods of a pool that matter. */
#include "tuning/dispatch/dispatch_pool.h"

#include <math.h>

/* A decision is also asked for sizes beyond the measured ones: each size stands for itself, for
 * fewer and more inputs, and for a larger grid; where inputs count within a range only, for smaller
 * and larger boxes of the same density. And for one slice of its grid, where a thread of several
 * slices has little to do. */
typedef struct {
  int64_t inputs, edges; /* factors */
  bool down, flat;
} reach;
static const reach any_range[DCS_POOL_AROUND] = {
    {1, 1}, {16, 1, .down = true}, {16, 1}, {16, 2}, {1, 1, .flat = true}};
static const reach some_range[DCS_POOL_AROUND] = {
    {1, 1}, {8, 2, .down = true}, {64, 4, .down = true}, {8, 2}, {1, 1, .flat = true}};

static dcs_size around(const dcs_size *size, int which) {
  const dcs_kind *kind = size->kind;
  const bool ranged = dcs_problem_range(kind, &size->config) > 0;
  const reach *step = ranged ? &some_range[which] : &any_range[which];
  dcs_size s = *size;
  for (int d = 0; d < kind->n_dimensions; d++) {
    const dcs_dimension *dimension = &kind->dimensions[d];
    const int64_t by = dimension->n == 1 ? step->inputs : step->edges;
    for (int a = dimension->first; a < dimension->first + dimension->n; a++)
      s.axes[a] = step->down ? dcs_divide_up(s.axes[a], by) : s.axes[a] * by;
    if (step->flat && dimension->n == 3) s.axes[dimension->first + 2] = 1;
  }
  return s;
}

/* Fills p->expected: a row of DCS_POOL_AROUND times all sizes for each method. */
static void expect_all(dcs_pool *p) {
  double *next = p->expected;
  for (size_t i = 0; i < p->n; i++)
    for (size_t size = 0; size < p->n_sizes; size++)
      for (int which = 0; which < DCS_POOL_AROUND; which++) {
        dcs_size s = around(&p->sizes[size]->sample.size, which);
        *next++ = dcs_cost_ns(&p->list[i].cost, &s, p->sizes[size]->sample.spacing);
      }
}

/* Mean of log(time of the best chosen method / time of the best of all), as expected, around all
 * sizes but `out`. Where no chosen method was measured near the problem, that counts like a time
 * many times as long. */
static double loss(const dcs_pool *p, const size_t *chosen, int n, size_t out) {
  const double unreached = 10;
  double sum = 0;
  size_t sizes = DCS_POOL_AROUND * p->n_sizes;
  for (size_t s = 0; s < sizes; s++) {
    double best = INFINITY, own = INFINITY;
    if (s / DCS_POOL_AROUND == out) continue;
    for (size_t i = 0; i < p->n; i++)
      best = fmin(best, p->expected[i * sizes + s]);
    for (int i = 0; i < n; i++)
      own = fmin(own, p->expected[chosen[i] * sizes + s]);
    if (own > best) sum += isfinite(own) ? log(own / best) : unreached;
  }
  return sum / (double)sizes;
}

/* Takes the method that loses least, then again and again the one that saves most beside those
 * taken, until it saves less than a thousandth. */
int dcs_pool_choose(dcs_pool *p, size_t out, size_t chosen[DCS_DISPATCH_MOST]) {
  double before = INFINITY;
  int n = 0;
  expect_all(p);
  while (n < DCS_DISPATCH_MOST) {
    double least = INFINITY;
    size_t next = 0;
    for (size_t i = 0; i < p->n; i++) {
      chosen[n] = i;
      double after = loss(p, chosen, n + 1, out);
      if (after >= least) continue;
      least = after;
      next = i;
    }
    if (!(least < before - 1e-3)) break;
    chosen[n++] = next;
    before = least;
  }
  return n;
}
