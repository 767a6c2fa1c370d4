/* Descriptor of cuda_born_tensor. */
#include "kernels/born/cuda/launch.h"

enum { WARP = 32, COLUMNS = 8, FLUSHED = 32 }; /* as there */

static const int coarsen_tried[] = {1, 2, 3, 4, 6, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_BORN_BLOCK_Y_PARAM,
    {"coarsen", "atoms per thread", 1, 6, 6, NULL, coarsen_tried, DCS_ROLE_COARSEN},
    DCS_BORN_ORDER_PARAM};

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
  const int64_t y = (int64_t)config->value[DCS_BORN_BLOCK_Y];
  return TRUNCATED + FLUSHED * WARP / COLUMNS + LANES + WARP +
         dcs_divide_up(problem->n_inputs, WARP * y) + y;
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
    .applicable = dcs_born_rows_fit,
    .executed = dcs_born_rows_executed,
    .flops_per_eval = flops_per_eval,
    .limit = "gpu_rsqrt_per_s",
    .limit_cost = 0.5,
    .longest_sum = longest_sum,
    .plan = dcs_born_rows_plan,
    .capabilities = {.least = 80},
};
