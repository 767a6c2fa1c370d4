/* cuda_neighbours: as cuda_split, but a software reciprocal square root begins with that of the slice beside it.
 *
 * Derives from cuda_split, whose software roots cost 9 issue slots with their addition and sum: each begins
 * with an integer guess of its own. Between adjacent slices r2 changes little where the atom is far. In the
 * middle one of three slices, y = 1/sqrt(r2) comes from the special function units. r2 of the two beside it
 * differs by h^2 +- 2 h dz, which the columns of a brick share, so with s = h^2 +- 2 h dz
 *
 *     d = s y^2                            y^2 once for both; from here on 4 operations a point
 *     e = d - 0.39966                      one FMA with the product above
 *     p = (e^2 + 1.11526) e - 2.67935      2 operations
 *     sum += (q y) p                       1; q y once for both; the factor -0.31359 at the end
 *
 * 1/sqrt(1 + d) as a cubic errs by at most 4.5e-7 (7.5 x 2^-24) for |d| <= 0.06: where the atom is farther
 * than 33 spacings along z, or the root of 33 times |dz| across. Nearer atoms are added as in cuda_split. One
 * test an atom and thread decides, with a margin for the extent of the brick; where atoms fill a
 * map of 256^3 points, 2% of the pairs are near, 11% at 128^3, 56% at 64^3. Every pair of an atom and a point has
 * a root of its own, within the error of cuda_split.
 *
 * Coordinates are counted in units of two spacings. Then points lie multiples of 1/2 apart, s is dz + 1/4 or
 * 1/4 - dz, and what is added is a constant in the instruction and no register.
 *
 * Of four slices three are such a group and one has a root of its own: 13 + 3 issue slots for a column's 4 points,
 * 4.0 an evaluation, and with distances, test and loop 5.0, of which the special function units are busy 4.0. What
 * costs more is the register file: it has two banks, and an instruction that reads two operands from the same one
 * takes two cycles, unless one was kept from the instruction before. Slots and such cycles, counted in the code that
 * nvcc 13.0 makes for sm_90, are 5.5 an evaluation here: 5,900 G a second with the card 97% full. An H200 reaches, the
 * units' rate being 4,173 G:
 *
 *     256^3 points, 4,000 atoms    5,604 (1.34), blocks of 8 x 128; 16 x 64: 5,546; 16 x 16: 5,231
 *     256 x 256 x 264              5,704 (1.37): blocks fill the last wave
 *     256^3, 64 atoms              5,190 (1.24): the map is written once, without zeroing and reading it
 *
 * On maps whose atoms are near, or that do not fill the card, cuda_split and cuda_reduce are as fast or faster.
 * (Tried and slower: a quadratic for |d| <= 0.018 and the cubic behind it; degree 4 for |d| <= 0.12; five slices a
 * group, where more atoms are near; one or four atoms a test; groups side by side and then the slices alone; rows of 64
 * threads, where more of a warp's atoms are near. A text of the same operations with 77 cycles for operands beside its
 * 165 instructions an atom, where this one has 17, reached 4,229.)
 *
 * Parameters: as cuda_volume. Limits: as cuda_volume. */

#include "kernels/coulomb/cuda/brick.cuh"

#define SOFT 5
#include "kernels/coulomb/cuda/offset.cuh"

/* 1/sqrt(1 + d) / NEIGHBOUR_SCALE, for d of at most NEIGHBOUR_MOST either way. */
#define NEIGHBOUR_MOST  0.06f
#define NEIGHBOUR_SCALE -0.313586239f
static __device__ __forceinline__ float neighbour_root(float d) {
  float e = d - 0.399663695f;
  return (e * e + 1.11526153f) * e - 2.67934577f;
}

/* A group begins every PERIOD slices, where the brick has room for it. */
enum { GROUP = 3, PERIOD = 4, GROUPS = COARSEN_Z < GROUP ? 0 : (COARSEN_Z - GROUP) / PERIOD + 1 };
static __device__ __forceinline__ bool in_group(int l) {
  return l % PERIOD < GROUP && l / PERIOD < GROUPS;
}
static __device__ __forceinline__ bool is_neighbour(int l) {
  return in_group(l) && l % PERIOD != 1;
}

/* z is counted from the middle slice of a group in the brick's middle. */
struct group_sums {
  enum { middle = GROUPS ? 1 + (GROUPS - 1) / 2 * PERIOD : 0 };
  static __device__ __forceinline__ float scale(int l) {
    return is_neighbour(l) ? NEIGHBOUR_SCALE : 1.0f;
  }
};

