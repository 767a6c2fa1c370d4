/* Numbers, lists, grids and names as people type them, and whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/alike.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void said(const char *part) {
  if (!strstr(dcs_error_message(), part))
    fail_msg("the message \"%s\" lacks \"%s\"", dcs_error_message(), part);
}

/* ---- one number ---- */

static void integers_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
  } cases[] = {{"1", 1},     {"007", 7},
               {"-5", -5},   {"0", 0},
               {"-0", 0},    {"9223372036854775807", INT64_MAX},
               {"100", 100}, {"-9223372036854775808", INT64_MIN}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int64_t value = 42;
    assert_int_equal(dcs_parse_integer("n", cases[i].text, INT64_MIN, INT64_MAX, &value), DCS_OK);
    assert_true(value == cases[i].value);
  }
}

static void bad_integers_are_refused(void **state) {
  (void)state;
  static const char *const malformed[] = {"",    "12x", "1e",  " 5",  "5 ", "+5",  "-",
                                          "--5", "0x1", "1.0", "1,2", "x",  "1:2", "\t7"};
  static const char *const outside[] = {"0", "-5", "11", "9999999999999999999999",
                                        "-9999999999999999999999"};
  int64_t value = 42;
  char quoted[64];
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
    assert_int_equal(dcs_parse_integer("atoms", malformed[i], 1, 10, &value), DCS_USAGE);
    snprintf(quoted, sizeof quoted, "atoms: found \"%s\"; expected a whole number", malformed[i]);
    assert_string_equal(dcs_error_message(), quoted);
  }
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    assert_int_equal(dcs_parse_integer("atoms", outside[i], 1, 10, &value), DCS_USAGE);
    snprintf(quoted, sizeof quoted, "atoms: found %s; expected 1 to 10", outside[i]);
    assert_string_equal(dcs_error_message(), quoted);
  }
  assert_int_equal(value, 42);
  assert_int_equal(dcs_parse_integer("n", "10", 1, 10, &value), DCS_OK);
  assert_int_equal(dcs_parse_integer("n", "1", 1, 10, &value), DCS_OK);
  assert_int_equal(dcs_parse_integer("n", "2.5e3", 1, 10000, &value), DCS_OK);
  assert_int_equal(value, 2500);
}

static void numbers_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {{"0.5", 0.5}, {"1e3", 1000}, {"-2.5E-1", -0.25}, {".5", 0.5}, {"3", 3}, {"3.", 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value;
    assert_int_equal(dcs_parse_number("spacing", cases[i].text, -1e6, 1e6, &value), DCS_OK);
    assert_true(value == cases[i].value);
  }
}

static void bad_numbers_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",    "0.5A", "nan", "inf", "1e999", "0x1p3",
                                    "0,5", " 1",   "1 ",  "e5",  "1e",    "."};
  double value = 42;
  char quoted[64];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal(dcs_parse_number("spacing", bad[i], -1e6, 1e6, &value), DCS_USAGE);
    snprintf(quoted, sizeof quoted, "spacing: found \"%s\"", bad[i]);
    said(quoted);
  }
  assert_int_equal(dcs_parse_number("spacing", "2.5", 0, 2, &value), DCS_USAGE);
  assert_string_equal(dcs_error_message(), "spacing: found 2.5; expected 0 to 2");
  assert_int_equal(dcs_parse_number("spacing", "-1e-9", 0, 2, &value), DCS_USAGE);
  assert_true(value == 42);
  assert_int_equal(dcs_parse_number("spacing", "2", 0, 2, &value), DCS_OK);
}

/* ---- lists ---- */

static void expect_list(const char *text, const int64_t *expected, int n) {
  int64_t *values;
  int found;
  if (dcs_parse_integers("atoms", text, 1, INT64_MAX, &values, &found) != DCS_OK)
    fail_msg("%s: %s", text, dcs_error_message());
  if (found != n) fail_msg("%s: %d values, expected %d", text, found, n);
  for (int i = 0; i < n; i++)
    if (values[i] != expected[i])
      fail_msg("%s: value %d is %" PRId64 ", expected %" PRId64, text, i, values[i], expected[i]);
  free(values);
}

