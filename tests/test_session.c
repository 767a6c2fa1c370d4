/* Sessions: times and their refusal, workers that are killed, devices that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/worker/timing.h"
#include "harness/worker/worker.h"
#include "tests/planted_kernels.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>

static int cpu_begin(void **state) {
  *state = bench_begin("cuda:0", 60);
  return 0;
}

static int cpu_end(void **state) {
  bench_end(*state);
  return 0;
}

static int prepare(bench_fixture *f, const dcs_method *method) {
  int slot;
  dcs_code_facts facts;
  dcs_session *session = session_of(f, method->variant->backend);
  dcs_outcome outcome =
      dcs_session_prepare(session, 0, method->variant, &method->config, &slot, &facts);
  if (outcome != DCS_OUTCOME_OK) fail_msg("%s", dcs_error_message());
  return slot;
}

static void forget_map(bench_fixture *f) {
  for (int64_t i = 0; i < f->reference.points; i++)
    f->bench.arena.map[i] = NAN;
}

static void expect_map(const bench_fixture *f) {
  assert_true(dcs_check(&f->reference, f->bench.arena.map, f->c.problem.n_inputs).accepted);
}

/* The one child of this process, or 0. */
static pid_t find_child(void) {
  DIR *folder = opendir("/proc");
  pid_t child = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[300];
    int pid, parent;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d %*s %*c %d", &pid, &parent) == 2 && parent == getpid())
      child = pid;
    if (file) fclose(file);
  }
  if (folder) closedir(folder);
  return child;
}

static void kill_child(void) {
  pid_t child = find_child();
  if (child == 0) {
    print_message("skipped: /proc does not show this process's child\n");
    skip();
  }
  assert_int_equal(kill(child, SIGKILL), 0);
}

/* ---- times ---- */

static void times_of_a_cpu_variant(void **state) {
  bench_fixture *f = *state;
  const dcs_method gather = method_of("cpu_gather");
  dcs_session *session = session_of(f, DCS_CPU);
  int slot = prepare(f, &gather);
  static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM};
  for (int s = 0; s < 2; s++) {
    dcs_sample once = {.ns = -1}, often = {.ns = -1};
    forget_map(f);
    assert_int_equal(dcs_session_run(session, slot, scopes[s], DCS_PAGEABLE, 1, &once),
                     DCS_OUTCOME_OK);
    expect_map(f);
    assert_int_equal(dcs_session_run(session, slot, scopes[s], DCS_PAGEABLE, 200, &often),
                     DCS_OUTCOME_OK);
    assert_true(once.ns > 0 && often.ns > once.ns);
  }
}

/* A fresh process takes longer than its computation, and its map is there. */
static void the_first_time_of_a_cpu_variant(void **state) {
  bench_fixture *f = *state;
  const dcs_method gather = method_of("cpu_gather"), simd = method_of("cpu_simd");
  dcs_session *session = session_of(f, DCS_CPU);
  prepare(f, &gather);
  int slot = prepare(f, &simd); /* not the slot 0 that it has in the fresh process */
  dcs_sample first = {.ns = -1}, warm = {.ns = -1};
  forget_map(f);
  assert_int_equal(dcs_session_first(session, slot, DCS_PAGEABLE, &first), DCS_OUTCOME_OK);
  expect_map(f);
  assert_int_equal(dcs_session_run(session, slot, DCS_WARM, DCS_PAGEABLE, 1, &warm),
                   DCS_OUTCOME_OK);
  assert_true(first.ns > warm.ns && warm.ns > 0);
}

/* A kernel as a process that was stopped and goes on, in its first map and in its third. */
static const char continues[] =
    "extern \"C\" int raise(int);\n" PLANTED_HEAD "  static int maps;\n"
    "  if (i == 0 && j == 0 && k == 0 && maps++ % 2 == 0) raise(18);\n" PLANTED_SUM(
        "0", "n_atoms") "}\n";

