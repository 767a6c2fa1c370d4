/* The sum with a cutoff in AVX-512; see cutoff_brick.h. */
#include "kernels/common/rsqrt_avx512.h"

#ifdef __x86_64__
#define AVX512_INLINE TILE_TARGET static inline __attribute__((always_inline))

AVX512_INLINE tile_vector positive(tile_vector v) {
  return (tile_vector)_mm512_max_ps((__m512)v, _mm512_setzero_ps());
}

AVX512_INLINE tile_vector below(tile_vector v, tile_vector r2, float c2) {
  __mmask16 is_below = _mm512_cmp_ps_mask((__m512)r2, _mm512_set1_ps(c2), _CMP_LT_OQ);
  return (tile_vector)_mm512_maskz_mov_ps(is_below, (__m512)v);
}

AVX512_INLINE unsigned lanes(tile_vector d2, float most) {
  return _mm512_cmp_ps_mask((__m512)d2, _mm512_set1_ps(most), _CMP_LE_OQ);
}

AVX512_INLINE void pack(void *to, tile_vector v, unsigned bits) {
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)bits, (__m512)v));
}

#define CUTOFF_POSITIVE positive
#define CUTOFF_BELOW    below
#define CUTOFF_LANES    lanes
#define CUTOFF_PACK     pack
/* Four slices of one vector. */
#define CUTOFF_SLICES 4
#endif

#define CUTOFF_KERNELS dcs_cutoff_avx512
#include "kernels/coulomb/cpu/cutoff_brick.h"
