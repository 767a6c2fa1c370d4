/* What the strategies find on a recorded space, and what its parameters matter. */
#ifndef DCS_TUNE_CURVES_H
#define DCS_TUNE_CURVES_H

#include "tuning/study/replay.h"

enum { DCS_STUDY_SEEDS = 100 };

/* What a search had found after so many evaluations: its true time over that of the best recorded,
 * less 1; INFINITY before the first that is ok. */
typedef struct {
  double *regret; /* [evals * DCS_STUDY_SEEDS + seed], evals from 0: after the first */
  int evals;      /* as many as configurations were recorded */
} dcs_study_curves;

/* The caller frees curves->regret. */
dcs_status dcs_study_strategy(const dcs_replay *replay, const dcs_strategy *strategy, int samples,
                              dcs_study_curves *curves);

/* The p-quantile over the seeds after so many evaluations (1 or more), and in how many of them the
 * regret is at most `limit`. */
double dcs_study_quantile(const dcs_study_curves *curves, int evals, double p);
int dcs_study_within(const dcs_study_curves *curves, int evals, double limit);

/* How much a parameter matters: the best rate with its worst value over the best of all, less 1,
 * as a loss: 0.3 means that a wrong choice of it alone costs 30% of the rate, whatever else. */
double dcs_study_importance(const dcs_replay *replay, int param);

/* The best true time with parameter p at position v (INFINITY: none), and q at w unless q < 0. */
double dcs_study_best_at(const dcs_replay *replay, int p, int v, int q, int w);

#endif
