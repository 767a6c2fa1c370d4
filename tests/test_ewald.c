/* The Ewald sum: Madelung constants, and what must not change it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/judge/oracle.h"
#include "harness/problems/ewald.h"
#include "tests/coulomb_problem.h"
#include "tests/crystals.h"

#include <math.h>
#include <string.h>

static double at(const dcs_site *sites, int n, const double cell[3], double x, double y, double z) {
  const double point[1][3] = {{x, y, z}};
  double v;
  assert_int_equal(dcs_ewald(sites, n, cell, 1e-9, point, 1, &v), DCS_OK);
  return v;
}

static void assert_near(double found, double expected, double error) {
  if (!(fabs(found - expected) <= error)) fail_msg("found %.14g; expected %.14g", found, expected);
}

/* ---- crystals ---- */

/* At an ion the potential of all others is its charge's opposite times the constant, over the
 * distance: of one cell, of 27 that are one cell, and of one that hangs out of the cell. */
static void the_madelung_constants_are_found(void **state) {
  (void)state;
  dcs_site sites[216];
  const double edge = 5.64;
  for (size_t k = 0; k < sizeof crystals / sizeof crystals[0]; k++) {
    const crystal *c = &crystals[k];
    const double expected = c->madelung / (c->distance * edge);
    for (int times = 1; times <= 3; times += 2)
      for (int shifted = 0; shifted < 2; shifted++) {
        const double cell[3] = {edge * times, edge * times, edge * times};
        const int n = build(c, edge, times, 7.7 * shifted, sites);
        for (int a = 0; a < n; a += n - 1) {
          const dcs_site *s = &sites[a];
          assert_near(at(sites, n, cell, s->x, s->y, s->z), -s->q * expected, 2e-12);
          assert_near(at(sites, n, cell, s->x + 3 * cell[0], s->y - cell[1], s->z),
                      -s->q * expected, 2e-12);
        }
      }
  }
}

/* One charge in a cube, in the background that neutralises it: -2.837297479... / L at the charge
 * (M. P. Tosi, Solid State Phys. 16 (1964) 1), and the mean over the cell is 0. */
static void a_net_charge_is_neutralised(void **state) {
  (void)state;
  const dcs_site one = {.x = 1, .y = 2, .z = 3, .q = -2};
  const double cell[3] = {8, 8, 8};
  assert_near(at(&one, 1, cell, 1, 2, 3), 2 * 2.837297479480619 / 8, 1e-12);
}

/* ---- what must not change it ---- */

enum { N = 40 };

static void random_sites(dcs_site sites[N], const double cell[3]) {
  dcs_random random = {1921};
  for (int a = 0; a < N; a++)
    sites[a] = (dcs_site){.x = cell[0] * dcs_random_unit(&random),
                          .y = cell[1] * dcs_random_unit(&random),
                          .z = cell[2] * dcs_random_unit(&random),
                          .q = 2 * dcs_random_unit(&random) - 0.8};
}

/* One point and 3,000 have splittings of their own. */
static void the_splitting_does_not_matter(void **state) {
  (void)state;
  enum { POINTS = 3000 };
  static double points[POINTS][3], v[POINTS];
  const double cell[3] = {9, 14.5, 22};
  dcs_site sites[N];
  random_sites(sites, cell);
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++)
      points[i][d] = cell[d] * (i * (d + 2) % POINTS) / POINTS - 3;
  assert_int_equal(dcs_ewald(sites, N, cell, 1e-9, points, POINTS, v), DCS_OK);
  for (int i = 0; i < POINTS; i += 500)
    assert_near(v[i], at(sites, N, cell, points[i][0], points[i][1], points[i][2]), 1e-12);
}

/* Eight cells that are one, of an orthorhombic one. */
static void a_replicated_cell_is_the_same(void **state) {
  (void)state;
  const double cell[3] = {9, 14.5, 22}, twice[3] = {18, 29, 44};
  dcs_site sites[N], copies[8 * N];
  random_sites(sites, cell);
  for (int i = 0; i < 8 * N; i++) {
    copies[i] = sites[i % N];
    copies[i].x += cell[0] * (i / N % 2);
    copies[i].y += cell[1] * (i / N / 2 % 2);
    copies[i].z += cell[2] * (i / N / 4);
  }
  for (int i = 0; i < 5; i++)
    assert_near(at(copies, 8 * N, twice, i, 3 * i, 5), at(sites, N, cell, i, 3 * i, 5), 1e-12);
}

/* ---- the problem kind ---- */

static dcs_config periodic(double edge) {
  dcs_config problem = to_tolerance(0.01);
  problem.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  for (int d = 0; d < 3; d++)
    problem.value[DCS_COULOMB_CELL_X + d] = edge;
  return problem;
}

/* Rock salt whose ions lie on grid points, one of them a cell away: the values there are its
 * constant, in the reference and in the list of what replaces the kernels' values. */
static void the_reference_is_of_all_images(void **state) {
  (void)state;
  const double edge = 5.64, expected = crystals[0].madelung / (0.5 * edge);
  const dcs_config problem = periodic(edge);
  const dcs_grid grid = {.n = {4, 4, 4}, .spacing = edge / 4, .has_origin = true};
  dcs_site sites[8];
  dcs_case c;
  dcs_reference r;
  build(&crystals[0], edge, 1, 0, sites);
  sites[3].x += 2 * edge;
  assert_int_equal(
      dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){.sites = sites, .n = 8}, &grid, &c),
      DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
  assert_int_equal(c.n_coincident, 8);
  assert_int_equal(c.n_fixes, 8);
  for (int i = 0; i < 8; i++) {
    const double v = r.sums[c.fixes[i].index].v;
    assert_near(fabs(v), expected, 1e-11);
    assert_near(c.fixes[i].value, v, 1e-6);
    assert_true(r.sums[c.fixes[i].index].nearest < 1e-9);
  }
  assert_true(r.scale > 0 && r.tolerance == 0.01);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* Where the grid reaches beyond the cell, images lie on points as well. */
