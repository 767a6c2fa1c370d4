/* Born radii in AVX-512; see born_tile.h. */
#define BORN_BYTES 64

#ifdef __x86_64__
#include <immintrin.h>

#define BORN_TARGET   __attribute__((target("avx512f,fma")))
#define AVX512_INLINE BORN_TARGET static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(BORN_BYTES)));

/* A Newton step from an estimate that is off by 2^-14. */
AVX512_INLINE vector reciprocal(vector v) {
  vector y = (vector)_mm512_rcp14_ps((__m512)v);
  return y * (2.0f - v * y);
}

AVX512_INLINE vector root(vector v) {
  return (vector)_mm512_sqrt_ps((__m512)v);
}

AVX512_INLINE unsigned within(vector v, vector most) {
  return _mm512_cmp_ps_mask((__m512)v, (__m512)most, _CMP_LE_OQ);
}

#define BORN_VECTORS    2
#define BORN_RECIPROCAL reciprocal
#define BORN_SQRT       root
#define BORN_WITHIN     within
#endif

#define BORN_KERNEL dcs_born_avx512
#include "kernels/born/cpu/born_tile.h"
