/* Order statistics: values by hand, ranks by the binomial table, coverage by simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/judge/stats.h"
#include "harness/rounds/rounds.h"

#include <math.h>
#include <string.h>

static dcs_stats summarize(const double *values, size_t n) {
  double copy[64];
  assert_true(n <= 64);
  memcpy(copy, values, n * sizeof *values);
  return dcs_summarize(copy, n);
}

static void nothing_is_unknown(void **state) {
  (void)state;
  double none[1] = {7};
  dcs_stats stats = dcs_summarize(none, 0);
  assert_int_equal(stats.n, 0);
  assert_true(isnan(stats.median) && isnan(stats.lo) && isnan(stats.hi));
  assert_true(isnan(stats.min) && isnan(stats.mad));
  dcs_sort_values(NULL, 0);
  assert_true(isnan(dcs_summarize(NULL, 0).median));
}

/* Wherever it stands; values that are NaN have no order. */
static void a_value_that_is_none_is_unknown(void **state) {
  (void)state;
  for (int at = 0; at < 7; at++) {
    double values[7] = {5, 3, 9, 1, 7, 2, 8};
    values[at] = NAN;
    dcs_stats s = dcs_summarize(values, 7);
    assert_int_equal(s.n, 7);
    assert_true(isnan(s.median) && isnan(s.lo) && isnan(s.hi) && isnan(s.min) && isnan(s.mad));
  }
}

static void one_and_two_values(void **state) {
  (void)state;
  dcs_stats one = summarize((const double[]){7}, 1);
  assert_int_equal(one.n, 1);
  assert_true(one.median == 7 && one.min == 7 && one.mad == 0);
  assert_true(isnan(one.lo) && isnan(one.hi));
  dcs_stats two = summarize((const double[]){9, 4}, 2);
  assert_int_equal(two.n, 2);
  assert_true(two.median == 6.5 && two.min == 4 && two.mad == 2.5);
  assert_true(isnan(two.lo) && isnan(two.hi));
}

/* Deviations from the median 3: 2 1 0 1 97, sorted 0 1 1 2 97. */
static void an_odd_count(void **state) {
  (void)state;
  dcs_stats stats = summarize((const double[]){2, 100, 1, 4, 3}, 5);
  assert_int_equal(stats.n, 5);
  assert_true(stats.median == 3 && stats.min == 1 && stats.mad == 1);
  assert_true(isnan(stats.lo) && isnan(stats.hi));
}

/* Sorted 1 2 4 7 11 16: median 5.5; deviations 4.5 3.5 1.5 1.5 5.5 10.5, their middle 3.5 and 4.5.
 */
static void an_even_count(void **state) {
  (void)state;
  dcs_stats stats = summarize((const double[]){16, 1, 7, 2, 11, 4}, 6);
  assert_int_equal(stats.n, 6);
  assert_true(stats.median == 5.5 && stats.min == 1 && stats.mad == 4);
  assert_true(stats.lo == 1 && stats.hi == 16);
}

/* All deviations on one side: values equal to the median, then far ones. */
static void deviations_with_ties(void **state) {
  (void)state;
  dcs_stats above = summarize((const double[]){5, 5, 5, 5, 8, 9, 9}, 7);
  assert_true(above.median == 5 && above.mad == 0);
  dcs_stats below = summarize((const double[]){1, 2, 3, 6, 6, 6}, 6);
  assert_true(below.median == 4.5); /* deviations 1.5 1.5 1.5 1.5 2.5 3.5 */
  assert_true(below.mad == 1.5);
  dcs_stats same = summarize((const double[]){2, 2, 2, 2}, 4);
  assert_true(same.median == 2 && same.mad == 0 && same.min == 2);
}

