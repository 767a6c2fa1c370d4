/* cuda_volume: one launch for the whole map; a thread computes a brick of COARSEN_X x COARSEN_Z points.
 *
 * Derives from cuda_coalesced by coarsening in z as well: dx^2 is shared by the points of a column, and
 * dy^2 + dz^2 by those of a row, so the distance terms cost almost nothing and an evaluation is an
 * addition, a reciprocal square root and an FMA. One launch covers all slices, so that maps with small
 * slices fill the card too; or the nz slices from first_k on, into their part of the map. Atoms are read
 * from global memory, a broadcast of 16 bytes through the L1 cache, or from constant memory in chunks.
 *
 * Bricks are COARSEN_Z slices high, or one less, so that the blocks share the map evenly. With 256^3 points
 * in bricks of 4 x 8 and blocks of 1,024 threads there would be 512 blocks. 132 SMs take
 * four waves to compute them, of which the last, the tail, leaves 16 idle: 3% of the time. 528 blocks are four
 * full waves; the lower ones come last. (Tried and worse: to end with blocks of half or a quarter of the
 * height. They compute at a lower rate, and shorten the tail by no more than that.)
 *
 * Per evaluation, X = COARSEN_X, Z = COARSEN_Z: 1 addition, 1 reciprocal square root, 1 FMA; for all X Z
 * points of a thread together: X (1 subtraction + 1 multiply), 1 subtraction + 1 multiply for y,
 * Z (1 subtraction + 1 FMA), 1 load of 16 bytes.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen_x 1..8, points block_x
 * apart; coarsen_z 1..16, adjacent slices; atoms: global or constant; chunk_atoms, atoms of a launch in
 * constant memory, 1..4096 (unused in global memory); unroll: atoms an iteration of the loop, 1..8.
 * Limits: at most 65,535 blocks in y and in z. Large bricks need registers: `dcsbench compile` counts them. */

#include "kernels/coulomb/cuda/brick.cuh"

enum { LOWER = COARSEN_Z > 1 ? COARSEN_Z - 1 : 1 };

/* Where a block computes: in which column of the map, BLOCK_X COARSEN_X x BLOCK_Y points and all slices;
 * from which slice on; how high. */
struct block_place {
  long long column;
  int k, height; /* COARSEN_Z or LOWER; 0: nowhere */
};

/* The `layers` blocks of a column are as few as can be. `more` columns, the last ones, have one block more,
 * so that all blocks are a multiple of `sms`, as far as bricks of LOWER slices allow it. Blocks are counted
 * COARSEN_Z high ones first. */
static __device__ block_place place_of(long long block, long long columns, int layers, bool spare,
                                       int nz, int sms) {
  long long more = (sms - columns * layers % sms) % sms;
  if (!spare || COARSEN_Z == 1 || more > columns || (layers + 1) * LOWER > nz) more = 0;
  long long few = columns - more;
  /* Of a column, those COARSEN_Z high. Where even LOWER would be too much, all are, and the last is cut. */
  int high[2] = {layers * LOWER <= nz && COARSEN_Z > 1 ? nz - layers * LOWER : layers,
                 nz - (layers + 1) * LOWER};
  for (int lower = 0; lower < 2; lower++)
    for (int kind = 0; kind < 2; kind++) {
      long long of = kind ? more : few;
      int pieces = lower ? layers + kind - high[kind] : high[kind];
      if (block < of * pieces) {
        int below = (int)(block / of);
        return {block % of + (kind ? few : 0),
                lower ? high[kind] * COARSEN_Z + below * LOWER : below * COARSEN_Z,
                lower ? LOWER : COARSEN_Z};
      }
      block -= of * pieces;
    }
  return {0, 0, 0};
}

template <int HEIGHT>
static __device__ __forceinline__ void brick(float *map, const float4 *global_atoms, int n_atoms,
                                             int nx, int ny, int nz, int first_k, float spacing,
                                             bool adds, int i, int j, int k) {
  float x[COARSEN_X], z[HEIGHT], sum[HEIGHT][COARSEN_X] = {};
  float y = spacing * j;
  place_brick<HEIGHT>(i, first_k + k, spacing, x, z);
#pragma unroll UNROLL
  for (int a = 0; a < n_atoms; a++)
    add_atom<HEIGHT>(ATOM(a), x, y, z, sum);
  put_in_map<HEIGHT>(sum, i, j, k, nx, ny, nz, adds, map);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, const float4 *global_atoms, int n_atoms, int nx, int ny, int nz, int first_k,
        float spacing, int sms, int adds) {
  int layers = (nz + COARSEN_Z - 1) / COARSEN_Z;
  long long columns = (long long)gridDim.x * gridDim.y;
  long long block = blockIdx.x + gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z);
  block_place at = place_of(block, columns, layers, (int)gridDim.z > layers, nz, sms);
  int i = (int)(at.column % gridDim.x) * (BLOCK_X * COARSEN_X) + threadIdx.x;
  int j = (int)(at.column / gridDim.x) * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  if (at.height == COARSEN_Z)
    brick<COARSEN_Z>(map, global_atoms, n_atoms, nx, ny, nz, first_k, spacing, adds, i, j,
                     at.k);
  else if (at.height == LOWER)
    brick<LOWER>(map, global_atoms, n_atoms, nx, ny, nz, first_k, spacing, adds, i, j,
                     at.k);
}
