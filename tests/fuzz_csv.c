/* Any bytes as a CSV file: what is read, written and read again is the same. */
#include "harness/files/csv.h"
#include "harness/files/text_stream.h"
#include "tests/fuzz_cells.h"

/* Column names differ, so the header is made anew: c0,c1,... */
static char *rewritten(const dcs_table *table, size_t *size) {
  static char name[] = "memory";
  dcs_text_stream text;
  char *whole;
  FUZZ_EXPECT(dcs_text_begin(&text) == DCS_OK);
  dcs_csv csv = {.file = {.stream = text.stream, .path = name}, .first_cell = true};
  for (size_t c = 0; c < dcs_table_columns(table); c++) {
    char column[32];
    snprintf(column, sizeof column, "c%zu", c);
    dcs_csv_text(&csv, column);
  }
  FUZZ_EXPECT(dcs_csv_row(&csv) == DCS_OK);
  for (size_t r = 0; r < dcs_table_rows(table); r++) {
    for (size_t c = 0; c < dcs_table_columns(table); c++)
      dcs_csv_text(&csv, dcs_table_cell(table, r, (int)c));
    FUZZ_EXPECT(dcs_csv_row(&csv) == DCS_OK);
  }
  FUZZ_EXPECT(dcs_text_end(&text, &whole, size) == DCS_OK);
  return whole;
}

static void expect_same(const dcs_table *a, const dcs_table *b) {
  FUZZ_EXPECT(dcs_table_rows(a) == dcs_table_rows(b) &&
              dcs_table_columns(a) == dcs_table_columns(b) && !dcs_table_torn(b));
  for (size_t r = 0; r < dcs_table_rows(a); r++)
    for (size_t c = 0; c < dcs_table_columns(a); c++)
      FUZZ_EXPECT(strcmp(dcs_table_cell(a, r, (int)c), dcs_table_cell(b, r, (int)c)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_table *table, *again;
  size_t length;
  if (dcs_table_parse("input", (const char *)data, size, &table) != DCS_OK) return 0;
  char *text = rewritten(table, &length);
  /* A row of one empty cell is an empty line, which is no row to libcsv. */
  if (dcs_table_columns(table) > 1) {
    FUZZ_EXPECT(dcs_table_parse("again", text, length, &again) == DCS_OK);
    expect_same(table, again);
    dcs_table_free(again);
  }
  free(text);
  dcs_table_free(table);
  return 0;
}
