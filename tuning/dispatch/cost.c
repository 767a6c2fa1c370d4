#include "tuning/dispatch/cost.h"

#include <math.h>
#include <string.h>

const char *const dcs_cost_names[DCS_COST_TERMS] = {[DCS_COST_MAP] = "ns_map",
                                                    [DCS_COST_POINT] = "ns_point",
                                                    [DCS_COST_ATOM] = "ns_atom",
                                                    [DCS_COST_LAUNCH] = "ns_launch",
                                                    [DCS_COST_TURN] = "ns_turn",
                                                    [DCS_COST_STEP] = "ns_step",
                                                    [DCS_COST_TURN_STEP] = "ns_turn_step",
                                                    [DCS_COST_LATE_STEP] = "ns_late_step",
                                                    [DCS_COST_EVAL] = "ns_eval"};

/* ---- shape ---- */

static dcs_plan plan_of(const dcs_variant *variant, const dcs_config *config, dcs_dims n,
                        int64_t atoms) {
  const dcs_problem problem = {.n_atoms = atoms, .n = n, .spacing = 1};
  dcs_plan plan = {0};
  variant->plan(&problem, config, &plan);
  return plan;
}

/* So many points and atoms that a tile or a chunk is a small part of them. */
enum { many = 1 << 30 };

/* The smallest tile of which `blocks` cover n. */
static int64_t tile_of(int64_t n, int64_t blocks) {
  return blocks > 0 ? (n + blocks - 1) / blocks : 1;
}

dcs_tiling dcs_tiling_of(const dcs_variant *variant, const dcs_config *config) {
  static const dcs_dims along[3] = {{many, 1, 1}, {1, many, 1}, {1, 1, many}};
  if (variant->backend == DCS_CPU) {
    const dcs_problem one = {.n_atoms = 1, .n = {1, 1, 1}, .spacing = 1};
    dcs_dims tile = variant->executed(&one, config);
    return (dcs_tiling){.tile = {tile.x, tile.y, tile.z}, .shares = 1};
  }
  dcs_plan small = plan_of(variant, config, (dcs_dims){1, 1, 1}, many);
  dcs_plan deep = plan_of(variant, config, along[2], many);
  dcs_tiling tiling = {.slices = deep.launch_slices == many ? 0 : deep.launch_slices,
                       .chunk = deep.chunk_atoms == many ? 0 : deep.chunk_atoms,
                       .shares = 1,
                       .threads = (int64_t)small.block[0] * small.block[1] * small.block[2],
                       .constant = small.atoms_in_constant};
  for (int axis = 0; axis < 3; axis++) {
    dcs_plan large = plan_of(variant, config, along[axis], many);
    bool cut = large.grid[axis] != small.grid[axis];
    tiling.tile[axis] = cut ? tile_of(many, large.grid[axis] / small.grid[axis]) : 1;
    tiling.blocks |= cut;
  }
  /* Whatever blocks there are for a single point share its atoms. */
  if (tiling.blocks) tiling.shares = small.grid[0] * small.grid[1] * small.grid[2];
  return tiling;
}

bool dcs_tiling_alike(const dcs_tiling *a, const dcs_tiling *b) {
  return a->blocks && b->blocks && a->slices == b->slices && a->constant == b->constant &&
         (a->shares > 1) == (b->shares > 1);
}

/* ---- time ---- */

/* Two numbers at random in 0..length are nearer than `half` with that probability: for each of the
 * axes by itself, which a cube allows and a ball does not. */
static double share_along(int64_t n, double spacing, double half) {
  const double length = spacing * (double)(n > 1 ? n - 1 : 1);
  const double beyond = half < length ? 1 - half / length : 0;
  return 1 - beyond * beyond;
}

