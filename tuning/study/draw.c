/* The figures of a study: data for the scripts landscape, importance, convergence and regret. */
#include "tuning/study/study.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is drawn. */
typedef struct {
  const dcs_replay *replay;
  const dcs_study_curves *curves;
  int params[DCS_MAX_PARAMS], n; /* of more than one value, the most important first */
} drawing;

/* ---- data ---- */

static void put_titles(FILE *dat, const dcs_replay *replay, const char *what) {
  const dcs_subject *s = &replay->recording->subject;
  char size[DCS_TEXT];
  const bool sized = *dcs_size_text(&s->size, size) != '\0'; /* not of other tuners' results */
  dcs_figure_line(dat, "%s: %s%s%s, scope %s", what, s->variant->id, sized ? " on " : "", size,
                  dcs_scope_name(s->scope));
  dcs_figure_line(dat, "%s%s%d configurations", s->machine, *s->machine ? "; " : "",
                  replay->space.n);
}

static void put_convergence(FILE *dat, const drawing *d) {
  put_titles(dat, d->replay, "Convergence of the strategies");
  for (int k = 0; k < dcs_n_strategies; k++) {
    const dcs_study_curves *curves = &d->curves[k];
    dcs_figure_series(dat, "%s", dcs_strategies[k].name);
    for (int e = 1; e <= curves->evals; e++) {
      double median = dcs_study_quantile(curves, e, 0.5);
      double upper = dcs_study_quantile(curves, e, 0.75);
      if (!isfinite(median) || !isfinite(upper)) continue;
      fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\n", 100.0 * e / d->replay->space.n, 100 * median,
              100 * dcs_study_quantile(curves, e, 0.25), 100 * upper);
    }
  }
}

static void put_regret(FILE *dat, const drawing *d) {
  put_titles(dat, d->replay, "Mean regret of the strategies");
  for (int k = 0; k < dcs_n_strategies; k++) {
    const dcs_study_curves *curves = &d->curves[k];
    dcs_figure_series(dat, "%s", dcs_strategies[k].name);
    for (int e = 1; e <= curves->evals; e++) {
      const dcs_study_mean mean = dcs_study_regret(curves, e);
      const bool any = !isnan(mean.lo); /* else the band is the line */
      fprintf(dat, "%d\t%.9g\t%.9g\t%.9g\n", e, 100 * mean.value,
              100 * (any ? mean.lo : mean.value), 100 * (any ? mean.hi : mean.value));
    }
  }
}

static void put_importance(FILE *dat, const drawing *d) {
  put_titles(dat, d->replay, "Importance of each parameter");
  dcs_figure_block(dat);
  for (int i = 0; i < d->n; i++) {
    fprintf(dat, "%d\t", d->n - i);
    dcs_figure_line(dat, "%s", d->replay->space.variant->params[d->params[i]].name);
  }
  dcs_figure_block(dat);
  for (int i = 0; i < d->n; i++)
    fprintf(dat, "%d\t%.9g\n", d->n - i, 100 * dcs_study_importance(d->replay, d->params[i]));
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

static void put_landscape(FILE *dat, const drawing *d) {
  const dcs_replay *replay = d->replay;
  const int p = d->params[0], q = d->params[1];
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

static void order_params(drawing *d) {
  const dcs_replay *replay = d->replay;
  for (int p = 0; p < replay->space.variant->n_params; p++) {
    if (replay->space.n_values[p] < 2) continue;
    const double own = dcs_study_importance(replay, p);
    int at = d->n++;
    for (; at > 0 && own > dcs_study_importance(replay, d->params[at - 1]); at--)
      d->params[at] = d->params[at - 1];
    d->params[at] = p;
  }
}

static dcs_status draw_all(const drawing *d, const char *dir) {
  static const struct {
    const char *name;
    void (*put)(FILE *dat, const drawing *d);
  } figures[] = {{"regret", put_regret},
                 {"convergence", put_convergence}, /* each takes one parameter more */
                 {"importance", put_importance},
                 {"landscape", put_landscape}};
  for (int f = 0; f < 4 && f <= d->n + 1; f++) {
    dcs_text_stream data;
    char *text;
    size_t size;
    DCS_TRY(dcs_text_begin(&data));
    figures[f].put(data.stream, d);
    DCS_TRY(dcs_text_end(&data, &text, &size));
    dcs_status status = dcs_figure_draw(dir, figures[f].name, text, size, stdout);
    free(text);
    DCS_TRY(status);
  }
  return DCS_OK;
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
  drawing d = {.replay = replay, .curves = curves};
  char dir[4096];
  DCS_TRY(folder_of(&replay->recording->subject, out, dir));
  /* The data need a decimal point whatever the user's locale. */
  locale_t before = dcs_decimal_enter();
  order_params(&d);
  dcs_status status = draw_all(&d, dir);
  dcs_decimal_leave(before);
  return status;
}
