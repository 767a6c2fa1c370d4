/* What a cutoff leaves out, and what it saves: error and time against the cutoff. */
#include "harness/figures/coulomb/cutoff.h"

#include <stdlib.h>
#include <string.h>

/* A size with one switching function, over its cutoffs. */
typedef struct {
  int size;
  const char *switching;
  int cutoffs; /* where the error is known */
  double work;
} error_line;

enum { MOST_LINES = 8 };

/* Whose times are drawn. */
typedef struct {
  dcs_backend backend;
  dcs_scope scope;
} timed_by;

static dcs_figure_pick pick_at(const error_line *line, int problem) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.size = line->size;
  pick.problem = problem;
  return pick;
}

static bool is_on(const dcs_figure_run *run, const error_line *line, int problem) {
  return dcs_cutoff_of(run, problem) > 0 &&
         strcmp(dcs_switching_name(run, problem), line->switching) == 0;
}

/* A row that tells the error; it is the cutoff's, whatever the method. */
static const dcs_figure_row *error_row(const dcs_figure_run *run, const error_line *line,
                                       int problem) {
  dcs_figure_pick pick = pick_at(line, problem);
  const dcs_figure_row *row = NULL;
  while ((row = dcs_figure_next(run, &pick, row)))
    if (row->ok && row->of->model_error > 0) return row;
  return NULL;
}

static const dcs_figure_row *time_row(const dcs_figure_run *run, const error_line *line,
                                      int problem, timed_by by) {
  dcs_figure_pick pick = pick_at(line, problem);
  pick.backend = (int)by.backend;
  pick.scope = (int)by.scope;
  return dcs_figure_best(run, &pick);
}

/* Those with more cutoffs first, then larger sizes, then by switching function. */
static int compare_lines(const void *left, const void *right) {
  const error_line *a = left, *b = right;
  if (a->cutoffs != b->cutoffs) return b->cutoffs - a->cutoffs;
  if (a->work != b->work) return a->work < b->work ? 1 : -1;
  return strcmp(a->switching, b->switching);
}

/* Every line of two cutoffs or more, sorted; the array has room for sizes times cutoffs. */
static size_t find_lines(const dcs_figure_run *run, error_line *lines) {
  size_t n = 0;
  for (int size = 0; size < run->n_sizes; size++)
    for (int first = 0; first < run->n_problems; first++) {
      error_line line = {size, dcs_switching_name(run, first), 0, 0};
      bool again = false;
      for (int p = 0; p < run->n_problems; p++) {
        again = again || (p < first && is_on(run, &line, p));
        line.cutoffs += is_on(run, &line, p) && error_row(run, &line, p) != NULL;
      }
      line.work = dcs_figure_extent(&run->sizes[size]);
      if (!again && line.cutoffs >= 2) lines[n++] = line;
    }
  qsort(lines, n, sizeof *lines, compare_lines);
  return n;
}

/* The GPU or the CPU, kernel or warm: where most of the points have a time, the first of equals. */
static timed_by choose_timed(const dcs_figure_run *run, const error_line *lines, size_t n) {
  static const timed_by choices[] = {
      {DCS_GPU, DCS_KERNEL}, {DCS_GPU, DCS_WARM}, {DCS_CPU, DCS_KERNEL}, {DCS_CPU, DCS_WARM}};
  int best = 0, most = 0;
  for (int c = 0; c < 4; c++) {
    int found = 0;
    for (size_t l = 0; l < n; l++)
      for (int p = 0; p < run->n_problems; p++)
        found += is_on(run, &lines[l], p) && time_row(run, &lines[l], p, choices[c]) != NULL;
    if (found <= most) continue;
    most = found;
    best = c;
  }
  return choices[best];
}

/* Two series of a line: the error, and the time. */
static void line_series(FILE *dat, const dcs_figure_run *run, const error_line *line, timed_by by) {
  const dcs_figure_size *size = &run->sizes[line->size];
  char axes[DCS_TEXT];
  for (int time = 0; time < 2; time++) {
    dcs_figure_series(dat, "%s: %s", line->switching, dcs_size_text(&size->key, axes));
    for (int p = 0; p < run->n_problems; p++) {
      if (!is_on(run, line, p)) continue;
      const dcs_figure_row *row = time ? time_row(run, line, p, by) : error_row(run, line, p);
      if (!row) continue;
      double error = row->of->model_error;
      dcs_figure_point(dat, row, dcs_cutoff_of(run, p),
                       time ? dcs_figure_ms(row) : (dcs_figure_value){error, error, error});
    }
  }
}

static void write_lines(FILE *dat, const dcs_figure_run *run, const error_line *lines, size_t n,
                        size_t total) {
  timed_by by = choose_timed(run, lines, n);
  dcs_figure_seen seen = {0};
  for (size_t l = 0; l < n; l++)
    for (int p = 0; p < run->n_problems; p++) {
      dcs_figure_pick pick = pick_at(&lines[l], p);
      if (is_on(run, &lines[l], p)) dcs_figure_see(run, &pick, &seen);
    }
  for (int backend = 0; backend < 2; backend++)
    seen.drawn[backend] = backend == (int)by.backend; /* whose times are drawn */
  if (n < total)
    dcs_figure_titles(dat, run, seen,
                      "What a cutoff leaves out, and the time of a map (%zu of %zu, those with "
                      "most cutoffs, then the largest)",
                      n, total);
  else
    dcs_figure_titles(dat, run, seen, "What a cutoff leaves out, and the time of a map");
  dcs_figure_series(dat, "time, best %s%s, %s [ms]", by.backend == DCS_GPU ? "GPU" : "CPU",
                    by.backend == DCS_GPU ? run->gpu_suffix : "", dcs_scope_name(by.scope));
  for (size_t l = 0; l < n; l++)
    line_series(dat, run, &lines[l], by);
}

dcs_status dcs_figure_cutoff_error(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  error_line *lines;
  DCS_TRY(dcs_room_take(run->figure, &lines, (size_t)run->n_sizes * (size_t)run->n_problems,
                        sizeof *lines, "lines"));
  const size_t total = find_lines(run, lines);
  if (total == 0)
    return dcs_figure_skip(
        why, "no size has a model_error at two or more cutoffs of one switching function");
  write_lines(dat, run, lines, total < MOST_LINES ? total : MOST_LINES, total);
  return DCS_OK;
}
