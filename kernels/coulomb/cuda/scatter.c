/* Descriptor of cuda_scatter. */
#include "kernels/coulomb/cuda/slice.h"

#include <limits.h>
#include <stdio.h>

static const int blocks[] = {32, 64, 128, 256, 512, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block", 1, 1024, 128, NULL, blocks, DCS_ROLE_BLOCK_X}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  (void)config;
  if (problem->n_inputs > INT_MAX || problem->n.x > INT_MAX || problem->n.y > INT_MAX ||
      problem->n.z > INT_MAX) {
    snprintf(why, DCS_TEXT, "more than %d points in a dimension, or atoms", INT_MAX);
    return false;
  }
  return true;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 1 + 2 + 2 + 1 + 1;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_ATOMS,   DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,  DCS_ARG_NY,      DCS_ARG_NZ,
                                 DCS_ARG_K,   DCS_ARG_SPACING, DCS_ARG_END};
  int block = config->value[0];
  *plan = (dcs_plan){
      .chunk_inputs = problem->n_inputs,
      .launch_slices = problem->n.z,
      .stored = problem->n,
      .block = {block, 1, 1},
      .grid = {dcs_round_up(problem->n_inputs, block) / block, 1, 1},
      .args = args,
  };
  dcs_plan_adds_to(plan, DCS_COULOMB_MAP);
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/scatter.cu", "kernels/coulomb/cuda/scatter.c",
    "kernels/coulomb/cuda/slice.c",    "kernels/coulomb/cuda/slice.h",
    "kernels/coulomb/coulomb.h",       NULL};

const dcs_variant dcs_variant_cuda_scatter = {
    .id = "cuda_scatter",
    .kind = "coulomb",
    .sources = sources,
    .idea = "a thread per atom, which adds it to every point by atomic adds",
    .backend = DCS_GPU,
    .params = params,
    .n_params = 1,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .plan = plan,
};
