/* Sizes: written to files and read back, what is refused, their order, texts and estimates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/text.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dcs_size size_of(double cutoff, int switching, int64_t atoms, int64_t nx, int64_t ny,
                        int64_t nz) {
  return (dcs_size){dcs_kinds[0], within(cutoff, switching), {atoms, nx, ny, nz}};
}

static const int64_t most = DCS_MOST_ALONG;

/* ---- files ---- */

static void what_is_written_reads_back(void **state) {
  (void)state;
  const dcs_kind *last = dcs_find_kind("born");
  const dcs_size sizes[] = {size_of(0, DCS_SWITCHING_NONE, 1, 1, 1, 1),
                            size_of(12, DCS_SWITCHING_C2, 4000, 256, 256, 4),
                            size_of(0.1, DCS_SWITCHING_NONE, 3, 1 << 20, 1 << 10, 1 << 10),
                            size_of(1.0 / 3, DCS_SWITCHING_C2, most, most, 1, 1),
                            {last, dcs_initial_problem(last), {5}}}; /* without a grid */
  enum { N = sizeof sizes / sizeof sizes[0] };
  char path[] = "/tmp/dcs-test-size-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  dcs_csv csv;
  dcs_table *table;
  dcs_size_at at;
  assert_int_equal(dcs_csv_create(&csv, path), DCS_OK);
  for (const char *const *column = dcs_size_columns; *column; column++)
    dcs_csv_text(&csv, *column);
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  for (int i = 0; i < N; i++) {
    dcs_size_put(&csv, &sizes[i]);
    assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  }
  assert_int_equal(dcs_csv_close(&csv), DCS_OK);
  assert_int_equal(dcs_table_read(path, &table), DCS_OK);
  unlink(path);
  assert_int_equal(dcs_table_rows(table), N);
  assert_int_equal(dcs_table_columns(table), DCS_SIZE_COLUMNS);
  assert_int_equal(dcs_size_find(table, &at), DCS_OK);
  assert_string_equal(dcs_table_cell(table, 1, at.column[0]), "coulomb");
  assert_string_equal(dcs_table_cell(table, 1, at.column[1]), "cutoff=12,switching=c2");
  for (int i = 0; i < N; i++) {
    dcs_size size;
    assert_int_equal(dcs_size_read(table, (size_t)i, &at, &size), DCS_OK);
    assert_true(dcs_same_size(&size, &sizes[i]));
    assert_memory_equal(&size, &sizes[i], sizeof size);
  }
  dcs_table_free(table);
}

/* Parses a file whose columns are in an order of their own, with one more row before this one. */
static dcs_status read_row(const char *row, dcs_size *size) {
  char text[512];
  dcs_table *table;
  dcs_size_at at;
  snprintf(text, sizeof text,
           "nz,problem,atoms,problem_config,nx,ny,note\r\n4,coulomb,3,,2,1,x\r\n%s,x\r\n", row);
  assert_int_equal(dcs_table_parse("plan.csv", text, strlen(text), &table), DCS_OK);
  assert_int_equal(dcs_size_find(table, &at), DCS_OK);
  assert_int_equal(dcs_size_read(table, 0, &at, size), DCS_OK);
  dcs_status status = dcs_size_read(table, 1, &at, size);
  dcs_table_free(table);
  return status;
}

static void columns_may_be_in_any_order(void **state) {
  (void)state;
  dcs_size size;
  const dcs_size expected = size_of(5, DCS_SWITCHING_C2, 7, 8, 9, 10);
  assert_int_equal(read_row("10,coulomb,7,\"cutoff=5,switching=c2\",8,9", &size), DCS_OK);
  assert_memory_equal(&size, &expected, sizeof size);
}

