/* What `dcsbench compare` refuses, and what it says of runs that differ in more than their times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/compared_runs.h"

/* ---- facts ---- */

static void runs_that_are_not_comparable_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *a, *b, *said;
  } pairs[] = {
      {"key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n",
       "key,value\nschema,4\ncpu_model,Other CPU\ncpus,8\nseed,1\n",
       "cpu_model is \"Some CPU\" and \"Other CPU\""},
      {"key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n",
       "key,value\nschema,4\ncpu_model,Some CPU\ncpus,4\nseed,2\n",
       "cpus is \"8\" and \"4\", seed is \"1\" and \"2\""},
      {ENV GPU, ENV "gpu_name,Other GPU\n", "gpu_name is \"Some GPU\" and \"Other GPU\""},
      {ENV, ENV "isa_disabled,avx512\n", "isa_disabled is \"\" and \"avx512\""},
      {ENV "input_fnv1a64,1f\n", ENV "input_fnv1a64,2f\n", "input_fnv1a64 is \"1f\" and \"2f\""},
      {ENV, "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n",
       "asked_spacing is \"0.5\" and \"\""},
      {ENV "asked_margin,1\n", ENV "asked_margin,2\n", "asked_margin is \"1\" and \"2\""},
      {ENV, ENV "asked_origin,0 0 1\n", "asked_origin is \"\" and \"0 0 1\""}};
  for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
    put_run("a", pairs[p].a, plain);
    put_run("b", pairs[p].b, slow);
    assert_status(compare("a", "b", ""), 2);
    assert_contains(program_err, "not comparable");
    assert_contains(program_err, pairs[p].said);
    assert_contains(program_err, "--force");
    assert_string_equal(program_out, "");
  }
}

/* Two machines in one folder. */
static void a_run_of_two_machines_is_refused(void **state) {
  (void)state;
  put_run("a", ENV, plain);
  put_run("b", ENV "cpu_model,Other CPU\n", plain);
  assert_status(compare("a", "b", "--force"), 3);
  assert_contains(program_err, "found cpu_model again: \"Other CPU\"");
}

static void forced_output_says_so_in_every_line(void **state) {
  (void)state;
  put_run("a", ENV, before);
  put_run("b", "key,value\nschema,4\ncpu_model,Some CPU\ncpus,4\nseed,1\nasked_spacing,0.5\n",
          after);
  assert_status(compare("a", "b", "--force"), 1);
  assert_contains(program_err, "forced");
  assert_contains(program_out, "not comparable: cpus: A \"8\", B \"4\"\n");
  int lines = 0;
  for (char *line = strtok(program_out, "\n"); line; line = strtok(NULL, "\n"), lines++)
    if (strncmp(line, "forced  ", 8) != 0) fail_msg("not marked: %s", line);
  assert_int_equal(lines, 3 + 1 + 6 + 3);

  assert_status(compare("a", "b", "--force --csv"), 1);
  assert_contains(program_err, "not comparable: cpus: A \"8\", B \"4\"\n");
  dcs_table *t = written();
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    assert_string_equal(text_at(t, row, "forced"), "yes");
  dcs_table_free(t);

  assert_status(compare("a", "a", "--force"), 0); /* nothing to force */
  assert_null(strstr(program_out, "forced"));
}

static void what_may_differ_is_said(void **state) {
  (void)state;
  put_run("a", ENV GPU "git_state,one\ncompiler,cc 12\n", plain);
  put_run("b",
          ENV "gpu_name,Some GPU\ngpu_uuid,GPU-2\ncuda_driver,13.0\n"
              "git_state,two\ncompiler,cc 13\n",
          plain);
  assert_status(compare("a", "b", ""), 0);
  assert_contains(program_out, "\ndiffers: git_state: A \"one\", B \"two\"\n");
  assert_contains(program_out, "\ndiffers: compiler: A \"cc 12\", B \"cc 13\"\n");
  assert_contains(program_out, "\ndiffers: gpu_uuid: A \"GPU-1\", B \"GPU-2\"\n");
  assert_null(strstr(program_out, "cuda_driver"));
  put_run("b", ENV, plain); /* without a GPU: its facts are no difference */
  assert_status(compare("a", "b", ""), 0);
  assert_null(strstr(program_out, "gpu_"));
}

/* ---- input ---- */

static void the_arguments_are_two_folders(void **state) {
  (void)state;
  assert_status(program_run("compare"), 2);
  assert_contains(program_err, "two run folders");
  assert_status(program_run("compare %s", in_folder("a")), 2);
  assert_status(program_run("compare a b c"), 2);
  assert_status(program_run("compare %s %s", in_folder("absent"), in_folder("absent")), 5);
  assert_contains(program_err, path_in("absent", "env.csv"));
}

/* A good run, and one with a file replaced. */
static void refuse_file(const char *file, const char *text, const char *said) {
  put_run("a", ENV, plain);
  put_run("bad", ENV, plain);
  put_file(path_in("bad", file), text);
  assert_status(compare("a", "bad", ""), 3);
  assert_contains(program_err, path_in("bad", file));
  assert_contains(program_err, said);
  assert_string_equal(program_out, "");
}

