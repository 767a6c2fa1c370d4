#include "tuning/study/study.h"

#include "harness/base/folder.h"
#include "harness/base/interrupt.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_CONFIGS = 20 };
static const double NEAR = 0.02; /* of the best recorded: as good in practice */

/* ---- curves ---- */

static double best_truth(const dcs_replay *replay) {
  double best = INFINITY;
  for (int c = 0; c < replay->space.n; c++)
    best = fmin(best, dcs_replay_truth(replay, c));
  return best;
}

/* One search; what it had found counts on when it ends early. */
static dcs_status search_once(dcs_replay *replay, const dcs_strategy *strategy, int samples,
                              int seed, double best, dcs_study_curves *curves) {
  dcs_search search;
  dcs_budget budget = {curves->evals, INFINITY};
  dcs_status status =
      dcs_search_open(&replay->space, &replay->recording->subject, &replay->evaluator, samples,
                      (uint64_t)seed + 1, budget, &search);
  if (status == DCS_OK) {
    strategy->run(&search);
    status = search.status;
  }
  double regret = INFINITY;
  for (int e = 0; status == DCS_OK && e < curves->evals; e++) {
    int pick = e < search.n_evals ? search.picks[e] : -1;
    if (pick >= 0) regret = dcs_replay_truth(replay, pick) / best - 1;
    curves->regret[(size_t)e * DCS_STUDY_SEEDS + (size_t)seed] = regret;
  }
  dcs_search_close(&search);
  return status;
}

dcs_status dcs_study_strategy(const dcs_replay *replay, const dcs_strategy *strategy, int samples,
                              dcs_study_curves *curves) {
  int evals = replay->space.n;
  dcs_replay own = *replay;
  *curves = (dcs_study_curves){calloc((size_t)evals * DCS_STUDY_SEEDS, sizeof(double)), evals};
  if (!curves->regret) return dcs_fail(DCS_UNAVAILABLE, "no memory for a study");
  if (samples > replay->samples) samples = replay->samples;
  for (int seed = 0; seed < DCS_STUDY_SEEDS; seed++) {
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    DCS_TRY(search_once(&own, strategy, samples, seed, best_truth(replay), curves));
  }
  for (int e = 0; e < evals; e++)
    dcs_sort_values(curves->regret + (size_t)e * DCS_STUDY_SEEDS, DCS_STUDY_SEEDS);
  return DCS_OK;
}

