/* dispatch.csv, read with every value checked. */
#include "tuning/dispatch/dispatch_columns.h"

#include "harness/files/csv.h"
#include "harness/problems/methods.h"

#include <stdio.h>

typedef struct {
  const dcs_table *table;
  int column[DCS_DISPATCH_COLUMNS], axis[2][DCS_DISPATCH_AXES], cost[DCS_COST_TERMS],
      fact[DCS_N_FOR], checksum;
} reader;

static const char *text(const reader *r, size_t row, int column) {
  return dcs_table_cell(r->table, row, r->column[column]);
}

static dcs_status wrong(const reader *r, size_t row, const char *column, const char *found,
                        const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: row %zu: found %s \"%s\"; expected %s", dcs_table_path(r->table),
                  row + 2, column, found, expected);
}

static dcs_status check_schema(const reader *r, size_t row) {
  char expected[96];
  if (dcs_table_number(r->table, row, r->column[SCHEMA]) == DCS_DISPATCH_SCHEMA) return DCS_OK;
  snprintf(expected, sizeof expected,
           "%d: draw the table anew, with `dcsbench dispatch` on its run "
           "folder",
           DCS_DISPATCH_SCHEMA);
  return wrong(r, row, "schema", text(r, row, SCHEMA), expected);
}

static dcs_status find_columns(reader *r) {
  char name[64];
  DCS_TRY(dcs_table_need(r->table, dcs_dispatch_columns[SCHEMA], &r->column[SCHEMA]));
  DCS_TRY(check_schema(r, 0)); /* another has other columns */
  for (int c = 0; c < DCS_DISPATCH_COLUMNS; c++)
    DCS_TRY(dcs_table_need(r->table, dcs_dispatch_columns[c], &r->column[c]));
  for (int end = 0; end < 2; end++)
    for (int axis = 0; axis < DCS_DISPATCH_AXES; axis++)
      DCS_TRY(
          dcs_table_need(r->table, dcs_dispatch_axis_column(axis, end, name), &r->axis[end][axis]));
  for (int t = 0; t < DCS_COST_TERMS; t++)
    DCS_TRY(dcs_table_need(r->table, dcs_cost_names[t], &r->cost[t]));
  for (int f = 0; f < DCS_N_FOR; f++)
    DCS_TRY(dcs_table_need(r->table, dcs_dispatch_facts[f], &r->fact[f]));
  return dcs_table_need(r->table, DCS_DISPATCH_CHECKSUM, &r->checksum);
}

static dcs_status check_sum(const reader *r, size_t row) {
  uint64_t sum = DCS_HASH_START;
  char expected[32];
  for (int c = 0; c < r->checksum; c++)
    sum = dcs_dispatch_sum(sum, dcs_table_cell(r->table, row, c));
  const char *found = dcs_table_cell(r->table, row, r->checksum);
  if (strcmp(found, dcs_dispatch_sum_text(sum, expected)) == 0) return DCS_OK;
  return wrong(r, row, DCS_DISPATCH_CHECKSUM, found,
               "that of the row: it was changed since it was written");
}

/* A number that is not below 0, into *value. */
static dcs_status number(const reader *r, size_t row, int column, const char *name, double *value) {
  *value = dcs_table_number(r->table, row, column);
  if (*value >= 0 && *value < 1e18) return DCS_OK;
  return wrong(r, row, name, dcs_table_cell(r->table, row, column), "a number, at least 0");
}

static dcs_status whole_number(const reader *r, size_t row, int column, const char *name,
                               int64_t *value) {
  double read;
  DCS_TRY(number(r, row, column, name, &read));
  *value = (int64_t)read;
  if ((double)*value == read) return DCS_OK;
  return wrong(r, row, name, dcs_table_cell(r->table, row, column), "a whole number");
}

static dcs_status own_number(const reader *r, size_t row, int column, double *value) {
  return number(r, row, r->column[column], dcs_dispatch_columns[column], value);
}

static dcs_status own_integer(const reader *r, size_t row, int column, int64_t *value) {
  return whole_number(r, row, r->column[column], dcs_dispatch_columns[column], value);
}

