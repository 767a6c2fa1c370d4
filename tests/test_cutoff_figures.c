/* Figures of maps within a cutoff: which sizes, methods and scopes are drawn, and what is said
 * where the run has not the data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/figures/figure.h"
#include "tests/program.h"

#define HEADER                                                                                     \
  "variant,backend,config,threads,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,"     \
  "spacing,overflow_atoms,median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,model_error,outcome\n"

typedef dcs_status figure_data(const dcs_figure_run *, FILE *, char why[DCS_TEXT]);

/* A run as a test writes it: rows of summary.csv. */
static char *rows, *text, why[DCS_TEXT];
static size_t rows_size;
static FILE *writing;

static void begin(const char *header) {
  free(rows);
  rows = NULL;
  assert_non_null(writing = open_memstream(&rows, &rows_size));
  fputs(header, writing);
}

/* A method; threads 0: on the GPU. The problem: "cutoff=12,switching=c2", or "" for the direct sum.
 */
typedef struct {
  const char *variant, *config;
  int threads;
  const char *scope, *problem;
  int atoms, edge;
  double ms;
  const char *overflow, *error, *outcome; /* NULL: empty, empty, ok */
} method;

static void put(method m) {
  fprintf(writing, "%s,%s,\"%s\",", m.variant, m.threads ? "cpu" : "gpu", m.config);
  if (m.threads) fprintf(writing, "%d", m.threads);
  fprintf(writing, ",%s,,-,coulomb,\"%s\",%d,%d,%d,%d,0.5,%s,%.9g,,,%.9g,%s,%s\n", m.scope,
          m.problem, m.atoms, m.edge, m.edge, m.edge, m.overflow ? m.overflow : "", 1e6 * m.ms,
          1e9 / m.ms, m.error ? m.error : "", m.outcome ? m.outcome : "ok");
}

static void put_folder(void) {
  assert_int_equal(fclose(writing), 0);
  put_file(in_folder("summary.csv"), rows);
  put_file(in_folder("env.csv"),
           "key,value\nschema,4\ncpus,8\nseed,1\ncpu_model,Model C\ngpu_name,Card G\n");
}

