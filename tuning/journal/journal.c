/* Writing journal.csv. */
#include "tuning/journal/journal.h"

#include "harness/base/decimal.h"
#include "tuning/journal/journal_columns.h"
#include "version.h" /* written by the Makefile */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const dcs_journal_columns[N_COLUMNS] = {
    "schema",      "seq",        "variant",    "config",    "scope",       "device",
    "machine",     "capability", "units",      "driver",    "nvrtc",       "program",
    "kernel_hash", "atoms",      "nx",         "ny",        "nz",          "strategy",
    "seed",        "outcome",    "n",          "median_ns", "ci_lo_ns",    "ci_hi_ns",
    "evals_per_s", "registers",  "compile_ms", "spent_s",   "inner",       "times_ns",
    "why",         "cutoff",     "smooth",     "spacing",   "evals_useful"};

static bool is_file(int fd, const char *path) {
  struct stat open, there;
  return fstat(fd, &open) == 0 && stat(path, &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

/* Of the file that has the name now: another tuning may have renamed a renewed one into place. */
static dcs_status take_lock(const char *path, int *lock) {
  bool locked;
  for (;;) {
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
      return dcs_fail(DCS_IO, "%s: cannot open for writing: %s", path, strerror(errno));
    locked = flock(*lock, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_file(*lock, path)) return DCS_OK;
    if (!locked) break;
    close(*lock);
  }
  close(*lock);
  *lock = -1;
  if (errno != EWOULDBLOCK) return dcs_fail(DCS_IO, "%s: cannot lock: %s", path, strerror(errno));
  return dcs_fail(DCS_UNAVAILABLE,
                  "%s: another tuning writes to it; wait for its end, or take another --journal",
                  path);
}

static dcs_status write_header(dcs_csv *csv) {
  for (int c = 0; c < N_COLUMNS; c++)
    dcs_csv_text(csv, dcs_journal_columns[c]);
  return dcs_csv_row(csv);
}

/* Every row as one of this schema, with the columns that the former one lacks left empty. */
static dcs_status write_renewed(dcs_csv *csv, const dcs_table *table, const int at[N_COLUMNS]) {
  DCS_TRY(write_header(csv));
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    dcs_csv_integer(csv, DCS_TUNE_SCHEMA);
    for (int c = SCHEMA + 1; c < N_COLUMNS; c++)
      dcs_csv_text(csv, dcs_table_cell(table, row, at[c]));
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

static dcs_status renew(const char *path, const dcs_table *table, const int at[N_COLUMNS]) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = write_renewed(&csv, table, at);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

/* Rows of one kind alone, so that rows can be appended. Looks before it does anything. */
static dcs_status check_columns(const char *path, dcs_journal_writer *writer, bool *renewed) {
  dcs_table *table;
  int at[N_COLUMNS];
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = dcs_journal_find_columns(table, at);
  writer->seq = (int64_t)dcs_table_rows(table);
  *renewed = status == DCS_OK && at[CUTOFF] < 0;
  if (*renewed) status = renew(path, table, at);
  dcs_table_free(table);
  return status;
}

static dcs_status start_or_continue(const char *path, dcs_journal_writer *writer) {
  bool is_new = lseek(writer->lock, 0, SEEK_END) == 0, renewed = false;
  if (!is_new) DCS_TRY(check_columns(path, writer, &renewed));
  if (renewed) { /* the lock was the former file's */
    close(writer->lock);
    DCS_TRY(take_lock(path, &writer->lock));
    return start_or_continue(path, writer);
  }
  DCS_TRY(dcs_csv_append(&writer->csv, path));
  return is_new ? write_header(&writer->csv) : DCS_OK;
}

dcs_status dcs_journal_open(const char *path, dcs_journal_writer *writer) {
  *writer =
      (dcs_journal_writer){.lock = -1, .strategy = "", .device = "", .driver = "", .nvrtc = ""};
  DCS_TRY(take_lock(path, &writer->lock));
  dcs_status status = start_or_continue(path, writer);
  if (status == DCS_OK) return DCS_OK;
  if (writer->csv.file.stream) dcs_csv_abandon(&writer->csv);
  close(writer->lock);
  writer->lock = -1;
  return status;
}

dcs_status dcs_journal_close(dcs_journal_writer *writer) {
  if (writer->lock < 0) return DCS_OK;
  dcs_status status = dcs_csv_close(&writer->csv);
  close(writer->lock);
  writer->lock = -1;
  return status;
}

static void put_subject(dcs_csv *csv, const dcs_journal_writer *writer) {
  const dcs_subject *s = &writer->subject;
  dcs_csv_text(csv, dcs_scope_name(s->scope));
  dcs_csv_text(csv, writer->device);
  dcs_csv_text(csv, s->machine);
  dcs_csv_text(csv, s->capability);
  dcs_csv_integer(csv, s->units);
  dcs_csv_text(csv, writer->driver);
  dcs_csv_text(csv, writer->nvrtc);
  dcs_csv_text(csv, DCS_VERSION " " DCS_GIT_STATE);
  dcs_csv_text(csv, s->kernel_hash);
  dcs_csv_integer(csv, s->atoms);
  dcs_csv_integer(csv, s->n.x);
  dcs_csv_integer(csv, s->n.y);
  dcs_csv_integer(csv, s->n.z);
}

static dcs_status put_times(dcs_csv *csv, const dcs_evaluation *e) {
  char *text = malloc((size_t)e->n * DCS_DECIMAL_TEXT + 1);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "no memory for the text of %d samples", e->n);
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < e->n; i++) {
    if (i) text[used++] = ' ';
    used += strlen(dcs_decimal_write(e->times[i], text + used));
  }
  dcs_csv_text(csv, text);
  free(text);
  return DCS_OK;
}

dcs_status dcs_journal_write(dcs_journal_writer *writer, const dcs_journal_row *row) {
  dcs_csv *csv = &writer->csv;
  const dcs_evaluation *e = row->evaluation;
  const dcs_subject *s = &writer->subject;
  bool timed = e->n > 0;
  char config[DCS_TEXT];
  dcs_csv_integer(csv, DCS_TUNE_SCHEMA);
  dcs_csv_integer(csv, writer->seq++);
  dcs_csv_text(csv, s->variant->id);
  dcs_csv_text(csv, dcs_format_config(s->variant, row->config, config));
  put_subject(csv, writer);
  dcs_csv_text(csv, writer->strategy);
  dcs_csv_integer(csv, (int64_t)writer->seed);
  dcs_csv_text(csv, dcs_outcome_name(e->outcome));
  dcs_csv_integer(csv, e->n);
  dcs_csv_number(csv, timed ? e->stats.median : NAN);
  dcs_csv_number(csv, timed ? e->stats.lo : NAN);
  dcs_csv_number(csv, timed ? e->stats.hi : NAN);
  dcs_csv_number(csv, timed ? 1e9 * dcs_subject_evals(s) / e->stats.median : NAN);
  dcs_csv_number(csv, e->registers >= 0 ? e->registers : NAN);
  dcs_csv_number(csv, e->compile_ms);
  dcs_csv_number(csv, row->spent_s);
  dcs_csv_integer(csv, row->inner);
  DCS_TRY(put_times(csv, e));
  dcs_csv_text(csv, row->why);
  dcs_subject_put_within(csv, s);
  return dcs_csv_row(csv);
}
