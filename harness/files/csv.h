/* CSV files (RFC 4180, through libcsv): tables read whole, and rows written one at a time. */
#ifndef DCS_CSV_H
#define DCS_CSV_H

#include "harness/files/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of columns as an array's initial value, NULL last. */
#define DCS_NAMES(...)                                                                             \
  { __VA_ARGS__, NULL }
/* For lists X(INDEX, "name"), ...: an enumeration of the indices, an array of the names. */
#define DCS_COLUMN_INDEX(index, name) index
#define DCS_COLUMN_NAME(index, name)  name

/* ---- reading ---- */

typedef struct dcs_table dcs_table;

/* Reads a file whose first row is the header. Every row must have as many cells as the header; a
 * torn last row (no newline at its end: a writer was killed) is left out and counted. Refuses, with
 * DCS_INPUT and the row's number, a ragged row, a doubled column name and an empty file; DCS_IO
 * when the file cannot be read. The caller frees the table with dcs_table_free(). */
dcs_status dcs_table_read(const char *path, dcs_table **table);
/* The same of a file that nobody goes on writing: DCS_INPUT for a torn last row. */
dcs_status dcs_table_read_whole(const char *path, dcs_table **table);
/* The same as dcs_table_read() of bytes[length]; messages call them `name`. */
dcs_status dcs_table_parse(const char *name, const char *bytes, size_t length, dcs_table **table);
void dcs_table_free(dcs_table *table); /* NULL is fine */

size_t dcs_table_rows(const dcs_table *table);
size_t dcs_table_columns(const dcs_table *table);
bool dcs_table_torn(const dcs_table *table);
/* DCS_INPUT where it was. */
dcs_status dcs_table_need_end(const dcs_table *table);
const char *dcs_table_path(const dcs_table *table);

/* The name of a column, owned by the table. */
const char *dcs_table_header(const dcs_table *table, int column);
/* The column's index, or -1. */
int dcs_table_column(const dcs_table *table, const char *name);
/* As above; DCS_INPUT naming file and column when it is missing. The same of a list of
 * names, NULL last; where columns is NULL, only whether they are there. */
dcs_status dcs_table_need(const dcs_table *table, const char *name, int *column);
dcs_status dcs_table_need_all(const dcs_table *table, const char *const *names, int *columns);

/* DCS_INPUT: "FILE: row 3: found NAME "CELL"; expected ..." of a cell. */
dcs_status dcs_table_wrong(const dcs_table *table, size_t row, const char *name, int column,
                           const char *expected);

/* The cell's text, "" when empty or when column is -1; owned by the table. */
const char *dcs_table_cell(const dcs_table *table, size_t row, int column);
/* The same in the column of that name; "" where there is none. */
const char *dcs_table_text(const dcs_table *table, size_t row, const char *name);
/* The cell as a number; NaN when empty or not a number. */
double dcs_table_number(const dcs_table *table, size_t row, int column);

/* ---- writing ---- */

typedef struct {
  dcs_file file;
  bool first_cell; /* of the row being written */
  bool failed;
} dcs_csv;

/* Opens `path` for writing beside and renaming: nothing is seen under that name before
 * dcs_csv_close(). */
dcs_status dcs_csv_create(dcs_csv *csv, const char *path);
/* Rows on standard output, which stays open: there is nothing to close. */
dcs_csv dcs_csv_stdout(void);
/* The same on a stream, whose name errors tell; both stay the caller's. */
dcs_csv dcs_csv_on(FILE *stream, const char *name);
/* Opens `path` for appending rows in place; a torn last row is cut off first. */
dcs_status dcs_csv_append(dcs_csv *csv, const char *path);
/* The same; where that leaves nothing the names of the columns, NULL last, come first. */
dcs_status dcs_csv_append_table(dcs_csv *csv, const char *path, const char *const *columns);

void dcs_csv_text(dcs_csv *csv, const char *text);
void dcs_csv_integer(dcs_csv *csv, int64_t value);
void dcs_csv_number(dcs_csv *csv, double value); /* shortest text that reads back; NaN is empty */
void dcs_csv_empty(dcs_csv *csv);
/* Numbers in one cell, a space between them; dcs_numbers_next() reads them. */
void dcs_csv_numbers(dcs_csv *csv, const double *values, size_t n);
/* A list of texts, NULL last, a cell each; the same as a row of their own: names of columns. */
void dcs_csv_names(dcs_csv *csv, const char *const *names);
dcs_status dcs_csv_header(dcs_csv *csv, const char *const *names);
/* Several cells: none of the texts is NULL; of the numbers, n. */
#define DCS_CSV_TEXTS(csv, ...) dcs_csv_names(csv, (const char *const[]){__VA_ARGS__, NULL})
#define DCS_CSV_NUMBERS(csv, ...)                                                                  \
  dcs_csv_each(csv, (const double[]){__VA_ARGS__},                                                 \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void dcs_csv_each(dcs_csv *csv, const double *numbers, size_t n);
/* Ends the row and flushes it. DCS_IO (naming file and cause, a full disk said plainly) when any
 * write since the last row failed. */
dcs_status dcs_csv_row(dcs_csv *csv);

/* Flushes to disk, renames into place, frees. The csv is closed whatever the status. */
dcs_status dcs_csv_close(dcs_csv *csv);
/* Closes and removes what was written beside (or leaves an appended file as it is). */
void dcs_csv_abandon(dcs_csv *csv);
/* The one or the other, by what became of the rows. */
dcs_status dcs_csv_finish(dcs_csv *csv, dcs_status status);

#endif
