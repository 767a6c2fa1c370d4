/* Figures of thresholds along an axis: a panel for each, with the times of both methods. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A size of a panel: a row of winners.csv. */
typedef struct {
  double x;
  size_t row;
  bool exchanged; /* a there is b in the panel */
} panel_size;

typedef struct {
  const dcs_figure_thresholds *t;
  bool along_atoms;
  panel_size *sizes; /* room for all rows of winners.csv */
  size_t n;
} panels;

/* ---- the sizes of a panel ---- */

static bool is_fixed_at(const panels *p, size_t threshold, size_t winner) {
  const dcs_table *w = p->t->winners;
  const char *fixed = dcs_figure_entry(p->t->thresholds, threshold, "fixed");
  const char *shape = dcs_figure_entry(p->t->thresholds, threshold, "shape");
  char grid[DCS_TEXT];
  if (!p->along_atoms)
    return strcmp(fixed, dcs_figure_entry(w, winner, "atoms")) == 0 &&
           (strcmp(shape, dcs_figure_entry(w, winner, "shape_slices")) == 0 ||
            strcmp(shape, dcs_figure_entry(w, winner, "shape_multiples")) == 0);
  snprintf(grid, sizeof grid, "%sx%sx%s", dcs_figure_entry(w, winner, "nx"),
           dcs_figure_entry(w, winner, "ny"), dcs_figure_entry(w, winner, "nz"));
  return strcmp(fixed, grid) == 0;
}

static int by_size(const void *left, const void *right) {
  double a = ((const panel_size *)left)->x, b = ((const panel_size *)right)->x;
  return (a > b) - (a < b);
}

static void take_sizes(panels *p, size_t threshold) {
  const dcs_table *w = p->t->winners;
  p->n = 0;
  for (size_t row = 0; row < dcs_table_rows(w); row++) {
    panel_size size = {dcs_figure_number(w, row, p->along_atoms ? "atoms" : "points"), row, false};
    if (dcs_figure_same_pair(p->t, threshold, row, &size.exchanged) &&
        is_fixed_at(p, threshold, row))
      p->sizes[p->n++] = size;
  }
  qsort(p->sizes, p->n, sizeof *p->sizes, by_size);
}

/* ---- what is written ---- */

/* "512x512x4, scope first", and what was found there: "16.9k (15.8k to 17.8k), ok". */
static void put_title(FILE *dat, const panels *p, size_t row) {
  const dcs_table *t = p->t->thresholds;
  const char *status = dcs_figure_entry(t, row, "status");
  char estimate[32], lo[32], hi[32], found[2 * DCS_TEXT];
  double values[3] = {dcs_figure_number(t, row, "estimate"), dcs_figure_number(t, row, "lo"),
                      dcs_figure_number(t, row, "hi")};
  dcs_figure_series(dat, "%s%s%s, scope %s", dcs_figure_entry(t, row, "fixed"),
                    p->along_atoms ? "" : " atoms, grids ", dcs_figure_entry(t, row, "shape"),
                    dcs_figure_entry(t, row, "scope"));
  if (!isnan(values[0]))
    snprintf(found, sizeof found, "%s (%s to %s), %s", dcs_figure_short(values[0], estimate),
             isnan(values[1]) ? "open" : dcs_figure_short(values[1], lo),
             isnan(values[2]) ? "open" : dcs_figure_short(values[2], hi), status);
  else if (strcmp(status, "always_a") == 0 || strcmp(status, "always_b") == 0)
    snprintf(found, sizeof found, "%s: always %s", status,
             dcs_figure_entry(t, row, status[7] == 'a' ? "method_a" : "method_b"));
  else
    snprintf(found, sizeof found, "%s", status);
  dcs_figure_text(dat, found, 1);
  fputc('\n', dat);
}