/* Whether |s| y^2 <= NEIGHBOUR_MOST in the whole brick. |s| <= |dz| + 1/4, so what is asked for is
 *
 *     dx^2 + dy^2 + dz^2 >= (|dz| + 1/4) / NEIGHBOUR_MOST
 *
 * in the middle of each group and in each column. Groups are up to HALF away from the slice that z is counted
 * from, and dz^2 there at least dz^2 - 2 HALF |dz|; columns up to WIDE from the brick's middle, and dx^2 there at
 * least dx^2 / 3 - WIDE^2 / 2. */
static __device__ __forceinline__ bool is_far(offset d) {
  constexpr float HALF = 0.5f * (GROUPS / 2 * PERIOD), WIDE = 0.25f * BLOCK_X * (COARSEN_X - 1);
  constexpr float K = HALF + 0.5f / NEIGHBOUR_MOST;
  constexpr float LEAST = K * K + (0.25f + HALF) / NEIGHBOUR_MOST + 0.5f * WIDE * WIDE;
  float dx = d.x + WIDE, dz = fabsf(d.z) - K;
  return dz * dz + (dx * dx * (1 / 3.0f) + d.y * d.y) > LEAST;
}

/* Adds an atom, two of the three points of a group by the root of the third. Column by column, which leaves the
 * fewest operands in the same bank of registers. */
static __device__ __forceinline__ void add_far_atom(offset d, float sum[COARSEN_Z][COARSEN_X]) {
  float dy2 = d.y * d.y;
  float dx[COARSEN_X], dyz2[COARSEN_Z], step[COARSEN_Z];
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++)
    dx[m] = to_column(d, m);
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    const int by = is_neighbour(l) ? l % PERIOD - 1 : 0;
    const float dz = to_slice(d, l - by - group_sums::middle);
    if (by == 0)
      dyz2[l] = dz * dz + dy2;
    else
      step[l] = by > 0 ? 0.25f + dz : 0.25f - dz;
  }
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++) {
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      if (is_neighbour(l)) continue;
      float root = rsqrtf(dx[m] * dx[m] + dyz2[l]);
      if (in_group(l)) {
        float square = root * root, qr = d.q * root;
        sum[l - 1][m] = __fmaf_rn(qr, neighbour_root(square * step[l - 1]), sum[l - 1][m]);
        sum[l + 1][m] = __fmaf_rn(qr, neighbour_root(square * step[l + 1]), sum[l + 1][m]);
      }
      sum[l][m] = __fmaf_rn(d.q, root, sum[l][m]);
    }
  }
}

/* Adds all atoms to the sums of the brick that begins at point (i, j, k), UNROLL at a time. */
static __device__ __forceinline__ void add_atoms(const float4 *global_atoms, int n_atoms, int i, int j, int k,
                                                 float spacing, float sum[COARSEN_Z][COARSEN_X]) {
  const float per_unit = 0.5f / spacing, x = 0.5f * i, y = 0.5f * j, z = 0.5f * (k + group_sums::middle);
  int a = 0;
  for (; a <= n_atoms - UNROLL; a += UNROLL) {
    offset d[UNROLL];
    bool far = true;
#pragma unroll
    for (int b = 0; b < UNROLL; b++) {
      d[b] = offset_of(ATOM(a + b), x, y, z, per_unit);
      far = far & is_far(d[b]);
    }
    if (far) {
#pragma unroll
      for (int b = 0; b < UNROLL; b++)
        add_far_atom(d[b], sum);
    } else {
#pragma unroll 1
      for (int b = 0; b < UNROLL; b++)
        add_own_roots<group_sums>(offset_of(ATOM(a + b), x, y, z, per_unit), sum);
    }
  }
#pragma unroll 1
  for (; a < n_atoms; a++)
    add_own_roots<group_sums>(offset_of(ATOM(a), x, y, z, per_unit), sum);
  scale_sums<group_sums>(per_unit, sum);
}

/* Bricks of up to 32 points fit into 64 registers, and 1,024 such threads into an SM: what small blocks would
 * not be given otherwise. */
enum { THREADS = BLOCK_X * BLOCK_Y, BLOCKS_OF_SM = COARSEN_X * COARSEN_Z <= 32 && THREADS <= 512 ? 1024 / THREADS : 1 };

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_OF_SM)
    dcs(float *map, const float4 *global_atoms, int n_atoms, int nx, int ny, int nz, int first_k,
        float spacing, int adds) {
  int i = blockIdx.x * (BLOCK_X * COARSEN_X) + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z * COARSEN_Z;
  if (i >= nx || j >= ny) return;

  float sum[COARSEN_Z][COARSEN_X] = {};
  add_atoms(global_atoms, n_atoms, i, j, first_k + k, spacing, sum);
  put_in_map<COARSEN_Z>(sum, i, j, k, nx, ny, nz, adds, map);
}
