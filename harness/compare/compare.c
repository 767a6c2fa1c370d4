#include "harness/compare/compare.h"

#include "harness/base/outcome.h"
#include "harness/judge/stats.h"

#include <math.h>
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

/* Judges the n rows of one cell; times has room for n. Counts the cell, and returns whether it is
 * one to list. */
static bool judge(const entry *rows, size_t n, double *times, dcs_comparison *c,
                  dcs_compared *found) {
  size_t count[2] = {0, 0};
  *found = (dcs_compared){.outcome = {"", ""}, .median_ns = {NAN, NAN}};
  memcpy(found->key, rows->key, sizeof found->key);
  for (size_t i = 0; i < n; i++) {
    if (rows[i].outcome)
      found->outcome[rows[i].run] = rows[i].outcome;
    else
      times[count[0] + count[1]++] = rows[i].time_ns, count[0] += 0;
  }
  return false;
}
