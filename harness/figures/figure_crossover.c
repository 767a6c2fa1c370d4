/* Figures of thresholds along a dimension: a panel for each, with the times of both methods. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A size of a panel: a row of winners.csv. */
typedef struct {
  double x; /* along the dimension; first, for dcs_by_value() */
  dcs_size size;
  size_t row;
  bool exchanged; /* a there is b in the panel */
  bool lacks;     /* a method */
} panel_size;

typedef struct {
  const dcs_figure_thresholds *t;
  dcs_figure_panels chosen;
  int along;         /* dimension */
  bool system;       /* of systems that grow in both */
  panel_size *sizes; /* room for all rows of winners.csv */
  size_t n;
  dcs_status status;
} panels;

enum { FEWEST_SIZES = 2 };

/* ---- the sizes of a panel ---- */

static bool is_fixed_at(const panels *p, size_t threshold, size_t winner, const dcs_size *size) {
  const char *shape = dcs_table_text(p->t->thresholds, threshold, "shape");
  const char *fixed = dcs_table_text(p->t->thresholds, threshold, "fixed");
  char own[64] = "";
  if (p->t->run->kind->n_dimensions > 1) dcs_dimension_text(size, !p->along, own);
  return (p->system ? dcs_same_density(strtod(fixed, NULL), dcs_density_of(size))
                    : strcmp(fixed, own) == 0) &&
         (!*shape || strcmp(shape, dcs_table_text(p->t->winners, winner, "shape_slices")) == 0 ||
          strcmp(shape, dcs_table_text(p->t->winners, winner, "shape_multiples")) == 0);
}

/* The column of the panel's method b (or a) in winners.csv. */
static const char *own_entry(const panels *p, const panel_size *at, bool b, const char *of_a,
                             const char *of_b) {
  return dcs_table_text(p->t->winners, at->row, b != at->exchanged ? of_b : of_a);
}

/* Whether the run tried the variant at the size, in the panel's scope; on the CPU, kernel. */
static bool was_tried(const panels *p, const panel_size *at, const char *variant) {
  const dcs_figure_run *run = p->t->run;
  dcs_figure_pick pick = dcs_figure_any;
  const dcs_figure_row *row = NULL;
  const char *scope = dcs_table_text(p->t->winners, at->row, "scope");
  if (!dcs_figure_pick_size(run, &at->size, &pick)) return false;
  pick.problem = DCS_FIGURE_ANY;
  while ((row = dcs_figure_next(run, &pick, row)))
    if (strcmp(row->of->variant, variant) == 0 &&
        (row->of->backend == DCS_CPU || strcmp(dcs_scope_name(row->of->scope), scope) == 0))
      return true;
  return false;
}

/* Whether a variant that is the best at a neighbouring size was not tried at this one: what is the
 * best here says little then. */
static bool lacks_method(const panels *p, size_t i) {
  for (size_t k = i ? i - 1 : 0; k <= i + 1 && k < p->n; k++)
    for (int b = 0; b < 2; b++)
      if (!was_tried(p, &p->sizes[i], own_entry(p, &p->sizes[k], b == 1, "variant_a", "variant_b")))
        return true;
  return false;
}

/* False where there are too few to draw; a status where there is none at all. */
static bool take_sizes(void *with, size_t threshold) {
  panels *p = with;
  size_t kept = 0;
  p->n = 0;
  for (size_t row = 0; row < dcs_table_rows(p->t->winners); row++) {
    panel_size at = {.row = row};
    if (!dcs_figure_winner(p->t, threshold, row, &at.size, &at.exchanged) ||
        !is_fixed_at(p, threshold, row, &at.size))
      continue;
    at.x = dcs_along(&at.size, p->along);
    p->sizes[p->n++] = at;
  }
  if (p->n == 0 && p->status == DCS_OK) p->status = dcs_figure_no_winner(p->t, threshold);
  qsort(p->sizes, p->n, sizeof *p->sizes, dcs_by_value);
  for (size_t i = 0; i < p->n; i++)
    p->sizes[i].lacks = lacks_method(p, i);
  for (size_t i = 0; i < p->n; i++)
    if (!p->sizes[i].lacks) p->sizes[kept++] = p->sizes[i];
  p->n = kept;
  return kept >= FEWEST_SIZES;
}

/* ---- what is written ---- */

/* "512x512x4, scope first", or with a problem "cutoff=12, 512x512x4, first"; what was found there:
 * "16.9k (15.8k to 17.8k), ok"; and how far off the answer of a method is that only comes near. */
