/* `dcsbench crossover` on runs of several algorithms: which is faster from which size on, on
 * systems of one density too, for each tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/crossover_run.h"

/* Five systems of 0.1 atoms a point: direct sums take 1 us an atom on the GPU and 10 us with all
 * threads, a mesh as long whatever the size. */
static void put_systems(const char *tolerance, double mesh_ms) {
  problem = tolerance;
  for (int edge = 10; edge <= 50; edge += 10) {
    const int atoms = edge * edge * edge / 10;
    put_method("cuda_split", 0, "kernel", atoms, edge, 1e-3 * atoms, "ok");
    put_method("cuda_mesh", 0, "kernel", atoms, edge, mesh_ms, "ok");
    put_method("cpu_avx512", 4, "kernel", atoms, edge, 1e-2 * atoms, "ok");
    put_method("cpu_mesh", 4, "kernel", atoms, edge, 20 * mesh_ms, "ok");
  }
  problem = "";
}

static void put_run(void) {
  begin_run();
  put_systems("tolerance=0.01", 1);
  put_systems("tolerance=0.0001", 3);
  end_run();
  assert_status(crossover(""), 0);
}

/* The row of thresholds.csv of two methods to a tolerance. */
static size_t find_row(dcs_table *t, const char *axis, const char *a, const char *b,
                       const char *config) {
  for (size_t r = 0; r < dcs_table_rows(t); r++)
    if (strcmp(text_at(t, r, "axis"), axis) == 0 && strcmp(text_at(t, r, "method_a"), a) == 0 &&
        strcmp(text_at(t, r, "method_b"), b) == 0 &&
        strcmp(text_at(t, r, "problem_config_a"), config) == 0 &&
        strcmp(text_at(t, r, "problem_config_b"), config) == 0)
      return r;
  fail_msg("no row of %s, %s to %s, %s", axis, a, b, config);
  return 0;
}

static void algorithms_are_held_against_each_other(void **state) {
  (void)state;
  static const struct {
    const char *a, *b, *config;
    double estimate;
  } rows[] = {{"gpu_direct", "gpu_mesh", "tolerance=0.01", 1000},
              {"gpu_direct", "gpu_mesh", "tolerance=0.0001", 3000},
              {"cpu_parallel_direct", "cpu_parallel_mesh", "tolerance=0.01", 2000},
              {"cpu_parallel_direct", "cpu_parallel_mesh", "tolerance=0.0001", 6000}};
  put_run();
  dcs_table *t = run_table("run", "thresholds.csv");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const size_t r = find_row(t, "system", rows[i].a, rows[i].b, rows[i].config);
    assert_string_equal(text_at(t, r, "fixed"), "0.1 atoms/point");
    assert_string_equal(text_at(t, r, "shape"), "N^3");
    assert_string_equal(text_at(t, r, "status"), "ok");
    assert_float_equal(number_at(t, r, "estimate") / rows[i].estimate, 1, 0.01);
    assert_true(number_at(t, r, "lo") <= rows[i].estimate * 1.01);
    assert_true(number_at(t, r, "hi") >= rows[i].estimate * 0.99);
  }
  dcs_table_free(t);
  assert_contains(program_out, "atoms at 0.1 atoms/point, N^3 (kernel): use gpu_mesh "
                               "tolerance=0.01 from 1000 on (95%: ");
}

/* The fastest of all algorithms is still held against that of another backend. */
static void backends_are_held_against_each_other_too(void **state) {
  (void)state;
  put_run();
  dcs_table *t = run_table("run", "thresholds.csv");
  const size_t r = find_row(t, "system", "cpu_parallel", "gpu", "tolerance=0.01");
  assert_string_equal(text_at(t, r, "status"), "always_b");
  dcs_table_free(t);
}

static void one_algorithm_is_held_against_none(void **state) {
  (void)state;
  begin_run();
  put_atoms();
  end_run();
  assert_status(crossover("--csv"), 0);
  assert_null(strstr(program_out, "direct"));
  assert_null(strstr(program_out, "system"));
}

/* Grids of another density, or shape, are of no system. */
static void other_sizes_are_left_out(void **state) {
  (void)state;
  static const int flat[] = {40, 40, 5};
  begin_run();
  put_systems("tolerance=0.01", 1);
  problem = "tolerance=0.01";
  put_method("cuda_split", 0, "kernel", 4000, 30, 1e-6, "ok");
  put_method("cuda_mesh", 0, "kernel", 4000, 30, 1, "ok");
  put_on_grid("cuda_split", 0, "kernel", 800, flat, 1e3, "ok");
  put_on_grid("cuda_mesh", 0, "kernel", 800, flat, 1, "ok");
  problem = "";
  end_run();
  assert_status(crossover(""), 0);
  dcs_table *t = run_table("run", "thresholds.csv");
  const size_t r = find_row(t, "system", "gpu_direct", "gpu_mesh", "tolerance=0.01");
  assert_float_equal(number_at(t, r, "sizes"), 5, 0);
  assert_float_equal(number_at(t, r, "estimate") / 1000, 1, 0.01);
  dcs_table_free(t);
}

static void assert_data(const char *figure, const char *expected) {
  char name[64];
  snprintf(name, sizeof name, "plots/%s.dat", figure);
  char *data = run_file("run", name, NULL);
  assert_contains(data, expected);
  free(data);
}

static void crossover_points_are_drawn_over_tolerances(void **state) {
  (void)state;
  put_run();
  assert_status(program_run("plot %s --figure tolerance_crossover", in_folder("run")), 0);
  assert_status(program_run("plot %s --figure crossover_system", in_folder("run")), 0);
  assert_data("tolerance_crossover", "\n\n\"gpu_mesh over gpu_direct, 0.1 atoms/point\"\n0.0001\t");
  assert_data("tolerance_crossover", "\n0.01\t1000\t");
  assert_data("crossover_system", "\n\n\"tolerance=0.01, 0.1 atoms/point, kernel\"\n\"1k (");
  assert_data("crossover_system", "\n\n\"gpu_mesh\"\n100\t1\t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algorithms_are_held_against_each_other),
      cmocka_unit_test(backends_are_held_against_each_other_too),
      cmocka_unit_test(one_algorithm_is_held_against_none),
      cmocka_unit_test(other_sizes_are_left_out),
      cmocka_unit_test(crossover_points_are_drawn_over_tolerances),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
