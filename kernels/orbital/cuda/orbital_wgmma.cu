/* cuda_orbital_wgmma: the map as a product of two matrices, on tensor cores that work while tiles are made.
 *
 * Derives from cuda_orbital_tensor: a number is a sum of two of 11 bits (TF32), a product three. There a warp waits
 * for each product that it issues (mma.sync). Here warpgroups hand products over (wgmma,
 * kernels/common/cuda/warpgroup.cuh) and wait for a tile's at once; tensor cores, half as fast again so, read one
 * factor from shared memory, the other from registers.
 *
 * A block has 32 x 4 columns of 128 slices, which are 128 blocks of 128^3 points, one an SM. Four warps make
 * columns, four make slices, in tiles of 32 terms: a warp eight terms, for which it has loaded what it needs a tile
 * before. Two warpgroups multiply, each 64 columns by twice 64 slices. There are three tiles: one is multiplied, one
 * has been made, one is being made; a barrier a tile. A thread that multiplies keeps two sets of 64 sums: those of the
 * tile, which tensor cores truncate, and those of all, to which they are added in single precision, the first half
 * while the second is multiplied. Threads that make tiles give up registers for them (setmaxnreg).
 *
 * Gaussians of columns are products of one of x and one of y: a lane has two terms, and of each 4 x 4 columns, which
 * take 8 powers of two. Terms come sorted by shape (kernels/orbital/orbital.h): most tiles have one degree and no
 * power of z.
 *
 * An H200 takes 0.0586 ms for 100 atoms on 128^3 points, cuda_orbital_tensor 0.102, cuda_orbital_shared 0.138; with
 * 1,000 atoms 0.538, 0.962 and 1.330. Its tensor cores do 2.43e14 multiply-adds a second so: three a term would take
 * 0.0374 ms, of which this is 64% (1,000 atoms: 70%). A tile takes 2,380 cycles, its products 1,536. What binds is
 * shared memory: 1,700 cycles, of which stores of tiles take 950, loads 420, products 330; so loads and stores wait
 * for 100 to 300 cycles, and makers of slices are never done before the others.
 * (Tried and slower: who multiplies makes columns as well, 0.079; tiles of 16 terms, 0.078; powers of two for each
 * column, and terms as they come, 0.095; 8 warps for slices, with 40 registers a thread, 0.062; each maker half of
 * both, 0.066; at most six products handed over at a time, 0.061.)
 *
 * Limits: compute capability 9.0; at most 65,535 blocks in y and in z. */

#include "kernels/common/cuda/warpgroup.cuh"
#include "kernels/orbital/cuda/orbital_terms.cuh"

enum {
  WARP = 32,
  GROUP = 4, /* warps of a warpgroup */
  MULTIPLYING = 2 * GROUP,
  MAKING = 2 * GROUP, /* a group columns, a group slices */
  THREADS = WARP * (MULTIPLYING + MAKING),
  MAKER_REGISTERS = 88, /* of the 65,536 of an SM, 256 threads each */
  MULTIPLIER_REGISTERS = 168,
  COLUMNS_X = 32, /* of a block */
  ROWS = 4,
  SLICES = 128,
  HALF = SLICES / 2, /* of a product */
  K = 8,             /* terms of a product */
  TERMS = 32,        /* of a tile */
  PARTS = TERMS / K,
  FOURS = TERMS / 4,
  SIXTEENS = COLUMNS_X * ROWS / 16,
  TERM = 4, /* float4 of a term */
  RING = 3  /* tiles */
};
#define ALL_LANES 0xffffffffu

/* What a tile's terms have of the block, in two parts: of 16 columns what lanes have of a product, of slices four
 * terms in a float4. */
struct tile {
  float4 u_first[PARTS][SIXTEENS][WARP], u_rest[PARTS][SIXTEENS][WARP];
  float4 z_first[FOURS][SLICES], z_rest[FOURS][SLICES];
};

