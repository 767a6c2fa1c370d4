#include "harness/files/sheet.h"

#include "harness/base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- filling ---- */

dcs_sheet dcs_sheet_begin(const char *caption, const dcs_sheet_column *columns, int n) {
  dcs_sheet sheet = {.columns = malloc((size_t)n * sizeof *columns), .n_columns = n};
  snprintf(sheet.caption, sizeof sheet.caption, "%s", caption);
  sheet.failed = !sheet.columns;
  if (sheet.columns) memcpy(sheet.columns, columns, (size_t)n * sizeof *columns);
  return sheet;
}

/* Names may read as numbers, too. */
static bool has_numbers(const dcs_table *table, int column) {
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    const char *cell = dcs_table_cell(table, row, column);
    double number;
    if (*cell && !dcs_decimal_read_back(cell, &number) &&
        !isinf(dcs_table_number(table, row, column)))
      return false;
  }
  return true;
}

dcs_status dcs_sheet_of_table(const dcs_table *table, dcs_sheet *sheet) {
  const int n = (int)dcs_table_columns(table);
  dcs_sheet_column *columns = calloc((size_t)n, sizeof *columns);
  *sheet = (dcs_sheet){0};
  if (!columns) return dcs_fail(DCS_UNAVAILABLE, "no memory for a table");
  for (int c = 0; c < n; c++)
    columns[c] = (dcs_sheet_column){dcs_table_header(table, c), NULL,
                                    has_numbers(table, c) ? "%g" : NULL, 1};
  *sheet = dcs_sheet_begin(dcs_table_path(table), columns, n);
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    for (int c = 0; c < n; c++)
      if (columns[c].format)
        dcs_sheet_number(sheet, dcs_table_number(table, row, c));
      else
        dcs_sheet_text(sheet, dcs_table_cell(table, row, c));
  free(columns);
  return DCS_OK;
}

void dcs_sheet_free(dcs_sheet *sheet) {
  free(sheet->columns);
  free(sheet->cells);
  free(sheet->texts);
  *sheet = (dcs_sheet){0};
}

static bool make_room(void *list, size_t *room, size_t need, size_t element) {
  void **at = list;
  if (need <= *room) return true;
  const size_t more = 2 * need + 256;
  void *larger = realloc(*at, more * element);
  if (!larger) return false;
  *at = larger;
  *room = more;
  return true;
}

static void add(dcs_sheet *sheet, const char *text, double number) {
  const size_t length = strlen(text) + 1;
  if (sheet->failed ||
      !make_room(&sheet->cells, &sheet->room, sheet->n_cells + 1, sizeof *sheet->cells) ||
      !make_room(&sheet->texts, &sheet->texts_room, sheet->used + length, 1)) {
    sheet->failed = true;
    return;
  }
  sheet->cells[sheet->n_cells++] = (dcs_sheet_cell){sheet->used, number};
  memcpy(sheet->texts + sheet->used, text, length);
  sheet->used += length;
}

void dcs_sheet_text(dcs_sheet *sheet, const char *text) {
  add(sheet, text, NAN);
}

void dcs_sheet_number(dcs_sheet *sheet, double value) {
  if (sheet->failed) return;
  const dcs_sheet_column *column = &sheet->columns[sheet->n_cells % (size_t)sheet->n_columns];
  char text[64] = "";
  if (isfinite(value) && column->format)
    snprintf(text, sizeof text, column->format, column->scale * value);
  add(sheet, text, value);
}

size_t dcs_sheet_rows(const dcs_sheet *sheet) {
  return sheet->n_cells / (size_t)sheet->n_columns;
}

/* ---- what is written ---- */

static const dcs_sheet_cell *cell_at(const dcs_sheet *sheet, size_t row, int column) {
  return &sheet->cells[row * (size_t)sheet->n_columns + (size_t)column];
}

static const char *text_at(const dcs_sheet *sheet, size_t row, int column) {
  return sheet->texts + cell_at(sheet, row, column)->text;
}

static bool is_number(const dcs_sheet *sheet, int column) {
  return sheet->columns[column].format != NULL;
}

