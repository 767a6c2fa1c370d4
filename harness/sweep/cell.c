#include "harness/sweep/cell.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"
#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"
#include "harness/sweep/energy.h"
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
  dcs_session *session;
  int slot;
  int64_t inner;
  double spent_s;
  bool done;
} timed;

/* Evaluations that the oracle may spend on a cell. */
enum { ORACLE_EVALS = 100000000 };

static void say_failure(dcs_progress *progress, const dcs_record *record, dcs_outcome outcome) {
  char config[DCS_TEXT];
  const char *memory = dcs_record_memory(record);
  dcs_progress_say(progress, "%s %s on %lld atoms, %lldx%lldx%lld%s%s: %s: %s",
                   record->method.variant->id,
                   dcs_format_config(record->method.variant, &record->method.config, config),
                   (long long)record->atoms, (long long)record->n.x, (long long)record->n.y,
                   (long long)record->n.z, *memory ? ", memory " : "", memory,
                   dcs_outcome_name(outcome), dcs_error_message());
}

/* What the maps of a cell are held against: those of whole sums, and those within its cutoff. */
typedef struct {
  dcs_reference of[2];
  bool known[2];
  double cutoff_error; /* what the cutoff leaves out */
} references;

/* What is known of a method on this cell; records of one method lie together. */
typedef struct {
  const dcs_method *method; /* NULL: none yet */
  dcs_trial kernel;         /* as in scope kernel */
  dcs_trial whole[DCS_N_MEMORIES];
  bool tried[DCS_N_MEMORIES];
} method_trials;

/* The trial of what the record times: its launches, or copies and launches in its memory. */
static const dcs_trial *verify(dcs_bench *bench, const dcs_case *c, const references *refs,
                               const dcs_record *record, method_trials *trials,
                               dcs_progress *progress) {
  const dcs_reference *reference = &refs->of[record->method.variant->cutoff];
  dcs_trial *trial = &trials->kernel;
  bool is_new = !trials->method || !dcs_same_method(&record->method, trials->method);
  if (is_new) {
    *trials = (method_trials){.method = &record->method};
    *trial = dcs_bench_try(bench, &record->method, c, reference);
    if (trial->outcome == DCS_OUTCOME_NOT_BUILT) return trial; /* was said of the variant */
  }
  if (trial->outcome == DCS_OUTCOME_OK && dcs_scope_copies(record->method.variant, record->scope)) {
    trial = &trials->whole[record->memory];
    is_new = !trials->tried[record->memory];
    if (is_new) {
      *trial = trials->kernel;
      dcs_bench_try_memory(bench, &record->method, c, reference, record->memory, trial);
      trials->tried[record->memory] = true;
    }
  }
  if (is_new && trial->lost[0]) dcs_progress_say(progress, "%s", trial->lost);
  if (is_new && trial->outcome != DCS_OUTCOME_OK && !dcs_interrupted())
    say_failure(progress, record, trial->outcome);
  return trial;
}

/* Verifies every method in each way that it is timed; `times` gets what the timing needs. */
static void verify_all(dcs_bench *bench, const dcs_case *c, const references *refs, timed *times,
                       int n, dcs_progress *progress) {
  method_trials trials = {0};
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    dcs_record *record = times[i].record;
    const dcs_trial *trial = verify(bench, c, refs, record, &trials, progress);
    times[i].session = trial->session;
    times[i].slot = trial->slot;
    record->outcome = trial->outcome;
    record->facts = trial->facts;
    record->verdict = trial->verdict;
  }
}

