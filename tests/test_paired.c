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

enum { MANY = 128 };

/* Pairs whose log ratios are values[n], in blocks of `per`. */
static dcs_ratio ratio_of_values(const double *values, size_t n, int per, double *p) {
  double a[MANY], b[MANY], room[DCS_PAIRED_ROOM * MANY];
  int block[MANY];
  for (size_t i = 0; i < n; i++) {
    a[i] = 5;
    b[i] = 5 * exp(values[i]);
    block[i] = (int)i / per;
  }
  return dcs_ratio_of_pairs(a, b, block, n, room, p);
}

/* ---- by hand ---- */

static void the_ratio_is_the_median_of_all_pairs(void **state) {
  (void)state;
  static const double a[] = {1, 1, 1, 2, 2, 4, 1}, b[] = {3, 90, 2, 2, 18, 4, 0.5};
  static const int block[] = {0, 0, 0, 3, 3, 7, 9};
  double room[DCS_PAIRED_ROOM * 7], p;
  dcs_ratio ratio = dcs_ratio_of_pairs(a, b, block, 7, room, &p); /* 0.5 1 1 2 3 9 90 */
  assert_near(ratio.value, 2);
  assert_true(ratio.n_a == 7 && ratio.n_b == 7);
  assert_true(isnan(ratio.lo) && isnan(ratio.hi) && isnan(p)); /* four blocks */
  assert_near(dcs_ratio_of_pairs(a, b, block, 6, room, &p).value, sqrt(2 * 3));
  assert_true(isnan(dcs_ratio_of_pairs(a, b, block, 0, room, &p).value) && isnan(p));
}

