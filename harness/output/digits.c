/* value = D x 10^(e - 8) with D of 9 digits, which tell all numbers of single precision apart. The
 * product is computed in double precision, 29 bits more than needed. Then digits are dropped as
 * long as the shorter number lies within half a unit in the last place of `value`, with a margin
 * above the product's error. */
#include "harness/output/digits.h"

#include "harness/base/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Each rounded correctly by the compiler. */
enum { LEAST_POWER = -30 };
static const double powers[] = {
    1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18,
    1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,
    1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,
    1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,
    1e22,  1e23,  1e24,  1e25,  1e26,  1e27,  1e28,  1e29,  1e30,  1e31,  1e32,  1e33,  1e34,
    1e35,  1e36,  1e37,  1e38,  1e39,  1e40,  1e41,  1e42,  1e43,  1e44,  1e45,  1e46,  1e47,
    1e48,  1e49,  1e50,  1e51,  1e52,  1e53,  1e54,  1e55,  1e56};

static double ten_to(int e) {
  return powers[e - LEAST_POWER];
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

/* 2^e of a normal number. */
static double two_to(int e) {
  const uint64_t bits = (uint64_t)(e + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The binary exponent of a positive value, and the decimal one, or one less. */
static int exponents_of(double v, int *e) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  const int power = (int)(bits >> 52) - 1023; /* v is in 2^power * [1, 2) */
  *e = (power * 315653) >> 20;                /* log10(2) = 315653 / 2^20 */
  return power;
}

/* D of a positive value, of whose last digits *dropped are zeros that may be left out; *e is the
 * exponent. */
static uint32_t nine_digits(float value, int *e, int *dropped) {
  const double v = (double)value;
  const int power = exponents_of(v, e);
  const int least = power > -126 ? power - 23 : -149; /* 2^least is the unit in the last place */
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  double scaled = v * ten_to(8 - *e);
  if (scaled >= 999999999.5) scaled = v * ten_to(8 - ++*e);
  const double above = (0.5 - 1e-6) * two_to(least) * ten_to(8 - *e);
  const double below = power > -126 && bits << 12 == 0 ? above / 2 : above;
  uint32_t kept = (uint32_t)(scaled + 0.5);
  *dropped = 0;
  for (uint32_t unit = 10; *dropped < 8; unit *= 10, ++*dropped) {
    uint32_t shorter = (uint32_t)(scaled / unit + 0.5) * unit;
    if (shorter - scaled >= above || scaled - shorter >= below) break;
    kept = shorter;
  }
  if (kept < 1000000000) return kept;
  ++*e;
  return kept / 10;
}

/* What is no number has no sign. */
static int put_not_finite(float value, char text[DCS_DIGITS_TEXT]) {
  const char *name = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  int length = 0;
  for (; name[length]; length++)
    text[length] = name[length];
  return length;
}

int dcs_float_digits(float value, char text[DCS_DIGITS_TEXT]) {
  char *at = text;
  if (!isfinite(value)) return put_not_finite(value, text);
  if (signbit(value)) *at++ = '-';
  if (value == 0) {
    static const char zero[] = {'0', '.', '0', 'e', '+', '0', '0'};
    memcpy(at, zero, sizeof zero);
    return (int)(at - text) + (int)sizeof zero;
  }
  int e, dropped;
  uint32_t digits = nine_digits(fabsf(value), &e, &dropped);
  char all[10];
  for (int i = 8; i > 0; i -= 2, digits /= 100)
    memcpy(all + i - 1, pairs + 2 * (digits % 100), 2);
  all[0] = (char)('0' + digits);
  int fraction = dropped < 8 ? 8 - dropped : 1;
  *at++ = all[0];
  *at++ = '.';
  memcpy(at, all + 1, 8);
  at += fraction;
  *at++ = 'e';
  *at++ = e < 0 ? '-' : '+';
  memcpy(at, pairs + 2 * (e < 0 ? -e : e), 2);
  return (int)(at - text) + 2;
}

/* Six digits of a positive finite value; 0 where it lies too near to the middle between two for the
 * product to tell which is nearer. */
static uint32_t six_digits(float value, int *e) {
  const double v = (double)value, doubtful = 1e-8;
  exponents_of(v, e);
  double scaled = v * ten_to(8 - *e);
  if (scaled >= 1e9) scaled = v * ten_to(8 - ++*e);
  scaled /= 1000;
  uint32_t digits = (uint32_t)scaled;
  const double rest = scaled - digits - 0.5;
  if (fabs(rest) < doubtful) return 0;
  digits += rest > 0;
  if (digits < 1000000) return digits;
  ++*e;
  return digits / 10;
}

void dcs_float_column(float value, char text[DCS_COLUMN]) {
  int e = 0;
  uint32_t digits = isfinite(value) && value != 0 ? six_digits(fabsf(value), &e) : 0;
  if (digits == 0) {
    char whole[DCS_COLUMN + 1];
    const locale_t before = dcs_decimal_enter(); /* a thread's own */
    snprintf(whole, sizeof whole, "%13.5E", (double)value);
    dcs_decimal_leave(before);
    memcpy(text, whole, DCS_COLUMN);
    return;
  }
  text[0] = ' ';
  text[1] = signbit(value) ? '-' : ' ';
  memcpy(text + 6, pairs + 2 * (digits % 100), 2);
  memcpy(text + 4, pairs + 2 * (digits / 100 % 100), 2);
  digits /= 10000;
  text[2] = (char)('0' + digits / 10);
  text[3] = '.';
  memmove(text + 5, text + 4, 4);
  text[4] = (char)('0' + digits % 10);
  text[9] = 'E';
  text[10] = e < 0 ? '-' : '+';
  memcpy(text + 11, pairs + 2 * (e < 0 ? -e : e), 2);
}
