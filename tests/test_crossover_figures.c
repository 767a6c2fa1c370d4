/* The figures of thresholds: what `dcsbench plot` draws from the files of `dcsbench crossover`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/crossover_run.h"

static int plot(void) {
  return program_run("plot %s", in_folder("run"));
}

static void assert_data(const char *name, const char *part) {
  char file[64];
  snprintf(file, sizeof file, "plots/%s.dat", name);
  char *text = run_file("run", file, NULL);
  assert_contains(text, part);
  free(text);
}

/* On cubes up to an edge, at four numbers of atoms each: the GPU takes 2 ms, the CPU 1 ms at 1e6
 * evaluations; where they are equal, no size is sure. */
static void put_plane(int last) {
  begin_run();
  for (int edge = 10; edge <= last; edge *= 2)
    for (int atoms = 125; atoms <= 8000; atoms *= 4) {
      put_method("cpu_gather", 1, "kernel", atoms, edge, 1e-6 * atoms * pow(edge, 3), "ok");
      put_method("g", 0, "warm", atoms, edge, 2, "ok");
    }
  end_run();
  assert_status(crossover(""), 0);
}

static void thresholds_are_drawn_with_their_times(void **state) {
  (void)state;
  put_plane(160);
  assert_status(plot(), 0);
  assert_data("crossover_atoms", "\"Crossover points along the atoms");
  assert_data("crossover_atoms", "\n\n\"10x10x10, scope warm\"\n\"2k (2k to 2k), ok\"\n3\t2\t2000");
  assert_data("crossover_atoms",
              "\n\n\"cpu_sequential\"\n125\t0.125\t0.124625\t0.125375\t\"cpu_gather\"");
  assert_data("crossover_atoms", "\n\n\"gpu\"\n125\t2\t1.994\t2.006\t\"g\"");
  if (!strstr(program_out, "gnuplot is not on the PATH")) {
    assert_contains(program_out, "crossover_atoms.png and .svg\n");
    assert_contains(program_out, "crossover_map.png and .svg\n");
    assert_true(exists(run_path("plots/crossover_atoms.png")));
    assert_true(exists(run_path("plots/crossover_map.svg")));
  }
  assert_data("crossover_points", "\n\n\"125 atoms, grids N^3, scope warm\"\n");
}

/* Adds columns to the summary: the rates, and the error of rows within a cutoff. */
static void add_errors(void) {
  char *text = run_file("run", "summary.csv", NULL), *line = strtok(text, "\n");
  FILE *file = fopen(run_path("summary.csv"), "w");
  assert_non_null(file);
  for (fprintf(file, "%s,evals_per_s,model_error\n", line); (line = strtok(NULL, "\n"));)
    fprintf(file, "%s,1e9,%s\n", line, strstr(line, "cutoff=") ? "0.25" : "");
  assert_int_equal(fclose(file), 0);
  free(text);
}

/* Five methods in one picture: each has a colour and its name in the legend; and how far off the
 * answer within a cutoff is stands beside its threshold. */
static void a_cutoff_is_drawn_beside_the_direct_sum(void **state) {
  (void)state;
  begin_run();
  for (int atoms = 125; atoms <= 8000; atoms *= 4) {
    put_method("cpu_gather", 1, "kernel", atoms, 10, 4e-3 * atoms, "ok");
    put_method("fast", 4, "kernel", atoms, 10, 1e-3 * atoms, "ok");
    put_method("g", 0, "kernel", atoms, 10, 5e-4 * atoms, "ok");
    problem = "cutoff=12,switching=c2";
    put_method("near", 4, "kernel", atoms, 10, 1, "ok");
    put_method("g_near", 0, "kernel", atoms, 10, 0.5, "ok");
    problem = "";
  }
  end_run();
  assert_status(crossover(""), 0);
  add_errors();
  assert_status(plot(), 0);
  assert_data("crossover_atoms",
              "\n\n\"10x10x10, scope kernel\"\n\"1k (1k to 1k), ok; error 0.25\"\n1\t4\t1000");
  assert_data("crossover_atoms", "\n\"1k (1k to 1k), ok; error 0.25\"\n2\t5\t1000");
  assert_data("crossover_atoms", "\n\n\"gpu cutoff=12,switching=c2\"\n125\t0.5\t");
  if (!strstr(program_out, "gnuplot is not on the PATH"))
    assert_contains(program_out, "crossover_atoms.png and .svg\n");
}

/* "h" is the best GPU method at edges of 20 and 80 and was not tried at 40 between them. */
/* Where a threshold is told, how far off the answer is stands beside it; of the direct sum alone
 * there is nothing to tell. */
