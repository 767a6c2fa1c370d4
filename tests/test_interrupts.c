/* Signals in every phase of a sweep, to the program, to its worker, or to both: nothing but the
 * method's own doing is its outcome, and --resume completes the rows. The sweep runs in this
 * program started anew, whose poll() strikes before a chosen wait for an answer: that is a place in
 * the work, not a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/interrupt.h"
#include "harness/sweep/sweep.h"
#include "harness/worker/worker.h"
#include "tests/linker_options.h"
#include "tests/run_folder.h"

#include <dirent.h>
#include <poll.h>

/* ---- strikes ---- */

typedef struct {
  int at; /* which wait, from 0; -1: none, -2: all */
  int signal;
  bool worker, program; /* the worker first */
} strike;

enum { NONE = -1, ALL = -2 };
static strike planned = {.at = NONE};
static int waits, strikes; /* how many there were */

static void hit_workers(int signal) {
  DIR *folder = opendir("/proc");
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[300];
    int pid, parent;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d %*s %*c %d", &pid, &parent) == 2 && parent == getpid())
      kill(pid, signal);
    if (file) fclose(file);
  }
  if (folder) closedir(folder);
}

/* A wait is over when there is an answer: how often it looked up, once a second, is the machine's
 * doing. */
int poll(struct pollfd *fds, nfds_t n, int timeout_ms) {
  static int last = NONE; /* of the waits that were struck */
  const struct timespec most = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  if ((planned.at == ALL || planned.at == waits) && last != waits) {
    last = waits;
    strikes++;
    if (planned.worker) hit_workers(planned.signal);
    if (planned.program) kill(getpid(), planned.signal);
  }
  const int ready = ppoll(fds, n, timeout_ms < 0 ? NULL : &most, NULL);
  waits += ready > 0;
  return ready;
}

enum { ROUNDS = 3, ROWS = 4 };

/* The limits take seconds: they are another's here. */
dcs_status dcs_measure_cpu(dcs_limits *limits) {
  double ns = 1;
  *limits = (dcs_limits){.n = 0};
  dcs_limits_add_rate(limits, "cpu_1_evals_per_s", "evaluations/s", "none", 1, &ns, 1);
  return DCS_OK;
}

static void expect_whole(const char *run) {
  char *env = run_file(run, "env.csv", NULL);
  assert_contains(env, "\nlimit_cpu_1_evals_per_s,1e+09\n");
  free(env);
  check_run(run, ROWS, ROUNDS);
}

/* ---- sweeps ---- */

static dcs_status sweep(const char *out, double timeout_s) {
  const dcs_sweep_line line = {.variants = "cpu_gather,cpu_simd",
                               .config = "threads=1",
                               .atoms = "20",
                               .grid = "4^3",
                               .scope = "kernel,first"};
  const dcs_sweep_options options = {.lines = &line,
                                     .n_lines = 1,
                                     .device = "cuda:0",
                                     .out = out,
                                     .resume = true,
                                     .sampling = dcs_sampling_of(ROUNDS),
                                     .timeout_s = timeout_s,
                                     .run = {.seed = 1}};
  return dcs_sweep(&options);
}

/* The program that is started: FOLDER TIMEOUT AT SIGNAL WORKER PROGRAM. Its standard output is the
 * numbers of waits and strikes. */
static int struck_program(char **words) {
  const int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  alarm(program_limit());
  dcs_interrupt_catch();
  planned = (strike){atoi(words[2]), atoi(words[3]), atoi(words[4]), atoi(words[5])};
  dcs_status status = sweep(words[0], strtod(words[1], NULL));
  dprintf(out, "%d %d\n", waits, strikes);
  return (int)status;
}

/* Runs it; returns its status, and leaves its numbers of waits and strikes. */
static int sweep_struck(const char *run, strike s, double timeout_s) {
  char timeout[32], numbers[4][16];
  const int values[4] = {s.at, s.signal, s.worker, s.program};
  FILE *out = tmpfile();
  assert_non_null(out);
  snprintf(timeout, sizeof timeout, "%g", timeout_s);
  for (int i = 0; i < 4; i++)
    snprintf(numbers[i], sizeof numbers[i], "%d", values[i]);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    execl("/proc/self/exe", "test_interrupts", "struck", in_folder(run), timeout, numbers[0],
          numbers[1], numbers[2], numbers[3], (char *)NULL);
    _exit(127);
  }
  int status = program_wait(pid);
  rewind(out);
  assert_int_equal(fscanf(out, "%d %d", &waits, &strikes), 2);
  fclose(out);
  return status;
}

