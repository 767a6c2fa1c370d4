/* A thread's brick seen from an atom, in units of two spacings: points lie multiples of 1/2 apart, constants in
 * an instruction that take no register. */
#ifndef DCS_OFFSET_CUH
#define DCS_OFFSET_CUH

#include "kernels/coulomb/cuda/soft_root.cuh"

/* From an atom to the first column of the brick, in the slice from which z is counted; the charge. */
struct offset {
  float x, y, z, q;
};

/* x, y, z: the brick's place; per_unit: units in an angstrom. Sums of 1/r are to be multiplied by that. */
static __device__ __forceinline__ offset offset_of(float4 atom, float x, float y, float z, float per_unit) {
  return {x - atom.x * per_unit, y - atom.y * per_unit, z - atom.z * per_unit, atom.w};
}

/* From the atom to column m, and to the slice `by` above; without an addition where there is none. */
static __device__ __forceinline__ float to_column(offset d, int m) {
  return m == 0 ? d.x : d.x + 0.5f * (m * BLOCK_X);
}
static __device__ __forceinline__ float to_slice(offset d, int by) {
  return by == 0 ? d.z : d.z + 0.5f * by;
}

/* Adds an atom to the sums, each point with a root of its own. SUMS::middle: the slice from which z is counted;
 * SUMS::scale(l): what the sums of slice l will be multiplied by. FMAs are written as such, lest the compiler
 * takes together the additions of two branches and leaves their products alone. */
template <class SUMS>
static __device__ __forceinline__ void add_own_roots(offset d, float sum[COARSEN_Z][COARSEN_X]) {
  float dy2 = d.y * d.y;
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    float dz = to_slice(d, l - SUMS::middle), dyz2 = dz * dz + dy2;
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++) {
      float dx = to_column(d, m), r2 = dx * dx + dyz2;
      if (in_software(l * COARSEN_X + m))
        sum[l][m] = __fmaf_rn(d.q * (SOFT_SCALE / SUMS::scale(l)), soft_rsqrt(r2), sum[l][m]);
      else
        sum[l][m] = __fmaf_rn(d.q * (1 / SUMS::scale(l)), rsqrtf(r2), sum[l][m]);
    }
  }
}

template <class SUMS>
static __device__ __forceinline__ void scale_sums(float per_unit, float sum[COARSEN_Z][COARSEN_X]) {
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      sum[l][m] *= SUMS::scale(l) * per_unit;
  }
}

#endif
