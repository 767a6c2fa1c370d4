/* cuda_density_cells: the atoms whose Gaussians reach a point, found through sorted cells; all on
 * the GPU.
 *
 * Derives from cuda_cutoff_cells. Cells cover the grid's box; an atom outside that still reaches it
 * is in the nearest. cells.cuh says how the atoms are sorted into them. Each atom has a cutoff of its
 * own; the farthest is found on the way. A block takes the runs of the rows of cells within the
 * farthest reach of its points, a tile of atoms at a time, and lists for each warp, 8 x 4 x
 * COARSEN_Z points, those of the tile that reach the box around them.
 *
 * The exponent of a term is x = fall (dx^2 + dy^2 + dz^2), fall = -rate / R^2. All threads of a
 * block have the same slices, so fall dz^2 is computed once an atom and block, and lies in shared
 * memory with what it leaves to fall (dx^2 + dy^2) before the term no longer counts. With
 * terms=pairs each pair then takes an addition, a comparison, a power of two and an addition: the
 * special function units, which take a warp's power of two in 8 cycles a scheduler, bind, and 4 of
 * these 8 issue slots are left over. SOFT of the thread's COARSEN_Z points use them and compute
 *
 *     x = n + f, n an integer, |f| <= 1/2       3 operations: 1.5 2^23 is added, which rounds
 *     2^f, a polynomial of degree 5, 1 at 0     5 operations, off by 1.6 x 2^-24
 *     n to the exponent                         1 integer operation
 *
 * 12 slots against 4: at a share s of them the units are busy 8 (1 - s) cycles, and the issue port
 * 5.5 + 8 s with loads and what a column takes; they balance at a sixth. With terms=columns the
 * Gaussian is what it is, a product: 2^(fall (dx^2 + dy^2)) once a column of COARSEN_Z points,
 * 2^(fall dz^2) once an atom and slice in shared memory. A pair is a comparison, a multiply-add and
 * half a load of 16 bytes: 2.5 slots, and 9 more a column, one of them on the special function
 * units. At 8 points that is 3.6 slots a pair, less than half of what a power of two a pair takes.
 *
 * (Weighed and not done: advancing over z by recurrence, t *= g, g *= w: two multiplications where
 * the product above has none, the comparison still to come, and rounding that grows with the
 * points. A Gaussian of x and one of y from shared memory in place of the column's power of two:
 * two slots fewer of 29, for loads that differ from lane to lane.)
 *
 * Making the lists: a lane looks at every 32nd atom of the tile for its warp, some 16 operations
 * each, and finds its place in the list from what the lanes before it found, some 100 operations a
 * tile. The tile: some 8 operations an atom and slice, on one thread. At a reach of 5.6 and 1
 * angstrom between points a warp of 8 x 4 x 8 lists a third of what its block of 8 x 16 x 8 takes
 * from cells of 3. (Weighed and not done: 32 adjacent atoms a lane, as cuda_cutoff_cells has it.
 * With tiles as small as here one warp then lists for all, on one scheduler.)
 *
 * Parameters: block_x, a multiple of 8, block_y, a multiple of 4, product up to 1024; coarsen_z, an
 * even number of adjacent slices of a thread, 2..16; cell_edge in tenths of an angstrom (longer
 * where there would be too many cells); tile_atoms, a multiple of 32, to 1024; terms; soft, with
 * terms=pairs. What is in shared memory must fit 48 KB.
 * Limits: at most 65,535 blocks in y and in z; the scratch memory has 28 bytes an atom, 8 a cell,
 * and there are 4 bytes of counters a cell. One atom that reaches far makes all blocks look far. A
 * ball fills a fifth of the points of the warps that it reaches, at the figures above. */

/* The cells, and what counts; as the descriptor has it. */
struct cell_grid {
  float edge, per_edge; /* the corner is (0, 0, 0); per_edge: 1 / edge */
  float end[3];         /* the last point */
  float rate;           /* -fall of an atom of radius 1 */
  float limit, least;   /* an exponent counts from -limit on; -limit with a margin for rounding */
  int nx, ny, nz;       /* cells */
};

