#include "tuning/tuner/tuner.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/worker/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The time of one output, for who runs many. */
static dcs_outcome time_one(dcs_live *live, dcs_live_method *m) {
  dcs_sample sample;
  dcs_outcome outcome =
      dcs_take_sample(m->session, m->slot, live->scope, DCS_PAGEABLE, m->inner, &sample);
  if (outcome == DCS_OUTCOME_OK) m->output_ns = sample.ns / (double)m->inner;
  return outcome;
}

/* Compiles, verifies, and finds out how many outputs last a sample. */
static dcs_outcome make_ready(dcs_live *live, int config, dcs_evaluation *fresh) {
  dcs_live_method *m = &live->methods[config];
  if (!m->session) {
    dcs_method method = {live->space->variant, live->space->configs[config]};
    dcs_trial trial = dcs_bench_try(&live->bench, &method, 0, &live->reference);
    if (trial.facts.registers >= 0) {
      fresh->registers = trial.facts.registers;
      fresh->compile_ms = trial.facts.compile_ms;
    }
    if (trial.outcome != DCS_OUTCOME_OK) return trial.outcome;
    m->registers = trial.facts.registers;
    m->error = trial.verdict.rel_l2;
    m->session = trial.session;
    m->slot = trial.slot;
  }
  fresh->registers = m->registers;
  fresh->error = m->error;
  if (m->inner > 0) return DCS_OUTCOME_OK;
  dcs_outcome outcome = dcs_calibrate(m->session, m->slot, live->scope, DCS_PAGEABLE, &m->inner);
  if (outcome == DCS_OUTCOME_OK && live->energies) outcome = time_one(live, m);
  return outcome;
}

static dcs_status add(dcs_live *live, const dcs_spent *spent, dcs_evaluation *fresh) {
  return dcs_objective_add(&live->objective, &live->subject, spent, fresh);
}

static dcs_status take_times(dcs_live *live, int config, int n, dcs_evaluation *fresh) {
  const dcs_live_method *m = &live->methods[config];
  for (int i = 0; i < n; i++) {
    dcs_sample sample;
    fresh->outcome =
        dcs_take_sample(m->session, m->slot, live->scope, DCS_PAGEABLE, m->inner, &sample);
    if (fresh->outcome != DCS_OUTCOME_OK || dcs_interrupted()) return DCS_OK;
    const dcs_spent spent = {sample.ns / (double)m->inner, NAN};
    DCS_TRY(add(live, &spent, fresh));
  }
  return DCS_OK;
}

static dcs_status take_energies(dcs_live *live, int config, int n, dcs_evaluation *fresh) {
  const dcs_live_method *m = &live->methods[config];
  const dcs_variant *variant = live->space->variant;
  const dcs_energy_method method = {m->session, m->slot, variant->backend, live->scope,
                                    DCS_PAGEABLE};
  int got;
  dcs_spent *parts = calloc((size_t)n, sizeof *parts);
  if (!parts) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d samples", n);
  fresh->outcome = dcs_measure_spent(&method, m->output_ns, n, parts, &got);
  dcs_status status = DCS_OK;
  if (fresh->outcome == DCS_OUTCOME_OK && got < n && !dcs_interrupted())
    status = dcs_fail(DCS_UNAVAILABLE, "%s: the device reports no energy: its counter %s",
                      variant->id, got > 0 ? "stopped" : "cannot be read or does not move");
  for (int i = 0; status == DCS_OK && fresh->outcome == DCS_OUTCOME_OK && i < got; i++)
    status = add(live, &parts[i], fresh);
  free(parts);
  return status;
}

/* n samples, or as many as there are until something fails or interrupts. */
static dcs_status take(dcs_live *live, int config, int n, dcs_evaluation *fresh) {
  return live->energies ? take_energies(live, config, n, fresh)
                        : take_times(live, config, n, fresh);
}

