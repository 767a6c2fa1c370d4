/* A front as a table, a file and a figure. */
#include "tuning/tuner/pareto.h"

#include "harness/base/decimal.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *unit, *least, *label, *columns[3];
} axes[] = {
    {"energy",
     "J",
     "takes the least energy",
     "energy of an output [J]",
     {"energy_j", "energy_lo_j", "energy_hi_j"}},
    {"error", "", "is the most accurate", "relative error", {"error", "error_lo", "error_hi"}}};

/* To two digits: kernels that round a little differently are equally accurate. */
static double rounded(double error) {
  if (!(error > 0)) return error;
  const double unit = pow(10, floor(log10(error)) - 1);
  return round(error / unit) * unit;
}

bool dcs_pareto_point_of(dcs_pareto_axis axis, const dcs_evaluation *e, double error,
                         dcs_pareto_point *point) {
  if (!e->known || !dcs_outcome_has_times(e->outcome) || e->n == 0) return false;
  double *times = calloc(2 * (size_t)e->n, sizeof *times), *energies = times + e->n;
  if (!times) return false;
  for (int i = 0; i < e->n; i++) {
    const dcs_spent spent = dcs_evaluation_spent(e, i);
    times[i] = spent.time_ns;
    energies[i] = spent.energy_j;
  }
  const bool known = !isnan(axis == DCS_PARETO_ENERGY ? energies[0] : error);
  const dcs_stats time = dcs_summarize(times, (size_t)e->n);
  const dcs_stats energy = dcs_summarize(energies, known ? (size_t)e->n : 0);
  point->at.x = dcs_measured_of(&time);
  point->at.y = axis == DCS_PARETO_ENERGY ? dcs_measured_of(&energy) : dcs_exactly(rounded(error));
  point->n = e->n;
  free(times);
  return known;
}

static int by_time(const void *left, const void *right) {
  const dcs_pareto_point *a = left, *b = right;
  return (a->at.x.value > b->at.x.value) - (a->at.x.value < b->at.x.value);
}

/* Variant and configuration; the problem behind them, where there may be several. */
static char *method_text(const dcs_pareto_point *p, char text[3 * DCS_TEXT]) {
  char config[DCS_TEXT], problem[DCS_TEXT];
  const dcs_size *size = &p->subject->size;
  dcs_format_problem(size->kind, &size->config, problem);
  snprintf(text, 3 * DCS_TEXT, "%s %s%s%s%s", p->subject->variant->id,
           dcs_format_config(p->subject->variant, p->config, config), *problem ? " (" : "", problem,
           *problem ? ")" : "");
  return text;
}

/* ---- the table ---- */

static dcs_size plain_size(const dcs_pareto_point *p) {
  dcs_size size = p->subject->size;
  size.config = dcs_initial_problem(size.kind);
  return size;
}

static void print_points(const dcs_pareto_point *list, int n, dcs_pareto_axis axis) {
  char text[3 * DCS_TEXT];
  printf("   %12s %23s %12s %23s %4s  %s\n", "ms", "95%", *axes[axis].unit ? "J" : "error", "95%",
         "n", "method");
  for (int i = 0; i < n; i++) {
    const dcs_pareto_point *p = &list[i];
    char time[64], other[64] = "";
    if (p->at.place == DCS_FRONT_BEHIND) continue;
    snprintf(time, sizeof time, "%.5g..%.5g", 1e-6 * p->at.x.lo, 1e-6 * p->at.x.hi);
    if (axis == DCS_PARETO_ENERGY)
      snprintf(other, sizeof other, "%.4g..%.4g", p->at.y.lo, p->at.y.hi);
    printf(" %c %12.5g %23s %12.4g %23s %4d  %s\n", p->at.place == DCS_FRONT_ON ? '*' : '=',
           1e-6 * p->at.x.value, time, p->at.y.value, other, p->n, method_text(p, text));
  }
}

/* The ends of the front in a sentence. */
static void print_ends(const dcs_pareto_point *list, int n, dcs_pareto_axis axis) {
  char text[3 * DCS_TEXT];
  const dcs_pareto_point *least = &list[0];
  for (int i = 1; i < n; i++)
    if (list[i].at.place == DCS_FRONT_ON && list[i].at.y.value < least->at.y.value)
      least = &list[i];
  if (least == &list[0]) {
    printf("%s is the fastest and %s\n", method_text(least, text), axes[axis].least);
    return;
  }
  printf("%s is the fastest\n", method_text(&list[0], text));
  printf("%s %s: %.3g times as much time for %.3g times the %s\n", method_text(least, text),
         axes[axis].least, least->at.x.value / list[0].at.x.value,
         least->at.y.value / list[0].at.y.value, axes[axis].name);
}

