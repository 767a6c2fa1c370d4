/* Writing journal.csv. */
#include "tuning/journal/journal.h"

#include "tuning/journal/journal_columns.h"
#include "version.h" /* written by the Makefile */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const dcs_journal_columns[] = DCS_NAMES(DCS_JOURNAL_LIST(DCS_COLUMN_NAME));

static dcs_status take_lock(const char *path, dcs_lock *lock) {
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.lock", path);
  return dcs_lock_own(name, "take another --journal", lock);
}

static dcs_status write_header(dcs_csv *csv) {
  for (int c = 0; c < N_COLUMNS; c++) {
    if (c == SEQ + 1) dcs_subject_put_columns(csv);
    dcs_csv_text(csv, dcs_journal_columns[c]);
  }
  return dcs_csv_row(csv);
}

/* Looks before it does anything: rows of one schema alone, so that rows can be appended. */
static dcs_status check_columns(const char *path, dcs_journal_writer *writer) {
  dcs_table *table;
  dcs_journal_at at;
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = dcs_journal_find_columns(table, &at);
  writer->seq = (int64_t)dcs_table_rows(table);
  dcs_table_free(table);
  return status;
}

static dcs_status start_or_continue(const char *path, dcs_journal_writer *writer) {
  struct stat facts;
  bool is_new = stat(path, &facts) != 0 || facts.st_size == 0;
  if (!is_new) DCS_TRY(check_columns(path, writer));
  DCS_TRY(dcs_csv_append(&writer->csv, path));
  return is_new ? write_header(&writer->csv) : DCS_OK;
}

dcs_status dcs_journal_open(const char *path, dcs_journal_writer *writer) {
  *writer = (dcs_journal_writer){.strategy = "", .device = "", .driver = "", .nvrtc = ""};
  DCS_TRY(take_lock(path, &writer->lock));
  dcs_status status = start_or_continue(path, writer);
  if (status == DCS_OK) return DCS_OK;
  if (writer->csv.file.stream) dcs_csv_abandon(&writer->csv);
  dcs_lock_leave(&writer->lock);
  return status;
}

dcs_status dcs_journal_close(dcs_journal_writer *writer) {
  if (!writer->lock.path) return DCS_OK;
  dcs_status status = dcs_csv_close(&writer->csv);
  dcs_lock_leave(&writer->lock);
  return status;
}

dcs_status dcs_journal_write(dcs_journal_writer *writer, const dcs_journal_row *row) {
  dcs_csv *csv = &writer->csv;
  const dcs_evaluation *e = row->evaluation;
  const dcs_subject *s = &writer->subject;
  bool timed = e->n > 0;
  char config[DCS_TEXT];
  DCS_CSV_NUMBERS(csv, DCS_JOURNAL_SCHEMA, (double)writer->seq++);
  dcs_subject_put(csv, s);
  DCS_CSV_TEXTS(csv, dcs_format_config(s->variant, row->config, config), writer->device,
                writer->driver, writer->nvrtc, DCS_VERSION " " DCS_GIT_STATE, writer->strategy);
  dcs_csv_integer(csv, (int64_t)writer->seed);
  dcs_csv_text(csv, dcs_outcome_name(e->outcome));
  DCS_CSV_NUMBERS(csv, e->n, timed ? e->stats.median : NAN, timed ? e->stats.lo : NAN,
                  timed ? e->stats.hi : NAN, timed ? 1e9 * s->work / e->stats.median : NAN,
                  e->registers >= 0 ? e->registers : NAN, e->compile_ms, row->spent_s,
                  (double)row->inner);
  dcs_csv_numbers(csv, e->times, (size_t)e->n);
  dcs_csv_text(csv, row->why);
  return dcs_csv_row(csv);
}
