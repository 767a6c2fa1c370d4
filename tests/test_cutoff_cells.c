/* The map of a cutoff by sorted cells, on the emulated device, against double precision: shapes
 * around a block's, cutoffs and atoms of all kinds, and the same bits in whatever order blocks sort
 * the atoms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/embedded.h"
#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "harness/judge/oracle.h"
#include "tests/cache_folder.h"
#include "tests/plain_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const dcs_variant *cells;
static char folder[] = "/tmp/dcs-test-cells-XXXXXX";

/* Few threads, because each is a fibre. */
typedef struct {
  int block_x, block_y, coarsen_z, cell_edge, tile_atoms;
} shape;
static const shape small = {8, 4, 3, 10, 64};

static dcs_config config_of(shape s) {
  return (dcs_config){{s.block_x, s.block_y, s.coarsen_z, s.cell_edge, s.tile_atoms}};
}

static int find_cells(void **state) {
  cells = dcs_find_variant("cuda_cutoff_cells");
  return cells && mkdtemp(folder) && cache_folder_make(state) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

/* The map, as scope kernel has it; the caller frees. */
static float *compute_on(const char *devices, const char *kernels, const dcs_problem *problem,
                         shape s, dcs_scope scope) {
  dcs_engine *engine;
  dcs_code_facts facts;
  double ns;
  char why[DCS_TEXT];
  const dcs_config config = config_of(s);
  float *map = calloc((size_t)dcs_points(problem->n), sizeof *map);
  assert_non_null(map);
  dcs_status status = dcs_engine_devices_open(devices, kernels, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    free(map);
    skip();
  }
  assert_int_equal(status, DCS_OK);
  if (!dcs_applicable(cells, problem, &config, why)) fail_msg("%s", why);
  assert_int_equal(engine->take(engine, problem, sizeof(dcs_atom), map), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &problem->config, cells, &config, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  engine->close(engine);
  return map;
}

static void expect_right(dcs_case *c, shape s, double cutoff, int switching) {
  dcs_reference reference;
  const dcs_config config = config_of(s);
  pose_within(c, cutoff, switching);
  float *map = compute_on("emulated", NULL, &c->problem, s, DCS_UNTIMED);
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  dcs_verdict verdict = dcs_check(&reference, map, cells->longest_sum(&c->problem, &config));
  dcs_reference_free(&reference);
  free(map);
  if (!verdict.accepted)
    fail_msg("%d x %d x %d points, cutoff %g, edge %d: point %d is %.9g; expected %.9g",
             (int)c->problem.n.x, (int)c->problem.n.y, (int)c->problem.n.z, cutoff, s.cell_edge,
             (int)verdict.worst, verdict.found, verdict.expected);
}

/* n_sites atoms, uniform in -reach..size + reach in each dimension. */
static dcs_case build(dcs_dims n, double spacing, int64_t n_sites, const double size[3],
                      double reach, double shift) {
  dcs_random random = {(uint64_t)(n.x * 31 + n.y * 7 + n_sites)};
  dcs_site *sites = calloc((size_t)n_sites, sizeof *sites);
  assert_non_null(sites);
  for (int64_t a = 0; a < n_sites; a++)
    sites[a] = (dcs_site){.x = shift + between(&random, -reach, size[0] + reach),
                          .y = shift + between(&random, -reach, size[1] + reach),
                          .z = shift + between(&random, -reach, size[2] + reach),
                          .q = between(&random, -1, 1)};
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &molecule, &grid, &c), DCS_OK);
  free(sites);
  return c;
}

/* Atoms in the grid's box and as far around it as `reach`. */
static dcs_case around_grid(dcs_dims n, double spacing, int64_t atoms, double reach) {
  const double size[3] = {spacing * (double)(n.x - 1), spacing * (double)(n.y - 1),
                          spacing * (double)(n.z - 1)};
  return build(n, spacing, atoms, size, reach, 0);
}

static void any_shape_of_grid(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},  {7, 3, 2},  {8, 4, 3},  {9, 5, 4},
                                   {17, 1, 7}, {1, 13, 5}, {2, 3, 31}, {23, 11, 5}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    dcs_case c = around_grid(sizes[s], 0.5, 150, 2.5);
    expect_right(&c, small, 2, DCS_SWITCHING_NONE);
    expect_right(&c, small, 2, DCS_SWITCHING_C2);
    dcs_case_free(&c);
  }
}

