/* cuda_orbital_wgmma: the map as a product of two matrices, which tensor cores compute beside everything else. */

#include "kernels/common/cuda/warpgroup.cuh"
#include "kernels/orbital/cuda/orbital_terms.cuh"

enum {
  WARP = 32,
  GROUP = 4,       /* warps of a warpgroup */
  MULTIPLYING = 2, /* warpgroups; one more makes slices */
  THREADS = WARP * GROUP * (MULTIPLYING + 1),
  COLUMNS_X = 32, /* of a block */
  ROWS = 4,
  SLICES = 128,
  HALF = SLICES / 2, /* of a product */
  K = 8,             /* terms of a product */
  TERMS = 16,        /* of a tile */
  PARTS = TERMS / K,
  FOURS = TERMS / 4,
  TERM = 4, /* float4 */
  RING = 3,
  SHARED_BYTES = 53472,
  FEWER = 72, /* registers of those that make slices; of the others */
  MORE = 216
};
#define ALL_LANES 0xffffffffu

/* What a tile's terms have of the slices, in two parts: four terms of a slice in a float4. */
struct tile {
  float4 first[FOURS][SLICES], rest[FOURS][SLICES];
};

/* A tile's terms, and what of them slices need: places, roots, and of each eight terms which have an odd power and a
 * power of 2 or 3, in bit 4 e + 1. The padding lets lanes read four at once without conflicts. */
struct tile_terms {
  float4 term[TERMS][TERM + 1];
  float z[TERMS], root[TERMS];
  unsigned odd[PARTS], square[PARTS], cubic[4];
};

/* What a lane has of a tile's columns: of two columns 8 apart, terms t and t + 4 of each part, as multiply_add_tf32()
 * has them, in two parts. */
struct columns {
  float first[PARTS][4], rest[PARTS][4];
};

/* ---- tiles ---- */

static __device__ __forceinline__ void put_term(float4 part, int thread, tile_terms *to) {
  if (thread >= TERMS * TERM) return;
  int term = thread / TERM, number = thread % TERM, shape = __float_as_int(part.w);
  unsigned odd = __ballot_sync(ALL_LANES, number == 1 && shape & 1);
  unsigned square = __ballot_sync(ALL_LANES, number == 1 && shape & 2);
  unsigned cubic = __ballot_sync(ALL_LANES, number == 1 && shape >> 2 > 2);
  to->term[term][number] = part;
  if (number == 0) {
    to->z[term] = part.z;
    to->root[term] = part.w;
  }
  if (thread % WARP == 0) {
    to->odd[thread / WARP] = odd;
    to->square[thread / WARP] = square;
    to->cubic[thread / WARP] = cubic;
  }
}

/* The terms of a lane's columns: t, t + 4, ... of a tile. */
struct lane_terms {
  orbital_term term[FOURS];
  float4 more[FOURS]; /* of degree 2 */
  unsigned cubic;     /* whether any of the tile has a degree of 3 */
};
static __device__ __forceinline__ lane_terms load_lane(const tile_terms &terms, int of_k) {
  lane_terms own;
#pragma unroll
  for (int e = 0; e < FOURS; e++) {
    own.term[e] = load_term(terms.term[4 * e + of_k]);
    own.more[e] = terms.term[4 * e + of_k][2];
  }
  own.cubic = terms.cubic[0] | terms.cubic[1];
  return own;
}

