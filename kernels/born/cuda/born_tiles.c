/* Descriptor of cuda_born_tiles. */
#include "kernels/born/cuda/launch.h"

enum { BLOCK_Y, COARSEN, ORDER };
enum { ORDER_INPUT, ORDER_PLACE };
enum { WARP = 32, FLUSHED = 8 }; /* as there */

static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int coarsen_tried[] = {1, 2, 4, 6, 8, DCS_TRIES_END};
static const char *const orders[] = {"input", "place"};
static const dcs_param params[] = {
    {"block_y", "rows of 32 threads, which share the spheres of a tile", 1, 8, 8, NULL,
     block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen", "atoms per thread", 1, 8, 8, NULL, coarsen_tried, DCS_ROLE_COARSEN},
    {"order", "of the atoms: as they come, or sorted by place first", ORDER_INPUT, ORDER_PLACE,
     ORDER_PLACE, orders}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_born_fits(problem, WARP * (int)config->value[BLOCK_Y], true, why);
}

static int64_t tile_of(const dcs_config *config) {
  return WARP * (int64_t)config->value[COARSEN];
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_dims){dcs_round_up(problem->n.x, tile_of(config)), 1, 1};
}

/* Of a remote pair, as most of 100,000 atoms are where they are sorted. The series'
 * coefficients of a sphere, once a block, are left out. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 1 + 2 * 2 + 2 + 2 + 1 + 2;
}

/* Of a row of threads between flushes, then these and near pairs (of an atom a few hundred at most,
 * unless hundreds of spheres lie in one another), then the rows. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t y = (int64_t)config->value[BLOCK_Y], tiles = FLUSHED * WARP;
  return tiles + dcs_divide_up(problem->n_inputs, tiles * y) + WARP * FLUSHED + y;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_born_plan(problem, dcs_divide_up(problem->n_inputs, tile_of(config)), WARP,
                (int)config->value[BLOCK_Y], plan);
  dcs_born_sort(problem->n_inputs, config->value[ORDER] == ORDER_PLACE, plan);
}

static const char *const sources[] = {"kernels/born/cuda/born_tiles.cu",
                                      "kernels/born/cuda/born_tiles.c",
                                      "kernels/born/cuda/sort.cuh", DCS_BORN_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_born_tiles = {
    .id = "cuda_born_tiles",
    .kind = "born",
    .sources = sources,
    .idea =
        "several atoms per thread, tiles of spheres in shared memory, shared by rows of threads",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = plan,
};