static void expect_no_failure(const char *run, strike s) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/summary.csv", in_folder(run));
  if (!exists(path)) return; /* struck before there was anything */
  dcs_table *summary = run_table(run, "summary.csv");
  for (size_t row = 0; row < dcs_table_rows(summary); row++)
    if (strcmp(text_at(summary, row, "outcome"), "ok") != 0)
      fail_msg("signal %d at wait %d: row %zu is %s: %s", s.signal, s.at, row + 2,
               text_at(summary, row, "outcome"), text_at(summary, row, "why"));
  dcs_table_free(summary);
}

static const strike kinds[] = {
    {.signal = SIGINT, .program = true}, {.signal = SIGTERM, .worker = true, .program = true},
    {.signal = SIGKILL, .worker = true}, {.signal = SIGHUP, .worker = true, .program = true},
    {.signal = SIGTERM, .worker = true}, {.signal = SIGQUIT, .worker = true},
    {.signal = SIGCONT, .worker = true}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* Struck at a wait; taken up, and struck at an earlier one; taken up again. Whether there was such
 * a wait. */
static bool strike_twice(int at, int kind) {
  char run[64];
  strike s = kinds[kind];
  snprintf(run, sizeof run, "struck-%d-%d", at, kind);
  s.at = at;
  int status = sweep_struck(run, s, 60);
  /* A sample that the machine disturbed is taken in other pieces: there may be no such wait. */
  if (status != (s.program && strikes > 0 ? DCS_FAILED : DCS_OK))
    fail_msg("signal %d at wait %d: status %d", s.signal, at, status);
  const bool struck = strikes > 0;
  expect_no_failure(run, s);
  s.at = at / 2;
  (void)sweep_struck(run, s, 60);
  expect_no_failure(run, s);
  assert_int_equal(sweep_struck(run, (strike){.at = NONE}, 60), DCS_OK);
  expect_whole(run);
  return struck;
}

static void a_signal_is_never_a_result(void **state) {
  (void)state;
  const bool full = getenv("DCS_TEST_FULL") != NULL;
  assert_int_equal(sweep_struck("whole", (strike){.at = NONE}, 60), DCS_OK);
  expect_whole("whole");
  const int n = waits;
  assert_true(n > 20); /* devices, problem, methods, maps, calibration, samples, last check */
  int struck = 0;
  for (int at = 1; at < n; at++) /* the first one tells whether there is a GPU */
    for (int kind = 0; kind < N_KINDS; kind++)
      if (full || kind == at % N_KINDS) struck += strike_twice(at, kind);
  assert_true(struck > 15);
}

/* The rows that an earlier part of the run wrote stay where they are while they are not replaced.
 */
static void a_second_interrupt_leaves_the_rows(void **state) {
  (void)state;
  strike s = {.signal = SIGINT, .program = true};
  assert_int_equal(sweep_struck("rows", (strike){.at = NONE}, 60), DCS_OK);
  s.at = waits - ROWS - 2; /* among the last samples */
  assert_int_equal(sweep_struck("left", s, 60), DCS_FAILED);
  char *before = run_file("left", "summary.csv", NULL);
  assert_non_null(strstr(before, "interrupted"));
  s.at = 3; /* the problem is announced, or a method prepared */
  assert_int_equal(sweep_struck("left", s, 60), DCS_FAILED);
  char *after = run_file("left", "summary.csv", NULL);
  assert_string_equal(after, before);
  free(before);
  free(after);
  assert_int_equal(sweep_struck("left", (strike){.at = NONE}, 60), DCS_OK);
  expect_whole("left");
}

/* The processes of the samples of scope `kernel`, which are in the order they were taken; whether
 * there are two. */
static bool are_of_two_processes(const char *run) {
  dcs_table *samples = run_table(run, "samples.csv");
  int process = 0;
  for (size_t row = 0; row < dcs_table_rows(samples); row++) {
    if (strcmp(text_at(samples, row, "scope"), "kernel") != 0) continue;
    const double found = number_at(samples, row, "process");
    assert_true(found == process || found == ++process);
    assert_true(number_at(samples, row, "session") == 0);
  }
  dcs_table_free(samples);
  assert_in_range(process, 0, 1);
  return process == 1;
}

/* Killed at some wait of the samples. What a kill before them leaves is of one process. */
static void who_takes_the_place_of_a_killed_worker_is_another_process(void **state) {
  (void)state;
  bool two = false;
  assert_int_equal(sweep_struck("one", (strike){.at = NONE}, 60), DCS_OK);
  assert_false(are_of_two_processes("one"));
  for (int at = waits - ROWS; !two && at > 1; at--) {
    char run[32];
    snprintf(run, sizeof run, "replaced-%d", at);
    assert_int_equal(sweep_struck(run, (strike){at, SIGKILL, true, false}, 60), DCS_OK);
    expect_whole(run);
    two = are_of_two_processes(run);
  }
  assert_true(two);
}

/* ---- what is killed again, and time-outs ---- */

static dcs_trial try_struck(strike s, double timeout_s) {
  const dcs_grid grid = {.n = {4, 4, 4}, .spacing = 0.5};
  const dcs_variant *variant = dcs_find_variant("cpu_gather");
  const dcs_method method = {variant, dcs_initial_config(variant, 1)};
  dcs_bench bench;
  dcs_case c;
  dcs_reference reference;
  assert_int_equal(dcs_bench_open("cuda:0", NULL, timeout_s, &bench), DCS_OK);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 20, &grid, 1, &c), DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &reference), DCS_OK);
  assert_int_equal(dcs_bench_put(&bench, &c, NULL, 0), DCS_OK);
  planned = s;
  dcs_trial trial = dcs_bench_try(&bench, &method, 0, &reference);
  planned.at = NONE;
  dcs_reference_free(&reference);
  dcs_case_free(&c);
  dcs_bench_close(&bench);
  return trial;
}