static __device__ __forceinline__ float cell_coordinate(float v, cell_grid cells) {
  return v * cells.per_edge;
}

static __device__ __forceinline__ float cell_begin(int i, cell_grid cells) {
  return cells.edge * i;
}

#include "kernels/common/cuda/cells.cuh"

/* Below any fall. */
#define LOWEST -3.0e38f

/* Scratch memory behind that of the cells: the highest fall of the atoms that the grid sees, then
 * that of each block that sorts. */
static __device__ __forceinline__ float *falls_of(cell_memory m) {
  return (float *)m.end;
}

/* ---- sorting ---- */

static __device__ __forceinline__ float fall_of(float4 atom, cell_grid cells) {
  return -cells.rate / (atom.w * atom.w);
}

/* -1: the atom does not reach the grid; NaN, of no radius, does not. */
static __device__ __forceinline__ int cell_of(float4 atom, cell_grid cells) {
  float dx = outside(atom.x, 0.0f, cells.end[0]), dy = outside(atom.y, 0.0f, cells.end[1]),
        dz = outside(atom.z, 0.0f, cells.end[2]);
  int x = clamped_cell(atom.x, cells.nx, cells), y = clamped_cell(atom.y, cells.ny, cells),
      z = clamped_cell(atom.z, cells.nz, cells);
  bool seen = fall_of(atom, cells) * (dx * dx + dy * dy + dz * dz) >= cells.least;
  return seen ? (z * cells.ny + y) * (cells.nx + 1) + x : -1;
}

/* The highest of the block's values, for thread 0. All threads of the block call it. */
static __device__ __forceinline__ float highest(float *values, float mine) {
  values[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int t = 1; t < SORT_THREADS; t++)
      mine = fmaxf(mine, values[t]);
  return mine;
}

/* A block finds the groups of its atoms, and the highest fall. */
extern "C" __global__ void group_atoms(float *scratch, int *counters, const float4 *atoms,
                                       int n_atoms, cell_grid cells) {
  __shared__ int cell[SORT_THREADS];
  __shared__ float falls[SORT_THREADS];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.x, a = blockIdx.x * SORT_THREADS + t;
  int mine = a < n_atoms ? cell_of(atoms[a], cells) : -1;
  cell[t] = mine;
  float farthest = highest(falls, mine < 0 ? LOWEST : fall_of(atoms[a], cells));
  if (t == 0) falls_of(m)[1 + blockIdx.x] = farthest;
  group_atom(m, counters, cell, mine, a);
}

/* The highest fall of all blocks. */
static __device__ __forceinline__ void find_farthest(cell_memory m, int n_atoms) {
  __shared__ float falls[SORT_THREADS];
  float mine = LOWEST;
  for (int b = threadIdx.x; b < (n_atoms - 1) / SORT_THREADS + 1; b += SORT_THREADS)
    mine = fmaxf(mine, falls_of(m)[1 + b]);
  mine = highest(falls, mine);
  if (threadIdx.x == 0) falls_of(m)[0] = mine;
}

extern "C" __global__ void place_rows(float *scratch, int *counters, int n_atoms, cell_grid cells) {
  cell_memory m = memory_of(scratch, n_atoms, cells);
  if (blockIdx.x == 0) find_farthest(m, n_atoms);
  place_row(m, counters, cells);
}

extern "C" __global__ void place_atoms(float *scratch, int *counters, const float4 *atoms,
                                       int n_atoms, cell_grid cells) {
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int before = blockIdx.x * SORT_THREADS, a = before + threadIdx.x;
  if (a == 0) counters[PLACED] = 0;
  if (a >= n_atoms) return;
  float4 atom = atoms[a];
  int cell = cell_of(atom, cells);
  if (cell < 0) return;
  atom.w = fall_of(atom, cells);
  m.sorted[place_in_cell(m, cell, a, before)] = atom;
}

