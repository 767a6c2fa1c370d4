#include "harness/labs/diagnose.h"
#include "harness/labs/points.h"
#include "harness/labs/suspects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The points of a map that are not as they should be. */
typedef struct {
  const dcs_case *c;
  const dcs_method *method;
  const float *out;
  const dcs_reference *reference;
  dcs_point_set untouched; /* 0, as before the launch, or NaN, as before everything */
  dcs_point_set wrong;
  int64_t *index; /* of the wrong ones */
  double *found;
  int64_t n_untouched, n_wrong;
} bad_points;

static void sort_points(bad_points *bad) {
  const int64_t longest = bad->method->variant->longest_sum(&bad->c->problem, &bad->method->config);
  for (int64_t i = 0; i < bad->reference->n; i++) {
    const int64_t p = bad->reference->index[i];
    const double found = bad->out[p];
    if (fabs(found - bad->reference->sums[i].v) <= dcs_bound(bad->reference, i, longest)) continue;
    if (found == 0 || isnan(found)) {
      bad->untouched.in[p] = true;
      bad->n_untouched++;
      continue;
    }
    bad->wrong.in[p] = true;
    bad->index[bad->n_wrong] = p;
    bad->found[bad->n_wrong++] = found;
  }
}

/* ---- points that nobody computes ---- */

/* Where whole blocks stop before the edge. */
static void add_cover(const bad_points *bad, char *text) {
  static const char *const letters[] = {"x", "y", "z"};
  const int64_t n[3] = {bad->c->problem.n.x, bad->c->problem.n.y, bad->c->problem.n.z};
  for (int d = 0; d < 3; d++) {
    const int64_t from = dcs_points_from(&bad->untouched, d);
    if (from <= 0) continue;
    const size_t used = strlen(text);
    snprintf(text + used, DCS_SENTENCE - used, ": the blocks cover %lld of %lld points in %s",
             (long long)from, (long long)n[d], letters[d]);
  }
}

static void describe_untouched(const bad_points *bad, char text[DCS_SENTENCE]) {
  char where[DCS_TEXT];
  const bool nan = isnan(bad->out[0]);
  if (bad->n_untouched == bad->reference->n) {
    snprintf(text, DCS_SENTENCE,
             nan ? "no point of the map has a number: every value is NaN"
                 : "no point of the map is written: every value is 0");
    return;
  }
  dcs_describe_points(&bad->untouched, where);
  const bool one = strncmp(where, "the last ", 9) == 0 && strncmp(where + 9, "column ", 7) == 0;
  snprintf(text, DCS_SENTENCE, "%s %s computed by nobody", where,
           one || strncmp(where, "one ", 4) == 0 ? "is" : "are");
  add_cover(bad, text);
}

/* ---- points with wrong values ---- */

static void describe_wrong(const bad_points *bad, char text[DCS_SENTENCE]) {
  const dcs_wrong_values wrong = {bad->c, bad->method, bad->n_wrong, bad->index, bad->found};
  char where[DCS_TEXT], clause[DCS_TEXT];
  int64_t at[3];
  dcs_describe_points(&bad->wrong, where);
  if (!dcs_suspect_atoms(&wrong, clause) && !dcs_suspect_formula(&wrong, clause)) {
    dcs_point_at(bad->c, bad->index[0], at);
    int64_t i = 0;
    while (bad->reference->index[i] != bad->index[0])
      i++;
    snprintf(clause, sizeof clause, "at (%lld, %lld, %lld) found %.6g, expected %.6g",
             (long long)at[0], (long long)at[1], (long long)at[2], bad->found[0],
             bad->reference->sums[i].v);
  }
  if (bad->n_wrong == bad->reference->n)
    snprintf(text, DCS_SENTENCE, "all values are wrong: %s", clause);
  else
    snprintf(text, DCS_SENTENCE, "the values of %s are wrong: %s", where, clause);
}

char *dcs_diagnose_map(const dcs_case *c, const dcs_method *method, const dcs_reference *reference,
                       const float *out, char text[DCS_SENTENCE]) {
  const size_t points = (size_t)reference->points;
  bad_points bad = {.c = c,
                    .method = method,
                    .out = out,
                    .reference = reference,
                    .untouched = {c->problem.n, calloc(points, sizeof(bool))},
                    .wrong = {c->problem.n, calloc(points, sizeof(bool))},
                    .index = calloc(points, sizeof(int64_t)),
                    .found = calloc(points, sizeof(double))};
  snprintf(text, DCS_SENTENCE, "the map is wrong");
  if (bad.untouched.in && bad.wrong.in && bad.index && bad.found) {
    char wrong[DCS_SENTENCE] = "";
    sort_points(&bad);
    if (bad.n_wrong > 0) describe_wrong(&bad, wrong);
    if (bad.n_untouched > 0) describe_untouched(&bad, text);
    const size_t used = bad.n_untouched > 0 ? strlen(text) : 0;
    if (bad.n_wrong > 0)
      snprintf(text + used, DCS_SENTENCE - used, "%s%s", used ? "; " : "", wrong);
  }
  free(bad.untouched.in);
  free(bad.wrong.in);
  free(bad.index);
  free(bad.found);
  return text;
}
