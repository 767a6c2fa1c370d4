/* Descriptor of cuda_constant. */
#include "kernels/coulomb/cuda/slice.h"

static const dcs_param params[] = {DCS_PARAM_BLOCK_X(16), DCS_PARAM_BLOCK_Y(2),
                                   DCS_PARAM_CHUNK_ATOMS(1024)};
enum { CHUNK = 2 }; /* chunk_atoms in the list above */

static dcs_slice_shape shape_of(const dcs_config *config) {
  return (dcs_slice_shape){config->value[DCS_BLOCK_X], config->value[DCS_BLOCK_Y], 1,
                           config->value[CHUNK]};
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_slice_applicable(problem, shape_of(config), why);
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 2 + 2 * 2 + 2 + 2;
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  return dcs_chunked_longest_sum(problem->n_inputs, config->value[CHUNK]);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,  DCS_ARG_SPACING,  DCS_ARG_END};
  dcs_slice_plan(problem, shape_of(config), problem->n, plan);
  plan->args = args;
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/constant.cu", "kernels/coulomb/cuda/constant.c",
    "kernels/coulomb/cuda/slice.c",     "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",        NULL};

const dcs_variant dcs_variant_cuda_constant = {
    .id = "cuda_constant",
    .kind = "coulomb",
    .sources = sources,
    .idea = "a thread per point, atoms in constant memory in chunks, dz^2 from the host",
    .backend = DCS_GPU,
    .book = DCS_BOOK_VERSION_1,
    .params = params,
    .n_params = 3,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = plan,
    .prepare = dcs_prepare_dz2,
};
