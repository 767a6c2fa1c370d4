/* CSV: what is read, what is refused, what a killed writer leaves, and full disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/decimal.h"
#include "harness/files/csv.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[128];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/dcs_csv_XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/t.csv", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void put_bytes(const char *bytes, size_t length) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void put(const char *text) {
  put_bytes(text, strlen(text));
}

static void assert_holds(const char *text) {
  char found[1024];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(found, text);
}

static dcs_table *read_ok(void) {
  dcs_table *table;
  if (dcs_table_read(path, &table) != DCS_OK) fail_msg("%s", dcs_error_message());
  return table;
}

static void assert_refused(const char *text, const char *said) {
  dcs_table *table;
  put(text);
  assert_int_equal(dcs_table_read(path, &table), DCS_INPUT);
  assert_null(table);
  assert_non_null(strstr(dcs_error_message(), path));
  if (strstr(dcs_error_message(), said) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", dcs_error_message(), said);
}

static int files_in_folder(void) {
  int n = 0;
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
    n += entry->d_name[0] != '.';
  closedir(dir);
  return n;
}

/* ---- reading ---- */

static void reads_cells(void **state) {
  (void)state;
  put("name,n,note\nab,1.5,\n\"c,\"\"d\"\"\", x ,\"two\nlines\"\n");
  dcs_table *t = read_ok();
  assert_int_equal(dcs_table_rows(t), 2);
  assert_int_equal(dcs_table_columns(t), 3);
  assert_false(dcs_table_torn(t));
  assert_int_equal(dcs_table_column(t, "note"), 2);
  assert_int_equal(dcs_table_column(t, "nota"), -1);
  assert_string_equal(dcs_table_cell(t, 0, 0), "ab");
  assert_string_equal(dcs_table_cell(t, 0, 2), "");
  assert_string_equal(dcs_table_cell(t, 0, -1), "");
  assert_true(dcs_table_number(t, 0, 1) == 1.5);
  assert_true(isnan(dcs_table_number(t, 0, 2)));
  assert_string_equal(dcs_table_cell(t, 1, 0), "c,\"d\"");
  assert_string_equal(dcs_table_cell(t, 1, 1), " x ");
  assert_true(isnan(dcs_table_number(t, 1, 1)));
  assert_string_equal(dcs_table_cell(t, 1, 2), "two\nlines");
  int column;
  assert_int_equal(dcs_table_need(t, "n", &column), DCS_OK);
  assert_int_equal(column, 1);
  assert_int_equal(dcs_table_need(t, "missing", &column), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "missing"));
  dcs_table_free(t);
}

static void reads_mark_and_crlf(void **state) {
  (void)state;
  put("\xEF\xBB\xBF"
      "a,b\r\n1,2\r\n");
  dcs_table *t = read_ok();
  assert_int_equal(dcs_table_column(t, "a"), 0);
  assert_int_equal(dcs_table_rows(t), 1);
  assert_string_equal(dcs_table_cell(t, 0, 1), "2");
  dcs_table_free(t);
}

static void leaves_torn_row_out(void **state) {
  (void)state;
  static const char *const torn[] = {"a,b\n1,2\n3", "a,b\n1,2\n3,4", "a,b\n1,2\n3,\"x\ny\n",
                                     "a,b\n1,2\n3,\"x\"\"\n"};
  for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
    put(torn[i]);
    dcs_table *t = read_ok();
    assert_true(dcs_table_torn(t));
    assert_int_equal(dcs_table_rows(t), 1);
    assert_string_equal(dcs_table_cell(t, 0, 1), "2");
    dcs_table_free(t);
  }
}

static void refuses(void **state) {
  (void)state;
  assert_refused("", "empty file");
  assert_refused("a,b", "part of a row");
  assert_refused("a,b\n1,2\n3\n", "row 3: found 1 cells");
  assert_refused("a,b\n1,2,3\n", "row 2: found 3 cells");
  assert_refused("a,b,a\n1,2,3\n", "\"a\" twice");
  assert_refused("a,b\n1,2\n\"x\"y,2\n5,6\n", "row 3");
  assert_refused("a,b\n1,x\"y\n5,6\n", "row 2");
  assert_refused("a,b\n1,2\n1,x\"y\"z\n5,6\n", "row 3");
}

static void refuses_nul(void **state) {
  (void)state;
  dcs_table *t;
  put_bytes("a,b\n1,2\n3,\0\n", 12);
  assert_int_equal(dcs_table_read(path, &t), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "row 3"));
}

static void refuses_what_cannot_be_read(void **state) {
  (void)state;
  dcs_table *t;
  assert_int_equal(dcs_table_read(folder, &t), DCS_IO);
  assert_non_null(strstr(dcs_error_message(), folder));
  assert_int_equal(dcs_table_read("/nowhere/at/all.csv", &t), DCS_IO);
  assert_non_null(strstr(dcs_error_message(), "/nowhere/at/all.csv"));
}

