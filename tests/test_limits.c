/* Limits: the probes compute what they should, on the CPU and in the kernels for the GPU; the best
 * and the median of runs; what the command and a run folder say of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/limits/limits.h"
#include "harness/runs/environment.h"
#include "kernels/common/probe.h"
#include "tests/run_folder.h"

/* ---- probes ---- */

static void expect_loop(const dcs_probe *probe, const dcs_probe_loop *loop) {
  double few = loop->run(100), many = loop->run(50000);
  double rate = 0, on_threads = dcs_probe_run(loop, 3, 1000, 1e5, dcs_now_ns, &rate);
  if (fabs(few - loop->expected) > 0.01 * loop->expected ||
      fabs(many - loop->expected) > 0.01 * loop->expected ||
      fabs(on_threads - loop->expected) > 0.01 * loop->expected)
    fail_msg("%s: found %g, %g and %g, expected %g", probe->isa, few, many, on_threads,
             loop->expected);
  assert_true(loop->per_link >= probe->lanes && rate > 0);
}

static void every_probe_computes(void **state) {
  (void)state;
  static const char *const disabled[] = {"", "avx512", "avx512,avx2"};
  const dcs_probe *probe = NULL;
  for (int d = 0; d < 3; d++) {
    assert_int_equal(setenv("DCS_DISABLE_ISA", disabled[d], 1), 0);
    probe = dcs_probe_widest();
    expect_loop(probe, &probe->evals);
    expect_loop(probe, &probe->rsqrt);
    expect_loop(probe, &probe->fma);
  }
  assert_int_equal(unsetenv("DCS_DISABLE_ISA"), 0);
  assert_string_equal(probe->isa, "portable");
}

static double the_links(int64_t links) {
  return (double)links;
}

static void a_wrong_probe_is_seen(void **state) {
  (void)state;
  const dcs_probe_loop loop = {1, 5, the_links};
  double rate;
  assert_true(dcs_probe_run(&loop, 2, 5, 10, dcs_now_ns, &rate) == 5);
  assert_true(dcs_probe_run(&loop, 2, 7, 10, dcs_now_ns, &rate) == 7);
}

/* A thread's own time: one run of it takes a tick. */
static double ticks(void) {
  static _Thread_local double now;
  return now++;
}

static void each_thread_counts_in_its_own_time(void **state) {
  (void)state;
  const dcs_probe_loop loop = {1, 7, the_links};
  double rate;
  for (int threads = 1; threads <= 3; threads++) {
    dcs_probe_run(&loop, threads, 7, 10, ticks, &rate);
#ifdef _OPENMP
    assert_close(rate, 7.0 * threads);
#else
    assert_close(rate, 7.0);
#endif
  }
}

static void the_triad_adds(void **state) {
  (void)state;
  enum { N = 1001 };
  static double a[N], b[N], c[N];
  for (int threads = 1; threads <= 3; threads++) {
    dcs_probe_triad_start(a, b, c, N, threads);
    dcs_probe_triad(a, b, c, N, threads);
    for (int i = 0; i < N; i++)
      assert_true(a[i] == 7);
  }
}

