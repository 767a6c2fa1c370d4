/* Forces in AVX-512; see forces_tile.h. */
#include "kernels/common/rsqrt_avx512.h"

#ifdef __x86_64__
#define AVX512_INLINE TILE_TARGET static inline __attribute__((always_inline))

/* A Newton step from an estimate that is off by 2^-14. */
AVX512_INLINE tile_vector reciprocal(tile_vector v) {
  tile_vector y = (tile_vector)_mm512_rcp14_ps((__m512)v);
  return y * (2.0f - v * y);
}

AVX512_INLINE int any(tile_vector v, float most) {
  return _mm512_cmp_ps_mask((__m512)v, _mm512_set1_ps(most), _CMP_LT_OQ);
}

#define FORCES_RECIPROCAL reciprocal
#define FORCES_ANY        any
#endif

#define FORCES_KERNEL dcs_forces_avx512
#include "kernels/forces/cpu/forces_tile.h"