/* As of the sorted values, with and without ties; values[n] is not looked at. */
static void a_median_needs_no_order(void **state) {
  (void)state;
  dcs_random random = {3};
  assert_true(isnan(dcs_median_of((double[]){7}, 0)));
  assert_true(dcs_median_of((double[]){2, 100, 1, 4, 3}, 5) == 3);
  assert_true(dcs_median_of((double[]){16, 1, 7, 2, 11, 4}, 6) == 5.5);
  for (size_t n = 1; n <= 40; n++)
    for (int trial = 0; trial < 50; trial++) {
      double sorted[41], values[41];
      for (size_t i = 0; i < n; i++)
        sorted[i] = values[i] = trial % 2 ? (double)dcs_random_below(&random, 5)
                                          : (double)dcs_random_below(&random, 1000000);
      sorted[n] = values[n] = -1;
      dcs_sort_values(sorted, n);
      assert_true(dcs_median_of(values, n) == dcs_median_of_sorted(sorted, n));
      dcs_sort_values(values, n); /* none was lost */
      assert_memory_equal(values, sorted, sizeof(double) * (n + 1));
    }
}

static void the_input_is_sorted_in_place(void **state) {
  (void)state;
  double values[] = {5, -1, 3, 3, 0};
  const double sorted[] = {-1, 0, 3, 3, 5};
  dcs_summarize(values, 5);
  assert_memory_equal(values, sorted, sizeof sorted);
}

/* The n values are 1..n, typed in a shuffled order, so that a value is its own rank. */
static dcs_stats of_ranks(size_t n) {
  static double values[1000];
  for (size_t i = 0; i < n; i++)
    values[i] = (double)(i + 1);
  dcs_random random = {n};
  for (size_t i = n - 1; i > 0; i--) {
    size_t j = (size_t)dcs_random_below(&random, (int64_t)(i + 1));
    double kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  }
  return dcs_summarize(values, n);
}

