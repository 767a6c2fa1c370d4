/* Descriptor of cuda_orbital_constant. */
#include "kernels/orbital/cuda/launch.h"

enum { BLOCK_X, BLOCK_Y, COARSEN_Z, CHUNK };

static const int block_x_tried[] = {16, 32, 64, 128, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int coarsen_z_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int chunk_tried[] = {128, 585, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 32, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen_z", "adjacent slices per thread", 1, 16, 8, NULL, coarsen_z_tried},
    {"chunk_shells", "shells per launch, in constant memory", 1, DCS_ORBITAL_CONSTANT,
     DCS_ORBITAL_CONSTANT, NULL, chunk_tried, DCS_ROLE_CHUNK}};

static dcs_orbital_block_shape shape_of(const dcs_config *config) {
  const double *v = config->value;
  return (dcs_orbital_block_shape){(int)v[BLOCK_X], (int)v[BLOCK_Y], {1, 1, (int)v[COARSEN_Z]}};
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_orbital_fits(problem, shape_of(config), why);
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  return dcs_orbital_padded(problem,
                            (dcs_orbital_block_shape){1, 1, {1, 1, (int)config->value[COARSEN_Z]}});
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_orbital_count(problem, executed(problem, config), found);
}

/* Of the built-in basis, which has 0.4 shells a primitive. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 1 + 2 + 2 + 0.4 * (1 + 2 * (2 + 0.5));
}

/* Of a primitive, of a shell, of a chunk, of the launches. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t chunk = (int64_t)config->value[CHUNK];
  const int64_t shells = problem->n_inputs < chunk ? problem->n_inputs : chunk;
  return DCS_ORBITAL_PRIMITIVES + shells + dcs_divide_up(problem->n_inputs, chunk);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_orbital_constant_plan(problem, shape_of(config), (int64_t)config->value[CHUNK], plan);
}

static const char *const sources[] = {"kernels/orbital/cuda/orbital_constant.cu",
                                      "kernels/orbital/cuda/orbital_constant.c",
                                      DCS_ORBITAL_POINTS_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_constant = {
    .id = "cuda_orbital_constant",
    .kind = "orbital",
    .sources = sources,
    .idea = "a thread per column of points, shells in constant memory, a power of two a primitive",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
};