#define EXPECT_LIST(text, ...)                                                                     \
  expect_list(text, (const int64_t[]){__VA_ARGS__},                                                \
              (int)(sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t)))

static void lists_are_read(void **state) {
  (void)state;
  EXPECT_LIST("7", 7);
  EXPECT_LIST("3,1,2", 3, 1, 2);
  EXPECT_LIST("1:16", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  EXPECT_LIST("32:256:32", 32, 64, 96, 128, 160, 192, 224, 256);
  EXPECT_LIST("1:10:4", 1, 5, 9);
  EXPECT_LIST("5:5", 5);
  EXPECT_LIST("8,1:3,100", 8, 1, 2, 3, 100);
}

static void doubles_are_dropped(void **state) {
  (void)state;
  EXPECT_LIST("5,5,1,5", 5, 1);
  EXPECT_LIST("3,1:4", 3, 1, 2, 4);
  EXPECT_LIST("1:4:log10", 1, 2, 3, 4); /* 1, 1.26, 1.58, 2, 2.51, 3.16, 3.98 and the end */
}

/* The powers of 10^(1/4) from 100 to a million. */
static void logarithmic_ranges(void **state) {
  (void)state;
  EXPECT_LIST("100:1000000:log4", 100, 178, 316, 562, 1000, 1778, 3162, 5623, 10000, 17783, 31623,
              56234, 100000, 177828, 316228, 562341, 1000000);
  EXPECT_LIST("10:1000:log1", 10, 100, 1000);
  EXPECT_LIST("10:300:log1", 10, 100, 300); /* the end is there, on the lattice or not */
  EXPECT_LIST("1:1:log4", 1);
}

/* A step near the largest integer ends the range rather than wrapping round. */
static void steps_do_not_overflow(void **state) {
  (void)state;
  EXPECT_LIST("1:5:9223372036854775807", 1);
  EXPECT_LIST("9223372036854775806:9223372036854775807", INT64_MAX - 1, INT64_MAX);
  EXPECT_LIST("9223372036854775800:9223372036854775807:5", INT64_MAX - 7, INT64_MAX - 2);
}

static void bad_lists_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "found \"\""},
      {"12x", "\"12x\""},
      {"1,,2", "found \"\""},
      {"1,2,", "found \"\""},
      {"-5", "found -5; expected 1 to 1000"},
      {"0", "found 0; expected 1 to 1000"},
      {"1e4", "found 1e4; expected 1 to 1000"},
      {"1e-1", "\"1e-1\""},
      {"5:1", "found 5:1; expected the smaller number first"},
      {"a:b", "found \"a\""},
      {"1:b", "found \"b\""},
      {"1:10:0", "found 0"},
      {"1:10:-1", "found \"-1\""},
      {"1:10:x", "\"x\""},
      {"1:10:log", "found \"log\""},
      {"1:10:log0", "found 0"},
      {"1:10:logx", "\"logx\""},
      {"1:2:3:4", "3 colons"},
      {"1:1001", "found 1001; expected 1 to 1000"},
      {"9999999999999999999999", "9999999999999999999999"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int64_t *values;
    int n;
    if (dcs_parse_integers("atoms", cases[i].text, 1, 1000, &values, &n) != DCS_USAGE)
      fail_msg("\"%s\" was not refused", cases[i].text);
    said(cases[i].message);
    said("atoms: ");
  }
}

static void endless_lists_are_refused(void **state) {
  (void)state;
  int64_t *values;
  int n;
  assert_int_equal(dcs_parse_integers("atoms", "1:9000000000", 1, INT64_MAX, &values, &n),
                   DCS_USAGE);
  said("1:9000000000 has more than 10000 values");
  assert_int_equal(dcs_parse_integers("atoms", "1:9000,9001:18000", 1, INT64_MAX, &values, &n),
                   DCS_USAGE);
  said("more than 10000 values");
  assert_int_equal(dcs_parse_integers("n", "0:10:log2", 0, 10, &values, &n), DCS_USAGE);
  said("a logarithmic range starts at 1 or more");
}

