/* A row of the map by blocks of BLOCK_X threads, PER_THREAD points each, a block's width apart. */
__global__ void rows(float *map, const float4 *atoms, int n_atoms, int nx, float spacing) {
  const int first = blockIdx.x * BLOCK_X * PER_THREAD + threadIdx.x;
  const float y = spacing * blockIdx.y, z = spacing * blockIdx.z;
  float sum[PER_THREAD] = {0};
  for (int a = 0; a < n_atoms; a++) {
    const float4 atom = atoms[a];
    const float dyz2 = (y - atom.y) * (y - atom.y) + (z - atom.z) * (z - atom.z);
    for (int p = 0; p < PER_THREAD; p++) {
      const float dx = spacing * (first + p * BLOCK_X) - atom.x;
      sum[p] += atom.w * rsqrtf(dx * dx + dyz2);
    }
  }
  for (int p = 0; p < PER_THREAD; p++) {
    const int x = first + p * BLOCK_X;
    if (x < nx) map[((long long)blockIdx.z * gridDim.y + blockIdx.y) * nx + x] = sum[p];
  }
}
