/* The strategies on recorded spaces with a known optimum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/written_journal.h"
#include "tuning/study/study.h"
#include "tuning/tuner/tuner.h"

/* ---- strategies ---- */

typedef struct {
  dcs_space space;
  dcs_journal journal;
  dcs_replay replay;
} recorded;

/* With the noise of a seed. */
static recorded *record(uint64_t seed) {
  recorded *r = calloc(1, sizeof *r);
  char path[PATH_MAX], *paths[] = {path};
  written_space noisy = padded_space;
  noisy.seed = seed;
  snprintf(path, sizeof path, "%s", in_folder("strategies.csv"));
  unlink(path);
  put_journal(path, &noisy, &r->space);
  assert_int_equal(dcs_journal_read(paths, 1, &r->journal, stderr), DCS_OK);
  assert_int_equal(dcs_replay_open(&r->journal.list[0], &r->replay), DCS_OK);
  return r;
}

static void forget(recorded *r) {
  dcs_replay_close(&r->replay);
  dcs_journal_free(&r->journal);
  dcs_space_free(&r->space);
  free(r);
}

static int recorded_begin(void **state) {
  *state = record(padded_space.seed);
  return 0;
}

static int recorded_end(void **state) {
  forget(*state);
  return 0;
}

/* Without a subject nothing is known of the launches. */
static dcs_search searched_of(recorded *r, const dcs_subject *subject, const char *name,
                              uint64_t seed, int64_t evals) {
  const dcs_strategy *strategy;
  dcs_search search;
  dcs_budget budget = {evals, INFINITY};
  assert_int_equal(dcs_find_strategy(name, &strategy), DCS_OK);
  assert_int_equal(
      dcs_search_open(&r->replay.space, subject, &r->replay.evaluator, 9, seed, budget, &search),
      DCS_OK);
  strategy->run(&search);
  assert_int_equal(search.status, DCS_OK);
  return search;
}

static dcs_search searched(recorded *r, const char *name, uint64_t seed, int64_t evals) {
  return searched_of(r, NULL, name, seed, evals);
}

static double best_truth(const recorded *r) {
  double best = INFINITY;
  for (int c = 0; c < r->replay.space.n; c++)
    best = fmin(best, dcs_replay_truth(&r->replay, c));
  return best;
}

static void without_a_budget_all_is_known_and_the_best_found(void **state) {
  recorded *r = *state;
  for (int s = 0; s < dcs_n_strategies; s++) {
    dcs_search search = searched(r, dcs_strategies[s].name, 3, -1);
    assert_int_equal(search.n_known, search.space->n);
    assert_int_equal(search.n_evals, search.space->n);
    if (dcs_replay_truth(&r->replay, dcs_search_best(&search)) != best_truth(r))
      fail_msg("%s", dcs_strategies[s].name);
    dcs_search_close(&search);
  }
}

static void the_same_seed_gives_the_same_search(void **state) {
  recorded *r = *state;
  for (int s = 0; s < dcs_n_strategies; s++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      dcs_search a = searched(r, dcs_strategies[s].name, seed, 60);
      dcs_search b = searched(r, dcs_strategies[s].name, seed, 60);
      assert_int_equal(a.n_evals, 60);
      assert_int_equal(b.n_evals, 60);
      assert_memory_equal(a.picks, b.picks, 60 * sizeof *a.picks);
      dcs_search_close(&a);
      dcs_search_close(&b);
    }
}

static void a_larger_budget_goes_on_the_same_way(void **state) {
  recorded *r = *state;
  for (int s = 0; s < dcs_n_strategies; s++) {
    const char *name = dcs_strategies[s].name;
    dcs_search a = searched(r, name, 7, 20), b = searched(r, name, 7, 80);
    assert_memory_equal(a.picks, b.picks, 20 * sizeof *a.picks);
    dcs_search_close(&a);
    dcs_search_close(&b);
  }
}

static void failures_are_never_picked(void **state) {
  recorded *r = *state;
  for (int s = 0; s < dcs_n_strategies; s++) {
    dcs_search search = searched(r, dcs_strategies[s].name, 11, 200);
    for (int64_t e = 0; e < search.n_evals; e++)
      if (search.picks[e] >= 0)
        assert_true(isfinite(dcs_replay_truth(&r->replay, search.picks[e])));
    dcs_search_close(&search);
  }
}

/* A budget of seconds may be over before anything was evaluated: then the initial configuration is.
 */
static void something_is_evaluated_whatever_the_time(void **state) {
  recorded *r = *state;
  for (int s = 0; s < dcs_n_strategies; s++) {
    dcs_search search;
    assert_int_equal(dcs_search_open(&r->replay.space, NULL, &r->replay.evaluator, 9, 1,
                                     (dcs_budget){-1, 0}, &search),
                     DCS_OK);
    dcs_strategies[s].run(&search);
    assert_int_equal(search.status, DCS_OK);
    assert_int_equal(search.n_evals, 1);
    dcs_search_close(&search);
  }
}

