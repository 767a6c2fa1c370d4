/* Verification of methods: right ones pass all their cases, a planted fault is named with its size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/verify/verify.h"
#include "harness/worker/worker.h"
#include "tests/planted_kernels.h"
#include "tests/solved_problem.h"

/* Seven sizes and five numbers of atoms. */
enum { CASES = 12 };

/* `small`: cases of so few points that they are computed twice; of the numbers of atoms all are. */
static void expect_verified(bench_fixture *f, const dcs_method *method, int small) {
  dcs_verification result;
  assert_int_equal(dcs_verify_method(&f->bench, method, &result), DCS_OK);
  if (result.outcome != DCS_OUTCOME_OK)
    fail_msg("%s: %s", dcs_outcome_name(result.outcome), result.why);
  assert_int_equal(result.cases, CASES + small);
  assert_true(result.bound_ratio > 0 && result.bound_ratio <= 1);
}

static void a_cpu_variant_is_verified(void **state) {
  (void)state;
  bench_fixture *f = bench_begin("cuda:0", 60);
  dcs_method gather = method_of("cpu_gather"), simd = method_of("cpu_simd");
  expect_verified(f, &gather, 4 + 5); /* tiles of 1 point */
  expect_verified(f, &simd, 4 + 5);   /* and 16 */
  bench_end(f);
}

static void an_emulated_variant_is_verified(void **state) {
  bench_fixture *f = fixture_of(state);
  dcs_method constant = method_of("cuda_constant");
  constant.config.value[dcs_find_param(constant.variant, "chunk_atoms")] = 7;
  expect_verified(f, &constant, 3 + 5); /* blocks of 16 x 2 */
  plant("naive.cu", right_kernel);
  dcs_method naive = method_of("cuda_naive");
  expect_verified(f, &naive, 1 + 5); /* and 128 x 8 */
}

static void expect_wrong(bench_fixture *f, const char *kernel, int accepted, const char *why) {
  dcs_verification result;
  const dcs_method naive = method_of("cuda_naive");
  plant("naive.cu", kernel);
  assert_int_equal(dcs_verify_method(&f->bench, &naive, &result), DCS_OK);
  assert_int_equal(result.outcome, DCS_OUTCOME_WRONG);
  if (strncmp(result.why, why, strlen(why)) != 0)
    fail_msg("\"%s\" does not begin with \"%s\"", result.why, why);
  assert_int_equal(result.cases, accepted);
}

/* The first size at which a fault shows is the one that is told. */
static void planted_faults_are_named(void **state) {
  bench_fixture *f = fixture_of(state);
  expect_wrong(f, drops_an_atom, 0, "37 atoms, 1x1x1: point (0, 0, 0): found ");
  /* the second slice takes the first one's height */
  expect_wrong(f, PLANTED_HEAD "  k = 0;\n" PLANTED_SUM("0", "n_atoms") "}\n", 2,
               "37 atoms, 127x7x2: ");
  /* a second block in x does nothing */
  expect_wrong(f, PLANTED_HEAD "  if (i >= BLOCK_X) return;\n" PLANTED_SUM("0", "n_atoms") "}\n", 4,
               "37 atoms, 129x9x3: ");
  /* from the 256th atom on, none counts */
  expect_wrong(f, PLANTED_HEAD PLANTED_SUM("0", "min(n_atoms, 256)") "}\n", 14,
               "257 atoms, 9x5x2: ");
}

/* A kernel that does not set its counters back is right once, and then never again. */
static void a_counter_that_is_not_set_back_is_found(void **state) {
  bench_fixture *f = fixture_of(state);
  static const char reset[] = "if (last) *counter = 0;";
  const char *right = dcs_embedded("kernels/coulomb/cuda/reduce.cu"), *at = strstr(right, reset);
  char *text = strdup(right);
  dcs_verification result;
  dcs_method reduce = method_of("cuda_reduce");
  assert_non_null(at);
  assert_non_null(text);
  reduce.config.value[dcs_find_param(reduce.variant, "block_x")] = 4;
  reduce.config.value[dcs_find_param(reduce.variant, "block_y")] = 2;
  reduce.config.value[dcs_find_param(reduce.variant, "splits")] = 7;
  plant("reduce.cu", text);
  expect_verified(f, &reduce, 4 + 5); /* blocks of 4 x 2 */
  memset(text + (at - right), ' ', strlen(reset));
  plant("reduce.cu", text);
  assert_int_equal(dcs_verify_method(&f->bench, &reduce, &result), DCS_OK);
  assert_int_equal(result.outcome, DCS_OUTCOME_WRONG);
  assert_int_equal(result.cases, 1); /* the first map of the first size */
  free(text);
}

