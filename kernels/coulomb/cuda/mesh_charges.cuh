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

/* The box of the atoms that reach the brick, whose first node is `first`. */
static __device__ __forceinline__ box reach_of_brick(const mesh_level &level, const int first[3]) {
  float lo[3], hi[3];
  for (int d = 0; d < 3; d++) {
    double half = 0.51 * level.order * level.spacing[d];
    lo[d] = (float)(level.lo[d] + first[d] * level.spacing[d] - half);
    hi[d] = (float)(level.lo[d] + (first[d] + BRICK - 1) * level.spacing[d] + half);
  }
  box b = {lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]};
  return b;
}

/* A block a brick. Of a periodic mesh the nodes are those of the transform, and the atoms are
 * images of theirs, as far as these reach the nodes. */
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
        weigh(level, (at - level.lo[d]) / level.spacing[d], first[d], weights.w[a][d],
              &weights.touches[a][d]);
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
    if (node < NODES && i < min(level.nodes[0], level.n[0]) &&
        j < min(level.nodes[1], level.n[1]) && k < min(level.nodes[2], level.n[2]))
      mesh[k * layer_of(level) + (long long)j * row_of(level) + i] = sum[s];
  }
}

#endif
