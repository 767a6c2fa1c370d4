/* cuda_born_tensor: distances of pairs as a product of two matrices, on tensor cores; one reciprocal for two pairs.
 *
 * Derives from cuda_born_tiles: blocks, rows, tiles and the order of atoms are the same. A far term is one over the
 * square of u = scale r^2 + shift, but for a constant (far_series), and from the middle of the box around a block's
 * atoms that is
 *
 *     u = (-2 a) . (scale s) + |a|^2 scale + (scale |s|^2 + shift)
 *
 * for atoms at a and spheres at s: a product of 16 atoms by 8 spheres, one instruction of a warp. Tensor cores multiply
 * numbers of 11 bits (half precision) and add in single precision. A number is a sum of two such: of three coordinates
 * and |a|^2 first bits stand against first bits, the others against first bits, and first bits against the others; in
 * the fourth place what is added to all atoms stands against a constant, in three parts. That makes 4 x 4 columns.
 *
 * Of two spheres a lane has v = u^2 + plus, and 1 / v0 + 1 / v1 = (v0 + v1) / (v0 v1). A far pair takes half a
 * reciprocal, 2.5 other instructions, and a quarter of one for its product.
 *
 * A lane prepares a sphere for all that read it: its distance from the box, scale, shift, and parts. Spheres that are
 * near the box are left out of the tile and listed; 32 listed ones are computed in single precision, an atom a lane.
 * So are spheres that half precision has no room for: of radii below 0.025 or above 3.6 angstrom, some 1,000 angstrom
 * away or more, or all of them where a block's atoms are as far apart as 490.
 *
 * An H200 takes 2.14 ms for 100,000 atoms in random order, sorting included, cuda_born_tiles 4.36 in the same call:
 * 56% of what its special function units allow by half a reciprocal a pair. In the loop over a tile 192 atoms and 8
 * spheres take 168 instructions a lane for 48 pairs, and a tile some 120 beside. Schedulers issue in 69% of all cycles;
 * what waits is a reciprocal for its queue, and for registers that products read meanwhile.
 * (Tried and slower: four pairs a reciprocal, 3.25 instructions for 2.5 and a reciprocal less; two groups of spheres a
 * pass of the loop; registers for 24 warps an SM; products in TF32, two for one.)
 *
 * Parameters: block_y, rows of 32 threads a block, 1..8; coarsen, atoms a thread, 1..6; order, input or place.
 * Limits: compute capability 8.0. */

#include "kernels/born/cuda/born.cuh"
#include "kernels/born/cuda/sort.cuh"
#include "kernels/common/cuda/tensor.cuh"

enum {
  WARP = 32,
  THREADS = WARP * BLOCK_Y,
  WARPS_AN_SM = 16,       /* at least: 128 registers a thread */
  ATOMS = WARP * COARSEN, /* of a block */
  ROWS = 16,              /* of a product: atoms */
  COLUMNS = 8,            /* spheres */
  PRODUCTS = ATOMS / ROWS,
  FLUSHED = 32 /* tiles whose terms are summed on their own: in long sums what is small is lost */
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

static __device__ __forceinline__ float4 load_atom(const float4 *atoms, int i, int n_atoms) {
  return atoms[min(i, n_atoms - 1)];
}

/* The largest number in half precision is 65,504. */
#define MOST_HALF 6e4f

/* From a quarter of the half diagonal on, a sphere's distance from the middle, whose square rounds, is at most five
 * times that from any atom. The margin is for rounding. Atoms too far apart for half precision have nothing far. */
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

/* A warp's spheres, as lanes read them: b[t] has rows 2 t, 2 t + 1 and those 8 further on of the second factor. */
struct tile {
  uint2 b[4][WARP + 4]; /* so that lanes of different rows read different banks */
  float plus[WARP];
};

/* Rows g and g + 8 of each 16 atoms, as lanes give them to products. */
struct own_atoms {
  unsigned a[PRODUCTS][4];
  float sum[PRODUCTS][2];
};

/* What is added to all atoms is counted in units of this: squares of distances are larger than numbers in half
 * precision. */
#define ADDED 32.0f

/* Lane t has a coordinate times -2, or |a|^2: the first bits and the others, then the first bits and the constant. */
static __device__ __forceinline__ own_atoms load_atoms(const float4 *atoms, int first, int n_atoms, const box &box) {
  own_atoms own;
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int p = 0; p < PRODUCTS; p++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float4 atom = load_atom(atoms, first + p * ROWS + r * 8 + g, n_atoms);
      float x = atom.x - box.middle[0], y = atom.y - box.middle[1], z = atom.z - box.middle[2];
      float v = t < 3 ? -2.0f * (t == 0 ? x : t == 1 ? y : z) : square_length(x, y, z);
      own.a[p][r] = two_halves(v, v - first_half(v));
      own.a[p][r + 2] = two_halves(v, ADDED);
      own.sum[p][r] = 0.0f;
    }
  return own;
}

/* The first bits twice, then the others and a part of what is added. */
static __device__ __forceinline__ uint2 factors(float v, float added) {
  return make_uint2(two_halves(v, v), two_halves(v - first_half(v), added));
}

/* Radii between which scale and scale s are numbers in half precision, and scale's last bits are. */
#define LEAST_FAR  0.025f
#define MOST_FAR   3.6f
#define MOST_ADDED (MOST_HALF * ADDED)

/* Stores a lane's sphere where it is far from all atoms in the box, and half precision has room for it; else one that
 * takes next to nothing. Whether it is. */
