#include "kernels/coulomb/cuda/slice.h"

#include <limits.h>
#include <stdio.h>

const char *const dcs_read_labels[] = {"start", "end"};

/* From half a warp to four in a row; together a few hundred configurations, so that a whole space
 * can be measured once. */
const int dcs_tries_block_x[] = {16, 32, 64, 128, DCS_TRIES_END};
const int dcs_tries_block_y[] = {1, 2, 4, 8, 16, DCS_TRIES_END};
const int dcs_tries_coarsen[] = {1, 2, 4, 8, DCS_TRIES_END};
const int dcs_tries_chunk[] = {1024, 4000, DCS_TRIES_END};

bool dcs_slice_applicable(const dcs_problem *problem, dcs_slice_shape shape, char why[DCS_TEXT]) {
  if (shape.block_x * shape.block_y > 1024) {
    snprintf(why, DCS_TEXT, "%d x %d = %d threads a block; CUDA allows 1024", shape.block_x,
             shape.block_y, shape.block_x * shape.block_y);
    return false;
  }
  int64_t blocks_y = dcs_divide_up(problem->n.y, shape.block_y);
  if (blocks_y > 65535) {
    snprintf(why, DCS_TEXT, "%lld blocks in y; CUDA allows 65535: take a larger block_y",
             (long long)blocks_y);
    return false;
  }
  if (dcs_round_up(problem->n.x, (int64_t)shape.block_x * shape.coarsen) > INT_MAX ||
      dcs_round_up(problem->n.y, shape.block_y) > INT_MAX || problem->n.z > INT_MAX ||
      problem->n_inputs > INT_MAX) {
    snprintf(why, DCS_TEXT, "more than %d points in a dimension, or atoms", INT_MAX);
    return false;
  }
  return true;
}

void dcs_prepare_dz2(const dcs_problem *problem, int64_t first, int64_t n, int64_t k,
                     void *prepared) {
  const dcs_atom *atoms = dcs_atoms(problem) + first;
  const double z = (double)problem->spacing * (double)k;
  dcs_atom *out = prepared;
  for (int64_t a = 0; a < n; a++) {
    double dz = z - (double)atoms[a].z;
    out[a] = (dcs_atom){atoms[a].x, atoms[a].y, (float)(dz * dz), atoms[a].q};
  }
}

void dcs_slice_plan(const dcs_problem *problem, dcs_slice_shape shape, dcs_dims stored,
                    dcs_plan *plan) {
  int64_t tile_x = (int64_t)shape.block_x * shape.coarsen;
  *plan = (dcs_plan){
      .chunk_inputs = shape.chunk_atoms,
      .constant_inputs = true,
      .prepared = true,
      .launch_slices = 1,
      .stored = stored,
      .block = {shape.block_x, shape.block_y, 1},
      .grid = {dcs_divide_up(problem->n.x, tile_x), dcs_divide_up(problem->n.y, shape.block_y), 1},
  };
  dcs_plan_adds_to(plan, DCS_COULOMB_MAP);
}

dcs_slice_shape dcs_slice_shape_of(const dcs_config *config) {
  return (dcs_slice_shape){config->value[DCS_BLOCK_X], config->value[DCS_BLOCK_Y],
                           config->value[DCS_COARSEN], config->value[DCS_CHUNK_ATOMS]};
}

const dcs_param dcs_coarse_params[DCS_COARSE_PARAMS] = {
    DCS_PARAM_BLOCK_X(32), DCS_PARAM_BLOCK_Y(4), DCS_PARAM_COARSEN, DCS_PARAM_CHUNK_ATOMS(4000),
    DCS_PARAM_READ};

bool dcs_coarse_applicable(const dcs_problem *problem, const dcs_config *config,
                           char why[DCS_TEXT]) {
  return dcs_slice_applicable(problem, dcs_slice_shape_of(config), why);
}

void dcs_coarse_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_N_INPUTS, DCS_ARG_NX,
                                 DCS_ARG_NY,  DCS_ARG_SPACING,  DCS_ARG_END};
  dcs_slice_plan(problem, dcs_slice_shape_of(config), problem->n, plan);
  plan->args = args;
}

double dcs_coarse_flops(const dcs_config *config) {
  double k = config->value[DCS_COARSEN];
  return (3.0 + 7.0 * k) / k;
}

int64_t dcs_chunked_longest_sum(int64_t n_atoms, int64_t chunk_atoms) {
  int64_t chunk = n_atoms < chunk_atoms ? n_atoms : chunk_atoms;
  return chunk + dcs_divide_up(n_atoms, chunk_atoms);
}

int64_t dcs_coarse_longest_sum(const dcs_problem *problem, const dcs_config *config) {
  /* Read at the start, the old value goes on being added to: one accumulator for all atoms. */
  bool at_start = config->value[DCS_READ] == 0;
  return at_start ? problem->n_inputs
                  : dcs_chunked_longest_sum(problem->n_inputs, config->value[DCS_CHUNK_ATOMS]);
}

int64_t dcs_strided_columns(int64_t nx, int block_x, int coarsen) {
  int64_t rest = nx % ((int64_t)block_x * coarsen);
  int64_t columns = rest < block_x ? rest : block_x;
  return nx - rest + columns * coarsen;
}
