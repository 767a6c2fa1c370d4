/* CPU variants: every one that this machine can run against a double-precision sum. */
#include "harness/base/random.h"
#include "kernels/common/cpu.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD = 64, MAX_ATOMS = 2 * DCS_CPU_BLOCK + 1 };

static const char *const ids[] = {"cpu_gather", "cpu_scatter", "cpu_scatter_hoisted",
                                  "cpu_simd",   "cpu_avx2",    "cpu_avx512"};
enum { N_IDS = sizeof ids / sizeof ids[0] };

static dcs_atom atoms[MAX_ATOMS];

static const dcs_variant *variant_at(int v) {
  const dcs_variant *variant = dcs_find_variant(ids[v]);
  assert_non_null(variant);
  return variant;
}

static bool is_available(const dcs_variant *variant) {
  char why[DCS_TEXT];
  return !variant->available || variant->available(why);
}

static int most_threads(const dcs_variant *variant) {
  return variant->params[0].hi < 3 ? variant->params[0].hi : 3;
}

/* Atoms in and around the grid; charges in -0.5..0.5, or all positive. */
static dcs_problem make_problem(dcs_dims n, int n_atoms, bool one_sign) {
  dcs_problem problem = {.input = {atoms}, .n_inputs = n_atoms, .n = n, .spacing = 0.37f};
  dcs_random random = {(uint64_t)(n.x * 31 + n.y * 7 + n.z + n_atoms)};
  for (int a = 0; a < n_atoms; a++) {
    atoms[a].x = (float)(dcs_random_unit(&random) * 0.37 * (double)(n.x + 2) - 0.37);
    atoms[a].y = (float)(dcs_random_unit(&random) * 0.37 * (double)(n.y + 2) - 0.37);
    atoms[a].z = (float)(dcs_random_unit(&random) * 0.37 * (double)(n.z + 2) - 0.37);
    atoms[a].q = (float)(dcs_random_unit(&random) - (one_sign ? 0.0 : 0.5));
  }
  return problem;
}

static size_t n_points(const dcs_problem *problem) {
  return (size_t)(problem->n.x * problem->n.y * problem->n.z);
}

/* Computes into NaN, between guard words that must survive; the caller frees. */
static float *compute(const dcs_variant *variant, const dcs_problem *problem, int threads) {
  size_t n = n_points(problem);
  float *whole = malloc((n + 2 * GUARD) * sizeof *whole), *map = malloc(n * sizeof *map);
  unsigned char guard[GUARD * sizeof(float)];
  assert_non_null(whole);
  assert_non_null(map);
  memset(guard, 0x5a, sizeof guard);
  memset(whole, 0x5a, (n + 2 * GUARD) * sizeof *whole);
  for (size_t p = 0; p < n; p++)
    whole[GUARD + p] = NAN;
  dcs_config config = {{threads}};
  variant->compute(problem, &config, OUT(whole + GUARD));
  assert_memory_equal(whole, guard, sizeof guard);
  assert_memory_equal(whole + GUARD + n, guard, sizeof guard);
  memcpy(map, whole + GUARD, n * sizeof *map);
  free(whole);
  return map;
}

typedef struct {
  double v, s, d, largest; /* sums of q/r, |q|/r, |q|/r^2; largest coordinate */
} reference;

static reference sum_at(const dcs_problem *problem, double x, double y, double z) {
  reference sum = {.largest = fmax(x, fmax(y, z))};
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    dcs_atom atom = dcs_atoms(problem)[a];
    double dx = x - (double)atom.x, dy = y - (double)atom.y, dz = z - (double)atom.z;
    double r2 = dx * dx + dy * dy + dz * dz, q = (double)atom.q;
    sum.v += q / sqrt(r2);
    sum.s += fabs(q) / sqrt(r2);
    sum.d += fabs(q) / r2;
    sum.largest = fmax(sum.largest, fmax(fabs((double)atom.x), fabs((double)atom.y)));
    sum.largest = fmax(sum.largest, fabs((double)atom.z));
  }
  return sum;
}

