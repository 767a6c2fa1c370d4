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

/* ---- the tour ---- */

#define SHIPPED "results/reference/nvidia-h200/tolerance/thresholds.csv"

/* The threshold of two methods to a tolerance, either way around, on systems of one density. */
static size_t find_pair(const dcs_table *t, const char *a, const char *b, const char *config) {
  for (size_t r = 0; r < dcs_table_rows(t); r++) {
    const char *first = text_at(t, r, "method_a"), *second = text_at(t, r, "method_b");
    if (strcmp(text_at(t, r, "axis"), "system") == 0 &&
        strcmp(text_at(t, r, "problem_config_a"), config) == 0 &&
        strcmp(text_at(t, r, "problem_config_b"), config) == 0 &&
        ((strcmp(first, a) == 0 && strcmp(second, b) == 0) ||
         (strcmp(first, b) == 0 && strcmp(second, a) == 0)))
      return r;
  }
  return dcs_table_rows(t);
}

/* "1,680 (1,670 to 1,720)" in a cell of the table: within its three digits of what was found. */
static void check_cell(dcs_table *t, size_t row, const char *cell) {
  static const char *const columns[] = {"estimate", "lo", "hi"};
  char digits[64];
  double values[3];
  size_t n = 0;
  for (const char *at = cell; *at && n < sizeof digits - 1; at++)
    if (*at != ',') digits[n++] = *at;
  digits[n] = '\0';
  const char *from = strpbrk(digits, "0123456789");
  if (!from) {
    assert_true(row == dcs_table_rows(t) || isnan(number_at(t, row, "estimate")));
    return;
  }
  if (sscanf(from, "%lf (%lf to %lf)", &values[0], &values[1], &values[2]) != 3)
    fail_msg("found \"%s\"; expected such as \"1,680 (1,670 to 1,720)\"", cell);
  assert_true(row < dcs_table_rows(t));
  for (int c = 0; c < 3; c++)
    if (!(fabs(values[c] / number_at(t, row, columns[c]) - 1) < 0.006))
      fail_msg("found \"%s\" in the tour; %s has a %s of %g", cell, SHIPPED, columns[c],
               number_at(t, row, columns[c]));
}

static void the_tour_has_the_shipped_crossover_points(void **state) {
  (void)state;
  static const char *const devices[][2] = {{"GPU", "gpu"}, {"16 CPUs", "cpu_parallel"}};
  static const char *const pairs[][2] = {
      {"mesh", "direct"}, {"multilevel", "direct"}, {"mesh", "multilevel"}};
  static const char *const configs[] = {"tolerance=0.01", "tolerance=0.001", "tolerance=0.0001"};
  char *page = get_file("kernels/coulomb/README.md", NULL);
  dcs_table *t;
  assert_int_equal(dcs_table_read(SHIPPED, &t), DCS_OK);
  for (int d = 0; d < 2; d++)
    for (int p = 0; p < 3; p++) {
      char begin[64], a[64], b[64], cell[3][64] = {""};
      snprintf(begin, sizeof begin, "| %s: %s rather than %s |", devices[d][0], pairs[p][0],
               pairs[p][1]);
      snprintf(a, sizeof a, "%s_%s", devices[d][1], pairs[p][0]);
      snprintf(b, sizeof b, "%s_%s", devices[d][1], pairs[p][1]);
      const char *at = strstr(page, begin);
      if (!at) fail_msg("kernels/coulomb/README.md has no row \"%s\"", begin);
      sscanf(at + strlen(begin), "%63[^|]|%63[^|]|%63[^|]|", cell[0], cell[1], cell[2]);
      for (int c = 0; c < 3; c++)
        check_cell(t, find_pair(t, a, b, configs[c]), cell[c]);
    }
  dcs_table_free(t);
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algorithms_are_held_against_each_other),
      cmocka_unit_test(backends_are_held_against_each_other_too),
      cmocka_unit_test(one_algorithm_is_held_against_none),
      cmocka_unit_test(other_sizes_are_left_out),
      cmocka_unit_test(crossover_points_are_drawn_over_tolerances),
      cmocka_unit_test(the_tour_has_the_shipped_crossover_points),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
