/* CSV files. libcsv parses and quotes; this file keeps rows whole: what a killed writer left behind
 * the last row's newline is never taken for a row. */
#include "harness/files/csv.h"
#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- whole rows ---- */

/* Length of the UTF-8 byte order mark that some editors put first. */
static size_t mark_length(const char *bytes, size_t length) {
  return length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Length of the whole rows: up to the last newline that is outside quotes. A quote opens only where
 * a cell starts, and right behind a closing one, which makes the two a quoted quote. */
static size_t whole_rows(const char *bytes, size_t length) {
  size_t end = mark_length(bytes, length);
  bool quoted = false, may_open = true;
  for (size_t i = end; i < length; i++) {
    char c = bytes[i];
    if (quoted) {
      quoted = c != '"';
      may_open = !quoted;
      continue;
    }
    quoted = c == '"' && may_open;
    may_open = c == ',' || c == '\n' || c == '\r';
    if (c == '\n') end = i + 1;
  }
  return end;
}

/* ---- reading ---- */

struct dcs_table {
  char *path;
  char *text;    /* every cell, NUL-terminated, in order */
  size_t *cells; /* where each starts in text: the header's first */
  size_t n_cells, columns;
  bool torn;
};

typedef struct {
  dcs_table *table;
  size_t used;   /* of text */
  size_t in_row; /* cells of the row being read */
  size_t row;    /* its number; the header is row 1 */
  dcs_status status;
} reading;

static void on_cell(void *cell, size_t length, void *data) {
  reading *r = data;
  dcs_table *t = r->table;
  if (r->status != DCS_OK) return;
  if (memchr(cell, '\0', length) != NULL) {
    r->status =
        dcs_fail(DCS_INPUT, "%s: row %zu: found a NUL byte; expected text", t->path, r->row);
    return;
  }
  r->status = dcs_grow(&t->cells, t->n_cells, sizeof *t->cells, "cells of a table");
  if (r->status != DCS_OK) return;
  t->cells[t->n_cells++] = r->used;
  memcpy(t->text + r->used, cell, length);
  t->text[r->used + length] = '\0';
  r->used += length + 1;
  r->in_row++;
}

static void on_row(int terminator, void *data) {
  (void)terminator;
  reading *r = data;
  dcs_table *t = r->table;
  if (r->status != DCS_OK) return;
  if (r->row == 1) t->columns = r->in_row;
  if (r->in_row != t->columns)
    r->status = dcs_fail(DCS_INPUT, "%s: row %zu: found %zu cells; expected %zu, as in the header",
                         t->path, r->row, r->in_row, t->columns);
  r->in_row = 0;
  r->row++;
}

/* RFC 4180: spaces are part of a cell. */
static int no_space(unsigned char c) {
  (void)c;
  return 0;
}

static dcs_status parse_rows(reading *r, const char *bytes, size_t length) {
  struct csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
  csv_set_space_func(&parser, no_space);
  size_t parsed = csv_parse(&parser, bytes, length, on_cell, on_row, r);
  bool whole = parsed == length && csv_fini(&parser, on_cell, on_row, r) == 0;
  int error = csv_error(&parser);
  csv_free(&parser);
  if (r->status != DCS_OK || whole) return r->status;
  if (error == CSV_ENOMEM)
    return dcs_fail(DCS_UNAVAILABLE, "%s: no memory to read it", r->table->path);
  return dcs_fail(
      DCS_INPUT,
      "%s: row %zu: found a misplaced quote; expected a cell with quotes around it, and "
      "each quote inside doubled, or no quotes at all",
      r->table->path, r->row);
}

static dcs_status check_header(const dcs_table *t) {
  if (t->columns == 0)
    return dcs_fail(DCS_INPUT, "%s: found %s; expected a header row, ended by a newline", t->path,
                    t->torn ? "a part of a row" : "an empty file");
  for (size_t i = 1; i < t->columns; i++) {
    const char *name = t->text + t->cells[i];
    if (dcs_table_column(t, name) != (int)i)
      return dcs_fail(DCS_INPUT, "%s: row 1: found column \"%s\" twice; expected different names",
                      t->path, name);
  }
  return DCS_OK;
}

static dcs_status read_table(dcs_table *t, const char *bytes, size_t length) {
  size_t start = mark_length(bytes, length), end = whole_rows(bytes, length);
  t->torn = end < length;
  /* Each cell's separator or newline makes room for its NUL. */
  t->text = malloc(end + 1);
  if (t->text == NULL) return dcs_fail(DCS_UNAVAILABLE, "%s: no memory to read it", t->path);
  reading r = {.table = t, .row = 1};
  DCS_TRY(parse_rows(&r, bytes + start, end - start));
  return check_header(t);
}

dcs_status dcs_table_parse(const char *name, const char *bytes, size_t length, dcs_table **table) {
  *table = NULL;
  dcs_table *t = calloc(1, sizeof *t);
  dcs_status status;
  if (t == NULL || (t->path = strdup(name)) == NULL)
    status = dcs_fail(DCS_UNAVAILABLE, "%s: no memory to read it", name);
  else
    status = read_table(t, bytes, length);
  if (status == DCS_OK)
    *table = t;
  else
    dcs_table_free(t);
  return status;
}

dcs_status dcs_table_read(const char *path, dcs_table **table) {
  *table = NULL;
  char *bytes;
  size_t length;
  DCS_TRY(dcs_read_file(path, &bytes, &length));
  dcs_status status = dcs_table_parse(path, bytes, length, table);
  free(bytes);
  return status;
}

dcs_status dcs_table_need_end(const dcs_table *table) {
  if (!table->torn) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: row %zu: found no end of the row, as where a file was cut; expected a "
                  "newline behind it",
                  table->path, dcs_table_rows(table) + 2);
}

