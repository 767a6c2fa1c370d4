/* Radial functions, and sums of 1/r - P(r^2) within a cutoff on the CPU, against double precision.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/common/cpu.h"
#include "kernels/coulomb/cpu/cutoff.h"
#include "kernels/coulomb/cpu/cutoff_cells.h"
#include "tests/softened_sums.h"

#include <string.h>

/* ---- radial functions ---- */

static void expect_near(double found, double expected, double most) {
  if (!(fabs(found - expected) <= most))
    fail_msg("found %.12g; expected %.12g within %g", found, expected, most);
}

/* Hardy's polynomials in s = r^2/a^2, as the paper has them. */
static void taylor_is_that_of_multilevel_summation(void **state) {
  (void)state;
  static const struct {
    int degree;
    double c[5];
  } paper[] = {{2, {15 / 8.0, -5 / 4.0, 3 / 8.0}},
               {3, {35 / 16.0, -35 / 16.0, 21 / 16.0, -5 / 16.0}},
               {4, {315 / 128.0, -105 / 32.0, 189 / 64.0, -45 / 32.0, 35 / 128.0}}};
  const double a = 3;
  for (int i = 0; i < 3; i++) {
    dcs_radial radial;
    dcs_radial_taylor(a, paper[i].degree, &radial);
    assert_int_equal(radial.degree, paper[i].degree);
    for (double r = 0; r <= a; r += 0.25) {
      double value = 0;
      for (int k = 4; k >= 0; k--)
        value = value * (r * r / (a * a)) + paper[i].c[k];
      expect_near(dcs_radial_softened(&radial, r), value / a, 1e-7);
    }
  }
}

/* At the cutoff the value is that of 1/r, and the slope, at every degree. */
static void taylor_meets_1_over_r_at_the_cutoff(void **state) {
  (void)state;
  const double a = 2.5, step = 1e-2;
  for (int degree = 1; degree <= DCS_RADIAL_MOST; degree++) {
    dcs_radial radial;
    dcs_radial_taylor(a, degree, &radial);
    expect_near(dcs_radial_softened(&radial, a), 1 / a, 3e-7);
    expect_near(dcs_radial_softened(&radial, a - step), 1 / (a - step), 3e-5);
    assert_true(dcs_radial_softened(&radial, 0) > 1.4 / a);
  }
}

static double erf_over_r(double r, double alpha) {
  return r > 0 ? erf(alpha * r) / r : 1.1283791670955126 * alpha;
}

/* What is said to be the largest difference is none smaller than what is found between the points
 * that were looked at; and no polynomial of a degree less would have done. */
static void erf_is_fitted_to_an_error(void **state) {
  (void)state;
  static const double alphas[] = {0.25, 0.4, 0.5}, errors[] = {1e-2, 1e-4, 1e-6};
  const double a = 8;
  for (int i = 0; i < 3; i++)
    for (int e = 0; e < 3; e++) {
      dcs_radial radial;
      const double said = dcs_radial_erf(alphas[i], a, errors[e], &radial);
      double largest = 0;
      for (int p = 0; p <= 777; p++) {
        const double r = a * p / 777;
        const double off = dcs_radial_softened(&radial, r) - erf_over_r(r, alphas[i]);
        largest = fmax(largest, fabs(off));
      }
      assert_true(said <= errors[e] || radial.degree == DCS_RADIAL_MOST);
      assert_true(largest <= 1.01 * said && largest >= 0.9 * said);
    }
}

static void degrees_of_erf_are_the_lowest(void **state) {
  (void)state;
  dcs_radial radial;
  assert_true(dcs_radial_erf(0.3, 8, 1e-4, &radial) <= 1e-4); /* alpha a = 2.4: 9.6e-5 at 5 */
  assert_int_equal(radial.degree, 5);
  assert_true(dcs_radial_erf(0.4, 8, 1e-9, &radial) < 1e-7);
  assert_int_equal(radial.degree, DCS_RADIAL_MOST);
}

static double constant(double r, const void *context) {
  (void)r;
  return *(const double *)context;
}

static void any_even_function_is_fitted(void **state) {
  (void)state;
  const double value = 0.75;
  dcs_radial radial;
  for (int degree = 1; degree <= DCS_RADIAL_MOST; degree++) {
    assert_true(dcs_radial_fit(constant, &value, 5, degree, &radial) < 1e-7);
    assert_true(radial.c[0] == 0.75f && fabsf(radial.c[1]) < 1e-7f);
  }
}

/* ---- sums ---- */

enum { N_ISAS = 3 };

static bool has_isa(int isa) {
  char why[DCS_TEXT];
  return dcs_cpu_has_isa(isa, why);
}

static void compute(const dcs_problem *p, const dcs_radial *radial, const dcs_cpu_bricks *how,
                    float before) {
  for (int i = 0; i < POINTS; i++)
    map[i] = before;
  dcs_cutoff_cells sorted;
  assert_true(dcs_cpu_short_range_sort(p, radial, how, &sorted));
  dcs_cpu_short_range_add(&sorted, p, radial, how, map);
  dcs_cutoff_free(&sorted);
}

