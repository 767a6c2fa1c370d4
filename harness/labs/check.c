#include "harness/labs/check.h"

#include "harness/base/machine.h"
#include "harness/device/devices.h"
#include "harness/files/folder.h"
#include "harness/labs/answers.h"
#include "harness/labs/apart.h"
#include "harness/labs/compiler_words.h"
#include "harness/worker/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The longest that compiling a kernel or one map may take: some seconds, and milliseconds. Where
 * the programs of a class share the CPUs, each gets its part of them. */
static double longest_s(void) {
  double load;
  const double alone = 5, busy = getloadavg(&load, 1) == 1 ? load / dcs_cpus() : 1;
  return alone * fmax(1, busy);
}

typedef struct {
  const char *kernels;
  dcs_bench bench;
  dcs_lab_finding *finding; /* being made */
} checker;

static const char is_endless[] =
    "the kernel does not come to an end: look for a loop whose condition stays true";

static const char crashes[] =
    "the kernel crashes: look for a division by zero, for arrays that are "
    "too large for a thread, or for an index beyond one";

static void say_fault(dcs_lab_finding *finding, dcs_fault fault, const char *said) {
  finding->fault = fault;
  snprintf(finding->said, sizeof finding->said, "%s", said);
}

/* ---- right ---- */

static void say_trial(const checker *k, const dcs_case *c, const dcs_reference *reference,
                      dcs_outcome outcome) {
  dcs_lab_finding *finding = k->finding;
  const dcs_method *method = &finding->demand->method;
  char text[DCS_SENTENCE];
  switch (outcome) {
  case DCS_OUTCOME_OK:
    return;
  case DCS_OUTCOME_COMPILE:
    say_fault(finding, DCS_FAULT_COMPILE,
              dcs_compiler_words(dcs_error_message(), dcs_lab_file(method->variant), text));
    return;
  case DCS_OUTCOME_WRONG: {
    const dcs_fault fault = dcs_diagnose_map(c, method, reference, k->bench.arena.map, text);
    say_fault(finding, fault, text);
    return;
  }
  case DCS_OUTCOME_TIMEOUT:
    say_fault(finding, DCS_FAULT_ENDLESS, is_endless);
    return;
  case DCS_OUTCOME_CRASH:
    say_fault(finding, DCS_FAULT_CRASH, crashes);
    return;
  default:
    if (strstr(dcs_error_message(), "outside its buffer")) {
      say_fault(finding, DCS_FAULT_VALUES, /* where, another check may know */
                "the kernel writes just outside of the map: an index is wrong, for this block "
                "perhaps, or a test of the edge is missing");
      return;
    }
    snprintf(text, sizeof text, "the kernel ends with an error: %.500s", dcs_error_message());
    say_fault(finding, DCS_FAULT_CRASH, text);
  }
}

static dcs_status check_right(checker *k, dcs_case *c) {
  enum { EVERY_POINT = 100000000 };
  dcs_reference reference;
  DCS_TRY(dcs_bench_put(&k->bench, c, NULL, 0));
  DCS_TRY(dcs_oracle(c, EVERY_POINT, &reference));
  const dcs_trial trial = dcs_bench_try(&k->bench, &k->finding->demand->method, 0, &reference);
  dcs_status status = DCS_OK;
  if (dcs_not_here(trial.outcome) || trial.outcome == DCS_OUTCOME_MEMORY || trial.killed)
    status = dcs_fail(DCS_UNAVAILABLE, "%s", trial.why);
  else
    say_trial(k, c, &reference, trial.outcome);
  if (trial.outcome == DCS_OUTCOME_OK || trial.outcome == DCS_OUTCOME_WRONG)
    k->finding->measured = trial.verdict.bound_ratio;
  dcs_reference_free(&reference);
  return status;
}

/* ---- races, and what a card would have to move ---- */

static dcs_status check_races(checker *k, dcs_case *c) {
  dcs_located_race *races;
  char text[DCS_SENTENCE];
  int n;
  DCS_TRY(dcs_find_races(&k->finding->demand->method, c, k->kernels, &races, &n));
  k->finding->measured = n;
  if (n > 0) {
    const dcs_fault fault = dcs_diagnose_races(races, n, text);
    say_fault(k->finding, fault, text);
  }
  free(races);
  return DCS_OK;
}

static dcs_status check_barriers(checker *k, dcs_case *c) {
  char text[DCS_SENTENCE];
  DCS_TRY(dcs_check_barriers(&k->finding->demand->method, c, k->kernels, text));
  if (*text) say_fault(k->finding, DCS_FAULT_BARRIER, text);
  return DCS_OK;
}

