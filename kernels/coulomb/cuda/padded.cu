/* cuda_padded: COARSEN points of a row per thread, block_x apart, on a padded map without edge tests
 * (the book's version 3).
 *
 * Derives from cuda_coalesced. The map in device memory is rounded up to whole tiles of
 * (block_x * coarsen) x block_y points, so that every thread computes and writes all its points; the
 * host copies the useful corner out. What the edge tests cost is saved, what the padding costs is
 * paid: padded points / useful points - 1.
 *
 * Per evaluation: as cuda_coarsened.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen 1..16; chunk_atoms
 * 1..4096; read: the map's old value is read before the loop over atoms (start) or after it (end).
 * Limits: a launch computes one slice; at most 65,535 blocks in y. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *slice, int n_atoms, int row, float spacing) {
  int i = blockIdx.x * (BLOCK_X * COARSEN) + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  float *point = slice + (long long)j * row + i;
  float y = spacing * j;

  float x[COARSEN], sum[COARSEN];
#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
    x[m] = spacing * (i + m * BLOCK_X);
#if READ == READ_START
    sum[m] = point[m * BLOCK_X];
#else
    sum[m] = 0.0f;
#endif
  }

  for (int a = 0; a < n_atoms; a++) {
    float4 atom = atoms[a];
    float dy = y - atom.y;
    float dyz2 = dy * dy + atom.z;
#pragma unroll
    for (int m = 0; m < COARSEN; m++) {
      float dx = x[m] - atom.x;
      sum[m] += atom.w * rsqrtf(dx * dx + dyz2);
    }
  }

#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
#if READ == READ_START
    point[m * BLOCK_X] = sum[m];
#else
    point[m * BLOCK_X] += sum[m];
#endif
  }
}
