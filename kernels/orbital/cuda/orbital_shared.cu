/* cuda_orbital_shared: the map as a product of two matrices, tiles of which lie in shared memory.
 *
 * Derives from cuda_orbital_constant, which computes a power of two for each primitive and point. A term of an orbital
 * (kernels/orbital/orbital.h) is a number of the column, of x and y, times a number of the slice: the map, columns by
 * slices, is a matrix of columns by terms times one of terms by slices. Shells of one exponent, as s and p of carbon in
 * 6-31G*, have their terms in common: 14.4 an atom, where shells on their own have 17.6.
 *
 * A block has 32 points in x, 2 WARPS_Y rows and 32 WARPS_Z slices. Of a tile of terms it makes both matrices, a warp a
 * term at a time, a lane four columns of a row and four slices; what a term is it has loaded a tile before. Then each
 * thread adds to its 64 sums, 2 rows of 4 points by 8 slices, what it reads in 4 loads of 16 bytes a term: of a warp's
 * loads each is of 128 bytes or fewer, no two of which share a bank. There are two tiles, so that one barrier a tile
 * does. GROUPS groups of warps have the same points and share the terms, and add up at the end: 128^3 points are 128
 * blocks of 128 columns and 128 slices, one an SM, and 8 warps of 64 sums a thread; with two groups it has 16. Even
 * groups make the next tile before they add, odd ones after, so that the special function units and the multiply-adds
 * work at the same time.
 *
 * Per term and point: 1 FMA. Per term, thread and 64 points: 4 loads of 16 bytes. Per term and block: 128 columns of 2
 * FMA, 1 multiply, 1 power of two and 1 multiply (more of higher degree), 128 slices of 1 FMA, 1 multiply and 1 power
 * of two; with loads, stores and addresses some 70 instructions of a warp, beside 512 FMA of all its warps and 32
 * loads.
 *
 * What binds are issue slots and the register file (cuda_neighbours): two registers of one bank in an instruction cost
 * time, unless one was kept from the instruction before. So a thread's four points of a row are FOURS_X apart and a
 * sum is stored on its own, 8 lanes a row: four sums stored at once lie in the banks of what is multiplied. And columns
 * are walked to and fro, which keeps the column from the slice before. 18 such conflicts for 128 multiply-adds of p
 * shells are left. With 100 atoms on 128^3 points an H200 takes 0.139 ms, 69% of the limit by 14.4 terms (columns
 * always upwards, in the same call: 0.141); with 1,000 atoms 1.340 ms, 72%.
 *
 * The rest is waiting: a tile takes some 2,950 cycles a scheduler, of which 2,470 issue and 100 are conflicts.
 * (Tried and slower: 128 sums a thread, which takes fewer issue slots but leaves two warps a scheduler to hide loads
 * and a barrier a tile, 0.147 ms and more; a term loaded ahead, 0.144 and more; one group; all groups making the next
 * tile before they add; blocks of 64 slices, two an SM.)
 *
 * Parameters: warps_y, warps_z, groups, 1..8, warps of a block, up to 32 in all; terms_a_warp, 1..8. Two tiles must fit
 * 48 KB of shared memory.
 * Limits: at most 65,535 blocks in y and in z. */

#include "kernels/orbital/cuda/orbital_terms.cuh"

enum {
  WARP = 32,
  WARPS_OF_GROUP = WARPS_Y * WARPS_Z,
  THREADS_OF_GROUP = WARP * WARPS_OF_GROUP,
  WARPS = WARPS_OF_GROUP * GROUPS,
  ROWS = 2 * WARPS_Y,
  SLICES = 32 * WARPS_Z,
  TERMS = TERMS_A_WARP * WARPS,
  TERMS_OF_GROUP = TERMS / GROUPS,
  FOURS_X = WARP / 4,
  FOURS_U = ROWS * FOURS_X,
  FOURS_Z = SLICES / 4
};

/* What each term has of the block's columns, and of its slices. */
struct tile {
  float4 u[TERMS][FOURS_U], z[TERMS][FOURS_Z];
};

/* ---- tiles ---- */