/* Columns x and x + 8 of a row, of a term. */
template <int DEGREE>
static __device__ __forceinline__ void two_columns(const orbital_term &term, const float4 *more, float x, float y,
                                                   float u[2]) {
  float dy = __fmaf_rn(term.at.w, y, -term.at.y), minus_dy2 = -(dy * dy), a[4];
  in_x<DEGREE>(term, more, dy, a);
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
static __device__ __forceinline__ void make_columns(const lane_terms &terms, const tile_terms &all, float x, float y,
                                                    int of_k, columns *own) {
#pragma unroll
  for (int e = 0; e < FOURS; e++) {
    const float4 more[2] = {terms.more[e], DEGREE < 3 ? terms.more[e] : all.term[4 * e + of_k][3]};
    float u[2];
    two_columns<DEGREE>(terms.term[e], more, x, y, u);
#pragma unroll
    for (int v = 0; v < 2; v++) {
      float bits = first_bits(u[v]);
      own->first[e / 2][e % 2 * 2 + v] = bits;
      own->rest[e / 2][e % 2 * 2 + v] = u[v] - bits;
    }
  }
}
static __device__ __forceinline__ void make_any_columns(const lane_terms &terms, const tile_terms &all, float x,
                                                        float y, int of_k, columns *own) {
  if (terms.cubic)
    make_columns<3>(terms, all, x, y, of_k, own);
  else
    make_columns<2>(terms, all, x, y, of_k, own);
}

/* What slices need of a tile's terms. */
struct slice_terms {
  float z[TERMS], root[TERMS];
  unsigned odd[PARTS], square[PARTS];
};
static __device__ __forceinline__ slice_terms load_slice(const tile_terms &terms) {
  slice_terms own;
#pragma unroll
  for (int four = 0; four < FOURS; four++) {
    float4 z = ((const float4 *)terms.z)[four], root = ((const float4 *)terms.root)[four];
    own.z[4 * four] = z.x, own.z[4 * four + 1] = z.y, own.z[4 * four + 2] = z.z, own.z[4 * four + 3] = z.w;
    own.root[4 * four] = root.x, own.root[4 * four + 1] = root.y;
    own.root[4 * four + 2] = root.z, own.root[4 * four + 3] = root.w;
  }
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    own.odd[p] = terms.odd[p];
    own.square[p] = terms.square[p];
  }
  return own;
}

/* Four terms of a slice. */
static __device__ __forceinline__ void make_four(const slice_terms &terms, int four, float z, float4 *first,
                                                 float4 *rest) {
  float bits[4], left[4];
#pragma unroll
  for (int v = 0; v < 4; v++) {
    int e = 4 * four + v;
    unsigned bit = 2u << 4 * (e % K);
    float d = __fmaf_rn(terms.root[e], z, -terms.z[e]), minus_d2 = -d * d, s = exp2f(minus_d2);
    if (terms.odd[e / K] & bit) s *= d;
    if (terms.square[e / K] & bit) s *= fabsf(minus_d2);
    bits[v] = first_bits(s);
    left[v] = s - bits[v];
  }
  *first = make_float4(bits[0], bits[1], bits[2], bits[3]);
  *rest = make_float4(left[0], left[1], left[2], left[3]);
}

/* ---- sums ---- */

/* Products of a tile's columns and of 64 slices, of which `first` is the first part, to be waited for. */
static __device__ __forceinline__ void multiply_half(const columns &own, warpgroup_factor first, warpgroup_sums part) {
  warpgroup_factor rest = moved(first, FOURS * SLICES);
  warpgroup_fence();
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    int at = K / 4 * p * SLICES;
    multiply_tf32_later(part, own.rest[p], moved(first, at), p > 0);
    multiply_tf32_later(part, own.first[p], moved(rest, at), true);
    multiply_tf32_later(part, own.first[p], moved(first, at), true);
  }
  warpgroup_commit();
}

static __device__ __forceinline__ void add_up(const warpgroup_sums part, warpgroup_sums sum) {
#pragma unroll
  for (int v = 0; v < 32; v++)
    sum[v] += part[v];
}

/* A block's memory. */
struct memory {
  tile tiles[RING];
  tile_terms terms[RING];
};
static_assert(sizeof(memory) == SHARED_BYTES, "as the descriptor says");

static __device__ __forceinline__ int after(int place) {
  return place == RING - 1 ? 0 : place + 1;
}

/* Makes the slices of all tiles, a lane's of one slice. In step t a warp makes tile t, while tile t - 1 is multiplied,
 * the columns of tile t are made, and the terms of tile t + 2 are put in the place of those of tile t - 1. */
