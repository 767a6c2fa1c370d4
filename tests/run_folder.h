/* Looking into the folder of a run. Include after tests/program.h. */
#ifndef DCS_TEST_RUN_FOLDER_H
#define DCS_TEST_RUN_FOLDER_H

#include "harness/files/csv.h"
#include "tests/program.h"

#include <math.h>

/* A table of a run in the test's folder; it must be whole. The caller frees it. */
static inline dcs_table *run_table(const char *run, const char *name) {
  char path[PATH_MAX];
  dcs_table *table;
  snprintf(path, sizeof path, "%s/%s", in_folder(run), name);
  if (dcs_table_read(path, &table) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_false(dcs_table_torn(table));
  return table;
}

static inline char *run_file(const char *run, const char *name, size_t *bytes) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", in_folder(run), name);
  return get_file(path, bytes);
}

static inline const char *text_at(const dcs_table *table, size_t row, const char *column) {
  int index = dcs_table_column(table, column);
  if (index < 0) fail_msg("%s lacks column %s", dcs_table_path(table), column);
  return dcs_table_cell(table, row, index);
}

static inline double number_at(const dcs_table *table, size_t row, const char *column) {
  (void)text_at(table, row, column);
  return dcs_table_number(table, row, dcs_table_column(table, column));
}

/* Whether a row of the samples and one of the summary are of the same method and cell. */
static inline int same_method(const dcs_table *a, size_t i, const dcs_table *b, size_t j) {
  static const char *const keys[] = {"variant", "config",         "scope", "memory", "devices",
                                     "problem", "problem_config", "atoms", "nx",     "ny",
                                     "nz"};
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (strcmp(text_at(a, i, keys[k]), text_at(b, j, keys[k])) != 0) return 0;
  return 1;
}

static inline int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The times of a row of the summary, from the samples, sorted; returns how many. Their rounds must
 * follow each other. */
static inline int times_of(const dcs_table *samples, const dcs_table *summary, size_t row,
                           double *times, int most) {
  int n = 0;
  double round = -1;
  for (size_t s = 0; s < dcs_table_rows(samples); s++) {
    if (!same_method(samples, s, summary, row)) continue;
    assert_true(n < most);
    assert_true(number_at(samples, s, "round") > round);
    round = number_at(samples, s, "round");
    times[n++] = number_at(samples, s, "time_ns");
  }
  qsort(times, (size_t)n, sizeof *times, ascending);
  return n;
}

static inline void assert_close(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

enum { MOST_TIMES = 4096 };

/* Every row of the summary is ok, has `rounds` samples numbered from 0 (0: any number), and the
 * median of them; every sample has its row; no number or row comes twice. */
static inline void check_run(const char *run, size_t rows, int rounds) {
  static double times[MOST_TIMES];
  dcs_table *samples = run_table(run, "samples.csv"), *summary = run_table(run, "summary.csv");
  size_t counted = 0, n_samples = dcs_table_rows(samples);
  assert_int_equal(dcs_table_rows(summary), rows);
  for (size_t row = 0; row < rows; row++) {
    assert_string_equal(text_at(summary, row, "outcome"), "ok");
    int n = times_of(samples, summary, row, times, MOST_TIMES);
    assert_true(n > 0);
    if (rounds > 0) assert_int_equal(n, rounds);
    assert_true(number_at(summary, row, "n") == n);
    assert_close(number_at(summary, row, "median_ns"),
                 n % 2 ? times[n / 2] : 0.5 * (times[n / 2 - 1] + times[n / 2]));
    assert_close(number_at(summary, row, "min_ns"), times[0]);
    for (size_t other = 0; other < row; other++)
      assert_false(same_method(summary, row, summary, other));
    counted += (size_t)n;
  }
  assert_int_equal(counted, n_samples);
  char *seen = calloc(2 * n_samples + 2, 1);
  for (size_t s = 0; s < n_samples; s++) {
    double seq = number_at(samples, s, "seq");
    assert_true(seq >= 0 && seq < (double)(2 * n_samples + 2));
    assert_false(seen[(size_t)seq]++);
  }
  free(seen);
  dcs_table_free(samples);
  dcs_table_free(summary);
}

#endif