static void shuffle(dcs_random *random, int *order, int n) {
  for (int i = n - 1; i > 0; i--) {
    int j = (int)dcs_random_below(random, i + 1);
    int swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
}

static dcs_status keep(dcs_record *record, const dcs_sample_row *row, dcs_csv *samples) {
  double *times = realloc(record->times_ns, (record->n_times + 1) * sizeof *times);
  if (!times) return dcs_fail(DCS_UNAVAILABLE, "no memory for samples");
  record->times_ns = times;
  times[record->n_times++] = row->time_ns;
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

/* Takes a sample, again while its clock is too low; *slow: it still was at the last. */
static dcs_outcome take_steady(const timed *t, const dcs_clocks *clocks, dcs_sample *sample,
                               bool *slow) {
  dcs_outcome outcome = DCS_OUTCOME_OK;
  *slow = true;
  for (int r = 0; outcome == DCS_OUTCOME_OK && *slow && r <= REPEATS && !dcs_interrupted(); r++) {
    outcome =
        dcs_take_sample(t->session, t->slot, t->record->scope, t->record->memory, t->inner, sample);
    *slow = outcome == DCS_OUTCOME_OK && dcs_clocks_slow(clocks, sample->telemetry.sm_mhz);
  }
  return outcome;
}

/* One sample of one record. */
static dcs_status sample_once(timed *t, const rounds_context *c) {
  dcs_sample sample = {0};
  bool slow = false;
  double started = dcs_now_ns();
  const dcs_record *record = t->record;
  dcs_outcome outcome =
      t->inner == 0 ? dcs_calibrate(t->session, t->slot, record->scope, record->memory, &t->inner)
                    : DCS_OUTCOME_OK;
  if (outcome == DCS_OUTCOME_OK) outcome = take_steady(t, c->clocks, &sample, &slow);
  t->spent_s += 1e-9 * (dcs_now_ns() - started);
  if (dcs_interrupted()) return DCS_OK;
  if (outcome != DCS_OUTCOME_OK) {
    t->record->outcome = outcome;
    say_failure(c->progress, t->record, outcome);
    finish(t, "");
    return DCS_OK;
  }
  dcs_sample_row row = {.round = (int)t->record->n_times,
                        .seq = (*c->seq)++,
                        .inner = t->inner,
                        .time_ns = sample.ns / (double)t->inner,
                        .telemetry = sample.telemetry,
                        .mark = slow ? "slow_clock" : ""};
  DCS_TRY(dcs_clocks_add(c->clocks, sample.telemetry.sm_mhz));
  return keep(t->record, &row, c->samples);
}

/* Sorts a copy: the record keeps its order. */
static dcs_stats stats_of(const dcs_record *record) {
  double *times = malloc(record->n_times * sizeof *times);
  if (!times) return (dcs_stats){.n = 0, NAN, NAN, NAN, NAN, NAN};
  memcpy(times, record->times_ns, record->n_times * sizeof *times);
  dcs_stats stats = dcs_summarize(times, record->n_times);
  free(times);
  return stats;
}

/* Whether the interval of the median is narrow enough. */
static bool is_precise(const dcs_record *record, double precision) {
  dcs_stats stats = stats_of(record);
  return stats.hi - stats.median <= precision * stats.median &&
         stats.median - stats.lo <= precision * stats.median;
}

/* Whether the record has enough: its samples, or its fair share of the budget. */
static void check_done(timed *t, const dcs_cell_options *options, int n_timed, double cell_s) {
  const dcs_sampling *sampling = &options->sampling;
  if (t->record->n_times >= (size_t)sampling->most)
    finish(t, "rounds");
  else if (t->record->n_times >= (size_t)sampling->least &&
           is_precise(t->record, sampling->precision))
    finish(t, "interval");
  else if (options->budget_s > 0 && t->record->n_times > 0 &&
           (cell_s > options->budget_s ||
            (t->record->n_times >= DCS_RATIO_SAMPLES && t->spent_s > options->budget_s / n_timed)))
    finish(t, "budget");
}

/* The share of the samples that will surely be taken. */
static double share_done(const timed *times, int n, int least) {
  double done = 0;
  for (int i = 0; i < n; i++)
    done += times[i].done ? least : fmin(least, (double)times[i].record->n_times);
  return done / ((double)n * least);
}

static dcs_status run_rounds(timed *times, int *order, int n, const rounds_context *c) {
  dcs_random random = {c->options->seed};
  double started = dcs_now_ns();
  int n_timed = 0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
    times[i].done = times[i].record->outcome != DCS_OUTCOME_OK;
    n_timed += !times[i].done;
    if (!times[i].done) check_done(&times[i], c->options, n, 0);
  }
  for (bool more = true; more && !dcs_interrupted();) {
    more = false;
    shuffle(&random, order, n);
    for (int i = 0; i < n && !dcs_interrupted(); i++) {
      timed *t = &times[order[i]];
      if (t->done) continue;
      dcs_progress_draw(c->progress, share_done(times, n, c->options->sampling.least),
                        t->record->method.variant->id); /* NOLINT: every record is set */
      DCS_TRY(sample_once(t, c));
      if (!t->done) check_done(t, c->options, n_timed, 1e-9 * (dcs_now_ns() - started));
      more = more || !t->done;
    }
  }
  for (int i = 0; i < n; i++)
    if (!times[i].done) finish(&times[i], "interrupted");
  return DCS_OK;
}

/* The energy of a map by each method that was timed. */
static void measure_energies(const timed *times, int n, dcs_progress *progress) {
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    dcs_record *record = times[i].record;
    if (record->outcome != DCS_OUTCOME_OK || record->n_times == 0) continue;
    dcs_progress_draw(progress, 1, "energy");
    if (dcs_measure_energy(times[i].session, times[i].slot, record, stats_of(record).median,
                           &record->energy_j) != DCS_OUTCOME_OK)
      dcs_progress_say(progress, "%s: its energy was not measured: %s", record->method.variant->id,
                       dcs_error_message());
  }
}

