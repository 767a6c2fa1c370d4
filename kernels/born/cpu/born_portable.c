/* Born radii in portable vectors; see born_tile.h. */
#include <math.h>

#define BORN_BYTES 16
#define BORN_TARGET

typedef float vector __attribute__((vector_size(BORN_BYTES)));

static inline __attribute__((always_inline)) vector root(vector v) {
  for (int l = 0; l < 4; l++)
    v[l] = sqrtf(v[l]);
  return v;
}

static inline __attribute__((always_inline)) unsigned within(vector v, vector most) {
  unsigned bits = 0;
  for (int l = 0; l < 4; l++)
    bits |= (unsigned)(v[l] <= most[l]) << l;
  return bits;
}

#define BORN_KERNEL        dcs_born_portable
#define BORN_VECTORS       2
#define BORN_RECIPROCAL(v) (1.0f / (v))
#define BORN_SQRT          root
#define BORN_WITHIN        within
#include "kernels/born/cpu/born_tile.h"
