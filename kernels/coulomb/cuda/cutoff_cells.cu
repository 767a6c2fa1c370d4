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

#include "kernels/coulomb/cuda/cutoff_cells.cuh"

struct switched_term {
  float per_c2;

  __device__ __forceinline__ float operator()(float q, float r2, float sum) const {
    float t = __saturatef(1.0f - r2 * per_c2);
    return sum + q * rsqrtf(r2) * (t * t);
  }
};

struct plain_term {
  float c2;

  __device__ __forceinline__ float operator()(float q, float r2, float sum) const {
    return sum + (r2 < c2 ? q : 0.0f) * rsqrtf(r2);
  }
};

struct cutoff_radial {
  cell_grid cells;

  __device__ __forceinline__ void add(const float4 *tile, const unsigned short *list, int n,
                                      float x, float y, const float z[COARSEN_Z],
                                      float sum[COARSEN_Z]) const {
    switched_term switched = {cells.per_c2};
    plain_term plain = {cells.c2};
    if (cells.switched)
      add_atoms(tile, list, n, x, y, z, switched, sum);
    else
      add_atoms(tile, list, n, x, y, z, plain, sum);
  }
};

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, int n_atoms, int nx, int ny, int nz, int first_k, float spacing, float *scratch,
        cell_grid cells) {
  float sum[COARSEN_Z];
  cutoff_radial radial = {cells};
  sum_near(radial, n_atoms, nx, ny, nz, first_k, spacing, scratch, cells, sum);
  thread_points at = points_of_thread();
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++)
    if (at.k + l < nz && at.i < nx && at.j < ny)
      map[((long long)(at.k + l) * ny + at.j) * nx + at.i] += sum[l];
}
