/* Previous times of tuned configurations held against what is measured later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/runs/tuned_check.h"
#include "tests/run_folder.h"
#include "tuning/database/tuned.h"

static int begin(void **state) {
  if (program_setup(state) != 0) return -1;
  return setenv("DCSBENCH_DATA", in_folder("data"), 1);
}

/* n samples around 1 ms times `factor`, within `scatter` of it; ascending, the median in the
 * middle. */
static void plant(double *times, int n, double factor, double scatter) {
  for (int i = 0; i < n; i++)
    times[i] = 1e6 * factor * (1 + scatter * (n > 1 ? 2.0 * i / (n - 1) - 1 : 0));
}

static dcs_previous_time previous_of(int n, double factor, double scatter) {
  dcs_previous_time r = {.median_ns = 1e6 * factor, .n = n, .date = "2026-11-20T08:00:00Z"};
  plant(r.times_ns, n, factor, scatter);
  return r;
}

/* ---- the verdict ---- */

static void the_margin_and_the_samples_decide(void **state) {
  (void)state;
  static const struct {
    int n_then, n_now;
    double factor, scatter; /* of the times now; then: 1 ms, the same scatter */
    dcs_previous_verdict verdict;
  } cases[] = {
      {15, 15, 1.000, 0.001, DCS_PREVIOUS_HOLDS},
      {15, 15, 1.020, 0.001, DCS_PREVIOUS_HOLDS},
      {15, 15, 1.0309, 0.001, DCS_PREVIOUS_HOLDS}, /* told apart, but a rate 2.997% lower */
      {15, 15, 1.0311, 0.001, DCS_PREVIOUS_CHANGED},
      {15, 15, 0.9710, 0.001, DCS_PREVIOUS_HOLDS}, /* 2.99% higher */
      {15, 15, 0.9708, 0.001, DCS_PREVIOUS_CHANGED},
      {6, 15, 2.000, 0.001, DCS_PREVIOUS_CHANGED},
      {15, 6, 0.500, 0.001, DCS_PREVIOUS_CHANGED},
      {15, 15, 1.040, 0.300, DCS_PREVIOUS_UNSURE},
      {15, 15, 1.010, 0.300, DCS_PREVIOUS_HOLDS},
      {15, 5, 2.000, 0.001, DCS_PREVIOUS_UNSURE},
      {5, 15, 2.000, 0.001, DCS_PREVIOUS_UNSURE},
      {0, 15, 2.000, 0.001, DCS_PREVIOUS_UNSURE},
      {0, 1, 1.020, 0.000, DCS_PREVIOUS_HOLDS},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    double now[15];
    dcs_previous_time then = previous_of(cases[c].n_then, 1, cases[c].scatter);
    plant(now, cases[c].n_now, cases[c].factor, cases[c].scatter);
    dcs_recheck check = dcs_recheck_times(&then, now, (size_t)cases[c].n_now);
    if (check.verdict != cases[c].verdict)
      fail_msg("case %zu: found %s, expected %s", c, dcs_previous_verdict_name(check.verdict),
               dcs_previous_verdict_name(cases[c].verdict));
    double median = 0.5 * (now[(cases[c].n_now - 1) / 2] + now[cases[c].n_now / 2]);
    assert_true(fabs(check.change - (1e6 / median - 1)) < 1e-12);
    bool interval = cases[c].n_then >= 6 && cases[c].n_now >= 6;
    assert_true(isnan(check.ratio.lo) == !interval);
  }
}

static void the_order_of_the_samples_does_not_matter(void **state) {
  (void)state;
  double now[15];
  dcs_previous_time sorted = previous_of(15, 1, 0.2), mixed = sorted;
  for (int i = 0; i < 15; i++)
    mixed.times_ns[i] = sorted.times_ns[(7 * i) % 15];
  plant(now, 15, 1.1, 0.2);
  dcs_recheck a = dcs_recheck_times(&sorted, now, 15), b = dcs_recheck_times(&mixed, now, 15);
  assert_true(a.ratio.lo == b.ratio.lo && a.ratio.hi == b.ratio.hi && a.verdict == b.verdict);
}

/* ---- the file of a run ---- */

static dcs_record measured(const char *id, double *times, int n) {
  dcs_record r = {.method = {.variant = dcs_find_variant(id)},
                  .scope = DCS_KERNEL,
                  .device = "cuda:0",
                  .size = {.kind = dcs_kinds[0], .axes = {1000, 50, 40, 30}},
                  .work = 6e7,
                  .previous_work = 6e7,
                  .times_ns = times,
                  .n_times = (size_t)n,
                  .previous = previous_of(15, 1, 0.001)};
  assert_non_null(r.method.variant);
  r.method.config = dcs_initial_config(r.method.variant, 2);
  return r;
}

static const char *made(const char *run) {
  const char *folder = in_folder(run);
  assert_int_equal(mkdir(folder, 0777), 0);
  return folder;
}

