#include "kernels/orbital/cuda/points.h"

enum { BLOCK_X, BLOCK_Y, COARSEN_Z, CHUNK };

static const int block_x_tried[] = {16, 32, 64, 128, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int coarsen_z_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int chunk_tried[] = {128, 585, DCS_TRIES_END};
const dcs_param dcs_orbital_points_params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 32, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen_z", "adjacent slices per thread", 1, 16, 8, NULL, coarsen_z_tried},
    {"chunk_shells", "shells per launch, in constant memory", 1, DCS_ORBITAL_CONSTANT,
     DCS_ORBITAL_CONSTANT, NULL, chunk_tried, DCS_ROLE_CHUNK}};

static dcs_orbital_block_shape shape_of(const dcs_config *config) {
  const double *v = config->value;
  return (dcs_orbital_block_shape){(int)v[BLOCK_X], (int)v[BLOCK_Y], {1, 1, (int)v[COARSEN_Z]}};
}

bool dcs_orbital_points_fit(const dcs_problem *problem, const dcs_config *config,
                            char why[DCS_TEXT]) {
  return dcs_orbital_fits(problem, shape_of(config), why);
}

dcs_dims dcs_orbital_points_executed(const dcs_problem *problem, const dcs_config *config) {
  return dcs_orbital_padded(problem,
                            (dcs_orbital_block_shape){1, 1, {1, 1, (int)config->value[COARSEN_Z]}});
}

void dcs_orbital_points_candidates(const dcs_problem *problem, const dcs_config *config,
                                   dcs_candidates *found) {
  dcs_orbital_count(problem, dcs_orbital_points_executed(problem, config), found);
}

/* Of the built-in basis, which has 0.4 shells a primitive. */
double dcs_orbital_points_flops(const dcs_config *config) {
  (void)config;
  return 1 + 2 + 2 + 0.4 * (1 + 2 * (2 + 0.5));
}

/* Of a primitive, of a shell, of a chunk, of the launches. */
int64_t dcs_orbital_points_longest(const dcs_problem *problem, const dcs_config *config) {
  const int64_t chunk = (int64_t)config->value[CHUNK];
  const int64_t shells = problem->n_inputs < chunk ? problem->n_inputs : chunk;
  return DCS_ORBITAL_PRIMITIVES + shells + dcs_divide_up(problem->n_inputs, chunk);
}

void dcs_orbital_points_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_orbital_constant_plan(problem, shape_of(config), (int64_t)config->value[CHUNK], plan);
}
