/* Descriptor of cuda_orbital_shared. */
#include "kernels/orbital/cuda/launch.h"

enum { WARPS_Y, WARPS_Z, GROUPS, TERMS_A_WARP };
enum { WARP = 32, ROWS = 2, SLICES = 32, MOST_WARPS = 32, MOST_SHARED = 48 * 1024 };

static const int warps_y_tried[] = {1, 2, 4, DCS_TRIES_END};
static const int warps_z_tried[] = {1, 2, 4, DCS_TRIES_END};
static const int groups_tried[] = {1, 2, 4, DCS_TRIES_END};
static const int terms_tried[] = {1, 2, 4, DCS_TRIES_END};
static const dcs_param params[] = {
    {"warps_y", "warps of a block in y, of 2 rows", 1, 8, 2, NULL, warps_y_tried},
    {"warps_z", "warps of a block in z, of 32 slices", 1, 8, 4, NULL, warps_z_tried},
    {"groups", "of so many warps that share the terms", 1, 8, 2, NULL, groups_tried},
    {"terms_a_warp", "terms of a tile that a warp makes", 1, 8, 1, NULL, terms_tried}};

static dcs_orbital_block_shape shape_of(const dcs_config *config) {
  const double *v = config->value;
  return (dcs_orbital_block_shape){WARP, (int)v[WARPS_Y], {1, ROWS, SLICES * (int)v[WARPS_Z]}};
}

static int warps_of(const dcs_config *config) {
  const double *v = config->value;
  return (int)(v[WARPS_Y] * v[WARPS_Z] * v[GROUPS]);
}

/* Two tiles, of a number for each column and slice of a term. */
static int64_t shared_bytes(const dcs_config *config) {
  const double *v = config->value;
  const int64_t numbers = WARP * ROWS * (int64_t)v[WARPS_Y] + SLICES * (int64_t)v[WARPS_Z];
  return 2 * 4 * numbers * warps_of(config) * (int64_t)v[TERMS_A_WARP];
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const int64_t shared = shared_bytes(config);
  if (!dcs_orbital_fits(problem, shape_of(config), why)) return false;
  if (warps_of(config) > MOST_WARPS)
    snprintf(why, DCS_TEXT, "%d warps a block; CUDA allows %d", warps_of(config), MOST_WARPS);
  else if (shared > MOST_SHARED)
    snprintf(why, DCS_TEXT, "%lld bytes of shared memory a block; CUDA allows %d",
             (long long)shared, MOST_SHARED);
  else
    return true;
  return false;
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  return dcs_orbital_padded(problem, shape_of(config));
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_orbital_count(problem, executed(problem, config), found);
}

/* A multiply-add a term; a column's 8 operations are for all slices of the block, a slice's 6 for
 * all columns. */
static double flops_per_eval(const dcs_config *config) {
  const double columns = WARP * ROWS * config->value[WARPS_Y];
  const double slices = SLICES * config->value[WARPS_Z];
  return DCS_ORBITAL_TERMS_OF_ONE * (2 + 8 / slices + 6 / columns);
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t terms = problem->n_inputs * DCS_ORBITAL_PRIMITIVES * (DCS_ORBITAL_L + 1);
  const int64_t groups = (int64_t)config->value[GROUPS];
  return dcs_divide_up(terms, groups) + groups;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_orbital_terms_plan(problem, shape_of(config), warps_of(config), plan);
}

static const char *const sources[] = {
    "kernels/orbital/cuda/orbital_shared.cu", "kernels/orbital/cuda/orbital_shared.c",
    "kernels/orbital/cuda/orbital_terms.cuh", DCS_ORBITAL_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_shared = {
    .id = "cuda_orbital_shared",
    .kind = "orbital",
    .sources = sources,
    .idea = "a product of matrices: what terms have of columns times what they have of slices",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
    .slabs = true,
};
