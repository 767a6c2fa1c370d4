/* Lab 4: this is the kernel of lab 3. Its maps are right, but the threads of a warp write COARSEN floats
 * apart. Give each thread other points, so that they write side by side. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *slice, int n_atoms, int nx, int ny, float spacing) {
  /* GAP 1: which point is the first, and how far apart are the others? */
  int i = (blockIdx.x * BLOCK_X + threadIdx.x) * COARSEN; /* the thread's first point */
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float *point = slice + (long long)j * nx + i;
  float y = spacing * j;

  float x[COARSEN], sum[COARSEN];
#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
    /* GAP 2 */
    x[m] = spacing * (i + m);
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
    /* GAP 3 */
    if (i + m < nx) point[m] += sum[m];
}
