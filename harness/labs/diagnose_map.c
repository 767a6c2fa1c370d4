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
  bool overwrites;         /* launches write all points: before them a value is NaN, else 0 */
  dcs_point_set untouched; /* as before the launches */
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
    if (bad->overwrites ? isnan(found) : found == 0) {
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

/* Where blocks, or a loop, stop before the edge. */
static void add_cover(const bad_points *bad, char *text) {
  static const char *const letters[] = {"x", "y", "z"};
  const int64_t n[3] = {bad->c->problem.n.x, bad->c->problem.n.y, bad->c->problem.n.z};
  for (int d = 0; d < 3; d++) {
    const int64_t from = dcs_points_from(&bad->untouched, d);
    if (from <= 0) continue;
    const size_t used = strlen(text);
    snprintf(text + used, DCS_SENTENCE - used, ": only %lld of %lld points in %s are covered",
             (long long)from, (long long)n[d], letters[d]);
  }
}

static void describe_untouched(const bad_points *bad, char text[DCS_SENTENCE]) {
  char where[DCS_TEXT];
  if (bad->n_untouched == bad->reference->n) {
    snprintf(text, DCS_SENTENCE, "no point of the map is written: every value is as before");
    return;
  }
  dcs_describe_points(&bad->untouched, where);
  snprintf(text, DCS_SENTENCE, "nobody computes %s", where);
  add_cover(bad, text);
}

/* ---- points with wrong values ---- */

/* What is known of a value whose cause is not. */
static void show_value(const bad_points *bad, char clause[DCS_TEXT]) {
  static const double FAR = 1e12; /* of the sum of the terms' magnitudes */
  int64_t at[3], i = 0;
  dcs_point_at(bad->c, bad->index[0], at);
  while (bad->reference->index[i] != bad->index[0])
    i++;
  if (isnan(bad->found[0]))
    snprintf(clause, DCS_TEXT,
             "at (%lld, %lld, %lld) found no number: it comes of memory that nobody has filled, or "
             "of an atom that is none",
             (long long)at[0], (long long)at[1], (long long)at[2]);
  else if (fabs(bad->found[0]) > FAR * bad->reference->sums[i].s)
    snprintf(clause, DCS_TEXT,
             "at (%lld, %lld, %lld) found %.6g: so large a value comes of a variable that was not "
             "set, or of a division by nearly zero",
             (long long)at[0], (long long)at[1], (long long)at[2], bad->found[0]);
  else
    snprintf(clause, DCS_TEXT, "at (%lld, %lld, %lld) found %.6g, expected %.6g", (long long)at[0],
             (long long)at[1], (long long)at[2], bad->found[0], bad->reference->sums[i].v);
}

/* Whether all wrong values are near: within a tenth of the sum of the terms' magnitudes. */
static bool suspect_rounding(const bad_points *bad, char clause[DCS_TEXT]) {
  double most = 0;
  for (int64_t i = 0; i < bad->reference->n; i++) {
    const int64_t p = bad->reference->index[i];
    if (!bad->wrong.in[p]) continue;
    const double off = fabs(bad->out[p] - bad->reference->sums[i].v) / bad->reference->sums[i].s;
    if (!(off <= most)) most = off;
  }
  snprintf(clause, DCS_TEXT,
           "they are near, off by up to %.2g%%: something is computed less accurately than single "
           "precision allows",
           100 * most);
  return most < 0.1;
}

/* Whether the cause is found. */
static bool describe_wrong(const bad_points *bad, char text[DCS_SENTENCE]) {
  const bool all = bad->n_wrong == bad->reference->n;
  const dcs_wrong_values wrong = {bad->c, bad->method, all, bad->n_wrong, bad->index, bad->found};
  char where[DCS_TEXT], clause[DCS_TEXT];
  dcs_describe_points(&bad->wrong, where);
  const bool known = dcs_suspect_atoms(&wrong, clause) || dcs_suspect_formula(&wrong, clause) ||
                     suspect_rounding(bad, clause);
  if (!known) show_value(bad, clause);
  if (all)
    snprintf(text, DCS_SENTENCE, "all values are wrong: %s", clause);
  else
    snprintf(text, DCS_SENTENCE, "the values of %s are wrong: %s", where, clause);
  return known;
}

/* Whether a cause is found. */
static bool describe_bad(bad_points *bad, char text[DCS_SENTENCE]) {
  char wrong[DCS_SENTENCE] = "";
  sort_points(bad);
  const bool known = bad->n_wrong > 0 && describe_wrong(bad, wrong);
  if (bad->n_untouched > 0) describe_untouched(bad, text);
  const size_t used = bad->n_untouched > 0 ? strlen(text) : 0;
  if (bad->n_wrong > 0 && (known || used == 0))
    snprintf(text + used, DCS_SENTENCE - used, "%s%s", used ? "; " : "", wrong);
  return known || dcs_is_orderly(&bad->untouched);
}

dcs_fault dcs_diagnose_map(const dcs_case *c, const dcs_method *method,
                           const dcs_reference *reference, const float *out,
                           char text[DCS_SENTENCE]) {
  const size_t points = (size_t)reference->points;
  dcs_plan plan = {0};
  method->variant->plan(&c->problem, &method->config, &plan);
  bad_points bad = {.c = c,
                    .method = method,
                    .out = out,
                    .reference = reference,
                    .overwrites = !dcs_plan_fills(&plan, reference->buffer),
                    .untouched = {c->problem.n, calloc(points, sizeof(bool))},
                    .wrong = {c->problem.n, calloc(points, sizeof(bool))},
                    .index = calloc(points, sizeof(int64_t)),
                    .found = calloc(points, sizeof(double))};
  dcs_fault fault = DCS_FAULT_VALUES;
  snprintf(text, DCS_SENTENCE, "the map is wrong");
  if (bad.untouched.in && bad.wrong.in && bad.index && bad.found && describe_bad(&bad, text))
    fault = DCS_FAULT_MAP;
  free(bad.untouched.in);
  free(bad.wrong.in);
  free(bad.index);
  free(bad.found);
  return fault;
}
