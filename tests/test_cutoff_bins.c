/* Bins of fixed capacity, on the emulated device: whatever their size, the map is that of the
 * cutoff; overflow atoms and candidate pairs are counted right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "harness/judge/oracle.h"
#include "tests/cache_folder.h"
#include "tests/coulomb_problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const dcs_variant *variant;
static dcs_engine *engine;

static int open_engine(void **state) {
  variant = dcs_find_variant("cuda_cutoff_bins");
  if (cache_folder_make(state) != 0) return -1;
  return dcs_engine_devices_open("emulated", NULL, &engine) == DCS_USAGE ? -1 : 0;
}

static int close_engine(void **state) {
  if (engine) engine->close(engine);
  return cache_folder_remove(state);
}

static dcs_config configured(int block_x, int block_y, int coarsen_z, int bin_edge, int capacity) {
  return (dcs_config){{block_x, block_y, coarsen_z, bin_edge, capacity}};
}

/* ---- cases ---- */

enum { MOST_SITES = 400 };

typedef struct {
  dcs_dims n;
  double spacing;
  dcs_site sites[MOST_SITES];
  int n_sites;
} input;

static double uniform(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

/* Atoms in the grid's box and `around` it. */
static input random_input(dcs_dims n, double spacing, int n_sites, double around) {
  input in = {.n = n, .spacing = spacing, .n_sites = n_sites};
  const double last[3] = {spacing * (double)(n.x - 1), spacing * (double)(n.y - 1),
                          spacing * (double)(n.z - 1)};
  dcs_random random = {23};
  for (int a = 0; a < n_sites; a++)
    in.sites[a] = (dcs_site){.x = uniform(&random, -around, last[0] + around),
                             .y = uniform(&random, -around, last[1] + around),
                             .z = uniform(&random, -around, last[2] + around),
                             .q = uniform(&random, 0.3, 1)};
  return in;
}

static dcs_case case_of(input *in, double cutoff, int switching) {
  const dcs_molecule molecule = {.sites = in->sites, .n = in->n_sites};
  const dcs_grid grid = {.n = in->n, .spacing = in->spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &molecule, &grid, &c), DCS_OK);
  pose_within(&c, cutoff, switching);
  return c;
}

/* ---- maps ---- */

static void run(const dcs_case *c, dcs_config config, dcs_scope scope, float *map) {
  dcs_code_facts facts;
  char why[DCS_TEXT];
  double ns;
  if (!dcs_applicable(variant, &c->problem, &config, why)) fail_msg("%s", why);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &c->problem, OUT(map)), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &c->problem.config, variant, &config, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
}

static void expect_accepted(const dcs_case *c, const dcs_reference *reference, dcs_config config) {
  float *map = malloc((size_t)dcs_points(c->problem.n) * sizeof *map);
  char text[DCS_TEXT];
  assert_non_null(map);
  run(c, config, DCS_UNTIMED, map);
  dcs_verdict verdict = dcs_check(reference, map, variant->longest_sum(&c->problem, &config));
  if (!verdict.accepted)
    fail_msg("%s: point %lld: %g, not %g", dcs_format_config(variant, &config, text),
             (long long)verdict.worst, verdict.found, verdict.expected);
  free(map);
}

static void need_device(void) {
  if (engine) return;
  print_message("skipped: %s\n", dcs_error_message());
  skip();
}

/* From smaller than the spacing to larger than the box; regions that bins divide, and others. */
static void every_size_of_bin_gives_the_map(void **state) {
  (void)state;
  static const int edges[] = {4, 10, 13, 40, 300, 10000}, capacities[] = {1, 2, 8, 64};
  input in = random_input((dcs_dims){21, 11, 9}, 0.5, 150, 2.6);
  need_device();
  for (int switching = DCS_SWITCHING_NONE; switching <= DCS_SWITCHING_C2; switching++) {
    dcs_case c = case_of(&in, 2.5, switching);
    dcs_reference reference;
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &reference), DCS_OK);
    for (int e = 0; e < 6; e++)
      expect_accepted(&c, &reference,
                      configured(8, 4, 2, edges[e], capacities[(e + e / 4 + 2 * switching) % 4]));
    dcs_reference_free(&reference);
    dcs_case_free(&c);
  }
}

