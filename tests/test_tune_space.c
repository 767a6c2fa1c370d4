/* The configurations that a tuning chooses from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/coulomb/mesh.h"
#include "tests/solved_problem.h"
#include "tests/written_journal.h"

static void spaces_hold_what_is_legal_and_say_why_not(void **state) {
  (void)state;
  dcs_problem problem = {.n_inputs = 2000, .n = {64, 64, 64}, .spacing = 1};
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++) {
    dcs_space space;
    problem.config = solved_problem(dcs_variants[v]);
    assert_int_equal(dcs_space_build(dcs_variants[v], NULL, &problem, 2, &space), DCS_OK);
    int refused = 0;
    for (int r = 0; r < space.n_reasons; r++)
      refused += space.reasons[r].n;
    assert_int_equal(space.n + refused, space.n_all);
    for (int c = 0; c < space.n; c++) {
      assert_true(dcs_applicable(dcs_variants[v], &problem, &space.configs[c], why));
      assert_int_equal(dcs_space_find(&space, &space.configs[c]), c);
    }
    dcs_config initial = dcs_initial_config(dcs_variants[v], 2);
    assert_true(dcs_space_find(&space, &initial) >= 0);
    assert_int_equal(dcs_space_nearest(&space, &initial), dcs_space_find(&space, &initial));
    dcs_space_free(&space);
  }
}

static void chosen_values_replace_the_descriptors(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 2000, .n = {64, 64, 64}, .spacing = 1};
  const dcs_variant *padded = dcs_find_variant("cuda_padded");
  dcs_space space;
  assert_int_equal(
      dcs_space_build(padded, "block_x=512,block_y=1|2|4,coarsen=3,read=end", &problem, 2, &space),
      DCS_OK);
  assert_int_equal(space.n_all, 3 * 2);
  assert_int_equal(space.n, 2 * 2);
  assert_int_equal(space.n_reasons, 1);
  assert_int_equal(space.reasons[0].n, 2);
  assert_non_null(strstr(space.reasons[0].why, "2048 threads"));
  dcs_space_free(&space);
  assert_int_equal(dcs_space_build(padded, "block_x=1024,block_y=2", &problem, 2, &space),
                   DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "2048 threads"));
  dcs_space_free(&space);
  assert_int_equal(dcs_space_build(padded, "blok_x=1", &problem, 2, &space), DCS_USAGE);
  dcs_space_free(&space);
}

static void threads_stop_at_the_cpus(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 10, .n = {8, 8, 8}, .spacing = 1};
  const dcs_variant *gather = dcs_find_variant("cpu_gather");
  dcs_space space;
  if (gather->params[0].hi == 1) skip(); /* built without OpenMP */
  assert_int_equal(dcs_space_build(gather, NULL, &problem, 6, &space), DCS_OK);
  assert_int_equal(space.n, 4);
  const int expected[] = {1, 2, 4, 6};
  for (int c = 0; c < 4; c++)
    assert_true(space.configs[c].value[0] == expected[c]);
  dcs_space_free(&space);
}

static void neighbours_differ_in_one_parameter(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 2000, .n = {64, 64, 64}, .spacing = 1};
  dcs_space space;
  int list[64];
  assert_int_equal(dcs_space_build(dcs_find_variant("cuda_padded"), NULL, &problem, 2, &space),
                   DCS_OK);
  assert_true(dcs_space_degree(&space) <= 64);
  for (int c = 0; c < space.n; c++) {
    int n = dcs_space_neighbours(&space, c, list), expected = 0;
    for (int o = 0; o < space.n; o++) {
      int differ = 0;
      for (int p = 0; p < space.variant->n_params; p++)
        differ += space.configs[o].value[p] != space.configs[c].value[p];
      expected += differ == 1;
    }
    assert_int_equal(n, expected);
    for (int i = 0; i < n; i++) {
      assert_true(list[i] != c);
      for (int j = 0; j < i; j++)
        assert_true(list[i] != list[j]);
    }
  }
  dcs_space_free(&space);
}

