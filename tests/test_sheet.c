/* A table in each of its forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/sheet.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const dcs_sheet_column columns[] = {
    {"id", "method"},          {"time_ns", "ms", "%.4g", 1e-6},
    {"seed", NULL, "%.0f", 1}, {NULL, "share", "%.1f%%", 100},
    {"memory", "memory"},      {"config", "configuration"}};
enum { N = sizeof columns / sizeof columns[0] };

static void put(dcs_sheet *sheet, const char *id, double time_ns, double share, const char *memory,
                const char *config) {
  dcs_sheet_text(sheet, id);
  dcs_sheet_number(sheet, time_ns);
  dcs_sheet_number(sheet, 7);
  dcs_sheet_number(sheet, share);
  dcs_sheet_text(sheet, memory);
  dcs_sheet_text(sheet, config);
}

/* The caller frees it. */
static char *written(const dcs_sheet *sheet, dcs_sheet_form form) {
  dcs_text_stream out;
  char *text;
  assert_int_equal(dcs_text_begin(&out), DCS_OK);
  assert_int_equal(dcs_sheet_write(sheet, form, out.stream), DCS_OK);
  assert_int_equal(dcs_text_end(&out, &text, NULL), DCS_OK);
  return text;
}

static void check(const dcs_sheet *sheet, dcs_sheet_form form, const char *expected) {
  char *text = written(sheet, form);
  assert_string_equal(text, expected);
  free(text);
}

static void each_form_has_the_cells(void **state) {
  (void)state;
  dcs_sheet sheet = dcs_sheet_begin("Times", columns, N);
  put(&sheet, "a", 1234567, 0.5, "", "x=1,y=2");
  put(&sheet, "longer", NAN, NAN, "", "z");
  assert_int_equal(dcs_sheet_rows(&sheet), 2);
  /* Nothing is in the column memory: people do not see it. */
  check(&sheet, DCS_SHEET_TEXT,
        "Times\n"
        "  method     ms  share  configuration\n"
        "  a       1.235  50.0%  x=1,y=2\n"
        "  longer                z\n");
  check(&sheet, DCS_SHEET_MARKDOWN,
        "Times\n\n"
        "| method | ms | share | configuration |\n"
        "|---|---:|---:|---|\n"
        "| a | 1.235 | 50.0% | x=1,y=2 |\n"
        "| longer |  |  | z |\n");
  check(&sheet, DCS_SHEET_CSV,
        "id,time_ns,seed,memory,config\n"
        "a,1234567,7,,\"x=1,y=2\"\n"
        "longer,,7,,z\n");
  check(&sheet, DCS_SHEET_JSON,
        "[\n {\"id\": \"a\", \"time_ns\": 1234567, \"seed\": 7, \"memory\": \"\", \"config\": "
        "\"x=1,y=2\"},\n {\"id\": \"longer\", \"time_ns\": null, \"seed\": 7, \"memory\": \"\", "
        "\"config\": \"z\"}\n]\n");
  dcs_sheet_free(&sheet);
}

static void html_has_headers_for_rows_and_columns(void **state) {
  (void)state;
  dcs_sheet sheet = dcs_sheet_begin("Times", columns, N);
  put(&sheet, "a", 2e6, NAN, "pinned", "x=1,y=2");
  check(&sheet, DCS_SHEET_HTML,
        "<div class=scroll role=region tabindex=0 aria-label=\"Times\"><table>"
        "<caption>Times</caption>\n"
        "<thead><tr><th scope=col>method</th><th scope=col class=n>ms</th>"
        "<th scope=col>memory</th><th scope=col>configuration</th></tr></thead>\n"
        "<tbody>\n<tr><th scope=row>a</th><td class=n>2</td><td>pinned</td>"
        "<td>x=1,<wbr>y=2</td></tr>\n</tbody></table></div>\n");
  dcs_sheet_free(&sheet);
}

