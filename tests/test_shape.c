/* Shapes of grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuning/crossover/crossover.h"

static void grids_have_a_shape_of_each_kind(void **state) {
  (void)state;
  static const struct {
    dcs_dims n;
    const char *slices, *multiples;
  } grids[] = {{{64, 64, 64}, "NxNx64", "N^3"},
               {{512, 512, 4}, "NxNx4", "128Nx128NxN"},
               {{64, 32, 1}, "2NxNx1", "64Nx32NxN"},
               {{48, 32, 16}, "3Nx2Nx16", "3Nx2NxN"},
               {{1, 1, 1}, "NxNx1", "N^3"}};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
    char text[DCS_TEXT];
    assert_string_equal(dcs_shape_text(dcs_shape_of(grids[g].n, DCS_SHAPE_SLICES), text),
                        grids[g].slices);
    assert_string_equal(dcs_shape_text(dcs_shape_of(grids[g].n, DCS_SHAPE_MULTIPLES), text),
                        grids[g].multiples);
  }
}

static void only_size_may_differ(void **state) {
  (void)state;
  const dcs_dims a = {64, 64, 4}, larger = {96, 96, 4}, deeper = {64, 64, 8}, twice = {128, 128, 8};
  for (int kind = 0; kind < DCS_N_SHAPE_KINDS; kind++) {
    dcs_shape shape = dcs_shape_of(a, (dcs_shape_kind)kind);
    bool slices = kind == DCS_SHAPE_SLICES;
    assert_true(dcs_shape_equal(shape, dcs_shape_of(larger, (dcs_shape_kind)kind)) == slices);
    assert_true(dcs_shape_equal(shape, dcs_shape_of(twice, (dcs_shape_kind)kind)) == !slices);
    assert_false(dcs_shape_equal(shape, dcs_shape_of(deeper, (dcs_shape_kind)kind)));
  }
}

static void the_nearest_grid_is_of_the_shape(void **state) {
  (void)state;
  static const struct {
    dcs_dims like, n;
    dcs_shape_kind kind;
    double points;
  } cases[] = {{{8, 8, 8}, {20, 20, 20}, DCS_SHAPE_MULTIPLES, 8100},
               {{8, 8, 8}, {21, 21, 21}, DCS_SHAPE_MULTIPLES, 9000},
               {{8, 8, 8}, {1, 1, 1}, DCS_SHAPE_MULTIPLES, 0.1},
               {{8, 8, 4}, {50, 50, 4}, DCS_SHAPE_SLICES, 1e4},
               {{8, 4, 3}, {20, 10, 3}, DCS_SHAPE_SLICES, 600},
               {{32, 16, 8}, {40, 20, 10}, DCS_SHAPE_MULTIPLES, 8000}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    dcs_dims n = dcs_shape_grid(dcs_shape_of(cases[c].like, cases[c].kind), cases[c].points);
    assert_true(n.x == cases[c].n.x && n.y == cases[c].n.y && n.z == cases[c].n.z);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_have_a_shape_of_each_kind),
      cmocka_unit_test(only_size_may_differ),
      cmocka_unit_test(the_nearest_grid_is_of_the_shape),
  };
  return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
