#include "tuning/claims/claims.h"

#include "harness/files/folder.h"
#include "harness/judge/ratio.h"

#include <math.h>

const char *const dcs_claim_verdicts[DCS_N_VERDICTS] = {"holds", "partly", "fails", "not_measured"};

/* ---- judging ---- */

dcs_grade dcs_grade_interval(double lo, double hi, dcs_claimed claimed) {
  if (isnan(lo) || isnan(hi)) return DCS_GRADE_UNSURE;
  if (lo >= claimed.lo && hi <= claimed.hi) return DCS_GRADE_YES;
  if (lo >= claimed.partly_lo) return DCS_GRADE_PARTLY;
  bool outside = hi < claimed.lo || lo > claimed.hi;
  return outside && hi < claimed.partly_lo ? DCS_GRADE_NO : DCS_GRADE_UNSURE;
}

static double evals(const dcs_run_row *row) {
  double all = row != NULL;
  for (int d = 0; row && d < row->size.kind->n_dimensions; d++)
    all *= dcs_along(&row->size, d);
  return all;
}

size_t dcs_claim_observed(const dcs_claim_result *result) {
  size_t n = 0;
  for (int g = 0; g < DCS_N_GRADES; g++)
    n += result->counts[g];
  return n;
}

/* Whether it is to be shown rather than the other: sure, then of a larger size, then faster. */
static bool goes_first(const dcs_observation *o, const dcs_observation *other) {
  bool sure = o->grade != DCS_GRADE_UNSURE, other_sure = other->grade != DCS_GRADE_UNSURE;
  if (sure != other_sure) return sure;
  double larger = evals(o->method) - evals(other->method);
  if (larger != 0) return larger > 0;
  return o->method && other->method && o->method->median_ns < other->method->median_ns;
}

void dcs_claim_add(dcs_claim_result *result, const dcs_observation *o) {
  if (dcs_claim_observed(result) == 0 || goes_first(o, &result->shown)) result->shown = *o;
  result->least = fmin(result->least, o->value); /* fmin and fmax pass over NaN */
  result->most = fmax(result->most, o->value);
  result->counts[o->grade]++;
}

void dcs_claim_grade(dcs_claim_result *result, dcs_observation o) {
  o.grade = dcs_grade_interval(o.lo, o.hi, result->claim->claimed);
  dcs_claim_add(result, &o);
}

void dcs_claim_add_speedup(dcs_claim_result *result, const dcs_run_row *method,
                           const dcs_run_row *base) {
  const dcs_ratio ratio = dcs_row_ratio(method, base);
  dcs_claim_grade(result, (dcs_observation){ratio.value, ratio.lo, ratio.hi, method, base});
}

static dcs_claim_verdict verdict_of(const size_t counts[DCS_N_GRADES]) {
  size_t sure = counts[DCS_GRADE_YES] + counts[DCS_GRADE_PARTLY] + counts[DCS_GRADE_NO];
  if (sure == 0) return DCS_VERDICT_NOT_MEASURED;
  if (counts[DCS_GRADE_YES] == sure) return DCS_VERDICT_HOLDS;
  return counts[DCS_GRADE_NO] == sure ? DCS_VERDICT_FAILS : DCS_VERDICT_PARTLY;
}

const char *dcs_claim_missing(const dcs_claim_result *result) {
  if (result->verdict != DCS_VERDICT_NOT_MEASURED) return "";
  return dcs_claim_observed(result) == 0
             ? result->claim->missing
             : "more rounds, 6 at least: all intervals are missing or reach across a bound";
}

static void check(const dcs_claim *claim, const dcs_claim_rows *rows, dcs_claims *claims) {
  dcs_claim_result *result = &claims->list[claims->n++];
  *result = (dcs_claim_result){.claim = claim, .least = NAN, .most = NAN};
  claim->observe(rows, result);
  result->verdict = verdict_of(result->counts);
}

/* Those of a kind of whose problems the run has any. */
static dcs_status check_kind(const dcs_kind_claims *of, dcs_claims *claims) {
  dcs_claim_rows rows;
  dcs_claim *list;
  DCS_TRY(dcs_claim_rows_take(&claims->run, dcs_find_kind(of->kind), &claims->room, &rows));
  if (rows.n == 0) return DCS_OK;
  DCS_TRY(dcs_room_take(&claims->room, &list, (size_t)of->n, sizeof *list, "claims"));
  for (int c = 0; c < of->n; c++) {
    list[c] = dcs_claim_of(&of->list[c]);
    check(&list[c], &rows, claims);
  }
  return DCS_OK;
}

