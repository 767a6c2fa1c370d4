/* Sums over the atoms within a cutoff of each point, found through sorted cells: what the kernels
 * share whose terms are functions of the distance alone, and 0 from the cutoff on. cuda_cutoff_cells
 * says what such a sum costs, and why it is done so.
 *
 * A kernel includes this, has the parameters BLOCK_X, BLOCK_Y, COARSEN_Z and TILE_ATOMS, and calls
 * sum_near() with a radial function, a struct with
 *
 *     void add(const float4 *tile, const unsigned short *list, int n, float x, float y,
 *              const float z[COARSEN_Z], float sum[COARSEN_Z]) const
 *
 * which calls add_atoms() with what adds an atom to a sum: q, r^2 and the sum to the new one. softened_radial below is
 * one. The plan's steps are the kernels here; its `own` begins with a cell_grid. */
#ifndef DCS_CUTOFF_CELLS_CUH
#define DCS_CUTOFF_CELLS_CUH

/* The cells, and the cutoff; as the descriptor has it. */
struct cell_grid {
  float origin, edge, per_edge; /* the corner is (origin, origin, origin); per_edge: 1 / edge */
  float c2, per_c2, reach2;     /* c^2, 1 / c^2, and c^2 with a margin for rounding */
  int nx, ny, nz;               /* cells */
  int switched;
};

static __device__ __forceinline__ float cell_coordinate(float v, cell_grid cells) {
  return (v - cells.origin) * cells.per_edge;
}

static __device__ __forceinline__ float cell_begin(int i, cell_grid cells) {
  return cells.origin + cells.edge * i;
}

#include "kernels/common/cuda/cells.cuh"

/* ---- images ---- */

/* Along each dimension, images of an atom lie `period` apart; those at lo..hi count, which are
 * `most` at most. */
struct image_lattice {
  double period[3], lo[3], hi[3];
  int most[3];
};

/* Image number i of those that count, or far outside the cells. */
static __device__ __forceinline__ float image_of(float v, int i, int d, image_lattice lattice) {
  double first = v + ceil((lattice.lo[d] - v) / lattice.period[d]) * lattice.period[d];
  double at = first + i * lattice.period[d];
  return at <= lattice.hi[d] ? (float)at : 1e30f;
}

/* Of every atom as many places as an atom may have images that count. */
extern "C" __global__ void place_images(float4 *images, const float4 *atoms, int n_images,
                                        image_lattice lattice) {
  int i = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (i >= n_images) return;
  int nx = lattice.most[0], ny = lattice.most[1], nz = lattice.most[2], of = i % (nx * ny * nz);
  float4 atom = atoms[i / (nx * ny * nz)];
  atom.x = image_of(atom.x, of % nx, 0, lattice);
  atom.y = image_of(atom.y, of / nx % ny, 1, lattice);
  atom.z = image_of(atom.z, of / nx / ny, 2, lattice);
  images[i] = atom;
}

/* ---- sorting ---- */

static __device__ __forceinline__ int cell_of(float4 atom, cell_grid cells) {
  float x = cell_coordinate(atom.x, cells), y = cell_coordinate(atom.y, cells),
        z = cell_coordinate(atom.z, cells);
  bool inside = x >= 0 && x < cells.nx && y >= 0 && y < cells.ny && z >= 0 && z < cells.nz;
  return inside ? ((int)z * cells.ny + (int)y) * (cells.nx + 1) + (int)x : -1;
}

/* A block finds the groups of its atoms. */
extern "C" __global__ void group_atoms(float *scratch, int *counters, const float4 *atoms,
                                       int n_atoms, cell_grid cells) {
  __shared__ int cell[SORT_THREADS];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.x, a = blockIdx.x * SORT_THREADS + t;
  int mine = a < n_atoms ? cell_of(atoms[a], cells) : -1;
  cell[t] = mine;
  __syncthreads();
  group_atom(m, counters, cell, mine, a);
}

