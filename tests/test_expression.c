/* Expressions: what they mean is what Python 3 says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/spec/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"X", "Y", "Z", "S"};
enum { N_NAMES = 4 };

static dcs_status evaluate(const char *text, dcs_room *room, dcs_expression **e, dcs_value *value) {
  const dcs_value values[N_NAMES] = {dcs_integer_value(16), dcs_integer_value(4),
                                     dcs_real_value(2.5), dcs_text_value("wide")};
  *e = NULL;
  DCS_TRY(dcs_expression_parse(text, names, N_NAMES, e));
  return dcs_expression_value(*e, values, room, value);
}

static const struct {
  const char *text;
  dcs_value_type type;
  double number;
  const char *said;
} of_python[] = {{"1", DCS_VALUE_INTEGER, 1},
                 {"7 // 2", DCS_VALUE_INTEGER, 3},
                 {"-7 // 2", DCS_VALUE_INTEGER, -4},
                 {"7 // -2", DCS_VALUE_INTEGER, -4},
                 {"-7 % 3", DCS_VALUE_INTEGER, 2},
                 {"7 % -3", DCS_VALUE_INTEGER, -2},
                 {"-7.5 // 2", DCS_VALUE_REAL, -4.0},
                 {"-7.5 % 2", DCS_VALUE_REAL, 0.5},
                 {"7.25 % -2", DCS_VALUE_REAL, -0.75},
                 {"7 / 2", DCS_VALUE_REAL, 3.5},
                 {"6 / 2", DCS_VALUE_REAL, 3.0},
                 {"2 ** 10", DCS_VALUE_INTEGER, 1024},
                 {"2 ** -1", DCS_VALUE_REAL, 0.5},
                 {"-2 ** 2", DCS_VALUE_INTEGER, -4},
                 {"(-2) ** 3", DCS_VALUE_INTEGER, -8},
                 {"2 ** 3 ** 2", DCS_VALUE_INTEGER, 512},
                 {"4 ** 0.5", DCS_VALUE_REAL, 2.0},
                 {"2.5 * 4", DCS_VALUE_REAL, 10.0},
                 {"1e3", DCS_VALUE_REAL, 1000.0},
                 {".5 + 1.", DCS_VALUE_REAL, 1.5},
                 {"0x1f", DCS_VALUE_INTEGER, 31},
                 {"1 + 2 * 3 - 4", DCS_VALUE_INTEGER, 3},
                 {"(1 + 2) * 3", DCS_VALUE_INTEGER, 9},
                 {"10 - 3 - 2", DCS_VALUE_INTEGER, 5},
                 {"100 // 7 // 2", DCS_VALUE_INTEGER, 7},
                 {"8 % 5 % 2", DCS_VALUE_INTEGER, 1},
                 {"1 << 4", DCS_VALUE_INTEGER, 16},
                 {"-17 >> 2", DCS_VALUE_INTEGER, -5},
                 {"5 & 3 | 8 ^ 2", DCS_VALUE_INTEGER, 11},
                 {"~5", DCS_VALUE_INTEGER, -6},
                 {"not 0", DCS_VALUE_INTEGER, 1},
                 {"not 1 == 2", DCS_VALUE_INTEGER, 1},
                 {"1 < 2 < 3", DCS_VALUE_INTEGER, 1},
                 {"1 < 3 < 2", DCS_VALUE_INTEGER, 0},
                 {"3 > 2 >= 2 != 1", DCS_VALUE_INTEGER, 1},
                 {"1 == 1.0", DCS_VALUE_INTEGER, 1},
                 {"True + True", DCS_VALUE_INTEGER, 2},
                 {"False or 3", DCS_VALUE_INTEGER, 3},
                 {"0 and 1 // 0", DCS_VALUE_INTEGER, 0},
                 {"2 and 3", DCS_VALUE_INTEGER, 3},
                 {"'' or 'x'", DCS_VALUE_TEXT, 0, "x"},
                 {"5 if 0 else 6", DCS_VALUE_INTEGER, 6},
                 {"5 if 2 > 1 else 1 // 0", DCS_VALUE_INTEGER, 5},
                 {"1 if 0 else 2 if 0 else 3", DCS_VALUE_INTEGER, 3},
                 {"2 in [1, 2, 3]", DCS_VALUE_INTEGER, 1},
                 {"4 not in [1, 2, 3]", DCS_VALUE_INTEGER, 1},
                 {"'a' in ['a', 'b']", DCS_VALUE_INTEGER, 1},
                 {"'a' == 'a'", DCS_VALUE_INTEGER, 1},
                 {"'a' != \"b\"", DCS_VALUE_INTEGER, 1},
                 {"'a' < 'b'", DCS_VALUE_INTEGER, 1},
                 {"min(3, 1, 2)", DCS_VALUE_INTEGER, 1},
                 {"max([3, 1, 2])", DCS_VALUE_INTEGER, 3},
                 {"max(1, 2.5)", DCS_VALUE_REAL, 2.5},
                 {"abs(-3)", DCS_VALUE_INTEGER, 3},
                 {"abs(-2.5)", DCS_VALUE_REAL, 2.5},
                 {"int(3.9)", DCS_VALUE_INTEGER, 3},
                 {"int(-3.9)", DCS_VALUE_INTEGER, -3},
                 {"float(2)", DCS_VALUE_REAL, 2.0},
                 {"round(2.5)", DCS_VALUE_INTEGER, 2},
                 {"round(3.5)", DCS_VALUE_INTEGER, 4},
                 {"len([1, 2, 3])", DCS_VALUE_INTEGER, 3},
                 {"sum([1, 2, 3])", DCS_VALUE_INTEGER, 6},
                 {"ceil(2.1)", DCS_VALUE_INTEGER, 3},
                 {"math.floor(-2.1)", DCS_VALUE_INTEGER, -3},
                 {"sqrt(16)", DCS_VALUE_REAL, 4.0},
                 {"log2(8)", DCS_VALUE_REAL, 3.0},
                 {"pow(2, 5)", DCS_VALUE_INTEGER, 32},
                 {"sum(range(5))", DCS_VALUE_INTEGER, 10},
                 {"sum(list(range(2, 20, 3)))", DCS_VALUE_INTEGER, 57},
                 {"sum(range(10, 0, -3))", DCS_VALUE_INTEGER, 22},
                 {"sum([2 ** i for i in range(5)])", DCS_VALUE_INTEGER, 31},
                 {"sum([i for i in range(10) if i % 3 == 0])", DCS_VALUE_INTEGER, 18},
                 {"len([i for i in [1, 2] if i in [j for j in [1]]])", DCS_VALUE_INTEGER, 1},
                 {"sum([sum([i * j for j in range(3)]) for i in range(3)])", DCS_VALUE_INTEGER, 9},
                 {"X * Y >= 64", DCS_VALUE_INTEGER, 1},
                 {"X // Y", DCS_VALUE_INTEGER, 4},
                 {"256 // X", DCS_VALUE_INTEGER, 16},
                 {"(X + 31) // 32 * 32", DCS_VALUE_INTEGER, 32},
                 {"X % 2 == 0 and Y in (2, 4)", DCS_VALUE_INTEGER, 1},
                 {"1 + (X // 4) * (0.1 + 0.05 * (X % 4)) if X % 4 < 3 else ((X // 4) % 10) * 0.1",
                  DCS_VALUE_REAL, 1.4},
                 {"Z / X", DCS_VALUE_REAL, 0.15625},
                 {"S == 'wide'", DCS_VALUE_INTEGER, 1},
                 {"S + 1 if 0 else 4", DCS_VALUE_INTEGER, 4},
                 {"((((1))))", DCS_VALUE_INTEGER, 1},
                 {"- - 3", DCS_VALUE_INTEGER, 3},
                 {"not not 2", DCS_VALUE_INTEGER, 1},
                 {"1 if X > 1 and not Y > 100 or 0 else 0", DCS_VALUE_INTEGER, 1},
                 {"[1, 2] == [1, 2.0]", DCS_VALUE_INTEGER, 1},
                 {"[1, 2,] == [1, 3]", DCS_VALUE_INTEGER, 0},
                 {"-X ** 2", DCS_VALUE_INTEGER, -256},
                 {"2 * X ** 2 / 4", DCS_VALUE_REAL, 128.0},
                 {"X if Y else Z", DCS_VALUE_INTEGER, 16}};

/* Values taken from Python 3.11, with math's functions; True is 1. */
static void values_are_those_of_python(void **state) {
  (void)state;
  for (size_t r = 0; r < sizeof of_python / sizeof of_python[0]; r++) {
    dcs_room room = {0};
    dcs_expression *e;
    dcs_value value = {0};
    if (evaluate(of_python[r].text, &room, &e, &value) != DCS_OK)
      fail_msg("%s: %s", of_python[r].text, dcs_error_message());
    if (value.type != of_python[r].type)
      fail_msg("%s: of type %d", of_python[r].text, (int)value.type);
    if (of_python[r].said)
      assert_string_equal(value.text, of_python[r].said);
    else if (dcs_value_real(&value) != of_python[r].number)
      fail_msg("%s: found %.17g, expected %.17g", of_python[r].text, dcs_value_real(&value),
               of_python[r].number);
    dcs_room_free(&room);
    dcs_expression_free(e);
  }
}

