/* Portable vectors of four, and 1/sqrt of them, for the templates (tile.h, cutoff_brick.h). */
#define TILE_BYTES 16

#include <stdint.h>

typedef float tile_vector __attribute__((vector_size(TILE_BYTES)));
typedef int32_t int_vector __attribute__((vector_size(TILE_BYTES)));

/* 2^13 / sqrt(r2). The guess y is within 3.5%: halving the bits halves the exponent, and the
 * constant (Lomont, Fast Inverse Square Root, 2003) restores the bias and balances the error. A
 * Newton step is y (3 - r2 y^2) / 2; left out, the halvings double w, 16 w and 8192 w in turn, and
 * the next step's 3 grows with the square. */
static inline __attribute__((always_inline)) tile_vector scaled_rsqrt(tile_vector r2) {
  tile_vector w = (tile_vector)(0x5f375a86 - ((int_vector)r2 >> 1));
  w *= 3.0f - r2 * w * w;
  w *= 12.0f - r2 * w * w;
  w *= 768.0f - r2 * w * w;
  return w;
}

#define TILE_TARGET
#define TILE_RSQRT   scaled_rsqrt
#define TILE_UNSCALE 0x1p-13f
