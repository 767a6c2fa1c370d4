/* Lab 2, part 2: a thread per point, atoms in tiles of shared memory. One launch takes all atoms of
 * a slice; the threads of a block load a tile together, and then all read it. */

__shared__ float4 tile[TILE_ATOMS]; /* x, y, z, q */

extern "C" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx, int ny,
                               int k, float spacing) {
  int thread = threadIdx.y * BLOCK_X + threadIdx.x; /* of the block's BLOCK_X * BLOCK_Y */
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  float x = spacing * i;
  float y = spacing * j;
  float z = spacing * k;

  float sum = 0.0f;
  for (int first = 0; first < n_atoms; first += TILE_ATOMS) {
    int n = min(n_atoms - first, TILE_ATOMS); /* atoms of this tile */
    /* GAP 1: all threads together copy atoms first to first + n - 1 into the tile. */

    for (int a = 0; a < n; a++) {
      float4 atom = tile[a];
      float dx = x - atom.x;
      float dy = y - atom.y;
      float dz = z - atom.z;
      sum += atom.w * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    /* GAP 2: two barriers, __syncthreads(): where? */
  }
  if (i < nx && j < ny) slice[(long long)j * nx + i] += sum;
}
