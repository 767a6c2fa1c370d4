/* What a decision loses at sizes that it was not drawn from, and what the simplest rule does. */
#include "harness/base/interrupt.h"
#include "harness/base/progress.h"
#include "harness/judge/stats.h"
#include "tuning/dispatch/dispatch_pool.h"

#include <math.h>

/* ---- rules ---- */

/* The method that the table drawn without a size takes there. */
static const dcs_candidate *table_takes(dcs_pool *p, size_t out) {
  const dcs_cost_sample *size = &p->sizes[out]->sample;
  const dcs_candidate *taken = NULL;
  size_t chosen[DCS_DISPATCH_MOST];
  double least = INFINITY;
  dcs_pool_fit(p, out);
  int n = dcs_pool_choose(p, out, chosen);
  for (int c = 0; c < n; c++) {
    double ns = dcs_cost_ns(&p->list[chosen[c]].cost, &size->size, size->spacing);
    if (ns >= least) continue;
    least = ns;
    taken = &p->list[chosen[c]];
  }
  return taken;
}

/* Squared distance of the logarithms of axes and of real parameters. */
static double distance(const dcs_size *a, const dcs_size *b) {
  double sum = 0;
  for (int i = 0; i < a->kind->n_axes; i++) {
    double along = log((double)a->axes[i] / (double)b->axes[i]);
    sum += along * along;
  }
  for (int i = 0; i < a->kind->n_params; i++) {
    const double x = a->config.value[i], y = b->config.value[i];
    if (x > 0 && y > 0) sum += log(x / y) * log(x / y);
  }
  return sum;
}

static const dcs_candidate *fastest_at(const dcs_pool *p, size_t size) {
  const dcs_candidate *fastest = NULL;
  for (size_t i = 0; i < p->n; i++) {
    const dcs_candidate *c = &p->list[i];
    if (c->times[size] && (!fastest || c->times[size]->sample.ns < fastest->times[size]->sample.ns))
      fastest = c;
  }
  return fastest;
}

const dcs_candidate *dcs_pool_nearest(const dcs_pool *p, const dcs_size *size, size_t out) {
  const dcs_candidate *taken = NULL;
  double least = INFINITY;
  for (size_t other = 0; other < p->n_sizes; other++) {
    const dcs_candidate *fastest = other == out ? NULL : fastest_at(p, other);
    if (!fastest) continue;
    double far = distance(&p->sizes[other]->row->size, size);
    if (far >= least) continue;
    least = far;
    taken = fastest;
  }
  return taken;
}

/* ---- losses ---- */

int dcs_pool_measured(const dcs_pool *p, size_t size) {
  int measured = 0;
  for (size_t i = 0; i < p->n; i++)
    measured += p->list[i].times[size] != NULL;
  return measured;
}

dcs_loss dcs_loss_of(double *values, size_t n) {
  dcs_loss loss = {(int64_t)n, NAN, NAN, NAN};
  double sum = 0;
  if (n == 0) return loss;
  dcs_sort_values(values, n);
  for (size_t i = 0; i < n; i++)
    sum += values[i];
  loss.mean = sum / (double)n;
  loss.p95 = values[(19 * n + 19) / 20 - 1];
  loss.worst = values[n - 1];
  return loss;
}

/* Samples of a busy machine often lie in two heaps, and the median of a few jumps from one to the
 * other; the ratio of all pairs does not. */
double dcs_pool_lost(const dcs_pool *p, const dcs_candidate *taken, size_t size) {
  double most = 1;
  if (!taken || !taken->times[size]) return NAN;
  for (size_t i = 0; i < p->n; i++)
    if (p->list[i].times[size])
      most = fmax(most, dcs_row_ratio(p->list[i].times[size]->row, taken->times[size]->row).value);
  return most - 1;
}

static void add(double *values, size_t *n, double value) {
  if (!isnan(value)) values[(*n)++] = value;
}

dcs_status dcs_pool_hold_out(dcs_pool *p, dcs_dispatch_table *table) {
  double *own, *nearest;
  DCS_TRY(dcs_room_take(&p->filled, &own, p->n_sizes, sizeof *own, "sizes"));
  DCS_TRY(dcs_room_take(&p->filled, &nearest, p->n_sizes, sizeof *nearest, "sizes"));
  table->held_out = 0;
  size_t n_own = 0, n_nearest = 0;
  dcs_progress progress = dcs_progress_start();
  for (size_t size = 0; size < p->n_sizes; size++) {
    if (dcs_pool_measured(p, size) < 2) continue;
    dcs_progress_draw(&progress, (double)size / (double)p->n_sizes, dcs_scope_name(p->scope));
    if (dcs_interrupted()) break;
    table->held_out++;
    add(own, &n_own, dcs_pool_lost(p, table_takes(p, size), size));
    add(nearest, &n_nearest,
        dcs_pool_lost(p, dcs_pool_nearest(p, &p->sizes[size]->row->size, size), size));
  }
  dcs_progress_clear(&progress);
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  table->loss = dcs_loss_of(own, n_own);
  table->nearest = dcs_loss_of(nearest, n_nearest);
  return DCS_OK;
}
