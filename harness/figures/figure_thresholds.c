/* Reading thresholds.csv and winners.csv, and what their figures share. */
#include "harness/figures/figure.h"
#include "harness/files/folder.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char *const threshold_columns[] =
    DCS_NAMES("problem", "axis", "scope", "method_a", "problem_config_a", "method_b",
              "problem_config_b", "fixed", "shape", "estimate", "lo", "hi", "status", "gaps");
static const char *const winner_columns[] = {
    "problem",          "scope",        "method_a",        "problem_config_a", "method_b",
    "problem_config_b", "shape_slices", "shape_multiples", "variant_a",        "config_a",
    "median_a_ns",      "ci_lo_a_ns",   "ci_hi_a_ns",      "variant_b",        "config_b",
    "median_b_ns",      "ci_lo_b_ns",   "ci_hi_b_ns",      "winner",           NULL};

/* ---- files ---- */

static dcs_status read_file(const char *dir, const char *name, const char *const *columns,
                            dcs_table **table) {
  char path[4096];
  struct stat facts;
  DCS_TRY(dcs_path_in(dir, name, path));
  if (stat(path, &facts) != 0 && errno == ENOENT) return DCS_OK;
  DCS_TRY(dcs_table_read(path, table));
  return dcs_table_need_all(*table, columns, NULL);
}

dcs_status dcs_figure_thresholds_open(const dcs_figure_run *run, const char *axis,
                                      dcs_figure_thresholds *t, char why[DCS_TEXT]) {
  *t = (dcs_figure_thresholds){.run = run, .axis = axis};
  DCS_TRY(read_file(run->dir, "thresholds.csv", threshold_columns, &t->thresholds));
  DCS_TRY(read_file(run->dir, "winners.csv", winner_columns, &t->winners));
  if (!t->thresholds || !t->winners) {
    snprintf(why, DCS_TEXT, "no %s.csv in the run folder; `dcsbench crossover` writes it",
             t->thresholds ? "winners" : "thresholds");
    return DCS_OK;
  }
  for (size_t row = 0; row < dcs_table_rows(t->thresholds); row++)
    if (dcs_figure_on_axis(t, row)) return DCS_OK;
  return dcs_figure_skip(why, "thresholds.csv has no row of axis %s", axis);
}

void dcs_figure_thresholds_close(dcs_figure_thresholds *t) {
  dcs_table_free(t->thresholds);
  dcs_table_free(t->winners);
  *t = (dcs_figure_thresholds){0};
}

double dcs_figure_number(const dcs_table *table, size_t row, const char *column) {
  return dcs_table_number(table, row, dcs_table_column(table, column));
}

bool dcs_figure_on_axis(const dcs_figure_thresholds *t, size_t row) {
  return strcmp(dcs_table_text(t->thresholds, row, "problem"), t->run->kind->id) == 0 &&
         strcmp(dcs_table_text(t->thresholds, row, "axis"), t->axis) == 0;
}

/* ---- texts ---- */

static const char *const method_columns[2][2] = {{"method_a", "problem_config_a"},
                                                 {"method_b", "problem_config_b"}};

const char *dcs_figure_problem(const dcs_figure_thresholds *t, size_t threshold) {
  const char *config[2];
  for (int b = 0; b < 2; b++)
    config[b] = dcs_table_text(t->thresholds, threshold, method_columns[b][1]);
  return strcmp(config[0], config[1]) == 0 ? config[0] : "";
}

char *dcs_figure_method(const dcs_figure_thresholds *t, size_t threshold, bool b,
                        char text[DCS_TEXT]) {
  const bool shared = *dcs_figure_problem(t, threshold);
  const char *config = shared ? "" : dcs_table_text(t->thresholds, threshold, method_columns[b][1]);
  snprintf(text, DCS_TEXT, "%s%s%s", dcs_table_text(t->thresholds, threshold, method_columns[b][0]),
           *config ? " " : "", config);
  return text;
}

/* ---- colours ---- */

enum { N_COLOURS = 8 };
typedef struct {
  char list[N_COLOURS][DCS_TEXT]; /* by colour, from the first */
  int n;
} methods;

static int find_method(const methods *m, const char *name) {
  int at = 0;
  while (at < m->n && strcmp(m->list[at], name) != 0)
    at++;
  return at;
}

/* The methods of the panels; false where they are more than there are colours. The most common have
 * the same in all runs; others as they come. */
static bool take_methods(const dcs_figure_thresholds *t, const dcs_figure_panels *panels,
                         methods *m) {
  *m = (methods){.list = {"cpu_parallel", "gpu", "cpu_sequential"}, .n = 3};
  char name[DCS_TEXT];
  bool sequential = false;
  for (size_t i = 0; i < 2 * panels->n; i++)
    sequential |= strcmp(dcs_figure_method(t, panels->rows[i / 2], i % 2, name), m->list[2]) == 0;
  m->n = 2 + sequential;
  for (size_t i = 0; i < 2 * panels->n; i++) {
    dcs_figure_method(t, panels->rows[i / 2], i % 2, name);
    if (find_method(m, name) < m->n) continue;
    if (m->n == N_COLOURS) return false;
    snprintf(m->list[m->n++], DCS_TEXT, "%s", name);
  }
  return true;
}

int dcs_figure_colour(const dcs_figure_thresholds *t, const dcs_figure_panels *panels,
                      size_t threshold, bool b) {
  char name[DCS_TEXT];
  methods m;
  (void)take_methods(t, panels, &m);
  return find_method(&m, dcs_figure_method(t, threshold, b, name)) + 1;
}

