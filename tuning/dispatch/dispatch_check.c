#include "tuning/dispatch/dispatch_check.h"

#include <math.h>

/* ---- rows ---- */

static const dcs_candidate *find(const dcs_pool *p, const dcs_method *method) {
  for (size_t i = 0; i < p->made; i++)
    if (dcs_same_method(&p->list[i].method, method)) return &p->list[i];
  return NULL;
}

static const dcs_run_row *fastest_row(const dcs_pool *p, size_t size) {
  const dcs_run_row *fastest = NULL;
  for (size_t i = 0; i < p->n; i++) {
    const dcs_rate *rate = p->list[i].times[size];
    if (rate && (!fastest || rate->row->median_ns < fastest->median_ns)) fastest = rate->row;
  }
  return fastest;
}

static void check_size(const dcs_dispatch *dispatch, dcs_dispatch_check *check, size_t size) {
  const dcs_pool *p = &check->other;
  const dcs_rate *any = p->sizes[size];
  const bool usable[2] = {true, true};
  dcs_ranked ranked[DCS_DISPATCH_MOST];
  dcs_dispatch_check_row *row = &check->rows[check->n++];
  const dcs_candidate *near = dcs_pool_nearest(&check->drawn_from, &any->row->size, SIZE_MAX);
  *row = (dcs_dispatch_check_row){.family = p->family,
                                  .scope = p->scope,
                                  .row = any->row,
                                  .best = fastest_row(p, size),
                                  .nearest_lost = NAN,
                                  .lost = NAN};
  if (near) row->nearest_lost = dcs_pool_lost(p, find(p, &near->method), size);
  if (dcs_dispatch_rank(dispatch, &any->row->size, any->sample.spacing, p->scope, usable, ranked) <
      1)
    return;
  row->taken = ranked[0];
  const dcs_method method = {row->taken.method->variant, row->taken.method->config};
  const dcs_candidate *own = find(p, &method);
  if (own && own->times[size]) row->own = own->times[size]->row;
  row->lost = dcs_pool_lost(p, own, size);
}

static dcs_status check_scope(const dcs_dispatch *dispatch, const dcs_dispatch_family *family,
                              dcs_scope scope, dcs_dispatch_check *check) {
  DCS_TRY(dcs_pool_fill(&check->drawn_from, family, scope));
  DCS_TRY(dcs_pool_fill(&check->other, family, scope));
  check->other.n = check->other.made; /* to lose against a method, one size of it is enough */
  for (size_t size = 0; size < check->other.n_sizes; size++)
    if (dcs_pool_measured(&check->other, size) > 1) check_size(dispatch, check, size);
  return DCS_OK;
}

/* ---- the check ---- */

static dcs_status check_alike(const dcs_run *drawn_from, const dcs_run *other) {
  const dcs_run runs[2] = {*drawn_from, *other};
  dcs_difference differences[DCS_MAX_DIFFERENCES];
  if (dcs_run_differences(runs, differences) == 0 || !differences[0].incomparable) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found %s \"%s\"; expected that of %s, \"%s\"", other->folder,
                  differences[0].key, differences[0].value[1], drawn_from->folder,
                  differences[0].value[0]);
}

static dcs_status check_all(const dcs_dispatch *dispatch, const dcs_run *drawn_from,
                            const dcs_run *other, dcs_dispatch_check *check) {
  DCS_TRY(check_alike(drawn_from, other));
  DCS_TRY(dcs_pool_open(drawn_from, &check->drawn_from));
  DCS_TRY(dcs_pool_open(other, &check->other));
  const size_t most = DCS_DISPATCH_SCOPES * check->other.n_rates;
  DCS_TRY(dcs_room_take(&check->other.room, &check->rows, most, sizeof *check->rows, "sizes"));
  DCS_TRY(dcs_room_take(&check->other.room, &check->values, most, sizeof *check->values, "sizes"));
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      DCS_TRY(check_scope(dispatch, &dispatch->families[f], dcs_dispatch_scopes[s], check));
  if (check->n > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found no size with two methods or more on a problem of %s",
                  other->folder, drawn_from->folder);
}

dcs_status dcs_dispatch_check_against(const dcs_dispatch *dispatch, const dcs_run *drawn_from,
                                      const dcs_run *other, dcs_dispatch_check *check) {
  *check = (dcs_dispatch_check){0};
  return check_all(dispatch, drawn_from, other, check);
}

void dcs_dispatch_check_free(dcs_dispatch_check *check) {
  dcs_pool_close(&check->drawn_from);
  dcs_pool_close(&check->other);
}

dcs_loss dcs_dispatch_check_loss(dcs_dispatch_check *check, const dcs_dispatch_family *family,
                                 dcs_scope scope, bool nearest, int64_t *sizes) {
  size_t n = 0;
  *sizes = 0;
  for (size_t i = 0; i < check->n; i++) {
    const dcs_dispatch_check_row *row = &check->rows[i];
    const double lost = nearest ? row->nearest_lost : row->lost;
    if (row->family != family || row->scope != scope) continue;
    ++*sizes;
    if (!isnan(lost)) check->values[n++] = lost;
  }
  return dcs_loss_of(check->values, n);
}

/* ---- check.csv ---- */

static dcs_status put_row(dcs_csv *csv, const dcs_dispatch_check_row *row) {
  const dcs_size *size = &row->row->size;
  const dcs_dispatch_method *taken = row->taken.method;
  char text[DCS_TEXT];
  DCS_CSV_TEXTS(csv, dcs_scope_name(row->scope), size->kind->id,
                dcs_format_problem(size->kind, &size->config, text));
  dcs_size_put_axes(csv, size);
  dcs_csv_text(csv, taken ? taken->variant->id : "");
  dcs_csv_text(csv, taken ? dcs_format_config(taken->variant, &taken->config, text) : "");
  DCS_CSV_NUMBERS(csv, taken ? row->taken.ns : NAN, row->own ? row->own->median_ns : NAN);
  DCS_CSV_TEXTS(csv, row->taken.extrapolated ? "yes" : "no", row->best->variant, row->best->config);
  DCS_CSV_NUMBERS(csv, row->best->median_ns, row->lost, row->nearest_lost);
  return dcs_csv_row(csv);
}

static dcs_status put_rows(dcs_csv *csv, const dcs_dispatch_check *check) {
  static const char *const columns[] =
      DCS_NAMES("variant", "config", "expected_ns", "median_ns", "extrapolated", "best_variant",
                "best_config", "best_ns", "loss", "nearest_loss");
  DCS_CSV_TEXTS(csv, "scope", "problem", "problem_config");
  dcs_csv_names(csv, dcs_size_axes(dcs_kinds[0]));
  DCS_TRY(dcs_csv_header(csv, columns));
  for (size_t i = 0; i < check->n; i++)
    DCS_TRY(put_row(csv, &check->rows[i]));
  return DCS_OK;
}

dcs_status dcs_dispatch_check_write(const char *path, const dcs_dispatch_check *check) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, put_rows(&csv, check));
}
