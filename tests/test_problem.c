/* Problem kinds: the list, and problems written and read as problem_config. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/coulomb_problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const dcs_kind *kind;

static int find_coulomb(void **state) {
  (void)state;
  kind = dcs_find_kind("coulomb");
  return kind ? 0 : -1;
}

/* ---- the list ---- */

static void kinds_are_complete(void **state) {
  (void)state;
  assert_true(dcs_n_kinds >= 1);
  for (int k = 0; k < dcs_n_kinds; k++) {
    const dcs_kind *own = dcs_kinds[k];
    int axes = 0;
    assert_ptr_equal(dcs_find_kind(own->id), own); /* no id twice */
    assert_true(own->what && own->unit && own->eval && own->buffers[0].bytes > 0);
    assert_in_range(own->n_params, 0, DCS_MAX_PARAMS);
    assert_in_range(own->n_axes, 1, DCS_MAX_AXES);
    assert_in_range(own->n_dimensions, 1, DCS_MAX_DIMENSIONS);
    for (int d = 0; d < own->n_dimensions; d++) {
      assert_int_equal(own->dimensions[d].first, axes);
      axes += own->dimensions[d].n;
    }
    assert_int_equal(axes, own->n_axes);
    assert_true(own->work && own->reach);
    assert_true(own->buffers[0].fill
                    ? (own->buffers[0].count || own->buffers[0].inputs) && !own->single && !own->add
                    : own->input && (own->single || own->field));
    assert_true(dcs_has_grid(own) || dcs_map_of(own) < 0);
    assert_int_equal(dcs_has_grid(own) && own->single != NULL, own->add != NULL);
    assert_non_null(own->verified[0]);
  }
  assert_null(dcs_find_kind("coulom"));
  assert_null(dcs_find_kind(""));
}

/* Each of the problems that verify tries is its own key. */
static void verified_problems_are_keys(void **state) {
  (void)state;
  for (int k = 0; k < dcs_n_kinds; k++)
    for (const char *const *text = dcs_kinds[k]->verified; *text; text++) {
      dcs_config problem;
      char again[DCS_TEXT];
      assert_int_equal(dcs_parse_problem(dcs_kinds[k], *text, &problem), DCS_OK);
      assert_string_equal(dcs_format_problem(dcs_kinds[k], &problem, again), *text);
    }
}

/* ---- texts ---- */

