/* How the time of a sweep is divided among its sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/sweep/sizes.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <stdlib.h>

static void assert_near(double found, double expected) {
  if (!(fabs(found / expected - 1) < 1e-12))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Atoms on a cubic grid with points half an angstrom apart, within a cutoff (0: the direct sum). */
static dcs_record record_of(int64_t atoms, int64_t edge, double cutoff) {
  return (dcs_record){
      .size = {dcs_kinds[0], within(cutoff, DCS_SWITCHING_NONE), {atoms, edge, edge, edge}},
      .spacing = 0.5};
}

/* A size of n direct sums, which share their list with all sizes of this size. */
static dcs_sweep_size direct_sums(int64_t atoms, int64_t edge, int n) {
  static dcs_record lists[2][8];
  dcs_record *list = lists[edge != 100];
  for (int r = 0; r < n; r++)
    list[r] = record_of(atoms, edge, 0);
  return (dcs_sweep_size){.size = list->size, .records = list, .n_records = n};
}

/* 1000 atoms on 100^3 are 1e9 evaluations, beside a fixed 1e8, for each of the records. */
static void a_size_weighs_its_evaluations(void **state) {
  (void)state;
  dcs_sweep_size entry = direct_sums(1000, 100, 3);
  assert_near(dcs_sweep_size_weight(&entry), 3.3e9);
  entry.n_records = 0;
  assert_true(dcs_sweep_size_weight(&entry) == 0);
}

/* Ten frames, eight of them timed, and 200 for each point, whose sums are page-locked. */
static void frames_weigh_ten_and_their_sums(void **state) {
  (void)state;
  dcs_sweep_size entry = direct_sums(1000, 100, 1);
  entry.records[0].scope = DCS_FRAME;
  assert_near(dcs_sweep_size_weight(&entry), 1e8 + 10 * 1e9 + 2e8);
}

/* A ball of 6 angstrom has the volume of a cube of half edge 6 (pi / 6)^(1/3). Two places at random
 * on an edge of 49.5 are that near with 1 - (1 - half / 49.5)^2; no more atoms than all are. Beside
 * the direct sum. */
static void a_cutoff_leaves_atoms_out(void **state) {
  (void)state;
  dcs_record both[2] = {record_of(1000, 100, 0), record_of(1000, 100, 6)};
  dcs_sweep_size entry = {.size = both->size, .records = both, .n_records = 2};
  double far = 1 - 6 * cbrt(acos(-1) / 6) / 49.5, near = 1 - far * far;
  assert_near(dcs_sweep_size_weight(&entry), 1.1e9 + 1e9 * near * near * near + 1e8);
  both[1] = record_of(1000, 100, 1000);
  assert_near(dcs_sweep_size_weight(&entry), 2.2e9);
}

/* A direct sum to a tolerance does all pairs; a mesh does a thousand for each point and atom, where
 * these are fewer. */
static void methods_to_a_tolerance_weigh_points_and_atoms(void **state) {
  (void)state;
  dcs_record record = record_of(100000, 100, 0);
  dcs_sweep_size entry = {.size = record.size, .records = &record, .n_records = 1};
  record.size.config.value[DCS_COULOMB_TOLERANCE] = 1e-3;
  record.method.variant = dcs_find_variant("cpu_scatter");
  assert_near(dcs_sweep_size_weight(&entry), 1e11 + 1e8);
  record.method.variant = dcs_find_variant("cpu_mesh");
  assert_near(dcs_sweep_size_weight(&entry), 1.1e9 + 1e8);
  record.size.axes[0] = 10;
  assert_near(dcs_sweep_size_weight(&entry), 1e7 + 1e8);
}

/* Weights of 1, 8 and 1 parts: of what is left, half by weight and half evenly. */
static void the_time_left_is_divided(void **state) {
  (void)state;
  dcs_sweep_size list[3] = {direct_sums(9, 100, 1), direct_sums(9, 100, 8), direct_sums(9, 100, 1)};
  dcs_sweep_sizes sizes = {.list = list, .n = 3};
  assert_near(dcs_sweep_size_share(&sizes, 0), 0.5 / 10 + 0.5 / 3);
  assert_near(dcs_sweep_size_share(&sizes, 1), 0.5 * 8 / 9 + 0.5 / 2);
  assert_near(dcs_sweep_size_share(&sizes, 2), 1);
  list[2] = direct_sums(9, 99, 1);
  assert_int_equal(dcs_sweep_sizes_light_first(&sizes), DCS_OK);
  assert_int_equal(list[0].size.axes[1], 99);
  assert_int_equal(list[1].n_records, 1);
  assert_int_equal(list[2].n_records, 8);
}

/* As many as a plan may have, the heaviest first: each is weighed once, not once for each other,
 * which took minutes. Of those that weigh the same the order stays. */
