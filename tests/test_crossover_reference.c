/* `dcsbench crossover --reference`: CPU times of one run folder against GPU times of another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/crossover_run.h"

enum { MOST_ATOMS = 1600 };

/* One thread takes 1 us an atom. */
static void put_cpu(void) {
  for (int atoms = 100; atoms <= MOST_ATOMS; atoms *= 2)
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
}

/* A card takes 0.5 ms; of twice the atoms, too. Its host's CPU is another than the run's. */
static void put_card(void) {
  run_name = "card";
  begin_run();
  put_file(run_path("env.csv"),
           "key,value\nschema,4\ncpu_model,Host\ncpus,64\nseed,1\ngpu_name,Some Card\n");
  for (int atoms = 100; atoms <= 2 * MOST_ATOMS; atoms *= 2) {
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-6, "ok");
    put_method("g1", 0, "kernel", atoms, 8, 0.5, "ok");
  }
  end_run();
  run_name = "run";
}

static int with_reference(const char *options) {
  char reference[256];
  snprintf(reference, sizeof reference, "%s", in_folder("card"));
  return program_run("crossover %s --reference %s %s", in_folder("run"), reference, options);
}

static void a_cpu_is_held_against_the_card_of_another_machine(void **state) {
  (void)state;
  char header[256], options[300];
  snprintf(header, sizeof header, "%s", run_path("own.h"));
  snprintf(options, sizeof options, "--header %s", header);
  put_card();
  begin_run();
  put_cpu();
  end_run();
  assert_status(with_reference(options), 0);
  assert_contains(program_out, "of two machines: CPU times of ");
  assert_contains(program_out, "(Some CPU), GPU times of ");
  assert_contains(program_out, "use gpu from 500 on");
  assert_contains(program_out,
                  "of two machines: the GPU's times are those of a reference, Some Card.");
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_int_equal(dcs_table_rows(t), 2); /* one thread is all threads, too */
  assert_string_equal(text_at(t, 0, "method_b"), "gpu");
  assert_string_equal(text_at(t, 0, "gpu_reference"), "Some Card");
  assert_int_equal(number_at(t, 0, "sizes"), 5); /* not those that the run has no times of */
  assert_true(fabs(number_at(t, 0, "estimate") / 500 - 1) < 1e-3);
  dcs_table_free(t);
  char *text = run_file("run", "own.h", NULL);
  assert_contains(
      text, " * and, of another machine, the times of the GPU:\n *   gpu_name         Some Card");
  assert_contains(text, "Some CPU");
  assert_null(strstr(text, "Host"));
  free(text);
}

static void own_times_of_a_card_stand(void **state) {
  (void)state;
  put_card();
  begin_run();
  put_cpu();
  for (int atoms = 100; atoms <= MOST_ATOMS; atoms *= 2)
    put_method("g1", 0, "kernel", atoms, 8, 0.3, "ok");
  end_run();
  assert_status(with_reference(""), 0);
  assert_contains(program_out, "/card: not used: ");
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_string_equal(text_at(t, 0, "gpu_reference"), "");
  assert_true(fabs(number_at(t, 0, "estimate") / 300 - 1) < 1e-3);
  dcs_table_free(t);
  assert_status(with_reference("--refine"), 2);
  assert_contains(program_err, "--refine measures on this machine");
}

/* Another problem's times, and those of a folder that is none. */
static void what_does_not_fit_is_not_used(void **state) {
  (void)state;
  problem = "cutoff=3";
  put_card();
  problem = "";
  begin_run();
  put_cpu();
  for (int atoms = 100; atoms <= MOST_ATOMS; atoms *= 2)
    put_method("cpu_gather", 2, "kernel", atoms, 8, 0.2, "ok");
  end_run();
  assert_status(with_reference(""), 0);
  assert_contains(program_out, "/card: not used: it has no GPU times at the run's sizes");
  assert_null(strstr(program_out, "gpu "));
  assert_status(program_run("crossover %s --reference nowhere", in_folder("run")), 5);
  assert_contains(program_err, "nowhere/env.csv");
}

/* Its times would be told as those of the machine itself. */
static void a_card_without_a_name_is_refused(void **state) {
  (void)state;
  put_card();
  run_name = "card";
  put_file(run_path("env.csv"), "key,value\nschema,4\ncpu_model,Host\ncpus,64\nseed,1\n");
  run_name = "run";
  begin_run();
  put_cpu();
  end_run();
  assert_status(with_reference(""), 3);
  assert_contains(program_err, "card/env.csv: found no gpu_name, and GPU times");
  char card[256];
  snprintf(card, sizeof card, "%s", in_folder("card"));
  assert_status(program_run("plot %s --reference %s", in_folder("run"), card), 3);
  assert_contains(program_err, "card/env.csv: found no gpu_name");
}

/* ---- what is shipped ---- */

static void assert_same_tables(const dcs_table *a, const dcs_table *b) {
  assert_int_equal(dcs_table_rows(a), dcs_table_rows(b));
  assert_int_equal(dcs_table_columns(a), dcs_table_columns(b));
  for (size_t row = 0; row < dcs_table_rows(a); row++)
    for (int column = 0; column < (int)dcs_table_columns(a); column++) {
      const char *one = dcs_table_cell(a, row, column), *two = dcs_table_cell(b, row, column);
      char *end;
      const double number = strtod(one, &end);
      if (strcmp(one, two) == 0) continue;
      if (*end || !(fabs(number - strtod(two, NULL)) <= 1e-9 * fabs(number)))
        fail_msg("row %zu, column %d: shipped %s, found %s", row, column + 1, one, two);
    }
}

/* Rules of intervals change: what was drawn by older ones is not left beside the samples. */
static void the_shipped_tables_are_what_is_found(void **state) {
  (void)state;
  static const char *const runs[] = {"", "/cutoff", "/tolerance"};
  static const char *const files[] = {"winners.csv", "thresholds.csv", "claims.csv"};
  static const char *const read[] = {"env.csv", "samples.csv", "summary.csv"};
  for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
    char path[512], name[64];
    snprintf(name, sizeof name, "shipped%zu", r);
    assert_int_equal(mkdir(in_folder(name), 0755), 0);
    for (size_t f = 0; f < sizeof read / sizeof read[0]; f++) {
      snprintf(path, sizeof path, "results/reference/nvidia-h200%s/%s", runs[r], read[f]);
      char *text = get_file(path, NULL);
      snprintf(path, sizeof path, "%s/%s", name, read[f]);
      put_file(in_folder(path), text);
      free(text);
    }
    assert_status(program_run("crossover %s", in_folder(name)), 0);
    assert_status(program_run("claims %s", in_folder(name)), 0);
    for (size_t f = 0; f < (r == 0 ? 3 : 2); f++) { /* claims are shipped of the first alone */
      dcs_table *shipped, *found = run_table(name, files[f]);
      snprintf(path, sizeof path, "results/reference/nvidia-h200%s/%s", runs[r], files[f]);
      assert_int_equal(dcs_table_read(path, &shipped), DCS_OK);
      assert_same_tables(shipped, found);
      dcs_table_free(shipped);
      dcs_table_free(found);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cpu_is_held_against_the_card_of_another_machine),
      cmocka_unit_test(own_times_of_a_card_stand),
      cmocka_unit_test(what_does_not_fit_is_not_used),
      cmocka_unit_test(a_card_without_a_name_is_refused),
      cmocka_unit_test(the_shipped_tables_are_what_is_found),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
