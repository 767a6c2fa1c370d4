/* Kills at random moments: a command is started on a tiny problem; the program, its worker or both
 * get a signal; the same command goes on, is perhaps struck again, and in the end runs unharmed.
 * No row may be lost, doubled or a failure, a command that was not struck itself must succeed, and
 * no process may be left. DCS_KILLS says how many (20), DCS_KILLS_SEED which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/runs/run.h"
#include "tests/crossover_run.h"
#include "tests/same_words.h"
#include "tests/written_dcd.h"

#include <dirent.h>
#include <sys/prctl.h>

static dcs_random chance;
static int kills, seed;

static void wait_ms(double ms) {
  const long long ns = (long long)(1e6 * ms);
  nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* ---- jobs ---- */

/* The folder of each trial; what is written there before, in the whole, and by whom. */
typedef struct {
  const char *name, *line;
  void (*begin)(void); /* puts what the command starts from into the empty folder */
  void (*so_far)(void), (*whole)(void);
  int share; /* of all trials */
  bool cold; /* kernels are compiled anew */
  bool anew; /* it takes no folder in which it began; long, and so among many kills alone */
  bool once; /* it takes no folder in which it has ended */
  double ms; /* it lasts unharmed */
} job;

enum { ROUNDS = 3, SWEEP_ROWS = 8, TUNED_CONFIGS = 18 };
enum { FRAMES = 150, FRAME_ATOMS = 20, MANY = 100 };

static void copy_file(const char *from, const char *to) {
  size_t bytes;
  char *text = get_file(in_folder(from), &bytes);
  FILE *file = fopen(in_folder(to), "w");
  assert_true(file && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0);
  free(text);
}

static void begin_empty(void) {
}

/* A folder with its limits and no rows. */
static void begin_sweep(void) {
  copy_file("begun/env.csv", "run/env.csv");
  copy_file("begun/samples.csv", "run/samples.csv");
  copy_file("begun/summary.csv", "run/summary.csv");
}

static void begin_refine(void) {
  copy_file("planted/env.csv", "run/env.csv");
  copy_file("planted/samples.csv", "run/samples.csv");
  copy_file("planted/summary.csv", "run/summary.csv");
}

static void begin_dispatch(void) {
  copy_file("measured/env.csv", "run/env.csv");
  copy_file("measured/samples.csv", "run/samples.csv");
  copy_file("measured/summary.csv", "run/summary.csv");
}

static void begin_strayed(void) {
  copy_file("measured/env.csv", "run/env.csv");
  copy_file("strayed/samples.csv", "run/samples.csv");
  copy_file("strayed/summary.csv", "run/summary.csv");
}

/* What was appended stays where it is; a torn end is cut off. */
static void expect_kept(const char *name, char **before) {
  char *now = run_file("run", name, NULL), *end = strrchr(now, '\n');
  if (end) end[1] = '\0';
  if (*before && strncmp(now, *before, strlen(*before)) != 0)
    fail_msg("%s lost rows: before\n%s\nnow\n%s", name, *before, now);
  free(*before);
  *before = now;
}

static char *samples_before, *journal_before;

static void no_row_is_a_failure(const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", in_folder("run"), name);
  dcs_table *table;
  if (!exists(path)) return;
  if (dcs_table_read(path, &table) != DCS_OK) fail_msg("%s", dcs_error_message());
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    if (strcmp(text_at(table, row, "outcome"), "ok") != 0)
      fail_msg("%s: row %zu is %s: %s", name, row + 2, text_at(table, row, "outcome"),
               text_at(table, row, "why"));
  dcs_table_free(table);
}

static void sweep_so_far(void) {
  expect_kept("samples.csv", &samples_before);
  no_row_is_a_failure("summary.csv");
}

static void sweep_whole(void) {
  check_run("run", SWEEP_ROWS, ROUNDS);
}

/* The planted rows and more, each with its samples. A size that was begun need not be chosen again,
 * now that thresholds are found with what was measured: its samples are of no row. */
