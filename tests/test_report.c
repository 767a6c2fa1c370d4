/* `dcsbench report` on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"

#define COLUMNS                                                                                    \
  "variant,backend,config,threads,devices,scope,memory,problem,problem_config,atoms,nx,ny,nz,"     \
  "median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,flops_per_eval,limit_fraction,model_error,outcome\n"

static void put_run(const char *folder, const char *rows) {
  char path[PATH_MAX], text[8192];
  snprintf(path, sizeof path, "%s", in_folder(folder));
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/env.csv", in_folder(folder));
  put_file(path, "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n");
  snprintf(path, sizeof path, "%s/summary.csv", in_folder(folder));
  snprintf(text, sizeof text, COLUMNS "%s", rows);
  put_file(path, text);
}

/* The line of the table that a variant begins; the caller has none of two. */
static const char *line_of(const char *variant) {
  static char line[512];
  char begin[64];
  snprintf(begin, sizeof begin, "\n  %s ", variant);
  const char *at = strstr(program_out, begin);
  if (!at) fail_msg("no line of %s in \"%s\"", variant, program_out);
  assert_null(strstr(at + 1, begin));
  snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 3, "\n"), at + 3);
  return line;
}

#define SIZE  "coulomb,,1000,16,16,16,"
#define CLOSE "coulomb,\"cutoff=12,switching=c2\",1000,16,16,16,"

static void the_best_configuration_of_each_variant(void **state) {
  (void)state;
  put_run("run", "v1,cpu,a=1,1,cpu,kernel,," SIZE "2e6,1.9e6,2.1e6,2e9,12,0.5,,ok\n"
                 "v1,cpu,a=2,1,cpu,kernel,," SIZE "1e6,0.9e6,1.1e6,4e9,12,0.75,,ok\n"
                 "v1,cpu,a=3,1,cpu,kernel,," SIZE "1,1,1,9e12,12,1,,wrong\n"
                 "v2,gpu,b=1,,cuda:0,kernel,," SIZE "4e5,,,9e9,10,,,ok\n"
                 "v2,gpu,b=2,,cuda:0,warm,pinned," SIZE "5e5,,,8e9,10,,,ok\n"
                 "v2,gpu,b=1,,cuda:0,first,pageable," SIZE "9e7,,,8e9,10,,,ok\n"
                 "v3,cpu,,1,cpu,kernel,,coulomb,,10,4,4,4,3e6,,,1e6,12,,,ok\n");
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_string_equal(line_of("v1"), "v1        1000  16x16x16  kernel    1  ±10.0%       4     "
                                     "75.0%                     a=2");
  assert_string_equal(line_of("v2"), "v2        1000  16x16x16  kernel  0.4               9    "
                                     "            0.5        90  b=1");
  assert_contains(line_of("v3"), "v3          10  4x4x4  ");
  assert_null(strstr(program_out, "a=1"));
  assert_null(strstr(program_out, "model error"));
  assert_contains(program_out, "1 of 7 rows have no time, outcome wrong, such as v1 a=3");
  assert_status(program_run("report %s --markdown", in_folder("run")), 0);
  assert_contains(program_out, "v2 is the fastest (kernel time), 9 x 10^9 evaluations a second, "
                               "2.25 times as fast as the best CPU variant, v1 with 1 thread.");
}

