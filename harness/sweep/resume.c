#include "harness/sweep/resume.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whatever the devices: check_devices(). */
static bool is_of(const dcs_run_row *row, const dcs_record *record) {
  const dcs_variant *variant = record->method.variant;
  char config[DCS_TEXT];
  return row->scope == record->scope && strcmp(row->variant, variant->id) == 0 &&
         strcmp(row->config, dcs_format_config(variant, &record->method.config, config)) == 0 &&
         strcmp(row->memory, dcs_record_memory(record)) == 0 &&
         dcs_same_size(&row->size, &record->size);
}

/* The record of the size that the row is of; NULL where none is. */
static dcs_record *find_in(const dcs_run_row *row, dcs_sweep_size *entry) {
  for (int r = 0; dcs_same_axes(&row->size, &entry->size) && r < entry->n_records; r++)
    if (is_of(row, &entry->records[r])) return &entry->records[r];
  return NULL;
}

static dcs_record *find_record(const dcs_run_row *row, dcs_sweep_sizes *sizes,
                               dcs_sweep_size **entry) {
  dcs_record *found = NULL;
  for (int c = 0; c < sizes->n && !found; c++) {
    *entry = &sizes->list[c];
    found = find_in(row, *entry);
  }
  return found;
}

/* A row is of one device: times of two are not joined. */
static dcs_status check_devices(const dcs_table *table, const dcs_run_row *row,
                                const dcs_record *record) {
  if (!record || strcmp(row->devices, record->device) == 0) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%s: row %zu: was measured on %s, and --device is %s now; go on with --device "
                  "%s, or take another folder",
                  dcs_table_path(table), row->row + 2, row->devices, record->device, row->devices);
}

/* ---- samples ---- */

/* Rows are appended as they are now: the file must have the same columns. */
static dcs_status check_columns(const dcs_table *table) {
  size_t n = 0;
  while (dcs_sample_columns[n] && dcs_table_column(table, dcs_sample_columns[n]) == (int)n)
    n++;
  if (!dcs_sample_columns[n] && dcs_table_columns(table) == n) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%s: its columns are those of another version of the program; take another "
                  "folder",
                  dcs_table_path(table));
}

static void go_beyond(double number, int *next) {
  if (number >= *next && number < INT_MAX) *next = (int)number + 1;
}

/* Those that no row of the summary counts are samples all the same. */
static dcs_status take_samples(const dcs_table *samples, const dcs_run_row *keys,
                               dcs_sweep_sizes *sizes, int64_t *seq, int *process, int *session) {
  const int time_ns = dcs_table_column(samples, "time_ns"),
            order = dcs_table_column(samples, "seq"), mark = dcs_table_column(samples, "mark"),
            processes = dcs_table_column(samples, "process"),
            sessions = dcs_table_column(samples, "session");
  for (size_t row = 0; row < dcs_table_rows(samples); row++) {
    dcs_sweep_size *entry;
    dcs_record *record = find_record(&keys[row], sizes, &entry);
    DCS_TRY(check_devices(samples, &keys[row], record));
    const double number = dcs_table_number(samples, row, order);
    if (!(number >= 0 && number < 0x1p53))
      return dcs_table_wrong(samples, row, "seq", order, "a number, at least 0");
    if (number >= (double)*seq) *seq = (int64_t)number + 1;
    go_beyond(dcs_table_number(samples, row, processes), process);
    go_beyond(dcs_table_number(samples, row, sessions), session);
    if (record)
      DCS_TRY(dcs_record_add(record, dcs_table_number(samples, row, time_ns),
                             dcs_table_cell(samples, row, mark)));
  }
  return DCS_OK;
}

/* ---- summary ---- */

/* Whether the row needs no more work: it failed for good, has samples enough, or its budget was
 * spent. An interrupted one may have samples enough, but its output was not checked after the last;
 * that its worker was killed is not the method's doing. Samples that the row does not count came
 * after it. */
static bool is_finished(const dcs_run *run, const dcs_run_row *row, size_t n_samples, int rounds,
                        bool again) {
  const char *reason = dcs_run_cell(run, row, "stop_reason");
  if (strcmp(reason, "killed") == 0) return false;
  if (row->outcome == DCS_OUTCOME_OK && n_samples > (size_t)row->n) return false;
  if (again) return row->outcome != DCS_OUTCOME_OK || row->n >= rounds;
  return row->outcome != DCS_OUTCOME_OK || strcmp(reason, "budget") == 0 ||
         strcmp(reason, "interval") == 0 ||
         (strcmp(reason, "interrupted") != 0 && row->n >= rounds);
}

static bool all_finished(const dcs_sweep_size *entry) {
  for (int r = 0; r < entry->n_records; r++)
    if (!entry->records[r].finished) return false;
  return true;
}

static dcs_status take_rows(const dcs_run *run, int rounds, bool again, dcs_sweep_sizes *sizes) {
  int kept = 0;
  for (size_t i = 0; i < run->n_rows; i++) {
    dcs_sweep_size *entry;
    dcs_record *record = find_record(&run->rows[i], sizes, &entry);
    if (!record) continue;
    DCS_TRY(check_devices(run->summary, &run->rows[i], record));
    entry->has_rows = true;
    if (!is_finished(run, &run->rows[i], record->n_times, rounds, again)) continue;
    record->finished = true;
    record->outcome = run->rows[i].outcome;
  }
  for (int c = 0; c < sizes->n; c++)
    if (all_finished(&sizes->list[c]))
      dcs_sweep_size_free(&sizes->list[c]);
    else
      sizes->list[kept++] = sizes->list[c];
  sizes->n = kept;
  return DCS_OK;
}

dcs_status dcs_resume(const dcs_run *run, int rounds, bool again, dcs_sweep_sizes *sizes,
                      int64_t *seq, int *process, int *session) {
  dcs_run_row *keys;
  DCS_TRY(check_columns(run->samples));
  DCS_TRY(dcs_run_read_keys(run->samples, &keys));
  dcs_status status = take_samples(run->samples, keys, sizes, seq, process, session);
  free(keys);
  return status == DCS_OK ? take_rows(run, rounds, again, sizes) : status;
}

/* ---- writing ---- */

static dcs_status copy_row(const dcs_run *run, const dcs_run_row *row, dcs_csv *csv) {
  for (const char *const *name = dcs_summary_columns; *name; name++)
    dcs_csv_text(csv, dcs_run_cell(run, row, *name));
  return dcs_csv_row(csv);
}

static dcs_status write_rows(const dcs_run *run, dcs_sweep_size *entry, dcs_csv *csv) {
  DCS_TRY(dcs_csv_header(csv, dcs_summary_columns));
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_record *record = find_in(&run->rows[i], entry);
    if (!record || !dcs_record_known(record)) DCS_TRY(copy_row(run, &run->rows[i], csv));
  }
  for (int r = 0; r < entry->n_records; r++)
    if (dcs_record_known(&entry->records[r])) DCS_TRY(dcs_write_summary(csv, &entry->records[r]));
  return DCS_OK;
}

dcs_status dcs_replace_rows(const char *folder, dcs_sweep_size *entry) {
  dcs_csv csv;
  dcs_run run;
  dcs_status status = dcs_run_open_summary(&run, folder);
  if (status == DCS_OK) status = dcs_csv_create(&csv, dcs_table_path(run.summary));
  if (status == DCS_OK) status = dcs_csv_finish(&csv, write_rows(&run, entry, &csv));
  dcs_run_close(&run);
  return status;
}