/* ---- writing ---- */

static void writes_what_reads_back(void **state) {
  (void)state;
  static const double numbers[] = {0.1,     1.0 / 3,     1e300,    5e-324,
                                   -2.5,    123456789.0, 1e22,     1e23,
                                   0,       M_PI,        INFINITY, 0x1.fffffffffffffp1023,
                                   -1e-310, 1e5,         64,       2e-16};
  dcs_csv csv;
  assert_int_equal(dcs_csv_create(&csv, path), DCS_OK);
  dcs_csv_text(&csv, "number");
  dcs_csv_text(&csv, "text, \"quoted\"\r\n");
  dcs_csv_text(&csv, "integer");
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    dcs_csv_number(&csv, numbers[i]);
    dcs_csv_empty(&csv);
    dcs_csv_integer(&csv, INT64_MIN);
    assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  }
  assert_int_equal(access(path, F_OK), -1); /* nothing under that name before the close */
  assert_int_equal(dcs_csv_close(&csv), DCS_OK);
  assert_int_equal(files_in_folder(), 1);
  dcs_table *t = read_ok();
  assert_int_equal(dcs_table_column(t, "text, \"quoted\"\r\n"), 1);
  assert_int_equal(dcs_table_rows(t), sizeof numbers / sizeof *numbers);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_true(dcs_table_number(t, i, 0) == numbers[i]);
    assert_string_equal(dcs_table_cell(t, i, 1), "");
    assert_string_equal(dcs_table_cell(t, i, 2), "-9223372036854775808");
  }
  dcs_table_free(t);
}

static void writes_shortest_numbers(void **state) {
  (void)state;
  dcs_csv csv;
  assert_int_equal(dcs_csv_create(&csv, path), DCS_OK);
  dcs_csv_number(&csv, 0.1);
  dcs_csv_number(&csv, NAN);
  dcs_csv_number(&csv, 2.5);
  dcs_csv_number(&csv, 0.1 + 0.2);
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  assert_int_equal(dcs_csv_close(&csv), DCS_OK);
  assert_holds("0.1,,2.5,0.30000000000000004\n");
}

static void writes_numbers_of_one_cell(void **state) {
  (void)state;
  static const double numbers[] = {0.1, 2, -3e-5};
  dcs_csv csv;
  assert_int_equal(dcs_csv_create(&csv, path), DCS_OK);
  dcs_csv_names(&csv, (const char *const[]){"some", "none", NULL});
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  dcs_csv_numbers(&csv, numbers, 3);
  dcs_csv_numbers(&csv, numbers, 0);
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  assert_int_equal(dcs_csv_close(&csv), DCS_OK);
  dcs_table *t = read_ok();
  assert_string_equal(dcs_table_text(t, 0, "some"), "0.1 2 -3e-05");
  assert_string_equal(dcs_table_text(t, 0, "none"), "");
  assert_string_equal(dcs_table_text(t, 0, "no such column"), "");
  dcs_table_free(t);
}

static void abandon_leaves_the_old_file(void **state) {
  (void)state;
  put("old\n");
  dcs_csv csv;
  assert_int_equal(dcs_csv_create(&csv, path), DCS_OK);
  dcs_csv_text(&csv, "new");
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  dcs_csv_abandon(&csv);
  assert_holds("old\n");
  assert_int_equal(files_in_folder(), 1);
}

static void assert_append(const char *before, const char *after) {
  put(before);
  dcs_csv csv;
  assert_int_equal(dcs_csv_append(&csv, path), DCS_OK);
  dcs_csv_integer(&csv, 8);
  dcs_csv_text(&csv, "y");
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  assert_int_equal(dcs_csv_close(&csv), DCS_OK);
  assert_holds(after);
}

/* As a killed process leaves a table: without a file, with an empty one, or a part of the header.
 */
static void append_begins_a_table_once(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", NULL};
  static const char *const before[] = {"", "a", "a,\"", "a,b\n", "a,b\n7"};
  dcs_csv csv;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    put(before[i]);
    if (i == 0) assert_int_equal(unlink(path), 0);
    for (int row = 0; row < 2; row++) {
      assert_int_equal(dcs_csv_append_table(&csv, path, names), DCS_OK);
      dcs_csv_integer(&csv, 8);
      dcs_csv_text(&csv, "y");
      assert_int_equal(dcs_csv_finish(&csv, dcs_csv_row(&csv)), DCS_OK);
    }
    assert_holds("a,b\n8,y\n8,y\n");
  }
  assert_int_equal(dcs_csv_append_table(&csv, "/nowhere/at/all.csv", names), DCS_IO);
}