static __device__ __forceinline__ bool store_sphere(float4 sphere, const box &box, tile *tile) {
  int lane = threadIdx.x;
  far_series series = far_series_of(sphere.w);
  float x = sphere.x - box.middle[0], y = sphere.y - box.middle[1], z = sphere.z - box.middle[2];
  float dx = fmaxf(0.0f, fabsf(x) - box.half[0]), dy = fmaxf(0.0f, fabsf(y) - box.half[1]);
  float dz = fmaxf(0.0f, fabsf(z) - box.half[2]);
  float added = series.scale * square_length(x, y, z) + series.shift;
  bool far = square_length(dx, dy, dz) > fmaxf(1.0001f * near2_of_sphere(sphere.w), box.least2) && added < MOST_ADDED &&
             sphere.w > LEAST_FAR && sphere.w < MOST_FAR;
  float scale = far ? series.scale : 0.0f;
  float first = far ? added * (1.0f / ADDED) : 0.0f, second = first - first_half(first);
  tile->b[0][lane] = factors(scale * x, first);
  tile->b[1][lane] = factors(scale * y, second);
  tile->b[2][lane] = factors(scale * z, second - first_half(second));
  tile->b[3][lane] = factors(scale, 0.0f);
  tile->plus[lane] = far ? series.plus : 1e18f; /* the product of two is in range */
  return far;
}

/* Adds the terms of two spheres. */
static __device__ __forceinline__ void add_terms(const float u[2], float2 plus, float *sum) {
  float v0 = u[0] * u[0] + plus.x, v1 = u[1] * u[1] + plus.y;
  *sum += (v0 + v1) * reciprocal(v0 * v1);
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
  columns next = load_columns(tile, 0);
#pragma unroll 1
  for (int n = 0; n < WARP; n += COLUMNS) {
    const unsigned b[2] = {next.b.x, next.b.y};
    float2 plus = next.plus;
    next = load_columns(tile, (n + COLUMNS) % WARP);
#pragma unroll
    for (int p = 0; p < PRODUCTS; p++) {
      float u[4] = {0.0f, 0.0f, 0.0f, 0.0f};
      multiply_add_half(u, own->a[p], b);
      add_terms(u, plus, &own->sum[p][0]);
      add_terms(u + 2, plus, &own->sum[p][1]);
    }
  }
}

/* Adds a lane's sums to those of the warp's atoms, of which four lanes have each. */
static __device__ __forceinline__ void flush(own_atoms *own, float sums[ATOMS]) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int p = 0; p < PRODUCTS; p++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float sum = own->sum[p][r];
      sum += __shfl_xor_sync(ALL_LANES, sum, 1);
      sum += __shfl_xor_sync(ALL_LANES, sum, 2);
      if (t == 0) sums[p * ROWS + r * 8 + g] += sum;
      own->sum[p][r] = 0.0f;
    }
}

/* ---- spheres near the box ---- */

/* Of a warp: those listed, and 32 of them as they are computed. */
struct near_spheres {
  int number[2 * WARP];
  float4 where[WARP];  /* the square within which it is near, and its place */
  float4 series[WARP]; /* scale, shift, plus; its radius */
};

/* Lists the spheres of those lanes where `near`; how many are listed then. */
static __device__ __forceinline__ int list_near(near_spheres *spheres, int listed, bool near, int sphere) {
  unsigned lanes = __ballot_sync(ALL_LANES, near);
  if (near) spheres->number[listed + __popc(lanes & ((1u << threadIdx.x) - 1u))] = sphere;
  return listed + __popc(lanes);
}

/* Adds the pairs of the last spheres listed, 32 or fewer: an atom a lane at a time. */
static __device__ __forceinline__ void add_near(near_spheres *spheres, int listed, const float4 *atoms, int i,
                                                int n_atoms, born born, float sums[ATOMS]) {
  int begin = max(listed - WARP, 0), n = listed - begin, lane = threadIdx.x;
  __syncwarp();
  if (lane < n) {
    float4 sphere = sphere_of(atoms[spheres->number[begin + lane]], born);
    far_series series = far_series_of(sphere.w);
    spheres->where[lane] = make_float4(near2_of_sphere(sphere.w), sphere.x, sphere.y, sphere.z);
    spheres->series[lane] = make_float4(series.scale, series.shift, series.plus, sphere.w);
  }
  __syncwarp();
#pragma unroll 1
  for (int k = 0; k < COARSEN; k++) {
    float4 atom = load_atom(atoms, i + k * WARP, n_atoms);
    float near2 = near2_of_atom(atom.w), sum = 0.0f;
    unsigned left = 0;
#pragma unroll 4
    for (int j = 0; j < n; j++) {
      float4 where = spheres->where[j], series = spheres->series[j];
      float r2 = square_length(atom.x - where.y, atom.y - where.z, atom.z - where.w);
      float u = series.x * r2 + series.y, term = reciprocal(u * u + series.z);
      if (r2 > fmaxf(where.x, near2))
        sum += term;
      else
        left |= 1u << j;
    }
    for (; left; left &= left - 1) {
      int j = __popc((left & -left) - 1);
      float4 where = spheres->where[j];
      float r2 = square_length(atom.x - where.y, atom.y - where.z, atom.z - where.w);
      sum += near_term(r2, atom.w, spheres->series[j].w);
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
        listed = list_near(&near[row], listed, !far && sphere.w > LEAST_RADIUS, first + lane);
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
