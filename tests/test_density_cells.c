/* The CUDA kernels of the density on the emulated device, against double precision: shapes around a
 * block's, widths and atoms of all kinds, and the same bits in whatever order blocks sort the
 * atoms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/embedded.h"
#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "harness/judge/oracle.h"
#include "kernels/density/density.h"
#include "tests/cache_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dcs_kind *kind;
static const dcs_variant *cells, *naive;
static char folder[] = "/tmp/dcs-test-density-XXXXXX";

enum { PAIRS, COLUMNS };

/* Few threads, because each is a fibre. */
typedef struct {
  int block_x, block_y, coarsen_z, cell_edge, tile_atoms, terms, soft;
} shape;
static const shape small = {8, 4, 4, 10, 64, COLUMNS, 0};

static dcs_config config_of(shape s) {
  return (dcs_config){
      {s.block_x, s.block_y, s.coarsen_z, s.cell_edge, s.tile_atoms, s.terms, s.soft}};
}

static int find_entries(void **state) {
  kind = dcs_find_kind("density");
  cells = dcs_find_variant("cuda_density_cells");
  naive = dcs_find_variant("cuda_density_naive");
  return kind && cells && naive && mkdtemp(folder) && cache_folder_make(state) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

static dcs_config posed(double scale, double error) {
  return (dcs_config){{[DCS_DENSITY_SCALE] = scale, [DCS_DENSITY_ERROR] = error}};
}

/* The map; the caller frees. */
static float *compute_on(const char *devices, const char *kernels, const dcs_variant *variant,
                         const dcs_config *config, const dcs_problem *problem, dcs_scope scope) {
  dcs_engine *engine;
  dcs_code_facts facts;
  double ns;
  char why[DCS_TEXT];
  float *map = calloc((size_t)dcs_points(problem->n), sizeof *map);
  assert_non_null(map);
  dcs_status status = dcs_engine_devices_open(devices, kernels, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    free(map);
    skip();
  }
  assert_int_equal(status, DCS_OK);
  if (!dcs_applicable(variant, problem, config, why)) fail_msg("%s", why);
  assert_int_equal(engine->take(engine, problem, kind->input_bytes, map), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &problem->config, variant, config, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  engine->close(engine);
  return map;
}

static float *compute(const dcs_case *c, shape s) {
  const dcs_config config = config_of(s);
  return compute_on("emulated", NULL, cells, &config, &c->problem, DCS_UNTIMED);
}

static void expect_map(const dcs_case *c, const dcs_variant *variant, const dcs_config *config,
                       float *map) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  dcs_verdict verdict = dcs_check(&reference, map, variant->longest_sum(&c->problem, config));
  dcs_reference_free(&reference);
  free(map);
  if (!verdict.accepted)
    fail_msg("%s, %d x %d x %d points: point %d is %.9g; expected %.9g", variant->id,
             (int)c->problem.n.x, (int)c->problem.n.y, (int)c->problem.n.z, (int)verdict.worst,
             verdict.found, verdict.expected);
}

static void expect_right(const dcs_case *c, shape s) {
  const dcs_config config = config_of(s);
  expect_map(c, cells, &config, compute(c, s));
}

static double between(dcs_random *random, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(random);
}

/* Atoms of radii from 0.5 to 2, uniform in the grid's box and as far around it as `beyond`, all
 * shifted. */
static dcs_case around_grid(dcs_dims n, double spacing, int64_t n_sites, double beyond,
                            double shift) {
  dcs_random random = {(uint64_t)(n.x * 31 + n.y * 7 + n_sites)};
  const double size[3] = {spacing * (double)(n.x - 1), spacing * (double)(n.y - 1),
                          spacing * (double)(n.z - 1)};
  dcs_site *sites = calloc((size_t)n_sites, sizeof *sites);
  assert_non_null(sites);
  for (int64_t a = 0; a < n_sites; a++)
    sites[a] = (dcs_site){.x = shift + between(&random, -beyond, size[0] + beyond),
                          .y = shift + between(&random, -beyond, size[1] + beyond),
                          .z = shift + between(&random, -beyond, size[2] + beyond),
                          .radius = between(&random, 0.5, 2)};
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(kind, NULL, &molecule, &grid, &c), DCS_OK);
  free(sites);
  return c;
}

static void pose(dcs_case *c, double scale, double error) {
  const dcs_config problem = posed(scale, error);
  dcs_case_pose(c, &problem);
}

/* ---- right maps ---- */