static void put_title(FILE *dat, const panels *p, size_t row) {
  const dcs_table *t = p->t->thresholds;
  const dcs_kind *kind = p->t->run->kind;
  const char *status = dcs_table_text(t, row, "status");
  double error = NAN;
  const double values[3] = {dcs_figure_number(t, row, "estimate"), dcs_figure_number(t, row, "lo"),
                            dcs_figure_number(t, row, "hi")};
  char estimate[32], lo[32], hi[32], found[2 * DCS_TEXT], method[DCS_TEXT];
  const char *problem = dcs_figure_problem(p->t, row);
  char fixed[3 * DCS_TEXT];
  snprintf(fixed, sizeof fixed, "%s%s%s%s%s", dcs_table_text(t, row, "fixed"),
           p->along == 1 ? " " : "", p->along == 1 ? kind->dimensions[0].values : "",
           p->along == 1 ? ", grids " : "", p->along == 1 ? dcs_table_text(t, row, "shape") : "");
  dcs_figure_series(dat, "%s%s%s%s%s%s", problem, *problem ? ", " : "", fixed, *fixed ? ", " : "",
                    *problem ? "" : "scope ", dcs_table_text(t, row, "scope"));
  if (!isnan(values[0]))
    snprintf(found, sizeof found, "%s (%s to %s), %s%s", dcs_figure_short(values[0], estimate),
             isnan(values[1]) ? "open" : dcs_figure_short(values[1], lo),
             isnan(values[2]) ? "open" : dcs_figure_short(values[2], hi), status,
             *dcs_table_text(t, row, "gaps") ? ", gaps" : "");
  else if (strcmp(status, "always_a") == 0 || strcmp(status, "always_b") == 0)
    snprintf(found, sizeof found, "always %s",
             dcs_figure_method(p->t, row, status[7] == 'b', method));
  else
    snprintf(found, sizeof found, "%s", status);
  for (size_t i = 0; i < p->n; i++)
    error = fmax(error, dcs_figure_model_error(p->t, row, &p->sizes[i].size));
  if (isnan(error))
    dcs_figure_line(dat, "%s", found);
  else
    dcs_figure_line(dat, "%s; error %.2g", found, error);
}

/* Both colours, the estimate (0: none) and its interval, an open end at the last size there. */
static void put_interval(FILE *dat, const panels *p, size_t row) {
  const dcs_table *t = p->t->thresholds;
  double estimate = dcs_figure_number(t, row, "estimate"), lo = dcs_figure_number(t, row, "lo"),
         hi = dcs_figure_number(t, row, "hi");
  if (isnan(lo)) lo = p->sizes[0].x;
  if (isnan(hi)) hi = p->sizes[p->n - 1].x;
  if (isnan(estimate)) estimate = 0;
  fprintf(dat, "%d\t%d\t%.9g\t%.9g\t%.9g\n", dcs_figure_colour(p->t, &p->chosen, row, false),
          dcs_figure_colour(p->t, &p->chosen, row, true), estimate, lo, hi);
}

static void put_times(FILE *dat, const panels *p, size_t threshold, bool b) {
  static const char *const columns[][2] = {
      {"median_a_ns", "median_b_ns"}, {"ci_lo_a_ns", "ci_lo_b_ns"}, {"ci_hi_a_ns", "ci_hi_b_ns"}};
  char method[DCS_TEXT];
  dcs_figure_series(dat, "%s", dcs_figure_method(p->t, threshold, b, method));
  for (size_t i = 0; i < p->n; i++) {
    const panel_size *at = &p->sizes[i];
    double times[3];
    for (int c = 0; c < 3; c++) {
      times[c] = 1e-6 * dcs_figure_number(p->t->winners, at->row, columns[c][b != at->exchanged]);
      if (isnan(times[c])) times[c] = times[0];
    }
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t", at->x, times[0], times[1], times[2]);
    dcs_figure_method_texts(dat, own_entry(p, at, b, "variant_a", "variant_b"),
                            own_entry(p, at, b, "config_a", "config_b"), "");
  }
}

static dcs_status put_panels(FILE *dat, panels *p, char why[DCS_TEXT]) {
  const dcs_dimension *along = &p->t->run->kind->dimensions[p->along];
  char title[DCS_TEXT];
  DCS_TRY(dcs_room_take(p->t->run->figure, &p->sizes, dcs_table_rows(p->t->winners),
                        sizeof *p->sizes, "sizes"));
  p->chosen = dcs_figure_choose_panels(p->t, NULL, take_sizes, p);
  DCS_TRY(p->status);
  if (p->chosen.n == 0)
    return dcs_figure_skip(why, "no threshold along %s has two sizes where no method is missing",
                           p->system ? "systems of one density" : along->values);
  snprintf(title, sizeof title, "Crossover points along the %s%s", along->name,
           p->system ? " of systems of one density" : "");
  dcs_figure_threshold_titles(dat, p->t, &p->chosen, title);
  for (size_t i = 0; i < p->chosen.n; i++) {
    take_sizes(p, p->chosen.rows[i]);
    put_title(dat, p, p->chosen.rows[i]);
    put_interval(dat, p, p->chosen.rows[i]);
    put_times(dat, p, p->chosen.rows[i], false);
    put_times(dat, p, p->chosen.rows[i], true);
  }
  return DCS_OK;
}

static dcs_status figure_along(const dcs_figure_run *run, panels p, FILE *dat, char why[DCS_TEXT]) {
  dcs_figure_thresholds t;
  if (p.along >= run->kind->n_dimensions)
    return dcs_figure_skip(why, "the problem %s has no second dimension", run->kind->id);
  p.t = &t;
  dcs_status status = dcs_figure_thresholds_open(
      run, p.system ? "system" : run->kind->dimensions[p.along].values, &t, why);
  if (status == DCS_OK && !why[0]) status = put_panels(dat, &p, why);
  dcs_figure_thresholds_close(&t);
  return status;
}

dcs_status dcs_figure_crossover_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  return figure_along(run, (panels){.along = 0}, dat, why);
}

dcs_status dcs_figure_crossover_points(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  return figure_along(run, (panels){.along = 1}, dat, why);
}

dcs_status dcs_figure_crossover_system(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  return figure_along(run, (panels){.along = 0, .system = true}, dat, why);
}
