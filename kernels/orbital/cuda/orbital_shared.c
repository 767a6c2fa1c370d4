/* Descriptor of cuda_orbital_shared. */
#include "kernels/orbital/cuda/launch.h"

enum { BLOCK_Y, COLUMNS, SLICES, TILE };
enum { WARP = 32, MOST_SHARED = 48 * 1024 };

static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int columns_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int slices_tried[] = {8, 16, 32, DCS_TRIES_END};
static const int tile_tried[] = {32, 64, 96, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_y", "rows of 32 threads", 1, 8, 8, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {"columns", "adjacent rows of points per thread", 1, 8, 4, NULL, columns_tried},
    {"slices", "adjacent slices per thread, a multiple of 4", 4, 32, 16, NULL, slices_tried},
    {"tile_terms", "terms of a tile, of which a primitive has l + 1", 24, 128, 64, NULL,
     tile_tried}};

static dcs_orbital_block_shape shape_of(const dcs_config *config) {
  const double *v = config->value;
  return (dcs_orbital_block_shape){WARP, (int)v[BLOCK_Y], {1, (int)v[COLUMNS], (int)v[SLICES]}};
}

/* Three tables and a shell a term. */
static int64_t shared_bytes(const dcs_config *config) {
  const dcs_orbital_block_shape s = shape_of(config);
  const int64_t points = s.x + s.y * s.points[1] + s.points[2];
  return (int64_t)config->value[TILE] * (4 * points + (int64_t)sizeof(dcs_orbital_shell)) + 16;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const int slices = (int)config->value[SLICES];
  const int64_t shared = shared_bytes(config);
  if (!dcs_orbital_fits(problem, shape_of(config), why)) return false;
  if (slices % 4 != 0)
    snprintf(why, DCS_TEXT, "%d slices per thread; it must be a multiple of 4", slices);
  else if ((int)(config->value[BLOCK_Y] * config->value[COLUMNS]) % 4 != 0)
    snprintf(why, DCS_TEXT, "%d rows a block; it must be a multiple of 4",
             (int)(config->value[BLOCK_Y] * config->value[COLUMNS]));
  else if (config->value[COLUMNS] * slices > 128)
    snprintf(why, DCS_TEXT, "%d columns of %d slices per thread; registers hold 128 sums",
             (int)config->value[COLUMNS], slices);
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

/* A multiply-add a term; a column of slices shares the rest. */
static double flops_per_eval(const dcs_config *config) {
  return 2 * DCS_ORBITAL_TERMS +
         (5 + 2 * config->value[COLUMNS]) / (config->value[COLUMNS] * config->value[SLICES]);
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n_inputs * DCS_ORBITAL_PRIMITIVES * (DCS_ORBITAL_L + 1);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_ORBITAL_MAP),
                                 DCS_BUFFER(DCS_ORBITAL_SHELLS),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_ARG_END};
  dcs_orbital_plan(problem, shape_of(config), plan);
  plan->args = args;
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

static const char *const sources[] = {"kernels/orbital/cuda/orbital_shared.cu",
                                      "kernels/orbital/cuda/orbital_shared.c", DCS_ORBITAL_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_orbital_shared = {
    .id = "cuda_orbital_shared",
    .kind = "orbital",
    .sources = sources,
    .idea = "Gaussians as products: tables in y and z of tiles of shells in shared memory",
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
