#include "harness/input/line.h"

#include "harness/base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

dcs_slice dcs_behind_mark(dcs_slice start) {
  static const char mark[] = "\xEF\xBB\xBF";
  if (!dcs_starts_with(start, mark)) return start;
  return (dcs_slice){start.text + strlen(mark), start.length - strlen(mark)};
}

bool dcs_line_next(dcs_slice *text, dcs_slice *line) {
  if (text->length == 0) return false;
  const char *end = memchr(text->text, '\n', text->length);
  const size_t length = end ? (size_t)(end - text->text) : text->length;
  *line = (dcs_slice){text->text, length};
  text->text += length + (end != NULL);
  text->length -= length + (end != NULL);
  if (line->length > 0 && line->text[line->length - 1] == '\r') line->length--;
  return true;
}

int dcs_line_words(dcs_slice text, int most, dcs_slice *words) {
  int n = 0;
  for (size_t i = 0; n <= most;) {
    while (i < text.length && dcs_is_blank(text.text[i]))
      i++;
    if (i == text.length) break;
    size_t start = i;
    while (i < text.length && !dcs_is_blank(text.text[i]))
      i++;
    words[n++] = (dcs_slice){text.text + start, i - start};
  }
  return n;
}

dcs_slice dcs_line_columns(dcs_slice line, size_t first, size_t last) {
  size_t end = line.length < last ? line.length : last;
  size_t start = first - 1 < end ? first - 1 : end;
  while (start < end && line.text[start] == ' ')
    start++;
  while (end > start && line.text[end - 1] == ' ')
    end--;
  return (dcs_slice){line.text + start, end - start};
}

bool dcs_line_number(dcs_slice word, double *value) {
  return dcs_decimal_read(word.text, word.length, value);
}

bool dcs_line_count(dcs_slice word, int64_t *count) {
  double value;
  if (!dcs_line_number(word, &value) || !(value >= 1 && value <= INT32_MAX)) return false;
  *count = (int64_t)value;
  return value == floor(value);
}

dcs_slice dcs_line_trimmed(dcs_slice line) {
  while (line.length > 0 && dcs_is_blank(line.text[line.length - 1]))
    line.length--;
  return line;
}

const char *dcs_excerpt(dcs_slice found, char out[DCS_EXCERPT]) {
  const size_t most = DCS_EXCERPT - sizeof "...";
  size_t shown = found.length < most ? found.length : most;
  for (size_t i = 0; i < shown; i++) {
    unsigned char c = (unsigned char)found.text[i];
    out[i] = found.text[i];
    if (c < ' ' || c == 0x7f) out[i] = ' ';
  }
  strcpy(out + shown, shown < found.length ? "..." : "");
  return out;
}

dcs_status dcs_line_wrong(dcs_where at, dcs_slice found, const char *expected, ...) {
  char shown[DCS_EXCERPT], right[256];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(right, sizeof right, expected, arguments);
  va_end(arguments);
  return dcs_fail(DCS_INPUT, "%s:%" PRId64 ": found \"%s\"; expected %s", at.path, at.line,
                  dcs_excerpt(found, shown), right);
}
