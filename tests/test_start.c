/* A worker that does not start at first, and later does: there is no process for it, or it ends
 * before it has said that it is there, or it says that its device does not open. None of these is
 * the doing of what it would have computed: the outcome is said, no row has a wrong time, and the
 * same command again ends with every row. The program is this one started anew, whose
 * posix_spawnp() strikes at chosen starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/commands.h"
#include "harness/device/host_compiler.h"
#include "harness/worker/timing.h"
#include "harness/worker/worker.h"
#include "tests/planted_kernels.h"
#include "tests/run_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>

/* ---- starts ---- */

typedef enum { NO_PROCESS, ENDS, DIES, REFUSES, N_WAYS } start_failure;

static struct {
  start_failure way;
  int first, end; /* which starts, from 0 */
} struck;
static int starts, strikes; /* how many there were */
static int no_compiler;     /* errno of every start of a compiler; 0: they start */

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
  static const char *const words[N_WAYS] = {"", "ends", "dies", "refuses"};
  spawn_function *spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawnp");
  char *const other[] = {argv[0], (char *)words[struck.way], NULL};
  if (no_compiler && argv[1] && strcmp(argv[1], "--version") == 0) return no_compiler;
  if (!argv[1] || strcmp(argv[1], "worker") != 0)
    return spawn(pid, file, actions, attributes, argv, envp);
  const int at = starts++;
  if (at < struck.first || at >= struck.end)
    return spawn(pid, file, actions, attributes, argv, envp);
  strikes++;
  if (struck.way == NO_PROCESS) return EAGAIN;
  return spawn(pid, file, actions, attributes, other, envp);
}

static const char *const reasons[N_WAYS] = {"cannot start a worker process: Resource temporarily",
                                            "ended with status 127", "Aborted",
                                            "no memory for an engine"};

/* What is started instead of a worker, by its word. */
static int start_otherwise(const char *word) {
  if (strcmp(word, "dies") == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
  }
  if (strcmp(word, "refuses") == 0)
    return (int)dcs_worker_refuse(dcs_fail(DCS_UNAVAILABLE, "no memory for an engine"));
  _exit(127);
}

/* ---- sessions ---- */

static int cpu_begin(void **state) {
  struck.first = struck.end = starts = strikes = 0;
  *state = bench_begin("cuda:0", 60);
  return 0;
}

static int cpu_end(void **state) {
  struck.end = 0;
  bench_end(*state);
  return 0;
}

static void strike(start_failure way, int first, int n) {
  struck.way = way;
  struck.first = starts + first;
  struck.end = struck.first + n;
}

static void expect_map(const bench_fixture *f) {
  assert_true(dcs_check(&f->reference, f->bench.arena.map, f->c.problem.n_inputs).accepted);
}

/* The first worker of all. */
static void a_session_opens_later(void **state) {
  bench_fixture *f = *state;
  static const dcs_outcome outcomes[N_WAYS] = {DCS_OUTCOME_MEMORY, DCS_OUTCOME_CRASH,
                                               DCS_OUTCOME_CRASH, DCS_OUTCOME_MEMORY};
  for (int w = 0; w < N_WAYS; w++) {
    strike((start_failure)w, 0, 2);
    for (int i = 0; i < 2; i++) {
      const dcs_trial trial = try_variant(f, "cpu_gather");
      assert_int_equal(trial.outcome, outcomes[w]);
      assert_true(trial.killed);
      assert_contains(trial.why, reasons[w]);
    }
    const dcs_trial trial = try_variant(f, "cpu_gather");
    assert_int_equal(trial.outcome, DCS_OUTCOME_OK);
    assert_false(trial.killed);
    expect_map(f);
    dcs_session_close(f->bench.cpu);
    f->bench.cpu = NULL;
  }
}

