#include "kernels/orbital/cuda/launch.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { MOST_THREADS = 1024, MOST_BLOCKS = 65535 };

static dcs_dims block_of(dcs_orbital_block_shape s) {
  return (dcs_dims){s.x * s.points[0], s.y * s.points[1], s.points[2]};
}

bool dcs_orbital_fits(const dcs_problem *problem, dcs_orbital_block_shape shape,
                      char why[DCS_TEXT]) {
  const dcs_dims n = problem->n, block = block_of(shape);
  const int64_t y = dcs_divide_up(n.y, block.y), z = dcs_divide_up(n.z, block.z);
  if (shape.x * shape.y > MOST_THREADS)
    snprintf(why, DCS_TEXT, "%d x %d = %d threads a block; CUDA allows %d", shape.x, shape.y,
             shape.x * shape.y, MOST_THREADS);
  else if (y > MOST_BLOCKS || z > MOST_BLOCKS)
    snprintf(why, DCS_TEXT, "%lld blocks in y and %lld in z; CUDA allows %d of each", (long long)y,
             (long long)z, MOST_BLOCKS);
  else if (dcs_round_up(n.x, block.x) > INT_MAX || problem->n_inputs > INT_MAX)
    snprintf(why, DCS_TEXT, "more than %d points in a row, or shells", INT_MAX);
  else
    return true;
  return false;
}

dcs_dims dcs_orbital_padded(const dcs_problem *problem, dcs_orbital_block_shape shape) {
  const dcs_dims n = problem->n, block = block_of(shape);
  return (dcs_dims){dcs_round_up(n.x, block.x), dcs_round_up(n.y, block.y),
                    dcs_round_up(n.z, block.z)};
}

void dcs_orbital_count(const dcs_problem *problem, dcs_dims executed, dcs_candidates *found) {
  const double points = (double)executed.x * (double)executed.y * (double)executed.z;
  *found = (dcs_candidates){.pairs = dcs_orbital_primitives(problem) * points, .fill = NAN};
}

void dcs_orbital_plan(const dcs_problem *problem, dcs_orbital_block_shape shape, dcs_plan *plan) {
  const dcs_dims n = problem->n, block = block_of(shape);
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = n.z,
                     .slice_step = block.z,
                     .stored = n,
                     .block = {shape.x, shape.y, 1},
                     .grid = {dcs_divide_up(n.x, block.x), dcs_divide_up(n.y, block.y),
                              dcs_divide_up(n.z, block.z)}};
}

void dcs_orbital_terms_plan(const dcs_problem *problem, dcs_orbital_block_shape shape, int warps,
                            dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_ORBITAL_MAP),
                                 DCS_BUFFER(DCS_ORBITAL_TERMS),
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_END};
  dcs_orbital_plan(problem, shape, plan);
  plan->block[1] = warps;
  plan->args = args;
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

void dcs_orbital_constant_plan(const dcs_problem *problem, dcs_orbital_block_shape shape,
                               int64_t chunk, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_ORBITAL_MAP),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_ARG_END};
  dcs_orbital_plan(problem, shape, plan);
  plan->args = args;
  plan->chunk_inputs = chunk;
  plan->constant_inputs = true;
  dcs_plan_adds_to(plan, DCS_ORBITAL_MAP);
}