static void say(dcs_live *live, int config, dcs_outcome outcome) {
  char text[DCS_TEXT];
  const dcs_variant *variant = live->space->variant;
  dcs_progress_say(&live->progress, "%s %s: %s: %s", variant->id,
                   dcs_format_config(variant, &live->space->configs[config], text),
                   dcs_outcome_name(outcome), dcs_error_message());
}

/* The row of the journal, and what is known from now on. */
static dcs_status note(dcs_live *live, int config, double spent_ns, const dcs_evaluation *fresh) {
  bool failed = fresh->outcome != DCS_OUTCOME_OK;
  dcs_evaluation shown = *fresh;
  if (live->unverified && !failed) shown.outcome = DCS_OUTCOME_UNVERIFIED;
  dcs_journal_row row = {.config = &live->space->configs[config],
                         .evaluation = &shown,
                         .inner = live->methods[config].inner,
                         .spent_s = 1e-9 * spent_ns,
                         .why = failed ? dcs_error_message() : ""};
  if (failed) say(live, config, fresh->outcome);
  live->journal->subject = live->subject;
  live->journal->device = live->device;
  live->journal->driver = live->driver;
  live->journal->nvrtc = live->nvrtc;
  return dcs_journal_write(live->journal, &row);
}

static dcs_status merge(dcs_evaluation *e, const dcs_evaluation *fresh) {
  e->known = true;
  e->outcome = fresh->outcome;
  if (fresh->registers >= 0) e->registers = fresh->registers;
  if (!isnan(fresh->compile_ms)) e->compile_ms = fresh->compile_ms;
  if (!isnan(fresh->error)) e->error = fresh->error;
  return dcs_evaluation_append(e, fresh, 0, fresh->n);
}

static dcs_status more(dcs_evaluator *evaluator, int config, int samples, dcs_evaluation *e) {
  dcs_live *live = (dcs_live *)evaluator;
  dcs_evaluation fresh = dcs_evaluation_unknown;
  double started = dcs_now_ns();
  dcs_status status = DCS_OK;
  if (live->search)
    dcs_progress_draw(&live->progress, dcs_search_share(live->search), live->space->variant->id);
  fresh.outcome = make_ready(live, config, &fresh);
  if (fresh.outcome == DCS_OUTCOME_OK && e->n < samples)
    status = take(live, config, samples - e->n, &fresh);
  if (status == DCS_OK && !dcs_interrupted()) {
    if (fresh.outcome != DCS_OUTCOME_OK) fresh.n = 0;
    status = note(live, config, dcs_now_ns() - started, &fresh);
    if (status == DCS_OK) status = merge(e, &fresh);
  }
  dcs_evaluation_free(&fresh);
  return status;
}

dcs_status dcs_live_open(dcs_live *live, const dcs_space *space, dcs_scope scope) {
  live->evaluator.more = more;
  live->space = space;
  live->scope = scope;
  live->progress = dcs_progress_start();
  live->methods = calloc((size_t)space->n, sizeof *live->methods);
  if (!live->methods) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", space->n);
  return dcs_oracle(&live->c, DCS_TUNE_ORACLE_EVALS, &live->reference);
}

void dcs_live_close(dcs_live *live) {
  dcs_progress_clear(&live->progress);
  dcs_bench_close(&live->bench);
  dcs_reference_free(&live->reference);
  dcs_case_free(&live->c);
  free(live->methods);
  live->methods = NULL;
}

/* ---- the best once more ---- */

/* Each round has processes of its own: where the memory of one happens to lie is chance, and those
 * that are tied must be so in the next one, too. In scope first each sample has one anyway. */
static void start_processes(const dcs_live_pick *picks, int n) {
  for (int f = 0; f < n; f++) {
    const dcs_live *live = picks[f].live;
    dcs_session *session = live->methods[picks[f].config].session;
    if (session && live->scope != DCS_FIRST) dcs_session_restart(session);
  }
}

