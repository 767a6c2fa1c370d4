/* Descriptor of cuda_coalesced. */
#include "kernels/coulomb/cuda/slice.h"

static const dcs_param params[] = {DCS_PARAM_BLOCK_X(32), DCS_PARAM_BLOCK_Y(4), DCS_PARAM_COARSEN,
                                   DCS_PARAM_CHUNK_ATOMS(4000), DCS_PARAM_READ};

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_slice_shape shape = dcs_slice_shape_of(config);
  dcs_dims n = problem->n;
  n.x = dcs_strided_columns(n.x, shape.block_x, shape.coarsen);
  return n;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,  DCS_ARG_SPACING,  DCS_ARG_END};
  dcs_slice_plan(problem, dcs_slice_shape_of(config), problem->n, plan);
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/coalesced.cu", "kernels/coulomb/cuda/coalesced.c",
    "kernels/coulomb/cuda/slice.c",      "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",         NULL};

const dcs_variant dcs_variant_cuda_coalesced = {
    .id = "cuda_coalesced",
    .kind = "coulomb",
    .sources = sources,
    .idea = "K points of a row per thread, block_x apart: coalesced writes, guarded edges",
    .backend = DCS_GPU,
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
