/* Descriptor of cuda_orbital_wgmma. */
#include "kernels/orbital/cuda/launch.h"

enum { WARP = 32, WARPS = 16, ROWS = 4, SLICES = 128, COLUMNS = WARP * ROWS }; /* as there */

static dcs_orbital_block_shape block_points(void) {
  return (dcs_orbital_block_shape){WARP, ROWS, {1, 1, SLICES}};
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  (void)config;
  return dcs_orbital_fits(problem, block_points(), why);
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return dcs_orbital_padded(problem, block_points());
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_orbital_count(problem, executed(problem, config), found);
}

/* Three multiply-adds a term; a column's 8 operations are for all slices of the block, a slice's 6
 * for all columns. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return DCS_ORBITAL_TERMS_OF_ONE * (3 * 2 + 8.0 / SLICES + 6.0 / COLUMNS);
}

/* Tensor cores truncate, by 6.5 u of a sum at most: of 8 products and what they are added to each
 * by u / 2 of the largest, and the result by 2 u. A tile's are 6 one behind another, 39 u, as 3 u
 * sqrt(L) is with L = 169. Then come those of all tiles. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  enum { OF_A_TILE = 169, TERMS = 16 };
  const int64_t terms = problem->n_inputs * DCS_ORBITAL_PRIMITIVES * (DCS_ORBITAL_L + 1);
  (void)config;
  return OF_A_TILE + dcs_divide_up(terms, TERMS);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_ORBITAL_MAP),
                                 DCS_BUFFER(DCS_ORBITAL_TERMS),
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_END};
  (void)config;
  dcs_orbital_plan(problem, block_points(), plan);
  plan->block[1] = WARPS;
  plan->args = args;
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

static const char *const sources[] = {"kernels/orbital/cuda/orbital_wgmma.cu",
                                      "kernels/orbital/cuda/orbital_wgmma.c",
                                      "kernels/orbital/cuda/orbital_terms.cuh",
                                      "kernels/common/cuda/tensor.cuh",
                                      "kernels/common/cuda/warpgroup.cuh",
                                      DCS_ORBITAL_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_orbital_wgmma = {
    .id = "cuda_orbital_wgmma",
    .kind = "orbital",
    .sources = sources,
    .idea = "the same product on tensor cores, each number as a sum of two of 11 bits",
    .backend = DCS_GPU,
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .limit = "gpu_wgmma_tf32_fma_per_s",
    .limit_cost = 3 * DCS_ORBITAL_TERMS_OF_ONE,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
    .shared_bytes = 205200,
    .slabs = true,
};
