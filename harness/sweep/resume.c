#include "harness/sweep/resume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that name a record, in both files. */
typedef struct {
  dcs_table *table;
  int variant, config, scope, memory, cutoff, smooth, atoms, nx, ny, nz;
} keyed;

static dcs_status open_keyed(const char *folder, const char *name, keyed *k) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  DCS_TRY(dcs_table_read(path, &k->table));
  struct {
    const char *name;
    int *column;
  } needed[] = {{"variant", &k->variant}, {"config", &k->config},
                {"scope", &k->scope},     {"memory", &k->memory},
                {"cutoff", &k->cutoff},   {"smooth", &k->smooth},
                {"atoms", &k->atoms},     {"nx", &k->nx},
                {"ny", &k->ny},           {"nz", &k->nz}};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    dcs_status status = dcs_table_need(k->table, needed[i].name, needed[i].column);
    if (status != DCS_OK) {
      dcs_table_free(k->table);
      return status;
    }
  }
  return DCS_OK;
}

static bool same_size(const keyed *k, size_t row, const dcs_cell *cell) {
  return dcs_table_number(k->table, row, k->atoms) == (double)cell->atoms &&
         dcs_table_number(k->table, row, k->nx) == (double)cell->n.x &&
         dcs_table_number(k->table, row, k->ny) == (double)cell->n.y &&
         dcs_table_number(k->table, row, k->nz) == (double)cell->n.z;
}

static bool same_cutoff(const keyed *k, size_t row, const dcs_cell *cell) {
  return dcs_table_number(k->table, row, k->cutoff) == cell->cutoff &&
         strcmp(dcs_table_cell(k->table, row, k->smooth), dcs_smooth_names[cell->smooth]) == 0;
}

/* Whether the row is of the cell's record r. */
static bool same_record(const keyed *k, size_t row, const dcs_cell *cell, int r) {
  const dcs_record *record = &cell->records[r];
  char config[DCS_TEXT];
  if (!same_size(k, row, cell)) return false;
  if (record->method.variant->cutoff && !same_cutoff(k, row, cell)) return false;
  dcs_format_config(record->method.variant, &record->method.config, config);
  return strcmp(dcs_table_cell(k->table, row, k->variant), record->method.variant->id) == 0 &&
         strcmp(dcs_table_cell(k->table, row, k->config), config) == 0 &&
         strcmp(dcs_table_cell(k->table, row, k->scope), dcs_scope_name(record->scope)) == 0 &&
         strcmp(dcs_table_cell(k->table, row, k->memory), dcs_record_memory(record)) == 0;
}

/* ---- samples ---- */

static dcs_status take_sample(dcs_record *record, double time_ns) {
  double *times = realloc(record->times_ns, (record->n_times + 1) * sizeof *times);
  if (!times) return dcs_fail(DCS_UNAVAILABLE, "no memory for samples");
  record->times_ns = times;
  times[record->n_times++] = time_ns;
  return DCS_OK;
}

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
    for (int c = 0; status == DCS_OK && c < cells->n; c++)
      for (int r = 0; status == DCS_OK && r < cells->list[c].n_records; r++)
        if (same_record(&k, row, &cells->list[c], r))
          status = take_sample(&cells->list[c].records[r], time_ns);
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
 */
static bool row_finished(const summary *s, size_t row, int rounds) {
  const char *outcome = dcs_table_cell(s->key.table, row, s->outcome);
  const char *reason = dcs_table_cell(s->key.table, row, s->stop_reason);
  return strcmp(outcome, "ok") != 0 || strcmp(reason, "budget") == 0 ||
         strcmp(reason, "interval") == 0 || dcs_table_number(s->key.table, row, s->n) >= rounds;
}

static bool cell_finished(const summary *s, const dcs_cell *cell, int rounds) {
  for (int r = 0; r < cell->n_records; r++) {
    bool found = false;
    for (size_t row = 0; !found && row < dcs_table_rows(s->key.table); row++)
      found = same_record(&s->key, row, cell, r) && row_finished(s, row, rounds);
    if (!found) return false;
  }
  return true;
}

static bool will_be_written_again(const keyed *k, size_t row, const dcs_cells *cells) {
  for (int c = 0; c < cells->n; c++)
    for (int r = 0; r < cells->list[c].n_records; r++)
      if (same_record(k, row, &cells->list[c], r)) return true;
  return false;
}

/* Writes summary.csv again without the rows of what is still to be measured. */
static dcs_status keep_finished(const char *folder, const summary *s, const dcs_cells *cells) {
  char path[4096];
  dcs_csv csv;
  snprintf(path, sizeof path, "%s/summary.csv", folder);
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = dcs_write_header(&csv, dcs_summary_columns);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(s->key.table); row++) {
    if (will_be_written_again(&s->key, row, cells)) continue;
    for (int column = 0; dcs_summary_columns[column]; column++)
      dcs_csv_text(&csv,
                   dcs_table_cell(s->key.table, row,
                                  dcs_table_column(s->key.table, dcs_summary_columns[column])));
    status = dcs_csv_row(&csv);
  }
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

static void drop_cell(dcs_cells *cells, int c) {
  dcs_cells one = {&cells->list[c], 1};
  for (int r = 0; r < one.list->n_records; r++)
    free(one.list->records[r].times_ns);
  free(one.list->records);
  memmove(&cells->list[c], &cells->list[c + 1], (size_t)(cells->n - c - 1) * sizeof *cells->list);
  cells->n--;
}

static dcs_status read_summary(const char *folder, int rounds, dcs_cells *cells) {
  summary s;
  DCS_TRY(open_keyed(folder, "summary.csv", &s.key));
  dcs_status status = dcs_table_need(s.key.table, "outcome", &s.outcome);
  if (status == DCS_OK) status = dcs_table_need(s.key.table, "n", &s.n);
  if (status == DCS_OK) status = dcs_table_need(s.key.table, "stop_reason", &s.stop_reason);
  for (int c = cells->n - 1; status == DCS_OK && c >= 0; c--)
    if (cell_finished(&s, &cells->list[c], rounds)) drop_cell(cells, c);
  if (status == DCS_OK) status = keep_finished(folder, &s, cells);
  dcs_table_free(s.key.table);
  return status;
}

dcs_status dcs_resume(const char *folder, int rounds, dcs_cells *cells, int64_t *seq) {
  DCS_TRY(read_samples(folder, cells, seq)); /* first: it refuses, the other one writes */
  return read_summary(folder, rounds, cells);
}
