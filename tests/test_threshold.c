/* Thresholds on planted times: parts by hand, and by simulation how often the interval holds the
 * truth and what status is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/simulated_times.h"
#include "tuning/crossover/threshold.h"

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

/* ---- by hand ---- */

static void violators_are_pooled(void **state) {
  (void)state;
  static const double x[] = {0, 1, 2, 3, 4, 5};
  static const double y[] = {1, 3, 2, 4, 0, 9};
  dcs_isotonic_block blocks[6];
  /* 3 2 pool to 2.5; 4 0 to 2, which is below 2.5: all four pool to 2.25. */
  assert_int_equal(dcs_isotonic_fit(x, y, 1, 6, blocks), 3);
  assert_true(blocks[0].value == 1 && blocks[0].n == 1 && blocks[0].centre == 0);
  assert_true(blocks[1].value == 2.25 && blocks[1].n == 4 && blocks[1].centre == 2.5);
  assert_true(blocks[2].value == 9 && blocks[2].n == 1 && blocks[2].centre == 5);
  /* Falling: -1 -3 | -2 -4 0 -9 all pool to the mean of all but nothing rises: -19/6. */
  assert_int_equal(dcs_isotonic_fit(x, y, -1, 6, blocks), 1);
  assert_near(blocks[0].value, -19.0 / 6);
  /* Rising already: nothing pools; equal values do. */
  assert_int_equal(dcs_isotonic_fit(x, x, 1, 6, blocks), 6);
  static const double equal[] = {2, 2, 2};
  assert_int_equal(dcs_isotonic_fit(x, equal, 1, 3, blocks), 1);
  assert_true(blocks[0].value == 2 && blocks[0].centre == 1 && blocks[0].n == 3);
}

static void a_fit_crosses_between_its_blocks(void **state) {
  (void)state;
  static const double x[] = {0, 1, 2, 3}, rising[] = {-2, -1, 3, 4}, falling[] = {4, 3, -1, -2};
  static const double pooled[] = {-3, 1, -1.5, 3}, above[] = {1, 2, 3, 4};
  dcs_isotonic_block blocks[4];
  dcs_threshold_rule rule = dcs_threshold_by_fit(x, rising, 4, blocks);
  assert_near(rule.log_x, 1.25);
  assert_int_equal(rule.below, 0);
  rule = dcs_threshold_by_fit(x, falling, 4, blocks);
  assert_near(rule.log_x, 1.75);
  assert_int_equal(rule.below, 1);
  /* 1 -1.5 pool to -0.25 at 1.5; from there to 3 at 3. */
  assert_near(dcs_threshold_by_fit(x, pooled, 4, blocks).log_x, 1.5 + 1.5 * 0.25 / 3.25);
  rule = dcs_threshold_by_fit(x, above, 4, blocks);
  assert_near(dcs_threshold_loss(rule, 0, 1), 0); /* B at all sizes */
  assert_near(dcs_threshold_loss(rule, 9, -1), expm1(1));
}

static void the_least_loss_decides_where_signs_alternate(void **state) {
  (void)state;
  static const double x[] = {0, 1, 2, 3, 4};
  /* B at 1, A at 2: below 0.5 loses e^0.2 - 1 at 2, below 2.5 loses e^0.1 - 1 at 1. */
  static const double d[] = {-1, 0.1, -0.2, 1, 1};
  dcs_isotonic_block room[5];
  dcs_threshold_rule rule = dcs_threshold_by_loss(x, d, 5, room);
  assert_true(rule.log_x == 2.5 && rule.below == 0);
  assert_near(dcs_threshold_loss(rule, 1, 0.1), expm1(0.1));
  assert_true(dcs_threshold_loss(rule, 2, -0.2) == 0);
}

/* Held against trying each rule at each size; sizes stand twice as well. */
static void the_least_loss_is_that_of_all_rules(void **state) {
  (void)state;
  enum { N = 40 };
  dcs_random random = {5};
  dcs_isotonic_block room[N];
  double x[N], d[N];
  for (int trial = 0; trial < 200; trial++) {
    double least = INFINITY, lost = 0;
    for (int i = 0; i < N; i++) {
      x[i] = i == 0 ? 0 : x[i - 1] + (double)dcs_random_below(&random, 3);
      d[i] = 2 * dcs_random_unit(&random) - 1;
    }
    for (int below = 0; below < 2; below++)
      for (int i = 0; i < N; i++) {
        const dcs_threshold_rule rule = {i ? 0.5 * (x[i - 1] + x[i]) : -INFINITY, below};
        double total = 0;
        for (int k = 0; k < N; k++)
          total += dcs_threshold_loss(rule, x[k], d[k]);
        least = fmin(least, total);
      }
    const dcs_threshold_rule found = dcs_threshold_by_loss(x, d, N, room);
    for (int k = 0; k < N; k++)
      lost += dcs_threshold_loss(found, x[k], d[k]);
    assert_true(fabs(lost / least - 1) < 1e-12);
  }
}

