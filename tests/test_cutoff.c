/* Cases with a cutoff: pairs within it, values at atoms, the oracle and its bound at the edge. */
#include "harness/judge/oracle.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void build(dcs_site *sites, int n, dcs_dims points, double spacing, dcs_case *c) {
  dcs_molecule molecule = {sites, n};
  dcs_grid grid = {.n = points, .spacing = spacing, .has_origin = true};
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &molecule, &grid, c), DCS_OK);
}

static dcs_reference reference_of(const dcs_case *c) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_MAX, &reference), DCS_OK);
  return reference;
}

/* By hand: an atom 3 from the point, a cutoff of 5: (1 - 9/25)^2 / 3; one at 4: (1 - 16/25)^2 / 4;
 * the third is 6 away. */
static void the_oracle_has_the_values_of_a_hand(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 3, .q = 1}, {.y = -4, .q = -2}, {.z = 6, .q = 5}};
  dcs_case c;
  build(sites, 3, (dcs_dims){1, 1, 1}, 1, &c);
  pose_within(&c, 5, DCS_SWITCHING_C2);
  dcs_reference r = reference_of(&c);
  assert_true(fabs(r.sums[0].v - (0.64 * 0.64 / 3 - 2 * 0.36 * 0.36 / 4)) < 1e-15);
  assert_true(fabs(r.sums[0].s - (0.64 / 3 + 2 * 0.36 / 4)) < 1e-15);
  assert_true(r.sums[0].e == 0);
  dcs_reference_free(&r);
  pose_within(&c, 5, DCS_SWITCHING_NONE);
  r = reference_of(&c);
  assert_true(fabs(r.sums[0].v - (1.0 / 3 - 2.0 / 4)) < 1e-15);
  dcs_reference_free(&r);
  pose_within(&c, 100, DCS_SWITCHING_NONE);
  r = reference_of(&c);
  assert_true(fabs(r.sums[0].v - (1.0 / 3 - 2.0 / 4 + 5.0 / 6)) < 1e-15);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* An atom at the cutoff exactly: rounding decides whether its term is there, so both are accepted;
 * a thousandth further away only one is. */
static void an_atom_at_the_cutoff_may_count_or_not(void **state) {
  (void)state;
  static const double places[] = {5, 4.99, 5.01};
  for (int i = 0; i < 3; i++) {
    dcs_site sites[] = {{.x = places[i], .q = 1}, {.y = 1, .q = 1}};
    dcs_case c;
    build(sites, 2, (dcs_dims){1, 1, 1}, 1, &c);
    pose_within(&c, 5, DCS_SWITCHING_NONE);
    dcs_reference r = reference_of(&c);
    float with = (float)(1 + 1 / places[i]), without = 1;
    assert_int_equal(dcs_check(&r, &with, 2).accepted, i < 2);
    assert_int_equal(dcs_check(&r, &without, 2).accepted, i != 1);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
}

/* A switched map ends at 0: at its edge nothing but a rounding error is accepted. */
static void a_switched_map_has_no_step(void **state) {
  (void)state;
  dcs_site site = {.x = 5, .q = 1};
  dcs_case c;
  build(&site, 1, (dcs_dims){1, 1, 1}, 1, &c);
  pose_within(&c, 5, DCS_SWITCHING_C2);
  dcs_reference r = reference_of(&c);
  float rounded = 0x1p-44f / 5, step = 0x1p-20f;
  assert_true(dcs_check(&r, &rounded, 1).accepted);
  assert_false(dcs_check(&r, &step, 1).accepted);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

static double count(const dcs_case *c, bool charged) {
  const dcs_dims n = c->problem.n;
  double pairs = 0, cutoff = dcs_cutoff(&c->problem), c2 = cutoff * cutoff;
  for (int64_t a = 0; a < c->n_sites; a++)
    for (int64_t p = 0; p < dcs_points(n); p++) {
      double x = c->spacing * (double)(p % n.x) - c->sites[a].x;
      double y = c->spacing * (double)(p / n.x % n.y) - c->sites[a].y;
      double z = c->spacing * (double)(p / n.x / n.y) - c->sites[a].z;
      pairs += x * x + y * y + z * z < c2 && (!charged || c->sites[a].q != 0);
    }
  return pairs;
}

static void pairs_within_are_those_of_a_count(void **state) {
  (void)state;
  static const double cutoffs[] = {0.2, 0.5, 1.3, 4, 1000};
  dcs_grid grid = {.n = {17, 9, 5}, .spacing = 0.5};
  dcs_case c;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 60, &grid, 3, &c), DCS_OK);
  for (int a = 0; a < 60; a += 3)
    c.sites[a].q = 0;
  c.sites[1].x = -1; /* outside, and on a line of points */
  c.sites[1].y = 2;
  c.sites[2].x = 1e6;
  for (int i = 0; i < 5; i++) {
    pose_within(&c, cutoffs[i], DCS_SWITCHING_NONE);
    double all = c.kind->work(&c, false), charged = c.kind->work(&c, true);
    assert_true(all == count(&c, false));
    assert_true(charged == count(&c, true));
    assert_true(all > 0 && charged < all);
  }
  dcs_case_free(&c);
}

