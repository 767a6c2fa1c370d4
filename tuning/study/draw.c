/* The figures of a study: data for the scripts landscape, importance and convergence. */
#include "tuning/study/draw.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- data ---- */

static void put_titles(FILE *dat, const dcs_replay *replay, const char *what) {
  const dcs_subject *s = &replay->recording->subject;
  char size[DCS_TEXT];
  dcs_figure_line(dat, "%s: %s on %s, scope %s", what, s->variant->id,
                  dcs_size_text(&s->size, size), dcs_scope_name(s->scope));
  dcs_figure_line(dat, "%s; %d configurations", s->machine, replay->space.n);
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
    dcs_figure_line(dat, "%s", replay->space.variant->params[params[i]].name);
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
  dcs_figure_line(dat, "%s", param->name);
  for (int v = 0; v < replay->space.n_values[p]; v++) {
    char text[32];
    fprintf(dat, "%d\t", v);
    dcs_figure_line(dat, "%s", dcs_format_value(param, replay->space.values[p][v], text));
  }
}

static void put_landscape(FILE *dat, const dcs_replay *replay, int p, int q) {
  const double work = replay->recording->subject.work;
  put_titles(dat, replay, "Landscape");
  put_axis(dat, replay, p);
  put_axis(dat, replay, q);
  dcs_figure_block(dat);
  for (int v = 0; v < replay->space.n_values[p]; v++)
    for (int w = 0; w < replay->space.n_values[q]; w++) {
      double time = dcs_study_best_at(replay, p, v, q, w);
      if (isfinite(time)) fprintf(dat, "%d\t%d\t%.9g\n", v, w, work / time);
    }
}

/* ---- figures ---- */

static dcs_status draw(dcs_text_stream *data, const char *dir, const char *name) {
  char *text;
  size_t size;
  DCS_TRY(dcs_text_end(data, &text, &size));
  dcs_status status = dcs_figure_draw(dir, name, text, size, stdout);
  free(text);
  return status;
}

static dcs_status draw_all(const dcs_replay *replay, const dcs_study_curves *curves,
                           const char *dir) {
  int params[DCS_MAX_PARAMS], n = by_importance(replay, params);
  dcs_text_stream data;
  DCS_TRY(dcs_text_begin(&data));
  put_convergence(data.stream, replay, curves);
  DCS_TRY(draw(&data, dir, "convergence"));
  if (n == 0) return DCS_OK;
  DCS_TRY(dcs_text_begin(&data));
  put_importance(data.stream, replay, params, n);
  DCS_TRY(draw(&data, dir, "importance"));
  if (n < 2) return DCS_OK;
  DCS_TRY(dcs_text_begin(&data));
  put_landscape(data.stream, replay, params[0], params[1]);
  return draw(&data, dir, "landscape");
}

/* VARIANT-SCOPE-ATOMS-GRID, with the problem and the spacing where they are not a matter of course.
 */
static dcs_status folder_of(const dcs_subject *s, const char *out, char dir[4096]) {
  char part[DCS_TEXT];
  snprintf(dir, 4096, "%s/%s-%s", out, s->variant->id, dcs_scope_name(s->scope));
  for (int d = 0; d < s->size.kind->n_dimensions; d++)
    dcs_append(dir, 4096, "-%s", dcs_dimension_text(&s->size, d, part));
  dcs_format_problem(s->size.kind, &s->size.config, part);
  dcs_append(dir, 4096, "%s%s", *part ? "-" : "", part);
  if (dcs_spacing_counts(&s->size)) dcs_append(dir, 4096, "-spacing=%g", s->spacing);
  return strlen(dir) < 4095 ? DCS_OK : dcs_fail(DCS_USAGE, "the name of the folder is too long");
}

dcs_status dcs_study_draw(const dcs_replay *replay, const dcs_study_curves *curves,
                          const char *out) {
  char dir[4096];
  DCS_TRY(folder_of(&replay->recording->subject, out, dir));
  /* The data need a decimal point whatever the user's locale. */
  locale_t before = dcs_decimal_enter();
  dcs_status status = draw_all(replay, curves, dir);
  dcs_decimal_leave(before);
  return status;
}
