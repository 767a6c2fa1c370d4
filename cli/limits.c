/* dcsbench limits */
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"
#include "harness/base/progress.h"
#include "harness/compare/spread.h"
#include "harness/files/csv.h"
#include "harness/files/folder.h"
#include "tuning/database/tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

typedef struct {
  dcs_device_options device;
  bool csv;
  int64_t sessions; /* 0: the limits */
} arguments;

static const dcs_option options[] = {
    {"csv", 'c', NULL, "print CSV: limit,value,unit,median,runs,how", DCS_FLAG(arguments, csv)},
    {"sessions", 0, "N",
     "in place of the limits, how far times move from one session to the next: N short sessions, "
     "10 "
     "s apart; kept for `dcsbench compare`",
     DCS_INTEGER(arguments, sessions, 4, 1000)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->csv && a->sessions > 0)
    return dcs_fail(DCS_USAGE, "found --csv and --sessions; expected one: what sessions find is "
                               "kept in spread.csv");
  return DCS_OK;
}

static void print_table(const char *title, const dcs_limits *limits) {
  printf("%s\n  %-34s %10s %-14s %8s  %s\n", title, "limit", "best", "unit", "median",
         "measured by");
  for (int l = 0; l < limits->n; l++) {
    const dcs_limit *limit = &limits->list[l];
    printf("  %-34s %10.4g %-14s %+7.1f%%  best of %d: %s\n", limit->name, limit->value,
           limit->unit, 100 * (limit->median / limit->value - 1), limit->runs, limit->how);
  }
}