static void bad_rows_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *row, *message;
  } cases[] = {
      {"4,coulom,3,,2,1",
       "found problem \"coulom\"; expected a problem that `dcsbench list` shows"},
      {"4,,3,,2,1", "found problem \"\""},
      {"4,coulomb,0,,2,1", "found atoms \"0\"; expected a whole number, 1 to 2^40"},
      {"4,coulomb,,,2,1", "found atoms \"\""},
      {"4,coulomb,1e-3,,2,1", "found atoms \"1e-3\""},
      {"4,coulomb,3,,-2,1", "found nx \"-2\""},
      {"4,coulomb,3,,2,1.5", "found ny \"1.5\""},
      {"1099511627777,coulomb,3,,1,1", "found nz \"1099511627777\""},
      {"99999999999999999999,coulomb,3,,1,1", "found nz \"99999999999999999999\""},
      {"4,coulomb,3,cutof=5,2,1", "found problem_config \"cutof=5\""},
      {"4,coulomb,3,cutoff=-5,2,1", "found problem_config \"cutoff=-5\""},
      /* what another text writes: a key has one text */
      {"4,coulomb,3,cutoff=5.0,2,1", "found problem_config \"cutoff=5.0\"; expected values"},
      {"4,coulomb,3,cutoff=0,2,1", "found problem_config \"cutoff=0\""},
      {"4,coulomb,3,cutoff=1e-7,2,1", "found problem_config \"cutoff=1e-7\""},
      {"4,coulomb,3,switching=c2,2,1", "found problem_config \"switching=c2\""},
      {"4,coulomb,3,cutoff=5|6,2,1", "found problem_config \"cutoff=5|6\""},
      {"4,coulomb,3,\"switching=c2,cutoff=5\",2,1", "problem_config \"switching=c2,cutoff=5\""},
      {"4,coulomb,3,\"cutoff=5,cutoff=5\",2,1", "problem_config \"cutoff=5,cutoff=5\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_size size;
    if (read_row(cases[i].row, &size) != DCS_INPUT) fail_msg("%s was not refused", cases[i].row);
    if (!strstr(dcs_error_message(), cases[i].message) ||
        !strstr(dcs_error_message(), "plan.csv: row 3: "))
      fail_msg("\"%s\" lacks \"%s\"", dcs_error_message(), cases[i].message);
  }
}

/* Products of axes that no int64_t holds, and those just above the most. */
static void products_do_not_overflow(void **state) {
  (void)state;
  static const char *const rows[] = {
      "1,coulomb,3,,1048577,1048576", "2,coulomb,3,,1048576,1048576",
      "4294967296,coulomb,3,,4294967296,1", "65536,coulomb,3,,4294967296,65536",
      "1099511627776,coulomb,1099511627776,,1099511627776,1099511627776"};
  dcs_size size;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (read_row(rows[i], &size) != DCS_INPUT) fail_msg("%s was not refused", rows[i]);
    assert_non_null(strstr(dcs_error_message(), "plan.csv: row 3: found nx \""));
    assert_non_null(strstr(dcs_error_message(), "2^40 points"));
  }
  assert_int_equal(read_row("1,coulomb,1099511627776,,1048576,1048576", &size), DCS_OK);
  assert_true(dcs_along(&size, 0) == 0x1p40 && dcs_along(&size, 1) == 0x1p40);
}

static void a_missing_column_is_named(void **state) {
  (void)state;
  for (int missing = 0; missing < DCS_SIZE_COLUMNS; missing++) {
    char text[256] = "note", said[64];
    dcs_table *table;
    dcs_size_at at;
    for (int c = 0; c < DCS_SIZE_COLUMNS; c++)
      if (c != missing) strcat(strcat(text, ","), dcs_size_columns[c]);
    strcat(text, "\r\n");
    assert_int_equal(dcs_table_parse("old.csv", text, strlen(text), &table), DCS_OK);
    assert_int_equal(dcs_size_find(table, &at), DCS_INPUT);
    snprintf(said, sizeof said, "old.csv: found no column \"%s\"", dcs_size_columns[missing]);
    assert_non_null(strstr(dcs_error_message(), said));
    dcs_table_free(table);
  }
}

/* ---- comparing ---- */

