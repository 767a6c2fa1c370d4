/* The study of strategies on a generated space whose times are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"
#include "tests/written_journal.h"
#include "tuning/study/study.h"

typedef struct {
  dcs_space space;
  dcs_journal journal;
  dcs_replay replay;
} recorded;

/* A study runs every strategy a hundred times. */
static const char a_part[] = "block_x=16|32,block_y=2|4";

/* Without noise and failures: each recorded time is the planted one. */
static int recorded_begin(void **state) {
  recorded *r = calloc(1, sizeof *r);
  char path[PATH_MAX], *paths[] = {path};
  written_space exact = padded_space;
  exact.config = a_part;
  exact.scatter = 0;
  exact.fails_every = 0;
  snprintf(path, sizeof path, "%s", in_folder("exact.csv"));
  unlink(path);
  put_journal(path, &exact, &r->space);
  assert_int_equal(dcs_journal_read(paths, 1, &r->journal, stderr), DCS_OK);
  assert_int_equal(dcs_replay_open(&r->journal.list[0], &r->replay), DCS_OK);
  *state = r;
  return 0;
}

static int recorded_end(void **state) {
  recorded *r = *state;
  dcs_replay_close(&r->replay);
  dcs_journal_free(&r->journal);
  dcs_space_free(&r->space);
  free(r);
  return 0;
}

static double planted_best_at(const recorded *r, int p, int v) {
  double best = INFINITY;
  for (int c = 0; c < r->space.n; c++)
    if (r->space.position[c][p] == v) best = fmin(best, written_truth(&r->space, c));
  return best;
}

static void importance_is_what_the_worst_value_costs(void **state) {
  recorded *r = *state;
  for (int p = 0; p < r->space.variant->n_params; p++) {
    double best = INFINITY, worst = 0;
    for (int v = 0; v < r->space.n_values[p]; v++) {
      best = fmin(best, planted_best_at(r, p, v));
      worst = fmax(worst, planted_best_at(r, p, v));
    }
    double found = dcs_study_importance(&r->replay, p);
    assert_true(fabs(found - (1 - best / worst)) < 1e-9);
  }
  double coarsen = dcs_study_importance(&r->replay, 2);
  assert_true(coarsen > 0.3 && coarsen > dcs_study_importance(&r->replay, 0));
}

static void curves_fall_to_the_best(void **state) {
  recorded *r = *state;
  for (int k = 0; k < dcs_n_strategies; k++) {
    dcs_study_curves curves;
    dcs_progress progress = {.quiet = true};
    assert_int_equal(dcs_study_strategy(&r->replay, &dcs_strategies[k], 7, &progress, &curves),
                     DCS_OK);
    assert_int_equal(curves.evals, r->space.n);
    for (int e = 2; e <= curves.evals; e++) {
      assert_true(dcs_study_quantile(&curves, e, 0.5) <= dcs_study_quantile(&curves, e - 1, 0.5));
      assert_true(dcs_study_within(&curves, e, 0.02) >= dcs_study_within(&curves, e - 1, 0.02));
    }
    assert_int_equal(dcs_study_within(&curves, curves.evals, 0), curves.seeds);
    if (strcmp(dcs_strategies[k].name, "exhaustive") == 0) assert_int_equal(curves.seeds, 1);
    if (strcmp(dcs_strategies[k].name, "random") == 0)
      assert_int_equal(curves.seeds, DCS_STUDY_SEEDS);
    free(curves.regret);
  }
}

static void quantiles_of_known_curves(void **state) {
  (void)state;
  double regret[DCS_STUDY_SEEDS];
  dcs_study_curves curves = {regret, DCS_STUDY_SEEDS, 1, INFINITY};
  for (int s = 0; s < DCS_STUDY_SEEDS; s++)
    regret[s] = s;
  assert_true(dcs_study_quantile(&curves, 1, 0) == 0);
  assert_true(dcs_study_quantile(&curves, 1, 0.5) == 49.5);
  assert_true(dcs_study_quantile(&curves, 1, 1) == 99);
  assert_int_equal(dcs_study_within(&curves, 1, 9), 10);
  for (int s = 50; s < DCS_STUDY_SEEDS; s++)
    regret[s] = INFINITY;
  assert_true(dcs_study_quantile(&curves, 1, 0.75) == INFINITY);
  assert_int_equal(dcs_study_within(&curves, 1, 1e300), 50);
}

/* Half of the seeds found nothing: they count as the slowest. */
static void means_of_known_curves(void **state) {
  (void)state;
  double regret[DCS_STUDY_SEEDS];
  dcs_study_curves curves = {regret, DCS_STUDY_SEEDS, 1, 0.3};
  for (int s = 0; s < DCS_STUDY_SEEDS; s++)
    regret[s] = s < 50 ? 0.1 : INFINITY;
  const dcs_study_mean mean = dcs_study_regret(&curves, 1);
  assert_float_equal(mean.value, 0.2, 1e-6);
  assert_float_equal(mean.hi - mean.value, 1.96 * 0.1 / sqrt(99), 1e-6);
  assert_float_equal(mean.value - mean.lo, 1.96 * 0.1 / sqrt(99), 1e-6);
  curves.seeds = 1;
  const dcs_study_mean of_one = dcs_study_regret(&curves, 1);
  assert_float_equal(of_one.value, 0.1, 1e-6);
  assert_true(isnan(of_one.lo) && isnan(of_one.hi));
}