static void many_sizes_are_ordered(void **state) {
  (void)state;
  enum { CELLS = 10000 };
  dcs_sweep_size *list = calloc(CELLS, sizeof *list);
  dcs_sweep_sizes sizes = {.list = list, .n = CELLS};
  const dcs_sweep_size heavy = direct_sums(9, 100, 8);
  assert_non_null(list);
  for (int c = 0; c < CELLS; c++) {
    list[c] = heavy;
    list[c].n_records = 8 - c / (CELLS / 8); /* 8 first, 1 last */
    list[c].spacing = c;
  }
  assert_int_equal(dcs_sweep_sizes_light_first(&sizes), DCS_OK);
  for (int c = 0; c < CELLS; c++) {
    assert_int_equal(list[c].n_records, 1 + c / (CELLS / 8));
    assert_true(list[c].spacing == (7 - c / (CELLS / 8)) * (CELLS / 8) + c % (CELLS / 8));
  }
  free(list);
}

/* Cells 1, 3 and 4 have a method that the budget ended with few samples; 3 took longer than is
 * left. What has few for another reason, as a method of size 0 that failed, gets no more. Those
 * that are measured on come last, and all keep their order. */
static void what_the_budget_cut_short_comes_last(void **state) {
  (void)state;
  dcs_record records[5][2] = {0};
  dcs_sweep_size list[5] = {0};
  dcs_sweep_sizes sizes = {.list = list, .n = 5};
  const size_t samples[5] = {7, 6, 7, 3, 2};
  for (int c = 0; c < 5; c++) {
    records[c][0] = (dcs_record){.stop_reason = "rounds", .n_times = 7, .judged = true};
    records[c][1] = (dcs_record){
        .stop_reason = samples[c] < 7 ? "budget" : "rounds", .n_times = samples[c], .judged = true};
    list[c] =
        (dcs_sweep_size){.records = records[c], .n_records = 2, .spacing = c, .took_s = 1 + c % 3};
  }
  records[0][0] = (dcs_record){.stop_reason = "", .outcome = DCS_OUTCOME_CRASH, .judged = true};
  list[3].took_s = 9;
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 7, 8), 3);
  const double order[5] = {0, 2, 3, 1, 4};
  for (int c = 0; c < 5; c++)
    assert_true(list[c].spacing == order[c]);
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 7, 3.5), 4); /* 1 and 4 took 2 s each */
  assert_true(list[3].spacing == 4 && list[4].spacing == 1);
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 7, 8), 3); /* 4 and 1 */
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 7, 0.5), 5);
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 3, 8), 4); /* of 3 samples, 6 are enough */
  dcs_sweep_size_forget_verdicts(&list[4]);
  assert_false(list[4].records[0].judged || list[4].records[1].judged);
  assert_int_equal(list[4].records[1].n_times, 2);
  assert_string_equal(list[4].records[1].stop_reason, "");
}

/* What lacks 1 of 7 samples needs little of the time that is left, and what lacks 5 all that the
 * others leave: a sixth, four thirds and five halves of what they took. */
static void what_lacks_most_is_the_last(void **state) {
  (void)state;
  dcs_record records[3] = {0};
  dcs_sweep_size list[3] = {0};
  dcs_sweep_sizes sizes = {.list = list, .n = 3};
  const size_t samples[3] = {2, 6, 3};
  for (int c = 0; c < 3; c++) {
    records[c] = (dcs_record){.stop_reason = "budget", .n_times = samples[c], .judged = true};
    list[c] = (dcs_sweep_size){.records = &records[c], .n_records = 1, .spacing = c, .took_s = 1};
  }
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 7, 9), 0);
  assert_true(list[0].spacing == 1 && list[1].spacing == 2 && list[2].spacing == 0);
  for (int c = 0; c < 3; c++)
    if (list[c].spacing == 1) list[c].took_s = 16; /* lacks 2.7 s, the others 1.3 and 2.5 */
  assert_int_equal(dcs_sweep_sizes_short_last(&sizes, 7, 99), 0);
  assert_true(list[0].spacing == 2 && list[1].spacing == 0 && list[2].spacing == 1);
}

/* Measured on, a method that was wrong would get the times of its wrong maps. */
static void what_failed_is_not_measured_on(void **state) {
  (void)state;
  static const struct {
    dcs_outcome outcome;
    const char *reason;
    bool finished;
  } is[] = {{DCS_OUTCOME_OK, "budget", false},
            {DCS_OUTCOME_WRONG, "", true},
            {DCS_OUTCOME_TIMEOUT, "", true},
            {DCS_OUTCOME_MEMORY, "killed", false}};
  dcs_record records[4] = {0};
  dcs_sweep_size entry = {.records = records, .n_records = 4};
  for (int r = 0; r < 4; r++)
    records[r] =
        (dcs_record){.outcome = is[r].outcome, .stop_reason = is[r].reason, .judged = true};
  dcs_sweep_size_forget_verdicts(&entry);
  for (int r = 0; r < 4; r++)
    assert_true(records[r].finished == is[r].finished && records[r].outcome == is[r].outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_budget_cut_short_comes_last),
      cmocka_unit_test(what_lacks_most_is_the_last),
      cmocka_unit_test(what_failed_is_not_measured_on),
      cmocka_unit_test(a_size_weighs_its_evaluations),
      cmocka_unit_test(frames_weigh_ten_and_their_sums),
      cmocka_unit_test(a_cutoff_leaves_atoms_out),
      cmocka_unit_test(methods_to_a_tolerance_weigh_points_and_atoms),
      cmocka_unit_test(the_time_left_is_divided),
      cmocka_unit_test(many_sizes_are_ordered)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
