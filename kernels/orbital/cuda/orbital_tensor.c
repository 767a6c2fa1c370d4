/* Descriptor of cuda_orbital_tensor. */
#include "kernels/orbital/cuda/tensor.h"

enum { WARPS = 12 }; /* as there */

/* Tensor cores truncate, by 6.5 u of a sum at most: of 8 products and what they are added to each
 * by u / 2 of the largest, and the result by 2 u. A tile's are 6 one behind another, 39 u, as 3 u
 * sqrt(L) is with L = 169. Then come those of all tiles. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return dcs_orbital_tensor_sum(problem, 169, 16);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  (void)config;
  dcs_orbital_tensor_plan(problem, WARPS, plan);
}

static const char *const sources[] = {"kernels/orbital/cuda/orbital_tensor.cu",
                                      "kernels/orbital/cuda/orbital_tensor.c",
                                      DCS_ORBITAL_TENSOR_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_tensor = {
    .id = "cuda_orbital_tensor",
    .kind = "orbital",
    .sources = sources,
    .idea = "the same product on tensor cores, each number as a sum of two of 11 bits",
    .backend = DCS_GPU,
    .applicable = dcs_orbital_tensor_applicable,
    .executed = dcs_orbital_tensor_executed,
    .flops_per_eval = dcs_orbital_tensor_flops,
    .limit = "gpu_tf32_fma_per_s",
    .limit_cost = 3 * DCS_ORBITAL_TERMS_OF_ONE,
    .longest_sum = longest_sum,
    .candidates = dcs_orbital_tensor_candidates,
    .plan = plan,
    .capabilities = {.least = 80},
    .slabs = true,
};
