/* cuda_born_tensor: distances of pairs as a product of two matrices, on tensor cores. */

#include "kernels/born/cuda/born.cuh"
#include "kernels/born/cuda/sort.cuh"
#include "kernels/common/cuda/tensor.cuh"

enum {
  WARP = 32,
  THREADS = WARP * BLOCK_Y,
  ATOMS = WARP * COARSEN, /* of a block */
  ROWS = 16,              /* atoms of a product */
  PRODUCTS = ATOMS / ROWS,
  COLUMNS = 8, /* spheres of a product */
  GROUPS = PAIRS_A_RECIPROCAL == 4 ? 2 : 1, /* of eight spheres at once */
  FLUSHED = 32 /* tiles that are summed on their own: in long sums what is small is lost */
};
#define ALL_LANES 0xffffffffu

/* ---- spheres ---- */

/* Atom j; beyond the last, one that takes nothing. */
static __device__ __forceinline__ float4 load_or_none(const float4 *atoms, int j, int n_atoms) {
  return j < n_atoms ? atoms[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* What an atom descreens others as, its radius last. */
static __device__ __forceinline__ float4 sphere_of(float4 atom, born born) {
  return make_float4(atom.x, atom.y, atom.z, born.descreening * atom.w);
}

/* A sphere takes nothing that counts below this, angstrom; its cube is in range. */
#define LEAST_RADIUS 1e-6f

/* A far term is 1 / (u^2 + plus), u = scale r^2 + shift: one over the series is a polynomial of x = s^2 / r^2 whose
 * coefficients fall fast, and that of degree 2 is off by 3.4 u at most for x <= 1/16 (minimax). */
struct far_series {
  float scale, shift, plus;
};
static __device__ __forceinline__ far_series far_series_of(float s) {
  float s2 = s * s, per_s15 = rsqrtf(s * s2);
  return {0x1.bb67b2p0f * per_s15, -0x1.0a0e38p0f * (s2 * per_s15), -0x1.386574p-1f * s};
}

static __device__ __forceinline__ float square_length(float x, float y, float z) {
  return x * x + y * y + z * z;
}

/* ---- the box around a block's atoms ---- */

struct box {
  float middle[3], half[3], least2; /* the square of how far away a sphere is far from all */
};

static __device__ __forceinline__ float least_of_warp(float v) {
#pragma unroll
  for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
    v = fminf(v, __shfl_xor_sync(ALL_LANES, v, lanes));
  return v;
}

static __device__ __forceinline__ float4 load_atom(const float4 *atoms, int i, int n_atoms) {
  return atoms[min(i, n_atoms - 1)];
}

/* What squares of lengths may be in half precision. */
#define MOST_HALF 6e4f

/* Beyond a quarter of the box's half diagonal squares of lengths from its middle, whose rounding counts, are at most 25
 * times those of distances. */
static __device__ __forceinline__ box box_of(const float4 *atoms, int first, int n_atoms) {
  float lo[3] = {1e30f, 1e30f, 1e30f}, hi[3] = {1e30f, 1e30f, 1e30f}, near2 = 0.0f;
  for (int k = 0; k < COARSEN; k++) {
    float4 atom = load_atom(atoms, first + k * WARP + threadIdx.x, n_atoms);
    const float at[3] = {atom.x, atom.y, atom.z};
#pragma unroll
    for (int d = 0; d < 3; d++) {
      lo[d] = fminf(lo[d], at[d]);
      hi[d] = fminf(hi[d], -at[d]);
    }
    near2 = fmaxf(near2, near2_of_atom(atom.w));
  }
  box box;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    float least = least_of_warp(lo[d]), most = -least_of_warp(hi[d]);
    box.middle[d] = 0.5f * (least + most);
    box.half[d] = fmaxf(most - box.middle[d], box.middle[d] - least);
  }
  float radius2 = square_length(box.half[0], box.half[1], box.half[2]);
  box.least2 = radius2 < MOST_HALF ? fmaxf(-1.0001f * least_of_warp(-near2), 0.0625f * radius2) : 1e38f;
  return box;
}

/* ---- far pairs ---- */

/* A warp's spheres, as lanes read them: b[t] are rows 2 t, 2 t + 1 and 2 t + 8, 2 t + 9 of a product's second factor. */
struct tile {
  uint2 b[4][WARP + 4]; /* so that lanes of different rows read different banks */
  float plus[WARP];
};

/* Rows g and g + 8 of each 16 atoms, as lanes give them to products. */
struct own_atoms {
  unsigned a[PRODUCTS][4];
  float sum[PRODUCTS][2];
};

/* u is counted in units of this. */
#if PAIRS_A_RECIPROCAL == 4
#define UNIT 0x1p-4f
#else
#define UNIT 1.0f
#endif

/* What is added to all products, in units of this, which leaves room for large squares. */
#define ADDED 32.0f

/* Of lane t -2 times a coordinate from the middle of the box, or at last the square of its length: its first bits and the others
 * beside the other factor's first bits, the first bits beside the others. */
static __device__ __forceinline__ own_atoms load_atoms(const float4 *atoms, int first, int n_atoms, const box &box) {
  own_atoms own;
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int p = 0; p < PRODUCTS; p++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float4 atom = load_atom(atoms, first + p * ROWS + r * 8 + g, n_atoms);
      float x = atom.x - box.middle[0], y = atom.y - box.middle[1], z = atom.z - box.middle[2];
      float v = t < 3 ? -2.0f * (UNIT < 1.0f ? 0.25f : 1.0f) * (t == 0 ? x : t == 1 ? y : z) : UNIT * square_length(x, y, z);
      own.a[p][r] = two_halves(v, v - first_half(v));
      own.a[p][r + 2] = two_halves(v, ADDED);
      own.sum[p][r] = 0.0f;
    }
  return own;
}

