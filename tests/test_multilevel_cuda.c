/* Multilevel summation on the emulated device, against double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/coulomb_problem.h"
#include "tests/sorted_cells.h"

static int find_variant(void **state) {
  return find_cells(state, "cuda_multilevel");
}

/* block_x, block_y, coarsen_z, cell_edge, tile_atoms; order, cutoff, ratio. */
static dcs_config method(int order, int cutoff, int ratio) {
  return (dcs_config){{8, 4, 3, 20, 64, order, cutoff, ratio}};
}

static void pose(dcs_case *c, double tolerance) {
  dcs_config problem = {{0}};
  problem.value[DCS_COULOMB_TOLERANCE] = tolerance;
  dcs_case_pose(c, &problem);
}

static void orders_keep_their_tolerance(void **state) {
  (void)state;
  static const double tolerances[] = {0.2, 0.02, 0.02, 0.02};
  for (int order = 0; order < 4; order++) {
    dcs_case c = around_grid((dcs_dims){11, 9, 8}, 0.7, 60, 1);
    const dcs_config config = method(order, 30, 40 + 5 * order);
    pose(&c, tolerances[order]);
    expect_map(&c, cells, &config);
    dcs_case_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_keep_their_tolerance),
  };
  return cmocka_run_group_tests_name("multilevel on CUDA", tests, find_variant, remove_folder);
}