/* ---- panels ---- */

/* 0: a crossover point that is sure; 1: another estimate; 2: none. */
static int rank_of(const dcs_table *thresholds, size_t row) {
  if (isnan(dcs_figure_number(thresholds, row, "estimate"))) return 2;
  return strcmp(dcs_table_text(thresholds, row, "status"), "ok") != 0;
}

/* Whether a row before it shares its panel; the best rank of all that do. */
static bool is_repeated(const dcs_figure_thresholds *t,
                        bool (*same)(const dcs_table *, size_t, size_t), size_t row, int *rank) {
  *rank = rank_of(t->thresholds, row);
  for (size_t other = 0; other < dcs_table_rows(t->thresholds); other++) {
    if (other == row || !same || !dcs_figure_on_axis(t, other) || !same(t->thresholds, row, other))
      continue;
    if (other < row) return true;
    if (rank_of(t->thresholds, other) < *rank) *rank = rank_of(t->thresholds, other);
  }
  return false;
}

/* One more, if there is room for it and colours for its methods. */
static void add_panel(const dcs_figure_thresholds *t, dcs_figure_panels *panels, size_t row) {
  methods m;
  panels->total++;
  if (panels->n == DCS_FIGURE_PANELS) return;
  panels->rows[panels->n++] = row;
  panels->n -= !take_methods(t, panels, &m);
}

dcs_figure_panels dcs_figure_choose_panels(const dcs_figure_thresholds *t,
                                           bool (*same)(const dcs_table *, size_t, size_t),
                                           bool (*drawn)(void *with, size_t row), void *with) {
  dcs_figure_panels found = {.n = 0};
  for (int wanted = 0; wanted < 3; wanted++)
    for (size_t row = 0; row < dcs_table_rows(t->thresholds); row++) {
      int rank;
      if (!dcs_figure_on_axis(t, row) || is_repeated(t, same, row, &rank) || rank != wanted ||
          !drawn(with, row))
        continue;
      add_panel(t, &found, row);
    }
  return found;
}

/* Whether the threshold's method (a or b) is that one of the row of winners.csv. */
static bool same_method(const dcs_figure_thresholds *t, size_t threshold, bool b, size_t winner,
                        bool its_b) {
  for (int c = 0; c < 2; c++)
    if (strcmp(dcs_table_text(t->thresholds, threshold, method_columns[b][c]),
               dcs_table_text(t->winners, winner, method_columns[its_b][c])) != 0)
      return false;
  return true;
}

bool dcs_figure_winner(const dcs_figure_thresholds *t, size_t threshold, size_t winner,
                       dcs_size *size, bool *exchanged) {
  const dcs_kind *kind = t->run->kind;
  *exchanged = same_method(t, threshold, false, winner, true);
  if (strcmp(dcs_table_text(t->winners, winner, "problem"), kind->id) != 0 ||
      strcmp(dcs_table_text(t->winners, winner, "scope"),
             dcs_table_text(t->thresholds, threshold, "scope")) != 0 ||
      !same_method(t, threshold, false, winner, *exchanged) ||
      !same_method(t, threshold, true, winner, !*exchanged))
    return false;
  *size = (dcs_size){.kind = kind, .config = t->run->direct};
  for (int a = 0; a < kind->n_axes; a++) {
    double value = dcs_figure_number(t->winners, winner, kind->axes[a]);
    if (!(value >= 1 && value < 0x1p53)) return false;
    size->axes[a] = (int64_t)value;
  }
  return true;
}

dcs_status dcs_figure_no_winner(const dcs_figure_thresholds *t, size_t threshold) {
  return dcs_fail(DCS_INPUT,
                  "%s: row %zu: found none of its sizes in %s; `dcsbench crossover` writes both",
                  dcs_table_path(t->thresholds), threshold + 2, dcs_table_path(t->winners));
}

double dcs_figure_model_error(const dcs_figure_thresholds *t, size_t threshold,
                              const dcs_size *size) {
  double most = NAN;
  for (int b = 0; b < 2; b++) {
    dcs_size own = *size;
    dcs_figure_pick pick = dcs_figure_any;
    const dcs_figure_row *row = NULL;
    const char *config = dcs_table_text(t->thresholds, threshold, method_columns[b][1]);
    if (dcs_parse_problem(own.kind, config, &own.config) != DCS_OK ||
        !dcs_figure_pick_size(t->run, &own, &pick))
      continue;
    while ((row = dcs_figure_next(t->run, &pick, row)))
      if (row->ok) most = fmax(most, row->of->model_error);
  }
  return most;
}

void dcs_figure_threshold_titles(FILE *dat, const dcs_figure_thresholds *t,
                                 const dcs_figure_panels *panels, const char *title) {
  dcs_figure_run own = *t->run;
  dcs_figure_seen seen = {0};
  own.gpu_is_reference = false;
  for (size_t i = 0; i < panels->n; i++)
    for (int b = 0; b < 2; b++) {
      const char *method = dcs_table_text(t->thresholds, panels->rows[i], method_columns[b][0]);
      const char *card = dcs_table_text(t->thresholds, panels->rows[i], "gpu_reference");
      seen.drawn[strncmp(method, "gpu", 3) == 0 ? DCS_GPU : DCS_CPU] = true;
      if (*card) own.gpu_name = card;
    }
  if (panels->n < panels->total)
    dcs_figure_titles(dat, &own, seen, "%s (%zu of %zu, those with a crossover point first)", title,
                      panels->n, panels->total);
  else
    dcs_figure_titles(dat, &own, seen, "%s", title);
}