/* Points where an atom sits are left out: they are the harness's to repair. */
static void assert_map(const dcs_problem *problem, int64_t longest, const float *map) {
  double h = (double)problem->spacing;
  for (size_t p = 0; p < n_points(problem); p++) {
    size_t nx = (size_t)problem->n.x, ny = (size_t)problem->n.y;
    reference sum =
        sum_at(problem, (double)(p % nx) * h, (double)(p / nx % ny) * h, (double)(p / nx / ny) * h);
    if (isinf(sum.d)) continue;
    double bound =
        0x1p-24 * (16.0 * sum.s + 4.0 * sum.largest * sum.d + 3.0 * sum.s * sqrt((double)longest));
    assert_true(fabs((double)map[p] - sum.v) <= bound);
  }
}

static void check(const dcs_variant *variant, dcs_dims n, int n_atoms, int threads) {
  dcs_problem problem = make_problem(n, n_atoms, n_atoms % 2 == 0);
  dcs_config config = {{threads}};
  float *map = compute(variant, &problem, threads);
  assert_map(&problem, variant->longest_sum(&problem, &config), map);
  free(map);
}

/* Sizes around the variant's tile, primes, and atoms around a block. */
static void maps_agree_with_double_precision(void **state) {
  (void)state;
  static const int n_atoms[] = {1, DCS_CPU_BLOCK - 1, DCS_CPU_BLOCK, DCS_CPU_BLOCK + 1, MAX_ATOMS};
  for (int v = 0; v < N_IDS; v++) {
    const dcs_variant *variant = variant_at(v);
    if (!is_available(variant)) continue;
    dcs_problem one = {.n_inputs = 1, .n = {1, 1, 1}};
    dcs_dims tile = variant->executed(&one, &(dcs_config){{1}});
    const dcs_dims sizes[] = {
        {1, 1, 1},           {tile.x > 1 ? tile.x - 1 : 2, tile.y > 1 ? tile.y - 1 : 3, 2},
        {tile.x, tile.y, 3}, {tile.x + 1, tile.y + 1, 2},
        {37, 11, 5},         {3, 2 * tile.y + 1, 7}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
      for (int a = 0; a < 5; a++)
        check(variant, sizes[s], n_atoms[a], 1 + (int)(s + (size_t)a) % most_threads(variant));
  }
}

static void results_do_not_depend_on_threads(void **state) {
  (void)state;
  for (int v = 0; v < N_IDS; v++) {
    const dcs_variant *variant = variant_at(v);
    if (!is_available(variant)) continue;
    dcs_problem problem = make_problem((dcs_dims){19, 5, 3}, 300, false);
    float *one = compute(variant, &problem, 1);
    for (int threads = 2; threads <= 33 && threads <= variant->params[0].hi; threads += 31) {
      float *many = compute(variant, &problem, threads);
      assert_memory_equal(one, many, n_points(&problem) * sizeof *one);
      free(many);
    }
    free(one);
  }
}

static void atom_on_a_point_disturbs_no_other(void **state) {
  (void)state;
  for (int v = 0; v < N_IDS; v++) {
    const dcs_variant *variant = variant_at(v);
    if (!is_available(variant)) continue;
    dcs_problem problem = make_problem((dcs_dims){18, 6, 2}, 9, false);
    problem.spacing = 0.5f;
    atoms[4].x = 2.5f, atoms[4].y = 1.0f, atoms[4].z = 0.5f;
    float *map = compute(variant, &problem, 1);
    assert_map(&problem, variant->longest_sum(&problem, &(dcs_config){{1}}), map);
    free(map);
  }
}

/* One atom of charge 1 on the x axis and one point at the origin, so r^2 is the float x * x; over
 * sixteen decades of r^2 each variant's 1/sqrt stays within four roundings. */
static void reciprocal_square_roots_hold_four_roundings(void **state) {
  (void)state;
  for (int v = 0; v < N_IDS; v++) {
    const dcs_variant *variant = variant_at(v);
    if (!is_available(variant)) continue;
    dcs_problem problem = {.input = {atoms}, .n_inputs = 1, .n = {1, 1, 1}, .spacing = 1.0f};
    dcs_random random = {1};
    for (int n = 0; n < 100000; n++) {
      float value = NAN, x = (float)pow(10.0, 8.0 * dcs_random_unit(&random) - 3.0), r2 = x * x;
      atoms[0] = (dcs_atom){-x, 0.0f, 0.0f, 1.0f};
      variant->compute(&problem, &(dcs_config){{1}}, OUT(&value));
      assert_true(fabs((double)value * sqrt((double)r2) - 1.0) < 4 * 0x1p-24);
    }
  }
}

static void descriptors_tell_the_cost(void **state) {
  (void)state;
  static const int64_t executed[N_IDS][2] = {{17, 5}, {17, 5}, {17, 5}, {20, 8}, {24, 8}, {32, 8}};
  static const int64_t longest[N_IDS] = {1000, 1000, 1000, 260, 260, 260};
  static const double flops[N_IDS] = {12.0, 9.0, 8.0, 5.5, 5.5, 5.25};
  dcs_problem problem = {.n_inputs = 1000, .n = {17, 5, 3}, .spacing = 1.0f};
  dcs_config config = {{1}};
  for (int v = 0; v < N_IDS; v++) {
    const dcs_variant *variant = variant_at(v);
    dcs_dims dims = variant->executed(&problem, &config);
    assert_int_equal(dims.x, executed[v][0]);
    assert_int_equal(dims.y, executed[v][1]);
    assert_int_equal(dims.z, 3);
    assert_int_equal(variant->longest_sum(&problem, &config), longest[v]);
    assert_true(variant->flops_per_eval(&config) == flops[v]);
  }
}

static void sizes_beyond_exact_indices_are_refused(void **state) {
  (void)state;
  char why[DCS_TEXT] = "";
  dcs_config config = {{1}};
  dcs_problem problem = {.n_inputs = 1, .n = {1, 1 << 24, 1}, .spacing = 1.0f};
  for (int v = 0; v < N_IDS; v++) {
    problem.n.y = 1 << 24;
    assert_true(variant_at(v)->applicable(&problem, &config, why));
    problem.n.y++;
    assert_false(variant_at(v)->applicable(&problem, &config, why));
    assert_string_equal(why, "more than 16777216 points in one dimension");
  }
}

static void threads_need_openmp(void **state) {
  (void)state;
  char why[DCS_TEXT] = "";
  dcs_config config = {{2}};
  dcs_problem problem = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1.0f};
  for (int v = 0; v < N_IDS; v++) {
    bool with_openmp = variant_at(v)->params[0].hi == 1024;
    assert_true(variant_at(v)->applicable(&problem, &config, why) == with_openmp);
    if (!with_openmp) assert_string_equal(why, "built without OpenMP: threads must be 1");
  }
}

