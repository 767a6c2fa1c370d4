#include "harness/rounds/rounds.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"
#include "harness/rounds/energy.h"
#include "harness/rounds/timed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same in every build that has the method. */
static uint64_t hash_of(const dcs_record *record) {
  char config[DCS_TEXT], text[2 * DCS_TEXT];
  snprintf(text, sizeof text, "%s %s %d %d %d", record->method.variant->id,
           dcs_format_config(record->method.variant, &record->method.config, config), record->scope,
           record->memory, record->problem);
  return dcs_hash(DCS_HASH_START, text, strlen(text));
}

/* Waits for the turn of a place in a round, where `next` is to be timed, or of the end (NULL). */
static dcs_status wait_turn(dcs_timed *times, int n, int round, int place, dcs_timed *next,
                            const dcs_rounds *c) {
  dcs_turns *turns = c->options->turns;
  const double done = c->progress->base + c->progress->span * dcs_rounds_done(times, n, c->options);
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
static double worked_ns(const dcs_rounds *c) {
  return dcs_now_ns() - c->options->turns->waited_ns;
}

static dcs_status run_rounds(dcs_timed *times, int *order, int n, const dcs_rounds *c) {
  dcs_random random = {c->options->seed};
  const double started = worked_ns(c);
  int n_timed = 0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
    times[i].done = !times[i].record->judged || times[i].record->outcome != DCS_OUTCOME_OK;
    if (!times[i].done) dcs_check_done(&times[i], c->options, n, 0);
    n_timed += !times[i].done;
  }
  bool more = true;
  for (int round = 0; more && !dcs_interrupted(); round++) {
    more = false;
    dcs_shuffle(&random, order, n);
    for (int i = 0; i < n && !dcs_interrupted(); i++) {
      dcs_timed *t = &times[order[i]];
      if (t->done) continue;
      dcs_progress_draw(c->progress, dcs_rounds_done(times, n, c->options),
                        t->record->method.variant->id); /* NOLINT: every record is set */
      DCS_TRY(wait_turn(times, n, round, i, t, c));
      DCS_TRY(dcs_sample_once(t, c));
      if (!t->done) dcs_check_done(t, c->options, n_timed, 1e-9 * (worked_ns(c) - started));
      more = more || !t->done;
    }
  }
  for (int i = 0; i < n; i++)
    if (!times[i].done) dcs_finish_timing(&times[i], "interrupted");
  return wait_turn(times, n, DCS_TURNS_SIZE_OVER, 0, NULL, c);
}

/* The energy of a map by each method that was timed. */
static void measure_energies(const dcs_timed *times, int n, dcs_progress *progress) {
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

/* Whether one of the methods may run: the CPU is here even if its worker does not start at once. */
static bool any_here(dcs_bench *bench, const dcs_record *records, int n) {
  dcs_session *session;
  for (int i = 0; i < n; i++) {
    const dcs_backend backend = records[i].method.variant->backend;
    if (backend == DCS_CPU || dcs_bench_session(bench, backend, &session) == DCS_OK) return true;
  }
  return false;
}

static dcs_status take_rounds(dcs_bench *bench, const dcs_references *refs, dcs_record *records,
                              int n, const dcs_rounds *rounds) {
  dcs_timed *times = calloc((size_t)n, sizeof *times);
  int *order = calloc((size_t)n, sizeof *order);
  dcs_status status = DCS_OK;
  if (times && order) {
    for (int i = 0; i < n; i++) {
      times[i].record = &records[i];
      records[i].model_error = refs->model_error[records[i].problem];
    }
    status = dcs_verify_methods(bench, refs, times, n, rounds->progress);
    if (rounds->progress->base == 0) /* the time left is told by samples */
      dcs_progress_next(rounds->progress);
    if (status == DCS_OK) status = run_rounds(times, order, n, rounds);
    if (status == DCS_OK && rounds->options->energy) measure_energies(times, n, rounds->progress);
    if (status == DCS_OK) status = dcs_verify_again(bench, refs, times, n, rounds->progress);
  } else {
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", n);
  }
  free(times);
  free(order);
  return status;
}

dcs_status dcs_measure_size(dcs_bench *bench, dcs_case *c, const dcs_config *problems,
                            int n_problems, dcs_record *records, int n,
                            const dcs_round_options *options, dcs_csv *samples, int64_t *seq,
                            dcs_clocks *clocks, dcs_progress *progress) {
  dcs_references refs = {0};
  const dcs_rounds rounds = {options, samples, seq, clocks, progress};
  if (n < 1) return DCS_OK;
  dcs_status status = dcs_bench_put(bench, c, problems, n_problems);
  if (status == DCS_OK)
    status = dcs_refer(c, problems, n_problems, any_here(bench, records, n), &refs, progress);
  if (status == DCS_OK) status = take_rounds(bench, &refs, records, n, &rounds);
  dcs_references_free(&refs);
  return status;
}
