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

/* The line of the report that a variant begins; the caller has none of two. */
static const char *line_of(const char *variant) {
  static char line[512];
  const char *at = strstr(program_out, variant);
  if (!at) fail_msg("no line of %s in \"%s\"", variant, program_out);
  assert_null(strstr(at + 1, variant));
  snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
  return line;
}

#define SIZE  "coulomb,,1000,16,16,16,"
#define CLOSE "coulomb,\"cutoff=12,switching=c2\",1000,16,16,16,"

static void the_best_configuration_of_each_method(void **state) {
  (void)state;
  put_run("run", "v1,cpu,a=1,1,cpu,kernel,," SIZE "2e6,1.9e6,2.1e6,2e9,12,0.5,,ok\n"
                 "v1,cpu,a=2,1,cpu,kernel,," SIZE "1e6,0.9e6,1.1e6,4e9,12,0.75,,ok\n"
                 "v1,cpu,a=3,1,cpu,kernel,," SIZE "1,1,1,9e12,12,1,,wrong\n"
                 "v2,gpu,b=1,,cuda:0,warm,pinned," SIZE "5e5,,,8e9,10,,,ok\n");
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "1000 atoms, 16x16x16\n");
  assert_contains(program_out, "           1  +-10.0%            4         48   75.0%  a=2\n");
  assert_contains(program_out, "wrong");
  assert_null(strstr(program_out, "a=1"));
  assert_contains(line_of("v2 "), "warm    pinned");
  assert_null(strstr(program_out, "model error"));
}

/* A speed within a cutoff stands beside what it costs; that of the direct sum costs nothing. */
static void the_error_stands_beside_the_rate(void **state) {
  (void)state;
  put_run("run", "direct,cpu,,1,cpu,kernel,," SIZE "2e6,,,2e9,12,,,ok\n"
                 "near,cpu,,1,cpu,kernel,," CLOSE "1e6,,,3e9,12,,0.262,ok\n"
                 "broken,cpu,,1,cpu,kernel,," CLOSE ",,,,,,,crash\n");
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "1000 atoms, 16x16x16, cutoff=12,switching=c2\n");
  assert_contains(program_out, "10^9 eval/s model error     GFLOPS");
  assert_contains(line_of("near "), "           3       0.262         36");
  assert_contains(line_of("direct "), "           2         24");
  assert_contains(line_of("broken "), "crash");
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
      cmocka_unit_test(the_best_configuration_of_each_method),
      cmocka_unit_test(the_error_stands_beside_the_rate),
      cmocka_unit_test(a_folder_of_runs_is_listed),
      cmocka_unit_test(what_is_no_run_is_refused),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
