/* cuda_orbital_shared: Gaussians as products, which tiles of shells have as tables in shared memory.
 *
 * Derives from cuda_orbital_constant, which computes a power of two for each primitive and point. A Gaussian is
 * 2^(-a dx^2) 2^(-a dy^2) 2^(-a dz^2), and a monomial is a product, too. The points of a block have 32 coordinates
 * in x, ROWS in y and SLICES in z; for a tile of shells the block makes tables of 2^(-a d^2) d^m, m = 0 to l, for
 * each of these. A thread has COLUMNS rows of SLICES points, whose sums stay in registers: the map is a product of
 * two matrices, of columns by terms and terms by slices. A term, of which a primitive has l + 1, is a power of dz;
 * what it has of a column is a sum of products of the tables in x and y.
 *
 * A tile is of one type, so that how many primitives and which degree its shells have is known to all threads
 * before, and the loop over its primitives has neither branches nor a chain of loads: what it multiplies is there.
 * (Tried: shells of any type, whose degree was switched on one by one, and the power of two in x computed by the
 * thread. A warp then waits for a load, a branch and a power of two a shell, and two warps a scheduler cannot hide
 * that: 100 atoms on 128^3 points took an H200 0.37 ms, as this one does 0.30; the multiply-adds alone would take
 * 0.12.)
 *
 * Per term and point: 1 FMA. Per primitive of degree l and thread: l + 1 loads in x, l + 1 of COLUMNS values in y,
 * (l + 1) SLICES / 4 of 16 bytes in z (the last two one broadcast each), and of each monomial 1 multiply and 1 FMA a
 * column. At 4 columns of 16 slices 64 FMA of an s take 64 + 10 instructions, 128 of a p 128 + 30. Per primitive and
 * block: 32 + ROWS + SLICES powers of two, each some 10 instructions of a thread. By instructions FMA binds;
 * measured are 39% of its limit. What binds is not known: the loads from shared memory, 5 of 16 bytes a term, are
 * the likeliest, as they share one path of an SM.
 * Parameters: block_y, rows of 32 threads of a block, 1..8; columns, adjacent rows of a thread, 1..8; slices, 4..32,
 * a multiple of 4; tile_terms, 24..128. What is in shared memory must fit 48 KB.
 * Limits: at most 65,535 blocks in y and in z. */

#include "kernels/orbital/cuda/orbital.cuh"

enum {
  WARP = 32,
  THREADS = WARP * BLOCK_Y,
  ROWS = BLOCK_Y * COLUMNS,
  FOURS_X = WARP / 4,
  FOURS_Y = ROWS / 4,
  FOURS_Z = SLICES / 4,
  FOURS = FOURS_X + FOURS_Y + FOURS_Z,
  WORDS = sizeof(orbital_shell) / 4
};

/* The tables of a tile's terms, those of a primitive one behind another, in powers; its shells. */
struct tile {
  float4 x[TILE_TERMS][FOURS_X], y[TILE_TERMS][FOURS_Y], z[TILE_TERMS][FOURS_Z];
  orbital_shell shells[TILE_TERMS];
  int count; /* of them that are of the first one's type */
};

/* What is known of a tile: its shells' degree and primitives; shells. */
struct tile_type {
  int l, n, count;
  int per_n; /* e / n is (e per_n) >> 16 */
};

/* ---- tiles ---- */

/* Loads as many of the n_shells shells as fit, if they were all of the first one's type, and finds how many are. */
static __device__ __forceinline__ tile_type load_shells(const orbital_shell *shells, int n_shells, int thread,
                                                        tile *t) {
  tile_type found = {shells->l, shells->n, 0, 65536 / shells->n + 1};
  int type = shells->type, fit = min(min(TILE_TERMS / (found.n * (found.l + 1)), n_shells), THREADS);
  const int *from = (const int *)shells;
  int *to = (int *)t->shells;
  __syncthreads(); /* nobody reads the tile before any more */
  if (thread < fit && shells[thread].type == type && (thread + 1 == fit || shells[thread + 1].type != type))
    t->count = thread + 1;
  for (int w = thread; w < fit * WORDS; w += THREADS)
    to[w] = from[w];
  __syncthreads();
  found.count = t->count;
  return found;
}

/* Four values of a table, at points from `first` on, in powers. */
static __device__ __forceinline__ void make_four(float rate, float weight, float place, float spacing, int first, int l,
                                                 float4 *to, int stride) {
  float d[4], term[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    d[i] = spacing * (first + i) - place;
    term[i] = weight * exp2f(-rate * (d[i] * d[i]));
  }
  for (int m = 0; m <= l; m++, to += stride) {
    *to = make_float4(term[0], term[1], term[2], term[3]);
#pragma unroll
    for (int i = 0; i < 4; i++)
      term[i] *= d[i];
  }
}

