/* Descriptor of cuda_stencil_naive. */
#include "kernels/stencil/cuda/launch.h"

enum { BLOCK_X, BLOCK_Y };

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 64, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_stencil_fits(problem, (int)config->value[BLOCK_X], (int)config->value[BLOCK_Y], 1, 1,
                          why);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_stencil_plan(problem, (int)config->value[BLOCK_X], (int)config->value[BLOCK_Y], 1, 1, plan);
}

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
    .applicable = applicable,
    .executed = dcs_stencil_executed,
    .flops_per_eval = dcs_stencil_flops,
    .longest_sum = dcs_stencil_longest_sum,
    .plan = plan,
};
