/* A mutator for libFuzzer that knows of rows and cells: single bytes seldom make another number of
 * a number, or the row of one method that of another. */
#ifndef DCS_TEST_FUZZ_CELLS_H
#define DCS_TEST_FUZZ_CELLS_H

#include "tests/fuzz.h"

#include <stdbool.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* Cells that have been wrong somewhere: ends of types, no numbers, other words of their columns. */
static const char *const fuzz_words[] = {
    "",
    "0",
    "-1",
    "1",
    "2",
    "0.5",
    "1e300",
    "-1e300",
    "1e-300",
    "1e18",
    "1e19",
    "2147483647",
    "2147483648",
    "4294967297",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740993",
    "inf",
    "-inf",
    "nan",
    "0x10",
    "1.5",
    "\"a\"\"b\"",
    "\"x\ny\"",
    "ok",
    "wrong",
    "timeout",
    "kernel",
    "warm",
    "first",
    "cpu",
    "cuda",
    "cuda:0",
    "pageable",
    "pinned",
    "c2",
    "none",
    "all",
    "tuned",
    "threads=1",
    "threads=max",
    "\"block_x=16,block_y=16\"",
    "coarsen=all",
    "8x8x8",
    "8^3",
    "1:20000^3",
    "1:1000000:log9",
    "\"1,2,3,4\"",
    "always_a",
    "not_bracketed",
    "atoms",
    "points",
    "plane",
};
enum { FUZZ_WORDS = sizeof fuzz_words / sizeof fuzz_words[0] };

/* What it does itself is no news of a reader, and counting and checking it took half of the time.
 */
#define FUZZ_UNCOUNTED __attribute__((no_sanitize("coverage", "address", "undefined")))

static unsigned fuzz_random;

FUZZ_UNCOUNTED static unsigned fuzz_below(size_t n) {
  fuzz_random = fuzz_random * 1664525u + 1013904223u;
  return (unsigned)((fuzz_random >> 8) % n);
}

/* ---- where rows and cells are ---- */

typedef struct {
  const uint8_t *text;
  size_t start, end; /* the end is not part of it */
} fuzz_span;

FUZZ_UNCOUNTED static bool fuzz_ends(uint8_t c, bool row) {
  return c == '\n' || (!row && c == ',');
}

/* The piece of a span that begins at `start`: a row, or a cell; separators in quotes are text. */
FUZZ_UNCOUNTED static fuzz_span fuzz_piece(fuzz_span of, size_t start, bool row) {
  bool quoted = false;
  size_t end = start;
  for (; end < of.end && (quoted || !fuzz_ends(of.text[end], row)); end++)
    quoted ^= of.text[end] == '"';
  return (fuzz_span){of.text, start, end};
}

FUZZ_UNCOUNTED static size_t fuzz_count(fuzz_span of, bool rows) {
  size_t n = 0;
  for (size_t at = of.start; at <= of.end; n++)
    at = fuzz_piece(of, at, rows).end + 1;
  return n;
}

/* The last one where there are fewer. */
FUZZ_UNCOUNTED static fuzz_span fuzz_nth(fuzz_span of, size_t n, bool rows) {
  fuzz_span piece = fuzz_piece(of, of.start, rows);
  while (n-- > 0 && piece.end < of.end)
    piece = fuzz_piece(of, piece.end + 1, rows);
  return piece;
}

/* ---- changes ---- */

typedef struct {
  uint8_t *data;
  size_t size, max;
} fuzz_input;

/* Puts `length` bytes in the place of the span, unless that makes it too long. */
FUZZ_UNCOUNTED static void fuzz_replace(fuzz_input *in, fuzz_span at, const void *bytes,
                                        size_t length) {
  size_t size = in->size - (at.end - at.start) + length;
  if (size > in->max) return;
  uint8_t *copy = malloc(length + 1);
  FUZZ_EXPECT(copy);
  memcpy(copy, bytes, length);
  memmove(in->data + at.start + length, in->data + at.end, in->size - at.end);
  memcpy(in->data + at.start, copy, length);
  in->size = size;
  free(copy);
}

FUZZ_UNCOUNTED static void fuzz_change_number(fuzz_input *in, fuzz_span cell) {
  char text[64], *end;
  snprintf(text, sizeof text, "%.*s", (int)(cell.end - cell.start), (char *)in->data + cell.start);
  double value = strtod(text, &end);
  const double changed[] = {value + 1, value - 1, value * 2,  value * 1e3,
                            -value,    value / 7, value * 1e9};
  snprintf(text, sizeof text, "%.17g", changed[fuzz_below(7)]);
  fuzz_replace(in, cell, text, strlen(text));
}

FUZZ_UNCOUNTED static void fuzz_change_cell(fuzz_input *in, fuzz_span all, fuzz_span row) {
  size_t column = fuzz_below(fuzz_count(row, false));
  fuzz_span cell = fuzz_nth(row, column, false);
  const char *word = fuzz_words[fuzz_below(FUZZ_WORDS)];
  switch (fuzz_below(3)) {
  case 0:
    fuzz_replace(in, cell, word, strlen(word));
    return;
  case 1:
    fuzz_change_number(in, cell);
    return;
  default: { /* as in another row */
    fuzz_span other =
        fuzz_nth(fuzz_nth(all, fuzz_below(fuzz_count(all, true)), true), column, false);
    fuzz_replace(in, cell, in->data + other.start, other.end - other.start);
  }
  }
}

FUZZ_UNCOUNTED static void fuzz_change(fuzz_input *in) {
  fuzz_span all = {in->data, 0, in->size};
  fuzz_span row = fuzz_nth(all, fuzz_below(fuzz_count(all, true)), true);
  fuzz_span with_end = {in->data, row.start, row.end < in->size ? row.end + 1 : row.end};
  fuzz_span other = fuzz_nth(all, fuzz_below(fuzz_count(all, true)), true);
  switch (fuzz_below(8)) {
  case 0: /* a row twice */
    fuzz_replace(in, (fuzz_span){in->data, with_end.end, with_end.end}, in->data + row.start,
                 with_end.end - row.start);
    return;
  case 1: /* a row less */
    fuzz_replace(in, with_end, "", 0);
    return;
  case 2: /* another row here */
    fuzz_replace(in, row, in->data + other.start, other.end - other.start);
    return;
  default:
    fuzz_change_cell(in, all, row);
  }
}

FUZZ_UNCOUNTED size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                                              unsigned seed) {
  fuzz_random = seed;
  if (size < 4 || fuzz_below(8) == 0) return LLVMFuzzerMutate(data, size, max);
  fuzz_input in = {data, size, max};
  for (unsigned times = 1 + fuzz_below(4); times > 0 && in.size > 0; times--)
    fuzz_change(&in);
  return in.size > 0 ? in.size : LLVMFuzzerMutate(data, size, max);
}

#endif
