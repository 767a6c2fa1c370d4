/* Draws the figures of a run: writes the data and the script of each and lets gnuplot draw. */
#include "harness/figures/figures.h"

#include "harness/base/decimal.h"
#include "harness/base/embedded.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/figures/figure.h"
#include "harness/files/file.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 4096 };

static const struct {
  const char *kind; /* the one that it is about, "any" but external, or "asked": drawn where it is
                       named */
  const char *name;
  dcs_status (*data)(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
} figures[] = {
#define DCS_FIGURE(kind, name) {#kind, #name, dcs_figure_##name},
#include "harness/figures/figures.def"
};

/* Scripts that those of figures load. */
static const char *const shared[] = {"style", "panels", "legend", "crossover", "stacked", "key"};

/* ---- files ---- */

static dcs_status make_path(char path[MAX_PATH], const char *dir, const char *name,
                            const char *ending) {
  if (snprintf(path, MAX_PATH, "%s/%s%s", dir, name, ending) < MAX_PATH) return DCS_OK;
  return dcs_fail(DCS_INPUT, "the name of the run folder is longer than %d bytes", MAX_PATH - 40);
}

static dcs_status write_file(const char *dir, const char *name, const char *ending,
                             const char *text, size_t size) {
  char path[MAX_PATH];
  dcs_file file;
  DCS_TRY(make_path(path, dir, name, ending));
  DCS_TRY(dcs_file_create(&file, path));
  fwrite(text, 1, size, file.stream);
  return dcs_file_close(&file);
}

/* The script of plots/, with lines before it that say whose picture it draws ("": of none, a script
 * that others load). */
static dcs_status write_script(const char *dir, const char *script, const char *name,
                               const char *head) {
  char path[MAX_PATH];
  DCS_TRY(make_path(path, "plots", script, ".gp"));
  const char *body = dcs_embedded(path);
  char *text;
  if (!body) return dcs_fail(DCS_FAILED, "%s is not built into this program", path);
  if (asprintf(&text, "%s%s", head, body) < 0)
    return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure");
  dcs_status status = write_file(dir, name, ".gp", text, strlen(text));
  free(text);
  return status;
}

/* Its files': those of kinds but the first begin with the kind. */
static char *figure_name(const dcs_kind *kind, const char *script, char name[DCS_TEXT]) {
  const bool first = kind == dcs_kinds[0];
  snprintf(name, DCS_TEXT, "%s%s%s", first ? "" : kind->id, first ? "" : "_", script);
  return name;
}

/* Name of a figure and, for the labels of its axes, words of the kind. */
static void script_head(const dcs_kind *kind, const char *name, char head[4 * DCS_TEXT]) {
  snprintf(head, 4 * DCS_TEXT, "NAME = \"%s\"\nEVALS = \"%s\"\nALONG = \"%s\"\nACROSS = \"%s\"\n",
           name, kind->eval, kind->dimensions[0].values,
           kind->n_dimensions > 1 ? kind->dimensions[1].values : "");
}

/* ---- figures ---- */

/* The data of a figure as text, which the caller frees. */
static dcs_status make_data(const dcs_figure_run *run, size_t figure, char **text, size_t *size,
                            char why[DCS_TEXT]) {
  dcs_text_stream dat;
  *text = NULL;
  why[0] = '\0';
  DCS_TRY(dcs_text_begin(&dat));
  dcs_status status = figures[figure].data(run, dat.stream, why);
  dcs_status ended = dcs_text_end(&dat, text, size);
  return status == DCS_OK ? ended : status;
}

/* What is drawn, and where. */
typedef struct {
  const dcs_figures_options *o;
  char plots[MAX_PATH];
  bool missing; /* gnuplot */
} drawing;

static void say(const drawing *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const drawing *d, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (d->o->out) vfprintf(d->o->out, format, arguments);
  va_end(arguments);
}

/* Data, script and, where gnuplot is, the pictures. */
static dcs_status draw_data(drawing *d, const dcs_kind *kind, const char *script, const char *text,
                            size_t size) {
  const char *plots = d->plots;
  char name[DCS_TEXT], head[4 * DCS_TEXT];
  script_head(kind, figure_name(kind, script, name), head);
  DCS_TRY(write_file(plots, name, ".dat", text, size));
  DCS_TRY(write_script(plots, script, name, head));
  dcs_gnuplot_pictures pictures = DCS_GNUPLOT_MISSING;
  if (!d->missing) DCS_TRY(dcs_gnuplot(plots, name, &pictures));
  d->missing = pictures == DCS_GNUPLOT_MISSING;
  if (d->missing)
    say(d, "not drawn: %s/%s.dat and .gp\n", plots, name);
  else if (pictures == DCS_GNUPLOT_SVG)
    say(d, "drawn: %s/%s.svg; no PNG: this gnuplot has no terminal pngcairo\n", plots, name);
  else
    say(d, "drawn: %s/%s.png and .svg\n", plots, name);
  return DCS_OK;
}

static void say_missing(const drawing *d) {
  if (d->missing)
    say(d, "gnuplot is not on the PATH: install it (Debian, Ubuntu: apt install gnuplot-nox) and "
           "plot again\n");
}

static dcs_status draw_figure(drawing *d, const dcs_figure_run *run, size_t figure) {
  const char *script = figures[figure].name;
  char *text, why[DCS_TEXT], name[DCS_TEXT];
  size_t size;
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  dcs_status status = make_data(run, figure, &text, &size, why);
  figure_name(run->kind, script, name);
  if (status == DCS_OK && !why[0]) status = draw_data(d, run->kind, script, text, size);
  if (status == DCS_OK && why[0]) say(d, "skipped: %s: %s\n", name, why);
  if (status == DCS_OK && d->o->take)
    status = d->o->take(d->o->with, name, why[0] ? NULL : text, why);
  free(text);
  return status;
}

static bool is_drawn(size_t figure, const dcs_kind *kind, const char *only) {
  const char *of = figures[figure].kind;
  if (only && strcmp(figures[figure].name, only) != 0) return false;
  if (kind->made_of) return strcmp(of, kind->id) == 0;
  return strcmp(of, "any") == 0 || strcmp(of, only ? "asked" : kind->id) == 0 ||
         strcmp(of, kind->id) == 0;
}

static dcs_status draw_kind(drawing *d, const dcs_figure_run *run) {
  for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
    if (is_drawn(f, run->kind, d->o->only)) DCS_TRY(draw_figure(d, run, f));
  return DCS_OK;
}

static dcs_status begin(drawing *d) {
  DCS_TRY(make_path(d->plots, d->o->work, "plots", ""));
  DCS_TRY(dcs_make_folder(d->plots, 0777));
  for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++)
    DCS_TRY(write_script(d->plots, shared[s], shared[s], ""));
  return DCS_OK;
}

