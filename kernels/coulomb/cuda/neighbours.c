/* Descriptor of cuda_neighbours. */
#include "kernels/coulomb/cuda/brick.h"

#include <math.h>

static const dcs_param params[] = {DCS_BRICK_PARAMS(16, 16, 4, 8, 1, 2)};

/* Of far atoms, where a brick of 4 slices has three that share a root: that counts 2, its square,
 * its product with the charge and three sums 1 + 1 + 3 x 2, each neighbour's polynomial 3 FMAs.
 * Near atoms are few, and cost about as much. */
static double flops_per_eval(const dcs_config *config) {
  dcs_brick brick = dcs_brick_of(config);
  double x = brick.coarsen_x, z = brick.coarsen_z, groups = floor((z + 1) / 4),
         alone = z - 3 * groups;
  double group = 2 + 2 + 1 + 1 + 3 * 2 + 2 * 3 * 2;
  return (groups * group + alone * (2 + 2 + 2)) / z +
         (x + 2 + (3 * (groups + alone) + 2 * groups)) / (x * z);
}

static const char *const sources[] = {"kernels/coulomb/cuda/neighbours.cu",
                                      "kernels/coulomb/cuda/neighbours.c",
                                      "kernels/coulomb/cuda/brick.c",
                                      "kernels/coulomb/cuda/brick.h",
                                      "kernels/coulomb/cuda/brick.cuh",
                                      "kernels/coulomb/cuda/offset.cuh",
                                      "kernels/coulomb/cuda/soft_root.cuh",
                                      "kernels/coulomb/cuda/slice.c",
                                      "kernels/coulomb/cuda/slice.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cuda_neighbours = {
    .id = "cuda_neighbours",
    .kind = "coulomb",
    .sources = sources,
    .idea = "as cuda_split, software roots begin with that of the slice beside them",
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
