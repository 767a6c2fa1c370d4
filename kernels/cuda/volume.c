/* Descriptor of cuda_volume. */
#include "kernels/cuda/brick.h"

static const dcs_param params[] = {DCS_BRICK_PARAMS(32, 8, 4, 16, 1, 4)};

static double flops_per_eval(const dcs_config *config) {
  dcs_brick brick = dcs_brick_of(config);
  double x = brick.coarsen_x, z = brick.coarsen_z;
  return 1 + 2 + 2 + (2 * x + 2 + 3 * z) / (x * z);
}

const dcs_variant dcs_variant_cuda_volume = {
    .id = "cuda_volume",
    .idea = "one launch for the map, a brick of points in x and z per thread: distances shared",
    .backend = DCS_CUDA,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = dcs_brick_applicable,
    .executed = dcs_brick_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_brick_longest_sum,
    .plan = dcs_brick_plan,
};
