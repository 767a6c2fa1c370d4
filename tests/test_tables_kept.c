/* What users name as an output never takes the place of what was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"

static const char *const tables[] = {"env.csv", "samples.csv", "summary.csv", "thresholds.csv"};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

/* A table of a run folder, as it is; the caller frees it. */
static char *table_of(const char *folder, int table) {
  char name[64];
  snprintf(name, sizeof name, "%s/%s", folder, tables[table]);
  return get_file(in_folder(name), NULL);
}

static void make_run(const char *folder) {
  FILE *times = fopen(in_folder("times.csv"), "w");
  assert_non_null(times);
  fputs("method,n,time_ns\n", times);
  for (int n = 10; n <= 1000; n *= 3)
    for (int round = 0; round < 6; round++)
      fprintf(times, "a,%d,%d\nb,%d,%d\n", n, 10 * n + round, n, 500 + round);
  assert_int_equal(fclose(times), 0);
  assert_status(program_run("import %s --out %s", in_folder("times.csv"), in_folder(folder)), 0);
  assert_status(program_run("crossover %s", in_folder(folder)), 0);
}

static void tables_of_a_run_are_not_written_over(void **state) {
  (void)state;
  char run[64], other[64], path[PATH_MAX], link[PATH_MAX], *before[N_TABLES];
  snprintf(run, sizeof run, "%s/run", test_folder);
  snprintf(other, sizeof other, "%s/other", test_folder);
  make_run("run");
  make_run("other");
  for (int t = 0; t < N_TABLES; t++)
    before[t] = table_of("run", t);
  for (int t = 0; t < N_TABLES; t++) {
    snprintf(path, sizeof path, "%s/../run/%s", run, tables[t]);
    snprintf(link, sizeof link, "%s/link%d", test_folder, t);
    assert_int_equal(symlink(path, link), 0);
    const char *const names[] = {path, link};
    for (int n = 0; n < 2; n++) {
      assert_status(program_run("report %s --t4 %s", run, names[n]), 2);
      assert_contains(program_err, "it is a table of the run; expected another name");
      assert_status(program_run("report %s --html --out %s", run, names[n]), 2);
      assert_status(program_run("crossover %s --header %s", run, names[n]), 2);
      assert_status(program_run("compare %s %s --html=%s", run, other, names[n]), 2);
      assert_status(program_run("compare %s %s --html=%s", other, run, names[n]), 2);
    }
  }
  for (int t = 0; t < N_TABLES; t++) {
    char *after = table_of("run", t);
    assert_string_equal(after, before[t]);
    free(after);
    free(before[t]);
  }
  snprintf(path, sizeof path, "%s/own.h", run);
  assert_status(program_run("crossover %s --header %s", run, path), 0);
  assert_true(exists(path));
}

static void a_journal_is_not_written_over(void **state) {
  (void)state;
  static const char journal[] = "schema\n";
  put_file(in_folder("journal.csv"), journal);
  assert_status(
      program_run("report --t4 %s %s", in_folder("journal.csv"), in_folder("journal.csv")), 2);
  assert_contains(program_err, "it is read, too; expected another name");
  char *after = get_file(in_folder("journal.csv"), NULL);
  assert_string_equal(after, journal);
  free(after);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_of_a_run_are_not_written_over),
                                     cmocka_unit_test(a_journal_is_not_written_over)};
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