/* As where memory runs out for a while: every worker is killed. A resume tries them again. */
static void rows_of_killed_workers_are_gone_on_with(void **state) {
  (void)state;
  assert_int_equal(sweep_struck("storm", (strike){ALL, SIGKILL, true, false}, 60), DCS_FAILED);
  dcs_table *summary = run_table("storm", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), ROWS);
  for (size_t row = 0; row < ROWS; row++) {
    assert_string_equal(text_at(summary, row, "outcome"), "memory");
    assert_string_equal(text_at(summary, row, "stop_reason"), "killed");
  }
  dcs_table_free(summary);
  assert_int_equal(sweep_struck("storm", (strike){.at = NONE}, 60), DCS_OK);
  check_run("storm", ROWS, ROUNDS);
}

static void killed_twice_is_out_of_memory(void **state) {
  (void)state;
  const dcs_trial trial = try_struck((strike){ALL, SIGKILL, true, false}, 60);
  assert_int_equal(trial.outcome, DCS_OUTCOME_MEMORY);
  assert_contains(trial.why, "was killed twice: Killed");
}

/* One that is not for want of memory (and that no sanitizer catches). */
static void another_signal_of_the_kernels_is_a_crash(void **state) {
  (void)state;
  const dcs_trial trial = try_struck((strike){ALL, SIGABRT, true, false}, 60);
  assert_int_equal(trial.outcome, DCS_OUTCOME_CRASH);
  assert_contains(trial.why, "Aborted");
}

/* The worker is aborted at a wait, counted from here. It may have answered before, on a busy
 * machine often: then it is tried again. */
static dcs_trial try_aborted(int at, dcs_outcome expected) {
  dcs_trial trial = {0};
  for (int tries = 0; tries < 3000 && trial.outcome != expected; tries++)
    trial = try_struck((strike){waits + at, SIGABRT, true, false}, 60);
  assert_int_equal(trial.outcome, expected);
  return trial;
}

/* As clang's OpenMP ends a worker in which it cannot start a thread: while a method is prepared its
 * kernel does not run. */
