/* CSV: a column `method`, one of a time (time_ns, time_us, time_ms or time_s), perhaps `round` and
 * `scope`; every other column is a size. */
#include "harness/files/csv.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/timings/format.h"

#include <string.h>

bool dcs_looks_like_csv(const dcs_timings_source *source);
dcs_status dcs_read_csv(const dcs_timings_source *source, dcs_timings *timings);

typedef struct {
  int method, time, round, scope; /* columns; -1: none */
  const char *unit;
} columns;

bool dcs_looks_like_csv(const dcs_timings_source *source) {
  return !source->json && source->text[strcspn(source->text, ",;\t")] != '\0';
}

/* What is there tells most: another case, a space, a unit. */
static dcs_status no_column(const dcs_table *table, const char *expected) {
  char found[DCS_TEXT] = "";
  for (int c = 0; c < (int)dcs_table_columns(table); c++)
    dcs_append(found, sizeof found, "%s\"%s\"", c ? ", " : "", dcs_table_header(table, c));
  return dcs_fail(DCS_INPUT, "%s: found columns %s; expected \"method\", \"%s and the sizes",
                  dcs_table_path(table), found, expected);
}

static dcs_status find_time(const dcs_table *table, columns *c) {
  static const char *const times[] = {"time_ns", "time_us", "time_ms", "time_s"};
  for (int u = 0; u < 4; u++) {
    const int column = dcs_table_column(table, times[u]);
    if (column < 0) continue;
    if (c->time >= 0)
      return dcs_fail(DCS_INPUT, "%s: found columns \"time_%s\" and \"%s\"; expected one time",
                      dcs_table_path(table), c->unit, times[u]);
    c->time = column;
    c->unit = times[u] + 5;
  }
  if (c->time >= 0) return DCS_OK;
  return no_column(table, "time_ns\" (or time_us, time_ms, time_s)");
}

static dcs_status find_columns(const dcs_table *table, columns *c) {
  *c = (columns){.time = -1,
                 .round = dcs_table_column(table, "round"),
                 .scope = dcs_table_column(table, "scope")};
  c->method = dcs_table_column(table, "method");
  if (c->method < 0) return no_column(table, "time_ns\"");
  return find_time(table, c);
}

static dcs_status read_cells(const dcs_table *table, size_t row, const columns *c, dcs_timing *t) {
  t->time_ns = dcs_timing_ns(dcs_table_number(table, row, c->time), c->unit);
  if (!(t->time_ns > 0 && t->time_ns <= DCS_MOST_NS))
    return dcs_table_wrong(table, row, dcs_table_header(table, c->time), c->time,
                           "a time, above zero");
  if (c->round >= 0 && dcs_parse_integer("round", dcs_table_cell(table, row, c->round), 0,
                                         INT64_MAX, &t->round) != DCS_OK)
    return dcs_table_wrong(table, row, "round", c->round, "a whole number from 0");
  if (c->scope >= 0 && !dcs_find_scope(dcs_table_cell(table, row, c->scope), &t->scope))
    return dcs_table_wrong(table, row, "scope", c->scope, "kernel, warm, first or frame");
  return DCS_OK;
}

static dcs_status read_row(const dcs_table *table, size_t row, const columns *c,
                           dcs_timings *timings) {
  const char *method = dcs_table_cell(table, row, c->method);
  if (!*method) return dcs_table_wrong(table, row, "method", c->method, "its name");
  dcs_timing *t = dcs_timings_add(timings, method, "row %zu", row + 2);
  if (!t) return DCS_UNAVAILABLE;
  DCS_TRY(read_cells(table, row, c, t));
  for (int column = 0; column < (int)dcs_table_columns(table); column++)
    if (column != c->method && column != c->time && column != c->round && column != c->scope)
      DCS_TRY(dcs_timing_value_add(t, dcs_table_header(table, column),
                                   dcs_table_cell(table, row, column)));
  return DCS_OK;
}

static dcs_status read_rows(const dcs_table *table, dcs_timings *timings) {
  columns c;
  DCS_TRY(find_columns(table, &c));
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    DCS_TRY(read_row(table, row, &c, timings));
  return dcs_table_need_end(table);
}

/* As spreadsheets write them where a comma is the decimal mark. */
static dcs_status check_separator(const dcs_timings_source *source) {
  const char *end = source->text + strcspn(source->text, ",;\t\r\n");
  if (*end != ';' && *end != '\t') return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: row 1: found a %s between the columns; expected commas, and a point as the "
                  "decimal mark",
                  source->path, *end == ';' ? "semicolon" : "tab");
}

dcs_status dcs_read_csv(const dcs_timings_source *source, dcs_timings *timings) {
  dcs_table *table = NULL;
  DCS_TRY(check_separator(source));
  DCS_TRY(dcs_table_parse(source->path, source->text, source->bytes, &table));
  dcs_status status = read_rows(table, timings);
  dcs_table_free(table);
  return status;
}
