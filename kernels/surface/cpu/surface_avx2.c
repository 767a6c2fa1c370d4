/* Rows of a surface with AVX2 and its counts of bits; see surface_points.h. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#define SURFACE_TARGET __attribute__((target("avx2,popcnt,bmi")))

SURFACE_TARGET static uint64_t classify_word(const float *values, float level) {
  const __m256 least = _mm256_set1_ps(level);
  uint64_t word = 0;
  for (int v = 0; v < 8; v++) {
    const __m256 inside = _mm256_cmp_ps(_mm256_loadu_ps(values + 8 * v), least, _CMP_GE_OQ);
    word |= (uint64_t)(unsigned)_mm256_movemask_ps(inside) << 8 * v;
  }
  return word;
}
#define SURFACE_CLASSIFY classify_word

#define SURFACE_KERNEL dcs_surface_avx2
#include "kernels/surface/cpu/surface_points.h"
#else
#include "kernels/surface/cpu/bits.h"
const dcs_surface_kernel dcs_surface_avx2 = {0};
#endif
