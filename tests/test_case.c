/* Cases: the grid that follows from a molecule, what is refused, and the atoms' single precision.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The box is 5 x 8 x 0 from (-1, 2, 3); its centre (1.5, 6, 3). */
static dcs_site box_sites[] = {{.x = -1, .y = 10, .z = 3, .q = 1},
                               {.x = 4, .y = 2, .z = 3, .q = 1}};
static const dcs_molecule box_molecule = {box_sites, 2};

static void derives_the_grid(void **state) {
  (void)state;
  static const struct {
    dcs_grid asked;
    dcs_dims n;
    double spacing, origin[3];
  } cases[] = {
      /* extent 7 x 10 x 2 with the margin */
      {{.spacing = 0.5, .margin = 1}, {15, 21, 5}, 0.5, {-2, 1, 2}},
      {{.margin = 1}, {15, 21, 5}, 0.5, {-2, 1, 2}},
      /* 7 / 0.4 = 17.5 and 10 / 0.4 = 25: the grid covers the box, centred on it */
      {{.spacing = 0.4, .margin = 1}, {19, 26, 6}, 0.4, {1.5 - 3.6, 1, 2}},
      {{.spacing = 0.5}, {11, 17, 1}, 0.5, {-1, 2, 3}},
      /* points alone: the dimension that needs most decides */
      {{.n = {8, 21, 3}, .margin = 1}, {8, 21, 3}, 1, {-2, -4, 2}},
      {{.n = {6, 3, 1}}, {6, 3, 1}, 4, {-8.5, 2, 3}},
      {{.n = {1, 1, 1}}, {1, 1, 1}, 0.5, {1.5, 6, 3}},
      /* both */
      {{.n = {3, 3, 3}, .spacing = 1}, {3, 3, 3}, 1, {0.5, 5, 2}},
      {{.n = {3, 3, 3}, .spacing = 1, .has_origin = true, .origin = {7, 8, 9}},
       {3, 3, 3},
       1,
       {7, 8, 9}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_case c;
    if (dcs_case_build(dcs_kinds[0], NULL, &box_molecule, &cases[i].asked, &c) != DCS_OK)
      fail_msg("case %zu: %s", i, dcs_error_message());
    dcs_dims n = c.problem.n;
    if (n.x != cases[i].n.x || n.y != cases[i].n.y || n.z != cases[i].n.z)
      fail_msg("case %zu: %dx%dx%d", i, (int)n.x, (int)n.y, (int)n.z);
    assert_true(c.spacing == cases[i].spacing);
    assert_true(c.problem.spacing == (float)cases[i].spacing);
    for (int d = 0; d < 3; d++)
      if (!(fabs(c.origin[d] - cases[i].origin[d]) < 1e-12))
        fail_msg("case %zu: origin %d is %.17g", i, d, c.origin[d]);
    dcs_case_free(&c);
  }
}

static void bad_grids_are_refused(void **state) {
  (void)state;
  static const struct {
    dcs_grid asked;
    const char *message;
  } cases[] = {
      {{.spacing = -1}, "spacing -1; expected 1e-12 to 1e+07 angstrom"},
      {{.spacing = NAN}, "spacing"},
      {{.spacing = INFINITY}, "spacing inf"},
      {{.spacing = 1e-46}, "spacing 1e-46; expected 1e-12 to 1e+07 angstrom"},
      {{.spacing = 1.1e7}, "spacing 1.1e+07"},
      {{.n = {3, 3, 3}, .spacing = -0.5}, "spacing -0.5"},
      {{.n = {0, 5, 5}}, "grid 0x5x5 has no points"},
      {{.n = {5, 5, 0}, .spacing = 1}, "grid 5x5x0 has no points"},
      {{.n = {5, -5, 5}}, "grid 5x-5x5 has no points"},
      {{.n = {1 << 20, 1 << 10, (1 << 10) + 1}}, "more points than 2^40"},
      {{.n = {((int64_t)1 << 40) + 1, 1, 1}}, "more points than 2^40"},
      {{.n = {INT64_MAX, INT64_MAX, INT64_MAX}}, "more points than 2^40"},
      {{.spacing = 1e-12}, "at most 2^40"},
      {{.spacing = 1e-4, .margin = 10}, "more points than 2^40"},
      {{.spacing = 1, .margin = -4}, "has no points"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_case c;
    if (dcs_case_build(dcs_kinds[0], NULL, &box_molecule, &cases[i].asked, &c) != DCS_USAGE)
      fail_msg("case %zu was not refused", i);
    if (!strstr(dcs_error_message(), cases[i].message))
      fail_msg("case %zu: \"%s\" lacks \"%s\"", i, dcs_error_message(), cases[i].message);
  }
  dcs_case c;
  const dcs_molecule none = {box_sites, 0};
  const dcs_grid grid = {.n = {3, 3, 3}, .spacing = 1},
                 largest = {.n = {1 << 20, 1 << 10, 1 << 10}};
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &none, &grid, &c), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "no atoms"));
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &box_molecule, &largest, &c), DCS_OK);
  assert_true(dcs_points(c.problem.n) == (int64_t)1 << 40);
  dcs_case_free(&c);
}

