#include "tuning/dispatch/cost.h"

#include <math.h>
#include <string.h>

const char *const dcs_cost_names[DCS_COST_TERMS] = {
    "ns_map",  "ns_point", "ns_input",     "ns_launch",    "ns_share",
    "ns_wave", "ns_step",  "ns_wave_step", "ns_tail_step", "ns_eval"};

/* ---- sizes ---- */

double dcs_cost_share(const dcs_size *size, double spacing, const int64_t tile[3]) {
  return dcs_estimate(size, spacing, tile) / dcs_all_evals(size);
}

void dcs_size_widen(dcs_size *least, dcs_size *most, const dcs_size *size) {
  for (int a = 0; a < size->kind->n_axes; a++) {
    if (size->axes[a] < least->axes[a]) least->axes[a] = size->axes[a];
    if (size->axes[a] > most->axes[a]) most->axes[a] = size->axes[a];
  }
  for (int p = 0; p < size->kind->n_params; p++) {
    least->config.value[p] = fmin(least->config.value[p], size->config.value[p]);
    most->config.value[p] = fmax(most->config.value[p], size->config.value[p]);
  }
}

/* ---- shape ---- */

static dcs_plan plan_of(const dcs_variant *variant, const dcs_config *config, dcs_dims n,
                        int64_t inputs) {
  const dcs_problem problem = {.n_inputs = inputs,
                               .n = n,
                               .spacing = 1,
                               .config = dcs_initial_problem(dcs_kind_of(variant))};
  dcs_plan plan = {0};
  variant->plan(&problem, config, &plan);
  return plan;
}

/* So many points and inputs that a tile or a chunk is a small part of them. */
enum { many = 1 << 30 };

/* The smallest tile of which `blocks` cover n. */
static int64_t tile_of(int64_t n, int64_t blocks) {
  return blocks > 0 ? (n + blocks - 1) / blocks : 1;
}

dcs_tiling dcs_tiling_of(const dcs_variant *variant, const dcs_config *config) {
  static const dcs_dims along[3] = {{many, 1, 1}, {1, many, 1}, {1, 1, many}};
  if (variant->backend == DCS_CPU) {
    const dcs_problem one = {.n_inputs = 1,
                             .n = {1, 1, 1},
                             .spacing = 1,
                             .config = dcs_initial_problem(dcs_kind_of(variant))};
    dcs_dims tile = variant->executed(&one, config);
    return (dcs_tiling){.tile = {tile.x, tile.y, tile.z}, .shares = 1};
  }
  dcs_plan small = plan_of(variant, config, (dcs_dims){1, 1, 1}, many);
  const int64_t threads = (int64_t)small.block[0] * small.block[1] * small.block[2];
  dcs_plan deep = plan_of(variant, config, along[2], many);
  dcs_tiling tiling = {.slices = deep.launch_slices == many ? 0 : deep.launch_slices,
                       .chunk = deep.chunk_inputs == many ? 0 : deep.chunk_inputs,
                       .shares = 1,
                       .threads = threads > 0 ? threads : 1, /* of steps alone: no block */
                       .constant = small.constant_inputs};
  for (int axis = 0; axis < 3; axis++) {
    dcs_plan large = plan_of(variant, config, along[axis], many);
    bool cut = large.grid[axis] != small.grid[axis];
    tiling.tile[axis] = cut ? tile_of(many, large.grid[axis] / small.grid[axis]) : 1;
    tiling.blocks |= cut;
  }
  /* Whatever blocks there are for a single point share its inputs. */
  if (tiling.blocks) tiling.shares = small.grid[0] * small.grid[1] * small.grid[2];
  return tiling;
}

bool dcs_tiling_alike(const dcs_tiling *a, const dcs_tiling *b) {
  return a->blocks && b->blocks && a->slices == b->slices && a->constant == b->constant &&
         (a->shares > 1) == (b->shares > 1);
}

bool dcs_tiling_equal(const dcs_tiling *a, const dcs_tiling *b) {
  return memcmp(a->tile, b->tile, sizeof a->tile) == 0 && a->slices == b->slices &&
         a->chunk == b->chunk && a->shares == b->shares;
}