double dcs_study_quantile(const dcs_study_curves *curves, int evals, double p) {
  const double *sorted = curves->regret + (size_t)(evals - 1) * DCS_STUDY_SEEDS;
  double at = p * (DCS_STUDY_SEEDS - 1);
  int below = (int)at;
  if (below + 1 >= DCS_STUDY_SEEDS || !isfinite(sorted[below + 1])) return sorted[below];
  return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

int dcs_study_within(const dcs_study_curves *curves, int evals, double limit) {
  const double *sorted = curves->regret + (size_t)(evals - 1) * DCS_STUDY_SEEDS;
  int n = 0;
  while (n < DCS_STUDY_SEEDS && sorted[n] <= limit)
    n++;
  return n;
}

/* ---- parameters ---- */

double dcs_study_best_at(const dcs_replay *replay, int p, int v, int q, int w) {
  double best = INFINITY;
  for (int c = 0; c < replay->space.n; c++) {
    const int *at = replay->space.position + (size_t)c * DCS_MAX_PARAMS;
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

/* ---- files ---- */

static void put_subject(dcs_csv *csv, const dcs_subject *s) {
  dcs_csv_text(csv, s->variant->id);
  dcs_csv_text(csv, s->machine);
  dcs_csv_text(csv, dcs_scope_name(s->scope));
  dcs_csv_integer(csv, s->atoms);
  dcs_csv_integer(csv, s->n.x);
  dcs_csv_integer(csv, s->n.y);
  dcs_csv_integer(csv, s->n.z);
  dcs_subject_put_within(csv, s);
}

static dcs_status open_table(dcs_csv *csv, const char *out, const char *name,
                             const char *const *columns) {
  static const char *const subject[] = {"variant", "machine", "scope",       "atoms",
                                        "nx",      "ny",      "nz",          "cutoff",
                                        "smooth",  "spacing", "evals_useful"};
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", out, name);
  DCS_TRY(dcs_csv_create(csv, path));
  for (size_t c = 0; c < sizeof subject / sizeof subject[0]; c++)
    dcs_csv_text(csv, subject[c]);
  for (; *columns; columns++)
    dcs_csv_text(csv, *columns);
  return dcs_csv_row(csv);
}

static dcs_status put_curves(dcs_csv *csv, const dcs_subject *s, const char *strategy,
                             const dcs_study_curves *curves) {
  for (int e = 1; e <= curves->evals; e++) {
    put_subject(csv, s);
    dcs_csv_text(csv, strategy);
    dcs_csv_integer(csv, e);
    dcs_csv_number(csv, (double)e / curves->evals);
    dcs_csv_number(csv, dcs_study_quantile(curves, e, 0.25));
    dcs_csv_number(csv, dcs_study_quantile(curves, e, 0.5));
    dcs_csv_number(csv, dcs_study_quantile(curves, e, 0.75));
    dcs_csv_integer(csv, dcs_study_within(curves, e, NEAR));
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

static dcs_status put_importance(dcs_csv *csv, const dcs_replay *replay) {
  const dcs_variant *variant = replay->space.variant;
  for (int p = 0; p < variant->n_params; p++) {
    put_subject(csv, &replay->recording->subject);
    dcs_csv_text(csv, variant->params[p].name);
    dcs_csv_integer(csv, replay->space.n_values[p]);
    dcs_csv_number(csv, dcs_study_importance(replay, p));
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

/* ---- the table ---- */

/* Evaluations after which the median regret is larger than random's. */
static int worse_than_random(const dcs_study_curves *curves, const dcs_study_curves *random) {
  int n = 0;
  for (int e = 1; e <= curves->evals; e++)
    n += dcs_study_quantile(curves, e, 0.5) > dcs_study_quantile(random, e, 0.5);
  return n;
}

static void print_header(void) {
  printf("%-16s %8s %-12s %-8s %7s %-11s %14s %17s %17s\n", "variant", "atoms", "grid", "cutoff",
         "configs", "strategy", "at 10%: regret", "seeds within 2%", "worse than random");
}

static void print_curves(const dcs_replay *replay, const dcs_study_curves *curves) {
  const dcs_subject *s = &replay->recording->subject;
  int tenth = curves[0].evals / 10, random = 0;
  char grid[64], within[DCS_TEXT];
  snprintf(grid, sizeof grid, "%lldx%lldx%lld", (long long)s->n.x, (long long)s->n.y,
           (long long)s->n.z);
  for (int k = 0; k < dcs_n_strategies; k++)
    if (strcmp(dcs_strategies[k].name, "random") == 0) random = k;
  for (int k = 0; k < dcs_n_strategies; k++)
    printf("%-16s %8lld %-12s %-8s %7d %-11s %13.2f%% %10d of %3d %8d of %5d\n", s->variant->id,
           (long long)s->atoms, grid, dcs_within_brief(s, within), curves[k].evals,
           dcs_strategies[k].name, 100 * dcs_study_quantile(&curves[k], tenth, 0.5),
           dcs_study_within(&curves[k], tenth, NEAR), DCS_STUDY_SEEDS,
           worse_than_random(&curves[k], &curves[random]), curves[k].evals);
}

/* ---- the whole ---- */

typedef struct {
  const char *out;
  int samples;
  dcs_csv study, importance;
} output;

static dcs_status study_one(output *o, const dcs_recorded_space *recording) {
  dcs_replay replay;
  dcs_study_curves curves[16] = {{0}}; /* one a strategy */
  dcs_status status = dcs_replay_open(recording, &replay);
  for (int k = 0; status == DCS_OK && k < dcs_n_strategies; k++) {
    status = dcs_study_strategy(&replay, &dcs_strategies[k], o->samples, &curves[k]);
    if (status == DCS_OK)
      status = put_curves(&o->study, &recording->subject, dcs_strategies[k].name, &curves[k]);
  }
  if (status == DCS_OK) status = put_importance(&o->importance, &replay);
  if (status == DCS_OK) print_curves(&replay, curves);
  if (status == DCS_OK) status = dcs_study_draw(&replay, curves, o->out);
  for (int k = 0; k < dcs_n_strategies; k++)
    free(curves[k].regret);
  dcs_replay_close(&replay);
  return status;
}

static dcs_status study_all(output *o, const dcs_journal *journal) {
  int n = 0;
  print_header();
  for (int r = 0; r < journal->n; r++) {
    const dcs_recorded_space *recording = &journal->list[r];
    if (recording->n < FEWEST_CONFIGS) {
      char within[DCS_TEXT];
      printf("%s, %lld atoms%s: left out: %d configurations; a study takes %d\n",
             recording->subject.variant->id, (long long)recording->subject.atoms,
             dcs_within_text(recording->subject.cutoff, recording->subject.smooth, within),
             recording->n, FEWEST_CONFIGS);
      continue;
    }
    DCS_TRY(study_one(o, recording));
    n++;
  }
  if (n > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "no recording has %d configurations; record one with `dcsbench tune "
                  "VARIANT --strategy exhaustive --journal FILE`",
                  FEWEST_CONFIGS);
}

dcs_status dcs_tune_study(const dcs_journal *journal, int samples, const char *out) {
  static const char *const study[] = {
      "strategy",           "evals", "share", "regret_q1", "regret_median", "regret_q3",
      "within_2pct_of_100", NULL};
  static const char *const importance[] = {"parameter", "values", "importance", NULL};
  output o = {.out = out, .samples = samples};
  DCS_TRY(dcs_make_folder(out));
  DCS_TRY(open_table(&o.study, out, "study.csv", study));
  dcs_status status = open_table(&o.importance, out, "importance.csv", importance);
  if (status == DCS_OK) status = study_all(&o, journal);
  dcs_csv *const files[] = {&o.study, &o.importance};
  for (int f = 0; f < 2; f++) {
    if (!files[f]->file.stream) continue;
    if (status == DCS_OK)
      status = dcs_csv_close(files[f]);
    else
      dcs_csv_abandon(files[f]);
  }
  return status;
}
