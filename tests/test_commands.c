/* `sweep --method`: users' commands, timed, checked, interrupted and taken up again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/commands/command.h"
#include "tests/run_folder.h"

/* A script NAME of the folder, which {n} may be the end of. */
static void put_script(const char *name, const char *body) {
  char text[512];
  snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
  put_file(in_folder(name), text);
  assert_int_equal(chmod(in_folder(name), 0755), 0);
}

static int setup(void **state) {
  if (program_setup(state) != 0) return -1;
  put_script("fast1", "echo took 10 us");
  put_script("fast2", "echo took 10 us");
  put_script("slow1", "echo took 1 us");
  put_script("slow2", "echo took 0.1 ms");
  put_script("good", "grep -q took");
  put_script("bad", "test \"$1\" != fast");
  put_script("never", "exec sleep 30");
  put_script("fails", "exit 3");
  put_script("own1", "test -z \"$OMP_PROC_BIND\"");
  put_script("short1", "exec sleep 0.02");
  put_script("short2", "exec sleep 0.02");
  return 0;
}

static size_t rows_in(const char *run, const char *file) {
  dcs_table *table = run_table(run, file);
  const size_t n = dcs_table_rows(table);
  dcs_table_free(table);
  return n;
}

/* The row of a method at a size n. */
static size_t row_of(const dcs_table *summary, const char *method, double n) {
  for (size_t row = 0; row < dcs_table_rows(summary); row++)
    if (strcmp(text_at(summary, row, "variant"), method) == 0 &&
        number_at(summary, row, "axis_1") == n)
      return row;
  fail_msg("no row of %s", method);
  return 0;
}

static void times_that_commands_print(void **state) {
  (void)state;
  assert_status(program_run("sweep --method fast=%s{n} --method slow=%s{n} --size n=1,2 --check %s "
                            "--time-from stdout:took.([0-9.]+) --rounds 6 --out %s",
                            in_folder("fast"), in_folder("slow"), in_folder("good"),
                            in_folder("printed")),
                0);
  dcs_table *summary = run_table("printed", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 4);
  assert_float_equal(number_at(summary, row_of(summary, "fast", 1), "median_ns"), 1e4, 1e-6);
  assert_float_equal(number_at(summary, row_of(summary, "slow", 2), "median_ns"), 1e5, 1e-6);
  assert_float_equal(number_at(summary, 0, "n"), 6, 0);
  assert_string_equal(text_at(summary, 0, "problem"), "external");
  assert_string_equal(text_at(summary, 0, "problem_config"), "n");
  assert_string_equal(text_at(summary, 0, "scope"), "warm");
  assert_string_equal(text_at(summary, 0, "stop_reason"), "rounds");
  dcs_table_free(summary);
  assert_int_equal(rows_in("printed", "samples.csv"), 24);
}

/* Every round has each method once: what is slow for a while is slow for all. */
static void rounds_are_interleaved(void **state) {
  (void)state;
  dcs_table *samples = run_table("printed", "samples.csv");
  for (size_t s = 0; s + 1 < dcs_table_rows(samples); s += 2) {
    assert_float_equal(number_at(samples, s, "round"), number_at(samples, s + 1, "round"), 0);
    assert_string_not_equal(text_at(samples, s, "variant"), text_at(samples, s + 1, "variant"));
  }
  dcs_table_free(samples);
}

static void the_wall_clock(void **state) {
  (void)state;
  assert_status(program_run("sweep --method short=%s{n} --size n=1 --rounds 3 --out %s",
                            in_folder("short"), in_folder("wall")),
                0);
  dcs_table *summary = run_table("wall", "summary.csv");
  assert_true(number_at(summary, 0, "min_ns") >= 2e7); /* it sleeps so long */
  assert_string_equal(text_at(summary, 0, "scope"), "first");
  dcs_table_free(summary);
}