static void files_that_are_wrong_are_named(void **state) {
  (void)state;
#define HEADER "variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,time_ns\n"
  refuse_file("env.csv", "key,text\ncpus,8\n", "no column \"value\"");
  refuse_file("env.csv", "key,value\nschema,4\ncpus,8\nseed,1\n", "no value of \"cpu_model\"");
  refuse_file("env.csv", "key,value\ncpu_model,Some CPU\ncpus,8\nseed,1\n",
              "found schema \"\"; expected 4: measure the run anew with `dcsbench sweep`");
  refuse_file("env.csv", "key,value\nschema,3\ncpu_model,Some CPU\n", "found schema \"3\"");
  refuse_file("env.csv", "", "empty file");
  refuse_file("samples.csv", "variant,config,scope,time_ns\nv1,,kernel,5\n",
              "no column \"memory\"");
  refuse_file("samples.csv", "", "empty file");
  refuse_file("samples.csv", HEADER, "found no samples of row 2 of");
  refuse_file("samples.csv", HEADER "v1,,kernel,,cpu,coulomb,,100,8,8\n", "row 2");
  refuse_file("samples.csv",
              HEADER "v1,,kernel,,cpu,coulomb,,1,8,8,4,5\nv1,,kernel,,cpu,coulomb,,1,8,8,4,\n",
              "row 3: found time_ns \"\"");
  refuse_file("samples.csv", HEADER "v1,,kernel,,cpu,coulomb,,1,8,8,4,-5\n", "\"-5\"");
  refuse_file("samples.csv", HEADER "v1,,kernel,,cpu,coulomb,,1,8,8,4,inf\n", "\"inf\"");
  refuse_file("summary.csv",
              "variant,backend,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz\n",
              "no column \"outcome\"");
  put_run("bad", ENV, plain);
  unlink(path_in("bad", "summary.csv"));
  assert_status(compare("a", "bad", ""), 5);
  assert_contains(program_err, path_in("bad", "summary.csv"));
}

static void runs_without_a_common_cell_are_refused(void **state) {
  (void)state;
  static const measured other[] = {{"v1", "kernel", 101, 9, 2, 0.001, "ok"},
                                   {"v1", "warm", 100, 9, 2, 0.001, "ok"},
                                   {"v2", "kernel", 100, 9, 2, 0.001, "ok"},
                                   {0}};
  static const measured failed[] = {{"v1", "kernel", 100, 9, 2, 0.001, "wrong"}, {0}};
  put_run("a", ENV, plain);
  put_run("b", ENV, other);
  assert_status(compare("a", "b", ""), 3);
  assert_contains(program_err,
                  "only in the first: 1, only in the second: 3, not ok in one or both: 0");
  assert_string_equal(program_out, "");
  put_run("b", ENV, failed);
  assert_status(compare("a", "b", ""), 3);
  assert_contains(program_err, "not ok in one or both: 1");
}

/* A killed run: its last sample is cut, and what it was at has no row in the summary yet. */
static void a_killed_run_counts_as_far_as_it_went(void **state) {
  (void)state;
  static const measured killed[] = {
      {"v1", "kernel", 100, 9, 2.2, 0.001, "ok"}, {"v2", "kernel", 100, 4, 1, 0.001, NULL}, {0}};
  static const measured whole[] = {
      {"v1", "kernel", 100, 9, 2, 0.001, "ok"}, {"v2", "kernel", 100, 9, 2, 0.001, "ok"}, {0}};
  put_run("a", ENV, whole);
  put_run("b", ENV, killed);
  FILE *samples = fopen(path_in("b", "samples.csv"), "a");
  assert_non_null(samples);
  fputs("9,9,v1,\"x=1,y", samples);
  fclose(samples);
  assert_status(compare("a", "b", ""), 1);
  assert_contains(program_out, "b/samples.csv: the last row was cut off and is left out\n");
  assert_contains(program_out, "b/samples.csv: 4 samples of rows that the sweep did not finish");
  assert_contains(program_out, "SLOWER");
  assert_contains(program_out, "\nnot compared: 1 only in A, 0 only in B");
  assert_status(compare("a", "b", "--csv"), 1);
  assert_contains(program_err, "the last row was cut off");
  dcs_table *t = written();
  assert_int_equal(dcs_table_rows(t), 1);
  assert_string_equal(text_at(t, 0, "n_b"), "9");
  dcs_table_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_that_are_not_comparable_are_refused),
      cmocka_unit_test(a_run_of_two_machines_is_refused),
      cmocka_unit_test(forced_output_says_so_in_every_line),
      cmocka_unit_test(what_may_differ_is_said),
      cmocka_unit_test(the_arguments_are_two_folders),
      cmocka_unit_test(files_that_are_wrong_are_named),
      cmocka_unit_test(runs_without_a_common_cell_are_refused),
      cmocka_unit_test(a_killed_run_counts_as_far_as_it_went),
  };
  cmocka_run_group_tests(tests, make_folder_with_spread, program_teardown);
}