static __device__ __forceinline__ uint2 factors(float v, float added) {
  return make_uint2(two_halves(v, v), two_halves(v - first_half(v), added));
}

/* Stores a lane's sphere, if it is far from all atoms in the box, and half precision has room for it; else one that
 * takes next to nothing. Whether it is; the margin is for rounding. */
#define MOST_ADDED (MOST_HALF * ADDED)
#define LEAST_FAR  0.025f
#define MOST_FAR   3.6f
static __device__ __forceinline__ bool store_sphere(float4 sphere, const box &box, tile *tile) {
  int lane = threadIdx.x;
  far_series series = far_series_of(sphere.w);
  float x = sphere.x - box.middle[0], y = sphere.y - box.middle[1], z = sphere.z - box.middle[2];
  float dx = fmaxf(0.0f, fabsf(x) - box.half[0]), dy = fmaxf(0.0f, fabsf(y) - box.half[1]);
  float dz = fmaxf(0.0f, fabsf(z) - box.half[2]);
  float added = series.scale * square_length(x, y, z) + series.shift;
  bool far = square_length(dx, dy, dz) > fmaxf(1.0001f * near2_of_sphere(sphere.w), box.least2) && added < (UNIT < 1.0f ? 2e5f : MOST_ADDED) &&
             sphere.w > LEAST_FAR && sphere.w < MOST_FAR;
  float scale = far ? series.scale : 0.0f, part = UNIT < 1.0f ? 4.0f * UNIT * scale : scale;
  float first = far ? added * (UNIT / ADDED) : 0.0f, second = first - first_half(first);
  tile->b[0][lane] = factors(part * x, first);
  tile->b[1][lane] = factors(part * y, second);
  tile->b[2][lane] = factors(part * z, second - first_half(second));
  tile->b[3][lane] = factors(scale, 0.0f);
  tile->plus[lane] = far ? UNIT * UNIT * series.plus : UNIT < 1.0f ? 4e9f : 1e18f;
  return far;
}

