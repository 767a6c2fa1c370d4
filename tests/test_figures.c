/* Figures: what is selected, that labels stay text, and what happens without gnuplot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "tests/drawn_figures.h"

static const char *const names[] = {"time_vs_atoms", "rate_vs_coarsening", "rate_vs_edge",
                                    "ladder"};
enum { N_FIGURES = 4 };

static void every_figure_has_its_files(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER CPU_ROWS GPU_ROWS, ENV, NULL), DCS_OK);
  for (int f = 0; f < N_FIGURES; f++) {
    char name[DCS_TEXT];
    snprintf(name, sizeof name, "plots/%s", names[f]);
    assert_true(exists(name, ".dat"));
    assert_true(exists(name, ".gp"));
    if (!pictures()) continue;
    assert_true(exists(name, ".png"));
    assert_true(exists(name, ".svg"));
  }
  assert_true(exists("plots/style", ".gp"));
  assert_non_null(strstr(printed, "skipped: roofline: summary.csv has no bytes_moved"));
  int skipped = 0;
  for (const char *at = printed; (at = strstr(at, "skipped: ")); at++)
    skipped++;
  assert_int_equal(skipped, 13);
  assert_non_null(strstr(printed, "skipped: crossover_map: no thresholds.csv in the run folder; "
                                  "`dcsbench crossover` writes it\n"));
}

static void the_best_rows_are_selected(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER CPU_ROWS GPU_ROWS, ENV, NULL), DCS_OK);
  assert_has("time_vs_atoms", ".dat", "\n\n\"CPU sequential: cpu_gather\"\n100\t2\t1.9\t2.1\t");
  assert_has("time_vs_atoms", ".dat", "\n\n\"CPU best, 1 thread\"\n100\t0.5\t0.5\t0.5\t\"quick\"");
  assert_has("time_vs_atoms", ".dat", "\n1000\t20\t19\t21\t\"cpu_gather\"\t\"threads=1\"\n\n");
  /* The best of one thread at 100 atoms was not tried at 1000. */
  assert_has("time_vs_atoms", ".dat",
             "\n\n\"CPU best, 1 thread\"\n100\t0.5\t0.5\t0.5\t\"quick\"\t\"threads=1\"\n\n\n");
  assert_has("time_vs_atoms", ".dat", "\n\n\"CPU best, 4 threads\"\n1000\t1.6\t");
  assert_has("time_vs_atoms", ".dat", "\n\n\"GPU best, warm\"\n100\t0.03\t");
  assert_has("time_vs_atoms", ".dat",
             "\"GPU best, kernel\"\n1000\t0.005\t0.004\t0.006\t\"teeth\"\t\"coarsen=2\"\n");
  assert_has("rate_vs_coarsening", ".dat", "\n\n\"teeth\"\n1\t1\t1000\t");
  assert_has("rate_vs_coarsening", ".dat", "\n1\t2\t2000\t1666.66667\t2500\t");
  assert_lacks("rate_vs_coarsening", ".dat", "flat");
  assert_has("rate_vs_edge", ".dat", "\n\n\"teeth, useful\"\n100\t2000\t");
  assert_has("rate_vs_edge", ".dat", "\n\n\"teeth, executed\"\n100\t2400\t2000\t3000\t");
  assert_has("rate_vs_edge", ".dat", "\n\n\"flat, useful\"\n100\t500\t");
}

/* No factor is helped by a block that others were not given: of these, only block 8 was tried with
 * both. */
