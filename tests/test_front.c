/* Fronts of time against energy or error: who is on them, by hand, and as `tune` tells them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/front.h"
#include "tests/run_folder.h"
#include "tests/written_journal.h"
#include "tuning/search/objective.h"

#include <stdlib.h>

static dcs_measured around(double value, double half) {
  return (dcs_measured){value, value - half, value + half};
}

static void points_have_the_places_found_by_hand(void **state) {
  (void)state;
  static const struct {
    double x, x_half, y, y_half;
    dcs_front_place place;
  } planted[] = {
      {10, 0.1, 7, 0.1, DCS_FRONT_ON},          /* the fastest */
      {12, 0.1, 5, 0.1, DCS_FRONT_ON},          /* the lowest */
      {11, 0.1, 6, 0.1, DCS_FRONT_ON},          /* between */
      {11.05, 0.1, 6.5, 0.1, DCS_FRONT_TIED},   /* higher for sure, slower not for sure */
      {11.3, 0.05, 6.05, 0.1, DCS_FRONT_TIED},  /* slower for sure, higher not for sure */
      {11.3, 0.05, 6.5, 0.1, DCS_FRONT_BEHIND}, /* both for sure */
      {13, 9, 5, 9, DCS_FRONT_TIED},            /* says nothing */
      {10.5, 0.1, 7.5, 0.1, DCS_FRONT_BEHIND},
  };
  enum { N = sizeof planted / sizeof planted[0] };
  dcs_front_point points[N];
  for (int i = 0; i < N; i++)
    points[i] = (dcs_front_point){around(planted[i].x, planted[i].x_half),
                                  around(planted[i].y, planted[i].y_half), DCS_FRONT_ON};
  dcs_front_find(points, N, sizeof *points);
  for (int i = 0; i < N; i++)
    assert_int_equal(points[i].place, planted[i].place);
}

static void exact_values_that_are_equal_are_no_reason_to_stay(void **state) {
  (void)state;
  dcs_front_point points[] = {{around(1, 0.1), dcs_exactly(0.5), DCS_FRONT_ON},
                              {around(2, 0.1), dcs_exactly(0.5), DCS_FRONT_ON},
                              {around(2, 0.1), dcs_exactly(0.4), DCS_FRONT_ON},
                              {around(2, 0.1), dcs_exactly(0.4), DCS_FRONT_ON}};
  dcs_front_find(points, 4, sizeof *points);
  assert_int_equal(points[0].place, DCS_FRONT_ON);
  assert_int_equal(points[1].place, DCS_FRONT_BEHIND);
  assert_int_equal(points[2].place, DCS_FRONT_ON); /* equal in both: neither beats the other */
  assert_int_equal(points[3].place, DCS_FRONT_ON);
}

/* ---- of a journal ---- */

typedef struct {
  const char *variant;
  int config;
  double ms, joules, share; /* scatter: so much to either side */
  const char *place;
} recorded;

/* Behind each in a comment, whom it is held against. */
static const recorded records[] = {
    {"cuda_split", 0, 13.7, 7.0, 0.002, "front"},
    {"cuda_split", 1, 14.5, 7.2, 0.002, "behind"}, /* the first */
    {"cuda_volume", 0, 17.0, 5.6, 0.002, "front"},
    {"cuda_volume", 1, 17.01, 5.65, 0.02, "tied"}, /* the one before */
    {"cuda_volume", 2, 17.5, 9.0, 0.002, "behind"},
};
enum { N_RECORDS = sizeof records / sizeof records[0] };

