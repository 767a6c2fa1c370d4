/* Charges on the mesh: what atoms spread, gathered brick by brick. */
#ifndef DCS_MESH_CHARGES_CUH
#define DCS_MESH_CHARGES_CUH

#include "kernels/coulomb/cuda/mesh.cuh"

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

/* Of one atom and one dimension, in spacings; `first` node of the brick. Nodes that the window does
 * not reach have 0; its sum is that of all its nodes. */
static __device__ void weigh(const mesh_level &level, double at, int first, real w[BRICK],
                             int *touches) {
  real u, sum = 0, window = (real)level.window;
  int order = level.order, before = node_before(level, at, &u) - first;
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

/* Along a dimension: where atoms lie that reach the brick, whose first node is `first`, and whose
 * images these are, in cells: of an open problem no other ones. */
struct brick_reach {
  double lo, hi;
  int from, end;
};

static __device__ __forceinline__ brick_reach reach_along(const meshes &m, int d, int first) {
  const mesh_level &level = m.level[0];
  double half = 0.51 * level.order * level.spacing[d], length = level.n[d] * level.spacing[d];
  double lo = level.lo[d] + first * level.spacing[d];
  brick_reach r = {lo - half, lo + (BRICK - 1) * level.spacing[d] + half, 0, 1};
  if (m.periodic) {
    r.from = (int)floor(r.lo / length);
    r.end = (int)floor(r.hi / length) + 1;
  }
  return r;
}

/* The atoms in the cell whose images, `cells` further, reach the brick. */
static __device__ __forceinline__ box region_of(const meshes &m, const brick_reach reach[3],
                                                const int cells[3]) {
  float lo[3], hi[3];
  for (int d = 0; d < 3; d++) {
    double further = cells[d] * m.level[0].n[d] * m.level[0].spacing[d];
    lo[d] = (float)(reach[d].lo - further);
    hi[d] = (float)(reach[d].hi - further);
  }
  box b = {lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]};
  return b;
}

/* What a block needs to gather atoms. */
struct gathering {
  int firsts[THREADS], offsets[THREADS + 1];
  brick_weights weights;
};

/* The next atoms of the runs, from number `done` on: their weights. */
static __device__ __forceinline__ void weigh_batch(const meshes &m, cell_memory memory,
                                                   const int first[3], const int cells[3], int done,
                                                   int n, int nx, int ny, int nz, float spacing,
                                                   gathering *g) {
  for (int task = threadIdx.x; task < 3 * n; task += THREADS) {
    int a = task / 3, d = task % 3, run = run_of(g->offsets, done + a);
    float4 atom = memory.sorted[g->firsts[run] + done + a - g->offsets[run]];
    double at = d == 0 ? atom.x : d == 1 ? atom.y : atom.z;
    at = (at - m.level[0].lo[d]) / m.level[0].spacing[d] + cells[d] * m.level[0].n[d];
    weigh(m.level[0], at, first[d], g->weights.w[a][d], &g->weights.touches[a][d]);
    if (d == 0) g->weights.q[a] = is_far(atom, m.margin, nx, ny, nz, spacing) ? 0 : atom.w;
  }
}

/* Adds the images of atoms, `cells` from these, to a thread's nodes. */
static __device__ void gather_images(const meshes &m, cell_memory memory, box region,
                                     const int first[3], const int cells[3], int nx, int ny, int nz,
                                     float spacing, gathering *g, real sum[OWN_NODES]) {
  int t = threadIdx.x;
  cell_rows rows = rows_near(region, 0, m.cells);
  for (int row = 0; row < rows.n; row += THREADS) {
    find_runs(memory, rows, row, t, region, m.cells.reach2, m.cells, g->firsts, g->offsets);
    for (int done = 0; done < g->offsets[THREADS]; done += BATCH) {
      int n = min(g->offsets[THREADS] - done, (int)BATCH);
      weigh_batch(m, memory, first, cells, done, n, nx, ny, nz, spacing, g);
      __syncthreads();
      gather_batch(&g->weights, n, t, sum);
      __syncthreads();
    }
    __syncthreads();
  }
}

/* Of a periodic problem: of each atom the image that is in the cell. */
extern "C" __global__ void mesh_wrap(float4 *wrapped, const float4 *atoms, int n_atoms, meshes m) {
  int a = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (a >= n_atoms) return;
  float4 atom = atoms[a];
  double r[3] = {atom.x, atom.y, atom.z};
  for (int d = 0; d < 3; d++) {
    double length = m.level[0].n[d] * m.level[0].spacing[d];
    r[d] -= length * floor(r[d] / length);
  }
  atom.x = (float)r[0];
  atom.y = (float)r[1];
  atom.z = (float)r[2];
  wrapped[a] = atom;
}

/* A block a brick; of a periodic mesh the nodes are those of the transform. */
extern "C" __global__ void __launch_bounds__(THREADS)
    mesh_spread(real *mesh, float *scratch, int n_atoms, meshes m, int nx, int ny, int nz,
                float spacing) {
  __shared__ gathering g;
  cell_memory memory = memory_of(scratch, n_atoms, m.cells);
  const mesh_level &level = m.level[0];
  int t = threadIdx.x, cells[3];
  int first[3] = {(int)blockIdx.x * BRICK, (int)blockIdx.y * BRICK, (int)blockIdx.z * BRICK};
  brick_reach reach[3];
  real sum[OWN_NODES];
  for (int s = 0; s < OWN_NODES; s++)
    sum[s] = 0;
  for (int d = 0; d < 3; d++)
    reach[d] = reach_along(m, d, first[d]);

  for (cells[2] = reach[2].from; cells[2] < reach[2].end; cells[2]++)
    for (cells[1] = reach[1].from; cells[1] < reach[1].end; cells[1]++)
      for (cells[0] = reach[0].from; cells[0] < reach[0].end; cells[0]++)
        gather_images(m, memory, region_of(m, reach, cells), first, cells, nx, ny, nz, spacing, &g,
                      sum);

  for (int s = 0; s < OWN_NODES; s++) {
    int node = t + s * THREADS, i = first[0] + node % BRICK, j = first[1] + node / BRICK % BRICK,
        k = first[2] + node / BRICK / BRICK;
    if (node < NODES && i < min(level.nodes[0], level.n[0]) &&
        j < min(level.nodes[1], level.n[1]) && k < min(level.nodes[2], level.n[2]))
      mesh[k * layer_of(level) + (long long)j * row_of(level) + i] = sum[s];
  }
}

#endif