/* Held against leaving out each size and beginning anew: of rows that rise, fall, alternate or are
 * flat, with sizes that stand twice and differences that are the same. */
static void each_size_is_held_out(void **state) {
  (void)state;
  enum { N = 30 };
  dcs_random random = {9};
  dcs_isotonic_block blocks[N];
  double x[N], d[N], other_x[N], other_d[N];
  int signs[N];
  dcs_threshold_rule rules[N];
  for (int trial = 0; trial < 3000; trial++) {
    const int n = 2 + (int)dcs_random_below(&random, N - 1), shape = trial % 5;
    for (int i = 0; i < n; i++) {
      x[i] = i == 0 ? 0 : x[i - 1] + (double)dcs_random_below(&random, 4);
      const double noise = 2 * dcs_random_unit(&random) - 1, at = (i + 0.5) / n - 0.5;
      d[i] = shape == 0   ? noise
             : shape == 1 ? 4 * at + noise
             : shape == 2 ? -4 * at + noise
             : shape == 3 ? (double)dcs_random_below(&random, 3) - 1
                          : 10 * at;
      signs[i] = (int)dcs_random_below(&random, 3) - 1;
      if (trial % 2) signs[i] = (d[i] > 0) - (d[i] < 0);
    }
    dcs_threshold_row row = {.n = (size_t)n, .log_x = x, .d = d, .signs = signs};
    dcs_room room = {0};
    assert_int_equal(dcs_threshold_without_each(&room, &row, rules), DCS_OK);
    for (int held = 0; held < n; held++) {
      size_t m = 0;
      int last;
      for (int i = 0; i < n; i++) {
        if (i == held) continue;
        other_x[m] = x[i];
        other_d[m++] = d[i];
      }
      const bool fits = dcs_threshold_changes(&row, (size_t)held, &last) <= 1;
      const dcs_threshold_rule rule = fits ? dcs_threshold_by_fit(other_x, other_d, m, blocks)
                                           : dcs_threshold_by_loss(other_x, other_d, m, blocks);
      double lost[2] = {0, 0}; /* of rules that lose the same either is right */
      for (size_t i = 0; i < m; i++) {
        lost[0] += dcs_threshold_loss(rules[held], other_x[i], other_d[i]);
        lost[1] += dcs_threshold_loss(rule, other_x[i], other_d[i]);
      }
      const double apart = rules[held].log_x == rule.log_x ? 0 : rules[held].log_x - rule.log_x;
      const bool same = fabs(lost[0] - lost[1]) <= 1e-12 * lost[1];
      if (fits && rules[held].below == rule.below ? !(fabs(apart) < 1e-9) : !same)
        fail_msg("trial %d, without %d of %d: found %g, %d; expected %g, %d", trial, held, n,
                 rules[held].log_x, rules[held].below, rule.log_x, rule.below);
    }
    dcs_room_free(&room);
  }
}

/* ---- planted times ---- */

enum { SIZES = 12, ROUNDS = 15 };

typedef struct {
  double times[2][SIZES][ROUNDS];
  dcs_threshold_size sizes[SIZES];
} planted;

/* Twelve sizes, four a decade from 100. */
static double log_size(int i) {
  return log(100) + i * log(10) / 4;
}

/* Times whose medians differ by d[size]; the machine slows down by 1% from the first round to the
 * last. */
static void plant(planted *p, dcs_random *random, const double d[SIZES], double scatter) {
  for (int i = 0; i < SIZES; i++) {
    p->sizes[i].x = exp(log_size(i));
    for (int m = 0; m < 2; m++) {
      for (int r = 0; r < ROUNDS; r++)
        p->times[m][i][r] = 1e3 * p->sizes[i].x * (m == 0 ? exp(d[i]) : 1) *
                            (1 + 0.01 * r / (ROUNDS - 1)) * simulated_noise(random, scatter);
      p->sizes[i].times[m] = p->times[m][i];
      p->sizes[i].n[m] = ROUNDS;
    }
  }
}

static dcs_threshold find(const planted *p) {
  dcs_threshold threshold;
  assert_int_equal(dcs_threshold_find(p->sizes, SIZES, &threshold), DCS_OK);
  assert_int_equal(threshold.sizes, SIZES);
  return threshold;
}