static void refine_whole(void) {
  dcs_run run;
  if (dcs_run_open(&run, in_folder("run")) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_true(run.n_rows >= 10 && run.n_rows % 2 == 0); /* both methods at each size */
  for (size_t row = 0; row < run.n_rows; row++)
    if (run.rows[row].n != 6)
      fail_msg("row %zu has %d samples: %s", row + 2, run.rows[row].n,
               get_file(in_folder("run/summary.csv"), NULL));
  dcs_run_close(&run);
  dcs_table_free(run_table("run", "thresholds.csv"));
  dcs_table_free(run_table("run", "winners.csv"));
}

static void tune_so_far(void) {
  expect_kept("journal.csv", &journal_before);
  no_row_is_a_failure("journal.csv");
}

/* Each configuration was evaluated once by the search. */
static void tune_whole(void) {
  dcs_table *journal = run_table("run", "journal.csv"), *tuned = run_table("run", "tuned.csv");
  int searched = 0;
  for (size_t row = 0; row < dcs_table_rows(journal); row++) {
    if (strcmp(text_at(journal, row, "strategy"), "final") == 0) continue;
    searched++;
    assert_string_equal(text_at(journal, row, "n"), "3");
    for (size_t other = 0; other < row; other++)
      assert_true(strcmp(text_at(journal, other, "strategy"), "final") == 0 ||
                  strcmp(text_at(journal, row, "config"), text_at(journal, other, "config")) != 0);
  }
  assert_int_equal(searched, TUNED_CONFIGS);
  assert_true(dcs_table_rows(tuned) >= 1);
  dcs_table_free(journal);
  dcs_table_free(tuned);
}

/* A file is not there, or it is whole. A map may be by another method, where a worker was killed.
 */
static void expect_none_or_whole(const char *name, const char *whole) {
  char *now = run_file("run", name, NULL), *expected = get_file(in_folder(whole), NULL);
  if (*now && !same_words(now, expected)) fail_msg("%s is neither absent nor whole", name);
  free(now);
  free(expected);
}

static void expect_file(const char *name, const char *whole) {
  assert_true(exists(in_folder("run")));
  char *now = run_file("run", name, NULL), *expected = get_file(in_folder(whole), NULL);
  assert_true(*expected && same_words(now, expected));
  free(now);
  free(expected);
}

static void dispatch_so_far(void) {
  expect_none_or_whole("dispatch.csv", "measured/dispatch.csv");
  expect_none_or_whole("dispatch.h", "measured/dispatch.h");
}

static void dispatch_whole(void) {
  expect_file("dispatch.csv", "measured/dispatch.csv");
  expect_file("dispatch.h", "measured/dispatch.h");
}

static void map_so_far(void) {
  expect_none_or_whole("map.dx", "map.dx");
}

/* How many rows stray depends on what else the machine did; none is lost, and that which was made
 * to stray has its new samples. */
static void measured_whole(void) {
  dcs_table *before = run_table("strayed", "summary.csv"), *now = run_table("run", "summary.csv");
  const size_t n = dcs_table_rows(before);
  int most = 0;
  assert_int_equal(dcs_table_rows(now), n);
  for (size_t row = 0; row < n; row++) {
    int found = 0;
    for (size_t other = 0; other < n; other++)
      found += same_method(before, row, now, other);
    assert_int_equal(found, 1);
    if (number_at(now, row, "n") > most) most = (int)number_at(now, row, "n");
  }
  assert_true(most >= 15);
  dcs_table_free(before);
  dcs_table_free(now);
  assert_true(exists(in_folder("run/dispatch.csv")) && exists(in_folder("run/dispatch.h")));
}

static void map_whole(void) {
  expect_file("map.dx", "map.dx");
}

/* ---- means of frames ---- */

static float place(int frame, int atom, int axis) {
  return (float)(9 * sin(1.7 * atom + 2.3 * axis) + 0.6 * sin(0.3 * frame * (1 + atom % 5) + axis));
}

static void write_trajectory(void) {
  const written_dcd moving = {.atoms = FRAME_ATOMS, .frames = FRAMES, .place = place};
  FILE *out = fopen(in_folder("top.psf"), "w");
  assert_non_null(out);
  fprintf(out, "PSF\n\n %d !NATOM\n", FRAME_ATOMS);
  for (int a = 1; a <= FRAME_ATOMS; a++)
    fprintf(out, " %d A %d ION NA NA %.2f 22.9 0\n", a, a, a % 2 ? 1.0 : -0.75);
  fputs("\n", out);
  assert_int_equal(fclose(out), 0);
  write_dcd(in_folder("traj.dcd"), &moving);
}

static const char *const means[] = {"mean.dx", "mean_variance.dx", "mean_error.dx"};

static const char *in_run(const char *name) {
  static char path[64];
  snprintf(path, sizeof path, "run/%s", name);
  return path;
}

static void mean_so_far(void) {
  for (int f = 0; f < 3; f++)
    expect_none_or_whole(means[f], means[f]);
}

static void mean_whole(void) {
  for (int f = 0; f < 3; f++)
    expect_file(means[f], means[f]);
  assert_false(exists(in_folder("run/saved")));
}

static void compare_so_far(void) {
  no_row_is_a_failure("kept/a/summary.csv");
  no_row_is_a_failure("kept/b/summary.csv");
}

static void compare_whole(void) {
  check_run("run/kept/a", 2, 6);
  check_run("run/kept/b", 2, 6);
}

static void nothing(void) {
}

/* ---- what is imported, and steps ---- */

enum { TIMES = 400 };

static void write_times(void) {
  FILE *out = fopen(in_folder("times.csv"), "w");
  assert_non_null(out);
  fputs("method,n,time_ms\n", out);
  for (int t = 0; t < TIMES; t++)
    fprintf(out, "%s,%d,%d.25\n", t % 2 ? "old" : "new", 1 + t / 8, 1 + t % 8);
  assert_int_equal(fclose(out), 0);
}

static void import_whole(void) {
  dcs_run run;
  if (dcs_run_open(&run, in_folder("run")) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(run.n_rows, TIMES / 4);
  for (size_t row = 0; row < run.n_rows; row++)
    assert_int_equal(run.rows[row].n, 4);
  dcs_run_close(&run);
}

static void steps_so_far(void) {
  expect_none_or_whole("steps.dx", "steps.dx");
}

static void steps_whole(void) {
  expect_file("steps.dx", "steps.dx");
}

/* %1$s: the folder of the test. */
#define SWEEP                                                                                      \
  "sweep --variants cpu_gather,cpu_simd --config threads=1 --atoms 20,30 --grid 4^3 "              \
  "--scope kernel,first --rounds 3 --resume --out %1$s/run"
#define COMPARE                                                                                    \
  "compare --run %1$s/sweep %1$s/sweep --variants cpu_gather --config threads=1 --atoms 5,9 "      \
  "--grid 4^3 "                                                                                    \
  "--rounds 6 --out %1$s/run/kept"
#define MAP   "map tests/corpus/molecule/plain.pqr --grid 8^3 --device emulated --out %1$s/run/map.dx"
#define STEPS "steps --grid 20^3 --steps 400 --config threads=1 --out %1$s/run/steps.dx"
#define MEAN                                                                                       \
  "map %1$s/top.psf %1$s/traj.dcd --grid 24^3 --average --variance --checkpoint %1$s/run/saved "   \
  "--out %1$s/run/mean.dx"

static job jobs[] = {
    {"sweep", SWEEP, begin_sweep, sweep_so_far, sweep_whole, 6},
    {"sweep from its start", SWEEP, begin_empty, sweep_so_far, sweep_whole, 1},
    {"tune",
     "tune cpu_cutoff --atoms 5 --grid 4^3 --cutoff 3 --config threads=1,isa=portable|avx2 "
     "--strategy exhaustive --samples 3 --last 0",
     begin_empty, tune_so_far, tune_whole, 4},
    {"crossover --refine", "crossover %1$s/run --refine --rounds 6", begin_refine, sweep_so_far,
     refine_whole, 4},
    {"dispatch", "dispatch %1$s/run", begin_dispatch, dispatch_so_far, dispatch_whole, 1},
    {"dispatch --measure", "dispatch %1$s/run --measure", begin_strayed, sweep_so_far,
     measured_whole, 3},
    {"compare --run", COMPARE, begin_empty, compare_so_far, compare_whole, 3, .anew = true},
    {"map", MAP, begin_empty, map_so_far, map_whole, 2},
    {"map, compiled anew", MAP, begin_empty, map_so_far, map_whole, 1, .cold = true},
    {"map --average", MEAN, begin_empty, mean_so_far, mean_whole, 4},
    {"import", "import %1$s/times.csv --out %1$s/run", begin_empty, nothing, import_whole, 2,
     .once = true},
    {"steps", STEPS, begin_empty, steps_so_far, steps_whole, 2},
    {"verify",
     "verify --variants cpu_scatter,cuda_naive --config block_x=16,block_y=4,threads=1 "
     "--device emulated",
     begin_empty, nothing, nothing, 1},
};
enum { N_JOBS = sizeof jobs / sizeof jobs[0] };

/* ---- one trial ---- */

typedef struct {
  int signal;
  bool program, worker, worker_first;
  double after_ms;
} strike;

static strike plan_strike(const job *j) {
  static const int signals[] = {SIGINT, SIGTERM, SIGKILL, SIGHUP, SIGQUIT, SIGSTOP};
  const int64_t whom = dcs_random_below(&chance, 4);
  return (strike){.signal = signals[dcs_random_below(&chance, 6)],
                  .program = whom != 0,
                  .worker = whom != 1,
                  .worker_first = whom == 2,
                  .after_ms = 1.05 * j->ms * dcs_random_unit(&chance)};
}

/* The children of a process, the worker among them, get a signal. */
static void hit_workers(pid_t parent, int signal) {
  DIR *folder = opendir("/proc");
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[300];
    int pid, its_parent;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d (%*[^)]) %*c %d", &pid, &its_parent) == 2 && its_parent == parent)
      kill(pid, signal);
    if (file) fclose(file);
  }
  if (folder) closedir(folder);
}