static void any_shape_of_grid(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},  {7, 3, 2},  {8, 4, 4}, {9, 5, 5},
                                   {17, 1, 7}, {1, 13, 6}, {2, 3, 31}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    dcs_case c = around_grid(sizes[s], 0.5, 150, 2.5, 0);
    pose(&c, 0.6, 1e-3);
    expect_right(&c, small);
    dcs_case_free(&c);
  }
}

/* From Gaussians that few points see to such that all do. */
static void any_width_and_error(void **state) {
  (void)state;
  static const double problems[][2] = {{0.01, 0.5}, {0.2, 1e-6}, {1, 1e-3}, {1, 0.1}, {100, 1e-6}};
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.37, 200, 3, 0);
  for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
    pose(&c, problems[i][0], problems[i][1]);
    expect_right(&c, small);
  }
  dcs_case_free(&c);
}

static void any_configuration(void **state) {
  (void)state;
  static const shape shapes[] = {{8, 4, 2, 5, 32, COLUMNS, 0}, {8, 4, 4, 1000, 32, PAIRS, 0},
                                 {16, 8, 6, 7, 96, PAIRS, 2},  {8, 8, 16, 25, 128, COLUMNS, 0},
                                 {16, 4, 8, 40, 64, PAIRS, 8}, {16, 16, 6, 30, 256, COLUMNS, 0},
                                 {8, 4, 10, 20, 64, PAIRS, 3}};
  dcs_case c = around_grid((dcs_dims){19, 13, 11}, 0.5, 400, 3, 0);
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    expect_right(&c, shapes[s]);
  dcs_case_free(&c);
}

/* More than a tile of them in one cell, in the grid and outside it but within reach; and all beyond
 * reach, where the map is zero. */
static void all_atoms_in_one_place(void **state) {
  (void)state;
  static const double shifts[] = {1.3, -1.1, -30, 1e6, 1e30};
  for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
    dcs_case c = around_grid((dcs_dims){2, 2, 2}, 1e-3, 600, 0, shifts[i]);
    c.problem.n = (dcs_dims){9, 5, 4};
    c.spacing = c.problem.spacing = 0.5f;
    expect_right(&c, small);
    dcs_case_free(&c);
  }
}

/* One reaches all points, one none but its own, one has no radius, one is far outside. */
static void any_radius(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){19, 9, 7}, 0.5, 100, 3, 0);
  dcs_gaussian *atoms = (dcs_gaussian *)c.problem.input;
  static const double radii[] = {1e18, 30, 1e-6, 1e-3};
  for (int a = 0; a < 4; a++) {
    c.sites[a].radius = radii[a];
    atoms[a].radius = (float)radii[a];
  }
  c.sites[2].x = c.sites[2].y = c.sites[2].z = 1.5;
  atoms[2].x = atoms[2].y = atoms[2].z = 1.5f;
  expect_right(&c, small);
  c.sites[4].radius = atoms[4].radius = 0;
  expect_right(&c, small);
  const dcs_config plain = {{8, 2}};
  expect_map(&c, naive, &plain,
             compute_on("emulated", NULL, naive, &plain, &c.problem, DCS_UNTIMED));
  dcs_case_free(&c);
}

/* Kernels get one atom without a radius where no other is. */
static void no_radius_is_a_map_of_zeros(void **state) {
  (void)state;
  dcs_site site = {.x = 1, .y = 1, .z = 1};
  const dcs_molecule molecule = {&site, 1};
  const dcs_grid grid = {.n = {9, 5, 3}, .spacing = 1, .has_origin = true};
  const dcs_config plain = {{8, 2}};
  dcs_case c;
  assert_int_equal(dcs_case_build(kind, NULL, &molecule, &grid, &c), DCS_OK);
  float *maps[] = {compute(&c, small),
                   compute_on("emulated", NULL, naive, &plain, &c.problem, DCS_UNTIMED)};
  for (int m = 0; m < 2; m++) {
    for (int p = 0; p < 9 * 5 * 3; p++)
      assert_true(maps[m][p] == 0);
    free(maps[m]);
  }
  dcs_case_free(&c);
}

/* Points so far apart that a cell is much larger than asked for, or so close that all are in one.
 */
static void any_spacing(void **state) {
  (void)state;
  static const double spacings[] = {1e-4, 50, 3000};
  for (int i = 0; i < 3; i++) {
    dcs_case c = around_grid((dcs_dims){17, 9, 7}, spacings[i], 500, 3, 0);
    expect_right(&c, small);
    pose(&c, 100, 1e-6);
    expect_right(&c, small);
    dcs_case_free(&c);
  }
}

