#include "kernels/stencil/cuda/launch.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool dcs_stencil_fits(const dcs_problem *problem, int x, int y, int coarsen, int depth,
                      char why[DCS_TEXT]) {
  const dcs_dims n = problem->n;
  const int64_t most = 65535;
  if (x * y > 1024)
    snprintf(why, DCS_TEXT, "%d x %d = %d threads a block; CUDA allows 1024", x, y, x * y);
  else if (dcs_divide_up(n.y, y) > most)
    snprintf(why, DCS_TEXT, "%lld blocks in y; CUDA allows %lld: take a larger block_y",
             (long long)dcs_divide_up(n.y, y), (long long)most);
  else if (dcs_divide_up(n.z, depth) > most)
    snprintf(why, DCS_TEXT, "%lld blocks in z; CUDA allows %lld",
             (long long)dcs_divide_up(n.z, depth), (long long)most);
  else if (dcs_round_up(n.x, (int64_t)x * coarsen) + 8 > INT_MAX || n.y > INT_MAX - 4 ||
           n.z > INT_MAX - 4)
    snprintf(why, DCS_TEXT, "more than %d points in a dimension", INT_MAX - 4);
  else
    return true;
  return false;
}

void dcs_stencil_plan(const dcs_problem *problem, int x, int y, int coarsen, int depth,
                      dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_STENCIL_OUT),
                                 DCS_BUFFER(DCS_STENCIL_C),
                                 DCS_BUFFER(DCS_STENCIL_U),
                                 DCS_BUFFER(DCS_STENCIL_V),
                                 DCS_BUFFER(DCS_STENCIL_W),
                                 DCS_BUFFER(DCS_STENCIL_KX),
                                 DCS_BUFFER(DCS_STENCIL_KY),
                                 DCS_BUFFER(DCS_STENCIL_KZ),
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  const dcs_dims n = problem->n;
  const dcs_stencil own = dcs_stencil_of(problem);
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = n.z,
                     .slice_step = depth,
                     .stored = n,
                     .block = {x, y, 1},
                     .grid = {dcs_divide_up(n.x, (int64_t)x * coarsen), dcs_divide_up(n.y, y),
                              dcs_divide_up(n.z, depth)},
                     .args = args};
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  memcpy(plan->own, &own, sizeof own);
}

enum { BLOCK_X, BLOCK_Y };

bool dcs_stencil_point_applicable(const dcs_problem *problem, const dcs_config *config,
                                  char why[DCS_TEXT]) {
  return dcs_stencil_fits(problem, (int)config->value[BLOCK_X], (int)config->value[BLOCK_Y], 1, 1,
                          why);
}

void dcs_stencil_point_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_stencil_plan(problem, (int)config->value[BLOCK_X], (int)config->value[BLOCK_Y], 1, 1, plan);
}

/* Of 13 points; 7 take 8 operations in place of 13 for each of 6 fluxes. */
double dcs_stencil_flops(const dcs_config *config) {
  (void)config;
  return 6 * 13 + 3 + 5;
}

int64_t dcs_stencil_longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)problem;
  (void)config;
  return 1;
}
