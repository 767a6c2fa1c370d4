/* Lab 1, part 1: a thread per atom, which adds it to every point of the map from slice first_k on. */

extern "C" __global__ void dcs(float *map, const float4 *atoms, int n_atoms, int nx, int ny, int nz,
                               int first_k, float spacing) {
  int a = blockIdx.x * BLOCK_X + threadIdx.x;
  /* GAP 1: there may be more threads than atoms. */
  float4 atom = atoms[a]; /* x, y, z, q */

  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++) {
        float dx = spacing * i - atom.x;
        float dy = spacing * j - atom.y;
        float dz = spacing * (first_k + k) - atom.z;
        float term = atom.w * rsqrtf(dx * dx + dy * dy + dz * dz);
        /* GAP 2: all threads add to this point. What keeps their additions apart? */
        map[((long long)k * ny + j) * nx + i] += term;
      }
}
