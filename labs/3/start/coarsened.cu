/* Lab 3: COARSEN adjacent points of a row per thread. This kernel computes the first of them alone. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *slice, int n_atoms, int nx, int ny, float spacing) {
  int i = (blockIdx.x * BLOCK_X + threadIdx.x) * COARSEN; /* the thread's first point */
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float *point = slice + (long long)j * nx + i;
  float y = spacing * j;

  /* GAP 1: a coordinate and a sum for each of the points i to i + COARSEN - 1. */
  float x = spacing * i;
  float sum = 0.0f;

  for (int a = 0; a < n_atoms; a++) {
    /* GAP 2: what do the points of a thread share? Load and compute it once. */
    float4 atom = atoms[a];
    float dx = x - atom.x;
    float dy = y - atom.y;
    sum += atom.w * rsqrtf(dx * dx + dy * dy + atom.z);
  }

  /* GAP 3: write them all, but none beyond the end of the row. */
  point[0] += sum;
}