static void factors_are_compared_on_the_same_configurations(void **state) {
  (void)state;
#define ROW(config, k, atoms, rest)                                                                \
  "teeth,gpu,\"" config "\"," k ",,kernel,-,,coulomb,," atoms ",64,64,1,1,1e6,1e6," rest "\n"
  static const char rows[] = HEADER ROW("block=8,coarsen=1,read=end", "1", "1000",
                                        "0,1e6,,,1e12,,ok")
      ROW("block=8,coarsen=4,read=end", "4", "1000", "0.5,5e5,,,2e12,,ok")
          ROW("block=16,coarsen=4,read=end", "4", "1000", "0,2e5,,,5e12,,ok")
              ROW("block=32,coarsen=1,read=end", "1", "1000", "0,1e5,,,9e12,,ok")
                  ROW("block=64,coarsen=1,read=end", "1", "1000", "0,4e5,,,3e12,,ok")
                      ROW("block=64,coarsen=4,read=end", "4", "1000", ",,,,,,launch")
                          ROW("block=8,coarsen=1,read=end", "1", "10", "0,1e5,,,4e12,,ok")
                              ROW("block=8,coarsen=4,read=end", "4", "10", "0,1e5,,,3e12,,ok")
                                  ROW("block=8,coarsen=1,read=end", "1", "7", "0,1e5,,,8e12,,ok");
  assert_int_equal(draw(rows, ENV, NULL), DCS_OK);
  assert_has("rate_vs_coarsening", ".dat",
             "\n\n\"1000 atoms, 64x64x1, best of 2\"\n\"10 atoms, 64x64x1, best of 1\"\n\n");
  /* block 64 was tried with both, and failed with one */
  assert_has("rate_vs_coarsening", ".dat", "\n1\t1\t3000\t3000\t3000\t3000\t\"teeth\"\t");
  assert_has("rate_vs_coarsening", ".dat", "\n1\t4\t2000\t2000\t2000\t3000\t\"teeth\"\t");
  assert_has("rate_vs_coarsening", ".dat", "\n2\t1\t4000\t");
  assert_has("rate_vs_coarsening", ".dat", "\n2\t4\t3000\t");
  assert_lacks("rate_vs_coarsening", ".dat", "block=16");
  assert_lacks("rate_vs_coarsening", ".dat", "block=32");
  assert_lacks("rate_vs_coarsening", ".dat", "\t8000\t");
}

/* The best of a scope is the best of all its memories, and its point says which. */
static void the_best_memory_is_named(void **state) {
  (void)state;
  static const char rows[] =
      "variant,backend,config,coarsen,threads,atoms,nx,ny,nz,padded_nz,evals_useful,"
      "evals_executed,padding_overhead,median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,limit_fraction,"
      "outcome,devices,problem,problem_config,scope,memory\n"
      "flat,gpu,,,,1000,100,100,1,1,1e7,1e7,0,2e4,,,5e11,0.1,ok,-,coulomb,,kernel,\n"
      "flat,gpu,,,,1000,100,100,1,1,1e7,1e7,0,6e4,,,1.6e11,0.1,ok,-,coulomb,,warm,pageable\n"
      "flat,gpu,,,,1000,100,100,1,1,1e7,1e7,0,3e4,,,3e11,0.1,ok,-,coulomb,,warm,pinned\n"
      "flat,gpu,,,,1000,100,100,1,1,1e7,1e7,0,5e4,,,2e11,0.1,ok,-,coulomb,,warm,mapped\n"
      "flat,gpu,,,,100,100,100,1,1,1e6,1e6,0,1e4,,,1e11,0.1,ok,-,coulomb,,kernel,\n";
  assert_int_equal(draw(rows, ENV, NULL), DCS_OK);
  assert_has("time_vs_atoms", ".dat",
             "\"GPU best, warm\"\n1000\t0.03\t0.03\t0.03\t\"flat\"\t\"\"\t\"pinned\"\n");
  assert_has("time_vs_atoms", ".dat", "\n1000\t0.02\t0.02\t0.02\t\"flat\"\t\"\"\n");
}

static void the_ladder_is_in_order(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER GPU_ROWS CPU_ROWS, ENV, NULL), DCS_OK);
  assert_has(
      "ladder", ".dat",
      "\n\n1\t-1\t\"cpu_gather\"\t\"0.5\"\t\"\"\t\"\"\n"
      "1\t-2\t\"quick\"\t\"2\"\t\"\"\t\"100 atoms, 100x100x1\"\n1\t-3\t\"\"\t\"6.25\"\t\"\"\t\"\"\n"
      "2\t-1\t\"teeth\"\t\"2000\"\t\"50.0%\"\t\"\"\n2\t-2\t\"flat\"\t\"500\"\t\"10.0%\"\t\"\"\n\n");
  assert_has("ladder", ".dat", "\n\n\"CPU, 4 threads\"\n6.25\t6.25\t6.25\t-3\t\"quick\"");
  assert_has("ladder", ".dat", "\n\n\"its measured limit: 10\"\n10\n");
  assert_has("ladder", ".dat", "\n\n\"GPU\"\n2000\t1666.66667\t2500\t-1\t\"teeth\"");
  assert_has("ladder", ".dat", "\n\n\"its measured limit: 4000\"\n4000\n");
  assert_has("ladder", ".dat", "\"CPU: Model C, GPU: Card G\"\n");
}

