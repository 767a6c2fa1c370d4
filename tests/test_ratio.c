/* The ratio of two samples: values by hand, ranks by the Mann-Whitney tables, and by simulation how
 * often the interval holds the truth and how often a verdict is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <string.h>

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-14 * expected))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

static void assert_ratio(dcs_ratio ratio, double value, double lo, double hi) {
  assert_near(ratio.value, value);
  assert_near(ratio.lo, lo);
  assert_near(ratio.hi, hi);
}

/* ---- by hand ---- */

static void few_values_have_a_ratio_and_no_interval(void **state) {
  (void)state;
  static const double a[] = {2, 4, 5, 6, 7, 9}, b[] = {6, 8, 9, 10, 11, 12};
  dcs_ratio none = dcs_ratio_of_times(a, 0, b, 6);
  assert_true(isnan(none.value) && isnan(none.lo) && isnan(none.hi));
  assert_true(none.n_a == 0 && none.n_b == 6);
  assert_true(isnan(dcs_ratio_of_times(a, 6, b, 0).value));

  assert_near(dcs_ratio_of_times(a, 1, b, 1).value, 3);
  /* 6/2 8/2 6/4 8/4, sorted 1.5 2 3 4: the root of the product of the two in the middle. */
  assert_near(dcs_ratio_of_times(a, 2, b, 2).value, sqrt(6));
  /* 3 4 4.5, 1.5 2 2.25, 1.2 1.6 1.8: sorted 1.2 1.5 1.6 1.8 2 2.25 3 4 4.5. */
  assert_near(dcs_ratio_of_times(a, 3, b, 3).value, 2);
  for (size_t n = 1; n <= 6; n++) {
    dcs_ratio ratio = dcs_ratio_of_times(a, n, b, 11 - n < 6 ? 11 - n : 6);
    assert_int_equal(isnan(ratio.lo) && isnan(ratio.hi), n < 6 || 11 - n < 6);
    assert_int_equal(dcs_change_of_ratio(&ratio), DCS_CHANGE_UNSURE);
  }
  assert_false(isnan(dcs_ratio_of_times(a, 6, b, 6).lo));
}

/* Times a such that the ratios 1/a[i] * b[j] are 2^(6j - i) with i, j = 0..5: the k-th smallest is
 * 2^(k - 6), so a result is its own rank. The table has U = 5 at 6 and 6: ranks 6 and 31. */
static void the_interval_has_the_tables_ranks_at_6_and_6(void **state) {
  (void)state;
  double a[6], b[6];
  for (int i = 0; i < 6; i++) {
    a[i] = exp2(i);
    b[i] = exp2(6 * i);
  }
  assert_ratio(dcs_ratio_of_times(a, 6, b, 6), exp2(12.5), exp2(6 - 6), exp2(31 - 6));
  assert_ratio(dcs_ratio_of_times(b, 6, a, 6), exp2(-12.5), exp2(6 - 31), 1);
}

/* The same with a factor near 1. `critical` is the largest U that is significant at 5%, two-sided,
 * as the tables of Mann and Whitney's test print it; the interval begins at the rank after it. */
static void the_interval_has_the_tables_ranks(void **state) {
  (void)state;
  static const struct {
    size_t n_a, n_b, critical;
  } table[] = {{6, 7, 6},   {6, 8, 8},    {6, 9, 10},   {7, 7, 8},    {8, 8, 13},   {9, 9, 17},
               {9, 15, 34}, {10, 10, 23}, {10, 15, 39}, {15, 15, 64}, {15, 20, 90}, {20, 20, 127}};
  for (size_t t = 0; t < sizeof table / sizeof table[0]; t++)
    for (int turn = 0; turn < 2; turn++) {
      double a[20], b[20], step = log(1.001);
      size_t n_a = turn ? table[t].n_b : table[t].n_a, n_b = turn ? table[t].n_a : table[t].n_b;
      for (size_t i = 0; i < n_a; i++)
        a[i] = exp(step * (double)i);
      for (size_t j = 0; j < n_b; j++)
        b[j] = exp(step * (double)(n_a * (j + 1)));
      dcs_ratio ratio = dcs_ratio_of_times(a, n_a, b, n_b);
      assert_int_equal(lround(log(ratio.lo) / step), table[t].critical + 1);
      assert_int_equal(lround(log(ratio.hi) / step), n_a * n_b - table[t].critical);
    }
}

/* 33 and 33 values are the most that are counted exactly (U = 391), 50 and 50 are not; there the
 * approximation has the exact rank (965), computed apart. */