/* What a process does first is no sample. */
static dcs_outcome warm_up(const dcs_live_pick *pick) {
  const dcs_live *live = pick->live;
  const dcs_live_method *m = &live->methods[pick->config];
  dcs_sample sample;
  if (live->scope == DCS_FIRST) return DCS_OUTCOME_OK;
  return dcs_take_sample(m->session, m->slot, live->scope, DCS_PAGEABLE, m->inner, &sample);
}

/* A failure goes into the journal at once, while its reason is known; fresh->known is then unset.
 */
static dcs_status one_round(const dcs_live_pick *picks, const int *order, int n,
                            dcs_evaluation *fresh) {
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    const dcs_live_pick *pick = &picks[order[i]];
    dcs_evaluation *e = &fresh[order[i]];
    if (e->outcome == DCS_OUTCOME_OK) e->outcome = warm_up(pick);
    if (e->outcome == DCS_OUTCOME_OK) DCS_TRY(take(pick->live, pick->config, 1, e));
    if (e->outcome == DCS_OUTCOME_OK || !e->known || dcs_interrupted()) continue;
    e->known = false;
    e->n = 0;
    DCS_TRY(note(pick->live, pick->config, 0, e));
  }
  return DCS_OK;
}

double dcs_last_span_ns(const dcs_tune_options *options, int picks, double until_ns) {
  const bool asked = !isnan(options->last_s);
  const double span_ns =
      fmin(1e9 * (asked ? options->last_s : DCS_LAST_S), until_ns - dcs_now_ns());
  if (picks < 2 || span_ns < 0) return 0;
  if (isinf(until_ns) && !asked)
    fprintf(stderr, "the best once more, over %d s; --last SECONDS or --budget ends it sooner\n",
            DCS_LAST_S);
  return span_ns;
}

/* Until the round is due; the progress goes on meanwhile. */
static void await_round(const dcs_live_pick *pick, const dcs_final_rounds *how, int round,
                        double began_ns) {
  const struct timespec pause = {.tv_nsec = 50000000};
  const double due_ns = began_ns + how->span_ns * round / how->most;
  while (dcs_now_ns() < fmin(due_ns, how->until_ns) && !dcs_interrupted()) {
    dcs_progress_draw(&pick->live->progress, (dcs_now_ns() - began_ns) / how->span_ns,
                      "the best once more");
    nanosleep(&pause, NULL);
  }
}

static dcs_status rounds(const dcs_live_pick *picks, int n, const dcs_final_rounds *how,
                         dcs_evaluation *fresh) {
  int order[DCS_MAX_PICKS];
  dcs_random random = {how->seed};
  for (int f = 0; f < n; f++) {
    order[f] = f;
    fresh[f] = dcs_evaluation_unknown;
    fresh[f].known = true;
    fresh[f].outcome = make_ready(picks[f].live, picks[f].config, &fresh[f]);
  }
  const double began_ns = dcs_now_ns();
  dcs_progress_next(&picks[0].live->progress);
  for (int r = 0; r < how->most && !dcs_interrupted(); r++) {
    await_round(&picks[0], how, r, began_ns);
    if (r >= how->least && dcs_now_ns() >= how->until_ns) break;
    dcs_progress_draw(&picks[0].live->progress, (double)r / how->most, "the best once more");
    dcs_shuffle(&random, order, n);
    start_processes(picks, n);
    DCS_TRY(one_round(picks, order, n, fresh));
  }
  return DCS_OK;
}

dcs_status dcs_live_rounds(const dcs_live_pick *picks, int n, const dcs_final_rounds *how,
                           dcs_evaluation *fresh) {
  double started = dcs_now_ns();
  if (n == 0) return DCS_OK;
  picks[0].live->journal->strategy = "final";
  dcs_status status = rounds(picks, n, how, fresh);
  double each_ns = (dcs_now_ns() - started) / n;
  for (int f = 0; status == DCS_OK && f < n && !dcs_interrupted(); f++)
    if (fresh[f].outcome == DCS_OUTCOME_OK)
      status = note(picks[f].live, picks[f].config, each_ns, &fresh[f]);
  return status;
}
