/* Costs fitted to the methods of a pool. */
#include "tuning/dispatch/dispatch_pool.h"

#include <math.h>

/* How much a row counts for a method. Times of methods with the same blocks, and less those of
 * methods that are launched alike, say where this one was not measured, or two costs always rose
 * together, how the card behaves; elsewhere they are too light to be heard. Not where the inputs
 * are sorted first: what such methods do before they add, and leave to the host, is not alike. */
static double weight(const dcs_rate *r, const dcs_candidate *c) {
  if (dcs_same_method(&r->method, &c->method)) return 1;
  if (c->method.variant->candidates || r->method.variant->backend != c->method.variant->backend)
    return 0;
  if (!dcs_tiling_alike(&r->shape, &c->shape)) return 0;
  return dcs_tiling_equal(&r->shape, &c->shape) ? 0.02 : 1e-4;
}

static bool is_held_out(const dcs_pool *p, const dcs_rate *rate, size_t out) {
  return out < p->n_sizes && dcs_same_size(&p->sizes[out]->row->size, &rate->row->size);
}

/* What moving outputs and inputs costs all GPU methods alike, beside the kernels: fitted to how
 * much longer they take in the pool's scope than in kernel. */
static void fit_moved(const dcs_pool *p, size_t out, double ns[DCS_COST_MOVED]) {
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    const dcs_candidate *c = &p->list[i];
    if (c->method.variant->backend == DCS_CPU) continue;
    for (size_t size = 0; size < p->n_sizes; size++) {
      if (size == out || !c->kernel[size]) continue;
      p->work[n] = c->times[size]->sample;
      p->work[n++].known_ns = c->kernel[size]->sample.ns;
    }
  }
  dcs_cost_fit_moved(p->work, n, ns);
}

/* Fits the method without the size `out` (n_sizes: none); returns the sum of squares. A kernel
 * takes as long whoever moves its data, and in scope kernel there are far more times, and steadier
 * ones: they say what it costs where it has them, and the costs of moving come on top. */
static double fit(const dcs_pool *p, dcs_candidate *c, size_t out, int co_resident,
                  const double moved[DCS_COST_MOVED]) {
  const bool by_kernel = c->in_both >= DCS_DISPATCH_SIZES;
  size_t n = 0;
  for (size_t i = 0; i < p->n_rates; i++) {
    const dcs_rate *r = &p->rates[i];
    p->work[n] = r->sample;
    p->work[n].weight = weight(r, c);
    n += p->work[n].weight > 0 && !is_held_out(p, r, out) &&
         dcs_rate_counts(p, r, by_kernel ? DCS_KERNEL : p->scope);
  }
  double squares = dcs_cost_fit(p->work, n, &c->shape, p->sm_count, co_resident, &c->cost);
  if (p->numbers_differ) c->cost.inputs_least = (c->inputs + 1) / 2;
  for (int t = 0; t < DCS_COST_MOVED && by_kernel && c->method.variant->backend == DCS_GPU; t++)
    c->cost.ns[t] += moved[t];
  return squares;
}

/* Threads of an SM that are co-resident as they go through constant memory: the card's, so that
 * all methods say how many. 0 where that explains less than a tenth of what is left. */
static int find_co_resident(dcs_pool *p, size_t out) {
  static const int tried[] = {0, 256, 384, 512, 768, 1024, 1536, 2048};
  const double better = 0.9, none[DCS_COST_MOVED] = {0};
  double least = INFINITY;
  int best = 0;
  for (size_t t = 0; t < sizeof tried / sizeof tried[0]; t++) {
    double squares = 0;
    for (size_t i = 0; i < p->n; i++)
      if (p->list[i].shape.constant) squares += fit(p, &p->list[i], out, tried[t], none);
    if (t == 0) least = better * squares;
    if (squares >= least) continue;
    least = squares;
    best = tried[t];
  }
  return best;
}

void dcs_pool_fit(dcs_pool *p, size_t out) {
  double moved[DCS_COST_MOVED];
  fit_moved(p, out, moved);
  int co_resident = find_co_resident(p, out);
  for (size_t i = 0; i < p->n; i++)
    fit(p, &p->list[i], out, co_resident, moved);
}
