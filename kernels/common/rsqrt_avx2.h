/* AVX2: vectors of eight, and 1/sqrt of them, for the templates (tile.h, cutoff_brick.h). */
#define TILE_BYTES 32

#ifdef __x86_64__
#include <immintrin.h>

#define TILE_TARGET __attribute__((target("avx2,fma")))

typedef float tile_vector __attribute__((vector_size(TILE_BYTES)));

/* 2 / sqrt(r2): a Newton step from the estimate y is y (3 - r2 y^2) / 2, halving left out. */
TILE_TARGET static inline __attribute__((always_inline)) tile_vector twice_rsqrt(tile_vector r2) {
  tile_vector y = (tile_vector)_mm256_rsqrt_ps((__m256)r2);
  return y * (3.0f - r2 * y * y);
}

#define TILE_RSQRT   twice_rsqrt
#define TILE_UNSCALE 0.5f
#endif
