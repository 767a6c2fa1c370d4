/* When a method is done, and the share of the time that is over. */
#include "harness/rounds/timed.h"

#include "harness/judge/ratio.h"

#include <math.h>

void dcs_finish_timing(dcs_timed *t, const char *reason) {
  t->record->stop_reason = t->record->n_times ? reason : "";
  t->done = true;
}

static bool is_precise(const dcs_sampling *sampling, const dcs_record *record) {
  const dcs_stats stats = dcs_record_stats(record);
  return dcs_is_precise(sampling, &stats);
}

void dcs_check_done(dcs_timed *t, const dcs_round_options *options, int n_timed, double size_s) {
  const dcs_sampling *sampling = &options->sampling;
  const bool was_done = t->done;
  if (t->record->n_times >= (size_t)sampling->most)
    dcs_finish_timing(t, "rounds");
  else if (dcs_is_time_to_look(sampling, t->record->n_times) && is_precise(sampling, t->record))
    dcs_finish_timing(t, "interval");
  else if (options->budget_s > 0 && t->record->n_times > 0 &&
           (size_s > options->budget_s ||
            (t->record->n_times >= DCS_RATIO_SAMPLES && t->spent_s > options->budget_s / n_timed)))
    dcs_finish_timing(t, "budget");
  if (t->done && !was_done) {
    options->needs->samples += (double)t->record->n_times;
    options->needs->methods++;
  }
}

/* Samples that a method will have: those it has when it is done, its share of the budget's when
 * that ends it, else as many as those before it needed; past that, until the next look. */
static double expected_samples(const dcs_timed *t, const dcs_round_options *options, int n_timed) {
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

double dcs_rounds_done(const dcs_timed *times, int n, const dcs_round_options *options) {
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
