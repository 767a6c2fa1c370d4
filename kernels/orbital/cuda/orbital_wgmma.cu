/* cuda_orbital_wgmma: the map as a product of two matrices, which tensor cores compute beside everything else. */

#include "kernels/common/cuda/warpgroup.cuh"
#include "kernels/orbital/cuda/orbital_terms.cuh"

enum {
  WARP = 32,
  WARPS = 8,
  THREADS = WARP * WARPS,
  COLUMNS_X = 32, /* of a block */
  ROWS = 4,
  SLICES = 128,
  HALF = SLICES / 2, /* of a product */
  K = 8,             /* terms of a product */
  TERMS = 16,        /* of a tile */
  PARTS = TERMS / K,
  FOURS = TERMS / 4,
  TERM = 4 /* float4 */
};
#define ALL_LANES 0xffffffffu

/* What a tile's terms have of the slices, in two parts: four terms of a slice in a float4. */
struct tile {
  float4 first[FOURS][SLICES], rest[FOURS][SLICES];
};

/* A tile's terms, and what of them slices need. The padding lets lanes read four at once without conflicts. */
struct tile_terms {
  float4 term[TERMS][TERM + 1];
  float z[TERMS], root[TERMS];
  int power[TERMS];
  int cubic[TERMS * TERM / WARP]; /* whether a warp's terms have a degree of 3 */
};

/* What a lane has of a tile's columns: of two columns 8 apart, terms t and t + 4 of each part, as multiply_add_tf32()
 * has them, in two parts. */
struct columns {
  float first[PARTS][4], rest[PARTS][4];
};

/* ---- tiles ---- */

static __device__ __forceinline__ void put_term(float4 part, int thread, tile_terms *to) {
  if (thread >= TERMS * TERM) return;
  int term = thread / TERM, number = thread % TERM;
  bool cubic = __any_sync(ALL_LANES, number == 1 && __float_as_int(part.w) >> 2 > 2);
  if (thread % WARP == 0) to->cubic[thread / WARP] = cubic;
  to->term[term][number] = part;
  if (number == 0) {
    to->z[term] = part.z;
    to->root[term] = part.w;
  }
  if (number == 1) to->power[term] = __float_as_int(part.w) & 3;
}

/* Columns x and x + 8 of a row, of a term. */
template <int DEGREE>
static __device__ __forceinline__ void two_columns(const float4 *parts, float x, float y, float u[2]) {
  orbital_term term = load_term(parts);
  float dy = __fmaf_rn(term.at.w, y, -term.at.y), minus_dy2 = -(dy * dy), a[4];
  in_x<DEGREE>(term, parts + 2, dy, a);
#pragma unroll
  for (int v = 0; v < 2; v++) {
    float dx = __fmaf_rn(term.at.w, x + 8 * v, -term.at.x), p = a[DEGREE];
#pragma unroll
    for (int m = DEGREE - 1; m >= 0; m--)
      p = p * dx + a[m];
    u[v] = p * exp2f(__fmaf_rn(-dx, dx, minus_dy2));
  }
}

template <int DEGREE>
static __device__ __forceinline__ void make_columns(const tile_terms &terms, float x, float y, int of_k, columns *own) {
#pragma unroll
  for (int e = 0; e < FOURS; e++) {
    float u[2];
    two_columns<DEGREE>(terms.term[4 * e + of_k], x, y, u);
#pragma unroll
    for (int v = 0; v < 2; v++) {
      float bits = first_bits(u[v]);
      own->first[e / 2][e % 2 * 2 + v] = bits;
      own->rest[e / 2][e % 2 * 2 + v] = u[v] - bits;
    }
  }
}

/* Four terms of slices z and z + 32. */
static __device__ __forceinline__ void make_slices(const tile_terms &terms, int four, float z, float4 *first,
                                                   float4 *rest) {
  float bits[2][4], left[2][4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    float at = terms.z[4 * four + e], root = terms.root[4 * four + e];
    int power = terms.power[4 * four + e];
#pragma unroll
    for (int v = 0; v < 2; v++) {
      float d = __fmaf_rn(root, z + WARP * v, -at), minus_d2 = -d * d, s = exp2f(minus_d2);
      if (power & 1) s *= d;
      if (power & 2) s *= fabsf(minus_d2);
      bits[v][e] = first_bits(s);
      left[v][e] = s - bits[v][e];
    }
  }
#pragma unroll
  for (int v = 0; v < 2; v++) {
    first[WARP * v] = make_float4(bits[v][0], bits[v][1], bits[v][2], bits[v][3]);
    rest[WARP * v] = make_float4(left[v][0], left[v][1], left[v][2], left[v][3]);
  }
}

/* ---- sums ---- */

