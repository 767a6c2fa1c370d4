#include "harness/compare/compare.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static int by_key(const void *left, const void *right) {
  return dcs_compare_rows(*(const dcs_run_row *const *)left, *(const dcs_run_row *const *)right);
}

/* Room for a comparison: of B's rows, of A's (values: twice, or with what pairs of its samples
 * take), and of A's samples. */
typedef struct {
  const dcs_run_row **sorted;
  double *values;
  size_t *order;
  int *block;
} workroom;

/* The blocks of n pairs. One ends where both processes are others than at its begin: after a crash
 * one of the two is, and what the other has for good goes on. */
static void find_blocks(const dcs_run_row *a, const dcs_run_row *b, size_t n, int *block) {
  size_t begin = 0;
  for (size_t i = 0; i < n; i++) {
    if (a->process[i] != a->process[begin] && b->process[i] != b->process[begin]) begin = i;
    block[i] = (int)begin;
  }
}

/* Of samples taken in turns. */
static void judge_pairs(dcs_compared *row, const workroom *w) {
  const dcs_run_row *a = row->row[0], *b = row->row[1];
  const size_t n = a->n_times < b->n_times ? a->n_times : b->n_times;
  find_blocks(a, b, n, w->block);
  row->ratio = dcs_ratio_of_pairs(a->times, b->times, w->block, n, w->values, &row->p);
}

/* Of samples of sessions one after the other: what differs between sessions goes in. */
static void widen(dcs_compared *row, const dcs_comparison *c) {
  const dcs_run_row *a = row->row[0], *b = row->row[1];
  const double between = dcs_spread_half(&c->spread[a->backend], dcs_row_sessions(&c->runs[0], a),
                                         dcs_row_sessions(&c->runs[1], b));
  dcs_spread_widen(hypot(hypot(between, 1.96 * row->scatter), row->pace), &row->ratio);
}

static bool is_of(const dcs_compared *row, dcs_backend backend, dcs_scope scope) {
  return !row->failed && row->row[0]->backend == backend && row->row[0]->scope == scope;
}

/* How far sizes lie apart; rows of a size stand together in a summary. */
static double pace_of(const workroom *w, dcs_backend backend, dcs_scope scope,
                      const dcs_comparison *c) {
  enum { LEAST_ROWS = 3 }; /* of a size */
  double *medians = w->values + c->n;
  size_t n = 0;
  for (size_t first = 0, end; first < c->n; first = end) {
    size_t rows = 0;
    for (end = first;
         end < c->n && dcs_same_axes(&c->list[first].row[0]->size, &c->list[end].row[0]->size);
         end++)
      if (is_of(&c->list[end], backend, scope)) w->values[rows++] = c->list[end].ratio.value;
    if (rows >= LEAST_ROWS) medians[n++] = log(dcs_median_of(w->values, rows));
  }
  return dcs_spread_of_sizes(medians, n);
}

static void widen_group(const workroom *w, dcs_backend backend, dcs_scope scope,
                        dcs_comparison *c) {
  size_t n = 0;
  for (size_t i = 0; i < c->n; i++)
    if (is_of(&c->list[i], backend, scope)) w->values[n++] = c->list[i].ratio.value;
  const double scatter = dcs_spread_scatter(w->values, n), pace = pace_of(w, backend, scope, c);
  for (size_t i = 0; i < c->n; i++) {
    if (!is_of(&c->list[i], backend, scope)) continue;
    c->list[i].scatter = scatter;
    c->list[i].pace = pace;
    widen(&c->list[i], c);
  }
}

static void widen_all(const workroom *w, dcs_comparison *c) {
  for (dcs_backend backend = DCS_CPU; backend < DCS_N_BACKENDS; backend++)
    for (dcs_scope scope = DCS_KERNEL; dcs_is_timed(scope); scope <<= 1)
      widen_group(w, backend, scope, c);
}

/* Judges rows of one key, all but the change. */
static dcs_compared judge(const dcs_run_row *a, const dcs_run_row *b, const workroom *w,
                          dcs_comparison *c) {
  const bool failed[2] = {a->outcome != DCS_OUTCOME_OK, b->outcome != DCS_OUTCOME_OK};
  dcs_compared found = {.row = {a, b},
                        .failed = failed[0] || failed[1],
                        .median_ns = {NAN, NAN},
                        .ratio = {a->n_times, b->n_times, NAN, NAN, NAN},
                        .p = NAN,
                        .change = DCS_CHANGE_UNSURE};
  if (found.failed) {
    c->failed[failed[0] && failed[1]]++;
    return found;
  }
  found.median_ns[0] = a->stats.median;
  found.median_ns[1] = b->stats.median;
  c->any[a->backend] = true;
  if (c->interleaved)
    judge_pairs(&found, w);
  else
    found.ratio = dcs_row_ratio(a, b);
  return found;
}

static void judge_all(const workroom *w, dcs_comparison *c) {
  const dcs_run *a = &c->runs[0], *b = &c->runs[1];
  for (size_t i = 0; i < b->n_rows; i++)
    w->sorted[i] = &b->rows[i];
  qsort(w->sorted, b->n_rows, sizeof(const dcs_run_row *), by_key);
  c->only[1] = b->n_rows;
  for (size_t i = 0; i < a->n_rows; i++) {
    const dcs_run_row *row = &a->rows[i];
    const dcs_run_row **found =
        bsearch(&row, w->sorted, b->n_rows, sizeof(const dcs_run_row *), by_key);
    if (!found) {
      c->only[0]++;
      continue;
    }
    c->only[1]--;
    c->list[c->n] = judge(row, *found, w, c);
    c->n += row->outcome == DCS_OUTCOME_OK || (*found)->outcome == DCS_OUTCOME_OK;
  }
}