/* ---- which atoms a warp sees ---- */

/* float4 of an atom of a tile; odd: no two of 8 share a bank. */
enum { RECORD = COARSEN_Z / 2 + 1 | 1 };

/* Which of the tile's n atoms number lane, lane + 32, ... reach the box: a bit each. None, if the
 * box lies beyond the grid: x1 < x0 or y1 < y0. */
static __device__ __forceinline__ unsigned near_box(const float4 *tile, int lane, int n, box b,
                                                    float least) {
  unsigned bits = 0;
  if (b.x1 < b.x0 || b.y1 < b.y0) return bits;
#pragma unroll 4
  for (int w = 0; w * WARP + lane < n; w++) {
    float4 atom = tile[(w * WARP + lane) * RECORD];
    float dx = outside(atom.x, b.x0, b.x1), dy = outside(atom.y, b.y0, b.y1),
          dz = outside(atom.w, b.z0, b.z1);
    if (atom.z * (dx * dx + dy * dy + dz * dz) >= least) bits |= 1u << w;
  }
  return bits;
}

struct warp_lists {
  int counts[THREADS];                      /* atoms that each lane found */
  unsigned short atoms[WARPS * TILE_ATOMS]; /* numbers in the tile */
};

/* Writes the atoms that a lane found into its warp's list, behind those of the lanes before;
 * returns the length of the list. */
static __device__ __forceinline__ int write_list(warp_lists *lists, int warp, int lane,
                                                 unsigned bits) {
  int at = 0, n = 0;
#pragma unroll
  for (int l = 0; l < WARP; l++) {
    int count = lists->counts[warp * WARP + l];
    at += l < lane ? count : 0;
    n += count;
  }
  for (int w = 0; bits >> w; w++)
    if (bits >> w & 1) lists->atoms[warp * TILE_ATOMS + at++] = (unsigned short)(w * WARP + lane);
  return n;
}

/* ---- the map ---- */

/* 2^x for -126 <= x <= 0; any value for lower x. */
static __device__ __forceinline__ float soft_exp2(float x) {
  float t = x + 12582912.0f, f = x - (t - 12582912.0f);
  float p = f * 0.00132647285f + 0.00967151392f;
  p = p * f + 0.0555073358f;
  p = p * f + 0.240222424f;
  p = p * f + 0.693147004f;
  p = p * f + 1.0f;
  return __int_as_float(__float_as_int(p) + (__float_as_int(t) << 23));
}

/* Whether point l of a thread is one of the SOFT that are spread evenly over its COARSEN_Z. */
static __device__ __forceinline__ bool in_software(int l) {
  return (l + 1) * SOFT / COARSEN_Z > l * SOFT / COARSEN_Z;
}

/* The record of an atom (x, y, z, fall): x, y, fall, z, then of each slice the least of
 * fall (dx^2 + dy^2) at which the term counts there, and fall dz^2 or its power of two. */
static __device__ __forceinline__ void write_record(float4 *record, float4 atom,
                                                    const float z[COARSEN_Z], float limit) {
  record[0] = make_float4(atom.x, atom.y, atom.w, atom.z);
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l += 2) {
    float dz0 = z[l] - atom.z, dz1 = z[l + 1] - atom.z;
    float x0 = atom.w * (dz0 * dz0), x1 = atom.w * (dz1 * dz1);
    record[1 + l / 2] = TERMS == TERMS_COLUMNS
                            ? make_float4(-limit - x0, exp2f(x0), -limit - x1, exp2f(x1))
                            : make_float4(-limit - x0, x0, -limit - x1, x1);
  }
}

/* Adds to the sum of point l the term of an atom at (dx, dy) whose exponent is xy + at_z, where it
 * counts; term: 2^xy. */