static dcs_status read_tiling(const reader *r, size_t row, const dcs_dispatch_method *m) {
  const dcs_tiling *own = &m->cost.shape;
  const int64_t expected[] = {own->tile[0], own->tile[1], own->tile[2],
                              own->slices,  own->chunk,   own->shares};
  for (int c = TILE_X; c <= SHARES; c++) {
    int64_t found;
    DCS_TRY(own_integer(r, row, c, &found));
    if (found != expected[c - TILE_X])
      return wrong(r, row, "launches", text(r, row, CONFIG),
                   "those that this program makes of the configuration");
  }
  return DCS_OK;
}

static dcs_status read_cost(const reader *r, size_t row, dcs_dispatch_method *m) {
  double terms = 0;
  m->cost.shape = dcs_tiling_of(m->variant, &m->config);
  DCS_TRY(own_integer(r, row, SIZES, &m->sizes));
  DCS_TRY(own_integer(r, row, INPUTS_LEAST, &m->cost.inputs_least));
  DCS_TRY(read_tiling(r, row, m));
  DCS_TRY(own_number(r, row, SMS, &m->cost.sms));
  DCS_TRY(own_number(r, row, RESIDENT, &m->cost.resident));
  for (int t = 0; t < DCS_COST_TERMS; t++) {
    DCS_TRY(number(r, row, r->cost[t], dcs_cost_names[t], &m->cost.ns[t]));
    terms += m->cost.ns[t];
  }
  return terms > 0 ? DCS_OK : wrong(r, row, "costs", "0", "one above 0");
}

/* ---- what it was measured at ---- */

static dcs_status read_problem(const reader *r, size_t row, int column, dcs_size *size) {
  const char *config = text(r, row, column);
  char again[DCS_TEXT];
  size->kind = dcs_find_kind(text(r, row, PROBLEM));
  if (!size->kind)
    return wrong(r, row, dcs_dispatch_columns[PROBLEM], text(r, row, PROBLEM),
                 "one that `dcsbench list` shows");
  if (dcs_parse_problem(size->kind, config, &size->config) == DCS_OK &&
      strcmp(dcs_format_problem(size->kind, &size->config, again), config) == 0)
    return DCS_OK;
  return wrong(r, row, dcs_dispatch_columns[column], config,
               "values of the problem's parameters that are not initial, in order");
}

static dcs_status read_axes(const reader *r, size_t row, int end, dcs_size *size) {
  char name[64];
  for (int column = 0; column < DCS_DISPATCH_AXES; column++) {
    int axis = dcs_dispatch_axis(size->kind, column);
    if (axis >= 0)
      DCS_TRY(whole_number(r, row, r->axis[end][column],
                           dcs_dispatch_axis_column(column, end, name), &size->axes[axis]));
  }
  return DCS_OK;
}

static dcs_status read_range(const reader *r, size_t row, dcs_cost *cost) {
  dcs_size *least = &cost->least, *most = &cost->most;
  DCS_TRY(read_problem(r, row, CONFIG_LEAST, least));
  DCS_TRY(read_problem(r, row, CONFIG_MOST, most));
  bool ascends = dcs_same_family(least->kind, &least->config, &most->config);
  for (int p = 0; p < least->kind->n_params; p++)
    ascends = ascends && least->config.value[p] <= most->config.value[p];
  if (!ascends)
    return wrong(r, row, dcs_dispatch_columns[CONFIG_MOST], text(r, row, CONFIG_MOST),
                 "that of problem_config_least, or larger values of its real parameters");
  DCS_TRY(read_axes(r, row, 0, least));
  return read_axes(r, row, 1, most);
}

/* ---- rows ---- */

