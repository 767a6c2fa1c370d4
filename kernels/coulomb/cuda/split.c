/* Descriptor of cuda_split. */
#include "kernels/coulomb/cuda/brick.h"

enum { SOFT = DCS_BRICK_N_PARAMS };

static const int shares[] = {4, 5, 6, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_BRICK_PARAMS(16, 16, 4, 8, 1, 4),
    {"soft", "of every 16 points of a thread, how many in software", 0, 16, 5, NULL, shares},
};

/* As written: a reciprocal square root counts 2, in software its 2 integer operations 1 each, its 2
 * multiplications as such and its 3 FMAs 2 each. */
static double flops_per_eval(const dcs_config *config) {
  dcs_brick brick = dcs_brick_of(config);
  double x = brick.coarsen_x, z = brick.coarsen_z, soft = config->value[SOFT] / 16.0;
  double rsqrt = soft * (2 + 2 + 3 * 2) + (1 - soft) * 2;
  return 2 + rsqrt + 2 + (x + 2 + 3 * z) / (x * z);
}

static const char *const sources[] = {"kernels/coulomb/cuda/split.cu",
                                      "kernels/coulomb/cuda/split.c",
                                      "kernels/coulomb/cuda/brick.c",
                                      "kernels/coulomb/cuda/brick.h",
                                      "kernels/coulomb/cuda/brick.cuh",
                                      "kernels/coulomb/cuda/slice.c",
                                      "kernels/coulomb/cuda/slice.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

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
