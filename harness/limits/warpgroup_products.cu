/* Rate of multiply-adds of tensor cores that warpgroups hand over (wgmma): each has CHAINS independent sums of
 * products of matrices, `length` of them each, and waits for one of each at a time, while others multiply. The mean of
 * the products is stored, 1 of each chain. */
#include "kernels/common/cuda/warpgroup.cuh"

extern "C" __global__ void dcs(float *out, int length, float half) {
  __shared__ float4 b[2 * 64];
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float a[4] = {half, half, half, half};
  warpgroup_sums chain[CHAINS];
  for (int e = threadIdx.x; e < 2 * 64; e += blockDim.x)
    b[e] = make_float4(0.5f * half, 0.5f * half, 0.5f * half, 0.5f * half);
  written_for_products();
  __syncthreads();
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
#pragma unroll
    for (int v = 0; v < 32; v++)
      chain[c][v] = 0.0f;

  for (int l = 0; l < length; l++) {
    warpgroup_fence();
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      multiply_tf32_later(chain[c], a, factor_at(b, 64), true);
    warpgroup_commit();
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      warpgroup_wait<0>(chain[c]);
  }

  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
#pragma unroll
    for (int v = 0; v < 32; v++)
      sum += 0.03125f * chain[c][v];
  out[thread] = sum / length;
}
