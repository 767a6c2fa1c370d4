/* `dcsbench tune` of problems with parameters, as a user runs it: on this machine and on
 * recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/case.h"
#include "tests/run_folder.h"
#include "tests/written_journal.h"

#define FEW  "--config threads=1,isa=portable,cell_edge=20|40 --samples 6 --last 0"
#define TINY "--atoms 60 --grid 12x10x8"

static int begin(void **state) {
  if (program_setup(state) != 0) return -1;
  return setenv("DCSBENCH_DATA", in_folder("data"), 1);
}

static void forget_all(void) {
  assert_status(program_run("tune forget all"), 0);
  unlink(in_folder("data/journal.csv"));
}

/* Pairs nearer to each other than the cutoff, one by one: of the atoms that a tuning takes. */
static double count_pairs(dcs_dims n, int64_t atoms, double spacing, double cutoff) {
  const dcs_grid grid = {.n = n, .spacing = spacing};
  dcs_case c;
  double pairs = 0;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, atoms, &grid, 1, &c), DCS_OK);
  for (int64_t a = 0; a < c.n_sites; a++)
    for (int64_t p = 0; p < dcs_points(n); p++) {
      double dx = spacing * (double)(p % n.x) - c.sites[a].x;
      double dy = spacing * (double)(p / n.x % n.y) - c.sites[a].y;
      double dz = spacing * (double)(p / n.x / n.y) - c.sites[a].z;
      pairs += dx * dx + dy * dy + dz * dz < cutoff * cutoff;
    }
  dcs_case_free(&c);
  return pairs;
}

/* The verdict `ok` is that of the problem's own oracle: the direct sum's would say wrong. */
static void a_variant_is_tuned_within_a_cutoff(void **state) {
  (void)state;
  forget_all();
  assert_status(program_run("tune cpu_cutoff %s --cutoff 2.5 --switching c2 " FEW, TINY), 0);
  assert_contains(program_out, "\ncpu_cutoff threads=1,isa=portable,cell_edge=");
  const double pairs = count_pairs((dcs_dims){12, 10, 8}, 60, 0.5, 2.5);
  assert_true(pairs > 0 && pairs < 0.9 * 60 * 12 * 10 * 8);
  dcs_table *journal = run_table("data", "journal.csv");
  assert_in_range(dcs_table_rows(journal), 3, 4); /* each, and one or both once more */
  for (size_t row = 0; row < dcs_table_rows(journal); row++) {
    assert_string_equal(text_at(journal, row, "schema"), "4");
    assert_string_equal(text_at(journal, row, "outcome"), "ok");
    assert_string_equal(text_at(journal, row, "problem"), "coulomb");
    assert_string_equal(text_at(journal, row, "problem_config"), "cutoff=2.5,switching=c2");
    assert_string_equal(text_at(journal, row, "spacing"), "0.5");
    assert_true(number_at(journal, row, "evals_useful") == pairs);
    assert_close(number_at(journal, row, "evals_per_s"),
                 1e9 * pairs / number_at(journal, row, "median_ns"));
  }
  dcs_table_free(journal);
  dcs_table *tuned = run_table("data", "tuned.csv");
  assert_int_equal(dcs_table_rows(tuned), 1);
  assert_string_equal(text_at(tuned, 0, "problem_config"), "cutoff=2.5,switching=c2");
  assert_true(number_at(tuned, 0, "evals_useful") == pairs);
  assert_close(number_at(tuned, 0, "evals_per_s"), 1e9 * pairs / number_at(tuned, 0, "median_ns"));
  dcs_table_free(tuned);
  assert_status(program_run("tune show"), 0);
  assert_contains(program_out,
                  "cpu_cutoff           kernel  60 atoms, 12x10x8, cutoff=2.5,switching=c2 ");
}

