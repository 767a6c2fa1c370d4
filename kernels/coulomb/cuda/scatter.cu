/* cuda_scatter: a thread per atom; each adds its atom to every point of the grid by atomic adds.
 *
 * Derives from cpu_scatter by giving the outer loop, over atoms, to the threads: the first idea of
 * most people, and the wrong one, because every thread writes every point (Kirk and Hwu call the
 * opposite assignment "gather" and show why it wins).
 *
 * Per evaluation: 1 subtraction, 1 FMA, 1 reciprocal square root, 1 multiply, 1 atomic add (a
 * read-modify-write in the L2 cache, contended by all threads of the warp): 7 operations.
 * Parameters: block_x, threads of a block, 1..1024.
 * Limits: the order of the additions, and with it the last bits, changes from run to run. */

extern "C" __global__ void dcs(float *map, const float4 *atoms, int n_atoms, int nx, int ny, int nz,
                               int first_k, float spacing) {
  int a = blockIdx.x * BLOCK_X + threadIdx.x;
  if (a >= n_atoms) return;
  float4 atom = atoms[a];

  float *point = map;
  for (int k = 0; k < nz; k++) {
    float dz = spacing * (first_k + k) - atom.z;
    for (int j = 0; j < ny; j++) {
      float dy = spacing * j - atom.y;
      float dyz2 = dy * dy + dz * dz;
      for (int i = 0; i < nx; i++) {
        float dx = spacing * i - atom.x;
        atomicAdd(point++, atom.w * rsqrtf(dx * dx + dyz2));
      }
    }
  }
}