/* The sign test's ranks at 5%, two-sided, as tables of nonparametric statistics print them. */
static void the_interval_has_the_tables_ranks(void **state) {
  (void)state;
  static const struct {
    size_t n;
    double lo, hi;
  } table[] = {{6, 1, 6},    {7, 1, 7},    {8, 1, 8},    {9, 2, 8},   {10, 2, 9},
               {11, 2, 10},  {12, 3, 10},  {15, 4, 12},  {20, 6, 15}, {25, 8, 18},
               {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
  for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
    dcs_stats stats = of_ranks(table[t].n);
    if (stats.lo != table[t].lo || stats.hi != table[t].hi)
      fail_msg("n = %zu: ranks %g..%g, expected %g..%g", table[t].n, stats.lo, stats.hi,
               table[t].lo, table[t].hi);
    assert_true(stats.median == 0.5 * (double)(table[t].n + 1));
  }
  for (size_t n = 1; n <= 5; n++)
    assert_true(isnan(of_ranks(n).lo) && isnan(of_ranks(n).hi));
}

/* Near the normal approximation, where the first binomial terms underflow nothing yet. */
static void many_values(void **state) {
  (void)state;
  dcs_stats stats = of_ranks(1000);
  assert_true(stats.lo == 469 && stats.hi == 532);
  assert_true(stats.median == 500.5 && stats.mad == 250);
}

static double lognormal(dcs_random *random) {
  double u = 1 - dcs_random_unit(random), v = dcs_random_unit(random);
  return exp(0.5 * sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}

/* Whether `samples` samples of a lognormal with median 1 hold it in their interval as often as the
 * binomial says: 1 - 2 * 576 / 32768 at 15 values. */
static void the_interval_covers_the_median(void **state) {
  (void)state;
  enum { SAMPLES = 4000, SIZE = 15 };
  dcs_random random = {42};
  int covered = 0;
  for (int s = 0; s < SAMPLES; s++) {
    double values[SIZE];
    for (int i = 0; i < SIZE; i++)
      values[i] = lognormal(&random);
    dcs_stats stats = dcs_summarize(values, SIZE);
    covered += stats.lo <= 1 && 1 <= stats.hi;
  }
  double share = (double)covered / SAMPLES;
  print_message("coverage %.4f\n", share);
  assert_true(share >= 0.95 - 0.01);
  assert_true(fabs(share - (1 - 2 * 576.0 / 32768)) < 0.01);
}

/* Fifteen values that change sides at each step have s = 0 at most: ranks 4 and 12 as of
 * independent ones. In ascending order s is 0.65, and 15 values are worth 3: all of them are
 * within. */
static void a_series_tells_less_than_its_number(void **state) {
  (void)state;
  double up[15], sides[15], room[15];
  for (int i = 0; i < 15; i++) {
    up[i] = i + 1;
    sides[i] = i % 2 ? 9 + i / 2 : 1 + i / 2; /* 1 9 2 10 ... 15 8 */
  }
  dcs_stats stats = dcs_summarize_series(sides, 15, room);
  assert_true(stats.median == 8 && stats.lo == 4 && stats.hi == 12 && room[14] == 15);
  assert_true(sides[1] == 9);
  stats = dcs_summarize_series(up, 15, room);
  assert_true(stats.median == 8 && stats.lo == 1 && stats.hi == 15);
  assert_true(isnan(dcs_summarize_series(up, 5, room).lo));
  assert_true(isnan(dcs_summarize_series(up, 0, room).median));
}

/* Neighbours are not alike (the lag-1 correlation of their sides is below 0), but the second half
 * took longer: eight batch means widen the interval to 1100 and 1160, where 1114 and 1146 would be
 * enough for 200 independent values. */
static void what_outlasts_neighbours_widens(void **state) {
  (void)state;
  double times[200], room[200];
  for (int i = 0; i < 200; i++)
    times[i] = 1000 + i * 77 % 200 + (i < 100 ? 0 : 60);
  dcs_stats stats = dcs_summarize_series(times, 200, room);
  assert_true(stats.median == 1130 && stats.lo == 1100 && stats.hi == 1160);
  assert_float_equal(stats.inflation, 2.13638, 1e-5);
}

/* Ranks 4 and 12 of these would be 1000.06 and 1000.57. */
static void no_end_is_nearer_than_the_pace_of_a_machine(void **state) {
  (void)state;
  double times[15], room[15];
  for (int i = 0; i < 15; i++)
    times[i] = 1000 + i % 2 * 0.5 + 0.01 * i;
  dcs_stats stats = dcs_summarize_series(times, 15, room);
  assert_float_equal(stats.median, 1000.14, 1e-9);
  assert_float_equal(stats.lo, 997.13958, 1e-6);
  assert_float_equal(stats.hi, 1003.14042, 1e-6);
}

/* The share of sessions whose interval holds the median of an autoregressive series with a share of
 * independent noise in its variance. The scatter is far above DCS_PACE: ranks decide. */
static double series_coverage(double lag_1, double noise, int n, uint64_t seed) {
  enum { SESSIONS = 3000 };
  dcs_random random = {seed};
  int covered = 0;
  for (int s = 0; s < SESSIONS; s++) {
    double times[200], room[200], log_time = 2 * log(lognormal(&random));
    for (int i = 0; i < n; i++) {
      log_time = lag_1 * log_time + sqrt(1 - lag_1 * lag_1) * 2 * log(lognormal(&random));
      times[i] = exp(0.1 * sqrt(1 - noise) * log_time);
      if (noise > 0) times[i] *= exp(0.1 * sqrt(noise) * 2 * log(lognormal(&random)));
    }
    dcs_stats stats = dcs_summarize_series(times, (size_t)n, room);
    covered += stats.lo <= 1 && 1 <= stats.hi;
  }
  return (double)covered / SESSIONS;
}

static void the_interval_heeds_autocorrelation(void **state) {
  (void)state;
  static const int sizes[] = {15, 30, 60, 200};
  static const struct { double lag_1, least; } rows[] = {{0, 0.97}, {0.37, 0.96}, {0.6, 0.93}};
  for (int r = 0; r < 3; r++)
    for (int s = 0; s < 4; s++) {
      const double share = series_coverage(rows[r].lag_1, 0, sizes[s], 7 + (uint64_t)s);
      print_message("lag-1 %.2f, %d samples: %.3f\n", rows[r].lag_1, sizes[s], share);
      assert_true(share >= rows[r].least);
    }
}

/* Neighbours have a correlation of 0.36 alone, but it falls by a tenth a sample: the lag-1
 * correlation would leave 77% of 200. */
static void the_interval_heeds_what_is_weak_and_lasts(void **state) {
  (void)state;
  const double share = series_coverage(0.9, 0.6, 200, 7);
  print_message("weak and lasting, 200 samples: %.3f\n", share);
  assert_true(share >= 0.88);
}

/* The share of sessions that end as a sweep's do, whose interval then holds the median. */
static double stopped_coverage(double lag_1, double scatter, uint64_t seed) {
  enum { SESSIONS = 2000 };
  const dcs_sampling sampling = dcs_sampling_of(0);
  dcs_random random = {seed};
  int covered = 0;
  for (int s = 0; s < SESSIONS; s++) {
    double times[200], room[200], log_time = 2 * log(lognormal(&random));
    for (int n = 1; n <= sampling.most; n++) {
      log_time = lag_1 * log_time + sqrt(1 - lag_1 * lag_1) * 2 * log(lognormal(&random));
      times[n - 1] = exp(scatter * log_time);
      if (n < sampling.most && !dcs_is_time_to_look(&sampling, (size_t)n)) continue;
      const dcs_stats stats = dcs_summarize_series(times, (size_t)n, room);
      const bool narrow = stats.hi - stats.median <= sampling.precision * stats.median &&
                          stats.median - stats.lo <= sampling.precision * stats.median;
      if (!narrow && n < sampling.most) continue;
      covered += stats.lo <= 1 && 1 <= stats.hi;
      break;
    }
  }
  return (double)covered / SESSIONS;
}

static void a_narrow_interval_that_ends_sampling_holds(void **state) {
  (void)state;
  static const double scatters[] = {0.01, 0.02, 0.03};
  static const struct { double lag_1, least; } rows[] = {{0, 0.95}, {0.37, 0.94}, {0.6, 0.90}};
  for (int r = 0; r < 3; r++)
    for (int s = 0; s < 3; s++) {
      const double share = stopped_coverage(rows[r].lag_1, scatters[s], 5);
      print_message("stopped, lag-1 %.2f, scatter %.2f: %.3f\n", rows[r].lag_1, scatters[s], share);
      assert_true(share >= rows[r].least);
    }
}

/* Median 10, deviations 0, 1, 1, 1, 2: beyond 3.5 / 0.6745 = 5.19 from the median is far. */
static void far_values_are_outliers(void **state) {
  (void)state;
  double near[] = {9, 10, 11, 11, 12, 15, 4.9, 5.1}, equal[] = {5, 5, 5, 5, 9};
  double values[5] = {9, 10, 11, 9, 12};
  dcs_stats stats = dcs_summarize(values, 5);
  assert_true(stats.median == 10 && stats.mad == 1);
  stats.n = 8;
  assert_int_equal(dcs_outliers((double[]){9, 10, 11, 15.1, 4.9, 15.2, 4.8, 1000}, &stats), 3);
  assert_int_equal(dcs_outliers(near, &stats), 0);
  stats = dcs_summarize(equal, 5);
  assert_true(stats.mad == 0);
  assert_int_equal(dcs_outliers(equal, &stats), 0);
  stats = dcs_summarize(equal, 0);
  assert_int_equal(dcs_outliers(equal, &stats), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_unknown),
      cmocka_unit_test(a_value_that_is_none_is_unknown),
      cmocka_unit_test(one_and_two_values),
      cmocka_unit_test(an_odd_count),
      cmocka_unit_test(an_even_count),
      cmocka_unit_test(deviations_with_ties),
      cmocka_unit_test(a_median_needs_no_order),
      cmocka_unit_test(the_input_is_sorted_in_place),
      cmocka_unit_test(far_values_are_outliers),
      cmocka_unit_test(the_interval_has_the_tables_ranks),
      cmocka_unit_test(many_values),
      cmocka_unit_test(the_interval_covers_the_median),
      cmocka_unit_test(a_series_tells_less_than_its_number),
      cmocka_unit_test(what_outlasts_neighbours_widens),
      cmocka_unit_test(no_end_is_nearer_than_the_pace_of_a_machine),
      cmocka_unit_test(the_interval_heeds_autocorrelation),
      cmocka_unit_test(the_interval_heeds_what_is_weak_and_lasts),
      cmocka_unit_test(a_narrow_interval_that_ends_sampling_holds),
  };
  return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
