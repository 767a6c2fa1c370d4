/* Descriptor of cuda_stencil_shared. */
#include "kernels/stencil/cuda/launch.h"

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const int block_y_tried[] = {4, 8, 16, DCS_TRIES_END};
static const char *const halos[] = {"threads", "past"};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 4, 256, 64, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 4, 256, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {.name = "halo",
     .meaning = "threads at edges load it into shared memory, or read past the tile",
     .lo = 0,
     .hi = 1,
     .initial = 0,
     .labels = halos}};

static const char *const sources[] = {"kernels/stencil/cuda/stencil_shared.cu",
                                      "kernels/stencil/cuda/stencil_shared.c", DCS_STENCIL_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_stencil_shared = {
    .id = "cuda_stencil_shared",
    .kind = "stencil",
    .sources = sources,
    .idea = "a tile of a slice in shared memory, with its halo or without",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = dcs_stencil_point_applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = dcs_stencil_flops,
    .longest_sum = dcs_stencil_longest_sum,
    .plan = dcs_stencil_point_plan,
};