static void many_values(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{33, 391}, {50, 965}};
  for (size_t s = 0; s < 2; s++) {
    double a[50], b[50], step = log(1.0001);
    size_t n = sizes[s][0];
    for (size_t i = 0; i < n; i++) {
      a[i] = exp(step * (double)i);
      b[i] = exp(step * (double)(n * (i + 1)));
    }
    dcs_ratio ratio = dcs_ratio_of_times(a, n, b, n);
    assert_int_equal(lround(log(ratio.lo) / step), sizes[s][1] + 1);
    assert_int_equal(lround(log(ratio.hi) / step), n * n - sizes[s][1]);
  }
}

static void ties_and_equal_samples(void **state) {
  (void)state;
  static const double seven[] = {7, 7, 7, 7, 7, 7}, eight[] = {8, 8, 8, 8, 8, 8};
  static const double mixed[] = {7, 7, 7, 7, 8, 8};
  assert_ratio(dcs_ratio_of_times(seven, 6, seven, 6), 1, 1, 1);
  assert_ratio(dcs_ratio_of_times(seven, 6, eight, 6), 8.0 / 7, 8.0 / 7, 8.0 / 7);
  /* 24 ratios of 1 and 12 of 8/7; 6 of each column: ranks 6 and 31. */
  assert_ratio(dcs_ratio_of_times(seven, 6, mixed, 6), 1, 1, 8.0 / 7);
}

/* Of 1,600 ratios ranks 596 and 1005 without inflation, of 800 ranks 275 and 526. */
static void series_have_wider_intervals(void **state) {
  (void)state;
  static const double seven[] = {7, 7, 7, 7, 7, 7};
  double a[40], b[40], c[20];
  for (int i = 0; i < 40; i++) {
    a[i] = 100 + i;
    b[i] = 130 + 2 * i;
    if (i < 20) c[i] = 130 + 2 * (i * 11 % 40);
  }
  dcs_sort_values(c, 20);
  assert_ratio(dcs_ratio_of_series(a, 40, 1, b, 40, 1), sqrt(2), 1.328, 1.5);
  assert_ratio(dcs_ratio_of_series(a, 40, 2, b, 40, 3), sqrt(2), 32.0 / 27, 5.0 / 3); /* 279 */
  const dcs_ratio uneven = dcs_ratio_of_series(a, 40, 2, c, 20, 1);                   /* 223 */
  assert_ratio(uneven, 1.3929693594489565, 46.0 / 37, 14.0 / 9);
  const dcs_ratio equal = dcs_ratio_of_series(seven, 6, 1, seven, 6, 1);
  assert_true(equal.value == 1);
  assert_float_equal(equal.lo, 0.99577528, 1e-8);
  assert_float_equal(equal.hi, 1.00424264, 1e-8);
}

static void one_slow_sample_hardly_matters(void **state) {
  (void)state;
  double a[] = {100, 101, 102, 103, 104, 105, 106, 107, 108};
  double b[] = {100, 101, 102, 103, 104, 105, 106, 107, 1e6};
  dcs_ratio ratio = dcs_ratio_of_times(a, 9, b, 9);
  assert_true(ratio.value > 0.995 && ratio.value < 1.005);
  assert_true(ratio.lo > 0.96 && ratio.hi < 1.04);
}

static void the_whole_interval_decides(void **state) {
  (void)state;
  static const struct {
    double lo, hi;
    dcs_change change;
  } table[] = {{1.021, 1.1, DCS_CHANGE_SLOWER}, {1.02, 1.1, DCS_CHANGE_UNSURE},
               {0.999, 1.019, DCS_CHANGE_SAME}, {0.981, 1.02, DCS_CHANGE_SAME},
               {0.98, 1.01, DCS_CHANGE_UNSURE}, {0.9, 0.98, DCS_CHANGE_FASTER},
               {0.9, 0.981, DCS_CHANGE_UNSURE}, {0.5, 2, DCS_CHANGE_UNSURE},
               {NAN, NAN, DCS_CHANGE_UNSURE}};
  for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
    dcs_ratio ratio = {9, 9, 1, table[t].lo, table[t].hi};
    assert_string_equal(dcs_change_name(dcs_change_of_ratio(&ratio)),
                        dcs_change_name(table[t].change));
  }
  assert_string_equal(dcs_change_name(DCS_CHANGE_SLOWER), "SLOWER");
}

/* ---- by simulation ---- */

/* Times as a machine gives them: lognormal scatter, now and then one that is up to half as long
 * again, and a slow drift from the first sample to the last. */
typedef struct {
  double median, scatter, outliers, drift;
} machine;

