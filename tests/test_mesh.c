/* The mesh method: its split, its windows, and maps to a tolerance on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/coulomb/mesh.h"
#include "tests/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_near(double found, double expected, double most) {
  if (!(fabs(found - expected) <= most))
    fail_msg("found %.15g; expected %.15g within %g", found, expected, most);
}

/* ---- the split ---- */

/* M by a sum over its transform: (2 / pi) times the integral of F(k a) sin(k r) / (k r), of which
 * what is beyond the last k is below F there. */
static double from_transform(const dcs_split *split, double r) {
  const double step = 1e-3 / split->a, last = 400 / split->a;
  double sum = 0.5; /* k = 0 */
  for (double k = step; k < last; k += step)
    sum += dcs_split_transform(split, k) * sin(k * r) / (k * r);
  return sum * step * 2 / acos(-1);
}

static void the_split_and_its_transform_agree(void **state) {
  (void)state;
  const dcs_split split = {5, 12};
  const dcs_split_series series = dcs_split_expand(&split);
  for (double r = 0.5; r < 8; r += 0.7)
    expect_near(dcs_split_softened(r, &series), from_transform(&split, r), 1e-7);
  const double k = 1e-3;
  expect_near((1 - dcs_split_transform(&split, k)) / (k * k), dcs_split_spread(&split), 1e-6);
}

/* ---- the window ---- */

static void a_window_spreads_a_charge_whole(void **state) {
  (void)state;
  for (int order = 4; order <= DCS_MESH_MOST_ORDER; order += 2)
    for (double u = 20; u < 22; u += 0.171) {
      double w[DCS_MESH_MOST_ORDER], sum = 0, dipole = 0;
      const int first = dcs_mesh_weights(order, 2 * order, u, w);
      for (int i = 0; i < order; i++) {
        assert_true(fabs(u - (first + i)) <= 0.5 * order + 1e-12);
        sum += w[i];
        dipole += w[i] * (first + i - u);
      }
      expect_near(sum, 1, 1e-14);
      expect_near(dipole, 0, order == 4 ? 0.02 : 0.002);
    }
}

/* Of a wave that is sampled at the nodes and read between them: all but the windows' factor, in the
 * mean over positions. */
static void the_transform_of_a_window(void **state) {
  (void)state;
  enum { ORDER = 8, POSITIONS = 64 };
  for (double kh = 0; kh < 3; kh += 0.37) {
    double w[ORDER], mean = 0, transform[2];
    for (int p = 0; p < POSITIONS; p++) {
      const double u = 10 + (p + 0.5) / POSITIONS;
      const int first = dcs_mesh_weights(ORDER, 15, u, w);
      for (int i = 0; i < ORDER; i++)
        mean += w[i] * cos(kh * (first + i - u)) / POSITIONS;
    }
    dcs_mesh_window_transform(ORDER, 15, kh, 2, transform);
    expect_near(transform[1], mean, 1e-7);
    expect_near(transform[0], 1, 1e-12);
  }
}

/* ---- maps ---- */

static const dcs_variant *variant;
static float map[MOST_POINTS];

/* Threads, isa, order, short_range. */
static dcs_config configured(int threads, int order, int short_range) {
  return (dcs_config){{threads, 0, order, short_range}};
}

static void compute(const dcs_case *c, const dcs_config *config) {
  char why[DCS_TEXT] = "";
  if (!dcs_applicable(variant, &c->problem, config, why)) fail_msg("inapplicable: %s", why);
  memset(map, -1, sizeof map);
  assert_true(variant->compute(&c->problem, config, OUT(map)));
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
}

/* Returns the largest error over the tolerance. */
static double compute_scene(int scene, uint64_t seed, double tolerance, const dcs_config *config) {
  char what[64];
  dcs_case c = case_of(scene, seed, tolerance);
  compute(&c, config);
  snprintf(what, sizeof what, "%s, seed %llu", scenes[scene], (unsigned long long)seed);
  return expect_tolerance(&c, map, what);
}

/* In make check a tenth of the problems. */
static void no_tolerance_is_exceeded(void **state) {
  (void)state;
  static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5};
  const int rounds = getenv("DCS_TEST_FULL") ? 25 : 1;
  const bool tell = getenv("DCS_TEST_TELL") != NULL;
  for (int scene = 0; scene < N_SCENES; scene++)
    for (int t = 0; t < 4; t++) {
      double largest = 0;
      for (int round = 0; round < rounds; round++) {
        const int order = round % 4 == 0 ? 0 : 4 + 2 * (round % 4);
        const dcs_config config = configured(1, order, 30 + 7 * (round % 3));
        const uint64_t seed = 1000 * (uint64_t)scene + 10 * (uint64_t)round + (uint64_t)t;
        largest = fmax(largest, compute_scene(scene, seed, tolerances[t], &config));
      }
      if (tell)
        printf("%-12s %g: largest error %.3f of it\n", scenes[scene], tolerances[t], largest);
    }
}

/* Any parameters; a tolerance that the lowest order does not reach is met by a higher one. */
static void parameters_do_not_change_what_is_promised(void **state) {
  (void)state;
  for (int order = 4; order <= DCS_MESH_MOST_ORDER; order += 2)
    for (int short_range = 20; short_range <= 80; short_range += 30) {
      const dcs_config config = configured(1 + order % 3, order, short_range);
      compute_scene(SCATTERED, (uint64_t)(order + short_range), 1e-3, &config);
    }
}