static void put_record(const char *path, const recorded *r) {
  const written_space like = {r->variant, {256, 256, 256}, 4000, 0, 0, 0, 1, NULL};
  dcs_subject subject = written_subject(&like);
  const dcs_problem problem = dcs_subject_problem(&subject);
  dcs_evaluation e = dcs_evaluation_unknown;
  dcs_journal_writer writer;
  dcs_objective energy;
  dcs_space space;
  snprintf(subject.objective, sizeof subject.objective, "energy");
  assert_int_equal(dcs_objective_open("energy", &energy), DCS_OK);
  assert_int_equal(dcs_space_build(subject.variant, NULL, &problem, 2, &space), DCS_OK);
  for (int i = -4; i <= 4; i++) {
    const double off = 1 + r->share * i / 4;
    const dcs_spent spent = {1e6 * r->ms * off, r->joules * off};
    assert_int_equal(dcs_objective_add(&energy, &subject, &spent, &e), DCS_OK);
  }
  e.error = 1e-6;
  assert_int_equal(dcs_journal_open(path, &writer), DCS_OK);
  writer.subject = subject;
  const dcs_journal_row row = {&space.configs[r->config], &e, 1, 0.1, ""};
  assert_int_equal(dcs_journal_write(&writer, &row), DCS_OK);
  assert_int_equal(dcs_journal_close(&writer), DCS_OK);
  dcs_evaluation_free(&e);
  dcs_objective_close(&energy);
  dcs_space_free(&space);
}

static void a_recorded_front_is_told(void **state) {
  (void)state;
  for (int r = 0; r < N_RECORDS; r++)
    put_record(in_folder("energies.csv"), &records[r]);
  assert_status(program_run("tune --pareto --replay %s --out %s", in_folder("energies.csv"),
                            in_folder("front")),
                0);
  assert_contains(program_out, "time against energy, 4000 atoms, 256x256x256, scope kernel, "
                               "Generated \"card\", 1: 2 on the front (*), 1 cannot be told from "
                               "it (=), 2 behind");
  assert_contains(program_out, " *         13.7 ");
  assert_contains(program_out, " =        17.01 ");
  assert_contains(program_out, "takes the least energy: 1.24 times as much time for 0.8 times the "
                               "energy");
  dcs_table *table = run_table("front", "pareto.csv");
  assert_int_equal(dcs_table_rows(table), N_RECORDS);
  for (size_t row = 0; row < N_RECORDS; row++) { /* by time, as the records are */
    assert_string_equal(text_at(table, row, "variant"), records[row].variant);
    assert_string_equal(text_at(table, row, "place"), records[row].place);
    assert_close(number_at(table, row, "time_ns"), 1e6 * records[row].ms);
    assert_close(number_at(table, row, "energy_j"), records[row].joules);
  }
  dcs_table_free(table);
  char *data = get_file(in_folder("front/plots/pareto.dat"), NULL);
  assert_contains(data, "\"front\"\n13.7\t7\t");
  free(data);
}

static void journals_without_energies_are_refused(void **state) {
  (void)state;
  dcs_space space;
  put_journal(in_folder("times.csv"), &padded_space, &space);
  dcs_space_free(&space);
  assert_status(program_run("tune --pareto --replay %s", in_folder("times.csv")), 3);
  assert_contains(program_err, "hold no energies");
  assert_status(program_run("tune --pareto=error --replay %s", in_folder("times.csv")), 3);
  assert_contains(program_err, "hold no errors");
  assert_status(program_run("tune --pareto=power --replay %s", in_folder("times.csv")), 2);
  assert_contains(program_err, "expected energy or error");
}

/* ---- on this machine ---- */

static void a_cutoff_is_faster_and_less_accurate(void **state) {
  (void)state;
  assert_status(program_run("tune cpu_cutoff cpu_simd --pareto=error --cutoff 0|4 --switching c2 "
                            "--config threads=1 --atoms 2000 --grid 24^3 "
                            "--budget-evals 2 --samples 6 --last 0 --journal %s --out %s",
                            in_folder("here.csv"), in_folder("here")),
                0);
  assert_contains(program_out, "time against error, 2000 atoms, 24x24x24");
  dcs_table *table = run_table("here", "pareto.csv");
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    const bool cut = strcmp(text_at(table, row, "problem_config"), "") != 0;
    assert_true(cut ? number_at(table, row, "error") > 0.1 : number_at(table, row, "error") < 1e-5);
  }
  dcs_table_free(table);
  assert_status(program_run("tune cpu_cutoff --pareto --cutoff 4|5 --atoms 60 --grid 8^3"), 2);
  assert_contains(program_err, "several problems");
}

/* Not so many of each: variants, or problems of one. What a variant has not as many of is left to
 * those behind it. */