static double normal(dcs_random *random) {
  double u = 1 - dcs_random_unit(random), v = dcs_random_unit(random);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The share of all flips of blocks whose sum of signed scores is at least that of the values. */
static double share_of_flips(const double *values, int n, int per, double centre) {
  const int blocks = (n + per - 1) / per, end = (n + 3) / 4, most = end < 8 ? end : 8;
  int sums[20] = {0}, found = 0, as_far = 0;
  for (int i = 0; i < n; i++) {
    int nearer = 0;
    for (int j = 0; j < n; j++)
      nearer += fabs(values[j] - centre) < fabs(values[i] - centre);
    const int rank = nearer + 1 < end ? nearer + 1 : end;
    const int score = (int)ceil((double)rank * most / end);
    sums[i / per] += values[i] > centre ? score : -score;
  }
  for (int k = 0; k < blocks; k++)
    found += sums[k];
  for (int flips = 0; flips < 1 << blocks; flips++) {
    int sum = 0;
    for (int k = 0; k < blocks; k++)
      sum += flips >> k & 1 ? -sums[k] : sums[k];
    as_far += sum >= found;
  }
  return (double)as_far / (1 << blocks);
}

static void probability_and_interval_are_those_of_all_flips(void **state) {
  (void)state;
  static const struct {
    int n, per;
  } sizes[] = {{6, 1}, {8, 1}, {14, 2}, {33, 3}, {48, 4}, {100, 10}};
  const double margin = log(DCS_CHANGE_MARGIN), step = 2e-6;
  dcs_random random = {17};
  for (int t = 0; t < 60; t++) {
    const int n = sizes[t % 6].n, per = sizes[t % 6].per;
    double values[MANY], turned[MANY], p, turned_p;
    for (int i = 0; i < n; i++) {
      values[i] = 0.03 + 0.02 * normal(&random);
      turned[i] = -values[i];
    }
    const dcs_ratio ratio = ratio_of_values(values, (size_t)n, per, &p);
    const dcs_ratio other = ratio_of_values(turned, (size_t)n, per, &turned_p);
    const double expected = 2 * share_of_flips(values, n, per, margin);
    assert_true(expected < 1 ? fabs(p - expected) < 1e-9 : p == 1);
    assert_true(share_of_flips(values, n, per, log(ratio.lo) - step) <= 0.025);
    assert_true(share_of_flips(values, n, per, log(ratio.lo) + step) > 0.025);
    assert_true(share_of_flips(turned, n, per, -log(ratio.hi) - step) <= 0.025);
    assert_true(share_of_flips(turned, n, per, -log(ratio.hi) + step) > 0.025);
    assert_near(other.value, 1 / ratio.value);
    assert_near(other.lo, 1 / ratio.hi);
    assert_near(turned_p, p);
  }
}

static void the_probability_is_beyond_the_margin(void **state) {
  (void)state;
  double values[70], p;
  const double margin = log(DCS_CHANGE_MARGIN);
  for (int i = 0; i < 8; i++)
    values[i] = margin + 0.01 + 0.001 * i;
  (void)ratio_of_values(values, 8, 1, &p); /* all eight on one side */
  assert_near(p, 2.0 / 256);
  values[0] = margin - 0.0005; /* the least in size: its score is 1; sums 0 and 1 of 256 */
  (void)ratio_of_values(values, 8, 1, &p);
  assert_near(p, 2 * 2.0 / 256);
  values[0] = margin - 0.0145; /* it is in size the fifth: sums 0, 1 and 2 are 1 1 7 of 256 */
  (void)ratio_of_values(values, 8, 1, &p);
  assert_near(p, 2 * 9.0 / 256);
  for (int i = 0; i < 8; i++)
    values[i] = -values[i];
  (void)ratio_of_values(values, 8, 1, &p); /* of the other side the same */
  assert_near(p, 2 * 9.0 / 256);
  for (int i = 0; i < 8; i++)
    values[i] = 0;
  dcs_ratio ratio = ratio_of_values(values, 8, 1, &p);
  assert_true(ratio.value == 1 && ratio.lo == 1 && ratio.hi == 1 && p == 1);
  for (int i = 0; i < 70; i++)
    values[i] = margin + 0.01 + 0.001 * i;
  (void)ratio_of_values(values, 70, 1, &p);
  assert_near(p, exp2(-69));
}

/* 2^2000 flips are more than a number tells; their shares are not. */
static void thousands_of_blocks_have_an_interval(void **state) {
  (void)state;
  enum { BLOCKS = 2000 };
  static double a[BLOCKS], b[BLOCKS], room[DCS_PAIRED_ROOM * BLOCKS];
  static int block[BLOCKS];
  double p;
  for (int i = 0; i < BLOCKS; i++) {
    a[i] = 1;
    b[i] = exp(0.05 + 1e-5 * (i - BLOCKS / 2));
    block[i] = i;
  }
  const dcs_ratio ratio = dcs_ratio_of_pairs(a, b, block, BLOCKS, room, &p);
  /* Scores are nearly signs: their sum's deviation is about 45 of 2,000, on either side 22 pairs.
   */
  assert_true(log(ratio.lo) > 0.05 - 1e-5 * 66 && log(ratio.lo) < 0.05 - 1e-5 * 22);
  assert_true(log(ratio.hi) < 0.05 + 1e-5 * 66 && log(ratio.hi) > 0.05 + 1e-5 * 22);
  assert_true(p >= 0 && p < 1e-100);
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
  double near[] = {0.011, 0.01, 0.5}; /* none is below that of a smaller one */
  dcs_holm(near, 3, order);
  assert_near(near[1], 0.03);
  assert_near(near[0], 0.03);
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

/* `shared`: as a virtual host with 16 CPUs was found, of which others' work takes a part of the
 * speed for many samples at a time. */
static const machine quiet = {0.01, 0.9, 0.03, 0.004, 0.02}, busy = {0.03, 0.9, 0.1, 0.01, 0.3},
                     shared = {0.02, 0.97, 0.08, 0.004, 0.05};

/* A time at a speed of the machine that goes on from the last one's. */
static double take(const machine *m, double *speed, double process, dcs_random *random) {
  *speed = m->memory * *speed + m->drift * sqrt(1 - m->memory * m->memory) * normal(random);
  double log_time = *speed + process + m->scatter * normal(random);
  if (dcs_random_unit(random) < m->held_up) log_time += log(1 + 2 * dcs_random_unit(random));
  return exp(log_time);
}

/* A size of a session: B's times are `factor` times A's. */
static dcs_ratio simulate(const machine *m, double factor, dcs_random *random, double *p) {
  double a[ROUNDS], b[ROUNDS], room[DCS_PAIRED_ROOM * ROUNDS], speed = 0, process[2] = {0};
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
  const machine *machines[] = {&quiet, &busy, &shared};
  static const char *const names[] = {"quiet", "busy", "shared"};
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
  counts c = simulate_sessions(&shared, 1.05, sessions, 41);
  print_message("shared: found in %d of %d sizes, wrong in %d\n", c.slower, sessions * SIZES,
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
      cmocka_unit_test(the_ratio_is_the_median_of_all_pairs),
      cmocka_unit_test(probability_and_interval_are_those_of_all_flips),
      cmocka_unit_test(the_probability_is_beyond_the_margin),
      cmocka_unit_test(thousands_of_blocks_have_an_interval),
      cmocka_unit_test(holm_corrects_step_by_step),
      cmocka_unit_test(a_program_against_itself_is_rarely_told_apart),
      cmocka_unit_test(at_the_margin_one_session_in_twenty_errs),
      cmocka_unit_test(a_change_of_5_percent_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
