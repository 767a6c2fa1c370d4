/* cuda_reduce: as cuda_split, with the atoms split over blocks; for maps too small to fill the card.
 *
 * Derives from cuda_split, where the work is split by points alone. A map of 32^3 points at 8 points a
 * thread is 32,768 / 8 / 32 = 128 warps; a card of 132 SMs that hold 64 warps each has room for 8,448.
 * However many atoms there are, 98% of it idles. Here the atoms of a tile of points are shared by SPLITS
 * blocks: with 64 of them the same map is 128 x 64 = 8,192 warps.
 *
 * Several blocks now add to one point. Atomic additions would do it, but in whatever order blocks happen to
 * end, and float additions in another order give other last bits. So each block writes its partial sums to
 * memory of its own and counts itself at the tile. The block that finds all others counted adds the
 * partials, in the order of the splits whoever is last: the same bits every time. It sets the counter back
 * to zero for the next launch.
 *
 * Coordinates are counted in units of two spacings (offset.cuh), which spares registers. With registers for 1,024
 * threads an SM (60 a thread; by itself the compiler takes 40) an H200 reached 3,953 G evaluations a second with 64^3
 * points and 4,000 atoms in 16 parts, and 4,205 with 32^3 points and 1,000,000 atoms in 256, in an earlier form of the
 * loop, of the same operations. With 40 registers it reaches 3,508 and 3,712; with roots in hardware alone, 3,248 and
 * 3,469; with software roots and coordinates in angstrom, 3,742 and 3,976.
 * (Tried and slower: 4 or 6 of 16 points in software; bricks of 4 x 8, which take 32 parts for as many warps; the roots
 * of cuda_neighbours, as half of the atoms are near.)
 *
 * Per evaluation as in cuda_split with 5 of 16 points in software and atoms in global memory. Per point and
 * split: 4 bytes written, 4 read, 1 addition; few atoms a split make that dear. Per block: 2 barriers, 2 fences,
 * 1 atomic addition.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen_x 1..8, points block_x
 * apart; coarsen_z 1..16, adjacent slices; splits 1..256, blocks that share the atoms of a tile (as many as
 * there are atoms, if those are fewer); unroll: atoms an iteration of the loop, 1..8.
 * Limits: at most 65,535 blocks in y, and as many tiles in z times splits. Partial sums take 4 bytes a
 * point of the map's tiles and split. */

#include "kernels/coulomb/cuda/atom_range.cuh"

/* Counts this block at its tile; whether it is the last of them, and so sees what the others wrote. */
static __device__ __forceinline__ bool last_of_tile(int *counter, int splits, int thread) {
  __shared__ bool last;
  __syncthreads(); /* the whole block has written */
  if (thread == 0) {
    __threadfence(); /* the partial sums are seen before the count */
    last = atomicAdd(counter, 1) == splits - 1;
    __threadfence(); /* the count is seen before the others' partial sums */
    if (last) *counter = 0;
  }
  __syncthreads();
  return last;
}

/* With registers for 1,024 threads an SM: left alone, the compiler keeps to 40 a thread at 8 points, and roots wait
 * for each other. Larger bricks need more than that leaves. */
#if COARSEN_X * COARSEN_Z <= 32 && BLOCK_X * BLOCK_Y <= 512
#define BOUNDS BLOCK_X *BLOCK_Y, 1024 / (BLOCK_X * BLOCK_Y)
#else
#define BOUNDS BLOCK_X *BLOCK_Y
#endif

extern "C" __global__ void __launch_bounds__(BOUNDS)
    dcs(float *map, const float4 *global_atoms, int n_atoms, int nx, int ny, int nz, int first_k, float spacing,
        float *partials, int *counters) {
  const int threads = BLOCK_X * BLOCK_Y, points = COARSEN_X * COARSEN_Z;
  int splits = min(SPLITS, n_atoms);
  int split = blockIdx.z % splits;
  int tile = (blockIdx.z / splits * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int tiles = gridDim.z / splits * gridDim.y * gridDim.x;
  int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  int i = blockIdx.x * (BLOCK_X * COARSEN_X) + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z / splits * COARSEN_Z;

  float sum[COARSEN_Z][COARSEN_X] = {};
  if (i < nx && j < ny)
    add_atoms(global_atoms, first_of(split, splits, n_atoms), first_of(split + 1, splits, n_atoms),
                         i, j, first_k + k, spacing, sum);

  /* partials[split][tile][point of the brick][thread]: a warp writes adjacent floats, and a thread
   * of the last block reads what its counterparts in the others have written. */
  float *mine = partials + (long long)tile * points * threads + thread;
  long long stride = (long long)tiles * points * threads;
#pragma unroll
  for (int p = 0; p < points; p++)
    mine[split * stride + p * threads] = sum[p / COARSEN_X][p % COARSEN_X];
  if (!last_of_tile(&counters[tile], splits, thread)) return;

#pragma unroll
  for (int p = 0; p < points; p++)
    sum[p / COARSEN_X][p % COARSEN_X] = 0.0f;
#pragma unroll 4
  for (int s = 0; s < splits; s++) {
#pragma unroll
    for (int p = 0; p < points; p++)
      sum[p / COARSEN_X][p % COARSEN_X] += mine[s * stride + p * threads];
  }
  put_in_map<COARSEN_Z>(sum, i, j, k, nx, ny, nz, false, map);
}
