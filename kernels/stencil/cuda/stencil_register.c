/* Descriptor of cuda_stencil_register. */
#include "kernels/stencil/cuda/launch.h"

#include <stdio.h>

enum { BLOCK_X, BLOCK_Y, DEPTH, UNROLL };

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int depth_tried[] = {4, 8, 16, 32, 64, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 32, 1024, 64, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {.name = "depth",
     .meaning = "points of a thread in z",
     .lo = 1,
     .hi = 1024,
     .initial = 16,
     .tries = depth_tried},
    {.name = "unroll",
     .meaning = "points of a thread whose loads are issued together",
     .lo = 1,
     .hi = 4,
     .initial = 2}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const int x = (int)config->value[BLOCK_X], y = (int)config->value[BLOCK_Y];
  if (x % 32 == 0) return dcs_stencil_fits(problem, x, y, (int)config->value[DEPTH], why);
  snprintf(why, DCS_TEXT, "%d threads in x; expected a multiple of 32, a warp", x);
  return false;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_stencil_plan(problem, (int)config->value[BLOCK_X], (int)config->value[BLOCK_Y],
                   (int)config->value[DEPTH], plan);
}

static const char *const sources[] = {"kernels/stencil/cuda/stencil_register.cu",
                                      "kernels/stencil/cuda/stencil_register.c",
                                      DCS_STENCIL_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_stencil_register = {
    .id = "cuda_stencil_register",
    .kind = "stencil",
    .sources = sources,
    .idea = "columns of z move through registers, neighbours in x by shuffles",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = dcs_stencil_executed,
    .flops_per_eval = dcs_stencil_flops,
    .longest_sum = dcs_stencil_longest_sum,
    .plan = plan,
};
