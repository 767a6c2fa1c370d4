/* The map of a cutoff by sorted cells: shapes around a block's, cutoffs and atoms of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/coulomb_problem.h"
#include "tests/sorted_cells.h"

/* block_x, block_y, coarsen_z, cell_edge, tile_atoms; few threads, because each is a fibre. */
static const dcs_config small = {{8, 4, 3, 10, 64}};

static int find_variant(void **state) {
  return find_cells(state, "cuda_cutoff_cells");
}

static void expect_right(dcs_case *c, const dcs_config *config, double cutoff, int switching) {
  pose_within(c, cutoff, switching);
  expect_map(c, cells, config);
}

static void any_shape_of_grid(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},  {7, 3, 2},  {8, 4, 3},  {9, 5, 4},
                                   {17, 1, 7}, {1, 13, 5}, {2, 3, 31}, {23, 11, 5}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    dcs_case c = around_grid(sizes[s], 0.5, 150, 2.5);
    expect_right(&c, &small, 2, DCS_SWITCHING_NONE);
    expect_right(&c, &small, 2, DCS_SWITCHING_C2);
    dcs_case_free(&c);
  }
}

/* From none but a few pairs to a cutoff that hides nothing, and beyond what an int could hold. */
static void any_cutoff(void **state) {
  (void)state;
  static const double cutoffs[] = {0.001, 0.1, 0.9, 3, 40, 1e6, 1e12};
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.37, 200, 3);
  for (size_t i = 0; i < sizeof cutoffs / sizeof cutoffs[0]; i++) {
    expect_right(&c, &small, cutoffs[i], DCS_SWITCHING_NONE);
    expect_right(&c, &small, cutoffs[i], DCS_SWITCHING_C2);
  }
  dcs_case_free(&c);
}

static void any_configuration(void **state) {
  (void)state;
  static const dcs_config configs[] = {{{8, 4, 1, 5, 32}},   {{8, 4, 3, 1000, 32}},
                                       {{16, 8, 5, 7, 96}},  {{8, 8, 16, 25, 512}},
                                       {{16, 4, 2, 40, 64}}, {{16, 16, 8, 30, 1024}}};
  dcs_case c = around_grid((dcs_dims){19, 13, 11}, 0.5, 400, 3);
  for (size_t s = 0; s < sizeof configs / sizeof configs[0]; s++)
    expect_right(&c, &configs[s], 2.7, s % 2 ? DCS_SWITCHING_C2 : DCS_SWITCHING_NONE);
  dcs_case_free(&c);
}

/* More than a piece of them in one cell, in the grid and outside it but within reach; and all
 * beyond reach, where the map is zero. */
static void all_atoms_in_one_place(void **state) {
  (void)state;
  static const double point[3] = {0, 0, 0}, shifts[] = {1.3, -1.1, -30, 1e6, 1e30};
  for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
    dcs_case c = build((dcs_dims){9, 5, 4}, 0.5, 600, point, 0.001, shifts[i]);
    expect_right(&c, &small, 2.5, DCS_SWITCHING_C2);
    dcs_case_free(&c);
  }
}

/* Points so far apart that a cell is much larger than asked for, or so close that all are in one.
 */
static void any_spacing(void **state) {
  (void)state;
  static const double spacings[] = {1e-4, 50, 3000};
  for (int i = 0; i < 3; i++) {
    dcs_case c = around_grid((dcs_dims){17, 9, 7}, spacings[i], 500, 3);
    expect_right(&c, &small, 3, DCS_SWITCHING_NONE);
    expect_right(&c, &small, 1.5 * spacings[i], DCS_SWITCHING_C2);
    dcs_case_free(&c);
  }
}

static void long_rows(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){230, 1, 2}, 0.5, 600, 2.5);
  pose_within(&c, 2, DCS_SWITCHING_C2);
  expect_long_rows(&c, &small);
  dcs_case_free(&c);
}

static void any_order_gives_the_same_bits(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 1500, 2);
  pose_within(&c, 2.5, DCS_SWITCHING_C2);
  expect_any_order(&c, &small);
  expect_same_next(&c, &small);
  expect_same_parts(&c, &small);
  dcs_case_free(&c);
}

static void candidate_pairs_are_between_within_and_all(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 300, 0);
  const double points = 24 * 12 * 9, all = (double)c.problem.n_inputs * points;
  static const double cutoffs[] = {0.4, 1, 2, 5};
  for (int i = 0; i < 4; i++) {
    pose_within(&c, cutoffs[i], DCS_SWITCHING_NONE);
    double pairs = expect_candidates(&c, &small, points);
    assert_true(i > 0 || pairs < 0.5 * all);
  }
  pose_within(&c, 40, DCS_SWITCHING_NONE);
  assert_true(expect_candidates(&c, &small, points) == all);
  dcs_case_free(&c);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const refusal list[] = {{{{9, 4, 1, 30, 64}}, "warps are 8 x 4"},
                                 {{{8, 4, 1, 30, 65}}, "multiple of 32"},
                                 {{{128, 16, 1, 30, 64}}, "at most 1024"},
                                 {{{32, 32, 1, 30, 1024}}, "shared memory"}};
  const dcs_config problem = within(3, DCS_SWITCHING_NONE);
  expect_refusals(&problem, list, sizeof list / sizeof list[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_shape_of_grid),
      cmocka_unit_test(any_cutoff),
      cmocka_unit_test(any_configuration),
      cmocka_unit_test(all_atoms_in_one_place),
      cmocka_unit_test(any_spacing),
      cmocka_unit_test(long_rows),
      cmocka_unit_test(any_order_gives_the_same_bits),
      cmocka_unit_test(candidate_pairs_are_between_within_and_all),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests_name("cutoff_cells", tests, find_variant, remove_folder);
}
