/* Lab 2, part 1: a thread per point, atoms in constant memory. The host fills `atoms` with up to
 * CHUNK_ATOMS atoms and launches the kernel once for each chunk and slice; dz^2, which all points of
 * a slice share, it has computed. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void dcs(float *slice, int n_atoms, int nx, int ny, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float x = spacing * i;
  float y = spacing * j;

  float sum = 0.0f;
  /* GAP: add q / r of every atom of the chunk to the sum. r^2 = dx^2 + dy^2 + dz^2; CUDA's
   * rsqrtf(r2) is 1 / sqrt(r2). */

  slice[(long long)j * nx + i] += sum;
}
