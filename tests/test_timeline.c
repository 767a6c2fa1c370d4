/* When stages were busy: lanes of spans that overlap, and busy shares. */
#include "library/frames/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two workers of stage 0, whose spans are told when they end, and one of stage 2. */
static dcs_timeline three_workers(void) {
  static const dcs_span spans[] = {{2, 0, 1}, {0, 1, 2}, {0, 0, 4},
                                   {0, 2, 5}, {2, 3, 4}, {0, 4, 6}};
  dcs_timeline t = {0};
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
    dcs_timeline_add(&t, spans[i]);
  assert_int_equal(t.n, 6);
  assert_false(t.cut);
  return t;
}

static void spans_of_a_lane_follow_each_other(void **state) {
  (void)state;
  static const double begins[] = {0, 1, 2, 4, 0, 3};
  static const int expected[] = {0, 1, 1, 0, 0, 0}, lanes[] = {2, 0, 1};
  int lane[6];
  dcs_timeline t = three_workers();
  dcs_timeline_lanes(&t, lanes, lane);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(t.spans[i].stage, i < 4 ? 0 : 2);
    assert_true(t.spans[i].begin_s == begins[i]);
    assert_int_equal(lane[i], expected[i]);
  }
  dcs_timeline_free(&t);
}

/* A lane less than there are spans at once: the one that is free first is shared. */
static void there_are_no_more_lanes_than_workers(void **state) {
  (void)state;
  static const int lanes[] = {1, 0, 1};
  int lane[6];
  dcs_timeline t = three_workers();
  dcs_timeline_lanes(&t, lanes, lane);
  for (int i = 0; i < 6; i++)
    assert_int_equal(lane[i], 0);
  dcs_timeline_free(&t);
}

static void assert_shares(const dcs_timeline *t, int stage, int lanes, double begin, double end,
                          const double expected[4]) {
  double share[4];
  dcs_timeline_shares(t, stage, lanes, begin, end, 4, share);
  for (int b = 0; b < 4; b++)
    if (!(fabs(share[b] - expected[b]) < 1e-12))
      fail_msg("bin %d: found %g, expected %g", b, share[b], expected[b]);
}

static void shares_are_of_all_lanes(void **state) {
  (void)state;
  dcs_timeline t = three_workers();
  assert_shares(&t, 0, 2, 0, 8, (double[]){0.75, 1, 0.75, 0});
  assert_shares(&t, 2, 1, 0, 4, (double[]){1, 0, 0, 1});
  assert_shares(&t, 2, 1, 0.5, 4.5, (double[]){0.5, 0, 0.5, 0.5});
  dcs_timeline_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_of_a_lane_follow_each_other),
      cmocka_unit_test(there_are_no_more_lanes_than_workers),
      cmocka_unit_test(shares_are_of_all_lanes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
