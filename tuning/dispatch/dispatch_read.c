/* dispatch.csv, read with every value checked. */
#include "tuning/dispatch/dispatch_row.h"

#include "harness/base/embedded.h"
#include "harness/problems/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const dcs_table *table;
  size_t row;
  int at[N_COLUMNS];
} reader;

static const char *text(const reader *r, int column) {
  return dcs_table_cell(r->table, r->row, r->at[column]);
}

static dcs_status wrong(const reader *r, int column, const char *expected) {
  char name[64];
  return dcs_table_wrong(r->table, r->row, dcs_dispatch_column(column, name), r->at[column],
                         expected);
}

static dcs_status check_schema(const reader *r) {
  char expected[96];
  if (dcs_table_number(r->table, r->row, r->at[SCHEMA]) == DCS_DISPATCH_SCHEMA) return DCS_OK;
  snprintf(expected, sizeof expected,
           "%d: draw the table anew, with `dcsbench dispatch` on its run folder",
           DCS_DISPATCH_SCHEMA);
  return wrong(r, SCHEMA, expected);
}

static dcs_status find_columns(reader *r) {
  char name[64];
  for (int c = 0; c < N_COLUMNS; c++) {
    DCS_TRY(dcs_table_need(r->table, dcs_dispatch_column(c, name), &r->at[c]));
    if (c == SCHEMA) DCS_TRY(check_schema(r)); /* another has other columns */
  }
  return DCS_OK;
}

static dcs_status check_sum(const reader *r) {
  uint64_t sum = DCS_HASH_START;
  char expected[32];
  for (int c = 0; c < r->at[CHECKSUM]; c++)
    sum = dcs_dispatch_sum(sum, dcs_table_cell(r->table, r->row, c));
  if (strcmp(text(r, CHECKSUM), dcs_dispatch_sum_text(sum, expected)) == 0) return DCS_OK;
  return wrong(r, CHECKSUM, "that of the row: it was changed since it was written");
}

/* ---- what it was measured at ---- */

static dcs_status read_problem(const reader *r, int column, dcs_size *size) {
  char again[DCS_TEXT];
  size->kind = dcs_find_kind(text(r, PROBLEM));
  if (!size->kind) return wrong(r, PROBLEM, "one that `dcsbench list` shows");
  if (dcs_parse_problem(size->kind, text(r, column), &size->config) == DCS_OK &&
      strcmp(dcs_format_problem(size->kind, &size->config, again), text(r, column)) == 0)
    return DCS_OK;
  return wrong(r, column, "values of the problem's parameters that are not initial, in order");
}

static dcs_status read_problems(const reader *r, dcs_cost *cost) {
  const dcs_config *least = &cost->least.config, *most = &cost->most.config;
  DCS_TRY(read_problem(r, CONFIG_LEAST, &cost->least));
  DCS_TRY(read_problem(r, CONFIG_MOST, &cost->most));
  bool ascends = dcs_same_family(cost->least.kind, least, most);
  for (int p = 0; p < cost->least.kind->n_params; p++)
    ascends = ascends && least->value[p] <= most->value[p];
  if (ascends) return DCS_OK;
  return wrong(r, CONFIG_MOST,
               "that of problem_config_least, or larger values of its real parameters");
}

/* ---- the method ---- */

/* The problems have been read. */
static dcs_status read_method(const reader *r, dcs_dispatch_method *m) {
  const dcs_problem small = {
      .n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = m->cost.least.config};
  char why[DCS_TEXT];
  dcs_method method;
  m->variant = dcs_find_variant(text(r, VARIANT));
  if (!m->variant) return wrong(r, VARIANT, "one that `dcsbench list` shows");
  if (dcs_kind_of(m->variant) != m->cost.least.kind || !dcs_solves(m->variant, &small.config, why))
    return wrong(r, VARIANT, "one that computes the row's problem");
  if (dcs_read_method(m->variant->id, text(r, CONFIG), &method) != DCS_OK)
    return wrong(r, CONFIG, "a value for each parameter of its variant");
  m->config = method.config;
  return dcs_applicable(m->variant, &small, &m->config, why)
             ? DCS_OK
             : wrong(r, CONFIG, "one that is legal");
}

static dcs_status read_number(const reader *r, int column, dcs_dispatch_number number) {
  const double value = dcs_table_number(r->table, r->row, r->at[column]);
  if (number.real) *number.real = value;
  if (number.unknown || !(number.real || number.whole)) return DCS_OK;
  if (!(value >= 0 && value < 1e18)) return wrong(r, column, "a number, at least 0");
  if (!number.whole) return DCS_OK;
  *number.whole = (int64_t)value;
  return (double)*number.whole == value ? DCS_OK : wrong(r, column, "a whole number");
}

