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

bool dcs_tiling_equal(const dcs_tiling *a, const dcs_tiling *b) {
  return dcs_tiling_alike(a, b) && memcmp(a->tile, b->tile, sizeof a->tile) == 0 &&
         a->chunk == b->chunk && a->shares == b->shares;
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
void dcs_cost_count(const dcs_cost *cost, const dcs_size *size, double times[DCS_COST_TERMS]) {
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
  times[DCS_COST_MAP] = 1;
  times[DCS_COST_POINT] = (double)n.x * (double)n.y * (double)n.z;
  times[DCS_COST_ATOM] = (double)atoms;
  times[DCS_COST_LAUNCH] = groups * chunks;
  times[DCS_COST_TURN] = groups * chunks * turns;
  times[DCS_COST_STEP] = steps;
  times[DCS_COST_TURN_STEP] = steps * turns;
  times[DCS_COST_LATE_STEP] =
      cost->together > 0 && turns > cost->together ? steps * (turns - cost->together) : 0;
  times[DCS_COST_EVAL] = (double)atoms * points * dcs_size_share(size);
}

double dcs_cost_ns(const dcs_cost *cost, const dcs_size *size) {
  double times[DCS_COST_TERMS], ns = 0;
  if (!(size->cutoff * DCS_COST_CUTOFF_FACTOR >= cost->cutoff_least &&
        size->cutoff <= cost->cutoff_most * DCS_COST_CUTOFF_FACTOR) ||
      size->atoms < cost->atoms_least)
    return INFINITY;
  dcs_cost_count(cost, size, times);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    ns += times[t] * cost->ns[t];
  return ns;
}
