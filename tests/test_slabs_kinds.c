/* Slabs of every kind that is a map, by every variant: the bits of the whole map, or, of variants
 * that do not say so, a map of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "library/mapper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X = 9, Y = 7, Z = 37, SLICE = X * Y, N = SLICE * Z, ATOMS = 24 };

static float all[N], parts[N];

/* The last of the kind's problems that the variant is to be tried on. */
static dcs_config problem_of(const dcs_variant *variant) {
  const dcs_kind *kind = dcs_kind_of(variant);
  dcs_config found = dcs_initial_problem(kind);
  for (const char *const *text = kind->verified; *text; text++) {
    dcs_config problem;
    assert_int_equal(dcs_parse_problem(kind, *text, &problem), DCS_OK);
    if (dcs_tries(variant, &problem)) found = problem;
  }
  return found;
}

/* Atoms all over a grid that is longest in z: those above a slab lie beyond most of its points. */
static void pose(dcs_mapper *m, const dcs_variant *variant) {
  const dcs_grid grid = {.n = {X, Y, Z}, .spacing = 0.6};
  const dcs_config problem = problem_of(variant);
  dcs_case c;
  assert_int_equal(dcs_case_random(dcs_kind_of(variant), &problem, ATOMS, &grid, 3, &c), DCS_OK);
  if (dcs_mapper_pose_case(m, &c) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void compute(dcs_mapper *m, int64_t from, int64_t end, float *map) {
  if (dcs_mapper_slices(m, from, end, map + from * SLICE) != DCS_OK)
    fail_msg("%s: %s", m->only.variant->id, dcs_error_message());
}

static void assert_point(const dcs_variant *variant, int p) {
  const double off = fabs((double)parts[p] - (double)all[p]), size = fabs((double)all[p]);
  if (dcs_computes_slabs(variant) ? memcmp(&parts[p], &all[p], sizeof *all) != 0
                                  : !(off <= 1e-4 * (1 + size)))
    fail_msg("%s: slice %d: %.9g in a slab, %.9g", variant->id, p / SLICE, (double)parts[p],
             (double)all[p]);
}

/* Slabs from top to bottom, so that none goes on from where another ended. */
static void check(const char *device, const dcs_variant *variant, int64_t slices) {
  const dcs_mapper_options options = {.device = device, .threads = 2};
  dcs_mapper *m;
  if (dcs_mapper_open(&options, &m) != 0) fail_msg("%s", dcs_error_message());
  m->only = (dcs_method){variant, dcs_initial_config(variant, 2)};
  pose(m, variant);
  memset(parts, 0xff, sizeof parts);
  compute(m, 0, Z, all);
  for (int64_t k = (Z - 1) / slices * slices; k >= 0; k -= slices)
    compute(m, k, k + slices < Z ? k + slices : Z, parts);
  for (int p = 0; p < N; p++)
    assert_point(variant, p);
  dcs_mapper_close(m);
}

static bool is_map_by(const dcs_variant *variant, dcs_backend backend) {
  char why[DCS_TEXT];
  return variant->backend == backend && dcs_is_map(dcs_kind_of(variant)) &&
         dcs_variant_available(variant, why);
}

static void on_the_cpu(void **state) {
  (void)state;
  int n = 0;
  for (int v = 0; v < dcs_n_built_in; v++) {
    if (!is_map_by(dcs_variants[v], DCS_CPU)) continue;
    check("cpu", dcs_variants[v], 8);
    check("cpu", dcs_variants[v], 5);
    n++;
  }
  assert_true(n >= 6);
}

/* Slabs that begin where blocks of any initial configuration may. */
static void on_a_device(void **state) {
  (void)state;
  dcs_engine *engine;
  int n = 0;
  if (dcs_engine_device_open("emulated", NULL, &engine) != DCS_OK) skip();
  engine->close(engine);
  for (int v = 0; v < dcs_n_built_in; v++) {
    const dcs_variant *variant = dcs_variants[v];
    if (!is_map_by(variant, DCS_GPU)) continue;
    if (dcs_kind_of(variant) == dcs_kinds[0] && !getenv("DCS_TEST_FULL")) continue; /* slow */
    check("emulated", variant, 16);
    n++;
  }
  assert_true(n >= 5);
}

/* Devices of one map take slices of it, too. */
static void on_two_devices(void **state) {
  (void)state;
  static const char *const ids[] = {"cuda_density_cells", "cuda_orbital_constant"};
  dcs_engine *engine;
  if (dcs_engine_device_open("emulated", NULL, &engine) != DCS_OK) skip();
  engine->close(engine);
  for (int i = 0; i < 2; i++)
    check("emulated,emulated", dcs_find_variant(ids[i]), 16);
}

/* A map of more than a megabyte is copied from the device in slabs while others are computed. */
static void copied_in_slabs(dcs_engine *engine, const char *id) {
  const dcs_variant *variant = dcs_find_variant(id);
  const dcs_grid grid = {.n = {80, 66, 50}, .spacing = 0.3};
  const size_t bytes = (size_t)dcs_points(grid.n) * sizeof(float);
  const dcs_config config = dcs_initial_config(variant, 1);
  float *maps[2] = {malloc(bytes), malloc(bytes)};
  void *out[DCS_MAX_BUFFERS] = {NULL};
  dcs_code_facts facts;
  dcs_case c;
  double ns;
  assert_true(maps[0] && maps[1]);
  assert_int_equal(dcs_case_random(dcs_kind_of(variant), NULL, ATOMS, &grid, 3, &c), DCS_OK);
  for (int warm = 0; warm < 2; warm++) {
    out[dcs_map_of(dcs_kind_of(variant))] = maps[warm];
    memset(maps[warm], 0xff, bytes);
    if (engine->take(engine, dcs_kind_of(variant), &c.problem, out) != DCS_OUTCOME_OK ||
        engine->prepare(engine, 0, &c.problem.config, variant, &config, &facts) != DCS_OUTCOME_OK ||
        engine->run(engine, 0, warm ? DCS_UNTIMED_WARM : DCS_UNTIMED, DCS_PAGEABLE, 1, &ns) !=
            DCS_OUTCOME_OK)
      fail_msg("%s: %s", id, dcs_error_message());
  }
  if (memcmp(maps[0], maps[1], bytes) != 0) fail_msg("%s: slabs have other bits", id);
  free(maps[0]);
  free(maps[1]);
  dcs_case_free(&c);
}

static void while_others_are_copied(void **state) {
  (void)state;
  dcs_engine *engine;
  if (!getenv("DCS_TEST_FULL")) return; /* slow */
  if (dcs_engine_device_open("emulated", NULL, &engine) != DCS_OK) skip();
  copied_in_slabs(engine, "cuda_density_cells");
  copied_in_slabs(engine, "cuda_density_naive");
  copied_in_slabs(engine, "cuda_orbital_shared");
  engine->close(engine);
}

/* A variant that takes some inputs to some points alone is whole, or says that its slabs are. */
static void the_contract_decides(void **state) {
  (void)state;
  dcs_variant variant = *dcs_find_variant("cpu_density");
  assert_true(dcs_computes_slabs(&variant));
  variant.slabs = false;
  assert_false(dcs_computes_slabs(&variant));
  variant.candidates = NULL;
  assert_true(dcs_computes_slabs(&variant));
  assert_false(dcs_computes_slabs(dcs_find_variant("cuda_cutoff_bins")));
}

/* Where a slab is a map of its own, it has the case's basis: of functions twice as large. */
static void maps_of_their_own_have_the_basis(void **state) {
  (void)state;
  const dcs_mapper_options options = {.device = "cpu", .threads = 1};
  dcs_variant variant = *dcs_find_variant("cpu_orbital");
  dcs_mapper *m;
  variant.slabs = false;
  assert_int_equal(dcs_mapper_open(&options, &m), 0);
  m->only = (dcs_method){&variant, dcs_initial_config(&variant, 1)};
  pose(m, &variant);
  compute(m, 0, Z, all);
  for (int64_t p = 0; p < m->c.basis->n_primitives; p++)
    m->c.basis->primitives[p].coefficient *= 2;
  for (int64_t k = 0; k < Z; k += 8)
    compute(m, k, k + 8 < Z ? k + 8 : Z, parts);
  for (int p = 0; p < N; p++)
    if (!(fabs((double)parts[p] - 2 * (double)all[p]) <= 1e-5 * (1 + fabs((double)all[p]))))
      fail_msg("slice %d: %.9g, expected twice %.9g", p / SLICE, (double)parts[p], (double)all[p]);
  dcs_mapper_close(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_contract_decides), cmocka_unit_test(maps_of_their_own_have_the_basis),
      cmocka_unit_test(on_the_cpu),           cmocka_unit_test(on_a_device),
      cmocka_unit_test(on_two_devices),       cmocka_unit_test(while_others_are_copied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