/* Variant and configuration have been read. */
static dcs_status read_numbers(const reader *r, dcs_dispatch_row *row) {
  dcs_cost *cost = &row->method.cost;
  const dcs_tiling own = dcs_tiling_of(row->method.variant, &row->method.config);
  double sum = 0;
  for (int c = NUMBERS; c < FACTS; c++)
    DCS_TRY(read_number(r, c, dcs_dispatch_number_at(row, c)));
  if (!dcs_tiling_equal(&cost->shape, &own))
    return wrong(r, CONFIG, "one of which this program makes the row's launches");
  cost->shape = own;
  for (int t = 0; t < DCS_COST_TERMS; t++)
    sum += cost->ns[t];
  return sum > 0 ? DCS_OK : wrong(r, COSTS, "a cost above 0, of this or another name");
}

/* ---- rows ---- */

static dcs_status find_table(const reader *r, const dcs_size *size, dcs_dispatch *dispatch,
                             dcs_dispatch_table **table) {
  dcs_scope scope;
  if (!dcs_find_scope(text(r, SCOPE), &scope) ||
      dcs_dispatch_scopes[dcs_dispatch_scope_index(scope)] != scope)
    return wrong(r, SCOPE, "kernel, warm or first");
  dcs_dispatch_family *family = dcs_dispatch_add(dispatch, size->kind, &size->config);
  if (!family) return wrong(r, CONFIG_LEAST, "one of at most 16 families of problems");
  *table = &family->tables[dcs_dispatch_scope_index(scope)];
  if ((*table)->n < DCS_DISPATCH_MOST) return DCS_OK;
  return wrong(r, SCOPE, "at most 10 rows of it and its problem");
}

static dcs_status read_row(const reader *r, dcs_dispatch *dispatch) {
  dcs_dispatch_table *table = NULL;
  dcs_dispatch_row row = {0};
  DCS_TRY(check_schema(r));
  DCS_TRY(check_sum(r));
  if (dcs_table_number(r->table, r->row, r->at[ROWS]) != (double)dcs_table_rows(r->table))
    return wrong(r, ROWS, "the number of rows there are");
  for (int f = 0; f < DCS_N_FOR; f++)
    if (strcmp(text(r, FACTS + f), dispatch->facts[f]) != 0)
      return wrong(r, FACTS + f, "that of the first row");
  DCS_TRY(read_problems(r, &row.method.cost));
  DCS_TRY(find_table(r, &row.method.cost.least, dispatch, &table));
  DCS_TRY(read_method(r, &row.method));
  DCS_TRY(read_numbers(r, &row));
  table->held_out = row.held_out;
  table->loss = row.loss;
  table->nearest = row.nearest;
  table->list[table->n++] = row.method;
  return DCS_OK;
}

static dcs_status read_all(reader *r, dcs_dispatch *dispatch) {
  if (dcs_table_torn(r->table))
    return dcs_fail(DCS_INPUT, "%s: the last row was cut off", dcs_table_path(r->table));
  if (dcs_table_rows(r->table) == 0)
    return dcs_fail(DCS_INPUT, "%s: found no rows; expected one for each method",
                    dcs_table_path(r->table));
  DCS_TRY(find_columns(r));
  for (int f = 0; f < DCS_N_FOR; f++)
    snprintf(dispatch->facts[f], sizeof dispatch->facts[f], "%s", text(r, FACTS + f));
  for (; r->row < dcs_table_rows(r->table); r->row++)
    DCS_TRY(read_row(r, dispatch));
  return DCS_OK;
}

static dcs_status read_table(dcs_table *table, dcs_dispatch *dispatch) {
  *dispatch = (dcs_dispatch){0};
  dcs_status status = read_all(&(reader){.table = table}, dispatch);
  dcs_table_free(table);
  return status;
}

dcs_status dcs_dispatch_read(const char *path, dcs_dispatch *dispatch) {
  dcs_table *table;
  *dispatch = (dcs_dispatch){0};
  DCS_TRY(dcs_table_read(path, &table));
  return read_table(table, dispatch);
}

/* ---- those built in ---- */

dcs_status dcs_dispatch_shipped(const char *compute_capability, dcs_dispatch *dispatch) {
  static const char *const paths[] = {"results/reference/nvidia-h200/dispatch/dispatch.csv"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    const char *text = dcs_embedded(paths[i]);
    dcs_table *table;
    if (!text) continue;
    DCS_TRY(dcs_table_parse(paths[i], text, strlen(text), &table));
    DCS_TRY(read_table(table, dispatch));
    if (strcmp(dispatch->facts[DCS_FOR_COMPUTE_CAPABILITY], compute_capability) == 0) return DCS_OK;
  }
  *dispatch = (dcs_dispatch){0};
  return dcs_fail(DCS_UNAVAILABLE, "no reference is of compute capability %s", compute_capability);
}
