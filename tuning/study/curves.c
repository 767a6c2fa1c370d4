#include "tuning/study/study.h"

#include "harness/base/interrupt.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>

/* ---- curves ---- */

static double best_truth(const dcs_replay *replay) {
  double best = INFINITY;
  for (int c = 0; c < replay->space.n; c++)
    best = fmin(best, dcs_replay_truth(replay, c));
  return best;
}

static double worst_regret(const dcs_replay *replay) {
  const double best = best_truth(replay);
  double worst = 0;
  for (int c = 0; c < replay->space.n; c++)
    if (isfinite(dcs_replay_truth(replay, c)))
      worst = fmax(worst, dcs_replay_truth(replay, c) / best - 1);
  return worst;
}

/* One search; what it had found counts on when it ends early. *drew: the seed played a part. */
static dcs_status search_once(dcs_replay *replay, const dcs_strategy *strategy, int samples,
                              int seed, double best, dcs_study_curves *curves, bool *drew) {
  dcs_search search;
  dcs_budget budget = {curves->evals, INFINITY};
  dcs_status status =
      dcs_search_open(&replay->space, &replay->recording->subject, &replay->evaluator, samples,
                      (uint64_t)seed + 1, budget, &search);
  const uint64_t before = search.random.state;
  if (status == DCS_OK) {
    strategy->run(&search);
    status = search.status;
  }
  double regret = INFINITY;
  for (int e = 0; status == DCS_OK && e < curves->evals; e++) {
    int pick = e < search.n_evals ? search.picks[e] : -1;
    if (pick >= 0) regret = dcs_replay_truth(replay, pick) / best - 1;
    curves->regret[(size_t)e * (size_t)curves->seeds + (size_t)seed] = regret;
  }
  *drew = search.random.state != before;
  dcs_search_close(&search);
  return status;
}

dcs_status dcs_study_strategy(const dcs_replay *replay, const dcs_strategy *strategy, int samples,
                              dcs_progress *progress, dcs_study_curves *curves) {
  const int evals = replay->space.n < DCS_STUDY_EVALS ? replay->space.n : DCS_STUDY_EVALS;
  const double best = best_truth(replay);
  dcs_replay own = *replay;
  bool drew;
  *curves = (dcs_study_curves){calloc((size_t)evals * DCS_STUDY_SEEDS, sizeof(double)), 1, evals,
                               worst_regret(replay)};
  if (!curves->regret) return dcs_fail(DCS_UNAVAILABLE, "no memory for a study");
  if (samples > replay->samples) samples = replay->samples;
  dcs_progress_next(progress);
  dcs_progress_draw(progress, 0, strategy->name);
  DCS_TRY(search_once(&own, strategy, samples, 0, best, curves, &drew));
  if (!drew) return DCS_OK;
  curves->seeds = DCS_STUDY_SEEDS;
  for (int seed = 0; seed < DCS_STUDY_SEEDS; seed++) {
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    dcs_progress_draw(progress, (double)seed / DCS_STUDY_SEEDS, strategy->name);
    DCS_TRY(search_once(&own, strategy, samples, seed, best, curves, &drew));
  }
  for (int e = 0; e < evals; e++)
    dcs_sort_values(curves->regret + (size_t)e * DCS_STUDY_SEEDS, DCS_STUDY_SEEDS);
  return DCS_OK;
}

double dcs_study_quantile(const dcs_study_curves *curves, int evals, double p) {
  const double *sorted = curves->regret + (size_t)(evals - 1) * (size_t)curves->seeds;
  double at = p * (curves->seeds - 1);
  int below = (int)at;
  if (below + 1 >= curves->seeds || !isfinite(sorted[below + 1])) return sorted[below];
  return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

int dcs_study_within(const dcs_study_curves *curves, int evals, double limit) {
  const double *sorted = curves->regret + (size_t)(evals - 1) * (size_t)curves->seeds;
  int n = 0;
  while (n < curves->seeds && sorted[n] <= limit)
    n++;
  return n;
}

/* ---- parameters ---- */

double dcs_study_best_at(const dcs_replay *replay, int p, int v, int q, int w) {
  double best = INFINITY;
  for (int c = 0; c < replay->space.n; c++) {
    const int *at = replay->space.position[c];
    if (at[p] == v && (q < 0 || at[q] == w)) best = fmin(best, dcs_replay_truth(replay, c));
  }
  return best;
}

double dcs_study_importance(const dcs_replay *replay, int param) {
  double best = INFINITY, worst = 0;
  for (int v = 0; v < replay->space.n_values[param]; v++) {
    double time = dcs_study_best_at(replay, param, v, -1, 0);
    best = fmin(best, time);
    if (isfinite(time)) worst = fmax(worst, time);
  }
  return worst > 0 ? 1 - best / worst : 0;
}
