/* cuda_naive: a thread per grid point; each sums over all atoms, which lie in global memory.
 *
 * Derives from cpu_gather by giving the loops over points to the threads. No two threads write the
 * same point, so no atomic is needed and the sum stays in a register.
 *
 * Per evaluation: 3 subtractions, 1 multiply, 2 FMA, 1 reciprocal square root, 1 FMA; 1 load of 16
 * bytes, the same for all threads of the warp (one broadcast through the L1 cache).
 * Parameters: block_x, block_y, threads of a block, product 1..1024.
 * Limits: a launch computes one slice; at most 65,535 blocks in y. */

extern "C" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx, int ny,
                               int k, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float x = spacing * i;
  float y = spacing * j;
  float z = spacing * k;

  float sum = 0.0f;
  for (int a = 0; a < n_atoms; a++) {
    float4 atom = atoms[a];
    float dx = x - atom.x;
    float dy = y - atom.y;
    float dz = z - atom.z;
    sum += atom.w * rsqrtf(dx * dx + (dy * dy + dz * dz));
  }
  slice[(long long)j * nx + i] += sum;
}