/* ---- grids ---- */

static void expect_grid(dcs_dims n, int64_t x, int64_t y, int64_t z) {
  assert_int_equal(n.x, x);
  assert_int_equal(n.y, y);
  assert_int_equal(n.z, z);
}

static void grids_are_read(void **state) {
  (void)state;
  dcs_dims n, *grids;
  int count;
  assert_int_equal(dcs_parse_grid("64x32x16", &n), DCS_OK);
  expect_grid(n, 64, 32, 16);
  assert_int_equal(dcs_parse_grid("7^3", &n), DCS_OK);
  expect_grid(n, 7, 7, 7);
  assert_int_equal(dcs_parse_grids("8:32:8^3,5x6x7,10:1000:log1^3", &grids, &count), DCS_OK);
  assert_int_equal(count, 8);
  static const int64_t edges[] = {8, 16, 24, 32, 0, 10, 100, 1000};
  for (int i = 0; i < 8; i++)
    if (i == 4)
      expect_grid(grids[i], 5, 6, 7);
    else
      expect_grid(grids[i], edges[i], edges[i], edges[i]);
  free(grids);
}

static void bad_grids_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "found \"\""},
      {"64", "\"64\""},
      {"64x64", "\"64x64\""},
      {"64^2", "\"64^2\""},
      {"0^3", "found 0"},
      {"^3", "\"^3\""},
      {"x^3", "\"x\""},
      {"64x64x64x64", "\"64x64x64x64\""},
      {"64x64x", "found \"\""},
      {"64x0x64", "found 0"},
      {"-4x4x4", "found -4"},
      {"64X64X64", "\"64X64X64\""},
      {"4x4x4.5", "\"4.5\""},
      {"1.5x4x4", "\"1.5\""},
      {"2147483649^3", "found 2147483649"},
      {"9999999999999999999999x1x1", "9999999999999999999999"},
      {"99999999999999999999999999999999999999999^3", "99999999999999999999999999999999999999999"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_dims n, *grids;
    int count;
    if (dcs_parse_grid(cases[i].text, &n) != DCS_USAGE)
      fail_msg("\"%s\" was not refused", cases[i].text);
    said(cases[i].message);
    said("grid: ");
    assert_int_equal(dcs_parse_grids(cases[i].text, &grids, &count), DCS_USAGE);
    said(cases[i].message);
  }
  dcs_dims *grids;
  int count;
  assert_int_equal(dcs_parse_grids("8^3,16:64:log1", &grids, &count), DCS_USAGE);
  said("\"16:64:log1\"");
  assert_int_equal(dcs_parse_grids("64:16^3", &grids, &count), DCS_USAGE);
  said("found 64:16; expected the smaller number first");
}

/* Products of edges that fit, which 64 bits do not hold, are computed nowhere. */
static void grids_of_too_many_points_are_refused(void **state) {
  static const char *const texts[] = {"1073741824^3", "1073741824x1073741824x16",
                                      "16777216x16777216x65536", "10322^3", "1048576x1048576x2"};
  dcs_dims n, *grids;
  int count;
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_int_equal(dcs_parse_grid(texts[i], &n), DCS_USAGE);
    said("more points than 2^40");
    assert_int_equal(dcs_parse_grids(texts[i], &grids, &count), DCS_USAGE);
    said("more points than 2^40");
    assert_null(grids);
  }
  assert_int_equal(dcs_parse_grids("8^3,10000:20000:10000^3", &grids, &count), DCS_USAGE);
  said("grid 20000x20000x20000 has more points than 2^40");
  assert_int_equal(dcs_parse_grid("10321^3", &n), DCS_OK);
  assert_int_equal(dcs_parse_grid("1048576x1048576x1", &n), DCS_OK);
}

