/* Rows of a surface in portable C; see surface_points.h. */
#include <stdint.h>

#define SURFACE_TARGET

static uint64_t classify_word(const float *values, float level) {
  uint64_t word = 0;
  for (int i = 0; i < 64; i++)
    word |= (uint64_t)(values[i] >= level) << i;
  return word;
}
#define SURFACE_CLASSIFY classify_word

#define SURFACE_KERNEL dcs_surface_portable
#include "kernels/surface/cpu/surface_points.h"
