/* Multilevel summation on the CPU: its steps, its order, and its tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/judge/oracle.h"
#include "kernels/common/cpu.h"
#include "kernels/common/phase.h"
#include "kernels/coulomb/cpu/multilevel.h"
#include "tests/coulomb_problem.h"
#include "tests/multilevel_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dcs_variant *multilevel(void) {
  return dcs_find_variant("cpu_multilevel");
}

/* Cutoff and ratio in tenths, 0: what follows. */
static dcs_config method(int threads, int isa, int order, int cutoff, int ratio) {
  return (dcs_config){{threads, isa, order, cutoff, ratio}};
}

static bool can(const dcs_case *c, const dcs_config *config) {
  char why[DCS_TEXT];
  return dcs_applicable(multilevel(), &c->problem, config, why);
}

/* The caller frees. */
static float *compute(const dcs_case *c, const dcs_config *config) {
  float *map = malloc((size_t)dcs_points(c->problem.n) * sizeof *map);
  assert_non_null(map);
  memset(map, 0xff, (size_t)dcs_points(c->problem.n) * sizeof *map);
  assert_true(multilevel()->compute(&c->problem, config, OUT(map)));
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
  return map;
}

/* ---- steps ---- */

static dcs_multilevel lattices(const dcs_case *c, int order, double cutoff, double ratio) {
  const dcs_ml_wanted wanted = {order, cutoff, ratio, 1};
  dcs_multilevel m;
  char why[DCS_TEXT];
  if (!dcs_multilevel_choose(&c->problem, &wanted, &m, why)) fail_msg("%s", why);
  return m;
}

static float *zeros(const dcs_ml_box *box) {
  float *values = calloc((size_t)dcs_ml_nodes(box), sizeof *values);
  assert_non_null(values);
  return values;
}

static float *random_values(const dcs_ml_box *box) {
  dcs_random random = {7};
  float *values = zeros(box);
  for (int64_t i = 0; i < dcs_ml_nodes(box); i++)
    values[i] = (float)(dcs_random_unit(&random) - 0.5);
  return values;
}

/* The product of values on `small` with those at the same nodes of `large`. */
static double product(const dcs_ml_box *small, const float *a, const dcs_ml_box *large,
                      const float *b) {
  double sum = 0;
  for (int k = 0; k < small->n[2]; k++)
    for (int j = 0; j < small->n[1]; j++)
      for (int i = 0; i < small->n[0]; i++) {
        const int at[3] = {i + small->first[0] - large->first[0],
                           j + small->first[1] - large->first[1],
                           k + small->first[2] - large->first[2]};
        const int64_t in = ((int64_t)k * small->n[1] + j) * small->n[0] + i;
        const int64_t of = ((int64_t)at[2] * large->n[1] + at[1]) * large->n[0] + at[0];
        sum += (double)a[in] * (double)b[of];
      }
  return sum;
}

static void charges_and_points_are_transposes(void **state) {
  (void)state;
  dcs_case c = posed_case(ML_UNIFORM, 40, 3, 0.5);
  for (int order = 0; order < DCS_ML_N_ORDERS; order++) {
    const dcs_multilevel m = lattices(&c, order, 3, 4);
    const dcs_ml_level *level = &m.level[0];
    const dcs_dims n = c.problem.n;
    float *potential = random_values(&level->potential),
          *map = malloc((size_t)dcs_points(n) * sizeof *map);
    assert_non_null(map);
    assert_true(
        dcs_multilevel_resample(&m, &c.problem, DCS_ML_POINTS, 0, 1, potential, false, map));
    for (int64_t i = 0; i < dcs_points(n); i += 97) {
      dcs_atom atom = {c.problem.spacing * (float)(i % n.x),
                       c.problem.spacing * (float)(i / n.x % n.y),
                       c.problem.spacing * (float)(i / n.x / n.y), 1};
      dcs_problem one = c.problem;
      dcs_ml_atoms atoms;
      one.input[DCS_COULOMB_ATOMS] = &atom;
      one.n_inputs = 1;
      float *charge = zeros(&level->charge);
      assert_true(dcs_multilevel_sort(&m, &one, &atoms));
      dcs_multilevel_spread(&m, &one, &atoms, 0, 1, charge);
      double sum = product(&level->potential, potential, &level->charge, charge);
      assert_true(fabs(sum - (double)map[i]) < 1e-5);
      dcs_multilevel_free(&atoms);
      free(charge);
    }
    free(potential);
    free(map);
  }
  dcs_case_free(&c);
}

