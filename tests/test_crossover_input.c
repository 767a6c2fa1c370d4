/* What `dcsbench crossover` says of run folders that it cannot read, or that hold too little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/crossover_run.h"

static void refuse(const char *said) {
  assert_status(crossover(""), 3);
  assert_contains(program_err, said);
  assert_string_equal(program_out, "");
  assert_false(exists(run_path("thresholds.csv")));
}

static void refuse_summary(const char *text, const char *said) {
  begin_run();
  put_method("cpu_gather", 1, "kernel", 100, 8, 1, "ok");
  end_run();
  put_file(run_path("summary.csv"), text);
  refuse(said);
}

static void files_that_are_wrong_are_named(void **state) {
  (void)state;
#define ROW "plain,,kernel,,cpu,coulomb,,100,8,8,8,cpu,1,"
  refuse_summary(KEYS ",threads,median_ns,outcome\n", "no column \"backend\"");
  refuse_summary(KEYS ",backend,threads,outcome\n", "no column \"median_ns\"");
  refuse_summary(KEYS ",backend,threads,median_ns\n", "no column \"outcome\"");
  refuse_summary("", "empty file");
  refuse_summary(SUMMARY_COLUMNS, "none of its 0 rows is ok");
  refuse_summary(SUMMARY_COLUMNS ROW "5,wrong\n", "none of its 1 rows is ok");
  refuse_summary(SUMMARY_COLUMNS ROW ",ok\n", "row 2: found median_ns \"\"; expected nanoseconds");
  refuse_summary(SUMMARY_COLUMNS ROW "5,ok\n", "no samples of row 2");
}

/* A row on two backends: three classes would take the samples of one. */
static void a_row_that_comes_twice_is_refused(void **state) {
  (void)state;
#define TWICE "cpu_gather,,kernel,,cpu,coulomb,,10,8,8,8,"
  begin_run();
  for (int i = 0; i < 3; i++)
    fprintf(samples, "%d,cpu_gather,,kernel,,cpu,coulomb,,10,8,8,8,%d\n", i, 100 + i);
  fputs(TWICE "cpu,1,100,ok\n" TWICE "gpu,,90,ok\n", summary);
  end_run();
  refuse("summary.csv: rows 2 and 3: found cpu_gather twice");
}

/* Numbers that are none, or that overflow what is made of them. */
static void numbers_out_of_range_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *size, *numbers, *said;
  } rows[] = {{"0,8,8,8", "cpu,1,5,ok", "row 2: found atoms \"0\""},
              {"-5,8,8,8", "cpu,1,5,ok", "row 2: found atoms \"-5\""},
              {"1e30,8,8,8", "cpu,1,5,ok", "row 2: found atoms \"1e30\""},
              {"5,8,8.5,8", "cpu,1,5,ok", "row 2: found ny \"8.5\""},
              {"5,1000000,1000000,1000000", "cpu,1,5,ok", "a grid of at most 2^40 points"},
              {"5,8,8,8", "cpu,1.5,5,ok", "row 2: found threads \"1.5\""},
              {"5,8,8,8", "cpu,1e10,5,ok", "row 2: found threads \"1e10\""},
              {"5,8,8,8", "cpu,x,5,ok", "row 2: found threads \"x\""},
              {"5,8,8,8", "cuda,1,5,ok", "row 2: found backend \"cuda\"; expected cpu or gpu"},
              {"5,8,8,8", "cpu,1,0,ok", "row 2: found median_ns \"0\""},
              {"5,8,8,8", "cpu,1,inf,ok", "row 2: found median_ns \"inf\""},
              {"5,8,8,8", "cpu,1,1e20,ok", "row 2: found median_ns \"1e20\""},
              {"5,8,8,8", "cpu,1,5,fine", "row 2: found outcome \"fine\""}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[1024];
    snprintf(text, sizeof text, SUMMARY_COLUMNS "plain,,kernel,,cpu,coulomb,,%s,%s\n", rows[i].size,
             rows[i].numbers);
    refuse_summary(text, rows[i].said);
  }
}

static void another_schema_is_refused(void **state) {
  (void)state;
  begin_run();
  put_atoms();
  end_run();
  put_file(run_path("env.csv"), "key,value\ncpu_model,x\ncpus,1\nseed,1\n");
  refuse("env.csv: found schema \"\"; expected 4: measure the run anew with `dcsbench sweep`");
}

