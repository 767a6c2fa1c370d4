/* The sum with a cutoff in AVX2; see cutoff_brick.h. */
#include "kernels/common/rsqrt_avx2.h"

#ifdef __x86_64__
#define AVX2_INLINE TILE_TARGET static inline __attribute__((always_inline))

AVX2_INLINE tile_vector positive(tile_vector v) {
  return (tile_vector)_mm256_max_ps((__m256)v, _mm256_setzero_ps());
}

AVX2_INLINE tile_vector below(tile_vector v, tile_vector r2, float c2) {
  __m256 is_below = _mm256_cmp_ps((__m256)r2, _mm256_set1_ps(c2), _CMP_LT_OQ);
  return (tile_vector)_mm256_and_ps((__m256)v, is_below);
}

AVX2_INLINE unsigned lanes(tile_vector d2, float most) {
  __m256 is_within = _mm256_cmp_ps((__m256)d2, _mm256_set1_ps(most), _CMP_LE_OQ);
  return (unsigned)_mm256_movemask_ps(is_within);
}

/* Packs four lanes: entry `bits` lists the bits that are set. */
AVX2_INLINE void pack_half(void *to, __m128 v, unsigned bits) {
  static const int set[16][4] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                 {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                 {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
  __m128i order = _mm_loadu_si128((const __m128i *)set[bits]);
  _mm_storeu_ps((float *)to, _mm_permutevar_ps(v, order));
}

AVX2_INLINE void pack(void *to, tile_vector v, unsigned bits) {
  pack_half(to, _mm256_castps256_ps128((__m256)v), bits & 15);
  pack_half((float *)to + __builtin_popcount(bits & 15), _mm256_extractf128_ps((__m256)v, 1),
            bits >> 4);
}

#define CUTOFF_POSITIVE positive
#define CUTOFF_BELOW    below
#define CUTOFF_LANES    lanes
#define CUTOFF_PACK     pack
/* Four slices of two vectors: eight sums. */
#define CUTOFF_SLICES 4
#endif

#define CUTOFF_KERNELS dcs_cutoff_avx2
#include "kernels/coulomb/cpu/cutoff_brick.h"