static void forget_references(references *refs) {
  for (int cutoff = 0; cutoff < 2; cutoff++)
    if (refs->known[cutoff]) dcs_reference_free(&refs->of[cutoff]);
}

/* Those that the records need. */
static dcs_status refer(const dcs_case *c, const dcs_record *records, int n, references *refs) {
  dcs_status status = DCS_OK;
  *refs = (references){.cutoff_error = 0};
  for (int i = 0; status == DCS_OK && i < n; i++) {
    const dcs_variant *variant = records[i].method.variant;
    const int kind = variant->cutoff;
    if (refs->known[kind]) continue;
    status = dcs_oracle_for(variant, c, ORACLE_EVALS, &refs->of[kind]);
    refs->known[kind] = status == DCS_OK;
    if (status == DCS_OK && variant->cutoff)
      status = dcs_cutoff_error(c, ORACLE_EVALS, &refs->of[kind], &refs->cutoff_error);
  }
  if (status != DCS_OK) forget_references(refs);
  return status;
}

dcs_status dcs_measure_cell(dcs_bench *bench, const dcs_case *c, dcs_record *records, int n,
                            const dcs_cell_options *options, dcs_csv *samples, int64_t *seq,
                            dcs_clocks *clocks, dcs_progress *progress) {
  references refs;
  if (n < 1) return DCS_OK;
  DCS_TRY(dcs_bench_put(bench, c));
  DCS_TRY(refer(c, records, n, &refs));
  timed *times = calloc((size_t)n, sizeof *times);
  int *order = calloc((size_t)n, sizeof *order);
  dcs_status status = DCS_OK;
  if (times && order) {
    for (int i = 0; i < n; i++) {
      times[i].record = &records[i];
      records[i].cutoff_error = refs.cutoff_error;
    }
    rounds_context context_of_rounds = {options, samples, seq, clocks, progress};
    verify_all(bench, c, &refs, times, n, progress);
    status = run_rounds(times, order, n, &context_of_rounds);
    if (status == DCS_OK && options->energy) measure_energies(times, n, progress);
  } else {
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", n);
  }
  free(times);
  free(order);
  forget_references(&refs);
  return status;
}