/* The share of the atoms that lie within the cutoff of any point of a tile. */
static double share_of_tile(const dcs_size *size, const int64_t tile[3]) {
  const double half = 0.80599597700823 * size->cutoff; /* cube root of pi / 6 */
  if (!(size->cutoff > 0)) return 1;
  return share_along(size->n.x, size->spacing, half + 0.5 * size->spacing * (double)(tile[0] - 1)) *
         share_along(size->n.y, size->spacing, half + 0.5 * size->spacing * (double)(tile[1] - 1)) *
         share_along(size->n.z, size->spacing, half + 0.5 * size->spacing * (double)(tile[2] - 1));
}

double dcs_size_share(const dcs_size *size) {
  return share_of_tile(size, (const int64_t[]){1, 1, 1});
}

static int64_t cover(int64_t n, int64_t part) {
  return (n + part - 1) / part;
}

/* The header that dispatch_header.c writes holds the same arithmetic. */
static void count(const dcs_cost *cost, const dcs_size *size, double terms[DCS_COST_TERMS]) {
  const dcs_tiling *shape = &cost->shape;
  const int64_t atoms = size->atoms, shares = shape->shares < atoms ? shape->shares : atoms;
  const dcs_dims n = size->n;
  int64_t x = cover(n.x, shape->tile[0]), y = cover(n.y, shape->tile[1]);
  double tiles =
      (double)(x * y) * (double)cover(shape->slices ? shape->slices : n.z, shape->tile[2]);
  double groups = shape->slices ? (double)cover(n.z, shape->slices) : 1;
  double chunks = shape->chunk ? (double)cover(atoms, shape->chunk) : 1;
  double points = tiles * groups * (double)(shape->tile[0] * shape->tile[1] * shape->tile[2]);
  double turns = cost->units > 0 ? ceil(tiles * (double)shares / cost->units) : 0;
  double steps = groups * (double)atoms / (double)shares * share_of_tile(size, shape->tile);
  terms[DCS_COST_MAP] = 1;
  terms[DCS_COST_POINT] = (double)n.x * (double)n.y * (double)n.z;
  terms[DCS_COST_ATOM] = (double)atoms;
  terms[DCS_COST_LAUNCH] = groups * chunks;
  terms[DCS_COST_TURN] = groups * chunks * turns;
  terms[DCS_COST_STEP] = steps;
  terms[DCS_COST_TURN_STEP] = steps * turns;
  terms[DCS_COST_LATE_STEP] =
      cost->together > 0 && turns > cost->together ? steps * (turns - cost->together) : 0;
  terms[DCS_COST_EVAL] = (double)atoms * points * dcs_size_share(size);
}

double dcs_cost_ns(const dcs_cost *cost, const dcs_size *size) {
  double terms[DCS_COST_TERMS], ns = 0;
  if (!(size->cutoff * DCS_COST_CUTOFF_FACTOR >= cost->cutoff_least &&
        size->cutoff <= cost->cutoff_most * DCS_COST_CUTOFF_FACTOR))
    return INFINITY;
  count(cost, size, terms);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    ns += terms[t] * cost->ns[t];
  return ns;
}

/* ---- fit ---- */

/* Normal equations of the relative errors, each term scaled to a largest share of 1. */
typedef struct {
  double a[DCS_COST_TERMS][DCS_COST_TERMS], b[DCS_COST_TERMS], scale[DCS_COST_TERMS];
  double squares; /* of what is to be explained */
  int terms;      /* the first so many are fitted */
} equations;

static void relative_terms(const dcs_cost *cost, const dcs_cost_sample *s,
                           double terms[DCS_COST_TERMS]) {
  count(cost, &s->size, terms);
  if (!cost->shape.blocks) /* its launch is its map, its steps are its atoms */
    terms[DCS_COST_LAUNCH] = terms[DCS_COST_STEP] = 0;
  for (int t = 0; t < DCS_COST_TERMS; t++)
    terms[t] /= s->ns;
}