static void instruction_sets_can_be_switched_off(void **state) {
  (void)state;
  char why[DCS_TEXT] = "";
  const dcs_variant *avx2 = dcs_find_variant("cpu_avx2"), *avx512 = dcs_find_variant("cpu_avx512");
  unsetenv("DCS_DISABLE_ISA");
  bool has_avx2 = avx2->available(why);
  setenv("DCS_DISABLE_ISA", "avx512,avx2", 1);
  assert_false(avx2->available(why));
  assert_string_equal(why, "avx2 is switched off by DCS_DISABLE_ISA");
  assert_false(avx512->available(why));
  assert_string_equal(why, "avx512 is switched off by DCS_DISABLE_ISA");
  setenv("DCS_DISABLE_ISA", "avx512,avx", 1);
  assert_true(avx2->available(why) == has_avx2);
  assert_false(avx512->available(why));
  unsetenv("DCS_DISABLE_ISA");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_agree_with_double_precision),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(atom_on_a_point_disturbs_no_other),
      cmocka_unit_test(reciprocal_square_roots_hold_four_roundings),
      cmocka_unit_test(descriptors_tell_the_cost),
      cmocka_unit_test(sizes_beyond_exact_indices_are_refused),
      cmocka_unit_test(threads_need_openmp),
      cmocka_unit_test(instruction_sets_can_be_switched_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
