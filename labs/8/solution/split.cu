/* Lab 8: some reciprocal square roots are computed by the pipes that multiply and add, since the units
 * for special functions have too much to do. */

#include "kernels/coulomb/cuda/brick.cuh"

#define SOFT_SCALE 0.06334664f

/* 1/sqrt(r2) / SOFT_SCALE. */
static __device__ __forceinline__ float soft_rsqrt(float r2) {
  float y = __int_as_float(0x5f5f2000 - (__float_as_int(r2) >> 1));
  float e = 2.2104355f - r2 * y * y;
  return y * ((e * e + 2.7819405f) * e + 10.554387f);
}

/* Whether point p of the brick is one of the SOFT of every 16 that are spread evenly over it. */
static __device__ __forceinline__ bool in_software(int p) {
  return (p % 16 + 1) * SOFT / 16 > p % 16 * SOFT / 16;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, const float4 *global_atoms, int n_atoms, int nx, int ny, int nz, int first_k,
        float spacing, int adds) {
  int i = blockIdx.x * (BLOCK_X * COARSEN_X) + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z * COARSEN_Z;
  if (i >= nx || j >= ny) return;

  float x[COARSEN_X], z[COARSEN_Z], sum[COARSEN_Z][COARSEN_X] = {};
  float y = spacing * j;
  place_brick<COARSEN_Z>(i, first_k + k, spacing, x, z);
#pragma unroll UNROLL
  for (int a = 0; a < n_atoms; a++) {
    float4 atom = ATOM(a);
    float dy = y - atom.y;
    float dy2 = dy * dy;
    float dx[COARSEN_X];
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      dx[m] = x[m] - atom.x;
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      float dz = z[l] - atom.z;
      float dyz2 = dz * dz + dy2;
#pragma unroll
      for (int m = 0; m < COARSEN_X; m++) {
        float r2 = dx[m] * dx[m] + dyz2;
        sum[l][m] += atom.w * (in_software(l * COARSEN_X + m) ? soft_rsqrt(r2) : rsqrtf(r2));
      }
    }
  }

#pragma unroll
  for (int p = 0; p < COARSEN_X * COARSEN_Z; p++)
    if (in_software(p)) sum[p / COARSEN_X][p % COARSEN_X] *= SOFT_SCALE;
  put_in_map<COARSEN_Z>(sum, i, j, k, nx, ny, nz, adds, map);
}