/* Four columns of a row, FOURS_X apart, the first at (x, y). */
template <int DEGREE>
static __device__ __forceinline__ float4 four_columns(const orbital_term &term, const float4 *more, float x, float y) {
  float dy = __fmaf_rn(term.at.w, y, -term.at.y), minus_dy2 = -(dy * dy), a[4], u[4];
  in_x<DEGREE>(term, more, dy, a);
#pragma unroll
  for (int v = 0; v < 4; v++) {
    float dx = __fmaf_rn(term.at.w, x + v * FOURS_X, -term.at.x), p = a[DEGREE];
#pragma unroll
    for (int m = DEGREE - 1; m >= 0; m--)
      p = p * dx + a[m];
    u[v] = p * exp2f(__fmaf_rn(-dx, dx, minus_dy2));
  }
  return make_float4(u[0], u[1], u[2], u[3]);
}

static __device__ __forceinline__ void multiply(const float d[4], float v[4]) {
#pragma unroll
  for (int s = 0; s < 4; s++)
    v[s] *= d[s];
}

static __device__ __forceinline__ float4 four_slices(const orbital_term &term, int power, float z) {
  float d[4], v[4];
#pragma unroll
  for (int s = 0; s < 4; s++) {
    d[s] = __fmaf_rn(term.at.w, z + s, -term.at.z);
    v[s] = exp2f(-(d[s] * d[s]));
  }
  if (power > 0) {
    multiply(d, v);
    if (power > 1) multiply(d, v);
    if (power > 2) multiply(d, v);
  }
  return make_float4(v[0], v[1], v[2], v[3]);
}

/* What a warp's term has of the tile. */
static __device__ __forceinline__ void make_term(const orbital_term &term, const float4 *more, float x, float y,
                                                 float z, int lane, float4 *u, float4 *to_z) {
  int shape = __float_as_int(term.c.w);
#pragma unroll
  for (int begin = 0; begin < FOURS_U; begin += WARP) {
    int four = begin + lane;
    if (FOURS_U % WARP != 0 && four >= FOURS_U) break;
    float at_x = x + lane % FOURS_X, at_y = y + four / FOURS_X;
    switch (shape >> 2) {
    case 0: u[four] = four_columns<0>(term, more, at_x, at_y); break;
    case 1: u[four] = four_columns<1>(term, more, at_x, at_y); break;
    case 2: u[four] = four_columns<2>(term, more, at_x, at_y); break;
    default: u[four] = four_columns<3>(term, more, at_x, at_y);
    }
  }
#pragma unroll
  for (int begin = 0; begin < FOURS_Z; begin += WARP) {
    int four = begin + lane;
    if (FOURS_Z % WARP != 0 && four >= FOURS_Z) break;
    to_z[four] = four_slices(term, shape & 3, z + 4 * four);
  }
}

/* A warp's part of a tile, of terms that it has loaded; loads those of the next tile, from `next` on. */
static __device__ __forceinline__ void make_part(orbital_term own[TERMS_A_WARP], const float4 *next, float x, float y,
                                                 float z, int lane, float4 *u, float4 *to_z) {
#pragma unroll
  for (int w = 0; w < TERMS_A_WARP; w++) {
    make_term(own[w], next + 4 * (w - TERMS) + 2, x, y, z, lane, u + w * FOURS_U, to_z + w * FOURS_Z);
    own[w] = load_term(next + 4 * w);
  }
}

/* ---- sums ---- */

/* A thread's points: 2 rows of 4 in x, each FOURS_X from the next, and 8 slices. */
typedef float thread_sums[8][8];

