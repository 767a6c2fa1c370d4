/* cuda_orbital_tensor: the map as a product of two matrices, on tensor cores.
 *
 * Derives from cuda_orbital_shared: terms, columns and slices are the same, but tensor cores multiply. They take
 * numbers of 11 bits (TF32), so that a number is a sum of two of them and a product three
 * (kernels/common/cuda/tensor.cuh). Half precision would be twice as fast, but has no room for what Gaussians fall to
 * within a block; with bfloat16 a number is a sum of three and a product six, at twice the rate: the same.
 *
 * A block has 32 x 4 columns of 128 slices. Four warps make tiles of 16 terms: a lane computes what it will be read
 * as, two terms' numbers of four columns and four slices, so that stores and loads are of 16 bytes a lane, one behind
 * another. Eight warps multiply, each 64 columns by 32 slices. There are two tiles, and a barrier a tile.
 *
 * Tensor cores truncate sums: measured, 1 - 2^-25 is 1 - 2^-24 and 1 - 2^-26 is 1. So a warp's sums of a tile are
 * added to others in single precision, which round.
 *
 * Per 8 terms and 16 columns by 8 slices: 3 products of a warp. Per tile a warp that adds has 96 of them, 64
 * additions, 48 instructions that split what it has of slices, 20 loads and 18 others; a warp that makes some 380.
 *
 * An H200's tensor cores do 1.57e14 such multiply-adds a second; half as many again are for wgmma, which
 * cuda_orbital_wgmma issues. Three a term would take 0.058 ms for 100 atoms on 128^3 points; it takes 0.101, 57%, where
 * cuda_orbital_shared took 0.138 in the same call; with 1,000 atoms 0.954 and 1.329. A tile takes a scheduler 1,970
 * cycles: its 192 products 1,230, and 680 other instructions as if each waited for them.
 * (Tried and slower: sums of 4 tiles, or of all; 8 warps that make tiles as well; 16 warps, half of which make columns
 * and half slices.)
 *
 * Limits: compute capability 8.0; at most 65,535 blocks in y and in z. */

#include "kernels/common/cuda/tensor.cuh"
#include "kernels/orbital/cuda/orbital_terms.cuh"

enum {
  WARP = 32,
  ADDING = 8, /* warps */
  MAKING = 4,
  WARPS = ADDING + MAKING,
  COLUMNS_X = 32, /* of a block */
  ROWS = MAKING,
  SLICES = 128,
  K = 8, /* terms of a product */
  TERMS = 16,
  PARTS = TERMS / K,
  SIXTEENS = COLUMNS_X * ROWS / 16,
  PAIRS = SLICES / 16, /* of eights of slices */
  OWN_M = SIXTEENS / 2,
  OWN_N = 2 * PAIRS / (ADDING / 2),
  OWN = OWN_M * OWN_N
};
#define ALL_LANES 0xffffffffu

/* As lanes read them: of each 16 columns the numbers of a multiply_add_tf32(), in two parts; of each 16 slices those
 * of two. */
struct tile {
  float4 first[PARTS][SIXTEENS][WARP], rest[PARTS][SIXTEENS][WARP], z[PARTS][PAIRS][WARP];
};

/* A row's columns x, x + 8, ... of a term. */
template <int DEGREE>
static __device__ __forceinline__ void columns_of(const orbital_term &term, const float4 *more, float x, float y,
                                                  float u[4]) {
  float dy = __fmaf_rn(term.at.w, y, -term.at.y), minus_dy2 = -(dy * dy), a[4];
  in_x<DEGREE>(term, more, dy, a);
#pragma unroll
  for (int v = 0; v < 4; v++) {
    float dx = __fmaf_rn(term.at.w, x + 8 * v, -term.at.x), p = a[DEGREE];
#pragma unroll
    for (int m = DEGREE - 1; m >= 0; m--)
      p = p * dx + a[m];
    u[v] = p * exp2f(__fmaf_rn(-dx, dx, minus_dy2));
  }
}