/* What a row's interval says; where a probability was found, SLOWER and FASTER are what stands
 * after the correction for the number of rows. */
static dcs_change change_of(const dcs_compared *row) {
  const dcs_change change = dcs_change_of_ratio(&row->ratio);
  if (isnan(row->p)) return change;
  if (row->p < DCS_COMPARE_LEVEL)
    return row->ratio.value > 1 ? DCS_CHANGE_SLOWER : DCS_CHANGE_FASTER;
  return change == DCS_CHANGE_SAME ? change : DCS_CHANGE_UNSURE;
}

static void find_changes(const workroom *w, dcs_comparison *c) {
  size_t n = 0;
  for (size_t i = 0; i < c->n; i++)
    w->values[i] = c->list[i].p;
  dcs_holm(w->values, c->n, w->order);
  for (size_t i = 0; i < c->n; i++) {
    dcs_compared *row = &c->list[i];
    row->p = w->values[i];
    if (row->failed) continue;
    row->change = change_of(row);
    c->changes[row->change]++;
  }
  for (size_t i = 0; i < c->n; i++)
    if (!c->list[i].failed) w->values[n++] = c->list[i].ratio.value;
  c->median_ratio = dcs_summarize(w->values, n).median;
}

static dcs_status compare_rows(dcs_comparison *c) {
  const size_t n = c->runs[0].n_rows + 1, samples = dcs_table_rows(c->runs[0].samples);
  workroom w = {malloc((c->runs[1].n_rows + 1) * sizeof(const dcs_run_row *)),
                malloc((2 * n + DCS_PAIRED_ROOM * samples) * sizeof *w.values),
                malloc(n * sizeof *w.order), malloc((samples + 1) * sizeof *w.block)};
  c->list = calloc(n, sizeof *c->list);
  bool room = w.sorted && w.values && w.order && w.block && c->list;
  if (room) {
    judge_all(&w, c);
    if (!c->interleaved) widen_all(&w, c);
    find_changes(&w, c);
  }
  free(w.sorted);
  free(w.values);
  free(w.order);
  free(w.block);
  return room ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory to compare %zu rows", n);
}

/* ---- runs ---- */

static dcs_status check_comparable(const char *const folders[2], const dcs_comparison *c) {
  char facts[2048] = "";
  for (size_t d = 0; d < c->n_differences && c->differences[d].incomparable; d++) {
    const dcs_difference *difference = &c->differences[d];
    dcs_append(facts, sizeof facts, "%s %s is \"%s\" and \"%s\"", d ? "," : "", difference->key,
               difference->value[0], difference->value[1]);
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
      "%s and %s have no row that is ok in both (only in the first: %zu, only in the second: %zu, "
      "not ok in one or both: %zu); expected runs of the same methods, scopes and sizes",
      folders[0], folders[1], c->only[0], c->only[1], c->failed[0] + c->failed[1]);
}

/* Both runs' own sessions tell most of them. */
static bool spread_of_both(const dcs_run runs[2], dcs_backend backend, dcs_spread *spread) {
  dcs_spread of[2];
  for (int r = 0; r < 2; r++)
    if (!dcs_spread_of_run(&runs[r], backend, &of[r])) return false;
  const int degrees = of[0].degrees + of[1].degrees;
  *spread = of[0];
  spread->deviation = sqrt((of[0].degrees * of[0].deviation * of[0].deviation +
                            of[1].degrees * of[1].deviation * of[1].deviation) /
                           degrees);
  spread->degrees = degrees;
  return true;
}

static dcs_status find_spreads(const char *path, dcs_comparison *c) {
  for (dcs_backend backend = DCS_CPU; backend < DCS_N_BACKENDS; backend++) {
    dcs_spread *spread = &c->spread[backend];
    bool found = spread_of_both(c->runs, backend, spread);
    if (!found && path && backend != DCS_NO_BACKEND)
      DCS_TRY(dcs_spread_find(path, &c->runs[0], backend, spread, &found));
    if (!found) *spread = dcs_default_spread();
  }
  return DCS_OK;
}

dcs_status dcs_compare(const char *const folders[2], bool force, const char *spreads,
                       dcs_comparison *c) {
  *c = (dcs_comparison){0};
  for (int r = 0; r < 2; r++)
    DCS_TRY(dcs_run_open(&c->runs[r], folders[r]));
  c->n_differences = dcs_run_differences(c->runs, c->differences);
  c->forced = c->n_differences > 0 && c->differences[0].incomparable;
  if (!force) DCS_TRY(check_comparable(folders, c));
  c->interleaved = *dcs_run_fact(&c->runs[0], "interleaved") &&
                   strcmp(dcs_run_fact(&c->runs[0], "interleaved"),
                          dcs_run_fact(&c->runs[1], "interleaved")) == 0;
  if (!c->interleaved) DCS_TRY(find_spreads(spreads, c));
  DCS_TRY(compare_rows(c));
  return check_common(folders, c);
}

void dcs_comparison_free(dcs_comparison *c) {
  dcs_run_close(&c->runs[0]);
  dcs_run_close(&c->runs[1]);
  free(c->list);
  *c = (dcs_comparison){0};
}