static void problems_are_written(void **state) {
  (void)state;
  static const struct {
    double cutoff;
    int switching;
    const char *text;
  } cases[] = {{0, DCS_SWITCHING_NONE, ""},
               {12, DCS_SWITCHING_NONE, "cutoff=12"},
               {12, DCS_SWITCHING_C2, "cutoff=12,switching=c2"},
               {0.1, DCS_SWITCHING_NONE, "cutoff=0.1"},
               {1.0 / 3, DCS_SWITCHING_C2, "cutoff=0.3333333333333333,switching=c2"},
               {1e6, DCS_SWITCHING_NONE, "cutoff=1e+06"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_config problem = within(cases[i].cutoff, cases[i].switching);
    dcs_config again;
    char text[DCS_TEXT];
    assert_string_equal(dcs_format_problem(kind, &problem, text), cases[i].text);
    assert_int_equal(dcs_parse_problem(kind, text, &again), DCS_OK);
    assert_memory_equal(&again, &problem, sizeof problem);
  }
}

/* Expects the problems of a text, in order. */
static void expect_problems(const char *text, const dcs_config *expected, int n_expected) {
  dcs_config *list;
  int n;
  if (dcs_parse_problems(kind, text, &list, &n) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(n, n_expected);
  for (int i = 0; i < n; i++) {
    char found[DCS_TEXT];
    if (memcmp(&list[i], &expected[i], sizeof *list) != 0)
      fail_msg("%s: problem %d is \"%s\"", text, i, dcs_format_problem(kind, &list[i], found));
  }
  free(list);
}

#define EXPECT_PROBLEMS(text, ...)                                                                 \
  expect_problems(text, (const dcs_config[]){__VA_ARGS__},                                         \
                  (int)(sizeof(const dcs_config[]){__VA_ARGS__} / sizeof(dcs_config)))

static void all_combinations_are_meant(void **state) {
  (void)state;
  enum { NONE = DCS_SWITCHING_NONE, C2 = DCS_SWITCHING_C2 };
  EXPECT_PROBLEMS(NULL, within(0, NONE));
  EXPECT_PROBLEMS("", within(0, NONE));
  EXPECT_PROBLEMS("cutoff=8", within(8, NONE));
  EXPECT_PROBLEMS("cutoff=8|12,switching=none|c2", within(8, NONE), within(8, C2), within(12, NONE),
                  within(12, C2));
  EXPECT_PROBLEMS("switching=all,cutoff=2.5", within(2.5, NONE), within(2.5, C2));
  EXPECT_PROBLEMS("cutoff=12|8|12", within(12, NONE), within(8, NONE));
}

/* A switching function without a cutoff changes nothing: that is the direct sum, once. */
static void what_changes_nothing_has_one_key(void **state) {
  (void)state;
  static const char *const direct[] = {
      "cutoff=0",  "switching=c2",   "cutoff=0,switching=c2",
      "cutoff=-0", "switching=none", "cutoff=-0.0,switching=none|c2"};
  enum { NONE = DCS_SWITCHING_NONE, C2 = DCS_SWITCHING_C2 };
  for (size_t i = 0; i < sizeof direct / sizeof direct[0]; i++) {
    dcs_config problem;
    EXPECT_PROBLEMS(direct[i], within(0, NONE));
    assert_int_equal(dcs_parse_problem(kind, direct[i], &problem), DCS_OK);
    assert_false(signbit(problem.value[DCS_COULOMB_CUTOFF]));
  }
  EXPECT_PROBLEMS("cutoff=0|5,switching=none|c2", within(0, NONE), within(5, NONE), within(5, C2));
  EXPECT_PROBLEMS("cutoff=1e-6", within(1e-6, NONE)); /* the least that is one */
  EXPECT_PROBLEMS("tolerance=-0", within(0, NONE));
  EXPECT_PROBLEMS("tolerance=0|0.01|0.5,switching=c2", within(0, NONE), to_tolerance(0.01),
                  to_tolerance(0.5));
  EXPECT_PROBLEMS("boundary=open,cell_x=-0", within(0, NONE));
}

/* A tolerance is of the direct sum: that is what people want, and what the direct sum is not. */
static void a_tolerance_is_told_from_the_direct_sum(void **state) {
  (void)state;
  const dcs_config to = to_tolerance(1e-4), direct = to_tolerance(0), cut = within(8, 0);
  dcs_config exact;
  char text[DCS_TEXT], why[DCS_TEXT];
  assert_string_equal(dcs_format_problem(kind, &to, text), "tolerance=0.0001");
  assert_true(kind->approximates(&to, &exact) && dcs_same_problem(kind, &exact, &direct));
  assert_false(kind->approximates(&direct, &exact));
  assert_true(kind->tolerance(&to) == 1e-4 && kind->tolerance(&cut) == 0);
  assert_true(dcs_solves_tolerance(&to, why) && dcs_solves_open(&to, why));
  assert_false(dcs_solves_tolerance(&direct, why) || dcs_solves_tolerance(&cut, why));
  assert_non_null(strstr(why, "--tolerance"));
  assert_false(dcs_solves(dcs_find_variant("cpu_cutoff"), &to, why));
}

/* Edges that are not given are what the grid spans. */
static void a_cell_has_three_edges(void **state) {
  (void)state;
  dcs_problem problem = {.n = {4, 5, 6}, .spacing = 0.5f};
  double cell[3];
  problem.config.value[DCS_COULOMB_CELL_Y] = 2.25;
  dcs_cell_edges(&problem, cell);
  assert_true(cell[0] == 2 && cell[1] == 2.25 && cell[2] == 3);
  assert_false(dcs_periodic(&problem));
  problem.config.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  assert_true(dcs_periodic(&problem));
}

/* Not rounded to single precision, in which kernels have the spacing: of a case, as sweeps make it,
 * of a size alone and of what a map is asked for. */
static void a_grid_spans_what_its_spacing_says(void **state) {
  (void)state;
  dcs_config problem = to_tolerance(1e-3);
  problem.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  dcs_grid grid = {.n = {7, 8, 9}, .spacing = 0.1};
  const dcs_molecule molecule = {0};
  double edges[3];
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, &problem, 5, &grid, 1, &c), DCS_OK);
  dcs_cell_edges(&c.problem, edges);
  assert_true(edges[0] == 7 * 0.1 && edges[1] == 8 * 0.1 && edges[2] == 9 * 0.1);
  const dcs_size size = dcs_case_size(&c);
  const dcs_problem shape = dcs_size_problem(&size, 0.1);
  dcs_cell_edges(&shape, edges);
  assert_true(edges[0] == 7 * 0.1 && edges[2] == 9 * 0.1);
  dcs_case_free(&c);
  assert_int_equal(dcs_case_settle(kind, &molecule, "a.pqr", &problem, &grid), DCS_OK);
  assert_true(grid.cell[0] == 7 * 0.1 && grid.cell[1] == 8 * 0.1 && grid.cell[2] == 9 * 0.1);
}

