/* cuda_shared: atoms in tiles of shared memory; COARSEN points of a row per thread, block_x apart.
 *
 * Derives from cuda_coalesced by replacing constant memory. The threads of a block load a tile of atoms
 * together, one atom a thread at a time, wait for each other, and then all read the tile: every read is a
 * broadcast to the warp. A tile is a block's own, so warps of other blocks cannot thrash it, any number of
 * atoms takes one launch a slice, and the host prepares nothing.
 *
 * Per evaluation, K = COARSEN: (1 subtraction + 1 FMA for y, 1 subtraction + 1 multiply for z) / K, then 1
 * subtraction, 1 FMA, 1 reciprocal square root, 1 FMA; 1/K shared loads of 16 bytes. Per atom and block: 1
 * global load of 16 bytes; per tile: 2 barriers.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen 1..16; tile_atoms, atoms of a
 * tile, 1..3072 (48 KB).
 * Limits: a launch computes one slice; at most 65,535 blocks in y. */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *slice, const float4 *atoms, int n_atoms, int nx, int ny, int k, float spacing) {
  __shared__ float4 tile[TILE_ATOMS];
  int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  int i = blockIdx.x * (BLOCK_X * COARSEN) + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  float y = spacing * j;
  float z = spacing * k;

  float x[COARSEN], sum[COARSEN];
#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
    x[m] = spacing * (i + m * BLOCK_X);
    sum[m] = 0.0f;
  }

  for (int first = 0; first < n_atoms; first += TILE_ATOMS) {
    int n = min(n_atoms - first, TILE_ATOMS);
    for (int a = thread; a < n; a += BLOCK_X * BLOCK_Y)
      tile[a] = atoms[first + a];
    __syncthreads();
    for (int a = 0; a < n; a++) {
      float4 atom = tile[a];
      float dy = y - atom.y;
      float dz = z - atom.z;
      float dyz2 = dy * dy + dz * dz;
#pragma unroll
      for (int m = 0; m < COARSEN; m++) {
        float dx = x[m] - atom.x;
        sum[m] += atom.w * rsqrtf(dx * dx + dyz2);
      }
    }
    __syncthreads(); /* nobody overwrites the tile while another still reads it */
  }

#pragma unroll
  for (int m = 0; m < COARSEN; m++)
    if (i + m * BLOCK_X < nx && j < ny) slice[(long long)j * nx + i + m * BLOCK_X] += sum[m];
}
