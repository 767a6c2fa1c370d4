#include "harness/runs/rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys: the columns that samples.csv and summary.csv share ---- */

enum { VARIANT, CONFIG, SCOPE, MEMORY, DEVICES, N_KEY };

typedef struct {
  int at[N_KEY];
  dcs_size_at size;
} key_columns;

static dcs_status find_key(const dcs_table *t, key_columns *c) {
  static const char *const names[] = DCS_NAMES("variant", "config", "scope", "memory", "devices");
  DCS_TRY(dcs_table_need_all(t, names, c->at));
  return dcs_size_find(t, &c->size);
}

static dcs_status read_key(const dcs_table *t, size_t row, const key_columns *c, dcs_run_row *r) {
  *r = (dcs_run_row){.row = row,
                     .variant = dcs_table_cell(t, row, c->at[VARIANT]),
                     .config = dcs_table_cell(t, row, c->at[CONFIG]),
                     .memory = dcs_table_cell(t, row, c->at[MEMORY]),
                     .devices = dcs_table_cell(t, row, c->at[DEVICES])};
  if (!*r->variant) return dcs_table_wrong(t, row, "variant", c->at[VARIANT], "its id");
  if (!dcs_find_scope(dcs_table_cell(t, row, c->at[SCOPE]), &r->scope))
    return dcs_table_wrong(t, row, "scope", c->at[SCOPE], "kernel, warm, first or frame");
  return dcs_size_read(t, row, &c->size, &r->size);
}

dcs_status dcs_run_read_keys(const dcs_table *samples, dcs_run_row **keys) {
  const size_t n = dcs_table_rows(samples);
  dcs_status status = DCS_OK;
  key_columns c;
  *keys = NULL;
  DCS_TRY(find_key(samples, &c));
  *keys = malloc((n + 1) * sizeof **keys);
  if (!*keys) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", n);
  for (size_t row = 0; status == DCS_OK && row < n; row++)
    status = read_key(samples, row, &c, &(*keys)[row]);
  if (status == DCS_OK) return DCS_OK;
  free(*keys);
  *keys = NULL;
  return status;
}

int dcs_compare_rows(const dcs_run_row *a, const dcs_run_row *b) {
  int order = dcs_compare_sizes(&a->size, &b->size);
  if (order == 0) order = strcmp(a->variant, b->variant);
  if (order == 0) order = strcmp(a->config, b->config);
  if (order == 0) order = (int)a->scope - (int)b->scope;
  if (order == 0) order = strcmp(a->memory, b->memory);
  return order ? order : strcmp(a->devices, b->devices);
}

bool dcs_same_row_method(const dcs_run_row *a, const dcs_run_row *b) {
  return strcmp(a->variant, b->variant) == 0 && strcmp(a->config, b->config) == 0;
}

bool dcs_row_disturbed(const dcs_run_row *row) {
  return 4.0 * row->disturbed > row->n;
}

dcs_ratio dcs_row_ratio(const dcs_run_row *a, const dcs_run_row *b) {
  return dcs_ratio_of_series(a->sorted, a->n_times, a->stats.inflation, b->sorted, b->n_times,
                             b->stats.inflation);
}

/* ---- numbers of summary.csv ---- */

/* Where a number goes: a double, or an int whose empty cell is 0. */
static const struct {
  const char *name;
  size_t offset;
  bool whole;
  double least;
} numbers[] = {{"n", offsetof(dcs_run_row, n), true, 0},
               {"disturbed", offsetof(dcs_run_row, disturbed), true, 0},
               {"threads", offsetof(dcs_run_row, threads), true, 0},
               {"coarsen", offsetof(dcs_run_row, coarsen), true, 0},
               {"chunk_atoms", offsetof(dcs_run_row, chunk), true, 0},
               {"spacing", offsetof(dcs_run_row, spacing), false, 0},
               {"median_ns", offsetof(dcs_run_row, median_ns), false, 0},
               {"ci_lo_ns", offsetof(dcs_run_row, ci_lo_ns), false, 0},
               {"ci_hi_ns", offsetof(dcs_run_row, ci_hi_ns), false, 0},
               {"evals_useful", offsetof(dcs_run_row, evals_useful), false, 0},
               {"evals_per_s", offsetof(dcs_run_row, evals_per_s), false, 0},
               {"padding_overhead", offsetof(dcs_run_row, padding_overhead), false, -1},
               {"flops_per_eval", offsetof(dcs_run_row, flops_per_eval), false, 0},
               {"bytes_moved", offsetof(dcs_run_row, bytes_moved), false, 0},
               {"limit_fraction", offsetof(dcs_run_row, limit_fraction), false, 0},
               {"registers", offsetof(dcs_run_row, registers), false, 0},
               {"overflow_atoms", offsetof(dcs_run_row, overflow), false, 0},
               {"model_error", offsetof(dcs_run_row, model_error), false, 0}};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