/* Longer rows of cells than a block has threads that give cells their places: 64. */
static void long_rows(void **state) {
  (void)state;
  dcs_case c = around_grid((dcs_dims){230, 1, 2}, 0.5, 600, 2.5, 0);
  const dcs_config config = config_of(small);
  dcs_plan plan;
  cells->plan(&c.problem, &config, &plan);
  assert_true(plan.counters / plan.steps[1].grid > 64);
  expect_right(&c, small);
  dcs_case_free(&c);
}

/* ---- the same bits ---- */

static dcs_case sorted_case(void) {
  return around_grid((dcs_dims){17, 9, 7}, 0.5, 1500, 2, 0);
}

/* The map by the kernels with a part of the source replaced. */
static float *compute_changed(const dcs_case *c, const char *const changes[][2], int n) {
  char path[64];
  char *text = strdup(dcs_embedded(cells->sources[0]));
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
  snprintf(path, sizeof path, "%s/density_cells.cu", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  free(text);
  const dcs_config config = config_of(small);
  float *map = compute_on("emulated", folder, cells, &config, &c->problem, DCS_UNTIMED);
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
  float *map = compute(&c, small);
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

/* Parts of a map, each computed by one of two devices. */
static void parts_are_the_same_bits(void **state) {
  (void)state;
  dcs_case c = sorted_case();
  const dcs_config config = config_of(small);
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *map = compute(&c, small);
  float *parts =
      compute_on("emulated,emulated", NULL, cells, &config, &c.problem, DCS_UNTIMED_WARM);
  assert_memory_equal(parts, map, bytes);
  free(map);
  free(parts);
  dcs_case_free(&c);
}

/* ---- what is looked at ---- */

/* All pairs at most, no fewer than those that count; of Gaussians that reach everything, atoms
 * times points of whole blocks. */
static void candidates_are_between_useful_and_all(void **state) {
  (void)state;
  const dcs_config config = config_of(small);
  dcs_case c = around_grid((dcs_dims){17, 9, 7}, 0.5, 300, 0, 0);
  static const double scales[] = {0.1, 0.3, 0.6, 1};
  const double all = (double)c.problem.n_inputs * 24 * 12 * 8;
  dcs_candidates found;
  for (int i = 0; i < 4; i++) {
    pose(&c, scales[i], 0.01);
    cells->candidates(&c.problem, &config, &found);
    assert_true(found.pairs >= kind->work(&c, true) && found.pairs <= all);
    assert_true(i > 0 || found.pairs < 0.5 * all);
    assert_true(found.overflow == 0 && isnan(found.fill));
  }
  pose(&c, 40, 0.01);
  cells->candidates(&c.problem, &config, &found);
  assert_true(found.pairs == all);
  dcs_case_free(&c);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const struct {
    shape s;
    const char *why;
  } cases[] = {{{9, 4, 2, 30, 64, COLUMNS, 0}, "warps are 8 x 4"},
               {{8, 4, 3, 30, 64, COLUMNS, 0}, "even"},
               {{8, 4, 2, 30, 65, COLUMNS, 0}, "multiple of 32"},
               {{8, 4, 4, 30, 64, COLUMNS, 1}, "terms=pairs"},
               {{8, 4, 4, 30, 64, PAIRS, 5}, "of 4 points"},
               {{128, 16, 2, 30, 32, COLUMNS, 0}, "at most 1024"},
               {{8, 4, 16, 30, 512, COLUMNS, 0}, "shared memory"}};
  const dcs_problem problem = {
      .n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = posed(1, 1e-3)};
  char why[DCS_TEXT];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_config config = config_of(cases[i].s);
    assert_false(dcs_applicable(cells, &problem, &config, why));
    if (!strstr(why, cases[i].why)) fail_msg("\"%s\" lacks \"%s\"", why, cases[i].why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_shape_of_grid),
      cmocka_unit_test(any_width_and_error),
      cmocka_unit_test(any_configuration),
      cmocka_unit_test(all_atoms_in_one_place),
      cmocka_unit_test(any_radius),
      cmocka_unit_test(no_radius_is_a_map_of_zeros),
      cmocka_unit_test(any_spacing),
      cmocka_unit_test(long_rows),
      cmocka_unit_test(the_order_of_blocks_changes_no_bit),
      cmocka_unit_test(parts_are_the_same_bits),
      cmocka_unit_test(candidates_are_between_useful_and_all),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests_name("density_cells", tests, find_entries, remove_folder);
}
