/* Descriptor of cuda_shared. */
#include "kernels/coulomb/cuda/slice.h"

static const int tiles[] = {64, 128, 256, 512, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_PARAM_BLOCK_X(32),
    DCS_PARAM_BLOCK_Y(8),
    DCS_PARAM_COARSEN,
    {"tile_atoms", "atoms in shared memory at a time", 1, 3072, 256, NULL, tiles},
};

static dcs_slice_shape shape_of(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_slice_shape){config->value[DCS_BLOCK_X], config->value[DCS_BLOCK_Y],
                           config->value[DCS_COARSEN], problem->n_inputs};
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_slice_applicable(problem, shape_of(problem, config), why);
}

/* No thread may leave before the barriers: whole tiles of points. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_slice_shape shape = shape_of(problem, config);
  dcs_dims n = problem->n;
  n.x = dcs_round_up(n.x, (int64_t)shape.block_x * shape.coarsen);
  n.y = dcs_round_up(n.y, shape.block_y);
  return n;
}

static double flops_per_eval(const dcs_config *config) {
  double k = config->value[DCS_COARSEN];
  return (5 + 7 * k) / k;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_ATOMS, DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,  DCS_ARG_K,     DCS_ARG_SPACING,  DCS_ARG_END};
  dcs_slice_plan(problem, shape_of(problem, config), problem->n, plan);
  plan->constant_inputs = false;
  plan->prepared = false;
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/shared.cu", "kernels/coulomb/cuda/shared.c",
    "kernels/coulomb/cuda/slice.c",   "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",      NULL};

const dcs_variant dcs_variant_cuda_shared = {
    .id = "cuda_shared",
    .kind = "coulomb",
    .sources = sources,
    .idea = "K points of a row per thread, atoms in tiles of shared memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .plan = plan,
};
