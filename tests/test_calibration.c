/* How many maps are in a sample: by hand, and on a machine that holds batches up, by simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/worker/timing.h"

/* Maps in a sample, each taking map_ns. `held`: the share of batches that are held up, for up to
 * most_ns each. */
static int64_t calibrate(double map_ns, double held, double most_ns, uint64_t seed) {
  dcs_random random = {seed};
  dcs_calibration c = {.inner = 1};
  bool more = true;
  for (int batch = 0; more && batch < 12; batch++) {
    double ns = (double)c.inner * map_ns;
    if (dcs_random_unit(&random) < held) ns += most_ns * dcs_random_unit(&random);
    more = dcs_calibration_next(&c, ns, 0);
  }
  return c.inner;
}

static void a_sample_lasts_a_millisecond(void **state) {
  (void)state;
  static const struct {
    double map_ns;
    int64_t inner;
  } cases[] = {{1.5e6, 1}, {1e6, 1}, {1e9, 1}, {4e5, 3}, {1.2e5, 10}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(calibrate(cases[i].map_ns, 0, 0, 1), cases[i].inner);
  assert_true(calibrate(10, 0, 0, 1) >= 100000);
}

/* Where most batches are held up for longer than a sample, one map would be taken for a sample. */
static void a_batch_that_was_held_up_is_not_long(void **state) {
  (void)state;
  static const double held[] = {0.3, 0.85};
  enum { SEEDS = 1000 };
  for (int h = 0; h < 2; h++) {
    int short_of = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
      short_of += (double)calibrate(45e3, held[h], 7e6, seed) * 45e3 < 0.9e6;
    assert_in_range(short_of, 0, SEEDS / 20);
  }
}

/* However long a single batch is held up, and whichever it is. */
static void one_batch_does_not_decide(void **state) {
  (void)state;
  static const double late_ns[] = {5e6, 19e6, 20e6, 50e6, 400e6}, map_ns = 45e3;
  for (size_t l = 0; l < sizeof late_ns / sizeof late_ns[0]; l++)
    for (int late = 0; late < 4; late++) {
      dcs_calibration c = {.inner = 1};
      bool more = true;
      for (int batch = 0; more && batch < 12; batch++)
        more = dcs_calibration_next(&c, (double)c.inner * map_ns + (batch == late ? late_ns[l] : 0),
                                    0);
      assert_false(more);
      assert_true((double)c.inner * map_ns >= 0.9e6);
    }
  int short_of = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++)
    short_of += (double)calibrate(45e3, 0.3, 60e6, seed) * 45e3 < 0.9e6;
  assert_in_range(short_of, 0, 100);
}

/* A map of a second is not computed twice for that. */
static void a_long_batch_is_believed(void **state) {
  (void)state;
  dcs_calibration c = {.inner = 1};
  assert_true(dcs_calibration_next(&c, 25e6, 0));
  assert_int_equal(c.inner, 1);
  assert_false(dcs_calibration_next(&c, 21e6, 0));
  assert_int_equal(c.inner, 1);
  c = (dcs_calibration){.inner = 1};
  assert_false(dcs_calibration_next(&c, 1e9, 0));
}

/* Whatever held up every batch of the calibration: the first sample that is not tells. */
static void a_short_sample_is_followed_by_longer_ones(void **state) {
  (void)state;
  assert_int_equal(dcs_lengthened(1, 5e4), 24);
  assert_int_equal(dcs_lengthened(3, 4e5), 9);
  assert_int_equal(dcs_lengthened(3, 5e5), 3);
  assert_int_equal(dcs_lengthened(1, 7e6), 1);
  assert_int_equal(dcs_lengthened(2, 0), 2000);
}

static void maps_on_cold_data_stay_within_their_time(void **state) {
  (void)state;
  dcs_calibration c = {.inner = 1};
  assert_true(dcs_calibration_next(&c, 1e5, 4e6)); /* flushing takes most: five, not twelve */
  assert_int_equal(c.inner, 5);
  assert_false(dcs_calibration_next(&c, 5e5, 2e7));
  assert_int_equal(c.inner, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sample_lasts_a_millisecond),
      cmocka_unit_test(a_batch_that_was_held_up_is_not_long),
      cmocka_unit_test(one_batch_does_not_decide),
      cmocka_unit_test(a_long_batch_is_believed),
      cmocka_unit_test(a_short_sample_is_followed_by_longer_ones),
      cmocka_unit_test(maps_on_cold_data_stay_within_their_time),
  };
  return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
