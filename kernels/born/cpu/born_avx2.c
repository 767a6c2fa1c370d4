/* Born radii in AVX2; see born_tile.h. */
#define BORN_BYTES 32

#ifdef __x86_64__
#include <immintrin.h>

#define BORN_TARGET __attribute__((target("avx2,fma")))
#define AVX2_INLINE BORN_TARGET static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(BORN_BYTES)));

/* A Newton step from an estimate that is off by 1.5 2^-12. */
AVX2_INLINE vector reciprocal(vector v) {
  vector y = (vector)_mm256_rcp_ps((__m256)v);
  return y * (2.0f - v * y);
}

AVX2_INLINE vector root(vector v) {
  return (vector)_mm256_sqrt_ps((__m256)v);
}

AVX2_INLINE unsigned within(vector v, vector most) {
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)v, (__m256)most, _CMP_LE_OQ));
}

#define BORN_VECTORS    2
#define BORN_RECIPROCAL reciprocal
#define BORN_SQRT       root
#define BORN_WITHIN     within
#endif

#define BORN_KERNEL dcs_born_avx2
#include "kernels/born/cpu/born_tile.h"
