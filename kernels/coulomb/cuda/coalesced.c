/* Descriptor of cuda_coalesced. */
#include "kernels/coulomb/cuda/slice.h"

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_slice_shape shape = dcs_slice_shape_of(config);
  dcs_dims n = problem->n;
  n.x = dcs_strided_columns(n.x, shape.block_x, shape.coarsen);
  return n;
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
    .params = dcs_coarse_params,
    .n_params = DCS_COARSE_PARAMS,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_coarse_applicable,
    .executed = executed,
    .flops_per_eval = dcs_coarse_flops,
    .longest_sum = dcs_coarse_longest_sum,
    .plan = dcs_coarse_plan,
    .prepare = dcs_prepare_dz2,
};