static void set_up(const dcs_cost *cost, const dcs_cost_sample *samples, size_t n, equations *e) {
  double terms[DCS_COST_TERMS];
  for (size_t s = 0; s < n; s++) {
    relative_terms(cost, &samples[s], terms);
    for (int t = 0; t < e->terms; t++)
      e->scale[t] = fmax(e->scale[t], terms[t]);
  }
  for (size_t s = 0; s < n; s++) {
    const double weight = samples[s].weight;
    const double left = 1 - samples[s].known_ns / samples[s].ns;
    relative_terms(cost, &samples[s], terms);
    for (int t = 0; t < e->terms; t++)
      terms[t] = e->scale[t] > 0 ? terms[t] / e->scale[t] : 0;
    for (int t = 0; t < e->terms; t++) {
      e->b[t] += weight * left * terms[t];
      for (int u = 0; u < e->terms; u++)
        e->a[t][u] += weight * terms[t] * terms[u];
    }
    e->squares += weight * left * left;
  }
}

/* Non-negative least squares by coordinate descent (Franc, Hlavac, Navara, Sequential
 * coordinate-wise algorithm for the non-negative least squares problem, CAIP 2005); returns the sum
 * of squares. Where costs explain the times equally well, the last one does: it grows fastest with
 * the map, so that larger ones are not taken for cheap. */
static double solve(const equations *e, double x[DCS_COST_TERMS]) {
  memset(x, 0, DCS_COST_TERMS * sizeof *x);
  for (int sweep = 0; sweep < 3000; sweep++) {
    double moved = 0;
    for (int t = e->terms - 1; t >= 0; t--) {
      if (!(e->a[t][t] > 0)) continue;
      double gradient = -e->b[t];
      for (int u = 0; u < e->terms; u++)
        gradient += e->a[t][u] * x[u];
      double next = fmax(0, x[t] - gradient / e->a[t][t]);
      moved = fmax(moved, fabs(next - x[t]));
      x[t] = next;
    }
    if (moved < 1e-7) break;
  }
  double squares = e->squares;
  for (int t = 0; t < e->terms; t++) {
    squares -= 2 * x[t] * e->b[t];
    for (int u = 0; u < e->terms; u++)
      squares += x[t] * x[u] * e->a[t][u];
  }
  return fmax(squares, 0);
}

/* Fits the first `terms` costs, into cost->ns. */
static double fit_at(const dcs_cost_sample *samples, size_t n, int terms, dcs_cost *cost) {
  equations e = {.terms = terms};
  double x[DCS_COST_TERMS];
  set_up(cost, samples, n, &e);
  double squares = solve(&e, x);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    cost->ns[t] = x[t] > 0 ? x[t] / e.scale[t] : 0;
  return squares;
}

static void find_cutoffs(const dcs_cost_sample *samples, size_t n, dcs_cost *cost) {
  cost->cutoff_least = INFINITY;
  for (size_t s = 0; s < n; s++) {
    cost->cutoff_least = fmin(cost->cutoff_least, samples[s].size.cutoff);
    cost->cutoff_most = fmax(cost->cutoff_most, samples[s].size.cutoff);
  }
}

double dcs_cost_fit(const dcs_cost_sample *samples, size_t n, const dcs_tiling *shape, int sm_count,
                    int side_by_side, dcs_cost *cost) {
  *cost = (dcs_cost){.shape = *shape};
  find_cutoffs(samples, n, cost);
  /* A CPU's tiles take turns, too. Of whole sums each goes through all atoms: an evaluation's cost
   * says it all. */
  cost->units = shape->blocks ? sm_count : cost->cutoff_most > 0 ? 1 : 0;
  if (shape->blocks && shape->constant)
    cost->together = (double)side_by_side / (double)shape->threads;
  return fit_at(samples, n, DCS_COST_TERMS, cost);
}

void dcs_cost_fit_moved(const dcs_cost_sample *samples, size_t n, double ns[DCS_COST_MOVED]) {
  dcs_cost cost = {.shape = {.tile = {1, 1, 1}, .shares = 1}};
  fit_at(samples, n, DCS_COST_MOVED, &cost);
  memcpy(ns, cost.ns, DCS_COST_MOVED * sizeof *ns);
}
