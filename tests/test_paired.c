/* Ratios of times taken in pairs: by hand, against the tables of the signed-rank test, and by
 * simulation of sessions: drift, autocorrelation, processes that differ, a busy machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/paired.h"
#include "tests/simulated_times.h"

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Pairs whose log ratios are values[n], a block each. */
static dcs_ratio ratio_of_values(const double *values, size_t n, double *p) {
  double a[128], b[128], room[128];
  int block[128];
  for (size_t i = 0; i < n; i++) {
    a[i] = 5;
    b[i] = 5 * exp(values[i]);
    block[i] = (int)i;
  }
  return dcs_ratio_of_pairs(a, b, block, n, room, p);
}

/* ---- by hand ---- */

static void a_block_counts_once_by_its_least_times(void **state) {
  (void)state;
  static const double a[] = {2, 1, 70, 2, 2, 4, 1}, b[] = {3, 90, 3, 6, 18, 4, 0.5};
  static const int block[] = {0, 0, 0, 3, 3, 7, 9};
  double room[7], p;
  /* Values 3, 3, 1, 0.5. Averages of their logarithms as ratios, sorted: 0.5, 0.707, 1, 1.225,
   * 1.225, 1.732, 1.732, 3, 3, 3; the middle is the root of 1.225 * 1.732. */
  dcs_ratio ratio = dcs_ratio_of_pairs(a, b, block, 7, room, &p);
  assert_near(ratio.value, pow(1.5 * 3, 0.25));
  assert_true(ratio.n_a == 7 && ratio.n_b == 7);
  assert_true(isnan(ratio.lo) && isnan(ratio.hi) && isnan(p));
  assert_true(isnan(dcs_ratio_of_pairs(a, b, block, 0, room, &p).value) && isnan(p));
}

/* Values 2^i: of the averages, (2^i + 2^j)/2 with i >= j, those that are at most 2^i/2 + 2^j/2 are
 * i(i + 1)/2 + j + 1, so that an end is its own rank. */
static size_t rank_of(double log_ratio) {
  const double sum = 2 * log_ratio;
  const int i = (int)floor(log2(sum / (1 + 1e-9))); /* 2^i + 2^i counts as 2^(i + 1) - */
  const double rest = sum - exp2(i);
  const int j = rest > 0.5 ? (int)lround(log2(rest)) : 0;
  return (size_t)(i * (i + 1) / 2 + j + 1);
}

static void the_interval_has_the_tables_ranks(void **state) {
  (void)state;
  /* The largest sum that is significant at 5%, two-sided, as tables of the test print it. */
  static const struct {
    size_t n, critical;
  } table[] = {{6, 0}, {7, 2}, {8, 3}, {9, 5}, {10, 8}, {12, 13}, {15, 25}, {16, 29}, {20, 52}};
  for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
    double values[20], p;
    for (size_t i = 0; i < table[t].n; i++)
      values[i] = exp2((double)i) / 4096;
    dcs_ratio ratio = ratio_of_values(values, table[t].n, &p);
    assert_int_equal(rank_of(4096 * log(ratio.lo)), table[t].critical + 1);
    for (size_t i = 0; i < table[t].n; i++)
      values[i] = -values[i];
    ratio = ratio_of_values(values, table[t].n, &p);
    assert_int_equal(rank_of(-4096 * log(ratio.hi)), table[t].critical + 1);
  }
}