/* ---- time ---- */

/* The header that dispatch_header.c writes holds the same arithmetic. */
void dcs_cost_count(const dcs_cost *cost, const dcs_size *size, double spacing,
                    double times[DCS_COST_TERMS]) {
  const dcs_tiling *shape = &cost->shape;
  const int64_t inputs = dcs_size_inputs(size);
  const int64_t shares = shape->shares < inputs ? shape->shares : inputs;
  const dcs_dims n = dcs_size_points(size);
  int64_t x = dcs_divide_up(n.x, shape->tile[0]), y = dcs_divide_up(n.y, shape->tile[1]);
  int64_t z = dcs_divide_up(shape->slices ? shape->slices : n.z, shape->tile[2]);
  double tiles = (double)(x * y) * (double)z;
  double groups = shape->slices ? (double)dcs_divide_up(n.z, shape->slices) : 1;
  double chunks = shape->chunk ? (double)dcs_divide_up(inputs, shape->chunk) : 1;
  double points = tiles * groups * (double)(shape->tile[0] * shape->tile[1] * shape->tile[2]);
  double waves = cost->sms > 0 ? ceil(tiles * (double)shares / cost->sms) : 0;
  double tail = cost->resident > 0 && waves > cost->resident ? waves - cost->resident : 0;
  double steps =
      groups * (double)inputs / (double)shares * dcs_cost_share(size, spacing, shape->tile);
  /* Rows of a block's threads beyond the grid are warps that have nothing to do. */
  const double rows = n.y < shape->tile[1] ? (double)n.y / (double)shape->tile[1] : 1;
  times[DCS_COST_MAP] = 1;
  times[DCS_COST_POINT] = (double)n.x * (double)n.y * (double)n.z;
  times[DCS_COST_INPUT] = (double)inputs;
  times[DCS_COST_LAUNCH] = groups * chunks;
  times[DCS_COST_SHARE] = groups * chunks * (double)shares;
  times[DCS_COST_WAVE] = groups * chunks * waves;
  times[DCS_COST_STEP] = steps;
  times[DCS_COST_WAVE_STEP] = rows * steps * waves;
  times[DCS_COST_TAIL_STEP] = rows * steps * tail;
  times[DCS_COST_EVAL] = (double)inputs * points * dcs_cost_share(size, spacing, NULL);
}

/* Parameters that are not real are the family's, the same in all. */
static bool holds_for(const dcs_cost *cost, const dcs_size *size) {
  for (int p = 0; p < size->kind->n_params; p++) {
    const dcs_param *param = &size->kind->params[p];
    const double value = size->config.value[p];
    if (!param->real || param->times == DCS_TIMES_ANY) continue;
    if (!(value * DCS_COST_FACTOR >= cost->least.config.value[p])) return false;
    if (param->times == DCS_TIMES_NEAR && !(value <= cost->most.config.value[p] * DCS_COST_FACTOR))
      return false;
  }
  return dcs_size_inputs(size) >= cost->inputs_least;
}

/* Whether an axis of the size lies above what was measured. */
static bool is_beyond(const dcs_cost *cost, const dcs_size *size) {
  for (int a = 0; a < size->kind->n_axes; a++)
    if (size->axes[a] > cost->most.axes[a]) return true;
  return false;
}

double dcs_cost_ns(const dcs_cost *cost, const dcs_size *size, double spacing) {
  double times[DCS_COST_TERMS], ns = 0;
  if (!holds_for(cost, size)) return INFINITY;
  dcs_cost_count(cost, size, spacing, times);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    ns += times[t] * cost->ns[t];
  return is_beyond(cost, size) ? fmax(ns, times[DCS_COST_EVAL] * cost->shown) : ns;
}

bool dcs_cost_extrapolates(const dcs_cost *cost, const dcs_size *size) {
  for (int a = 0; a < size->kind->n_axes; a++)
    if (size->axes[a] < cost->least.axes[a]) return true;
  return is_beyond(cost, size);
}
