#include "harness/compare/compare.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static int by_key(const void *left, const void *right) {
  return dcs_compare_rows(*(const dcs_run_row *const *)left, *(const dcs_run_row *const *)right);
}

/* Judges rows of one key and counts them. */
static dcs_compared judge(const dcs_run_row *a, const dcs_run_row *b, dcs_comparison *c) {
  const bool failed[2] = {a->outcome != DCS_OUTCOME_OK, b->outcome != DCS_OUTCOME_OK};
  dcs_compared found = {.row = {a, b},
                        .failed = failed[0] || failed[1],
                        .median_ns = {NAN, NAN},
                        .ratio = {a->n_times, b->n_times, NAN, NAN, NAN},
                        .change = DCS_CHANGE_UNSURE};
  if (found.failed) {
    c->failed[failed[0] && failed[1]]++;
    return found;
  }
  found.median_ns[0] = a->stats.median;
  found.median_ns[1] = b->stats.median;
  found.ratio = dcs_row_ratio(a, b);
  found.change = dcs_change_of_ratio(&found.ratio);
  c->changes[found.change]++;
  return found;
}

/* sorted has room for B's rows, ratios for A's. */
static void judge_all(const dcs_run_row **sorted, double *ratios, dcs_comparison *c) {
  const dcs_run *a = &c->runs[0], *b = &c->runs[1];
  size_t n = 0;
  for (size_t i = 0; i < b->n_rows; i++)
    sorted[i] = &b->rows[i];
  qsort(sorted, b->n_rows, sizeof(const dcs_run_row *), by_key);
  c->only[1] = b->n_rows;
  for (size_t i = 0; i < a->n_rows; i++) {
    const dcs_run_row *row = &a->rows[i];
    const dcs_run_row **found =
        bsearch(&row, sorted, b->n_rows, sizeof(const dcs_run_row *), by_key);
    if (!found) {
      c->only[0]++;
      continue;
    }
    c->only[1]--;
    c->list[c->n] = judge(row, *found, c);
    c->n += row->outcome == DCS_OUTCOME_OK || (*found)->outcome == DCS_OUTCOME_OK;
  }
  for (size_t i = 0; i < c->n; i++)
    if (!c->list[i].failed) ratios[n++] = c->list[i].ratio.value;
  c->median_ratio = dcs_summarize(ratios, n).median;
}

static dcs_status compare_rows(dcs_comparison *c) {
  const size_t n = c->runs[0].n_rows + 1;
  const dcs_run_row **sorted = malloc((c->runs[1].n_rows + 1) * sizeof(const dcs_run_row *));
  double *ratios = malloc(n * sizeof *ratios);
  c->list = calloc(n, sizeof *c->list);
  bool room = sorted && ratios && c->list;
  if (room) judge_all(sorted, ratios, c);
  free(sorted);
  free(ratios);
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

dcs_status dcs_compare(const char *const folders[2], bool force, dcs_comparison *c) {
  *c = (dcs_comparison){0};
  for (int r = 0; r < 2; r++)
    DCS_TRY(dcs_run_open(&c->runs[r], folders[r]));
  c->n_differences = dcs_run_differences(c->runs, c->differences);
  c->forced = c->n_differences > 0 && c->differences[0].incomparable;
  if (!force) DCS_TRY(check_comparable(folders, c));
  DCS_TRY(compare_rows(c));
  return check_common(folders, c);
}

void dcs_comparison_free(dcs_comparison *c) {
  dcs_run_close(&c->runs[0]);
  dcs_run_close(&c->runs[1]);
  free(c->list);
  *c = (dcs_comparison){0};
}
