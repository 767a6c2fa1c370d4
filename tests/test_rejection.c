/* Maps that a bug made must be rejected, and by far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "tests/plain_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  if (dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){sites, ATOMS}, &grid, &c) != DCS_OK)
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
  planted plan = honest(&f->c);
  plan.atoms = atoms;
  for (int dropped = 0; dropped < ATOMS; dropped++) {
    memcpy(atoms, f->c.problem.input[0], sizeof atoms);
    atoms[dropped].q = 0;
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

static void a_flipped_sign(void **state) {
  fixture *f = *state;
  dcs_atom atoms[ATOMS];
  planted plan = honest(&f->c);
  plan.atoms = atoms;
  for (int flipped = 0; flipped < ATOMS; flipped++) {
    memcpy(atoms, f->c.problem.input[0], sizeof atoms);
    atoms[flipped].q = -atoms[flipped].q;
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

/* Chunks of 16: the last holds 5 atoms. */
static void a_dropped_chunk(void **state) {
  fixture *f = *state;
  planted plan = honest(&f->c);
  plan.n_atoms = ATOMS / 16 * 16;
  compute(&f->c, plan, f->map);
  reject(f);
}

static void a_shifted_grid(void **state) {
  fixture *f = *state;
  planted plan = honest(&f->c);
  for (plan.shift = -1; plan.shift <= 1; plan.shift += 2) {
    compute(&f->c, plan, f->map);
    reject(f);
  }
}

static void swapped_axes(void **state) {
  fixture *f = *state;
  planted plan = honest(&f->c);
  plan.swap = true;
  compute(&f->c, plan, f->map);
  reject(f);
}

static void a_skipped_tail(void **state) {
  fixture *f = *state;
  planted plan = honest(&f->c);
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
/* Nothing can be held against it. */
static void a_reference_that_is_no_number(void **state) {
  (void)state;
  dcs_sums sums[] = {{.v = 1, .s = 1, .d = 1}, {.v = 1, .s = 1, .d = 1}};
  int64_t index[] = {0, 1};
  const dcs_reference r = {
      .n = 2, .index = index, .sums = sums, .largest = 1, .rounding = 16, .points = 2};
  const float out[] = {1, 1};
  assert_true(dcs_check(&r, out, 1).accepted);
  sums[1].v = NAN;
  assert_false(dcs_check(&r, out, 1).accepted);
  sums[1] = (dcs_sums){.v = 1, .s = NAN, .d = 1};
  assert_false(dcs_check(&r, out, 1).accepted);
  sums[1] = (dcs_sums){.v = 1, .s = INFINITY, .d = 1};
  assert_false(dcs_check(&r, out, 1).accepted);
}

static void one_wrong_point(void **state) {
  fixture *f = *state;
  for (int i = 0; i < POINTS; i++) {
    float kept = f->map[i];
    f->map[i] += (float)(1e-3 * f->r.sums[i].s);
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
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){&site, 1}, &grid, &c),
                   DCS_OK);
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
      cmocka_unit_test(a_reference_that_is_no_number),
      cmocka_unit_test(a_nan_beside_the_sample),
  };
  return cmocka_run_group_tests_name("rejection", tests, NULL, NULL);
}
