/* A method that is right once: verify computes its smallest maps twice, and a sweep checks the
 * output again after its last sample. This program has its own cpu_gather, which is wrong from the
 * second map on of a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/sweep/sweep.h"
#include "harness/verify/verify.h"
#include "harness/worker/worker.h"
#include "kernels/common/cpu.h"
#include "kernels/coulomb/coulomb.h"
#include "tests/run_folder.h"

static float potential(const dcs_problem *p, int64_t i, int64_t j, int64_t k) {
  const dcs_atom *atoms = dcs_atoms(p);
  float sum = 0;
  for (int64_t a = 0; a < p->n_inputs; a++) {
    float dx = (float)i * p->spacing - atoms[a].x, dy = (float)j * p->spacing - atoms[a].y;
    float dz = (float)k * p->spacing - atoms[a].z;
    sum += atoms[a].q / sqrtf(dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

static bool compute(const dcs_problem *p, const dcs_config *config, void *const out[]) {
  float *map = out[DCS_COULOMB_MAP];
  static int maps;
  const float factor = maps++ == 0 ? 1 : 2;
  (void)config;
  for (int64_t i = 0; i < dcs_points(p->n); i++)
    map[i] = factor * potential(p, i % p->n.x, i / p->n.x % p->n.y, i / p->n.x / p->n.y);
  return true;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 12;
}

static const char *const sources[] = {"kernels/common/cpu.h", NULL};

const dcs_variant dcs_variant_cpu_gather = {.id = "cpu_gather",
                                            .kind = "coulomb",
                                            .sources = sources,
                                            .idea = "right once",
                                            .backend = DCS_CPU,
                                            .params = dcs_cpu_params,
                                            .n_params = 1,
                                            .solves = dcs_solves_direct,
                                            .applicable = dcs_cpu_applicable,
                                            .executed = dcs_cpu_executed_exactly,
                                            .flops_per_eval = flops_per_eval,
                                            .longest_sum = dcs_cpu_longest_sum_all,
                                            .compute = compute};

static void verify_misses_it_not(void **state) {
  (void)state;
  const dcs_method method = {&dcs_variant_cpu_gather,
                             dcs_initial_config(&dcs_variant_cpu_gather, 1)};
  dcs_bench bench;
  dcs_verification result;
  assert_int_equal(dcs_bench_open("cuda:0", NULL, 60, &bench), DCS_OK);
  assert_int_equal(dcs_verify_method(&bench, &method, &result), DCS_OK);
  dcs_bench_close(&bench);
  assert_int_equal(result.cases, 1); /* the first map of the first size */
  assert_int_equal(result.outcome, DCS_OUTCOME_WRONG);
  assert_contains(result.why, "37 atoms, 1x1x1: point (0, 0, 0)");
}

static void a_sweep_keeps_no_time_of_it(void **state) {
  (void)state;
  const dcs_sweep_line line = {
      .variants = "cpu_gather,cpu_simd", .config = "threads=1", .atoms = "20", .grid = "6^3"};
  const dcs_sweep_options options = {.lines = &line,
                                     .n_lines = 1,
                                     .device = "cuda:0",
                                     .out = in_folder("run"),
                                     .sampling = dcs_sampling_of(3),
                                     .timeout_s = 60};
  assert_int_equal(dcs_sweep(&options), DCS_FAILED);
  dcs_table *summary = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 2);
  assert_string_equal(text_at(summary, 0, "variant"), "cpu_gather");
  assert_string_equal(text_at(summary, 0, "outcome"), "wrong");
  assert_contains(text_at(summary, 0, "why"), "times the tolerance");
  assert_string_equal(text_at(summary, 0, "n"), "0");
  assert_string_equal(text_at(summary, 0, "median_ns"), "");
  assert_string_equal(text_at(summary, 0, "evals_per_s"), "");
  assert_true(number_at(summary, 0, "error_bound_ratio") > 1);
  assert_string_equal(text_at(summary, 1, "outcome"), "ok");
  assert_string_equal(text_at(summary, 1, "n"), "3");
  assert_string_equal(text_at(summary, 1, "why"), "");
  dcs_table_free(summary);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return (int)dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verify_misses_it_not),
      cmocka_unit_test(a_sweep_keeps_no_time_of_it),
  };
  return cmocka_run_group_tests_name("recheck", tests, program_setup, program_teardown);
}
