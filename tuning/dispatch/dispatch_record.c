/* dispatch.csv. */
#include "tuning/dispatch/dispatch.h"

#include "harness/base/csv.h"
#include "harness/problems/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns before the costs and the facts; numbers but for those with names. */
enum {
  SCHEMA,
  ROWS,
  SCOPE,
  SMOOTH,
  CUTOFF_LEAST,
  CUTOFF_MOST,
  VARIANT,
  CONFIG,
  CELLS,
  ATOMS_LEAST,
  TILE_X,
  TILE_Y,
  TILE_Z,
  SLICES,
  CHUNK,
  SHARES,
  UNITS,
  TOGETHER,
  HELD_OUT,
  MEAN,
  WORST,
  N_COLUMNS
};
static const char *const columns[N_COLUMNS] = {
    "schema",      "rows",        "scope",          "smooth",         "cutoff_least",
    "cutoff_most", "variant",     "config",         "cells",          "atoms_least",
    "tile_x",      "tile_y",      "tile_z",         "launch_slices",  "launch_atoms",
    "atom_shares", "turn_blocks", "together_turns", "held_out_cells", "regret_mean",
    "regret_worst"};

static int count_rows(const dcs_dispatch *dispatch) {
  int rows = 0;
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      rows += dispatch->tables[sum][s].n;
  return rows;
}

/* ---- writing ---- */

static void put_tiling(dcs_csv *csv, const dcs_tiling *shape) {
  for (int d = 0; d < 3; d++)
    dcs_csv_integer(csv, shape->tile[d]);
  dcs_csv_integer(csv, shape->slices);
  dcs_csv_integer(csv, shape->chunk);
  dcs_csv_integer(csv, shape->shares);
}

static void put_cutoffs(dcs_csv *csv, int sum, const dcs_cost *cost) {
  dcs_csv_text(csv, sum > 0 ? dcs_smooth_names[sum - 1] : "");
  dcs_csv_number(csv, sum > 0 ? cost->cutoff_least : NAN);
  dcs_csv_number(csv, sum > 0 ? cost->cutoff_most : NAN);
}

static dcs_status put(dcs_csv *csv, const dcs_dispatch *dispatch, int sum, int scope, int m) {
  const dcs_dispatch_table *table = &dispatch->tables[sum][scope];
  const dcs_dispatch_method *method = &table->list[m];
  char config[DCS_TEXT];
  dcs_csv_integer(csv, DCS_DISPATCH_SCHEMA);
  dcs_csv_integer(csv, count_rows(dispatch));
  dcs_csv_text(csv, dcs_scope_name(dcs_dispatch_scopes[scope]));
  put_cutoffs(csv, sum, &method->cost);
  dcs_csv_text(csv, method->variant->id);
  dcs_csv_text(csv, dcs_format_config(method->variant, &method->config, config));
  dcs_csv_integer(csv, method->cells);
  dcs_csv_integer(csv, method->cost.atoms_least);
  put_tiling(csv, &method->cost.shape);
  dcs_csv_number(csv, method->cost.units);
  dcs_csv_number(csv, method->cost.together);
  dcs_csv_integer(csv, table->regret.cells);
  dcs_csv_number(csv, table->regret.mean);
  dcs_csv_number(csv, table->regret.worst);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    dcs_csv_number(csv, method->cost.ns[t]);
  for (int f = 0; f < DCS_N_FOR; f++)
    dcs_csv_text(csv, dispatch->facts[f]);
  return dcs_csv_row(csv);
}

static dcs_status put_all(dcs_csv *csv, const dcs_dispatch *dispatch) {
  for (int c = 0; c < N_COLUMNS; c++)
    dcs_csv_text(csv, columns[c]);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    dcs_csv_text(csv, dcs_cost_names[t]);
  for (int f = 0; f < DCS_N_FOR; f++)
    dcs_csv_text(csv, dcs_dispatch_facts[f]);
  DCS_TRY(dcs_csv_row(csv));
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      for (int m = 0; m < dispatch->tables[sum][s].n; m++)
        DCS_TRY(put(csv, dispatch, sum, s, m));
  return DCS_OK;
}