static void bad_problems_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"cutof=5", "coulomb has no parameter \"cutof\"; did you mean cutoff?"},
      {"smooth=c2", "coulomb has no parameter \"smooth\""},
      {"cutoff=5,error=1", "coulomb has no parameter \"error\""},
      {"tolerance=0.6", "tolerance: found \"0.6\"; expected 0 to 0.5"},
      {"tolerance=-1e-3", "tolerance: found \"-1e-3\"; expected 0 to 0.5"},
      {"tolerance=1e-13", "tolerance: found 1e-13; expected 0 (the direct sum), or 1e-12"},
      {"tolerance=nan", "tolerance: found \"nan\""},
      {"cutoff=5,tolerance=0.01",
       "tolerance: found 0.01 with a cutoff of 5 angstrom; expected one"},
      {"boundary=periodic", "boundary: found periodic without a tolerance; expected --tolerance"},
      {"cell_x=7", "cell_x: found 7 with an open boundary; expected --boundary periodic"},
      {"tolerance=0.01,boundary=open,cell_z=7", "cell_z: found 7 with an open boundary"},
      {"boundary=periodic,cutoff=12", "boundary: found periodic without a tolerance"},
      {"boundary=periodic,tolerance=0.01,cell_y=0.01", "cell_y: found 0.01; expected 0"},
      {"boundary=closed", "boundary: found \"closed\"; expected open or periodic"},
      {"cutoff", "problem_config: found \"cutoff\"; expected NAME=VALUE"},
      {"cutoff=5,", "problem_config: found \"\"; expected NAME=VALUE"},
      {"=5", "has no parameter \"\""},
      {"cutoff=", "cutoff: found \"\"; expected 0 to 1e+06 angstrom"},
      {"cutoff=-1", "cutoff: found \"-1\"; expected 0 to 1e+06 angstrom"},
      {"cutoff=1e-7", "cutoff: found 1e-07; expected 0 (the direct sum), or 1e-06 angstrom"},
      {"cutoff=0|1e-30", "cutoff: found 1e-30; expected 0 (the direct sum)"},
      {"cutoff=-1e-30", "cutoff: found \"-1e-30\""},
      {"cutoff=1000001", "cutoff: found \"1000001\"; expected 0 to 1e+06 angstrom"},
      {"cutoff=nan", "cutoff: found \"nan\""},
      {"cutoff=inf", "cutoff: found \"inf\""},
      {"cutoff=12A", "cutoff: found \"12A\""},
      {"cutoff=1|", "cutoff: found \"\""},
      {"cutoff=all", "cutoff: found \"all\""},
      {"cutoff=max", "cutoff: found \"max\""},
      {"cutoff=5,switching=c3", "switching: found \"c3\"; expected none or c2"},
      {"cutoff=5,switching=1", "switching: found \"1\"; expected none or c2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_config *list = (dcs_config *)&i, problem;
    int n = 3;
    if (dcs_parse_problems(kind, cases[i].text, &list, &n) != DCS_USAGE)
      fail_msg("\"%s\" was not refused", cases[i].text);
    if (!strstr(dcs_error_message(), cases[i].message))
      fail_msg("\"%s\" lacks \"%s\"", dcs_error_message(), cases[i].message);
    assert_null(list);
    assert_int_equal(n, 0);
    assert_int_equal(dcs_parse_problem(kind, cases[i].text, &problem), DCS_USAGE);
  }
  dcs_config problem;
  assert_int_equal(dcs_parse_problem(kind, "cutoff=5|6", &problem), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "found 2 problems in \"cutoff=5|6\"; expected one"));
}

/* ---- what is known of a problem ---- */

static void the_direct_sum_is_approximated(void **state) {
  (void)state;
  const dcs_config direct = dcs_initial_problem(kind), cut = within(12, DCS_SWITCHING_C2);
  dcs_config exact = within(1, DCS_SWITCHING_C2);
  assert_true(kind->approximates(&cut, &exact));
  assert_true(dcs_same_problem(kind, &exact, &direct));
  assert_false(dcs_same_problem(kind, &exact, &cut));
  assert_false(kind->approximates(&direct, &exact));
}

static void variants_say_what_they_need(void **state) {
  (void)state;
  const dcs_config direct = dcs_initial_problem(kind), cut = within(12, DCS_SWITCHING_C2);
  const dcs_variant *gather = dcs_find_variant("cpu_gather");
  const dcs_variant *cutoff = dcs_find_variant("cpu_cutoff");
  char why[DCS_TEXT] = "";
  assert_true(dcs_solves(gather, &direct, why) && dcs_solves(cutoff, &cut, why));
  assert_false(dcs_solves(cutoff, &direct, why));
  assert_non_null(strstr(why, "--cutoff"));
  why[0] = '\0';
  assert_false(dcs_solves(gather, &cut, why));
  assert_non_null(strstr(why, "direct sum"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_complete),
      cmocka_unit_test(verified_problems_are_keys),
      cmocka_unit_test(problems_are_written),
      cmocka_unit_test(all_combinations_are_meant),
      cmocka_unit_test(what_changes_nothing_has_one_key),
      cmocka_unit_test(a_tolerance_is_told_from_the_direct_sum),
      cmocka_unit_test(a_cell_has_three_edges),
      cmocka_unit_test(a_grid_spans_what_its_spacing_says),
      cmocka_unit_test(bad_problems_are_refused),
      cmocka_unit_test(the_direct_sum_is_approximated),
      cmocka_unit_test(variants_say_what_they_need),
  };
  return cmocka_run_group_tests_name("problem", tests, find_coulomb, NULL);
}
