#include "harness/rounds/rounds.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"
#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"
#include "harness/rounds/energy.h"
#include "harness/worker/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dcs_sampling dcs_sampling_of(int rounds) {
  return rounds > 0 ? (dcs_sampling){rounds, rounds, 0} : (dcs_sampling){15, 200, 0.01};
}

/* What timing a record needs beside the record itself. */
typedef struct {
  dcs_record *record;
  dcs_trial trial;
  int64_t inner;
  double spent_s, again_s; /* in all; of it, for samples that were taken again */
  bool done;
} timed;

/* Evaluations that the oracle may spend on a cell. */
enum { ORACLE_EVALS = 100000000 };

static void say_failure(dcs_progress *progress, const dcs_record *record, dcs_outcome outcome) {
  char config[DCS_TEXT];
  char size[DCS_TEXT];
  const char *memory = dcs_record_memory(record);
  dcs_progress_say(progress, "%s %s on %s%s%s: %s: %s", record->method.variant->id,
                   dcs_format_config(record->method.variant, &record->method.config, config),
                   dcs_size_text(&record->size, size), *memory ? ", memory " : "", memory,
                   dcs_outcome_name(outcome), dcs_error_message());
}

/* What a cell's outputs are held against, by problem. */
typedef struct {
  dcs_reference *of;
  double *model_error;
  int n;
} references;

/* What is known of a method on a problem of this cell; records of one method and problem lie
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
static const dcs_trial *verify(dcs_bench *bench, const references *refs, const dcs_record *record,
                               method_trials *trials, dcs_progress *progress) {
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
    say_failure(progress, record, trial->outcome);
  return trial;
}

static dcs_status take_outcome(dcs_record *record, const dcs_trial *trial) {
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

/* What failed in an earlier part of the run has failed: samples of it may be of wrong outputs. */
static bool has_failed(const dcs_record *record) {
  return record->finished && record->outcome != DCS_OUTCOME_OK;
}

/* Verifies every method in each way that it is timed; `times` gets what the timing needs. An
 * interrupted trial tells nothing of its method. */
static dcs_status verify_all(dcs_bench *bench, const references *refs, timed *times, int n,
                             dcs_progress *progress) {
  method_trials trials = {0};
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    if (has_failed(times[i].record)) continue;
    dcs_progress_draw(progress, 0, "verifying");
    const dcs_trial *trial = verify(bench, refs, times[i].record, &trials, progress);
    if (dcs_interrupted()) break;
    times[i].trial = *trial;
    DCS_TRY(take_outcome(times[i].record, trial));
  }
  return DCS_OK;
}

static dcs_status keep(dcs_record *record, const dcs_sample_row *row, dcs_csv *samples) {
  DCS_TRY(dcs_record_add(record, row->time_ns, row->mark));
  return dcs_write_sample(samples, record, row);
}

static void finish(timed *t, const char *reason) {
  t->record->stop_reason = t->record->n_times ? reason : "";
  t->done = true;
}

typedef struct {
  const dcs_cell_options *options;
  dcs_csv *samples;
  int64_t *seq;
  dcs_clocks *clocks;
  dcs_progress *progress;
} rounds_context;

enum { REPEATS = 3 };

/* What disturbed a sample; "": nothing. */
static const char *disturbance(const timed *t, const dcs_clocks *clocks, const dcs_sample *sample) {
  const dcs_method *method = &t->record->method;
  if (dcs_clocks_slow(clocks, sample->telemetry.sm_mhz)) return "slow_clock";
  if (dcs_throttled(&sample->telemetry)) return "throttled";
  return dcs_usage_disturbance(
      &sample->usage, dcs_role_value(method->variant, &method->config, DCS_ROLE_THREADS, 1));
}

/* Takes a sample, again while it is disturbed: three times at most, and no longer than what was
 * kept took, so that a machine that is never quiet costs twice the time at most. *mark: what
 * disturbed the last. */