static void restriction_and_prolongation_are_transposes(void **state) {
  (void)state;
  dcs_case c = posed_case(ML_UNIFORM, 40, 3, 0.5);
  for (int order = 0; order < DCS_ML_N_ORDERS; order++) {
    const dcs_multilevel m = lattices(&c, order, 2, 4);
    const dcs_ml_level *fine = &m.level[0], *coarse = &m.level[1];
    assert_true(m.n_levels > 1);
    float *v = random_values(&coarse->potential), *down = zeros(&fine->potential);
    float *q = random_values(&fine->charge), *up = zeros(&coarse->charge);
    /* charges where potentials are */
    float *some = zeros(&fine->potential);
    for (int64_t i = 0; i < dcs_ml_nodes(&fine->potential); i++)
      some[i] = q[i];
    memset(q, 0, (size_t)dcs_ml_nodes(&fine->charge) * sizeof *q);
    const int reach = fine->reach[0];
    for (int64_t i = 0; i < dcs_ml_nodes(&fine->potential); i++) {
      const int *n = fine->potential.n, *all = fine->charge.n;
      int64_t z = i / n[0] / n[1] + reach, y = i / n[0] % n[1] + reach, x = i % n[0] + reach;
      q[(z * all[1] + y) * all[0] + x] = some[i];
    }
    assert_true(dcs_multilevel_resample(&m, &c.problem, DCS_ML_PROLONG, 0, 1, v, false, down));
    assert_true(dcs_multilevel_resample(&m, &c.problem, DCS_ML_RESTRICT, 0, 1, q, false, up));
    double there = product(&coarse->potential, v, &coarse->charge, up);
    double back = product(&fine->potential, down, &fine->charge, q), scale = 0;
    for (int64_t i = 0; i < dcs_ml_nodes(&fine->potential); i++)
      scale += fabs((double)some[i] * (double)down[i]);
    assert_true(fabs(there - back) < 1e-5 * scale && scale > 0.1);
    free(v), free(down), free(q), free(up), free(some);
  }
  dcs_case_free(&c);
}

/* A spline at a node of level 1 is the sum of those that it prolongs to: the map is the same. */
static void levels_are_nested(void **state) {
  (void)state;
  dcs_case c = posed_case(ML_UNIFORM, 40, 3, 0.5);
  const dcs_multilevel m = lattices(&c, DCS_ML_QUINTIC, 2, 4);
  const dcs_ml_box *coarse = &m.level[1].potential;
  float *v = random_values(coarse), *down = zeros(&m.level[0].potential);
  float *map = malloc((size_t)dcs_points(c.problem.n) * sizeof *map);
  assert_non_null(map);
  assert_true(dcs_multilevel_resample(&m, &c.problem, DCS_ML_PROLONG, 0, 1, v, false, down));
  assert_true(dcs_multilevel_resample(&m, &c.problem, DCS_ML_POINTS, 0, 1, down, false, map));
  for (int i = 0; i < (int)c.problem.n.x; i++) {
    const double at = (double)c.problem.spacing * i / m.level[1].h;
    double wx[DCS_ML_MOST_NODES], w0[DCS_ML_MOST_NODES], sum = 0;
    dcs_multilevel_splines(m.nodes, at - floor(at), wx);
    dcs_multilevel_splines(m.nodes, 0, w0);
    for (int z = 0; z < m.nodes; z++)
      for (int y = 0; y < m.nodes; y++)
        for (int x = 0; x < m.nodes; x++)
          sum += wx[x] * w0[y] * w0[z] *
                 (double)v[((int64_t)z * coarse->n[1] + y) * coarse->n[0] + (int)floor(at) + x];
    assert_true(fabs(sum - (double)map[i]) < 1e-5);
  }
  free(v), free(down), free(map);
  dcs_case_free(&c);
}

