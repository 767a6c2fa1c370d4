/* cuda_multilevel: the direct sum to a tolerance, in time linear in atoms plus points; all on the
 * GPU.
 *
 * Idea: kernels/coulomb/multilevel.h has the mathematics and the references. Derives from
 * cuda_cutoff_cells in the short range part, to which the map's kernel adds what the lattices hold.
 * The steps, each a launch:
 *
 *     lay_out              the lattices' boxes, and the filters
 *     take_parts, filter_x, filter_y, filter_z   weights of the lattice cutoff, in double precision
 *     spread_charges       anterpolation, by atomic additions: 8 or 16 threads an atom, one for each
 *                          node in x, so that the additions of an atom's row are one transaction
 *     restrict_charges     from a level to the next, one launch each
 *     filter_charges       x, y, z; all levels at once
 *     cut_off              lattice cutoff of all levels but the top, at once (Hardy, Stone, Schulten)
 *     sum_top              the top level's, without an end
 *     prolong_potential    from a level to the one below
 *     points_x, points_y   interpolation along x and y, between planes of nodes in z
 *     dcs                  interpolation along z, the short range part, and atoms beyond all levels
 *
 * The lattice cutoff is a convolution with a ball of weights that reaches R nodes. The paper keeps
 * the weights in constant memory and passes over the lattice with one potential a thread. Here a
 * thread has 8 potentials along z, a warp 32 along x, a block 4 rows of these. Charges come by planes
 * in y into shared memory, and for each (dx, dy) a thread runs along z: a charge is loaded once for
 * its 8 potentials, each of which needs another weight, and these move on by one from charge to
 * charge; so 12 weights are held in registers, and 4 charges and a vector of 4 weights are loaded for
 * 32 FMAs. Weights lie in rows along z with zeros around them, and are the same for a warp.
 *
 * Parameters: those of cuda_cutoff_cells; order, cutoff (tenths of an angstrom; 0: by an estimate
 * of the time) and ratio of the cutoff to the finest lattice's spacing (tenths), both raised to what
 * the tolerance needs.
 * Limits: tolerances from 1e-5 on. The order of atomic additions changes the last bits from run to
 * run. Scratch memory has n_z * h_map / h maps beside the lattices, whose size is that of the grid. */

#include "kernels/coulomb/cuda/cutoff_cells.cuh"
#include "kernels/coulomb/cuda/multilevel.cuh"

/* ---- anterpolation ---- */

/* The first of the nodes that a coordinate's splines touch, from the box's first; or one below 0 or
 * behind n - P, if they are not all in the box. */
static __device__ __forceinline__ int first_node(double at, int first, int n) {
  double node = floor(at) - (HALF - 1) - first;
  return node >= 0 && node <= n - P ? (int)node : -1;
}

/* LANES threads an atom. */
extern "C" __global__ void spread_charges(multilevel m, layout *l, const float4 *atoms, int n_atoms,
                                          float *charges, float4 *far) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  int lane = i % LANES;
  if (i / LANES >= n_atoms) return;
  float4 atom = atoms[i / LANES];
  double h = m.h, x, y, z;
  int k = 0, fx = 0, fy = 0, fz = 0;
  for (; k < m.n_levels; k++, h *= 2) {
    box3 b = l->level[k].charge;
    x = atom.x / h, y = atom.y / h, z = atom.z / h;
    fx = first_node(x, b.first[0], b.n[0]);
    fy = first_node(y, b.first[1], b.n[1]);
    fz = first_node(z, b.first[2], b.n[2]);
    if (fx >= 0 && fy >= 0 && fz >= 0) break;
  }
  if (k == m.n_levels) {
    if (lane == 0) far[atomicAdd(&l->n_far, 1)] = atom;
    return;
  }
  if (lane >= P) return;
  float wx[P], wy[P], wz[P], q = 0;
  splines((float)(x - floor(x)), wx);
  splines((float)(y - floor(y)), wy);
  splines((float)(z - floor(z)), wz);
#pragma unroll
  for (int n = 0; n < P; n++)
    if (n == lane) q = atom.w * wx[n];
  box3 b = l->level[k].charge;
  float *to = charges + l->level[k].charges + ((long long)fz * b.n[1] + fy) * b.n[0] + fx + lane;
#pragma unroll
  for (int c = 0; c < P; c++)
#pragma unroll
    for (int r = 0; r < P; r++)
      atomicAdd(to + ((long long)c * b.n[1] + r) * b.n[0], q * wz[c] * wy[r]);
}

/* ---- restriction, prolongation, filter ---- */