static const char *said(const char *folder) {
  static char text[1 << 14];
  FILE *out = tmpfile();
  assert_non_null(out);
  if (dcs_tuned_check_say(folder, out) != DCS_OK) fail_msg("%s", dcs_error_message());
  program_take(out, text, sizeof text);
  return text;
}

static void what_holds_is_kept_and_not_said(void **state) {
  (void)state;
  double times[15];
  const char *folder = made("holds");
  plant(times, 15, 1.01, 0.001);
  dcs_record record = measured("cuda_padded", times, 15);
  assert_string_equal(said(folder), "");            /* a run without the file */
  put_file(in_folder("holds/tuned_check.csv"), ""); /* killed when it had made one */
  assert_int_equal(dcs_tuned_check_write(folder, &record), DCS_OK);
  assert_string_equal(said(folder), "");
  dcs_table *table = run_table("holds", "tuned_check.csv");
  assert_int_equal(dcs_table_rows(table), 1);
  assert_string_equal(text_at(table, 0, "verdict"), "holds");
  assert_string_equal(text_at(table, 0, "previous_date"), "2026-11-20T08:00:00Z");
  assert_close(number_at(table, 0, "previous_evals_per_s"), 6e7 / 1e-3);
  assert_close(number_at(table, 0, "evals_per_s"), 6e7 / 1.01e-3);
  assert_close(1 + number_at(table, 0, "rate_change"), 1 / 1.01);
  assert_true(number_at(table, 0, "ratio_lo") > 1.008 && number_at(table, 0, "ratio_hi") < 1.012);
  dcs_table_free(table);
}

static void what_changed_is_said_until_it_holds_again(void **state) {
  (void)state;
  double times[15];
  const char *folder = made("changed");
  plant(times, 15, 1.25, 0.001);
  dcs_record record = measured("cuda_padded", times, 15);
  assert_int_equal(dcs_tuned_check_write(folder, &record), DCS_OK);
  record.size.axes[0] = 2000;
  plant(times, 15, 1, 0.001);
  assert_int_equal(dcs_tuned_check_write(folder, &record), DCS_OK);
  assert_contains(said(folder), "cuda_padded block_x=");
  assert_contains(said(folder),
                  "on 1000 atoms, 50x40x30, scope kernel: changed since it was tuned: "
                  "6e+10 evaluations/s on 2026-11-20, 4.8e+10 now "
                  "(-20.0%); tune again: dcsbench tune cuda_padded --atoms 1000 "
                  "--grid 50x40x30 --scope kernel --journal FILE");
  assert_null(strstr(said(folder), "2000 atoms"));
  record.size.axes[0] = 1000; /* the same size in a later session */
  assert_int_equal(dcs_tuned_check_write(folder, &record), DCS_OK);
  assert_string_equal(said(folder), "");
}

static void few_samples_are_unsure(void **state) {
  (void)state;
  double times[15];
  const char *folder = made("unsure");
  plant(times, 15, 0.5, 0.001);
  dcs_record record = measured("cuda_padded", times, 15);
  record.previous.n = 5;
  assert_int_equal(dcs_tuned_check_write(folder, &record), DCS_OK);
  assert_contains(said(folder), "perhaps changed since it was tuned");
  assert_contains(said(folder), "(+100.0%); 5 and 15 samples do not tell; to know, tune again:");
}

/* Nothing to hold it against, or not measured in the same way. */
static void what_cannot_be_compared_is_left_out(void **state) {
  (void)state;
  double times[15];
  const char *folder = made("left_out");
  plant(times, 15, 2, 0.001);
  dcs_record none = measured("cuda_padded", times, 15);
  none.previous = (dcs_previous_time){0};
  assert_int_equal(dcs_tuned_check_write(folder, &none), DCS_OK);
  dcs_record failed = measured("cuda_padded", times, 15);
  failed.outcome = DCS_OUTCOME_WRONG;
  assert_int_equal(dcs_tuned_check_write(folder, &failed), DCS_OK);
  dcs_record untimed = measured("cuda_padded", times, 0);
  assert_int_equal(dcs_tuned_check_write(folder, &untimed), DCS_OK);
  dcs_record pinned = measured("cuda_padded", times, 15);
  pinned.scope = DCS_WARM;
  pinned.memory = DCS_PINNED;
  assert_int_equal(dcs_tuned_check_write(folder, &pinned), DCS_OK);
  dcs_record within = measured("cuda_cutoff_cells", times, 15);
  within.size.config.value[0] = 12;
  within.work = 5e7;
  within.previous_work = 4e7; /* other atoms */
  assert_int_equal(dcs_tuned_check_write(folder, &within), DCS_OK);
  assert_false(exists(in_folder("left_out/tuned_check.csv")));
  within.previous_work = 5e7;
  assert_int_equal(dcs_tuned_check_write(folder, &within), DCS_OK);
  assert_contains(said(folder), "1000 atoms, 50x40x30, cutoff=12, scope kernel: changed since");
  assert_contains(said(folder), "--grid 50x40x30 --cutoff 12 --scope kernel");
}

