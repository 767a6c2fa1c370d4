/* From one level's mesh to another's, along one dimension after the other, and what a level's
 * transform is multiplied by. */
#ifndef DCS_MESH_LEVELS_CUH
#define DCS_MESH_LEVELS_CUH

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
  double half = 0.5 * coarse.order + 1, to = (coarse.lo[d] - fine.lo[d]) / fine.spacing[d];
  double ratio = coarse.spacing[d] / fine.spacing[d];
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
  if (m.periodic)
    return k == 0 ? -pi4 * split_spread(beta, a) : pi4 / (k * k) * split_transform(beta, k * a);
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
    double length = level.n[d] * level.spacing[d],
           wave = 2 * 3.14159265358979323846 * at[d] / length;
    k2 += wave * wave;
    by *= tables[table_of(m, FACTORS, l, d, 0, 0, 0).at + at[d]] / length;
  }
  by *= level_transform(m, l, sqrt(k2));
  mesh[2 * n] = (real)(mesh[2 * n] * by);
  mesh[2 * n + 1] = (real)(mesh[2 * n + 1] * by);
}

#endif
