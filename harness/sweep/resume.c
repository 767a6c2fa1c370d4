#include "harness/sweep/resume.h"

#include "harness/files/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that name a record, in both files. */
typedef struct {
  dcs_table *table;
  int variant, config, scope, memory;
  dcs_size_at size;
} keyed;

static dcs_status open_keyed(const char *folder, const char *name, keyed *k) {
  char path[4096];
  DCS_TRY(dcs_path_in(folder, name, path));
  DCS_TRY(dcs_table_read(path, &k->table));
  dcs_status status = dcs_table_need(k->table, "variant", &k->variant);
  if (status == DCS_OK) status = dcs_table_need(k->table, "config", &k->config);
  if (status == DCS_OK) status = dcs_table_need(k->table, "scope", &k->scope);
  if (status == DCS_OK) status = dcs_table_need(k->table, "memory", &k->memory);
  if (status == DCS_OK) status = dcs_size_find(k->table, &k->size);
  if (status != DCS_OK) dcs_table_free(k->table);
  return status;
}

static bool is_cell(const keyed *k, size_t row, int column, const char *text) {
  return strcmp(dcs_table_cell(k->table, row, column), text) == 0;
}

/* Whether the row, of that size, is of the record. */
static bool same_record(const keyed *k, size_t row, const dcs_size *size,
                        const dcs_record *record) {
  char config[DCS_TEXT];
  return dcs_same_size(size, &record->size) &&
         is_cell(k, row, k->variant, record->method.variant->id) &&
         is_cell(k, row, k->config,
                 dcs_format_config(record->method.variant, &record->method.config, config)) &&
         is_cell(k, row, k->scope, dcs_scope_name(record->scope)) &&
         is_cell(k, row, k->memory, dcs_record_memory(record));
}

/* The record that the row is of, NULL where none is. */
static dcs_status find_record(const keyed *k, size_t row, dcs_cells *cells, dcs_record **found) {
  dcs_size size;
  *found = NULL;
  DCS_TRY(dcs_size_read(k->table, row, &k->size, &size));
  for (int c = 0; c < cells->n && !*found; c++) {
    dcs_cell *cell = &cells->list[c];
    for (int r = 0; dcs_same_axes(&size, &cell->size) && r < cell->n_records; r++)
      if (same_record(k, row, &size, &cell->records[r])) *found = &cell->records[r];
  }
  return DCS_OK;
}

/* ---- samples ---- */

/* Rows are appended as they are now: the file must have the same columns. */
static dcs_status check_columns(const dcs_table *table) {
  int n = 0;
  while (dcs_sample_columns[n])
    n++;
  bool same = dcs_table_columns(table) == (size_t)n;
  for (int c = 0; same && c < n; c++)
    same = dcs_table_column(table, dcs_sample_columns[c]) == c;
  if (same) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%s: its columns are those of another version of the program; take another "
                  "folder",
                  dcs_table_path(table));
}

static dcs_status read_samples(const char *folder, dcs_cells *cells, int64_t *seq) {
  keyed k;
  int time_column, seq_column;
  DCS_TRY(open_keyed(folder, "samples.csv", &k));
  dcs_status status = check_columns(k.table);
  if (status == DCS_OK) status = dcs_table_need(k.table, "time_ns", &time_column);
  if (status == DCS_OK) status = dcs_table_need(k.table, "seq", &seq_column);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(k.table); row++) {
    double time_ns = dcs_table_number(k.table, row, time_column);
    double number = dcs_table_number(k.table, row, seq_column);
    if (!(time_ns > 0) || !(number >= 0)) {
      status = dcs_fail(DCS_INPUT, "%s: row %zu: time_ns or seq is not a number",
                        dcs_table_path(k.table), row + 2);
      break;
    }
    if (number >= (double)*seq) *seq = (int64_t)number + 1;
    dcs_record *record;
    status = find_record(&k, row, cells, &record);
    if (status == DCS_OK && record) status = dcs_record_add(record, time_ns);
  }
  dcs_table_free(k.table);
  return status;
}

/* ---- summary ---- */

typedef struct {
  keyed key;
  int outcome, n, stop_reason;
} summary;

/* A row that needs no more work: it failed for good, has samples enough, or its budget was spent.
 * An interrupted one may have samples enough, but its output was not checked after the last. */
static bool row_finished(const summary *s, size_t row, int rounds) {
  const char *outcome = dcs_table_cell(s->key.table, row, s->outcome);
  const char *reason = dcs_table_cell(s->key.table, row, s->stop_reason);
  if (strcmp(outcome, "ok") != 0) return true;
  return strcmp(reason, "budget") == 0 || strcmp(reason, "interval") == 0 ||
         (strcmp(reason, "interrupted") != 0 &&
          dcs_table_number(s->key.table, row, s->n) >= rounds);
}

