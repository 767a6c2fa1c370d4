/* Objectives: what they make of time and energy, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/rapl.h"
#include "tests/run_folder.h"
#include "tests/written_journal.h"
#include "tuning/search/objective.h"

#include <stdlib.h>

static int begin(void **state) {
  if (program_setup(state) != 0) return -1;
  return setenv("DCSBENCH_DATA", in_folder("data"), 1);
}

static double value_of(const char *text, dcs_spent spent) {
  dcs_subject subject = {.work = 1e9};
  dcs_evaluation e = dcs_evaluation_unknown;
  dcs_objective objective;
  double value;
  e.registers = 32;
  if (dcs_objective_open(text, &objective) != DCS_OK) fail_msg("%s", dcs_error_message());
  const dcs_status status = dcs_objective_value(&objective, &subject, &e, &spent, &value);
  dcs_objective_close(&objective);
  return status == DCS_OK ? value : NAN;
}

static void an_objective_is_computed(void **state) {
  (void)state;
  const dcs_spent spent = {2e6, 5};
  assert_true(value_of("", spent) == 2e6);
  assert_true(value_of("time", spent) == 2e6);
  assert_true(value_of("energy", spent) == 5);
  assert_true(value_of("edp", spent) == 1e7);
  assert_true(value_of("energy_j * time_ns ** 2", spent) == 2e13);
  assert_true(value_of("time_ns if registers <= 32 else 1e30", spent) == 2e6);
  assert_true(value_of("1e9 * time_ns / evals_useful", spent) == 2e6);
  assert_true(isnan(value_of("energy_j", (dcs_spent){1, NAN})));
  assert_true(isnan(value_of("time_ns - 3e6", spent))); /* not above 0 */
  assert_true(isnan(value_of("rel_l2_error", spent)));  /* unknown */
  assert_true(isnan(value_of("time_ns / 0", spent)));
}

static void what_needs_energy_is_known(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool needs;
  } cases[] = {{"", false},
               {"time", false},
               {"energy", true},
               {"edp", true},
               {"time_ns * registers", false},
               {"time_ns + 0 * energy_j", true}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    dcs_objective objective;
    assert_int_equal(dcs_objective_open(cases[c].text, &objective), DCS_OK);
    assert_true(objective.needs_energy == cases[c].needs);
    dcs_objective_close(&objective);
  }
}

static void what_is_no_objective_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"enery", "energy_j *", "time_ns; 1", "power_w"};
  dcs_objective objective;
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
    assert_int_equal(dcs_objective_open(texts[t], &objective), DCS_USAGE);
    assert_contains(dcs_error_message(), "expected time, energy, edp or an expression");
    dcs_objective_close(&objective);
  }
}

/* ---- in a journal ---- */

/* A configuration whose samples take n and 3 - 0.1 n. */
static void put_energies(const char *path, const char *objective, dcs_space *space) {
  dcs_journal_writer writer;
  dcs_objective o;
  dcs_evaluation e = dcs_evaluation_unknown;
  dcs_subject subject = written_subject(&padded_space);
  const dcs_problem problem = dcs_subject_problem(&subject);
  assert_int_equal(dcs_space_build(subject.variant, NULL, &problem, 2, space), DCS_OK);
  assert_int_equal(dcs_objective_open(objective, &o), DCS_OK);
  snprintf(subject.objective, sizeof subject.objective, "%s", o.text);
  for (int i = 1; i <= 7; i++) {
    const dcs_spent spent = {i, 3 - 0.1 * i};
    assert_int_equal(dcs_objective_add(&o, &subject, &spent, &e), DCS_OK);
  }
  e.error = 1e-6;
  assert_int_equal(dcs_journal_open(path, &writer), DCS_OK);
  writer.subject = subject;
  const dcs_journal_row row = {&space->configs[0], &e, 1, 0.1, ""};
  assert_int_equal(dcs_journal_write(&writer, &row), DCS_OK);
  assert_int_equal(dcs_journal_close(&writer), DCS_OK);
  dcs_evaluation_free(&e);
  dcs_objective_close(&o);
}