/* What two machines measured has no threshold. */
static void mixed_machines_are_refused(void **state) {
  (void)state;
  begin_run();
  put_atoms();
  gpu = "cuda:1";
  put_method("g", 0, "kernel", 3200, 8, 0.5, "ok");
  gpu = "cuda:0";
  end_run();
  refuse("found a GPU row of device \"cuda:1\", and of \"cuda:0\" in row 8; expected one device");
  begin_run();
  put_atoms();
  end_run();
  put_file(run_path("env.csv"), "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n"
                                "gpu_name,One\ngpu_name,Other\n");
  refuse("env.csv: row 7: found gpu_name again: \"Other\", and \"One\" in row 6");
}

/* A last row without its end is left out and said; one in the middle is refused by its number. */
static void rows_that_were_cut_are_said(void **state) {
  (void)state;
  begin_run();
  put_atoms();
  fputs("0,late,,kernel,,cpu,coulomb,,100,8,8,8,5\n", samples); /* its row was not written yet */
  fputs("5,plain,\"x=1", samples);
  fputs("plain,\"x=1", summary);
  end_run();
  assert_status(crossover(""), 0);
  assert_contains(program_out, "run/samples.csv: the last row was cut off and is left out\n");
  assert_contains(program_out, "run/summary.csv: the last row was cut off and is left out\n");
  assert_contains(program_out, "1 sample has no row in the summary and is left out: the sweep was "
                               "interrupted, and --resume goes on\n");
  unlink(run_path("thresholds.csv"));
  begin_run();
  put_method("cpu_gather", 1, "kernel", 100, 8, 1, "ok");
  fputs("plain,,kernel\n", summary);
  put_method("cpu_gather", 1, "kernel", 200, 8, 1, "ok");
  end_run();
  refuse("run/summary.csv: row 3");
}

/* A class whose only methods were wrong has no times, however short. */
static void a_wrong_method_has_no_threshold(void **state) {
  (void)state;
  begin_run();
  for (int atoms = 100; atoms <= 800; atoms *= 2) {
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
    put_method("g", 0, "kernel", atoms, 8, 0.3, "wrong");
  }
  end_run();
  refuse("methods have 0 sizes in common at most along a dimension (4 rows are not ok)");
}

static void too_few_sizes_are_refused(void **state) {
  (void)state;
  begin_run();
  put_method("cpu_gather", 1, "kernel", 100, 8, 1, "ok");
  put_method("g", 0, "kernel", 200, 8, 1, "ok");
  put_method("g", 0, "kernel", 100, 8, 1, "crash");
  put_method("p", 4, "kernel", 300, 8, 1, "ok");
  end_run();
  refuse("methods have 0 sizes in common at most along a dimension (1 rows are not ok)");
  for (int n = 1; n <= 3; n++) {
    begin_run();
    for (int i = 0; i < n; i++) {
      put_method("cpu_gather", 1, "kernel", 100 << i, 8, 1, "ok");
      put_method("g", 0, "kernel", 100 << i, 8, 2, "ok");
    }
    end_run();
    refuse(n == 1   ? "1 size in common at most"
           : n == 2 ? "2 sizes in common at most"
                    : "3 sizes in common at most");
  }
}

static void the_argument_is_a_run_folder(void **state) {
  (void)state;
  assert_status(program_run("crossover"), 2);
  assert_contains(program_err, "the run folder is missing");
  assert_status(program_run("crossover a b"), 2);
  assert_status(program_run("crossover %s", in_folder("absent")), 5);
  begin_run();
  put_atoms();
  end_run();
  unlink(run_path("samples.csv"));
  assert_status(crossover(""), 5);
  assert_contains(program_err, "run/samples.csv");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_that_are_wrong_are_named),
      cmocka_unit_test(a_row_that_comes_twice_is_refused),
      cmocka_unit_test(numbers_out_of_range_are_refused),
      cmocka_unit_test(another_schema_is_refused),
      cmocka_unit_test(mixed_machines_are_refused),
      cmocka_unit_test(rows_that_were_cut_are_said),
      cmocka_unit_test(a_wrong_method_has_no_threshold),
      cmocka_unit_test(too_few_sizes_are_refused),
      cmocka_unit_test(the_argument_is_a_run_folder),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
