/* Acceptance of a map: what the kernels' rounding does is accepted, what a bug does is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/judge/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a kernel of the test's own ---- */

/* Where a planted bug may act. */
typedef struct {
  int64_t n_atoms;     /* those summed */
  int64_t shift;       /* points in x that the grid is off by */
  bool swap;           /* x and y exchanged */
  int64_t columns;     /* columns that are computed; the rest stays 0 */
  const dcs_atom *atoms;
} plan;

static plan honest(const dcs_case *c) {
  return (plan){.n_atoms = c->problem.n_atoms, .columns = c->problem.n.x, .atoms = c->problem.atoms};
}

/* The map in single precision throughout, one accumulator a point, as the plain kernels do it. */
static void compute(const dcs_case *c, plan plan, float *map) {
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
  dcs_repair(c->near, c->n_near, map);
}

/* ---- no false rejection ---- */

static double between(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

/* Sites in and around the grid; charges of one sign for every third seed; every fifth site stands
 * within a tenth to a ten-millionth of the spacing of a grid point. */
static void scatter(dcs_random *random, const dcs_grid *grid, bool one_sign, dcs_site *sites,
                    int n) {
  const double points[3] = {(double)grid->n.x, (double)grid->n.y, (double)grid->n.z};
  for (int a = 0; a < n; a++) {
    double r[3], off = grid->spacing * pow(10, between(random, -7, -1));
    for (int d = 0; d < 3; d++) {
      r[d] = grid->spacing * between(random, -2, points[d] + 1);
      if (a % 5 == 4)
        r[d] = grid->spacing * (double)dcs_random_below(random, (int64_t)points[d]) +
               off * between(random, -1, 1);
      r[d] += grid->origin[d];
    }
    double q = between(random, one_sign ? 0.01 : -1, 1);
    sites[a] = (dcs_site){.x = r[0], .y = r[1], .z = r[2], .q = q};
  }
}

static dcs_case random_case(uint64_t seed) {
  static dcs_site sites[300];
  dcs_random random = {seed};
  dcs_grid grid = {.spacing = pow(10, between(&random, -1.5, 0.7)), .has_origin = true};
  grid.n.x = 1 + dcs_random_below(&random, seed % 10 ? 12 : 200);
  grid.n.y = 1 + dcs_random_below(&random, 12);
  grid.n.z = 1 + dcs_random_below(&random, 4);
  for (int d = 0; d < 3; d++)
    grid.origin[d] = seed % 2 ? between(&random, -1000, 1000) : 0;
  int n = 1 + (int)dcs_random_below(&random, 300);
  scatter(&random, &grid, seed % 3 == 0, sites, n);
  dcs_case c;
  if (dcs_case_build(&(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static void a_thousand_right_maps_are_accepted(void **state) {
  (void)state;
  static float map[200 * 12 * 4];
  double largest = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    dcs_case c = random_case(seed);
    dcs_reference r;
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
    compute(&c, honest(&c), map);
    dcs_verdict verdict = dcs_check(&r, map, c.problem.n_atoms);
    if (!verdict.accepted)
      fail_msg("seed %d: point %d: found %.9g, expected %.9g, %g bounds off", (int)seed,
               (int)verdict.worst, verdict.found, verdict.expected, verdict.bound_ratio);
    largest = fmax(largest, verdict.bound_ratio);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
  print_message("largest |v - v_ref| / bound: %.3f\n", largest);
  assert_true(largest > 0.01); /* the bound is not merely enormous */
}
