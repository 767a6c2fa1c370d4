/* The strategies held against each other on recorded spaces, without a machine. */
#ifndef DCS_TUNE_STUDY_H
#define DCS_TUNE_STUDY_H

#include "harness/base/progress.h"
#include "tuning/journal/journal.h"

/* Replays every strategy with 100 seeds on every recording, once where it draws nothing; writes
 * study.csv, regret.csv and importance.csv into `out` (made where it is missing), the figures into
 * a folder there for each recording, and prints a table. A recording of fewer than 20
 * configurations is left out, with a line that says so; DCS_INPUT when none is left. */
dcs_status dcs_tune_study(const dcs_journal *journal, int samples, const char *out);

/* ---- a recorded space in the place of a machine (replay.c) ---- */

typedef struct {
  dcs_evaluator evaluator; /* n samples are the first n that were recorded, or all there are */
  dcs_space space;         /* what was recorded, and nothing else */
  const dcs_recorded_space *recording;
  int samples;   /* the fewest that an ok configuration has: a search may not ask for more */
  int *recorded; /* of each configuration of the space: its index in the recording */
} dcs_replay;

/* The same seed gives the same search. The recording must outlive it. Free with dcs_replay_close(),
 * whatever the status. */
dcs_status dcs_replay_open(const dcs_recorded_space *recording, dcs_replay *replay);
void dcs_replay_close(dcs_replay *replay);

/* The median of all recorded samples; INFINITY for a failure. */
double dcs_replay_truth(const dcs_replay *replay, int config);

/* ---- what the strategies find, and what parameters matter (curves.c) ---- */

enum {
  DCS_STUDY_SEEDS = 100,
  DCS_STUDY_EVALS = 400 /* of a search at most: what is left of a larger space tells nothing new */
};

/* What a search had found after so many evaluations: its true time over that of the best recorded,
 * less 1; INFINITY before the first that is ok. */
typedef struct {
  double *regret; /* [evals * seeds + seed], evals from 0: after the first */
  int seeds;      /* DCS_STUDY_SEEDS, or 1 where the search drew nothing: it is the same with all */
  int evals;      /* as many as configurations were recorded, but no more than DCS_STUDY_EVALS */
  double worst;   /* of the slowest that is ok */
} dcs_study_curves;

/* progress shows how many seeds are done. The caller frees curves->regret. */
dcs_status dcs_study_strategy(const dcs_replay *replay, const dcs_strategy *strategy, int samples,
                              dcs_progress *progress, dcs_study_curves *curves);

/* The p-quantile over the seeds after so many evaluations (1 or more), and in how many of them the
 * regret is at most `limit`. */
double dcs_study_quantile(const dcs_study_curves *curves, int evals, double p);
int dcs_study_within(const dcs_study_curves *curves, int evals, double limit);

/* How much a parameter matters: the best rate with its worst value over the best of all, less 1,
 * as a loss: 0.3 means that a wrong choice of it alone costs 30% of the rate, whatever else. */
double dcs_study_importance(const dcs_replay *replay, int param);

/* The best true time with parameter p at position v (INFINITY: none), and q at w unless q < 0. */
double dcs_study_best_at(const dcs_replay *replay, int p, int v, int q, int w);

/* ---- mean regret (regret.c) ---- */

/* The mean over the seeds and its 95% interval; of one seed there is none: NaN. */
typedef struct {
  double value, lo, hi;
} dcs_study_mean;

/* After so many evaluations (1 or more). A search that found nothing so far counts as one that
 * found the slowest. */
dcs_study_mean dcs_study_regret(const dcs_study_curves *curves, int evals);

/* Rows of regret.csv, after 10, 30 and 100 evaluations; the same as a table, of curves[s] of
 * dcs_strategies[s]. */
dcs_status dcs_study_put_regret(dcs_csv *csv, const dcs_replay *replay, const char *strategy,
                                const dcs_study_curves *curves);
void dcs_study_print_regret(const dcs_study_curves *curves);

/* ---- its figures (draw.c) ---- */

/* Draws landscape, importance, convergence and regret of one recording into a folder of `out`;
 * curves[s] are those of dcs_strategies[s]. A line a figure is printed. */
dcs_status dcs_study_draw(const dcs_replay *replay, const dcs_study_curves *curves,
                          const char *out);

#endif