static void aborted_before_its_kernel_ran_is_no_crash(void **state) {
  (void)state;
  enum { PREPARING = 2, RUNNING }; /* behind the start, and the problem */
  const dcs_trial trial = try_aborted(PREPARING, DCS_OUTCOME_MEMORY);
  assert_true(trial.killed);
  assert_contains(trial.why, "cannot start a thread");
  (void)try_aborted(RUNNING, DCS_OUTCOME_CRASH);
}

/* 400 threads whose stacks have no room: OpenMP's runtime would end the worker. */
static void threads_that_cannot_start_are_want_of_memory(void **state) {
  (void)state;
  const struct rlimit few = {2000000000, RLIM_INFINITY};
  struct rlimit all;
  assert_int_equal(getrlimit(RLIMIT_AS, &all), 0);
#ifdef _OPENMP
  if (takes_all_addresses() || setrlimit(RLIMIT_AS, &few) != 0) skip();
  int status = program_run("sweep --variants cpu_gather --config threads=400 --atoms 5 --grid 4^3 "
                           "--rounds 1 --out %s",
                           in_folder("threads"));
  assert_int_equal(setrlimit(RLIMIT_AS, &all), 0);
  assert_status(status, 4);
  assert_contains(program_err, "memory: threads=400: cannot start them");
#endif
}

/* Stacks larger than all addresses, which are OpenMP's alone: its runtime ends the worker behind
 * the check for threads. A resume tries the row again. */
static void a_thread_that_does_not_start_is_no_crash(void **state) {
  (void)state;
#ifdef _OPENMP
  static const char sweep[] = "sweep --variants cpu_gather --config threads=2 --atoms 5 "
                              "--grid 4^3 --rounds 1 --resume --out %s";
  setenv("OMP_NUM_THREADS", "1", 1); /* of the program itself */
  setenv("OMP_STACKSIZE", "200000G", 1);
  int status = program_run(sweep, in_folder("stacks"));
  unsetenv("OMP_STACKSIZE");
  unsetenv("OMP_NUM_THREADS");
  assert_status(status, DCS_FAILED);
  dcs_table *summary = run_table("stacks", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 1);
  assert_string_equal(text_at(summary, 0, "outcome"), "memory");
  assert_string_equal(text_at(summary, 0, "stop_reason"), "killed");
  assert_contains(text_at(summary, 0, "why"), "cannot start a thread");
  dcs_table_free(summary);
  assert_status(program_run(sweep, in_folder("stacks")), 0);
  check_run("stacks", 1, 1);
#endif
}

static void too_short_to_start_in_is_a_timeout(void **state) {
  (void)state;
  assert_int_equal(try_struck((strike){.at = NONE}, 1e-9).outcome, DCS_OUTCOME_TIMEOUT);
  assert_int_equal(sweep_struck("short", (strike){.at = NONE}, 1e-9), DCS_FAILED);
  dcs_table *summary = run_table("short", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), ROWS);
  for (size_t row = 0; row < ROWS; row++) {
    assert_string_equal(text_at(summary, row, "outcome"), "timeout");
    assert_contains(text_at(summary, row, "why"), "no answer from cpu within 1e-09 s");
  }
  dcs_table_free(summary);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return (int)dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  if (argc == 8 && strcmp(argv[1], "struck") == 0) return struck_program(argv + 2);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_takes_the_place_of_a_killed_worker_is_another_process),
      cmocka_unit_test(killed_twice_is_out_of_memory),
      cmocka_unit_test(rows_of_killed_workers_are_gone_on_with),
      cmocka_unit_test(another_signal_of_the_kernels_is_a_crash),
      cmocka_unit_test(aborted_before_its_kernel_ran_is_no_crash),
      cmocka_unit_test(threads_that_cannot_start_are_want_of_memory),
      cmocka_unit_test(a_thread_that_does_not_start_is_no_crash),
      cmocka_unit_test(too_short_to_start_in_is_a_timeout),
      cmocka_unit_test(a_second_interrupt_leaves_the_rows),
      cmocka_unit_test(a_signal_is_never_a_result),
  };
  return cmocka_run_group_tests_name("interrupts", tests, program_setup, program_teardown);
}
