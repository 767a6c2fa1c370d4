/* Acceptance of a map: what the rounding of single precision does is accepted, and the bound. */
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
#include <string.h>

/* ---- no false rejection ---- */

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

enum { MOST_X = 100, MOST_Y = 8, MOST_Z = 3 };

static dcs_case random_case(uint64_t seed) {
  static dcs_site sites[300];
  dcs_random random = {seed};
  dcs_grid grid = {.spacing = pow(10, between(&random, -1.5, 0.7)), .has_origin = true};
  grid.n.x = 1 + dcs_random_below(&random, seed % 10 ? 12 : MOST_X);
  grid.n.y = 1 + dcs_random_below(&random, MOST_Y);
  grid.n.z = 1 + dcs_random_below(&random, MOST_Z);
  for (int d = 0; d < 3; d++)
    grid.origin[d] = seed % 2 ? between(&random, -1000, 1000) : 0;
  int n = 1 + (int)dcs_random_below(&random, 300);
  scatter(&random, &grid, seed % 3 == 0, sites, n);
  dcs_case c;
  if (dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static void a_thousand_right_maps_are_accepted(void **state) {
  (void)state;
  static float map[MOST_X * MOST_Y * MOST_Z];
  double largest = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    dcs_case c = random_case(seed);
    dcs_reference r;
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
    compute(&c, honest(&c), map);
    dcs_verdict verdict = dcs_check(&r, map, c.problem.n_inputs);
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

/* In the far corner of the grid, single precision puts these atoms on the point itself, or at
 * another distance altogether. */
static void atoms_lost_in_rounding_are_accepted(void **state) {
  (void)state;
  static const struct {
    double spacing, off[3]; /* of the atom from the last point, angstrom */
  } cases[] = {{0.51774677891891996, {2.24e-6, 2.60e-6, 2.24e-6}},
               {0.52058498405138723, {5.83e-7, 1.83e-6, 4.13e-6}},
               {0.51774677891891996, {4.48e-6, 5.20e-6, 4.48e-6}},
               {0.51812443195159263, {1.93e-6, 6.38e-6, 4.57e-6}},
               {0.52906861931091742, {1.37e-5, 3.63e-6, 1.39e-5}}};
  enum { EDGE = 32 };
  static float map[EDGE * EDGE * EDGE];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_grid grid = {
        .n = {EDGE, EDGE, EDGE}, .spacing = cases[i].spacing, .has_origin = true};
    const double *off = cases[i].off, far = (EDGE - 1) * cases[i].spacing;
    dcs_site site = {.x = far + off[0], .y = far + off[1], .z = far + off[2], .q = 1};
    dcs_case c;
    dcs_reference r;
    assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){&site, 1}, &grid, &c),
                     DCS_OK);
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
    compute(&c, honest(&c), map);
    dcs_verdict verdict = dcs_check(&r, map, 1);
    if (!verdict.accepted)
      fail_msg("case %zu: found %.9g, expected %.9g, %g bounds off", i, verdict.found,
               verdict.expected, verdict.bound_ratio);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
}

/* ---- the bound ---- */