static void sentences_tell_of_the_error(void **state) {
  (void)state;
  static const char *const sentence =
      "atoms on 10x10x10 (kernel): use gpu cutoff=12,switching=c2 from 1000 on (95%: 1000 to "
      "1000), "
      "gpu below; it loses nothing at sizes that it was not drawn from; the sizes next to it are "
      "500 and 2000: closer ones may move it; at a model error of up to "
      "0.25.\n";
  assert_status(crossover(""), 0);
  assert_contains(program_out, sentence);
  assert_contains(program_out, "  ok; at a model error of up to 0.25\n");
  dcs_table *t = run_table("run", "thresholds.csv");
  for (size_t r = 0; r < dcs_table_rows(t); r++) {
    const bool within = *text_at(t, r, "problem_config_a") || *text_at(t, r, "problem_config_b");
    assert_string_equal(text_at(t, r, "model_error"), within ? "0.25" : "");
  }
  dcs_table_free(t);
  assert_status(program_run("report %s --markdown", in_folder("run")), 0);
  assert_contains(program_out,
                  "the GPU (cutoff=12,switching=c2) loses to the GPU (plain) below 1,000 "
                  "atoms (95%: 1,000 to 1,000), at a model error of up to 0.25.");
  assert_contains(program_out,
                  "is ahead of the CPU with all threads (cutoff=12,switching=c2), at a "
                  "model error of up to 0.25.");
}

static void sizes_that_lack_a_method_are_left_out(void **state) {
  (void)state;
  begin_run();
  for (int edge = 10; edge <= 160; edge *= 2) {
    put_method("cpu_gather", 1, "kernel", 1000, edge, 1e-3 * pow(edge, 3), "ok");
    put_method("g", 0, "kernel", 1000, edge, 20, "ok");
    if (edge != 40) put_method("h", 0, "kernel", 1000, edge, edge == 160 ? 25 : 10, "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  assert_status(plot(), 0);
  assert_data("crossover_points",
              "\n\n\"gpu\"\n1000\t10\t9.97\t10.03\t\"h\"\t\"x=1,threads=0\"\n8000\t10\t");
  assert_data("crossover_points", "\"h\"\t\"x=1,threads=0\"\n512000\t10\t");
}

static void few_grids_are_no_map(void **state) {
  (void)state;
  put_plane(80);
  assert_status(plot(), 0);
  assert_contains(
      program_out,
      "skipped: crossover_map: no pair of methods was measured on 5 grids of one shape");
}

/* 125 atoms on 20^3 are 1 ms: the CPU. 2000 on 10^3 are 2 ms: unsure. */
static void the_map_shows_who_wins_and_what_is_unsure(void **state) {
  (void)state;
  put_plane(160);
  assert_status(plot(), 0);
  assert_data("crossover_map", "\n\n\"grids N^3, scope warm\"\n\"cpu_sequential or gpu\"\n3\t2\n");
  assert_data("crossover_map", "\n\n\"cpu_sequential\"\n125\t1000\t62.5\t250\t");
  assert_data("crossover_map", "\n125\t8000\t62.5\t250\t2828.42712\t22627.417\n");
  assert_data("crossover_map", "\n\n\"unsure\"\n2000\t1000\t1000\t4000\t");
  assert_data("crossover_map", "\n\n\"frontier, 95%\"\n2000\t1000\t");
  assert_data("crossover_map", "\"CPU: Some CPU, GPU: unknown\"\n");
}

static void files_that_are_wrong_are_named(void **state) {
  (void)state;
  put_plane(160);
  put_file(run_path("winners.csv"), "scope,method_a\n");
  assert_status(plot(), 3);
  assert_contains(program_err, "winners.csv: found no column \"problem\"");
  put_plane(160);
  unlink(run_path("winners.csv"));
  assert_status(plot(), 0);
  assert_contains(program_out, "skipped: crossover_map: no winners.csv in the run folder; ");
  put_plane(160);
  char *text = run_file("run", "winners.csv", NULL);
  *(strchr(text, '\n') + 1) = '\0'; /* its header alone */
  put_file(run_path("winners.csv"), text);
  free(text);
  assert_status(plot(), 3);
  assert_contains(program_err, "thresholds.csv: row 2: found none of its sizes in ");
}

/* Nothing is fixed where there are atoms alone. */
static void titles_of_kinds_without_a_grid(void **state) {
  (void)state;
  begin_run();
  for (int i = 0; i < 5; i++)
    put_born(10 << i);
  end_run();
  assert_status(crossover(""), 0);
  assert_status(program_run("plot %s --figure crossover_atoms", in_folder("run")), 0);
  assert_data("born_crossover_atoms", "\n\n\"scope kernel\"\n\"always gpu\"\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(titles_of_kinds_without_a_grid),
      cmocka_unit_test(thresholds_are_drawn_with_their_times),
      cmocka_unit_test(a_cutoff_is_drawn_beside_the_direct_sum),
      cmocka_unit_test(sentences_tell_of_the_error),
      cmocka_unit_test(sizes_that_lack_a_method_are_left_out),
      cmocka_unit_test(few_grids_are_no_map),
      cmocka_unit_test(the_map_shows_who_wins_and_what_is_unsure),
      cmocka_unit_test(files_that_are_wrong_are_named),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
