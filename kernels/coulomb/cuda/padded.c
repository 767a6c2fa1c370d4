/* Descriptor of cuda_padded. */
#include "kernels/coulomb/cuda/slice.h"

/* Whole tiles. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_slice_shape shape = dcs_slice_shape_of(config);
  dcs_dims n = problem->n;
  n.x = dcs_round_up(n.x, (int64_t)shape.block_x * shape.coarsen);
  n.y = dcs_round_up(n.y, shape.block_y);
  return n;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_N_INPUTS, DCS_ARG_ROW, DCS_ARG_SPACING,
                                 DCS_ARG_END};
  dcs_slice_plan(problem, dcs_slice_shape_of(config), executed(problem, config), plan);
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/padded.cu", "kernels/coulomb/cuda/padded.c",
    "kernels/coulomb/cuda/slice.c",   "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",      NULL};

const dcs_variant dcs_variant_cuda_padded = {
    .id = "cuda_padded",
    .kind = "coulomb",
    .sources = sources,
    .idea = "K points of a row per thread, block_x apart, on a padded map without edge tests",
    .backend = DCS_GPU,
    .book = DCS_BOOK_VERSION_3,
    .params = dcs_coarse_params,
    .n_params = DCS_COARSE_PARAMS,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_coarse_applicable,
    .executed = executed,
    .flops_per_eval = dcs_coarse_flops,
    .longest_sum = dcs_coarse_longest_sum,
    .plan = plan,
    .prepare = dcs_prepare_dz2,
};