static void every_row(void **state) {
  (void)state;
  put_run("run", "v1,cpu,a=1,1,cpu,kernel,," SIZE "2e6,,,2e9,12,0.5,,ok\n"
                 "v1,cpu,\"a=2,b=1\",1,cpu,kernel,," CLOSE "1e6,,,4e9,12,,0.25,ok\n"
                 "v2,cpu,,1,cpu,warm,pinned," SIZE ",,,,,,,crash\n");
  assert_status(program_run("report %s --all", in_folder("run")), 0);
  assert_contains(program_out, "  a=1\n");
  assert_contains(program_out, "  a=2,b=1\n");
  assert_contains(line_of("v2"), "warm    pinned                                     crash");
  assert_status(program_run("report %s --all --csv", in_folder("run")), 0);
  assert_string_equal(
      program_out,
      "variant,problem,problem_config,atoms,nx,ny,nz,scope,memory,devices,median_ns,ci_lo_ns,"
      "ci_hi_ns,evals_per_s,model_error,limit_fraction,padding_overhead,warm_ns,first_ns,outcome,"
      "config\n"
      "v1,coulomb,,1000,16,16,16,kernel,,cpu,2000000,,,2000000000,,0.5,,,,ok,a=1\n"
      "v1,coulomb,\"cutoff=12,switching=c2\",1000,16,16,16,kernel,,cpu,1000000,,,4000000000,0.25,,"
      ",,,ok,\"a=2,b=1\"\n"
      "v2,coulomb,,1000,16,16,16,warm,pinned,cpu,,,,,,,,,,crash,\n");
  assert_status(program_run("report %s --json", in_folder("run")), 0);
  assert_contains(program_out, "\n {\"variant\": \"v1\", \"problem\": \"coulomb\", ");
  assert_contains(program_out, "\"median_ns\": 2000000, \"ci_lo_ns\": null, ");
  assert_null(strstr(program_out, "crash")); /* it has no best */
  assert_status(program_run("report %s --markdown", in_folder("run")), 0);
  assert_contains(program_out, "\n| v1 | 1000 | 16x16x16 |  | kernel | 2 | 2 |");
  assert_contains(program_out, "\n- 1 of 3 rows have no time, outcome crash, such as v2 .\n");
}

/* A speed within a cutoff stands beside what it costs; that of the direct sum costs nothing. */
static void the_error_stands_beside_the_rate(void **state) {
  (void)state;
  put_run("run", "direct,cpu,,1,cpu,kernel,," SIZE "2e6,,,2e9,12,,,ok\n"
                 "near,cpu,,1,cpu,kernel,," CLOSE "1e6,,,3e9,12,,0.262,ok\n"
                 "far,cpu,,1,cpu,kernel,," CLOSE "3e6,,,1e9,12,,0.262,ok\n");
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "10^9/s  model error");
  assert_contains(program_out,
                  "near      1000  16x16x16  cutoff=12,switching=c2  kernel   1       3 "
                  "       0.262");
  assert_contains(program_out,
                  "direct    1000  16x16x16                          kernel   2       2\n");
  assert_contains(program_out, "near with 1 thread is the fastest");
  assert_contains(program_out, "at a model error of 0.262");
}

/* Of another program's timings nobody knows the work: there is no best, and the axes are theirs. */
static void another_programs_timings(void **state) {
  (void)state;
  char text[8192] = "method,n,round,time_us\n";
  for (int n = 10; n <= 100000; n *= 10)
    for (int round = 0; round < 8; round++)
      snprintf(text + strlen(text), 256, "base,%d,%d,%g\nnew,%d,%d,%g\n", n, round,
               n * 0.01 * (1 + 0.002 * round), n, round, (50 + n * 0.001) * (1 + 0.001 * round));
  put_file(in_folder("times.csv"), text);
  assert_status(program_run("import %s --out %s", in_folder("times.csv"), in_folder("imported")),
                0);
  assert_status(program_run("report --markdown %s", in_folder("imported")), 0);
  assert_contains(program_out, "external: Every row\n");
  assert_contains(program_out, "\n| base | 1000 | warm | 0.01007 |");
  assert_contains(program_out, "\n- copies included: new loses to base below 5,");
  assert_status(program_run("report --csv %s", in_folder("imported")), 0);
  assert_contains(program_out, "variant,problem,problem_config,axis_1,axis_2,scope,");
}

