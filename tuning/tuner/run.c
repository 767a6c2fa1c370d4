#include "tuning/tuner/tuning.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <math.h>
#include <stdio.h>

/* The last measurement: rounds, and its part of the time. An interval needs 6. */
enum { FINAL_LEAST = 6, FINAL_MOST = DCS_PREVIOUS_SAMPLES };
static const double FINAL_SHARE = 0.2;
/* About, of a sample with its energy. */
static const double LONG_SAMPLE_NS = 4e8;

/* What the last measurement is of: configs[n], and what came of each. */
typedef struct {
  int configs[DCS_MAX_FINALISTS], n;
  dcs_evaluation fresh[DCS_MAX_FINALISTS];
  dcs_tuned_entry previous; /* of this very tuning, where there is one */
  int previous_at;          /* of its pick in configs; -1: there is none */
} last_measurement;

/* An earlier pick for this very problem is measured again beside the best ones. */
static void add_previous(const dcs_tuning *t, last_measurement *last) {
  char path[4096];
  dcs_tuned tuned = {0};
  int config = -1;
  last->previous_at = -1;
  if (last->n == 0 || dcs_tuned_path("tuned.csv", path) != DCS_OK) return;
  if (dcs_tuned_read(path, &tuned) == DCS_OK) /* else keeping the winner fails, and says why */
    for (int r = 0; r < tuned.n; r++)
      if (dcs_same_subject(&tuned.list[r].subject, &t->live.subject)) {
        last->previous = tuned.list[r];
        config = dcs_space_find(&t->space, &last->previous.config);
      }
  dcs_tuned_free(&tuned);
  for (int f = 0; config >= 0 && f < last->n; f++)
    if (last->configs[f] == config) last->previous_at = f;
  if (config < 0 || last->previous_at >= 0) return;
  if (last->n < DCS_MAX_FINALISTS) last->n++;
  last->previous_at = last->n - 1;
  last->configs[last->previous_at] = config;
}

/* Times of the samples, whatever the objective. */
static void take_times(const dcs_evaluation *e, dcs_previous_time *time) {
  double sorted[DCS_PREVIOUS_SAMPLES];
  time->n = e->n < DCS_PREVIOUS_SAMPLES ? e->n : DCS_PREVIOUS_SAMPLES;
  for (int i = 0; i < time->n; i++)
    sorted[i] = time->times_ns[i] = dcs_evaluation_spent(e, i).time_ns;
  time->median_ns = dcs_summarize(sorted, (size_t)time->n).median;
}

static dcs_status keep(const dcs_tuning *t, const dcs_winner *winner) {
  const dcs_finalist *pick = &winner->list[winner->pick];
  dcs_tuned_entry entry = {.subject = t->live.subject,
                           .config = t->space.configs[pick->config],
                           .n_tied = winner->n_tied};
  char path[4096];
  take_times(pick->fresh, &entry.time);
  snprintf(entry.time.date, sizeof entry.time.date, "%.23s", dcs_fact_value(&t->facts, "date"));
  DCS_TRY(dcs_tuned_path("tuned.csv", path));
  DCS_TRY(dcs_tuned_put(path, &entry));
  const bool swept = t->live.c.kind->n_dimensions > 0; /* else the next tuning measures it beside */
  fprintf(stderr, "%s: the winner is kept%s\n", path,
          swept && !*t->objective.text ? "; --config tuned uses it" : "");
  return DCS_OK;
}

/* So many that each has its rounds in the time that is left. */
static int as_many_as_fit(const dcs_tuning *t, int n, double until_ns) {
  if (!t->live.energies || isinf(until_ns)) return n;
  const double fit = (until_ns - dcs_now_ns()) / (FINAL_LEAST * LONG_SAMPLE_NS);
  return fit < 2 ? (n < 2 ? n : 2) : fit < n ? (int)fit : n;
}

/* The last measurement, the winner, the entry of it. */
static dcs_status finish(dcs_tuning *t, double until_ns) {
  last_measurement last = {.previous_at = -1};
  dcs_live_pick picks[DCS_MAX_FINALISTS];
  dcs_winner winner;
  dcs_final_rounds how = {FINAL_LEAST, FINAL_MOST, until_ns, 0, t->options->seed};
  last.n = as_many_as_fit(t, dcs_finalists(&t->search, last.configs), until_ns);
  add_previous(t, &last);
  for (int f = 0; f < last.n; f++)
    picks[f] = (dcs_live_pick){&t->live, last.configs[f]};
  dcs_progress_clear(&t->live.progress);
  how.span_ns = dcs_last_span_ns(t->options, last.n, until_ns);
  const double began_ns = dcs_now_ns();
  dcs_status status = dcs_live_rounds(picks, last.n, &how, last.fresh);
  const double took_s = 1e-9 * (dcs_now_ns() - began_ns);
  dcs_progress_clear(&t->live.progress);
  if (status == DCS_OK && dcs_interrupted()) status = dcs_fail(DCS_FAILED, "interrupted");
  if (status == DCS_OK) {
    dcs_print_search(&t->search, t->options->strategy->name);
    status = dcs_choose_winner(&t->search, &t->live.c.problem, t->given, last.configs, last.fresh,
                               last.n, &winner);
  }
  if (status == DCS_OK) {
    dcs_print_winner(&t->space, &winner, &t->live.subject, took_s);
    if (t->options->unverified)
      fprintf(stderr, "nothing was verified: the winner is not kept\n");
    else
      status = keep(t, &winner);
    if (last.previous_at >= 0) dcs_print_previous(&last.previous, &last.fresh[last.previous_at]);
  }
  for (int f = 0; f < last.n; f++)
    dcs_evaluation_free(&last.fresh[f]);
  return status;
}

static dcs_status run(dcs_tuning *t, const dcs_tune_options *options, dcs_journal_writer *journal) {
  const double started_ns = dcs_now_ns(), budget_ns = 1e9 * options->budget_s;
  const bool is_limited = options->budget_s > 0;
  const double last_ns =
      isnan(options->last_s) ? FINAL_SHARE * budget_ns : fmin(1e9 * options->last_s, budget_ns);
  DCS_TRY(dcs_tuning_open(t, options));
  DCS_TRY(dcs_tuning_go_on(t, journal, is_limited ? started_ns + budget_ns - last_ns : INFINITY));
  DCS_TRY(dcs_tuning_search(t));
  return finish(t, is_limited ? started_ns + budget_ns : INFINITY);
}

dcs_status dcs_tune(const dcs_tune_options *options) {
  dcs_tuning t;
  dcs_journal_writer journal = {.strategy = ""};
  if (options->variant->backend == DCS_GPU && options->budget_evals > 0 &&
      !dcs_has_times(options->device) && !*options->objective)
    return dcs_tune_check(options);
  dcs_status status = run(&t, options, &journal);
  dcs_status closed = dcs_journal_close(&journal);
  dcs_tuning_close(&t);
  return status != DCS_OK ? status : closed;
}
