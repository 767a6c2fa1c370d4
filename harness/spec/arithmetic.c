/* Values of expressions, and what operators make of them. */
#include "harness/spec/arithmetic.h"

#include <math.h>
#include <string.h>

static const char *const type_names[] = {"a whole number", "a real number", "a text", "a list"};

/* ---- values ---- */

bool dcs_is_number(const dcs_value *value) {
  return value->type == DCS_VALUE_INTEGER || value->type == DCS_VALUE_REAL;
}

double dcs_value_real(const dcs_value *value) {
  if (value->type == DCS_VALUE_INTEGER) return (double)value->integer;
  return value->type == DCS_VALUE_REAL ? value->real : NAN;
}

bool dcs_value_is_true(const dcs_value *value) {
  switch (value->type) {
  case DCS_VALUE_INTEGER:
    return value->integer != 0;
  case DCS_VALUE_REAL:
    return value->real != 0;
  case DCS_VALUE_TEXT:
    return *value->text != '\0';
  default:
    return value->n > 0;
  }
}

bool dcs_same_value(const dcs_value *a, const dcs_value *b) {
  if (dcs_is_number(a) != dcs_is_number(b)) return false;
  if (a->type == DCS_VALUE_INTEGER && b->type == DCS_VALUE_INTEGER) return a->integer == b->integer;
  if (dcs_is_number(a)) return dcs_value_real(a) == dcs_value_real(b);
  if (a->type != b->type) return false;
  if (a->type == DCS_VALUE_TEXT) return strcmp(a->text, b->text) == 0;
  bool same = a->n == b->n;
  for (int i = 0; same && i < a->n; i++)
    same = dcs_same_value(&a->items[i], &b->items[i]);
  return same;
}

/* ---- what goes wrong ---- */

dcs_status dcs_no_value(int column, const char *found, const char *expected) {
  return dcs_fail(DCS_INPUT, "column %d: found %s; expected %s", column, found, expected);
}

dcs_status dcs_wrong_type(int column, const dcs_value *value, const char *expected) {
  return dcs_no_value(column, type_names[value->type], expected);
}

static dcs_status too_large(int column) {
  return dcs_no_value(column, "a number beyond 64 bits", "a smaller one");
}

dcs_status dcs_give_real(int column, double real, dcs_value *value) {
  *value = dcs_real_value(real);
  return isfinite(real) ? DCS_OK
                        : dcs_no_value(column, "a value that is not finite", "a finite one");
}

static dcs_status give_integer(int column, bool overflows, int64_t integer, dcs_value *value) {
  *value = dcs_integer_value(integer);
  return overflows ? too_large(column) : DCS_OK;
}

dcs_status dcs_give_whole(int column, double real, dcs_value *value) {
  if (!(fabs(real) < 0x1p63)) return too_large(column);
  *value = dcs_integer_value((int64_t)real);
  return DCS_OK;
}

/* ---- arithmetic ---- */

/* base ** exponent, exponent >= 0. */
static bool power_overflows(int64_t base, int64_t exponent, int64_t *result) {
  *result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 && __builtin_mul_overflow(*result, base, result)) return true;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return true;
  }
  return false;
}

/* Rounded down, so that a == b * (a // b) + a % b with the sign of b. */
static dcs_status divide_integers(int column, dcs_operation does, int64_t a, int64_t b,
                                  dcs_value *value) {
  if (b == 0) return dcs_no_value(column, "a division by zero", "another divisor");
  if (b == -1 && does == DCS_DO_MODULO) return give_integer(column, false, 0, value);
  if (b == -1) {
    int64_t negative = 0;
    const bool overflows = __builtin_sub_overflow((int64_t)0, a, &negative);
    return give_integer(column, overflows, negative, value);
  }
  const int64_t rest = a % b, down = rest != 0 && (rest < 0) != (b < 0);
  return give_integer(column, false, does == DCS_DO_MODULO ? rest + down * b : a / b - down, value);
}

static dcs_status shift(int column, dcs_operation does, int64_t a, int64_t b, dcs_value *value) {
  if (b < 0) return dcs_no_value(column, "a shift by less than 0", "0 or more");
  if (does == DCS_DO_SHIFT_RIGHT) return give_integer(column, false, a >> (b > 63 ? 63 : b), value);
  int64_t factor, result = 0;
  if (a == 0) return give_integer(column, false, 0, value);
  const bool overflows =
      b > 62 || power_overflows(2, b, &factor) || __builtin_mul_overflow(a, factor, &result);
  return give_integer(column, overflows, result, value);
}

static dcs_status real_power(int column, double a, double b, dcs_value *value) {
  if (a == 0 && b < 0) return dcs_no_value(column, "0 to a power below 0", "another base");
  if (a < 0 && b != floor(b))
    return dcs_no_value(column, "a root of a number below 0", "a base from 0 on");
  return dcs_give_real(column, pow(a, b), value);
}

