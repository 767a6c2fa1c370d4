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

/* A thread's number among all, and how many there are. */
static __device__ __forceinline__ long long thread_number() {
  return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- tables ---- */

static __device__ void write_entry(const meshes &m, int what, int l, int d, int i, int points,
                                   float spacing, real *entry) {
  if (what == FACTORS) *entry = factor_of(m, l, d, i);
  if (what == FAR_AXIS) write_far_axis(far_width(m, points), points, spacing, i, entry);
  if (what != FINER && what != MAP_AXIS) return;
  double at = (double)spacing * i;
  if (what == FINER) at = m.level[l - 1].lo[d] + m.level[l - 1].h * i;
#define WRITE(order) write_axis<order>(m.level[l], d, at, entry)
  FOR_ORDER(m.level[l].order, WRITE)
#undef WRITE
}

extern "C" __global__ void mesh_tables(real *tables, meshes m, int nx, int ny, int nz,
                                       float spacing) {
  int left = (int)thread_number(), at = 0;
  for (int what = 0; what < N_TABLES; what++)
    for (int l = 0; l < m.n_levels; l++)
      for (int d = 0; d < 3; d++) {
        table_place t = shape_of(m, what, l, d, nx, ny, nz);
        if (left >= 0 && left < t.count)
          write_entry(m, what, l, d, left, along(d, nx, ny, nz), spacing,
                      tables + at + left * t.width);
        left -= t.count;
        at += t.count * t.width;
      }
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

/* Of one atom and one dimension; `first` node of the brick. */
template <int WIDTH>
static __device__ __forceinline__ void weigh(const mesh_level &level, int d, double at, int first,
                                             real w[BRICK], int *touches) {
  real u, all[WIDTH];
  int before = node_before(level, d, at, &u) - first;
  *touches = before + WIDTH >= 0 && before + 1 < BRICK;
  if (!*touches) return;
  window_weights<WIDTH>((real)level.window, u, all);
  for (int i = 0; i < BRICK; i++)
    w[i] = 0;
#pragma unroll
  for (int i = 0; i < WIDTH; i++) {
    int node = before + 1 + i;
    if (node >= 0 && node < BRICK) w[node] = all[i];
  }
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
#define WEIGH(order) weigh<order>(level, d, at, first[d], weights.w[a][d], &weights.touches[a][d])
        FOR_ORDER(level.order, WEIGH)
#undef WEIGH
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
  long long n = thread_number();
  int nx = fine.nodes[0], ny = fine.nodes[1], i = n % nx, j = n / nx % ny, k = n / nx / ny;
  if (k >= m.level[l].nodes[2]) return;
  spreading s = spread_to(tables, m, l, 2, k);
  real sum = 0;
  for (int f = s.from; f < s.end; f++)
    sum += weight_to(s, f, k) * fine_mesh[f * layer_of(fine) + (long long)j * row_of(fine) + i];
  out[n] = sum;
}

/* Along y: out[coarse z][coarse y][fine x]. */
extern "C" __global__ void mesh_restrict_y(const real *in, real *out, const real *tables, meshes m,
                                           int l) {
  long long n = thread_number();
  int nx = m.level[l - 1].nodes[0], fine_ny = m.level[l - 1].nodes[1], ny = m.level[l].nodes[1];
  int i = n % nx, j = n / nx % ny, k = n / nx / ny;
  if (k >= m.level[l].nodes[2]) return;
  spreading s = spread_to(tables, m, l, 1, j);
  real sum = 0;
  for (int f = s.from; f < s.end; f++)
    sum += weight_to(s, f, j) * in[((long long)k * fine_ny + f) * nx + i];
  out[n] = sum;
}

/* Along x, into the coarser mesh. */
extern "C" __global__ void mesh_restrict_x(const real *in, real *mesh, const real *tables, meshes m,
                                           int l) {
  const mesh_level &coarse = m.level[l];
  long long n = thread_number();
  int fine_nx = m.level[l - 1].nodes[0], nx = coarse.nodes[0], ny = coarse.nodes[1];
  int i = n % nx, j = n / nx % ny, k = n / nx / ny;
  if (k >= coarse.nodes[2]) return;
  spreading s = spread_to(tables, m, l, 0, i);
  real sum = 0;
  for (int f = s.from; f < s.end; f++)
    sum += weight_to(s, f, i) * in[((long long)k * ny + j) * fine_nx + f];
  mesh[k * layer_of(coarse) + (long long)j * row_of(coarse) + i] = sum;
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

/* Rows of values read along x: out[row][entry]; a layer of the values has `rows` rows. */
template <class IN, class OUT>
static __device__ __forceinline__ void read_x(const IN *in, OUT *out, const real *tables,
                                              table_place t, int rows, int layers, long long row,
                                              long long layer) {
  long long n = thread_number();
  int i = n % t.count, j = n / t.count % rows, k = n / t.count / rows;
  if (k < layers)
    out[n] = (OUT)weighted(tables + t.at + i * t.width, t.width, in + k * layer + j * row, 1);
}

/* Layers of `rows` rows of nx values read along y: out[layer][entry][nx]. */
template <class VALUE>
static __device__ __forceinline__ void read_y(const VALUE *in, VALUE *out, const real *tables,
                                              table_place t, int nx, int rows, int layers) {
  long long n = thread_number();
  int i = n % nx, j = n / nx % t.count, k = n / nx / t.count;
  if (k < layers)
    out[n] = (VALUE)weighted(tables + t.at + j * t.width, t.width,
                             in + (long long)k * rows * nx + i, nx);
}

/* The potential of level l for the nodes of the next finer one. */
extern "C" __global__ void mesh_prolong_x(const real *mesh, real *out, const real *tables, meshes m,
                                          int l) {
  const mesh_level &coarse = m.level[l];
  read_x(mesh, out, tables, table_of(m, FINER, l, 0, 0, 0, 0), coarse.nodes[1], coarse.nodes[2],
         row_of(coarse), layer_of(coarse));
}

extern "C" __global__ void mesh_prolong_y(const real *in, real *out, const real *tables, meshes m,
                                          int l) {
  read_y(in, out, tables, table_of(m, FINER, l, 1, 0, 0, 0), m.level[l - 1].nodes[0],
         m.level[l].nodes[1], m.level[l].nodes[2]);
}

extern "C" __global__ void mesh_prolong_z(const real *in, real *mesh, const real *tables, meshes m,
                                          int l) {
  const mesh_level &fine = m.level[l - 1];
  long long n = thread_number();
  int nx = fine.nodes[0], ny = fine.nodes[1], i = n % nx, j = n / nx % ny, k = n / nx / ny;
  if (k >= fine.nodes[2]) return;
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
  long long n = thread_number();
  int nx = level.n[0] / 2 + 1, i = n % nx, j = n / nx % level.n[1], k = n / nx / level.n[1];
  if (k >= level.n[2]) return;
  j = min(j, level.n[1] - j);
  k = min(k, level.n[2] - k);
  int at[3] = {i, j, k};
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
  int wx = far_width(m, nx), wy = far_width(m, ny), wz = far_width(m, nz);
  read_x(in, out, tables, table_of(m, FAR_AXIS, 0, 0, nx, ny, nz), wy, wz, wx, (long long)wx * wy);
}

extern "C" __global__ void mesh_far_y(const float *in, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  read_y(in, out, tables, table_of(m, FAR_AXIS, 0, 1, nx, ny, nz), nx, far_width(m, ny),
         far_width(m, nz));
}

/* ---- the map ---- */

extern "C" __global__ void mesh_map_x(const real *mesh, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  const mesh_level &level = m.level[0];
  read_x(mesh, out, tables, table_of(m, MAP_AXIS, 0, 0, nx, ny, nz), level.nodes[1], level.nodes[2],
         row_of(level), layer_of(level));
}

extern "C" __global__ void mesh_map_y(const float *in, float *out, const real *tables, meshes m,
                                      int nx, int ny, int nz) {
  read_y(in, out, tables, table_of(m, MAP_AXIS, 0, 1, nx, ny, nz), nx, m.level[0].nodes[1],
         m.level[0].nodes[2]);
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
