/* Sums with a cutoff on the CPU, against double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "kernels/cpu/cutoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dcs_case build(dcs_site *sites, int64_t n_sites, dcs_dims n, double spacing) {
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(&molecule, &grid, &c), DCS_OK);
  return c;
}

/* Atoms in the grid's box and up to a tenth of an edge around it. */
static dcs_case random_case(dcs_dims n, int64_t atoms, double spacing) {
  const dcs_grid grid = {.n = n, .spacing = spacing};
  dcs_case c;
  assert_int_equal(dcs_case_random(atoms, &grid, (uint64_t)(n.x * 31 + n.y * 7 + atoms), &c),
                   DCS_OK);
  return c;
}

static void assert_map(const dcs_case *c, int64_t longest, float *map) {
  dcs_reference reference;
  assert_int_equal(dcs_cutoff_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  dcs_repair(c->near, c->n_near, true, map);
  dcs_verdict verdict = dcs_check(&reference, map, longest);
  dcs_reference_free(&reference);
  if (!verdict.accepted)
    fail_msg("cutoff %g, %d atoms: point %d is %.9g; expected %.9g", (double)c->problem.cutoff,
             (int)c->problem.n_atoms, (int)verdict.worst, verdict.found, verdict.expected);
}

static float *zero_map(dcs_dims n) {
  float *map = calloc((size_t)dcs_points(n), sizeof *map);
  assert_non_null(map);
  return map;
}

/* ---- a few atoms added ---- */

static void added_atoms_agree_with_double_precision(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1}, {9, 5, 2}, {17, 11, 13}};
  static const double cutoffs[] = {0.01, 0.5, 1.3, 2.7, 100};
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < 5; i++) {
      dcs_case c = random_case(sizes[s], 1 + 29 * s, 0.37);
      dcs_case_set_cutoff(&c, cutoffs[i], i % 2 ? DCS_SMOOTH_C2 : DCS_SMOOTH_NONE);
      float *map = zero_map(sizes[s]);
      dcs_cpu_cutoff_add(&c.problem, map);
      assert_map(&c, c.problem.n_atoms, map);
      free(map);
      dcs_case_free(&c);
    }
}

/* Half the atoms, then the others: as all at once. And what the map holds stays. */
static void adding_adds(void **state) {
  (void)state;
  dcs_case c = random_case((dcs_dims){12, 10, 8}, 40, 0.37);
  dcs_case_set_cutoff(&c, 1.3, DCS_SMOOTH_C2);
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *once = zero_map(c.problem.n), *twice = zero_map(c.problem.n);
  once[0] = twice[0] = 1024;
  dcs_cpu_cutoff_add(&c.problem, once);
  dcs_problem half = c.problem;
  half.n_atoms = 20;
  dcs_cpu_cutoff_add(&half, twice);
  half.atoms += 20;
  dcs_cpu_cutoff_add(&half, twice);
  assert_memory_equal(once, twice, bytes);
  assert_true(once[0] > 1000);
  free(once);
  free(twice);
  dcs_case_free(&c);
}

/* On a line of points 1 apart, an atom of charge 1 between points 2 and 3, cutoff 1.5: points 2 and
 * 3, 0.5 away; 1 and 4 lie at the cutoff itself, which is out. */
static void an_atom_reaches_the_points_nearer_than_the_cutoff(void **state) {
  (void)state;
  dcs_site site = {.x = 2.5, .q = 1};
  dcs_case c = build(&site, 1, (dcs_dims){6, 1, 1}, 1);
  dcs_case_set_cutoff(&c, 1.5, DCS_SMOOTH_NONE);
  const float plain[6] = {0, 0, 2, 2, 0, 0};
  float map[6] = {0};
  dcs_cpu_cutoff_add(&c.problem, map);
  assert_memory_equal(map, plain, sizeof map);
  c.problem.smooth = DCS_SMOOTH_C2; /* 1 - 1/9 */
  memset(map, 0, sizeof map);
  dcs_cpu_cutoff_add(&c.problem, map);
  assert_true(fabs((double)map[2] - 2 * 64.0 / 81) < 1e-6 && map[3] == map[2]);
  assert_true(map[0] == 0 && map[1] == 0 && map[4] == 0 && map[5] == 0);
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(added_atoms_agree_with_double_precision),
      cmocka_unit_test(adding_adds),
      cmocka_unit_test(an_atom_reaches_the_points_nearer_than_the_cutoff),
  };
  return cmocka_run_group_tests_name("cpu_cutoff", tests, NULL, NULL);
}
