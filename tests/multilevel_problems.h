/* Problems to a tolerance, of classes in which methods with lattices differ. Include after
 * cmocka.h.
 */
#ifndef DCS_TEST_MULTILEVEL_PROBLEMS_H
#define DCS_TEST_MULTILEVEL_PROBLEMS_H

#include "harness/base/random.h"
#include "tests/coulomb_problem.h"

#include <stdlib.h>

typedef enum {
  ML_UNIFORM,
  ML_NET_CHARGE,
  ML_CLUSTER,
  ML_SLAB,
  ML_FAR, /* one atom */
  ML_FAR_MOLECULE,
  ML_DIPOLES,
  ML_TWO_ATOMS,
  ML_TEN_POINTS,
  ML_N_CLASSES
} ml_class;

static const char *const ml_class_names[] = {"uniform", "net charge",   "cluster",
                                             "slab",    "one far atom", "far molecule",
                                             "dipoles", "two atoms",    "ten points"};

static inline void pose_tolerance(dcs_case *c, double tolerance) {
  dcs_config problem = {{0}};
  problem.value[DCS_COULOMB_TOLERANCE] = tolerance;
  dcs_case_pose(c, &problem);
}

static inline dcs_case case_of(const dcs_site *sites, int64_t n_sites, dcs_dims n, double spacing,
                               double tolerance) {
  const dcs_molecule molecule = {(dcs_site *)sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &molecule, &grid, &c), DCS_OK);
  pose_tolerance(&c, tolerance);
  return c;
}

/* -1..1, most of it near 0. */
static inline double ml_bell(dcs_random *random) {
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += dcs_random_unit(random);
  return sum / 2 - 1;
}

static inline void ml_place(ml_class what, int64_t a, const double size[3], const double middle[3],
                            dcs_random *random, dcs_site *sites) {
  double at[3], q = 2 * dcs_random_unit(random) - 1;
  for (int d = 0; d < 3; d++) {
    at[d] = size[d] * dcs_random_unit(random);
    if (what == ML_CLUSTER || what == ML_FAR_MOLECULE) at[d] = middle[d] + 3 * ml_bell(random);
  }
  if (what == ML_NET_CHARGE) q = 0.5 + 0.5 * q;
  if (what == ML_SLAB) at[2] = 0.5 * size[2] + ml_bell(random);
  if (what == ML_FAR && a == 0) at[0] += 150, at[1] -= 60;
  if (what == ML_FAR_MOLECULE) at[0] += 25;
  if ((what == ML_DIPOLES || what == ML_TWO_ATOMS) && a % 2 == 1) {
    const double before[3] = {sites[a - 1].x, sites[a - 1].y, sites[a - 1].z};
    for (int d = 0; d < 3; d++)
      at[d] = before[d] + 1.2 * ml_bell(random);
    q = -sites[a - 1].q;
  }
  sites[a] = (dcs_site){.x = at[0], .y = at[1], .z = at[2], .q = q, .radius = 1};
}

/* n_sites atoms anywhere in the box. */
static inline dcs_site *ml_sites(int64_t n_sites, const double size[3], uint64_t seed) {
  const double middle[3] = {0};
  dcs_random random = {seed};
  dcs_site *sites = calloc((size_t)n_sites, sizeof *sites);
  assert_non_null(sites);
  for (int64_t a = 0; a < n_sites; a++)
    ml_place(ML_UNIFORM, a, size, middle, &random, sites);
  return sites;
}

/* As many as are not summed directly on the grids here. */
enum { ML_FEWEST_SITES = 90 };

/* A problem of a class; n_sites or more are as many as it has, if that is up to the class. */
static inline dcs_case posed_case(ml_class what, int64_t n_sites, uint64_t seed, double tolerance) {
  dcs_random random = {seed * 1000 + (uint64_t)what};
  dcs_dims n = {11 + (int64_t)(seed % 5), 13, 9 + (int64_t)(seed % 3)};
  if (what == ML_TEN_POINTS) n = (dcs_dims){5, 2, 1};
  if (n_sites < ML_FEWEST_SITES) n_sites = ML_FEWEST_SITES;
  if (what == ML_TWO_ATOMS) n_sites = 2;
  if (what == ML_DIPOLES) n_sites += n_sites % 2;
  const double spacing = 0.6, size[3] = {spacing * (double)(n.x - 1), spacing * (double)(n.y - 1),
                                         spacing * (double)(n.z - 1)};
  double middle[3];
  for (int d = 0; d < 3; d++)
    middle[d] = size[d] * dcs_random_unit(&random);
  dcs_site *sites = calloc((size_t)n_sites, sizeof *sites);
  assert_non_null(sites);
  for (int64_t a = 0; a < n_sites; a++)
    ml_place(what, a, size, middle, &random, sites);
  dcs_case c = case_of(sites, n_sites, n, spacing, tolerance);
  free(sites);
  return c;
}

#endif