static void say_count(checker *k, dcs_counted what) {
  const double found = k->finding->measured, limit = k->finding->demand->limit;
  char text[DCS_SENTENCE];
  if (what == DCS_COUNT_OPERATIONS)
    snprintf(text, sizeof text,
             "an evaluation takes %.3g operations where %.3g do: what all points of a thread share "
             "is computed again, or the formula takes a longer way",
             found, limit);
  else
    snprintf(text, sizeof text,
             "an evaluation calls rsqrtf or sqrtf %.3g times where %.3g are asked for: such a root "
             "is not computed in software, the special function units compute it",
             found, limit);
  say_fault(k->finding, DCS_FAULT_COST, text);
}

/* What cannot be counted is left alone. */
static dcs_status check_count(checker *k, dcs_case *c, dcs_counted what) {
  const dcs_demand *demand = k->finding->demand;
  const dcs_status status =
      dcs_count_work(what, &demand->method, c, k->kernels, &k->finding->measured);
  k->finding->done = status == DCS_OK;
  if (status == DCS_FAILED) return DCS_OK;
  if (k->finding->measured > demand->limit) say_count(k, what);
  return status;
}

static dcs_status check_operations(checker *k, dcs_case *c) {
  return check_count(k, c, DCS_COUNT_OPERATIONS);
}

static dcs_status check_roots(checker *k, dcs_case *c) {
  return check_count(k, c, DCS_COUNT_ROOTS);
}

static dcs_status check_measure(checker *k, dcs_case *c) {
  const dcs_demand *demand = k->finding->demand;
  const dcs_trace_options all = {.kernels = k->kernels, .all_blocks = true};
  dcs_kernel_trace trace;
  char text[DCS_SENTENCE];
  dcs_status status = dcs_trace_method(&demand->method, c, &all, &trace);
  if (status == DCS_OK) {
    const dcs_measured_kernel kernel = {&trace, &demand->method, c};
    if (!dcs_measure_kernel(&kernel, demand->check, demand->limit, &k->finding->measured, text))
      status = dcs_fail(
          DCS_INPUT,
          "lab.csv: found check \"%s\"; expected right, races, barriers, operations, roots or "
          "a measure of the trace",
          demand->check);
    else if (*text)
      say_fault(k->finding, DCS_FAULT_COST, text);
  } else if (status == DCS_FAILED) { /* it touches no memory: races tells where */
    k->finding->done = false;
    status = DCS_OK;
  }
  dcs_trace_free(&trace);
  return status;
}

/* ---- all demands ---- */

static const struct {
  const char *name;
  dcs_status (*run)(checker *, dcs_case *);
} checks[] = {{"right", check_right},
              {"races", check_races},
              {"barriers", check_barriers},
              {"operations", check_operations},
              {"roots", check_roots}};

/* A check in this program's own process would end with a kernel that crashes, and last as long as
 * one that is endless on this grid alone. */
typedef struct {
  checker *k;
  dcs_case *c;
  dcs_status (*run)(checker *, dcs_case *);
  dcs_lab_finding finding;
} watched_check;

static dcs_status run_watched(void *context) {
  watched_check *w = context;
  w->k->finding = &w->finding;
  return w->run(w->k, w->c);
}

static dcs_status check_watched(checker *k, dcs_case *c, dcs_status (*run)(checker *, dcs_case *)) {
  static const double SLOWER = 2; /* with all accesses watched */
  watched_check w = {k, c, run, *k->finding};
  dcs_apart_end end;
  DCS_TRY(dcs_run_apart(run_watched, &w, sizeof w, SLOWER * longest_s(), &end));
  *k->finding = w.finding;
  if (end == DCS_APART_CRASHED) say_fault(k->finding, DCS_FAULT_CRASH, crashes);
  if (end == DCS_APART_LATE) say_fault(k->finding, DCS_FAULT_ENDLESS, is_endless);
  return DCS_OK;
}

static dcs_status find_file(checker *k, bool *found) {
  const char *file = dcs_lab_file(k->finding->demand->method.variant);
  char path[4096], text[DCS_SENTENCE];
  struct stat info;
  DCS_TRY(dcs_path_in(k->kernels, file, path));
  *found = stat(path, &info) == 0 && S_ISREG(info.st_mode); /* a pipe would be waited for */
  if (dcs_exists(path))
    snprintf(text, sizeof text, "%s in %.500s is no file that can be read", file, k->kernels);
  else
    snprintf(text, sizeof text, "%s is not in %.500s", file, k->kernels);
  if (!*found) say_fault(k->finding, DCS_FAULT_MISSING, text);
  return DCS_OK;
}