/* Weight of the spline at fine node i in one of twice the width: a binomial over 2^(P-1). */
static __device__ __forceinline__ float two_scale(int i) {
  float w = 1.0f / (1 << (P - 1));
  for (int n = 1; n <= i; n++)
    w = w * (P + 1 - n) / n;
  return w;
}

/* Node t of a box. */
static __device__ __forceinline__ void place_of(box3 b, long long t, int at[3]) {
  at[0] = t % b.n[0];
  at[1] = t / b.n[0] % b.n[1];
  at[2] = t / b.n[0] / b.n[1];
}

/* Adds to the charges of level + 1 those of the level. */
extern "C" __global__ void restrict_charges(layout *l, float *charges, int level) {
  __shared__ float weight[P + 1];
  if (threadIdx.x <= P) weight[threadIdx.x] = two_scale(threadIdx.x);
  __syncthreads();
  level_box fine = l->level[level], coarse = l->level[level + 1];
  box3 f = fine.charge, c = coarse.charge;
  long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= nodes_of(c)) return;
  int at[3], from[3], to[3], middle[3];
  place_of(c, t, at);
  for (int d = 0; d < 3; d++) {
    middle[d] = 2 * (c.first[d] + at[d]) - f.first[d];
    from[d] = max(middle[d] - HALF, 0);
    to[d] = min(middle[d] + HALF, f.n[d] - 1);
  }
  const float *q = charges + fine.charges;
  float sum = 0;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) {
      const float *row = q + ((long long)z * f.n[1] + y) * f.n[0];
      float along = 0;
#pragma unroll /* so that the loads of a row do not wait for each other */
      for (int n = 0; n <= P; n++) {
        int x = middle[0] - HALF + n;
        along += weight[n] * (x >= 0 && x < f.n[0] ? row[x] : 0);
      }
      sum += weight[z - middle[2] + HALF] * weight[y - middle[1] + HALF] * along;
    }
  if (sum != 0) charges[coarse.charges + t] += sum;
}

/* Adds to the potential of the level that of level + 1. */
extern "C" __global__ void prolong_potential(const layout *l, float *potential, int level) {
  __shared__ float weight[P + 1];
  if (threadIdx.x <= P) weight[threadIdx.x] = two_scale(threadIdx.x);
  __syncthreads();
  level_box fine = l->level[level], coarse = l->level[level + 1];
  box3 f = fine.potential, c = coarse.potential;
  long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= nodes_of(f)) return;
  int at[3], from[3], to[3];
  place_of(f, t, at);
  for (int d = 0; d < 3; d++) {
    at[d] += f.first[d];
    from[d] = max(-halve(HALF - at[d]), c.first[d]);
    to[d] = min(halve(HALF + at[d]), c.first[d] + c.n[d] - 1);
  }
  const float *v = potential + coarse.potentials;
  float sum = 0;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) {
      const float *row = v + ((long long)(z - c.first[2]) * c.n[1] + y - c.first[1]) * c.n[0] - c.first[0];
      float along = 0;
      for (int x = from[0]; x <= to[0]; x++)
        along += weight[HALF + at[0] - 2 * x] * row[x];
      sum += weight[HALF + at[2] - 2 * z] * weight[HALF + at[1] - 2 * y] * along;
    }
  potential[fine.potentials + t] += sum;
}

/* B^-1 along dimension d, of all levels but the top, which is copied. */
extern "C" __global__ void filter_charges(multilevel m, const layout *l, const float *in, float *out,
                                          int d) {
  __shared__ float weight[FILTER + 1];
  if (threadIdx.x <= FILTER) weight[threadIdx.x] = (float)l->filter[0][threadIdx.x];
  __syncthreads();
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= l->level[m.n_levels].charges) return;
  int k = level_of_charge(l, m.n_levels, i);
  if (k == m.n_levels - 1) {
    out[i] = in[i];
    return;
  }
  box3 b = l->level[k].charge;
  int at[3];
  place_of(b, i - l->level[k].charges, at);
  const long long stride = d == 0 ? 1 : d == 1 ? b.n[0] : (long long)b.n[0] * b.n[1];
  const int here = at[d], n = b.n[d];
  float sum = weight[0] * in[i];
#pragma unroll
  for (int t = 1; t <= FILTER; t++) {
    float before = here >= t ? in[i - t * stride] : 0;
    float behind = here + t < n ? in[i + t * stride] : 0;
    sum += weight[t] * (before + behind);
  }
  out[i] = sum;
}

/* ---- lattice cutoff ---- */

/* Loads plane y of the charges around a block into shared memory: 2 reach + 2 CUT_Z rows in z of
 * 2 reach + CUT_X charges, zero beyond the box. */
