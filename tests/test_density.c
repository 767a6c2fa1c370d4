/* The Gaussian density: what is right, by hand; and its CPU variant against that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "kernels/density/density.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Outputs with that map. */
#define OUT(map) ((void *[DCS_MAX_BUFFERS]){[DCS_DENSITY_MAP] = (map)})

enum { GUARD = 64, N_ISAS = 3 };

static const dcs_kind *kind;
static const dcs_variant *cpu;

static int find_entries(void **state) {
  (void)state;
  kind = dcs_find_kind("density");
  cpu = dcs_find_variant("cpu_density");
  return kind && cpu ? 0 : -1;
}

static dcs_config posed(double scale, double error) {
  return (dcs_config){{[DCS_DENSITY_SCALE] = scale, [DCS_DENSITY_ERROR] = error}};
}

static dcs_case build(dcs_site *sites, int64_t n_sites, dcs_dims n, double spacing,
                      dcs_config problem) {
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  if (dcs_case_build(kind, &problem, &molecule, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static dcs_reference reference_of(const dcs_case *c) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  return reference;
}

static dcs_config configure(int threads, int isa, int cell_edge) {
  const int most = (int)cpu->params[0].hi;
  return (dcs_config){{threads < most ? threads : most, isa, cell_edge}};
}

/* Computes into NaN, between guard words that must survive; the caller frees. NULL when the machine
 * lacks the instruction set. */
static float *compute(const dcs_case *c, const dcs_config *config) {
  char why[DCS_TEXT];
  if (!dcs_applicable(cpu, &c->problem, config, why)) return NULL;
  size_t n = (size_t)dcs_points(c->problem.n);
  float *whole = malloc((n + 2 * GUARD) * sizeof *whole), *map = malloc(n * sizeof *map);
  unsigned char guard[GUARD * sizeof(float)];
  assert_true(whole && map);
  memset(guard, 0x5a, sizeof guard);
  memset(whole, 0x5a, (n + 2 * GUARD) * sizeof *whole);
  for (size_t p = 0; p < n; p++)
    whole[GUARD + p] = NAN;
  assert_true(cpu->compute(&c->problem, config, OUT(whole + GUARD)));
  assert_memory_equal(whole, guard, sizeof guard);
  assert_memory_equal(whole + GUARD + n, guard, sizeof guard);
  memcpy(map, whole + GUARD, n * sizeof *map);
  free(whole);
  return map;
}

static void check_all(const dcs_case *c, int threads, int cell_edge) {
  dcs_reference reference = reference_of(c);
  for (int isa = 0; isa < N_ISAS; isa++) {
    const dcs_config config = configure(threads, isa, cell_edge);
    float *map = compute(c, &config);
    if (!map) continue;
    dcs_verdict verdict = dcs_check(&reference, map, cpu->longest_sum(&c->problem, &config));
    if (!verdict.accepted)
      fail_msg("isa %d, %d atoms, point %d: found %.9g, expected %.9g", isa,
               (int)c->problem.n_inputs, (int)verdict.worst, verdict.found, verdict.expected);
    free(map);
  }
  dcs_reference_free(&reference);
}

/* ---- what is right ---- */

static double value_at(const dcs_case *c, double x, double y, double z) {
  return dcs_case_sums(c, (double[3]){x, y, z}, 10).v;
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12)) fail_msg("found %.15g, expected %.15g", found, expected);
}

/* At r = 0, s R, 2 s R: 1, e^-1/2, e^-2. */
static void one_atom(void **state) {
  (void)state;
  dcs_site site = {.x = 1, .y = 2, .z = 1, .q = 5, .radius = 1.5};
  dcs_case c = build(&site, 1, (dcs_dims){4, 4, 4}, 1, posed(2, 1e-3));
  assert_near(value_at(&c, 1, 2, 1), 1);
  assert_near(value_at(&c, 4, 2, 1), 0.60653065971263342);
  assert_near(value_at(&c, 1, 2, 7), 0.13533528323661270);
  assert_near(value_at(&c, 1, -10, 1), 0); /* 4 widths: 0.00034 */
  assert_near(kind->single(&c.problem.config, &site, 3), 0.60653065971263342);
  assert_near(kind->single(&c.problem.config, &site, 12), 0);
  check_all(&c, 1, 30);
  dcs_case_free(&c);
}

