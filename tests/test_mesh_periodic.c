/* The mesh method with periodic boundaries, on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/ewald.h"
#include "kernels/coulomb/cpu/mesh_rough.h"
#include "tests/crystals.h"
#include "tests/periodic_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dcs_variant *variant;
static float map[MOST_POINTS];

static void compute(const dcs_case *c, const dcs_config *config) {
  char why[DCS_TEXT] = "";
  assert_true(dcs_points(c->problem.n) <= MOST_POINTS);
  if (!dcs_applicable(variant, &c->problem, config, why)) fail_msg("inapplicable: %s", why);
  memset(map, -1, sizeof map);
  assert_true(variant->compute(&c->problem, config, OUT(map)));
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
}

/* Threads, isa, order, short_range. */
static dcs_config configured(uint64_t seed) {
  const int i = (int)seed;
  return (dcs_config){{1 + i % 3, 0, 6 + 2 * (i % 3), 30 + 7 * (i % 4)}};
}

static void assert_near(double found, double expected, double error) {
  if (!(fabs(found - expected) <= error)) fail_msg("found %.9g; expected %.9g", found, expected);
}

/* Of terms: W, the root of the sum of the squares of q/r of the nearest images. */
static void the_rough_sum_is_good_to_a_few_percent(void **state) {
  (void)state;
  enum { N = 40 };
  for (int scene = 0; scene < N_CELLS; scene++) {
    dcs_case c = periodic_case(scene, 5 + (uint64_t)scene, 1e-3, 7);
    dcs_mesh_sample samples[N];
    double points[N][3], v[N], cell[3], largest = 0;
    for (int i = 0; i < N; i++) {
      samples[i] = (dcs_mesh_sample){.v = 0};
      dcs_case_point(&c, i * 97 % dcs_points(c.problem.n), points[i]);
      for (int d = 0; d < 3; d++)
        samples[i].at[d] = (float)points[i][d];
    }
    dcs_cell_edges(&c.problem, cell);
    assert_true(dcs_mesh_sum_images(&c.problem, 1, samples, N));
    assert_int_equal(dcs_ewald(c.sites, c.n_sites, cell, 1e-9, (const double(*)[3])points, N, v),
                     DCS_OK);
    for (int i = 0; i < N; i++)
      if (samples[i].far) largest = fmax(largest, fabs(samples[i].v - v[i]) / sqrt(samples[i].w));
    if (getenv("DCS_TEST_TELL")) printf("%-12s rough sum: %.4f\n", cells[scene], largest);
    assert_true(largest <= 0.03);
    dcs_case_free(&c);
  }
}

/* The finest tolerance of a cell of half an angstrom, where charges nearly cancel, may be refused.
 */
static bool is_refused(int scene, const dcs_case *c, const dcs_config *config) {
  char why[DCS_TEXT];
  return scene == CELL_TINY && dcs_tolerance(&c->problem) < 1e-5 &&
         !dcs_applicable(variant, &c->problem, config, why);
}

/* In make check a few of the problems. */
static void no_tolerance_is_exceeded(void **state) {
  (void)state;
  static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 2e-6};
  const int rounds = getenv("DCS_TEST_FULL") ? 20 : 1;
  const bool tell = getenv("DCS_TEST_TELL") != NULL;
  for (int scene = 0; scene < N_CELLS; scene++)
    for (int t = 0; t < 5; t++) {
      double largest = 0;
      for (int round = 0; round < rounds; round++) {
        const uint64_t seed = 1000 * (uint64_t)scene + 10 * (uint64_t)round + (uint64_t)t;
        const dcs_config config = configured((uint64_t)(scene + round + t));
        dcs_case c = periodic_case(scene, seed, tolerances[t], rounds > 1 ? 12 : 7);
        char what[64];
        if (is_refused(scene, &c, &config)) {
          dcs_case_free(&c);
          continue;
        }
        compute(&c, &config);
        snprintf(what, sizeof what, "%s, seed %llu", cells[scene], (unsigned long long)seed);
        largest = fmax(largest, expect_tolerance(&c, map, what));
      }
      if (tell)
        printf("%-12s %g: largest error %.3f of it\n", cells[scene], tolerances[t], largest);
    }
}

/* A line along x through the ions, each point 0.1 angstrom behind a place that may hold one: the
 * others' potential there is that at the ion but for the fourth power of the distance. One cell, 8
 * that are one, and one that hangs out of the cell. */
