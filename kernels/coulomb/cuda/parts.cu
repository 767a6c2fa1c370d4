/* cuda_parts: as cuda_split, with the atoms split over the warps of a block; for maps too small to fill the card.
 *
 * Derives from cuda_reduce, whose blocks share the atoms of a tile, leave their partial sums in global memory and
 * count themselves there. With 1,000 atoms that costs more than it gains: every point and split is 8 bytes moved,
 * and the last block of a tile begins to add when all others are done. Here a tile is small, the 256 points of a
 * warp, and the PARTS warps of its block share the atoms. Partial sums lie in shared memory, and behind one barrier
 * the threads add them, in the order of the parts: the same bits every time, one launch, no counter, no scratch
 * memory. A map of 32^3 points is 128 tiles: with 32 parts 4,096 warps, all that 128 of 132 SMs hold at 64
 * registers a thread. A map of fewer points does not fill the card, and cuda_reduce's blocks serve it better.
 *
 * Measured in one call on an H200, 10^9 evaluations a second (the units' rate is 4,166), the best of cuda_reduce's
 * 4, 16, 64 or 256 splits beside 16 or 32 parts:
 *
 *     atoms          1,000    4,000   10,000   1,000,000
 *     64^3  reduce   3,292    3,565    3,701
 *           parts    3,706    3,906    3,941
 *     32^3  reduce   1,623             3,195       3,756
 *           parts    2,852             3,700       3,884
 *
 * (Tried and slower: to go on over the blocks of a cluster, compute capability 9.0, each of which adds its share of the
 * points over the others' sums, read from distributed shared memory. A cluster's blocks must find room together and
 * end together, and small blocks read the same atoms once each where the warps of one share them.)
 *
 * Per evaluation as in cuda_reduce. Per point and part: 4 bytes of shared memory written and read, 1 addition. Per
 * block: 1 barrier.
 * Parameters: block_x, block_y, threads of a tile; parts, as many times these threads share its atoms, product of
 * the three 1..1024; coarsen_x 1..8, points block_x apart; coarsen_z 1..16, adjacent slices; unroll: atoms an
 * iteration of the loop, 1..8. Partial sums must fit 48 KB of shared memory.
 * Limits: at most 65,535 blocks in y and in z. */

#include "kernels/coulomb/cuda/atom_range.cuh"

enum { TILE = BLOCK_X * BLOCK_Y, THREADS = TILE * PARTS, POINTS = COARSEN_X * COARSEN_Z };

/* With registers for 1,024 threads an SM, as cuda_reduce. */
#if COARSEN_X * COARSEN_Z <= 32 && BLOCK_X * BLOCK_Y * PARTS <= 512
#define BOUNDS THREADS, 1024 / (BLOCK_X * BLOCK_Y * PARTS)
#else
#define BOUNDS THREADS
#endif

/* Leaves a thread's sums where the others find them: sums[part][point of the brick][thread of the tile]. */
static __device__ __forceinline__ void leave_sums(const float sum[COARSEN_Z][COARSEN_X], float *mine) {
#pragma unroll
  for (int p = 0; p < POINTS; p++)
    mine[p * TILE] = sum[p / COARSEN_X][p % COARSEN_X];
}

static __device__ __forceinline__ float add_parts(const float *sums) {
  float v = sums[0];
#pragma unroll 8
  for (int part = 1; part < PARTS; part++)
    v += sums[part * (POINTS * TILE)];
  return v;
}

extern "C" __global__ void __launch_bounds__(BOUNDS)
    dcs(float *map, const float4 *global_atoms, int n_atoms, int nx, int ny, int nz, int first_k, float spacing) {
  __shared__ float sums[PARTS * POINTS * TILE];
  int part = threadIdx.z, column = threadIdx.y * BLOCK_X + threadIdx.x;
  int first_i = blockIdx.x * (BLOCK_X * COARSEN_X), first_j = blockIdx.y * BLOCK_Y;
  int i = first_i + threadIdx.x, j = first_j + threadIdx.y, k = blockIdx.z * COARSEN_Z;

  float sum[COARSEN_Z][COARSEN_X] = {};
  if (i < nx && j < ny)
    add_atoms(global_atoms, first_of(part, PARTS, n_atoms), first_of(part + 1, PARTS, n_atoms), i, j, first_k + k,
              spacing, sum);
  leave_sums(sum, sums + part * (POINTS * TILE) + column);
  __syncthreads();

  for (int o = part * TILE + column; o < POINTS * TILE; o += THREADS) {
    int point = o / TILE, of_tile = o % TILE;
    int at_i = first_i + point % COARSEN_X * BLOCK_X + of_tile % BLOCK_X, at_j = first_j + of_tile / BLOCK_X;
    int at_k = k + point / COARSEN_X;
    if (at_i < nx && at_j < ny && at_k < nz) map[((long long)at_k * ny + at_j) * nx + at_i] = add_parts(sums + o);
  }
}