static void the_study_is_written_and_drawn(void **state) {
  (void)state;
  dcs_space space;
  written_space recorded_part = padded_space;
  recorded_part.config = a_part;
  put_journal(in_folder("study.csv"), &recorded_part, &space);
  int n = space.n;
  dcs_space_free(&space);
  const char *journal = in_folder("study.csv");
  assert_status(program_run("tune --study %s --out %s", journal, in_folder("study")), 0);
  assert_contains(program_out, dcs_default_strategy);
  dcs_table *study = run_table("study", "study.csv");
  assert_int_equal(dcs_table_rows(study), (size_t)n * (size_t)dcs_n_strategies);
  for (size_t row = 0; row < dcs_table_rows(study); row++)
    assert_in_range(number_at(study, row, "within_2pct_of_100"), 0, 100);
  dcs_table_free(study);
  dcs_table *importance = run_table("study", "importance.csv");
  assert_int_equal(dcs_table_rows(importance), 5);
  dcs_table_free(importance);
  dcs_table *regret = run_table("study", "regret.csv");
  assert_true(n < 100); /* after 10 and 30 evaluations */
  assert_int_equal(dcs_table_rows(regret), 2 * (size_t)dcs_n_strategies);
  for (size_t row = 0; row < dcs_table_rows(regret); row++) {
    if (number_at(regret, row, "seeds") < 2) { /* every seed finds the same */
      assert_string_equal(text_at(regret, row, "regret_lo"), "");
      assert_string_equal(text_at(regret, row, "regret_hi"), "");
      continue;
    }
    assert_true(number_at(regret, row, "regret_lo") <= number_at(regret, row, "regret_mean"));
    assert_true(number_at(regret, row, "regret_mean") <= number_at(regret, row, "regret_hi"));
  }
  dcs_table_free(regret);
  static const char *const names[] = {"regret", "convergence", "importance", "landscape"};
  for (int f = 0; f < 4; f++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cuda_padded-kernel-3000-100x90x80/plots/%s.dat",
             in_folder("study"), names[f]);
    assert_true(exists(path));
  }
}

static void small_recordings_are_left_out(void **state) {
  (void)state;
  const written_space few = {"cuda_naive", {64, 64, 64}, 100, 0.01, 7, 0, 1, NULL};
  dcs_space space;
  put_journal(in_folder("few.csv"), &few, &space);
  dcs_space_free(&space);
  assert_status(
      program_run("tune --study %s --out %s", in_folder("few.csv"), in_folder("few_study")), 3);
  assert_contains(program_out, "left out");
  assert_contains(program_err, "--strategy exhaustive");
  assert_false(exists(in_folder("few_study/study.csv")));
}

/* Times count whether or not there was something to hold the outputs against. */
static void unverified_times_are_studied_as_others(void **state) {
  (void)state;
  static const dcs_outcome outcomes[] = {DCS_OUTCOME_OK, DCS_OUTCOME_UNVERIFIED};
  char *regret[2];
  for (int o = 0; o < 2; o++) {
    dcs_space space;
    written_space part = padded_space;
    part.config = a_part;
    part.outcome = outcomes[o];
    unlink(in_folder("part.csv"));
    put_journal(in_folder("part.csv"), &part, &space);
    dcs_space_free(&space);
    assert_status(program_run("tune --study %s --out %s", in_folder("part.csv"), in_folder("part")),
                  0);
    regret[o] = get_file(in_folder("part/regret.csv"), NULL);
  }
  assert_string_equal(regret[0], regret[1]);
  free(regret[0]);
  free(regret[1]);
}

static void recordings_without_a_time_are_left_out(void **state) {
  (void)state;
  dcs_space space;
  written_space part = padded_space;
  part.config = a_part;
  part.outcome = DCS_OUTCOME_COMPILE;
  put_journal(in_folder("none.csv"), &part, &space);
  const int n = space.n;
  dcs_space_free(&space);
  assert_status(program_run("tune --study %s --out %s", in_folder("none.csv"), in_folder("none")),
                3);
  char said[99];
  snprintf(said, sizeof said, "none of %d configurations has a time", n);
  assert_contains(program_out, said);
  assert_contains(program_err, "one with a time");
}

/* As an H200 timed it; all seeds search it alike. */
static void the_best_of_ktts_kernel_is_found(void **state) {
  (void)state;
  for (int seed = 1; seed <= 3; seed++) {
    double behind = NAN;
    assert_status(program_run("tune --replay results/reference/nvidia-h200/coulomb3d.t4.json "
                              "--budget-evals 20 --seed %d",
                              seed),
                  0);
    const char *found = strstr(program_out, "USE_SOA=0: ");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "USE_SOA=0: %lf%% slower than the best", &behind), 1);
    assert_true(behind < 0.3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(importance_is_what_the_worst_value_costs, recorded_begin,
                                      recorded_end),
      cmocka_unit_test_setup_teardown(curves_fall_to_the_best, recorded_begin, recorded_end),
      cmocka_unit_test(quantiles_of_known_curves),
      cmocka_unit_test(means_of_known_curves),
      cmocka_unit_test(the_study_is_written_and_drawn),
      cmocka_unit_test(small_recordings_are_left_out),
      cmocka_unit_test(the_best_of_ktts_kernel_is_found),
      cmocka_unit_test(unverified_times_are_studied_as_others),
      cmocka_unit_test(recordings_without_a_time_are_left_out),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