static dcs_outcome take_steady(timed *t, const dcs_clocks *clocks, dcs_sample *sample,
                               const char **mark) {
  const dcs_record *record = t->record;
  dcs_outcome outcome = DCS_OUTCOME_OK;
  bool again = true;
  for (int taken = 1; again; taken++) {
    const double started = dcs_now_ns();
    outcome = dcs_take_sample(t->trial.session, t->trial.slot, record->scope, record->memory,
                              t->inner, sample);
    if (outcome != DCS_OUTCOME_OK) return outcome;
    *mark = disturbance(t, clocks, sample);
    const double took_s = 1e-9 * (dcs_now_ns() - started), kept_s = t->spent_s - t->again_s;
    again = **mark && taken <= REPEATS && t->again_s + took_s <= kept_s && !dcs_interrupted();
    if (again) t->again_s += took_s;
  }
  return outcome;
}

/* The method failed after it was verified, for the reason in dcs_error_message(). */
static dcs_status fail(timed *t, dcs_outcome outcome) {
  t->trial.outcome = outcome;
  t->trial.killed = dcs_session_was_killed(t->trial.session);
  snprintf(t->trial.why, sizeof t->trial.why, "%s", dcs_error_message());
  return take_outcome(t->record, &t->trial);
}

/* One sample of one record. */
static dcs_status sample_once(timed *t, const rounds_context *c) {
  dcs_sample sample = {0};
  const char *mark = "";
  double started = dcs_now_ns();
  const dcs_record *record = t->record;
  dcs_outcome outcome = t->inner == 0 ? dcs_calibrate(t->trial.session, t->trial.slot,
                                                      record->scope, record->memory, &t->inner)
                                      : DCS_OUTCOME_OK;
  if (outcome == DCS_OUTCOME_OK) outcome = take_steady(t, c->clocks, &sample, &mark);
  t->spent_s += 1e-9 * (dcs_now_ns() - started);
  if (dcs_interrupted()) return DCS_OK;
  if (outcome != DCS_OUTCOME_OK) {
    say_failure(c->progress, t->record, outcome);
    finish(t, "");
    return fail(t, outcome);
  }
  dcs_sample_row row = {.round = (int)t->record->n_times,
                        .seq = (*c->seq)++,
                        .inner = t->inner,
                        .time_ns = sample.ns / (double)t->inner,
                        .telemetry = sample.telemetry,
                        .mark = mark,
                        .process =
                            c->options->turns->process + dcs_session_replaced(t->trial.session)};
  c->options->turns->inner = t->inner;
  if (record->scope != DCS_FIRST && !dcs_session_flushes(t->trial.session))
    t->inner = dcs_lengthened(t->inner, sample.ns);
  DCS_TRY(dcs_clocks_add(c->clocks, sample.telemetry.sm_mhz));
  return keep(t->record, &row, c->samples);
}

/* Whether the interval of the median is narrow enough. */
static bool is_precise(const dcs_record *record, double precision) {
  dcs_stats stats = dcs_record_stats(record);
  return stats.hi - stats.median <= precision * stats.median &&
         stats.median - stats.lo <= precision * stats.median;
}

bool dcs_is_time_to_look(const dcs_sampling *sampling, size_t n) {
  size_t at = (size_t)sampling->least;
  while (at < n)
    at += (at + 1) / 2;
  return at == n;
}

/* Whether the record has enough: its samples, or its fair share of the budget. */
static void check_done(timed *t, const dcs_cell_options *options, int n_timed, double cell_s) {
  const dcs_sampling *sampling = &options->sampling;
  const bool was_done = t->done;
  if (t->record->n_times >= (size_t)sampling->most)
    finish(t, "rounds");
  else if (dcs_is_time_to_look(sampling, t->record->n_times) &&
           is_precise(t->record, sampling->precision))
    finish(t, "interval");
  else if (options->budget_s > 0 && t->record->n_times > 0 &&
           (cell_s > options->budget_s ||
            (t->record->n_times >= DCS_RATIO_SAMPLES && t->spent_s > options->budget_s / n_timed)))
    finish(t, "budget");
  if (t->done && !was_done) {
    options->needs->samples += (double)t->record->n_times;
    options->needs->methods++;
  }
}

/* Samples that a method will have: those it has when it is done, its share of the budget's when
 * that ends it, else as many as those before it needed; past that, until the next look. */