static __device__ __forceinline__ void load_plane(const float *charges, box3 b, int x0, int y,
                                                  int z0, int reach, float *plane) {
  const int nx = CUT_X + 2 * reach, nz = 2 * CUT_Z + 2 * reach;
  const int t = threadIdx.y * CUT_X + threadIdx.x;
  for (int i = t; i < nx * nz; i += CUT_X * CUT_Y) {
    int x = x0 + i % nx, z = z0 + i / nx;
    bool inside = x < b.n[0] && y < b.n[1] && z < b.n[2];
    plane[i] = inside ? charges[((long long)z * b.n[1] + y) * b.n[0] + x] : 0;
  }
}

static __device__ __forceinline__ void load_weights(const float *from, float w[CUT_STEP]) {
  float4 v = *(const float4 *)from;
  w[0] = v.x, w[1] = v.y, w[2] = v.z, w[3] = v.w;
}

/* Adds a column of charges, `nx` apart, to the potentials z0..z0 + 7: charge s is s - reach nodes
 * from the first. Charges from..to count, from a multiple of CUT_STEP; weight[s - u + 8] is that of
 * charge s for potential u. */
static __device__ __forceinline__ void add_column(const float *column, int nx, const float *weight,
                                                  int from, int to, float sum[CUT_Z]) {
  float w[CUT_Z + CUT_STEP];
#pragma unroll
  for (int j = 0; j < CUT_Z; j += 4)
    load_weights(weight + from + j, w + j);
#pragma unroll 3
  for (int s = from; s <= to; s += CUT_STEP) {
    load_weights(weight + s + CUT_Z, w + CUT_Z);
#pragma unroll
    for (int j = 0; j < CUT_STEP; j++) {
      float q = column[(s + j) * nx];
#pragma unroll
      for (int u = 0; u < CUT_Z; u++)
        sum[u] += w[j - u + CUT_Z] * q;
    }
#pragma unroll
    for (int j = 0; j < CUT_Z; j++)
      w[j] = w[CUT_STEP + j];
  }
}

/* The root of an integer, rounded down, whatever the last bits of sqrtf. */
static __device__ __forceinline__ int root(int v) {
  return (int)sqrtf(v + 0.5f);
}

/* Blocks of CUT_X x CUT_Y threads, of all levels but the top. */
extern "C" __global__ void __launch_bounds__(CUT_X *CUT_Y)
    cut_off(multilevel m, const layout *l, const float *charges, const float *rows,
            float *potential) {
  __shared__ float plane[MOST_PLANE];
  int k = 0, reach = m.reach, row = row_of(m);
  while ((int)blockIdx.x >= l->level[k + 1].blocks)
    k++;
  level_box level = l->level[k];
  box3 p = level.potential;
  int block = blockIdx.x - level.blocks, tiles_x = (p.n[0] + CUT_X - 1) / CUT_X,
      tiles_y = (p.n[1] + CUT_Y - 1) / CUT_Y;
  int x0 = block % tiles_x * CUT_X, y0 = block / tiles_x % tiles_y * CUT_Y,
      z0 = block / tiles_x / tiles_y * CUT_Z;
  const int nx = CUT_X + 2 * reach;
  float sum[CUT_Z] = {};
  for (int y = 0; y < CUT_Y + 2 * reach; y++) {
    __syncthreads();
    load_plane(charges + level.charges, level.charge, x0, y0 + y, z0, reach, plane);
    __syncthreads();
    int dy = abs(y - reach - (int)threadIdx.y), left = reach * reach - dy * dy;
    if (left < 0) continue;
    int rx = root(left);
    float of_plane[CUT_Z] = {}; /* thousands of terms in one sum would round too often */
    for (int dx = -rx; dx <= rx; dx++) {
      int rz = root(left - dx * dx);
      add_column(plane + reach + dx + threadIdx.x, nx,
                 rows + ((long long)dy * (reach + 1) + abs(dx)) * row,
                 (reach - rz) / CUT_STEP * CUT_STEP, reach + rz + CUT_Z - 1, of_plane);
    }
#pragma unroll
    for (int u = 0; u < CUT_Z; u++)
      sum[u] += of_plane[u];
  }
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= p.n[0] || y >= p.n[1]) return;
#pragma unroll
  for (int u = 0; u < CUT_Z; u++)
    if (z0 + u < p.n[2])
      potential[level.potentials + ((long long)(z0 + u) * p.n[1] + y) * p.n[0] + x] =
          sum[u] / (1 << k);
}

