/* The strategies held against each other on recorded spaces. */
#ifndef DCS_TUNE_STUDY_H
#define DCS_TUNE_STUDY_H

#include "tuning/study/replay.h"

/* Replays every strategy with 100 seeds on every recording; writes study.csv and importance.csv
 * into `out` (made where it is missing), the figures into a folder there for each recording, and
 * prints a table. A recording of fewer than 20 configurations is left out, with a line that says
 * so; DCS_INPUT when none is left. */
dcs_status dcs_tune_study(const dcs_journal *journal, int samples, const char *out);

/* ---- the parts ---- */

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

/* Draws landscape, importance and convergence of one recording into a folder of `out`; curves[s]
 * are those of dcs_strategies[s]. A line a figure is printed. */
dcs_status dcs_study_draw(const dcs_replay *replay, const dcs_study_curves *curves,
                          const char *out);

#endif