/* One in the place of another; in scope `first` one for each sample. */
static void a_session_goes_on_later(void **state) {
  bench_fixture *f = *state;
  const dcs_trial trial = try_variant(f, "cpu_gather");
  assert_int_equal(trial.outcome, DCS_OUTCOME_OK);
  static const dcs_scope scopes[] = {DCS_KERNEL, DCS_FIRST};
  for (int w = 0; w < N_WAYS; w++)
    for (int s = 0; s < 2; s++) {
      dcs_sample sample = {.ns = NAN};
      dcs_session_restart(trial.session);
      strike((start_failure)w, 0, 1);
      assert_int_equal(
          dcs_take_sample(trial.session, trial.slot, scopes[s], DCS_PAGEABLE, 1, &sample),
          DCS_OUTCOME_MEMORY);
      assert_contains(dcs_error_message(), reasons[w]);
      assert_true(dcs_session_was_killed(trial.session));
      assert_true(isnan(sample.ns));
      for (int64_t i = 0; i < f->reference.points; i++)
        f->bench.arena.map[i] = NAN;
      assert_int_equal(
          dcs_take_sample(trial.session, trial.slot, scopes[s], DCS_PAGEABLE, 1, &sample),
          DCS_OUTCOME_OK);
      assert_false(dcs_session_was_killed(trial.session));
      assert_true(sample.ns > 0);
      expect_map(f);
    }
}

/* What a worker does first is no sample, of none of its methods. */
static void a_fresh_worker_is_warmed_up(void **state) {
  bench_fixture *f = *state;
  const dcs_trial trials[2] = {try_variant(f, "cpu_gather"), try_variant(f, "cpu_simd")};
  dcs_sample sample;
  static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM};
  for (int restarts = 0; restarts < 2; restarts++) {
    for (int m = 0; m < 2; m++)
      for (int run = 0; run < 8; run++) { /* in each way that it is timed */
        assert_int_equal(dcs_session_run(trials[m].session, trials[m].slot, scopes[run / 4],
                                         run / 2 % 2 ? DCS_PINNED : DCS_PAGEABLE, 1, &sample),
                         DCS_OUTCOME_OK);
        assert_int_equal(sample.fresh, restarts > 0 && run % 2 == 0);
      }
    dcs_session_restart(trials[0].session);
  }
  for (int m = 0; m < 2; m++) {
    assert_int_equal(
        dcs_take_sample(trials[m].session, trials[m].slot, DCS_KERNEL, DCS_PAGEABLE, 1, &sample),
        DCS_OUTCOME_OK);
    assert_false(sample.fresh);
  }
}

/* ---- commands ---- */

/* The limits take seconds: they are another's here. */
dcs_status dcs_measure_cpu(dcs_limits *limits) {
  double ns = 1;
  *limits = (dcs_limits){.n = 0};
  dcs_limits_add_rate(limits, "cpu_1_evals_per_s", "evaluations/s", "none", 1, &ns, 1);
  return DCS_OK;
}

/* The program that is started: WAY FIRST END ARGUMENT... It writes the numbers of starts and
 * strikes to descriptor 3. */
enum { NUMBERS = 3 };
static int struck_program(int argc, char **argv) {
  const int n_own = 5; /* the program's name and that it is struck are the first two */
  alarm(program_limit());
  struck.way = (start_failure)atoi(argv[2]);
  struck.first = atoi(argv[3]);
  struck.end = atoi(argv[4]);
  argv[n_own - 1] = argv[0];
  const int status = dcs_main(argc - n_own + 1, argv + n_own - 1, dcs_alone());
  dprintf(NUMBERS, "%d %d\n", starts, strikes);
  return status;
}

/* Runs it; leaves its texts, and its numbers of starts and strikes. */
static int run_struck(start_failure way, int first, int n, const char *arguments) {
  char line[4096], numbers[3][16], *words[PROGRAM_WORDS];
  FILE *out = tmpfile(), *err = tmpfile(), *told = tmpfile();
  const int values[3] = {(int)way, first, first + n};
  assert_true(out && err && told);
  snprintf(line, sizeof line, "struck NUMBER NUMBER NUMBER %s", arguments);
  program_words(line, words);
  for (int i = 0; i < 3; i++) {
    snprintf(numbers[i], sizeof numbers[i], "%d", values[i]);
    words[2 + i] = numbers[i];
  }
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    dup2(fileno(told), NUMBERS);
    execv("/proc/self/exe", words);
    _exit(127);
  }
  const int status = program_wait(pid);
  program_take(out, program_out, sizeof program_out);
  program_take(err, program_err, sizeof program_err);
  rewind(told);
  assert_int_equal(fscanf(told, "%d %d", &starts, &strikes), 2);
  fclose(told);
  return status;
}

