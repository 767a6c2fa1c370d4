/* Descriptor of cuda_reduce. */
#include "kernels/coulomb/cuda/brick.h"

#include <limits.h>
#include <stdio.h>

enum { SPLITS = DCS_BRICK_N_SHAPE };
enum { PARTS, COUNTERS }; /* scratch */

static const int splits_tried[] = {4, 16, 64, 256, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_BRICK_SHAPE(16, 8, 2, 4),
    {"splits", "blocks that share the atoms of a tile", 1, 256, 64, NULL, splits_tried},
    DCS_BRICK_UNROLLED(4),
};

/* Each split has an atom. */
static int64_t splits_of(const dcs_problem *problem, const dcs_config *config) {
  int64_t splits = config->value[SPLITS];
  return splits < problem->n_inputs ? splits : problem->n_inputs;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const dcs_brick brick = dcs_brick_shape_of(config);
  if (!dcs_brick_fits(problem, brick, (int)splits_of(problem, config), why)) return false;
  const int64_t tiles = dcs_divide_up(problem->n.x, (int64_t)brick.block_x * brick.coarsen_x) *
                        dcs_divide_up(problem->n.y, brick.block_y) *
                        dcs_divide_up(problem->n.z, brick.coarsen_z);
  if (tiles <= INT_MAX) return true;
  snprintf(why, DCS_TEXT, "%lld tiles of the map; the kernel counts up to %d: take larger blocks",
           (long long)tiles, INT_MAX);
  return false;
}

/* The additions of partial sums, one a point and split, are left out: they depend on the atoms. */
static double flops_per_eval(const dcs_config *config) {
  return dcs_brick_soft_flops(dcs_brick_shape_of(config), DCS_SOFT_SHARE);
}

/* The atoms of the largest split, or the partial sums, whose first additions are to zero. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  int64_t splits = splits_of(problem, config);
  return dcs_round_up(problem->n_inputs, splits) / splits + splits;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {
      DCS_ARG_MAP, DCS_ARG_ATOMS, DCS_ARG_N_INPUTS, DCS_ARG_NX,         DCS_ARG_NY,
      DCS_ARG_NZ,  DCS_ARG_K,     DCS_ARG_SPACING,  DCS_SCRATCH(PARTS), DCS_SCRATCH(COUNTERS),
      DCS_ARG_END};
  dcs_brick brick = dcs_brick_shape_of(config);
  int64_t splits = splits_of(problem, config);
  int64_t tile_points = (int64_t)brick.block_x * brick.block_y * brick.coarsen_x * brick.coarsen_z;
  dcs_brick_plan_of(problem, brick, plan);
  int64_t tiles = plan->grid[0] * plan->grid[1] * plan->grid[2];
  plan->scratch[PARTS].bytes = tiles * tile_points * splits * (int64_t)sizeof(float);
  plan->scratch[COUNTERS] = (dcs_scratch){tiles * (int64_t)sizeof(int32_t), .zero = true};
  plan->grid[2] *= splits;
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/reduce.cu",  "kernels/coulomb/cuda/reduce.c",
    "kernels/coulomb/cuda/brick.c",    "kernels/coulomb/cuda/brick.h",
    "kernels/coulomb/cuda/brick.cuh",  "kernels/coulomb/cuda/atom_range.cuh",
    "kernels/coulomb/cuda/offset.cuh", "kernels/coulomb/cuda/soft_root.cuh",
    "kernels/coulomb/cuda/slice.c",    "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",       NULL};

const dcs_variant dcs_variant_cuda_reduce = {
    .id = "cuda_reduce",
    .kind = "coulomb",
    .sources = sources,
    .idea = "as cuda_split, the atoms of a tile split over blocks, partial sums added in order",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = applicable,
    .executed = dcs_brick_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = plan,
};
