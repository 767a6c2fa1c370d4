/* The CUDA kernels of the density: shapes around a block's, widths and atoms of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/density/density.h"
#include "tests/sorted_cells.h"

static const dcs_variant *naive;

enum { PAIRS, COLUMNS };

/* block_x, block_y, coarsen_z, cell_edge, tile_atoms, terms, soft; few threads, because each is a
 * fibre. Of the naive kernel: block_x, block_y. */
static const dcs_config small = {{8, 4, 4, 10, 64, COLUMNS, 0}}, plain = {{8, 2}};

static int find_variants(void **state) {
  naive = dcs_find_variant("cuda_density_naive");
  return naive ? find_cells(state, "cuda_density_cells") : -1;
}

static dcs_config posed(double scale, double error) {
  return (dcs_config){{[DCS_DENSITY_SCALE] = scale, [DCS_DENSITY_ERROR] = error}};
}

static void pose(dcs_case *c, double scale, double error) {
  const dcs_config problem = posed(scale, error);
  dcs_case_pose(c, &problem);
}

/* ---- right maps ---- */

static void any_shape_of_grid(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},  {7, 3, 2},  {8, 4, 4}, {9, 5, 5},
                                   {17, 1, 7}, {1, 13, 6}, {2, 3, 31}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    dcs_case c = around_grid(sizes[s], 0.5, 150, 2.5);
    pose(&c, 0.6, 1e-3);
    expect_map(&c, cells, &small);
    dcs_case_free(&c);
  }
}

/* From Gaussians that few points see to such that all do. */
static void any_width_and_error(void **state) {
  (void)state;
  static const double problems[][2] = {{0.01, 0.5}, {0.2, 1e-6}, {1, 1e-3}, {1, 0.1}, {100, 1e-6}};
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.37, 200, 3);
  for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
    pose(&c, problems[i][0], problems[i][1]);
    expect_map(&c, cells, &small);
  }
  dcs_case_free(&c);
}

static void any_configuration(void **state) {
  (void)state;
  static const dcs_config configs[] = {
      {{8, 4, 2, 5, 32, COLUMNS, 0}}, {{8, 4, 4, 1000, 32, PAIRS, 0}},
      {{16, 8, 6, 7, 96, PAIRS, 2}},  {{8, 8, 16, 25, 128, COLUMNS, 0}},
      {{16, 4, 8, 40, 64, PAIRS, 8}}, {{16, 16, 6, 30, 256, COLUMNS, 0}},
      {{8, 4, 10, 20, 64, PAIRS, 3}}};
  dcs_case c = around_grid((dcs_dims){19, 13, 11}, 0.5, 400, 3);
  for (size_t s = 0; s < sizeof configs / sizeof configs[0]; s++)
    expect_map(&c, cells, &configs[s]);
  dcs_case_free(&c);
}

/* More than a tile of them in one cell, in the grid and outside it but within reach; and all beyond
 * reach, where the map is zero. */
static void all_atoms_in_one_place(void **state) {
  (void)state;
  static const double point[3] = {0, 0, 0}, shifts[] = {1.3, -1.1, -30, 1e6, 1e30};
  for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
    dcs_case c = build((dcs_dims){9, 5, 4}, 0.5, 600, point, 0.001, shifts[i]);
    expect_map(&c, cells, &small);
    dcs_case_free(&c);
  }
}

/* One reaches all points, one none but its own, one has no radius, one is far outside. */
static void any_radius(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){19, 9, 7}, 0.5, 100, 3);
  dcs_gaussian *atoms = (dcs_gaussian *)c.problem.input[0];
  static const double radii[] = {1e18, 30, 1e-6, 1e-3};
  for (int a = 0; a < 4; a++) {
    c.sites[a].radius = radii[a];
    atoms[a].radius = (float)radii[a];
  }
  c.sites[2].x = c.sites[2].y = c.sites[2].z = 1.5;
  atoms[2].x = atoms[2].y = atoms[2].z = 1.5f;
  expect_map(&c, cells, &small);
  c.sites[4].radius = atoms[4].radius = 0;
  expect_map(&c, cells, &small);
  expect_map(&c, naive, &plain);
  dcs_case_free(&c);
}