/* Two atoms, of which one adds e^-1/2 and one e^-2 to the point between them. */
static void atoms_add_up(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 0, .radius = 1}, {.x = 3, .radius = 1, .q = -1}};
  dcs_case c = build(sites, 2, (dcs_dims){4, 1, 1}, 1, posed(1, 1e-3));
  assert_near(value_at(&c, 1, 0, 0), 0.60653065971263342 + 0.13533528323661270);
  check_all(&c, 1, 30);
  dcs_case_free(&c);
}

static void atoms_without_a_radius_are_left_out_and_counted(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 1, .radius = 0}, {.x = 2, .radius = 1}, {.x = 3, .radius = 0}};
  dcs_case c = build(sites, 3, (dcs_dims){5, 1, 1}, 1, posed(1, 1e-3));
  assert_int_equal(c.n_sites, 3);
  assert_int_equal(c.problem.n_inputs, 1);
  assert_near(value_at(&c, 1, 0, 0), 0.60653065971263342);
  assert_near(kind->work(&c, false), 5); /* 3.7 widths on either side */
  assert_near(kind->work(&c, true), 5);
  check_all(&c, 1, 30);
  dcs_case_free(&c);

  /* Kernels get one that adds nothing, even at its own place. */
  c = build(sites, 1, (dcs_dims){5, 3, 2}, 1, posed(1, 1e-3));
  assert_int_equal(c.problem.n_inputs, 1);
  assert_near(value_at(&c, 1, 0, 0), 0);
  for (int isa = 0; isa < N_ISAS; isa++) {
    const dcs_config config = configure(1, isa, 30);
    float *map = compute(&c, &config);
    for (int p = 0; map && p < 30; p++)
      assert_true(map[p] == 0);
    free(map);
  }
  dcs_case_free(&c);
}

/* A term of 0.13534 counts with an error of 0.135, and not with one of 0.136. */
static void terms_end_at_the_error(void **state) {
  (void)state;
  dcs_site site = {.x = 4, .y = 4, .z = 4, .radius = 1};
  for (int counts = 0; counts <= 1; counts++) {
    dcs_case c = build(&site, 1, (dcs_dims){9, 9, 9}, 1, posed(1, counts ? 0.135 : 0.136));
    assert_near(value_at(&c, 6, 4, 4), counts ? 0.13533528323661270 : 0);
    assert_near(kind->work(&c, true), counts ? 33 : 27); /* squares up to 4, up to 3 */
    for (int isa = 0; isa < N_ISAS; isa++) {
      const dcs_config config = configure(1, isa, 30);
      float *map = compute(&c, &config);
      double sum = 0;
      for (int p = 0; map && p < 9 * 9 * 9; p++)
        sum += map[p] > 0;
      if (map) assert_near(sum, counts ? 33 : 27);
      free(map);
    }
    dcs_case_free(&c);
  }
}

