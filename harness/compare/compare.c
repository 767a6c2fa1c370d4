#include "harness/compare/compare.h"

#include "harness/base/outcome.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of samples.csv or summary.csv. */
typedef struct {
  const char *key[DCS_N_KEYS];
  size_t order; /* over all rows of both runs: A's before B's */
  int run;
  double time_ns;      /* NaN: a row of the summary */
  const char *outcome; /* NULL: a sample */
} entry;

/* ---- rows ---- */

static entry *add_rows(const dcs_run *run, int which, bool samples, entry *first, entry *next) {
  const dcs_run_table *t = samples ? &run->samples : &run->summary;
  for (size_t row = 0; row < dcs_table_rows(t->table); row++, next++) {
    for (int k = 0; k < DCS_N_KEYS; k++)
      next->key[k] = dcs_table_cell(t->table, row, t->key[k]);
    next->order = (size_t)(next - first);
    next->run = which;
    next->time_ns = samples ? dcs_table_number(t->table, row, t->value) : NAN;
    next->outcome = samples ? NULL : dcs_table_cell(t->table, row, t->value);
  }
  return next;
}

static int compare_keys(const entry *a, const entry *b) {
  int order = 0;
  for (int k = 0; order == 0 && k < DCS_N_KEYS; k++)
    order = strcmp(a->key[k], b->key[k]);
  return order;
}

static int by_key(const void *left, const void *right) {
  const entry *a = left, *b = right;
  int order = compare_keys(a, b);
  return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* ---- cells ---- */

typedef struct {
  size_t order; /* of its first row */
  dcs_compared compared;
} cell;

static int by_order(const void *left, const void *right) {
  const cell *a = left, *b = right;
  return (a->order > b->order) - (a->order < b->order);
}

static bool is_failure(const char *outcome) {
  return *outcome && strcmp(outcome, dcs_outcome_name(DCS_OUTCOME_OK)) != 0;
}

/* The times of one run among the n rows of a cell, sorted; returns how many. */
static size_t take_times(const entry *rows, size_t n, int run, double *times, double *median_ns) {
  size_t taken = 0;
  for (size_t i = 0; i < n; i++)
    if (rows[i].run == run && !rows[i].outcome) times[taken++] = rows[i].time_ns;
  *median_ns = dcs_summarize(times, taken).median;
  return taken;
}

static dcs_compared describe(const entry *rows, size_t n) {
  dcs_compared found = {.outcome = {"", ""}, .change = DCS_CHANGE_UNSURE};
  memcpy(found.key, rows->key, sizeof found.key);
  for (size_t i = 0; i < n; i++)
    if (rows[i].outcome) found.outcome[rows[i].run] = rows[i].outcome;
  return found;
}

/* Judges the n rows of one cell and counts it; times has room for n. Returns whether it is one to
 * list. */
static bool judge(const entry *rows, size_t n, double *times, dcs_comparison *c,
                  dcs_compared *found) {
  bool failure[2], present[2];
  size_t n_times[2], first = 0;
  *found = describe(rows, n);
  for (int r = 0; r < 2; r++) {
    n_times[r] = take_times(rows, n, r, times + first, &found->median_ns[r]);
    first += n_times[r];
    failure[r] = is_failure(found->outcome[r]);
    present[r] = failure[r] || n_times[r] > 0;
  }
  if (!present[0] || !present[1]) {
    if (present[0] || present[1]) c->only[present[1]]++;
    return false;
  }
  found->failed = failure[0] || failure[1];
  if (found->failed) {
    found->ratio = (dcs_ratio){n_times[0], n_times[1], NAN, NAN, NAN};
    found->median_ns[0] = found->median_ns[1] = NAN;
    c->failed[failure[0] && failure[1]]++;
    return !(failure[0] && failure[1]);
  }
  found->ratio = dcs_ratio_of_times(times, n_times[0], times + n_times[0], n_times[1]);
  found->change = dcs_change_of_ratio(&found->ratio);
  c->changes[found->change]++;
  return true;
}

/* entries[n] is sorted here; times and cells have room for n. */
static void judge_all(entry *entries, size_t n, double *times, cell *cells, dcs_comparison *c) {
  qsort(entries, n, sizeof *entries, by_key);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && compare_keys(&entries[first], &entries[end]) == 0;)
      end++;
    cell *next = &cells[c->n_cells];
    next->order = entries[first].order;
    if (judge(&entries[first], end - first, times, c, &next->compared)) c->n_cells++;
  }
  qsort(cells, c->n_cells, sizeof *cells, by_order);
  size_t ratios = 0;
  for (size_t i = 0; i < c->n_cells; i++)
    if (!cells[i].compared.failed) times[ratios++] = cells[i].compared.ratio.value;
  c->median_ratio = dcs_summarize(times, ratios).median;
}