/* ---- the error ---- */

/* Root of the mean squared error of the map beside `sums`. */
static double error_at(dcs_case *c, const dcs_reference *reference, int order, int ratio) {
  const dcs_config config = method(1, DCS_CPU_PORTABLE, order, 40, ratio);
  float *map = compute(c, &config);
  double sum = 0;
  for (int64_t i = 0; i < reference->n; i++) {
    double difference = (double)map[reference->index[i]] - reference->sums[i].v;
    if (reference->sums[i].nearest > 1) sum += difference * difference;
  }
  free(map);
  return sqrt(sum / (double)reference->n);
}

/* With twice the ratio the error falls by 2^rate: the order, less what is left of the softening. */
static void errors_fall_with_the_order(void **state) {
  (void)state;
  static const double rates[DCS_ML_N_ORDERS] = {2.7, 4.5, 5.6, 6.4};
  dcs_case c = posed_case(ML_UNIFORM, 100, 5, 0.5);
  dcs_reference reference;
  assert_int_equal(dcs_oracle(&c, INT64_C(1) << 40, &reference), DCS_OK);
  for (int order = 0; order < DCS_ML_N_ORDERS; order++) {
    double coarse = error_at(&c, &reference, order, 30), fine = error_at(&c, &reference, order, 60);
    double rate = log2(coarse / fine);
    if (!(rate > rates[order] && rate < rates[order] + 2.5))
      fail_msg("order %d: %.3g to %.3g, a rate of %.2f", order, coarse, fine, rate);
  }
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* Returns the largest error over the tolerance. */
static double expect_within(dcs_case *c, const dcs_config *config, ml_class what) {
  dcs_reference reference;
  char values[DCS_TEXT];
  assert_int_equal(dcs_oracle(c, 4000000, &reference), DCS_OK);
  float *map = compute(c, config);
  const dcs_verdict verdict = dcs_check(&reference, map, 1);
  if (!verdict.accepted)
    fail_msg("%s, %d atoms, tolerance %g, %s: %.2g of the bound", ml_class_names[what],
             (int)c->problem.n_inputs, dcs_tolerance(&c->problem),
             dcs_format_config(multilevel(), config, values), verdict.bound_ratio);
  free(map);
  dcs_reference_free(&reference);
  return verdict.max_error / dcs_tolerance(&c->problem);
}

/* The lattices, not the direct sum that small problems get: the cutoff is given. */
static double keep_tolerance(ml_class what, int seed, double tolerance) {
  dcs_case c = posed_case(what, 3 + 40 * (seed % 30) + 29 * (int)what, (uint64_t)seed, tolerance);
  const dcs_config config =
      method(1, DCS_CPU_PORTABLE, ((int)what + seed) % 4, 30 + 7 * (((int)what + seed) % 5), 0);
  const double error = can(&c, &config) ? expect_within(&c, &config, what) : 0;
  dcs_case_free(&c);
  return error;
}

/* 1,008 problems; in make check a tenth of them. */
static void tolerances_are_kept(void **state) {
  (void)state;
  static const double tolerances[] = {1e-1, 1e-2, 1e-3, 1e-4};
  const int seeds = getenv("DCS_TEST_FULL") ? 28 : 3;
  const bool tell = getenv("DCS_TEST_TELL") != NULL;
  for (int what = 0; what < ML_N_CLASSES; what++)
    for (int t = 0; t < 4; t++) {
      double largest = 0;
      for (int seed = 0; seed < seeds; seed++)
        largest = fmax(largest, keep_tolerance((ml_class)what, seed, tolerances[t]));
      if (tell)
        printf("%-12s %g: largest error %.3f of it\n", ml_class_names[what], tolerances[t],
               largest);
    }
}

static void small_problems_are_summed_directly(void **state) {
  (void)state;
  for (int what = 0; what < ML_N_CLASSES; what++) {
    dcs_case c = posed_case((ml_class)what, 20, 1, 4e-5);
    const dcs_config config = method(1, DCS_CPU_PORTABLE, DCS_ML_QUINTIC, 0, 0);
    assert_true(can(&c, &config));
    assert_int_equal(lattices(&c, DCS_ML_QUINTIC, 0, 0).n_levels, 0);
    (void)expect_within(&c, &config, (ml_class)what);
    dcs_case_free(&c);
  }
}

/* At levels above the first, and beyond all. */
static void atoms_far_away(void **state) {
  (void)state;
  static const double shifts[] = {10, 40, 300, 1e6, 1e12};
  for (int i = 0; i < 5; i++) {
    const double size[3] = {6.4, 5.6, 8};
    dcs_site *sites = ml_sites(150, size, 1);
    sites[7] = (dcs_site){.x = shifts[i], .y = 3, .z = -0.5 * shifts[i], .q = 5};
    dcs_case c = case_of(sites, 150, (dcs_dims){9, 8, 11}, 0.8, 1e-2);
    free(sites);
    const dcs_config config = method(1, DCS_CPU_PORTABLE, DCS_ML_QUINTIC, 30, 60);
    if (!can(&c, &config)) fail_msg("shift %g", shifts[i]);
    (void)expect_within(&c, &config, ML_FAR);
    dcs_case_free(&c);
  }
}

/* Every step of the method is a phase, told once whatever the levels. */
static void steps_are_phases(void **state) {
  (void)state;
  static const char *const steps[] = {"set up",       "short range",    "anterpolation",
                                      "restriction",  "lattice cutoff", "prolongation",
                                      "interpolation"};
  enum { N_STEPS = sizeof steps / sizeof steps[0] };
  const double size[3] = {12, 12, 12};
  dcs_site *sites = ml_sites(150, size, 1);
  dcs_case c = case_of(sites, 150, (dcs_dims){25, 25, 25}, 0.5, 1e-2);
  free(sites);
  const dcs_config config = method(1, DCS_CPU_PORTABLE, DCS_ML_CUBIC, 20, 0);
  assert_true(lattices(&c, DCS_ML_CUBIC, 2, 0).n_levels > 1);
  dcs_phases phases = {.now_ns = dcs_now_ns};
  dcs_phases_listen(&phases);
  free(compute(&c, &config));
  dcs_phase(NULL);
  dcs_phases_listen(NULL);
  assert_int_equal(phases.n, N_STEPS);
  for (int i = 0; i < N_STEPS; i++)
    assert_string_equal(phases.list[i].name, steps[i]);
  dcs_case_free(&c);
}

/* A point on an atom has what the others make there. */
static void points_on_atoms(void **state) {
  (void)state;
  const double size[3] = {4, 4, 4};
  dcs_site *sites = ml_sites(150, size, 1);
  sites[0] = (dcs_site){.x = 2, .y = 2, .z = 2, .q = 1};
  dcs_case c = case_of(sites, 150, (dcs_dims){9, 9, 9}, 0.5, 1e-2);
  const dcs_config config = method(1, DCS_CPU_PORTABLE, DCS_ML_QUINTIC, 30, 60);
  assert_int_equal(c.n_coincident, 1);
  float *map = compute(&c, &config);
  double expected = 0;
  for (int a = 1; a < 150; a++)
    expected +=
        sites[a].q / sqrt(pow(sites[a].x - 2, 2) + pow(sites[a].y - 2, 2) + pow(sites[a].z - 2, 2));
  assert_true(fabs((double)map[(4 * 9 + 4) * 9 + 4] - expected) < 1e-5);
  free(map);
  free(sites);
  expect_within(&c, &config, ML_UNIFORM);
  dcs_case_free(&c);
}

/* ---- threads and instruction sets ---- */

static void threads_change_nothing(void **state) {
  (void)state;
  dcs_case c = posed_case(ML_UNIFORM, 300, 2, 0.1);
  const dcs_config one = method(1, DCS_CPU_PORTABLE, DCS_ML_QUINTIC, 30, 45);
  float *map = compute(&c, &one);
  for (int threads = 2; threads <= 3 && threads <= DCS_CPU_MAX_THREADS; threads++) {
    const dcs_config config = method(threads, DCS_CPU_PORTABLE, DCS_ML_QUINTIC, 30, 45);
    float *other = compute(&c, &config);
    assert_memory_equal(other, map, (size_t)dcs_points(c.problem.n) * sizeof *map);
    free(other);
  }
  free(map);
  dcs_case_free(&c);
}

static void instruction_sets_agree(void **state) {
  (void)state;
  dcs_case c = posed_case(ML_UNIFORM, 300, 2, 0.1);
  const dcs_config portable = method(1, DCS_CPU_PORTABLE, DCS_ML_SEPTIC, 30, 45);
  float *map = compute(&c, &portable);
  for (int isa = DCS_CPU_AVX2; isa <= DCS_CPU_AVX512; isa++) {
    const dcs_config config = method(1, isa, DCS_ML_SEPTIC, 30, 45);
    if (!can(&c, &config)) continue;
    float *other = compute(&c, &config);
    for (int64_t i = 0; i < dcs_points(c.problem.n); i++)
      assert_true(fabsf(other[i] - map[i]) <= 2e-5f * (1 + fabsf(map[i])));
    free(other);
  }
  free(map);
  dcs_case_free(&c);
}

/* ---- refusals ---- */

static void expect_refused(const dcs_case *c, const dcs_config *config, const char *why_not) {
  char why[DCS_TEXT] = "";
  assert_false(dcs_applicable(multilevel(), &c->problem, config, why));
  if (!strstr(why, why_not)) fail_msg("\"%s\" lacks \"%s\"", why, why_not);
}

static void what_cannot_be_kept_is_refused(void **state) {
  (void)state;
  dcs_case c = posed_case(ML_UNIFORM, 300, 2, 1e-6);
  const dcs_config any = method(1, DCS_CPU_PORTABLE, DCS_ML_NINTH, 0, 0);
  expect_refused(&c, &any, "single precision");
  pose_tolerance(&c, 0);
  expect_refused(&c, &any, "none is given");
  dcs_case_free(&c);
}

/* However small they are given: the expected error is within the tolerance, and lattices fit. */
static void cutoff_and_ratio_are_raised(void **state) {
  (void)state;
  for (int order = 0; order < DCS_ML_N_ORDERS; order++)
    for (double cutoff = 0.1; cutoff < 1e4; cutoff *= 9) {
      dcs_case c = posed_case(ML_UNIFORM, 300, 2, order ? 1e-4 : 1e-2);
      const dcs_multilevel m = lattices(&c, order, cutoff, 2.5);
      const double ratio = m.cutoff / m.h, t = dcs_tolerance(&c.problem);
      assert_true(m.cutoff >= cutoff && ratio >= 2.5 && m.n_levels > 0);
      assert_true(dcs_multilevel_error(&c.problem, order, m.cutoff, ratio) <= t * (1 + 1e-12));
      assert_true(dcs_ml_nodes(&m.level[0].potential) <=
                  2 * (dcs_points(c.problem.n) + 300) + 2000);
      dcs_case_free(&c);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(charges_and_points_are_transposes),
      cmocka_unit_test(restriction_and_prolongation_are_transposes),
      cmocka_unit_test(levels_are_nested),
      cmocka_unit_test(errors_fall_with_the_order),
      cmocka_unit_test(tolerances_are_kept),
      cmocka_unit_test(small_problems_are_summed_directly),
      cmocka_unit_test(atoms_far_away),
      cmocka_unit_test(steps_are_phases),
      cmocka_unit_test(points_on_atoms),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(what_cannot_be_kept_is_refused),
      cmocka_unit_test(cutoff_and_ratio_are_raised),
  };
  return cmocka_run_group_tests_name("multilevel", tests, NULL, NULL);
}