typedef struct {
  key_columns key;
  int backend, outcome, median, number[N_NUMBERS]; /* a number's column may be absent: -1 */
} columns;

static dcs_status find_columns(const dcs_table *t, columns *c) {
  DCS_TRY(find_key(t, &c->key));
  DCS_TRY(dcs_table_need(t, "backend", &c->backend));
  DCS_TRY(dcs_table_need(t, "outcome", &c->outcome));
  DCS_TRY(dcs_table_need(t, "median_ns", &c->median));
  for (size_t i = 0; i < N_NUMBERS; i++)
    c->number[i] = dcs_table_column(t, numbers[i].name);
  return DCS_OK;
}

static dcs_status read_number(const dcs_table *t, size_t row, size_t i, int column,
                              dcs_run_row *r) {
  const bool empty = !*dcs_table_cell(t, row, column), whole = numbers[i].whole;
  const double most = whole ? INT_MAX : 1e30, value = dcs_table_number(t, row, column);
  char *at = (char *)r + numbers[i].offset;
  if (!empty && !(value >= numbers[i].least && value <= most && (!whole || value == floor(value))))
    return dcs_table_wrong(t, row, numbers[i].name, column,
                           whole ? "a whole number, at least 0, or nothing"
                                 : "a number in range, or nothing");
  if (whole)
    *(int *)at = empty ? 0 : (int)value;
  else
    *(double *)at = empty ? NAN : value;
  return DCS_OK;
}

/* Timings from elsewhere need have none. */
static dcs_status read_backend(const dcs_table *t, size_t row, int column, dcs_run_row *r) {
  const char *name = dcs_table_cell(t, row, column);
  r->backend = strcmp(name, "gpu") == 0 ? DCS_GPU : *name ? DCS_CPU : DCS_NO_BACKEND;
  if (r->backend == DCS_NO_BACKEND && r->size.kind->made_of) return DCS_OK;
  return r->backend == DCS_GPU || strcmp(name, "cpu") == 0
             ? DCS_OK
             : dcs_table_wrong(t, row, "backend", column, "cpu or gpu");
}

static dcs_status read_row(const dcs_table *t, size_t row, const columns *c, dcs_run_row *r) {
  DCS_TRY(read_key(t, row, &c->key, r));
  DCS_TRY(read_backend(t, row, c->backend, r));
  if (!dcs_find_outcome(dcs_table_cell(t, row, c->outcome), &r->outcome))
    return dcs_table_wrong(t, row, "outcome", c->outcome, "ok or what became of it");
  for (size_t i = 0; i < N_NUMBERS; i++)
    DCS_TRY(read_number(t, row, i, c->number[i], r));
  if (r->outcome == DCS_OUTCOME_OK && !(r->median_ns > 0 && r->median_ns <= DCS_MOST_NS))
    return dcs_table_wrong(t, row, "median_ns", c->median,
                           "nanoseconds, above zero: the row is ok");
  return DCS_OK;
}

static int by_key(const void *left, const void *right) {
  return dcs_compare_rows(*(const dcs_run_row *const *)left, *(const dcs_run_row *const *)right);
}

/* What was measured twice has two times, and nothing says which is right. */
static dcs_status check_once(const dcs_run *run) {
  dcs_status status = DCS_OK;
  const dcs_run_row **sorted = malloc((run->n_rows + 1) * sizeof(const dcs_run_row *));
  if (!sorted) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows", run->n_rows);
  for (size_t i = 0; i < run->n_rows; i++)
    sorted[i] = &run->rows[i];
  qsort(sorted, run->n_rows, sizeof(const dcs_run_row *), by_key);
  for (size_t i = 1; status == DCS_OK && i < run->n_rows; i++)
    if (by_key(&sorted[i - 1], &sorted[i]) == 0)
      status = dcs_fail(DCS_INPUT,
                        "%s: rows %zu and %zu: found %s twice at the same size, scope, memory and "
                        "devices; expected one row",
                        dcs_table_path(run->summary), sorted[i - 1]->row + 2, sorted[i]->row + 2,
                        sorted[i]->variant);
  free(sorted);
  return status;
}

dcs_status dcs_run_read_rows(dcs_run *run) {
  columns c;
  DCS_TRY(find_columns(run->summary, &c));
  size_t n = dcs_table_rows(run->summary);
  run->rows = calloc(n + 1, sizeof *run->rows);
  if (!run->rows) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows", n);
  for (size_t row = 0; row < n; row++) {
    DCS_TRY(read_row(run->summary, row, &c, &run->rows[run->n_rows]));
    run->n_not_ok += run->rows[run->n_rows++].outcome != DCS_OUTCOME_OK;
  }
  return check_once(run);
}