/* A tile's terms, and what of them slices need: places, roots, and of each eight terms the highest degree, and which
 * have an odd power and a power of 2 or 3, in bit 4 e + 1. Padding lets lanes read four at once without conflicts. */
struct tile_terms {
  float4 term[TERMS][TERM + 1];
  float z[TERMS], root[TERMS];
  unsigned degree[PARTS], odd[PARTS], square[PARTS];
};

/* A block's memory. */
struct memory {
  tile tiles[RING];
  tile_terms terms[RING];
};
static_assert(sizeof(memory) == 205200, "shared_bytes of the descriptor");

/* ---- tiles ---- */

/* A thread of a warpgroup puts down its part of a term. */
static __device__ __forceinline__ void put_term(float4 part, int thread, tile_terms *to) {
  int term = thread / TERM, number = thread % TERM, shape = number == 1 ? __float_as_int(part.w) : 0;
  unsigned odd = __ballot_sync(ALL_LANES, shape & 1), square = __ballot_sync(ALL_LANES, shape & 2), degree = 0;
#pragma unroll
  for (int lower = 0; lower < 3; lower++)
    degree += __any_sync(ALL_LANES, shape >> 2 > lower) != 0;
  to->term[term][number] = part;
  if (number == 0) {
    to->z[term] = part.z;
    to->root[term] = part.w;
  }
  if (thread % WARP == 0) {
    to->degree[thread / WARP] = degree;
    to->odd[thread / WARP] = odd;
    to->square[thread / WARP] = square;
  }
}

/* A number's first bits and the rest. */
static __device__ __forceinline__ void put_parts(const float v[4], float4 *first, float4 *rest) {
  float4 bits = make_float4(first_bits(v[0]), first_bits(v[1]), first_bits(v[2]), first_bits(v[3]));
  *first = bits;
  *rest = make_float4(v[0] - bits.x, v[1] - bits.y, v[2] - bits.z, v[3] - bits.w);
}

/* What a lane needs of eight terms for its columns: terms t and t + 4. */
struct column_terms {
  orbital_term term[2];
  unsigned degree; /* of the eight */
};
static __device__ __forceinline__ column_terms load_column_terms(const tile_terms &terms, int part, int of_k) {
  column_terms own;
#pragma unroll
  for (int two = 0; two < 2; two++)
    own.term[two] = load_term(terms.term[K * part + K / 2 * two + of_k]);
  own.degree = terms.degree[part];
  return own;
}

/* Columns x, x + 8, x + 16, x + 24 of all rows, of two terms: a Gaussian is one of x times one of y. */
template <int DEGREE>
static __device__ __forceinline__ void make_columns(const column_terms &own, const float4 *term, float x, float y,
                                                    float4 *first, float4 *rest) {
  float dx[2][4], of_x[2][4];
  float4 more[2][2];
#pragma unroll
  for (int two = 0; two < 2; two++) {
    if (DEGREE > 1) more[two][0] = term[(TERM + 1) * (K / 2) * two + 2];
    if (DEGREE > 2) more[two][1] = term[(TERM + 1) * (K / 2) * two + 3];
#pragma unroll
    for (int v = 0; v < 4; v++) {
      dx[two][v] = __fmaf_rn(own.term[two].at.w, x + 8 * v, -own.term[two].at.x);
      of_x[two][v] = exp2f(-dx[two][v] * dx[two][v]);
    }
  }
#pragma unroll
  for (int row = 0; row < ROWS; row++) {
    float u[2][4];
#pragma unroll
    for (int two = 0; two < 2; two++) {
      const orbital_term &of = own.term[two];
      float dy = __fmaf_rn(of.at.w, y + row, -of.at.y), of_y = exp2f(-dy * dy), a[4];
      in_x<DEGREE>(of, more[two], dy, a);
#pragma unroll
      for (int m = 0; m <= DEGREE; m++)
        a[m] *= of_y;
#pragma unroll
      for (int v = 0; v < 4; v++) {
        float p = a[DEGREE];
#pragma unroll
        for (int m = DEGREE - 1; m >= 0; m--)
          p = p * dx[two][v] + a[m];
        u[v / 2][2 * two + v % 2] = p * of_x[two][v];
      }
    }
#pragma unroll
    for (int half = 0; half < 2; half++)
      put_parts(u[half], first + (2 * row + half) * WARP, rest + (2 * row + half) * WARP);
  }
}

