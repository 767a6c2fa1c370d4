/* Descriptor of cuda_split. */
#include "kernels/coulomb/cuda/brick.h"

enum { SOFT = DCS_BRICK_N_PARAMS };

static const int shares[] = {4, 5, 6, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_BRICK_PARAMS(16, 16, 4, 8, 1, 4),
    {"soft", "of every 16 points of a thread, how many in software", 0, 16, 5, NULL, shares},
};

static double flops_per_eval(const dcs_config *config) {
  return dcs_brick_soft_flops(dcs_brick_of(config), config->value[SOFT]);
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/split.cu",  "kernels/coulomb/cuda/split.c",
    "kernels/coulomb/cuda/brick.c",   "kernels/coulomb/cuda/brick.h",
    "kernels/coulomb/cuda/brick.cuh", "kernels/coulomb/cuda/soft_root.cuh",
    "kernels/coulomb/cuda/slice.c",   "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",      NULL};

const dcs_variant dcs_variant_cuda_split = {
    .id = "cuda_split",
    .kind = "coulomb",
    .sources = sources,
    .idea = "as cuda_volume, some reciprocal square roots in software on the FMA pipes",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_brick_applicable,
    .executed = dcs_brick_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_brick_longest_sum,
    .plan = dcs_brick_plan,
};