static void one_form_at_a_time(void **state) {
  (void)state;
  put_run("run", "v1,cpu,,1,cpu,kernel,," SIZE "2e6,,,2e9,12,0.5,,ok\n");
  assert_status(program_run("report %s --html --all", in_folder("run")), 2);
  assert_status(program_run("report %s --html --csv", in_folder("run")), 2);
  assert_status(program_run("report %s -o x.html", in_folder("run")), 2);
  assert_contains(program_err, "--out and --reference are for --html");
}

static void a_folder_of_runs_is_listed(void **state) {
  (void)state;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", in_folder("all"));
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s", in_folder("all/cards"));
  mkdir(path, 0777);
  put_run("all/b", "");
  put_run("all/cards/a", "");
  assert_status(program_run("report %s", in_folder("all")), 0);
  char expected[3 * PATH_MAX];
  snprintf(expected, sizeof expected, "%s/b\n", in_folder("all"));
  snprintf(expected + strlen(expected), PATH_MAX, "%s/cards/a\n", in_folder("all"));
  assert_string_equal(program_out, expected);
}

static void a_folder_of_runs_is_no_run(void **state) {
  (void)state;
  static const char *const commands[] = {
      "plot %s",          "crossover %s",          "dispatch %s",
      "claims %s",        "compare %s other",      "report %s --csv",
      "report %s --html", "report %s --t4 x.json", "explain cuda_naive --run %s"};
  char all[PATH_MAX], empty[PATH_MAX], file[PATH_MAX], path[PATH_MAX + 16], line[3 * PATH_MAX + 64];
  snprintf(all, sizeof all, "%s", in_folder("many"));
  snprintf(empty, sizeof empty, "%s", in_folder("empty"));
  snprintf(file, sizeof file, "%s", in_folder("file.csv"));
  mkdir(all, 0777);
  mkdir(empty, 0777);
  put_file(file, "");
  for (char name = 'a'; name <= 'd'; name++) {
    snprintf(path, sizeof path, "many/%c", name);
    put_run(path, "");
  }
  const struct {
    const char *folder;
    char says[2 * PATH_MAX];
  } folders[] = {{all, "is no run folder, but holds 4; name one: "},
                 {empty, "has no env.csv, nor run folders in it"},
                 {file, "is a file; expected a run folder"}};
  for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++)
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
      snprintf(line, sizeof line, commands[c], folders[f].folder); /* NOLINT: of the list above */
      const bool journal = f == 2 && strstr(commands[c], "--t4");  /* a file may be one */
      assert_status(program_run("%s", line), journal ? 3 : 5);
      if (journal) continue;
      snprintf(line, sizeof line, "%s: %s", folders[f].folder, folders[f].says);
      assert_contains(program_err, line);
      assert_string_equal(program_out, "");
      if (f > 0) continue;
      snprintf(line, sizeof line, "%s/c, ... (`dcsbench report` of the folder lists them)", all);
      assert_contains(program_err, line);
      assert_null(strstr(program_err, "many/d"));
    }
}

static void what_is_no_run_is_refused(void **state) {
  (void)state;
  assert_status(program_run("report"), 2);
  assert_status(program_run("report %s", in_folder("absent")), 5);
  assert_contains(program_err, "absent/env.csv");
  put_run("run", "v1,cpu,,1,cpu,kernel,," SIZE "fast,,,2e9,12,,,ok\n");
  assert_status(program_run("report %s", in_folder("run")), 3);
  assert_contains(program_err, "row 2: found median_ns \"fast\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_configuration_of_each_variant),
      cmocka_unit_test(every_row),
      cmocka_unit_test(the_error_stands_beside_the_rate),
      cmocka_unit_test(another_programs_timings),
      cmocka_unit_test(one_form_at_a_time),
      cmocka_unit_test(a_folder_of_runs_is_listed),
      cmocka_unit_test(a_folder_of_runs_is_no_run),
      cmocka_unit_test(what_is_no_run_is_refused),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
