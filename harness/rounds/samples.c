/* Samples of one method, taken again while they are disturbed. */
#include "harness/rounds/timed.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/worker/timing.h"

#include <stdio.h>

enum { REPEATS = 3 };

/* What disturbed a sample; "": nothing. */
static const char *disturbance(const dcs_timed *t, const dcs_clocks *clocks,
                               const dcs_sample *sample) {
  const dcs_method *method = &t->record->method;
  if (dcs_clocks_slow(clocks, sample->telemetry.sm_mhz)) return "slow_clock";
  if (dcs_throttled(&sample->telemetry)) return "throttled";
  return dcs_usage_disturbance(
      &sample->usage, dcs_role_value(method->variant, &method->config, DCS_ROLE_THREADS, 1));
}

/* Takes a sample, again while it is disturbed: three times at most, and no longer than what was
 * kept took, so that a machine that is never quiet costs twice the time at most. *mark: what
 * disturbed the last. */
static dcs_outcome take_steady(dcs_timed *t, const dcs_clocks *clocks, dcs_sample *sample,
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
static dcs_status fail(dcs_timed *t, dcs_outcome outcome) {
  t->trial.outcome = outcome;
  t->trial.killed = dcs_session_was_killed(t->trial.session);
  snprintf(t->trial.why, sizeof t->trial.why, "%s", dcs_error_message());
  return dcs_take_outcome(t->record, &t->trial);
}

static dcs_status keep(dcs_record *record, const dcs_sample_row *row, dcs_csv *samples) {
  DCS_TRY(dcs_record_add(record, row->time_ns, row->mark));
  return dcs_write_sample(samples, record, row);
}

dcs_status dcs_sample_once(dcs_timed *t, const dcs_rounds *c) {
  dcs_sample sample = {0};
  const char *mark = "";
  double started = dcs_now_ns();
  const dcs_record *record = t->record;
  dcs_outcome outcome = t->inner == 0 ? dcs_calibrate(t->trial.session, t->trial.slot,
                                                      record->scope, record->memory, &t->inner)
                                      : DCS_OUTCOME_OK;
  if (outcome == DCS_OUTCOME_OK) outcome = take_steady(t, c->clocks, &sample, &mark);
  const double took_s = 1e-9 * (dcs_now_ns() - started);
  t->spent_s += took_s;
  c->options->needs->spent_s += took_s;
  if (dcs_interrupted()) return DCS_OK;
  if (outcome != DCS_OUTCOME_OK) {
    dcs_say_failure(c->progress, t->record, outcome);
    dcs_finish_timing(t, "");
    return fail(t, outcome);
  }
  dcs_sample_row row = {.round = (int)t->record->n_times,
                        .seq = (*c->seq)++,
                        .inner = t->inner,
                        .time_ns = sample.ns / (double)t->inner,
                        .telemetry = sample.telemetry,
                        .mark = mark,
                        .process =
                            c->options->turns->process + dcs_session_replaced(t->trial.session),
                        .session = c->options->session};
  c->options->turns->inner = t->inner;
  if (record->scope != DCS_FIRST && !dcs_session_flushes(t->trial.session))
    t->inner = dcs_lengthened(t->inner, sample.ns);
  DCS_TRY(dcs_clocks_add(c->clocks, sample.telemetry.sm_mhz));
  return keep(t->record, &row, c->samples);
}
