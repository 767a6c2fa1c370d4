/* Lab 4: COARSEN points of a row per thread, BLOCK_X apart, so that the threads of a warp write
 * neighbours. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *slice, int n_atoms, int nx, int ny, float spacing) {
  int i = blockIdx.x * (BLOCK_X * COARSEN) + threadIdx.x; /* the first point */
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float *point = slice + (long long)j * nx + i;
  float y = spacing * j;

  float x[COARSEN], sum[COARSEN];
#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
    x[m] = spacing * (i + m * BLOCK_X);
    sum[m] = 0.0f;
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
  for (int m = 0; m < COARSEN; m++)
    if (i + m * BLOCK_X < nx) point[m * BLOCK_X] += sum[m];
}