static void a_damaged_file_is_named(void **state) {
  (void)state;
  const char *folder = made("damaged");
  put_file(in_folder("damaged/tuned_check.csv"), "variant,verdict\ncpu_gather,changed\n");
  FILE *out = tmpfile();
  assert_int_equal(dcs_tuned_check_say(folder, out), DCS_INPUT);
  fclose(out);
  assert_contains(dcs_error_message(), "tuned_check.csv");
  assert_contains(dcs_error_message(), "config");
}

/* ---- as a user sees it ---- */

static const char tuned_file[] = "data/tuned.csv";

/* An entry that this machine could have written, but for its times: `factor` of those. */
static void plant_entry(double factor, bool samples) {
  dcs_tuned tuned;
  unlink(in_folder(tuned_file));
  assert_status(program_run("tune cpu_scatter --atoms 50 --grid 12x10x8 --config threads=1"), 0);
  assert_int_equal(dcs_tuned_read(in_folder(tuned_file), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 1);
  dcs_tuned_entry entry = tuned.list[0];
  dcs_tuned_free(&tuned);
  assert_int_equal(entry.time.n, 15);
  assert_int_equal(strlen(entry.time.date), 20);
  double least = INFINITY, most = 0;
  for (int i = 0; i < 15; i++) {
    least = fmin(least, entry.time.times_ns[i]);
    most = fmax(most, entry.time.times_ns[i]);
    entry.time.times_ns[i] *= factor;
  }
  assert_true(entry.time.median_ns >= least && entry.time.median_ns <= most);
  entry.time.median_ns *= factor;
  snprintf(entry.time.date, sizeof entry.time.date, "2026-01-02T03:04:05Z");
  if (!samples) entry.time.n = 1;
  assert_int_equal(dcs_tuned_put(in_folder(tuned_file), &entry), DCS_OK);
}

static int sweep_tuned(int atoms, int rounds, const char *run) {
  return program_run("sweep --variants cpu_scatter --config tuned --atoms %d --grid 12x10x8 "
                     "--rounds %d --out %s",
                     atoms, rounds, in_folder(run));
}

static void a_sweep_tells_what_changed(void **state) {
  (void)state;
  plant_entry(10, true);
  assert_status(sweep_tuned(50, 9, "slower_then"), 0);
  assert_contains(program_err, "cpu_scatter threads=1 on 50 atoms, 12x10x8, scope kernel: changed "
                               "since it was tuned: ");
  assert_contains(program_err, "evaluations/s on 2026-01-02");
  dcs_table *table = run_table("slower_then", "tuned_check.csv");
  dcs_table *summary = run_table("slower_then", "summary.csv");
  assert_int_equal(dcs_table_rows(table), 1);
  assert_string_equal(text_at(table, 0, "verdict"), "changed");
  assert_close(number_at(table, 0, "evals_per_s"), number_at(summary, 0, "evals_per_s"));
  dcs_table_free(table);
  dcs_table_free(summary);
  assert_status(program_run("report --markdown %s", in_folder("slower_then")), 0);
  assert_contains(program_out, "changed since it was tuned");

  assert_status(sweep_tuned(51, 9, "other_size"), 0); /* the entry serves, but is of another one */
  assert_contains(program_err, "51 atoms, 12x10x8: tuned on this machine: threads=1");
  assert_null(strstr(program_err, "since it was tuned"));
  assert_false(exists(in_folder("other_size/tuned_check.csv")));

  assert_status(sweep_tuned(50, 2, "two"), 0);
  assert_contains(program_err, "perhaps changed since it was tuned");
  assert_contains(program_err, "15 and 2 samples do not tell");
}

static void a_tuning_measures_the_previous_pick_again(void **state) {
  (void)state;
  plant_entry(10, true);
  assert_status(program_run("tune cpu_scatter --atoms 50 --grid 12x10x8 --config threads=1"), 0);
  assert_contains(program_out, "the time of 2026-01-02, threads=1, has changed: ");
  assert_contains(program_out, "with a new file for --journal everything is measured anew");
  plant_entry(0.1, false);
  assert_status(program_run("tune cpu_scatter --atoms 50 --grid 12x10x8 --config threads=1"), 0);
  assert_contains(program_out, "the time of 2026-01-02, threads=1, has perhaps changed: ");
  assert_status(program_run("tune cpu_scatter --atoms 51 --grid 12x10x8 --config threads=1"), 0);
  assert_null(strstr(program_out, "the time of"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_margin_and_the_samples_decide),
      cmocka_unit_test(the_order_of_the_samples_does_not_matter),
      cmocka_unit_test(what_holds_is_kept_and_not_said),
      cmocka_unit_test(what_changed_is_said_until_it_holds_again),
      cmocka_unit_test(few_samples_are_unsure),
      cmocka_unit_test(what_cannot_be_compared_is_left_out),
      cmocka_unit_test(a_damaged_file_is_named),
      cmocka_unit_test(a_sweep_tells_what_changed),
      cmocka_unit_test(a_tuning_measures_the_previous_pick_again),
  };
  return cmocka_run_group_tests(tests, begin, program_teardown);
}
