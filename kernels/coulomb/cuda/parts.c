/* Descriptor of cuda_parts. */
#include "kernels/coulomb/cuda/brick.h"

#include <stdio.h>

enum { PARTS = DCS_BRICK_N_SHAPE };
enum { MOST_THREADS = 1024, MOST_SHARED_BYTES = 49152 };

/* A tile is a warp's points, or a few warps'. */
static const int block_x_tried[] = {8, 16, 32, DCS_TRIES_END};
static const int block_y_tried[] = {2, 4, 8, DCS_TRIES_END};
static const int parts_tried[] = {4, 8, 16, 32, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a tile in x", 1, 1024, 8, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a tile in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen_x", "points of a row per thread, block_x apart", 1, 8, 2, NULL, dcs_tries_coarsen_x,
     DCS_ROLE_COARSEN_X},
    {"coarsen_z", "adjacent slices per thread", 1, 16, 4, NULL, dcs_tries_coarsen_z},
    {"parts", "times a tile's threads, which share its atoms", 1, 32, 16, NULL, parts_tried},
    DCS_BRICK_UNROLLED(4),
};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const dcs_brick brick = dcs_brick_shape_of(config);
  const int parts = (int)config->value[PARTS], threads = brick.block_x * brick.block_y * parts;
  const int64_t bytes = (int64_t)sizeof(float) * threads * brick.coarsen_x * brick.coarsen_z;
  if (!dcs_brick_fits(problem, brick, 1, why)) return false;
  if (threads > MOST_THREADS)
    snprintf(why, DCS_TEXT, "%d threads in %d parts; CUDA allows %d a block", threads, parts,
             MOST_THREADS);
  else if (bytes > MOST_SHARED_BYTES)
    snprintf(why, DCS_TEXT, "partial sums take %lld bytes of shared memory; %d fit",
             (long long)bytes, MOST_SHARED_BYTES);
  else
    return true;
  return false;
}

/* The additions of partial sums, one a point and part, are left out: they depend on the atoms. */
static double flops_per_eval(const dcs_config *config) {
  return dcs_brick_soft_flops(dcs_brick_shape_of(config), DCS_SOFT_SHARE);
}

/* The atoms of the largest part, and the partial sums. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t parts = (int64_t)config->value[PARTS];
  return dcs_divide_up(problem->n_inputs, parts) + parts - 1;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_ATOMS,   DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,  DCS_ARG_NY,      DCS_ARG_NZ,
                                 DCS_ARG_K,   DCS_ARG_SPACING, DCS_ARG_END};
  const dcs_brick brick = dcs_brick_shape_of(config);
  dcs_brick_plan_of(problem, brick, plan);
  plan->block[2] = (int)config->value[PARTS];
  plan->slice_step = brick.coarsen_z;
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/parts.cu",   "kernels/coulomb/cuda/parts.c",
    "kernels/coulomb/cuda/brick.c",    "kernels/coulomb/cuda/brick.h",
    "kernels/coulomb/cuda/brick.cuh",  "kernels/coulomb/cuda/atom_range.cuh",
    "kernels/coulomb/cuda/offset.cuh", "kernels/coulomb/cuda/soft_root.cuh",
    "kernels/coulomb/cuda/slice.c",    "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",       NULL};

const dcs_variant dcs_variant_cuda_parts = {
    .id = "cuda_parts",
    .kind = "coulomb",
    .sources = sources,
    .idea = "as cuda_split, the atoms of a tile split over the warps of a block",
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