static void measure(dcs_random *random, machine m, double *times, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double u = 1 - dcs_random_unit(random), v = dcs_random_unit(random);
    times[i] = m.median * exp(m.scatter * sqrt(-2 * log(u)) * cos(2 * M_PI * v)) *
               (1 + m.drift * ((double)i / (double)(n - 1) - 0.5));
    if (dcs_random_unit(random) < m.outliers) times[i] *= 1.05 + 0.45 * dcs_random_unit(random);
  }
  dcs_summarize(times, n); /* sorts */
}

enum { MOST = 32 };

static dcs_ratio measure_both(dcs_random *random, machine a, machine b, size_t n) {
  double times_a[MOST], times_b[MOST];
  measure(random, a, times_a, n);
  measure(random, b, times_b, n);
  return dcs_ratio_of_times(times_a, n, times_b, n);
}

static void the_interval_covers_the_ratio(void **state) {
  (void)state;
  enum { TRIALS = 4000 };
  static const size_t sizes[] = {6, 9, 15};
  const machine a = {1e6, 0.015, 0.05, 0}, b = {1.3e6, 0.015, 0.05, 0};
  dcs_random random = {7};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    int covered = 0;
    for (int t = 0; t < TRIALS; t++) {
      dcs_ratio ratio = measure_both(&random, a, b, sizes[s]);
      covered += ratio.lo <= 1.3 && 1.3 <= ratio.hi;
    }
    print_message("n = %zu: coverage %.4f\n", sizes[s], (double)covered / TRIALS);
    assert_true(covered >= 0.95 * TRIALS - 3 * sqrt(0.05 * 0.95 * TRIALS));
    assert_true(covered <= 0.98 * TRIALS); /* and is not wider than it need be */
  }
}

enum { TRIALS = 400 };

/* How many of the trials end in each verdict. */
static void verdicts(machine a, machine b, size_t n, int count[DCS_N_CHANGES]) {
  dcs_random random = {n};
  memset(count, 0, DCS_N_CHANGES * sizeof *count);
  for (int t = 0; t < TRIALS; t++) {
    dcs_ratio ratio = measure_both(&random, a, b, n);
    count[dcs_change_of_ratio(&ratio)]++;
  }
}

static void a_planted_change_is_found(void **state) {
  (void)state;
  int count[DCS_N_CHANGES];
  for (int outliers = 0; outliers < 2; outliers++) {
    machine a = {1e6, 0.015, 0.05 * outliers, 0}, b = a;
    b.median = 1.05e6;
    verdicts(a, b, 15, count);
    assert_true(count[DCS_CHANGE_SLOWER] >= 0.95 * TRIALS);
    verdicts(b, a, 15, count);
    assert_true(count[DCS_CHANGE_FASTER] >= 0.95 * TRIALS);
    a.drift = b.drift = 0.01;
    verdicts(a, b, 15, count);
    assert_true(count[DCS_CHANGE_SLOWER] >= 0.95 * TRIALS);
  }
}

/* The same program twice, on quiet and on noisy machines, drifting, and on one that is 1% slower
 * the second time. */
static void what_did_not_change_is_not_called_different(void **state) {
  (void)state;
  static const size_t sizes[] = {6, 9, 15, 30};
  static const double scatter[] = {0.002, 0.015, 0.1, 0.5};
  for (size_t s = 0; s < 4; s++)
    for (size_t k = 0; k < 4; k++) {
      int count[DCS_N_CHANGES];
      machine a = {1e6, scatter[k], 0.05, 0.01}, b = a;
      verdicts(a, b, sizes[s], count);
      assert_true(count[DCS_CHANGE_SLOWER] + count[DCS_CHANGE_FASTER] <= 0.05 * TRIALS);
      b.median = 1.01e6;
      verdicts(a, b, sizes[s], count);
      assert_true(count[DCS_CHANGE_SLOWER] + count[DCS_CHANGE_FASTER] <= 0.05 * TRIALS);
      if (scatter[k] < 0.01 && sizes[s] >= 15) assert_true(count[DCS_CHANGE_SAME] >= 0.95 * TRIALS);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_values_have_a_ratio_and_no_interval),
      cmocka_unit_test(the_interval_has_the_tables_ranks_at_6_and_6),
      cmocka_unit_test(the_interval_has_the_tables_ranks),
      cmocka_unit_test(many_values),
      cmocka_unit_test(ties_and_equal_samples),
      cmocka_unit_test(series_have_wider_intervals),
      cmocka_unit_test(one_slow_sample_hardly_matters),
      cmocka_unit_test(the_whole_interval_decides),
      cmocka_unit_test(the_interval_covers_the_ratio),
      cmocka_unit_test(a_planted_change_is_found),
      cmocka_unit_test(what_did_not_change_is_not_called_different),
  };
  return cmocka_run_group_tests_name("ratio", tests, NULL, NULL);
}
