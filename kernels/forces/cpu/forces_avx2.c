/* Forces in AVX2; see forces_tile.h. */
#include "kernels/common/rsqrt_avx2.h"

#ifdef __x86_64__
#define AVX2_INLINE TILE_TARGET static inline __attribute__((always_inline))

/* A Newton step from an estimate that is off by 1.5 2^-12. */
AVX2_INLINE tile_vector reciprocal(tile_vector v) {
  tile_vector y = (tile_vector)_mm256_rcp_ps((__m256)v);
  return y * (2.0f - v * y);
}

AVX2_INLINE int any(tile_vector v, float most) {
  return _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_set1_ps(most), _CMP_LT_OQ));
}

#define FORCES_RECIPROCAL reciprocal
#define FORCES_ANY        any
#endif

#define FORCES_KERNEL dcs_forces_avx2
#include "kernels/forces/cpu/forces_tile.h"