/* What a warp's lanes have of all columns, and of eight terms. */
static __device__ __forceinline__ void make_part(const column_terms &own, const float4 *term, float x, float y,
                                                 float4 *first, float4 *rest) {
  switch (own.degree) {
  case 0:
    make_columns<0>(own, term, x, y, first, rest);
    break;
  case 1:
    make_columns<1>(own, term, x, y, first, rest);
    break;
  case 2:
    make_columns<2>(own, term, x, y, first, rest);
    break;
  default:
    make_columns<3>(own, term, x, y, first, rest);
  }
}

/* What slices need of eight terms. */
struct slice_terms {
  float z[K], root[K];
  unsigned odd, square;
};
static __device__ __forceinline__ void unpack(float4 from, float to[4]) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
}
static __device__ __forceinline__ slice_terms load_slice_terms(const tile_terms &terms, int part) {
  slice_terms own;
#pragma unroll
  for (int four = 0; four < K; four += 4) {
    unpack(*(const float4 *)&terms.z[K * part + four], own.z + four);
    unpack(*(const float4 *)&terms.root[K * part + four], own.root + four);
  }
  own.odd = terms.odd[part];
  own.square = terms.square[part];
  return own;
}

/* Eight terms of a slice. */
static __device__ __forceinline__ void make_slice(const slice_terms &terms, float z, float4 *first, float4 *rest) {
  float s[K], d[K], minus_d2[K];
#pragma unroll
  for (int e = 0; e < K; e++) {
    d[e] = __fmaf_rn(terms.root[e], z, -terms.z[e]);
    minus_d2[e] = -d[e] * d[e];
    s[e] = exp2f(minus_d2[e]);
  }
  if (terms.odd | terms.square) {
#pragma unroll
    for (int e = 0; e < K; e++) {
      if (terms.odd & 2u << 4 * e) s[e] *= d[e];
      if (terms.square & 2u << 4 * e) s[e] *= fabsf(minus_d2[e]);
    }
  }
#pragma unroll
  for (int four = 0; four < K / 4; four++)
    put_parts(s + 4 * four, first + four * SLICES, rest + four * SLICES);
}

static __device__ __forceinline__ int after(int place) {
  return (place + 1) % RING;
}

/* Makes the columns of all tiles: a warp those of eight terms. */
static __device__ __forceinline__ void make_all_columns(memory *memory, int n_tiles, int part, int lane, float x,
                                                        float y) {
  int of_k = lane % 4;
  wait_for_warps(THREADS);
  column_terms own = load_column_terms(memory->terms[0], part, of_k);
  for (int t = 0, now = 0; t < n_tiles; t++) {
    tile *to = &memory->tiles[now];
    make_part(own, memory->terms[now].term[K * part + of_k], x, y, &to->u_first[part][0][lane],
              &to->u_rest[part][0][lane]);
    now = after(now);
    own = load_column_terms(memory->terms[now], part, of_k);
    written_for_products();
    wait_for_warps(THREADS);
  }
}

/* Makes the slices of all tiles: a warp of eight terms. While those of tile t are made, the terms of tile t + 2 are
 * put down. */