static dcs_threshold find_in(const double d[SIZES], double scatter, uint64_t seed) {
  static planted p;
  dcs_random random = {seed};
  plant(&p, &random, d, scatter);
  return find(&p);
}

static void assert_status_is(dcs_threshold threshold, const char *status) {
  assert_string_equal(dcs_threshold_status_name(threshold.status), status);
}

static void without_noise_all_is_exact(void **state) {
  (void)state;
  double d[SIZES], mirrored[SIZES];
  for (int i = 0; i < SIZES; i++)
    mirrored[i] = -(d[i] = 0.5 * (log_size(i) - log(5000)));
  dcs_threshold t = find_in(d, 0, 1);
  assert_status_is(t, "ok");
  assert_true(fabs(t.estimate / 5000 - 1) < 1e-9);
  assert_true(fabs(t.lo / 5000 - 1) < 1e-9 && fabs(t.hi / 5000 - 1) < 1e-9);
  assert_int_equal(t.below, 0);
  assert_int_equal(find_in(mirrored, 0, 1).below, 1);
  assert_true(fabs(find_in(mirrored, 0, 1).estimate / 5000 - 1) < 1e-9);
}

/* d is -3 -3 ... at the first six sizes and 0.3 0.3 ... at the last six. Held out, the sixth size
 * finds a threshold between the fifth and the seventh, 10/11 of the way from -3 to 0.3, beyond it;
 * the seventh finds one between the sixth and the eighth, 10/11 of two steps from the sixth:
 * beyond the seventh, which then loses e^0.3 - 1. */
static void regret_by_hand(void **state) {
  (void)state;
  double d[SIZES];
  for (int i = 0; i < SIZES; i++)
    d[i] = i < 6 ? -3 - 0.001 * (5 - i) : 0.3 + 0.001 * (i - 6);
  dcs_threshold t = find_in(d, 0, 1);
  assert_true(fabs(t.regret_worst - expm1(0.3)) < 1e-9);
  assert_true(fabs(t.regret_mean - expm1(0.3) / SIZES) < 1e-9);
}

static void one_method_is_always_faster(void **state) {
  (void)state;
  double d[SIZES];
  for (int sign = -1; sign <= 1; sign += 2)
    for (int slope = -1; slope <= 1; slope++) {
      for (int i = 0; i < SIZES; i++)
        d[i] = sign * (1 + 0.05 * slope * i);
      dcs_threshold t = find_in(d, 0.015, 3);
      assert_status_is(t, sign < 0 ? "always_a" : "always_b");
      assert_true(isnan(t.estimate) && isnan(t.lo) && isnan(t.hi));
      assert_true(t.regret_worst == 0);
    }
  for (int i = 0; i < SIZES; i++) /* always 4% */
    d[i] = -0.04;
  assert_status_is(find_in(d, 0.005, 4), "always_a");
}

static void methods_that_come_close_at_an_end_are_not_bracketed(void **state) {
  (void)state;
  double d[SIZES];
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < SIZES; i++)
      d[i] = -0.03 - 0.1 * (turn ? SIZES - 1 - i : i);
    assert_status_is(find_in(d, 0.005, 5), "not_bracketed");
    for (int i = 0; i < SIZES; i++)
      d[i] -= 0.1;
    assert_status_is(find_in(d, 0.005, 5), "always_a");
  }
  for (int i = 0; i < SIZES; i++) /* 10% at the first size, within scatter of 15% */
    d[i] = i == 0 ? -0.09 : -1.5;
  assert_status_is(find_in(d, 0.15, 5), "not_bracketed");
}

static void equal_methods_are_ambiguous(void **state) {
  (void)state;
  double d[SIZES] = {0};
  dcs_threshold t = find_in(d, 0, 6);
  assert_status_is(t, "ambiguous");
  assert_true(isnan(t.estimate));
  static planted p;
  for (int i = 0; i < SIZES; i++)
    d[i] = log_size(i) - log(5000);
  dcs_random random = {1};
  plant(&p, &random, d, 0.015);
  for (int i = 0; i < SIZES; i++)
    p.sizes[i].n[0] = 5; /* too few to be sure */
  assert_status_is(find(&p), "ambiguous");
}