static void the_probability_is_beyond_the_margin(void **state) {
  (void)state;
  double values[70], p;
  const double margin = log(DCS_CHANGE_MARGIN);
  for (int i = 0; i < 8; i++)
    values[i] = margin + 0.01 + 0.001 * i;
  (void)ratio_of_values(values, 8, &p); /* all eight on one side */
  assert_near(p, 2.0 / 256);
  values[0] = margin - 0.0005; /* the least in size: its rank is 1; sums 0 and 1 of 256 */
  (void)ratio_of_values(values, 8, &p);
  assert_near(p, 2 * 2.0 / 256);
  values[0] = margin - 0.0145; /* it is in size the fifth: sums 0 to 5 are 1 1 1 2 2 3 of 256 */
  (void)ratio_of_values(values, 8, &p);
  assert_near(p, 2 * 10.0 / 256);
  for (int i = 0; i < 8; i++)
    values[i] = -values[i];
  (void)ratio_of_values(values, 8, &p); /* of the other side the same */
  assert_near(p, 2 * 10.0 / 256);
  for (int i = 0; i < 8; i++)
    values[i] = 0;
  dcs_ratio ratio = ratio_of_values(values, 8, &p);
  assert_true(ratio.value == 1 && ratio.lo == 1 && ratio.hi == 1 && p == 1);
  for (int i = 0; i < 70; i++) /* more than are counted exactly: 2^-69 is no more */
    values[i] = margin + 0.01 + 0.001 * i;
  (void)ratio_of_values(values, 70, &p);
  assert_true(p > 0 && p < 1e-11);
}

static void holm_corrects_step_by_step(void **state) {
  (void)state;
  double p[] = {0.04, NAN, 0.001, 0.02, 0.015, 0.6};
  static const double expected[] = {0.08, NAN, 0.005, 0.06, 0.06, 0.6};
  size_t order[6];
  dcs_holm(p, 6, order);
  for (int i = 0; i < 6; i++)
    if (i == 1)
      assert_true(isnan(p[i]));
    else
      assert_near(p[i], expected[i]);
  double most[] = {0.5, 0.7};
  dcs_holm(most, 2, order);
  assert_true(most[0] == 1 && most[1] == 1);
}

/* ---- by simulation ---- */

enum { ROUNDS = 64, PER_BLOCK = 4, BLOCKS = ROUNDS / PER_BLOCK, SIZES = 24 };

typedef struct {
  double scatter; /* of a sample */
  double memory;  /* lag-1 autocorrelation of the machine's speed, in log times */
  double drift;   /* its standard deviation */
  double process; /* standard deviation of what a process has for good */
  double held_up; /* the share of samples that are, by up to three times their time */
} machine;

/* `waiting`: as two threads on 2 CPUs beside other work, where 19% of samples were found to take a
 * tenth longer than most or more, and half of those one and a half times as long or more. */
static const machine quiet = {0.01, 0.9, 0.03, 0.004, 0.02}, busy = {0.03, 0.9, 0.1, 0.01, 0.3},
                     waiting = {0.02, 0.9, 0.01, 0.004, 0.2};