enum { ROUNDS = 3, ROWS = 4, ALWAYS = 1000 };

/* Rows are whole, or say that the worker did not start. */
static int expect_no_blame(const char *run, start_failure way) {
  int left = 0;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/summary.csv", in_folder(run));
  if (!exists(path)) return ROWS; /* struck before there was anything */
  dcs_table *summary = run_table(run, "summary.csv"), *samples = run_table(run, "samples.csv");
  for (size_t row = 0; row < dcs_table_rows(summary); row++) {
    double times[ROUNDS + 1];
    const int n = times_of(samples, summary, row, times, ROUNDS + 1);
    if (strcmp(text_at(summary, row, "outcome"), "ok") == 0) {
      assert_int_equal(n, ROUNDS);
      continue;
    }
    left++;
    assert_true(n < ROUNDS);
    assert_string_equal(text_at(summary, row, "stop_reason"), "killed");
    assert_contains(text_at(summary, row, "why"), reasons[way]);
  }
  dcs_table_free(summary);
  dcs_table_free(samples);
  return left;
}

static int sweep_struck(start_failure way, int first, int n, const char *run) {
  char line[PATH_MAX + 256];
  snprintf(line, sizeof line,
           "sweep --variants cpu_gather,cpu_simd --config threads=1 --atoms 20 --grid 4^3 "
           "--scope kernel,first --rounds %d --resume --out %s",
           ROUNDS, in_folder(run));
  return run_struck(way, first, n, line);
}

static void a_sweep_goes_on_later(void **state) {
  (void)state;
  assert_status(sweep_struck(NO_PROCESS, ALWAYS, 0, "whole"), DCS_OK);
  check_run("whole", ROWS, ROUNDS);
  const int all = 2 + 2 * ROUNDS; /* is there a GPU; the session; those of scope first */
  assert_true(starts >= all);     /* a busy machine may ask for one more */
  for (int w = 0; w < N_WAYS; w++)
    for (int first = 1; first < all; first++) {
      char run[32];
      snprintf(run, sizeof run, "sweep_%d_%d", w, first);
      const int status = sweep_struck((start_failure)w, first, 1 + first % 3, run);
      assert_true(strikes > 0);
      assert_contains(program_err, reasons[w]);
      const int left = expect_no_blame(run, (start_failure)w);
      assert_status(status, left > 0 ? DCS_FAILED : DCS_OK);
      assert_status(sweep_struck((start_failure)w, ALWAYS, 0, run), DCS_OK);
      check_run(run, ROWS, ROUNDS);
    }
}

/* None ever does: each row says why, and a later sweep has them all. */
static void without_workers_each_row_says_why(void **state) {
  (void)state;
  for (int w = 0; w < N_WAYS; w++) {
    char run[32];
    snprintf(run, sizeof run, "never_%d", w);
    assert_status(sweep_struck((start_failure)w, 0, ALWAYS, run), DCS_FAILED);
    assert_int_equal(expect_no_blame(run, (start_failure)w), ROWS);
    dcs_table *summary = run_table(run, "summary.csv");
    assert_int_equal(dcs_table_rows(summary), ROWS);
    dcs_table_free(summary);
    assert_status(sweep_struck((start_failure)w, ALWAYS, 0, run), DCS_OK);
    check_run(run, ROWS, ROUNDS);
  }
}

/* Whether there is a GPU is not known then, and what would compute on one does not go on without.
 */
