/* Forces in portable vectors; see forces_tile.h. */
#include "kernels/common/rsqrt_portable.h"

static inline __attribute__((always_inline)) int any(tile_vector v, float most) {
  int all = 0;
  for (int l = 0; l < 4; l++)
    all |= v[l] < most;
  return all;
}

#define FORCES_KERNEL        dcs_forces_portable
#define FORCES_RECIPROCAL(v) (1.0f / (v))
#define FORCES_ANY           any
#include "kernels/forces/cpu/forces_tile.h"
