/* How the time of a sweep is divided among its cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/sweep/cells.h"

#include <math.h>

static void assert_near(double found, double expected) {
  if (!(fabs(found / expected - 1) < 1e-12))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Records of whole sums. */
static dcs_record *records(int n) {
  static dcs_record list[8];
  for (int r = 0; r < n; r++)
    list[r].method.variant = dcs_find_variant("cpu_gather");
  return list;
}

/* 1000 atoms on 100^3 are 1e9 evaluations, beside a fixed 1e8, for each of the records. */
static void a_cell_weighs_its_evaluations(void **state) {
  (void)state;
  dcs_cell cell = {.atoms = 1000, .n = {100, 100, 100}, .records = records(3), .n_records = 3};
  assert_near(dcs_cell_weight(&cell), 3.3e9);
  cell.n_records = 0;
  assert_true(dcs_cell_weight(&cell) == 0);
}

/* A ball of 6 angstrom holds 4/3 pi 12^3 points of a grid of 0.5: so many atoms in a million are
 * near a point; no more than all. Beside the whole sum. */
static void a_cutoff_leaves_atoms_out(void **state) {
  (void)state;
  dcs_record both[2] = {{.method.variant = dcs_find_variant("cpu_gather")},
                        {.method.variant = dcs_find_variant("cpu_cutoff")}};
  dcs_cell cell = {.atoms = 1000,
                   .n = {100, 100, 100},
                   .spacing = 0.5,
                   .cutoff = 6,
                   .records = both,
                   .n_records = 2};
  assert_near(dcs_cell_weight(&cell), 1.1e9 + 1000 * 4 * acos(-1) / 3 * 1728 + 1e8);
  cell.cutoff = 1000;
  assert_near(dcs_cell_weight(&cell), 2.2e9);
}

/* Weights of 1, 8 and 1 parts: of what is left, half by weight and half evenly. */
static void the_time_left_is_divided(void **state) {
  (void)state;
  dcs_cell list[3] = {{.atoms = 9, .n = {100, 100, 100}, .records = records(1), .n_records = 1},
                      {.atoms = 9, .n = {100, 100, 100}, .records = records(8), .n_records = 8},
                      {.atoms = 9, .n = {100, 100, 100}, .records = records(1), .n_records = 1}};
  dcs_cells cells = {.list = list, .n = 3};
  assert_near(dcs_cell_share(&cells, 0), 0.5 / 10 + 0.5 / 3);
  assert_near(dcs_cell_share(&cells, 1), 0.5 * 8 / 9 + 0.5 / 2);
  assert_near(dcs_cell_share(&cells, 2), 1);
  list[2].n.z = 99;
  dcs_cells_light_first(&cells);
  assert_int_equal(list[0].n.z, 99);
  assert_int_equal(list[1].n_records, 1);
  assert_int_equal(list[2].n_records, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cell_weighs_its_evaluations),
                                     cmocka_unit_test(a_cutoff_leaves_atoms_out),
                                     cmocka_unit_test(the_time_left_is_divided)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