static void images_on_points_are_replaced(void **state) {
  (void)state;
  const double edge = 5.64, expected = crystals[0].madelung / (0.5 * edge);
  const dcs_config problem = periodic(edge);
  const dcs_molecule salt = {.sites = (dcs_site[8]){{0}}, .n = 8};
  dcs_grid grid = {.n = {9, 5, 8}, .spacing = edge / 4, .has_origin = true};
  dcs_case c;
  build(&crystals[0], edge, 1, 0, salt.sites);
  assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &salt, &grid, &c), DCS_OK);
  assert_int_equal(c.n_coincident, 8);
  assert_int_equal(c.n_fixes, 5 * 3 * 4); /* every other point */
  for (int64_t f = 0; f < c.n_fixes; f++) {
    double point[3];
    dcs_case_point(&c, c.fixes[f].index, point);
    for (int d = 0; d < 3; d++)
      assert_near(fabs(remainder(point[d], edge / 2)), 0, 1e-9);
    assert_near(fabs(c.fixes[f].value), expected, 1e-6);
  }
  dcs_case_free(&c);
  grid.n = (dcs_dims){INT64_C(1) << 40, 1, 1};
  grid.spacing = 1e7;
  assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &salt, &grid, &c), DCS_UNAVAILABLE);
  assert_non_null(strstr(dcs_error_message(), "images in the grid; expected up to 2^36"));
}

/* As many points as fit into the cell, which lies around the molecule; edges that nobody gave are
 * those of the input, and what has none is refused, and an oblique one. */
static void a_grid_spans_the_cell(void **state) {
  (void)state;
  dcs_site sites[2] = {{.x = 1, .q = 1}, {.x = 5, .y = 2, .q = 1}};
  dcs_molecule m = {.sites = sites, .n = 2, .cell = {{10, 7, 20}, {90, 90, 90}, 0}};
  dcs_config problem = periodic(0);
  problem.value[DCS_COULOMB_CELL_Y] = 8;
  dcs_grid grid = {.spacing = 0.75, .margin = 5};
  assert_int_equal(dcs_case_settle(dcs_kinds[0], &m, "m.pqr", &problem, &grid), DCS_OK);
  assert_int_equal(dcs_case_grid(&m, &grid), DCS_OK);
  assert_true(problem.value[DCS_COULOMB_CELL_X] == 10 && problem.value[DCS_COULOMB_CELL_Y] == 8 &&
              problem.value[DCS_COULOMB_CELL_Z] == 20);
  assert_true(grid.n.x == 14 && grid.n.y == 11 && grid.n.z == 27);
  assert_true(grid.origin[0] == -2 && grid.origin[1] == -3 && grid.origin[2] == -10);
  dcs_case c;
  char text[DCS_TEXT];
  assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &m, &grid, &c), DCS_OK);
  assert_string_equal(dcs_case_left_out(&c, text),
                      "a net charge of 2 e is neutralised by a uniform background");
  dcs_case_free(&c);

  dcs_grid open = {.spacing = 0.75, .margin = 5};
  problem = periodic(0);
  m.cell.angle[1] = 90.0005; /* as of frames */
  assert_int_equal(dcs_case_settle(dcs_kinds[0], &m, "m.pqr", &problem, &open), DCS_OK);
  problem = periodic(0);
  m.cell.angle[1] = 90.01;
  assert_int_equal(dcs_case_settle(dcs_kinds[0], &m, "m.pqr", &problem, &open), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "expected 90"));
  m.cell = (dcs_unit_cell){0};
  assert_int_equal(dcs_case_settle(dcs_kinds[0], &m, "m.pqr", &problem, &open), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "found no cell for a periodic boundary"));
  assert_non_null(strstr(dcs_error_message(), "--grid and --spacing"));
  dcs_grid spanned = {.n = {9, 7, 8}, .spacing = 1.7}; /* which single precision rounds */
  assert_int_equal(dcs_case_settle(dcs_kinds[0], &m, "m.pqr", &problem, &spanned), DCS_OK);
  dcs_config no_cell = dcs_initial_problem(dcs_kinds[0]);
  dcs_grid alone = {.n = {9, 7, 8}, .spacing = 1.7};
  assert_int_equal(dcs_case_settle(dcs_kinds[0], &m, "m.pqr", &no_cell, &alone), DCS_OK);
  assert_true(alone.cell[0] == 0 && alone.cell[1] == 0 && alone.cell[2] == 0);
  assert_true(spanned.cell[0] == 9 * 1.7 && spanned.cell[1] == 7 * 1.7 &&
              spanned.cell[2] == 8 * 1.7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_madelung_constants_are_found),
      cmocka_unit_test(a_net_charge_is_neutralised),
      cmocka_unit_test(the_splitting_does_not_matter),
      cmocka_unit_test(a_replicated_cell_is_the_same),
      cmocka_unit_test(the_reference_is_of_all_images),
      cmocka_unit_test(images_on_points_are_replaced),
      cmocka_unit_test(a_grid_spans_the_cell),
  };
  return cmocka_run_group_tests_name("ewald", tests, NULL, NULL);
}