/* From none but a few pairs to a cutoff that hides nothing, and beyond what an int could hold. */
static void any_cutoff(void **state) {
  (void)state;
  static const double cutoffs[] = {0.001, 0.1, 0.9, 3, 40, 1e6, 1e12};
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.37, 200, 3);
  for (size_t i = 0; i < sizeof cutoffs / sizeof cutoffs[0]; i++) {
    expect_right(&c, small, cutoffs[i], DCS_SWITCHING_NONE);
    expect_right(&c, small, cutoffs[i], DCS_SWITCHING_C2);
  }
  dcs_case_free(&c);
}

static void any_configuration(void **state) {
  (void)state;
  static const shape shapes[] = {{8, 4, 1, 5, 32},    {8, 4, 3, 1000, 32}, {16, 8, 5, 7, 96},
                                 {8, 8, 16, 25, 512}, {16, 4, 2, 40, 64},  {16, 16, 8, 30, 1024}};
  dcs_case c = around_grid((dcs_dims){19, 13, 11}, 0.5, 400, 3);
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    expect_right(&c, shapes[s], 2.7, s % 2 ? DCS_SWITCHING_C2 : DCS_SWITCHING_NONE);
  dcs_case_free(&c);
}

/* More than a piece of them in one cell, in the grid and outside it but within reach; and all
 * beyond reach, where the map is zero. */
static void all_atoms_in_one_place(void **state) {
  (void)state;
  static const double point[3] = {0, 0, 0}, shifts[] = {1.3, -1.1, -30, 1e6, 1e30};
  for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
    dcs_case c = build((dcs_dims){9, 5, 4}, 0.5, 600, point, 0.001, shifts[i]);
    expect_right(&c, small, 2.5, DCS_SWITCHING_C2);
    dcs_case_free(&c);
  }
}

/* Points so far apart that a cell is much larger than asked for, or so close that all are in one.
 */
static void any_spacing(void **state) {
  (void)state;
  static const double spacings[] = {1e-4, 50, 3000};
  for (int i = 0; i < 3; i++) {
    dcs_case c = around_grid((dcs_dims){17, 9, 7}, spacings[i], 500, 3);
    expect_right(&c, small, 3, DCS_SWITCHING_NONE);
    expect_right(&c, small, 1.5 * spacings[i], DCS_SWITCHING_C2);
    dcs_case_free(&c);
  }
}

/* Longer rows of cells than a block has threads that give cells their places: 64. */
static void long_rows(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){230, 1, 2}, 0.5, 600, 2.5);
  const dcs_config config = config_of(small);
  dcs_plan plan;
  pose_within(&c, 2, DCS_SWITCHING_C2);
  cells->plan(&c.problem, &config, &plan);
  assert_true(plan.counters / plan.steps[1].grid > 64);
  expect_right(&c, small, 2, DCS_SWITCHING_C2);
  dcs_case_free(&c);
}

/* ---- the same bits ---- */

static dcs_case sorted_case(void) {
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 1500, 2);
  pose_within(&c, 2.5, DCS_SWITCHING_C2);
  return c;
}

