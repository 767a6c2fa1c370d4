/* The sum with a cutoff in portable vectors; see cutoff_brick.h. */
#include "kernels/common/rsqrt_portable.h"

#include <string.h>

static inline __attribute__((always_inline)) tile_vector positive(tile_vector v) {
  return (tile_vector)((int_vector)v & (v > 0.0f));
}

static inline __attribute__((always_inline)) tile_vector below(tile_vector v, tile_vector r2,
                                                               float c2) {
  return (tile_vector)((int_vector)v & (r2 < c2));
}

static inline __attribute__((always_inline)) unsigned lanes(tile_vector d2, float most) {
  unsigned bits = 0;
  for (int l = 0; l < 4; l++)
    bits |= (unsigned)(d2[l] <= most) << l;
  return bits;
}

static inline __attribute__((always_inline)) void pack(void *to, tile_vector v, unsigned bits) {
  char *at = to;
  for (int l = 0; l < 4; l++) {
    float lane = v[l];
    memcpy(at, &lane, sizeof lane);
    at += (bits >> l & 1) * sizeof lane;
  }
}

#define CUTOFF_KERNELS  dcs_cutoff_portable
#define CUTOFF_POSITIVE positive
#define CUTOFF_BELOW    below
#define CUTOFF_LANES    lanes
#define CUTOFF_PACK     pack
/* Two slices of four vectors: eight sums. */
#define CUTOFF_SLICES 2

#include "kernels/coulomb/cpu/cutoff_brick.h"