/* Rows in any order: the figure follows kernels/variants.def. */
static void known_variants_follow_the_list(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER
                        "cuda_naive,gpu,,,,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n"
                        "cuda_scatter,gpu,,,,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n"
                        "cpu_simd,cpu,,,1,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n"
                        "cpu_gather,cpu,,,1,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n",
                        ENV, NULL),
                   DCS_OK);
  assert_has("ladder", ".dat", "\n\n1\t-1\t\"cpu_gather\"\t\"1\"\t\"\"\t\"\"\n1\t-2\t\"cpu_simd\"");
  assert_has("ladder", ".dat",
             "\n2\t-1\t\"cuda_scatter\"\t\"1\"\t\"\"\t\"\"\n2\t-2\t\"cuda_naive\"");
  assert_has("ladder", ".dat", "\n\"CPU: Model C, GPU: Card G\"\n");
}

/* Two cells with a third of the most rungs or more: the larger is drawn, and what it lacks comes
 * from the other and says so. */
static void the_ladder_fills_in(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER "one,gpu,,,,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n"
                               "two,gpu,,,,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,2e9,,ok\n"
                               "two,gpu,,,,kernel,-,,coulomb,,20000,9,9,1,9,9,1,0,1,1,1,4e9,,ok\n",
                        ENV, NULL),
                   DCS_OK);
  assert_has("ladder", ".dat", "each variant, 20000 atoms, 9x9x1, kernel time");
  assert_has("ladder", ".dat", "\n2\t-1\t\"one\"\t\"1\"\t\"\"\t\"10 atoms, 9x9x1\"\n");
  assert_has("ladder", ".dat", "\n2\t-2\t\"two\"\t\"4\"\t\"\"\t\"\"\n");
}

/* 48 pixels a rung, or what 576 are for so many. */
static void the_ladder_is_as_tall_as_its_rows(void **state) {
  (void)state;
  assert_int_equal(
      draw(HEADER "one,gpu,,,,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n", ENV, NULL),
      DCS_OK);
  if (!pictures()) return;
  assert_has("ladder", ".svg", "viewBox=\"0 0 1200 260\"");
  char rows[8192] = HEADER;
  for (char name = 'a'; name <= 'z'; name++)
    dcs_append(rows, sizeof rows, "%c,gpu,,,,kernel,-,,coulomb,,10,9,9,1,9,9,1,0,1,1,1,1e9,,ok\n",
               name);
  assert_int_equal(draw(rows, ENV, NULL), DCS_OK);
  assert_has("ladder", ".svg", "viewBox=\"0 0 1200 783\"");
}

/* Where a text stands in a picture, from above. */
static double height_of(const char *svg, const char *text) {
  static const char move[] = "translate(";
  const char *end = strstr(svg, text), *found = NULL;
  if (!end) fail_msg("no %s in the picture", text);
  for (const char *at = svg; (at = strstr(at, move)) != NULL && at < end; at++)
    found = at;
  assert_non_null(found);
  return strtod(strchr(found, ',') + 1, NULL);
}

/* Of as few rows that each has 48 pixels, too: below the CPU's two and the numbers of its axis. */
static void the_ladders_panels_lie_below_each_other(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER CPU_ROWS GPU_ROWS, ENV, NULL), DCS_OK);
  if (!pictures()) return;
  char *svg = get("ladder", ".svg");
  const double cpu = height_of(svg, ">quick<"), gpu = height_of(svg, ">teeth<");
  if (!(gpu >= cpu + 48 + 84))
    fail_msg("the GPU's panel begins at %g, the CPU's ends at %g", gpu, cpu);
  free(svg);
}

static void a_wrong_result_is_never_a_time(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER CPU_ROWS GPU_ROWS, ENV, NULL), DCS_OK);
  for (int f = 0; f < N_FIGURES; f++)
    assert_lacks(names[f], ".dat", "liar");
  assert_has("time_vs_atoms", ".dat", "\n\"left out: 1 row without a verified time\"\n");
  assert_has("ladder", ".dat", "\n\"left out: 1 row without a verified time\"\n");
  assert_lacks("rate_vs_edge", ".dat", "left out");
}