/* Slices z, z + 8, ... of a term. */
static __device__ __forceinline__ void slices_of(const orbital_term &term, float z, float v[4]) {
  int power = __float_as_int(term.c.w) & 3;
#pragma unroll
  for (int s = 0; s < 4; s++) {
    float d = __fmaf_rn(term.at.w, z + 8 * s, -term.at.z);
    v[s] = exp2f(-(d * d));
    if (power > 0) v[s] *= d;
    if (power > 1) v[s] *= d;
    if (power > 2) v[s] *= d;
  }
}

/* A warp's terms are eight; a lane has two, K / 2 apart. */
struct two_terms {
  orbital_term term[2];
  float4 more[2]; /* of degree 2 */
};
static __device__ __forceinline__ two_terms load_two(const float4 *terms) {
  const float4 *other = terms + 4 * (K / 2);
  return {{load_term(terms), load_term(other)}, {terms[2], other[2]}};
}

/* A row's columns of eight terms. */
template <int DEGREE>
static __device__ __forceinline__ void make_columns(const two_terms &own, const float4 *cubic, float x, float y,
                                                    float4 *first, float4 *rest) {
  float u[2][4];
#pragma unroll
  for (int two = 0; two < 2; two++) {
    const float4 more[2] = {own.more[two], DEGREE < 3 ? own.more[two] : cubic[4 * (K / 2) * two]};
    columns_of<DEGREE>(own.term[two], more, x, y, u[two]);
  }
#pragma unroll
  for (int m = 0; m < 2; m++) {
    float4 all = make_float4(u[0][2 * m], u[0][2 * m + 1], u[1][2 * m], u[1][2 * m + 1]);
    float4 bits = make_float4(first_bits(all.x), first_bits(all.y), first_bits(all.z), first_bits(all.w));
    first[m * WARP] = bits;
    rest[m * WARP] = make_float4(all.x - bits.x, all.y - bits.y, all.z - bits.z, all.w - bits.w);
  }
}

static __device__ __forceinline__ void make_slices(const two_terms &own, float z, float4 *to) {
  float v[2][4];
  slices_of(own.term[0], z, v[0]);
  slices_of(own.term[1], z, v[1]);
#pragma unroll
  for (int n = 0; n < 2; n++)
    to[n * WARP] = make_float4(v[0][2 * n], v[1][2 * n], v[0][2 * n + 1], v[1][2 * n + 1]);
}

/* Makes of eight terms that a warp has loaded a row of columns and 32 slices; loads those of the next tile. */
static __device__ __forceinline__ void make_part(two_terms *own, const float4 *next, float x, float y, float z,
                                                 float4 *first, float4 *rest, float4 *to_z) {
  const float4 *cubic = next - 4 * TERMS + 3;
  int degree = max(__float_as_int(own->term[0].c.w) >> 2, __float_as_int(own->term[1].c.w) >> 2);
  if (__any_sync(ALL_LANES, degree > 2))
    make_columns<3>(*own, cubic, x, y, first, rest);
  else if (__any_sync(ALL_LANES, degree > 1))
    make_columns<2>(*own, cubic, x, y, first, rest);
  else
    make_columns<1>(*own, cubic, x, y, first, rest);
  make_slices(*own, z, to_z);
  *own = load_two(next);
}

/* Makes all tiles, of each a row of columns and 32 slices, and of each eight terms a lane's of `terms`. */
static __device__ __forceinline__ void make_tiles(const float4 *terms, int n_tiles, float x, float y, float z, int row,
                                                  int lane, tile tiles[2]) {
  two_terms own[PARTS];
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    own[p] = load_two(terms + 4 * K * p);
  for (int t = 0; t < n_tiles; t++) {
    tile *to = &tiles[t % 2];
    terms += 4 * TERMS;
#pragma unroll
    for (int p = 0; p < PARTS; p++)
      make_part(&own[p], terms + 4 * K * p, x, y, z, &to->first[p][2 * row][lane], &to->rest[p][2 * row][lane],
                &to->z[p][2 * row][lane]);
    wait_for_warps(WARP * WARPS);
  }
}