/* Every degree on every instruction set, added to what the map holds. */
static void sums_of_every_degree(void **state) {
  (void)state;
  static const double cutoffs[] = {2.3, 0.7, 5, 30};
  for (int isa = 0; isa < N_ISAS; isa++)
    for (int degree = 1; degree <= DCS_RADIAL_MOST && has_isa(isa); degree++) {
      const dcs_problem p = problem_of(degree % 3 ? 150 : ATOMS);
      const dcs_cpu_bricks how = {.threads = 1, .isa = isa, .cell_edge = 1.5};
      dcs_radial radial;
      dcs_radial_taylor(cutoffs[degree % 4], degree, &radial);
      compute(&p, &radial, &how, degree % 2 ? 0.0f : 3.0f);
      expect_sums(&p, &radial, degree % 2 ? 0.0f : 3.0f);
    }
}

static void sums_of_erfc(void **state) {
  (void)state;
  const dcs_problem p = problem_of(ATOMS);
  for (int isa = 0; isa < N_ISAS; isa++) {
    if (!has_isa(isa)) continue;
    const dcs_cpu_bricks how = {.threads = 2, .isa = isa, .cell_edge = 4};
    dcs_radial radial;
    dcs_radial_erf(0.8, 4, 1e-6, &radial);
    compute(&p, &radial, &how, 0);
    expect_sums(&p, &radial, 0);
  }
}

/* Images count, of atoms inside the cell and outside it. */
static void images_of_a_periodic_problem(void **state) {
  (void)state;
  for (int c = 0; c < 3; c++) {
    dcs_problem p = problem_of(100);
    dcs_radial radial;
    dcs_radial_taylor(periodic_cutoffs[c], 3, &radial);
    make_periodic(&p, periodic_cells[c]);
    compute(&p, &radial, &(dcs_cpu_bricks){1 + c % 2, DCS_CPU_PORTABLE, 2}, 0);
    expect_sums(&p, &radial, 0);
    assert_true(dcs_cpu_short_range_pairs(&p, &radial, &(dcs_cpu_bricks){1, 0, 2}) > POINTS);
  }
}

/* The problem's own cutoff does not count. */
static void sums_do_not_depend_on_threads(void **state) {
  (void)state;
  static float by_one[POINTS];
  dcs_problem p = problem_of(ATOMS);
  dcs_radial radial;
  dcs_radial_taylor(2.3, 2, &radial);
  compute(&p, &radial, &(dcs_cpu_bricks){1, DCS_CPU_PORTABLE, 2}, 0);
  memcpy(by_one, map, sizeof map);
  p.config.value[DCS_COULOMB_CUTOFF] = 0.3;
  compute(&p, &radial, &(dcs_cpu_bricks){3, DCS_CPU_PORTABLE, 2}, 0);
  assert_memory_equal(by_one, map, sizeof map);
}

/* A point on an atom is of no use; no other point knows of it. */
static void an_atom_on_a_point_spoils_no_other(void **state) {
  (void)state;
  static const int at[3] = {3, 4, 5};
  const dcs_atom kept = atoms[0];
  const dcs_problem p = problem_of(150);
  dcs_radial radial;
  dcs_radial_taylor(2.3, 3, &radial);
  atoms[0] = (dcs_atom){1.5f, 2, 2.5f, 1};
  const int on = (at[2] * NY + at[1]) * NX + at[0];
  for (int isa = 0; isa < N_ISAS; isa++) {
    double most;
    if (!has_isa(isa)) continue;
    compute(&p, &radial, &(dcs_cpu_bricks){1, isa, 2}, 0);
    assert_false(fabsf(map[on]) < 1e6f);
    for (int i = 0; i < POINTS; i++)
      if (i != on) {
        const int point[3] = {i % NX, i / NX % NY, i / NX / NY};
        const double sum = sum_at(&p, &radial, point, &most);
        expect_near((double)map[i], sum, most);
      }
  }
  atoms[0] = kept;
}

static void pairs_are_those_of_the_cutoff(void **state) {
  (void)state;
  dcs_problem p = problem_of(ATOMS);
  dcs_radial radial;
  dcs_candidates found;
  dcs_radial_taylor(2.5, 2, &radial);
  const double pairs = dcs_cpu_short_range_pairs(&p, &radial, &(dcs_cpu_bricks){1, 0, 4});
  const dcs_variant *cutoff = dcs_find_variant("cpu_cutoff");
  dcs_config config = dcs_initial_config(cutoff, 1);
  p.config.value[DCS_COULOMB_CUTOFF] = 2.5;
  cutoff->candidates(&p, &config, &found);
  assert_true(pairs > POINTS && pairs == found.pairs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(taylor_is_that_of_multilevel_summation),
      cmocka_unit_test(taylor_meets_1_over_r_at_the_cutoff),
      cmocka_unit_test(erf_is_fitted_to_an_error),
      cmocka_unit_test(degrees_of_erf_are_the_lowest),
      cmocka_unit_test(any_even_function_is_fitted),
      cmocka_unit_test(sums_of_every_degree),
      cmocka_unit_test(sums_of_erfc),
      cmocka_unit_test(images_of_a_periodic_problem),
      cmocka_unit_test(sums_do_not_depend_on_threads),
      cmocka_unit_test(an_atom_on_a_point_spoils_no_other),
      cmocka_unit_test(pairs_are_those_of_the_cutoff),
  };
  return cmocka_run_group_tests_name("short range", tests, place_atoms, NULL);
}
