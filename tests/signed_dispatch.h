/* Rows of dispatch.csv with the checksum that they ought to have, whatever else is in them. */
#ifndef DCS_TEST_SIGNED_DISPATCH_H
#define DCS_TEST_SIGNED_DISPATCH_H

#include "harness/base/hash.h"
#include "harness/files/csv.h"

#include <stdio.h>
#include <string.h>

static inline void put_quoted(FILE *out, const char *cell) {
  fputc('"', out);
  for (; *cell; cell++)
    fprintf(out, "%s%c", *cell == '"' ? "\"" : "", *cell);
  fputc('"', out);
}

/* The rows of the text[size] after its header; the last cell of each goes over the others, each
 * with the zero that ends it. The caller frees it; NULL: the text is no table. */
static inline char *signed_dispatch(const char *text, size_t size) {
  char *copy = NULL;
  size_t bytes = 0;
  dcs_table *table;
  const char *end = memchr(text, '\n', size);
  if (!end || dcs_table_parse("text", text, size, &table) != DCS_OK) return NULL;
  FILE *out = open_memstream(&copy, &bytes);
  fprintf(out, "%.*s\n", (int)(end - text), text);
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    uint64_t sum = DCS_HASH_START;
    for (int c = 0; c + 1 < (int)dcs_table_columns(table); c++) {
      const char *cell = dcs_table_cell(table, row, c);
      sum = dcs_hash(sum, cell, strlen(cell) + 1);
      put_quoted(out, cell);
      fputc(',', out);
    }
    fprintf(out, "%016llx\n", (unsigned long long)sum);
  }
  fclose(out);
  dcs_table_free(table);
  return copy;
}

#endif
