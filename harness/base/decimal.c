/* Decimal numbers as text: a strict reader with a fast exact path, and the shortest text. */
#include "harness/base/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 127, EXACT_POWERS = 22 };

/* The parts of a number as written: mantissa * 10^exponent, if `exact`. */
typedef struct {
  uint64_t mantissa;
  int digits; /* significant ones in the mantissa */
  bool exact; /* no digit was dropped */
  int exponent;
  bool negative;
} parts;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Takes digits into the mantissa (19 fit 64 bits) and returns how many there were. */
static size_t take_digits(const char *text, size_t length, parts *p) {
  size_t i = 0;
  for (; i < length && is_digit(text[i]); i++) {
    if (p->digits == 19) {
      p->exact = false;
      continue;
    }
    p->mantissa = p->mantissa * 10 + (uint64_t)(text[i] - '0');
    if (p->mantissa != 0) p->digits++;
  }
  return i;
}

/* Takes the exponent behind its letter; false unless it is the rest of the text. */
static bool take_exponent(const char *text, size_t length, parts *p) {
  size_t i = 0;
  bool negative = length > 0 && text[0] == '-';
  if (length > 0 && (text[0] == '-' || text[0] == '+')) i++;
  if (i == length) return false;
  int exponent = 0;
  for (; i < length; i++) {
    if (!is_digit(text[i])) return false;
    if (exponent < 100000) exponent = exponent * 10 + (text[i] - '0');
  }
  p->exponent += negative ? -exponent : exponent;
  return true;
}

static bool take_parts(const char *text, size_t length, parts *p) {
  *p = (parts){.exact = true};
  size_t i = 0;
  if (length > 0 && (text[0] == '-' || text[0] == '+')) p->negative = text[i++] == '-';
  size_t whole = take_digits(text + i, length - i, p), fraction = 0;
  i += whole;
  if (i < length && text[i] == '.') {
    i++;
    fraction = take_digits(text + i, length - i, p);
    p->exponent = -(int)fraction;
    i += fraction;
  }
  if (whole + fraction == 0) return false;
  if (i == length) return true;
  return strchr("eEdD", text[i]) != NULL && take_exponent(text + i + 1, length - i - 1, p);
}

static double read_slowly(const char *text, size_t length) {
  char copy[LONGEST + 1];
  for (size_t i = 0; i < length; i++)
    copy[i] = text[i] == 'd' || text[i] == 'D' ? 'e' : text[i];
  copy[length] = '\0';
  locale_t before = dcs_decimal_enter();
  double value = strtod(copy, NULL);
  dcs_decimal_leave(before);
  return value;
}

bool dcs_decimal_read(const char *text, size_t length, double *value) {
  static const double power[EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  parts p;
  if (length > LONGEST || memchr(text, '\0', length) != NULL || !take_parts(text, length, &p))
    return false;
  /* Mantissa and power are both exact, so one operation rounds once (Clinger, PLDI 1990). */
  if (p.exact && p.mantissa <= (UINT64_C(1) << 53) && abs(p.exponent) <= EXACT_POWERS) {
    double m = (double)p.mantissa;
    double v = p.exponent < 0 ? m / power[-p.exponent] : m * power[p.exponent];
    *value = p.negative ? -v : v;
    return true;
  }
  double v = read_slowly(text, length);
  if (!isfinite(v)) return false;
  *value = v;
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

/* Making and freeing the C locale is free in glibc, which keeps one. */
locale_t dcs_decimal_enter(void) {
  return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
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

bool dcs_decimal_read_back(const char *text, double *value) {
  char again[DCS_DECIMAL_TEXT];
  return dcs_decimal_read(text, strlen(text), value) &&
         strcmp(dcs_decimal_write(*value, again), text) == 0;
}
