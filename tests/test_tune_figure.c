/* What the default strategy reaches on the exhaustive searches that are shipped: within 2% of the
 * best after a tenth of the evaluations, in 90 of 100 seeds, on each of them, and in 95 after 20 of
 * them; and at least as often as random search. A replay has no timing: the same seeds find the
 * same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuning/study/study.h"

#include <glob.h>
#include <math.h>
#include <string.h>

enum {
  SEEDS = 100,
  AT_LEAST = 90,
  SOON = 20,
  AT_LEAST_SOON = 95,
  SAMPLES = 7,
  FEWEST_RECORDINGS = 6,
  WHOLE_SPACE = 100
};

static double best_truth(const dcs_replay *replay) {
  double best = INFINITY;
  for (int c = 0; c < replay->space.n; c++)
    best = fmin(best, dcs_replay_truth(replay, c));
  return best;
}

static bool is_near(const dcs_replay *replay, int pick, double limit) {
  return pick >= 0 && dcs_replay_truth(replay, pick) <= limit;
}

/* In how many seeds a strategy is near the best after the first tenth, after each third of it (in
 * near[0] and near[1]), and after SOON evaluations (in near[3]). */
static void count_near(dcs_replay *replay, const char *name, int near[4]) {
  const dcs_strategy *strategy;
  int tenth = replay->space.n / 10;
  double limit = 1.02 * best_truth(replay);
  int samples = replay->samples < SAMPLES ? replay->samples : SAMPLES;
  assert_int_equal(dcs_find_strategy(name, &strategy), DCS_OK);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    dcs_search search;
    assert_int_equal(dcs_search_open(&replay->space, &replay->recording->subject,
                                     &replay->evaluator, samples, seed,
                                     (dcs_budget){tenth, INFINITY}, &search),
                     DCS_OK);
    strategy->run(&search);
    assert_int_equal(search.status, DCS_OK);
    assert_int_equal(search.n_evals, tenth);
    for (int third = 0; third < 3; third++) {
      int pick = search.picks[tenth * (third + 1) / 3 - 1];
      near[third] += is_near(replay, pick, limit);
    }
    near[3] += is_near(replay, search.picks[SOON - 1], limit);
    dcs_search_close(&search);
  }
}

static void reaches_its_figure(const dcs_recorded_space *recording) {
  dcs_replay replay;
  int near[4] = {0}, random[4] = {0};
  assert_true(recording->n >= WHOLE_SPACE && recording->n / 10 >= SOON);
  assert_int_equal(dcs_replay_open(recording, &replay), DCS_OK);
  count_near(&replay, dcs_default_strategy, near);
  count_near(&replay, "random", random);
  char size[DCS_TEXT];
  print_message("%s on %s: %d of %d seeds, random %d; after %d: %d, random %d\n",
                recording->subject.variant->id, dcs_size_text(&recording->subject.size, size),
                near[2], SEEDS, random[2], SOON, near[3], random[3]);
  assert_in_range(near[2], AT_LEAST, SEEDS);
  assert_in_range(near[3], AT_LEAST_SOON, SEEDS);
  for (int third = 0; third < 3; third++)
    assert_true(near[third] >= random[third]);
  dcs_replay_close(&replay);
}

static void the_default_reaches_its_figure_on_every_shipped_journal(void **state) {
  (void)state;
  glob_t paths;
  dcs_journal journal;
  assert_int_equal(glob("results/reference/*/journal_*.csv", 0, NULL, &paths), 0);
  assert_int_equal(dcs_journal_read(paths.gl_pathv, (int)paths.gl_pathc, &journal, stderr), DCS_OK);
  globfree(&paths);
  assert_true(journal.n >= FEWEST_RECORDINGS);
  for (int r = 0; r < journal.n; r++)
    reaches_its_figure(&journal.list[r]);
  dcs_journal_free(&journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_default_reaches_its_figure_on_every_shipped_journal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