static void evaluations_are_counted_together(void **state) {
  (void)state;
  static const struct {
    const char *what;
    size_t evals;
  } cases[] = {
      {"cpu_cutoff --cutoff 4|5|6 --config threads=1 --budget-evals 7", 7},
      {"cpu_simd cpu_cutoff --cutoff 0|4 --config threads=1 --budget-evals 5", 5},
      {"cpu_cutoff --cutoff 4|5 --config threads=1 --budget-evals 2", 2},
  };
  for (int i = 0; i < 3; i++) {
    char journal[32];
    snprintf(journal, sizeof journal, "together%d.csv", i);
    assert_status(program_run("tune --pareto=error %s --atoms 60 --grid 8^3 --samples 1 --last 0 "
                              "--journal %s",
                              cases[i].what, in_folder(journal)),
                  0);
    dcs_table *table;
    assert_int_equal(dcs_table_read(in_folder(journal), &table), DCS_OK);
    size_t searched = 0; /* not those of the last measurement */
    for (size_t row = 0; row < dcs_table_rows(table); row++)
      searched += strcmp(text_at(table, row, "strategy"), "final") != 0;
    assert_int_equal(searched, cases[i].evals);
    dcs_table_free(table);
  }
  assert_status(program_run("tune --pareto=error cpu_cutoff --cutoff 4|5|6 --atoms 60 --grid 8^3 "
                            "--budget-evals 2"),
                2);
  assert_contains(program_err, "--budget-evals: found 2 for 3 tunings");
}

/* Of the journal above: what a cutoff leaves out is in none of its errors. */
static void a_recording_within_a_cutoff_has_no_error(void **state) {
  (void)state;
  assert_status(program_run("tune --replay %s --pareto=error --out %s", in_folder("here.csv"),
                            in_folder("again")),
                0);
  assert_contains(program_err, "2000 atoms, 24x24x24, cutoff=4,switching=c2: left out");
  dcs_table *table = run_table("again", "pareto.csv");
  assert_int_equal(dcs_table_rows(table), 1);
  assert_string_equal(text_at(table, 0, "variant"), "cpu_simd");
  assert_string_equal(text_at(table, 0, "problem_config"), "");
  assert_true(number_at(table, 0, "error") < 1e-5);
  dcs_table_free(table);
  assert_status(program_run("tune cpu_cutoff --cutoff 4 --config threads=1,cell_edge=40 --atoms 60 "
                            "--grid 8^3 --budget-evals 1 --last 0 --journal %s",
                            in_folder("cut.csv")),
                0);
  assert_status(program_run("tune --replay %s --pareto=error", in_folder("cut.csv")), 3);
  assert_string_equal(program_out, "");
}

static void a_specification_has_a_front_too(void **state) {
  (void)state;
  assert_status(program_run("tune results/examples/dot.json --pareto=error --budget-evals 4 "
                            "--samples 6 --last 0 --journal %s --out %s",
                            in_folder("dot.csv"), in_folder("dot")),
                0);
  assert_contains(program_out, "time against error, dot of dot.json");
  dcs_table *table = run_table("dot", "pareto.csv");
  assert_true(dcs_table_rows(table) >= 1);
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    assert_string_equal(text_at(table, row, "variant"), "own_dot");
    assert_true(number_at(table, row, "error") >= 0);
  }
  dcs_table_free(table);
  assert_status(program_run("tune results/examples/dot.json cpu_simd --pareto"), 2);
  assert_contains(program_err, "found \"cpu_simd\" beside a specification");
}

static int begin(void **state) {
  if (program_setup(state) != 0) return -1;
  return setenv("DCSBENCH_DATA", in_folder("data"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_have_the_places_found_by_hand),
      cmocka_unit_test(exact_values_that_are_equal_are_no_reason_to_stay),
      cmocka_unit_test(a_recorded_front_is_told),
      cmocka_unit_test(journals_without_energies_are_refused),
      cmocka_unit_test(a_cutoff_is_faster_and_less_accurate),
      cmocka_unit_test(evaluations_are_counted_together),
      cmocka_unit_test(a_recording_within_a_cutoff_has_no_error),
      cmocka_unit_test(a_specification_has_a_front_too),
  };
  return cmocka_run_group_tests_name("front", tests, begin, program_teardown);
}