static void print_front(const dcs_pareto_point *list, int n, dcs_pareto_axis axis) {
  const dcs_size size = plain_size(&list[0]);
  char text[DCS_TEXT];
  int places[3] = {0};
  for (int i = 0; i < n; i++)
    places[list[i].at.place]++;
  printf("time against %s, %s, scope %s, %s: %d on the front (*), %d cannot be told from it (=), "
         "%d behind\n",
         axes[axis].name, dcs_size_text(&size, text), dcs_scope_name(list[0].subject->scope),
         list[0].subject->machine, places[DCS_FRONT_ON], places[DCS_FRONT_TIED],
         places[DCS_FRONT_BEHIND]);
  print_points(list, n, axis);
  print_ends(list, n, axis);
}

/* ---- pareto.csv ---- */

static dcs_status put_rows(dcs_csv *csv, const dcs_pareto_point *list, int n,
                           dcs_pareto_axis axis) {
  static const char *const columns[] = DCS_NAMES("config", "n", "time_ns", "ci_lo_ns", "ci_hi_ns");
  dcs_subject_put_columns(csv);
  dcs_csv_names(csv, columns);
  for (int c = 0; c < 3; c++)
    dcs_csv_text(csv, axes[axis].columns[c]);
  dcs_csv_text(csv, "place");
  DCS_TRY(dcs_csv_row(csv));
  for (int i = 0; i < n; i++) {
    const dcs_pareto_point *p = &list[i];
    char config[DCS_TEXT];
    dcs_subject_put(csv, p->subject);
    dcs_csv_text(csv, dcs_format_config(p->subject->variant, p->config, config));
    DCS_CSV_NUMBERS(csv, p->n, p->at.x.value, p->at.x.lo, p->at.x.hi, p->at.y.value, p->at.y.lo,
                    p->at.y.hi);
    dcs_csv_text(csv, dcs_front_place_name(p->at.place));
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

static dcs_status write_rows(const dcs_pareto_point *list, int n,
                             const dcs_pareto_options *pareto) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_make_folder(pareto->out, 0777));
  DCS_TRY(dcs_path_in(pareto->out, "pareto.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, put_rows(&csv, list, n, pareto->axis));
}

/* ---- the figure ---- */

static void put_point(FILE *dat, const dcs_pareto_point *p) {
  const dcs_front_point *at = &p->at;
  char config[DCS_TEXT];
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t", 1e-6 * at->x.value, at->y.value,
          1e-6 * at->x.lo, 1e-6 * at->x.hi, at->y.lo, at->y.hi);
  dcs_figure_method_texts(dat, p->subject->variant->id,
                          dcs_format_config(p->subject->variant, p->config, config), "");
}

/* Those of the front in one series, then a series for each variant. */
static void put_series(FILE *dat, const dcs_pareto_point *list, int n) {
  dcs_figure_series(dat, "front");
  for (int i = 0; i < n; i++)
    if (list[i].at.place == DCS_FRONT_ON) put_point(dat, &list[i]);
  for (int v = 0; v < dcs_n_variants; v++) {
    bool named = false;
    for (int i = 0; i < n; i++) {
      if (list[i].subject->variant != dcs_variants[v]) continue;
      if (!named) dcs_figure_series(dat, "%s", dcs_variants[v]->id);
      named = true;
      put_point(dat, &list[i]);
    }
  }
}

static dcs_status draw(const dcs_pareto_point *list, int n, const dcs_pareto_options *pareto) {
  const dcs_size size = plain_size(&list[0]);
  dcs_text_stream dat;
  char *data = NULL, text[DCS_TEXT];
  size_t bytes = 0;
  DCS_TRY(dcs_text_begin(&dat));
  dcs_figure_line(dat.stream, "Time against %s: %s, scope %s", axes[pareto->axis].name,
                  dcs_size_text(&size, text), dcs_scope_name(list[0].subject->scope));
  dcs_figure_line(dat.stream, "%s", list[0].subject->machine);
  dcs_figure_series(dat.stream, "%s", axes[pareto->axis].label);
  put_series(dat.stream, list, n);
  dcs_status status = dcs_text_end(&dat, &data, &bytes);
  if (status == DCS_OK) status = dcs_figure_draw(pareto->out, "pareto", data, bytes, stdout);
  free(data);
  return status;
}

dcs_status dcs_pareto_show(dcs_pareto_point *list, int n, const dcs_pareto_options *pareto) {
  if (n == 0) return dcs_fail(DCS_FAILED, "no configuration gave a right result and a time");
  qsort(list, (size_t)n, sizeof *list, by_time);
  dcs_front_find(list, n, sizeof *list);
  print_front(list, n, pareto->axis);
  if (!pareto->out) return DCS_OK;
  DCS_TRY(write_rows(list, n, pareto));
  const locale_t before = dcs_decimal_enter();
  dcs_status status = draw(list, n, pareto);
  dcs_decimal_leave(before);
  return status;
}
