/* Atoms sorted into cells, as kernels/forces/clusters.h has them: the steps of cells.cuh. A kernel
 * that includes this has BLOCK_X and BLOCK_Y, as that asks. */
#include "kernels/forces/cuda/forces.cuh"

/* dcs_forces_grid; n[d]: nx, ny, nz. */
struct cell_grid {
  int nx, ny, nz;
  float edge;
  int periodic;
  float per_edge[3], period[3], margin[3];
};

/* Of rows, in y: what cells.cuh asks for and these kernels do without. */
static __device__ __forceinline__ float cell_coordinate(float v, cell_grid cells) {
  return v * cells.per_edge[1];
}
static __device__ __forceinline__ float cell_begin(int i, cell_grid cells) {
  return cells.edge * i;
}

#include "kernels/common/cuda/cells.cuh"

struct forces_own {
  pair_terms terms;
  cell_grid cells;
};

/* ---- sorting ---- */

/* Into the periodic cell, but for rounding. */
static __device__ __forceinline__ float put(float v, int d, const cell_grid &cells) {
  return cells.periodic ? v - cells.period[d] * floorf(v / cells.period[d]) : v;
}

/* The number of a cell, of all and of images; of those that there are. */
static __device__ __forceinline__ int cell_at(float v, int d, const cell_grid &cells) {
  return (int)floorf(fminf(fmaxf(v * cells.per_edge[d], -1e9f), 1e9f));
}
static __device__ __forceinline__ int own_cell(float v, int d, int n, const cell_grid &cells) {
  int i = cell_at(v, d, cells);
  if (cells.periodic) return min(max(i, 0), n - 1);
  i %= n;
  return i < 0 ? i + n : i;
}

static __device__ __forceinline__ float4 put_atom(float4 atom, const cell_grid &cells) {
  return make_float4(put(atom.x, 0, cells), put(atom.y, 1, cells), put(atom.z, 2, cells), atom.w);
}

/* Rows have a place more than cells. */
static __device__ __forceinline__ int place_of_cell(float4 atom, const cell_grid &cells) {
  int x = own_cell(atom.x, 0, cells.nx, cells), y = own_cell(atom.y, 1, cells.ny, cells),
      z = own_cell(atom.z, 2, cells.nz, cells);
  return (z * cells.ny + y) * (cells.nx + 1) + x;
}

extern "C" __global__ void group_atoms(float *scratch, int *counters, const float4 *atoms,
                                       int n_atoms, forces_own own) {
  __shared__ int cell[SORT_THREADS];
  int t = threadIdx.x, a = blockIdx.x * SORT_THREADS + t;
  int mine = a < n_atoms ? place_of_cell(put_atom(atoms[a], own.cells), own.cells) : -1;
  cell[t] = mine;
  __syncthreads();
  group_atom(memory_of(scratch, n_atoms, own.cells), counters, cell, mine, a);
}

extern "C" __global__ void place_rows(float *scratch, int *counters, int n_atoms, forces_own own) {
  place_row(memory_of(scratch, n_atoms, own.cells), counters, own.cells);
}

/* What else is known of an atom in its place: half of R_min, root of the well, its number, its type
 * in the table. */
static __device__ __forceinline__ float4 well_of(const float2 *wells, const int *types, int a) {
  return make_float4(wells[a].x, wells[a].y, __int_as_float(a), __int_as_float(types[a]));
}

extern "C" __global__ void place_atoms(float *scratch, int *counters, const float4 *atoms,
                                       const float2 *wells, const int *types, float4 *sorted_wells,
                                       int n_atoms, forces_own own) {
  cell_memory m = memory_of(scratch, n_atoms, own.cells);
  int before = blockIdx.x * SORT_THREADS, a = before + threadIdx.x;
  if (a == 0) counters[PLACED] = 0;
  if (a >= n_atoms) return;
  float4 atom = put_atom(atoms[a], own.cells);
  int place = place_in_cell(m, place_of_cell(atom, own.cells), a, before);
  m.sorted[place] = atom;
  sorted_wells[place] = well_of(wells, types, a);
}
