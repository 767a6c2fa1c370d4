/* Descriptor of cuda_density_naive. */
#include "kernels/density/density.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_X, BLOCK_Y };

/* As in the kernel. */
typedef struct {
  float rate, limit;
} density;

static const int block_x_tried[] = {16, 32, 64, 128, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, 16, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 32, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 8, NULL, block_y_tried, DCS_ROLE_BLOCK_Y}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const int x = (int)config->value[BLOCK_X], y = (int)config->value[BLOCK_Y];
  const dcs_dims n = problem->n;
  const int64_t blocks = dcs_divide_up(n.y, y);
  if (x * y > 1024)
    snprintf(why, DCS_TEXT, "%d x %d = %d threads a block; CUDA allows 1024", x, y, x * y);
  else if (blocks > 65535)
    snprintf(why, DCS_TEXT, "%lld blocks in y; CUDA allows 65535: take a larger block_y",
             (long long)blocks);
  else if (n.z > 65535)
    snprintf(why, DCS_TEXT, "%lld slices are as many blocks in z; CUDA allows 65535",
             (long long)n.z);
  else if (dcs_round_up(n.x, x) > INT_MAX || problem->n_inputs > INT_MAX)
    snprintf(why, DCS_TEXT, "more than %d points in a row, or atoms", INT_MAX);
  else
    return true;
  return false;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 1 + 2 * 2 + 1 + 2 + 1 + 2; /* the last 2: -rate / R^2 */
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_DENSITY_MAP),
                                 DCS_BUFFER(DCS_DENSITY_ATOMS),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  const int x = (int)config->value[BLOCK_X], y = (int)config->value[BLOCK_Y];
  const dcs_dims n = problem->n;
  const density own = {(float)dcs_density_rate(problem), (float)dcs_density_limit(problem)};
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = n.z,
                     .slice_step = 1,
                     .stored = n,
                     .block = {x, y, 1},
                     .grid = {dcs_divide_up(n.x, x), dcs_divide_up(n.y, y), n.z},
                     .args = args};
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  memcpy(plan->own, &own, sizeof own);
}

static const char *const sources[] = {"kernels/density/cuda/density_naive.cu",
                                      "kernels/density/cuda/density_naive.c",
                                      "kernels/density/density.h", NULL};

const dcs_variant dcs_variant_cuda_density_naive = {
    .id = "cuda_density_naive",
    .kind = "density",
    .sources = sources,
    .idea = "a thread per point, all atoms in global memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .plan = plan,
};
