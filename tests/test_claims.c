/* `dcsbench claims`: what the case study claims, on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/claims_run.h"

/* ---- grades ---- */

static void intervals_are_graded(void **state) {
  (void)state;
  const dcs_claimed about = {1.26, 1.54, 1.02}, more = {1.02, INFINITY, 1.02},
                    only = {99, 121, INFINITY};
  assert_int_equal(dcs_grade_interval(1.26, 1.54, about), DCS_GRADE_YES);
  assert_int_equal(dcs_grade_interval(1.25, 1.54, about), DCS_GRADE_PARTLY);
  assert_int_equal(dcs_grade_interval(4, 5, about), DCS_GRADE_PARTLY);
  assert_int_equal(dcs_grade_interval(1.01, 1.2, about), DCS_GRADE_UNSURE);
  assert_int_equal(dcs_grade_interval(0.9, 1.01, about), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(1.02, 9, more), DCS_GRADE_YES);
  assert_int_equal(dcs_grade_interval(1.01, 1.03, more), DCS_GRADE_UNSURE);
  assert_int_equal(dcs_grade_interval(0.99, 1.01, more), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(100, 120, only), DCS_GRADE_YES);
  assert_int_equal(dcs_grade_interval(90, 98, only), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(122, 130, only), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(90, 100, only), DCS_GRADE_UNSURE);
  assert_int_equal(dcs_grade_interval(NAN, NAN, only), DCS_GRADE_UNSURE);
}

/* ---- versions ---- */

static void each_verdict(void **state) {
  (void)state;
  judge_coarsening(1.4, 0, 0, "holds");
  judge_coarsening(3, 0, 0, "partly");
  judge_coarsening(0.9, 0, 0, "fails");
  judge_coarsening(1.01, 0, 0, "fails");
  judge_coarsening(1.4, 0, 5, "not_measured");
  judge_coarsening(1.03, 0.3, 0, "not_measured");
  assert_contains(program_out, "missing   more rounds");
}

static void what_is_unsure_does_not_count(void **state) {
  (void)state;
  begin_run();
  put_version(1, 512, 14, 0, 0);
  put_version(2, 512, 10, 0, 0);
  put_version(1, 400, 10.3, 0.3, 0);
  put_version(2, 400, 10, 0.3, 0);
  put_version(1, 300, 14, 0, 5);
  put_version(2, 300, 10, 0, 5);
  put_version(1, 299, 5, 0, 0); /* a small slice */
  put_version(2, 299, 10, 0, 0);
  dcs_table *t = claims();
  assert_verdict(t, "coarsening_40_percent", "holds");
  assert_counts(t, "coarsening_40_percent", 1, 0, 0, 2);
  size_t row = row_of(t, "coarsening_40_percent");
  assert_string_equal(text_at(t, row, "grid"), "512x512x4");
  assert_string_equal(text_at(t, row, "variant"), book(DCS_BOOK_VERSION_2));
  assert_string_equal(text_at(t, row, "base_variant"), book(DCS_BOOK_VERSION_1));
  assert_true(fabs(number_at(t, row, "value") - 1.4) < 0.01);
  assert_true(number_at(t, row, "value_lo") < number_at(t, row, "value"));
  assert_true(number_at(t, row, "value_hi") > number_at(t, row, "value"));
  dcs_table_free(t);
}

static void the_padded_version_against_the_better_one(void **state) {
  (void)state;
  begin_run();
  for (int edge = 512; edge > 300; edge -= 112) {
    put_version(1, edge, edge == 512 ? 14 : 8, 0, 0); /* at 400 version 1 is the better one */
    put_version(2, edge, 10, 0, 0);
    put_version(3, edge, 9, 0, 0);
  }
  put_version(1, 1000, 14, 0, 0); /* without version 3 */
  put_version(2, 1000, 10, 0, 0);
  dcs_table *t = claims();
  assert_verdict(t, "padded_best_from_300", "partly");
  assert_counts(t, "padded_best_from_300", 1, 0, 1, 0);
  assert_verdict(t, "coarsening_40_percent", "partly");
  assert_counts(t, "coarsening_40_percent", 2, 0, 1, 0);
  dcs_table_free(t);
}

static void what_failed_is_not_compared(void **state) {
  (void)state;
  begin_run();
  put_version(1, 512, 14, 0, 0);
  put((method){.variant = book(DCS_BOOK_VERSION_2),
               .config = "block_x=16",
               .atoms = 4000,
               .edge = 512,
               .ms = 10,
               .outcome = "wrong"});
  conclude("coarsening_40_percent", "not_measured");
  assert_contains(program_out, "1 row of the summary is not ok and left out");
}

/* ---- CPU against GPU ---- */

static void thresholds_are_checked_on_both_sides(void **state) {
  (void)state;
  begin_run();
  put_cpus(400);
  put_cpus(401);
  put_gpu("g", "first", 400, 400.0 * 2);
  put_gpu("g", "first", 401, 401.0 / 2);
  put_gpu("g", "warm", 400, 1e-3); /* another scope */
  dcs_table *t = claims();
  assert_verdict(t, "cpu_to_400_sequential", "holds");
  assert_counts(t, "cpu_to_400_sequential", 1, 0, 0, 0);
  assert_verdict(t, "gpu_beyond_400_sequential", "holds");
  assert_counts(t, "gpu_beyond_400_sequential", 1, 0, 0, 0);
  assert_verdict(t, "cpu_to_400_threads", "holds");
  assert_verdict(t, "gpu_beyond_400_threads", "fails");
  assert_verdict(t, "gpu_44_sequential", "not_measured");
  dcs_table_free(t);
}