/* Kernels get one atom without a radius where no other is. */
static void no_radius_is_a_map_of_zeros(void **state) {
  (void)state;
  dcs_site site = {.x = 1, .y = 1, .z = 1};
  const dcs_molecule molecule = {&site, 1};
  const dcs_grid grid = {.n = {9, 5, 3}, .spacing = 1, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(kind, NULL, &molecule, &grid, &c), DCS_OK);
  float *maps[] = {compute(&c, &small),
                   compute_on("emulated", NULL, naive, &plain, &c.problem, DCS_UNTIMED)};
  for (int m = 0; m < 2; m++) {
    for (int p = 0; p < 9 * 5 * 3; p++)
      assert_true(maps[m][p] == 0);
    free(maps[m]);
  }
  dcs_case_free(&c);
}

/* Points so far apart that a cell is much larger than asked for, or so close that all are in one.
 */
static void any_spacing(void **state) {
  (void)state;
  static const double spacings[] = {1e-4, 50, 3000};
  for (int i = 0; i < 3; i++) {
    dcs_case c = around_grid((dcs_dims){17, 9, 7}, spacings[i], 500, 3);
    expect_map(&c, cells, &small);
    pose(&c, 100, 1e-6);
    expect_map(&c, cells, &small);
    dcs_case_free(&c);
  }
}

static void long_rows(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){230, 1, 2}, 0.5, 600, 2.5);
  expect_long_rows(&c, &small);
  dcs_case_free(&c);
}

static void any_order_gives_the_same_bits(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 1500, 2);
  expect_any_order(&c, &small);
  expect_same_next(&c, &small);
  expect_same_parts(&c, &small);
  dcs_case_free(&c);
}

/* ---- what is looked at ---- */

static void candidates_are_between_useful_and_all(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 300, 0);
  const double points = 24 * 12 * 8, all = (double)c.problem.n_inputs * points;
  static const double scales[] = {0.1, 0.3, 0.6, 1};
  for (int i = 0; i < 4; i++) {
    pose(&c, scales[i], 0.01);
    double pairs = expect_candidates(&c, &small, points);
    assert_true(i > 0 || pairs < 0.5 * all);
  }
  pose(&c, 40, 0.01);
  assert_true(expect_candidates(&c, &small, points) == all);
  dcs_case_free(&c);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const refusal list[] = {{{{9, 4, 2, 30, 64, COLUMNS, 0}}, "warps are 8 x 4"},
                                 {{{8, 4, 3, 30, 64, COLUMNS, 0}}, "even"},
                                 {{{8, 4, 2, 30, 65, COLUMNS, 0}}, "multiple of 32"},
                                 {{{8, 4, 4, 30, 64, COLUMNS, 1}}, "terms=pairs"},
                                 {{{8, 4, 4, 30, 64, PAIRS, 5}}, "of 4 points"},
                                 {{{128, 16, 2, 30, 32, COLUMNS, 0}}, "at most 1024"},
                                 {{{8, 4, 16, 30, 512, COLUMNS, 0}}, "shared memory"}};
  const dcs_config problem = posed(1, 1e-3);
  expect_refusals(&problem, list, sizeof list / sizeof list[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_shape_of_grid),
      cmocka_unit_test(any_width_and_error),
      cmocka_unit_test(any_configuration),
      cmocka_unit_test(all_atoms_in_one_place),
      cmocka_unit_test(any_radius),
      cmocka_unit_test(no_radius_is_a_map_of_zeros),
      cmocka_unit_test(any_spacing),
      cmocka_unit_test(long_rows),
      cmocka_unit_test(any_order_gives_the_same_bits),
      cmocka_unit_test(candidates_are_between_useful_and_all),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests_name("density_cells", tests, find_variants, remove_folder);
}
