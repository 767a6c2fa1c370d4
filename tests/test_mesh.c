/* The mesh method: its split, its windows, and maps to a tolerance on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/judge/oracle.h"
#include "kernels/coulomb/mesh.h"
#include "tests/coulomb_problem.h"

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

static double between(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

/* Kinds of problems. */
enum {
  SCATTERED,
  CLUSTERS,
  SLAB,
  ONE_FAR,
  FAR_CROWD,
  CHARGED,
  DIPOLES,
  CANCELLING,
  CRYSTAL,
  TWO,
  TEN_POINTS,
  N_SCENES
};
static const char *const scenes[N_SCENES] = {"scattered", "clusters",  "slab",      "one far",
                                             "far crowd", "charged",   "dipoles",   "cancelling",
                                             "crystal",   "two atoms", "ten points"};

static void place(dcs_random *random, int scene, const double length[3], int a, dcs_site *s) {
  double r[3];
  for (int d = 0; d < 3; d++) {
    r[d] = between(random, 0, length[d]);
    if (scene == CLUSTERS) r[d] = length[d] * (a % 3) / 3 + between(random, 0, 2);
    if (scene == CRYSTAL) r[d] = 2.82 * (a / (d == 0 ? 1 : d == 1 ? 7 : 49) % 7) + 0.1;
    if (scene == FAR_CROWD && a % 2) r[d] += 3 * length[0] + 20;
  }
  if (scene == SLAB) r[2] = between(random, 0.4, 0.6) * length[2];
  if (scene == ONE_FAR && a == 0) r[1] = -40 * length[1] - 1000;
  *s = (dcs_site){.x = r[0], .y = r[1], .z = r[2], .q = between(random, -1, 1)};
  if (scene == CHARGED) s->q = fabs(s->q);
  if (scene == CRYSTAL) s->q = (a + a / 7 + a / 49) % 2 ? 1 : -1;
}

/* Every second atom of a pair has the charge of the first one, with the other sign. */
static void pair_up(dcs_random *random, int scene, dcs_site *sites, int n) {
  const double apart = scene == DIPOLES ? 0.5 : 1e-3;
  for (int a = 1; a < n; a += 2) {
    sites[a] = sites[a - 1];
    sites[a].x += between(random, -apart, apart);
    sites[a].y += between(random, -apart, apart);
    sites[a].q = -sites[a].q;
  }
}

enum { MOST_POINTS = 24 * 24 * 24, MOST_ATOMS = 343 };

static dcs_case case_of(int scene, uint64_t seed, double tolerance) {
  static dcs_site sites[MOST_ATOMS];
  dcs_random random = {seed};
  dcs_grid grid = {.spacing = between(&random, 0.4, 1.2), .has_origin = true};
  grid.n.x = scene == TEN_POINTS ? 5 : 8 + dcs_random_below(&random, 17);
  grid.n.y = scene == TEN_POINTS ? 2 : 8 + dcs_random_below(&random, 17);
  grid.n.z = scene == TEN_POINTS ? 1 : 1 + dcs_random_below(&random, 24);
  const double length[3] = {grid.spacing * (double)grid.n.x, grid.spacing * (double)grid.n.y,
                            grid.spacing * (double)grid.n.z};
  const int n = scene == TWO       ? 2
                : scene == CRYSTAL ? 343
                                   : 20 + (int)dcs_random_below(&random, 200);
  for (int a = 0; a < n; a++)
    place(&random, scene, length, a, &sites[a]);
  if (scene == DIPOLES || scene == CANCELLING) pair_up(&random, scene, sites, n);
  const dcs_config problem = to_tolerance(tolerance);
  dcs_case c;
  if (dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

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
static double expect_tolerance(int scene, uint64_t seed, double tolerance,
                               const dcs_config *config) {
  dcs_case c = case_of(scene, seed, tolerance);
  dcs_reference reference;
  compute(&c, config);
  assert_int_equal(dcs_oracle(&c, INT64_MAX / 2, &reference), DCS_OK);
  const dcs_verdict verdict = dcs_check(&reference, map, 1);
  if (!verdict.accepted)
    fail_msg("%s, seed %llu, tolerance %g: %g of the bound, error %g", scenes[scene],
             (unsigned long long)seed, tolerance, verdict.bound_ratio, verdict.max_error);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
  return verdict.max_error / tolerance;
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
        const dcs_config config = configured(1, 6 + 2 * (round % 3), 30 + 7 * (round % 4));
        const uint64_t seed = 1000 * (uint64_t)scene + 10 * (uint64_t)round + (uint64_t)t;
        largest = fmax(largest, expect_tolerance(scene, seed, tolerances[t], &config));
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
      expect_tolerance(SCATTERED, (uint64_t)(order + short_range), 1e-3, &config);
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

static void what_it_refuses(void **state) {
  (void)state;
  char why[DCS_TEXT] = "";
  dcs_case c = case_of(SCATTERED, 1, 1e-3);
  const dcs_config odd = configured(1, 7, 40), even = configured(1, 8, 40);
  assert_false(dcs_applicable(variant, &c.problem, &odd, why));
  assert_non_null(strstr(why, "an odd order"));
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
      cmocka_unit_test(what_it_refuses),
  };
  const int failed = cmocka_run_group_tests_name("the parts of the mesh method", parts, NULL, NULL);
  return failed + cmocka_run_group_tests_name("maps by the mesh method", maps, find_variant, NULL);
}