/* Where rounding decides, the term may be there or not; a point farther, it may not. */
static void at_the_edge_both_are_accepted(void **state) {
  (void)state;
  dcs_site site = {.radius = 1};
  dcs_case c = build(&site, 1, (dcs_dims){4, 1, 1}, 1, posed(1, exp(-2)));
  dcs_reference reference = reference_of(&c);
  float map[] = {1, 0.60653066f, 0, 0};
  assert_true(dcs_check(&reference, map, 1).accepted);
  map[2] = 0.13533528f;
  assert_true(dcs_check(&reference, map, 1).accepted);
  map[2] = 0.28f; /* neither once nor not: twice, and more */
  assert_false(dcs_check(&reference, map, 1).accepted);
  map[2] = 0;
  map[3] = 0.011108997f;
  assert_false(dcs_check(&reference, map, 1).accepted);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* The kind's other facts. */
static void the_kind_tells_what_it_approximates_and_how_far_it_reaches(void **state) {
  (void)state;
  dcs_site sites[] = {{.radius = 1}, {.radius = 2}};
  dcs_case c = build(sites, 2, (dcs_dims){2, 2, 2}, 1, posed(3, exp(-2)));
  dcs_config exact, rough = posed(3, 0.1), fine = posed(3, 1e-6);
  assert_near(kind->reach(&c), 12);
  assert_near(kind->range(&c.problem.config), 9);
  assert_true(kind->approximates(&rough, &exact) && dcs_same_problem(kind, &exact, &fine));
  assert_false(kind->approximates(&fine, &exact));
  assert_near(kind->rounding(&rough), 32.025850929940457);
  assert_near(kind->rounding(&fine), 147.15510557964274);
  dcs_case_free(&c);
}

/* ---- wrong maps are rejected ---- */

typedef struct {
  int64_t n_atoms;
  float radius, square, limit; /* factors of each atom's radius, of r^2, of where terms end */
} planted;

/* The map in single precision throughout. */
static void plain_map(const dcs_case *c, planted plan, float *map) {
  const dcs_dims n = c->problem.n;
  const float rate = (float)dcs_density_rate(&c->problem), h = c->problem.spacing;
  const float limit = plan.limit * (float)dcs_density_limit(&c->problem);
  for (int64_t p = 0; p < dcs_points(n); p++) {
    map[p] = 0;
    for (int64_t a = 0; a < plan.n_atoms; a++) {
      const dcs_gaussian *atom = &dcs_gaussians(&c->problem)[a];
      float dx = h * (float)(p % n.x) - atom->x, dy = h * (float)(p / n.x % n.y) - atom->y;
      float dz = h * (float)(p / n.x / n.y) - atom->z, radius = atom->radius * plan.radius;
      float x = -rate * plan.square * (dx * dx + dy * dy + dz * dz) / (radius * radius);
      if (x >= -limit) map[p] += exp2f(x);
    }
  }
}

static void wrong_maps_are_rejected(void **state) {
  (void)state;
  enum { ATOMS = 60, POINTS = 13 * 11 * 7 };
  static const planted plans[] = {{ATOMS, 1, 1, 1},        {ATOMS - 1, 1, 1, 1},
                                  {ATOMS, 1.0001f, 1, 1},  {ATOMS, 1, 2, 1},
                                  {ATOMS, 1, 0.9998f, 1},  {ATOMS, 1, 1, 0.95f},
                                  {ATOMS, 1, 1, 1.05f},    {ATOMS, 1, 1, INFINITY},
                                  {ATOMS, INFINITY, 1, 1}, {0, 1, 1, 1}};
  const dcs_grid grid = {.n = {13, 11, 7}, .spacing = 0.5};
  const dcs_config problem = posed(1, 1e-3);
  static float map[POINTS];
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, &problem, ATOMS, &grid, 7, &c), DCS_OK);
  dcs_reference reference = reference_of(&c);
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    plain_map(&c, plans[i], map);
    dcs_verdict verdict = dcs_check(&reference, map, ATOMS);
    if (verdict.accepted != (i == 0)) fail_msg("map %d: %g bounds", (int)i, verdict.bound_ratio);
  }
  plain_map(&c, plans[0], map);
  map[POINTS / 2] = NAN;
  assert_false(dcs_check(&reference, map, ATOMS).accepted);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* ---- the CPU variant ---- */