static __device__ __forceinline__ void add_term(int l, float xy, float term, float least,
                                                float at_z, float *sum) {
  if (TERMS == TERMS_COLUMNS) {
    if (xy >= least) *sum += term * at_z;
  } else {
    float power = in_software(l) ? soft_exp2(xy + at_z) : exp2f(xy + at_z);
    if (xy >= least) *sum += power;
  }
}

/* Adds the atoms of a list to the sums of the points of a column. */
static __device__ __forceinline__ void add_atoms(const float4 *tile, const unsigned short *list,
                                                 int n, float x, float y, float sum[COARSEN_Z]) {
#pragma unroll 2
  for (int a = 0; a < n; a++) {
    const float4 *record = tile + list[a] * RECORD;
    float4 atom = record[0];
    float dx = x - atom.x, dy = y - atom.y;
    float xy = atom.z * (dx * dx + dy * dy);
    float term = TERMS == TERMS_COLUMNS ? exp2f(xy) : 0.0f;
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l += 2) {
      float4 slices = record[1 + l / 2];
      add_term(l, xy, term, slices.x, slices.y, &sum[l]);
      add_term(l + 1, xy, term, slices.z, slices.w, &sum[l + 1]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, int n_atoms, int nx, int ny, int nz, int first_k, float spacing, float *scratch,
        cell_grid cells) {
  __shared__ float4 tile[TILE_ATOMS * RECORD];
  __shared__ warp_lists lists;
  __shared__ int firsts[THREADS], offsets[THREADS + 1];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.y * BLOCK_X + threadIdx.x, warp = t / WARP, lane = t % WARP;
  int block_i = blockIdx.x * BLOCK_X, block_j = blockIdx.y * BLOCK_Y, k = blockIdx.z * COARSEN_Z;
  int i = block_i + warp % WARPS_X * WARP_X + lane % WARP_X;
  int j = block_j + warp / WARPS_X * WARP_Y + lane / WARP_X;
  box region = box_of(block_i, BLOCK_X, nx, block_j, BLOCK_Y, ny, first_k + k, COARSEN_Z,
                      first_k + nz, spacing);

  box around =
      box_of(block_i + warp % WARPS_X * WARP_X, WARP_X, nx, block_j + warp / WARPS_X * WARP_Y,
             WARP_Y, ny, first_k + k, COARSEN_Z, first_k + nz, spacing);

  float z[COARSEN_Z], sum[COARSEN_Z];
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    z[l] = spacing * (first_k + k + l);
    sum[l] = 0.0f;
  }

  /* Rows of cells within reach, and of these as many at a time as there are threads. */
  float reach = sqrtf(cells.least / falls_of(m)[0]);
  cell_rows rows = rows_near(region, reach, cells);
  for (int row = 0; row < rows.n; row += THREADS) {
    find_runs(m, rows, row, t, region, reach * reach, cells, firsts, offsets);
    for (int done = 0; done < offsets[THREADS]; done += TILE_ATOMS) {
      int n = min(offsets[THREADS] - done, (int)TILE_ATOMS);
      for (int a = t; a < n; a += THREADS) {
        int run = run_of(offsets, done + a);
        float4 atom = m.sorted[firsts[run] + done + a - offsets[run]];
        write_record(tile + a * RECORD, atom, z, cells.limit);
      }
      __syncthreads();
      unsigned bits = near_box(tile, lane, n, around, cells.least);
      lists.counts[t] = __popc(bits);
      __syncthreads();
      int listed = write_list(&lists, warp, lane, bits);
      __syncthreads();
      add_atoms(tile, lists.atoms + warp * TILE_ATOMS, listed, spacing * i, spacing * j, sum);
      __syncthreads(); /* nobody overwrites tile and lists while another still reads them */
    }
    __syncthreads(); /* nor the runs */
  }

#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++)
    if (k + l < nz && i < nx && j < ny) map[((long long)(k + l) * ny + j) * nx + i] = sum[l];
}