/* Adds the terms of a tile that are the group's. */
static __device__ __forceinline__ void add_terms(const float4 *u, const float4 *z, thread_sums sum) {
#pragma unroll 8
  for (int e = 0; e < TERMS_OF_GROUP; e++, u += FOURS_U, z += FOURS_Z) {
    float4 a = u[0], b = u[FOURS_X], near = z[0], far = z[4];
    const float columns[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    const float slices[8] = {near.x, near.y, near.z, near.w, far.x, far.y, far.z, far.w};
    /* To and fro: each multiply-add has an operand of the one before. */
#pragma unroll
    for (int s = 0; s < 8; s++)
#pragma unroll
      for (int t = 0; t < 8; t++) {
        int c = s % 2 == 0 ? t : 7 - t;
        sum[c][s] += columns[c] * slices[s];
      }
  }
}

/* Columns, of whose sums the memory of two tiles holds a group's. */
enum { COLUMNS_AT_ONCE = 2 * sizeof(tile) >= 4 * 8 * THREADS_OF_GROUP * sizeof(float) ? 4 : 1 };

/* Adds the sums of the other groups to those of the first, through memory. */
static __device__ __forceinline__ void add_groups(float *memory, int group, int thread, thread_sums sum) {
  for (int g = 1; g < GROUPS; g++)
#pragma unroll
    for (int p = 0; p < 8; p += COLUMNS_AT_ONCE) {
      __syncthreads();
#pragma unroll
      for (int v = 0; v < 8 * COLUMNS_AT_ONCE; v++)
        if (group == g) memory[v * THREADS_OF_GROUP + thread] = sum[p + v / 8][v % 8];
      __syncthreads();
#pragma unroll
      for (int v = 0; v < 8 * COLUMNS_AT_ONCE; v++)
        if (group == 0) sum[p + v / 8][v % 8] += memory[v * THREADS_OF_GROUP + thread];
    }
}

extern "C" __global__ void __launch_bounds__(WARP *WARPS)
    dcs(float *map, const float4 *terms, int nx, int ny, int nz, int first) {
  __shared__ tile tiles[2];
  int lane = threadIdx.x, warp = threadIdx.y, group = warp / WARPS_OF_GROUP, of_group = warp % WARPS_OF_GROUP;
  int i = blockIdx.x * WARP, j = blockIdx.y * ROWS, k = blockIdx.z * SLICES;
  int four = lane / 2 % FOURS_X, row = 2 * (of_group % WARPS_Y);
  int slice = 32 * (of_group / WARPS_Y) + 4 * (lane % 2 + lane / 16 * 2);
  int in_u = row * FOURS_X + four, in_z = slice / 4;
  int n_terms = __float_as_int(terms[1].w);
  float x = (float)i, y = (float)j, z = (float)(first + k);
  int part = warp * TERMS_A_WARP, of_tile = group * TERMS_OF_GROUP;
  bool early = group % 2 == 0;
  thread_sums sum;
  orbital_term own[TERMS_A_WARP];
#pragma unroll
  for (int p = 0; p < 8; p++)
#pragma unroll
    for (int s = 0; s < 8; s++)
      sum[p][s] = 0.0f;
  int at = 4 + 4 * part;
#pragma unroll
  for (int w = 0; w < TERMS_A_WARP; w++)
    own[w] = load_term(terms + at + 4 * w);
  at += 4 * TERMS;
  make_part(own, terms + at, x, y, z, lane, tiles[0].u[part], tiles[0].z[part]);
  __syncthreads();
  int now = 0;
  for (int t = 0; t < n_terms; t += TERMS, now ^= 1) {
    tile *next = &tiles[now ^ 1];
    at += 4 * TERMS;
    if (early) make_part(own, terms + at, x, y, z, lane, next->u[part], next->z[part]);
    add_terms(tiles[now].u[of_tile] + in_u, tiles[now].z[of_tile] + in_z, sum);
    if (!early) make_part(own, terms + at, x, y, z, lane, next->u[part], next->z[part]);
    __syncthreads();
  }
  add_groups((float *)tiles, group, of_group * WARP + lane, sum);
  if (group > 0) return;
#pragma unroll
  for (int p = 0; p < 8; p++)
#pragma unroll
    for (int s = 0; s < 8; s++) {
      int at_x = i + four + p % 4 * FOURS_X, at_y = j + row + p / 4, at_z = k + slice + s % 4 + s / 4 * 16;
      if (at_x < nx && at_y < ny && at_z < nz) map[((long long)at_z * ny + at_y) * nx + at_x] = sum[p][s];
    }
}
