#include "tuning/database/tuned.h"

#include "harness/base/decimal.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TUNED_SCHEMA = 5, CHECKSUM_DIGITS = 16 };

/* Those of the subject stand behind the first one. */
enum { SCHEMA, PRECISION, CONFIG, MEDIAN, RATE, TIED, DATE, TIMES, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"schema",      "precision", "config", "median_ns",
                                               "evals_per_s", "tied",      "date",   "times_ns"};
static const char last_column[] = ",checksum";

/* What the kernels compute in. */
static const char precision[] = "single";

/* ---- writing ---- */

static void put_columns(dcs_csv *csv) {
  for (int c = 0; c < N_COLUMNS; c++) {
    if (c == SCHEMA + 1) dcs_subject_put_columns(csv);
    dcs_csv_text(csv, columns[c]);
  }
}

static void put_cells(dcs_csv *csv, const dcs_tuned_entry *entry) {
  const dcs_subject *s = &entry->subject;
  char config[DCS_TEXT];
  dcs_csv_integer(csv, TUNED_SCHEMA);
  dcs_subject_put(csv, s);
  DCS_CSV_TEXTS(csv, precision, dcs_format_config(s->variant, &entry->config, config));
  DCS_CSV_NUMBERS(csv, entry->time.median_ns, 1e9 * s->work / entry->time.median_ns, entry->n_tied);
  dcs_csv_text(csv, entry->time.date);
  dcs_csv_numbers(csv, entry->time.times_ns, (size_t)entry->time.n);
}

static char *checksum(const char *text, size_t bytes, char cell[CHECKSUM_DIGITS + 2]) {
  uint64_t sum = dcs_hash(DCS_HASH_START, text, bytes);
  snprintf(cell, CHECKSUM_DIGITS + 2, ",%016llx", (unsigned long long)sum);
  return cell;
}

dcs_status dcs_tuned_row(const dcs_tuned_entry *entry, char **row) {
  static char name[] = "a row of tuned.csv";
  char sum[CHECKSUM_DIGITS + 2];
  dcs_text_stream text;
  DCS_TRY(dcs_text_begin(&text));
  dcs_csv csv = {.file = {.stream = text.stream, .path = name}, .first_cell = true};
  if (entry)
    put_cells(&csv, entry);
  else
    put_columns(&csv);
  fflush(text.stream);
  fprintf(text.stream, "%s\n", entry ? checksum(text.text, text.used, sum) : last_column);
  return dcs_text_end(&text, row, NULL);
}

/* ---- lines ---- */

static bool starts_with(const char *text, size_t length, const char *start) {
  return length >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, size_t length, const char *last) {
  return length >= strlen(last) && memcmp(text + length - strlen(last), last, strlen(last)) == 0;
}

dcs_row_kind dcs_tuned_row_kind(const char *text, size_t length) {
  char last[CHECKSUM_DIGITS + 2], schema[16];
  if (starts_with(text, length, columns[SCHEMA]) && ends_with(text, length, last_column))
    return DCS_ROW_HEADER;
  if (length < sizeof last) return DCS_ROW_DAMAGED;
  if (!ends_with(text, length, checksum(text, length - CHECKSUM_DIGITS - 1, last)))
    return DCS_ROW_DAMAGED;
  snprintf(schema, sizeof schema, "%d,", TUNED_SCHEMA);
  return starts_with(text, length, schema) ? DCS_ROW_OWN : DCS_ROW_FOREIGN;
}

/* ---- reading ---- */

static bool read_times(const char *text, dcs_previous_time *time) {
  do {
    if (time->n == DCS_PREVIOUS_SAMPLES) return false;
    if (!dcs_numbers_next(&text, &time->times_ns[time->n]) || !(time->times_ns[time->n++] > 0))
      return false;
  } while (*text);
  return true;
}

static dcs_status read_row(const dcs_table *table, size_t row, dcs_tuned_entry *entry) {
  const char *cell[N_COLUMNS];
  dcs_method method;
  int64_t tied;
  for (int c = 0; c < N_COLUMNS; c++)
    cell[c] = dcs_table_text(table, row, columns[c]);
  dcs_previous_time *time = &entry->time;
  DCS_TRY(dcs_subject_need(table));
  DCS_TRY(dcs_subject_read(table, row, &entry->subject));
  DCS_TRY(dcs_read_method(entry->subject.variant->id, cell[CONFIG], &method));
  DCS_TRY(dcs_parse_number("", cell[MEDIAN], 1e-9, 1e18, &time->median_ns));
  DCS_TRY(dcs_parse_integer("", cell[TIED], 1, INT32_MAX, &tied));
  if (strcmp(cell[PRECISION], precision) != 0 || !read_times(cell[TIMES], time)) return DCS_INPUT;
  snprintf(time->date, sizeof time->date, "%.23s", cell[DATE]);
  entry->config = method.config;
  entry->n_tied = (int)tied;
  return DCS_OK;
}

dcs_status dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_entry *entry) {
  *entry = (dcs_tuned_entry){0};
  dcs_status status = read_row(table, row, entry);
  return status == DCS_OK || status == DCS_UNAVAILABLE ? status : DCS_INPUT;
}