static void a_vague_crossing_is_ambiguous(void **state) {
  (void)state;
  double d[SIZES];
  for (int i = 0; i < SIZES; i++)
    d[i] = 0.01 * (log_size(i) - log(2371));
  dcs_threshold t = find_in(d, 0.02, 23);
  assert_status_is(t, "ambiguous");
  assert_true(t.lo < t.estimate && t.estimate < t.hi && t.hi > 4 * t.lo && t.hi < 7 * t.lo);
  /* Much scatter, and a crossing near an end: beyond it no size is sure. */
  for (int i = 0; i < SIZES; i++)
    d[i] = 0.012 * (log_size(i) - log(300));
  t = find_in(d, 0.05, 21);
  assert_status_is(t, "ambiguous");
  assert_true(isnan(t.estimate));
  for (int i = 0; i < SIZES; i++)
    d[i] = 0.012 * (log_size(i) - log(20000));
  t = find_in(d, 0.02, 25);
  assert_status_is(t, "not_bracketed");
  assert_true(isnan(t.estimate));
}

/* Neighbouring samples that resemble each other tell less: the same times, 7% apart but for two,
 * are sure where they come in mixed order, and not where they rise. */
static void signs_heed_autocorrelation(void **state) {
  (void)state;
  static const double mixed[] = {1.04, 1.00, 1.05, 1.01, 1.06, 1.02, 1.07, 1.03, 1.08};
  double up[9], a[9], b[9], c[9];
  for (int i = 0; i < 9; i++) {
    up[i] = 1 + 0.01 * i;
    a[i] = mixed[i];
    b[i] = 1.07 * mixed[i];
    c[i] = 1.07 * up[i];
  }
  const dcs_threshold_size apart[] = {{10, {b, a}, {9, 9}, {NULL}, {0}},
                                      {20, {a, b}, {9, 9}, {NULL}, {0}}},
                           alike[] = {{10, {c, up}, {9, 9}, {NULL}, {0}},
                                      {20, {up, c}, {9, 9}, {NULL}, {0}}};
  dcs_threshold t;
  assert_int_equal(dcs_threshold_find(apart, 2, &t), DCS_OK);
  assert_true(t.estimate > 10 && t.estimate < 20);
  assert_int_equal(dcs_threshold_find(alike, 2, &t), DCS_OK);
  assert_true(isnan(t.estimate));
}

/* A tooth at the second size; the last size alone pays for a threshold, and may do so by chance. */
static void a_threshold_of_teeth_may_be_open(void **state) {
  (void)state;
  double d[SIZES];
  for (int turn = -1; turn <= 1; turn += 2) {
    for (int i = 0; i < SIZES; i++)
      d[i] = turn * (i == 1 ? 0.3 : i == SIZES - 1 ? 0.03 : -0.3);
    dcs_threshold t = find_in(d, 0.05, 3);
    assert_status_is(t, "multiple_crossings");
    assert_int_equal(t.below, turn < 0);
    assert_true(t.lo <= t.estimate && isnan(t.hi));
  }
}

static void one_size_has_no_threshold(void **state) {
  (void)state;
  static const double time = 1;
  const dcs_threshold_size size = {.x = 1, .times = {&time, &time}, .n = {1, 1}};
  dcs_threshold threshold;
  assert_int_equal(dcs_threshold_find(&size, 1, &threshold), DCS_INPUT);
  assert_string_equal(dcs_error_message(), "found 1 size; a threshold needs two at least");
}

/* ---- by simulation ---- */

/* d = slope * log(x / truth): how often the interval holds the truth, a new truth a trial. */
static void assert_covers(double slope, double least, const char *name) {
  enum { TRIALS = 400 };
  const int trials = simulated_trials(TRIALS, 60);
  static planted p;
  int covered = 0, ok = 0;
  dcs_random random = {11};
  for (int t = 0; t < trials; t++) {
    double d[SIZES], truth = exp(log(3000) + log(4) * dcs_random_unit(&random));
    for (int i = 0; i < SIZES; i++)
      d[i] = slope * (log_size(i) - log(truth));
    plant(&p, &random, d, 0.015);
    dcs_threshold found = find(&p);
    covered += !(found.lo > truth) && !(found.hi < truth);
    ok += found.status == DCS_THRESHOLD_OK;
  }
  print_message("%s: coverage %.4f, ok %.4f\n", name, (double)covered / trials,
                (double)ok / trials);
  assert_true(covered >= simulated_least(least, trials, trials < TRIALS));
}

static void the_interval_covers_a_steep_crossing(void **state) {
  (void)state;
  assert_covers(0.8, 0.93, "steep");
}

static void the_interval_covers_a_shallow_crossing(void **state) {
  (void)state;
  assert_covers(0.04, 0.90, "shallow");
}

/* Every other size pays for padding: the faster method changes again and again. Where rounds are
 * few, not every sign is sure; teeth that cost less than 5% may then pass for scatter. */
