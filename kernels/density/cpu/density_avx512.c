/* The density in AVX-512; see density_brick.h. */
#define DENSITY_BYTES 64

#ifdef __x86_64__
#include <immintrin.h>

#define DENSITY_TARGET __attribute__((target("avx512f,fma")))
#define AVX512_INLINE  DENSITY_TARGET static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(DENSITY_BYTES)));

AVX512_INLINE vector add(vector sum, float a, vector v, vector x, float least) {
  __mmask16 counts = _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(least), _CMP_GE_OQ);
  return (vector)_mm512_mask3_fmadd_ps((__m512)v, _mm512_set1_ps(a), (__m512)sum, counts);
}

AVX512_INLINE unsigned lanes(vector x, float least) {
  return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(least), _CMP_GE_OQ);
}

#define DENSITY_ADD(sum, a, v, x, least) (sum = add(sum, a, v, x, least))
#define DENSITY_LANES                    lanes
#endif

#define DENSITY_KERNELS dcs_density_avx512
#include "kernels/density/cpu/density_brick.h"