/* Adds the terms of two spheres, or of twice two. */
static __device__ __forceinline__ void add_terms(const float u[GROUPS][4], const float2 plus[GROUPS], int r,
                                                 float *sum) {
  float v[GROUPS][2];
#pragma unroll
  for (int n = 0; n < GROUPS; n++) {
    v[n][0] = u[n][2 * r] * u[n][2 * r] + plus[n].x;
    v[n][1] = u[n][2 * r + 1] * u[n][2 * r + 1] + plus[n].y;
  }
#if PAIRS_A_RECIPROCAL == 1
  *sum += reciprocal(v[0][0]);
  *sum += reciprocal(v[0][1]);
#elif PAIRS_A_RECIPROCAL == 2
  *sum += (v[0][0] + v[0][1]) * reciprocal(v[0][0] * v[0][1]);
#else
  float m0 = v[0][0] * v[0][1], m1 = v[1][0] * v[1][1];
  *sum += ((v[0][0] + v[0][1]) * m1 + (v[1][0] + v[1][1]) * m0) * reciprocal(m0 * m1);
#endif
}

/* What a lane reads of eight spheres. */
struct columns {
  uint2 b;
  float2 plus;
};
static __device__ __forceinline__ columns load_columns(const tile &tile, int n) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  return {tile.b[t][n + g], make_float2(tile.plus[n + 2 * t], tile.plus[n + 2 * t + 1])};
}

/* Adds the terms of a tile; what eight spheres need is loaded while those before are computed. */
static __device__ __forceinline__ void add_tile(const tile &tile, own_atoms *own) {
  columns next[GROUPS];
#pragma unroll
  for (int k = 0; k < GROUPS; k++)
    next[k] = load_columns(tile, k * COLUMNS);
#pragma unroll SPHERES_UNROLLED
  for (int n = 0; n < WARP; n += GROUPS * COLUMNS) {
    unsigned b[GROUPS][2];
    float2 plus[GROUPS];
#pragma unroll
    for (int k = 0; k < GROUPS; k++) {
      b[k][0] = next[k].b.x;
      b[k][1] = next[k].b.y;
      plus[k] = next[k].plus;
      next[k] = load_columns(tile, (n + (GROUPS + k) * COLUMNS) % WARP);
    }
#pragma unroll
    for (int p = 0; p < PRODUCTS; p++) {
      float u[GROUPS][4];
#pragma unroll
      for (int k = 0; k < GROUPS; k++) {
        u[k][0] = u[k][1] = u[k][2] = u[k][3] = 0.0f;
        multiply_add_half(u[k], own->a[p], b[k]);
      }
      add_terms(u, plus, 0, &own->sum[p][0]);
      add_terms(u, plus, 1, &own->sum[p][1]);
    }
  }
}

/* Four lanes have an atom's sums. */
static __device__ __forceinline__ void flush(own_atoms *own, float sums[ATOMS]) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int p = 0; p < PRODUCTS; p++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float sum = own->sum[p][r];
      sum += __shfl_xor_sync(ALL_LANES, sum, 1);
      sum += __shfl_xor_sync(ALL_LANES, sum, 2);
      if (t == 0) sums[p * ROWS + r * 8 + g] += UNIT * UNIT * sum;
      own->sum[p][r] = 0.0f;
    }
}

/* ---- pairs of spheres near the box ---- */

struct near_spheres {
  float4 where[WARP], series[WARP]; /* the square within which it is near, and its place; its radius last */
  int number[2 * WARP];
};

