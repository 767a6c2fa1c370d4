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
#include "kernels/coulomb/cuda/mesh.cuh"

/* Of the passes: a thread a value. */
struct value_place {
  int i, j, k;
};
static __device__ __forceinline__ value_place place_of_thread() {
  value_place at = {(int)(blockIdx.x * blockDim.x + threadIdx.x),
                    (int)(blockIdx.y * blockDim.y + threadIdx.y), (int)blockIdx.z};
  return at;
}

/* ---- tables ---- */

static __device__ void write_entry(const meshes &m, int what, int l, int d, int i, int points,
                                   float spacing, real *entry) {
  if (what == FACTORS) *entry = factor_of(m, l, d, i);
  if (what == FAR_AXIS) write_far_axis(far_width(m, points), points, spacing, i, entry);
  if (what != FINER && what != MAP_AXIS) return;
  double at = (double)spacing * i;
  if (what == FINER) at = m.level[l - 1].lo[d] + m.level[l - 1].h * i;
  write_axis(m.level[l], d, at, entry);
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

/* ---- charges ---- */

static __device__ __forceinline__ double beside(double at, double end) {
  return fmax(fmax(-at, at - end), 0.0);
}

/* As dcs_mesh_is_far(). */
static __device__ __forceinline__ bool is_far(float4 atom, double margin, int nx, int ny, int nz,
                                              float spacing) {
  double h = spacing, x = beside(atom.x, h * (nx - 1)), y = beside(atom.y, h * (ny - 1)),
         z = beside(atom.z, h * (nz - 1));
  return fmax(fmax(x, y), z) > margin;
}

enum {
  BRICK = 8,
  BATCH = 32,
  NODES = BRICK * BRICK * BRICK,
  OWN_NODES = (NODES - 1) / THREADS + 1
};

/* The weights of atoms along each dimension at the nodes of a brick. */
struct brick_weights {
  real w[BATCH][3][BRICK];
  real q[BATCH];
  int touches[BATCH][3];
};

/* Of one atom and one dimension; `first` node of the brick. Nodes that the window does not reach
 * have 0; its sum is that of all its nodes. */
static __device__ void weigh(const mesh_level &level, int d, double at, int first, real w[BRICK],
                             int *touches) {
  real u, sum = 0, window = (real)level.window;
  int order = level.order, before = node_before(level, d, at, &u) - first;
  *touches = before + order >= 0 && before + 1 < BRICK;
  if (!*touches) return;
  for (int i = 0; i < BRICK; i++)
    w[i] = 0;
#pragma unroll 2
  for (int i = 0; i < order; i++) {
    int node = before + 1 + i;
    real value = semicircle(window, order, u - (i + 1));
    sum += value;
    if (node >= 0 && node < BRICK) w[node] = value;
  }
  for (int i = 0; i < BRICK; i++)
    w[i] /= sum;
}

static __device__ __forceinline__ void gather_batch(const brick_weights *b, int n, int t,
                                                    real sum[OWN_NODES]) {
  for (int a = 0; a < n; a++) {
    if (!(b->touches[a][0] && b->touches[a][1] && b->touches[a][2])) continue;
#pragma unroll
    for (int s = 0; s < OWN_NODES; s++) {
      unsigned node = t + s * THREADS;
      if (node < NODES)
        sum[s] += b->q[a] * b->w[a][0][node % BRICK] * b->w[a][1][node / BRICK % BRICK] *
                  b->w[a][2][node / BRICK / BRICK];
    }
  }
}

/* The box of the atoms that reach the brick, whose first node is `first`. */
static __device__ __forceinline__ box reach_of_brick(const mesh_level &level, const int first[3]) {
  float lo[3], hi[3], half = (float)(0.51 * level.order * level.h);
  for (int d = 0; d < 3; d++) {
    lo[d] = (float)(level.lo[d] + first[d] * level.h) - half;
    hi[d] = (float)(level.lo[d] + (first[d] + BRICK - 1) * level.h) + half;
  }
  box b = {lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]};
  return b;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    mesh_spread(real *mesh, float *scratch, int n_atoms, meshes m, int nx, int ny, int nz,
                float spacing) {
  __shared__ int firsts[THREADS], offsets[THREADS + 1];
  __shared__ brick_weights weights;
  cell_memory memory = memory_of(scratch, n_atoms, m.cells);
  const mesh_level &level = m.level[0];
  int t = threadIdx.x;
  int first[3] = {(int)blockIdx.x * BRICK, (int)blockIdx.y * BRICK, (int)blockIdx.z * BRICK};
  box region = reach_of_brick(level, first);
  real sum[OWN_NODES];
  for (int s = 0; s < OWN_NODES; s++)
    sum[s] = 0;

  cell_rows rows = rows_near(region, 0, m.cells);
  for (int row = 0; row < rows.n; row += THREADS) {
    find_runs(memory, rows, row, t, region, m.cells.reach2, m.cells, firsts, offsets);
    for (int done = 0; done < offsets[THREADS]; done += BATCH) {
      int n = min(offsets[THREADS] - done, (int)BATCH);
      for (int task = t; task < 3 * n; task += THREADS) {
        int a = task / 3, d = task % 3, run = run_of(offsets, done + a);
        float4 atom = memory.sorted[firsts[run] + done + a - offsets[run]];
        double at = d == 0 ? atom.x : d == 1 ? atom.y : atom.z;
        weigh(level, d, at, first[d], weights.w[a][d], &weights.touches[a][d]);
        if (d == 0) weights.q[a] = is_far(atom, m.margin, nx, ny, nz, spacing) ? 0 : atom.w;
      }
      __syncthreads();
      gather_batch(&weights, n, t, sum);
      __syncthreads();
    }
    __syncthreads();
  }

  for (int s = 0; s < OWN_NODES; s++) {
    int node = t + s * THREADS, i = first[0] + node % BRICK, j = first[1] + node / BRICK % BRICK,
        k = first[2] + node / BRICK / BRICK;
    if (node < NODES && i < level.nodes[0] && j < level.nodes[1] && k < level.nodes[2])
      mesh[k * layer_of(level) + (long long)j * row_of(level) + i] = sum[s];
  }
}

/* ---- from one level to another ---- */

/* What spreads to coarse node c along dimension d: finer nodes from..end-1, those among them whose
 * weights reach it. */
struct spreading {
  const real *axis;
  int width, from, end;
};

static __device__ __forceinline__ spreading spread_to(const real *tables, const meshes &m, int l,
                                                      int d, int c) {
  const mesh_level &coarse = m.level[l], &fine = m.level[l - 1];
  table_place t = table_of(m, FINER, l, d, 0, 0, 0);
  double half = 0.5 * coarse.order + 1, to = (coarse.lo[d] - fine.lo[d]) / fine.h;
  double ratio = coarse.h / fine.h;
  spreading s = {tables + t.at, t.width, (int)floor((c - half) * ratio + to),
                 (int)ceil((c + half) * ratio + to) + 1};
  s.from = max(s.from, 0);
  s.end = min(s.end, t.count);
  return s;
}

/* Of finer node f to the coarse one. */
static __device__ __forceinline__ real weight_to(const spreading &s, int f, int c) {
  const real *entry = s.axis + f * s.width;
  int i = c - (int)entry[0];
  return i >= 0 && i < s.width - 1 ? entry[1 + i] : 0;
}

/* Along z: out[coarse z][fine y][fine x]. */
extern "C" __global__ void mesh_restrict_z(const real *fine_mesh, real *out, const real *tables,
                                           meshes m, int l) {
  const mesh_level &fine = m.level[l - 1];
  value_place at = place_of_thread();
  int nx = fine.nodes[0], ny = fine.nodes[1];
  if (at.i >= nx || at.j >= ny) return;
  spreading s = spread_to(tables, m, l, 2, at.k);
  const real *column = fine_mesh + (long long)at.j * row_of(fine) + at.i;
  real sum = 0;
  for (int f = s.from; f < s.end; f++)
    sum += weight_to(s, f, at.k) * column[f * layer_of(fine)];
  out[((long long)at.k * ny + at.j) * nx + at.i] = sum;
}

/* Along y: out[coarse z][coarse y][fine x]. */
extern "C" __global__ void mesh_restrict_y(const real *in, real *out, const real *tables, meshes m,
                                           int l) {
  value_place at = place_of_thread();
  int nx = m.level[l - 1].nodes[0], fine_ny = m.level[l - 1].nodes[1], ny = m.level[l].nodes[1];
  if (at.i >= nx || at.j >= ny) return;
  spreading s = spread_to(tables, m, l, 1, at.j);
  const real *column = in + (long long)at.k * fine_ny * nx + at.i;
  real sum = 0;
  for (int f = s.from; f < s.end; f++)
    sum += weight_to(s, f, at.j) * column[(long long)f * nx];
  out[((long long)at.k * ny + at.j) * nx + at.i] = sum;
}

/* Along x, into the coarser mesh. */
extern "C" __global__ void mesh_restrict_x(const real *in, real *mesh, const real *tables, meshes m,
                                           int l) {
  const mesh_level &coarse = m.level[l];
  value_place at = place_of_thread();
  int fine_nx = m.level[l - 1].nodes[0], ny = coarse.nodes[1];
  if (at.i >= coarse.nodes[0] || at.j >= ny) return;
  spreading s = spread_to(tables, m, l, 0, at.i);
  const real *row = in + ((long long)at.k * ny + at.j) * fine_nx;
  real sum = 0;
  for (int f = s.from; f < s.end; f++)
    sum += weight_to(s, f, at.i) * row[f];
  mesh[at.k * layer_of(coarse) + (long long)at.j * row_of(coarse) + at.i] = sum;
}

/* The sum of an entry's weights times values `step` apart. */
template <class VALUE>
static __device__ __forceinline__ real weighted(const real *entry, int width, const VALUE *values,
                                                long long step) {
  const VALUE *at = values + (int)entry[0] * step;
  real sum = 0;
  for (int i = 0; i < width - 1; i++)
    sum += entry[1 + i] * at[i * step];
  return sum;
}

/* Rows of values read along x: out[layer][row][entry], `rows` of them in a layer. */
template <class IN, class OUT>
static __device__ __forceinline__ void read_x(const IN *in, OUT *out, const real *tables,
                                              table_place t, int rows, long long row,
                                              long long layer) {
  value_place at = place_of_thread();
  if (at.i >= t.count || at.j >= rows) return;
  out[((long long)at.k * rows + at.j) * t.count + at.i] =
      (OUT)weighted(tables + t.at + at.i * t.width, t.width, in + at.k * layer + at.j * row, 1);
}

/* Layers of `rows` rows of nx values read along y: out[layer][entry][nx]. */
template <class VALUE>
static __device__ __forceinline__ void read_y(const VALUE *in, VALUE *out, const real *tables,
                                              table_place t, int nx, int rows) {
  value_place at = place_of_thread();
  if (at.i >= nx || at.j >= t.count) return;
  out[((long long)at.k * t.count + at.j) * nx + at.i] = (VALUE)weighted(
      tables + t.at + at.j * t.width, t.width, in + (long long)at.k * rows * nx + at.i, nx);
}

/* The potential of level l for the nodes of the next finer one. */
extern "C" __global__ void mesh_prolong_x(const real *mesh, real *out, const real *tables, meshes m,
                                          int l) {
  const mesh_level &coarse = m.level[l];
  read_x(mesh, out, tables, table_of(m, FINER, l, 0, 0, 0, 0), coarse.nodes[1], row_of(coarse),
         layer_of(coarse));
}

extern "C" __global__ void mesh_prolong_y(const real *in, real *out, const real *tables, meshes m,
                                          int l) {
  read_y(in, out, tables, table_of(m, FINER, l, 1, 0, 0, 0), m.level[l - 1].nodes[0],
         m.level[l].nodes[1]);
}

extern "C" __global__ void mesh_prolong_z(const real *in, real *mesh, const real *tables, meshes m,
                                          int l) {
  const mesh_level &fine = m.level[l - 1];
  value_place at = place_of_thread();
  int nx = fine.nodes[0], ny = fine.nodes[1], i = at.i, j = at.j, k = at.k;
  if (i >= nx || j >= ny) return;
  table_place t = table_of(m, FINER, l, 2, 0, 0, 0);
  mesh[k * layer_of(fine) + (long long)j * row_of(fine) + i] += weighted(
      tables + t.at + k * t.width, t.width, in + (long long)j * nx + i, (long long)nx * ny);
}

/* ---- in Fourier space ---- */

/* As dcs_split_transform(). */
static __device__ __forceinline__ double split_transform(double beta, double ka) {
  double s = beta * beta - ka * ka, root = sqrt(fabs(s));
  double whole = (1 - exp(-2 * beta)) / (2 * beta);
  if (root < 1e-6) return exp(-beta) / whole;
  if (s > 0) return exp(root - beta) * (1 - exp(-2 * root)) / (2 * root) / whole;
  return exp(-beta) * sin(root) / root / whole;
}

/* As dcs_split_spread(). */
static __device__ __forceinline__ double split_spread(double beta, double a) {
  return a * a * (1 / tanh(beta) - 1 / beta) / (2 * beta);
}

/* As dcs_mesh_transform(). */
static __device__ __forceinline__ double level_transform(const meshes &m, int l, double k) {
  const double pi4 = 4 * 3.14159265358979323846;
  double a = m.a, beta = m.level[l].beta;
  if (k * m.level[l].h > 3.14159265358979323846) return 0;
  for (int finer = 0; finer < l; finer++)
    a *= 4;
  if (l + 1 == m.n_levels) {
    double half = 0.5 * m.diameter, sine = k == 0 ? half : sin(k * half) / k;
    return pi4 * 2 * sine * sine * split_transform(beta, k * a);
  }
  double next = m.level[l + 1].beta;
  if (k == 0) return pi4 * (split_spread(next, 4 * a) - split_spread(beta, a));
  return pi4 / (k * k) * (split_transform(beta, k * a) - split_transform(next, 4 * k * a));
}

extern "C" __global__ void mesh_multiply(real *mesh, const real *tables, meshes m, int l) {
  const mesh_level &level = m.level[l];
  value_place p = place_of_thread();
  int nx = level.n[0] / 2 + 1;
  if (p.i >= nx || p.j >= level.n[1]) return;
  long long n = ((long long)p.k * level.n[1] + p.j) * nx + p.i;
  int at[3] = {p.i, min(p.j, level.n[1] - p.j), min(p.k, level.n[2] - p.k)};
  double k2 = 0, by = 1;
  for (int d = 0; d < 3; d++) {
    double length = level.n[d] * level.h, wave = 2 * 3.14159265358979323846 * at[d] / length;
    k2 += wave * wave;
    by *= tables[table_of(m, FACTORS, l, d, 0, 0, 0).at + at[d]] / length;
  }
  by *= level_transform(m, l, sqrt(k2));
  mesh[2 * n] = (real)(mesh[2 * n] * by);
  mesh[2 * n + 1] = (real)(mesh[2 * n + 1] * by);
}

/* ---- far atoms ---- */

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

/* ---- the map ---- */

extern "C" __global__ void mesh_map_x(const real *mesh, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  const mesh_level &level = m.level[0];
  read_x(mesh, out, tables, table_of(m, MAP_AXIS, 0, 0, nx, ny, nz), level.nodes[1], row_of(level),
         layer_of(level));
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