static void a_time_across_a_stop_is_none(void **state) {
  bench_fixture *f = fixture_of(state);
  dcs_sample sample;
  plant("naive.cu", continues);
  const dcs_method naive = method_of("cuda_naive");
  dcs_session *session = session_of(f, DCS_GPU);
  int slot = prepare(f, &naive);
  for (int map = 0; map < 2; map++) {
    assert_int_equal(dcs_session_run(session, slot, DCS_UNTIMED, DCS_PAGEABLE, 1, &sample),
                     DCS_OUTCOME_OK);
    assert_int_equal(sample.continued, map == 0);
  }
  /* taken again: the fourth map's, and the next one is the fifth */
  assert_int_equal(dcs_take_sample(session, slot, DCS_UNTIMED, DCS_PAGEABLE, 1, &sample),
                   DCS_OUTCOME_OK);
  assert_false(sample.continued);
  assert_int_equal(dcs_session_run(session, slot, DCS_UNTIMED, DCS_PAGEABLE, 1, &sample),
                   DCS_OUTCOME_OK);
  assert_true(sample.continued);
}

/* However long a frame takes, its sample has several that follow each other. */
static void a_sample_of_frames_has_eight(void **state) {
  bench_fixture *f = fixture_of(state);
  const dcs_method constant = method_of("cuda_constant");
  dcs_session *session = session_of(f, DCS_GPU);
  const int slot = prepare(f, &constant);
  int64_t inner = 0; /* that it begins with: there are no times to find more by */
  assert_int_equal(dcs_calibrate(session, slot, DCS_FRAME, DCS_PAGEABLE, &inner),
                   DCS_OUTCOME_LAUNCH);
  expect_said("has no times");
  assert_int_equal(inner, 8);
  assert_int_equal(dcs_calibrate(session, slot, DCS_WARM, DCS_PAGEABLE, &inner),
                   DCS_OUTCOME_LAUNCH);
  assert_int_equal(inner, 1);
}

static void an_emulated_device_has_no_times(void **state) {
  bench_fixture *f = fixture_of(state);
  const dcs_method constant = method_of("cuda_constant");
  dcs_session *session = session_of(f, DCS_GPU);
  static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM};
  for (int s = 0; s < 2; s++) {
    dcs_sample sample;
    int slot = prepare(f, &constant);
    assert_int_equal(dcs_session_run(session, slot, scopes[s], DCS_PAGEABLE, 1, &sample),
                     DCS_OUTCOME_LAUNCH);
    expect_said("has no times");
    assert_int_equal(dcs_session_first(session, slot, DCS_PAGEABLE, &sample), DCS_OUTCOME_LAUNCH);
    expect_said("has no times");
    forget_map(f);
    assert_int_equal(dcs_session_run(session, slot, DCS_UNTIMED, DCS_PAGEABLE, 1, &sample),
                     DCS_OUTCOME_OK);
    expect_map(f);
  }
  dcs_limits limits;
  assert_int_not_equal(dcs_session_limits(session, true, &limits), DCS_OUTCOME_OK);
  expect_said("has no times");
}

/* Also between maps, with which it shares the worker and its threads. */
static void the_cpu_has_limits(void **state) {
  bench_fixture *f = *state;
  dcs_limits limits;
  double start_ns = 0;
  expect_ok(f, "cpu_gather");
  assert_int_equal(dcs_session_limits(session_of(f, DCS_CPU), true, &limits), DCS_OUTCOME_OK);
  assert_string_equal(limits.list[0].name, "cpu_1_evals_per_s");
  assert_string_equal(limits.list[limits.n - 1].name, "cpu_all_memory_bytes_per_s");
  for (int l = 0; l < limits.n; l++)
    assert_true(limits.list[l].value > 0);
  assert_int_equal(dcs_session_start_ns(session_of(f, DCS_CPU), &start_ns), DCS_OUTCOME_OK);
  assert_true(start_ns > 0);
  expect_ok(f, "cpu_gather");
}

/* ---- workers that die ---- */

/* A kill from outside is no result of the method: a fresh worker computes the map. */
static void a_killed_worker_is_replaced(void **state) {
  bench_fixture *f = *state;
  const dcs_method gather = method_of("cpu_gather");
  dcs_session *session = session_of(f, DCS_CPU);
  int slot = prepare(f, &gather);
  dcs_sample sample;
  for (int kills = 0; kills < 3; kills++) {
    pid_t killed = find_child();
    kill_child();
    forget_map(f);
    assert_int_equal(dcs_session_run(session, slot, DCS_UNTIMED, DCS_PAGEABLE, 1, &sample),
                     DCS_OUTCOME_OK);
    expect_map(f);
    assert_int_not_equal(find_child(), killed);
  }
}

