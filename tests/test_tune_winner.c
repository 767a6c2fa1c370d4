/* Which configurations are tied, and which of them is picked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "tuning/tuner/tuner.h"

#include <math.h>
#include <stdlib.h>

static void plant_times(dcs_evaluation *e, double ms, double scatter) {
  *e = (dcs_evaluation){.registers = -1, .known = true};
  for (int i = 0; i < 15; i++) {
    double time = 1e6 * ms * (1 + scatter * ((7 * i) % 15 - 7) / 7.0);
    assert_int_equal(dcs_evaluation_add(e, &time, 1), DCS_OK);
  }
}

/* Of cuda_padded three configurations, whose tiles of 64, 128 and 256 points fit a grid or do not.
 */
static void open_three(const dcs_problem *problem, dcs_space *space, dcs_search *search) {
  assert_int_equal(dcs_space_build(dcs_find_variant("cuda_padded"),
                                   "block_x=16|32|64,block_y=4,coarsen=4,read=end,chunk_atoms=4000",
                                   problem, 2, space),
                   DCS_OK);
  assert_int_equal(space->n, 3);
  assert_int_equal(dcs_search_open(space, NULL, NULL, 7, 1, (dcs_budget){-1, INFINITY}, search),
                   DCS_OK);
}

static void the_tied_are_told_and_the_pick_has_its_reason(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 3000, .n = {64, 64, 8}, .spacing = 1};
  dcs_space space;
  dcs_search search;
  dcs_winner w;
  dcs_evaluation fresh[3];
  open_three(&problem, &space, &search);
  const int configs[] = {2, 1, 0}; /* tiles of 256, 128, 64 points: padding 300%, 100%, 0% */
  plant_times(&fresh[0], 1.000, 0.05);
  plant_times(&fresh[1], 1.002, 0.05);
  plant_times(&fresh[2], 1.001, 0.05);
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 3, &w), DCS_OK);
  assert_int_equal(w.n_tied, 3);
  assert_int_equal(w.list[w.pick].config, 0);
  assert_string_equal(w.reason, "least padding");
  for (int f = 0; f < 3; f++)
    free(fresh[f].times);

  plant_times(&fresh[0], 1.000, 0.001); /* alone, whatever its padding */
  plant_times(&fresh[1], 1.300, 0.001);
  plant_times(&fresh[2], 1.100, 0.001);
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 3, &w), DCS_OK);
  assert_int_equal(w.n_tied, 1);
  assert_int_equal(w.list[w.pick].config, 2);
  assert_string_equal(w.reason, "every other one is slower");
  assert_true(w.list[1].config == 0 && w.list[1].ratio.lo > 1.05);

  for (int f = 0; f < 3; f++)
    free(fresh[f].times);
  plant_times(&fresh[0], 1.0, 0.8); /* wide intervals tie what is a fifth slower, too */
  plant_times(&fresh[1], 1.3, 0.8);
  plant_times(&fresh[2], 1.2, 0.8);
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 3, &w), DCS_OK);
  assert_int_equal(w.n_tied, 3);
  assert_int_equal(w.list[w.pick].config, 2);
  assert_string_equal(w.reason, "least median");

  fresh[0].outcome = DCS_OUTCOME_CRASH; /* then the next */
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 3, &w), DCS_OK);
  assert_int_equal(w.n, 2);
  assert_int_equal(w.list[w.pick].config, 0);
  fresh[1].outcome = fresh[2].outcome = DCS_OUTCOME_CRASH;
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 3, &w), DCS_FAILED);
  for (int f = 0; f < 3; f++)
    free(fresh[f].times);
  dcs_search_close(&search);
  dcs_space_free(&space);
}

/* A machine's pace moves by as much, whatever the scatter. */
static void a_pace_ties(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 3000, .n = {64, 64, 8}, .spacing = 1};
  dcs_space space;
  dcs_search search;
  dcs_winner w;
  dcs_evaluation fresh[3];
  const int configs[] = {2, 1, 0};
  open_three(&problem, &space, &search);
  plant_times(&fresh[0], 1.003, 1e-5);
  plant_times(&fresh[1], 1.000, 1e-5);
  plant_times(&fresh[2], 1.005, 1e-5);
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 3, &w), DCS_OK);
  assert_int_equal(w.n_tied, 2);
  assert_true(w.list[1].config == 2 && w.list[1].tied && w.list[1].ratio.lo < 1);
  assert_true(w.list[2].config == 0 && !w.list[2].tied && w.list[2].ratio.lo > 1);
  for (int f = 0; f < 3; f++)
    free(fresh[f].times);
  dcs_search_close(&search);
  dcs_space_free(&space);
}