dcs_status dcs_dispatch_write(const char *path, const dcs_dispatch *dispatch) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = put_all(&csv, dispatch);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

/* ---- reading ---- */

typedef struct {
  const dcs_table *table;
  int column[N_COLUMNS], cost[DCS_COST_TERMS], fact[DCS_N_FOR];
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
  if (dcs_table_number(r->table, row, r->column[SCHEMA]) == DCS_DISPATCH_SCHEMA) return DCS_OK;
  return wrong(r, row, "schema", text(r, row, SCHEMA),
               "3: draw the record anew, with `dcsbench dispatch` on its run folder");
}

static dcs_status find_columns(reader *r) {
  DCS_TRY(dcs_table_need(r->table, columns[SCHEMA], &r->column[SCHEMA]));
  DCS_TRY(check_schema(r, 0)); /* another has other columns */
  for (int c = 0; c < N_COLUMNS; c++)
    DCS_TRY(dcs_table_need(r->table, columns[c], &r->column[c]));
  for (int t = 0; t < DCS_COST_TERMS; t++)
    DCS_TRY(dcs_table_need(r->table, dcs_cost_names[t], &r->cost[t]));
  for (int f = 0; f < DCS_N_FOR; f++)
    DCS_TRY(dcs_table_need(r->table, dcs_dispatch_facts[f], &r->fact[f]));
  return DCS_OK;
}

/* A number that is not below 0, into *value. */
static dcs_status number(const reader *r, size_t row, int column, const char *name, double *value) {
  *value = dcs_table_number(r->table, row, column);
  if (*value >= 0 && *value < 1e18) return DCS_OK;
  return wrong(r, row, name, dcs_table_cell(r->table, row, column), "a number, at least 0");
}

static dcs_status read_cost(const reader *r, size_t row, dcs_dispatch_method *m) {
  double shape[SHARES - TILE_X + 1], cells, atoms_least, terms = 0;
  for (int c = TILE_X; c <= SHARES; c++)
    DCS_TRY(number(r, row, r->column[c], columns[c], &shape[c - TILE_X]));
  DCS_TRY(number(r, row, r->column[CELLS], columns[CELLS], &cells));
  DCS_TRY(number(r, row, r->column[ATOMS_LEAST], columns[ATOMS_LEAST], &atoms_least));
  DCS_TRY(number(r, row, r->column[UNITS], columns[UNITS], &m->cost.units));
  DCS_TRY(number(r, row, r->column[TOGETHER], columns[TOGETHER], &m->cost.together));
  for (int t = 0; t < DCS_COST_TERMS; t++) {
    DCS_TRY(number(r, row, r->cost[t], dcs_cost_names[t], &m->cost.ns[t]));
    terms += m->cost.ns[t];
  }
  if (!(terms > 0)) return wrong(r, row, "costs", "0", "one above 0");
  m->cells = (int64_t)cells;
  m->cost.atoms_least = (int64_t)atoms_least;
  m->cost.shape = dcs_tiling_of(m->variant, &m->config);
  const dcs_tiling *own = &m->cost.shape;
  if ((double)own->tile[0] == shape[0] && (double)own->tile[1] == shape[1] &&
      (double)own->tile[2] == shape[2] && (double)own->slices == shape[3] &&
      (double)own->chunk == shape[4] && (double)own->shares == shape[5])
    return DCS_OK;
  return wrong(r, row, "launches", text(r, row, CONFIG),
               "those that this program makes of the configuration");
}