static void a_gpu_is_not_taken_for_absent(void **state) {
  (void)state;
  static const char *const commands[] = {
      "list --csv", "info --csv", "verify",
      "sweep --variants cpu_gather,cuda_naive --config threads=1 --atoms 5 --grid 4^3 --rounds 1 "
      "--out "};
  for (int c = 0; c < 4; c++) {
    char line[PATH_MAX + 256];
    snprintf(line, sizeof line, "%s%s", commands[c], c == 3 ? in_folder("gpu") : "");
    assert_status(run_struck(NO_PROCESS, 0, 1, line), DCS_UNAVAILABLE);
    assert_int_equal(strikes, 1);
    assert_contains(program_err, reasons[NO_PROCESS]);
    assert_false(exists(in_folder("gpu/summary.csv")));
  }
  for (int second = 0; second < 2; second++) { /* CUDA, OpenCL */
    assert_status(run_struck(NO_PROCESS, second, second + 1, "info --csv"), DCS_UNAVAILABLE);
    assert_int_equal(strikes, 1);
    assert_contains(program_err, reasons[NO_PROCESS]);
    assert_null(strstr(program_out, "_missing,cannot start"));
  }
}

/* A method whose worker did not start is not wrong, and the next one is verified. */
static void verify_goes_on(void **state) {
  (void)state;
  static const char line[] = "verify --variants cpu_gather,cpu_simd --config threads=1";
  assert_status(run_struck(NO_PROCESS, ALWAYS, 0, line), DCS_OK);
  char whole[4096];
  snprintf(whole, sizeof whole, "%.4000s", program_out);
  for (int w = 0; w < N_WAYS; w++) {
    assert_status(run_struck((start_failure)w, 1, 1, line), DCS_FAILED);
    assert_int_equal(strikes, 1);
    assert_contains(program_err, reasons[w]);
    assert_status(run_struck((start_failure)w, ALWAYS, 0, line), DCS_OK);
    assert_string_equal(program_out, whole);
  }
}

/* A compiler for which there is no process is not one that is missing, nor is another taken. */
static void a_compiler_that_cannot_start_is_wanted(void **state) {
  (void)state;
  static const struct {
    dcs_status (*find)(dcs_host_compiler *);
    const char *first, *advice;
  } languages[] = {{dcs_host_compiler_find_c, "cannot start cc: Resource", "install gcc"},
                   {dcs_host_compiler_find, "cannot start c++: Resource", "install g++"}};
  dcs_host_compiler compiler;
  unsetenv("CC");
  unsetenv("CXX");
  for (int l = 0; l < 2; l++) {
    no_compiler = EAGAIN;
    assert_int_equal(languages[l].find(&compiler), DCS_UNAVAILABLE);
    assert_contains(dcs_error_message(), languages[l].first);
    assert_true(dcs_wanted());
    no_compiler = ENOENT;
    assert_int_equal(languages[l].find(&compiler), DCS_UNAVAILABLE);
    assert_contains(dcs_error_message(), languages[l].advice);
    assert_false(dcs_wanted());
    no_compiler = 0;
    assert_int_equal(languages[l].find(&compiler), DCS_OK);
  }
}

#define ON_CPU(f) cmocka_unit_test_setup_teardown(f, cpu_begin, cpu_end)

static int setup(void **state) {
  setenv("OMP_NUM_THREADS", "1", 1);
  return program_setup(state) == 0 && mkdtemp(kernel_folder) ? 0 : -1;
}

static int teardown(void **state) {
  const int failed = rmdir(kernel_folder);
  return program_teardown(state) == 0 ? failed : -1;
}

int main(int argc, char **argv) {
  if (argc == 2) return start_otherwise(argv[1]);
  if (argc > 2 && strcmp(argv[1], "worker") == 0) return dcs_main(argc, argv, dcs_alone());
  if (argc > 5 && strcmp(argv[1], "struck") == 0) return struck_program(argc, argv);
  const struct CMUnitTest tests[] = {
      ON_CPU(a_session_opens_later),
      ON_CPU(a_session_goes_on_later),
      ON_CPU(a_fresh_worker_is_warmed_up),
      cmocka_unit_test(a_sweep_goes_on_later),
      cmocka_unit_test(without_workers_each_row_says_why),
      cmocka_unit_test(a_gpu_is_not_taken_for_absent),
      cmocka_unit_test(verify_goes_on),
      cmocka_unit_test(a_compiler_that_cannot_start_is_wanted),
  };
  return cmocka_run_group_tests_name("start", tests, setup, teardown);
}
