/* Descriptor of cuda_born_tiles. */
#include "kernels/born/cuda/launch.h"

enum { WARP = 32, FLUSHED = 8 }; /* as there */

static const int coarsen_tried[] = {1, 2, 4, 6, 8, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_BORN_BLOCK_Y_PARAM,
    {"coarsen", "atoms per thread", 1, 8, 8, NULL, coarsen_tried, DCS_ROLE_COARSEN},
    DCS_BORN_ORDER_PARAM};

/* Of a remote pair, as most of 100,000 atoms are where they are sorted. The series'
 * coefficients of a sphere, once a block, are left out. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 1 + 2 * 2 + 2 + 2 + 1 + 2;
}

/* Of a row of threads between flushes, then these and near pairs (of an atom a few hundred at most,
 * unless hundreds of spheres lie in one another), then the rows. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t y = (int64_t)config->value[DCS_BORN_BLOCK_Y], tiles = FLUSHED * WARP;
  return tiles + dcs_divide_up(problem->n_inputs, tiles * y) + WARP * FLUSHED + y;
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
    .applicable = dcs_born_rows_fit,
    .executed = dcs_born_rows_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = dcs_born_rows_plan,
};
