/* Descriptor of cuda_stencil_register. */
#include "kernels/stencil/cuda/launch.h"

#include <stdio.h>

enum { BLOCK_X, BLOCK_Y, COARSEN, DEPTH, RESIDENT };

static const int block_x_tried[] = {32, 64, 128, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int coarsen_tried[] = {1, 2, 4, DCS_TRIES_END};
static const int depth_tried[] = {4, 8, 16, 32, 64, DCS_TRIES_END};
static const int resident_tried[] = {256, 384, 512, 768, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 32, 1024, 32, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 32, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen", "points of a row a thread, loaded at once", 1, 4, 4, NULL, coarsen_tried,
     DCS_ROLE_COARSEN},
    {"depth", "points of a thread in z", 1, 1024, 16, NULL, depth_tried},
    {"resident", "threads that the registers of an SM are to suffice for", 32, 2048, 384, NULL,
     resident_tried}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const int x = (int)config->value[BLOCK_X], y = (int)config->value[BLOCK_Y];
  const int coarsen = (int)config->value[COARSEN];
  if (!dcs_stencil_fits(problem, x, y, coarsen, (int)config->value[DEPTH], why)) return false;
  if (x % 32 != 0)
    snprintf(why, DCS_TEXT, "%d threads in x; expected a multiple of 32, a warp", x);
  else if (coarsen == 3)
    snprintf(why, DCS_TEXT, "%d points a thread; expected 1, 2 or 4, which are loaded at once",
             coarsen);
  else
    return true;
  return false;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_stencil_plan(problem, (int)config->value[BLOCK_X], (int)config->value[BLOCK_Y],
                   (int)config->value[COARSEN], (int)config->value[DEPTH], plan);
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
    .executed = dcs_executed_exactly,
    .flops_per_eval = dcs_stencil_flops,
    .longest_sum = dcs_stencil_longest_sum,
    .plan = plan,
};