static void lists_keep_their_values(void **state) {
  (void)state;
  dcs_room room = {0};
  dcs_expression *e;
  dcs_value value;
  assert_int_equal(evaluate("[1, 2.5, 'a', True, [3]]", &room, &e, &value), DCS_OK);
  assert_true(value.type == DCS_VALUE_LIST && value.n == 5);
  assert_true(value.items[0].type == DCS_VALUE_INTEGER && value.items[1].real == 2.5);
  assert_string_equal(value.items[2].text, "a");
  assert_true(value.items[3].integer == 1 && value.items[4].type == DCS_VALUE_LIST);
  dcs_room_free(&room);
  dcs_expression_free(e);
}

static const struct {
  const char *text, *said;
} wrong[] = {{"1 +", "column 4: found the end; expected a value"},
             {"", "column 1: found the end"},
             {"1 2", "column 3: found \"2\"; expected an operator"},
             {"(1", "column 3: found the end; expected \")\""},
             {"foo + 1", "column 1: found \"foo\"; expected the name of a parameter"},
             {"XX", "column 1: found \"XX\""},
             {"1 // 0", "column 3: found a division by zero"},
             {"1.5 % 0", "column 5: found a division by zero"},
             {"2 ** 64", "column 3: found a number beyond 64 bits"},
             {"9223372036854775807 + 1", "column 21: found a number beyond 64 bits"},
             {"9223372036854775808",
              "column 1: found \"9223372036854775808\"; expected a number of 64 bits"},
             {"'a' + 1", "column 5: found a text; expected a number"},
             {"-'a'", "column 1: found a text"},
             {"'a", "column 1: found \"'\"; expected a text with its closing quote"},
             {"1 < 'a'", "column 3: found a text"},
             {"1 in 2", "column 3: found a whole number; expected a list"},
             {"min()", "column 1: found min with 0 arguments"},
             {"frob(1)", "column 1: found \"frob\"; expected a function"},
             {"range(1.5)", "column 1: found a real number"},
             {"range(2000000)", "column 1: found more than 1000000 values"},
             {"range(1, 2, 0)", "column 1: found a step of 0"},
             {"1.5 & 1", "column 5: found a real number; expected whole ones"},
             {"(-1) ** 0.5", "column 6: found a root of a number below 0"},
             {"0 ** -1", "column 3: found 0 to a power below 0"},
             {"1e308 * 10", "column 7: found a value that is not finite"},
             {"12ab", "column 3: found \"ab\"; expected an operator"},
             {"012", "column 1: found \"012\"; expected a number without 0"},
             {"1 if 2", "column 7: found the end; expected \"else\""},
             {"X && Y", "column 4: found \"&\"; expected a value"},
             {"X = 1", "column 3: found \"=\"; expected an operator"},
             {"[i for 1 in X]", "column 8: found \"1\"; expected a name for"},
             {"[i for i in 3]", "column 1: found a whole number; expected a list"},
             {"lambda x: 1", "column 1: found \"lambda\"; expected a value"},
             {"1 .. 2", "column 3: found \".\""},
             {"~1.5", "column 1: found a real number"},
             {"abs(-9223372036854775807 - 1)", "column 1: found a number beyond 64 bits"},
             {"1 << 63", "column 3: found a number beyond 64 bits"},
             {"1 << -1", "column 3: found a shift by less than 0"},
             {"[[i for i in range(1000)] for j in range(2000)] == 1",
              "column 2: found more than 1000000 values"}};

