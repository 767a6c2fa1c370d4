/* Sweeps within a cutoff: cells, rows and columns; resuming, comparing, reporting; what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"

#define SWEEP                                                                                      \
  "sweep --variants cpu_gather,cpu_cutoff --config threads=1,isa=portable --atoms 40 --grid 9^3 "  \
  "--cutoff 1.5,3,50 --smooth c2 --rounds 2 --out %s"

/* The row of that cutoff; "" the whole sum's. */
static size_t row_of(const dcs_table *t, const char *cutoff) {
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, "cutoff"), cutoff) == 0) return row;
  fail_msg("no row of cutoff \"%s\"", cutoff);
  return 0;
}

/* The whole sum once, and a map for each cutoff. In a box of 4 angstrom all pairs lie within 50. */
static void each_cutoff_has_a_row(void **state) {
  (void)state;
  assert_status(program_run(SWEEP, in_folder("run")), 0);
  dcs_table *t = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 4);
  size_t whole = row_of(t, ""), near = row_of(t, "1.5"), far = row_of(t, "3"),
         all = row_of(t, "50");
  assert_string_equal(text_at(t, whole, "variant"), "cpu_gather");
  assert_string_equal(text_at(t, whole, "smooth"), "");
  assert_string_equal(text_at(t, whole, "cutoff_error"), "");
  assert_string_equal(text_at(t, far, "variant"), "cpu_cutoff");
  assert_string_equal(text_at(t, far, "smooth"), "c2");
  assert_string_equal(text_at(t, far, "overflow_atoms"), ""); /* it has no bins */
  assert_string_equal(text_at(t, far, "bin_fill"), "");
  assert_string_equal(text_at(t, far, "outcome"), "ok");
  const double pairs = 40 * 9 * 9 * 9;
  assert_true(number_at(t, whole, "evals_useful") == pairs);
  assert_true(number_at(t, all, "evals_useful") == pairs);
  assert_true(number_at(t, near, "evals_useful") < number_at(t, far, "evals_useful"));
  assert_true(number_at(t, far, "evals_useful") < pairs);
  /* 50 leaves little out, 1.5 much */
  assert_true(number_at(t, all, "cutoff_error") > 0 && number_at(t, all, "cutoff_error") < 0.05);
  assert_true(number_at(t, near, "cutoff_error") > 0.1);
  for (size_t row = 0; row < 4; row++) {
    double overhead = number_at(t, row, "evals_executed") / number_at(t, row, "evals_useful") - 1;
    assert_true(overhead >= 0 && fabs(number_at(t, row, "padding_overhead") - overhead) < 1e-9);
  }
  dcs_table_free(t);
}

/* Of both rounds, one sample of the whole sum and one within the cutoff. */
static void assert_shared_rounds(const char *name, const char *cutoff) {
  dcs_table *t = run_table(name, "samples.csv");
  size_t whole = 0, within = 0, last = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    bool is_whole = strcmp(text_at(t, row, "cutoff"), "") == 0;
    if (!is_whole && strcmp(text_at(t, row, "cutoff"), cutoff) != 0) continue;
    assert_true(number_at(t, row, "round") >= (double)last);
    last = (size_t)number_at(t, row, "round");
    whole += is_whole;
    within += !is_whole;
    assert_true(whole <= last + 1 && within <= last + 1);
  }
  assert_int_equal(whole, 2);
  assert_int_equal(within, 2);
  dcs_table_free(t);
}

/* Runs a plan of two lines. */
static void sweep_plan(const char *run, const char *lines) {
  char text[512];
  snprintf(text, sizeof text, "variants,config,atoms,grid,scope,cutoff,smooth\n%s", lines);
  put_file(in_folder("two.plan.csv"), text);
  assert_status(
      program_run("sweep --plan %s --rounds 2 --out %s", in_folder("two.plan.csv"), in_folder(run)),
      0);
}

/* Whichever comes first in a plan. */
static void whole_sums_share_the_rounds_of_a_cutoff(void **state) {
  (void)state;
  assert_shared_rounds("run", "1.5");
  sweep_plan("order", "cpu_cutoff,threads=1,20,8^3,kernel,2,none\n"
                      "cpu_gather,threads=1,20,8^3,kernel,,\n");
  assert_shared_rounds("order", "2");
}

/* A CPU variant has no scope warm: the first line asks for nothing. */
static void a_size_without_methods_is_passed(void **state) {
  (void)state;
  sweep_plan("none", "cpu_gather,threads=1,20,8^3,warm,,\n"
                     "cpu_gather,threads=1,20,9^3,kernel,,\n");
  dcs_table *t = run_table("none", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 1);
  assert_true(number_at(t, 0, "nx") == 9);
  dcs_table_free(t);
}