/* Three methods; in the fresh worker they are wanted in another order than they were prepared. */
static void expect_slots_to_return(bench_fixture *f, const dcs_method methods[3]) {
  static const int order[] = {1, 0, 2, 1, 0, 2};
  dcs_session *session = session_of(f, methods[0].variant->backend);
  dcs_sample sample;
  int slots[3];
  for (int m = 0; m < 3; m++)
    slots[m] = prepare(f, &methods[m]);
  kill_child();
  for (int r = 0; r < 6; r++) {
    forget_map(f);
    dcs_outcome outcome =
        dcs_session_run(session, slots[order[r]], DCS_UNTIMED, DCS_PAGEABLE, 1, &sample);
    if (outcome != DCS_OUTCOME_OK)
      fail_msg("run %d: %s: %s", r, dcs_outcome_name(outcome), dcs_error_message());
    expect_map(f);
  }
}

static void methods_return_after_a_crash(void **state) {
  const dcs_method methods[] = {method_of("cpu_gather"), method_of("cpu_scatter"),
                                method_of("cpu_simd")};
  expect_slots_to_return(*state, methods);
}

static void methods_return_on_a_device(void **state) {
  bench_fixture *f = fixture_of(state);
  dcs_method methods[3];
  for (int m = 0; m < 3; m++) {
    methods[m] = method_of("cuda_constant");
    methods[m].config.value[dcs_find_param(methods[m].variant, "block_x")] = 8 << m;
  }
  expect_slots_to_return(f, methods);
}

/* ---- devices that are not there ---- */

static void without_a_gpu_it_says_so(void **state) {
  bench_fixture *f = *state;
  dcs_session *session;
  if (dcs_bench_session(&f->bench, DCS_GPU, &session) == DCS_OK) {
    print_message("skipped: a GPU is here\n");
    skip();
  }
  char message[1024];
  snprintf(message, sizeof message, "%s", dcs_error_message());
  assert_true(strlen(message) > 10);
  assert_int_equal(dcs_bench_session(&f->bench, DCS_GPU, &session), DCS_UNAVAILABLE);
  assert_int_equal(try_variant(f, "cuda_constant").outcome, DCS_OUTCOME_NO_DEVICE);
  assert_string_equal(dcs_error_message(), message);
  expect_ok(f, "cpu_gather");
}

static void unknown_devices_are_refused(void **state) {
  (void)state;
  bench_fixture *f = bench_begin("cuda:9999", 60);
  dcs_session *session;
  assert_int_equal(dcs_bench_session(&f->bench, DCS_GPU, &session), DCS_UNAVAILABLE);
  bench_end(f);
  f = bench_begin("cuda:x", 60); /* no device is ever named so */
  assert_int_equal(dcs_bench_session(&f->bench, DCS_GPU, &session), DCS_USAGE);
  expect_said("\"cuda:x\"");
  assert_int_equal(try_variant(f, "cuda_constant").outcome, DCS_OUTCOME_NO_DEVICE);
  bench_end(f);
}

#define ON_CPU(f)   cmocka_unit_test_setup_teardown(f, cpu_begin, cpu_end)
#define EMULATED(f) cmocka_unit_test_setup_teardown(f, emulated_begin, emulated_end)

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      ON_CPU(times_of_a_cpu_variant),
      ON_CPU(the_first_time_of_a_cpu_variant),
      EMULATED(a_time_across_a_stop_is_none),
      EMULATED(a_sample_of_frames_has_eight),
      EMULATED(an_emulated_device_has_no_times),
      ON_CPU(the_cpu_has_limits),
      ON_CPU(a_killed_worker_is_replaced),
      ON_CPU(methods_return_after_a_crash),
      EMULATED(methods_return_on_a_device),
      ON_CPU(without_a_gpu_it_says_so),
      cmocka_unit_test(unknown_devices_are_refused),
  };
  return cmocka_run_group_tests_name("session", tests, kernel_folder_make, kernel_folder_remove);
}
