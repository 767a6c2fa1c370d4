/* The density in portable vectors; see density_brick.h. */
#include <stdint.h>

#define DENSITY_BYTES 16
#define DENSITY_TARGET

typedef float vector __attribute__((vector_size(DENSITY_BYTES)));
typedef int32_t ints __attribute__((vector_size(DENSITY_BYTES)));

static inline __attribute__((always_inline)) vector keep(vector v, vector x, float least) {
  return (vector)((ints)v & (x >= least));
}

static inline __attribute__((always_inline)) unsigned lanes(vector x, float least) {
  unsigned bits = 0;
  for (int l = 0; l < 4; l++)
    bits |= (unsigned)(x[l] >= least) << l;
  return bits;
}

#define DENSITY_KERNELS                  dcs_density_portable
#define DENSITY_ADD(sum, a, v, x, least) (sum += (a)*keep(v, x, least))
#define DENSITY_LANES                    lanes
#include "kernels/density/cpu/density_brick.h"
