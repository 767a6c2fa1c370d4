/* The oracle: values by hand, the rule for points on atoms, and which points are sampled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const dcs_grid small = {.n = {4, 5, 2}, .spacing = 1, .has_origin = true};

static int64_t at(dcs_dims n, int64_t x, int64_t y, int64_t z) {
  return (z * n.y + y) * n.x + x;
}

static bool close_to(double found, double expected) {
  return fabs(found - expected) <= 1e-14 * fabs(expected);
}

static dcs_case build(dcs_site *sites, int n, const dcs_grid *grid) {
  const dcs_molecule molecule = {sites, n};
  dcs_case c;
  if (dcs_case_build(dcs_kinds[0], NULL, &molecule, grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static dcs_reference refer(const dcs_case *c, int64_t evals) {
  dcs_reference reference;
  if (dcs_oracle(c, evals, &reference) != DCS_OK) fail_msg("%s", dcs_error_message());
  return reference;
}

static void expect_point(const dcs_reference *r, int64_t index, double v, double s, double d) {
  assert_int_equal(r->index[index], index); /* the map is small: every point is there */
  const dcs_sums *sums = &r->sums[index];
  if (!close_to(sums->v, v) || !close_to(sums->s, s) || !close_to(sums->d, d) || sums->e != 0)
    fail_msg("point %d: V %.17g S %.17g D %.17g; expected %.17g %.17g %.17g", (int)index, sums->v,
             sums->s, sums->d, v, s, d);
}

/* Distances that are whole numbers: (3, 4, 0) is 5 away from the origin. */
static void one_charge(void **state) {
  (void)state;
  dcs_site site = {.x = 0, .y = 0, .z = 0, .q = -2};
  dcs_case c = build(&site, 1, &small);
  dcs_reference r = refer(&c, 1000);
  assert_int_equal(r.n, 40);
  assert_int_equal(r.points, 40);
  assert_true(r.largest == 4); /* the last point in y */
  expect_point(&r, at(small.n, 3, 4, 0), -0.4, 0.4, 0.08);
  expect_point(&r, at(small.n, 2, 0, 0), -1, 1, 0.5);
  expect_point(&r, at(small.n, 0, 0, 1), -2, 2, 2);
  dcs_reference_free(&r);
  assert_null(r.sums);
  dcs_case_free(&c);
}

/* From (3, 4, 0): 3 is 13 away, -1 is 2 away. The farthest coordinate is an atom's. */
static void two_charges(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 0, .y = 0, .z = 12, .q = 3}, {.x = 3, .y = 4, .z = -2, .q = -1}};
  dcs_case c = build(sites, 2, &small);
  dcs_reference r = refer(&c, 1000);
  assert_true(r.largest == 12);
  expect_point(&r, at(small.n, 3, 4, 0), 3.0 / 13 - 0.5, 3.0 / 13 + 0.5, 3.0 / 169 + 0.25);
  expect_point(&r, at(small.n, 0, 0, 0), 0.25 - 1 / sqrt(29), 0.25 + 1 / sqrt(29),
               3.0 / 144 + 1.0 / 29);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* The grid's origin is taken off: the same numbers elsewhere. */
static void the_origin_is_subtracted(void **state) {
  (void)state;
  dcs_grid grid = small;
  const double origin[3] = {-512, 64, 1024};
  memcpy(grid.origin, origin, sizeof origin);
  dcs_site site = {.x = -512, .y = 64, .z = 1024, .q = 10};
  dcs_case c = build(&site, 1, &grid);
  dcs_reference r = refer(&c, 1000);
  assert_true(r.largest == 4);
  expect_point(&r, at(grid.n, 3, 4, 0), 2, 2, 0.4);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* Atom 0 lies on the point (1, 2, 1), which keeps the other's 5/5; elsewhere both count. */
static void an_atom_on_a_point_is_left_out(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 1, .y = 2, .z = 1, .q = 7}, {.x = 1, .y = 5, .z = -3, .q = 5}};
  dcs_case c = build(sites, 2, &small);
  int64_t on = at(small.n, 1, 2, 1);
  assert_int_equal(c.n_coincident, 1);
  assert_int_equal(c.n_fixes, 1);
  assert_int_equal(c.fixes[0].index, on);
  assert_true(c.fixes[0].value == 1.0f);
  dcs_reference r = refer(&c, 1000);
  expect_point(&r, on, 1, 1, 0.2);
  expect_point(&r, at(small.n, 1, 1, 1), 7 + 5 / sqrt(32), 7 + 5 / sqrt(32), 7 + 5.0 / 32);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* 0.9 and 1.1 millionths of the spacing: only the first is left out. Both are near. */