/* Adds the pairs of the last spheres listed, 32 or fewer: an atom a lane at a time. */
static __device__ __forceinline__ void add_near(near_spheres *near, int listed, const float4 *atoms, int i, int n_atoms,
                                                born born, float sums[ATOMS]) {
  int begin = max(listed - WARP, 0), n = listed - begin, lane = threadIdx.x;
  __syncwarp();
  if (lane < n) {
    float4 sphere = sphere_of(atoms[near->number[begin + lane]], born);
    far_series series = far_series_of(sphere.w);
    near->where[lane] = make_float4(near2_of_sphere(sphere.w), sphere.x, sphere.y, sphere.z);
    near->series[lane] = make_float4(series.scale, series.shift, series.plus, sphere.w);
  }
  __syncwarp();
#pragma unroll 1
  for (int k = 0; k < COARSEN; k++) {
    float4 atom = load_atom(atoms, i + k * WARP, n_atoms);
    float near2 = near2_of_atom(atom.w), sum = 0.0f;
    unsigned left = 0;
#pragma unroll 4
    for (int j = 0; j < n; j++) {
      float4 where = near->where[j], series = near->series[j];
      float r2 = square_length(atom.x - where.y, atom.y - where.z, atom.z - where.w);
      float u = series.x * r2 + series.y, term = reciprocal(u * u + series.z);
      if (r2 > fmaxf(where.x, near2))
        sum += term;
      else
        left |= 1u << j;
    }
    for (; left; left &= left - 1) {
      int j = __popc((left & -left) - 1);
      float4 where = near->where[j];
      float r2 = square_length(atom.x - where.y, atom.y - where.z, atom.z - where.w);
      sum += near_term(r2, atom.w, near->series[j].w);
    }
    sums[k * WARP + lane] += sum;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, WARPS_AN_SM / BLOCK_Y)
    dcs(float *radii, const float4 *atoms, const int *numbers, int n_atoms, born born) {
  __shared__ tile tiles[BLOCK_Y];
  __shared__ near_spheres near[BLOCK_Y];
  __shared__ float sums[BLOCK_Y][ATOMS];
  int row = threadIdx.y, lane = threadIdx.x;
  int begin = blockIdx.x * ATOMS, i = begin + lane, listed = 0;
  box box = box_of(atoms, begin, n_atoms);
  own_atoms own = load_atoms(atoms, begin, n_atoms, box);
  for (int k = 0; k < COARSEN; k++)
    sums[row][k * WARP + lane] = 0.0f;

  float4 next = load_or_none(atoms, row * WARP + lane, n_atoms);
  for (int part = row * WARP; part < n_atoms; part += FLUSHED * THREADS) {
    for (int first = part; first < min(part + FLUSHED * THREADS, n_atoms); first += THREADS) {
      float4 sphere = sphere_of(next, born);
      next = load_or_none(atoms, first + THREADS + lane, n_atoms); /* long before it is needed */
      __syncwarp();                                                /* nobody reads the tile before any more */
      bool far = store_sphere(sphere, box, &tiles[row]);
      if (!__all_sync(ALL_LANES, far)) {
        unsigned nears = __ballot_sync(ALL_LANES, !far && sphere.w > LEAST_RADIUS);
        if (nears >> lane & 1u) near[row].number[listed + __popc(nears & ((1u << lane) - 1u))] = first + lane;
        listed += __popc(nears);
        if (listed >= WARP) {
          add_near(&near[row], listed, atoms, i, n_atoms, born, sums[row]);
          listed -= WARP;
        }
      }
      __syncwarp();
      if (__any_sync(ALL_LANES, far)) add_tile(tiles[row], &own);
    }
    flush(&own, sums[row]);
  }
  __syncwarp();
  if (listed) add_near(&near[row], listed, atoms, i, n_atoms, born, sums[row]);

  __syncthreads();
  for (int k = row; k < COARSEN; k += BLOCK_Y) {
    float sum = sums[0][k * WARP + lane];
    for (int r = 1; r < BLOCK_Y; r++)
      sum += sums[r][k * WARP + lane];
    int at = i + k * WARP;
    if (at < n_atoms) radii[ORDER == ORDER_PLACE ? numbers[at] : at] = born_radius(born, atoms[at].w, sum);
  }
}