/* Leaves the data of a figure of the rows in `text`, or the reason in `why`. */
static void draw(figure_data *figure) {
  dcs_figure_run run;
  size_t size;
  put_folder();
  free(text);
  why[0] = '\0';
  FILE *dat = open_memstream(&text, &size);
  assert_non_null(dat);
  if (dcs_figure_load(&run, test_folder, NULL) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(figure(&run, dat, why), DCS_OK);
  dcs_figure_unload(&run);
  assert_int_equal(fclose(dat), 0);
  assert_true(why[0] ? size == 0 : size > 0);
}

static void lacks(const char *part) {
  if (strstr(text, part)) fail_msg("found \"%s\" in \"%s\"", part, text);
}

/* ---- cutoff_time ---- */

/* From 10 to 1000 atoms the direct sum goes from 1 ms to 100 ms, and the cutoff's stays at 10. */
static void put_crossing(void) {
  begin(HEADER);
  for (int atoms = 10; atoms <= 1000; atoms *= 100) {
    put((method){"all", "threads=1", 1, "kernel", "", atoms, 10, 0.1 * atoms, NULL, NULL, NULL});
    put((method){"slow", "threads=1", 1, "kernel", "", atoms, 10, 999, NULL, NULL, NULL});
    put((method){"near", "threads=1", 1, "kernel", "cutoff=12,switching=c2", atoms, 10, 10, NULL,
                 NULL, NULL});
    put((method){"near", "threads=4", 4, "kernel", "cutoff=12,switching=c2", atoms, 10, 3, NULL,
                 NULL, NULL});
    put((method){"liar", "threads=4", 4, "kernel", "cutoff=12,switching=c2", atoms, 10, 1e-6, NULL,
                 NULL, "wrong"});
    put((method){"card", "k=1", 0, "kernel", "", atoms, 10, 2, NULL, NULL, NULL});
    put((method){"card", "k=1", 0, "warm", "", atoms, 10, 4, NULL, NULL, NULL});
    put((method){"pins", "k=1", 0, "warm", "cutoff=12,switching=c2", atoms, 10, 0.5, "3", NULL,
                 NULL});
    put((method){"pins", "k=1", 0, "first", "cutoff=12,switching=c2", atoms, 10, 0.1, "3", NULL,
                 NULL});
    put((method){"near", "threads=1", 1, "kernel", "cutoff=8,switching=c2", 10, 10 + atoms, 1, NULL,
                 NULL, NULL});
  }
}

static void the_lines_cross_where_they_should(void **state) {
  (void)state;
  put_crossing();
  draw(dcs_figure_cutoff_time);
  assert_contains(text, "\"Time of one map against atoms: direct sum, and within 12 Å (switching "
                        "c2)\"\n\"CPU: Model C, GPU: Card G\"\n");
  assert_contains(text, "\"left out: 2 rows without a verified time\"\n\"grid 10x10x10\"\n");
  assert_contains(text, "\"error against the direct sum: not measured\"\n");
  assert_contains(text, "\n\n\"CPU, 1 thread: direct sum\"\n10\t1\t1\t1\t\"all\"\t\"threads=1\"\n"
                        "1000\t100\t100\t100\t\"all\"");
  assert_contains(text, "\n\n\"CPU, 1 thread: within the cutoff\"\n10\t10\t10\t10\t\"near\"");
  assert_contains(text, "\n\n\"CPU, 4 threads: direct sum\"\n\n\n");
  assert_contains(text, "\n\n\"CPU, 4 threads: within the cutoff\"\n10\t3\t3\t3\t\"near\"");
  assert_contains(text, "\n\n\"crossover point, between sizes\"\n100\t10\t\"100\"\n");
  lacks("liar");
}

/* The kernel of the direct sum is not held against the warm time within the cutoff. */
static void a_pair_has_one_scope(void **state) {
  (void)state;
  put_crossing();
  draw(dcs_figure_cutoff_time);
  assert_contains(text, "\n\n\"GPU, warm: direct sum\"\n10\t4\t4\t4\t\"card\"");
  assert_contains(text, "\n\n\"GPU, warm: within the cutoff\"\n10\t0.5\t0.5\t0.5\t\"pins\"");
  lacks("kernel");
  put_crossing();
  for (int atoms = 10; atoms <= 1000; atoms *= 100)
    put((method){"cell", "k=2", 0, "kernel", "cutoff=12,switching=c2", atoms, 10, 0.7, NULL, NULL,
                 NULL});
  draw(dcs_figure_cutoff_time);
  assert_contains(text, "\n\n\"GPU, kernel: direct sum\"\n10\t2\t2\t2\t\"card\"");
  assert_contains(text, "\n\n\"GPU, kernel: within the cutoff\"\n10\t0.7\t0.7\t0.7\t\"cell\"");
}

/* Where only one of the sums has a kernel time, its line is in the scope that it has. */
static void a_line_without_the_scope_takes_the_other(void **state) {
  (void)state;
  begin(HEADER);
  for (int atoms = 10; atoms <= 1000; atoms *= 100) {
    put((method){"card", "", 0, "kernel", "", atoms, 10, 2, NULL, NULL, NULL});
    put((method){"pins", "", 0, "warm", "cutoff=12", atoms, 10, 1, NULL, NULL, NULL});
  }
  draw(dcs_figure_cutoff_time);
  assert_contains(text, "\n\n\"GPU, kernel: direct sum\"\n10\t2\t");
  assert_contains(text, "\n\n\"GPU, warm: within the cutoff\"\n10\t1\t");
  assert_contains(text, "\n\n\"CPU, 1 thread: direct sum\"\n\n\n");
}

/* Sizes with both sums on grids that share neither edge nor density. */
static void sizes_of_a_molecule_are_drawn_together(void **state) {
  (void)state;
  begin(HEADER);
  for (int atoms = 10; atoms <= 1000; atoms *= 10) {
    int edge = 20 + atoms / 10;
    put((method){"all", "", 1, "kernel", "", atoms, edge, 1, NULL, NULL, NULL});
    put((method){"near", "", 1, "kernel", "cutoff=8,switching=c2", atoms, edge, 2, NULL, NULL,
                 NULL});
  }
  put((method){"all", "", 1, "kernel", "", 5000, 90, 1, NULL, NULL, NULL});
  put((method){"near", "", 1, "kernel", "cutoff=8,switching=c2", 1000, 60, 3, NULL, NULL, NULL});
  draw(dcs_figure_cutoff_time);
  assert_contains(text, "\"grids 21x21x21 to 120x120x120, 0.0046 to 0.03 atoms/Å³\"\n");
  assert_contains(text, "\n10\t2\t2\t2\t\"near\"\t\"\"\n100\t2\t2\t2\t\"near\"\t\"\"\n1000\t2\t");
  lacks("5000");
}

/* ---- cutoff_density ---- */

static void time_per_point_at_one_density(void **state) {
  (void)state;
  begin(HEADER);
  /* 8 times as many atoms in 8 times the volume; and 2 sizes of other densities. */
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 100, 10, 1, NULL, NULL, NULL});
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 800, 20, 8, NULL, NULL, NULL});
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 7000, 40, 64, NULL, NULL, NULL});
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 5000, 40, 1, NULL, NULL, NULL});
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 500, 10, 1, NULL, NULL, NULL});
  put((method){"pins", "", 0, "warm", "cutoff=12,switching=c2", 800, 20, 0.8, "1", NULL, NULL});
  put((method){"pins", "", 0, "kernel", "cutoff=12,switching=c2", 800, 20, 1, "1", NULL,
               "inapplicable"});
  put((method){"all", "", 1, "kernel", "", 800, 20, 0.01, NULL, NULL, NULL});
  draw(dcs_figure_cutoff_density);
  assert_contains(text, "\"Time per grid point within 12 Å (switching c2) at one density: ");
  assert_contains(text, "\"left out: 1 row without a verified time\"\n"
                        "\"grids 10x10x10 to 40x40x40, 0.8 to 0.88 atoms/Å");
  lacks("\"all\"");
}

