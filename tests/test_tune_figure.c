/* What the default strategy reaches on the exhaustive searches that are shipped: within 2% of the
 * best after a tenth of the evaluations, in 9 of 10 seeds, on each of them; and after each third of
 * that no more time lost, in the mean, than by random search. A replay has no timing: the same
 * seeds find the same, and so small a space is searched alike with all of them but for equals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuning/study/study.h"

#include <glob.h>
#include <math.h>

enum { SEEDS = 20, OF_RANDOM = 100, SAMPLES = 7, FEWEST_RECORDINGS = 6, WHOLE_SPACE = 100 };

static double best_truth(const dcs_replay *replay) {
  double best = INFINITY;
  for (int c = 0; c < replay->space.n; c++)
    best = fmin(best, dcs_replay_truth(replay, c));
  return best;
}

typedef struct {
  int near;       /* seeds that are within 2% of the best after a tenth of the evaluations */
  double lost[3]; /* over the best, after each third of them: the mean of all seeds */
} reached;

static reached run_seeds(dcs_replay *replay, const char *name, int seeds) {
  const dcs_strategy *strategy;
  const double best = best_truth(replay);
  const int tenth = replay->space.n / 10;
  const int samples = replay->samples < SAMPLES ? replay->samples : SAMPLES;
  reached r = {0};
  assert_int_equal(dcs_find_strategy(name, &strategy), DCS_OK);
  for (int seed = 1; seed <= seeds; seed++) {
    dcs_search search;
    assert_int_equal(dcs_search_open(&replay->space, &replay->recording->subject,
                                     &replay->evaluator, samples, (uint64_t)seed,
                                     (dcs_budget){tenth, INFINITY}, &search),
                     DCS_OK);
    strategy->run(&search);
    assert_int_equal(search.status, DCS_OK);
    assert_int_equal(search.n_evals, tenth);
    for (int third = 0; third < 3; third++) {
      const int pick = search.picks[tenth * (third + 1) / 3 - 1];
      assert_true(pick >= 0);
      r.lost[third] += (dcs_replay_truth(replay, pick) / best - 1) / seeds;
      r.near += third == 2 && dcs_replay_truth(replay, pick) <= 1.02 * best;
    }
    dcs_search_close(&search);
  }
  return r;
}

static void reaches_its_figure(const dcs_recorded_space *recording) {
  dcs_replay replay;
  char size[DCS_TEXT];
  assert_true(recording->n >= WHOLE_SPACE);
  assert_int_equal(dcs_replay_open(recording, &replay), DCS_OK);
  const reached own = run_seeds(&replay, dcs_default_strategy, SEEDS);
  const reached random = run_seeds(&replay, "random", OF_RANDOM);
  print_message("%s on %s: near in %d of %d seeds, random in %d of %d; lost after a third %.1f%%, "
                "random %.1f%%\n",
                recording->subject.variant->id, dcs_size_text(&recording->subject.size, size),
                own.near, SEEDS, random.near, OF_RANDOM, 100 * own.lost[0], 100 * random.lost[0]);
  assert_in_range(own.near, 9 * SEEDS / 10, SEEDS);
  for (int third = 0; third < 3; third++)
    assert_true(own.lost[third] <= random.lost[third]);
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