extern "C" __global__ void place_rows(float *scratch, int *counters, int n_atoms, cell_grid cells) {
  place_row(memory_of(scratch, n_atoms, cells), counters, cells);
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
  m.sorted[place_in_cell(m, cell, a, before)] = atom;
}

/* ---- the map ---- */

enum { WORDS = TILE_ATOMS / WARP };

/* Which of the atoms tile[first..first + 31], those before n, are within reach of the box. None, if
 * the box lies beyond the grid: x1 < x0 or y1 < y0. */
static __device__ __forceinline__ unsigned near_box(const float4 *tile, int first, int n, box b,
                                                    float reach2) {
  unsigned bits = 0;
  if (b.x1 < b.x0 || b.y1 < b.y0) return bits;
  for (int a = 0; a < WARP && first + a < n; a++) {
    float4 atom = tile[first + a];
    float dx = outside(atom.x, b.x0, b.x1), dy = outside(atom.y, b.y0, b.y1),
          dz = outside(atom.z, b.z0, b.z1);
    if (dx * dx + dy * dy + dz * dz < reach2) bits |= 1u << a;
  }
  return bits;
}

struct warp_lists {
  unsigned near[WORDS * WARPS];             /* a bit an atom: word by word, warp by warp */
  unsigned short atoms[WARPS * TILE_ATOMS]; /* numbers in the tile */
  int n[WARPS];
};

/* Writes the atoms of a word into its warp's list, behind those of the words before. */
static __device__ __forceinline__ void write_word(warp_lists *lists, int word, int warp) {
  int at = 0;
  for (int w = 0; w < word; w++)
    at += __popc(lists->near[w * WARPS + warp]);
  unsigned bits = lists->near[word * WARPS + warp];
  for (int a = 0; a < WARP; a++)
    if (bits >> a & 1) lists->atoms[warp * TILE_ATOMS + at++] = (unsigned short)(word * WARP + a);
  if (word == WORDS - 1) lists->n[warp] = at;
}

/* ---- radial functions ---- */

/* Adds the atoms of a list to the sums of the points (x, y, z[0..COARSEN_Z-1]). */
template <class TERM>
static __device__ __forceinline__ void add_atoms(const float4 *tile, const unsigned short *list,
                                                 int n, float x, float y, const float z[COARSEN_Z],
                                                 TERM term, float sum[COARSEN_Z]) {
#pragma unroll 2
  for (int a = 0; a < n; a++) {
    float4 atom = tile[list[a]];
    float dx = x - atom.x, dy = y - atom.y;
    float dxy2 = dx * dx + dy * dy;
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      float dz = z[l] - atom.z;
      sum[l] = term(atom.w, dz * dz + dxy2, sum[l]);
    }
  }
}

/* 1/r - P(r^2), as kernels/coulomb/radial.h has it. */
enum { RADIAL_MOST = 12, RADIAL_LOW = 7 };
struct radial_polynomial {
  float c[RADIAL_MOST + 1];
  float twice_per_c2; /* 2 / c^2 */
  int degree;
};

template <int DEGREE> struct softened_term {
  const radial_polynomial &p;
  float c2;

  __device__ __forceinline__ float operator()(float q, float r2, float sum) const {
    float x = DEGREE > RADIAL_LOW ? 1.0f - r2 * p.twice_per_c2 : r2, value = p.c[DEGREE];
#pragma unroll
    for (int i = DEGREE - 1; i >= 0; i--)
      value = value * x + p.c[i];
    float more = sum + q * (rsqrtf(r2) - value); /* whether or not: one predicated FMA */
    return r2 < c2 ? more : sum;
  }
};