static void the_coincident_distance(void **state) {
  (void)state;
  static const struct {
    double distance;
    int coincident, near;
  } cases[] = {{0, 1, 1}, {0.9e-6, 1, 1}, {1.1e-6, 0, 0}, {1e-3, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_grid grid = {.n = {2, 2, 2}, .spacing = 0.25, .has_origin = true};
    dcs_site site = {.x = 0, .y = 0, .z = cases[i].distance * grid.spacing, .q = 1};
    dcs_case c = build(&site, 1, &grid);
    dcs_reference r = refer(&c, 100);
    assert_int_equal(c.n_coincident, cases[i].coincident);
    assert_int_equal(c.n_fixes, cases[i].near);
    double v = cases[i].coincident ? 0 : 1 / site.z;
    if (!close_to(r.sums[0].v, v)) fail_msg("%g: found %g", cases[i].distance, r.sums[0].v);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
}

/* At 100 angstrom, single precision keeps 7.6e-6: an atom 1e-5 from its point is no coincidence,
 * but its value must come from double precision. An atom 3e-4 from its point is far enough. */
static void near_atoms_are_repaired(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {201, 2, 1}, .spacing = 0.5, .has_origin = true};
  dcs_site sites[] = {{.x = 100, .y = 1e-5, .z = 0, .q = 1},
                      {.x = 100, .y = 0, .z = 4, .q = 2},
                      {.x = 99, .y = 3e-4, .z = 0, .q = 0}};
  dcs_case c = build(sites, 3, &grid);
  assert_int_equal(c.n_coincident, 0);
  assert_int_equal(c.n_fixes, 1);
  assert_int_equal(c.fixes[0].index, 200);
  float map[402];
  for (int i = 0; i < 402; i++)
    map[i] = -7;
  dcs_apply_fixes(c.fixes, c.n_fixes, map);
  for (int i = 0; i < 402; i++)
    assert_true(map[i] == (i == 200 ? 100000.5f : -7.0f));
  dcs_case_free(&c);
}

/* ---- which points ---- */

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int corners_among(const dcs_reference *r, dcs_dims n) {
  int found = 0;
  for (int corner = 0; corner < 8; corner++) {
    int64_t index =
        at(n, corner & 1 ? n.x - 1 : 0, corner & 2 ? n.y - 1 : 0, corner & 4 ? n.z - 1 : 0);
    for (int64_t i = 0; i < r->n; i++)
      if (r->index[i] == index) {
        found++;
        break;
      }
  }
  return found;
}

/* A sample's values are those of its points; faces have more than their share of it. */
/* u (16 S + 4 P D + 3 S sqrt(L)) + E. */
static void the_bound_has_its_four_terms(void **state) {
  (void)state;
  dcs_sums sums[] = {{.s = 2, .d = 5, .e = 0.25}};
  dcs_reference r = {.n = 1, .sums = sums, .largest = 3, .rounding = 16};
  const double u = 0x1p-24;
  assert_true(fabs(dcs_bound(&r, 0, 9) - (u * (32 + 60 + 18) + 0.25)) < 1e-15);
  sums[0].e = 0;
  assert_true(fabs(dcs_bound(&r, 0, 100) - u * (32 + 60 + 60)) < 1e-15);
  r.rounding = 0;
  assert_true(fabs(dcs_bound(&r, 0, 1) - u * (60 + 6)) < 1e-15);
}

static void large_maps_are_sampled(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {100, 90, 80}, .spacing = 1, .has_origin = true};
  static const struct {
    int64_t evals, n;
  } cases[] = {{0, 64}, {127, 64}, {2000, 1000}, {INT64_MAX, 32768}};
  dcs_site sites[] = {{.x = 200, .y = 0, .z = 0, .q = 1}, {.x = 0, .y = 0, .z = -50, .q = 1}};
  dcs_case c = build(sites, 2, &grid);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_reference r = refer(&c, cases[i].evals);
    assert_int_equal(r.n, cases[i].n);
    assert_int_equal(r.points, 720000);
    assert_int_equal(corners_among(&r, grid.n), 8);
    int64_t last_columns = 0;
    for (int64_t p = 0; p < r.n; p++) {
      assert_true(r.index[p] >= 0 && r.index[p] < 720000);
      double x = (double)(r.index[p] % 100), y = (double)(r.index[p] / 100 % 90);
      double z = (double)(r.index[p] / 9000);
      double v = 1 / hypot(hypot(200 - x, y), z) + 1 / hypot(hypot(x, y), z + 50);
      assert_true(close_to(r.sums[p].v, v));
      last_columns += x == 99;
    }
    assert_true(10 * last_columns > r.n);
    dcs_reference_free(&r);
  }
  dcs_case_free(&c);
}

static void the_sample_is_always_the_same(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {50, 40, 30}, .spacing = 1, .has_origin = true};
  dcs_site site = {.x = -1, .q = 1};
  dcs_case c = build(&site, 1, &grid);
  dcs_reference a = refer(&c, 500), b = refer(&c, 500);
  assert_int_equal(a.n, 500);
  assert_memory_equal(a.index, b.index, 500 * sizeof *a.index);
  assert_memory_equal(a.sums, b.sums, 500 * sizeof *a.sums);
  qsort(a.index, 500, sizeof *a.index, compare);
  int distinct = 1;
  for (int i = 1; i < 500; i++)
    distinct += a.index[i] != a.index[i - 1];
  assert_true(distinct > 400);
  dcs_reference_free(&a);
  dcs_reference_free(&b);
  dcs_case_free(&c);
}

/* Every point once, where they are few. */
static void small_maps_are_whole(void **state) {
  (void)state;
  static const dcs_dims grids[] = {{1, 1, 1}, {63, 1, 1}, {1, 1, 64}, {5, 7, 3}, {32, 32, 32}};
  dcs_site site = {.x = -1, .q = 1};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
    const dcs_grid grid = {.n = grids[g], .spacing = 1, .has_origin = true};
    dcs_case c = build(&site, 1, &grid);
    dcs_reference r = refer(&c, 1000000);
    assert_int_equal(r.n, dcs_points(grids[g]));
    for (int64_t i = 0; i < r.n; i++)
      if (r.index[i] != i) fail_msg("index %d is %d", (int)i, (int)r.index[i]);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_charge),
      cmocka_unit_test(two_charges),
      cmocka_unit_test(the_origin_is_subtracted),
      cmocka_unit_test(an_atom_on_a_point_is_left_out),
      cmocka_unit_test(the_coincident_distance),
      cmocka_unit_test(near_atoms_are_repaired),
      cmocka_unit_test(the_bound_has_its_four_terms),
      cmocka_unit_test(large_maps_are_sampled),
      cmocka_unit_test(the_sample_is_always_the_same),
      cmocka_unit_test(small_maps_are_whole),
  };
  return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
