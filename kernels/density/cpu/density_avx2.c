/* The density in AVX2; see density_brick.h. */
#define DENSITY_BYTES 32

#ifdef __x86_64__
#include <immintrin.h>

#define DENSITY_TARGET __attribute__((target("avx2,fma")))
#define AVX2_INLINE    DENSITY_TARGET static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(DENSITY_BYTES)));

AVX2_INLINE vector keep(vector v, vector x, float least) {
  __m256 is_kept = _mm256_cmp_ps((__m256)x, _mm256_set1_ps(least), _CMP_GE_OQ);
  return (vector)_mm256_and_ps((__m256)v, is_kept);
}

AVX2_INLINE unsigned lanes(vector x, float least) {
  __m256 is_kept = _mm256_cmp_ps((__m256)x, _mm256_set1_ps(least), _CMP_GE_OQ);
  return (unsigned)_mm256_movemask_ps(is_kept);
}

#define DENSITY_ADD(sum, a, v, x, least) (sum += (a)*keep(v, x, least))
#define DENSITY_LANES                    lanes
#endif

#define DENSITY_KERNELS dcs_density_avx2
#include "kernels/density/cpu/density_brick.h"
