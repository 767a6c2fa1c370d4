/* Text files of maps: words with white space between them, and values in the order of the file. */
#ifndef DCS_WORDS_H
#define DCS_WORDS_H

#include "harness/output/field.h"

typedef struct {
  FILE *in;
  const char *path;
  long line;     /* of the last word */
  char word[64]; /* the last one; a longer one is cut, and no number */
  bool cut;
} dcs_words;

/* The next word; false at the file's end. */
bool dcs_words_next(dcs_words *words);
/* The rest of the line, cut to size, without its end; false at the file's end. */
bool dcs_words_line(dcs_words *words, char *text, size_t size);

/* The next word must be this one, or a number. DCS_INPUT: "FILE:LINE: found WORD; expected ...". */
dcs_status dcs_words_expect(dcs_words *words, const char *word);
dcs_status dcs_words_number(dcs_words *words, const char *what, double *value);
dcs_status dcs_words_integer(dcs_words *words, const char *what, int64_t lo, int64_t hi,
                             int64_t *value);
/* DCS_INPUT about the last word. */
dcs_status dcs_words_wrong(const dcs_words *words, const char *expected);

/* Allocates the field of ->n points and reads its values, z fastest. */
dcs_status dcs_words_values(dcs_words *words, dcs_field *field);

#endif
