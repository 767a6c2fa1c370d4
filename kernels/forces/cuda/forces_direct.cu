/* cuda_forces_direct: a warp a cluster of atoms, the terms of a pair by arithmetic.
 *
 * Derives from cuda_density_cells and cuda_born_tiles: atoms are sorted on the GPU, a lane keeps an
 * atom and its sums, and what is near goes by in shared memory; clusters.cuh says how. A pair is
 * computed from both its sides, so that no sum need be added up across lanes or blocks.
 *
 * Per pair: 3 subtractions, 3 for r^2, a comparison, 2 for exclusions, a root, 12 for Lennard-Jones
 * and 8 for its switching, 9 for the charges shifted (Ewald: 20, with a power of two and a
 * reciprocal), 8 to choose and add; 2 loads of 16 bytes from shared memory (a broadcast each).
 * Parameters: block_y, warps a block, 1..8; cluster, atoms of a cluster, 4, 8, 16, 32; cell_edge in
 * tenths of an angstrom.
 * Limits: of pairs of a cluster and its list a half (cluster=8) to a third (32) are within 12
 * angstrom; fewer atoms to a cluster meet shorter lists, but more lists have to be made. Registers
 * for 768 threads an SM: on an H200, 160,461 atoms of water in a cell, 12 angstrom, cluster=16,
 * block_y=4 took 0.686 ms; for 1,024, which spill, 0.712; for 640 0.723, for 512 0.724. */

#include "kernels/forces/cuda/clusters.cuh"

template <bool EWALD> struct arithmetic {
  pair_terms terms;
  __device__ __forceinline__ pull at(float r2, float charges, float minimum, float depth) const {
    return pull_at<EWALD>(terms, r2, charges, minimum, depth);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 768 / THREADS)
    dcs(float4 *forces, float *scratch, const float4 *wells, const int2 *clusters,
        const int *n_clusters, const int *begins, const int *excluded, const int *types, const float2 *pairs, int n_atoms,
        forces_own own) {
  __shared__ near_atoms near[BLOCK_Y];
  int c = blockIdx.x * BLOCK_Y + threadIdx.y;
  if (c >= *n_clusters) return;
  cluster_work w = {wells, clusters[c], {begins, excluded, types + n_atoms, pairs}, &near[threadIdx.y]};
  cell_memory m = memory_of(scratch, n_atoms, own.cells);
  if (own.terms.alpha > 0.0f)
    pull_cluster(forces, m, w, arithmetic<true>{own.terms}, own);
  else
    pull_cluster(forces, m, w, arithmetic<false>{own.terms}, own);
}