/* What is markup, a quote or a control character in a text is none in the table. */
static void texts_are_texts(void **state) {
  (void)state;
  static const char nasty[] = "<b>|\"&'\x1b[2J\n\\`*";
  dcs_sheet sheet = dcs_sheet_begin("<i>", columns, N);
  put(&sheet, nasty, 1, NAN, "", "");
  char *html = written(&sheet, DCS_SHEET_HTML);
  assert_non_null(strstr(html, "<th scope=row>&lt;b&gt;|&quot;&amp;&#39; [2J\n\\`*</th>"));
  assert_non_null(strstr(html, "<caption>&lt;i&gt;</caption>"));
  assert_non_null(strstr(html, "aria-label=\"&lt;i&gt;\""));
  free(html);
  char *text = written(&sheet, DCS_SHEET_TEXT);
  assert_null(strchr(text, '\x1b'));
  free(text);
  char *markdown = written(&sheet, DCS_SHEET_MARKDOWN);
  assert_non_null(strstr(markdown, "| \\<b\\>\\|\"\\&' \\[2J \\\\\\`\\* | 1e-06 |"));
  free(markdown);
  char *json = written(&sheet, DCS_SHEET_JSON);
  assert_non_null(strstr(json, "\"<b>|\\\"&'\\u001b[2J\\u000a\\\\`*\""));
  free(json);
  char *csv = written(&sheet, DCS_SHEET_CSV);
  assert_non_null(strstr(csv, "\n\"<b>|\"\"&'\x1b[2J\n\\`*\",1,7,,\n"));
  free(csv);
  dcs_sheet_free(&sheet);
}

static void nothing_is_a_table_too(void **state) {
  (void)state;
  dcs_sheet sheet = dcs_sheet_begin("None", columns, N);
  check(&sheet, DCS_SHEET_CSV, "id,time_ns,seed,memory,config\n");
  check(&sheet, DCS_SHEET_JSON, "[\n]\n");
  check(&sheet, DCS_SHEET_TEXT, "None\n\n");
  dcs_sheet_free(&sheet);
}

/* Numbers where all cells of a column are, or are empty; one text makes texts of all. What is
 * unknown is null in JSON, in a column without any number, too. */
static void a_file_is_a_table(void **state) {
  (void)state;
  static const char text[] = "name,lo,grid,hi\na,1.5,4000,\n\"b \"\"c\"\"\",,16x16x4,\n";
  dcs_table *table;
  dcs_sheet sheet;
  assert_int_equal(dcs_table_parse("times.csv", text, sizeof text - 1, &table), DCS_OK);
  assert_int_equal(dcs_sheet_of_table(table, &sheet), DCS_OK);
  check(&sheet, DCS_SHEET_JSON,
        "[\n {\"name\": \"a\", \"lo\": 1.5, \"grid\": \"4000\", \"hi\": null},\n"
        " {\"name\": \"b \\\"c\\\"\", \"lo\": null, \"grid\": \"16x16x4\", \"hi\": null}\n]\n");
  check(&sheet, DCS_SHEET_CSV, text);
  dcs_sheet_free(&sheet);
  dcs_table_free(table);
}

static void names_that_read_as_numbers_are_texts(void **state) {
  (void)state;
  static const char text[] = "name,ns\n007,7\n8,1.5\n";
  dcs_table *table;
  dcs_sheet sheet;
  assert_int_equal(dcs_table_parse("times.csv", text, sizeof text - 1, &table), DCS_OK);
  assert_int_equal(dcs_sheet_of_table(table, &sheet), DCS_OK);
  check(&sheet, DCS_SHEET_JSON,
        "[\n {\"name\": \"007\", \"ns\": 7},\n {\"name\": \"8\", \"ns\": 1.5}\n]\n");
  check(&sheet, DCS_SHEET_CSV, text);
  dcs_sheet_free(&sheet);
  dcs_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_form_has_the_cells),
      cmocka_unit_test(html_has_headers_for_rows_and_columns),
      cmocka_unit_test(texts_are_texts),
      cmocka_unit_test(a_file_is_a_table),
      cmocka_unit_test(names_that_read_as_numbers_are_texts),
      cmocka_unit_test(nothing_is_a_table_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