static void samples_tell_cutoffs_apart(void **state) {
  (void)state;
  dcs_table *samples = run_table("run", "samples.csv");
  assert_int_equal(dcs_table_rows(samples), 8);
  assert_status(program_run(SWEEP " --resume", in_folder("run")), 0);
  dcs_table *again = run_table("run", "samples.csv"), *summary = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(again), 8); /* all of it was known */
  assert_int_equal(dcs_table_rows(summary), 4);
  dcs_table_free(samples);
  dcs_table_free(again);
  dcs_table_free(summary);
}

static void what_reads_a_run_tells_cutoffs_apart(void **state) {
  (void)state;
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "grid 9x9x9, 40 atoms, cutoff 1.5, smooth c2\n");
  assert_contains(program_out, "grid 9x9x9, 40 atoms\n");
  char first[PATH_MAX];
  snprintf(first, sizeof first, "%s", in_folder("run"));
  assert_status(program_run("compare --csv %s %s", first, in_folder("run")), 0);
  assert_contains(program_out, ",1.5,c2,40,9,9,9,");
  assert_contains(program_out, ",3,c2,40,9,9,9,");
}

/* A group has those that need a cutoff where there is one; a plan says so in its columns. */
static void groups_and_plans(void **state) {
  (void)state;
  put_file(in_folder("plan.csv"), "variants,config,atoms,grid,scope,cutoff,smooth\n"
                                  "cpu,threads=1,20,5^3,kernel,,\n"
                                  "cpu_cutoff,\"threads=1,isa=portable\",20,5^3,kernel,\"1,2\",\n");
  char plan[PATH_MAX];
  snprintf(plan, sizeof plan, "%s", in_folder("plan.csv"));
  assert_status(program_run("sweep --plan %s --rounds 1 --out %s", plan, in_folder("planned")), 0);
  dcs_table *t = run_table("planned", "summary.csv");
  int within = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    bool cutoff = strcmp(text_at(t, row, "variant"), "cpu_cutoff") == 0;
    assert_string_equal(text_at(t, row, "smooth"), cutoff ? "none" : "");
    within += cutoff;
  }
  assert_int_equal(within, 2);
  dcs_table_free(t);
}

static void refuse(const char *options, const char *message) {
  assert_status(program_run("sweep --atoms 5 --grid 4^3 %s --out %s", options, in_folder("none")),
                2);
  assert_contains(program_err, message);
}

static void what_cannot_be(void **state) {
  (void)state;
  refuse("--variants cpu_cutoff", "cpu_cutoff needs a cutoff");
  refuse("--cutoff 0", "--cutoff: found 0");
  refuse("--cutoff=-2", "--cutoff: found -2");
  refuse("--cutoff nan", "--cutoff: found \"nan\"");
  refuse("--cutoff 3,", "--cutoff: found \"\"");
  refuse("--cutoff 3 --smooth c3", "--smooth: found \"c3\"");
  refuse("--smooth c2", "--smooth needs --cutoff");
  refuse("--variants cpu_cutoff --config cell_edge=0 --cutoff 3", "cell_edge: found 0");
  assert_status(program_run("verify --cutoff 3"), 2);
  assert_contains(program_err, "--cutoff needs --input");
}

/* All atoms in one place, a million angstrom from it, and none within reach of the grid. */
static void odd_molecules(void **state) {
  (void)state;
  char text[64 * 30] = "", line[64];
  for (int a = 0; a < 30; a++) {
    snprintf(line, sizeof line, "ATOM %d C X 1 1.3 1.3 1.3 0.5 1.0\n", a + 1);
    strcat(text, line);
  }
  put_file(in_folder("one.pqr"), text);
  put_file(in_folder("far.pqr"), "ATOM 1 C X 1 1.3 1.3 1.3 0.5 1.0\n"
                                 "ATOM 2 C X 1 1000000.0 1.3 1.3 -0.5 1.0\n");
  static const char *const names[] = {"one.pqr", "far.pqr"}, *const cutoffs[] = {"0.01", "2",
                                                                                 "9e5"};
  for (int n = 0; n < 2; n++)
    for (int c = 0; c < 3; c++) {
      assert_status(program_run("verify --variants cpu_cutoff --input %s --grid 12^3 --spacing 0.5 "
                                "--origin 0,0,0 --cutoff %s --smooth c2",
                                in_folder(names[n]), cutoffs[c]),
                    0);
      assert_contains(program_out, "ok");
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_cutoff_has_a_row),
      cmocka_unit_test(whole_sums_share_the_rounds_of_a_cutoff),
      cmocka_unit_test(a_size_without_methods_is_passed),
      cmocka_unit_test(samples_tell_cutoffs_apart),
      cmocka_unit_test(what_reads_a_run_tells_cutoffs_apart),
      cmocka_unit_test(groups_and_plans),
      cmocka_unit_test(what_cannot_be),
      cmocka_unit_test(odd_molecules),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
