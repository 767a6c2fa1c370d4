/* The CSV reader: RFC 4180, with a header row. The columns x, y, z, q or charge, and radius where
 * there is one, are found by their names, in any order and case; others are passed over. Spaces
 * around names and numbers do not count. Each row is an atom. */
#include "harness/files/csv.h"
#include "harness/base/grow.h"
#include "harness/input/site.h"
#include "harness/input/tally.h"

#include <stdlib.h>
#include <strings.h>

/* Which field of an atom a column of that name is, or -1. */
static int field_of(dcs_slice name) {
  static const struct {
    const char *name;
    int field;
  } known[] = {{"x", 0}, {"y", 1}, {"z", 2}, {"q", 3}, {"charge", 3}, {"radius", 4}};
  const dcs_slice text = dcs_line_columns(name, 1, SIZE_MAX);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (text.length == strlen(known[k].name) &&
        strncasecmp(text.text, known[k].name, text.length) == 0)
      return known[k].field;
  return -1;
}

static const char expected[] = "x, y, z, q or charge, and perhaps radius";

static dcs_status find_columns(const dcs_table *table, int columns[DCS_SITE_FIELDS]) {
  char found[256] = "";
  for (int f = 0; f < DCS_SITE_FIELDS; f++)
    columns[f] = -1;
  for (size_t c = 0; c < dcs_table_columns(table); c++) {
    const char *name = dcs_table_header(table, (int)c);
    const int f = field_of((dcs_slice){name, strlen(name)});
    dcs_append(found, sizeof found, "%s%s", c ? ", " : "", name);
    if (f >= 0 && columns[f] >= 0)
      return dcs_fail(DCS_INPUT, "%s: row 1: found both columns %s and %s; expected one of them",
                      dcs_table_path(table), dcs_table_header(table, columns[f]), name);
    if (f >= 0) columns[f] = (int)c;
  }
  for (int f = 0; f < 4; f++)
    if (columns[f] < 0)
      return dcs_fail(DCS_INPUT, "%s: row 1: found the columns %s; expected %s",
                      dcs_table_path(table), found, expected);
  return DCS_OK;
}

static dcs_status read_row(const dcs_table *table, size_t row, const int *columns, int n,
                           dcs_molecule *molecule) {
  dcs_site_field fields[DCS_SITE_FIELDS];
  char right[DCS_TEXT];
  for (int f = 0; f < n; f++) {
    const char *cell = dcs_table_cell(table, row, columns[f]);
    fields[f] = dcs_site_read(dcs_line_columns((dcs_slice){cell, strlen(cell)}, 1, SIZE_MAX));
  }
  const int wrong = dcs_site_wrong(fields, n);
  if (wrong < n)
    return dcs_table_wrong(table, row, dcs_table_header(table, columns[wrong]), columns[wrong],
                           dcs_site_expected(wrong, right));
  return dcs_site_add(molecule, fields, n);
}

static dcs_status read_rows(const dcs_table *table, const dcs_read_options *how,
                            dcs_molecule *molecule, FILE *notes) {
  int columns[DCS_SITE_FIELDS];
  dcs_tally tally = {.records = (int64_t)dcs_table_rows(table)};
  DCS_TRY(find_columns(table, columns));
  const int n = columns[4] < 0 ? 4 : DCS_SITE_FIELDS;
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    DCS_TRY(read_row(table, row, columns, n, molecule));
  if (n == DCS_SITE_FIELDS) molecule->gives |= DCS_RADII;
  tally.read = molecule->n;
  if (molecule->n == 0)
    return dcs_tally_none(&tally, how, 0, dcs_table_path(table), "a row for each");
  return dcs_tally_end(&tally, how, dcs_table_path(table), notes);
}

/* A table of the bytes, whose last row may lack its newline: it is taken as the writer's, not as
 * one that was torn. */
static dcs_status parse(const char *path, dcs_slice bytes, dcs_table **table) {
  char *whole = malloc(bytes.length + 1);
  if (!whole) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  memcpy(whole, bytes.text, bytes.length);
  whole[bytes.length] = '\n';
  const bool ended = bytes.length > 0 && bytes.text[bytes.length - 1] == '\n';
  dcs_status status = dcs_table_parse(path, whole, bytes.length + !ended, table);
  free(whole);
  return status;
}

static dcs_status read_csv(dcs_content *content, const dcs_read_options *how,
                           dcs_molecule *molecule, FILE *notes) {
  const char *path = dcs_content_place(content).path;
  dcs_slice bytes;
  dcs_table *table;
  DCS_TRY(dcs_content_rest(content, &bytes));
  DCS_TRY(parse(path, bytes, &table));
  dcs_status status = DCS_OK;
  if (dcs_table_torn(table))
    status = dcs_fail(DCS_INPUT, "%s: found the end of the file within quotes; expected \"", path);
  if (status == DCS_OK) status = read_rows(table, how, molecule, notes);
  dcs_table_free(table);
  return status;
}

/* Whether the first row has cells named x, y and z, with quotes or without. */
static bool is_csv(dcs_slice head) {
  unsigned has = 0;
  dcs_slice rest = dcs_behind_mark(head), line;
  if (!dcs_line_next(&rest, &line)) return false;
  while (line.length > 0) {
    const char *end = memchr(line.text, ',', line.length);
    dcs_slice cell = {line.text, end ? (size_t)(end - line.text) : line.length};
    line.text += cell.length + (end != NULL);
    line.length -= cell.length + (end != NULL);
    cell = dcs_line_columns(cell, 1, SIZE_MAX);
    if (cell.length > 2 && cell.text[0] == '"') cell = (dcs_slice){cell.text + 1, cell.length - 2};
    const int f = field_of(cell);
    if (f >= 0) has |= 1u << f;
  }
  return (has & 7) == 7;
}

const dcs_reader dcs_reader_csv = {
    .name = "CSV",
    .what = "a header row with x, y, z, and q or charge, and perhaps radius",
    .gives = DCS_PLACES | DCS_CHARGES,
    .sniff = is_csv,
    .read = read_csv};