dcs_status dcs_table_read_whole(const char *path, dcs_table **table) {
  DCS_TRY(dcs_table_read(path, table));
  const dcs_status status = dcs_table_need_end(*table);
  if (status == DCS_OK) return DCS_OK;
  dcs_table_free(*table);
  *table = NULL;
  return status;
}

void dcs_table_free(dcs_table *table) {
  if (table == NULL) return;
  free(table->path);
  free(table->text);
  free(table->cells);
  free(table);
}

size_t dcs_table_rows(const dcs_table *table) {
  return table->n_cells / table->columns - 1;
}

size_t dcs_table_columns(const dcs_table *table) {
  return table->columns;
}

bool dcs_table_torn(const dcs_table *table) {
  return table->torn;
}

const char *dcs_table_path(const dcs_table *table) {
  return table->path;
}

const char *dcs_table_header(const dcs_table *table, int column) {
  return table->text + table->cells[column];
}

int dcs_table_column(const dcs_table *table, const char *name) {
  for (size_t i = 0; i < table->columns; i++)
    if (strcmp(dcs_table_header(table, (int)i), name) == 0) return (int)i;
  return -1;
}

dcs_status dcs_table_need(const dcs_table *table, const char *name, int *column) {
  *column = dcs_table_column(table, name);
  if (*column >= 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found no column \"%s\"; expected it in the header row",
                  table->path, name);
}

dcs_status dcs_table_need_all(const dcs_table *table, const char *const *names, int *columns) {
  int column;
  for (size_t n = 0; names[n]; n++)
    DCS_TRY(dcs_table_need(table, names[n], columns ? &columns[n] : &column));
  return DCS_OK;
}

const char *dcs_table_text(const dcs_table *table, size_t row, const char *name) {
  return dcs_table_cell(table, row, dcs_table_column(table, name));
}

const char *dcs_table_cell(const dcs_table *table, size_t row, int column) {
  if (column < 0) return "";
  return table->text + table->cells[(row + 1) * table->columns + (size_t)column];
}

double dcs_table_number(const dcs_table *table, size_t row, int column) {
  const char *cell = dcs_table_cell(table, row, column);
  double value;
  if (dcs_decimal_read(cell, strlen(cell), &value)) return value;
  if (strcmp(cell, "inf") == 0) return INFINITY;
  return strcmp(cell, "-inf") == 0 ? -INFINITY : NAN;
}

dcs_status dcs_table_wrong(const dcs_table *table, size_t row, const char *name, int column,
                           const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: row %zu: found %s \"%s\"; expected %s", dcs_table_path(table),
                  row + 2, name, dcs_table_cell(table, row, column), expected);
}

/* ---- writing ---- */

/* The cause is known only now, so the message is left now; dcs_csv_row() returns the status. */
static void note_failure(dcs_csv *csv) {
  if (!csv->failed) dcs_cannot("write", csv->file.path);
  csv->failed = true;
}

dcs_status dcs_csv_create(dcs_csv *csv, const char *path) {
  *csv = (dcs_csv){.first_cell = true};
  return dcs_file_create(&csv->file, path);
}

dcs_csv dcs_csv_on(FILE *stream, const char *name) {
  return (dcs_csv){.file = {.stream = stream, .path = (char *)name}, .first_cell = true};
}

dcs_csv dcs_csv_stdout(void) {
  return dcs_csv_on(stdout, "standard output");
}