/* Kernels see the atoms that carry charge, in order; one stays where none does. */
static void atoms_without_charge_are_left_out(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 1}, {.x = 2, .q = -0.5}, {.x = 3}, {.x = 4, .q = 0.25}, {.x = 5}};
  const dcs_grid grid = {.n = {6, 2, 2}, .spacing = 1, .has_origin = true};
  const dcs_molecule molecule = {sites, 5}, uncharged = {sites, 1};
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &molecule, &grid, &c), DCS_OK);
  assert_int_equal(c.n_sites, 5);
  assert_int_equal(c.problem.n_inputs, 2);
  assert_true(dcs_atoms(&c.problem)[0].x == 2 && dcs_atoms(&c.problem)[0].q == -0.5f);
  assert_true(dcs_atoms(&c.problem)[1].x == 4 && dcs_atoms(&c.problem)[1].q == 0.25f);
  dcs_case_free(&c);
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &uncharged, &grid, &c), DCS_OK);
  assert_int_equal(c.problem.n_inputs, 1);
  assert_true(dcs_atoms(&c.problem)[0].q == 0);
  dcs_case_free(&c);
}

/* Coordinates a million angstrom away, where single precision keeps 1/16, give the same atoms. */
static void the_origin_goes_in_double_precision(void **state) {
  (void)state;
  enum { N = 200 };
  static dcs_site here[N], there[N];
  dcs_random random = {5};
  for (int i = 0; i < N; i++) {
    here[i] = (dcs_site){.x = (double)dcs_random_below(&random, 16384) / 1024,
                         .y = (double)dcs_random_below(&random, 16384) / 1024,
                         .z = (double)dcs_random_below(&random, 16384) / 1024,
                         .q = dcs_random_unit(&random)};
    there[i] = here[i];
    there[i].x += 1e6;
    there[i].y -= 1e6;
    there[i].z += 3e6;
  }
  const dcs_grid grid = {.spacing = 0.5, .margin = 2};
  dcs_case a, b;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){here, N}, &grid, &a), DCS_OK);
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &(dcs_molecule){there, N}, &grid, &b),
                   DCS_OK);
  assert_true(b.origin[0] - a.origin[0] == 1e6 && b.origin[1] - a.origin[1] == -1e6);
  assert_memory_equal(a.problem.input[0], b.problem.input[0], N * sizeof(dcs_atom));
  assert_memory_equal(a.sites, b.sites, N * sizeof(dcs_site));
  assert_true(memcmp(&a.problem.n, &b.problem.n, sizeof a.problem.n) == 0);
  for (int i = 0; i < N; i++) {
    assert_true(dcs_atoms(&a.problem)[i].x == (float)(here[i].x - a.origin[0]));
    assert_true(dcs_atoms(&a.problem)[i].q == (float)here[i].q);
  }
  dcs_case_free(&a);
  dcs_case_free(&b);
}

/* The atoms of a smaller case are the first of a larger one's, inside the grid's box. */
static void random_cases(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {9, 5, 1}, .spacing = 0.25};
  dcs_case few, many, other;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 5, &grid, 1, &few), DCS_OK);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 2000, &grid, 1, &many), DCS_OK);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 5, &grid, 2, &other), DCS_OK);
  assert_memory_equal(few.problem.input[0], many.problem.input[0], 5 * sizeof(dcs_atom));
  assert_memory_not_equal(few.problem.input[0], other.problem.input[0], 5 * sizeof(dcs_atom));
  double charge = 0, most[3] = {0};
  for (int i = 0; i < 2000; i++) {
    const dcs_site *s = &many.sites[i];
    assert_true(s->x >= 0 && s->x < 2 && s->y >= 0 && s->y < 1 && s->z >= 0 && s->z < 0.25);
    assert_true(s->q >= -1 && s->q < 1);
    charge += s->q;
    most[0] = fmax(most[0], s->x / 2);
    most[1] = fmax(most[1], s->y / 1);
    most[2] = fmax(most[2], s->z / 0.25);
  }
  assert_true(fabs(charge) < 5 * sqrt(2000 / 3.0)); /* five standard deviations */
  assert_true(most[0] > 0.99 && most[1] > 0.99 && most[2] > 0.99);
  dcs_case_free(&few);
  dcs_case_free(&many);
  dcs_case_free(&other);
  const dcs_grid flat = {.n = {9, 0, 1}}, plain = {.n = {2, 2, 2}};
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 5, &flat, 1, &few), DCS_USAGE);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 0, &plain, 1, &few), DCS_USAGE);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 1, &plain, 1, &few), DCS_OK);
  assert_true(few.spacing == 0.5);
  dcs_case_free(&few);
  assert_null(few.sites);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derives_the_grid),
      cmocka_unit_test(bad_grids_are_refused),
      cmocka_unit_test(atoms_without_charge_are_left_out),
      cmocka_unit_test(the_origin_goes_in_double_precision),
      cmocka_unit_test(random_cases),
  };
  return cmocka_run_group_tests_name("case", tests, NULL, NULL);
}
