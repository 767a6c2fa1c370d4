/* cuda_orbital_compiled: as cuda_orbital_constant, for one basis: exponents and contractions are numbers in the code.
 *
 * Derives from cuda_orbital_constant. The host writes, in front of this text, a function for each type of shell
 * that the molecule has, hydrogen's contracted s, carbon's d, ...: its loop over primitives is unrolled, exponents
 * and weights are immediate operands, and its degree is known. Shells come sorted by type, so that a loop
 * over those of one type has no branch and no load but of place and coefficients. NVRTC compiles that for each
 * basis, not for each orbital of it: what an orbital has of its functions stays data. (Stone and others 2009 compiled
 * for each molecule, and found 1.4 times the speed of constant memory.)
 *
 * Per primitive and point: 1 multiply, 1 power of two, 1 FMA, as there; what is saved is the loads and the loop. The
 * special function units bind as there.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen_z, points of a thread, 1..16;
 * chunk_shells, shells of a launch, 1..585 (64 KB).
 * Limits: shells of 64 types; at most 65,535 blocks in y and in z. */

#include "kernels/orbital/cuda/orbital.cuh"
#include "kernels/orbital/cuda/orbital_points.cuh"

__constant__ orbital_shell atoms[CHUNK_SHELLS];

/* Adds the shells of type t, which come next; returns the one behind them. */
template <class type> static __device__ __forceinline__ int add_type(int s, int n_shells, int t, points *p) {
  for (; s < n_shells && atoms[s].type == t; s++)
    add_shell<type::L>(atoms[s].x, atoms[s].y, atoms[s].z, atoms[s].c, type(), p);
  return s;
}

extern "C" __global__ void dcs(float *map, int n_shells, int nx, int ny, int nz, int first, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z * COARSEN_Z;
  if (i >= nx || j >= ny) return;
  points own = points_at(i, j, first + k, spacing);
  int s = 0;
#define ADD_TYPE(t) s = add_type<shell_type_##t>(s, n_shells, t, &own);
  FOR_EACH_TYPE(ADD_TYPE)
#pragma unroll
  for (int c = 0; c < COARSEN_Z; c++)
    if (k + c < nz) map[((long long)(k + c) * ny + j) * nx + i] += own.sum[c];
}