static __device__ __forceinline__ void make_tiles(memory *memory, const float4 *terms, int n_tiles, int thread,
                                                  float z) {
  const float4 *ahead = terms + thread;
  bool loads = thread < TERMS * TERM;
  float4 loaded = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (loads) {
    put_term(*ahead, thread, &memory->terms[0]);
    put_term(ahead[TERMS * TERM], thread, &memory->terms[1]);
    loaded = ahead[2 * TERMS * TERM];
  }
  ahead += 2 * TERMS * TERM;
  wait_for_warps(THREADS);
  slice_terms own = load_slice(memory->terms[0]);
  for (int t = 0, now = 0; t <= n_tiles; t++) {
    int next = after(now);
    tile *to = &memory->tiles[now];
#pragma unroll
    for (int four = 0; four < FOURS; four++)
      make_four(own, four, z, &to->first[four][thread], &to->rest[four][thread]);
    own = load_slice(memory->terms[next]);
    put_term(loaded, thread, &memory->terms[after(next)]);
    ahead += TERMS * TERM;
    written_for_products();
    wait_for_warps(THREADS);
    if (loads) loaded = *ahead;
    now = next;
  }
}

/* Multiplies a tile, whose columns a lane has, and makes the columns of the next. */
static __device__ __forceinline__ void add_tile(const tile_terms &next_terms, warpgroup_factor tile, float x, float y,
                                                int of_k, const columns &own, columns *next, warpgroup_sums part[2],
                                                warpgroup_sums sum[2]) {
  lane_terms terms = load_lane(next_terms, of_k);
  multiply_half(own, tile, part[0]);
  multiply_half(own, moved(tile, HALF), part[1]);
  make_any_columns(terms, next_terms, x, y, of_k, next);
  wait_for_warps(THREADS);
  warpgroup_wait<1>(part[0]);
  add_up(part[0], sum[0]);
  warpgroup_wait<0>(part[1]);
  add_up(part[1], sum[1]);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    dcs(float *map, const float4 *terms, int nx, int ny, int nz, int first) {
#ifdef __CUDA_ARCH__
  extern __shared__ float4 shared[];
  memory *memory_of_block = (memory *)shared;
#else
  __shared__ memory shared;
  memory *memory_of_block = &shared;
#endif
  int group = __shfl_sync(ALL_LANES, threadIdx.y / GROUP, 0), lane = threadIdx.x, warp = threadIdx.y;
  int of_four = lane / 4, of_k = lane % 4, k = blockIdx.z * SLICES;
  int n_tiles = 2 * ((__float_as_int(terms[1].w) + 2 * TERMS - 1) / (2 * TERMS));
  if (group == MULTIPLYING) {
    int thread = warp % GROUP * WARP + lane;
    give_registers<FEWER>();
    make_tiles(memory_of_block, terms + TERM, n_tiles, thread, (float)(first + k + thread));
    return;
  }
  take_registers<MORE>();
  int i = blockIdx.x * COLUMNS_X + warp % 2 * 16 + of_four, j = blockIdx.y * ROWS + warp / 2;
  float x = (float)i, y = (float)j;
  warpgroup_factor tiles = factor_at(memory_of_block->tiles[0].first[0], SLICES);
  columns own[2];
  warpgroup_sums part[2], sum[2];
#pragma unroll
  for (int v = 0; v < 32; v++)
    part[0][v] = part[1][v] = sum[0][v] = sum[1][v] = 0.0f;

  wait_for_warps(THREADS);
  make_any_columns(load_lane(memory_of_block->terms[0], of_k), memory_of_block->terms[0], x, y, of_k, &own[0]);
  wait_for_warps(THREADS);
  for (int t = 0, now = 0; t < n_tiles; t += 2) {
    int next = after(now), last = after(next);
    add_tile(memory_of_block->terms[next], moved(tiles, now * 2 * FOURS * SLICES), x, y, of_k, own[0], &own[1], part,
             sum);
    add_tile(memory_of_block->terms[last], moved(tiles, next * 2 * FOURS * SLICES), x, y, of_k, own[1], &own[0], part,
             sum);
    now = last;
  }

#pragma unroll
  for (int half = 0; half < 2; half++)
#pragma unroll
    for (int v = 0; v < 32; v++) {
      int at_x = i + v / 2 % 2 * 8, at_z = k + half * HALF + v / 4 * 8 + 2 * of_k + v % 2;
      if (at_x < nx && j < ny && at_z < nz) map[((long long)at_z * ny + j) * nx + at_x] = sum[half][v];
    }
}