static void density_numbers(void **state) {
  (void)state;
  begin(HEADER);
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 100, 10, 1, NULL, "0.25", NULL});
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 800, 20, 16, NULL, NULL, NULL});
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 5000, 40, 1, NULL, NULL, NULL});
  put((method){"near", "threads=8", 8, "kernel", "cutoff=12,switching=c2", 800, 20, 4, NULL, NULL,
               NULL});
  put((method){"pins", "", 0, "warm", "cutoff=12,switching=c2", 800, 20, 0.8, "1", "0.2", NULL});
  draw(dcs_figure_cutoff_density);
  assert_contains(text, "\"error against the direct sum: 0.2 to 0.25 (relative L2)\"\n");
  assert_contains(text, "\n\n\"near, 1 thread\"\n100\t1000\t1000\t1000\t\"near\"\t\"\"\n"
                        "800\t2000\t2000\t2000\t\"near\"\t\"\"\n\n");
  assert_contains(text, "\n\n\"near, 8 threads\"\n800\t500\t");
  assert_contains(text, "\n\n\"pins, warm\"\n800\t100\t");
  lacks("5000");
}

/* ---- cutoff_capacity ---- */

static void put_bins(int atoms, int edge, const char *cutoff, int capacities) {
  char config[64], overflow[32];
  for (int bin_edge = 20; bin_edge <= 40; bin_edge += 20)
    for (int i = 0, capacity = 4; i < capacities; i++, capacity *= 2)
      for (int block = 4; block <= 8; block *= 2) {
        snprintf(config, sizeof config, "block_x=%d,bin_edge=%d,capacity=%d", block, bin_edge,
                 capacity);
        snprintf(overflow, sizeof overflow, "%d", capacity == 4 ? atoms / 4 : 0);
        put((method){"pins", config, 0, "warm", cutoff, atoms, edge,
                     0.1 * bin_edge + capacity + block, overflow, NULL, NULL});
        put((method){"pins", config, 0, "kernel", cutoff, atoms, edge, 0.001, overflow, NULL,
                     NULL});
      }
}