static void labels_stay_text(void **state) {
  (void)state;
  static const char summary[] = HEADER "\"a`touch pwned`\"\"q\"\"|touch pwned;$(touch "
                                       "pwned)@x\\n{/Bold b}<i>_1%s\nnext\",gpu,coarsen=1,1,,"
                                       "kernel,-,,coulomb,,10,32,32,1,1,1,1,0,1e6,,,1e9,,ok\n"
                                       "\"a`touch pwned`\"\"q\"\"|touch pwned;$(touch "
                                       "pwned)@x\\n{/Bold b}<i>_1%s\nnext\",gpu,coarsen=2,2,,"
                                       "kernel,-,,coulomb,,10,32,32,1,1,1,1,0,1e6,,,2e9,,ok\n";
  static const char env[] =
      "key,value\nschema,4\ncpus,8\nseed,1\ncpu_model,C\n\"gpu_name\",\"M `touch pwned` \"\"|x\"\" "
      "$(touch pwned) \\n\ntwo\"\n";
  assert_int_equal(draw(summary, env, NULL), DCS_OK);
  assert_false(exists("plots/pwned", ""));
  assert_int_not_equal(access("pwned", F_OK), 0);
  if (!pictures()) return;
  static const char shown[] =
      "a`touch pwned`\"q\"|touch pwned;$(touch pwned)@x\\n{/Bold b}&lt;i>_1%s next";
  assert_has("ladder", ".svg", shown);
  assert_has("rate_vs_coarsening", ".svg", shown);
  assert_has("rate_vs_coarsening", ".svg", "GPU: M `touch pwned` \"|x\" $(touch pwned) \\n two");
}

static void without_gnuplot_the_data_are_left(void **state) {
  (void)state;
  assert_int_equal(setenv("PATH", other, 1), 0);
  dcs_status status = draw(HEADER CPU_ROWS GPU_ROWS, ENV, NULL);
  assert_int_equal(setenv("PATH", user_path, 1), 0);
  assert_int_equal(status, DCS_OK);
  assert_true(exists("plots/ladder", ".dat"));
  assert_true(exists("plots/ladder", ".gp"));
  assert_false(exists("plots/ladder", ".png"));
  assert_non_null(strstr(printed, "gnuplot is not on the PATH"));
}

static void the_reference_stands_in(void **state) {
  (void)state;
  put(other, "summary.csv",
      HEADER "other,cpu,,,1,kernel,-,,coulomb,,1,9,9,1,1,1,1,0,1,1,1,1e9,,ok\n" GPU_ROWS);
  put(other, "env.csv", ENV);
  assert_int_equal(
      draw(HEADER CPU_ROWS, "key,value\nschema,4\ncpus,8\nseed,1\ncpu_model,Mine\n", other),
      DCS_OK);
  assert_has("ladder", ".dat", "\"CPU: Mine, GPU: Card G, shipped reference of 2001-02-03\"\n");
  assert_has("time_vs_atoms", ".dat", "\"GPU best, kernel (reference)\"\n");
  assert_has("rate_vs_edge", ".dat", "\"teeth (reference), useful\"\n");
  assert_has("ladder", ".dat", "\"GPU (reference)\"\n");
  assert_lacks("ladder", ".dat", "other");
  assert_int_equal(draw(HEADER CPU_ROWS GPU_ROWS, ENV, other), DCS_OK);
  for (int f = 0; f < N_FIGURES; f++)
    assert_lacks(names[f], ".dat", "reference");
}

static void no_data_is_said(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER, ENV, NULL), DCS_OK);
  assert_non_null(strstr(printed, "skipped: time_vs_atoms: "));
  assert_non_null(strstr(printed, "skipped: rate_vs_coarsening: "));
  assert_non_null(strstr(printed, "skipped: rate_vs_edge: "));
  assert_non_null(strstr(printed, "skipped: ladder: "));
  assert_false(exists("plots/ladder", ".dat"));
  assert_false(exists("plots/ladder", ".gp"));
}

static void bad_tables_are_refused(void **state) {
  (void)state;
  assert_int_equal(draw("variant,backend\nplain,cpu\n", ENV, NULL), DCS_INPUT);
  assert_int_equal(draw(HEADER CPU_ROWS, "key,value\ncpu_model,Old\n", NULL), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "found schema \"\"; expected "));
  assert_int_equal(draw(HEADER CPU_ROWS, ENV, "/nonexistent"), DCS_IO);
}

