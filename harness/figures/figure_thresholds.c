/* Reading thresholds.csv and winners.csv, and what their figures share. */
#include "harness/figures/figure.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char *const threshold_columns[] = {"axis",  "scope",  "method_a", "method_b",
                                                "fixed", "shape",  "estimate", "lo",
                                                "hi",    "status", NULL};
static const char *const winner_columns[] = {
    "scope",     "method_a", "method_b",    "atoms",        "nx",
    "ny",        "nz",       "points",      "shape_slices", "shape_multiples",
    "variant_a", "config_a", "median_a_ns", "ci_lo_a_ns",   "ci_hi_a_ns",
    "variant_b", "config_b", "median_b_ns", "ci_lo_b_ns",   "ci_hi_b_ns",
    "winner",    NULL};

/* ---- files ---- */

static dcs_status read_file(const char *dir, const char *name, const char *const *columns,
                            dcs_table **table) {
  char path[4096];
  struct stat facts;
  int column;
  if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
    return dcs_fail(DCS_INPUT, "the name of the run folder is too long");
  if (stat(path, &facts) != 0 && errno == ENOENT) return DCS_OK;
  DCS_TRY(dcs_table_read(path, table));
  for (; *columns; columns++)
    DCS_TRY(dcs_table_need(*table, *columns, &column));
  return DCS_OK;
}

dcs_status dcs_figure_thresholds_open(const dcs_figure_run *run, const char *axis,
                                      dcs_figure_thresholds *t, char why[DCS_TEXT]) {
  *t = (dcs_figure_thresholds){0};
  DCS_TRY(read_file(run->dir, "thresholds.csv", threshold_columns, &t->thresholds));
  DCS_TRY(read_file(run->dir, "winners.csv", winner_columns, &t->winners));
  if (!t->thresholds || !t->winners) {
    snprintf(why, DCS_TEXT, "no %s.csv in the run folder; `dcsbench crossover` writes it",
             t->thresholds ? "winners" : "thresholds");
    return DCS_OK;
  }
  for (size_t row = 0; row < dcs_table_rows(t->thresholds); row++)
    if (strcmp(dcs_figure_entry(t->thresholds, row, "axis"), axis) == 0) return DCS_OK;
  snprintf(why, DCS_TEXT, "thresholds.csv has no row of axis %s", axis);
  return DCS_OK;
}

void dcs_figure_thresholds_close(dcs_figure_thresholds *t) {
  dcs_table_free(t->thresholds);
  dcs_table_free(t->winners);
  *t = (dcs_figure_thresholds){0};
}

const char *dcs_figure_entry(const dcs_table *table, size_t row, const char *column) {
  return dcs_table_cell(table, row, dcs_table_column(table, column));
}

double dcs_figure_number(const dcs_table *table, size_t row, const char *column) {
  return dcs_table_number(table, row, dcs_table_column(table, column));
}

/* ---- panels ---- */

/* 0: a crossing that is sure; 1: another estimate; 2: none. */
static int rank_of(const dcs_table *thresholds, size_t row) {
  if (isnan(dcs_figure_number(thresholds, row, "estimate"))) return 2;
  return strcmp(dcs_figure_entry(thresholds, row, "status"), "ok") != 0;
}

/* Whether a row before it, and of the axis, shares its panel; the best rank of all that do. */
static bool is_repeated(const dcs_table *thresholds, const char *axis,
                        bool (*same)(const dcs_table *, size_t, size_t), size_t row, int *rank) {
  *rank = rank_of(thresholds, row);
  for (size_t other = 0; same && other < dcs_table_rows(thresholds); other++) {
    if (other == row || strcmp(dcs_figure_entry(thresholds, other, "axis"), axis) != 0 ||
        !same(thresholds, row, other))
      continue;
    if (other < row) return true;
    if (rank_of(thresholds, other) < *rank) *rank = rank_of(thresholds, other);
  }
  return false;
}

size_t dcs_figure_panels(const dcs_table *thresholds, const char *axis,
                         bool (*same)(const dcs_table *thresholds, size_t a, size_t b),
                         size_t rows[DCS_FIGURE_PANELS], size_t *total) {
  size_t n = 0;
  *total = 0;
  for (int wanted = 0; wanted < 3; wanted++)
    for (size_t row = 0; row < dcs_table_rows(thresholds); row++) {
      int rank;
      if (strcmp(dcs_figure_entry(thresholds, row, "axis"), axis) != 0 ||
          is_repeated(thresholds, axis, same, row, &rank) || rank != wanted)
        continue;
      if (n < DCS_FIGURE_PANELS) rows[n++] = row;
      ++*total;
    }
  return n;
}

bool dcs_figure_same_pair(const dcs_figure_thresholds *t, size_t threshold, size_t winner,
                          bool *exchanged) {
  const char *a = dcs_figure_entry(t->thresholds, threshold, "method_a");
  const char *b = dcs_figure_entry(t->thresholds, threshold, "method_b");
  const char *own_a = dcs_figure_entry(t->winners, winner, "method_a");
  const char *own_b = dcs_figure_entry(t->winners, winner, "method_b");
  *exchanged = strcmp(a, own_b) == 0;
  return strcmp(dcs_figure_entry(t->thresholds, threshold, "scope"),
                dcs_figure_entry(t->winners, winner, "scope")) == 0 &&
         ((strcmp(a, own_a) == 0 && strcmp(b, own_b) == 0) ||
          (*exchanged && strcmp(b, own_a) == 0));
}

/* ---- texts ---- */

int dcs_figure_colour(const char *method) {
  static const char *const methods[] = {"cpu_parallel", "gpu", "cpu_sequential", "cpu_within",
                                        "gpu_within"};
  for (int m = 0; m < 5; m++)
    if (strcmp(method, methods[m]) == 0) return m + 1;
  return 6;
}

void dcs_figure_threshold_titles(FILE *dat, const dcs_figure_run *run, size_t drawn, size_t total,
                                 const char *title) {
  dcs_figure_run own = *run;
  char *card = strstr(own.machine, ", GPU: ");
  if (own.gpu_is_reference && card) *card = '\0';
  if (drawn < total)
    dcs_figure_titles(dat, &own, 0, "%s (%zu of %zu, those with a crossing first)", title, drawn,
                      total);
  else
    dcs_figure_titles(dat, &own, 0, "%s", title);
}

char *dcs_figure_short(double value, char text[32]) {
  static const char *const units[] = {"", "k", "M", "G", "T"};
  int unit = 0;
  for (; unit < 4 && value >= 999.5; unit++)
    value /= 1000;
  snprintf(text, 32, "%.3g%s", value, units[unit]);
  return text;
}