static void a_line_for_each_edge_of_bins(void **state) {
  (void)state;
  begin(HEADER);
  put_bins(400, 10, "cutoff=12,switching=c2", 5);
  put_bins(800, 10, "cutoff=8,switching=c2", 3);
  put_bins(800, 10, "cutoff=12,switching=c2", 3);
  put_bins(900, 10, "cutoff=12,switching=c2", 2); /* too few capacities */
  put((method){"cell", "capacity=1", 0, "warm", "cutoff=12,switching=c2", 800, 10, 1, NULL, NULL,
               NULL});
  draw(dcs_figure_cutoff_capacity);
  assert_contains(text, "\"Room in bins: pins within 12 Å (switching c2), 800 atoms, 10x10x10\"\n");
  assert_contains(text, "\n\n\"bin_edge=20 (2 Å)\"\n4\t10\t10\t10\t\"pins\"\t\"block_x=4,");
  assert_contains(text, "\n16\t22\t22\t22\t\"pins\"\t\"block_x=4,bin_edge=20,capacity=16\"\n\n");
  assert_contains(text, "\n\n\"bin_edge=20 (2 Å)\"\n4\t25\t25\t25\t\"pins\"");
  assert_contains(text, "\n\n\"bin_edge=40 (4 Å)\"\n4\t12\t12\t12\t");
  assert_contains(text, "\n8\t0\t0\t0\t\"pins\"");
  lacks("cell");
  lacks("capacity=32");
  lacks("block_x=8");
}

static void two_capacities_are_too_few(void **state) {
  (void)state;
  begin(HEADER);
  put_bins(400, 10, "cutoff=12,switching=c2", 2);
  put((method){"pins", "bin_edge=20,capacity=64", 0, "warm", "cutoff=12,switching=c2", 400, 10, 1,
               "0", NULL, "wrong"});
  draw(dcs_figure_cutoff_capacity);
  assert_string_equal(why,
                      "no method with bins was measured in scope warm at three or more capacities");
}

/* ---- cutoff_error ---- */

static void put_errors(int threads) {
  begin(HEADER);
  const char *scope = "kernel";
  put((method){"near", "", threads, scope, "cutoff=12,switching=c2", 50, 10, 4, NULL, "0.01",
               NULL});
  put((method){"near", "", threads, scope, "cutoff=8,switching=c2", 50, 10, 2, NULL, "0.03", NULL});
  put((method){"fast", "", threads, scope, "cutoff=8,switching=c2", 50, 10, 1, NULL, "0.03", NULL});
  put((method){"near", "", threads, scope, "cutoff=10,switching=c2", 50, 10, 3, NULL, "0.02",
               "wrong"});
  put((method){"near", "", threads, scope, "cutoff=8", 50, 10, 2, NULL, "0.05", NULL});
  put((method){"near", "", threads, scope, "cutoff=12", 50, 10, 4, NULL, "0.04", NULL});
  put((method){"near", "", threads, scope, "cutoff=20", 50, 10, 8, NULL, "0", NULL});
  put((method){"near", "", threads, scope, "cutoff=8,switching=c2", 9, 10, 8, NULL, "0.5", NULL});
}