static void registers_decide_where_padding_does_not(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 3000, .n = {64, 64, 8}, .spacing = 1};
  dcs_space space;
  dcs_search search;
  dcs_winner w;
  dcs_evaluation fresh[2];
  const int configs[] = {0, 1};
  assert_int_equal(dcs_space_build(dcs_find_variant("cuda_padded"),
                                   "block_x=16,block_y=4,coarsen=4,chunk_atoms=4000", &problem, 2,
                                   &space),
                   DCS_OK); /* read=start, read=end: the initial one */
  assert_int_equal(dcs_search_open(&space, NULL, NULL, 7, 1, (dcs_budget){-1, INFINITY}, &search),
                   DCS_OK);
  plant_times(&fresh[0], 1, 0.05);
  plant_times(&fresh[1], 1, 0.05);
  search.known[0].registers = 30;
  search.known[1].registers = 32;
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 2, &w), DCS_OK);
  assert_int_equal(w.list[w.pick].config, 0);
  assert_string_equal(w.reason, "fewest registers");
  search.known[0].registers = 32;
  assert_int_equal(dcs_choose_winner(&search, &problem, 0, configs, fresh, 2, &w), DCS_OK);
  assert_int_equal(w.list[w.pick].config, 1);
  assert_string_equal(w.reason, "closest to the initial configuration");
  free(fresh[0].times);
  free(fresh[1].times);
  dcs_search_close(&search);
  dcs_space_free(&space);
}

/* Of three samples each there is no interval: who is within 5% of the best by the median. */
static void without_intervals_finalists_are_within_5_percent(void **state) {
  (void)state;
  static const double medians[] = {1.06, 1.04, 1};
  const dcs_problem problem = {.n_inputs = 3000, .n = {64, 64, 8}, .spacing = 1};
  dcs_space space;
  dcs_search search;
  int found[DCS_MAX_FINALISTS];
  open_three(&problem, &space, &search);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) {
      const double time = 1e6 * medians[c];
      search.known[c].known = true;
      assert_int_equal(dcs_evaluation_add(&search.known[c], &time, 1), DCS_OK);
    }
  assert_true(isnan(search.known[2].stats.hi));
  assert_int_equal(dcs_finalists(&search, found), 2);
  assert_true(found[0] == 2 && found[1] == 1);
  dcs_search_close(&search);
  dcs_space_free(&space);
}

/* Two minutes, or what is left of a budget, or as asked for; nothing where nothing is to be told
 * apart. */
static void how_long_the_last_measurement_spans(void **state) {
  (void)state;
  const double second = 1e9, left = dcs_now_ns() + 50 * second, long_left = left + 500 * second,
               over = dcs_now_ns() - second;
  const dcs_tune_options plain = {.last_s = NAN}, asked = {.last_s = 7};
  assert_true(dcs_last_span_ns(&plain, 2, INFINITY) == 120 * second);
  assert_true(dcs_last_span_ns(&plain, 1, INFINITY) == 0);
  assert_true(dcs_last_span_ns(&plain, 8, long_left) == 120 * second);
  assert_true(dcs_last_span_ns(&plain, 8, left) <= 50 * second &&
              dcs_last_span_ns(&plain, 8, left) > 1);
  assert_true(dcs_last_span_ns(&plain, 8, over) == 0);
  assert_true(dcs_last_span_ns(&asked, 2, INFINITY) == 7 * second);
  assert_true(dcs_last_span_ns(&asked, 2, left) == 7 * second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tied_are_told_and_the_pick_has_its_reason),
      cmocka_unit_test(a_pace_ties),
      cmocka_unit_test(registers_decide_where_padding_does_not),
      cmocka_unit_test(without_intervals_finalists_are_within_5_percent),
      cmocka_unit_test(how_long_the_last_measurement_spans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