/* Padding is what the summary calls so: candidate pairs beyond the useful ones. */
static void a_sweep_takes_the_entry_of_its_problem(void **state) {
  (void)state;
  char padding[64];
  forget_all();
  assert_status(program_run("tune cpu_cutoff %s --cutoff 2.5 --switching c2 --config "
                            "threads=1,isa=portable,cell_edge=15 --samples 6",
                            TINY),
                0);
  char *printed = strdup(program_out);
  assert_status(
      program_run("sweep --variants cpu_cutoff,cpu_scatter %s --cutoff 0,2.5,2 --switching c2 "
                  "--config tuned --rounds 2 --out %s",
                  TINY, in_folder("swept")),
      0);
  assert_contains(program_err, "60 atoms, 12x10x8, cutoff=2.5,switching=c2: tuned on this "
                               "machine: threads=1,isa=portable,cell_edge=15");
  assert_contains(program_err, "60 atoms, 12x10x8, cutoff=2,switching=c2: not tuned");
  assert_contains(program_err, "cpu_scatter on 60 atoms, 12x10x8: not tuned");
  dcs_table *summary = run_table("swept", "summary.csv");
  size_t row = 0;
  while (strcmp(text_at(summary, row, "problem_config"), "cutoff=2.5,switching=c2") != 0)
    row++;
  assert_string_equal(text_at(summary, row, "config"), "threads=1,isa=portable,cell_edge=15");
  snprintf(padding, sizeof padding, " %.1f%% ", 100 * number_at(summary, row, "padding_overhead"));
  assert_contains(printed, padding);
  dcs_table_free(summary);
  free(printed);
  assert_status(program_run("sweep --variants cpu_cutoff %s --cutoff 2.5 --config tuned "
                            "--rounds 2 --out %s",
                            TINY, in_folder("plain")),
                0);
  assert_contains(program_err, "cutoff=2.5: not tuned");
  assert_status(
      program_run("sweep --variants cpu_cutoff %s --cutoff 2.5 --switching c2 --spacing 1.1 "
                  "--config tuned --rounds 2 --out %s",
                  TINY, in_folder("coarse")),
      0);
  assert_contains(program_err, "cutoff=2.5,switching=c2: not tuned");
}

/* The spacing of a grid that is fitted to a molecule is the same in both. */
static void a_molecule_has_its_entry(void **state) {
  (void)state;
  const char *water = in_folder("water.pqr");
  forget_all();
  assert_status(program_run("generate water --atoms 60 -o %s", water), 0);
  assert_status(program_run("tune cpu_cutoff --input %s --grid 12^3 --cutoff 4 " FEW, water), 0);
  assert_status(program_run("sweep --variants cpu_cutoff --input %s --grid 12^3 --cutoff 4 "
                            "--config tuned --rounds 2 --out %s",
                            water, in_folder("molecule")),
                0);
  assert_contains(program_err, "tuned on this machine");
  dcs_table *summary = run_table("molecule", "summary.csv"),
            *tuned = run_table("data", "tuned.csv");
  assert_string_equal(text_at(summary, 0, "spacing"), text_at(tuned, 0, "spacing"));
  assert_string_equal(text_at(summary, 0, "evals_useful"), text_at(tuned, 0, "evals_useful"));
  dcs_table_free(summary);
  dcs_table_free(tuned);
}

/* What was measured of another problem is not known of this one. */
/* The last measurement of what cannot be told apart is spread over the time asked for, says so, and
 * that minutes are in no interval of seconds. */
/* On a busy machine one of two may be slower for sure, and the other is measured alone, at once:
 * then again. */
static void tune_with_two_finalists(void) {
  for (int time = 0; time < 4; time++) {
    forget_all();
    assert_status(
        program_run("tune cpu_cutoff %s --cutoff 2.5 --switching c2 " FEW " --last 3", TINY), 0);
    const char *first = strstr(program_out, "     15 ");
    if (first && strstr(first + 1, "     15 ")) return;
  }
}

static void the_last_measurement_says_how_long_it_was(void **state) {
  (void)state;
  double over_s;
  int rows = 0;
  tune_with_two_finalists();
  const char *said = strstr(program_out, "in interleaved rounds over ");
  assert_non_null(said);
  assert_int_equal(sscanf(said, "in interleaved rounds over %lf s, each in processes", &over_s), 1);
  assert_true(over_s > 0.9 * 3 * 14 / 15);
  if (over_s < 60) assert_contains(program_out, "within minutes is in no interval of ");
  for (said = program_out; (said = strstr(said, "     15 ")); said++)
    rows++;
  assert_int_equal(rows, 2); /* both have all samples */
}

static void the_journal_serves_its_own_problem_alone(void **state) {
  (void)state;
  static const char *const others[] = {"--cutoff 2 --switching c2", "--cutoff 2.5",
                                       "--cutoff 2.5 --switching c2 --spacing 0.6"};
  forget_all();
  assert_status(program_run("tune cpu_cutoff %s --cutoff 2.5 --switching c2 " FEW, TINY), 0);
  for (int o = 0; o < 3; o++) {
    assert_status(program_run("tune cpu_cutoff %s %s " FEW, TINY, others[o]), 0);
    assert_null(strstr(program_err, "known from it"));
    assert_contains(program_out, "2 evaluations");
  }
  assert_status(program_run("tune cpu_cutoff %s --cutoff 2.5 --switching c2 " FEW, TINY), 0);
  assert_contains(program_err, "2 configurations are known from it already");
  assert_contains(program_out, "0 evaluations");
}

