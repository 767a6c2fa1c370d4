#include "kernels/orbital/cuda/tensor.h"

enum { COLUMNS_X = 32, ROWS = 4, SLICES = 128, COLUMNS = COLUMNS_X * ROWS };

static dcs_orbital_block_shape block_points(void) {
  return (dcs_orbital_block_shape){COLUMNS_X, ROWS, {1, 1, SLICES}};
}

bool dcs_orbital_tensor_applicable(const dcs_problem *problem, const dcs_config *config,
                                   char why[DCS_TEXT]) {
  (void)config;
  return dcs_orbital_fits(problem, block_points(), why);
}

dcs_dims dcs_orbital_tensor_executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return dcs_orbital_padded(problem, block_points());
}

void dcs_orbital_tensor_candidates(const dcs_problem *problem, const dcs_config *config,
                                   dcs_candidates *found) {
  dcs_orbital_count(problem, dcs_orbital_tensor_executed(problem, config), found);
}

/* Three multiply-adds a term; a column's 8 operations are for all slices of the block, a slice's 6
 * for all columns. */
double dcs_orbital_tensor_flops(const dcs_config *config) {
  (void)config;
  return DCS_ORBITAL_TERMS_OF_ONE * (3 * 2 + 8.0 / SLICES + 6.0 / COLUMNS);
}

void dcs_orbital_tensor_plan(const dcs_problem *problem, int warps, dcs_plan *plan) {
  dcs_orbital_terms_plan(problem, block_points(), warps, plan);
}

int64_t dcs_orbital_tensor_sum(const dcs_problem *problem, int of_a_tile, int terms) {
  const int64_t all = problem->n_inputs * DCS_ORBITAL_PRIMITIVES * (DCS_ORBITAL_L + 1);
  return of_a_tile + dcs_divide_up(all, terms);
}