/* By grid, atoms, then by the values of the parameters. */
static void sizes_have_an_order(void **state) {
  (void)state;
  enum { NONE = DCS_SWITCHING_NONE, C2 = DCS_SWITCHING_C2 };
  const dcs_size sizes[] = {size_of(9, C2, 5000, 8, 8, 8),  /* the grid counts before all */
                            size_of(0, NONE, 10, 8, 8, 16), /* its last axis */
                            size_of(0, NONE, 10, 8, 16, 8),   size_of(0, NONE, 9, 16, 8, 8),
                            size_of(2.5, NONE, 9, 16, 8, 8),  size_of(2.5, C2, 9, 16, 8, 8),
                            size_of(10, NONE, 9, 16, 8, 8), /* as numbers, not as texts */
                            size_of(0, NONE, 100, 16, 8, 8),  size_of(0, NONE, most - 1, 16, 8, 8),
                            size_of(0, NONE, most, 16, 8, 8), size_of(0, NONE, 1, 100, 1, 1)};
  const int n = sizeof sizes / sizeof sizes[0];
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      int order = dcs_compare_sizes(&sizes[a], &sizes[b]);
      if ((order > 0) - (order < 0) != (a > b) - (a < b)) fail_msg("%d and %d: %d", a, b, order);
      assert_int_equal(dcs_same_size(&sizes[a], &sizes[b]), a == b);
    }
}

/* The smallest size of one kind comes after the largest of a kind with an earlier name. */
static void kinds_come_first(void **state) {
  (void)state;
  for (int a = 0; a < dcs_n_kinds; a++)
    for (int b = 0; b < dcs_n_kinds; b++) {
      const dcs_kind *first = dcs_kinds[a], *second = dcs_kinds[b];
      dcs_size large = {first, dcs_initial_problem(first), {most, most, 1, 1}};
      dcs_size small = {second, dcs_initial_problem(second), {1, 1, 1, 1}};
      if (strcmp(first->id, second->id) >= 0) continue;
      assert_true(dcs_compare_sizes(&large, &small) < 0);
      assert_true(dcs_compare_sizes(&small, &large) > 0);
      memcpy(small.axes, large.axes, sizeof small.axes);
      assert_false(dcs_same_size(&large, &small) || dcs_same_axes(&large, &small));
      assert_false(dcs_same_along(&large, &small, 0));
    }
}

static void sizes_agree_in_dimensions(void **state) {
  (void)state;
  const dcs_size a = size_of(0, DCS_SWITCHING_NONE, 4000, 256, 128, 4),
                 b = size_of(12, DCS_SWITCHING_NONE, 4000, 256, 128, 4),
                 c = size_of(0, DCS_SWITCHING_NONE, 4000, 128, 256, 4),
                 d = size_of(0, DCS_SWITCHING_NONE, 40, 256, 128, 4);
  char text[64];
  assert_true(dcs_same_axes(&a, &b) && !dcs_same_size(&a, &b));
  assert_true(dcs_same_along(&a, &c, 0) && !dcs_same_along(&a, &c, 1)); /* as many points */
  assert_true(!dcs_same_along(&a, &d, 0) && dcs_same_along(&a, &d, 1));
  assert_false(dcs_same_axes(&a, &c) || dcs_same_axes(&a, &d));
  assert_true(dcs_along(&a, 0) == 4000 && dcs_along(&a, 1) == 131072);
  const dcs_size alone = {.kind = dcs_find_kind("born"), .axes = {70}};
  assert_true(dcs_along(&alone, 0) == 70 && isnan(dcs_along(&alone, 1)));
  assert_string_equal(dcs_dimension_text(&a, 0, text), "4000");
  assert_string_equal(dcs_dimension_text(&a, 1, text), "256x128x4");
  const dcs_dims n = dcs_size_points(&a);
  assert_true(n.x == 256 && n.y == 128 && n.z == 4);
}

/* ---- texts ---- */

static void sizes_as_texts(void **state) {
  (void)state;
  const dcs_size direct = size_of(0, DCS_SWITCHING_NONE, 4000, 256, 256, 4),
                 cut = size_of(2.5, DCS_SWITCHING_C2, 4000, 256, 256, 4);
  char text[DCS_TEXT];
  assert_string_equal(dcs_size_text(&direct, text), "4000 atoms, 256x256x4");
  assert_string_equal(dcs_size_text(&cut, text), "4000 atoms, 256x256x4, cutoff=2.5,switching=c2");
  assert_string_equal(dcs_size_options(&direct, text), "--atoms 4000 --grid 256x256x4");
  assert_string_equal(dcs_size_options(&cut, text),
                      "--atoms 4000 --grid 256x256x4 --cutoff 2.5 --switching c2");
}

