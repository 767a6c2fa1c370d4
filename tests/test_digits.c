/* The fast printer of single precision: what it writes reads back, and is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/output/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *written(float value) {
  static char text[DCS_DIGITS_TEXT + 1];
  text[dcs_float_digits(value, text)] = '\0';
  return text;
}

static float of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void known_numbers(void **state) {
  (void)state;
  static const struct {
    float value;
    const char *text;
  } known[] = {{0.0f, "0.0e+00"},
               {-0.0f, "-0.0e+00"},
               {1.0f, "1.0e+00"},
               {-10.0f, "-1.0e+01"},
               {0.1f, "1.0e-01"},
               {0.3f, "3.0e-01"},
               {1.0f / 3, "3.3333334e-01"},
               {16777216.0f, "1.6777216e+07"},
               {9.9999999e9f, "1.0e+10"},
               {1e23f, "1.0e+23"}, /* 9.9999998e22, rounded up to the next power of ten */
               {3.4028235e38f, "3.4028235e+38"},   /* the greatest */
               {1.17549435e-38f, "1.1754944e-38"}, /* the least normal one */
               {1.40129846e-45f, "1.0e-45"},       /* the least */
               {8388608.5f, "8.388608e+06"},
               {14.39964548f, "1.4399646e+01"},
               {(float)NAN, "nan"},
               {-(float)NAN, "nan"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_string_equal(written(known[i].value), known[i].text);
}

static void reads_back(float value) {
  const char *text = written(value);
  char *end;
  float again = strtof(text, &end);
  if (*end || memcmp(&again, &value, sizeof value) != 0)
    fail_msg("%a was written as \"%s\", which is %a", (double)value, text, (double)again);
}

static void every_number_reads_back(void **state) {
  (void)state;
  const uint32_t step = getenv("DCS_TEST_FULL") ? 251 : 2503; /* primes */
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += step)
    if (isfinite(of_bits((uint32_t)bits))) reads_back(of_bits((uint32_t)bits));
  for (uint32_t power = 0; power < 255; power++)
    for (int beside = -3; beside <= 3; beside++)
      if (isfinite(of_bits((power << 23) + (uint32_t)beside)))
        reads_back(of_bits((power << 23) + (uint32_t)beside));
}

static int digits_of(const char *text) {
  int digits = 0, zeros = 0;
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9') {
      zeros = *text == '0' ? zeros + 1 : 0;
      digits++;
    }
  return digits - zeros;
}

/* The fewest digits with which printf's text reads back. */
static int fewest(float value) {
  char text[32];
  for (int digits = 1;; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
    if (strtof(text, NULL) == value) return digits;
  }
}

/* There may be more where a shorter number lies halfway to the next float. */
static void digits_are_few(void **state) {
  (void)state;
  enum { TRIALS = 200000 };
  dcs_random random = {.state = 7};
  int longer = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    float value = of_bits((uint32_t)dcs_random_next(&random) & 0x7fffffff);
    if (!isfinite(value) || value == 0) continue;
    longer += digits_of(written(value)) > fewest(value);
  }
  assert_true(longer < TRIALS / 200);
}

static void same_column(float value) {
  char text[DCS_COLUMN + 1] = "", expected[64];
  dcs_float_column(value, text);
  snprintf(expected, sizeof expected, "%13.5E", (double)value);
  if (strcmp(text, expected) != 0)
    fail_msg("%a: \"%s\", expected \"%s\"", (double)value, text, expected);
}

/* Halfway cases among them: whole numbers of seven digits that end in 5. */
static void columns_are_those_of_printf(void **state) {
  (void)state;
  const uint32_t step = getenv("DCS_TEST_FULL") ? 2503 : 25013; /* primes */
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += step)
    same_column(of_bits((uint32_t)bits));
  for (int whole = 1000005; whole < 10000000; whole += 7130)
    same_column((float)whole);
  for (int e = -45; e <= 38; e++)
    for (int beside = -2; beside <= 2; beside++) {
      const float power = (float)pow(10, e);
      uint32_t bits;
      memcpy(&bits, &power, sizeof bits);
      same_column(of_bits(bits + (uint32_t)beside));
    }
  same_column(0);
  same_column(-0.0f);
  same_column(INFINITY);
  same_column(999999.5f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_numbers), cmocka_unit_test(every_number_reads_back),
      cmocka_unit_test(columns_are_those_of_printf), cmocka_unit_test(digits_are_few)};
  return cmocka_run_group_tests_name("digits", tests, NULL, NULL);
}
