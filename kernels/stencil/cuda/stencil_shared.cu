/* cuda_stencil_shared: a block computes a tile of a slice; the concentration of the tile lies in
 * shared memory, from where its neighbours in x and y take it.
 *
 * Idea: 8 of the 12 neighbours come from shared memory in place of the L1 cache. Of the halo, two
 *   cells around the tile, halo=threads has threads at the tile's edges load it, so that every
 *   neighbour is read in one way; halo=past reads past the tile from global memory, so that only
 *   threads at an edge branch. On cards whose L1 cache is the same memory neither saves traffic of
 *   the card: the case study is from before they were.
 * Derives from: cuda_stencil_naive.
 * Per point: as there; loads: of c 5 from global memory (1 and 4 in z) and 8 from shared memory, 12
 *   coefficients; halo=threads adds 4 (BLOCK_X + BLOCK_Y) loads a block.
 * Parameters: block_x, block_y (4 and more, product up to 1024), halo. Limits: those of
 *   cuda_stencil_naive. */

#include "kernels/stencil/cuda/stencil.cuh"

#if HALO == HALO_THREADS
#define BEYOND 2
#else
#define BEYOND 0
#endif

/* What a thread knows of its place. */
struct place {
  int i, j, k, nx, ny; /* i, j may lie beyond the grid, to which cell() clamps */
  long long slice, at; /* points of a slice; of the thread's point, where it lies in the grid */
};

typedef float tile_row[BLOCK_X + 2 * BEYOND];

static __device__ __forceinline__ float cell(const float *c, const place &p, int i, int j) {
  return c[p.k * p.slice + (long long)inside(j, p.ny) * p.nx + inside(i, p.nx)];
}

/* Fills the tile, which begins with cell (i0 - BEYOND, j0 - BEYOND). */
static __device__ __forceinline__ void fill(tile_row *tile, const float *c, const place &p, int i0,
                                            int j0) {
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y + BEYOND][x + BEYOND] = cell(c, p, i0 + x, j0 + y);
#if HALO == HALO_THREADS
  if (x < 4) {
    const int to = x < 2 ? x : BLOCK_X + x;
    tile[y + 2][to] = cell(c, p, i0 + to - 2, j0 + y);
  }
  if (y < 4) {
    const int to = y < 2 ? y : BLOCK_Y + y;
    tile[to][x + 2] = cell(c, p, i0 + x, j0 + to - 2);
  }
#endif
  __syncthreads();
}

/* c at (di, dj) from the thread's point. */
static __device__ __forceinline__ float beside(tile_row *tile, const float *c, const place &p,
                                               int di, int dj) {
  const int x = threadIdx.x + di, y = threadIdx.y + dj;
#if HALO == HALO_THREADS
  return tile[y + 2][x + 2];
#else
  if (x < 0 || x >= BLOCK_X || y < 0 || y >= BLOCK_Y) return cell(c, p, p.i + di, p.j + dj);
  return tile[y][x];
#endif
}

template <int POINTS>
static __device__ __forceinline__ float
advance(tile_row *tile, const float *c, const float *u, const float *v, const float *w,
        const float *kx, const float *ky, const float *kz, const place &p, stencil s) {
  const long long at = p.at, slice = p.slice;
  const float *pole = c + at - p.k * slice;
#define T(di, dj) beside(tile, c, p, di, dj)
  float m = T(0, 0), xm = T(-1, 0), xp = T(1, 0), ym = T(0, -1), yp = T(0, 1);
  float x = flux<POINTS>(xm, m, xp, T(2, 0), u[at + 1], kx[at + 1]) -
            flux<POINTS>(T(-2, 0), xm, m, xp, u[at], kx[at]);
  float y = flux<POINTS>(ym, m, yp, T(0, 2), v[at + p.nx], ky[at + p.nx]) -
            flux<POINTS>(T(0, -2), ym, m, yp, v[at], ky[at]);
#undef T
  float zmm = POINTS == 13 ? pole[inside(p.k - 2, s.nz) * slice] : 0.0f;
  float zm = pole[inside(p.k - 1, s.nz) * slice];
  float zp = pole[inside(p.k + 1, s.nz) * slice], zpp = pole[inside(p.k + 2, s.nz) * slice];
  float z = flux_z<POINTS>(zm, m, zp, zpp, w[at + slice], kz[at + slice]) -
            flux_z<POINTS>(zmm, zm, m, zp, w[at], kz[at]);
  return m - s.step * (x + y + z + s.decay * m);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *__restrict__ out, const float *__restrict__ c, const float *__restrict__ u,
        const float *__restrict__ v, const float *__restrict__ w, const float *__restrict__ kx,
        const float *__restrict__ ky, const float *__restrict__ kz, int nx, int ny, int n,
        int first, stencil s) {
  __shared__ tile_row tile[BLOCK_Y + 2 * BEYOND];
  const int i0 = blockIdx.x * BLOCK_X, j0 = blockIdx.y * BLOCK_Y;
  const int i = i0 + threadIdx.x, j = j0 + threadIdx.y;
  place p = {i, j, first + (int)blockIdx.z, nx, ny, (long long)nx * ny, 0};
  p.at = p.k * p.slice + (long long)j * nx + i;
  fill(tile, c, p, i0, j0);
  if (i >= nx || j >= ny) return;
  float value;
  if (s.points == 13)
    value = advance<13>(tile, c, u, v, w, kx, ky, kz, p, s);
  else if (s.points == 12)
    value = advance<12>(tile, c, u, v, w, kx, ky, kz, p, s);
  else
    value = advance<7>(tile, c, u, v, w, kx, ky, kz, p, s);
  out[((long long)blockIdx.z * ny + j) * nx + i] = value;
}
