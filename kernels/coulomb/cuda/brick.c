#include "kernels/coulomb/cuda/brick.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *const dcs_brick_atoms[] = {"global", "constant"};

/* Around what a register file holds: a few hundred configurations. */
const int dcs_tries_brick_x[] = {16, 32, 64, DCS_TRIES_END};
const int dcs_tries_brick_y[] = {4, 8, 16, 64, DCS_TRIES_END};
const int dcs_tries_coarsen_x[] = {2, 4, DCS_TRIES_END};
const int dcs_tries_coarsen_z[] = {4, 8, 16, DCS_TRIES_END};
const int dcs_tries_brick_chunk[] = {4000, DCS_TRIES_END};
const int dcs_tries_unroll[] = {1, 2, 4, DCS_TRIES_END};

dcs_brick dcs_brick_shape_of(const dcs_config *config) {
  return (dcs_brick){.block_x = config->value[DCS_BRICK_BLOCK_X],
                     .block_y = config->value[DCS_BRICK_BLOCK_Y],
                     .coarsen_x = config->value[DCS_BRICK_COARSEN_X],
                     .coarsen_z = config->value[DCS_BRICK_COARSEN_Z]};
}

dcs_brick dcs_brick_of(const dcs_config *config) {
  dcs_brick brick = dcs_brick_shape_of(config);
  brick.constant = config->value[DCS_BRICK_ATOMS] == 1;
  brick.chunk_atoms = config->value[DCS_BRICK_CHUNK_ATOMS];
  return brick;
}

static dcs_slice_shape slice_of(const dcs_problem *problem, dcs_brick brick) {
  return (dcs_slice_shape){brick.block_x, brick.block_y, brick.coarsen_x,
                           brick.constant ? brick.chunk_atoms : problem->n_inputs};
}

bool dcs_brick_fits(const dcs_problem *problem, dcs_brick brick, int splits, char why[DCS_TEXT]) {
  if (!dcs_slice_applicable(problem, slice_of(problem, brick), why)) return false;
  int64_t blocks_z = dcs_round_up(problem->n.z, brick.coarsen_z) / brick.coarsen_z * splits;
  if (blocks_z > 65535) {
    snprintf(why, DCS_TEXT, "%lld blocks in z; CUDA allows 65535: take a larger coarsen_z%s",
             (long long)blocks_z, splits > 1 ? " or fewer splits" : "");
    return false;
  }
  return true;
}

bool dcs_brick_applicable(const dcs_problem *problem, const dcs_config *config,
                          char why[DCS_TEXT]) {
  return dcs_brick_fits(problem, dcs_brick_of(config), 1, why);
}

dcs_dims dcs_brick_executed(const dcs_problem *problem, const dcs_config *config) {
  dcs_brick brick = dcs_brick_shape_of(config);
  dcs_dims n = problem->n;
  n.x = dcs_strided_columns(n.x, brick.block_x, brick.coarsen_x);
  n.z = dcs_round_up(n.z, brick.coarsen_z);
  return n;
}

int64_t dcs_brick_longest_sum(const dcs_problem *problem, const dcs_config *config) {
  dcs_brick brick = dcs_brick_of(config);
  return brick.constant ? dcs_chunked_longest_sum(problem->n_inputs, brick.chunk_atoms)
                        : problem->n_inputs;
}

void dcs_brick_plan_of(const dcs_problem *problem, dcs_brick brick, dcs_plan *plan) {
  dcs_slice_plan(problem, slice_of(problem, brick), problem->n, plan);
  plan->constant_inputs = brick.constant;
  plan->prepared = false;
  plan->launch_slices = problem->n.z;
  plan->grid[2] = dcs_round_up(problem->n.z, brick.coarsen_z) / brick.coarsen_z;
  const int32_t adds = plan->chunk_inputs < problem->n_inputs;
  memcpy(plan->own, &adds, sizeof adds);
  plan->n_steps = 0;
  if (adds)
    dcs_plan_adds_to(plan, DCS_COULOMB_MAP);
  else
    dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

void dcs_brick_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP,    DCS_ARG_ATOMS, DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,     DCS_ARG_NZ,    DCS_ARG_K,        DCS_ARG_SPACING,
                                 DCS_BRICK_ADDS, DCS_ARG_END};
  dcs_brick brick = dcs_brick_of(config);
  dcs_brick_plan_of(problem, brick, plan);
  plan->slice_step = brick.coarsen_z;
  plan->args = args;
}

/* As written: a reciprocal square root counts 2, in software its 2 integer operations 1 each, its 2
 * multiplications as such and its 3 FMAs 2 each. */
double dcs_brick_soft_flops(dcs_brick brick, double soft) {
  double x = brick.coarsen_x, z = brick.coarsen_z;
  double rsqrt = soft / 16 * (2 + 2 + 3 * 2) + (1 - soft / 16) * 2;
  return 2 + rsqrt + 2 + (x + 2 + 3 * z) / (x * z);
}