/* A lane's points of 16 columns by 8 slices, as multiply_add_tf32() has them, of each that the warp has. */
typedef float warp_sums[OWN][4];

/* Adds a tile: by sums that truncate to those that round. */
static __device__ __forceinline__ void add_tile(const tile &tile, int m_at, int n_at, int lane, warp_sums sum) {
  warp_sums part = {};
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    float first_z[OWN_N][2], rest_z[OWN_N][2];
#pragma unroll
    for (int pair = 0; pair < OWN_N / 2; pair++) {
      float4 all = tile.z[p][n_at / 2 + pair][lane];
      const float z[4] = {all.x, all.y, all.z, all.w};
#pragma unroll
      for (int v = 0; v < 4; v++) {
        first_z[2 * pair + v / 2][v % 2] = first_bits(z[v]);
        rest_z[2 * pair + v / 2][v % 2] = z[v] - first_bits(z[v]);
      }
    }
#pragma unroll
    for (int m = 0; m < OWN_M; m++) {
      float4 f = tile.first[p][m_at + m][lane], r = tile.rest[p][m_at + m][lane];
      const float first_u[4] = {f.x, f.y, f.z, f.w}, rest_u[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
      for (int n = 0; n < OWN_N; n++)
        multiply_add_tf32(part[m * OWN_N + n], rest_u, first_z[n]);
#pragma unroll
      for (int n = 0; n < OWN_N; n++)
        multiply_add_tf32(part[m * OWN_N + n], first_u, rest_z[n]);
#pragma unroll
      for (int n = 0; n < OWN_N; n++)
        multiply_add_tf32(part[m * OWN_N + n], first_u, first_z[n]);
    }
  }
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int v = 0; v < 4; v++)
      sum[p][v] += part[p][v];
}

extern "C" __global__ void __launch_bounds__(WARP *WARPS)
    dcs(float *map, const float4 *terms, int nx, int ny, int nz, int first) {
  __shared__ tile tiles[2];
  int lane = threadIdx.x, of_four = lane / 4, of_k = lane % 4;
  int i = blockIdx.x * COLUMNS_X, j = blockIdx.y * ROWS, k = blockIdx.z * SLICES;
  int n_tiles = (__float_as_int(terms[1].w) + TERMS - 1) / TERMS;

  if (threadIdx.y >= ADDING) {
    int row = threadIdx.y - ADDING, z = first + k + SLICES / MAKING * row + of_four;
    make_tiles(terms + 4 * (1 + of_k), n_tiles, (float)(i + of_four), (float)(j + row), (float)z, row, lane, tiles);
    return;
  }

  int m_at = threadIdx.y % 2 * OWN_M, n_at = threadIdx.y / 2 * OWN_N;
  warp_sums sum = {};
  for (int t = 0; t < n_tiles; t++) {
    wait_for_warps(WARP * WARPS);
    add_tile(tiles[t % 2], m_at, n_at, lane, sum);
  }

#pragma unroll
  for (int m = 0; m < OWN_M; m++)
#pragma unroll
    for (int n = 0; n < OWN_N; n++)
#pragma unroll
      for (int v = 0; v < 4; v++) {
        int at_x = i + (m_at + m) % 2 * 16 + v / 2 * 8 + of_four, at_y = j + (m_at + m) / 2;
        int at_z = k + 8 * (n_at + n) + 2 * of_k + v % 2;
        if (at_x < nx && at_y < ny && at_z < nz) map[((long long)at_z * ny + at_y) * nx + at_x] = sum[m * OWN_N + n][v];
      }
}
