/* A kernel of the tests' own: the map in single precision, right or with a planted bug. */
#ifndef DCS_TEST_PLAIN_MAP_H
#define DCS_TEST_PLAIN_MAP_H

#include "harness/base/random.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <string.h>

/* Where a planted bug may act. */
typedef struct {
  int64_t n_atoms; /* those summed */
  int64_t shift;   /* points in x that the grid is off by */
  bool swap;       /* x and y exchanged */
  int64_t columns; /* columns that are computed; the rest stays 0 */
  const dcs_atom *atoms;
} planted;

static inline planted honest(const dcs_case *c) {
  return (planted){
      .n_atoms = c->problem.n_inputs, .columns = c->problem.n.x, .atoms = dcs_atoms(&c->problem)};
}

/* The map in single precision throughout, one accumulator a point, as the plain kernels do it. */
static inline void compute(const dcs_case *c, planted plan, float *map) {
  const dcs_dims n = c->problem.n;
  const float h = c->problem.spacing;
  memset(map, 0, (size_t)dcs_points(n) * sizeof *map);
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      for (int64_t i = 0; i < plan.columns; i++) {
        float x = (float)(plan.swap ? j : i + plan.shift) * h, y = (float)(plan.swap ? i : j) * h;
        float sum = 0;
        for (int64_t a = 0; a < plan.n_atoms; a++) {
          float dx = x - plan.atoms[a].x, dy = y - plan.atoms[a].y;
          float dz = (float)k * h - plan.atoms[a].z;
          sum += plan.atoms[a].q * (1 / sqrtf(dx * dx + dy * dy + dz * dz));
        }
        map[(k * n.y + j) * n.x + i] = sum;
      }
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
}

static inline double between(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

#endif