/* A charge of -2 at the origin, seen from (3, 4, 0): V = -0.4, S = 0.4, D = 0.08, and P = 4. */
static void the_bound_is_the_designs(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {4, 5, 1}, .spacing = 1, .has_origin = true};
  dcs_site site = {.q = -2};
  dcs_case c;
  dcs_reference r;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){&site, 1}, &grid, &c),
                   DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
  enum { POINT = 19 };
  float map[20];
  for (int i = 0; i < 20; i++)
    map[i] = (float)r.sums[i].v;
  dcs_verdict exact = dcs_check(&r, map, 1);
  assert_true(exact.accepted && exact.bound_ratio <= 0.5 / 16 && exact.rel_l2 < 0x1p-24);
  for (int64_t longest = 1; longest <= 10000; longest *= 100) {
    double bound = 0x1p-24 * (16 * 0.4 + 4 * 4 * 0.08 + 3 * 0.4 * sqrt((double)longest));
    for (int sign = -1; sign <= 1; sign += 2) {
      map[POINT] = (float)(-0.4 + sign * 0.9 * bound);
      dcs_verdict inside = dcs_check(&r, map, longest);
      assert_true(inside.accepted && inside.worst == POINT);
      assert_true(fabs(inside.bound_ratio - fabs(map[POINT] + 0.4) / bound) < 1e-6);
      map[POINT] = (float)(-0.4 + sign * 1.1 * bound);
      dcs_verdict outside = dcs_check(&r, map, longest);
      assert_true(!outside.accepted && outside.worst == POINT && outside.found == map[POINT]);
      assert_true(outside.bound_ratio > 1 && fabs(outside.expected + 0.4) < 1e-15);
    }
  }
  /* The point on the atom: nothing is summed there, so nothing but 0 is right. */
  map[POINT] = -0.4f;
  map[0] = 1e-30f;
  assert_false(dcs_check(&r, map, 1).accepted);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* Values 3 and 4, norm 5, found as 3.5 and 4. */
static void the_error_is_relative_to_the_map(void **state) {
  (void)state;
  int64_t index[] = {0, 1};
  dcs_sums sums[] = {{.v = 3, .s = 3, .d = 1}, {.v = 4, .s = 4, .d = 1}};
  const dcs_reference r = {
      .n = 2, .index = index, .sums = sums, .largest = 1, .rounding = 16, .points = 2};
  const float map[] = {3.5f, 4};
  dcs_verdict verdict = dcs_check(&r, map, 1);
  assert_true(!verdict.accepted && fabs(verdict.rel_l2 - 0.1) < 1e-12 && verdict.worst == 0);
}

/* Nothing is within what is not known, whatever the map holds. */
static void a_reference_that_is_not_finite_rejects(void **state) {
  (void)state;
  static const double values[] = {NAN, INFINITY, -INFINITY};
  int64_t index[] = {0, 1};
  const float map[] = {3, 4};
  for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
    for (int point = 0; point < 2; point++)
      for (int field = 0; field < 4; field++) {
        dcs_sums sums[] = {{.v = 3, .s = 3, .d = 1}, {.v = 4, .s = 4, .d = 1}};
        const dcs_reference r = {
            .n = 2, .index = index, .sums = sums, .largest = 1, .rounding = 16, .points = 2};
        assert_true(dcs_check(&r, map, 1).accepted);
        double *const fields[] = {&sums[point].v, &sums[point].s, &sums[point].d, &sums[point].e};
        *fields[field] = values[v];
        assert_false(dcs_check(&r, map, 1).accepted);
      }
}

/* ---- to a tolerance ---- */

/* n reference points far from atoms, of that value and w. */
static dcs_reference far_points(dcs_sums *sums, int64_t *index, int n, double v, double w) {
  for (int i = 0; i < n; i++) {
    index[i] = i;
    sums[i] = (dcs_sums){.v = v, .w = w, .nearest = 3};
  }
  return (dcs_reference){.n = n, .points = n, .index = index, .sums = sums, .largest = 10};
}

/* t R + 4 u (|v| + P D2). */
static void the_bound_of_a_tolerance_is_the_designs(void **state) {
  (void)state;
  dcs_sums sums[1];
  int64_t index[1];
  dcs_reference r = far_points(sums, index, 1, -5, 0);
  r.tolerance = 1e-3;
  r.scale = 2;
  sums[0].d_near = 7;
  sums[0].s = sums[0].d = 1e9; /* these do not count */
  const double bound = 2e-3 + 4 * 0x1p-24 * (5 + 10 * 7);
  assert_true(fabs(dcs_bound(&r, 0, 1000000) / bound - 1) < 1e-12);
  const float inside = (float)(-5 + 0.999 * bound), outside = (float)(-5 - 1.001 * bound);
  assert_true(dcs_check(&r, &inside, 1).accepted);
  const dcs_verdict verdict = dcs_check(&r, &outside, 1);
  assert_false(verdict.accepted);
  assert_true(fabs(verdict.max_error / (1.001 * bound / 2) - 1) < 1e-3);
  const float bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    assert_false(dcs_check(&r, &bad[i], 1).accepted);
  r.scale = NAN;
  assert_false(dcs_check(&r, &inside, 1).accepted);
}