/* A block a potential of the top level. */
extern "C" __global__ void sum_top(multilevel m, const layout *l, const float *charges,
                                   const float *all, float *potential) {
  __shared__ float sums[TOP_THREADS];
  level_box top = l->level[m.n_levels - 1];
  box3 c = top.charge;
  int at[3], t = threadIdx.x, wanted = wanted_of(m);
  place_of(top.potential, blockIdx.x, at);
  for (int d = 0; d < 3; d++)
    at[d] += m.reach; /* among the charges */
  float sum = 0;
  for (int row = t / 32; row < c.n[1] * c.n[2]; row += TOP_THREADS / 32) {
    int y = row % c.n[1], z = row / c.n[1];
    const float *q = charges + top.charges + (long long)row * c.n[0];
    const float *weight = all + ((long long)abs(z - at[2]) * wanted + abs(y - at[1])) * wanted;
    for (int x = t % 32; x < c.n[0]; x += 32)
      sum += q[x] * weight[abs(x - at[0])];
  }
  sums[t] = sum;
  for (int n = TOP_THREADS / 2; n > 0; n /= 2) {
    __syncthreads();
    if (t < n) sums[t] += sums[t + n];
  }
  if (t == 0) potential[top.potentials + blockIdx.x] = sums[0];
}

/* ---- interpolation ---- */

/* The first node below a point of the grid, from the box's first, and the splines there. */
static __device__ __forceinline__ int point_splines(multilevel m, float spacing, int point,
                                                    float w[P]) {
  double at = (double)spacing * point / m.h, node = floor(at);
  splines((float)(at - node), w);
  return (int)node; /* potentials begin with node 1 - HALF */
}

/* A thread a point in x of a row of nodes. */
extern "C" __global__ void points_x(multilevel m, const float *potential, float *lines, int nx,
                                    float spacing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long row = blockIdx.y + (long long)blockIdx.z * gridDim.y;
  if (i >= nx || row >= (long long)m.n[1] * m.n[2]) return;
  float w[P], sum = 0;
  const float *v = potential + row * m.n[0] + point_splines(m, spacing, i, w);
#pragma unroll
  for (int n = 0; n < P; n++)
    sum += w[n] * v[n];
  lines[row * nx + i] = sum;
}

/* A thread a point in x and y of a plane of nodes: blockIdx.z. */
extern "C" __global__ void points_y(multilevel m, const float *lines, float *planes, int nx, int ny,
                                    float spacing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, z = blockIdx.z;
  if (i >= nx) return;
  float w[P], sum = 0;
  const float *v = lines + ((long long)z * m.n[1] + point_splines(m, spacing, j, w)) * nx + i;
#pragma unroll
  for (int n = 0; n < P; n++)
    sum += w[n] * v[(long long)n * nx];
  planes[((long long)z * ny + j) * nx + i] = sum;
}

/* ---- the map ---- */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, const float4 *atoms, int n_atoms, int nx, int ny, int nz, int first_k,
        float spacing, float *scratch, cell_grid cells, radial_polynomial polynomial, multilevel m,
        const layout *l, const float *planes, const float4 *far) {
  float sum[COARSEN_Z] = {};
  softened_radial<DEGREE, DEGREE> radial = {polynomial, cells.c2};
  if (m.n_levels > 0)
    sum_near(radial, n_atoms, nx, ny, nz, first_k, spacing, scratch, cells, sum);
  thread_points at = points_of_thread();
  if (at.i >= nx || at.j >= ny) return;

  const float x = spacing * at.i, y = spacing * at.j;
  const int n_far = m.n_levels > 0 ? l->n_far : n_atoms;
  const float4 *direct = m.n_levels > 0 ? far : atoms;
  for (int a = 0; a < n_far; a++) {
    float4 atom = direct[a];
    float dx = x - atom.x, dy = y - atom.y, dxy2 = dx * dx + dy * dy;
#pragma unroll
    for (int c = 0; c < COARSEN_Z; c++) {
      float dz = spacing * (first_k + at.k + c) - atom.z;
      sum[c] += atom.w * rsqrtf(dz * dz + dxy2);
    }
  }

#pragma unroll
  for (int c = 0; c < COARSEN_Z; c++) {
    int k = at.k + c;
    if (k >= nz) break;
    if (m.n_levels > 0) {
      float w[P];
      int node = point_splines(m, spacing, first_k + k, w);
#pragma unroll
      for (int n = 0; n < P; n++)
        sum[c] += w[n] * planes[((long long)(node + n) * ny + at.j) * nx + at.i];
    }
    map[((long long)k * ny + at.j) * nx + at.i] = sum[c];
  }
}
