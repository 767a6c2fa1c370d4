/* `dcsbench crossover --refine`: which sizes are chosen, and that they are measured into the run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/lock.h"
#include "tests/crossover_run.h"
#include "tuning/crossover/refine.h"

/* ---- which sizes ---- */

static dcs_crossovers found;
static dcs_refinements chosen;

static void choose(size_t most, int64_t most_atoms) {
  dcs_refinements_free(&chosen);
  dcs_crossovers_free(&found);
  if (dcs_crossovers_find(in_folder("run"), NULL, &found) != DCS_OK ||
      dcs_refine_choose(&found, most, most_atoms, &chosen) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

static void assert_size(size_t i, int64_t atoms, dcs_dims n) {
  assert_true(i < chosen.n);
  const dcs_dims found_n = dcs_size_points(&chosen.list[i].size);
  assert_int_equal(chosen.list[i].size.axes[0], atoms);
  assert_true(found_n.x == n.x && found_n.y == n.y && found_n.z == n.z);
}

/* One thread takes 1 us an atom, the GPU `ms`, at n numbers of atoms that grow by `factor`. */
static void put_row(int n, double factor, double ms) {
  begin_run();
  for (int i = 0; i < n; i++) {
    int atoms = (int)(1000 * pow(factor, i) + 0.5);
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
    put_method("g", 0, "kernel", atoms, 8, ms, "ok");
  }
  end_run();
}

static void two_sizes_between_those_around_a_crossing(void **state) {
  (void)state;
  put_row(4, 10, 20);
  choose(8, INT64_MAX);
  assert_int_equal(chosen.n, 2); /* the parallel method is the sequential one: no size twice */
  assert_size(0, 21544, (dcs_dims){8, 8, 8});
  assert_size(1, 46416, (dcs_dims){8, 8, 8});
  assert_int_equal(chosen.list[0].near[0]->size.axes[0], 10000);
  assert_int_equal(chosen.list[0].near[1]->size.axes[0], 100000);
  choose(1, INT64_MAX); /* no more than was asked for */
  assert_int_equal(chosen.n, 1);
  assert_int_equal(chosen.left_out, 1);
  choose(8, 30000); /* a molecule has no more */
  assert_int_equal(chosen.n, 1);
  assert_size(0, 21544, (dcs_dims){8, 8, 8});
}

static void further_out_where_nothing_is_bracketed(void **state) {
  (void)state;
  put_row(4, 2, 8.2);
  choose(8, INT64_MAX);
  assert_int_equal(chosen.n, 1);
  assert_size(0, 16000, (dcs_dims){8, 8, 8});
  put_row(4, 2, 0.98);
  choose(8, INT64_MAX);
  assert_int_equal(chosen.n, 1);
  assert_size(0, 500, (dcs_dims){8, 8, 8});
}

static void nothing_where_nothing_is_open(void **state) {
  (void)state;
  put_row(4, 2, 100); /* always one */
  choose(8, INT64_MAX);
  assert_int_equal(chosen.n, 0);
  put_row(5, 1.08, 1.12); /* sizes within 10% */
  choose(8, INT64_MAX);
  assert_string_equal(dcs_threshold_status_name(found.list[0].threshold.status), "ok");
  assert_int_equal(chosen.n, 0);
}

/* A crossing at 20000 points of cubes, and one at 200 atoms on slices of 1, `by`, `by`^2 to `most`
 * atoms. */
static void choose_on_two_axes(int most, int by) {
  static const int n[3] = {8, 8, 3};
  begin_run();
  for (int edge = 10; edge <= 80; edge *= 2) {
    put_method("cpu_gather", 1, "kernel", 70, edge, 1e-3 * pow(edge, 3), "ok");
    put_method("g", 0, "kernel", 70, edge, 20, "ok");
  }
  for (int atoms = 1; atoms <= most; atoms *= by) {
    put_on_grid("cpu_gather", 1, "kernel", atoms, n, atoms, "ok");
    put_on_grid("g", 0, "kernel", atoms, n, 200, "ok");
  }
  end_run();
  choose(8, INT64_MAX);
  assert_int_equal(chosen.n, 4);
}

/* Along points, a grid of the row's shape. A crossing at 20000 points, and one at 200 atoms on
 * slices, whose gap is wider: it comes first. */
static void grids_are_of_the_shape(void **state) {
  (void)state;
  choose_on_two_axes(100000, 10);
  assert_size(0, 215, (dcs_dims){8, 8, 3});
  assert_size(1, 464, (dcs_dims){8, 8, 3});
  assert_size(2, 70, (dcs_dims){25, 25, 25});
  assert_size(3, 70, (dcs_dims){32, 32, 32});
}

/* The same where the grids' gap is the wider one, and comes behind the other in the files. */
static void the_widest_gap_is_first(void **state) {
  (void)state;
  choose_on_two_axes(4096, 4);
  assert_size(0, 70, (dcs_dims){25, 25, 25});
  assert_size(1, 70, (dcs_dims){32, 32, 32});
  assert_size(2, 102, (dcs_dims){8, 8, 3});
  assert_size(3, 161, (dcs_dims){8, 8, 3});
}

/* Of a saw-tooth, all gaps where the faster method changes. */
static void all_crossings_of_a_sawtooth(void **state) {
  (void)state;
  static const double ms[] = {2, 2, 0.5, 0.5, 2};
  begin_run();
  for (int i = 0; i < 5; i++) {
    put_method("cpu_gather", 1, "kernel", 100 << i, 8, 1, "ok");
    put_method("g", 0, "kernel", 100 << i, 8, ms[i], "ok");
  }
  end_run();
  choose(8, INT64_MAX);
  assert_string_equal(dcs_threshold_status_name(found.list[0].threshold.status),
                      "multiple_crossings");
  bool gaps[5] = {false};
  for (size_t i = 0; i < chosen.n; i++)
    gaps[(int)log2((double)chosen.list[i].size.axes[0] / 100)] = true;
  assert_true(!gaps[0] && gaps[1] && !gaps[2] && gaps[3]);
}

/* ---- measured ---- */

static void the_sizes_are_measured_into_the_run(void **state) {
  (void)state;
  remove_run();
  put_real_run("");
  char *env = run_file("run", "env.csv", NULL),
       *samples_before = run_file("run", "samples.csv", NULL);
  assert_status(crossover("--refine --rounds 7"), 0);
  assert_contains(program_out,
                  "to measure: 50 atoms, 4x4x4, between 40 atoms, 4x4x4 and 80 atoms, 4x4x4\n"
                  "to measure: 63 atoms, 4x4x4, between 40 atoms, 4x4x4 and 80 atoms, 4x4x4\n");
  assert_contains(program_out, "12 measurements ok, 0 failed");
  assert_contains(program_out, "\natoms  4x4x4 ");
  char *env_after = run_file("run", "env.csv", NULL),
       *samples_after = run_file("run", "samples.csv", NULL);
  assert_string_equal(env, env_after);
  assert_true(strncmp(samples_before, samples_after, strlen(samples_before)) == 0);
  check_run("run", 12, 0);
  dcs_table *t = run_table("run", "summary.csv");
  for (size_t row = 8; row < 12; row++) {
    assert_true(number_at(t, row, "atoms") == (row < 10 ? 50 : 63));
    assert_string_equal(text_at(t, row, "n"), "7");
    assert_string_equal(text_at(t, row, "spacing"), "0.7");
  }
  dcs_table_free(t);
  t = run_table("run", "thresholds.csv");
  assert_string_equal(text_at(t, 0, "sizes"), "6");
  dcs_table_free(t);
  free(env);
  free(samples_before);
  free(env_after);
  free(samples_after);
}

/* A size at which an interrupt left 3 samples of one method and none of the other. */
static void put_unfinished(void) {
  dcs_table *table = run_table("run", "summary.csv");
  dcs_csv csv;
  FILE *file = fopen(run_path("samples.csv"), "a");
  assert_non_null(file);
  for (int r = 0; r < 3; r++)
    fprintf(file, "%d,%d,cpu_gather,threads=1,kernel,,cpu,coulomb,,50,4,4,4,1,%g,,,,,,0,0\n", r,
            48 + r, 5e4 + r);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(dcs_csv_append(&csv, run_path("summary.csv")), DCS_OK);
  for (int c = 0; dcs_summary_columns[c]; c++) {
    const char *name = dcs_summary_columns[c];
    dcs_csv_text(&csv, strcmp(name, "atoms") == 0         ? "50"
                       : strcmp(name, "n") == 0           ? "3"
                       : strcmp(name, "median_ns") == 0   ? "50001"
                       : strcmp(name, "min_ns") == 0      ? "50000"
                       : strcmp(name, "stop_reason") == 0 ? "interrupted"
                                                          : dcs_table_cell(table, 0, c));
  }
  assert_int_equal(dcs_csv_row(&csv), DCS_OK);
  assert_int_equal(dcs_csv_close(&csv), DCS_OK);
  dcs_table_free(table);
}

/* They become whole, whatever else is chosen. */
static void what_is_unfinished_is_gone_on_with(void **state) {
  (void)state;
  remove_run();
  put_real_run("");
  put_unfinished();
  assert_status(crossover("--refine=1 --rounds 6"), 0);
  assert_contains(program_out, "to go on with: 1 row that was interrupted\n");
  dcs_table *table = run_table("run", "summary.csv");
  int at_50 = 0;
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    at_50 += number_at(table, row, "atoms") == 50;
    assert_string_equal(text_at(table, row, "n"), "6");
    assert_true(strcmp(text_at(table, row, "stop_reason"), "interrupted") != 0);
  }
  assert_int_equal(at_50, 2);
  check_run("run", dcs_table_rows(table), 6);
  dcs_table_free(table);
  assert_status(crossover("--refine=1 --rounds 6"), 0);
  assert_null(strstr(program_out, "to go on with"));
}

/* While a sweep has the folder, nothing is measured into it. */
static void a_folder_of_another_is_refused(void **state) {
  (void)state;
  dcs_lock lock;
  char who[64];
  remove_run();
  put_real_run("");
  char *before = run_file("run", "samples.csv", NULL);
  assert_int_equal(dcs_lock_own(run_path("run.lock"), "wait", &lock), DCS_OK);
  assert_status(crossover("--refine"), 4);
  snprintf(who, sizeof who, "run.lock: process %ld on ", (long)getpid());
  assert_contains(program_err, who);
  dcs_lock_leave(&lock);
  char *after = run_file("run", "samples.csv", NULL);
  assert_string_equal(before, after);
  free(before);
  free(after);
}

/* Another machine, program or input than the run's: nothing is measured, and the fact is named. */
static void another_machine_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *said;
  } facts[] = {{"\ncpu_model,", "cpu_model was \"another"},
               {"\nprogram_version,", "program_version was \"another"},
               {"\nkernels_fnv1a64,", "kernels_fnv1a64 was \"another"}};
  for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
    char changed[8192];
    remove_run();
    put_real_run("");
    char *env = run_file("run", "env.csv", NULL), *before = run_file("run", "samples.csv", NULL);
    char *value = strstr(env, facts[f].key) + strlen(facts[f].key);
    snprintf(changed, sizeof changed, "%.*sanother%s", (int)(value - env), env,
             strchr(value, '\n'));
    put_file(run_path("env.csv"), changed);
    assert_status(crossover("--refine"), 2);
    assert_contains(program_err, facts[f].said);
    char *after = run_file("run", "samples.csv", NULL);
    assert_string_equal(before, after);
    assert_false(exists(run_path("thresholds.csv")));
    free(env);
    free(before);
    free(after);
  }
}