static void hit(pid_t pid, const strike *s, int signal) {
  if (s->worker && s->worker_first) hit_workers(pid, signal);
  if (s->program) kill(pid, signal);
  if (s->worker && !s->worker_first) hit_workers(pid, signal);
}

static void remove_folder(const char *name) {
  nftw(in_folder(name), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static FILE *messages;

static pid_t start(const job *j) {
  char line[3 * PATH_MAX];
  snprintf(line, sizeof line, j->line, test_folder); /* NOLINT: those above */
  messages = tmpfile();
  int null = open("/dev/null", O_WRONLY);
  assert_true(messages && null >= 0);
  pid_t pid = program_start(line, null, fileno(messages));
  close(null);
  return pid;
}

static int finish(const job *j, pid_t pid) {
  int end;
  assert_int_equal(waitpid(pid, &end, 0), pid);
  const int status = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
  program_take(messages, program_err, sizeof program_err);
  if (status == 128 + SIGALRM) fail_msg("%s hangs: %s", j->name, program_err);
  return status;
}

static bool ended(pid_t pid) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* A comparison says by its status, too, that one side was slower, and is over when one of the two
 * sweeps, its children, is. */
static bool compares(const job *j, const strike *s, int status) {
  const bool slower = !strstr(program_err, "dcsbench: "),
             ended = s && s->worker && strstr(program_err, "before it had measured all");
  return j->anew && (slower || ended) && status == 1;
}

/* Whether the status is right after the signal: a program that got it may have done its work
 * before, or have just begun, when the signal ends it by itself. */
static bool is_right(const job *j, const strike *s, int status) {
  if (status == 0 || compares(j, s, status)) return true;
  if (!s->program || s->signal == SIGSTOP) return false;
  if (status == 128 + s->signal) return true;
  return status == 1 && strstr(program_err, "interrupted");
}

static char cache[PATH_MAX];

static void empty_folder(bool cold) {
  setenv("DCSBENCH_CACHE", cold ? in_folder("run") : cache, 1);
  remove_folder("run");
  assert_int_equal(mkdir(in_folder("run"), 0777), 0);
  free(samples_before);
  free(journal_before);
  samples_before = journal_before = NULL;
}

static void remove_refused(const job *j) {
  if (j->anew) remove_folder("run/kept");
  if (j->once && exists(in_folder("run/env.csv"))) empty_folder(j->cold);
}

static void run_struck(const job *j) {
  const strike s = plan_strike(j);
  remove_refused(j);
  pid_t pid = start(j);
  wait_ms(s.after_ms);
  if (!ended(pid)) {
    hit(pid, &s, s.signal);
    kills++;
    if (s.signal == SIGSTOP) {
      wait_ms(20 * dcs_random_unit(&chance));
      hit(pid, &s, SIGCONT);
    }
  }
  const int status = finish(j, pid);
  if (!is_right(j, &s, status))
    fail_msg("%s, signal %d after %.3f ms to%s%s: status %d: %s", j->name, s.signal, s.after_ms,
             s.program ? " program" : "", s.worker ? " worker" : "", status, program_err);
}

/* Processes of a killed program end by themselves: they are this one's children now. */
static void expect_no_process(const job *j) {
  for (int tries = 0; tries < 10000; tries++) {
    const pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid < 0) return;
    if (pid == 0) wait_ms(1);
  }
  fail_msg("%s: a process goes on", j->name);
}

static int n_left;
static int count_part(const char *path, const struct stat *facts, int kind, struct FTW *walk) {
  (void)facts, (void)kind, (void)walk;
  n_left += strstr(path, ".part") != NULL;
  return 0;
}

static void run_unharmed(job *j) {
  remove_refused(j);
  const int status = finish(j, start(j));
  if (status != 0 && !compares(j, NULL, status))
    fail_msg("%s: status %d: %s", j->name, status, program_err);
  j->so_far();
  j->whole();
  n_left = 0;
  nftw(in_folder("run"), count_part, 16, FTW_PHYS);
  assert_int_equal(n_left, 0);
}

static void try_job(job *j) {
  empty_folder(j->cold);
  j->begin();
  for (int64_t times = 1 + dcs_random_below(&chance, 4); times > 0; times--) {
    run_struck(j);
    expect_no_process(j);
    j->so_far();
  }
  run_unharmed(j);
}

/* ---- the trials ---- */

static void move_file(const char *from, const char *to) {
  assert_int_equal(rename(in_folder(from), in_folder(to)), 0);
}

/* A run with its limits and no rows: of a sweep, all of its rows are taken away. */
static void make_begun(void) {
  char path[64];
  static const char *const names[] = {"samples.csv", "summary.csv"};
  assert_int_equal(mkdir(in_folder("begun"), 0777), 0);
  for (int f = 0; f < 2; f++) {
    char *text = run_file("run", names[f], NULL);
    *(strchr(text, '\n') + 1) = '\0';
    snprintf(path, sizeof path, "begun/%s", names[f]);
    put_file(in_folder(path), text);
    free(text);
  }
  copy_file("run/env.csv", "begun/env.csv");
}

/* One size whose time is a thousandth of what smaller and larger ones say. */
static void make_strayed(void) {
  static const char *const files[][2] = {{"samples.csv", "time_ns"}, {"summary.csv", "median_ns"}};
  assert_int_equal(mkdir(in_folder("strayed"), 0777), 0);
  for (int f = 0; f < 2; f++) {
    char command[4096];
    snprintf(command, sizeof command,
             "awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }\n"
             "NR > 1 && $at[\"variant\"] == \"cpu_gather\" && $at[\"nx\"] == 4 && "
             "$at[\"atoms\"] > 20 && $at[\"atoms\"] < 24 { $at[\"%s\"] /= 1000 } 1' "
             "%s/measured/%s > %s/strayed/%s",
             files[f][1], test_folder, files[f][0], test_folder, files[f][0]);
    if (system(command) != 0) fail_msg("failed: %s", command);
  }
}

/* A program whose `sweep` knows the CPU's limits, which take longer to measure than all else. */
static void make_sweep(void) {
  char script[3 * PATH_MAX];
  snprintf(script, sizeof script,
           "#!/bin/sh\nfor word; do case $word in --out=*) out=${word#*=};; esac; done\n"
           "mkdir -p \"$out\" && cp %s/begun/*.csv \"$out\" && exec %s \"$@\" --resume\n",
           test_folder, program_path());
  put_file(in_folder("sweep"), script);
  assert_int_equal(chmod(in_folder("sweep"), 0755), 0);
}

static void make_runs(void) {
  empty_folder(false);
  assert_status(program_run(SWEEP, test_folder), 0); /* NOLINT */
  make_begun();
  make_sweep();
  empty_folder(false);
  assert_int_equal(rmdir(in_folder("run")), 0);
  put_real_run("");
  move_file("run", "planted");
  assert_status(program_run("sweep --variants cpu_gather,cpu_simd,cpu_scatter --config threads=1 "
                            "--atoms 5:60:log16 --grid 4^3,6^3 --rounds 1 --out %s",
                            in_folder("measured")),
                0);
  assert_status(program_run("dispatch %s", in_folder("measured")), 0);
  make_strayed();
  write_trajectory();
  write_times();
  assert_int_equal(mkdir(in_folder("run"), 0777), 0);
  assert_status(program_run(MAP, test_folder), 0); /* NOLINT */
  copy_file("run/map.dx", "map.dx");
  assert_status(program_run(STEPS, test_folder), 0); /* NOLINT */
  copy_file("run/steps.dx", "steps.dx");
  assert_status(program_run(MEAN, test_folder), 0); /* NOLINT */
  for (int f = 0; f < 3; f++)
    copy_file(in_run(means[f]), means[f]);
}

/* The second of two: what is compiled is there. */
static void time_job(job *j) {
  for (int r = 0; r < 2; r++) {
    empty_folder(j->cold);
    j->begin();
    double start_ns = dcs_now_ns();
    run_unharmed(j);
    j->ms = 1e-6 * (dcs_now_ns() - start_ns);
  }
}

static void nothing_is_lost_by_kills(void **state) {
  (void)state;
  const char *wanted = getenv("DCS_KILLS");
  const int most = wanted ? atoi(wanted) : 20;
  int cards = 0, tried[N_JOBS] = {0};
  make_runs();
  for (int j = 0; j < N_JOBS; j++) {
    if (jobs[j].anew && most < MANY) jobs[j].share = 0;
    if (jobs[j].share > 0) time_job(&jobs[j]);
    cards += jobs[j].share;
  }
  while (kills < most) {
    int card = (int)dcs_random_below(&chance, cards), j = 0;
    while ((card -= jobs[j].share) >= 0)
      j++;
    const int before = kills;
    try_job(&jobs[j]);
    tried[j] += kills - before;
    if (kills / 50 > before / 50) print_message("kills: %d of %d\n", kills, most), fflush(stdout);
  }
  for (int j = 0; j < N_JOBS; j++)
    print_message("kills: %s (%.0f ms): %d\n", jobs[j].name, jobs[j].ms, tried[j]);
}

static int setup(void **state) {
  const char *text = getenv("DCS_KILLS_SEED");
  seed = text ? atoi(text) : 1;
  chance = (dcs_random){(uint64_t)seed};
  if (program_setup(state) != 0) return -1;
  program_seconds = 600; /* on a machine that others use, too, all takes long */
  snprintf(cache, sizeof cache, "%s", getenv("DCSBENCH_CACHE"));
  setenv("DCSBENCH_DATA", in_folder("run"), 1);
  signal(SIGHUP, SIG_DFL); /* as of a program that nohup did not start */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_by_kills)};
  return cmocka_run_group_tests_name("kills", tests, setup, program_teardown);
}
