/* Problems to a tolerance of all kinds, for the methods that compute to one. Include after
 * cmocka.h. */
#ifndef DCS_TEST_SCENES_H
#define DCS_TEST_SCENES_H

#include "harness/base/random.h"
#include "harness/judge/oracle.h"
#include "tests/coulomb_problem.h"

#include <math.h>

static inline double between(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

/* Kinds of problems. */
enum {
  SCATTERED,
  CLUSTERS,
  SLAB,
  ONE_FAR,
  FAR_CROWD,
  CHARGED,
  DIPOLES,
  CANCELLING,
  CRYSTAL,
  TWO,
  TEN_POINTS,
  N_SCENES
};
static const char *const scenes[N_SCENES] = {"scattered", "clusters",  "slab",      "one far",
                                             "far crowd", "charged",   "dipoles",   "cancelling",
                                             "crystal",   "two atoms", "ten points"};

static inline void place(dcs_random *random, int scene, const double length[3], int a,
                         dcs_site *s) {
  double r[3];
  for (int d = 0; d < 3; d++) {
    r[d] = between(random, 0, length[d]);
    if (scene == CLUSTERS) r[d] = length[d] * (a % 3) / 3 + between(random, 0, 2);
    if (scene == CRYSTAL) r[d] = 2.82 * (a / (d == 0 ? 1 : d == 1 ? 7 : 49) % 7) + 0.1;
    if (scene == FAR_CROWD && a % 2) r[d] += 3 * length[0] + 20;
  }
  if (scene == SLAB) r[2] = between(random, 0.4, 0.6) * length[2];
  if (scene == ONE_FAR && a == 0) r[1] = -40 * length[1] - 1000;
  *s = (dcs_site){.x = r[0], .y = r[1], .z = r[2], .q = between(random, -1, 1)};
  if (scene == CHARGED) s->q = fabs(s->q);
  if (scene == CRYSTAL) s->q = (a + a / 7 + a / 49) % 2 ? 1 : -1;
}

/* Every second atom of a pair has the charge of the first one, with the other sign. */
static inline void pair_up(dcs_random *random, int scene, dcs_site *sites, int n) {
  const double apart = scene == DIPOLES ? 0.5 : 1e-3;
  for (int a = 1; a < n; a += 2) {
    sites[a] = sites[a - 1];
    sites[a].x += between(random, -apart, apart);
    sites[a].y += between(random, -apart, apart);
    sites[a].q = -sites[a].q;
  }
}

enum { MOST_POINTS = 24 * 24 * 24, MOST_ATOMS = 343 };

static inline dcs_case case_of(int scene, uint64_t seed, double tolerance) {
  static dcs_site sites[MOST_ATOMS];
  dcs_random random = {seed};
  dcs_grid grid = {.spacing = between(&random, 0.4, 1.2), .has_origin = true};
  grid.n.x = scene == TEN_POINTS ? 5 : 8 + dcs_random_below(&random, 17);
  grid.n.y = scene == TEN_POINTS ? 2 : 8 + dcs_random_below(&random, 17);
  grid.n.z = scene == TEN_POINTS ? 1 : 1 + dcs_random_below(&random, 24);
  const double length[3] = {grid.spacing * (double)grid.n.x, grid.spacing * (double)grid.n.y,
                            grid.spacing * (double)grid.n.z};
  const int n = scene == TWO       ? 2
                : scene == CRYSTAL ? 343
                                   : 20 + (int)dcs_random_below(&random, 200);
  for (int a = 0; a < n; a++)
    place(&random, scene, length, a, &sites[a]);
  if (scene == DIPOLES || scene == CANCELLING) pair_up(&random, scene, sites, n);
  const dcs_config problem = to_tolerance(tolerance);
  dcs_case c;
  if (dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

/* Judges a map of the case, and frees it. Returns the largest error over the tolerance. */
static inline double expect_tolerance(dcs_case *c, const float *found, const char *what) {
  const double tolerance = dcs_tolerance(&c->problem);
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_MAX / 2, &reference), DCS_OK);
  const dcs_verdict verdict = dcs_check(&reference, found, 1);
  if (!verdict.accepted)
    fail_msg("%s, tolerance %g: %g of the bound, error %g", what, tolerance, verdict.bound_ratio,
             verdict.max_error);
  dcs_reference_free(&reference);
  dcs_case_free(c);
  return verdict.max_error / tolerance;
}

#endif