static void a_line_for_each_switching_and_size(void **state) {
  (void)state;
  put_errors(0);
  draw(dcs_figure_cutoff_error);
  assert_contains(text, "\"left out: 1 row without a verified time\"\n");
  assert_contains(text, "\n\n\"time, best GPU, kernel [ms]\"\n\n\n\"c2: 50 atoms, 10x10x10\"\n"
                        "8\t0.03\t0.03\t0.03\t");
  assert_contains(text, "\n12\t0.01\t0.01\t0.01\t\"near\"\t\"\"\n\n\n\"c2: 50 atoms, 10x10x10\"\n"
                        "8\t1\t1\t1\t\"fast\"\t\"\"\n12\t4\t4\t4\t\"near\"");
  assert_contains(text, "\n\n\"none: 50 atoms, 10x10x10\"\n8\t0.05\t");
  assert_contains(text, "\n20\t8\t8\t8\t");
  lacks("\n20\t0\t");
  lacks("0.02");
  lacks("9 atoms");
  put_errors(2);
  draw(dcs_figure_cutoff_error);
  assert_contains(text, "\n\n\"time, best CPU, kernel [ms]\"\n\n\n");
}

static void of_many_lines_the_largest_are_drawn(void **state) {
  (void)state;
  begin(HEADER);
  for (int size = 1; size <= 9; size++)
    for (int c = 0; c < 2; c++)
      put((method){"near", "", 1, "kernel", c ? "cutoff=12,switching=c2" : "cutoff=8,switching=c2",
                   10 * size, 10, 1, NULL, "0.1", NULL});
  draw(dcs_figure_cutoff_error);
  assert_contains(text, "(8 of 9, those with most cutoffs, then the largest)\"\n");
  assert_contains(text, "\n\n\"c2: 90 atoms, 10x10x10\"\n");
  lacks("\"c2: 10 atoms");
}

/* ---- what is not there ---- */

static void assert_all_skipped(void) {
  static figure_data *const figures[] = {dcs_figure_cutoff_time, dcs_figure_cutoff_density,
                                         dcs_figure_cutoff_capacity, dcs_figure_cutoff_error};
  for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++) {
    dcs_figure_run run;
    assert_int_equal(dcs_figure_load(&run, test_folder, NULL), DCS_OK);
    FILE *dat = tmpfile();
    why[0] = '\0';
    assert_int_equal(figures[f](&run, dat, why), DCS_OK);
    assert_int_equal(ftell(dat), 0);
    assert_string_not_equal(why, "");
    fclose(dat);
    dcs_figure_unload(&run);
  }
}

static void one_row_is_no_figure(void **state) {
  (void)state;
  begin(HEADER);
  put((method){"pins", "bin_edge=20,capacity=8", 0, "warm", "cutoff=12,switching=c2", 160461, 241,
               9, "7", "0.01", NULL});
  put_folder();
  assert_all_skipped();
}

/* An empty run, or one of direct sums alone. */
static void runs_without_a_cutoff_say_so(void **state) {
  (void)state;
  begin(HEADER);
  put_folder();
  assert_all_skipped();
  begin(HEADER);
  for (int atoms = 10; atoms <= 1000; atoms *= 10)
    put((method){"all", "", 1, "kernel", "", atoms, 9, 1, NULL, NULL, NULL});
  put_folder();
  assert_all_skipped();
}

static void a_bad_cutoff_is_refused(void **state) {
  (void)state;
  dcs_figure_run run;
  begin(HEADER);
  put((method){"near", "", 1, "kernel", "cutoff=far,switching=c2", 10, 10, 1, NULL, NULL, NULL});
  put_folder();
  assert_int_equal(dcs_figure_load(&run, test_folder, NULL), DCS_INPUT);
  dcs_figure_unload(&run);
  assert_contains(dcs_error_message(),
                  "row 2: found problem_config \"cutoff=far,switching=c2\"; expected ");
}

/* ---- with the other figures ---- */

static void other_figures_are_of_the_whole_sum(void **state) {
  (void)state;
  put_crossing();
  draw(dcs_figure_time_vs_atoms);
  assert_contains(text, "\n\n\"CPU best, 1 thread\"\n10\t1\t1\t1\t\"all\"");
  lacks("near");
  lacks("pins");
  lacks("4 threads");
}