/* Which records have a finished row, and which rows are of a record, by row. */
typedef struct {
  const dcs_record **record; /* NULL: of none */
  size_t n;
} rows_of;

static bool cell_finished(const summary *s, const rows_of *rows, const dcs_cell *cell, int rounds) {
  for (int r = 0; r < cell->n_records; r++) {
    bool found = false;
    for (size_t row = 0; !found && row < rows->n; row++)
      found = rows->record[row] == &cell->records[r] && row_finished(s, row, rounds);
    if (!found) return false;
  }
  return true;
}

static bool has_rows(const rows_of *rows, const dcs_cell *cell) {
  for (size_t row = 0; row < rows->n; row++)
    for (int r = 0; r < cell->n_records; r++)
      if (rows->record[row] == &cell->records[r]) return true;
  return false;
}

static void drop_cell(dcs_cells *cells, int c) {
  dcs_cell_free(&cells->list[c]);
  memmove(&cells->list[c], &cells->list[c + 1], (size_t)(cells->n - c - 1) * sizeof *cells->list);
  cells->n--;
}

static dcs_status sort_out(const summary *s, int rounds, rows_of *rows, dcs_cells *cells) {
  for (size_t row = 0; row < rows->n; row++) {
    dcs_record *record;
    DCS_TRY(find_record(&s->key, row, cells, &record));
    rows->record[row] = record;
  }
  for (int c = cells->n - 1; c >= 0; c--) {
    cells->list[c].has_rows = has_rows(rows, &cells->list[c]);
    if (cells->list[c].has_rows && cell_finished(s, rows, &cells->list[c], rounds))
      drop_cell(cells, c);
  }
  return DCS_OK;
}

static dcs_status read_summary(const char *folder, int rounds, dcs_cells *cells) {
  summary s;
  DCS_TRY(open_keyed(folder, "summary.csv", &s.key));
  rows_of rows = {.n = dcs_table_rows(s.key.table)};
  dcs_status status = dcs_table_need(s.key.table, "outcome", &s.outcome);
  if (status == DCS_OK) status = dcs_table_need(s.key.table, "n", &s.n);
  if (status == DCS_OK) status = dcs_table_need(s.key.table, "stop_reason", &s.stop_reason);
  rows.record = calloc(rows.n + 1, sizeof(dcs_record *));
  if (status == DCS_OK && !rows.record)
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows", rows.n);
  if (status == DCS_OK) status = sort_out(&s, rounds, &rows, cells);
  free((void *)rows.record);
  dcs_table_free(s.key.table);
  return status;
}

dcs_status dcs_resume(const char *folder, int rounds, dcs_cells *cells, int64_t *seq) {
  DCS_TRY(read_samples(folder, cells, seq));
  return read_summary(folder, rounds, cells);
}

/* ---- writing ---- */

static dcs_status copy_row(const dcs_table *table, size_t row, dcs_csv *csv) {
  for (int c = 0; dcs_summary_columns[c]; c++)
    dcs_csv_text(csv, dcs_table_cell(table, row, dcs_table_column(table, dcs_summary_columns[c])));
  return dcs_csv_row(csv);
}

static dcs_status write_rows(const keyed *k, dcs_cell *cell, dcs_csv *csv) {
  dcs_cells one = {cell, 1};
  DCS_TRY(dcs_csv_header(csv, dcs_summary_columns));
  for (size_t row = 0; row < dcs_table_rows(k->table); row++) {
    dcs_record *record;
    DCS_TRY(find_record(k, row, &one, &record));
    if (!record || !dcs_record_known(record)) DCS_TRY(copy_row(k->table, row, csv));
  }
  for (int r = 0; r < cell->n_records; r++)
    if (dcs_record_known(&cell->records[r])) DCS_TRY(dcs_write_summary(csv, &cell->records[r]));
  return DCS_OK;
}

dcs_status dcs_replace_rows(const char *folder, dcs_cell *cell) {
  char path[4096];
  dcs_csv csv = {0};
  keyed k;
  DCS_TRY(dcs_path_in(folder, "summary.csv", path));
  DCS_TRY(open_keyed(folder, "summary.csv", &k));
  dcs_status status = dcs_csv_create(&csv, path);
  if (status == DCS_OK) status = dcs_csv_finish(&csv, write_rows(&k, cell, &csv));
  dcs_table_free(k.table);
  return status;
}