static bool is_seen(const dcs_sheet *sheet, int column) {
  if (!sheet->columns[column].title) return false;
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++)
    if (*text_at(sheet, row, column)) return true;
  return false;
}

/* Characters of UTF-8. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static int column_width(const dcs_sheet *sheet, int column) {
  int width = width_of(sheet->columns[column].title);
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++) {
    const int own = width_of(text_at(sheet, row, column));
    width = own > width ? own : width;
  }
  return width;
}

/* ---- for people ---- */

typedef struct {
  int column, width;
} seen_column;

/* Returns how many there are. */
static int list_seen(const dcs_sheet *sheet, seen_column *list) {
  int n = 0;
  for (int c = 0; c < sheet->n_columns; c++)
    if (is_seen(sheet, c)) list[n++] = (seen_column){c, column_width(sheet, c)};
  return n;
}

/* Control characters of a terminal are not its text. */
static void put_plain(FILE *out, const char *text) {
  for (; *text; text++)
    fputc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
}

/* *blank: columns that the next text stands behind, so that no line ends with blanks. */
static void put_padded(FILE *out, const dcs_sheet *sheet, seen_column at, const char *text,
                       int *blank) {
  const int room = at.width - width_of(text);
  const bool right = is_number(sheet, at.column);
  *blank += 2 + (right ? room : 0);
  if (*text) {
    fprintf(out, "%*s", *blank, "");
    put_plain(out, text);
    *blank = 0;
  }
  if (!right) *blank += room;
}

static void write_text(const dcs_sheet *sheet, const seen_column *seen, int n, FILE *out) {
  int blank = 0;
  put_plain(out, sheet->caption);
  fputc('\n', out);
  for (int s = 0; s < n; s++)
    put_padded(out, sheet, seen[s], sheet->columns[seen[s].column].title, &blank);
  fputc('\n', out);
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++) {
    blank = 0;
    for (int s = 0; s < n; s++)
      put_padded(out, sheet, seen[s], text_at(sheet, row, seen[s].column), &blank);
    fputc('\n', out);
  }
}

void dcs_markdown_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (strchr("\\|*`<>&[]", *text)) fputc('\\', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
}

static void write_markdown(const dcs_sheet *sheet, const seen_column *seen, int n, FILE *out) {
  dcs_markdown_text(out, sheet->caption);
  fputs("\n\n", out);
  for (int s = 0; s < n; s++) {
    fputs(s ? " | " : "| ", out);
    dcs_markdown_text(out, sheet->columns[seen[s].column].title);
  }
  fputs(" |\n", out);
  for (int s = 0; s < n; s++)
    fputs(is_number(sheet, seen[s].column) ? "|---:" : "|---", out);
  fputs("|\n", out);
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++) {
    for (int s = 0; s < n; s++) {
      fputs(s ? " | " : "| ", out);
      dcs_markdown_text(out, text_at(sheet, row, seen[s].column));
    }
    fputs(" |\n", out);
  }
}

void dcs_html_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '&')
      fputs("&amp;", out);
    else if (*text == '<')
      fputs("&lt;", out);
    else if (*text == '>')
      fputs("&gt;", out);
    else if (*text == '"')
      fputs("&quot;", out);
    else if (*text == '\'')
      fputs("&#39;", out);
    else
      fputc((unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? ' ' : *text, out);
  }
}

/* A configuration may be broken behind its commas. */
static void put_html_cell(FILE *out, const char *text) {
  char part[2 * DCS_TEXT];
  while (*text) {
    size_t n = strcspn(text, ",");
    n += text[n] == ',';
    n = n < sizeof part ? n : sizeof part - 1;
    snprintf(part, n + 1, "%s", text);
    dcs_html_text(out, part);
    text += n;
    if (part[n - 1] == ',' && *text && *text != ' ') fputs("<wbr>", out);
  }
}