/* The range has been read. */
static dcs_status read_method(const reader *r, size_t row, dcs_dispatch_method *m) {
  const char *id = text(r, row, VARIANT), *config = text(r, row, CONFIG);
  const dcs_kind *kind = m->cost.least.kind;
  const dcs_problem small = {
      .n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = m->cost.least.config};
  char why[DCS_TEXT];
  dcs_method method;
  m->variant = dcs_find_variant(id);
  if (!m->variant) return wrong(r, row, "variant", id, "one that `dcsbench list` shows");
  if (dcs_kind_of(m->variant) != kind || !dcs_solves(m->variant, &small.config, why))
    return wrong(r, row, "variant", id, "one that computes the row's problem");
  if (dcs_read_method(id, config, &method) != DCS_OK)
    return wrong(r, row, "config", config, "a value for each parameter of its variant");
  m->config = method.config;
  if (!dcs_applicable(m->variant, &small, &m->config, why))
    return wrong(r, row, "config", config, "one that is legal");
  return read_cost(r, row, m);
}

static dcs_status read_loss(const reader *r, size_t row, int first, dcs_loss *loss) {
  DCS_TRY(own_integer(r, row, first, &loss->sizes));
  double *const values[] = {&loss->mean, &loss->p95, &loss->worst};
  for (int i = 0; i < 3; i++)
    *values[i] = dcs_table_number(r->table, row, r->column[first + 1 + i]);
  return DCS_OK;
}

static dcs_status find_table(const reader *r, size_t row, const dcs_size *size,
                             dcs_dispatch *dispatch, dcs_dispatch_table **table) {
  int s = 0;
  while (s < DCS_DISPATCH_SCOPES &&
         strcmp(text(r, row, SCOPE), dcs_scope_name(dcs_dispatch_scopes[s])) != 0)
    s++;
  if (s == DCS_DISPATCH_SCOPES)
    return wrong(r, row, "scope", text(r, row, SCOPE), "kernel, warm or first");
  dcs_dispatch_family *family = dcs_dispatch_add(dispatch, size->kind, &size->config);
  if (!family)
    return wrong(r, row, dcs_dispatch_columns[CONFIG_LEAST], text(r, row, CONFIG_LEAST),
                 "one of at most 16 families of problems");
  *table = &family->tables[s];
  if ((*table)->n < DCS_DISPATCH_MOST) return DCS_OK;
  return wrong(r, row, "scope", text(r, row, SCOPE), "at most 8 rows of it and its problem");
}

static dcs_status read_row(const reader *r, size_t row, dcs_dispatch *dispatch) {
  dcs_dispatch_table *table = NULL;
  dcs_dispatch_method m = {0};
  DCS_TRY(check_schema(r, row));
  DCS_TRY(check_sum(r, row));
  if (dcs_table_number(r->table, row, r->column[ROWS]) != (double)dcs_table_rows(r->table))
    return wrong(r, row, "rows", text(r, row, ROWS), "the number of rows there are");
  for (int f = 0; f < DCS_N_FOR; f++)
    if (strcmp(dcs_table_cell(r->table, row, r->fact[f]), dispatch->facts[f]) != 0)
      return wrong(r, row, dcs_dispatch_facts[f], dcs_table_cell(r->table, row, r->fact[f]),
                   "that of the first row");
  DCS_TRY(read_range(r, row, &m.cost));
  DCS_TRY(find_table(r, row, &m.cost.least, dispatch, &table));
  DCS_TRY(own_integer(r, row, HELD_OUT, &table->held_out));
  DCS_TRY(read_loss(r, row, LOSS, &table->loss));
  DCS_TRY(read_loss(r, row, NEAREST, &table->nearest));
  DCS_TRY(read_method(r, row, &m));
  table->list[table->n++] = m;
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
    snprintf(dispatch->facts[f], sizeof dispatch->facts[f], "%s",
             dcs_table_cell(r->table, 0, r->fact[f]));
  for (size_t row = 0; row < dcs_table_rows(r->table); row++)
    DCS_TRY(read_row(r, row, dispatch));
  return DCS_OK;
}

dcs_status dcs_dispatch_read(const char *path, dcs_dispatch *dispatch) {
  dcs_table *table;
  *dispatch = (dcs_dispatch){0};
  DCS_TRY(dcs_table_read(path, &table));
  reader r = {.table = table};
  dcs_status status = read_all(&r, dispatch);
  dcs_table_free(table);
  return status;
}