static void the_baseline_decides_the_ratio(void **state) {
  (void)state;
  begin_run();
  put_cpus(9999);
  put_gpu("g", "warm", 9999, 1); /* too few atoms */
  put_cpus(10000);
  put_gpu("g", "warm", 10000, 100 / 44.0);
  put_gpu("g", "kernel", 10000, 1e-3);
  dcs_table *t = claims();
  assert_verdict(t, "gpu_44_sequential", "partly");
  assert_verdict(t, "gpu_44_vector", "holds");
  assert_verdict(t, "gpu_44_threads", "partly");
  assert_counts(t, "gpu_44_vector", 1, 0, 0, 0);
  assert_true(fabs(number_at(t, row_of(t, "gpu_44_sequential"), "value") / 4400 - 1) < 0.01);
  assert_true(fabs(number_at(t, row_of(t, "gpu_44_threads"), "value") / 4.4 - 1) < 0.01);
  dcs_table_free(t);
}

static void one_thread_is_not_all_threads(void **state) {
  (void)state;
  begin_run();
  put_cpu("other", 1, 10000, 100);
  put_gpu("g", "warm", 10000, 100 / 44.0);
  dcs_table *t = claims();
  assert_verdict(t, "gpu_44_vector", "holds");
  assert_verdict(t, "gpu_44_threads", "not_measured");
  assert_verdict(t, "gpu_44_sequential", "not_measured");
  dcs_table_free(t);
}

static void judge_start_up(double first, double warm, const char *verdict) {
  begin_run();
  put_gpu("g", "first", 1000, first);
  put_gpu("g", "warm", 1000, warm);
  put_gpu("slow", "first", 1000, 2 * first);
  put_gpu("fast", "warm", 1000, 1e-3); /* another method */
  conclude("start_up_110_ms", verdict);
}

static void start_up_is_first_less_warm(void **state) {
  (void)state;
  judge_start_up(200, 90, "holds");
  judge_start_up(110, 0.1, "holds");
  judge_start_up(200, 50, "fails");
  judge_start_up(99, 0.01, "not_measured"); /* across a bound */
  begin_run();
  put_gpu("g", "first", 1000, 110);
  put_gpu("fast", "warm", 1000, 1e-3);
  conclude("start_up_110_ms", "not_measured");
}

/* ---- configurations ---- */

static void put_config(const char *config, int registers, double ms) {
  put((method){.variant = "g",
               .config = config,
               .atoms = 4000,
               .edge = 64,
               .ms = ms,
               .chunk = 4000,
               .registers = registers});
}

static void reads_are_compared_in_pairs(void **state) {
  (void)state;
  begin_run();
  put_config("coarsen=1,read=start", 20, 2);
  put_config("coarsen=1,read=end", 18, 1);
  put_config("coarsen=2,read=start", 20, 1);
  put_config("coarsen=2,read=end", 20, 1);
  put_config("coarsen=4,read=end", 9, 9); /* no partner */
  put_config("read=start,coarsen=8", 30, 1.0);
  put_config("read=end,coarsen=8", 0, 2.0); /* registers unknown */
  dcs_table *t = claims();
  assert_verdict(t, "late_read_saves_registers", "partly");
  assert_counts(t, "late_read_saves_registers", 1, 0, 1, 0);
  assert_verdict(t, "late_read_is_faster", "partly");
  assert_counts(t, "late_read_is_faster", 1, 0, 2, 0);
  assert_true(number_at(t, row_of(t, "late_read_saves_registers"), "most") == 2);
  dcs_table_free(t);
}

static void put_blocks(int n, double slowest) {
  char config[64];
  for (int i = 0; i < n; i++) {
    snprintf(config, sizeof config, "block_x=%d,block_y=%d,coarsen=4", 16 << i, 1 + i % 2);
    put_config(config, 0, i == 1 ? slowest : 1 + 0.01 * i);
  }
}

static void blocks_of_one_kernel(void **state) {
  (void)state;
  begin_run();
  put_blocks(4, 2);
  put_config("block_x=16,block_y=1,coarsen=8", 0, 100); /* another kernel */
  dcs_table *t = claims();
  assert_verdict(t, "blocks_matter_twofold", "holds");
  assert_counts(t, "blocks_matter_twofold", 1, 0, 0, 0);
  dcs_table_free(t);
  begin_run();
  put_blocks(4, 4);
  conclude("blocks_matter_twofold", "partly");
  begin_run();
  put_blocks(3, 2);
  conclude("blocks_matter_twofold", "not_measured");
}

/* Ten configurations, of which the second takes `second` ms and the fastest 1. */
static void judge_winners(double second, int n, const char *verdict) {
  char config[64];
  begin_run();
  for (int i = 0; i < n; i++) {
    snprintf(config, sizeof config, "a=%d", i);
    put_config(config, 0, i == 0 ? 1 : i == 1 ? second : 2);
  }
  conclude("no_single_winner", verdict);
}

static void winners_are_counted(void **state) {
  (void)state;
  judge_winners(1.0001, 10, "holds");
  assert_contains(program_out, "2 of 10 configurations");
  judge_winners(1.01, 10, "fails");
  judge_winners(1.0001, 9, "not_measured");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_are_graded),
      cmocka_unit_test(each_verdict),
      cmocka_unit_test(what_is_unsure_does_not_count),
      cmocka_unit_test(the_padded_version_against_the_better_one),
      cmocka_unit_test(what_failed_is_not_compared),
      cmocka_unit_test(thresholds_are_checked_on_both_sides),
      cmocka_unit_test(the_baseline_decides_the_ratio),
      cmocka_unit_test(one_thread_is_not_all_threads),
      cmocka_unit_test(start_up_is_first_less_warm),
      cmocka_unit_test(reads_are_compared_in_pairs),
      cmocka_unit_test(blocks_of_one_kernel),
      cmocka_unit_test(winners_are_counted),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
