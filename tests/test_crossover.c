/* `dcsbench crossover` on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"

/* ---- a run, row by row ---- */

#define KEYS            "variant,config,scope,memory,devices,atoms,nx,ny,nz"
#define SUMMARY_COLUMNS KEYS ",backend,threads,median_ns,outcome\n"

static FILE *samples, *summary;
static int rounds = 9;

static const char *run_path(const char *file) {
  char name[64];
  snprintf(name, sizeof name, "run/%s", file);
  return in_folder(name);
}

static void begin_run(void) {
  mkdir(in_folder("run"), 0777);
  unlink(run_path("thresholds.csv"));
  put_file(run_path("env.csv"), "key,value\ncpu_model,Some CPU\ncpus,8\nseed,1\n");
  samples = fopen(run_path("samples.csv"), "w");
  summary = fopen(run_path("summary.csv"), "w");
  assert_true(samples && summary);
  fputs("round," KEYS ",time_ns\n", samples);
  fputs(SUMMARY_COLUMNS, summary);
}

static void end_run(void) {
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
}

/* A method on a cube: no threads is one on the GPU. Its times lie within 0.1% of `ms`. */
static void put_method(const char *variant, int threads, const char *scope, int atoms, int edge,
                       double ms, const char *outcome) {
  char keys[256];
  snprintf(keys, sizeof keys, "%s,\"x=1,threads=%d\",%s,,%s,%d,%d,%d,%d", variant, threads, scope,
           threads ? "cpu" : "cuda:0", atoms, edge, edge, edge);
  for (int i = 0; i < rounds; i++) /* in an order that is not sorted */
    fprintf(samples, "%d,%s,%.3f\n", i, keys,
            1e6 * ms * (1 + 0.001 * (2.0 * (7 * i % rounds) / (rounds - 1) - 1)));
  fprintf(summary, "%s,%s,", keys, threads ? "cpu" : "cuda");
  if (threads) fprintf(summary, "%d", threads);
  fprintf(summary, ",%.3f,%s\n", 1e6 * ms, outcome);
}

/* Five numbers of atoms on 8^3: one thread takes 1 us an atom, four 15 us times the root of the
 * atoms, the GPU 0.5, 1 and 0.61 ms; and methods that are not to count. */
