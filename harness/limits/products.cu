/* Rate of multiply-adds of tensor cores: every warp has CHAINS independent sums of products of matrices, `length` of
 * them each, with no other arithmetic in the loop. The mean of the products is stored, 1 of each chain. */
#include "kernels/common/cuda/tensor.cuh"

extern "C" __global__ void dcs(float *out, int length, float half) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float a[4] = {half, half, half, half}, b[2] = {0.5f * half, 0.5f * half};
  float chain[CHAINS][4];
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    chain[c][0] = chain[c][1] = chain[c][2] = chain[c][3] = 0.0f;

#pragma unroll UNROLL
  for (int l = 0; l < length; l++) {
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      multiply_add_tf32(chain[c], a, b);
  }

  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    sum += 0.25f * (chain[c][0] + chain[c][1] + chain[c][2] + chain[c][3]);
  out[thread] = sum / length;
}