static void the_madelung_constants_are_found(void **state) {
  (void)state;
  const double edge = 5.64, behind = 0.1;
  dcs_site sites[64];
  for (size_t k = 0; k < sizeof crystals / sizeof crystals[0]; k++)
    for (int times = 1; times <= 2; times++) {
      const crystal *kind = &crystals[k];
      const double shift = times == 1 ? 7.7 : 0,
                   expected = kind->madelung / (kind->distance * edge);
      const int n = build(kind, edge, times, shift, sites);
      dcs_config problem = to_tolerance(1e-5);
      problem.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
      for (int d = 0; d < 3; d++)
        problem.value[DCS_COULOMB_CELL_X + d] = edge * times;
      const dcs_grid grid = {.n = {2 * times, 1, 1},
                             .spacing = edge / 2,
                             .has_origin = true,
                             .origin = {shift + behind, -2 * shift, 3 * shift}};
      const dcs_config config = {{1, 0, 8, 40}};
      dcs_case c;
      assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){sites, n}, &grid, &c),
                       DCS_OK);
      compute(&c, &config);
      assert_near((double)map[0], 1 / behind - expected, 2e-5);
      if (times == 2) assert_near((double)map[2], (double)map[0], 2e-5);
      if (k == 0) assert_near((double)map[1], expected - 1 / behind, 2e-5);
      dcs_case_free(&c);
    }
}

/* One charge in a cube, in the background that neutralises it (M. P. Tosi, Solid State Phys. 16
 * (1964) 1): near it V - q/r is -2.837297479... q / L, and (2 pi / 3) q r^2 / L^3 more. */
static void a_net_charge_is_neutralised(void **state) {
  (void)state;
  const double edge = 8, r = 0.5, q = 2;
  dcs_config problem = to_tolerance(1e-5);
  problem.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  for (int d = 0; d < 3; d++)
    problem.value[DCS_COULOMB_CELL_X + d] = edge;
  dcs_site one = {.x = -r, .y = 3 * edge, .q = q};
  const dcs_grid grid = {.n = {1, 1, 1}, .spacing = 1, .has_origin = true};
  const dcs_config config = {{1, 0, 8, 40}};
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){&one, 1}, &grid, &c),
                   DCS_OK);
  compute(&c, &config);
  const double background = 2 * acos(-1) / 3 * q * r * r / pow(edge, 3);
  assert_near((double)map[0], q / r - 2.837297479480619 * q / edge + background, 2e-4);
  dcs_case_free(&c);
}

/* The order of all additions is the same. */
static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  static float one[MOST_POINTS];
  dcs_case c = periodic_case(CELL_MANY, 7, 1e-4, 8);
  const size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof *map;
  for (int threads = 1; threads <= 5; threads += 2) {
    const dcs_config config = {{threads, 0, 8, 40}};
    compute(&c, &config);
    if (threads == 1) memcpy(one, map, bytes);
    assert_memory_equal(one, map, bytes);
  }
  dcs_case_free(&c);
}

static int find_variant(void **state) {
  (void)state;
  char why[DCS_TEXT] = "";
  variant = dcs_find_variant("cpu_mesh");
  if (variant->available(why)) return 0;
  print_message("skipped: %s\n", why);
  return -1;
}

static void charges_of_zero_make_a_map_of_zeros(void **state) {
  (void)state;
  dcs_case c = periodic_case(CELL_MANY, 3, 1e-4, 7);
  dcs_atom *atoms = (dcs_atom *)c.problem.input[DCS_COULOMB_ATOMS];
  for (int64_t a = 0; a < c.problem.n_inputs; a++)
    atoms[a].q = 0;
  const dcs_config config = configured(1);
  c.n_fixes = 0; /* of the charges that were */
  compute(&c, &config);
  for (int64_t i = 0; i < dcs_points(c.problem.n); i++)
    assert_true(map[i] == 0);
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rough_sum_is_good_to_a_few_percent),
      cmocka_unit_test(no_tolerance_is_exceeded),
      cmocka_unit_test(the_madelung_constants_are_found),
      cmocka_unit_test(a_net_charge_is_neutralised),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(charges_of_zero_make_a_map_of_zeros),
  };
  return cmocka_run_group_tests_name("the mesh method, periodic", tests, find_variant, NULL);
}