/* The index of the row's sum, and the cutoffs that it was measured at. */
static dcs_status read_cutoffs(const reader *r, size_t row, int *sum, dcs_cost *cost) {
  const char *smooth = text(r, row, SMOOTH);
  *sum = 0;
  if (!*smooth) return DCS_OK;
  while (*sum < DCS_DISPATCH_SUMS - 1 && strcmp(smooth, dcs_smooth_names[*sum]) != 0)
    ++*sum;
  if (++*sum == DCS_DISPATCH_SUMS) return wrong(r, row, "smooth", smooth, "none, c2 or nothing");
  for (int c = CUTOFF_LEAST; c <= CUTOFF_MOST; c++) {
    double *value = c == CUTOFF_LEAST ? &cost->cutoff_least : &cost->cutoff_most;
    DCS_TRY(number(r, row, r->column[c], columns[c], value));
    if (!(*value > 0)) return wrong(r, row, columns[c], text(r, row, c), "angstrom, above 0");
  }
  if (cost->cutoff_least <= cost->cutoff_most) return DCS_OK;
  return wrong(r, row, "cutoff_most", text(r, row, CUTOFF_MOST), "cutoff_least or more");
}

/* The cutoffs have been read. */
static dcs_status read_method(const reader *r, size_t row, dcs_dispatch_method *m) {
  const char *id = text(r, row, VARIANT), *config = text(r, row, CONFIG);
  const bool within = m->cost.cutoff_least > 0;
  const dcs_problem small = {
      .n_atoms = 1, .n = {1, 1, 1}, .spacing = 1, .cutoff = (float)m->cost.cutoff_least};
  char canonical[DCS_TEXT], why[DCS_TEXT];
  dcs_methods methods;
  m->variant = dcs_find_variant(id);
  if (!m->variant) return wrong(r, row, "variant", id, "one that `dcsbench list` shows");
  if (m->variant->cutoff != within)
    return wrong(r, row, "variant", id, within ? "one with a cutoff" : "one of whole sums");
  if (dcs_select_methods(id, config, (dcs_at_hand){.gpu = true}, &methods) != DCS_OK)
    return wrong(r, row, "config", config, "values that its variant can have");
  m->config = methods.list[0].config;
  int n = methods.n;
  free(methods.list);
  if (n != 1 || strcmp(dcs_format_config(m->variant, &m->config, canonical), config) != 0)
    return wrong(r, row, "config", config, "a value for each parameter");
  if (!dcs_applicable(m->variant, &small, &m->config, why))
    return wrong(r, row, "config", config, "one that is legal");
  return read_cost(r, row, m);
}

static dcs_status read_row(const reader *r, size_t row, dcs_dispatch *dispatch) {
  int s = 0, sum;
  DCS_TRY(check_schema(r, row));
  if (dcs_table_number(r->table, row, r->column[ROWS]) != (double)dcs_table_rows(r->table))
    return wrong(r, row, "rows", text(r, row, ROWS), "the number of rows there are");
  for (int f = 0; f < DCS_N_FOR; f++)
    if (strcmp(dcs_table_cell(r->table, row, r->fact[f]), dispatch->facts[f]) != 0)
      return wrong(r, row, dcs_dispatch_facts[f], dcs_table_cell(r->table, row, r->fact[f]),
                   "that of the first row");
  while (s < DCS_DISPATCH_SCOPES &&
         strcmp(text(r, row, SCOPE), dcs_scope_name(dcs_dispatch_scopes[s])) != 0)
    s++;
  if (s == DCS_DISPATCH_SCOPES)
    return wrong(r, row, "scope", text(r, row, SCOPE), "kernel, warm or first");
  dcs_dispatch_method m = {0};
  DCS_TRY(read_cutoffs(r, row, &sum, &m.cost));
  dcs_dispatch_table *table = &dispatch->tables[sum][s];
  if (table->n == DCS_DISPATCH_MOST)
    return wrong(r, row, "scope", text(r, row, SCOPE), "at most 8 rows of it and its smooth");
  double cells;
  DCS_TRY(number(r, row, r->column[HELD_OUT], columns[HELD_OUT], &cells));
  table->regret = (dcs_regret){(int64_t)cells, dcs_table_number(r->table, row, r->column[MEAN]),
                               dcs_table_number(r->table, row, r->column[WORST])};
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
