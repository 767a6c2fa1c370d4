/* The configurations that a tuning chooses from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spaces_hold_what_is_legal_and_say_why_not),
      cmocka_unit_test(chosen_values_replace_the_descriptors),
      cmocka_unit_test(threads_stop_at_the_cpus),
      cmocka_unit_test(neighbours_differ_in_one_parameter),
      cmocka_unit_test(diagonals_are_a_step_off_in_two_parameters),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
