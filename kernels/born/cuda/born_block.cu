/* cuda_born_block: a block per atom; its threads share the spheres, and their sums are reduced.
 *
 * Derives from cuda_born_thread, where 4,096 atoms are 4,096 threads: 128 warps on a card that has room for
 * 8,448. Here they are 4,096 blocks, and even 256 atoms give each SM two. A warp reads 32 spheres one behind
 * another; none is used twice by a thread, so every pair costs a load of 16 bytes, from the L1 cache while
 * all atoms fit it (some 14,000 in 228 KB), from the L2 cache beyond.
 *
 * Per far pair as in cuda_born_thread. Per thread 5 shuffles and additions; per block 1 barrier and as
 * many additions as it has warps.
 * Parameters: block_x, threads of a block, a multiple of 32 up to 256. */

#include "kernels/born/cuda/born.cuh"

enum { WARP = 32, WARPS = BLOCK_X / WARP };

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    dcs(float *radii, const float4 *atoms, int n_atoms, born born) {
  __shared__ float sums[WARPS];
  int i = blockIdx.x;
  float4 own = atoms[i];
  float own_near2 = near2_of_atom(own.w), sum = 0.0f;

  for (int j = threadIdx.x; j < n_atoms; j += BLOCK_X) {
    float4 atom = atoms[j];
    float s = born.descreening * atom.w;
    float r2 = square_distance(own.x, own.y, own.z, atom);
    if (r2 <= fmaxf(near2_of_sphere(s), own_near2))
      sum += near_term(r2, own.w, s);
    else
      sum += far_term(r2, series_of(s));
  }

#pragma unroll
  for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sum = sums[0];
  for (int w = 1; w < WARPS; w++)
    sum += sums[w];
  radii[i] = born_radius(born, own.w, sum);
}