/* Whether the run has problems of the book's kind, or none at all. */
static bool is_of_the_book(const dcs_run *run) {
  const char *kind = dcs_find_book(DCS_BOOK_VERSION_1)->kind;
  for (size_t r = 0; r < run->n_rows; r++)
    if (strcmp(run->rows[r].size.kind->id, kind) == 0) return true;
  return run->n_rows == 0;
}

dcs_status dcs_claims_check(const char *folder, dcs_claims *claims) {
  dcs_claim_rows rows;
  size_t most = dcs_n_claims;
  *claims = (dcs_claims){0};
  DCS_TRY(dcs_run_open(&claims->run, folder));
  for (int k = 0; dcs_claims_of_kinds[k]; k++)
    most += (size_t)dcs_claims_of_kinds[k]->n;
  DCS_TRY(dcs_room_take(&claims->room, &claims->list, most, sizeof *claims->list, "claims"));
  for (int k = 0; dcs_claims_of_kinds[k]; k++)
    DCS_TRY(check_kind(dcs_claims_of_kinds[k], claims));
  DCS_TRY(dcs_claim_rows_take(&claims->run, NULL, &claims->room, &rows));
  for (size_t c = 0; is_of_the_book(&claims->run) && c < dcs_n_claims; c++)
    check(&dcs_claim_list[c], &rows, claims);
  return DCS_OK;
}

void dcs_claims_free(dcs_claims *claims) {
  dcs_run_close(&claims->run);
  dcs_room_free(&claims->room);
}

/* ---- claims.csv ---- */

/* A row that was compared, or empty cells. */
static void put_method(dcs_csv *csv, const dcs_run_row *row) {
  DCS_CSV_TEXTS(csv, row ? row->variant : "", row ? row->config : "",
                row ? dcs_scope_name(row->scope) : "");
}

static void put_observation(dcs_csv *csv, const dcs_observation *o, bool any) {
  const dcs_run_row *m = o->method;
  char problem[DCS_TEXT] = "", atoms[64] = "", grid[64] = "";
  if (m) dcs_format_problem(m->size.kind, &m->size.config, problem);
  if (m) dcs_size_words(&m->size, atoms, grid);
  DCS_CSV_NUMBERS(csv, any ? o->value : NAN, any ? o->lo : NAN, any ? o->hi : NAN);
  DCS_CSV_TEXTS(csv, problem, atoms, grid);
  put_method(csv, m);
  put_method(csv, o->base);
  if (o->of)
    dcs_csv_integer(csv, (int64_t)o->of);
  else
    dcs_csv_empty(csv);
}

static dcs_status put(dcs_csv *csv, const dcs_claim_result *r) {
  const dcs_claim *claim = r->claim;
  DCS_CSV_TEXTS(csv, claim->id, claim->source, claim->text, dcs_claim_verdicts[r->verdict]);
  for (int g = 0; g < DCS_N_GRADES; g++)
    dcs_csv_integer(csv, (int64_t)r->counts[g]);
  dcs_csv_text(csv, claim->unit);
  put_observation(csv, &r->shown, dcs_claim_observed(r) > 0);
  DCS_CSV_NUMBERS(csv, r->least, r->most);
  DCS_CSV_TEXTS(csv, dcs_claim_missing(r), claim->rule);
  return dcs_csv_row(csv);
}

dcs_status dcs_claims_put(dcs_csv *csv, const dcs_claims *claims) {
  static const char *const columns[] = DCS_NAMES(
      "claim", "source", "text", "verdict", "yes", "partly", "no", "unsure", "unit", "value",
      "value_lo", "value_hi", "problem_config", "atoms", "grid", "variant", "config", "scope",
      "base_variant", "base_config", "base_scope", "of", "least", "most", "missing", "rule");
  DCS_TRY(dcs_csv_header(csv, columns));
  for (size_t i = 0; i < claims->n; i++)
    DCS_TRY(put(csv, &claims->list[i]));
  return DCS_OK;
}

dcs_status dcs_claims_write(const char *folder, const dcs_claims *claims) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_path_in(folder, "claims.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, dcs_claims_put(&csv, claims));
}
