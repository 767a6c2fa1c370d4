/* `dcsbench crossover` on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/crossover_run.h"

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
    assert_string_equal(text_at(t, r, "shape"), "");
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

/* Where the last size alone tells of the crossover point, it loses when it is held out. */
static void planted_crossings_are_found(void **state) {
  (void)state;
  static const expected rows[] = {
      {"atoms", "kernel", "cpu_sequential", "cpu_parallel", "8x8x8", "ok", 225},
      {"atoms", "kernel", "cpu_sequential", "gpu", "8x8x8", "ok", 500},
      {"atoms", "kernel", "cpu_parallel", "gpu", "8x8x8", "lossy", 1e6 / 900},
      {"atoms", "warm", "cpu_sequential", "gpu", "8x8x8", "lossy", 1000},
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

/* A CPU that kernels for GPUs ran on. */
static void a_gpu_that_is_none_is_said(void **state) {
  (void)state;
  begin_run();
  put_atoms();
  end_run();
  assert_status(crossover(""), 0);
  assert_null(strstr(program_out, "no card"));
  put_file(run_path("env.csv"), "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n"
                                "gpu_name,OpenCL on a CPU: Some\ngpu_type,CPU\n");
  assert_status(crossover(""), 0);
  assert_contains(program_out,
                  "what `gpu` is here is no card, but OpenCL on a CPU: Some: its times");
}

/* As in a folder that may only be read. */
static void what_cannot_be_written_is_told_all_the_same(void **state) {
  (void)state;
  static const char *const forms[] = {"", "--csv", "--json"};
  static const char *const told[] = {" 500 ", "atoms,kernel,coulomb,cpu_sequential,",
                                     "{\"axis\": \"atoms\", \"scope\": \"kernel\""};
  begin_run();
  put_atoms();
  end_run();
  unlink(run_path("winners.csv"));
  assert_int_equal(mkdir(run_path("winners.csv"), 0777), 0);
  for (int f = 0; f < 3; f++) {
    assert_status(crossover(forms[f]), 5);
    assert_contains(program_out, told[f]);
    assert_contains(program_err, "winners.csv");
  }
  assert_int_equal(rmdir(run_path("winners.csv")), 0);
}

/* Whatever comes first in the run: the textbook's loop is the lowest rung. */
static void the_sequential_method_is_the_lowest_rung(void **state) {
  (void)state;
  begin_run();
  for (int atoms = 100; atoms <= 800; atoms *= 2) {
    put_method("cpu_simd", 1, "kernel", atoms, 8, 1e-4 * atoms, "ok");
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
    put_method("cpu_simd", 4, "kernel", atoms, 8, 0.3, "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "winners.csv");
  for (size_t r = 0; r < dcs_table_rows(t); r++)
    assert_string_equal(text_at(t, r, "variant_a"), "cpu_gather");
  assert_int_equal(dcs_table_rows(t), 4);
  dcs_table_free(t);
}

/* The lowest rung that was measured with one thread has another name where it is not that loop. */
static void the_sequential_method_is_the_textbooks_loop(void **state) {
  (void)state;
  static const char *const variants[] = {"cpu_simd", "cpu_gather"};
  static const char *const names[] = {"cpu_one_thread", "cpu_sequential"};
  static const char *const words[] = {"the CPU with one thread below",
                                      "the sequential CPU code below"};
  for (int v = 0; v < 2; v++) {
    begin_run();
    for (int atoms = 100; atoms <= 800; atoms *= 2) {
      put_method(variants[v], 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
      put_method("cpu_avx2", 4, "kernel", atoms, 8, 0.3, "ok");
    }
    end_run();
    assert_status(crossover(""), 0);
    for (int f = 0; f < 2; f++) {
      dcs_table *t = run_table("run", f ? "thresholds.csv" : "winners.csv");
      for (size_t r = 0; r < dcs_table_rows(t); r++)
        assert_string_equal(text_at(t, r, "method_a"), names[v]);
      assert_true(dcs_table_rows(t) > 0);
      dcs_table_free(t);
    }
    assert_contains(program_out, names[v]);
    assert_null(strstr(program_out, names[!v]));
    assert_status(program_run("report %s --markdown", in_folder("run")), 0);
    assert_contains(program_out, words[v]);
  }
}

/* The direct sum takes 1 ms for 100 atoms, within a cutoff always 2.5 ms: they cross at 250. On the
 * GPU it is 0.1 ms against 0.04: at 40, below all sizes. */
static void problems_are_held_against_each_other(void **state) {
  (void)state;
  static const expected rows[] = {
      {"atoms", "kernel", "cpu_parallel", "gpu", "8x8x8", "always_b", 0},
      {"atoms", "kernel", "cpu_parallel", "gpu", "8x8x8", "always_b", 0},
      {"atoms", "kernel", "cpu_parallel", "cpu_parallel", "8x8x8", "ok", 250},
      {"atoms", "kernel", "gpu", "gpu", "8x8x8", "always_b", 0}};
  begin_run();
  for (int atoms = 100; atoms <= 1600; atoms *= 2) {
    problem = "";
    put_method("fast", 4, "kernel", atoms, 8, 0.01 * atoms, "ok");
    put_method("g1", 0, "kernel", atoms, 8, 0.001 * atoms, "ok");
    problem = "cutoff=12,switching=c2";
    put_method("cells", 4, "kernel", atoms, 8, 2.5, "ok");
    put_method("g_cells", 0, "kernel", atoms, 8, 0.04, "ok");
  }
  problem = "";
  end_run();
  assert_status(crossover(""), 0);
  assert_rows(rows, sizeof rows / sizeof rows[0]);
  dcs_table *t = run_table("run", "thresholds.csv");
  for (size_t r = 0; r < 4; r++) {
    assert_string_equal(text_at(t, r, "problem"), "coulomb");
    assert_string_equal(text_at(t, r, "problem_config_a"), r == 1 ? "cutoff=12,switching=c2" : "");
    assert_string_equal(text_at(t, r, "problem_config_b"), r > 0 ? "cutoff=12,switching=c2" : "");
  }
  dcs_table_free(t);
}

/* To two tolerances: each is held against the direct sum, neither against the other, nor open
 * boundaries against a cell. */
static void tolerances_and_cells_are_not(void **state) {
  (void)state;
  static const char *const problems[] = {"", "tolerance=0.01", "tolerance=0.001",
                                         "tolerance=0.001,boundary=periodic",
                                         "tolerance=0.001,boundary=periodic,cell_x=9"};
  static const expected rows[] = {
      {"atoms", "kernel", "cpu_parallel", "cpu_parallel", "8x8x8", "always_b", 0},
      {"atoms", "kernel", "cpu_parallel", "cpu_parallel", "8x8x8", "always_b", 0}};
  begin_run();
  for (int atoms = 100; atoms <= 1600; atoms *= 2)
    for (int p = 0; p < 5; p++) {
      problem = problems[p];
      put_method("mesh", 4, "kernel", atoms, 8, 5 - p, "ok");
    }
  problem = "";
  end_run();
  assert_status(crossover(""), 0);
  assert_rows(rows, 2);
  dcs_table *t = run_table("run", "thresholds.csv");
  for (size_t r = 0; r < 2; r++)
    assert_string_equal(text_at(t, r, "problem_config_a"), "");
  dcs_table_free(t);
}

/* The rows of a kind without a grid are in no crossover point along points. */
static void kinds_without_a_grid_are_apart(void **state) {
  (void)state;
  static const int edges[] = {16, 20, 32, 64, 80};
  begin_run();
  for (int i = 0; i < 5; i++) {
    const double points = pow(edges[i], 3);
    put_born(10 << i);
    put_method("cpu_gather", 4, "kernel", 70, edges[i], 2e-5 * points, "ok");
    put_method("g", 0, "kernel", 70, edges[i], 2, "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_int_equal(dcs_table_rows(t), 2);
  for (size_t r = 0; r < 2; r++) {
    const bool points = strcmp(text_at(t, r, "axis"), "points") == 0;
    assert_string_equal(text_at(t, r, "problem"), points ? "coulomb" : "born");
    assert_string_equal(text_at(t, r, "status"), points ? "ok" : "always_b");
    if (points) assert_true(fabs(number_at(t, r, "estimate") / 1e5 - 1) < 1e-3);
  }
  dcs_table_free(t);
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
    put_method("cpu_gather", 1, "kernel", 70, edges[i], 2, "ok");
    put_method("g", 0, "kernel", 70, edges[i], 2e-5 * points, "ok");
    put_method("cpu_gather", 1, "kernel", 80, edges[i], 2, "ok");
    put_method("g", 0, "kernel", 80, edges[i], teeth[i], "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  /* With one thread at most and one variant, the parallel and the sequential method are the same:
   * no threshold between them. */
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_int_equal(dcs_table_rows(t), 4 + 2 * 5); /* and the plane */
  for (size_t r = 0; r < 4; r++) {
    assert_string_equal(text_at(t, r, "axis"), "points");
    assert_string_equal(text_at(t, r, "shape"), "N^3");
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

/* Slices of 4 and of 1, cubes, and oblong grids, each with a crossing of its own: they do not mix,
 * and a shape that has three grids has no row. */
static void shapes_do_not_mix(void **state) {
  (void)state;
  begin_run();
  for (int i = 0; i < 5; i++) {
    const int edge = 16 << i;
    const int grids[][3] = {
        {edge, edge, 4}, {edge, edge, edge}, {2 * edge, edge, 4}, {4 * edge, 2 * edge, edge}};
    static const double at[] = {1e4, 1e5, 2e4, 4e5}; /* points of the crossing */
    for (int g = 0; g < 4; g++) {
      double points = (double)grids[g][0] * grids[g][1] * grids[g][2];
      put_on_grid("cpu_gather", 1, "kernel", 50, grids[g], points / at[g], "ok");
      put_on_grid("g", 0, "kernel", 50, grids[g], 1, "ok");
    }
    if (i < 3) put_on_grid("cpu_gather", 1, "kernel", 50, (const int[3]){edge, edge, 1}, 1, "ok");
    if (i < 3) put_on_grid("g", 0, "kernel", 50, (const int[3]){edge, edge, 1}, 9, "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  static const char *const shapes[] = {"NxNx4", "N^3", "2NxNx4", "4Nx2NxN"};
  static const double at[] = {1e4, 1e5, 2e4, 4e5};
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_int_equal(dcs_table_rows(t), 2 * 4);
  for (size_t r = 0; r < 8; r++) { /* cpu_sequential and cpu_parallel are one method */
    assert_string_equal(text_at(t, r, "shape"), shapes[r / 2]);
    assert_string_equal(text_at(t, r, "fixed"), "50");
    assert_string_equal(text_at(t, r, "status"), "ok");
    assert_true(fabs(number_at(t, r, "estimate") / at[r / 2] - 1) < 1e-3);
  }
  dcs_table_free(t);
}

/* Three cubes of 3, 2 and 4 numbers of atoms, the GPU faster from 5e7 evaluations on. */
static void the_plane_has_a_frontier(void **state) {
  (void)state;
  static const struct {
    int edge, atoms[4];
  } grids[] = {{32, {500, 1000, 8000, 0}}, {64, {100, 400, 0, 0}}, {128, {50, 100, 200, 400}}};
  static const char *const status[] = {"lossy", "ok", "always_b"};
  begin_run();
  for (int g = 2; g >= 0; g--)
    for (int i = 0; i < 4 && grids[g].atoms[i]; i++) {
      double points = pow(grids[g].edge, 3);
      put_method("cpu_gather", 1, "kernel", grids[g].atoms[i], grids[g].edge,
                 points * grids[g].atoms[i] / 5e7, "ok");
      put_method("g", 0, "warm", grids[g].atoms[i], grids[g].edge, 1, "ok");
    }
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "thresholds.csv");
  size_t first = dcs_table_rows(t) - 2 * 3;
  for (size_t r = 0; r < 3; r++) {
    char grid[64];
    snprintf(grid, sizeof grid, "%dx%dx%d", grids[r].edge, grids[r].edge, grids[r].edge);
    assert_string_equal(text_at(t, first + r, "axis"), "plane");
    assert_string_equal(text_at(t, first + r, "scope"), "warm");
    assert_string_equal(text_at(t, first + r, "fixed"), grid);
    assert_string_equal(text_at(t, first + r, "shape"), "N^3");
    assert_string_equal(text_at(t, first + r, "method_a"), "cpu_sequential");
    assert_string_equal(text_at(t, first + r, "method_b"), "gpu");
    assert_string_equal(text_at(t, first + r, "status"), status[r]);
    double estimate = number_at(t, first + r, "estimate");
    if (r < 2) assert_true(fabs(estimate * pow(grids[r].edge, 3) / 5e7 - 1) < 1e-3);
    if (r == 2) assert_true(isnan(estimate));
  }
  dcs_table_free(t);
}

static void each_size_has_its_winner(void **state) {
  (void)state;
  begin_run();
  put_atoms();
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "winners.csv");
  assert_int_equal(dcs_table_rows(t), 7 * 5);
  for (size_t r = 0; r < 5; r++) { /* one thread against the GPU, kernel: 500 is between */
    size_t row = 5 + r;
    double atoms = 100 << r;
    assert_string_equal(text_at(t, row, "scope"), "kernel");
    assert_true(number_at(t, row, "atoms") == atoms && number_at(t, row, "points") == 512);
    assert_string_equal(text_at(t, row, "shape_slices"), "NxNx8");
    assert_string_equal(text_at(t, row, "shape_multiples"), "N^3");
    assert_string_equal(text_at(t, row, "variant_a"), "cpu_gather");
    assert_string_equal(text_at(t, row, "variant_b"), r < 2 ? "g1" : "g2");
    assert_true(fabs(number_at(t, row, "median_b_ns") / 5e5 - 1) < 1e-6);
    assert_true(fabs(number_at(t, row, "ratio") / (500 / atoms) - 1) < 0.002);
    assert_true(number_at(t, row, "ratio_lo") < number_at(t, row, "ratio"));
    assert_string_equal(text_at(t, row, "winner"), r < 3 ? "a" : "b");
  }
  dcs_table_free(t);
  rounds = 5;
  begin_run();
  put_atoms();
  end_run();
  rounds = 9;
  assert_status(crossover(""), 0);
  t = run_table("run", "winners.csv");
  for (size_t r = 0; r < dcs_table_rows(t); r++)
    assert_string_equal(text_at(t, r, "winner"), "unsure");
  dcs_table_free(t);
}

static void the_csv_is_printed_as_it_is_written(void **state) {
  (void)state;
  static const char *const columns = "axis,scope,problem,method_a,problem_config_a,method_b,"
                                     "problem_config_b,fixed,shape,sizes,estimate,lo,hi,status,"
                                     "regret_mean,regret_worst,model_error,gaps,gpu_reference\n";
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

/* 1 ms an atom against 250: held out, 300 atoms find the crossover point beyond themselves. */
static void a_loss_at_a_size_held_out_is_a_status(void **state) {
  (void)state;
  static const struct {
    int atoms;
    double ms;
  } sizes[] = {{100, 0.1}, {200, 0.2}, {300, 1.5}, {2000, 1.55}};
  begin_run();
  for (int i = 0; i < 4; i++) {
    put_method("cpu_gather", 1, "kernel", sizes[i].atoms, 8, sizes[i].ms, "ok");
    put_method("g", 0, "kernel", sizes[i].atoms, 8, 1, "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_string_equal(text_at(t, 0, "status"), "lossy");
  assert_true(fabs(number_at(t, 0, "regret_worst") - 0.5) < 1e-3); /* 1.5 ms in place of 1 */
  assert_true(number_at(t, 0, "estimate") > 200 && number_at(t, 0, "estimate") < 300);
  dcs_table_free(t);
}

/* The crossover point lies at 500, between 400 atoms, where the GPU has few samples, and 600, where
 * it has none. */
static void what_is_missing_beside_it_is_said(void **state) {
  (void)state;
  begin_run();
  for (int atoms = 100; atoms <= 1600; atoms *= 2) {
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
    rounds = atoms == 400 ? 3 : 9;
    put_method("g", 0, "kernel", atoms, 8, 0.5, "ok");
    rounds = 9;
  }
  put_method("cpu_gather", 1, "kernel", 600, 8, 0.6, "ok");
  end_run();
  assert_status(crossover(""), 0);
  assert_contains(program_out, "; next to it: gpu 3 samples at 400; gpu missing at 600\n");
  assert_contains(program_out,
                  "sizes that it was not drawn from; next to it: gpu 3 samples at 400; "
                  "gpu missing at 600.\n"); /* the sentence */
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_true(fabs(number_at(t, 0, "estimate") / 500 - 1) < 1e-3);
  assert_string_equal(text_at(t, 0, "gaps"), "gpu 3 samples at 400; gpu missing at 600");
  dcs_table_free(t);
}

static void no_crossing_is_a_status(void **state) {
  (void)state;
  begin_run();
  for (int atoms = 100; atoms <= 800; atoms *= 2) {
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1, "ok");
    put_method("g", 0, "kernel", atoms, 8, 2, "ok");
  }
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "thresholds.csv");
  assert_string_equal(text_at(t, 0, "status"), "always_a");
  assert_string_equal(text_at(t, 0, "method_a"), "cpu_sequential");
  assert_string_equal(text_at(t, 0, "estimate"), "");
  assert_true(number_at(t, 0, "regret_worst") == 0);
  dcs_table_free(t);
}

static void too_few_samples_decide_nothing(void **state) {
  (void)state;
  rounds = 5;
  begin_run();
  put_atoms();
  end_run();
  rounds = 9;
  assert_status(crossover(""), 0);
  assert_contains(program_out,
                  "5 of 5 sizes have methods with fewer than 6 samples, and nothing is "
                  "sure there: measure with --rounds 6 or more, with budget enough for them\n");
  dcs_table *t = run_table("run", "thresholds.csv");
  for (size_t r = 0; r < dcs_table_rows(t); r++)
    assert_string_equal(text_at(t, r, "status"), r == 2 || r == 3 ? "lossy" : "ambiguous");
  rounds = 6;
  begin_run();
  put_atoms();
  end_run();
  rounds = 9;
  assert_status(crossover(""), 0);
  assert_null(strstr(program_out, "fewer than"));
  dcs_table_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_crossings_are_found),
      cmocka_unit_test(a_gpu_that_is_none_is_said),
      cmocka_unit_test(what_cannot_be_written_is_told_all_the_same),
      cmocka_unit_test(the_sequential_method_is_the_lowest_rung),
      cmocka_unit_test(the_sequential_method_is_the_textbooks_loop),
      cmocka_unit_test(problems_are_held_against_each_other),
      cmocka_unit_test(tolerances_and_cells_are_not),
      cmocka_unit_test(kinds_without_a_grid_are_apart),
      cmocka_unit_test(grids_at_fixed_atoms),
      cmocka_unit_test(shapes_do_not_mix),
      cmocka_unit_test(the_plane_has_a_frontier),
      cmocka_unit_test(each_size_has_its_winner),
      cmocka_unit_test(the_csv_is_printed_as_it_is_written),
      cmocka_unit_test(a_loss_at_a_size_held_out_is_a_status),
      cmocka_unit_test(what_is_missing_beside_it_is_said),
      cmocka_unit_test(no_crossing_is_a_status),
      cmocka_unit_test(too_few_samples_decide_nothing),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