static dcs_status compare_cells(dcs_comparison *c) {
  size_t n = 0;
  for (int r = 0; r < 2; r++)
    n += dcs_table_rows(c->runs[r].samples.table) + dcs_table_rows(c->runs[r].summary.table);
  entry *entries = malloc(n * sizeof *entries), *next = entries;
  double *times = malloc(n * sizeof *times);
  cell *cells = malloc(n * sizeof *cells);
  c->cells = malloc(n * sizeof *c->cells);
  bool room = entries && times && cells && c->cells;
  if (room) {
    for (int r = 0; r < 2; r++) {
      next = add_rows(&c->runs[r], r, true, entries, next);
      next = add_rows(&c->runs[r], r, false, entries, next);
    }
    judge_all(entries, n, times, cells, c);
    for (size_t i = 0; i < c->n_cells; i++)
      c->cells[i] = cells[i].compared;
  }
  free(entries);
  free(times);
  free(cells);
  return room ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory to compare %zu rows", n);
}

/* ---- runs ---- */

static dcs_status check_comparable(const char *const folders[2], const dcs_comparison *c) {
  char facts[2048] = "";
  for (size_t d = 0; d < c->n_differences && c->differences[d].incomparable; d++) {
    const dcs_difference *difference = &c->differences[d];
    size_t used = strlen(facts);
    snprintf(facts + used, sizeof facts - used, "%s %s is \"%s\" and \"%s\"", d ? "," : "",
             difference->key, difference->value[0], difference->value[1]);
  }
  if (!*facts) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s and %s are not comparable:%s; --force compares them anyway",
                  folders[0], folders[1], facts);
}

static dcs_status check_common(const char *const folders[2], const dcs_comparison *c) {
  for (int change = 0; change < DCS_N_CHANGES; change++)
    if (c->changes[change] > 0) return DCS_OK;
  return dcs_fail(
      DCS_INPUT,
      "%s and %s have no cell with samples in both (only in the first: %zu, only in "
      "the second: %zu, not ok in one or both: %zu); expected runs of the same methods, "
      "scopes, numbers of atoms and grids",
      folders[0], folders[1], c->only[0], c->only[1], c->failed[0] + c->failed[1]);
}

dcs_status dcs_compare(const char *const folders[2], bool force, dcs_comparison *c) {
  *c = (dcs_comparison){0};
  for (int r = 0; r < 2; r++)
    DCS_TRY(dcs_run_open(&c->runs[r], folders[r]));
  c->n_differences = dcs_run_differences(c->runs, c->differences);
  c->forced = c->n_differences > 0 && c->differences[0].incomparable;
  if (!force) DCS_TRY(check_comparable(folders, c));
  DCS_TRY(compare_cells(c));
  return check_common(folders, c);
}

void dcs_comparison_free(dcs_comparison *c) {
  dcs_run_close(&c->runs[0]);
  dcs_run_close(&c->runs[1]);
  free(c->cells);
  *c = (dcs_comparison){0};
}
