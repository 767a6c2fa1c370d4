/* Acceptance of a map: what the kernels' rounding does is accepted, what a bug does is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/judge/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a kernel of the test's own ---- */

/* Where a planted bug may act. */
typedef struct {
  int64_t n_atoms;     /* those summed */
  int64_t shift;       /* points in x that the grid is off by */
  bool swap;           /* x and y exchanged */
  int64_t columns;     /* columns that are computed; the rest stays 0 */
  const dcs_atom *atoms;
} plan;

static plan honest(const dcs_case *c) {
  return (plan){.n_atoms = c->problem.n_atoms, .columns = c->problem.n.x, .atoms = c->problem.atoms};
}

/* The map in single precision throughout, one accumulator a point, as the plain kernels do it. */
static void compute(const dcs_case *c, plan plan, float *map) {
  const dcs_dims n = c->problem.n;
  const float h = c->problem.spacing;
  memset(map, 0, (size_t)dcs_points(n) * sizeof *map);
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      for (int64_t i = 0; i < plan.columns; i++) {
        float x = (float)(plan.swap ? j : i + plan.shift) * h, y = (float)(plan.swap ? i : j) * h;
        float sum = 0;
        for (int64_t a = 0; a < plan.n_atoms; a++) {
          float dx = x - plan.atoms[a].x, dy = y - plan.atoms[a].y;
          float dz = (float)k * h - plan.atoms[a].z;
          sum += plan.atoms[a].q * (1 / sqrtf(dx * dx + dy * dy + dz * dz));
        }
        map[(k * n.y + j) * n.x + i] = sum;
      }
  dcs_repair(c->near, c->n_near, map);
}

/* ---- no false rejection ---- */

