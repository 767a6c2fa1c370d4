/* cuda_cutoff_cells: the atoms within a cutoff c of each point, found through sorted cells; all on
 * the GPU.
 *
 * Derives from cuda_shared: tiles of atoms in shared memory, COARSEN_Z points a thread. New is
 * which atoms. Cells cover everything within c of the grid; cells.cuh says how the atoms are sorted
 * into them, and how a block finds those that its points can see, a tile at a time.
 *
 * A run's atoms are within reach of some point of the block, not of all. The unit that computes is
 * a warp, 8 x 4 x COARSEN_Z points, so the block makes each warp a list of the tile's atoms within
 * c of the box around its points. The atoms within r of a box of edges u, v, w fill its volume
 * widened by r, u v w + 2 (u v + v w + w u) r + pi (u + v + w) r^2 + 4/3 pi r^3, in spheres of
 * radius r = c = 12, at points 0.5 apart: 1.61 for a warp of 8 x 4 x 8 points, 2.5 for a block of
 * 16 x 16 x 8, and 3.3 with cells of 3 that reach beyond. Without lists a warp would compute twice
 * as much.
 *
 * Per atom in a warp's list and point: 1 subtraction, 1 FMA, 1 reciprocal square root, and
 * switched: 1 FMA (kept above 0 for free), 2 multiplications, 1 FMA, else 1 comparison, 1
 * selection, 1 FMA; per COARSEN_Z points 2 subtractions, 1 multiplication, 1 FMA, and 2 shared
 * loads. Switched and with 8 points that is 7 + 6/8 issue slots beside the 8 cycles of a warp's
 * reciprocal square root: both pipes are full. Making the lists: some 15 operations an atom of a
 * run and warp, on one thread: half a slot beside those of 8 points.
 *
 * Parameters: block_x, a multiple of 8, block_y, a multiple of 4, product up to 1024;
 * coarsen_z 1..16, adjacent slices of a thread; cell_edge in tenths of an angstrom (longer where
 * there would be too many cells); tile_atoms, a multiple of 32. Tile and lists must fit 48 KB.
 * Limits: at most 65,535 blocks in y and in z; the scratch memory has 28 bytes an atom, 8 a cell,
 * and there are 4 bytes of counters a cell.
 */

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

/* Adds the atoms of a list to the sums of the points (x, y, z[0..COARSEN_Z-1]). */
template <bool SMOOTH>
static __device__ __forceinline__ void add_atoms(const float4 *tile, const unsigned short *list,
                                                 int n, float x, float y, const float z[COARSEN_Z],
                                                 float c2, float per_c2, float sum[COARSEN_Z]) {
#pragma unroll 2
  for (int a = 0; a < n; a++) {
    float4 atom = tile[list[a]];
    float dx = x - atom.x, dy = y - atom.y;
    float dxy2 = dx * dx + dy * dy;
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      float dz = z[l] - atom.z;
      float r2 = dz * dz + dxy2;
      if (SMOOTH) {
        float t = __saturatef(1.0f - r2 * per_c2);
        sum[l] += atom.w * rsqrtf(r2) * (t * t);
      } else {
        sum[l] += (r2 < c2 ? atom.w : 0.0f) * rsqrtf(r2);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, int n_atoms, int nx, int ny, int nz, int first_k, float spacing, float *scratch,
        cell_grid cells) {
  __shared__ float4 tile[TILE_ATOMS];
  __shared__ warp_lists lists;
  __shared__ int firsts[THREADS], offsets[THREADS + 1];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.y * BLOCK_X + threadIdx.x, warp = t / WARP, lane = t % WARP;
  int block_i = blockIdx.x * BLOCK_X, block_j = blockIdx.y * BLOCK_Y, k = blockIdx.z * COARSEN_Z;
  int i = block_i + warp % WARPS_X * WARP_X + lane % WARP_X;
  int j = block_j + warp / WARPS_X * WARP_Y + lane / WARP_X;
  box region = box_of(block_i, BLOCK_X, nx, block_j, BLOCK_Y, ny, first_k + k, COARSEN_Z,
                      first_k + nz, spacing);

  float z[COARSEN_Z], sum[COARSEN_Z];
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
      const unsigned short *list = lists.atoms + warp * TILE_ATOMS;
      if (cells.switched)
        add_atoms<true>(tile, list, lists.n[warp], spacing * i, spacing * j, z, cells.c2,
                        cells.per_c2, sum);
      else
        add_atoms<false>(tile, list, lists.n[warp], spacing * i, spacing * j, z, cells.c2,
                         cells.per_c2, sum);
      __syncthreads(); /* nobody overwrites tile and lists while another still reads them */
    }
    __syncthreads(); /* nor the runs */
  }

#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++)
    if (k + l < nz && i < nx && j < ny) map[((long long)(k + l) * ny + j) * nx + i] += sum[l];
}