static void append_cuts_a_torn_row(void **state) {
  (void)state;
  assert_append("", "8,y\n");
  assert_append("a,b\n", "a,b\n8,y\n");
  assert_append("a,b\n1,2\n3,", "a,b\n1,2\n8,y\n");
  assert_append("a,b\n1,\"x\ny\"\n", "a,b\n1,\"x\ny\"\n8,y\n");
  assert_append("a,b\n1,2\n3,\"x\ny", "a,b\n1,2\n8,y\n");
  assert_append("a,b\n1,\"\"\"\n\"\n3,\"\n", "a,b\n1,\"\"\"\n\"\n8,y\n");
  assert_append("to", "8,y\n");
}

static void assert_disk_full(dcs_csv *csv) {
  dcs_csv_text(csv, "x");
  assert_int_equal(dcs_csv_row(csv), DCS_IO);
  assert_non_null(strstr(dcs_error_message(), "/dev/full"));
  assert_non_null(strstr(dcs_error_message(), "No space left"));
  assert_int_equal(dcs_csv_close(csv), DCS_IO);
  assert_non_null(strstr(dcs_error_message(), "/dev/full"));
}

static void a_full_disk_is_said(void **state) {
  (void)state;
  if (access("/dev/full", W_OK) != 0) {
    print_message("no /dev/full here: skipped\n");
    skip();
  }
  dcs_csv csv;
  assert_int_equal(dcs_csv_append(&csv, "/dev/full"), DCS_OK);
  assert_disk_full(&csv);
  assert_int_equal(dcs_csv_create(&csv, "/dev/full"), DCS_OK);
  assert_disk_full(&csv);
  assert_int_equal(dcs_csv_append(&csv, "/dev/full"), DCS_OK);
  for (int i = 0; i < 100000;
       i++) /* more than a buffer, so that a cell fails before its row ends */
    dcs_csv_integer(&csv, i);
  assert_int_equal(dcs_csv_row(&csv), DCS_IO);
  assert_non_null(strstr(dcs_error_message(), "No space left"));
  dcs_csv_abandon(&csv);
}

static void a_missing_folder_is_said(void **state) {
  (void)state;
  dcs_csv csv;
  assert_int_equal(dcs_csv_create(&csv, "/nowhere/at/all.csv"), DCS_IO);
  assert_non_null(strstr(dcs_error_message(), "/nowhere/at/all.csv"));
  assert_int_equal(dcs_csv_append(&csv, "/nowhere/at/all.csv"), DCS_IO);
  assert_int_equal(dcs_csv_create(&csv, folder), DCS_IO);
  assert_int_equal(dcs_csv_create(&csv, ""), DCS_USAGE);
}

/* ---- numbers ---- */

static void decimals_are_strict(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "",   " 1", "1 ",  "nan",   "inf", "0x1p3", "1,5", "1e400", "-",    ".",
      "e5", "1e", "1e+", "1.2.3", "--1", "1d5x",  "1_0", "+-1",   "1e5.", "1.000-100.406"};
  double v;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (dcs_decimal_read(wrong[i], strlen(wrong[i]), &v)) fail_msg("accepted \"%s\"", wrong[i]);
  char zeros[200];
  memset(zeros, '0', sizeof zeros);
  assert_false(dcs_decimal_read(zeros, sizeof zeros, &v));
  assert_true(dcs_decimal_read(zeros, 100, &v) && v == 0);
}

static void decimals_are_correctly_rounded(void **state) {
  (void)state;
  static const char *const right[] = {"1",
                                      "-1.5",
                                      "+.5",
                                      "5.",
                                      "2.5e-01",
                                      "1E22",
                                      "1e23",
                                      "0.1",
                                      "-0.834",
                                      "123456789012345678901234",
                                      "9007199254740993",
                                      "9007199254740993.0000000000000000000001",
                                      "1e-400",
                                      "4.9e-324",
                                      "0.000000000000000000000000000000001",
                                      "8.5e-30",
                                      "1.7976931348623157e308"};
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    double v;
    assert_true(dcs_decimal_read(right[i], strlen(right[i]), &v));
    if (v != strtod(right[i], NULL)) fail_msg("%s read as %.17g", right[i], v);
  }
  double v;
  assert_true(dcs_decimal_read("-1.0D-02", 8, &v) && v == -0.01);
  assert_true(dcs_decimal_read("25d+1", 5, &v) && v == 250);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(reads_cells, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(reads_mark_and_crlf, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(leaves_torn_row_out, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(refuses, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(refuses_nul, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(refuses_what_cannot_be_read, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(writes_what_reads_back, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(writes_shortest_numbers, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(writes_numbers_of_one_cell, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(abandon_leaves_the_old_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(append_begins_a_table_once, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(append_cuts_a_torn_row, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_full_disk_is_said, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_missing_folder_is_said, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(decimals_are_strict, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(decimals_are_correctly_rounded, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