/* Where an atom lies on a point, its own term is left out, and the rest is that of the cutoff. */
static void the_value_at_an_atom_is_that_of_the_cutoff(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 2, .q = 1}, {.x = 3.25, .q = 1}, {.x = 9, .q = 1}};
  float map[8] = {0};
  dcs_case c;
  build(sites, 3, (dcs_dims){8, 1, 1}, 1, &c);
  pose_within(&c, 4, DCS_SWITCHING_NONE);
  assert_int_equal(c.n_fixes, 1);
  dcs_apply_fixes(c.fixes, c.n_fixes, map);
  assert_true(fabsf(map[2] - 1 / 1.25f) < 1e-6f);
  pose_within(&c, 0, DCS_SWITCHING_NONE);
  dcs_apply_fixes(c.fixes, c.n_fixes, map);
  assert_true(fabsf(map[2] - (1 / 1.25f + 1 / 7.0f)) < 1e-6f);
  dcs_case_free(&c);
}

/* 1/3 of 1/3 + 3/6: 0.6 of the direct sum is left out. The case is as it was: an atom on a point
 * has the value of the cutoff there. */
static void the_model_error_is_what_is_left_out(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 3, .q = 1}, {.y = 6, .q = 3}, {.q = 7}};
  double error = -1;
  dcs_case c;
  build(sites, 3, (dcs_dims){1, 1, 1}, 1, &c);
  dcs_reference r = reference_of(&c);
  assert_int_equal(dcs_model_error(&c, INT64_MAX, &r, &error), DCS_OK);
  assert_true(isnan(error)); /* the direct sum approximates nothing */
  dcs_reference_free(&r);
  pose_within(&c, 5, DCS_SWITCHING_NONE);
  r = reference_of(&c);
  assert_int_equal(dcs_model_error(&c, INT64_MAX, &r, &error), DCS_OK);
  assert_true(fabs(error - 0.6) < 1e-14);
  assert_true(dcs_cutoff(&c.problem) == 5);
  assert_int_equal(c.n_fixes, 1);
  assert_true(fabsf(c.fixes[0].value - 1 / 3.0f) < 1e-7f);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* Of a map of zeros nothing is left out: the error is known, and 0. */
static void a_map_of_zeros_has_no_error(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 3}, {.y = 6}};
  float map[1] = {0};
  double error = -1;
  dcs_case c;
  build(sites, 2, (dcs_dims){1, 1, 1}, 1, &c);
  pose_within(&c, 5, DCS_SWITCHING_NONE);
  dcs_reference r = reference_of(&c);
  assert_int_equal(dcs_model_error(&c, INT64_MAX, &r, &error), DCS_OK);
  assert_true(error == 0);
  dcs_reference_free(&r);
  const dcs_config loosely = to_tolerance(1e-3);
  dcs_case_pose(&c, &loosely);
  r = reference_of(&c);
  dcs_verdict verdict = dcs_check(&r, map, 1);
  assert_true(verdict.accepted && verdict.max_error == 0 && verdict.rel_l2 == 0);
  map[0] = 1e-20f;
  verdict = dcs_check(&r, map, 1);
  assert_true(!verdict.accepted && isinf(verdict.max_error));
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oracle_has_the_values_of_a_hand),
      cmocka_unit_test(an_atom_at_the_cutoff_may_count_or_not),
      cmocka_unit_test(a_switched_map_has_no_step),
      cmocka_unit_test(pairs_within_are_those_of_a_count),
      cmocka_unit_test(the_value_at_an_atom_is_that_of_the_cutoff),
      cmocka_unit_test(the_model_error_is_what_is_left_out),
      cmocka_unit_test(a_map_of_zeros_has_no_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