static void the_pictures_are_drawn(void **state) {
  (void)state;
  static const char *const names[] = {"cutoff_time", "cutoff_density", "cutoff_capacity",
                                      "cutoff_error"};
  put_crossing();
  put_bins(100, 10, "cutoff=12,switching=c2", 3);
  put_bins(800, 20, "cutoff=12,switching=c2", 3);
  put((method){"near", "", 1, "kernel", "cutoff=12,switching=c2", 50, 10, 4, NULL, "0.01", NULL});
  put((method){"near", "", 1, "kernel", "cutoff=8,switching=c2", 50, 10, 2, NULL, "0.03", NULL});
  put_folder();
  assert_status(program_run("plot %s", in_folder(".")), 0);
  for (int f = 0; f < 4; f++) {
    char name[64];
    snprintf(name, sizeof name, "plots/%s.dat", names[f]);
    assert_true(exists(in_folder(name)));
    if (strstr(program_out, "gnuplot is not on the PATH")) continue;
    snprintf(name, sizeof name, "plots/%s.png", names[f]);
    assert_true(exists(in_folder(name)));
    snprintf(name, sizeof name, "plots/%s.svg", names[f]);
    assert_true(exists(in_folder(name)));
  }
}

/* ---- to a tolerance ---- */

/* A mesh and a direct sum to two tolerances at two sizes of one density. */
static void put_tolerances(void) {
  begin(HEADER);
  for (int scale = 1; scale <= 2; scale++) {
    const int atoms = 100 * scale * scale * scale, edge = 10 * scale;
    const char *loose = "tolerance=0.01", *tight = "tolerance=0.0001";
    put((method){"mesh", "k=1", 0, "kernel", loose, atoms, edge, 2, NULL, "1e-4", NULL});
    put((method){"mesh", "k=2", 0, "kernel", loose, atoms, edge, 3, NULL, "1e-4", NULL});
    put((method){"split", "k=1", 0, "kernel", loose, atoms, edge, 9, NULL, NULL, NULL});
    put((method){"mesh", "k=1", 0, "kernel", tight, atoms, edge, 4, NULL, "1e-6", NULL});
    put((method){"net", "threads=8", 8, "kernel", tight, atoms, edge, 50, NULL, NULL, NULL});
  }
}

static void times_are_drawn_over_tolerances(void **state) {
  (void)state;
  put_tolerances();
  draw(dcs_figure_tolerance_time);
  assert_contains(text, "\"Time of one map against the error that is allowed\"\n");
  assert_contains(text, "\"800 atoms, 20x20x20\"\n");
  assert_contains(text, "\n\n\"mesh, GPU\"\n0.0001\t4\t4\t4\t\"mesh\"\t\"k=1\"");
  assert_contains(text, "\n0.01\t2\t2\t2\t\"mesh\"\t\"k=1\"");
  assert_contains(text, "\n\n\"split, GPU\"\n0.01\t9\t");
  assert_contains(text, "\n\n\"net, CPU, 8 threads\"\n0.0001\t50\t");
}

static void times_are_drawn_over_atoms_at_one_density(void **state) {
  (void)state;
  put_tolerances();
  draw(dcs_figure_tolerance_atoms);
  assert_contains(text, "\"Time of one map to a tolerance of 0.0001, at one density\"");
  assert_contains(text, "\n\n\"mesh, GPU\"\n100\t4\t4\t4\t\"mesh\"\t\"k=1\"");
  assert_contains(text, "\n800\t4\t4\t4\t\"mesh\"");
  assert_contains(text, "\n\n\"net, CPU, 8 threads\"\n100\t50\t");
  lacks("split");
}

/* A doubling that costs 2.2 times the time, and one of eight times the atoms that costs 1.5 times
 * each; below 100,000 atoms it is not told. */