/* Sizes around a region of 4 x 2 x 3 points. */
static void every_size_of_map(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1}, {3, 1, 2}, {4, 2, 3},
                                   {5, 3, 4}, {1, 9, 1}, {13, 2, 7}};
  need_device();
  for (int s = 0; s < 6; s++) {
    input in = random_input(sizes[s], 0.37, 60, 1.5);
    dcs_case c = case_of(&in, 1.7, s % 2 ? DCS_SWITCHING_C2 : DCS_SWITCHING_NONE);
    dcs_reference reference;
    assert_int_equal(dcs_oracle(&c, INT64_MAX, &reference), DCS_OK);
    expect_accepted(&c, &reference, configured(4, 2, 3, 11, 4));
    dcs_reference_free(&reference);
    dcs_case_free(&c);
  }
}

/* A copied map in slabs, and one with a rest that is not cut, have the bits of one launch. */
static void slabs_give_the_same_map(void **state) {
  (void)state;
  input in = random_input((dcs_dims){120, 100, 48}, 0.5, 300, 0);
  need_device();
  dcs_case c = case_of(&in, 3, DCS_SWITCHING_C2);
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *once = malloc(bytes), *copied = malloc(bytes);
  assert_true(once && copied);
  for (int capacity = 1; capacity <= 8; capacity += 7) {
    run(&c, configured(16, 4, 4, 40, capacity), DCS_UNTIMED, once);
    run(&c, configured(16, 4, 4, 40, capacity), DCS_UNTIMED_WARM, copied);
    assert_memory_equal(once, copied, bytes);
  }
  free(once);
  free(copied);
  dcs_case_free(&c);
}

/* ---- what overflows ---- */

static dcs_candidates candidates_of(const dcs_case *c, dcs_config config) {
  dcs_candidates found;
  variant->candidates(&c->problem, &config, &found);
  return found;
}