static void saw_teeth_never_pass_for_one_crossing(void **state) {
  (void)state;
  static const size_t rounds[] = {ROUNDS, 9, 6};
  static planted p;
  dcs_random random = {13};
  for (int t = 0; t < simulated_trials(600, 120); t++) {
    double d[SIZES], tooth = 0.15 + 0.25 * dcs_random_unit(&random);
    for (int i = 0; i < SIZES; i++)
      d[i] = 0.1 * (log_size(i) - log(5000)) + (i % 2 ? tooth : -tooth);
    plant(&p, &random, d, 0.015);
    for (int i = 0; i < SIZES; i++)
      p.sizes[i].n[0] = p.sizes[i].n[1] = rounds[t % 3];
    dcs_threshold found = find(&p);
    assert_int_not_equal(found.status, DCS_THRESHOLD_OK);
    if (t % 3 == 0) assert_status_is(found, "multiple_crossings");
    assert_true(found.regret_worst > 0);
  }
}

static void exchanging_the_methods_changes_their_names_only(void **state) {
  (void)state;
  static planted p;
  dcs_random random = {17};
  int open_ends = 0;
  for (int t = 0; t < 100; t++) {
    double d[SIZES], offset = 0.8 * (dcs_random_unit(&random) - 0.5);
    for (int i = 0; i < SIZES; i++)
      d[i] = offset + (i % 3 ? 0.02 : -0.02) + (t % 2 ? 0.2 * (i - 6) : i % 2 ? 0.3 : -0.3);
    plant(&p, &random, d, 0.1);
    dcs_threshold a = find(&p);
    for (int i = 0; i < SIZES; i++) {
      p.sizes[i].times[0] = p.times[1][i];
      p.sizes[i].times[1] = p.times[0][i];
    }
    dcs_threshold b = find(&p);
    if (a.status == DCS_THRESHOLD_ALWAYS_A || a.status == DCS_THRESHOLD_ALWAYS_B)
      assert_int_equal(a.status + b.status, DCS_THRESHOLD_ALWAYS_A + DCS_THRESHOLD_ALWAYS_B);
    else
      assert_int_equal(a.status, b.status);
    assert_int_equal(isnan(a.estimate), isnan(b.estimate));
    assert_int_equal(isnan(a.lo), isnan(b.lo));
    assert_int_equal(isnan(a.hi), isnan(b.hi));
    assert_false(fabs(a.lo / b.lo - 1) > 1e-9 || fabs(a.hi / b.hi - 1) > 1e-9);
    assert_true(isnan(a.estimate) || a.below != b.below);
    assert_true(fabs(a.regret_mean - b.regret_mean) < 1e-9);
    open_ends += !isnan(a.estimate) && (isnan(a.lo) || isnan(a.hi));
  }
  assert_true(open_ends > 0);
}

/* From the threshold on, b is taken: at the threshold itself, too. */
static void the_threshold_belongs_to_what_is_above(void **state) {
  (void)state;
  const dcs_threshold_rule rule = {.log_x = 1, .below = 0};
  assert_true(fabs(dcs_threshold_loss(rule, 1, -0.5) - expm1(0.5)) < 1e-12);
  assert_true(dcs_threshold_loss(rule, 1, 0.5) == 0);
  assert_true(fabs(dcs_threshold_loss(rule, 0.99, 0.5) - expm1(0.5)) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_threshold_belongs_to_what_is_above),
      cmocka_unit_test(violators_are_pooled),
      cmocka_unit_test(a_fit_crosses_between_its_blocks),
      cmocka_unit_test(the_least_loss_decides_where_signs_alternate),
      cmocka_unit_test(the_least_loss_is_that_of_all_rules),
      cmocka_unit_test(each_size_is_held_out),
      cmocka_unit_test(without_noise_all_is_exact),
      cmocka_unit_test(regret_by_hand),
      cmocka_unit_test(one_method_is_always_faster),
      cmocka_unit_test(methods_that_come_close_at_an_end_are_not_bracketed),
      cmocka_unit_test(equal_methods_are_ambiguous),
      cmocka_unit_test(a_vague_crossing_is_ambiguous),
      cmocka_unit_test(signs_heed_autocorrelation),
      cmocka_unit_test(a_threshold_of_teeth_may_be_open),
      cmocka_unit_test(one_size_has_no_threshold),
      cmocka_unit_test(the_interval_covers_a_steep_crossing),
      cmocka_unit_test(the_interval_covers_a_shallow_crossing),
      cmocka_unit_test(saw_teeth_never_pass_for_one_crossing),
      cmocka_unit_test(exchanging_the_methods_changes_their_names_only),
  };
  return cmocka_run_group_tests_name("threshold", tests, NULL, NULL);
}
