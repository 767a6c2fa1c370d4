/* Descriptor of cuda_stencil_naive. */
#include "kernels/stencil/cuda/launch.h"

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 64, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y}};

static const char *const sources[] = {"kernels/stencil/cuda/stencil_naive.cu",
                                      "kernels/stencil/cuda/stencil_naive.c", DCS_STENCIL_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_stencil_naive = {
    .id = "cuda_stencil_naive",
    .kind = "stencil",
    .sources = sources,
    .idea = "a thread per point, all of its stencil from global memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = dcs_stencil_point_applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = dcs_stencil_flops,
    .longest_sum = dcs_stencil_longest_sum,
    .plan = dcs_stencil_point_plan,
};
