/* A table that is shown: filled once, written as text for a terminal, as CSV or JSON for machines,
 * as markdown or HTML for pasting and pages. */
#ifndef DCS_SHEET_H
#define DCS_SHEET_H

#include "harness/files/csv.h"
#include "kernels/contract.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum {
  DCS_SHEET_TEXT,
  DCS_SHEET_MARKDOWN,
  DCS_SHEET_HTML,
  DCS_SHEET_CSV, /* this and JSON are for machines */
  DCS_SHEET_JSON
} dcs_sheet_form;

typedef struct {
  const char *name;   /* as machines have it, with its unit; NULL: not for them */
  const char *title;  /* as people read it; NULL: not for them */
  const char *format; /* how people read a number: "%.4g"; NULL: the cells are texts */
  double scale;       /* that it is multiplied by before; machines have the number itself */
} dcs_sheet_column;

/* Where a cell's text begins, and its number. */
typedef struct {
  size_t text;
  double number;
} dcs_sheet_cell;

typedef struct {
  char caption[DCS_TEXT];
  dcs_sheet_column *columns; /* its own; their texts are the caller's */
  int n_columns;
  dcs_sheet_cell *cells; /* row after row */
  size_t n_cells, room;
  char *texts;
  size_t used, texts_room;
  bool failed; /* memory was short, which dcs_sheet_write() says */
} dcs_sheet;

/* An empty one with at least a column; free with dcs_sheet_free(). A long caption is cut. */
dcs_sheet dcs_sheet_begin(const char *caption, const dcs_sheet_column *columns, int n);
void dcs_sheet_free(dcs_sheet *sheet);

/* The rows of a CSV file, for machines: a column is of numbers where each of its cells is one or
 * empty. The table must outlive it. Free the sheet whatever the status. */
dcs_status dcs_sheet_of_table(const dcs_table *table, dcs_sheet *sheet);

/* The next cell, in the order of the columns. */
void dcs_sheet_text(dcs_sheet *sheet, const char *text);
void dcs_sheet_number(dcs_sheet *sheet, double value); /* NaN: unknown, and empty */
size_t dcs_sheet_rows(const dcs_sheet *sheet);

/* People do not see columns whose cells are all empty; JSON is an array of objects, where unknown
 * is null. The first column of HTML heads its rows. Whatever was in a text is a text in each form.
 * DCS_UNAVAILABLE where memory was short. That a write failed is for who closes the stream to say.
 */
dcs_status dcs_sheet_write(const dcs_sheet *sheet, dcs_sheet_form form, FILE *out);

/* The text with what is markup in HTML escaped; in markdown, where a bar or a line's end would be
 * another cell, too. */
void dcs_html_text(FILE *out, const char *text);
void dcs_markdown_text(FILE *out, const char *text);

#endif