dcs_status dcs_figure_draw(const char *dir, const char *name, const char *data, size_t size,
                           FILE *out) {
  const dcs_figures_options options = {.work = dir, .out = out};
  drawing d = {.o = &options};
  DCS_TRY(begin(&d));
  DCS_TRY(draw_data(&d, dcs_kinds[0], name, data, size));
  say_missing(&d);
  return DCS_OK;
}

static dcs_status draw_all(drawing *d, dcs_figure_run *run) {
  DCS_TRY(begin(d));
  DCS_TRY(draw_kind(d, run));
  for (int k = 0; k < dcs_n_kinds; k++) {
    if (dcs_kinds[k] == run->kind || !dcs_figure_holds(run, dcs_kinds[k])) continue;
    DCS_TRY(dcs_figure_take(run, dcs_kinds[k]));
    DCS_TRY(draw_kind(d, run));
  }
  say_missing(d);
  return DCS_OK;
}

static dcs_status check_name(const char *only) {
  enum { N = sizeof figures / sizeof figures[0] };
  const char *names[N];
  for (size_t f = 0; f < N; f++) {
    names[f] = figures[f].name;
    if (strcmp(names[f], only) == 0) return DCS_OK;
  }
  char hint[DCS_TEXT];
  return dcs_fail(DCS_USAGE, "no figure is named \"%s\"%s", only,
                  dcs_did_you_mean(only, names, N, hint));
}

dcs_status dcs_figures(const dcs_figures_options *options) {
  dcs_figures_options o = *options;
  drawing d = {.o = &o};
  if (!o.work) o.work = o.dir;
  if (o.only) DCS_TRY(check_name(o.only));
  /* The data need a decimal point whatever the user's locale. */
  locale_t before = dcs_decimal_enter();
  dcs_figure_run run;
  dcs_status status = dcs_figure_load(&run, o.dir, o.reference);
  run.dir = o.work;
  if (status == DCS_OK) status = draw_all(&d, &run);
  dcs_figure_unload(&run);
  dcs_decimal_leave(before);
  return status;
}