static dcs_status on_integers(int column, dcs_operation does, int64_t a, int64_t b,
                              dcs_value *value) {
  int64_t r = 0;
  bool overflows;
  switch (does) {
  case DCS_DO_ADD:
    overflows = __builtin_add_overflow(a, b, &r);
    return give_integer(column, overflows, r, value);
  case DCS_DO_SUBTRACT:
    overflows = __builtin_sub_overflow(a, b, &r);
    return give_integer(column, overflows, r, value);
  case DCS_DO_MULTIPLY:
    overflows = __builtin_mul_overflow(a, b, &r);
    return give_integer(column, overflows, r, value);
  case DCS_DO_FLOOR_DIVIDE:
  case DCS_DO_MODULO:
    return divide_integers(column, does, a, b, value);
  case DCS_DO_SHIFT_LEFT:
  case DCS_DO_SHIFT_RIGHT:
    return shift(column, does, a, b, value);
  case DCS_DO_BIT_OR:
    return give_integer(column, false, a | b, value);
  case DCS_DO_BIT_XOR:
    return give_integer(column, false, a ^ b, value);
  case DCS_DO_BIT_AND:
    return give_integer(column, false, a & b, value);
  default:
    if (b < 0) return real_power(column, (double)a, (double)b, value);
    overflows = power_overflows(a, b, &r);
    return give_integer(column, overflows, r, value);
  }
}

static dcs_status on_reals(int column, dcs_operation does, double a, double b, dcs_value *value) {
  const bool divides =
      does == DCS_DO_DIVIDE || does == DCS_DO_FLOOR_DIVIDE || does == DCS_DO_MODULO;
  if (divides && b == 0) return dcs_no_value(column, "a division by zero", "another divisor");
  double rest = divides ? fmod(a, b) : 0;
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  switch (does) {
  case DCS_DO_ADD:
    return dcs_give_real(column, a + b, value);
  case DCS_DO_SUBTRACT:
    return dcs_give_real(column, a - b, value);
  case DCS_DO_MULTIPLY:
    return dcs_give_real(column, a * b, value);
  case DCS_DO_DIVIDE:
    return dcs_give_real(column, a / b, value);
  case DCS_DO_MODULO:
    return dcs_give_real(column, rest, value);
  case DCS_DO_FLOOR_DIVIDE:
    return dcs_give_real(column, nearbyint((a - rest) / b), value);
  case DCS_DO_POWER:
    return real_power(column, a, b, value);
  default:
    return dcs_no_value(column, "a real number", "whole ones between bit operators");
  }
}

dcs_status dcs_operate(int column, dcs_operation does, const dcs_value *a, const dcs_value *b,
                       dcs_value *value) {
  if (!dcs_is_number(a)) return dcs_wrong_type(column, a, "a number");
  if (!dcs_is_number(b)) return dcs_wrong_type(column, b, "a number");
  if (a->type == DCS_VALUE_INTEGER && b->type == DCS_VALUE_INTEGER && does != DCS_DO_DIVIDE)
    return on_integers(column, does, a->integer, b->integer, value);
  return on_reals(column, does, dcs_value_real(a), dcs_value_real(b), value);
}

dcs_status dcs_negate(int column, int64_t integer, dcs_value *value) {
  return on_integers(column, DCS_DO_SUBTRACT, 0, integer, value);
}

/* ---- comparisons ---- */

dcs_status dcs_order_values(int column, const dcs_value *a, const dcs_value *b, int *sign) {
  if (a->type == DCS_VALUE_TEXT && b->type == DCS_VALUE_TEXT) {
    *sign = strcmp(a->text, b->text);
    return DCS_OK;
  }
  if (!dcs_is_number(a)) return dcs_wrong_type(column, a, "a number");
  if (!dcs_is_number(b)) return dcs_wrong_type(column, b, "a number");
  const double x = dcs_value_real(a), y = dcs_value_real(b);
  *sign = (x > y) - (x < y);
  if (a->type == DCS_VALUE_INTEGER && b->type == DCS_VALUE_INTEGER)
    *sign = (a->integer > b->integer) - (a->integer < b->integer);
  return DCS_OK;
}

static dcs_status is_in(int column, const dcs_value *a, const dcs_value *b, bool *holds) {
  *holds = false;
  if (a->type == DCS_VALUE_TEXT && b->type == DCS_VALUE_TEXT)
    *holds = strstr(b->text, a->text) != NULL;
  else if (b->type != DCS_VALUE_LIST)
    return dcs_wrong_type(column, b, "a list");
  for (int i = 0; b->type == DCS_VALUE_LIST && i < b->n && !*holds; i++)
    *holds = dcs_same_value(a, &b->items[i]);
  return DCS_OK;
}

dcs_status dcs_compare_values(int column, dcs_operation does, const dcs_value *a,
                              const dcs_value *b, bool *holds) {
  int sign;
  if (does == DCS_DO_EQUAL || does == DCS_DO_DIFFER) {
    *holds = dcs_same_value(a, b) == (does == DCS_DO_EQUAL);
    return DCS_OK;
  }
  if (does == DCS_DO_IN || does == DCS_DO_NOT_IN) {
    DCS_TRY(is_in(column, a, b, holds));
    *holds = *holds == (does == DCS_DO_IN);
    return DCS_OK;
  }
  DCS_TRY(dcs_order_values(column, a, b, &sign));
  *holds = does == DCS_DO_LESS            ? sign < 0
           : does == DCS_DO_LESS_OR_EQUAL ? sign <= 0
           : does == DCS_DO_GREATER       ? sign > 0
                                          : sign >= 0;
  return DCS_OK;
}