static dcs_status check_demand(checker *k) {
  const dcs_demand *demand = k->finding->demand;
  bool found;
  DCS_TRY(find_file(k, &found));
  if (!found) return DCS_OK;
  const dcs_kind *kind = dcs_kind_of(demand->method.variant);
  const dcs_config problem = dcs_initial_problem(kind);
  const dcs_grid grid = {.n = demand->grid, .spacing = DCS_RANDOM_SPACING};
  dcs_case c;
  DCS_TRY(dcs_case_random(kind, &problem, demand->atoms, &grid, 1, &c));
  dcs_status (*run)(checker *, dcs_case *) = check_measure;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
    if (strcmp(checks[i].name, demand->check) == 0) run = checks[i].run;
  dcs_status status = run == check_right ? run(k, &c) : check_watched(k, &c, run);
  dcs_case_free(&c);
  return status;
}

static bool is_speed(const dcs_demand *demand) {
  return strcmp(demand->check, "speed") == 0;
}

/* Whether nothing more can be learned of a kernel: it is not there, does not compile, or hangs
 * where it is watched, too. */
static bool is_over(const dcs_lab_findings *findings, const dcs_variant *variant) {
  for (int f = 0; f < findings->n; f++) {
    const dcs_lab_finding *finding = &findings->list[f];
    if (finding->demand && finding->demand->method.variant == variant &&
        (finding->fault == DCS_FAULT_MISSING || finding->fault == DCS_FAULT_COMPILE ||
         finding->fault == DCS_FAULT_ENDLESS))
      return true;
  }
  return false;
}

/* Whether the same check said what is wrong already: others would repeat it. */
static bool is_repeated(const dcs_lab_findings *findings, const dcs_demand *demand) {
  for (int f = 0; f < findings->n; f++) {
    const dcs_lab_finding *finding = &findings->list[f];
    if (finding->demand && finding->demand != demand && finding->fault != DCS_FAULT_NONE &&
        finding->fault < DCS_FAULT_VALUES &&
        finding->demand->method.variant == demand->method.variant &&
        strcmp(finding->demand->check, demand->check) == 0)
      return true;
  }
  return false;
}

void dcs_lab_findings_sum_up(dcs_lab_findings *findings) {
  findings->n_asked = findings->n_passed = 0;
  findings->first_fault = NULL;
  for (int f = 0; f < findings->n; f++) {
    const dcs_lab_finding *finding = &findings->list[f], *first = findings->first_fault;
    findings->n_asked += finding->done || !is_speed(finding->demand);
    findings->n_passed += finding->done && finding->fault == DCS_FAULT_NONE;
    if (finding->fault == DCS_FAULT_NONE) continue;
    if (!first || finding->fault < first->fault) findings->first_fault = finding;
  }
}

static dcs_status check_all(const dcs_lab *lab, checker *k, dcs_lab_findings *findings) {
  for (int d = 0; d < lab->n; d++) {
    const dcs_demand *demand = &lab->demands[d];
    k->finding = &findings->list[d];
    *k->finding = (dcs_lab_finding){.demand = demand, .measured = NAN};
    if (is_speed(demand) || is_over(findings, demand->method.variant) ||
        is_repeated(findings, demand))
      continue;
    k->finding->done = true;
    DCS_TRY(check_demand(k));
  }
  return DCS_OK;
}

static dcs_status check_kernels(const dcs_lab *lab, const char *kernels,
                                dcs_lab_findings *findings) {
  checker k = {.kernels = kernels};
  const char *device = dcs_watched_device();
  if (!device) return dcs_fail(DCS_UNAVAILABLE, "this program has no device that can be watched");
  DCS_TRY(dcs_bench_open(device, kernels, longest_s(), &k.bench));
  dcs_status status = check_all(lab, &k, findings);
  dcs_bench_close(&k.bench);
  return status;
}

/* What a student types instead of the folder is the file in it. */
static dcs_status need_folder(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0)
    return dcs_fail(DCS_USAGE, "--kernels %s: there is no such folder; expected the one of --start",
                    path);
  if (!S_ISDIR(info.st_mode))
    return dcs_fail(DCS_USAGE, "--kernels %s: found a file; expected the folder that it is in",
                    path);
  return DCS_OK;
}

dcs_status dcs_lab_check(const dcs_lab *lab, const char *folder, dcs_lab_findings *findings) {
  *findings =
      (dcs_lab_findings){.list = calloc((size_t)lab->n + 1, sizeof *findings->list), .n = lab->n};
  if (!findings->list) return dcs_fail(DCS_UNAVAILABLE, "no memory for a lab");
  DCS_TRY(need_folder(folder));
  DCS_TRY(lab->asks ? dcs_check_answers(lab, folder, findings)
                    : check_kernels(lab, folder, findings));
  dcs_lab_findings_sum_up(findings);
  return DCS_OK;
}

void dcs_lab_findings_free(dcs_lab_findings *findings) {
  free(findings->list);
  *findings = (dcs_lab_findings){0};
}
