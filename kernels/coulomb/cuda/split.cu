/* cuda_split: as cuda_volume, but some reciprocal square roots are computed on the FMA pipes.
 *
 * Derives from cuda_volume, which is bound by the special function units: they take a warp's reciprocal
 * square root in 8 cycles a scheduler, while the rest of an evaluation needs about 4 of those 8 issue
 * slots. The slots left over can compute reciprocal square roots in software: an integer guess y0 of
 * 1/sqrt(r2), times a constant, and a cubic polynomial in r2 y0^2, which is within 6% of its middle:
 *
 *     y0 = guess(0x5f5f2000 - (bits(r2) >> 1))        2 integer operations
 *     e = 2.2104355 - r2 y0^2                         2 operations
 *     p = (e^2 + 2.7819405) e + 10.554387             2 operations
 *     1/sqrt(r2) = 0.06334664 y0 p                    1; the factor once for all atoms
 *
 * Any cubic can be had in two operations, since e may be shifted and scaled for nothing; this one is
 * the minimax polynomial of the relative error. The guess is the one whose r2 y0^2 varies least, 1.125
 * fold over all r2; it need not be near 1, as the polynomial can take any factor. The relative error is
 * at most 5.8e-7 (9.7 x 2^-24), 3.0e-7 in the mean square. Two Newton steps (J. Kadlec, "Improving the
 * fast inverse square root", 2010) take an operation more and err by 4.9e-7.
 *
 * Issue slots of a scheduler, per evaluation of a warp: hardware 3 (FMA, reciprocal square root, FMA),
 * software 9 (FMA, 2, 5, FMA), both about 0.7 for the distance terms of a 4 x 8 brick. With a share s
 * in software the special function units are busy 8 (1 - s) cycles and the issue port 3.7 + 6 s: they
 * balance at s = 0.31, or 5 of 16, and 1.45 times the rate of the special function units alone.
 *
 * What is reached depends on how the two kinds are mixed. Reciprocal square roots that come in bursts
 * fill the units' queue: their warp waits while the FMA pipes idle, and the other way round behind a
 * burst. So the points in software are spread evenly over the brick. With 256^3 points and 4,000 atoms, an
 * H200 reaches 1.17 times the units' rate, and 1.21 times with 264 slices: 512 blocks of 1,024 threads are
 * four waves on 132 SMs, of which the last is not full, 528 are. (Tried and slower: whole blocks, or whole
 * atoms, in software and others in hardware. Tried and not better: adding up a row of the brick while the next
 * row's distances are computed. Tried and 1% faster, not worth its length: distances divided by the charge, so
 * that the last product falls away.)
 *
 * Parameters: as cuda_volume; soft: of every 16 points of a thread, how many in software, 0..16.
 * Limits: as cuda_volume. */

#include "kernels/coulomb/cuda/brick.cuh"
#include "kernels/coulomb/cuda/soft_root.cuh"

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