static void what_is_wrong_is_said_with_its_column(void **state) {
  (void)state;
  for (size_t r = 0; r < sizeof wrong / sizeof wrong[0]; r++) {
    dcs_room room = {0};
    dcs_expression *e;
    dcs_value value;
    if (evaluate(wrong[r].text, &room, &e, &value) != DCS_INPUT)
      fail_msg("%s: found a value", wrong[r].text);
    if (strncmp(dcs_error_message(), wrong[r].said, strlen(wrong[r].said)) != 0)
      fail_msg("%s: \"%s\"", wrong[r].text, dcs_error_message());
    dcs_room_free(&room);
    dcs_expression_free(e);
  }
}

static void what_is_deep_or_long_is_refused(void **state) {
  (void)state;
  static char text[20001];
  dcs_expression *e;
  memset(text, '(', 20000);
  assert_int_equal(dcs_expression_parse(text, NULL, 0, &e), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "within each other"));
  for (int i = 0; i < 20000; i++)
    text[i] = i % 2 ? '+' : '1';
  text[19999] = '\0';
  assert_int_equal(dcs_expression_parse(text, NULL, 0, &e), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "4096 parts"));
  memset(text, '-', 20000);
  assert_int_equal(dcs_expression_parse(text, NULL, 0, &e), DCS_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_python),
      cmocka_unit_test(lists_keep_their_values),
      cmocka_unit_test(what_is_wrong_is_said_with_its_column),
      cmocka_unit_test(what_is_deep_or_long_is_refused),
  };
  return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
