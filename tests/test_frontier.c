/* Frontiers on planted times: small planes by hand, and by simulation how often the interval holds
 * the truth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/simulated_times.h"
#include "tuning/crossover/threshold.h"

enum { GRIDS = 4, SIZES = 7, ROUNDS = 15 };

/* Sizes of grid g: n[g] of them from first[g] on, a factor of 2 apart. */
typedef struct {
  double times[2][GRIDS][SIZES][ROUNDS];
  dcs_threshold_size sizes[GRIDS][SIZES];
  dcs_frontier_grid grids[GRIDS];
} planted;

static double log_atoms(int i) {
  return log(100) + i * log(2);
}

static double log_points(int g) {
  return log(1000) + g * log(8);
}

/* Times whose medians differ by d[grid][size]; NaN leaves a cell out. The machine slows down by 1%
 * from the first round to the last. */
static void plant(planted *p, dcs_random *random, double d[GRIDS][SIZES], double scatter) {
  for (int g = 0; g < GRIDS; g++) {
    size_t n = 0;
    for (int i = 0; i < SIZES; i++) {
      if (isnan(d[g][i])) continue;
      for (int m = 0; m < 2; m++)
        for (int r = 0; r < ROUNDS; r++)
          p->times[m][g][i][r] = 1e6 * exp(m == 0 ? d[g][i] : 0) *
                                 (scatter > 0 ? 1 + 0.01 * r / (ROUNDS - 1) : 1) *
                                 simulated_noise(random, scatter);
      p->sizes[g][n++] = (dcs_threshold_size){.x = exp(log_atoms(i)),
                                              .times = {p->times[0][g][i], p->times[1][g][i]},
                                              .n = {ROUNDS, ROUNDS}};
    }
    p->grids[g] = (dcs_frontier_grid){exp(log_points(g)), p->sizes[g], n};
  }
}

