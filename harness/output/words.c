#include "harness/output/words.h"

#include "harness/base/decimal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool dcs_words_next(dcs_words *words) {
  FILE *in = words->in;
  size_t used = 0;
  int c;
  if (words->line == 0) words->line = 1;
  while ((c = getc_unlocked(in)) != EOF && isspace(c))
    words->line += c == '\n';
  words->cut = false;
  for (; c != EOF && !isspace(c); c = getc_unlocked(in))
    if (used + 1 < sizeof words->word)
      words->word[used++] = (char)c;
    else
      words->cut = true;
  if (c != EOF) ungetc(c, in);
  words->word[used] = '\0';
  return used > 0;
}

bool dcs_words_line(dcs_words *words, char *text, size_t size) {
  size_t used = 0;
  int c;
  if (words->line == 0) words->line = 1;
  for (c = getc_unlocked(words->in); c != EOF && c != '\n'; c = getc_unlocked(words->in))
    if (used + 1 < size) text[used++] = (char)c;
  text[used] = '\0';
  if (used > 0 && text[used - 1] == '\r') text[used - 1] = '\0';
  words->line += c == '\n';
  return c != EOF || used > 0;
}

dcs_status dcs_words_wrong(const dcs_words *words, const char *expected) {
  if (!words->word[0])
    return dcs_fail(DCS_INPUT, "%s:%ld: found the file's end; expected %s", words->path,
                    words->line, expected);
  return dcs_fail(DCS_INPUT, "%s:%ld: found \"%s\"; expected %s", words->path, words->line,
                  words->word, expected);
}

dcs_status dcs_words_expect(dcs_words *words, const char *word) {
  if (dcs_words_next(words) && strcmp(words->word, word) == 0) return DCS_OK;
  return dcs_words_wrong(words, word);
}

/* Of one that is cut the exponent may be gone. */
static bool is_number(const dcs_words *words, double *value) {
  return !words->cut && dcs_decimal_read(words->word, strlen(words->word), value);
}

dcs_status dcs_words_number(dcs_words *words, const char *what, double *value) {
  if (dcs_words_next(words) && is_number(words, value)) return DCS_OK;
  return dcs_words_wrong(words, what);
}

/* A value of a map may be none, or beyond single precision: "nan", "INF", "-inf". */
static dcs_status read_value(dcs_words *words, double *value) {
  static const char what[] = "a value of the map";
  if (!dcs_words_next(words)) return dcs_words_wrong(words, what);
  const char *word = words->word, *plain = word + (*word == '-' || *word == '+');
  if (is_number(words, value)) return DCS_OK;
  *value = strcasecmp(plain, "nan") == 0 ? NAN : *word == '-' ? -INFINITY : INFINITY;
  if (isnan(*value) || strcasecmp(plain, "inf") == 0) return DCS_OK;
  return dcs_words_wrong(words, what);
}

dcs_status dcs_words_integer(dcs_words *words, const char *what, int64_t lo, int64_t hi,
                             int64_t *value) {
  double number;
  DCS_TRY(dcs_words_number(words, what, &number));
  if (!(number >= (double)lo && number <= (double)hi) || number != (double)(int64_t)number)
    return dcs_words_wrong(words, what);
  *value = (int64_t)number;
  return DCS_OK;
}

dcs_status dcs_words_values(dcs_words *words, dcs_field *field) {
  const dcs_dims n = field->n;
  double value;
  DCS_TRY(dcs_field_allocate_for(words->in, words->path, 2, field));
  for (int64_t i = 0; i < n.x; i++)
    for (int64_t j = 0; j < n.y; j++)
      for (int64_t k = 0; k < n.z; k++) {
        DCS_TRY(read_value(words, &value));
        field->values[(k * n.y + j) * n.x + i] = (float)value;
      }
  return DCS_OK;
}