static void a_journal_tells_objectives_apart(void **state) {
  (void)state;
  char path[PATH_MAX], *paths[] = {path};
  dcs_space spaces[3];
  dcs_journal journal;
  static const char *const objectives[] = {"time", "energy", "edp"};
  static const double medians[] = {4, 2.6, 4 * 2.6};
  snprintf(path, sizeof path, "%s", in_folder("energies.csv"));
  for (int o = 0; o < 3; o++)
    put_energies(path, objectives[o], &spaces[o]);
  if (dcs_journal_read(paths, 1, &journal, stderr) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(journal.n, 3);
  for (int o = 0; o < 3; o++) {
    const dcs_evaluation *e = &journal.list[o].evaluations[0];
    assert_string_equal(journal.list[o].subject.objective, o == 0 ? "" : objectives[o]);
    assert_int_equal(e->n, 7);
    assert_true(fabs(e->stats.median / medians[o] - 1) < 1e-12 || o == 2);
    assert_true(e->error == 1e-6);
    assert_true(dcs_evaluation_spent(e, 1).time_ns == 2);
    assert_true(o == 0 ? isnan(dcs_evaluation_spent(e, 1).energy_j)
                       : dcs_evaluation_spent(e, 1).energy_j == 2.8);
    dcs_space_free(&spaces[o]);
  }
  /* i (3 - 0.1 i) is 2.9, 5.6, 8.1, 10.4, 12.5, 14.4, 16.1 */
  assert_true(fabs(journal.list[2].evaluations[0].stats.median - 10.4) < 1e-12);
  dcs_journal_free(&journal);
}

/* ---- the program ---- */

static void energy_that_nothing_reports_is_refused(void **state) {
  (void)state;
  const char *tune = "tune cuda_naive --atoms 10 --grid 8^3 --device emulated --objective energy";
  assert_status(program_run("%s", tune), 4);
  assert_contains(program_err, "the emulated device reports no energy");
  assert_status(program_run("tune cpu_simd --atoms 10 --grid 8^3 --objective time_ns*"), 2);
  assert_contains(program_err, "expected time, energy, edp or an expression");
  assert_status(program_run("tune cpu_simd --atoms 10 --grid 8^3 --budget-evals 1 --objective "
                            "registers*time_ns"),
                3);
  assert_contains(program_err, "the objective registers*time_ns: ");
  assert_contains(program_err, "; unknown here: registers, energy_j");
  if (dcs_rapl_read(DCS_RAPL_FOLDER).n > 0) return;
  assert_status(program_run("tune cpu_simd --atoms 10 --grid 8^3 --objective edp"), 4);
  assert_contains(program_err, "energy_uj");
}

/* An expression without energy is searched for with the times of any tuning; its winner does not
 * serve a sweep that asks for the fastest. */
static void a_winner_serves_its_objective_alone(void **state) {
  (void)state;
  const char *tune = "tune cpu_simd --config threads=1 --atoms 10 --grid 8^3 --budget-evals 2";
  assert_status(program_run("%s --objective time_ns**2", tune), 0);
  assert_contains(program_out, "least time_ns**2: cpu_simd ");
  assert_null(strstr(program_out, "nan")); /* joules that nobody measured */
  assert_status(program_run("sweep --variants cpu_simd --config tuned --atoms 10 --grid 8^3 "
                            "--rounds 2 --out %s",
                            in_folder("untuned")),
                0);
  assert_contains(program_err, "not tuned: initial values");
  assert_status(program_run("%s", tune), 0);
  assert_status(program_run("tune show"), 0);
  assert_contains(program_out, "(time_ns**2 least, ");
  dcs_table *tuned = run_table("data", "tuned.csv");
  assert_int_equal(dcs_table_rows(tuned), 2);
  assert_string_equal(text_at(tuned, 0, "objective"), "time_ns**2");
  assert_string_equal(text_at(tuned, 1, "objective"), "time");
  dcs_table_free(tuned);
  dcs_table *journal = run_table("data", "journal.csv");
  assert_int_equal(dcs_table_rows(journal), 4); /* neither knew what the other found */
  assert_true(number_at(journal, 0, "median_ns") > 100);
  assert_string_equal(text_at(journal, 0, "energies_j"), "");
  dcs_table_free(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_objective_is_computed),
      cmocka_unit_test(what_needs_energy_is_known),
      cmocka_unit_test(what_is_no_objective_is_refused),
      cmocka_unit_test(a_journal_tells_objectives_apart),
      cmocka_unit_test(energy_that_nothing_reports_is_refused),
      cmocka_unit_test(a_winner_serves_its_objective_alone),
  };
  return cmocka_run_group_tests_name("objective", tests, begin, program_teardown);
}