static void a_run_with_a_molecule_needs_its_file(void **state) {
  (void)state;
  char options[2 * PATH_MAX];
  assert_status(program_run("generate water --atoms 60 -o %s", in_folder("w.pqr")), 0);
  assert_status(program_run("generate water --atoms 90 -o %s", in_folder("v.pqr")), 0);
  remove_run();
  snprintf(options, sizeof options, "--input %s --origin -1,0.5,2", in_folder("w.pqr"));
  put_real_run(options);
  assert_status(crossover("--refine"), 2);
  assert_contains(program_err, "the run has the atoms of w.pqr");
  snprintf(options, sizeof options, "--refine --rounds 6 --input %s", in_folder("v.pqr"));
  assert_status(crossover(options), 2);
  assert_contains(program_err, "input_fnv1a64 was");
  snprintf(options, sizeof options, "--refine --rounds 6 --input %s", in_folder("w.pqr"));
  assert_status(crossover(options), 0);
  assert_contains(program_out, "to measure: 50 atoms");
  assert_null(strstr(program_out, "to measure: 63 atoms")); /* it has 60 */
  /* what is read twice cannot be a pipe, of which nobody writes into this one */
  assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
  snprintf(options, sizeof options, "--refine --rounds 6 --input %s", in_folder("pipe"));
  assert_status(crossover(options), 2);
  assert_contains(program_err, "pipe is not a file whose bytes stay");
}