/* The key of a case is that of its input and of the problem posed last. */
static void a_case_has_its_size(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 1, .q = 1}, {.x = 2}, {.x = 3, .q = 2}};
  const dcs_grid grid = {.n = {6, 5, 4}, .spacing = 1, .has_origin = true};
  const dcs_size direct = size_of(0, DCS_SWITCHING_NONE, 3, 6, 5, 4),
                 cut = size_of(2, DCS_SWITCHING_C2, 3, 6, 5, 4);
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){sites, 3}, &grid, &c),
                   DCS_OK);
  dcs_size size = dcs_case_size(&c);
  assert_true(dcs_same_size(&size, &direct)); /* the atom without charge counts */
  dcs_case_pose(&c, &cut.config);
  size = dcs_case_size(&c);
  assert_true(dcs_same_size(&size, &cut));
  dcs_case_free(&c);
}

/* ---- estimates ---- */

/* Atoms times points; within a cutoff, what random atoms have: in a cube of two cutoffs and more
 * to 5%, and a percent for their number; beyond the box, all. */
static void estimates_are_those_of_random_atoms(void **state) {
  (void)state;
  static const double cutoffs[] = {3, 6, 9};
  dcs_size size = size_of(0, DCS_SWITCHING_NONE, 4000, 41, 41, 41);
  const double all = 4000.0 * 41 * 41 * 41;
  const dcs_grid grid = {.n = {41, 41, 41}, .spacing = 0.5};
  dcs_case c;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 4000, &grid, 8, &c), DCS_OK);
  assert_true(dcs_estimate(&size, 0.5, NULL) == all);
  assert_true(c.kind->work(&c, false) == all);
  for (int i = 0; i < 3; i++) {
    pose_within(&c, cutoffs[i], DCS_SWITCHING_C2);
    size.config = c.problem.config;
    double counted = c.kind->work(&c, false), estimate = dcs_estimate(&size, 0.5, NULL);
    if (!(fabs(estimate / counted - 1) < 0.06))
      fail_msg("cutoff %g: estimated %g, counted %g", cutoffs[i], estimate, counted);
  }
  size.config = within(1000, DCS_SWITCHING_NONE);
  assert_true(fabs(dcs_estimate(&size, 0.5, NULL) / all - 1) < 1e-12);
  dcs_case_free(&c);
}

/* Where points of a tile share what they take, more is done; of one point, the same. */
static void tiles_take_more(void **state) {
  (void)state;
  const dcs_size size = size_of(3, DCS_SWITCHING_NONE, 4000, 41, 41, 41);
  static const int64_t one[3] = {1, 1, 1}, flat[3] = {8, 8, 1}, cube[3] = {8, 8, 8};
  double least = dcs_estimate(&size, 0.5, NULL);
  assert_true(dcs_estimate(&size, 0.5, one) == least);
  assert_true(dcs_estimate(&size, 0.5, flat) > 2 * least);
  assert_true(dcs_estimate(&size, 0.5, cube) > dcs_estimate(&size, 0.5, flat));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_reads_back),
      cmocka_unit_test(columns_may_be_in_any_order),
      cmocka_unit_test(bad_rows_are_refused),
      cmocka_unit_test(products_do_not_overflow),
      cmocka_unit_test(a_missing_column_is_named),
      cmocka_unit_test(sizes_have_an_order),
      cmocka_unit_test(kinds_come_first),
      cmocka_unit_test(sizes_agree_in_dimensions),
      cmocka_unit_test(sizes_as_texts),
      cmocka_unit_test(a_case_has_its_size),
      cmocka_unit_test(estimates_are_those_of_random_atoms),
      cmocka_unit_test(tiles_take_more),
  };
  return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
