#include "tuning/study/study.h"

#include <limits.h>
#include <math.h>

static dcs_status more(dcs_evaluator *evaluator, int config, int samples, dcs_evaluation *e) {
  const dcs_replay *replay = (const dcs_replay *)evaluator;
  const dcs_evaluation *from = &replay->recording->evaluations[replay->recorded[config]];
  e->known = true;
  e->outcome = dcs_outcome_has_times(from->outcome) ? DCS_OUTCOME_OK : from->outcome;
  e->registers = from->registers;
  e->compile_ms = from->compile_ms;
  e->error = from->error;
  int n = samples < from->n ? samples : from->n;
  return n > e->n ? dcs_evaluation_append(e, from, e->n, n - e->n) : DCS_OK;
}

dcs_status dcs_replay_open(const dcs_recorded_space *recording, dcs_replay *replay) {
  *replay = (dcs_replay){.evaluator = {more}, .recording = recording};
  DCS_TRY(dcs_space_of_configs(recording->subject.variant, recording->configs, recording->n,
                               &replay->space));
  DCS_TRY(dcs_room_take(&replay->space.room, &replay->recorded, (size_t)recording->n,
                        sizeof *replay->recorded, "configurations"));
  replay->samples = INT_MAX;
  for (int c = 0; c < recording->n; c++) {
    const dcs_evaluation *e = &recording->evaluations[c];
    if (dcs_outcome_has_times(e->outcome) && e->n < replay->samples) replay->samples = e->n;
    replay->recorded[dcs_space_find(&replay->space, &recording->configs[c])] = c;
  }
  return DCS_OK;
}

void dcs_replay_close(dcs_replay *replay) {
  dcs_space_free(&replay->space);
}

double dcs_replay_truth(const dcs_replay *replay, int config) {
  const dcs_evaluation *e = &replay->recording->evaluations[replay->recorded[config]];
  return dcs_outcome_has_times(e->outcome) ? e->stats.median : INFINITY;
}