/* The map by the kernels with a part of the source replaced. */
static float *compute_changed(const dcs_case *c, const char *const changes[][2], int n) {
  char path[64];
  char *text = strdup(dcs_embedded("kernels/coulomb/cuda/cutoff_cells.cu"));
  assert_non_null(text);
  for (int i = 0; i < n; i++) {
    char *at = strstr(text, changes[i][0]);
    if (!at) fail_msg("no \"%s\" in the kernels", changes[i][0]);
    size_t head = (size_t)(at - text), old = strlen(changes[i][0]);
    char *next = malloc(strlen(text) + strlen(changes[i][1]) + 1);
    assert_non_null(next);
    memcpy(next, text, head);
    strcpy(next + head, changes[i][1]);
    strcat(next, text + head + old);
    free(text);
    text = next;
  }
  snprintf(path, sizeof path, "%s/cutoff_cells.cu", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  free(text);
  float *map = compute_on("emulated", folder, &c->problem, small, DCS_UNTIMED);
  unlink(path);
  return map;
}

/* On a card groups and rows come in any order; here, from the last to the first. */
static void the_order_of_blocks_changes_no_bit(void **state) {
  (void)state;
  static const char *const changes[][2] = {
      {"a = blockIdx.x * SORT_THREADS + t;",
       "a = (gridDim.x - 1 - blockIdx.x) * SORT_THREADS + t;"},
      {"row = blockIdx.x,", "row = gridDim.x - 1 - blockIdx.x,"},
      {"if (g - 1 < before) place",
       "if (g - 1 >= before && g - 1 < before + SORT_THREADS) break; else place"}};
  dcs_case c = sorted_case();
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *map = compute_on("emulated", NULL, &c.problem, small, DCS_UNTIMED);
  float *backwards = compute_changed(&c, changes, 2);
  assert_memory_equal(backwards, map, bytes);
  /* The comparison can fail: with groups as they came it does. */
  float *unsorted = compute_changed(&c, changes + 2, 1);
  assert_memory_not_equal(unsorted, map, bytes);
  free(map);
  free(backwards);
  free(unsorted);
  dcs_case_free(&c);
}

/* The sorting of a map leaves what the next one finds. */
static void the_next_map_is_the_same(void **state) {
  (void)state;
  dcs_case c = sorted_case();
  const dcs_config config = config_of(small);
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *map = compute_on("emulated", NULL, &c.problem, small, DCS_UNTIMED);
  float *next = malloc(bytes);
  dcs_engine *engine;
  dcs_code_facts facts;
  double ns;
  assert_non_null(next);
  assert_int_equal(dcs_engine_devices_open("emulated", NULL, &engine), DCS_OK);
  assert_int_equal(engine->take(engine, &c.problem, sizeof(dcs_atom), next), DCS_OUTCOME_OK);
  assert_int_equal(engine->prepare(engine, 0, &c.problem.config, cells, &config, &facts),
                   DCS_OUTCOME_OK);
  for (int i = 0; i < 4; i++) {
    memset(next, 0xff, bytes);
    dcs_scope scope = i % 2 ? DCS_UNTIMED_WARM : DCS_UNTIMED;
    assert_int_equal(engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns), DCS_OUTCOME_OK);
    assert_memory_equal(next, map, bytes);
  }
  engine->close(engine);
  free(map);
  free(next);
  dcs_case_free(&c);
}

/* Parts of a map, each computed by one of two devices. */
static void parts_are_the_same_bits(void **state) {
  (void)state;
  dcs_case c = sorted_case();
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *map = compute_on("emulated", NULL, &c.problem, small, DCS_UNTIMED);
  float *parts = compute_on("emulated,emulated", NULL, &c.problem, small, DCS_UNTIMED_WARM);
  assert_memory_equal(parts, map, bytes);
  free(map);
  free(parts);
  dcs_case_free(&c);
}

/* ---- candidate pairs ---- */

/* All pairs at most, no fewer than those within the cutoff, and padding counts: with a cutoff that
 * hides nothing, atoms times points of whole blocks. */
static void candidate_pairs_are_between_within_and_all(void **state) {
  (void)state;
  const dcs_config config = config_of(small);
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 300, 0);
  static const double cutoffs[] = {0.4, 1, 2, 5};
  for (int i = 0; i < 4; i++) {
    dcs_candidates found;
    pose_within(&c, cutoffs[i], DCS_SWITCHING_NONE);
    cells->candidates(&c.problem, &config, &found);
    assert_true(found.pairs >= c.kind->work(&c, true));
    assert_true(found.pairs <= (double)c.problem.n_inputs * 24 * 12 * 9);
    assert_true(found.overflow == 0 && isnan(found.fill));
  }
  dcs_candidates all;
  pose_within(&c, 40, DCS_SWITCHING_NONE);
  cells->candidates(&c.problem, &config, &all);
  assert_true(all.pairs == (double)c.problem.n_inputs * 24 * 12 * 9);
  dcs_case_free(&c);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const struct {
    shape s;
    const char *why;
  } cases[] = {{{9, 4, 1, 30, 64}, "warps are 8 x 4"},
               {{8, 4, 1, 30, 65}, "multiple of 32"},
               {{128, 16, 1, 30, 64}, "at most 1024"},
               {{32, 32, 1, 30, 1024}, "shared memory"}};
  const dcs_problem problem = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = {{3}}};
  char why[DCS_TEXT];
  for (int i = 0; i < 4; i++) {
    const dcs_config config = config_of(cases[i].s);
    assert_false(dcs_applicable(cells, &problem, &config, why));
    assert_non_null(strstr(why, cases[i].why));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_shape_of_grid),
      cmocka_unit_test(any_cutoff),
      cmocka_unit_test(any_configuration),
      cmocka_unit_test(all_atoms_in_one_place),
      cmocka_unit_test(any_spacing),
      cmocka_unit_test(long_rows),
      cmocka_unit_test(the_order_of_blocks_changes_no_bit),
      cmocka_unit_test(the_next_map_is_the_same),
      cmocka_unit_test(parts_are_the_same_bits),
      cmocka_unit_test(candidate_pairs_are_between_within_and_all),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests_name("cutoff_cells", tests, find_cells, remove_folder);
}
