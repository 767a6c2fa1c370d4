/* Decimal numbers as text: a strict reader, and the shortest text. */
#include "harness/base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 127 };

static size_t digits_at(const char *text, size_t length, size_t at) {
  size_t end = at;
  while (end < length && text[end] >= '0' && text[end] <= '9')
    end++;
  return end - at;
}

static bool is_sign(const char *text, size_t length, size_t at) {
  return at < length && (text[at] == '-' || text[at] == '+');
}

static bool is_decimal(const char *text, size_t length) {
  size_t at = is_sign(text, length, 0), fraction = 0;
  const size_t whole = digits_at(text, length, at);
  at += whole;
  if (at < length && text[at] == '.') {
    fraction = digits_at(text, length, at + 1);
    at += 1 + fraction;
  }
  if (whole + fraction == 0) return false;
  if (at == length) return true;
  if (!memchr("eEdD", text[at++], 4)) return false;
  at += is_sign(text, length, at);
  const size_t exponent = digits_at(text, length, at);
  return exponent > 0 && at + exponent == length;
}

/* Kept by glibc itself: making it costs nothing, and there is nothing to free. */
static locale_t c_locale(void) {
  return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool dcs_decimal_read(const char *text, size_t length, double *value) {
  char copy[LONGEST + 1];
  if (length > LONGEST || !is_decimal(text, length)) return false;
  for (size_t i = 0; i < length; i++)
    copy[i] = text[i] == 'd' || text[i] == 'D' ? 'e' : text[i];
  copy[length] = '\0';
  const double read = strtod_l(copy, NULL, c_locale());
  if (!isfinite(read)) return false;
  *value = read;
  return true;
}

char *dcs_decimal_write(double value, char text[DCS_DECIMAL_TEXT]) {
  if (fabs(value) < 1e15 && value == floor(value)) {
    snprintf(text, DCS_DECIMAL_TEXT, "%.0f", value);
    return text;
  }
  locale_t before = dcs_decimal_enter();
  for (int digits = 1; digits <= 17; digits++) {
    int length = snprintf(text, DCS_DECIMAL_TEXT, "%.*g", digits, value);
    double back;
    if (dcs_decimal_read(text, (size_t)length, &back) && back == value) break;
  }
  dcs_decimal_leave(before);
  return text;
}

locale_t dcs_decimal_enter(void) {
  return uselocale(c_locale());
}

void dcs_decimal_leave(locale_t before) {
  locale_t ours = uselocale(before);
  if (ours != LC_GLOBAL_LOCALE && ours != before) freelocale(ours);
}

bool dcs_numbers_next(const char **text, double *value) {
  const size_t length = strcspn(*text, " ");
  const char *number = *text;
  *text += length;
  if (**text && *++*text == '\0') return false; /* a space after the last */
  return dcs_decimal_read(number, length, value);
}