/* Products of a tile's columns and half of its slices, to be waited for. */
static __device__ __forceinline__ void multiply_half(const columns &own, const tile &tile, int half,
                                                     warpgroup_sums part) {
  warpgroup_fence();
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    const float4 *first = &tile.first[2 * p][half * HALF], *rest = &tile.rest[2 * p][half * HALF];
    multiply_tf32_later(part, own.rest[p], first, SLICES, p > 0);
    multiply_tf32_later(part, own.first[p], rest, SLICES, true);
    multiply_tf32_later(part, own.first[p], first, SLICES, true);
  }
  warpgroup_commit();
}

static __device__ __forceinline__ void add_up(const warpgroup_sums part, warpgroup_sums sum) {
#pragma unroll
  for (int v = 0; v < 32; v++)
    sum[v] += part[v];
}

/* What a thread is in the block, and where. */
struct thread_place {
  int thread, lane, of_k;
  float x, y, z; /* its columns' and its slices' of a tile */
  int four, slice;
};

/* A block's memory. */
struct memory {
  tile tiles[2];
  tile_terms terms[2];
};

static __device__ __forceinline__ void make_tile(const thread_place &at, const tile_terms &terms, tile *tile,
                                                 columns *own) {
  make_slices(terms, at.four, at.z, &tile->first[at.four][at.slice], &tile->rest[at.four][at.slice]);
#if CUBIC
  make_columns<3>(terms, at.x, at.y, at.of_k, own);
#else
  if (terms.cubic[0] | terms.cubic[1])
    make_columns<3>(terms, at.x, at.y, at.of_k, own);
  else
    make_columns<2>(terms, at.x, at.y, at.of_k, own);
#endif
}

/* Multiplies a tile, and makes the next. */
template <int NOW>
static __device__ __forceinline__ void add_tile(memory *memory, const thread_place &at, const float4 **ahead,
                                             float4 *loaded, const columns &own, columns *next, warpgroup_sums part[2],
                                             warpgroup_sums sum[2]) {
  multiply_half(own, memory->tiles[NOW], 0, part[0]);
  multiply_half(own, memory->tiles[NOW], 1, part[1]);
  __syncthreads(); /* nobody multiplies the tile before any more */
  put_term(*loaded, at.thread, &memory->terms[NOW]);
  *ahead += TERMS * TERM;
  if (at.thread < TERMS * TERM) *loaded = **ahead;
  make_tile(at, memory->terms[1 - NOW], &memory->tiles[1 - NOW], next);
  written_for_products();
  __syncthreads();
  warpgroup_wait<1>(part[0]);
  add_up(part[0], sum[0]);
  warpgroup_wait<0>(part[1]);
  add_up(part[1], sum[1]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *map, const float4 *terms, int nx, int ny, int nz, int first) {
  __shared__ memory memory;
  int lane = threadIdx.x, warp = threadIdx.y, of_four = lane / 4, of_k = lane % 4;
  int i = blockIdx.x * COLUMNS_X + warp % 2 * 16 + of_four, j = blockIdx.y * ROWS + warp / 2;
  int k = blockIdx.z * SLICES, slice = warp % 2 * HALF + lane;
  int n_tiles = (__float_as_int(terms[1].w) + TERMS - 1) / TERMS;
  thread_place at = {warp * WARP + lane, lane,     of_k, (float)i, (float)j, (float)(first + k + slice),
                     warp / 2,           slice};
  columns own[2];
  warpgroup_sums part[2], sum[2];
#pragma unroll
  for (int v = 0; v < 32; v++)
    part[0][v] = part[1][v] = sum[0][v] = sum[1][v] = 0.0f;

  const float4 *ahead = terms + TERM + at.thread;
  float4 loaded = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (at.thread < TERMS * TERM) {
    put_term(*ahead, at.thread, &memory.terms[0]);
    put_term(ahead[TERMS * TERM], at.thread, &memory.terms[1]);
    loaded = ahead[2 * TERMS * TERM];
  }
  ahead += 2 * TERMS * TERM;
  __syncthreads();
  make_tile(at, memory.terms[0], &memory.tiles[0], &own[0]);
  written_for_products();
  __syncthreads();
  for (int t = 0; t < n_tiles; t += 2) {
    add_tile<0>(&memory, at, &ahead, &loaded, own[0], &own[1], part, sum);
    add_tile<1>(&memory, at, &ahead, &loaded, own[1], &own[0], part, sum);
  }

#pragma unroll
  for (int half = 0; half < 2; half++)
#pragma unroll
    for (int v = 0; v < 32; v++) {
      int at_x = i + v / 2 % 2 * 8, at_z = k + half * HALF + v / 4 * 8 + 2 * of_k + v % 2;
      if (at_x < nx && j < ny && at_z < nz) map[((long long)at_z * ny + j) * nx + at_x] = sum[half][v];
    }
}
