/* Atoms far from the map of an open problem: their potential at Chebyshev's nodes, and read from
 * these along x and y. A kernel includes this behind mesh_charges.cuh and mesh_levels.cuh. */
#ifndef DCS_MESH_FAR_CUH
#define DCS_MESH_FAR_CUH

/* A block a node: the sum over all atoms that are far. */
extern "C" __global__ void __launch_bounds__(THREADS)
    mesh_far(float *potential, const float4 *atoms, int n_atoms, meshes m, int nx, int ny, int nz,
             float spacing) {
  __shared__ double sums[THREADS];
  int wx = far_width(m, nx), wy = far_width(m, ny), wz = far_width(m, nz), t = threadIdx.x;
  double x = far_node(blockIdx.x % wx, wx, nx, spacing);
  double y = far_node(blockIdx.x / wx % wy, wy, ny, spacing);
  double z = far_node(blockIdx.x / wx / wy, wz, nz, spacing), sum = 0;
  for (int a = t; a < n_atoms; a += THREADS) {
    float4 atom = atoms[a];
    if (!is_far(atom, m.margin, nx, ny, nz, spacing)) continue;
    double dx = atom.x - x, dy = atom.y - y, dz = atom.z - z;
    sum += atom.w / sqrt(dx * dx + dy * dy + dz * dz);
  }
  sums[t] = sum;
  __syncthreads();
  if (t > 0) return;
  for (int other = 1; other < THREADS; other++)
    sum += sums[other];
  potential[blockIdx.x] = (float)sum;
}

extern "C" __global__ void mesh_far_x(const float *in, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  int wx = far_width(m, nx), wy = far_width(m, ny);
  read_x(in, out, tables, table_of(m, FAR_AXIS, 0, 0, nx, ny, nz), wy, wx, (long long)wx * wy);
}

extern "C" __global__ void mesh_far_y(const float *in, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  read_y(in, out, tables, table_of(m, FAR_AXIS, 0, 1, nx, ny, nz), nx, far_width(m, ny));
}

#endif