static void options_are_checked(void **state) {
  (void)state;
  assert_status(crossover("--refine=0"), 2);
  assert_status(crossover("--refine --csv"), 2);
  assert_status(crossover("--rounds 9"), 2);
  assert_contains(program_err, "are for --refine");
  put_row(4, 2, 100);
  assert_status(crossover("--refine"), 0);
  assert_contains(program_out,
                  "nothing to refine: there is no crossover point, one method is faster "
                  "at all sizes\n");
  rounds = 5; /* nothing is sure */
  put_row(4, 2, 100);
  rounds = 9;
  assert_status(crossover("--refine"), 0);
  assert_contains(program_out, "nothing to refine: there is no crossover point, and none can be "
                               "looked for further out; what is unsure needs more samples\n");
  put_row(5, 1.08, 1.12); /* one, between sizes within 10% */
  assert_status(crossover("--refine"), 0);
  assert_contains(program_out, "nothing to refine: each crossover point lies between");
}

static int teardown(void **state) {
  dcs_refinements_free(&chosen);
  dcs_crossovers_free(&found);
  return program_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_sizes_between_those_around_a_crossing),
      cmocka_unit_test(further_out_where_nothing_is_bracketed),
      cmocka_unit_test(nothing_where_nothing_is_open),
      cmocka_unit_test(grids_are_of_the_shape),
      cmocka_unit_test(the_widest_gap_is_first),
      cmocka_unit_test(all_crossings_of_a_sawtooth),
      cmocka_unit_test(the_sizes_are_measured_into_the_run),
      cmocka_unit_test(what_is_unfinished_is_gone_on_with),
      cmocka_unit_test(a_folder_of_another_is_refused),
      cmocka_unit_test(another_machine_is_refused),
      cmocka_unit_test(a_run_with_a_molecule_needs_its_file),
      cmocka_unit_test(options_are_checked),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, teardown);
}