/* What this program sets for threads of its own is none of theirs. */
static void commands_have_the_environment_of_the_user(void **state) {
  (void)state;
  unsetenv("OMP_PROC_BIND");
  assert_status(program_run("sweep --method own=%s{n} --size n=1 --rounds 2 --out %s",
                            in_folder("own"), in_folder("environment")),
                0);
}

static void what_fails_is_an_outcome(void **state) {
  (void)state;
  assert_status(program_run("sweep --method never=%s --method fails=%s --method none=%s --method "
                            "fast=%s{n} --size n=1 --timeout 0.2 --rounds 2 --out %s",
                            in_folder("never"), in_folder("fails"), in_folder("no-such-file"),
                            in_folder("fast"), in_folder("failing")),
                1);
  dcs_table *summary = run_table("failing", "summary.csv");
  static const struct {
    const char *method, *outcome, *why;
  } rows[] = {{"never", "timeout", "took longer than 0.2 s"},
              {"fails", "crash", "exit status 3; expected 0"},
              {"none", "not_built", "cannot be started: No such file"},
              {"fast", "ok", ""}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const size_t row = row_of(summary, rows[i].method, 1);
    assert_string_equal(text_at(summary, row, "outcome"), rows[i].outcome);
    assert_contains(text_at(summary, row, "why"), rows[i].why);
  }
  dcs_table_free(summary);
}

/* The check gets {method}; one that it refuses is wrong, and is not timed. */
static void wrong_output_is_not_timed(void **state) {
  (void)state;
  char check[PATH_MAX];
  snprintf(check, sizeof check, "%s", in_folder("check"));
  put_script("check", "case $0 in *check) read x; test \"$x\" = 'took 1 us' ;; esac");
  assert_status(program_run("sweep --method fast=%s{n} --method slow=%s{n} --size n=1 --check %s "
                            "--rounds 2 --out %s",
                            in_folder("fast"), in_folder("slow"), check, in_folder("wrong")),
                1);
  dcs_table *summary = run_table("wrong", "summary.csv");
  assert_string_equal(text_at(summary, row_of(summary, "fast", 1), "outcome"), "wrong");
  assert_string_equal(text_at(summary, row_of(summary, "slow", 1), "outcome"), "ok");
  dcs_table_free(summary);
  assert_int_equal(rows_in("wrong", "samples.csv"), 2);
}

/* A budget that is spent by the trial leaves no row out. */
static void the_least_budget_has_a_sample_of_each(void **state) {
  (void)state;
  assert_status(program_run("sweep --method a=%s{n} --method b=%s{n} --size n=1,2 --budget 0.01 "
                            "--out %s",
                            in_folder("short"), in_folder("short"), in_folder("hurried")),
                0);
  dcs_table *summary = run_table("hurried", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 4);
  for (size_t row = 0; row < 4; row++) {
    assert_string_equal(text_at(summary, row, "stop_reason"), "budget");
    assert_float_equal(number_at(summary, row, "n"), 1, 0);
  }
  dcs_table_free(summary);
}

/* What that cost is said. */
static void a_budget_that_is_not_kept_is_said(void **state) {
  (void)state;
  static const char line[] = "sweep --method a=%s --size n=1 %s --out %s";
  put_script("long", "exec sleep 0.7");
  assert_status(program_run(line, in_folder("long"), "--budget 0.01", in_folder("over")), 0);
  assert_contains(program_err, " s, beyond --budget 0.01: each method is checked and takes");
  assert_status(
      program_run(line, in_folder("long"), "--budget 1000 --rounds 1", in_folder("within")), 0);
  assert_null(strstr(program_err, "beyond"));
}

