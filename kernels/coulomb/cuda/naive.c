/* Descriptor of cuda_naive. */
#include "kernels/coulomb/cuda/slice.h"

static const dcs_param params[] = {DCS_PARAM_BLOCK_X(128), DCS_PARAM_BLOCK_Y(8)};

static dcs_slice_shape shape_of(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_slice_shape){config->value[DCS_BLOCK_X], config->value[DCS_BLOCK_Y], 1,
                           problem->n_inputs};
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_slice_applicable(problem, shape_of(problem, config), why);
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 1 + 2 * 2 + 2 + 2;
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
    "kernels/coulomb/cuda/naive.cu", "kernels/coulomb/cuda/naive.c", "kernels/coulomb/cuda/slice.c",
    "kernels/coulomb/cuda/slice.h",  "kernels/coulomb/coulomb.h",    NULL};

const dcs_variant dcs_variant_cuda_naive = {
    .id = "cuda_naive",
    .kind = "coulomb",
    .sources = sources,
    .idea = "a thread per point, atoms in global memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = 2,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .plan = plan,
};
