/* Lines of texts: their words and columns, and messages about them. */
#ifndef DCS_LINE_H
#define DCS_LINE_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A part of a text; no NUL is behind it. */
typedef struct {
  const char *text;
  size_t length;
} dcs_slice;

/* Where reading is, for messages. */
typedef struct {
  const char *path;
  int64_t line;
} dcs_where;

static inline bool dcs_is_blank(char c) {
  return c == ' ' || c == '\t';
}

static inline bool dcs_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline bool dcs_is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static inline bool dcs_starts_with(dcs_slice text, const char *start) {
  size_t length = strlen(start);
  return text.length >= length && memcmp(text.text, start, length) == 0;
}

static inline bool dcs_is_word(dcs_slice text, const char *word) {
  return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

static inline bool dcs_has(dcs_slice text, char c) {
  return memchr(text.text, c, text.length) != NULL;
}

/* The start of a file, without UTF-8's byte order mark. */
dcs_slice dcs_behind_mark(dcs_slice start);

/* The next line of a text in memory, without its LF or CRLF, and moves *text behind it; false at
 * the end. */
bool dcs_line_next(dcs_slice *text, dcs_slice *line);

/* Cuts a text into words, which have blanks between them; returns how many, most + 1 when there are
 * more than that. There is room for most + 1. */
int dcs_line_words(dcs_slice text, int most, dcs_slice *words);

/* Columns first..last (counted from 1) of the line, spaces around cut off. */
dcs_slice dcs_line_columns(dcs_slice line, size_t first, size_t last);

/* Whether it is one whole number (harness/base/decimal.h). */
bool dcs_line_number(dcs_slice word, double *value);

/* Whether it is a whole number of things, 1 to INT32_MAX. */
bool dcs_line_count(dcs_slice word, int64_t *count);

/* The line without blanks at its end. */
dcs_slice dcs_line_trimmed(dcs_slice line);

/* The start of a text, fit to be shown. */
enum { DCS_EXCERPT = 84 };
const char *dcs_excerpt(dcs_slice found, char out[DCS_EXCERPT]);

/* DCS_INPUT: "FILE:LINE: found "TEXT"; expected ...". */
dcs_status dcs_line_wrong(dcs_where at, dcs_slice found, const char *expected, ...)
    __attribute__((format(printf, 3, 4)));

#endif
