/* Descriptor of cuda_orbital_wgmma. */
#include "kernels/orbital/cuda/tensor.h"

enum { WARPS = 16 }; /* as there */

/* As of cuda_orbital_tensor, but a tile's products are 12 one behind another: 78 u, as 3 u sqrt(L)
 * is with L = 676. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return dcs_orbital_tensor_sum(problem, 676, 32);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  (void)config;
  dcs_orbital_tensor_plan(problem, WARPS, plan);
}

static const char *const sources[] = {
    "kernels/orbital/cuda/orbital_wgmma.cu", "kernels/orbital/cuda/orbital_wgmma.c",
    "kernels/common/cuda/warpgroup.cuh", DCS_ORBITAL_TENSOR_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_wgmma = {
    .id = "cuda_orbital_wgmma",
    .kind = "orbital",
    .sources = sources,
    .idea = "the same, of warpgroups that tensor cores work for while others make tiles",
    .backend = DCS_GPU,
    .applicable = dcs_orbital_tensor_applicable,
    .executed = dcs_orbital_tensor_executed,
    .flops_per_eval = dcs_orbital_tensor_flops,
    .limit = "gpu_wgmma_tf32_fma_per_s",
    .limit_cost = 3 * DCS_ORBITAL_TERMS_OF_ONE,
    .longest_sum = longest_sum,
    .candidates = dcs_orbital_tensor_candidates,
    .plan = plan,
    .capabilities = {90, 90},
    .shared_bytes = 205200,
    .slabs = true,
};
