/* cuda_mesh: the potential to a tolerance, by a short range sum and meshes with Fourier transforms.
 *
 * kernels/coulomb/mesh.h says what is computed. The steps: atoms are sorted into the cells of the
 * short range part and into those of the mesh; a block gathers what atoms spread to its brick of
 * nodes, so that nothing is added atomically and the bits are the same every time; coarser meshes
 * take their charges from finer ones and give them their potential along one dimension after
 * another; so does the map take its own in x and y. The kernel of the map sums the short range part
 * as cuda_cutoff_cells does, and adds the long range part, read along z, before it writes.
 *
 * An atom is spread to ORDER^3 nodes, and is looked at by the blocks whose bricks of 8^3 nodes
 * these touch: at order 8 a block gathers from the atoms of 16^3 spacings, 8 times as many products
 * as are spread, without atomic additions, of which an atom has 512. */
#include "kernels/coulomb/cuda/cutoff_cells.cuh"
#include "kernels/coulomb/cuda/mesh_charges.cuh"
#include "kernels/coulomb/cuda/mesh_levels.cuh"
/* behind these two */
#include "kernels/coulomb/cuda/mesh_far.cuh"

/* ---- tables ---- */

static __device__ void write_entry(const meshes &m, int what, int l, int d, int i, int points,
                                   float spacing, real *entry) {
  if (what == FACTORS) *entry = factor_of(m, l, d, i);
  if (what == FAR_AXIS) write_far_axis(far_width(m, points), points, spacing, i, entry);
  if (what != FINER && what != MAP_AXIS) return;
  double at = (double)spacing * i;
  if (what == FINER) at = m.level[l - 1].lo[d] + m.level[l - 1].spacing[d] * i;
  write_axis(m, l, d, at, entry);
}

/* A block in y for each kind of table, level and dimension. */
extern "C" __global__ void mesh_tables(real *tables, meshes m, int nx, int ny, int nz,
                                       float spacing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int d = blockIdx.y % 3, l = blockIdx.y / 3 % m.n_levels, what = blockIdx.y / 3 / m.n_levels;
  if ((what == MAP_AXIS && l > 0) || (what == FAR_AXIS && (l > 0 || !m.far_nodes))) return;
  table_place t = table_of(m, what, l, d, nx, ny, nz);
  if (i < t.count)
    write_entry(m, what, l, d, i, along(d, nx, ny, nz), spacing, tables + t.at + i * t.width);
}

/* ---- the map ---- */

/* Rows of a periodic mesh go round; of what follows, each has as many nodes as are read. */
extern "C" __global__ void mesh_map_x(const real *mesh, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  const mesh_level &level = m.level[0];
  table_place t = table_of(m, MAP_AXIS, 0, 0, nx, ny, nz);
  value_place at = place_of_thread();
  int rows = level.nodes[1];
  if (at.i >= t.count || at.j >= rows) return;
  const real *row =
      mesh + at.k % level.n[2] * layer_of(level) + (long long)(at.j % level.n[1]) * row_of(level);
  const real *entry = tables + t.at + at.i * t.width;
  real sum = 0;
  for (int i = 0; i < t.width - 1; i++) {
    int node = (int)entry[0] + i;
    sum += entry[1 + i] * row[node < level.n[0] ? node : node - level.n[0]];
  }
  out[((long long)at.k * rows + at.j) * nx + at.i] = (float)sum;
}

extern "C" __global__ void mesh_map_y(const float *in, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  read_y(in, out, tables, table_of(m, MAP_AXIS, 0, 1, nx, ny, nz), nx, m.level[0].nodes[1]);
}

/* Adds to the sums of a thread's points what their columns hold, read along z. */
static __device__ __forceinline__ void add_columns(const float *columns, const real *tables,
                                                   table_place t, thread_points at, int nx, int ny,
                                                   int nz, int first_k, float sum[COARSEN_Z]) {
  const long long layer = (long long)nx * ny;
  const float *column = columns + (long long)at.j * nx + at.i;
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    if (at.k + l >= nz) return;
    const real *entry = tables + t.at + (first_k + at.k + l) * t.width;
    const float *value = column + (int)entry[0] * layer;
    float more = 0;
    for (int i = 0; i < t.width - 1; i++)
      more += (float)entry[1 + i] * value[i * layer];
    sum[l] += more;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, int n_atoms, int nx, int ny, int nz, int first_k, float spacing, float *scratch,
        cell_grid cells, radial_polynomial polynomial, const float *columns,
        const float *far_columns, const real *tables, meshes m) {
  float sum[COARSEN_Z];
  softened_radial<3, RADIAL_MOST> radial = {polynomial, cells.c2};
  sum_near(radial, n_atoms, nx, ny, nz, first_k, spacing, scratch, cells, sum);
  thread_points at = points_of_thread();
  if (at.i >= nx || at.j >= ny) return;
  add_columns(columns, tables, table_of(m, MAP_AXIS, 0, 2, nx, ny, m.nz), at, nx, ny, nz, first_k,
              sum);
  if (m.far_nodes)
    add_columns(far_columns, tables, table_of(m, FAR_AXIS, 0, 2, nx, ny, m.nz), at, nx, ny, nz,
                first_k, sum);
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++)
    if (at.k + l < nz) map[((long long)(at.k + l) * ny + at.j) * nx + at.i] = sum[l];
}