/* What is refused leaves nothing: a caller that frees its lists frees none of them twice. */
static void a_refused_list_is_none(void **state) {
  (void)state;
  int n = 3;
  dcs_dims *grids = (dcs_dims *)&n;
  assert_int_equal(dcs_parse_grids("8^3,", &grids, &n), DCS_USAGE);
  assert_null(grids);
  assert_int_equal(n, 0);
  int64_t *values = (int64_t *)&grids;
  n = 3;
  assert_int_equal(dcs_parse_integers("atoms", "5,", 1, 9, &values, &n), DCS_USAGE);
  assert_null(values);
  assert_int_equal(n, 0);
}

/* The last value is as large as its type. */
static void a_range_ends_at_its_end(void **state) {
  (void)state;
  int64_t *values;
  int n;
  assert_int_equal(dcs_parse_integers("atoms", "9000000000000000000:9223372036854775807:log1000", 1,
                                      INT64_MAX, &values, &n),
                   DCS_OK);
  for (int i = 0; i < n; i++)
    assert_true(values[i] >= 9000000000000000000);
  assert_true(values[n - 1] == INT64_MAX);
  free(values);
}

/* ---- parts and names ---- */

static void splitting_keeps_empty_parts(void **state) {
  (void)state;
  char **parts;
  int n;
  assert_int_equal(dcs_split(",a,,bc,", ',', &parts, &n), DCS_OK);
  static const char *const expected[] = {"", "a", "", "bc", ""};
  assert_int_equal(n, 5);
  for (int i = 0; i < 5; i++)
    assert_string_equal(parts[i], expected[i]);
  free(parts);
  assert_int_equal(dcs_split("", ',', &parts, &n), DCS_OK);
  assert_int_equal(n, 1);
  assert_string_equal(parts[0], "");
  free(parts);
}

static void the_nearest_name(void **state) {
  (void)state;
  static const char *const names[] = {"gather", "scatter", "shared", "cut"};
  char longer[100];
  memset(longer, 'a', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  assert_string_equal(dcs_nearest_name("gathr", names, 4), "gather");    /* one left out */
  assert_string_equal(dcs_nearest_name("scaterr", names, 4), "scatter"); /* two */
  assert_string_equal(dcs_nearest_name("cxyzt", names, 4), "cut");       /* three */
  assert_string_equal(dcs_nearest_name("shared", names, 4), "shared");
  assert_null(dcs_nearest_name("wxyz", names, 4)); /* four from "cut" */
  assert_null(dcs_nearest_name(longer, names, 4));
  assert_null(dcs_nearest_name("cut", names, 0));
}

/* ---- files ---- */

/* Sizes around those at which the buffer grows; a zero byte inside. */
static void files_are_read_whole(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 131071, 131072, 300000};
  char path[] = "/tmp/dcs-test-text-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < sizes[s]; i++)
      putc((int)(i % 251), file);
    assert_int_equal(fclose(file), 0);
    char *text;
    size_t bytes;
    assert_int_equal(dcs_read_file(path, &text, &bytes), DCS_OK);
    assert_int_equal(bytes, sizes[s]);
    assert_int_equal(text[bytes], 0);
    for (size_t i = 0; i < bytes; i++)
      if ((unsigned char)text[i] != i % 251) fail_msg("byte %zu of %zu differs", i, bytes);
    free(text);
  }
  char *text;
  assert_int_equal(dcs_read_file(path, &text, NULL), DCS_OK);
  free(text);
  unlink(path);
  assert_int_equal(dcs_read_file(path, &text, NULL), DCS_IO);
  said(path);
  said("No such file");
  assert_int_equal(dcs_read_file("/tmp", &text, NULL), DCS_IO);
  assert_string_equal(dcs_error_message(), "/tmp: is a folder; expected a file");
}

/* ---- memory that is freed all at once ---- */

