/* cuda_orbital_shared: Gaussians as products, tiles of shells and what they have in y and in z in shared memory.
 *
 * Derives from cuda_orbital_constant, which computes a power of two for each primitive and point. A Gaussian is
 * 2^(-a dx^2) 2^(-a dy^2) 2^(-a dz^2). A block is 32 points in x; all its threads have the same points in y and z, so
 * of these a tile of shells has tables in shared memory: 2^(-a dy^2) for the block's rows, and 2^(-a dz^2) dz^m,
 * m = 0 to l, for its slices. A thread computes 2^(-a dx^2) itself, and has COLUMNS rows of SLICES points, whose sums
 * stay in registers: the map is a product of two matrices, of columns by terms and terms by slices, as large in the
 * terms as the basis has primitives times l + 1.
 *
 * Per term and point: 1 FMA. Per primitive and thread: 1 load of rate and weight, 2 multiplies, 1 power of two, 1
 * load of COLUMNS values, 1 multiply a column; and of each of its l + 1 terms 1 multiply a column (not of s) and SLICES /
 * 4 loads of 16 bytes, the same for all threads (one broadcast each). At 4 columns of 16 slices, of s: 64 FMA in
 * 64 + 12 instructions, of p: 128 in 128 + 25. Per shell and thread: the polynomials of dx and dy a column. Per primitive
 * and block: BLOCK_Y COLUMNS powers of two in y, SLICES in z. FMA binds.
 * Parameters: block_y, rows of 32 threads of a block, 1..8; columns, adjacent rows of a thread, 1..8; slices, 4..32, a
 * multiple of 4; tile_shells, 1..16. What is in shared memory must fit 48 KB.
 * Limits: at most 65,535 blocks in y and in z. */

#include "kernels/orbital/cuda/orbital.cuh"

enum {
  WARP = 32,
  THREADS = WARP * BLOCK_Y,
  ROWS = BLOCK_Y * COLUMNS,
  MOST = TILE_SHELLS * PRIMITIVES, /* primitives of a tile */
  POWERS = 4,
  VECTORS = SLICES / 4,
  WORDS = sizeof(orbital_shell) / 4
};

/* A tile of shells; of each of its primitives, one shell's after another's, the shell that owns it and its tables. */
struct tile {
  float4 z[MOST][POWERS][VECTORS];
  orbital_shell shells[TILE_SHELLS];
  float y[MOST][ROWS];
  int begin[TILE_SHELLS + 1], owner[MOST];
};

/* A thread's points. */
struct columns {
  float x, y[COLUMNS], sum[COLUMNS][SLICES];
};

/* ---- tiles ---- */

static __device__ __forceinline__ void load_shells(const orbital_shell *shells, int first, int n, int thread, tile *t) {
  const int *from = (const int *)(shells + first);
  int *to = (int *)t->shells;
  for (int w = thread; w < n * WORDS; w += THREADS)
    to[w] = from[w];
}

/* Where the primitives of the shells begin. */
static __device__ __forceinline__ void number_primitives(int n, int thread, tile *t) {
  if (thread >= n) return;
  int begin = 0;
  for (int s = 0; s < thread; s++)
    begin += t->shells[s].n;
  for (int p = 0; p < t->shells[thread].n; p++)
    t->owner[begin + p] = thread;
  t->begin[thread] = begin;
  if (thread == n - 1) t->begin[n] = begin + t->shells[thread].n;
}

static __device__ __forceinline__ void make_tables(int j, int k, float spacing, int n, int thread, tile *t) {
  int primitives = t->begin[n];
  for (int e = thread; e < primitives * ROWS; e += THREADS) {
    int p = e / ROWS, row = e % ROWS;
    const orbital_shell *shell = &t->shells[t->owner[p]];
    gaussian g = shell->gaussians[p - t->begin[t->owner[p]]];
    float dy = spacing * (j + row) - shell->y;
    t->y[p][row] = exp2f(-g.rate * (dy * dy));
  }
  for (int e = thread; e < primitives * SLICES; e += THREADS) {
    int p = e / SLICES, slice = e % SLICES;
    const orbital_shell *shell = &t->shells[t->owner[p]];
    gaussian g = shell->gaussians[p - t->begin[t->owner[p]]];
    float dz = spacing * (k + slice) - shell->z, term = g.weight * exp2f(-g.rate * (dz * dz));
    for (int m = 0; m <= shell->l; m++, term *= dz)
      ((float *)t->z[p][m])[slice] = term;
  }
}

/* ---- sums ---- */

/* Adds u times the row of slices, of each column. */
static __device__ __forceinline__ void add_term(const float *u, const float4 *z, columns *own) {
#pragma unroll
  for (int v = 0; v < VECTORS; v++) {
    float4 four = z[v];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      own->sum[c][4 * v] += u[c] * four.x;
      own->sum[c][4 * v + 1] += u[c] * four.y;
      own->sum[c][4 * v + 2] += u[c] * four.z;
      own->sum[c][4 * v + 3] += u[c] * four.w;
    }
  }
}

/* Adds shell s of the tile, of degree L. */
template <int L> static __device__ __forceinline__ void add_shell(const tile *t, int s, int row, columns *own) {
  const orbital_shell *shell = &t->shells[s];
  float dx = own->x - shell->x, x2 = dx * dx, q[COLUMNS][L + 1];
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
    polynomials_in_z<L>(shell->c, dx, own->y[c] - shell->y, q[c]);
  int begin = t->begin[s];
#pragma unroll 1
  for (int p = 0; p < shell->n; p++) {
    float at_x = exp2f(-shell->gaussians[p].rate * x2), xy[COLUMNS];
    if (L == 0) at_x *= shell->c[0];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      xy[c] = at_x * t->y[begin + p][row + c];
#pragma unroll
    for (int m = 0; m <= L; m++) {
      float u[COLUMNS];
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        u[c] = L == 0 ? xy[c] : xy[c] * q[c][m];
      add_term(u, t->z[begin + p][m], own);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *map, const orbital_shell *shells, int n_shells, int nx, int ny, int nz, int first, float spacing) {
  __shared__ tile tile;
  int thread = threadIdx.y * WARP + threadIdx.x, row = threadIdx.y * COLUMNS;
  int i = blockIdx.x * WARP + threadIdx.x, j = blockIdx.y * ROWS, k = blockIdx.z * SLICES;
  columns own;
  own.x = spacing * i;
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) {
    own.y[c] = spacing * (j + row + c);
#pragma unroll
    for (int l = 0; l < SLICES; l++)
      own.sum[c][l] = 0.0f;
  }
  for (int from = 0; from < n_shells; from += TILE_SHELLS) {
    int n = min(TILE_SHELLS, n_shells - from);
    __syncthreads(); /* nobody reads the tile before any more */
    load_shells(shells, from, n, thread, &tile);
    __syncthreads();
    number_primitives(n, thread, &tile);
    __syncthreads();
    make_tables(j, first + k, spacing, n, thread, &tile);
    __syncthreads();
    for (int s = 0; s < n; s++)
      switch (tile.shells[s].l) {
      case 0: add_shell<0>(&tile, s, row, &own); break;
      case 1: add_shell<1>(&tile, s, row, &own); break;
      case 2: add_shell<2>(&tile, s, row, &own); break;
      default: add_shell<3>(&tile, s, row, &own);
      }
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
#pragma unroll
    for (int l = 0; l < SLICES; l++)
      if (i < nx && j + row + c < ny && k + l < nz)
        map[((long long)(k + l) * ny + j + row + c) * nx + i] = own.sum[c][l];
}