static void write_html_row(const dcs_sheet *sheet, const seen_column *seen, int n, size_t row,
                           FILE *out) {
  fputs("<tr>", out);
  for (int s = 0; s < n; s++) {
    fputs(s == 0                             ? "<th scope=row>"
          : is_number(sheet, seen[s].column) ? "<td class=n>"
                                             : "<td>",
          out);
    put_html_cell(out, text_at(sheet, row, seen[s].column));
    fputs(s == 0 ? "</th>" : "</td>", out);
  }
  fputs("</tr>\n", out);
}

static void write_html(const dcs_sheet *sheet, const seen_column *seen, int n, FILE *out) {
  fputs("<div class=scroll role=region tabindex=0 aria-label=\"", out);
  dcs_html_text(out, sheet->caption);
  fputs("\"><table><caption>", out);
  dcs_html_text(out, sheet->caption);
  fputs("</caption>\n<thead><tr>", out);
  for (int s = 0; s < n; s++) {
    fprintf(out, "<th scope=col%s>", is_number(sheet, seen[s].column) ? " class=n" : "");
    dcs_html_text(out, sheet->columns[seen[s].column].title);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++)
    write_html_row(sheet, seen, n, row, out);
  fputs("</tbody></table></div>\n", out);
}

static dcs_status write_for_people(const dcs_sheet *sheet, dcs_sheet_form form, FILE *out) {
  seen_column *seen = calloc((size_t)sheet->n_columns, sizeof *seen);
  if (!seen) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a table");
  const int n = list_seen(sheet, seen);
  if (form == DCS_SHEET_TEXT)
    write_text(sheet, seen, n, out);
  else if (form == DCS_SHEET_MARKDOWN)
    write_markdown(sheet, seen, n, out);
  else
    write_html(sheet, seen, n, out);
  free(seen);
  return DCS_OK;
}

/* ---- for machines ---- */

static dcs_status write_csv(const dcs_sheet *sheet, FILE *out) {
  dcs_csv csv = dcs_csv_on(out, out == stdout ? "standard output" : "a table");
  for (int c = 0; c < sheet->n_columns; c++)
    if (sheet->columns[c].name) dcs_csv_text(&csv, sheet->columns[c].name);
  DCS_TRY(dcs_csv_row(&csv));
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++) {
    for (int c = 0; c < sheet->n_columns; c++)
      if (!sheet->columns[c].name)
        continue;
      else if (is_number(sheet, c))
        dcs_csv_number(&csv, cell_at(sheet, row, c)->number);
      else
        dcs_csv_text(&csv, text_at(sheet, row, c));
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static void put_json(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++)
    if ((unsigned char)*text < ' ')
      fprintf(out, "\\u%04x", (unsigned)*text);
    else
      fprintf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
  fputc('"', out);
}

static void put_json_cell(const dcs_sheet *sheet, size_t row, int column, FILE *out) {
  const double value = cell_at(sheet, row, column)->number;
  char text[DCS_DECIMAL_TEXT];
  if (!is_number(sheet, column))
    put_json(out, text_at(sheet, row, column));
  else
    fputs(isfinite(value) ? dcs_decimal_write(value, text) : "null", out);
}

static void write_json(const dcs_sheet *sheet, FILE *out) {
  fputc('[', out);
  for (size_t row = 0; row < dcs_sheet_rows(sheet); row++) {
    bool first = true;
    fputs(row ? ",\n {" : "\n {", out);
    for (int c = 0; c < sheet->n_columns; c++) {
      if (!sheet->columns[c].name) continue;
      fputs(first ? "" : ", ", out);
      put_json(out, sheet->columns[c].name);
      fputs(": ", out);
      put_json_cell(sheet, row, c, out);
      first = false;
    }
    fputc('}', out);
  }
  fputs("\n]\n", out);
}

dcs_status dcs_sheet_write(const dcs_sheet *sheet, dcs_sheet_form form, FILE *out) {
  if (sheet->failed) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a table");
  if (form == DCS_SHEET_CSV) return write_csv(sheet, out);
  if (form != DCS_SHEET_JSON) return write_for_people(sheet, form, out);
  write_json(sheet, out);
  return DCS_OK;
}
