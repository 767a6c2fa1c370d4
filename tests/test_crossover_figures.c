/* The figures of thresholds: what `dcsbench plot` draws from the files of `dcsbench crossover`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/crossover_run.h"

/* What plot reads of a summary; the figures of thresholds need no row of it. */
#define SUMMARY_OF_FIGURES                                                                         \
  "variant,backend,config,coarsen,threads,scope,atoms,nx,ny,nz,padding_overhead,median_ns,"        \
  "ci_lo_ns,ci_hi_ns,evals_per_s,limit_fraction,outcome\n"

static int plot(void) {
  put_file(run_path("env.csv"),
           "key,value\ncpu_model,Some CPU\ncpus,8\nseed,1\ngpu_name,Card\\G\n");
  put_file(run_path("summary.csv"), SUMMARY_OF_FIGURES);
  return program_run("plot %s", in_folder("run"));
}

static void assert_data(const char *name, const char *part) {
  char file[64];
  snprintf(file, sizeof file, "plots/%s.dat", name);
  char *text = run_file("run", file, NULL);
  assert_contains(text, part);
  free(text);
}

/* On three cubes, at four numbers of atoms each: the GPU takes 2 ms, the CPU 1 ms at 1e6
 * evaluations; where they are equal, no size is sure. */
static void put_plane(void) {
  begin_run();
  for (int edge = 10; edge <= 40; edge *= 2)
    for (int atoms = 125; atoms <= 8000; atoms *= 4) {
      put_method("plain", 1, "kernel", atoms, edge, 1e-6 * atoms * pow(edge, 3), "ok");
      put_method("g", 0, "warm", atoms, edge, 2, "ok");
    }
  end_run();
  assert_status(crossover(""), 0);
}

static void thresholds_are_drawn_with_their_times(void **state) {
  (void)state;
  put_plane();
  assert_status(plot(), 0);
  assert_data("crossover_atoms", "\"Crossovers along the number of atoms");
  assert_data("crossover_atoms", "\n\n\"10x10x10, scope warm\"\n\"2k (2k to 2k), ok\"\n3\t2\t2000");
  assert_data("crossover_atoms",
              "\n\n\"cpu_sequential\"\n125\t0.125\t0.12490625\t0.12509375\t\"plain\"");
  assert_data("crossover_atoms", "\n\n\"gpu\"\n125\t2\t1.9985\t2.0015\t\"g\"");
  if (!strstr(program_out, "gnuplot is not on the PATH")) {
    assert_contains(program_out, "crossover_atoms.png and .svg\n");
    assert_contains(program_out, "crossover_map.png and .svg\n");
    assert_true(exists(run_path("plots/crossover_atoms.png")));
    assert_true(exists(run_path("plots/crossover_map.svg")));
  }
  assert_contains(program_out,
                  "skipped: crossover_points: thresholds.csv has no row of axis points");
}

/* Five kinds of methods in one picture: each has a colour and its name in the legend. */
static void a_cutoff_is_drawn_beside_the_whole_sum(void **state) {
  (void)state;
  begin_run();
  for (int atoms = 125; atoms <= 8000; atoms *= 4) {
    put_method("plain", 1, "kernel", atoms, 10, 4e-3 * atoms, "ok");
    put_method("fast", 4, "kernel", atoms, 10, 1e-3 * atoms, "ok");
    put_method("g", 0, "kernel", atoms, 10, 5e-4 * atoms, "ok");
    within = "12,c2";
    put_method("near", 4, "kernel", atoms, 10, 1, "ok");
    put_method("g_near", 0, "kernel", atoms, 10, 0.5, "ok");
    within = ",";
  }
  end_run();
  assert_status(crossover(""), 0);
  assert_status(plot(), 0);
  assert_data("crossover_atoms",
              "\n\n\"10x10x10, scope kernel\"\n\"1k (1k to 1k), ok\"\n1\t4\t1000");
  assert_data("crossover_atoms", "\n\"1k (1k to 1k), ok\"\n2\t5\t1000");
  assert_data("crossover_atoms", "\n\n\"gpu_within\"\n125\t0.5\t");
  if (!strstr(program_out, "gnuplot is not on the PATH"))
    assert_contains(program_out, "crossover_atoms.png and .svg\n");
}

/* 125 atoms on 20^3 are 1 ms: the CPU. 2000 on 10^3 are 2 ms: unsure. */
static void the_map_shows_who_wins_and_what_is_unsure(void **state) {
  (void)state;
  put_plane();
  assert_status(plot(), 0);
  assert_data("crossover_map", "\n\n\"grids N^3, scope warm\"\n\"cpu_sequential or gpu\"\n3\t2\n");
  assert_data("crossover_map", "\n\n\"cpu_sequential\"\n125\t1000\t62.5\t250\t");
  assert_data("crossover_map", "\n125\t8000\t62.5\t250\t2828.42712\t22627.417\n");
  assert_data("crossover_map", "\n\n\"unsure\"\n2000\t1000\t1000\t4000\t");
  assert_data("crossover_map", "\n\n\"frontier, 95%\"\n2000\t1000\t");
  assert_data("crossover_map", "\"CPU: Some CPU");
}

static void files_that_are_wrong_are_named(void **state) {
  (void)state;
  put_plane();
  put_file(run_path("winners.csv"), "scope,method_a\n");
  assert_status(plot(), 3);
  assert_contains(program_err, "winners.csv: found no column \"method_b\"");
  put_plane();
  unlink(run_path("winners.csv"));
  assert_status(plot(), 0);
  assert_contains(program_out, "skipped: crossover_map: no winners.csv in the run folder; ");
  put_plane();
  char *text = run_file("run", "winners.csv", NULL);
  *(strchr(text, '\n') + 1) = '\0'; /* its header alone */
  put_file(run_path("winners.csv"), text);
  free(text);
  assert_status(plot(), 3);
  assert_contains(program_err, "thresholds.csv: row 2: found none of its sizes in ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thresholds_are_drawn_with_their_times),
      cmocka_unit_test(a_cutoff_is_drawn_beside_the_whole_sum),
      cmocka_unit_test(the_map_shows_who_wins_and_what_is_unsure),
      cmocka_unit_test(files_that_are_wrong_are_named),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