/* A kernel that leaves behind what makes its next map wrong. */
static void the_second_map_is_checked(void **state) {
  expect_wrong(fixture_of(state),
               "static int maps;\n" PLANTED_HEAD "  if (i + j + k == 0) maps++;\n" PLANTED_SUM(
                   "0", "n_atoms") "  if (maps > 1) slice[j * nx + i] += 1;\n}\n",
               1, "37 atoms, 1x1x1: point (0, 0, 0): found ");
}

/* A map that does not follow from the charges is wrong, by the first law already. */
static void physics_needs_no_sizes(void **state) {
  bench_fixture *f = fixture_of(state);
  dcs_verification result = {0};
  const dcs_method naive = method_of("cuda_naive");
  plant("naive.cu", right_kernel);
  assert_int_equal(dcs_verify_physics(&f->bench, &naive, &f->c.problem.config, &result), DCS_OK);
  assert_int_equal(result.outcome, DCS_OUTCOME_OK);
  plant("naive.cu", PLANTED_HEAD PLANTED_SUM(
                        "0", "n_atoms") "  if (n_atoms > 1) slice[j * nx + i] += 0.01f;\n}\n");
  assert_int_equal(dcs_verify_physics(&f->bench, &naive, &f->c.problem.config, &result), DCS_OK);
  assert_int_equal(result.outcome, DCS_OUTCOME_WRONG);
  assert_true(result.why[0]);
}

/* ---- which configurations ---- */

/* Whether a method has that value of a parameter. */
static bool covers(const dcs_methods *methods, int param, double value) {
  for (int m = 0; m < methods->n; m++)
    if (methods->list[m].config.value[param] == value) return true;
  return false;
}

/* Every value of a small range, both ends of a large one, where the variant can have it. */
static void assert_covered(const dcs_methods *methods, const dcs_problem *shape) {
  const dcs_variant *variant = methods->list->variant;
  char why[DCS_TEXT];
  for (int p = 0; p < variant->n_params; p++) {
    const dcs_param *param = &variant->params[p];
    bool small = param->hi - param->lo < 16;
    if (param->role == DCS_ROLE_THREADS) continue;
    for (double value = param->lo; value <= param->hi; value += small ? 1 : param->hi - param->lo) {
      dcs_config config = methods->list->config;
      config.value[p] = value;
      if (dcs_applicable(variant, shape, &config, why)) assert_true(covers(methods, p, value));
    }
  }
}

static void covering_methods(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    const dcs_problem shape = {
        .n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = solved_problem(variant)};
    dcs_config initial = dcs_initial_config(variant, dcs_cpus());
    dcs_methods methods = {calloc(1, sizeof(dcs_method)), 1};
    char why[DCS_TEXT];
    assert_non_null(methods.list);
    methods.list->variant = variant;
    assert_int_equal(dcs_cover_methods(&methods), DCS_OK);
    assert_in_range(methods.n, 1, 24); /* far fewer than values of all parameters */
    assert_memory_equal(methods.list->config.value, initial.value, sizeof initial.value);
    for (int m = 0; m < methods.n; m++) {
      assert_ptr_equal(methods.list[m].variant, variant);
      assert_true(dcs_applicable(variant, &shape, &methods.list[m].config, why));
      for (int before = 0; before < m; before++)
        assert_memory_not_equal(methods.list[m].config.value, methods.list[before].config.value,
                                sizeof initial.value);
    }
    assert_covered(&methods, &shape);
    free(methods.list);
  }
}

#define EMULATED(f) cmocka_unit_test_setup_teardown(f, emulated_begin, emulated_end)

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cpu_variant_is_verified),
      EMULATED(an_emulated_variant_is_verified),
      EMULATED(planted_faults_are_named),
      EMULATED(a_counter_that_is_not_set_back_is_found),
      EMULATED(the_second_map_is_checked),
      EMULATED(physics_needs_no_sizes),
      cmocka_unit_test(covering_methods),
  };
  return cmocka_run_group_tests_name("verify", tests, kernel_folder_make, kernel_folder_remove);
}