static double between(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

/* Sites in and around the grid; charges of one sign for every third seed; every fifth site stands
 * within a tenth to a ten-millionth of the spacing of a grid point. */
static void scatter(dcs_random *random, const dcs_grid *grid, bool one_sign, dcs_site *sites,
                    int n) {
  const double points[3] = {(double)grid->n.x, (double)grid->n.y, (double)grid->n.z};
  for (int a = 0; a < n; a++) {
    double r[3], off = grid->spacing * pow(10, between(random, -7, -1));
    for (int d = 0; d < 3; d++) {
      r[d] = grid->spacing * between(random, -2, points[d] + 1);
      if (a % 5 == 4)
        r[d] = grid->spacing * (double)dcs_random_below(random, (int64_t)points[d]) +
               off * between(random, -1, 1);
      r[d] += grid->origin[d];
    }
    double q = between(random, one_sign ? 0.01 : -1, 1);
    sites[a] = (dcs_site){.x = r[0], .y = r[1], .z = r[2], .q = q};
  }
}

enum { MOST_X = 100, MOST_Y = 8, MOST_Z = 3 };

static dcs_case random_case(uint64_t seed) {
  static dcs_site sites[300];
  dcs_random random = {seed};
  dcs_grid grid = {.spacing = pow(10, between(&random, -1.5, 0.7)), .has_origin = true};
  grid.n.x = 1 + dcs_random_below(&random, seed % 10 ? 12 : MOST_X);
  grid.n.y = 1 + dcs_random_below(&random, MOST_Y);
  grid.n.z = 1 + dcs_random_below(&random, MOST_Z);
  for (int d = 0; d < 3; d++)
    grid.origin[d] = seed % 2 ? between(&random, -1000, 1000) : 0;
  int n = 1 + (int)dcs_random_below(&random, 300);
  scatter(&random, &grid, seed % 3 == 0, sites, n);
  dcs_case c;
  if (dcs_case_build(&(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static void a_thousand_right_maps_are_accepted(void **state) {
  (void)state;
  static float map[MOST_X * MOST_Y * MOST_Z];
  double largest = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    dcs_case c = random_case(seed);
    dcs_reference r;
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
    compute(&c, honest(&c), map);
    dcs_verdict verdict = dcs_check(&r, map, c.problem.n_atoms);
    if (!verdict.accepted)
      fail_msg("seed %d: point %d: found %.9g, expected %.9g, %g bounds off", (int)seed,
               (int)verdict.worst, verdict.found, verdict.expected, verdict.bound_ratio);
    largest = fmax(largest, verdict.bound_ratio);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
  print_message("largest |v - v_ref| / bound: %.3f\n", largest);
  assert_true(largest > 0.01); /* the bound is not merely enormous */
}

/* In the far corner of the grid, single precision puts these atoms on the point itself, or at
 * another distance altogether. */
static void atoms_lost_in_rounding_are_accepted(void **state) {
  (void)state;
  static const struct {
    double spacing, off[3]; /* of the atom from the last point, angstrom */
  } cases[] = {{0.51774677891891996, {2.24e-6, 2.60e-6, 2.24e-6}},
               {0.52058498405138723, {5.83e-7, 1.83e-6, 4.13e-6}},
               {0.51774677891891996, {4.48e-6, 5.20e-6, 4.48e-6}},
               {0.51812443195159263, {1.93e-6, 6.38e-6, 4.57e-6}},
               {0.52906861931091742, {1.37e-5, 3.63e-6, 1.39e-5}}};
  enum { EDGE = 32 };
  static float map[EDGE * EDGE * EDGE];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_grid grid = {
        .n = {EDGE, EDGE, EDGE}, .spacing = cases[i].spacing, .has_origin = true};
    const double *off = cases[i].off, far = (EDGE - 1) * cases[i].spacing;
    dcs_site site = {.x = far + off[0], .y = far + off[1], .z = far + off[2], .q = 1};
    dcs_case c;
    dcs_reference r;
    assert_int_equal(dcs_case_build(&(dcs_molecule){&site, 1}, &grid, &c), DCS_OK);
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
    compute(&c, honest(&c), map);
    dcs_verdict verdict = dcs_check(&r, map, 1);
    if (!verdict.accepted)
      fail_msg("case %zu: found %.9g, expected %.9g, %g bounds off", i, verdict.found,
               verdict.expected, verdict.bound_ratio);
    dcs_reference_free(&r);
    dcs_case_free(&c);
  }
}

/* ---- the bound ---- */

/* A charge of -2 at the origin, seen from (3, 4, 0): V = -0.4, S = 0.4, D = 0.08, and P = 4. */
static void the_bound_is_the_designs(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {4, 5, 1}, .spacing = 1, .has_origin = true};
  dcs_site site = {.q = -2};
  dcs_case c;
  dcs_reference r;
  assert_int_equal(dcs_case_build(&(dcs_molecule){&site, 1}, &grid, &c), DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &r), DCS_OK);
  enum { POINT = 19 };
  float map[20];
  for (int i = 0; i < 20; i++)
    map[i] = (float)r.v[i];
  dcs_verdict exact = dcs_check(&r, map, 1);
  assert_true(exact.accepted && exact.bound_ratio <= 0.5 / 16 && exact.rel_l2 < 0x1p-24);
  for (int64_t longest = 1; longest <= 10000; longest *= 100) {
    double bound = 0x1p-24 * (16 * 0.4 + 4 * 4 * 0.08 + 3 * 0.4 * sqrt((double)longest));
    for (int sign = -1; sign <= 1; sign += 2) {
      map[POINT] = (float)(-0.4 + sign * 0.9 * bound);
      dcs_verdict inside = dcs_check(&r, map, longest);
      assert_true(inside.accepted && inside.worst == POINT);
      assert_true(fabs(inside.bound_ratio - fabs(map[POINT] + 0.4) / bound) < 1e-6);
      map[POINT] = (float)(-0.4 + sign * 1.1 * bound);
      dcs_verdict outside = dcs_check(&r, map, longest);
      assert_true(!outside.accepted && outside.worst == POINT && outside.found == map[POINT]);
      assert_true(outside.bound_ratio > 1 && fabs(outside.expected + 0.4) < 1e-15);
    }
  }
  /* The point on the atom: nothing is summed there, so nothing but 0 is right. */
  map[POINT] = -0.4f;
  map[0] = 1e-30f;
  assert_false(dcs_check(&r, map, 1).accepted);
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

/* Values 3 and 4, norm 5, found as 3.5 and 4. */
static void the_error_is_relative_to_the_map(void **state) {
  (void)state;
  int64_t index[] = {0, 1};
  double v[] = {3, 4}, s[] = {3, 4}, d[] = {1, 1};
  const dcs_reference r = {.n = 2, .index = index, .v = v, .s = s, .d = d, .p = 1, .points = 2};
  const float map[] = {3.5f, 4};
  dcs_verdict verdict = dcs_check(&r, map, 1);
  assert_true(!verdict.accepted && fabs(verdict.rel_l2 - 0.1) < 1e-12 && verdict.worst == 0);
}

/* ---- what must be rejected ---- */

enum { NX = 13, NY = 11, NZ = 5, POINTS = NX * NY * NZ, ATOMS = 37 };

/* One problem whose right map is accepted; each atom's charge is at least 1/4, and no point is
 * farther from it than 9 angstrom, so that it stands hundreds of bounds above the rounding. */
typedef struct {
  dcs_case c;
  dcs_reference r;
  float map[POINTS];
} fixture;

static dcs_case build_case(uint64_t seed) {
  const dcs_grid grid = {.n = {NX, NY, NZ}, .spacing = 0.5, .has_origin = true};
  dcs_site sites[ATOMS];
  dcs_random random = {seed};
  for (int a = 0; a < ATOMS; a++) {
    double q = between(&random, 0.25, 1);
    sites[a] = (dcs_site){.x = between(&random, 0, 6),
                          .y = between(&random, 0, 5),
                          .z = between(&random, 0, 2),
                          .q = a % 2 ? q : -q};
  }
  dcs_case c;
  if (dcs_case_build(&(dcs_molecule){sites, ATOMS}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static int set_up(void **state) {
  fixture *f = malloc(sizeof *f);
  if (!f) return -1;
  f->c = build_case(1);
  if (dcs_oracle(&f->c, INT64_MAX, &f->r) != DCS_OK) return -1;
  compute(&f->c, honest(&f->c), f->map);
  *state = f;
  return dcs_check(&f->r, f->map, ATOMS).accepted ? 0 : -1;
}

static int tear_down(void **state) {
  fixture *f = *state;
  dcs_reference_free(&f->r);
  dcs_case_free(&f->c);
  free(f);
  return 0;
}

/* The map must be rejected, and by far. */
static void reject(const fixture *f) {
  dcs_verdict verdict = dcs_check(&f->r, f->map, ATOMS);
  assert_false(verdict.accepted);
  if (!(verdict.bound_ratio > 100)) fail_msg("only %g bounds off", verdict.bound_ratio);
  assert_true(verdict.rel_l2 > 1e-4);
}

static void a_dropped_atom(void **state) {
  fixture *f = *state;
  dcs_atom atoms[ATOMS];
  plan plan = honest(&f->c);
  plan.atoms = atoms;
  for (int dropped = 0; dropped < ATOMS; dropped++) {
    memcpy(atoms, f->c.problem.atoms, sizeof atoms);
    atoms[dropped].q = 0;
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

static void a_flipped_sign(void **state) {
  fixture *f = *state;
  dcs_atom atoms[ATOMS];
  plan plan = honest(&f->c);
  plan.atoms = atoms;
  for (int flipped = 0; flipped < ATOMS; flipped++) {
    memcpy(atoms, f->c.problem.atoms, sizeof atoms);
    atoms[flipped].q = -atoms[flipped].q;
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

/* Chunks of 16: the last holds 5 atoms. */
static void a_dropped_chunk(void **state) {
  fixture *f = *state;
  plan plan = honest(&f->c);
  plan.n_atoms = ATOMS / 16 * 16;
  compute(&f->c, plan, f->map);
  reject(f);
}

static void a_shifted_grid(void **state) {
  fixture *f = *state;
  plan plan = honest(&f->c);
  for (plan.shift = -1; plan.shift <= 1; plan.shift += 2) {
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

static void swapped_axes(void **state) {
  fixture *f = *state;
  plan plan = honest(&f->c);
  plan.swap = true;
  compute(&f->c, plan, f->map);
  reject(f);
}

static void a_skipped_tail(void **state) {
  fixture *f = *state;
  plan plan = honest(&f->c);
  for (plan.columns = 0; plan.columns < NX; plan.columns++) {
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

static void one_value_that_is_no_number(void **state) {
  fixture *f = *state;
  static const float values[] = {NAN, -NAN, INFINITY, -INFINITY};
  for (int i = 0; i < POINTS; i++)
    for (int v = 0; v < 4; v++) {
      float kept = f->map[i];
      f->map[i] = values[v];
      dcs_verdict verdict = dcs_check(&f->r, f->map, ATOMS);
      assert_true(!verdict.accepted && isnan(verdict.bound_ratio) && verdict.worst == i);
      f->map[i] = kept;
    }
  for (int i = 0; i < POINTS; i++)
    f->map[i] = NAN;
  assert_false(dcs_check(&f->r, f->map, ATOMS).accepted);
}

/* A single point a thousandth off. */
static void one_wrong_point(void **state) {
  fixture *f = *state;
  for (int i = 0; i < POINTS; i++) {
    float kept = f->map[i];
    f->map[i] += (float)(1e-3 * f->r.s[i]);
    dcs_verdict verdict = dcs_check(&f->r, f->map, ATOMS);
    assert_true(!verdict.accepted && verdict.worst == i && verdict.bound_ratio > 10);
    f->map[i] = kept;
  }
}

static void zeros(void **state) {
  fixture *f = *state;
  memset(f->map, 0, sizeof f->map);
  reject(f);
  assert_true(fabs(dcs_check(&f->r, f->map, ATOMS).rel_l2 - 1) < 1e-12);
}

static void a_stale_buffer(void **state) {
  fixture *f = *state;
  dcs_case other = build_case(2);
  compute(&other, honest(&other), f->map);
  reject(f);
  dcs_case_free(&other);
}

static void a_doubled_sum(void **state) {
  fixture *f = *state;
  for (int i = 0; i < POINTS; i++)
    f->map[i] *= 2;
  reject(f);
  assert_true(fabs(dcs_check(&f->r, f->map, ATOMS).rel_l2 - 1) < 1e-5);
}

/* In a map of 10^5 points of which 64 are sampled, one bad value here or there. */
static void a_nan_beside_the_sample(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {100, 50, 20}, .spacing = 0.5, .has_origin = true};
  dcs_site site = {.x = 10.1, .y = 3.3, .z = 1.7, .q = 1};
  enum { LARGE = 100 * 50 * 20 };
  static float map[LARGE];
  dcs_case c;
  dcs_reference r;
  assert_int_equal(dcs_case_build(&(dcs_molecule){&site, 1}, &grid, &c), DCS_OK);
  assert_int_equal(dcs_oracle(&c, 0, &r), DCS_OK);
  assert_int_equal(r.n, 64);
  compute(&c, honest(&c), map);
  assert_true(dcs_check(&r, map, 1).accepted);
  for (int i = 0; i < LARGE; i += 997) {
    float kept = map[i];
    map[i] = i % 2 ? NAN : INFINITY;
    dcs_verdict verdict = dcs_check(&r, map, 1);
    assert_true(!verdict.accepted && verdict.worst == i && isnan(verdict.bound_ratio));
    map[i] = kept;
  }
  dcs_reference_free(&r);
  dcs_case_free(&c);
}

#define REJECTED(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_right_maps_are_accepted),
      cmocka_unit_test(atoms_lost_in_rounding_are_accepted),
      cmocka_unit_test(the_bound_is_the_designs),
      cmocka_unit_test(the_error_is_relative_to_the_map),
      REJECTED(a_dropped_atom),
      REJECTED(a_flipped_sign),
      REJECTED(a_dropped_chunk),
      REJECTED(a_shifted_grid),
      REJECTED(swapped_axes),
      REJECTED(a_skipped_tail),
      REJECTED(one_value_that_is_no_number),
      REJECTED(one_wrong_point),
      REJECTED(zeros),
      REJECTED(a_stale_buffer),
      REJECTED(a_doubled_sum),
      cmocka_unit_test(a_nan_beside_the_sample),
  };
  return cmocka_run_group_tests_name("acceptance", tests, NULL, NULL);
}
