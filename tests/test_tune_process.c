/* The surrogate's model: what it expects of configurations that were not tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "tuning/search/process.h"

enum { VALUES = 6, ALL = VALUES * VALUES * VALUES };

/* Three parameters without a launch to know, each best at a value of its own. */
typedef struct {
  dcs_space space;
  dcs_room room;
  dcs_features features;
  dcs_process process;
} fixture;

static const int best[] = {1, 4, 2};

static double time_of(const dcs_space *space, int config) {
  double time = 0;
  for (int p = 0; p < 3; p++)
    time += 0.2 * abs(space->position[config][p] - best[p]);
  return time;
}

static int begin(void **state) {
  static const dcs_param params[] = {
      {.name = "a", .meaning = "", .lo = 0, .hi = VALUES - 1, .real = true},
      {.name = "b", .meaning = "", .lo = 0, .hi = VALUES - 1, .real = true},
      {.name = "c", .meaning = "", .lo = 0, .hi = VALUES - 1, .real = true}};
  static const dcs_variant variant = {.id = "own", .params = params, .n_params = 3};
  static dcs_config configs[ALL];
  fixture *f = calloc(1, sizeof *f);
  for (int c = 0; c < ALL; c++)
    configs[c] = (dcs_config){
        {c / (VALUES * VALUES), (c / VALUES) % VALUES, c % VALUES}}; /* NOLINT: whole numbers */
  assert_int_equal(dcs_space_of_configs(&variant, configs, ALL, &f->space), DCS_OK);
  assert_int_equal(dcs_features_build(&f->space, NULL, &f->room, &f->features), DCS_OK);
  dcs_process_open(&f->features, &f->process);
  *state = f;
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  dcs_room_free(&f->room);
  dcs_space_free(&f->space);
  free(f);
  return 0;
}

/* The middle, 3 3 3, and each step from it in one parameter. Times are over the best of them. */
static void know_a_cross(fixture *f) {
  const int middle = dcs_space_middle(&f->space);
  int configs[1 + 3 * VALUES], n = 1;
  double times[1 + 3 * VALUES], least = INFINITY;
  configs[0] = middle;
  n += dcs_space_neighbours(&f->space, middle, configs + 1);
  for (int i = 0; i < n; i++)
    least = fmin(least, times[i] = time_of(&f->space, configs[i]));
  for (int i = 0; i < n; i++)
    times[i] -= least;
  dcs_process_know(&f->process, configs, times, n);
  dcs_process_learn(&f->process);
  dcs_process_solve(&f->process);
}

static int most_promising(const fixture *f) {
  int most = 0;
  for (int c = 1; c < ALL; c++)
    if (dcs_process_gain(&f->process, c, -1) > dcs_process_gain(&f->process, most, -1)) most = c;
  return most;
}

static void the_middle_of_the_space(void **state) {
  const fixture *f = *state;
  const int *at = f->space.position[dcs_space_middle(&f->space)];
  for (int p = 0; p < 3; p++)
    assert_int_equal(at[p], VALUES / 2);
}

/* What each parameter does alone is taken to hold where others differ: nothing that is known lies
 * in the corner of the three best values. */
static void parameters_add_up(void **state) {
  fixture *f = *state;
  know_a_cross(f);
  const int *at = f->space.position[most_promising(f)];
  for (int p = 0; p < 3; p++)
    assert_int_equal(at[p], best[p]);
}

/* A bound changes no gain that is above it, and ends those that are not. */
static void gains_below_a_bound_are_none(void **state) {
  fixture *f = *state;
  know_a_cross(f);
  const double bound = dcs_process_gain(&f->process, most_promising(f), -1) / 2;
  int above = 0;
  for (int c = 0; c < ALL; c++) {
    const double gain = dcs_process_gain(&f->process, c, -1);
    assert_true(gain >= 0);
    assert_true(dcs_process_gain(&f->process, c, bound) == (gain > bound ? gain : 0));
    above += gain > bound;
  }
  assert_in_range(above, 1, ALL - 1);
}

/* What is known leaves next to nothing to gain. */
static void what_is_known_promises_least(void **state) {
  fixture *f = *state;
  know_a_cross(f);
  const int middle = dcs_space_middle(&f->space);
  assert_true(dcs_process_gain(&f->process, middle, -1) <
              0.01 * dcs_process_gain(&f->process, most_promising(f), -1));
}

/* Two that take the same time do not tell that all do. */
static void two_that_are_alike_leave_much_open(void **state) {
  fixture *f = *state;
  const int configs[] = {dcs_space_middle(&f->space), dcs_space_middle(&f->space) + 1};
  const double times[] = {0, 1e-6};
  dcs_process_know(&f->process, configs, times, 2);
  dcs_process_learn(&f->process);
  dcs_process_solve(&f->process);
  assert_true(dcs_process_gain(&f->process, 0, -1) > 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_middle_of_the_space, begin, end),
      cmocka_unit_test_setup_teardown(parameters_add_up, begin, end),
      cmocka_unit_test_setup_teardown(gains_below_a_bound_are_none, begin, end),
      cmocka_unit_test_setup_teardown(what_is_known_promises_least, begin, end),
      cmocka_unit_test_setup_teardown(two_that_are_alike_leave_much_open, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