static double normal(dcs_random *random) {
  double u = 1 - dcs_random_unit(random), v = dcs_random_unit(random);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* A time at a speed of the machine that goes on from the last one's. */
static double take(const machine *m, double *speed, double process, dcs_random *random) {
  *speed = m->memory * *speed + m->drift * sqrt(1 - m->memory * m->memory) * normal(random);
  double log_time = *speed + process + m->scatter * normal(random);
  if (dcs_random_unit(random) < m->held_up) log_time += log(1 + 2 * dcs_random_unit(random));
  return exp(log_time);
}

/* A size of a session: B's times are `factor` times A's. */
static dcs_ratio simulate(const machine *m, double factor, dcs_random *random, double *p) {
  double a[ROUNDS], b[ROUNDS], room[ROUNDS], speed = 0, process[2] = {0};
  int block[ROUNDS];
  for (int r = 0; r < ROUNDS; r++) {
    if (r % PER_BLOCK == 0)
      for (int side = 0; side < 2; side++)
        process[side] = m->process * normal(random);
    const bool b_first = dcs_random_below(random, 2);
    block[r] = r / PER_BLOCK;
    if (b_first) b[r] = factor * take(m, &speed, process[1], random);
    a[r] = take(m, &speed, process[0], random);
    if (!b_first) b[r] = factor * take(m, &speed, process[1], random);
  }
  return dcs_ratio_of_pairs(a, b, block, ROUNDS, room, p);
}

typedef struct {
  int covered, slower, faster, sessions; /* sizes; sessions in which any of them changed */
} counts;

static counts simulate_sessions(const machine *m, double factor, int sessions, uint64_t seed) {
  dcs_random random = {seed};
  counts c = {0};
  for (int s = 0; s < sessions; s++) {
    double p[SIZES], value[SIZES];
    size_t order[SIZES];
    bool any = false;
    for (int i = 0; i < SIZES; i++) {
      dcs_ratio ratio = simulate(m, factor, &random, &p[i]);
      c.covered += ratio.lo <= factor && factor <= ratio.hi;
      value[i] = ratio.value;
    }
    dcs_holm(p, SIZES, order);
    for (int i = 0; i < SIZES; i++) {
      c.slower += p[i] < 0.05 && value[i] > 1;
      c.faster += p[i] < 0.05 && value[i] < 1;
      any |= p[i] < 0.05;
    }
    c.sessions += any;
  }
  return c;
}

static void a_program_against_itself_is_rarely_told_apart(void **state) {
  (void)state;
  const machine *machines[] = {&quiet, &busy, &waiting};
  static const char *const names[] = {"quiet", "busy", "waiting"};
  const int sessions = simulated_trials(4000, 300);
  for (int m = 0; m < 3; m++) {
    counts c = simulate_sessions(machines[m], 1, sessions, 11 + (uint64_t)m);
    print_message("%s: %.2f%% of intervals hold 1; %d and %d of %d sizes changed, in %d sessions\n",
                  names[m], 100.0 * c.covered / (sessions * SIZES), c.slower, c.faster,
                  sessions * SIZES, c.sessions);
    assert_true(c.covered >= simulated_least(0.95, sessions * SIZES, true));
    assert_true(c.slower <= 0.025 * sessions * SIZES && c.faster <= 0.025 * sessions * SIZES);
    assert_true(c.sessions <= 0.05 * sessions);
  }
}

/* At the margin itself the correction is put to the test: every size has a change that is not to be
 * told, and any that is makes an error of the session. */
static void at_the_margin_one_session_in_twenty_errs(void **state) {
  (void)state;
  const int sessions = simulated_trials(4000, 400);
  counts c = simulate_sessions(&quiet, DCS_CHANGE_MARGIN, sessions, 5);
  print_message("at the margin: %d of %d sessions tell a change\n", c.sessions, sessions);
  assert_true(c.sessions <= 0.05 * sessions + 3 * sqrt(0.05 * 0.95 * sessions));
  assert_int_equal(c.faster, 0);
}

static void a_change_of_5_percent_is_found(void **state) {
  (void)state;
  const int sessions = simulated_trials(2000, 200);
  for (int side = 0; side < 2; side++) {
    counts c = simulate_sessions(&quiet, side ? 1 / 1.05 : 1.05, sessions, 21 + (uint64_t)side);
    const int found = side ? c.faster : c.slower, wrong = side ? c.slower : c.faster;
    print_message("%s by 5%%: found in %d of %d sizes, wrong in %d\n", side ? "faster" : "slower",
                  found, sessions * SIZES, wrong);
    assert_true(found >= 0.95 * sessions * SIZES);
    assert_int_equal(wrong, 0);
  }
  counts c = simulate_sessions(&waiting, 1.05, sessions, 41);
  print_message("waiting: found in %d of %d sizes, wrong in %d\n", c.slower, sessions * SIZES,
                c.faster);
  assert_true(c.slower >= 0.95 * sessions * SIZES);
  assert_int_equal(c.faster, 0);
  c = simulate_sessions(&busy, 1.05, sessions, 31);
  print_message("busy: found in %d of %d sizes, wrong in %d\n", c.slower, sessions * SIZES,
                c.faster);
  assert_int_equal(c.faster, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_counts_once_by_its_least_times),
      cmocka_unit_test(the_interval_has_the_tables_ranks),
      cmocka_unit_test(the_probability_is_beyond_the_margin),
      cmocka_unit_test(holm_corrects_step_by_step),
      cmocka_unit_test(a_program_against_itself_is_rarely_told_apart),
      cmocka_unit_test(at_the_margin_one_session_in_twenty_errs),
      cmocka_unit_test(a_change_of_5_percent_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