/* What is known already is not asked for again, and does not count. */
static void what_is_known_is_free(void **state) {
  recorded *r = *state;
  const dcs_strategy *greedy;
  dcs_search first = searched(r, "greedy", 5, 30), second;
  assert_int_equal(dcs_find_strategy("greedy", &greedy), DCS_OK);
  assert_int_equal(dcs_search_open(&r->replay.space, NULL, &r->replay.evaluator, 9, 5,
                                   (dcs_budget){10, INFINITY}, &second),
                   DCS_OK);
  for (int c = 0; c < second.space->n; c++) {
    const dcs_evaluation *e = &first.known[c];
    if (!e->known) continue;
    second.known[c].known = true;
    second.known[c].outcome = e->outcome;
    second.n_known++;
    assert_int_equal(dcs_evaluation_add(&second.known[c], e->times, e->n), DCS_OK);
  }
  int known = second.n_known;
  greedy->run(&second);
  assert_int_equal(second.n_evals, 10);
  assert_int_equal(second.n_known, known + 10);
  dcs_search_close(&first);
  dcs_search_close(&second);
}

typedef struct {
  dcs_evaluator evaluator;
  const dcs_space *space;
  bool sound;        /* none fails */
  int asked[200], n; /* in the order they were */
} planted;

/* Every fifth fails, where not all are sound; the others take what was planted. */
static dcs_status plant(dcs_evaluator *evaluator, int config, int samples, dcs_evaluation *e) {
  planted *from = (planted *)evaluator;
  double ns = written_truth(from->space, config);
  if (from->n < 200) from->asked[from->n++] = config;
  e->known = true;
  e->outcome = !from->sound && config % 5 == 0 ? DCS_OUTCOME_LAUNCH : DCS_OUTCOME_OK;
  while (e->outcome == DCS_OUTCOME_OK && e->n < samples)
    if (dcs_evaluation_add(e, &ns, 1) != DCS_OK) return DCS_UNAVAILABLE;
  return DCS_OK;
}

/* In how many parameters the i-th that was asked for differs from the nearest of those before. */
static int steps_taken(const planted *from, int i) {
  const dcs_space *space = from->space;
  int least = INT_MAX;
  for (int b = 0; b < i; b++) {
    int steps = 0;
    for (int p = 0; p < space->variant->n_params; p++)
      steps += space->position[from->asked[i]][p] != space->position[from->asked[b]][p];
    if (steps < least) least = steps;
  }
  return least;
}

/* More configurations than a model looks through, and more evaluations than it takes. */
static void a_large_space_is_searched_in_part(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 2000, .n = {64, 64, 64}, .spacing = 1};
  dcs_space space;
  dcs_search search;
  assert_int_equal(dcs_space_build(dcs_find_variant("cuda_padded"),
                                   "block_x=1:32,block_y=1:16,coarsen=1:8", &problem, 2, &space),
                   DCS_OK);
  assert_true(space.n > 4096);
  planted from = {.evaluator = {plant}, .space = &space};
  assert_int_equal(
      dcs_search_open(&space, NULL, &from.evaluator, 3, 1, (dcs_budget){200, INFINITY}, &search),
      DCS_OK);
  dcs_search_surrogate(&search);
  assert_int_equal(search.status, DCS_OK);
  assert_int_equal(search.n_evals, 200);
  int better = 0, best = dcs_search_best(&search);
  for (int c = 0; c < space.n; c++)
    better += c % 5 != 0 && written_truth(&space, c) < written_truth(&space, best);
  assert_true(better < space.n / 100);
  dcs_search_close(&search);
  dcs_space_free(&space);
}

enum { N_KNOBS = 6, N_SETTINGS = 4, N_LARGE = 4096 }; /* N_SETTINGS to the N_KNOBS */

static void make_large(dcs_space *space) {
  static const dcs_param knob = {.meaning = "", .lo = 0, .hi = N_SETTINGS - 1, .real = true};
  static const char *const names[N_KNOBS] = {"a", "b", "c", "d", "e", "f"};
  static dcs_param params[N_KNOBS];
  static const dcs_variant variant = {.id = "own", .params = params, .n_params = N_KNOBS};
  static dcs_config configs[N_LARGE];
  for (int p = 0; p < N_KNOBS; p++) {
    params[p] = knob;
    params[p].name = names[p];
  }
  for (int c = 0; c < N_LARGE; c++)
    for (int p = 0, left = c; p < N_KNOBS; p++, left /= N_SETTINGS)
      configs[c].value[p] = left % N_SETTINGS;
  assert_int_equal(dcs_space_of_configs(&variant, configs, N_LARGE, space), DCS_OK);
}