static dcs_status print_csv(const dcs_limits *limits) {
  dcs_csv csv = dcs_csv_stdout();
  for (int l = 0; l < limits->n; l++) {
    const dcs_limit *limit = &limits->list[l];
    dcs_csv_text(&csv, limit->name);
    dcs_csv_number(&csv, limit->value);
    dcs_csv_text(&csv, limit->unit);
    DCS_CSV_NUMBERS(&csv, limit->median, limit->runs);
    dcs_csv_text(&csv, limit->how);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static dcs_status print_csv_header(void) {
  static const char *const columns[] = DCS_NAMES("limit", "value", "unit", "median", "runs", "how");
  dcs_csv csv = dcs_csv_stdout();
  return dcs_csv_header(&csv, columns);
}

/* Opening the device is the whole program's affair, so the fresh workers are started from here. */
static dcs_status add_start(dcs_session *session, dcs_limits *limits) {
  enum { RUNS = 3 };
  double ns[RUNS];
  for (int r = 0; r < RUNS; r++)
    if (dcs_session_start_ns(session, &ns[r]) != DCS_OUTCOME_OK) return DCS_FAILED;
  dcs_limits_add_time(limits, "gpu_context_start_ns",
                      "a fresh process from its start until the device is open", 1, ns, RUNS);
  return DCS_OK;
}

static dcs_status measure(dcs_bench *bench, dcs_backend backend, bool csv, dcs_progress *progress) {
  dcs_session *session;
  dcs_limits limits;
  DCS_TRY(dcs_bench_session(bench, backend, &session));
  if (dcs_session_limits(session, true, &limits) != DCS_OUTCOME_OK) return DCS_FAILED;
  if (backend == DCS_GPU) DCS_TRY(add_start(session, &limits));
  dcs_progress_clear(progress);
  if (csv) return print_csv(&limits);
  int n;
  const dcs_device_info *card = dcs_session_devices(session, &n);
  print_table(backend == DCS_CPU ? "CPU" : card->name, &limits);
  return DCS_OK;
}

/* ---- the spread between sessions ---- */

enum { PAUSE_S = 10, SESSION_S = 12 /* about */ };

/* Every CPU variant, and the GPU's where there is one, at two sizes. */
static dcs_status run_session(const arguments *a, bool gpu, const char *folder) {
  char out[4096 + 32], device[DCS_TEXT], budget[32], kernels[4096 + 16], timeout[48];
  char *argv[16] = {"dcsbench", "sweep", "--atoms=300,3000", "--grid=24^3", "--rounds=15", budget};
  int n = 6, status;
  pid_t pid;
  snprintf(budget, sizeof budget, "--budget=%d", SESSION_S);
  snprintf(out, sizeof out, "--out=%s", folder);
  snprintf(device, sizeof device, "--device=%s", a->device.device ? a->device.device : "");
  snprintf(kernels, sizeof kernels, "--kernels=%s", a->device.kernels ? a->device.kernels : "");
  snprintf(timeout, sizeof timeout, "--timeout=%.17g", a->device.timeout_s);
  argv[n++] = timeout;
  argv[n++] = gpu ? "--variants=all" : "--variants=cpu";
  argv[n++] = "--config=threads=1|max";
  argv[n++] = out;
  if (a->device.device) argv[n++] = device;
  if (a->device.kernels) argv[n++] = kernels;
  const dcs_program sweep = {.program = "/proc/self/exe",
                             .argv = argv,
                             .first = STDIN_FILENO,
                             .ends = {-1, -1, STDERR_FILENO}};
  int error = dcs_process_start(&sweep, &pid);
  if (error == 0) error = dcs_process_wait(pid, &status);
  if (error) return dcs_fail(DCS_UNAVAILABLE, "cannot run a session: %s", strerror(error));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, dcs_interrupted() ? "interrupted" : "a session failed");
}

/* Runs the sessions; opens what they measured. */
static dcs_status run_sessions(const arguments *a, bool gpu, const char *folder, dcs_run *runs) {
  dcs_progress progress = dcs_progress_start();
  for (int s = 0; s < a->sessions; s++) {
    char out[4096 + 16], what[64];
    snprintf(out, sizeof out, "%s/%d", folder, s);
    snprintf(what, sizeof what, "session %d of %d", s + 1, (int)a->sessions);
    dcs_progress_draw(&progress, (double)s / (double)a->sessions, what);
    if (s > 0) nanosleep(&(const struct timespec){.tv_sec = PAUSE_S}, NULL);
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    DCS_TRY(run_session(a, gpu, out));
    DCS_TRY(dcs_run_open(&runs[s], out));
  }
  dcs_progress_clear(&progress);
  return DCS_OK;
}

static dcs_status keep_spreads(const arguments *a, const dcs_run *runs) {
  char path[4096];
  DCS_TRY(dcs_tuned_path("spread.csv", path));
  for (dcs_backend backend = DCS_CPU; backend <= DCS_GPU; backend++) {
    dcs_spread spread;
    if (!dcs_spread_of_runs(runs, (int)a->sessions, backend, &spread)) continue;
    if (spread.disturbed)
      fprintf(stderr,
              "%s: too few sessions stayed undisturbed, and others count: measure again on "
              "a quieter machine\n",
              backend == DCS_CPU ? "CPU" : "GPU");
    DCS_TRY(dcs_spread_put(path, &runs[0], backend, &spread));
    printf("%s: a method's median moves by %.2g%% from session to session (standard deviation, %d "
           "sessions); two differ by less than %.2g%% in 95%% of cases\n",
           backend == DCS_CPU ? "CPU" : "GPU", 100 * spread.deviation, spread.degrees + 1,
           100 * dcs_spread_half(&spread, 1, 1));
  }
  fprintf(stderr, "kept in %s\n", path);
  return DCS_OK;
}

static dcs_status measure_sessions(const arguments *a, bool gpu) {
  char folder[4096];
  dcs_run *runs = calloc((size_t)a->sessions, sizeof *runs);
  if (!runs) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d runs", (int)a->sessions);
  fprintf(stderr, "%d sessions, %d s apart: about %.0f minutes\n", (int)a->sessions, PAUSE_S,
          ceil((double)a->sessions * (PAUSE_S + SESSION_S) / 60));
  dcs_status status = dcs_make_temporary(folder);
  if (status == DCS_OK) status = run_sessions(a, gpu, folder, runs);
  if (status == DCS_OK) status = keep_spreads(a, runs);
  for (int s = 0; s < a->sessions; s++)
    dcs_run_close(&runs[s]);
  free(runs);
  if (*folder) dcs_remove_folder(folder);
  return status;
}

/* ---- the command ---- */

static dcs_status measure_all(dcs_bench *bench, const arguments *a) {
  dcs_session *session;
  dcs_status gpu = dcs_bench_session(bench, DCS_GPU, &session);
  if (a->device.device || bench->killed[DCS_GPU]) DCS_TRY(gpu); /* it must be there, or may be */
  if (gpu != DCS_OK) fprintf(stderr, "no limits of a GPU: %s\n", dcs_error_message());
  if (a->sessions > 0) return measure_sessions(a, gpu == DCS_OK);
  if (a->csv) DCS_TRY(print_csv_header());
  dcs_progress progress = dcs_progress_start();
  for (dcs_backend backend = DCS_CPU; backend <= (gpu == DCS_OK ? DCS_GPU : DCS_CPU); backend++) {
    dcs_progress_draw(&progress, 0.5 * backend, backend == DCS_CPU ? "the CPU" : "the GPU");
    const dcs_status status = measure(bench, backend, a->csv, &progress);
    dcs_progress_clear(&progress);
    DCS_TRY(status);
  }
  return DCS_OK;
}

dcs_status dcs_command_limits(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Measure what this machine can do at most: the CPU's and the GPU's arithmetic and "
             "memory, copies between them, launches. Rates are held against these limits. With "
             "--sessions, how far times move from one session to the next.\v"
             "A limit is the best of several runs; the table tells how far their median is from "
             "it. cpu_1: one thread, cpu_all: a thread for each CPU.",
      .check = check};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.device = &a.device}));

  DCS_TRY(dcs_need_one_device(a.device.device, "`dcsbench limits`"));
  DCS_TRY(dcs_need_times(a.device.device));
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(a.device.device, a.device.kernels, a.device.timeout_s, &bench));
  dcs_status status = measure_all(&bench, &a);
  dcs_bench_close(&bench);
  return status;
}