static double expected_samples(const timed *t, const dcs_cell_options *options, int n_timed) {
  const dcs_sampling *sampling = &options->sampling;
  const double n = (double)t->record->n_times, few = 2; /* as if two had needed the middle */
  const dcs_needs *needs = options->needs;
  if (t->done) return n;
  double most = sampling->most;
  if (options->budget_s > 0 && n > 0)
    most = fmin(most, fmax(n, n * options->budget_s / n_timed / fmax(t->spent_s, 1e-9)));
  const double middle = sqrt((double)sampling->least * sampling->most);
  const double usual = (needs->samples + few * middle) / (needs->methods + few);
  return fmin(most, fmax(usual, 1.5 * n));
}

/* The share of the time for the samples; a method without any takes the mean of the others. */
static double share_done(const timed *times, int n, const dcs_cell_options *options) {
  double spent = 0, expected = 0, waiting = 0;
  int begun = 0;
  for (int i = 0; i < n; i++) {
    const double samples = (double)times[i].record->n_times;
    if (samples > 0 && times[i].spent_s > 0) {
      spent += times[i].spent_s;
      expected += times[i].spent_s * expected_samples(&times[i], options, n) / samples;
      begun++;
    } else if (!times[i].done) {
      waiting++;
    }
  }
  return begun > 0 ? spent / (expected * (1 + waiting / begun)) : 0;
}

/* The same in every build that has the method. */
static uint64_t hash_of(const dcs_record *record) {
  char config[DCS_TEXT], text[2 * DCS_TEXT];
  snprintf(text, sizeof text, "%s %s %d %d %d", record->method.variant->id,
           dcs_format_config(record->method.variant, &record->method.config, config), record->scope,
           record->memory, record->problem);
  return dcs_hash(DCS_HASH_START, text, strlen(text));
}

/* Waits for the turn of a place in a round, where `next` is to be timed, or of the end (NULL). */
static dcs_status wait_turn(timed *times, int n, int round, int place, timed *next,
                            const rounds_context *c) {
  dcs_turns *turns = c->options->turns;
  const double done = c->progress->base + c->progress->span * share_done(times, n, c->options);
  const dcs_turns_place at = {round, place, done, next ? hash_of(next->record) : 0};
  dcs_turn turn;
  DCS_TRY(dcs_turns_wait(turns, &at, &turn));
  turns->process += turn.fresh;
  turns->inner = 0;
  for (int i = 0; turn.fresh && i < n; i++)
    if (times[i].trial.session) dcs_session_restart(times[i].trial.session);
  if (next && turn.inner > 0) next->inner = turn.inner;
  return DCS_OK;
}

/* What the sweep has worked so far, in nanoseconds from an arbitrary start. */
static double worked_ns(const rounds_context *c) {
  return dcs_now_ns() - c->options->turns->waited_ns;
}

static dcs_status run_rounds(timed *times, int *order, int n, const rounds_context *c) {
  dcs_random random = {c->options->seed};
  const double started = worked_ns(c);
  int n_timed = 0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
    times[i].done = !times[i].record->judged || times[i].record->outcome != DCS_OUTCOME_OK;
    if (!times[i].done) check_done(&times[i], c->options, n, 0);
    n_timed += !times[i].done;
  }
  bool more = true;
  for (int round = 0; more && !dcs_interrupted(); round++) {
    more = false;
    dcs_shuffle(&random, order, n);
    for (int i = 0; i < n && !dcs_interrupted(); i++) {
      timed *t = &times[order[i]];
      if (t->done) continue;
      dcs_progress_draw(c->progress, share_done(times, n, c->options),
                        t->record->method.variant->id); /* NOLINT: every record is set */
      DCS_TRY(wait_turn(times, n, round, i, t, c));
      DCS_TRY(sample_once(t, c));
      if (!t->done) check_done(t, c->options, n_timed, 1e-9 * (worked_ns(c) - started));
      more = more || !t->done;
    }
  }
  for (int i = 0; i < n; i++)
    if (!times[i].done) finish(&times[i], "interrupted");
  return wait_turn(times, n, DCS_TURNS_SIZE_OVER, 0, NULL, c);
}

