/* The figures of a study: data for the scripts landscape, importance and convergence. */
#include "tuning/study/study.h"

#include "harness/base/decimal.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"

#include <math.h>
#include <stdlib.h>

/* ---- data ---- */

static void put_titles(FILE *dat, const dcs_replay *replay, const char *what) {
  const dcs_subject *s = &replay->recording->subject;
  char text[4 * DCS_TEXT], within[DCS_TEXT];
  snprintf(text, sizeof text, "%s: %s on %lldx%lldx%lld, %lld atoms%s, scope %s", what,
           s->variant->id, (long long)s->n.x, (long long)s->n.y, (long long)s->n.z,
           (long long)s->atoms, dcs_within_text(s->cutoff, s->smooth, within),
           dcs_scope_name(s->scope));
  dcs_figure_text(dat, text, 1);
  fputc('\n', dat);
  snprintf(text, sizeof text, "%s; %d configurations", s->machine, replay->space.n);
  dcs_figure_text(dat, text, 1);
  fputc('\n', dat);
}

static void put_convergence(FILE *dat, const dcs_replay *replay, const dcs_study_curves *curves) {
  put_titles(dat, replay, "Convergence of the strategies");
  for (int k = 0; k < dcs_n_strategies; k++) {
    dcs_figure_series(dat, "%s", dcs_strategies[k].name);
    for (int e = 1; e <= curves[k].evals; e++) {
      double median = dcs_study_quantile(&curves[k], e, 0.5);
      double upper = dcs_study_quantile(&curves[k], e, 0.75);
      if (!isfinite(median) || !isfinite(upper)) continue;
      fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\n", 100.0 * e / curves[k].evals, 100 * median,
              100 * dcs_study_quantile(&curves[k], e, 0.25), 100 * upper);
    }
  }
}

/* Parameters of more than one value, the most important first; returns how many. */
static int by_importance(const dcs_replay *replay, int *params) {
  int n = 0;
  for (int p = 0; p < replay->space.variant->n_params; p++) {
    if (replay->space.n_values[p] < 2) continue;
    int at = n++;
    for (; at > 0 && dcs_study_importance(replay, p) > dcs_study_importance(replay, params[at - 1]);
         at--)
      params[at] = params[at - 1];
    params[at] = p;
  }
  return n;
}

static void put_importance(FILE *dat, const dcs_replay *replay, const int *params, int n) {
  put_titles(dat, replay, "Importance of each parameter");
  dcs_figure_block(dat);
  for (int i = 0; i < n; i++) {
    fprintf(dat, "%d\t", n - i);
    dcs_figure_text(dat, replay->space.variant->params[params[i]].name, 1);
    fputc('\n', dat);
  }
  dcs_figure_block(dat);
  for (int i = 0; i < n; i++)
    fprintf(dat, "%d\t%.9g\n", n - i, 100 * dcs_study_importance(replay, params[i]));
}

/* The name of the parameter, then its values. */
static void put_axis(FILE *dat, const dcs_replay *replay, int p) {
  const dcs_param *param = &replay->space.variant->params[p];
  dcs_figure_block(dat);
  fputs("-1\t", dat);
  dcs_figure_text(dat, param->name, 1);
  for (int v = 0; v < replay->space.n_values[p]; v++) {
    char text[32];
    int value = replay->space.values[p][v];
    snprintf(text, sizeof text, "%d", value);
    fprintf(dat, "\n%d\t", v);
    dcs_figure_text(dat, param->labels ? param->labels[value - param->lo] : text, 1);
  }
  fputc('\n', dat);
}

static void put_landscape(FILE *dat, const dcs_replay *replay, int p, int q) {
  const dcs_subject *s = &replay->recording->subject;
  double evals = dcs_subject_evals(s);
  put_titles(dat, replay, "Landscape");
  put_axis(dat, replay, p);
  put_axis(dat, replay, q);
  dcs_figure_block(dat);
  for (int v = 0; v < replay->space.n_values[p]; v++)
    for (int w = 0; w < replay->space.n_values[q]; w++) {
      double time = dcs_study_best_at(replay, p, v, q, w);
      if (isfinite(time)) fprintf(dat, "%d\t%d\t%.9g\n", v, w, evals / time);
    }
}

/* ---- figures ---- */

typedef struct {
  FILE *file;
  char *text;
  size_t size;
} buffer;

static dcs_status begin(buffer *b) {
  *b = (buffer){0};
  b->file = open_memstream(&b->text, &b->size);
  return b->file ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure");
}

static dcs_status draw(buffer *b, const char *dir, const char *name) {
  bool failed = ferror(b->file) != 0;
  if (fclose(b->file) != 0) failed = true;
  dcs_status status = failed ? dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure")
                             : dcs_figure_draw(dir, name, b->text, b->size, stdout);
  free(b->text);
  return status;
}

static dcs_status draw_all(const dcs_replay *replay, const dcs_study_curves *curves,
                           const char *dir) {
  int params[DCS_MAX_PARAMS], n = by_importance(replay, params);
  buffer b;
  DCS_TRY(begin(&b));
  put_convergence(b.file, replay, curves);
  DCS_TRY(draw(&b, dir, "convergence"));
  if (n == 0) return DCS_OK;
  DCS_TRY(begin(&b));
  put_importance(b.file, replay, params, n);
  DCS_TRY(draw(&b, dir, "importance"));
  if (n < 2) return DCS_OK;
  DCS_TRY(begin(&b));
  put_landscape(b.file, replay, params[0], params[1]);
  return draw(&b, dir, "landscape");
}

dcs_status dcs_study_draw(const dcs_replay *replay, const dcs_study_curves *curves,
                          const char *out) {
  const dcs_subject *s = &replay->recording->subject;
  char dir[4096], within[DCS_TEXT] = "";
  if (s->cutoff > 0)
    snprintf(within, sizeof within, "-cutoff%g-%s-spacing%g", s->cutoff,
             dcs_smooth_names[s->smooth], s->spacing);
  if (snprintf(dir, sizeof dir, "%s/%s-%s-%lld-%lldx%lldx%lld%s", out, s->variant->id,
               dcs_scope_name(s->scope), (long long)s->atoms, (long long)s->n.x, (long long)s->n.y,
               (long long)s->n.z, within) >= (int)sizeof dir)
    return dcs_fail(DCS_USAGE, "the name of the folder is too long");
  /* The data need a decimal point whatever the user's locale. */
  locale_t before = dcs_decimal_enter();
  dcs_status status = draw_all(replay, curves, dir);
  dcs_decimal_leave(before);
  return status;
}
