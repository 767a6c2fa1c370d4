/* The spread between sessions, of simulated ones: what it is expected to be, with rows that move
 * alone or together, and with sessions that something disturbed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/compare/spread.h"

#include <math.h>
#include <string.h>

enum { ROWS = 12, MOST = 10, TRIALS = 2000 };

static dcs_run_row rows[MOST][ROWS];
static dcs_run runs[MOST];
static dcs_random randoms = {11};

static double normal(void) {
  const double u = 1 - dcs_random_unit(&randoms), v = dcs_random_unit(&randoms);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Sessions whose log medians have a deviation of 2%, of which `together` is common to all rows. */
static void simulate(int n, bool together) {
  static const char *const names[ROWS] = {"a", "b", "c", "d", "e", "f",
                                          "g", "h", "i", "j", "k", "l"};
  for (int s = 0; s < n; s++) {
    const double common = normal();
    runs[s] = (dcs_run){.rows = rows[s], .n_rows = ROWS};
    for (int r = 0; r < ROWS; r++)
      rows[s][r] =
          (dcs_run_row){.size = {.kind = dcs_kinds[0]},
                        .variant = names[r],
                        .config = "",
                        .devices = "cpu",
                        .memory = "",
                        .backend = DCS_CPU,
                        .scope = DCS_KERNEL,
                        .n = 15,
                        .n_times = 15,
                        .stats = {.median = 1e6 * exp(0.02 * (together ? common : normal()))}};
  }
}

/* The root of the mean of the squared estimates. */
static double found(int n, bool together, void (*spoil)(int n)) {
  double squares = 0;
  for (int t = 0; t < TRIALS; t++) {
    dcs_spread spread;
    simulate(n, together);
    if (spoil) spoil(n);
    assert_true(dcs_spread_of_runs(runs, n, DCS_CPU, &spread));
    assert_int_equal(spread.degrees, n - 1 - (spoil != NULL));
    assert_false(spread.disturbed);
    squares += spread.deviation * spread.deviation;
  }
  return sqrt(squares / TRIALS);
}

static void it_is_what_was_planted(void **state) {
  (void)state;
  for (int n = 4; n <= MOST; n += 6) {
    const double alone = found(n, false, NULL) / 0.02, together = found(n, true, NULL) / 0.02;
    print_message("%d sessions: %.3f of it; where rows move together %.3f\n", n, alone, together);
    assert_true(alone > 0.97 && alone < 1.06);
    assert_true(together > 1 && together < (n == 4 ? 1.16 : 1.07));
  }
}

/* In the last session all rows take half as long again, and are marked. */
static void disturb(int n) {
  for (int r = 0; r < ROWS; r++) {
    rows[n - 1][r].stats.median *= 1.5;
    rows[n - 1][r].disturbed = 8;
  }
}

static void disturbed_rows_do_not_count(void **state) {
  (void)state;
  const double of_it = found(5, true, disturb) / 0.02;
  print_message("one disturbed session of 5: %.3f of it\n", of_it);
  assert_true(of_it > 1 && of_it < 1.16);
}

/* A quarter of the rows are held up in one session, and nothing marks them. */
static void a_few_rows_held_up_do_not_count(void **state) {
  (void)state;
  double squares = 0;
  for (int t = 0; t < TRIALS; t++) {
    dcs_spread spread;
    simulate(10, false);
    for (int r = 0; r < ROWS / 4; r++)
      rows[3][r].stats.median *= 1.5;
    assert_true(dcs_spread_of_runs(runs, 10, DCS_CPU, &spread));
    squares += spread.deviation * spread.deviation;
  }
  const double of_it = sqrt(squares / TRIALS) / 0.02;
  print_message("a quarter of the rows held up: %.3f of it\n", of_it);
  assert_true(of_it < 1.25); /* the mean of the squares: 4 */
}

static void where_all_are_disturbed_it_says_so(void **state) {
  (void)state;
  dcs_spread spread;
  simulate(4, true);
  for (int s = 0; s < 2; s++)
    for (int r = 0; r < ROWS; r++)
      rows[s][r].disturbed = 8;
  assert_true(dcs_spread_of_runs(runs, 4, DCS_CPU, &spread));
  assert_true(spread.disturbed && spread.degrees == 3);
  assert_false(dcs_spread_of_runs(runs, 2, DCS_CPU, &spread));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_what_was_planted),
      cmocka_unit_test(disturbed_rows_do_not_count),
      cmocka_unit_test(a_few_rows_held_up_do_not_count),
      cmocka_unit_test(where_all_are_disturbed_it_says_so),
  };
  return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}