/* Charges of 3 and -3 in a grid of 5^3 points, 2 angstrom apart: R from its definition, over the
 * points that are farther than 1 angstrom from both. */
static void the_scale_of_a_map_is_told_away_from_atoms(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {5, 5, 5}, .spacing = 2, .has_origin = true};
  dcs_site sites[] = {{.x = 4.1, .y = 4, .z = 4, .q = 3}, {.x = 1.9, .y = 2, .z = 2.3, .q = -3}};
  const dcs_config problem = to_tolerance(0.01);
  dcs_case c;
  dcs_reference r;
  assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){sites, 2}, &grid, &c),
                   DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
  double v2 = 0;
  int n = 0;
  for (int i = 0; i < 125; i++) {
    double v = 0, nearest = INFINITY;
    for (int a = 0; a < 2; a++) {
      const double x = 2 * (i % 5) - sites[a].x, y = 2 * (i / 5 % 5) - sites[a].y,
                   z = 2 * (i / 25) - sites[a].z, distance = sqrt(x * x + y * y + z * z);
      nearest = fmin(nearest, distance);
      v += sites[a].q / distance;
    }
    if (nearest > 1) v2 += v * v;
    n += nearest > 1;
  }
  assert_int_equal(n, 123);
  assert_true(r.tolerance == 0.01 && fabs(r.scale / sqrt(v2 / n) - 1) < 1e-12);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

static double scale_of(const dcs_grid *grid, dcs_site *sites, int n) {
  const dcs_config problem = to_tolerance(0.01);
  dcs_case c;
  dcs_reference r;
  assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){sites, n}, grid, &c),
                   DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
  const double scale = r.scale;
  dcs_reference_free(&r);
  dcs_case_free(&c);
  return scale;
}

/* Where few points tell it or none does, and where all cancels. */
static void no_scale_is_told_by_chance(void **state) {
  (void)state;
  const dcs_grid point = {.n = {1, 1, 1}, .spacing = 1, .has_origin = true};
  const dcs_grid cube = {.n = {4, 4, 4}, .spacing = 1, .has_origin = true};
  dcs_site near = {.x = 0.1, .q = -3};
  assert_true(fabs(scale_of(&point, &near, 1) - 3) < 1e-12); /* as at 1 angstrom */
  dcs_site pair[] = {{.x = 5, .q = 3}, {.y = 5, .q = -3}};   /* V is 0 */
  assert_true(fabs(scale_of(&point, pair, 2) - sqrt(2 * 0.36)) < 1e-12);
  dcs_site twins[] = {{.x = 40, .q = 3}, {.x = 40, .q = -3}};
  const double one = scale_of(&cube, twins, 1); /* of the first alone */
  assert_true(fabs(scale_of(&cube, twins, 2) - one * sqrt(2) / 64) < 1e-12);
  dcs_site nothing = {.x = 40};
  assert_true(scale_of(&cube, &nothing, 1) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_right_maps_are_accepted),
      cmocka_unit_test(atoms_lost_in_rounding_are_accepted),
      cmocka_unit_test(the_bound_is_the_designs),
      cmocka_unit_test(the_error_is_relative_to_the_map),
      cmocka_unit_test(a_reference_that_is_not_finite_rejects),
      cmocka_unit_test(the_bound_of_a_tolerance_is_the_designs),
      cmocka_unit_test(the_scale_of_a_map_is_told_away_from_atoms),
      cmocka_unit_test(no_scale_is_told_by_chance),
  };
  return cmocka_run_group_tests_name("acceptance", tests, NULL, NULL);
}