/* It begins with the start and the middle; then it steps from what it knows. */
static void a_large_space_is_searched_by_steps(void **state) {
  (void)state;
  dcs_space space;
  dcs_search search;
  make_large(&space);
  planted from = {.evaluator = {plant}, .space = &space, .sound = true};
  assert_int_equal(
      dcs_search_open(&space, NULL, &from.evaluator, 1, 1, (dcs_budget){8, INFINITY}, &search),
      DCS_OK);
  dcs_search_surrogate(&search);
  assert_int_equal(search.status, DCS_OK);
  assert_int_equal(from.n, 8);
  assert_int_equal(from.asked[0], search.start);
  assert_int_equal(from.asked[1], dcs_space_middle(&space));
  for (int i = 2; i < 8; i++)
    assert_in_range(steps_taken(&from, i), 1, 2);
  dcs_search_close(&search);
  dcs_space_free(&space);
}

/* Whether a tenth of the evaluations ends within 2% of the best. *drew: the seed played a part. */
static bool is_near(recorded *r, const dcs_subject *subject, const char *name, uint64_t seed,
                    bool *drew) {
  dcs_search search = searched_of(r, subject, name, seed, r->replay.space.n / 10);
  const int best = dcs_search_best(&search);
  *drew = search.random.state != seed;
  dcs_search_close(&search);
  return best >= 0 && dcs_replay_truth(&r->replay, best) <= 1.02 * best_truth(r);
}

/* In how many of 20 recordings, which differ in their noise. Seeds would not do: the default draws
 * nothing in a space that it looks through as a whole. */
static int count_near(const char *name, bool told, bool draws) {
  int near = 0;
  for (uint64_t noise = 1; noise <= 20; noise++) {
    recorded *r = record(noise);
    bool drew;
    near += is_near(r, told ? &r->replay.recording->subject : NULL, name, noise, &drew);
    assert_int_equal(drew, draws);
    forget(r);
  }
  return near;
}

/* Also where it is misled: the planted times have nothing to do with the work of the launches,
 * which the subject tells. */
static void the_default_beats_random_on_a_smooth_space(void **state) {
  (void)state;
  const int random = count_near("random", false, true);
  const int own = count_near(dcs_default_strategy, false, false);
  const int misled = count_near(dcs_default_strategy, true, false);
  print_message("of 20: random %d, the default %d, misled %d\n", random, own, misled);
  assert_true(own >= 18);
  assert_true(random < 18);
  assert_true(misled > 2 * random);
}

/* ---- the finalists ---- */

static void finalists_overlap_the_best(void **state) {
  recorded *r = *state;
  dcs_search search = searched(r, "exhaustive", 1, -1);
  int list[DCS_MAX_FINALISTS], n = dcs_finalists(&search, list);
  assert_in_range(n, 1, DCS_MAX_FINALISTS);
  assert_int_equal(list[0], dcs_search_best(&search));
  for (int f = 1; f < n; f++) {
    assert_true(search.known[list[f]].stats.lo <= search.known[list[0]].stats.hi);
    assert_true(search.known[list[f]].stats.median >= search.known[list[f - 1]].stats.median);
  }
  int closer = 0; /* none that was left out is better than the last */
  for (int c = 0; c < search.space->n; c++)
    closer += search.known[c].outcome == DCS_OUTCOME_OK &&
              search.known[c].stats.lo <= search.known[list[0]].stats.hi &&
              search.known[c].stats.median < search.known[list[n - 1]].stats.median;
  assert_int_equal(closer, n - 1);
  dcs_search_close(&search);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(without_a_budget_all_is_known_and_the_best_found,
                                      recorded_begin, recorded_end),
      cmocka_unit_test_setup_teardown(the_same_seed_gives_the_same_search, recorded_begin,
                                      recorded_end),
      cmocka_unit_test_setup_teardown(a_larger_budget_goes_on_the_same_way, recorded_begin,
                                      recorded_end),
      cmocka_unit_test_setup_teardown(failures_are_never_picked, recorded_begin, recorded_end),
      cmocka_unit_test_setup_teardown(something_is_evaluated_whatever_the_time, recorded_begin,
                                      recorded_end),
      cmocka_unit_test_setup_teardown(what_is_known_is_free, recorded_begin, recorded_end),
      cmocka_unit_test(a_large_space_is_searched_in_part),
      cmocka_unit_test(a_large_space_is_searched_by_steps),
      cmocka_unit_test(the_default_beats_random_on_a_smooth_space),
      cmocka_unit_test_setup_teardown(finalists_overlap_the_best, recorded_begin, recorded_end),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