/* The order of all additions is the same. */
static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  static float one[MOST_POINTS];
  dcs_case c = case_of(FAR_CROWD, 7, 1e-4);
  const size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof *map;
  for (int threads = 1; threads <= 5; threads += 2) {
    const dcs_config config = configured(threads, 8, 40);
    compute(&c, &config);
    if (threads == 1) memcpy(one, map, bytes);
    assert_memory_equal(one, map, bytes);
  }
  dcs_case_free(&c);
}

/* Nor of what the atoms say about the meshes. */
static void threads_do_not_change_the_scene(void **state) {
  (void)state;
  dcs_mesh_scene one, many;
  dcs_case c = case_of(FAR_CROWD, 7, 1e-4);
  assert_true(dcs_mesh_look(&c.problem, 4, 1, &one));
  assert_true(one.n_far > 20 && one.far_potential > 0);
  for (int threads = 2; threads <= 9; threads++) {
    assert_true(dcs_mesh_look(&c.problem, 4, threads, &many));
    assert_true(many.far_potential == one.far_potential);
    assert_int_equal(many.n_far, one.n_far);
    for (int d = 0; d < 3; d++)
      assert_true(many.lo[d] == one.lo[d] && many.hi[d] == one.hi[d]);
    assert_true(many.scale == one.scale && many.density == one.density);
  }
  dcs_case_free(&c);
}

/* A scale of 0 would allow no error, which no mesh reaches. */
static void charges_of_zero_make_a_map_of_zeros(void **state) {
  (void)state;
  dcs_case c = case_of(FAR_CROWD, 7, 1e-4);
  dcs_atom *atoms = (dcs_atom *)c.problem.input[DCS_COULOMB_ATOMS];
  for (int64_t a = 0; a < c.problem.n_inputs; a++)
    atoms[a].q = 0;
  double scale = -1;
  assert_true(dcs_map_scale(&c.problem, 2, &scale));
  assert_true(scale > 0);
  const dcs_config config = configured(2, 8, 40);
  c.n_fixes = 0; /* of the charges that were */
  compute(&c, &config);
  for (int64_t i = 0; i < dcs_points(c.problem.n); i++)
    assert_true(map[i] == 0);
  dcs_case_free(&c);
}

/* Fewer nodes where a tolerance needs fewer, unless the configuration says how many. */
static void the_order_follows_from_the_tolerance(void **state) {
  (void)state;
  assert_int_equal(dcs_mesh_order(0, 1e-2), 4);
  assert_int_equal(dcs_mesh_order(0, 1e-3), 6);
  assert_int_equal(dcs_mesh_order(0, 1e-4), 8);
  assert_int_equal(dcs_mesh_order(0, 2e-6), 8);
  assert_int_equal(dcs_mesh_order(10, 1e-2), 10);
  static const double tolerances[] = {1e-2, 1e-3, 1e-4};
  for (int t = 0; t < 3; t++) {
    char why[DCS_TEXT] = "";
    dcs_mesh_way way;
    dcs_case c = case_of(SCATTERED, 1, tolerances[t]);
    assert_true(dcs_mesh_find_way(&c.problem, 0, 5, 1, &way, why));
    assert_int_equal(way.mesh.level[0].order, 4 + 2 * t);
    dcs_case_free(&c);
  }
}

static void what_it_refuses(void **state) {
  (void)state;
  char why[DCS_TEXT] = "";
  dcs_case c = case_of(SCATTERED, 1, 1e-3);
  const dcs_config odd = configured(1, 7, 40), even = configured(1, 8, 40),
                   two = configured(1, 2, 40);
  assert_false(dcs_applicable(variant, &c.problem, &odd, why));
  assert_non_null(strstr(why, "an order of 7"));
  assert_false(dcs_applicable(variant, &c.problem, &two, why));
  c.problem.config = to_tolerance(1e-7);
  assert_false(dcs_applicable(variant, &c.problem, &even, why));
  assert_non_null(strstr(why, "down to 2e-06"));
  c.problem.config = to_tolerance(0);
  assert_false(dcs_applicable(variant, &c.problem, &even, why));
  assert_non_null(strstr(why, "--tolerance"));
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

int main(void) {
  const struct CMUnitTest parts[] = {
      cmocka_unit_test(the_split_and_its_transform_agree),
      cmocka_unit_test(a_window_spreads_a_charge_whole),
      cmocka_unit_test(the_transform_of_a_window),
  };
  const struct CMUnitTest maps[] = {
      cmocka_unit_test(no_tolerance_is_exceeded),
      cmocka_unit_test(parameters_do_not_change_what_is_promised),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(threads_do_not_change_the_scene),
      cmocka_unit_test(charges_of_zero_make_a_map_of_zeros),
      cmocka_unit_test(the_order_follows_from_the_tolerance),
      cmocka_unit_test(what_it_refuses),
  };
  const int failed = cmocka_run_group_tests_name("the parts of the mesh method", parts, NULL, NULL);
  return failed + cmocka_run_group_tests_name("maps by the mesh method", maps, find_variant, NULL);
}
