/* Whether methods are right: before their first sample, and after the last. */
#include "harness/rounds/timed.h"

#include "harness/base/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Evaluations that the oracle may spend on a size. */
enum { ORACLE_EVALS = 100000000 };

dcs_status dcs_refer(dcs_case *c, const dcs_config *problems, int n, bool needed,
                     dcs_references *refs, dcs_progress *progress) {
  *refs = (dcs_references){calloc((size_t)n, sizeof *refs->of),
                           calloc((size_t)n, sizeof *refs->model_error), n};
  if (!refs->of || !refs->model_error)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the references of %d problems", n);
  for (int p = 0; p < n; p++) {
    refs->model_error[p] = NAN;
    if (!needed) continue;
    dcs_progress_draw(progress, 0, "reference values");
    dcs_case_pose(c, &problems[p]);
    DCS_TRY(dcs_oracle(c, ORACLE_EVALS, &refs->of[p]));
    DCS_TRY(dcs_model_error(c, ORACLE_EVALS, &refs->of[p], &refs->model_error[p]));
  }
  return DCS_OK;
}

void dcs_references_free(dcs_references *refs) {
  for (int p = 0; refs->of && p < refs->n; p++)
    dcs_reference_free(&refs->of[p]);
  free(refs->of);
  free(refs->model_error);
}

void dcs_say_failure(dcs_progress *progress, const dcs_record *record, dcs_outcome outcome) {
  char config[DCS_TEXT];
  char size[DCS_TEXT];
  const char *memory = dcs_record_memory(record);
  dcs_progress_say(progress, "%s %s on %s%s%s: %s: %s", record->method.variant->id,
                   dcs_format_config(record->method.variant, &record->method.config, config),
                   dcs_size_text(&record->size, size), *memory ? ", memory " : "", memory,
                   dcs_outcome_name(outcome), dcs_error_message());
}

dcs_status dcs_take_outcome(dcs_record *record, const dcs_trial *trial) {
  record->judged = true;
  record->outcome = trial->outcome;
  record->facts = trial->facts;
  record->verdict = trial->verdict;
  if (trial->outcome == DCS_OUTCOME_OK) return DCS_OK;
  if (trial->killed) record->stop_reason = "killed";
  free(record->why);
  record->why = strdup(trial->why);
  if (!record->why) return dcs_fail(DCS_UNAVAILABLE, "no memory for the reason of a failure");
  for (char *c = record->why; *c; c++) /* a row is a line: a torn one is known by its missing end */
    if (*c == '\n' || *c == '\r') *c = ' ';
  return DCS_OK;
}

/* What is known of a method on a problem of this size; records of one method and problem lie
 * together. */
typedef struct {
  const dcs_record *of;               /* a record of them; NULL: none yet */
  dcs_trial kernel;                   /* as in scope kernel */
  dcs_trial whole[2][DCS_N_MEMORIES]; /* as in scope warm, and in scope frame */
  bool tried[2][DCS_N_MEMORIES];
} method_trials;

static bool is_same(const dcs_record *a, const dcs_record *b) {
  return a && a->problem == b->problem && dcs_same_method(&a->method, &b->method);
}

/* The trial of what the record times: its launches, or copies and launches in its memory. */
static const dcs_trial *verify(dcs_bench *bench, const dcs_references *refs,
                               const dcs_record *record, method_trials *trials,
                               dcs_progress *progress) {
  const dcs_reference *reference = &refs->of[record->problem];
  dcs_trial *trial = &trials->kernel;
  bool is_new = !is_same(trials->of, record);
  if (is_new) {
    *trials = (method_trials){.of = record};
    *trial = dcs_bench_try(bench, &record->method, record->problem, reference);
    if (dcs_not_here(trial->outcome) && !trial->session) return trial; /* was said of the variant */
  }
  if (trial->outcome == DCS_OUTCOME_OK && dcs_scope_copies(record->method.variant, record->scope)) {
    const bool frame = record->scope == DCS_FRAME;
    trial = &trials->whole[frame][record->memory];
    is_new = !trials->tried[frame][record->memory];
    if (is_new) {
      *trial = trials->kernel;
      dcs_bench_try_again(bench, reference, dcs_untimed_as(record->scope), record->memory, trial);
      trials->tried[frame][record->memory] = true;
    }
  }
  if (is_new && trial->lost[0]) dcs_progress_say(progress, "%s", trial->lost);
  if (is_new && trial->outcome != DCS_OUTCOME_OK && !dcs_interrupted())
    dcs_say_failure(progress, record, trial->outcome);
  return trial;
}

/* What failed in an earlier part of the run has failed: samples of it may be of wrong outputs. */
static bool has_failed(const dcs_record *record) {
  return record->finished && record->outcome != DCS_OUTCOME_OK;
}

dcs_status dcs_verify_methods(dcs_bench *bench, const dcs_references *refs, dcs_timed *times, int n,
                              dcs_progress *progress) {
  method_trials trials = {0};
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    if (has_failed(times[i].record)) continue;
    dcs_progress_draw(progress, 0, "verifying");
    const dcs_trial *trial = verify(bench, refs, times[i].record, &trials, progress);
    if (dcs_interrupted()) break;
    times[i].trial = *trial;
    DCS_TRY(dcs_take_outcome(times[i].record, trial));
  }
  return DCS_OK;
}

/* What was computed by a method that is wrong has no times. */
static void forget_times(dcs_record *record) {
  record->n_times = record->n_disturbed = 0;
  record->stop_reason = "";
}

dcs_status dcs_verify_again(dcs_bench *bench, const dcs_references *refs, dcs_timed *times, int n,
                            dcs_progress *progress) {
  for (int i = 0; i < n; i++) {
    dcs_record *record = times[i].record;
    dcs_trial *trial = &times[i].trial;
    const bool copies = dcs_scope_copies(record->method.variant, record->scope);
    if (record->outcome != DCS_OUTCOME_OK || record->n_times == 0) continue;
    dcs_progress_draw(progress, 1, "verifying again");
    if (!dcs_interrupted())
      dcs_bench_try_again(bench, &refs->of[record->problem],
                          copies ? dcs_untimed_as(record->scope) : DCS_UNTIMED, record->memory,
                          trial);
    if (dcs_interrupted()) {
      record->stop_reason = "interrupted";
    } else if (trial->outcome != DCS_OUTCOME_OK) {
      dcs_say_failure(progress, record, trial->outcome);
      forget_times(record);
      DCS_TRY(dcs_take_outcome(record, trial));
    }
  }
  return DCS_OK;
}
