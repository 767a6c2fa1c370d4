/* A thread's brick of points takes a part of the atoms, one after another: in cuda_reduce and cuda_parts. */
#ifndef DCS_ATOM_RANGE_CUH
#define DCS_ATOM_RANGE_CUH

#include "kernels/coulomb/cuda/brick.cuh"

#define SOFT 5
#include "kernels/coulomb/cuda/offset.cuh"

struct plain_sums {
  enum { middle = 0 };
  static __device__ __forceinline__ float scale(int) {
    return 1.0f;
  }
};

/* The first atom of a part: parts differ by one atom at most. */
static __device__ __forceinline__ int first_of(int part, int parts, int n_atoms) {
  return (int)((long long)n_atoms * part / parts);
}

/* Adds atoms first..end-1 to the sums of the brick that begins at point (i, j, k). */
static __device__ __forceinline__ void add_atoms(const float4 *global_atoms, int first, int end, int i, int j,
                                                 int k, float spacing, float sum[COARSEN_Z][COARSEN_X]) {
  const float per_unit = 0.5f / spacing, x = 0.5f * i, y = 0.5f * j, z = 0.5f * k;
#pragma unroll UNROLL
  for (int a = first; a < end; a++)
    add_own_roots<plain_sums>(offset_of(ATOM(a), x, y, z, per_unit), sum);
  scale_sums<plain_sums>(per_unit, sum);
}

#endif