/* Both colours, the estimate (0: none) and its interval, an open end at the last size there. */
static void put_interval(FILE *dat, const panels *p, size_t row) {
  const dcs_table *t = p->t->thresholds;
  double estimate = dcs_figure_number(t, row, "estimate"), lo = dcs_figure_number(t, row, "lo"),
         hi = dcs_figure_number(t, row, "hi");
  if (isnan(lo)) lo = p->sizes[0].x;
  if (isnan(hi)) hi = p->sizes[p->n - 1].x;
  if (isnan(estimate)) estimate = 0;
  fprintf(dat, "%d\t%d\t%.9g\t%.9g\t%.9g\n",
          dcs_figure_colour(dcs_figure_entry(t, row, "method_a")),
          dcs_figure_colour(dcs_figure_entry(t, row, "method_b")), estimate, lo, hi);
}

static void put_times(FILE *dat, const panels *p, bool b) {
  static const char *const columns[2][5] = {
      {"median_a_ns", "ci_lo_a_ns", "ci_hi_a_ns", "variant_a", "config_a"},
      {"median_b_ns", "ci_lo_b_ns", "ci_hi_b_ns", "variant_b", "config_b"}};
  for (size_t i = 0; i < p->n; i++) {
    const char *const *own = columns[b != p->sizes[i].exchanged];
    const dcs_table *w = p->t->winners;
    double times[3];
    for (int c = 0; c < 3; c++) {
      times[c] = 1e-6 * dcs_figure_number(w, p->sizes[i].row, own[c]);
      if (isnan(times[c])) times[c] = times[0];
    }
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t", p->sizes[i].x, times[0], times[1], times[2]);
    dcs_figure_text(dat, dcs_figure_entry(w, p->sizes[i].row, own[3]), 1);
    fputc('\t', dat);
    dcs_figure_text(dat, dcs_figure_entry(w, p->sizes[i].row, own[4]), 1);
    fputc('\n', dat);
  }
}

static dcs_status put_panel(FILE *dat, panels *p, size_t row) {
  take_sizes(p, row);
  if (p->n == 0)
    return dcs_fail(DCS_INPUT,
                    "%s: row %zu: found none of its sizes in %s; `dcsbench crossover` writes both",
                    dcs_table_path(p->t->thresholds), row + 2, dcs_table_path(p->t->winners));
  put_title(dat, p, row);
  put_interval(dat, p, row);
  dcs_figure_series(dat, "%s", dcs_figure_entry(p->t->thresholds, row, "method_a"));
  put_times(dat, p, false);
  dcs_figure_series(dat, "%s", dcs_figure_entry(p->t->thresholds, row, "method_b"));
  put_times(dat, p, true);
  return DCS_OK;
}

static dcs_status put_panels(const dcs_figure_run *run, const dcs_figure_thresholds *t,
                             const char *axis, FILE *dat) {
  panels p = {.t = t, .along_atoms = strcmp(axis, "atoms") == 0};
  size_t rows[DCS_FIGURE_PANELS], total, n;
  n = dcs_figure_panels(t->thresholds, axis, NULL, rows, &total);
  p.sizes = malloc((dcs_table_rows(t->winners) + 1) * sizeof *p.sizes);
  if (!p.sizes) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure");
  dcs_figure_threshold_titles(dat, run, n, total,
                              p.along_atoms ? "Crossovers along the number of atoms"
                                            : "Crossovers along the points of the grid");
  dcs_status status = DCS_OK;
  for (size_t i = 0; status == DCS_OK && i < n; i++)
    status = put_panel(dat, &p, rows[i]);
  free(p.sizes);
  return status;
}

static dcs_status figure_along(const dcs_figure_run *run, const char *axis, FILE *dat,
                               char why[DCS_TEXT]) {
  dcs_figure_thresholds t;
  dcs_status status = dcs_figure_thresholds_open(run, axis, &t, why);
  if (status == DCS_OK && !why[0]) status = put_panels(run, &t, axis, dat);
  dcs_figure_thresholds_close(&t);
  return status;
}

dcs_status dcs_figure_crossover_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  return figure_along(run, "atoms", dat, why);
}

dcs_status dcs_figure_crossover_points(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  return figure_along(run, "points", dat, why);
}
