/* Descriptor of cuda_coarsened. */
#include "kernels/coulomb/cuda/slice.h"

static const dcs_param params[] = {DCS_PARAM_BLOCK_X(32), DCS_PARAM_BLOCK_Y(4), DCS_PARAM_COARSEN,
                                   DCS_PARAM_CHUNK_ATOMS(4000), DCS_PARAM_READ};

/* A thread whose first point lies inside computes all its points. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_dims n = problem->n;
  n.x = dcs_round_up(n.x, config->value[DCS_COARSEN]);
  return n;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,  DCS_ARG_SPACING,  DCS_ARG_END};
  dcs_slice_plan(problem, dcs_slice_shape_of(config), problem->n, plan);
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/coarsened.cu", "kernels/coulomb/cuda/coarsened.c",
    "kernels/coulomb/cuda/slice.c",      "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",         NULL};

const dcs_variant dcs_variant_cuda_coarsened = {
    .id = "cuda_coarsened",
    .kind = "coulomb",
    .sources = sources,
    .idea = "K adjacent points of a row per thread: distance terms shared, writes scattered",
    .backend = DCS_GPU,
    .book = DCS_BOOK_VERSION_2,
    .params = params,
    .n_params = 5,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_coarse_applicable,
    .executed = executed,
    .flops_per_eval = dcs_coarse_flops,
    .longest_sum = dcs_coarse_longest_sum,
    .plan = plan,
    .prepare = dcs_prepare_dz2,
};
