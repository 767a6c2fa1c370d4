#include "tuning/study/study.h"

#include "harness/files/folder.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_CONFIGS = 20 };
static const double NEAR = 0.02; /* of the best recorded: as good in practice */

/* ---- files ---- */

static dcs_status open_table(dcs_csv *csv, const char *out, const char *name,
                             const char *const *columns) {
  char path[4096];
  DCS_TRY(dcs_path_in(out, name, path));
  DCS_TRY(dcs_csv_create(csv, path));
  dcs_subject_put_columns(csv);
  return dcs_csv_header(csv, columns);
}

static dcs_status put_curves(dcs_csv *csv, const dcs_replay *replay, const char *strategy,
                             const dcs_study_curves *curves) {
  for (int e = 1; e <= curves->evals; e++) {
    dcs_subject_put(csv, &replay->recording->subject);
    dcs_csv_text(csv, strategy);
    DCS_CSV_NUMBERS(csv, e, (double)e / replay->space.n, dcs_study_quantile(curves, e, 0.25),
                    dcs_study_quantile(curves, e, 0.5), dcs_study_quantile(curves, e, 0.75),
                    dcs_study_within(curves, e, NEAR) * DCS_STUDY_SEEDS / curves->seeds);
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

static dcs_status put_importance(dcs_csv *csv, const dcs_replay *replay) {
  const dcs_variant *variant = replay->space.variant;
  for (int p = 0; p < variant->n_params; p++) {
    dcs_subject_put(csv, &replay->recording->subject);
    dcs_csv_text(csv, variant->params[p].name);
    DCS_CSV_NUMBERS(csv, replay->space.n_values[p], dcs_study_importance(replay, p));
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
  printf("%-18s %-26s %7s %-11s %14s %17s %17s\n", "variant", "size", "configs", "strategy",
         "at 10%: regret", "seeds within 2%", "worse than random");
}

static void print_curves(const dcs_replay *replay, const dcs_study_curves *curves) {
  const dcs_subject *s = &replay->recording->subject;
  int tenth = replay->space.n / 10, random = 0;
  if (tenth > curves[0].evals) tenth = curves[0].evals;
  char size[DCS_TEXT];
  for (int k = 0; k < dcs_n_strategies; k++)
    if (strcmp(dcs_strategies[k].name, "random") == 0) random = k;
  for (int k = 0; k < dcs_n_strategies; k++)
    printf("%-18s %-26s %7d %-11s %13.2f%% %10d of %3d %8d of %5d\n", s->variant->id,
           dcs_size_text(&s->size, size), replay->space.n, dcs_strategies[k].name,
           100 * dcs_study_quantile(&curves[k], tenth, 0.5),
           dcs_study_within(&curves[k], tenth, NEAR), curves[k].seeds,
           worse_than_random(&curves[k], &curves[random]), curves[k].evals);
}

/* ---- the whole ---- */

typedef struct {
  const char *out;
  int samples;
  dcs_csv study, regret, importance;
  dcs_progress progress;
} output;

static dcs_status study_one(output *o, const dcs_recorded_space *recording) {
  dcs_replay replay;
  dcs_study_curves curves[16] = {{0}}; /* one a strategy */
  dcs_status status = dcs_replay_open(recording, &replay);
  for (int k = 0; status == DCS_OK && k < dcs_n_strategies; k++) {
    status = dcs_study_strategy(&replay, &dcs_strategies[k], o->samples, &o->progress, &curves[k]);
    if (status == DCS_OK)
      status = put_curves(&o->study, &replay, dcs_strategies[k].name, &curves[k]);
    if (status == DCS_OK)
      status = dcs_study_put_regret(&o->regret, &replay, dcs_strategies[k].name, &curves[k]);
  }
  dcs_progress_clear(&o->progress);
  if (status == DCS_OK) status = put_importance(&o->importance, &replay);
  if (status == DCS_OK) print_curves(&replay, curves);
  if (status == DCS_OK) dcs_study_print_regret(curves);
  if (status == DCS_OK) status = dcs_study_draw(&replay, curves, o->out);
  for (int k = 0; k < dcs_n_strategies; k++)
    free(curves[k].regret);
  dcs_replay_close(&replay);
  return status;
}

static bool has_times(const dcs_recorded_space *recording) {
  for (int c = 0; c < recording->n; c++)
    if (dcs_outcome_has_times(recording->evaluations[c].outcome)) return true;
  return false;
}

/* Why nothing can be learned from it; NULL: it can. */
static const char *why_left_out(const dcs_recorded_space *recording, char text[DCS_TEXT]) {
  if (recording->n >= FEWEST_CONFIGS && has_times(recording)) return NULL;
  if (recording->n >= FEWEST_CONFIGS)
    snprintf(text, DCS_TEXT, "none of %d configurations has a time", recording->n);
  else
    snprintf(text, DCS_TEXT, "%d configurations; a study takes %d", recording->n, FEWEST_CONFIGS);
  return text;
}

static dcs_status study_all(output *o, const dcs_journal *journal) {
  int n = 0;
  print_header();
  for (int r = 0; r < journal->n; r++) {
    const dcs_recorded_space *recording = &journal->list[r];
    char text[DCS_TEXT], size[DCS_TEXT];
    const char *why = why_left_out(recording, text);
    if (why) {
      printf("%s on %s: left out: %s\n", recording->subject.variant->id,
             dcs_size_text(&recording->subject.size, size), why);
      continue;
    }
    DCS_TRY(study_one(o, recording));
    n++;
  }
  if (n > 0) return DCS_OK;
  return dcs_fail(
      DCS_INPUT,
      "no recording has %d configurations, one with a time; record one with `dcsbench tune "
      "VARIANT --strategy exhaustive --journal FILE`",
      FEWEST_CONFIGS);
}

dcs_status dcs_tune_study(const dcs_journal *journal, int samples, const char *out) {
  static const char *const study[] = {
      "strategy",           "evals", "share", "regret_q1", "regret_median", "regret_q3",
      "within_2pct_of_100", NULL};
  static const char *const regret[] = DCS_NAMES("configurations", "strategy", "evals", "seeds",
                                                "regret_mean", "regret_lo", "regret_hi");
  static const char *const importance[] = DCS_NAMES("parameter", "values", "importance");
  output o = {.out = out, .samples = samples, .progress = dcs_progress_start()};
  DCS_TRY(dcs_make_folder(out, 0777));
  dcs_status status = open_table(&o.study, out, "study.csv", study);
  if (status == DCS_OK) status = open_table(&o.importance, out, "importance.csv", importance);
  if (status == DCS_OK) status = open_table(&o.regret, out, "regret.csv", regret);
  if (status == DCS_OK) status = study_all(&o, journal);
  dcs_csv *const files[] = {&o.study, &o.regret, &o.importance};
  for (int f = 0; f < 3; f++)
    if (files[f]->file.stream) status = dcs_csv_finish(files[f], status);
  return status;
}