/* All of them at one place: a bin takes its capacity, the host adds the others. */
static void all_atoms_in_one_place(void **state) {
  (void)state;
  input in = {.n = {9, 7, 5}, .spacing = 0.5, .n_sites = 20};
  for (int a = 0; a < in.n_sites; a++)
    in.sites[a] = (dcs_site){.x = 2.1, .y = 1.3, .z = 0.9, .q = 0.1 * (a + 1)};
  dcs_case c = case_of(&in, 1.9, DCS_SWITCHING_C2);
  dcs_reference reference;
  assert_int_equal(dcs_oracle(&c, INT64_MAX, &reference), DCS_OK);
  static const int capacities[] = {1, 8, 20, 64}, overflow[] = {19, 12, 0, 0};
  for (int p = 0; p < 4; p++) {
    const dcs_config config = configured(8, 4, 2, 40, capacities[p]);
    dcs_candidates found = candidates_of(&c, config);
    assert_int_equal(found.overflow, overflow[p]);
    assert_true(found.fill == (p == 3 ? 20.0 / 64 : 1));
    if (engine) expect_accepted(&c, &reference, config);
  }
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

static dcs_problem problem_of(const dcs_atom *atoms, int n_atoms, dcs_dims n, float cutoff) {
  return (dcs_problem){
      .input = {atoms}, .n_inputs = n_atoms, .n = n, .spacing = 1, .config = {{(double)cutoff}}};
}

/* Bins of 2, counted from grid point 0: on a face an atom belongs to the upper bin. Too far,
 * without charge, far out of any integer: dropped, and no overflow. */
static void atoms_go_to_their_bins(void **state) {
  (void)state;
  const dcs_atom atoms[] = {{0, 0, 0, 1},     {1.9f, 1, 1, 2},       {2, 0, 0, 3},
                            {-0.1f, 0, 0, 4}, {1, 1, 1, 5},          {0.5f, 0, 0, 0},
                            {-3, 0, 0, 6},    {-2.9f, 0, 0, 7},      {0, 0.1f, 0, FLT_MIN / 2},
                            {1e6f, 0, 0, 8},  {1e30f, -1e30f, 0, 9}, {5.9f, 1, 1, 10},
                            {6, 1, 1, 11}};
  const int n_atoms = sizeof atoms / sizeof atoms[0];
  const dcs_problem problem = problem_of(atoms, n_atoms, (dcs_dims){4, 4, 4}, 3);
  const dcs_config config = configured(4, 4, 4, 20, 2);
  dcs_plan plan;
  dcs_atom overflow[sizeof atoms / sizeof atoms[0]];
  variant->plan(&problem, &config, &plan);
  dcs_atom *placed = malloc((size_t)plan.placed_inputs * sizeof *placed);
  assert_non_null(placed);
  assert_int_equal(variant->place(&problem, &config, placed, overflow), 1);
  assert_true(overflow[0].q == 5); /* the third in the bin from 0 to 2 */
  dcs_candidates found;
  variant->candidates(&problem, &config, &found);
  assert_int_equal(found.overflow, 1);
  /* (1, 2); (3); (4); (7); (10): 6 atoms in 5 bins of 2 */
  assert_true(found.fill == 0.6);
  /* one region of 64 points, and every bin that holds an atom is within its reach */
  assert_true(found.pairs == 6 * 64);
  int n_placed = 0;
  for (int64_t p = 0; p < plan.placed_inputs; p++)
    if (placed[p].q != 0) {
      n_placed++;
      if (placed[p].q == 1) assert_true(p % 2 == 0 && placed[p + 1].q == 2);
    }
  assert_int_equal(n_placed, 6);
  free(placed);
}

/* Two regions of 2 points in a row, 0 and 1, 2 and 3, a cutoff of 1, bins of 1: an atom at 0.5 is
 * in the bin from 0 to 1, which touches the first region and is 1 from the second; a bin as near as
 * the cutoff is looked into, for rounding's sake. One at -0.5 is out of reach of the second. */
static void pairs_by_hand(void **state) {
  (void)state;
  const dcs_atom atoms[] = {{0.5f, 0, 0, 1}, {-0.5f, 0, 0, 1}};
  dcs_candidates found;
  const dcs_problem problem = problem_of(atoms, 2, (dcs_dims){3, 1, 1}, 1);
  const dcs_config config = configured(2, 1, 1, 10, 4);
  variant->candidates(&problem, &config, &found);
  assert_true(found.pairs == 2 * 2 + 2 * 1);
  assert_true(found.fill == 0.25);
  dcs_dims executed = variant->executed(&problem, &config);
  assert_true(executed.x == 4 && executed.y == 1 && executed.z == 1);
}

static void overflow_is_none_of_a_kernels_time(void **state) {
  (void)state;
  input in = random_input((dcs_dims){9, 7, 5}, 0.5, 100, 0);
  need_device();
  dcs_case c = case_of(&in, 1.5, DCS_SWITCHING_NONE);
  const dcs_config config = configured(8, 4, 2, 40, 2);
  float map[9 * 7 * 5];
  char said[64];
  double ns;
  run(&c, config, DCS_UNTIMED, map);
  assert_int_equal(engine->run(engine, 0, DCS_KERNEL, DCS_PAGEABLE, 1, &ns),
                   DCS_OUTCOME_INAPPLICABLE);
  snprintf(said, sizeof said, "%lld of 100 atoms overflow",
           (long long)candidates_of(&c, config).overflow);
  assert_non_null(strstr(dcs_error_message(), said));
  dcs_case_free(&c);
}

/* ---- limits ---- */

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  char why[DCS_TEXT];
  dcs_problem problem = problem_of(NULL, 1, (dcs_dims){500, 500, 500}, 12);
  dcs_config config = configured(8, 8, 8, 40, 16);
  assert_true(dcs_applicable(variant, &problem, &config, why)); /* 2.5 million bins */
  config.value[4] = 64;
  assert_false(dcs_applicable(variant, &problem, &config, why));
  assert_non_null(strstr(why, "larger bin_edge or a smaller capacity"));
  config = configured(8, 8, 8, 1, 1);
  problem.n = (dcs_dims){8, 8, 8};
  assert_false(dcs_applicable(variant, &problem, &config, why));
  assert_non_null(strstr(why, "take a larger bin_edge"));
  problem.config = within((double)FLT_MAX, DCS_SWITCHING_NONE);
  assert_false(dcs_applicable(variant, &problem, &config, why));
  problem.config = within(0, DCS_SWITCHING_NONE);
  assert_false(dcs_applicable(variant, &problem, &config, why));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size_of_bin_gives_the_map),
      cmocka_unit_test(every_size_of_map),
      cmocka_unit_test(slabs_give_the_same_map),
      cmocka_unit_test(all_atoms_in_one_place),
      cmocka_unit_test(atoms_go_to_their_bins),
      cmocka_unit_test(pairs_by_hand),
      cmocka_unit_test(overflow_is_none_of_a_kernels_time),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests_name("cutoff_bins", tests, open_engine, close_engine);
}