static void diagonals_are_a_step_off_in_two_parameters(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 2000, .n = {64, 64, 64}, .spacing = 1};
  dcs_space space;
  int list[DCS_MAX_DIAGONALS];
  assert_int_equal(dcs_space_build(dcs_find_variant("cuda_padded"), NULL, &problem, 2, &space),
                   DCS_OK);
  for (int c = 0; c < space.n; c++) {
    const int *at = space.position[c];
    int n = dcs_space_diagonals(&space, c, list), expected = 0;
    for (int o = 0; o < space.n; o++) {
      const int *other = space.position[o];
      int differ = 0, far = 0;
      for (int p = 0; p < space.variant->n_params; p++) {
        differ += at[p] != other[p];
        far += abs(at[p] - other[p]) > 1;
      }
      expected += differ == 2 && far == 0;
    }
    assert_int_equal(n, expected);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        assert_true(list[i] != list[j]);
  }
  dcs_space_free(&space);
}

/* ---- to a tolerance ---- */

static double value(const dcs_space *space, int c, const char *name) {
  return space->configs[c].value[dcs_find_param(space->variant, name)];
}

/* The spacing of the finest mesh by which a configuration keeps the tolerance. */
static double mesh_spacing(const dcs_problem *problem, const dcs_space *space, int c) {
  const double cutoff = 0.1 * value(space, c, "short_range");
  dcs_mesh_way way;
  char why[DCS_TEXT];
  if (!dcs_mesh_find_way(problem, (int)value(space, c, "order"), cutoff, 1, &way, why))
    fail_msg("%s", why);
  assert_true(way.mesh.level[0].split.a == cutoff);
  return way.mesh.level[0].h;
}

/* A step of order or short_range takes the mesh's spacing along, so that the error stays: a longer
 * short range part has a coarser mesh, and so have more nodes of a window. */
static void a_mesh_moves_along_the_line_of_equal_error(void **state) {
  (void)state;
  const dcs_variant *mesh = dcs_find_variant("cpu_mesh");
  dcs_problem problem = {.n_inputs = 3000, .n = {64, 64, 64}, .spacing = 0.5f};
  char why[DCS_TEXT];
  dcs_space space;
  enum { CONFIGS = 4 * 6 };
  double h[CONFIGS];
  int longer = 0, wider = 0;
  if (!dcs_variant_available(mesh, why)) skip();
  problem.config.value[DCS_COULOMB_TOLERANCE] = 1e-4;
  assert_int_equal(
      dcs_space_build(mesh, "threads=1,isa=portable,order=4|6|8|10", &problem, 1, &space), DCS_OK);
  assert_int_equal(space.n, CONFIGS);
  for (int c = 0; c < CONFIGS; c++)
    h[c] = mesh_spacing(&problem, &space, c);
  for (int c = 0; c < CONFIGS; c++) {
    int near[CONFIGS];
    assert_true(dcs_space_degree(&space) <= CONFIGS);
    for (int i = dcs_space_neighbours(&space, c, near) - 1; i >= 0; i--) {
      if (value(&space, near[i], "short_range") > value(&space, c, "short_range"))
        assert_true(h[near[i]] > h[c]), longer++;
      if (value(&space, near[i], "order") > value(&space, c, "order"))
        assert_true(h[near[i]] >= h[c]), wider += h[near[i]] > h[c];
    }
  }
  assert_true(longer == 60 && wider >= 18);
  dcs_space_free(&space);
}

static void lattices_that_miss_the_tolerance_are_not_tried(void **state) {
  (void)state;
  dcs_problem problem = {.n_inputs = 3000, .n = {40, 40, 40}, .spacing = 0.8f};
  dcs_space space;
  problem.config.value[DCS_COULOMB_TOLERANCE] = 3e-5;
  if (dcs_space_build(dcs_find_variant("cpu_multilevel"), "threads=1,isa=portable", &problem, 1,
                      &space) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  bool said = false;
  for (int r = 0; r < space.n_reasons; r++)
    said = said || strstr(space.reasons[r].why, "no lattice keeps a tolerance of 3e-05");
  assert_true(said && space.n < space.n_all);
  dcs_space_free(&space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spaces_hold_what_is_legal_and_say_why_not),
      cmocka_unit_test(chosen_values_replace_the_descriptors),
      cmocka_unit_test(threads_stop_at_the_cpus),
      cmocka_unit_test(neighbours_differ_in_one_parameter),
      cmocka_unit_test(diagonals_are_a_step_off_in_two_parameters),
      cmocka_unit_test(a_mesh_moves_along_the_line_of_equal_error),
      cmocka_unit_test(lattices_that_miss_the_tolerance_are_not_tried),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
