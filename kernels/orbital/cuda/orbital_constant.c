/* Descriptor of cuda_orbital_constant. */
#include "kernels/orbital/cuda/points.h"

static const char *const sources[] = {"kernels/orbital/cuda/orbital_constant.cu",
                                      "kernels/orbital/cuda/orbital_constant.c",
                                      DCS_ORBITAL_POINTS_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_constant = {
    .id = "cuda_orbital_constant",
    .kind = "orbital",
    .sources = sources,
    .idea = "a thread per column of points, shells in constant memory, a power of two a primitive",
    .backend = DCS_GPU,
    .params = dcs_orbital_points_params,
    .n_params = DCS_ORBITAL_POINTS_PARAMS,
    .applicable = dcs_orbital_points_fit,
    .executed = dcs_orbital_points_executed,
    .flops_per_eval = dcs_orbital_points_flops,
    .longest_sum = dcs_orbital_points_longest,
    .candidates = dcs_orbital_points_candidates,
    .plan = dcs_orbital_points_plan,
    .slabs = true,
};