static void a_room_gives_zeroed_elements_and_refuses_what_cannot_be(void **state) {
  (void)state;
  dcs_room room = {0};
  double *numbers[3];
  for (int i = 0; i < 3; i++) {
    assert_int_equal(dcs_room_take(&room, &numbers[i], 100, sizeof *numbers[i], "numbers"), DCS_OK);
    for (int k = 0; k < 100; k++) {
      assert_true(numbers[i][k] == 0);
      numbers[i][k] = 100 * i + k;
    }
  }
  for (int i = 0; i < 3; i++) /* none lies on another */
    for (int k = 0; k < 100; k++)
      assert_true(numbers[i][k] == 100 * i + k);
  double *none = NULL;
  assert_int_equal(dcs_room_take(&room, &none, 0, sizeof *none, "numbers"), DCS_OK);
  assert_non_null(none);
  const size_t too_many[] = {SIZE_MAX / 4, SIZE_MAX / sizeof *none};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(dcs_room_take(&room, &none, too_many[i], sizeof *none, "numbers"),
                     DCS_UNAVAILABLE);
    said("numbers");
  }
  dcs_room_free(&room);
  assert_null(room.last);
}

static void names_that_are_shown(void **state) {
  (void)state;
  static const char *const names[] = {
      "a",        "BM_Sort<int>/8", "größe",           "日本語", "\xf0\x9f\x98\x80",
      "\xc2\xa0", "\xed\x9f\xbf",   "\xf4\x8f\xbf\xbf"};
  static const char *const none[] = {"",
                                     "a\nb",
                                     "\t",
                                     "\x7f",
                                     "\xc2\x85",
                                     "\x80",
                                     "\xc0\xaf",
                                     "\xc3",
                                     "a\xe6\x97",
                                     "\xe0\x9f\xbf",
                                     "\xed\xa0\x80",
                                     "\xf0\x8f\xbf\xbf",
                                     "\xff",
                                     "\xc3(",
                                     "\xf4\x90\x80\x80",
                                     "\xf5\x80\x80\x80"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    assert_true(dcs_is_name(names[i]));
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    if (dcs_is_name(none[i])) fail_msg("%zu is a name", i);
  char text[DCS_MOST_NAME + 2];
  memset(text, 'x', sizeof text);
  text[DCS_MOST_NAME + 1] = '\0';
  assert_false(dcs_is_name(text));
  text[DCS_MOST_NAME] = '\0';
  assert_true(dcs_is_name(text));
  assert_int_equal(dcs_character("ö"), 2);
  assert_int_equal(dcs_character("日"), 3);
  assert_int_equal(dcs_character(""), 0);
}

/* ---- what is alike ---- */

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

static void what_is_alike_has_a_number(void **state) {
  (void)state;
  static const void *const words[] = {"pear", "fig", "pear", "apple", "fig", "pear", "kiwi"};
  static const size_t expected[] = {0, 1, 0, 2, 1, 0, 3};
  size_t number[7], distinct;
  assert_int_equal(dcs_number_alike(words, 7, by_text, number, &distinct), DCS_OK);
  assert_int_equal(distinct, 4);
  assert_memory_equal(number, expected, sizeof expected);
  assert_int_equal(dcs_number_alike(words, 0, by_text, number, &distinct), DCS_OK);
  assert_int_equal(distinct, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_are_read),
      cmocka_unit_test(bad_integers_are_refused),
      cmocka_unit_test(numbers_are_read),
      cmocka_unit_test(bad_numbers_are_refused),
      cmocka_unit_test(lists_are_read),
      cmocka_unit_test(doubles_are_dropped),
      cmocka_unit_test(logarithmic_ranges),
      cmocka_unit_test(steps_do_not_overflow),
      cmocka_unit_test(bad_lists_are_refused),
      cmocka_unit_test(endless_lists_are_refused),
      cmocka_unit_test(a_range_ends_at_its_end),
      cmocka_unit_test(a_refused_list_is_none),
      cmocka_unit_test(grids_are_read),
      cmocka_unit_test(bad_grids_are_refused),
      cmocka_unit_test(grids_of_too_many_points_are_refused),
      cmocka_unit_test(splitting_keeps_empty_parts),
      cmocka_unit_test(the_nearest_name),
      cmocka_unit_test(names_that_are_shown),
      cmocka_unit_test(files_are_read_whole),
      cmocka_unit_test(a_room_gives_zeroed_elements_and_refuses_what_cannot_be),
      cmocka_unit_test(what_is_alike_has_a_number),
  };
  return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
