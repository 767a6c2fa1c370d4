/* Multilevel summation on the emulated device, against that on the CPU and double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/multilevel_problems.h"
#include "tests/sorted_cells.h"

static int find_variant(void **state) {
  return find_cells(state, "cuda_multilevel");
}

/* block_x, block_y, coarsen_z, cell_edge, tile_atoms; order, cutoff, ratio. */
static dcs_config method(int order, int cutoff, int ratio) {
  return (dcs_config){{8, 4, 3, 20, 64, order, cutoff, ratio}};
}

/* The same on the CPU: parameters of one name have one meaning. */
static float *compute_on_cpu(const dcs_case *c, const dcs_config *config) {
  const dcs_variant *cpu = dcs_find_variant("cpu_multilevel");
  dcs_config same = {{1}};
  for (int p = 0; p < cpu->n_params; p++) {
    int q = dcs_find_param(cells, cpu->params[p].name);
    if (q >= 0) same.value[p] = config->value[q];
  }
  float *map = malloc((size_t)dcs_points(c->problem.n) * sizeof *map);
  assert_non_null(map);
  assert_true(cpu->compute(&c->problem, &same, OUT(map)));
  return map;
}

/* Within rounding of the CPU's map, of the magnitude `scale`: far closer than the tolerance. */
static void expect_cpu_map(const dcs_case *c, const dcs_config *config, float scale) {
  float *map = compute(c, config), *expected = compute_on_cpu(c, config);
  for (int64_t i = 0; i < dcs_points(c->problem.n); i++)
    if (!(fabsf(map[i] - expected[i]) <= 4e-5f * (scale + fabsf(expected[i]))))
      fail_msg("point %d is %.9g; expected %.9g", (int)i, (double)map[i], (double)expected[i]);
  free(map);
  free(expected);
}

static void orders_are_those_of_the_cpu(void **state) {
  (void)state;
  for (int order = getenv("DCS_TEST_FULL") ? 0 : 3; order < 4; order++) {
    dcs_case c = around_grid((dcs_dims){8, 6, 5}, 0.6, 450, 1);
    pose_tolerance(&c, 0.4);
    const dcs_config config = method(order, 25, 30 + 3 * order);
    expect_cpu_map(&c, &config, 1);
    expect_map(&c, cells, &config);
    dcs_case_free(&c);
  }
}

/* Levels above the first take the nearer ones, the map's kernel those beyond all. */
static void atoms_far_away(void **state) {
  (void)state;
  static const double shifts[] = {12, 1e5}, charges[] = {5, 5e4};
  for (int i = 0; i < 2; i++) {
    const double size[3] = {6.4, 3.2, 4.8};
    dcs_site *sites = ml_sites(330, size, 1);
    sites[7] = (dcs_site){.x = shifts[i], .y = 3, .z = -shifts[i], .q = charges[i]};
    dcs_case c = case_of(sites, 330, (dcs_dims){9, 5, 7}, 0.8, 1e-2);
    free(sites);
    const dcs_config config = method(1, 30, 60);
    expect_cpu_map(&c, &config, 1);
    expect_map(&c, cells, &config);
    dcs_case_free(&c);
  }
}

static void few_atoms_are_summed_directly(void **state) {
  (void)state;
  const double size[3] = {6.4, 3.2, 4.8};
  dcs_site *sites = ml_sites(30, size, 1);
  dcs_case c = case_of(sites, 30, (dcs_dims){9, 5, 7}, 0.8, 1e-5);
  const dcs_config config = method(1, 30, 60);
  free(sites);
  expect_map(&c, cells, &config);
  dcs_case_free(&c);
}

static void a_plane_of_points(void **state) {
  (void)state;
  const double size[3] = {9, 8, 2};
  dcs_site *sites = ml_sites(330, size, 3);
  dcs_case c = case_of(sites, 330, (dcs_dims){19, 17, 1}, 0.5, 0.05);
  const dcs_config config = method(1, 30, 60);
  free(sites);
  expect_cpu_map(&c, &config, 1);
  expect_map(&c, cells, &config);
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_those_of_the_cpu),
      cmocka_unit_test(atoms_far_away),
      cmocka_unit_test(few_atoms_are_summed_directly),
      cmocka_unit_test(a_plane_of_points),
  };
  return cmocka_run_group_tests_name("multilevel on CUDA", tests, find_variant, remove_folder);
}
