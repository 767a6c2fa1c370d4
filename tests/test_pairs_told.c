/* What tests/pairs.awk tells of comparisons: what is promised is judged, the rest is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/compare/spread.h"
#include "tests/run_folder.h"
#include "tests/shell.h"

#define SHIPPED "results/reference/nvidia-h200/pairs.csv"

/* Sequential comparisons err in it, and a planted 5% is often not found: neither is promised. */
static void the_shipped_run_keeps_what_is_promised(void **state) {
  (void)state;
  assert_int_equal(run("awk -f tests/pairs.awk " SHIPPED), 0);
  assert_contains(said,
                  "holds     turns: 0 of 20 runs have a SLOWER or FASTER, promised are at most "
                  "5% (with 95% at most 14%)");
  assert_contains(said, " sequential: 7 of 20 runs end with status 1");
  assert_contains(said, " planted (5.4% in the mean): 219 of 240 sizes found");
  assert_contains(said, " planted: 96 of 96 sizes found whose interval");
}

/* ---- with what sizes have in common ---- */

enum { SIZES = 3, METHODS = 8, ROWS = SIZES * METHODS, PAIRS = 20 };

static dcs_ratio ratio_at(const dcs_table *t, size_t row) {
  return (dcs_ratio){9, 9, number_at(t, row, "ratio"), number_at(t, row, "ratio_lo"),
                     number_at(t, row, "ratio_hi")};
}

/* A comparison's rows of each size, whose rows stand in three lists by atoms. */
static double pace_of(const dcs_table *t, const size_t rows[ROWS]) {
  static const double atoms[SIZES] = {100, 200, 400};
  double medians[SIZES];
  for (int s = 0; s < SIZES; s++) {
    double ratios[METHODS];
    size_t n = 0;
    for (int r = 0; r < ROWS; r++)
      if (number_at(t, rows[r], "atoms") == atoms[s]) ratios[n++] = ratio_at(t, rows[r]).value;
    assert_int_equal(n, METHODS);
    medians[s] = log(dcs_median_of(ratios, n));
  }
  return dcs_spread_of_sizes(medians, SIZES);
}

/* The shipped intervals of sessions are of before: with today's, 2 and 7 of 480 change sides. */
static void the_pace_of_sizes_is_not_a_change(void **state) {
  (void)state;
  dcs_table *t;
  int changes[DCS_N_CHANGES] = {0}, runs_slower = 0;
  assert_int_equal(dcs_table_read(SHIPPED, &t), DCS_OK);
  for (int pair = 1; pair <= PAIRS; pair++) {
    size_t rows[ROWS], n = 0;
    bool slower = false;
    for (size_t row = 0; row < dcs_table_rows(t); row++)
      if (number_at(t, row, "pair") == pair && strcmp(text_at(t, row, "how"), "sequential") == 0 &&
          n < ROWS)
        rows[n++] = row;
    assert_int_equal(n, ROWS);
    const double pace = pace_of(t, rows);
    for (int r = 0; r < ROWS; r++) {
      dcs_ratio ratio = ratio_at(t, rows[r]);
      dcs_spread_widen(pace, &ratio);
      const dcs_change change = dcs_change_of_ratio(&ratio);
      changes[change]++;
      slower = slower || change == DCS_CHANGE_SLOWER;
    }
    runs_slower += slower;
  }
  dcs_table_free(t);
  char told[128];
  snprintf(told, sizeof told, "with it %d and %d of the %d are, and %d of the %d have status 1",
           changes[DCS_CHANGE_SLOWER], changes[DCS_CHANGE_FASTER], PAIRS * ROWS, runs_slower,
           PAIRS);
  char *page = get_file("results/deciding.md", NULL);
  assert_contains(page, told);
  free(page);
}

/* Of 20 runs with 5% each 4 have a chance of 1.6%, 3 one of 7.5%. */
static void more_than_chance_brings_is_not_so(void **state) {
  (void)state;
  static const char planted[] =
      "awk -F, -v OFS=, '$3 == \"turns\" && $1 <= %d { $NF = \"FASTER\" } "
      "1' " SHIPPED " | awk -f tests/pairs.awk";
  assert_int_equal(run(planted, 3), 0);
  assert_contains(said, "holds     turns: 3 of 20 runs");
  assert_int_equal(run(planted, 4), 1);
  assert_contains(said, "NOT SO    turns: 4 of 20 runs");
}

/* Or else `make pairs` could not plant its 5%. */
static void the_line_that_is_slowed_is_there(void **state) {
  (void)state;
  assert_int_equal(run("grep -Fxc \"$(sed -n \"s/^  line='\\(.*\\)'$/\\1/p\" tests/pairs.sh)\" "
                       "harness/engine/engine_cpu.c"),
                   0);
  assert_string_equal(said, "1\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shipped_run_keeps_what_is_promised),
      cmocka_unit_test(the_pace_of_sizes_is_not_a_change),
      cmocka_unit_test(the_line_that_is_slowed_is_there),
      cmocka_unit_test(more_than_chance_brings_is_not_so),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