static void what_a_doubling_costs_is_told(void **state) {
  (void)state;
  static const struct {
    int atoms, edge;
    double ms;
  } at[] = {{12500, 50, 0.1}, {100000, 100, 1}, {200000, 126, 2.2}, {1600000, 252, 7.425}};
  begin(HEADER);
  for (int i = 0; i < 4; i++) {
    put((method){"mesh", "k=1", 0, "kernel", "tolerance=0.01", at[i].atoms, at[i].edge, at[i].ms,
                 NULL, "1e-4", NULL});
    if (i < 2)
      put((method){"net", "k=1", 0, "kernel", "tolerance=0.01", at[i].atoms, at[i].edge, at[i].ms,
                   NULL, "1e-4", NULL});
  }
  draw(dcs_figure_tolerance_atoms);
  assert_contains(text, "\n\n\"mesh, GPU, x2.20 a doubling at most\"\n12500\t0.1\t");
  assert_contains(text, "\n\n\"net, GPU\"\n12500\t0.1\t");
}

/* Figures of the direct sum say why a run without one has none of them. */
static void a_run_without_a_direct_sum_is_told_so(void **state) {
  (void)state;
  static figure_data *const figures[] = {dcs_figure_time_vs_atoms, dcs_figure_rate_vs_coarsening,
                                         dcs_figure_rate_vs_edge, dcs_figure_ladder,
                                         dcs_figure_roofline};
  for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++) {
    put_tolerances();
    draw(figures[f]);
    assert_contains(why, "; this figure is of the exact problem, which all rows approximate");
  }
  put_crossing();
  draw(dcs_figure_rate_vs_coarsening);
  assert_contains(why, "no variant was measured at two or more coarsening factors");
  assert_null(strstr(why, "approximate"));
}

/* What is no cutoff is not drawn as one, and the other way round. */
static void tolerances_and_cutoffs_are_not_mixed(void **state) {
  (void)state;
  put_tolerances();
  draw(dcs_figure_cutoff_error);
  assert_contains(why, "no size has a model_error at two or more cutoffs");
  put_tolerances();
  draw(dcs_figure_cutoff_density);
  assert_contains(why, "measured within one cutoff");
  put_crossing();
  draw(dcs_figure_tolerance_time);
  assert_string_equal(why, "no size was measured to two or more tolerances");
  put_crossing();
  draw(dcs_figure_tolerance_atoms);
  assert_contains(why, "measured to one tolerance");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_lines_cross_where_they_should),
      cmocka_unit_test(a_pair_has_one_scope),
      cmocka_unit_test(a_line_without_the_scope_takes_the_other),
      cmocka_unit_test(sizes_of_a_molecule_are_drawn_together),
      cmocka_unit_test(time_per_point_at_one_density),
      cmocka_unit_test(density_numbers),
      cmocka_unit_test(a_line_for_each_edge_of_bins),
      cmocka_unit_test(two_capacities_are_too_few),
      cmocka_unit_test(a_line_for_each_switching_and_size),
      cmocka_unit_test(of_many_lines_the_largest_are_drawn),
      cmocka_unit_test(one_row_is_no_figure),
      cmocka_unit_test(runs_without_a_cutoff_say_so),
      cmocka_unit_test(a_bad_cutoff_is_refused),
      cmocka_unit_test(other_figures_are_of_the_whole_sum),
      cmocka_unit_test(the_pictures_are_drawn),
      cmocka_unit_test(times_are_drawn_over_tolerances),
      cmocka_unit_test(times_are_drawn_over_atoms_at_one_density),
      cmocka_unit_test(what_a_doubling_costs_is_told),
      cmocka_unit_test(a_run_without_a_direct_sum_is_told_so),
      cmocka_unit_test(tolerances_and_cutoffs_are_not_mixed),
  };
  int failed =
      cmocka_run_group_tests_name("cutoff figures", tests, program_setup, program_teardown);
  free(rows);
  free(text);
  return failed;
}