/* Around a brick, primes, long and flat; widths of a part of the spacing to more than the map. */
static void maps_agree_with_double_precision(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},   {15, 7, 9}, {16, 8, 8}, {17, 9, 7},
                                   {33, 2, 17}, {67, 1, 2}, {1, 2, 31}};
  static const double problems[][2] = {{1, 1e-3}, {0.03, 0.5}, {0.3, 1e-6}, {5, 1e-2}, {100, 1e-6}};
  static const int edges[] = {5, 12, 40, 10000};
  for (int s = 0; s < 7; s++)
    for (int i = 0; i < 5; i++) {
      const dcs_grid grid = {.n = sizes[s], .spacing = 0.37};
      const dcs_config problem = posed(problems[i][0], problems[i][1]);
      dcs_case c;
      assert_int_equal(
          dcs_case_random(kind, &problem, s % 2 ? 300 : 1 + 9 * s, &grid, (uint64_t)(s + 1), &c),
          DCS_OK);
      check_all(&c, 1 + (s + i) % 3, edges[(s + i) % 4]);
      dcs_case_free(&c);
    }
}

/* Atoms outside the grid, near and far, of very different radii; one reaches everything. */
static void any_atoms(void **state) {
  (void)state;
  enum { ATOMS = 400 };
  dcs_site sites[ATOMS];
  for (int a = 0; a < ATOMS; a++)
    sites[a] = (dcs_site){.x = -20 + 0.11 * a,
                          .y = 15 * sin(a) + 4,
                          .z = a % 3 ? 2 + a % 5 : 40 * cos(a),
                          .radius = a == 77 ? 50
                                    : a % 7 ? 0.2 * (1 + a % 9)
                                            : 0};
  sites[5] = (dcs_site){.x = 3e4, .y = -1e7, .z = 1, .radius = 1};
  sites[6] = (dcs_site){.x = 3, .y = 2, .z = 1, .radius = 1e18};
  sites[8] = (dcs_site){.x = 1.5, .y = 1, .z = 2, .radius = 1e-6};
  dcs_case c = build(sites, ATOMS, (dcs_dims){37, 19, 21}, 0.5, posed(1, 1e-3));
  check_all(&c, 2, 10);
  check_all(&c, 1, 40);
  dcs_case_free(&c);
}

/* Atoms are sorted by several threads from some thousand on. */
static void threads_change_no_bit(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {45, 23, 19}, .spacing = 0.7};
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, NULL, 5000, &grid, 3, &c), DCS_OK);
  const dcs_config one = configure(1, 0, 30), three = configure(3, 0, 30);
  float *map = compute(&c, &one), *again = compute(&c, &three);
  assert_true(map && again);
  assert_memory_equal(map, again, (size_t)dcs_points(c.problem.n) * sizeof *map);
  free(map);
  free(again);
  check_all(&c, 2, 30);
  dcs_case_free(&c);
}

/* The slices of bricks that an atom reaches, whole: a brick for one that reaches all of it, and a
 * slice for one in the only one that it reaches. */
static void candidates_are_whole_slices(void **state) {
  (void)state;
  dcs_site site = {.x = 1, .y = 1, .z = 1, .radius = 1};
  const dcs_config config = configure(1, 0, 30);
  dcs_candidates found;
  dcs_case c = build(&site, 1, (dcs_dims){16, 8, 8}, 1, posed(20, 1e-3));
  cpu->candidates(&c.problem, &config, &found);
  assert_near(found.pairs, 16 * 8 * 8);
  dcs_case_free(&c);
  c = build(&site, 1, (dcs_dims){5, 3, 4}, 1, posed(0.1, 1e-3));
  cpu->candidates(&c.problem, &config, &found);
  assert_near(found.pairs, 16 * 8);
  assert_near(kind->work(&c, true), 1);
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_atom),
      cmocka_unit_test(atoms_add_up),
      cmocka_unit_test(atoms_without_a_radius_are_left_out_and_counted),
      cmocka_unit_test(terms_end_at_the_error),
      cmocka_unit_test(at_the_edge_both_are_accepted),
      cmocka_unit_test(the_kind_tells_what_it_approximates_and_how_far_it_reaches),
      cmocka_unit_test(wrong_maps_are_rejected),
      cmocka_unit_test(maps_agree_with_double_precision),
      cmocka_unit_test(any_atoms),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(candidates_are_whole_slices),
  };
  return cmocka_run_group_tests_name("density", tests, find_entries, NULL);
}