/* What no run may hold is no time. */
static void a_time_that_is_none_is_wrong(void **state) {
  (void)state;
  static const char *const printed[] = {"1e300", "1e-400", "0", "-1", "."};
  for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
    char body[64], run[32];
    snprintf(body, sizeof body, "echo took %s", printed[i]);
    snprintf(run, sizeof run, "none%zu", i);
    put_script("prints", body);
    assert_status(program_run("sweep --method a=%s --size n=1 --time-from stdout:took.(.*) "
                              "--rounds 1 --out %s",
                              in_folder("prints"), in_folder(run)),
                  1);
    dcs_table *summary = run_table(run, "summary.csv");
    assert_string_equal(text_at(summary, 0, "outcome"), "wrong");
    assert_contains(text_at(summary, 0, "why"), "found time");
    dcs_table_free(summary);
    assert_int_equal(rows_in(run, "samples.csv"), 0);
  }
}

static void a_time_is_read_with_its_unit(void **state) {
  (void)state;
  static const struct {
    const char *printed, *expression;
    double ns; /* 0: none */
  } cases[] = {{"took 5", "took (.*)", 5e9},
               {"took 5.3 ms", "took (.*)", 5.3e6},
               {"took 5.3ms", "took ([0-9.]+)", 5.3e6},
               {"took 5.3 \xc2\xb5s", "took (.*)", 5300},
               {"took 5.3\xce\xbcs", "took ([0-9.]+)", 5300},
               {"took 2e3 ns in all", "took ([^ ]+)", 2000},
               {"took 5 in all", "took ([0-9.]+)", 5e9},
               {"took 5, then 3", "took ([0-9.]+)", 5e9},
               {"took 5.", "took ([0-9]+)", 5e9},
               {"took 2 min", "took (.*)", 120e9},
               {"took 1.5 hours", "took (.*)", 5400e9},
               {"took 3 sec", "took (.*)", 3e9},
               {"took 5,3 ms", "took (.*)", 0},
               {"took 1,234.5 ms", "took ([0-9.,]+)", 0},
               {"took 5.3 ms", "took ([0-9]+)", 0},
               {"took 53 ms", "took ([0-9])", 0},
               {"took 1:23.4", "took (.*)", 0},
               {"real 1m2.5s", "real (.*)", 0},
               {"took 5 weeks", "took (.*)", 0},
               {"took 5x", "took ([0-9]+)", 0},
               {"took", "took(.*)", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    regex_t expression;
    double ns = NAN;
    assert_int_equal(regcomp(&expression, cases[i].expression, REG_EXTENDED), 0);
    const dcs_status status = dcs_command_time(&expression, cases[i].printed, &ns);
    regfree(&expression);
    if (status != (cases[i].ns > 0 ? DCS_OK : DCS_FAILED)) fail_msg("\"%s\"", cases[i].printed);
    if (status == DCS_OK && !(fabs(ns / cases[i].ns - 1) < 1e-12))
      fail_msg("\"%s\": %g ns", cases[i].printed, ns);
  }
}

/* A run whose env.csv was lost. */
static void what_was_measured_is_not_written_over(void **state) {
  (void)state;
  static const char line[] = "sweep --method a=true --size n=1 --rounds 2 --resume --out %s";
  const char *out = in_folder("lost");
  assert_status(program_run(line, out), 0);
  assert_int_equal(unlink(in_folder("lost/env.csv")), 0);
  assert_status(program_run(line, out), 2);
  assert_contains(program_err, "lost/samples.csv: belongs to no run that has an env.csv");
  assert_int_equal(rows_in("lost", "samples.csv"), 2);
}

/* Each part of a run is a session of its own. */
static void what_goes_on_is_another_session(void **state) {
  (void)state;
  for (int rounds = 2; rounds <= 6; rounds += 2)
    assert_status(program_run("sweep --method a=true --size n=1,2 --rounds %d --resume --out %s",
                              rounds, in_folder("parts")),
                  0);
  dcs_table *samples = run_table("parts", "samples.csv");
  assert_int_equal(dcs_table_rows(samples), 12);
  for (size_t row = 0; row < 12; row++)
    assert_float_equal(number_at(samples, row, "session"), (double)(row / 4), 0);
  dcs_table_free(samples);
}

/* Killed at any moment, it goes on: every sample once. */
static void a_killed_run_goes_on(void **state) {
  (void)state;
  char line[4096];
  snprintf(line, sizeof line,
           "sweep --method a=%s{n} --method b=%s{n} --size n=1,2 --rounds 8 --resume --out %s",
           in_folder("short"), in_folder("short"), in_folder("killed"));
  for (int ms = 50; ms <= 350; ms += 100) {
    const int null = open("/dev/null", O_WRONLY);
    const pid_t pid = program_start(line, null, null);
    usleep((useconds_t)ms * 1000);
    kill(pid, ms % 200 == 50 ? SIGKILL : SIGTERM);
    int status;
    waitpid(pid, &status, 0);
    close(null);
  }
  assert_status(program_run("%s", line), 0);
  assert_int_equal(rows_in("killed", "samples.csv"), 32);
  dcs_table *summary = run_table("killed", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 4);
  for (size_t row = 0; row < 4; row++) {
    assert_float_equal(number_at(summary, row, "n"), 8, 0);
    assert_string_equal(text_at(summary, row, "outcome"), "ok");
  }
  dcs_table_free(summary);
  assert_status(program_run("sweep --method a=%s{n} --size n=1,2 --resume --out %s",
                            in_folder("fast"), in_folder("killed")),
                2);
  assert_contains(program_err, "take another folder");
}

static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *options, *said;
  } wrong[] = {{"--method x --size n=1", "expected NAME=COMMAND"},
               {"--method a=true", "--size NAME=LIST is missing"},
               {"--method a=x{m} --size n=1", "found \"{m}\"; expected the name of a size"},
               {"--method a=x|y --size n=1", "found what a shell alone understands"},
               {"--method a=true --method a=true --size n=1", "found \"a\" twice"},
               {"--method a=true --size n=0", "--size"},
               {"--method a=true{method} --size method=1", "--size: found \"method\"; expected"},
               {"--method a=true --size n=1 --atoms 5", "--method times commands of yours"},
               {"--method a=true --size n=1 --time-from took", "expected stdout:REGEX"},
               {"--method a=true --size n=1 --time-from stdout:took", "found no group"},
               {"--method a=true --size n=1 --time-from stdout:(", "regular expression"},
               {"--method a=true --size n=1 --size n=2", "expected a name for each"},
               {"--method a=true --size n=1:10000:1 --size m=1:10000:1",
                "found 100000000 sizes of 1 methods; expected at most 1000000 together"},
               {"--check true", "are for --method"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const int status = program_run("sweep %s --out %s", wrong[i].options, in_folder("refused"));
    if (status != 2 && status != 3)
      fail_msg("%s: status %d: %s", wrong[i].options, status, program_err);
    assert_contains(program_err, wrong[i].said);
    assert_false(exists(in_folder("refused/env.csv")));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(times_that_commands_print),
                                     cmocka_unit_test(rounds_are_interleaved),
                                     cmocka_unit_test(the_wall_clock),
                                     cmocka_unit_test(commands_have_the_environment_of_the_user),
                                     cmocka_unit_test(what_fails_is_an_outcome),
                                     cmocka_unit_test(wrong_output_is_not_timed),
                                     cmocka_unit_test(the_least_budget_has_a_sample_of_each),
                                     cmocka_unit_test(a_budget_that_is_not_kept_is_said),
                                     cmocka_unit_test(a_time_is_read_with_its_unit),
                                     cmocka_unit_test(a_time_that_is_none_is_wrong),
                                     cmocka_unit_test(what_was_measured_is_not_written_over),
                                     cmocka_unit_test(what_goes_on_is_another_session),
                                     cmocka_unit_test(a_killed_run_goes_on),
                                     cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests(tests, setup, program_teardown);
}