static dcs_status cut_torn_row(FILE *file, const char *path) {
  struct stat facts;
  if (fstat(fileno(file), &facts) != 0) return dcs_cannot("read", path);
  if (!S_ISREG(facts.st_mode)) return DCS_OK;
  char *bytes;
  size_t length;
  DCS_TRY(dcs_read_file(path, &bytes, &length));
  size_t end = whole_rows(bytes, length);
  free(bytes);
  if (end < length && ftruncate(fileno(file), (off_t)end) != 0) return dcs_cannot("write", path);
  return DCS_OK;
}

dcs_status dcs_csv_append(dcs_csv *csv, const char *path) {
  *csv = (dcs_csv){.first_cell = true};
  DCS_TRY(dcs_file_append(&csv->file, path));
  dcs_status status = cut_torn_row(csv->file.stream, path);
  if (status != DCS_OK) dcs_csv_abandon(csv);
  return status;
}

static void write_cell(dcs_csv *csv, const char *text) {
  bool plain = strpbrk(text, ",\"\r\n") == NULL;
  bool written = (csv->first_cell || fputc(',', csv->file.stream) != EOF) &&
                 (plain ? fputs(text, csv->file.stream)
                        : csv_fwrite(csv->file.stream, text, strlen(text))) != EOF;
  csv->first_cell = false;
  if (!written) note_failure(csv);
}

void dcs_csv_text(dcs_csv *csv, const char *text) {
  write_cell(csv, text);
}

void dcs_csv_integer(dcs_csv *csv, int64_t value) {
  char text[DCS_DECIMAL_TEXT];
  snprintf(text, sizeof text, "%lld", (long long)value);
  write_cell(csv, text);
}

void dcs_csv_number(dcs_csv *csv, double value) {
  char text[DCS_DECIMAL_TEXT];
  if (isfinite(value))
    write_cell(csv, dcs_decimal_write(value, text));
  else
    write_cell(csv, isnan(value) ? "" : value > 0 ? "inf" : "-inf");
}

void dcs_csv_empty(dcs_csv *csv) {
  write_cell(csv, "");
}

void dcs_csv_numbers(dcs_csv *csv, const double *values, size_t n) {
  char text[DCS_DECIMAL_TEXT];
  if (n == 0) dcs_csv_empty(csv);
  for (size_t i = 0; i < n; i++)
    if (i == 0)
      write_cell(csv, dcs_decimal_write(values[i], text));
    else if (fprintf(csv->file.stream, " %s", dcs_decimal_write(values[i], text)) < 0)
      note_failure(csv);
}

void dcs_csv_names(dcs_csv *csv, const char *const *names) {
  for (; *names; names++)
    write_cell(csv, *names);
}

void dcs_csv_each(dcs_csv *csv, const double *numbers, size_t n) {
  for (size_t i = 0; i < n; i++)
    dcs_csv_number(csv, numbers[i]);
}

dcs_status dcs_csv_header(dcs_csv *csv, const char *const *names) {
  dcs_csv_names(csv, names);
  return dcs_csv_row(csv);
}

dcs_status dcs_csv_row(dcs_csv *csv) {
  if (fputc('\n', csv->file.stream) == EOF || fflush(csv->file.stream) != 0) note_failure(csv);
  csv->first_cell = true;
  return csv->failed ? DCS_IO : DCS_OK;
}

dcs_status dcs_csv_close(dcs_csv *csv) {
  if (!csv->failed) return dcs_file_close(&csv->file);
  dcs_status status =
      dcs_fail(DCS_IO, "%s: not written: an earlier write to it failed", csv->file.path);
  dcs_csv_abandon(csv);
  return status;
}

void dcs_csv_abandon(dcs_csv *csv) {
  dcs_file_abandon(&csv->file);
}

dcs_status dcs_csv_finish(dcs_csv *csv, dcs_status status) {
  if (status == DCS_OK) return dcs_csv_close(csv);
  dcs_csv_abandon(csv);
  return status;
}

dcs_status dcs_csv_append_table(dcs_csv *csv, const char *path, const char *const *columns) {
  struct stat facts;
  DCS_TRY(dcs_csv_append(csv, path));
  dcs_status status =
      fstat(fileno(csv->file.stream), &facts) == 0 ? DCS_OK : dcs_cannot("read", path);
  if (status == DCS_OK && S_ISREG(facts.st_mode) && facts.st_size == 0)
    status = dcs_csv_header(csv, columns);
  if (status != DCS_OK) dcs_csv_abandon(csv);
  return status;
}