static void arguments_are_checked(void **state) {
  (void)state;
  const struct {
    const char *arguments, *said;
  } cases[] = {
      {"tune cpu_cutoff --atoms 8 --grid 8^3",
       "cpu_cutoff: it computes the sum within a cutoff, and none is given (--cutoff)"},
      {"tune --list cuda_cutoff_cells --atoms 8 --grid 8^3", "none is given (--cutoff)"},
      {"tune cpu_gather --atoms 8 --grid 8^3 --cutoff 3", "cpu_gather: it computes the direct sum"},
      {"tune --list cuda_padded --atoms 8 --grid 8^3 --cutoff 3", "the direct sum"},
      {"tune cpu_cutoff --atoms 8 --grid 8^3 --cutoff 3,4", "found 2 problems"},
      {"tune cpu_cutoff --atoms 8 --grid 8^3 --cutoff 0", "none is given (--cutoff)"},
      {"tune cpu_cutoff --atoms 8 --grid 8^3 --cutoff -1", "cutoff: found \"-1\""},
      {"tune cpu_cutoff --atoms 8 --grid 8^3 --problem colomb", "--problem: found \"colomb\""},
      {"tune cpu_cutoff --atoms 8 --grid 8^3 --cutoff 3 --switching c3", "switching: found \"c3\""},
      {"tune cpu_cutoff --atoms 8 --grid 8^3", "none is given (--cutoff)"},
      {"tune --replay x.csv --cutoff 3", "what a JOURNAL recorded has its own"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    assert_status(program_run("%s", cases[c].arguments), 2);
    assert_contains(program_err, cases[c].said);
  }
}

static void the_space_is_listed(void **state) {
  (void)state;
  assert_status(
      program_run(
          "tune --list cuda_cutoff_bins --grid 64^3 --atoms 2000 --cutoff 12 --switching c2"),
      0);
  assert_contains(program_out, "2000 atoms, 64x64x64, cutoff=12,switching=c2: ");
  assert_contains(program_out, "capacity");
}

/* ---- recorded ---- */

/* The highest rate in a landscape's data. */
static double best_rate(const char *path) {
  char *text = get_file(path, NULL);
  double best = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    double p, q, rate;
    if (sscanf(line, "%lf\t%lf\t%lf", &p, &q, &rate) == 3) best = fmax(best, rate);
  }
  free(text);
  return best;
}

static void recordings_are_replayed_and_studied(void **state) {
  (void)state;
  static const char landscape[] =
      "study/cuda_cutoff_cells-kernel-2000-64x64x64-cutoff=12,switching=c2-spacing=0.5/"
      "plots/landscape.dat";
  const written_space within = {
      "cuda_cutoff_cells",       {64, 64, 64}, 2000, 0, 7, 0, 1, "cutoff=12,switching=c2",
      "tile_atoms=512,block_x=8"};
  const char *path = in_folder("recorded.csv");
  double least = INFINITY;
  dcs_space space;
  put_journal(path, &within, &space);
  for (int c = 0; c < space.n; c++)
    least = fmin(least, written_truth(&space, c));
  dcs_space_free(&space);
  assert_status(program_run("tune --study %s --out %s", path, in_folder("study")), 0);
  dcs_table *study = run_table("study", "study.csv");
  assert_string_equal(text_at(study, 0, "problem_config"), "cutoff=12,switching=c2");
  assert_string_equal(text_at(study, 0, "spacing"), "0.5");
  assert_true(number_at(study, 0, "evals_useful") == WRITTEN_WORK);
  dcs_table_free(study);
  assert_true(fabs(best_rate(in_folder(landscape)) * least / WRITTEN_WORK - 1) < 1e-8);
  written_space ten = within;
  ten.problem = "cutoff=10";
  put_journal(path, &ten, &space);
  dcs_space_free(&space);
  assert_status(program_run("tune --replay %s --strategy exhaustive", path), 0);
  assert_contains(program_out, "2000 atoms, 64x64x64, cutoff=10, ");
  assert_contains(program_out, "2000 atoms, 64x64x64, cutoff=12,switching=c2, ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_variant_is_tuned_within_a_cutoff),
      cmocka_unit_test(a_sweep_takes_the_entry_of_its_problem),
      cmocka_unit_test(a_molecule_has_its_entry),
      cmocka_unit_test(the_last_measurement_says_how_long_it_was),
      cmocka_unit_test(the_journal_serves_its_own_problem_alone),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(the_space_is_listed),
      cmocka_unit_test(recordings_are_replayed_and_studied),
  };
  without_limits();
  return cmocka_run_group_tests(tests, begin, program_teardown);
}