/* The energy of a map by each method that was timed. */
static void measure_energies(const timed *times, int n, dcs_progress *progress) {
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    dcs_record *record = times[i].record;
    if (record->outcome != DCS_OUTCOME_OK || record->n_times == 0) continue;
    dcs_progress_draw(progress, 1, "energy");
    const dcs_energy_method method = {times[i].trial.session, times[i].trial.slot,
                                      record->method.variant->backend, record->scope,
                                      record->memory};
    if (dcs_measure_energy(&method, dcs_record_stats(record).median, &record->energy_j) !=
        DCS_OUTCOME_OK)
      dcs_progress_say(progress, "%s: its energy was not measured: %s", record->method.variant->id,
                       dcs_error_message());
  }
}

/* What was computed by a method that is wrong has no times. */
static void forget_times(dcs_record *record) {
  record->n_times = record->n_disturbed = 0;
  record->stop_reason = "";
}

/* Checks the outputs again now that the last samples were taken: a method that was right once need
 * not be so any more. What an interrupt leaves unchecked is to be gone on with. */
static dcs_status check_again(dcs_bench *bench, const references *refs, timed *times, int n,
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
      say_failure(progress, record, trial->outcome);
      forget_times(record);
      DCS_TRY(take_outcome(record, trial));
    }
  }
  return DCS_OK;
}

static void forget_references(references *refs) {
  for (int p = 0; refs->of && p < refs->n; p++)
    dcs_reference_free(&refs->of[p]);
  free(refs->of);
  free(refs->model_error);
}

/* Whether one of the methods may run: the CPU is here even if its worker does not start at once. */
static bool any_here(dcs_bench *bench, const dcs_record *records, int n) {
  dcs_session *session;
  for (int i = 0; i < n; i++) {
    const dcs_backend backend = records[i].method.variant->backend;
    if (backend == DCS_CPU || dcs_bench_session(bench, backend, &session) == DCS_OK) return true;
  }
  return false;
}

/* The references of the problems; empty ones where nothing will be held against them, which may
 * cost seconds on a machine without the device. */
static dcs_status refer(dcs_case *c, const dcs_config *problems, int n, bool needed,
                        references *refs, dcs_progress *progress) {
  *refs = (references){calloc((size_t)n, sizeof *refs->of),
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

static dcs_status take_rounds(dcs_bench *bench, const references *refs, dcs_record *records, int n,
                              const rounds_context *rounds) {
  timed *times = calloc((size_t)n, sizeof *times);
  int *order = calloc((size_t)n, sizeof *order);
  dcs_status status = DCS_OK;
  if (times && order) {
    for (int i = 0; i < n; i++) {
      times[i].record = &records[i];
      records[i].model_error = refs->model_error[records[i].problem];
    }
    status = verify_all(bench, refs, times, n, rounds->progress);
    if (rounds->progress->base == 0) /* the time left is told by samples */
      dcs_progress_next(rounds->progress);
    if (status == DCS_OK) status = run_rounds(times, order, n, rounds);
    if (status == DCS_OK && rounds->options->energy) measure_energies(times, n, rounds->progress);
    if (status == DCS_OK) status = check_again(bench, refs, times, n, rounds->progress);
  } else {
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", n);
  }
  free(times);
  free(order);
  return status;
}

dcs_status dcs_measure_cell(dcs_bench *bench, dcs_case *c, const dcs_config *problems,
                            int n_problems, dcs_record *records, int n,
                            const dcs_cell_options *options, dcs_csv *samples, int64_t *seq,
                            dcs_clocks *clocks, dcs_progress *progress) {
  references refs = {0};
  const rounds_context rounds = {options, samples, seq, clocks, progress};
  if (n < 1) return DCS_OK;
  dcs_status status = dcs_bench_put(bench, c, problems, n_problems);
  if (status == DCS_OK)
    status = refer(c, problems, n_problems, any_here(bench, records, n), &refs, progress);
  if (status == DCS_OK) status = take_rounds(bench, &refs, records, n, &rounds);
  forget_references(&refs);
  return status;
}
