/* cuda_mesh on the emulated device: maps to a tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/engine/engine.h"
#include "tests/cache_folder.h"
#include "tests/periodic_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float map[MOST_POINTS];
static const dcs_variant *variant;

static void compute(const dcs_case *c, const dcs_config *config) {
  dcs_engine *engine;
  dcs_code_facts facts;
  double ns;
  char why[DCS_TEXT];
  if (!dcs_applicable(variant, &c->problem, config, why)) fail_msg("inapplicable: %s", why);
  assert_int_equal(dcs_engine_devices_open("emulated", NULL, &engine), DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &c->problem, OUT(map)), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &c->problem.config, variant, config, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  engine->close(engine);
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
}

/* One configuration of each precision, so that few are compiled. */
static void maps_of_all_kinds(void **state) {
  (void)state;
  static const double tolerances[] = {1e-2, 1e-4, 1e-5};
  for (int scene = 0; scene < N_SCENES; scene++) {
    const int t = scene % 3;
    const dcs_config config = {{8, 8, 4, 30, 256, 0, 40, t == 2}};
    char what[64];
    dcs_case c = case_of(scene, 77 + (uint64_t)scene, tolerances[t]);
    compute(&c, &config);
    snprintf(what, sizeof what, "%s", scenes[scene]);
    const double most = expect_tolerance(&c, map, what);
    if (getenv("DCS_TEST_TELL")) printf("%-12s %g: %.3f of it\n", what, tolerances[t], most);
  }
}

/* Grids of few points: what a launch costs is not theirs. */
static void periodic_maps_of_all_kinds(void **state) {
  (void)state;
  static const double tolerances[] = {1e-2, 1e-4, 1e-5};
  for (int scene = 0; scene < N_CELLS; scene++) {
    const int t = scene % 3;
    const dcs_config config = {{8, 8, 4, 30, 256, 0, 40, t == 2}};
    dcs_case c = periodic_case(scene, 99 + (uint64_t)scene, tolerances[t], 5);
    compute(&c, &config);
    const double most = expect_tolerance(&c, map, cells[scene]);
    if (getenv("DCS_TEST_TELL"))
      printf("%-12s %g: %.3f of it\n", cells[scene], tolerances[t], most);
  }
}

/* Of a line in y: as many points as a pass along it has threads, and more. */
static void lines_longer_than_a_grid_are_refused(void **state) {
  (void)state;
  const dcs_config config = {{8, 8, 4, 30, 256, 8, 40, 1}};
  dcs_problem line = {
      .n_inputs = 100, .n = {1, 4 * 65535, 1}, .spacing = 0.05f, .config = to_tolerance(1e-2)};
  char why[DCS_TEXT] = "";
  if (!dcs_applicable(variant, &line, &config, why)) fail_msg("inapplicable: %s", why);
  line.n.y++;
  assert_false(dcs_applicable(variant, &line, &config, why));
  assert_string_equal(why, "262141 points in y; at most 262140");
}

static int find_variant(void **state) {
  variant = dcs_find_variant("cuda_mesh");
  return cache_folder_make(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(maps_of_all_kinds),
                                     cmocka_unit_test(periodic_maps_of_all_kinds),
                                     cmocka_unit_test(lines_longer_than_a_grid_are_refused)};
  return cmocka_run_group_tests_name("the mesh method on CUDA", tests, find_variant,
                                     cache_folder_remove);
}