/* Weights are in x; those of s with what the orbital has of it. */
static __device__ __forceinline__ void make_tables(tile_type type, int i, int j, int k, float spacing, int thread,
                                                   tile *t) {
  for (int four = thread; four < type.count * type.n * FOURS; four += THREADS) {
    int e = four / FOURS, at = four % FOURS, s = (e * type.per_n) >> 16, term = e * (type.l + 1);
    const orbital_shell *shell = &t->shells[s];
    gaussian g = shell->gaussians[e - s * type.n];
    if (at < FOURS_X)
      make_four(g.rate, type.l == 0 ? g.weight * shell->c[0] : g.weight, shell->x, spacing, i + 4 * at, type.l,
                &t->x[term][at], FOURS_X);
    else if (at < FOURS_X + FOURS_Y)
      make_four(g.rate, 1.0f, shell->y, spacing, j + 4 * (at - FOURS_X), type.l, &t->y[term][at - FOURS_X], FOURS_Y);
    else
      make_four(g.rate, 1.0f, shell->z, spacing, k + 4 * (at - FOURS_X - FOURS_Y), type.l,
                &t->z[term][at - FOURS_X - FOURS_Y], FOURS_Z);
  }
}

/* ---- sums ---- */

/* Adds u times the row of slices, of each column. */
static __device__ __forceinline__ void add_term(const float *u, const float4 *z, float sum[COLUMNS][SLICES]) {
#pragma unroll
  for (int v = 0; v < FOURS_Z; v++) {
    float4 four = z[v];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      sum[c][4 * v] += u[c] * four.x;
      sum[c][4 * v + 1] += u[c] * four.y;
      sum[c][4 * v + 2] += u[c] * four.z;
      sum[c][4 * v + 3] += u[c] * four.w;
    }
  }
}

/* The primitives of a tile whose shells are of degree L. Monomials are in powers of z, in each in powers of y. */
template <int L>
static __device__ __forceinline__ void add_tile(const tile *t, tile_type type, int lane, int row,
                                                float sum[COLUMNS][SLICES]) {
  const float *in_x = (const float *)t->x + lane, *in_y = (const float *)t->y + row;
#pragma unroll 1
  for (int e = 0; e < type.count * type.n; e++) {
    const float *coefficients = t->shells[(e * type.per_n) >> 16].c;
    float x[L + 1], y[L + 1][COLUMNS];
#pragma unroll
    for (int m = 0; m <= L; m++) {
      x[m] = in_x[(e * (L + 1) + m) * WARP];
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        y[m][c] = in_y[(e * (L + 1) + m) * ROWS + c];
    }
#pragma unroll
    for (int m = 0; m <= L; m++) {
      float u[COLUMNS];
#pragma unroll
      for (int j = 0; j <= L - m; j++) {
        float a = L == 0 ? x[0] : coefficients[m * (2 * L + 3 - m) / 2 + j] * x[L - m - j];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
          u[c] = j == 0 ? a * y[0][c] : u[c] + a * y[j][c];
      }
      add_term(u, t->z[e * (L + 1) + m], sum);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *map, const orbital_shell *shells, int n_shells, int nx, int ny, int nz, int first, float spacing) {
  __shared__ tile tile;
  int thread = threadIdx.y * WARP + threadIdx.x, row = threadIdx.y * COLUMNS;
  int i = blockIdx.x * WARP, j = blockIdx.y * ROWS, k = blockIdx.z * SLICES;
  float sum[COLUMNS][SLICES];
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
#pragma unroll
    for (int l = 0; l < SLICES; l++)
      sum[c][l] = 0.0f;
  tile_type type;
  for (int from = 0; from < n_shells; from += type.count) {
    type = load_shells(shells + from, n_shells - from, thread, &tile);
    make_tables(type, i, j, first + k, spacing, thread, &tile);
    __syncthreads();
    switch (type.l) {
    case 0: add_tile<0>(&tile, type, threadIdx.x, row, sum); break;
    case 1: add_tile<1>(&tile, type, threadIdx.x, row, sum); break;
    case 2: add_tile<2>(&tile, type, threadIdx.x, row, sum); break;
    default: add_tile<3>(&tile, type, threadIdx.x, row, sum);
    }
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
#pragma unroll
    for (int l = 0; l < SLICES; l++)
      if (i + threadIdx.x < nx && j + row + c < ny && k + l < nz)
        map[((long long)(k + l) * ny + j + row + c) * nx + i + threadIdx.x] = sum[c][l];
}
