/* Maps to a tolerance: none is farther off than what was promised. Random problems of many shapes,
 * each method of the CPU that says it computes them: 1,000 problems in `make check-full`, which
 * sets DCS_TEST_FULL, else a tenth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "tests/coulomb_problem.h"
#include "tests/plain_map.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ATOMS = 600, MOST_POINTS = 14 * 14 * 14 };

/* ---- problems ---- */

/* How atoms lie, and with which charges. */
typedef enum {
  UNIFORM,    /* in the grid's box and around it, of both signs */
  CLUSTER,    /* most in a tenth of the box */
  SLAB,       /* flat */
  FAR_ATOM,   /* one stands far outside */
  NET_CHARGE, /* all of one sign */
  DIPOLES,    /* pairs of opposite charges, an angstrom apart */
  LATTICE,    /* rock salt, whose potential cancels */
  SORTED,     /* all positive ones first */
  TWO_ATOMS,
  TEN_POINTS,
  N_LAYOUTS
} layout;

static const char *const shapes[] = {"uniform", "cluster", "slab",   "far atom",  "net charge",
                                     "dipoles", "lattice", "sorted", "two atoms", "ten points"};

static dcs_grid random_grid(dcs_random *random, layout shape) {
  dcs_grid grid = {.spacing = pow(10, between(random, -0.8, 0.5)), .has_origin = true};
  grid.n = (dcs_dims){2 + dcs_random_below(random, 13), 2 + dcs_random_below(random, 13),
                      1 + dcs_random_below(random, 14)};
  if (shape == TEN_POINTS) grid.n = (dcs_dims){5, 2, 1};
  return grid;
}

static void place(dcs_random *random, const dcs_grid *grid, layout shape, int a, dcs_site *s) {
  const double n[3] = {(double)grid->n.x, (double)grid->n.y, (double)grid->n.z};
  const double around = shape == CLUSTER && a % 8 ? 0.45 : -0.1;
  double r[3];
  for (int d = 0; d < 3; d++)
    r[d] = grid->spacing * n[d] * between(random, around, 1 - around);
  if (shape == SLAB) r[2] = grid->spacing * between(random, 0.4, 0.6);
  if (shape == FAR_ATOM && a == 0) r[0] = 1000;
  double q = between(random, -1, 1);
  if (shape == NET_CHARGE) q = fabs(q);
  if (shape == LATTICE) {
    const int64_t at[3] = {a % 8, a / 8 % 8, a / 64};
    for (int d = 0; d < 3; d++)
      r[d] = 2.8 * (double)at[d] + 0.3;
    q = (at[0] + at[1] + at[2]) % 2 ? 1 : -1;
  }
  *s = (dcs_site){.x = r[0], .y = r[1], .z = r[2], .q = q};
}

static dcs_case random_case(uint64_t seed, layout shape) {
  static dcs_site sites[MOST_ATOMS];
  dcs_random random = {seed};
  const dcs_grid grid = random_grid(&random, shape);
  const int n = shape == TWO_ATOMS ? 2 : 2 + (int)dcs_random_below(&random, MOST_ATOMS - 1);
  for (int a = 0; a < n; a++) {
    place(&random, &grid, shape, a, &sites[a]);
    if (shape == SORTED) sites[a].q = copysign(sites[a].q, a < n / 2 ? 1 : -1);
    if (shape != DIPOLES || a % 2 == 0) continue;
    sites[a] = sites[a - 1];
    sites[a].x += 1;
    sites[a].q *= -1;
  }
  dcs_case c;
  if (dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

/* ---- methods ---- */

static double worst[DCS_MAX_ADDED + 64]; /* error over what is allowed, of each variant */
static int computed[DCS_MAX_ADDED + 64];

/* False: the variant does not compute it. */
static bool try_variant(int v, const dcs_case *c, layout shape, const dcs_reference *reference) {
  static float map[MOST_POINTS];
  const dcs_variant *variant = dcs_variants[v];
  const dcs_config config = dcs_initial_config(variant, 1);
  char why[DCS_TEXT];
  if (variant->backend != DCS_CPU || dcs_kind_of(variant) != dcs_kinds[0]) return false;
  if (variant->available && !variant->available(why)) return false;
  if (!dcs_applicable(variant, &c->problem, &config, why)) return false;
  for (int64_t i = 0; i < reference->points; i++)
    map[i] = NAN;
  assert_true(variant->compute(&c->problem, &config, OUT(map)));
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
  const dcs_verdict verdict = dcs_check(reference, map, 1);
  if (!verdict.accepted)
    fail_msg("%s, %s, %d atoms: %g of the tolerance %g", variant->id, shapes[shape],
             (int)c->problem.n_inputs, verdict.bound_ratio, dcs_tolerance(&c->problem));
  worst[v] = fmax(worst[v], verdict.bound_ratio);
  computed[v]++;
  return true;
}

static int try_all(const dcs_case *c, layout shape) {
  dcs_reference reference;
  int n = 0;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  for (int v = 0; v < dcs_n_variants; v++)
    n += try_variant(v, c, shape, &reference);
  dcs_reference_free(&reference);
  return n;
}

static void no_tolerance_is_exceeded(void **state) {
  (void)state;
  const int trials = getenv("DCS_TEST_FULL") ? 1000 : 100;
  for (int t = 0; t < trials; t++) {
    dcs_random random = {(uint64_t)t};
    const layout shape = (layout)(t % N_LAYOUTS);
    dcs_case c = random_case((uint64_t)t, shape);
    const dcs_config rough = to_tolerance(0.01),
                     fine = to_tolerance(pow(10, between(&random, -6, -1)));
    dcs_case_pose(&c, &fine);
    (void)try_all(&c, shape);
    dcs_case_pose(&c, &rough);
    assert_true(try_all(&c, shape) >= 4); /* all of the direct sum that run anywhere */
    dcs_case_free(&c);
  }
  for (int v = 0; v < dcs_n_variants; v++)
    if (computed[v])
      print_message("%s: %d maps, %.3f of what is allowed at most\n", dcs_variants[v]->id,
                    computed[v], worst[v]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_tolerance_is_exceeded)};
  return cmocka_run_group_tests_name("tolerance", tests, NULL, NULL);
}