static void the_device_probes_compute(void **state) {
  (void)state;
  dcs_device *device;
  dcs_limits limits;
  dcs_status status = dcs_device_open("emulated", &device);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  if (dcs_check_device_probes(device) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(dcs_measure_device(device, true, &limits), DCS_UNAVAILABLE);
  device->close(device);
}

/* ---- numbers ---- */

static void the_best_run_is_the_limit(void **state) {
  (void)state;
  dcs_limits limits = {.n = 0};
  double rate[] = {4e9, 2e9, 8e9}, time[] = {300, 500, 400, 200};
  dcs_limits_add_rate(&limits, "a_per_s", "1/s", "how", 16, rate, 3);
  dcs_limits_add_time(&limits, "b_ns", "how", 10, time, 4);
  assert_int_equal(limits.n, 2);
  assert_true(limits.list[0].value == 8);
  assert_string_equal(limits.list[0].name, "a_per_s");
  assert_true(limits.list[0].median == 4);
  assert_true(limits.list[1].value == 20);
  assert_true(limits.list[1].median == 35);
  assert_string_equal(limits.list[1].unit, "ns");
}

static double limit_with(const dcs_facts *facts, const char *id, int threads) {
  const dcs_variant *variant = dcs_find_variant(id);
  dcs_method method = {variant, dcs_initial_config(variant, 1)};
  int p = dcs_find_role(variant, DCS_ROLE_THREADS);
  if (p >= 0) method.config.value[p] = threads;
  return dcs_limit_for(facts, &method);
}

static void a_method_has_the_limit_of_its_threads(void **state) {
  (void)state;
  dcs_facts none = {.n = 0};
  dcs_facts facts = {.list = {{"limit_cpu_1_evals_per_s", "1e9"},
                              {"limit_cpu_all_evals_per_s", "3e9"},
                              {"limit_gpu_rsqrt_per_s", "4e12"},
                              {"limit_gpu_fma_per_s", "3.6e13"},
                              {"limit_gpu_tf32_fma_per_s", "1.35e14"},
                              {"limit_gpu_wgmma_tf32_fma_per_s", "2.7e14"}},
                     .n = 6};
  int cpus = dcs_cpus();
  assert_true(limit_with(&facts, "cpu_gather", 1) == 1e9);
  assert_true(limit_with(&facts, "cuda_naive", 0) == 4e12);
  /* Of its own unit, where a variant names one: 1.125 multiply-adds, three times on tensor cores.
   */
  assert_close(limit_with(&facts, "cuda_orbital_shared", 0), 3.2e13);
  assert_close(limit_with(&facts, "cuda_orbital_tensor", 0), 4e13);
  assert_close(limit_with(&facts, "cuda_orbital_wgmma", 0), 8e13);
  assert_true(isnan(limit_with(&none, "cuda_orbital_tensor", 0)));
  assert_true(isnan(limit_with(&none, "cpu_gather", 1)));
  assert_true(isnan(limit_with(&none, "cuda_naive", 0)));
  if (cpus == 1) return;
  assert_true(limit_with(&facts, "cpu_gather", cpus) == 3e9);
  assert_true(limit_with(&facts, "cpu_gather", 2 * cpus) == 3e9);
  assert_close(limit_with(&facts, "cpu_gather", 2), 1e9 + 2e9 / (cpus - 1));
}

/* ---- the program ---- */

static void the_command_prints_them(void **state) {
  (void)state;
  static const char *const names[] = {"cpu_1_evals_per_s",        "cpu_1_rsqrt_per_s",
                                      "cpu_1_fma_per_s",          "cpu_all_evals_per_s",
                                      "cpu_all_rsqrt_per_s",      "cpu_all_fma_per_s",
                                      "cpu_1_memory_bytes_per_s", "cpu_all_memory_bytes_per_s"};
  dcs_table *table;
  assert_status(program_run("limits --csv"), 0);
  put_file(in_folder("limits.csv"), program_out);
  assert_int_equal(dcs_table_read(in_folder("limits.csv"), &table), DCS_OK);
  assert_true(dcs_table_rows(table) >= 8);
  for (size_t row = 0; row < 8; row++) {
    assert_string_equal(text_at(table, row, "limit"), names[row]);
    assert_true(number_at(table, row, "value") > 0);
    assert_true(number_at(table, row, "median") <= number_at(table, row, "value"));
    assert_true(number_at(table, row, "runs") >= 3);
    assert_true(*text_at(table, row, "unit") && *text_at(table, row, "how"));
  }
  dcs_table_free(table);
  assert_status(program_run("limits"), 0);
  assert_contains(program_out, "cpu_all_fma_per_s");
}

/* A worker that cannot be started tells nothing of whether there is a GPU: that one is not there is
 * not said. Sessions wait no longer than they are told to. */
static void what_cannot_be_measured_is_refused(void **state) {
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit few = {9, before.rlim_max};
  FILE *err = tmpfile();
  assert_non_null(err);
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    setrlimit(RLIMIT_NOFILE, &few);
    program_become("limits --csv", open("/dev/null", O_WRONLY), fileno(err));
  }
  const int status = program_wait(pid);
  program_take(err, program_err, sizeof program_err);
  assert_status(status, 4);
  assert_contains(program_err, "cannot start a worker process: Too many open files");
  assert_null(strstr(program_err, "no limits of a GPU"));
  assert_status(program_run("limits --sessions 4 --timeout 0.001"), 1);
  assert_contains(program_err, "timeout: no answer from cpu within 0.001 s");
  assert_status(program_run("limits --csv --sessions 4"), 2);
  assert_contains(program_err, "found --csv and --sessions; expected one");
}

static double env_number(const dcs_table *env, const char *key) {
  for (size_t row = 0; row < dcs_table_rows(env); row++)
    if (strcmp(text_at(env, row, "key"), key) == 0) return number_at(env, row, "value");
  fail_msg("env.csv lacks %s", key);
  return NAN;
}

static void a_run_is_held_against_them(void **state) {
  (void)state;
  assert_status(program_run("sweep --variants cpu_simd --config threads=1 --atoms 100 --grid 16^3 "
                            "--rounds 3 --out %s",
                            in_folder("run")),
                0);
  dcs_table *env = run_table("run", "env.csv"), *summary = run_table("run", "summary.csv");
  double limit = env_number(env, "limit_cpu_1_evals_per_s");
  assert_true(env_number(env, "limit_cpu_all_fma_per_s") > 0);
  assert_true(env_number(env, "limit_cpu_all_memory_bytes_per_s") > 0);
  double found = number_at(summary, 0, "limit_fraction") * limit;
  assert_true(fabs(found / number_at(summary, 0, "evals_per_s") - 1) < 1e-7);
  dcs_table_free(env);
  dcs_table_free(summary);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_probe_computes),
      cmocka_unit_test(a_wrong_probe_is_seen),
      cmocka_unit_test(each_thread_counts_in_its_own_time),
      cmocka_unit_test(the_triad_adds),
      cmocka_unit_test(the_device_probes_compute),
      cmocka_unit_test(the_best_run_is_the_limit),
      cmocka_unit_test(a_method_has_the_limit_of_its_threads),
      cmocka_unit_test(the_command_prints_them),
      cmocka_unit_test(what_cannot_be_measured_is_refused),
      cmocka_unit_test(a_run_is_held_against_them),
  };
  return cmocka_run_group_tests_name("limits", tests, program_setup, program_teardown);
}