static void put_atoms(void) {
  for (int atoms = 100; atoms <= 1600; atoms *= 2) {
    put_method("plain", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
    put_method("plain", 1, "first", atoms, 8, 1e-6, "ok"); /* not kernel time */
    put_method("fast", 1, "kernel", atoms, 8, 1e-6, "ok"); /* not the first variant */
    put_method("fast", 4, "kernel", atoms, 8, 0.015 * sqrt(atoms), "ok");
    put_method("plain", 4, "kernel", atoms, 8, 0.02 * sqrt(atoms), "ok");
    put_method("plain", 2, "kernel", atoms, 8, 1e-6, "ok"); /* not all threads */
    put_method("g1", 0, "kernel", atoms, 8, atoms < 300 ? 0.5 : 5, "ok");
    put_method("g2", 0, "kernel", atoms, 8, atoms < 300 ? 5 : 0.5, "ok");
    put_method("g2", 0, "warm", atoms, 8, 1, "ok");
    put_method("g2", 0, "first", atoms, 8, 0.61, "ok");
    put_method("g3", 0, "kernel", atoms, 8, 1e-6, "wrong");
  }
}

static int crossover(const char *options) {
  return program_run("crossover %s %s", in_folder("run"), options);
}

/* ---- thresholds ---- */

typedef struct {
  const char *axis, *scope, *a, *b, *fixed, *status;
  double estimate; /* 0: none */
} expected;

static void assert_rows(const expected *rows, size_t n) {
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_int_equal(dcs_table_rows(t), n);
  for (size_t r = 0; r < n; r++) {
    assert_string_equal(text_at(t, r, "axis"), rows[r].axis);
    assert_string_equal(text_at(t, r, "scope"), rows[r].scope);
    assert_string_equal(text_at(t, r, "method_a"), rows[r].a);
    assert_string_equal(text_at(t, r, "method_b"), rows[r].b);
    assert_string_equal(text_at(t, r, "fixed"), rows[r].fixed);
    assert_string_equal(text_at(t, r, "status"), rows[r].status);
    double estimate = number_at(t, r, "estimate"), lo = number_at(t, r, "lo");
    assert_int_equal(isnan(estimate), rows[r].estimate == 0);
    assert_int_equal(isnan(lo), rows[r].estimate == 0);
    if (rows[r].estimate == 0) continue;
    if (!(fabs(estimate / rows[r].estimate - 1) < 1e-3))
      fail_msg("row %zu: found %g, expected %g", r, estimate, rows[r].estimate);
    assert_true(lo > 0.99 * estimate && lo <= estimate);
    assert_true(estimate <= number_at(t, r, "hi") && number_at(t, r, "hi") < 1.01 * estimate);
    assert_true(number_at(t, r, "regret_mean") >= 0);
    assert_true(number_at(t, r, "regret_worst") >= number_at(t, r, "regret_mean"));
  }
  dcs_table_free(t);
}

static void planted_crossings_are_found(void **state) {
  (void)state;
  static const expected rows[] = {
      {"atoms", "kernel", "cpu_sequential", "cpu_parallel", "8x8x8", "ok", 225},
      {"atoms", "kernel", "cpu_sequential", "gpu", "8x8x8", "ok", 500},
      {"atoms", "kernel", "cpu_parallel", "gpu", "8x8x8", "ok", 1e6 / 900},
      {"atoms", "warm", "cpu_sequential", "gpu", "8x8x8", "ok", 1000},
      {"atoms", "warm", "cpu_parallel", "gpu", "8x8x8", "always_a", 0},
      {"atoms", "first", "cpu_sequential", "gpu", "8x8x8", "ok", 610},
      {"atoms", "first", "cpu_parallel", "gpu", "8x8x8", "not_bracketed", 0}};
  begin_run();
  put_atoms();
  end_run();
  assert_status(crossover(""), 0);
  assert_rows(rows, sizeof rows / sizeof rows[0]);
  assert_contains(program_out, "5 rows of the summary are not ok and left out\n");
  assert_contains(program_out, "not_bracketed");
  assert_contains(program_out, " 500 ");
}

/* Along grid points: at 70 atoms a crossing at 1e5 points, the GPU being the one to take below it
 * (which exchanges A and B); at 80 a saw-tooth. Grids come in no order. */
static void grids_at_fixed_atoms(void **state) {
  (void)state;
  static const int edges[] = {64, 16, 32, 80, 20};
  static const double teeth[] = {1, 1, 3, 3, 3}; /* by size: 1 3 3 1 3 */
  begin_run();
  for (int i = 0; i < 5; i++) {
    double points = pow(edges[i], 3);
    put_method("plain", 1, "kernel", 70, edges[i], 2, "ok");
    put_method("g", 0, "kernel", 70, edges[i], 2e-5 * points, "ok");
    put_method("plain", 1, "kernel", 80, edges[i], 2, "ok");
    put_method("g", 0, "kernel", 80, edges[i], teeth[i], "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  /* With one thread at most and one variant, the parallel and the sequential method are the same:
   * no threshold between them. */
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_int_equal(dcs_table_rows(t), 4);
  for (size_t r = 0; r < 4; r++) {
    assert_string_equal(text_at(t, r, "axis"), "points");
    assert_string_equal(text_at(t, r, "fixed"), r < 2 ? "70" : "80");
    assert_string_equal(text_at(t, r, "sizes"), "5");
  }
  for (size_t r = 0; r < 2; r++) {
    assert_string_equal(text_at(t, r, "method_a"), "gpu");
    assert_string_equal(text_at(t, r, "method_b"), r == 0 ? "cpu_sequential" : "cpu_parallel");
    assert_string_equal(text_at(t, r, "status"), "ok");
    assert_true(fabs(number_at(t, r, "estimate") / 1e5 - 1) < 1e-3);
    assert_string_equal(text_at(t, r + 2, "status"), "multiple_crossings");
    assert_true(number_at(t, r + 2, "regret_worst") > 0);
  }
  dcs_table_free(t);
}

static void the_csv_is_printed_as_it_is_written(void **state) {
  (void)state;
  static const char *const columns = "axis,scope,method_a,method_b,fixed,sizes,estimate,lo,hi,"
                                     "status,regret_mean,regret_worst\n";
  begin_run();
  put_atoms();
  end_run();
  assert_status(crossover("--csv"), 0);
  char *file = run_file("run", "thresholds.csv", NULL);
  assert_string_equal(program_out, file);
  assert_true(strncmp(file, columns, strlen(columns)) == 0);
  assert_contains(program_err, "5 rows of the summary are not ok");
  assert_status(crossover("--csv"), 0); /* again: the same */
  assert_string_equal(program_out, file);
  free(file);
}

/* ---- input ---- */

static void refuse(const char *said) {
  assert_status(crossover(""), 3);
  assert_contains(program_err, said);
  assert_string_equal(program_out, "");
  assert_false(exists(run_path("thresholds.csv")));
}

static void refuse_summary(const char *text, const char *said) {
  begin_run();
  put_method("plain", 1, "kernel", 100, 8, 1, "ok");
  end_run();
  put_file(run_path("summary.csv"), text);
  refuse(said);
}

static void files_that_are_wrong_are_named(void **state) {
  (void)state;
#define ROW "plain,,kernel,,cpu,100,8,8,8,cpu,1,"
  refuse_summary(KEYS ",threads,median_ns,outcome\n", "no column \"backend\"");
  refuse_summary(KEYS ",backend,median_ns,outcome\n", "no column \"threads\"");
  refuse_summary(KEYS ",backend,threads,outcome\n", "no column \"median_ns\"");
  refuse_summary(KEYS ",backend,threads,median_ns\n", "no column \"outcome\"");
  refuse_summary("", "empty file");
  refuse_summary(SUMMARY_COLUMNS, "found no rows");
  refuse_summary(SUMMARY_COLUMNS ROW "5,wrong\n", "none of its 1 rows is ok");
  refuse_summary(SUMMARY_COLUMNS ROW ",ok\n", "row 2: found atoms \"100\"");
  refuse_summary(SUMMARY_COLUMNS ROW "5,ok\n", "no samples of row 2");
  begin_run();
  end_run();
  refuse("found no samples");
}

static void too_few_sizes_are_refused(void **state) {
  (void)state;
  begin_run();
  put_method("plain", 1, "kernel", 100, 8, 1, "ok");
  put_method("g", 0, "kernel", 200, 8, 1, "ok");
  put_method("g", 0, "kernel", 100, 8, 1, "crash");
  put_method("p", 4, "kernel", 300, 8, 1, "ok");
  end_run();
  refuse("no two methods have a size in common (1 rows are not ok)");
  for (int n = 1; n <= 3; n++) {
    begin_run();
    for (int i = 0; i < n; i++) {
      put_method("plain", 1, "kernel", 100 << i, 8, 1, "ok");
      put_method("g", 0, "kernel", 100 << i, 8, 2, "ok");
    }
    end_run();
    refuse(n == 1   ? "one size only in common"
           : n == 2 ? "at most 2 sizes in common"
                    : "at most 3 sizes in common");
  }
}

static void too_few_samples_decide_nothing(void **state) {
  (void)state;
  rounds = 5;
  begin_run();
  put_atoms();
  end_run();
  rounds = 9;
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "thresholds.csv");
  for (size_t r = 0; r < dcs_table_rows(t); r++)
    assert_string_equal(text_at(t, r, "status"), "ambiguous");
  dcs_table_free(t);
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
      cmocka_unit_test(planted_crossings_are_found),
      cmocka_unit_test(grids_at_fixed_atoms),
      cmocka_unit_test(the_csv_is_printed_as_it_is_written),
      cmocka_unit_test(files_that_are_wrong_are_named),
      cmocka_unit_test(too_few_sizes_are_refused),
      cmocka_unit_test(too_few_samples_decide_nothing),
      cmocka_unit_test(the_argument_is_a_run_folder),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