/* Of a run on one machine alone, the title names that. */
static void titles_name_what_is_drawn(void **state) {
  (void)state;
  assert_int_equal(draw(HEADER CPU_ROWS GPU_ROWS, ENV, NULL), DCS_OK);
  assert_has("rate_vs_coarsening", ".dat", "configurations\"\n\"GPU: Card G\"\n");
  assert_int_equal(draw(HEADER CPU_ROWS, ENV, NULL), DCS_OK);
  assert_has("ladder", ".dat", "kernel time\"\n\"CPU: Model C\"\n");
}

/* Another problem of the kind, faster: it is in no figure of the direct one. */
static void figures_are_of_the_direct_problem(void **state) {
  (void)state;
  assert_int_equal(
      draw(HEADER CPU_ROWS GPU_ROWS
           "near,gpu,,,,kernel,-,,coulomb,cutoff=12,1000,100,100,1,1,1e6,1e6,0,1,,,1e15,,ok\n",
           ENV, NULL),
      DCS_OK);
  for (int f = 0; f < N_FIGURES; f++)
    assert_lacks(names[f], ".dat", "near");
}

static void one_figure_is_drawn_where_it_is_named(void **state) {
  (void)state;
  only = "ladder";
  dcs_status named = draw(HEADER CPU_ROWS, ENV, NULL);
  only = "leader";
  dcs_status wrong = draw(HEADER CPU_ROWS, ENV, NULL);
  only = NULL;
  assert_int_equal(named, DCS_OK);
  assert_true(exists("plots/ladder", ".dat"));
  assert_false(exists("plots/time_vs_atoms", ".dat"));
  assert_int_equal(wrong, DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "\"leader\"; did you mean ladder?"));
}

static void padding_numbers(void **state) {
  (void)state;
  double slice = dcs_padding_overhead((dcs_dims){100, 100, 1}, (dcs_dims){128, 16, 1});
  double large = dcs_padding_overhead((dcs_dims){1000, 1000, 1}, (dcs_dims){128, 16, 1});
  double volume = dcs_padding_overhead((dcs_dims){100, 100, 100}, (dcs_dims){128, 16, 16});
  double none = dcs_padding_overhead((dcs_dims){256, 32, 16}, (dcs_dims){128, 16, 16});
  assert_true(fabs(slice - 0.4336) < 1e-12);
  assert_true(fabs(large - 0.032192) < 1e-12);
  assert_true(fabs(volume - 0.605632) < 1e-12);
  assert_true(fabs(none - 0) < 1e-12);
  only = "padding_vs_edge";
  dcs_status status = draw(HEADER, ENV, NULL);
  only = NULL;
  assert_int_equal(status, DCS_OK);
  assert_has("padding_vs_edge", ".dat", "\"K = 8\"\n");
  assert_has("padding_vs_edge", ".dat", "\n100\t43.36\t60.5632\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIGURE_TEST(every_figure_has_its_files),
      FIGURE_TEST(the_best_rows_are_selected),
      FIGURE_TEST(factors_are_compared_on_the_same_configurations),
      FIGURE_TEST(the_best_memory_is_named),
      FIGURE_TEST(the_ladder_is_in_order),
      FIGURE_TEST(the_ladder_fills_in),
      FIGURE_TEST(the_ladder_is_as_tall_as_its_rows),
      FIGURE_TEST(known_variants_follow_the_list),
      FIGURE_TEST(the_ladders_panels_lie_below_each_other),
      FIGURE_TEST(a_wrong_result_is_never_a_time),
      FIGURE_TEST(labels_stay_text),
      FIGURE_TEST(without_gnuplot_the_data_are_left),
      FIGURE_TEST(the_reference_stands_in),
      FIGURE_TEST(no_data_is_said),
      FIGURE_TEST(bad_tables_are_refused),
      FIGURE_TEST(titles_name_what_is_drawn),
      FIGURE_TEST(figures_are_of_the_direct_problem),
      FIGURE_TEST(one_figure_is_drawn_where_it_is_named),
      FIGURE_TEST(padding_numbers),
  };
  const char *path = getenv("PATH");
  user_path = strdup(path ? path : "/usr/bin:/bin");
  gnuplot = system("gnuplot --version >/dev/null 2>&1") == 0;
  int failed = cmocka_run_group_tests_name("figures", tests, NULL, NULL);
  free(user_path);
  return failed;
}
