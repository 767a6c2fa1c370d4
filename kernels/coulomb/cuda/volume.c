/* Descriptor of cuda_volume. */
#include "kernels/coulomb/cuda/brick.h"

static const dcs_param params[] = {DCS_BRICK_PARAMS(16, 16, 4, 8, 1, 4)};

static double flops_per_eval(const dcs_config *config) {
  dcs_brick brick = dcs_brick_of(config);
  double x = brick.coarsen_x, z = brick.coarsen_z;
  return 1 + 2 + 2 + (2 * x + 2 + 3 * z) / (x * z);
}

/* Bricks one slice lower than coarsen_z cover the slices exactly, where they are few enough. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  int64_t z = dcs_brick_shape_of(config).coarsen_z, nz = problem->n.z;
  dcs_dims n = dcs_brick_executed(problem, config);
  if (n.z / z * (z - 1) <= nz) n.z = nz;
  return n;
}

/* A layer of blocks to spare, which CUDA must have room for. */
static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_ATOMS,  DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,  DCS_ARG_NZ,     DCS_ARG_K,        DCS_ARG_SPACING,
                                 DCS_ARG_SMS, DCS_BRICK_ADDS, DCS_ARG_END};
  dcs_brick_plan(problem, config, plan);
  plan->spare_layers = plan->grid[2] < 65535;
  plan->args = args;
}

static const char *const sources[] = {"kernels/coulomb/cuda/volume.cu",
                                      "kernels/coulomb/cuda/volume.c",
                                      "kernels/coulomb/cuda/brick.c",
                                      "kernels/coulomb/cuda/brick.h",
                                      "kernels/coulomb/cuda/brick.cuh",
                                      "kernels/coulomb/cuda/slice.c",
                                      "kernels/coulomb/cuda/slice.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cuda_volume = {
    .id = "cuda_volume",
    .kind = "coulomb",
    .sources = sources,
    .idea = "one launch for the map, a brick of points in x and z per thread: distances shared",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_brick_applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_brick_longest_sum,
    .plan = plan,
};
