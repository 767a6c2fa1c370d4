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
  "--cutoff 0,1.5,3,50 --switching c2 --rounds 2 --out %s"

/* The row of that problem; "" the direct sum's. */
static size_t row_of(const dcs_table *t, const char *problem) {
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, "problem_config"), problem) == 0) return row;
  fail_msg("no row of the problem \"%s\"", problem);
  return 0;
}

/* The direct sum once, and a map for each cutoff. In a box of 4 angstrom all pairs lie within 50.
 */
static void each_cutoff_has_a_row(void **state) {
  (void)state;
  assert_status(program_run(SWEEP, in_folder("run")), 0);
  dcs_table *t = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 4);
  size_t direct = row_of(t, ""), near = row_of(t, "cutoff=1.5,switching=c2"),
         far = row_of(t, "cutoff=3,switching=c2"), all = row_of(t, "cutoff=50,switching=c2");
  assert_string_equal(text_at(t, direct, "variant"), "cpu_gather");
  assert_string_equal(text_at(t, direct, "problem"), "coulomb");
  assert_string_equal(text_at(t, direct, "model_error"), "");
  assert_string_equal(text_at(t, far, "variant"), "cpu_cutoff");
  assert_string_equal(text_at(t, far, "problem"), "coulomb");
  assert_string_equal(text_at(t, far, "overflow_atoms"), ""); /* it has no bins */
  assert_string_equal(text_at(t, far, "bin_fill"), "");
  assert_string_equal(text_at(t, far, "outcome"), "ok");
  const double pairs = 40 * 9 * 9 * 9;
  assert_true(number_at(t, direct, "evals_useful") == pairs);
  assert_true(number_at(t, all, "evals_useful") == pairs);
  assert_true(number_at(t, near, "evals_useful") < number_at(t, far, "evals_useful"));
  assert_true(number_at(t, far, "evals_useful") < pairs);
  /* 50 leaves little out, 1.5 much */
  assert_true(number_at(t, all, "model_error") > 0 && number_at(t, all, "model_error") < 0.05);
  assert_true(number_at(t, near, "model_error") > 0.1);
  for (size_t row = 0; row < 4; row++) {
    double overhead = number_at(t, row, "evals_executed") / number_at(t, row, "evals_useful") - 1;
    assert_true(overhead >= 0 && fabs(number_at(t, row, "padding_overhead") - overhead) < 1e-9);
  }
  dcs_table_free(t);
}

/* Of both rounds, one sample of the direct sum and one within the cutoff. */
static void assert_shared_rounds(const char *name, const char *problem) {
  dcs_table *t = run_table(name, "samples.csv");
  size_t direct = 0, within = 0, last = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    bool is_direct = strcmp(text_at(t, row, "problem_config"), "") == 0;
    if (!is_direct && strcmp(text_at(t, row, "problem_config"), problem) != 0) continue;
    assert_true(number_at(t, row, "round") >= (double)last);
    last = (size_t)number_at(t, row, "round");
    direct += is_direct;
    within += !is_direct;
    assert_true(direct <= last + 1 && within <= last + 1);
  }
  assert_int_equal(direct, 2);
  assert_int_equal(within, 2);
  dcs_table_free(t);
}

/* Runs a plan of two lines. */
static void sweep_plan(const char *run, const char *lines) {
  char text[512];
  snprintf(text, sizeof text, "variants,config,atoms,grid,scope,problem_config\n%s", lines);
  put_file(in_folder("two.plan.csv"), text);
  assert_status(
      program_run("sweep --plan %s --rounds 2 --out %s", in_folder("two.plan.csv"), in_folder(run)),
      0);
}

/* Whichever comes first in a plan. */
static void direct_sums_share_the_rounds_of_a_cutoff(void **state) {
  (void)state;
  assert_shared_rounds("run", "cutoff=1.5,switching=c2");
  sweep_plan("order", "cpu_cutoff,threads=1,20,8^3,kernel,cutoff=2\n"
                      "cpu_gather,threads=1,20,8^3,kernel,\n");
  assert_shared_rounds("order", "cutoff=2");
}

/* A CPU variant has no scope warm: the first line asks for nothing. */
static void a_size_without_methods_is_passed(void **state) {
  (void)state;
  sweep_plan("none", "cpu_gather,threads=1,20,8^3,warm,\n"
                     "cpu_gather,threads=1,20,9^3,kernel,\n");
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
  assert_contains(program_out, "40  9x9x9  cutoff=1.5,switching=c2  kernel");
  assert_contains(program_out, "40  9x9x9                           kernel");
  char first[PATH_MAX];
  snprintf(first, sizeof first, "%s", in_folder("run"));
  assert_status(program_run("compare --csv %s %s", first, in_folder("run")), 0);
  assert_contains(program_out, ",coulomb,\"cutoff=1.5,switching=c2\",40,9,9,9,");
  assert_contains(program_out, ",coulomb,\"cutoff=3,switching=c2\",40,9,9,9,");
}