/* Code of each degree from LOWEST to HIGHEST, one of which is the polynomial's. */
template <int LOWEST, int HIGHEST> struct softened_radial {
  const radial_polynomial &p;
  float c2;

  __device__ __forceinline__ void add(const float4 *tile, const unsigned short *list, int n,
                                      float x, float y, const float z[COARSEN_Z],
                                      float sum[COARSEN_Z]) const {
    if (LOWEST == HIGHEST || p.degree == LOWEST) {
      softened_term<LOWEST> term = {p, c2};
      add_atoms(tile, list, n, x, y, z, term, sum);
    } else {
      softened_radial<(LOWEST < HIGHEST ? LOWEST + 1 : HIGHEST), HIGHEST> others = {p, c2};
      others.add(tile, list, n, x, y, z, sum);
    }
  }
};

/* ---- sums ---- */

/* The points of a thread: (i, j, k..k + COARSEN_Z - 1), of slices of the launch. */
struct thread_points {
  int i, j, k;
};

static __device__ __forceinline__ thread_points points_of_thread() {
  int t = threadIdx.y * BLOCK_X + threadIdx.x, warp = t / WARP, lane = t % WARP;
  thread_points at;
  at.i = blockIdx.x * BLOCK_X + warp % WARPS_X * WARP_X + lane % WARP_X;
  at.j = blockIdx.y * BLOCK_Y + warp / WARPS_X * WARP_Y + lane / WARP_X;
  at.k = blockIdx.z * COARSEN_Z;
  return at;
}

/* The sums of a thread's points. All threads of the block call it. */
template <class RADIAL>
static __device__ __forceinline__ void sum_near(RADIAL radial, int n_atoms, int nx, int ny, int nz,
                                                int first_k, float spacing, float *scratch,
                                                cell_grid cells, float sum[COARSEN_Z]) {
  __shared__ float4 tile[TILE_ATOMS];
  __shared__ warp_lists lists;
  __shared__ int firsts[THREADS], offsets[THREADS + 1];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.y * BLOCK_X + threadIdx.x, warp = t / WARP;
  int block_i = blockIdx.x * BLOCK_X, block_j = blockIdx.y * BLOCK_Y;
  thread_points at = points_of_thread();
  int k = at.k;
  box region = box_of(block_i, BLOCK_X, nx, block_j, BLOCK_Y, ny, first_k + k, COARSEN_Z,
                      first_k + nz, spacing);

  float z[COARSEN_Z];
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    z[l] = spacing * (first_k + k + l);
    sum[l] = 0.0f;
  }

  /* Rows of cells within reach, and of these as many at a time as there are threads. */
  float reach = sqrtf(cells.reach2);
  cell_rows rows = rows_near(region, reach, cells);
  for (int row = 0; row < rows.n; row += THREADS) {
    find_runs(m, rows, row, t, region, cells.reach2, cells, firsts, offsets);
    for (int done = 0; done < offsets[THREADS]; done += TILE_ATOMS) {
      int n = min(offsets[THREADS] - done, (int)TILE_ATOMS);
      for (int a = t; a < n; a += THREADS) {
        int run = run_of(offsets, done + a);
        tile[a] = m.sorted[firsts[run] + done + a - offsets[run]];
      }
      __syncthreads();
      for (int task = t; task < WORDS * WARPS; task += THREADS) {
        int w = task % WARPS;
        box b = box_of(block_i + w % WARPS_X * WARP_X, WARP_X, nx, block_j + w / WARPS_X * WARP_Y,
                       WARP_Y, ny, first_k + k, COARSEN_Z, first_k + nz, spacing);
        lists.near[task] = near_box(tile, task / WARPS * WARP, n, b, cells.reach2);
      }
      __syncthreads();
      for (int task = t; task < WORDS * WARPS; task += THREADS)
        write_word(&lists, task / WARPS, task % WARPS);
      __syncthreads();
      radial.add(tile, lists.atoms + warp * TILE_ATOMS, lists.n[warp], spacing * at.i,
                 spacing * at.j, z, sum);
      __syncthreads(); /* nobody overwrites tile and lists while another still reads them */
    }
    __syncthreads(); /* nor the runs */
  }
}

#endif
