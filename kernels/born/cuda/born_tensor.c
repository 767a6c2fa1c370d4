/* Descriptor of cuda_born_tensor. */
#include "kernels/born/cuda/launch.h"

enum { BLOCK_Y, COARSEN, ORDER };
enum { ORDER_INPUT, ORDER_PLACE };
enum { WARP = 32, COLUMNS = 8, FLUSHED = 32 }; /* as there */

static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int coarsen_tried[] = {1, 2, 3, 4, 6, DCS_TRIES_END};
static const char *const orders[] = {"input", "place"};
static const dcs_param params[] = {
    {"block_y", "rows of 32 threads, which share the spheres of a tile", 1, 8, 8, NULL,
     block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen", "atoms per thread", 1, 6, 6, NULL, coarsen_tried, DCS_ROLE_COARSEN},
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

/* Of a far pair: four products of two parts each, without that of both others; a square, and half
 * of what two pairs share. What a sphere takes, once a block, is left out. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 4 * 3 * 2 + 2 + (1 + 1 + 2 + 2) / 2.0;
}

/* Of a lane between flushes, and of the lanes that have an atom; then these and near pairs, 32
 * spheres at a time; then the rows. Tensor cores truncate: of 16 products each by u / 2 of the
 * largest, and the result by 2 u. That is 10 u of u, where r is no less than |s|, and 20 u of the
 * term, as 3 u sqrt(L) is with L = 45; where r is less, it is within what the bound allows for
 * places. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  enum { TRUNCATED = 45, LANES = 4 };
  const int64_t y = (int64_t)config->value[BLOCK_Y];
  return TRUNCATED + FLUSHED * WARP / COLUMNS + LANES + WARP +
         dcs_divide_up(problem->n_inputs, WARP * y) + y;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_born_plan(problem, dcs_divide_up(problem->n_inputs, tile_of(config)), WARP,
                (int)config->value[BLOCK_Y], plan);
  dcs_born_sort(problem->n_inputs, config->value[ORDER] == ORDER_PLACE, plan);
}

static const char *const sources[] = {"kernels/born/cuda/born_tensor.cu",
                                      "kernels/born/cuda/born_tensor.c",
                                      "kernels/born/cuda/sort.cuh",
                                      "kernels/common/cuda/tensor.cuh",
                                      DCS_BORN_SOURCES,
                                      NULL};

/* Half a reciprocal, which the units that compute reciprocal square roots compute as fast. */
const dcs_variant dcs_variant_cuda_born_tensor = {
    .id = "cuda_born_tensor",
    .kind = "born",
    .sources = sources,
    .idea = "distances as a product of two matrices, on tensor cores; a reciprocal for two pairs",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .limit = "gpu_rsqrt_per_s",
    .limit_cost = 0.5,
    .longest_sum = longest_sum,
    .plan = plan,
    .capabilities = {.least = 80},
};