/* A group has the variants that solve a problem of the line; a plan says which in its columns. */
static void groups_and_plans(void **state) {
  (void)state;
  put_file(in_folder("plan.csv"), "variants,config,atoms,grid,scope,problem,problem_config\n"
                                  "cpu,threads=1,20,5^3,kernel,,\n"
                                  "cpu_cutoff,\"threads=1,isa=portable\",20,5^3,kernel,coulomb,"
                                  "cutoff=1|2\n");
  char plan[PATH_MAX];
  snprintf(plan, sizeof plan, "%s", in_folder("plan.csv"));
  assert_status(program_run("sweep --plan %s --rounds 1 --out %s", plan, in_folder("planned")), 0);
  dcs_table *t = run_table("planned", "summary.csv");
  int within = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    bool cutoff = strcmp(text_at(t, row, "variant"), "cpu_cutoff") == 0;
    assert_int_equal(*text_at(t, row, "problem_config") != 0, cutoff);
    within += cutoff;
  }
  assert_int_equal(within, 2);
  dcs_table_free(t);
}

/* Problems of another kind have their rows, and their name in the report. */
static void another_kind_is_swept(void **state) {
  (void)state;
  assert_status(program_run("sweep --problem density --variants cpu --config threads=1 --atoms 50 "
                            "--grid 8^3 --error 0.1,0.001 --rounds 1 --out %s",
                            in_folder("density")),
                0);
  check_run("density", 2, 1);
  dcs_table *t = run_table("density", "summary.csv");
  for (size_t row = 0; row < 2; row++) {
    assert_string_equal(text_at(t, row, "problem"), "density");
    assert_string_equal(text_at(t, row, "variant"), "cpu_density");
  }
  /* the smaller error is that of nobody's choice */
  size_t rough = row_of(t, "error=0.1"), fine = row_of(t, "");
  assert_true(number_at(t, rough, "evals_useful") < number_at(t, fine, "evals_useful"));
  assert_true(number_at(t, rough, "model_error") > number_at(t, fine, "model_error"));
  dcs_table_free(t);
  assert_status(program_run("report %s", in_folder("density")), 0);
  assert_contains(program_out, "density: The best configuration");
  assert_contains(program_out, "50  8x8x8  error=0.1  kernel");
}

static void refuse(const char *options, const char *message) {
  assert_status(program_run("sweep --atoms 5 --grid 4^3 %s --out %s", options, in_folder("none")),
                2);
  assert_contains(program_err, message);
}

static void what_cannot_be(void **state) {
  (void)state;
  refuse("--variants cpu_cutoff", "cpu_cutoff: it computes the sum within a cutoff");
  refuse("--variants cpu_cutoff --cutoff 0", "none is given (--cutoff)");
  refuse("--variants cpu_gather --cutoff 3", "cpu_gather: it computes the direct sum");
  refuse("--cutoff=-2", "cutoff: found \"-2\"; expected 0 to 1e+06 angstrom");
  refuse("--cutoff nan", "cutoff: found \"nan\"");
  refuse("--cutoff 3,", "cutoff: found \"\"");
  refuse("--cutoff 3 --switching c3", "switching: found \"c3\"; expected none or c2");
  refuse("--variants cpu_cutoff --switching c2",
         "--switching: found \"c2\", which changes nothing here");
  refuse("--problem densty", "--problem: found \"densty\"");
  refuse("--problem density --cutoff 3", "density has no parameter \"cutoff\"");
  refuse("--variants cpu_cutoff --config cell_edge=0 --cutoff 3", "cell_edge: found 0");
  assert_status(program_run("verify --cutoff 3"), 2);
  assert_contains(program_err, "cutoff=3 needs --input");
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
                                "--origin 0,0,0 --cutoff %s --switching c2",
                                in_folder(names[n]), cutoffs[c]),
                    0);
      assert_contains(program_out, "ok");
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_cutoff_has_a_row),
      cmocka_unit_test(direct_sums_share_the_rounds_of_a_cutoff),
      cmocka_unit_test(a_size_without_methods_is_passed),
      cmocka_unit_test(samples_tell_cutoffs_apart),
      cmocka_unit_test(what_reads_a_run_tells_cutoffs_apart),
      cmocka_unit_test(groups_and_plans),
      cmocka_unit_test(another_kind_is_swept),
      cmocka_unit_test(what_cannot_be),
      cmocka_unit_test(odd_molecules),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
