/* Descriptor of cuda_coarsened. */
#include "kernels/coulomb/cuda/slice.h"

/* A thread whose first point lies inside computes all its points. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_dims n = problem->n;
  n.x = dcs_round_up(n.x, config->value[DCS_COARSEN]);
  return n;
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