static __device__ __forceinline__ void make_all_slices(memory *memory, const float4 *terms, int n_tiles, int part,
                                                       int lane, float z) {
  int thread = part * WARP + lane;
  const float4 *ahead = terms + thread;
  put_term(*ahead, thread, &memory->terms[0]);
  put_term(ahead[TERMS * TERM], thread, &memory->terms[1]);
  ahead += 2 * TERMS * TERM;
  float4 loaded = *ahead;
  wait_for_warps(THREADS);
  slice_terms own = load_slice_terms(memory->terms[0], part);
  for (int t = 0, now = 0; t < n_tiles; t++) {
    tile *to = &memory->tiles[now];
    now = after(now);
#pragma unroll
    for (int slice = 0; slice < SLICES; slice += WARP)
      make_slice(own, z + slice, &to->z_first[K / 4 * part][slice + lane], &to->z_rest[K / 4 * part][slice + lane]);
    own = load_slice_terms(memory->terms[now], part);
    put_term(loaded, thread, &memory->terms[after(now)]);
    ahead += TERMS * TERM;
    loaded = *ahead;
    written_for_products();
    wait_for_warps(THREADS);
  }
}

/* ---- sums ---- */

/* What a lane has of 16 columns of a tile. */
struct columns {
  float first[PARTS][4], rest[PARTS][4];
};
static __device__ __forceinline__ columns load_columns(const tile &tile, int warp, int lane) {
  columns own;
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    unpack(tile.u_first[p][warp][lane], own.first[p]);
    unpack(tile.u_rest[p][warp][lane], own.rest[p]);
  }
  return own;
}

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

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    dcs(float *map, const float4 *terms, int nx, int ny, int nz, int first) {
#ifdef __CUDA_ARCH__
  extern __shared__ float4 shared[];
  memory *block = (memory *)shared;
#else
  __shared__ memory shared;
  memory *block = &shared;
#endif
  int warp = __shfl_sync(ALL_LANES, (int)threadIdx.y, 0), lane = threadIdx.x;
  int of_four = lane / 4, of_k = lane % 4, k = blockIdx.z * SLICES;
  int i = blockIdx.x * COLUMNS_X + of_four, j = blockIdx.y * ROWS;
  int n_tiles = max(1, (__float_as_int(terms[1].w) + TERMS - 1) / TERMS);
  if (warp >= MULTIPLYING) {
    int part = warp % GROUP;
    give_registers<MAKER_REGISTERS>();
    if (warp < MULTIPLYING + GROUP)
      make_all_columns(block, n_tiles, part, lane, (float)i, (float)j);
    else
      make_all_slices(block, terms + TERM, n_tiles, part, lane, (float)(first + k + lane));
    return;
  }
  take_registers<MULTIPLIER_REGISTERS>();
  i += warp % 2 * 16;
  j += warp / 2;
  warpgroup_factor tiles = factor_at(block->tiles[0].z_first[0], SLICES);
  const int tile_float4s = sizeof(tile) / sizeof(float4);
  warpgroup_sums part[2], sum[2];
#pragma unroll
  for (int v = 0; v < 32; v++)
    part[0][v] = part[1][v] = sum[0][v] = sum[1][v] = 0.0f;

  wait_for_warps(THREADS);
  wait_for_warps(THREADS);
  columns own = load_columns(block->tiles[0], warp, lane);
  for (int t = 0, now = 0; t < n_tiles; t++) {
    warpgroup_factor z = moved(tiles, now * tile_float4s);
    multiply_half(own, z, part[0]);
    multiply_half(own, moved(z, HALF), part[1]);
    now = after(now);
    if (t + 1 < n_tiles) wait_for_warps(THREADS);
    warpgroup_wait<1>(part[0]);
    add_up(part[0], sum[0]);
    warpgroup_wait<0>(part[1]);
    if (t + 1 < n_tiles) own = load_columns(block->tiles[now], warp, lane);
    add_up(part[1], sum[1]);
  }

#pragma unroll
  for (int half = 0; half < 2; half++)
#pragma unroll
    for (int v = 0; v < 32; v++) {
      int at_x = i + v / 2 % 2 * 8, at_z = k + half * HALF + v / 4 * 8 + 2 * of_k + v % 2;
      if (at_x < nx && j < ny && at_z < nz) map[((long long)at_z * ny + j) * nx + at_x] = sum[half][v];
    }
}