static void find_in(double d[GRIDS][SIZES], double scatter, uint64_t seed, size_t n_grids,
                    dcs_threshold found[GRIDS]) {
  static planted p;
  dcs_random random = {seed};
  plant(&p, &random, d, scatter);
  if (dcs_frontier_find(p.grids, n_grids, found) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void assert_is(dcs_threshold found, const char *status, double log_estimate) {
  assert_string_equal(dcs_threshold_status_name(found.status), status);
  if (isnan(log_estimate))
    assert_true(isnan(found.estimate) && isnan(found.lo) && isnan(found.hi));
  else if (!(fabs(log(found.estimate) - log_estimate) < 1e-9))
    fail_msg("found %.17g, expected %.17g", found.estimate, exp(log_estimate));
}

/* ---- by hand ---- */

/* Halfway between sizes 5 and 6, 3 and 4, 1 and 2, and before the first. Of the first grid, the
 * last size alone tells of a crossing: held out, it loses. */
static void without_noise_all_is_exact(void **state) {
  (void)state;
  double d[GRIDS][SIZES], mirrored[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      mirrored[g][i] = -(d[g][i] = 0.5 * (i - (5.5 - 2 * g)));
  for (int turn = 0; turn < 2; turn++) {
    find_in(turn ? mirrored : d, 0, 1, GRIDS, found);
    for (int g = 0; g < GRIDS; g++) {
      assert_int_equal(found[g].below, turn);
      assert_int_equal(found[g].sizes, SIZES);
      assert_true(fabs(found[g].regret_worst - (g == 0 ? expm1(0.25) : 0)) < 1e-9);
      assert_is(found[g],
                g == 0  ? "lossy"
                : g < 3 ? "ok"
                : turn  ? "always_a"
                        : "always_b",
                g < 3 ? log(100) + (5.5 - 2 * g) * log(2) : NAN);
      if (g == 3) continue;
      assert_true(fabs(log(found[g].lo / found[g].estimate)) < 1e-9);
      assert_true(fabs(log(found[g].hi / found[g].estimate)) < 1e-9);
    }
  }
}

/* By themselves 1.5, 3.5, 3.25 and 0.5 steps: the first three pool to 2.75 steps; the first loses
 * e^0.5 - 1 at the third size then. */
static void thresholds_that_rise_are_pooled(void **state) {
  (void)state;
  static const double steps[GRIDS] = {1.5, 3.5, 3.25, 0.5};
  double d[GRIDS][SIZES], pooled = (1.5 + 3.5 + 3.25) / 3;
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = i - steps[g];
  find_in(d, 0, 1, GRIDS, found);
  for (int g = 0; g < GRIDS; g++) {
    assert_is(found[g], "lossy", log(100) + (g < 3 ? pooled : 0.5) * log(2));
    assert_true(found[g].regret_worst > 0.05);
  }
}

/* The first grid was measured below the frontier only, the last above it, and at fewer sizes than
 * the others: that contradicts nothing, and nothing is pooled. */
static void open_grids_agree_with_what_lies_beyond_them(void **state) {
  (void)state;
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++) {
      bool measured = g == 0 ? i < 2 : g == 3 ? i > 4 : true;
      d[g][i] = measured ? i - (g == 3 ? 1.5 : 3.5 - 0.5 * g) : NAN;
    }
  find_in(d, 0, 1, GRIDS, found);
  assert_is(found[0], "always_a", NAN);
  assert_is(found[1], "ok", log(100) + 3 * log(2));
  assert_is(found[2], "ok", log(100) + 2.5 * log(2));
  assert_is(found[3], "always_b", NAN);
  for (int g = 0; g < GRIDS; g++)
    assert_true(found[g].regret_worst == 0);
}

/* A is faster on the largest grid, B on the others: no frontier that falls says so. */
static void a_grid_that_contradicts_is_lossy(void **state) {
  (void)state;
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = g == 3 ? -1 - 0.01 * i : g == 0 ? i - 1.5 : 1 + 0.01 * i;
  find_in(d, 0, 1, GRIDS, found);
  assert_string_equal(dcs_threshold_status_name(found[3].status), "lossy");
  assert_true(found[3].regret_worst > 0.5);
}

/* B is faster on the second grid, but at its last size, where too few samples say otherwise. */
static void what_is_not_sure_contradicts_nothing(void **state) {
  (void)state;
  static planted p;
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  dcs_random random = {1};
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = g == 0 ? i - 3.5 : g == 1 && i == SIZES - 2 ? -0.3 : 1;
  plant(&p, &random, d, 0);
  p.sizes[1][SIZES - 2].n[0] = 5;
  assert_int_equal(dcs_frontier_find(p.grids, GRIDS, found), DCS_OK);
  assert_is(found[1], "always_b", NAN);
}

static void a_sawtooth_has_multiple_crossings(void **state) {
  (void)state;
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = g == 1 ? (i % 2 ? 0.3 : -0.3) : 0.5 * (i - (5.5 - g));
  find_in(d, 0.015, 3, GRIDS, found);
  assert_string_equal(dcs_threshold_status_name(found[1].status), "multiple_crossings");
  assert_true(found[1].regret_worst > 0.2);
}

static void equal_methods_are_ambiguous(void **state) {
  (void)state;
  double d[GRIDS][SIZES] = {{0}};
  dcs_threshold found[GRIDS];
  find_in(d, 0, 6, GRIDS, found);
  for (int g = 0; g < GRIDS; g++)
    assert_is(found[g], "ambiguous", NAN);
}

/* Two sizes each, halfway between them: a cell that is held out leaves its grid with one size, and
 * the other grid decides. Its frontier, 0.5 steps, is right at size 0 and at size 1. */
static void regret_by_hand(void **state) {
  (void)state;
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = i < 2 && g < 2 ? i - 0.5 : NAN;
  find_in(d, 0, 1, 2, found);
  assert_true(found[0].regret_worst == 0 && found[1].regret_worst == 0);
  d[1][0] = 0.25; /* B is faster there: the other grid's frontier loses e^0.25 - 1 */
  find_in(d, 0, 1, 2, found);
  assert_true(fabs(found[1].regret_worst - expm1(0.25)) < 1e-9);
  assert_true(fabs(found[1].regret_mean - 0.5 * expm1(0.25)) < 1e-9);
}

/* The first grid alone says that B gains with atoms, by its larger size; held out, the other grid
 * decides, which says that A does: A is taken at that size, at e^2 times the time of B. */
static void the_direction_is_found_without_the_size_held_out(void **state) {
  (void)state;
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = i > 1 ? NAN : g == 0 ? 3 * i - 1 : 0.5 - i;
  find_in(d, 0, 1, 2, found);
  assert_int_equal(found[0].below, 0);
  assert_true(fabs(found[0].regret_worst - expm1(2)) < 1e-9);
}

/* Thresholds of 2, 0.5 and 0.25 steps. Of the second and the third grid the first size alone tells
 * of a crossing. Held out, that of the second still lies below the frontier between its neighbours;
 * the third has no neighbour beyond it, and loses. */
static void neighbours_tell_what_lies_beyond_the_sizes(void **state) {
  (void)state;
  static const double steps[] = {2, 0.5, 0.25};
  double d[GRIDS][SIZES];
  dcs_threshold found[GRIDS];
  for (int g = 0; g < GRIDS; g++)
    for (int i = 0; i < SIZES; i++)
      d[g][i] = g < 3 ? i - steps[g] : NAN;
  find_in(d, 0, 1, 3, found);
  assert_true(found[0].regret_worst == 0 && found[1].regret_worst == 0);
  assert_true(fabs(found[2].regret_worst - expm1(0.25)) < 1e-9);
}

static void too_little_is_refused(void **state) {
  (void)state;
  static planted p;
  double d[GRIDS][SIZES] = {{0}};
  dcs_threshold found[GRIDS];
  dcs_random random = {1};
  plant(&p, &random, d, 0);
  assert_int_equal(dcs_frontier_find(p.grids, 1, found), DCS_INPUT);
  assert_string_equal(dcs_error_message(), "found 1 grid; a frontier needs two at least");
  p.grids[1].n = 1;
  assert_int_equal(dcs_frontier_find(p.grids, 2, found), DCS_INPUT);
  assert_string_equal(dcs_error_message(), "found 1 size; a threshold needs two at least");
}

/* ---- by simulation ---- */

/* d = slope * (log evaluations - log truth), a new truth a trial: how often the interval of a grid
 * holds the truth where that lies among the grid's sizes. Frontiers never rise. */
static void assert_covers(double slope, double least, const char *name) {
  enum { TRIALS = 400 };
  const int trials = simulated_trials(TRIALS, 60);
  int covered = 0, grids = 0, ok = 0;
  dcs_random random = {19};
  for (int t = 0; t < trials; t++) {
    double d[GRIDS][SIZES], at[GRIDS], truth = log(1.5e6) + log(20) * dcs_random_unit(&random);
    dcs_threshold found[GRIDS];
    for (int g = 0; g < GRIDS; g++) {
      at[g] = truth - 0.5 * log_points(g);
      at[g] -= 0.5 * log(1000); /* log atoms at which d is 0 */
      for (int i = 0; i < SIZES; i++)
        d[g][i] = slope * (log_atoms(i) - at[g]);
    }
    find_in(d, 0.015, dcs_random_next(&random), GRIDS, found);
    double before = INFINITY;
    for (int g = 0; g < GRIDS; g++) {
      if (!isnan(found[g].estimate)) {
        assert_true(found[g].estimate <= before * (1 + 1e-9));
        before = found[g].estimate;
      }
      if (at[g] < log_atoms(1) || at[g] > log_atoms(SIZES - 2)) continue;
      grids++;
      covered += !(found[g].lo > exp(at[g])) && !(found[g].hi < exp(at[g]));
      ok += found[g].status == DCS_THRESHOLD_OK;
    }
  }
  print_message("%s: %d thresholds, coverage %.4f, ok %.4f\n", name, grids, (double)covered / grids,
                (double)ok / grids);
  assert_true(grids >= trials);
  assert_true(covered >= simulated_least(least, grids, trials < TRIALS));
}

static void the_interval_covers_a_steep_frontier(void **state) {
  (void)state;
  assert_covers(0.8, 0.93, "steep");
}

static void the_interval_covers_a_shallow_frontier(void **state) {
  (void)state;
  assert_covers(0.04, 0.90, "shallow");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_noise_all_is_exact),
      cmocka_unit_test(thresholds_that_rise_are_pooled),
      cmocka_unit_test(open_grids_agree_with_what_lies_beyond_them),
      cmocka_unit_test(a_grid_that_contradicts_is_lossy),
      cmocka_unit_test(what_is_not_sure_contradicts_nothing),
      cmocka_unit_test(a_sawtooth_has_multiple_crossings),
      cmocka_unit_test(equal_methods_are_ambiguous),
      cmocka_unit_test(regret_by_hand),
      cmocka_unit_test(the_direction_is_found_without_the_size_held_out),
      cmocka_unit_test(neighbours_tell_what_lies_beyond_the_sizes),
      cmocka_unit_test(too_little_is_refused),
      cmocka_unit_test(the_interval_covers_a_steep_frontier),
      cmocka_unit_test(the_interval_covers_a_shallow_frontier),
  };
  return cmocka_run_group_tests_name("frontier", tests, NULL, NULL);
}
