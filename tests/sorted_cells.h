/* Kernels that sort atoms into cells (kernels/common/cuda/cells.cuh), on the emulated device: their
 * maps against double precision, and the same bits in whatever order blocks sort the atoms. Include
 * after cmocka.h. */
#ifndef DCS_TEST_SORTED_CELLS_H
#define DCS_TEST_SORTED_CELLS_H

#include "harness/base/embedded.h"
#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "harness/judge/oracle.h"
#include "tests/cache_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Outputs of a kind whose buffer 1 is a map. */
#define MAP_ALONE(map) ((void *[DCS_MAX_BUFFERS]){[1] = (map)})

static const dcs_variant *cells;
static const dcs_kind *kind; /* that it computes */
static char folder[] = "/tmp/dcs-test-cells-XXXXXX";

static inline int find_cells(void **state, const char *id) {
  cells = dcs_find_variant(id);
  kind = cells ? dcs_kind_of(cells) : NULL;
  return kind && mkdtemp(folder) && cache_folder_make(state) == 0 ? 0 : -1;
}

static inline int remove_folder(void **state) {
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

/* ---- problems ---- */

/* n_sites atoms, uniform in -beyond..size + beyond in each dimension, all shifted: charges of -1 to
 * 1, radii of 0.5 to 2. */
static inline dcs_case build(dcs_dims n, double spacing, int64_t n_sites, const double size[3],
                             double beyond, double shift) {
  dcs_random random = {(uint64_t)(n.x * 31 + n.y * 7 + n_sites)};
  dcs_site *sites = calloc((size_t)n_sites, sizeof *sites);
  assert_non_null(sites);
  for (int64_t a = 0; a < n_sites; a++) {
    double at[5];
    for (int i = 0; i < 5; i++)
      at[i] = dcs_random_unit(&random);
    for (int d = 0; d < 3; d++)
      at[d] = shift - beyond + (size[d] + 2 * beyond) * at[d];
    sites[a] = (dcs_site){
        .x = at[0], .y = at[1], .z = at[2], .q = 2 * at[3] - 1, .radius = 0.5 + 1.5 * at[4]};
  }
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(kind, NULL, &molecule, &grid, &c), DCS_OK);
  free(sites);
  return c;
}

/* Atoms in the grid's box and as far around it as `beyond`. */
static inline dcs_case around_grid(dcs_dims n, double spacing, int64_t n_sites, double beyond) {
  const double size[3] = {spacing * (double)(n.x - 1), spacing * (double)(n.y - 1),
                          spacing * (double)(n.z - 1)};
  return build(n, spacing, n_sites, size, beyond, 0);
}

/* ---- maps ---- */

/* The map, as scope kernel has it; the caller frees. */
static inline float *compute_on(const char *devices, const char *kernels,
                                const dcs_variant *variant, const dcs_config *config,
                                const dcs_problem *problem, dcs_scope scope) {
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
  assert_int_equal(engine->take(engine, kind, problem, MAP_ALONE(map)), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &problem->config, variant, config, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  engine->close(engine);
  return map;
}

static inline float *compute(const dcs_case *c, const dcs_config *config) {
  return compute_on("emulated", NULL, cells, config, &c->problem, DCS_UNTIMED);
}

/* Against double precision. */
static inline void expect_map(const dcs_case *c, const dcs_variant *variant,
                              const dcs_config *config) {
  char values[DCS_TEXT], problem[DCS_TEXT];
  dcs_reference reference;
  float *map = compute_on("emulated", NULL, variant, config, &c->problem, DCS_UNTIMED);
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  dcs_verdict verdict = dcs_check(&reference, map, variant->longest_sum(&c->problem, config));
  dcs_reference_free(&reference);
  free(map);
  if (!verdict.accepted)
    fail_msg("%s %s, %s, %d x %d x %d points: point %d is %.9g; expected %.9g", variant->id,
             dcs_format_config(variant, config, values),
             dcs_format_problem(kind, &c->problem.config, problem), (int)c->problem.n.x,
             (int)c->problem.n.y, (int)c->problem.n.z, (int)verdict.worst, verdict.found,
             verdict.expected);
}

/* In rows of more cells than a block has threads that give cells their places: 64. */
static inline void expect_long_rows(const dcs_case *c, const dcs_config *config) {
  dcs_plan plan;
  cells->plan(&c->problem, config, &plan);
  const dcs_plan_step *step = plan.steps;
  while (!step->kernel || strcmp(step->kernel, "place_rows") != 0)
    step++;
  assert_true(plan.scratch[1].bytes / 4 / step->grid[0] > 64);
  expect_map(c, cells, config);
}

/* Candidate pairs are all pairs at most, no fewer than the useful ones, and padding counts:
 * `points` are those of whole blocks. Returns the pairs. */
static inline double expect_candidates(const dcs_case *c, const dcs_config *config, double points) {
  dcs_candidates found;
  cells->candidates(&c->problem, config, &found);
  assert_true(found.pairs >= kind->work(c, true));
  assert_true(found.pairs <= (double)c->problem.n_inputs * points);
  assert_true(found.overflow == 0 && isnan(found.fill));
  return found.pairs;
}

/* ---- the same bits ---- */

/* `text` (freed) with the first `from` replaced, if it is there. */
static inline char *replaced(char *text, const char *from, const char *to, bool *found) {
  char *at = strstr(text, from), *next;
  if (!at) return text;
  *found = true;
  assert_true(asprintf(&next, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
  free(text);
  return next;
}

/* Writes a file of the kernels with parts replaced into the folder; its name is `path`. */
static inline void write_changed(const char *source, const char *const changes[][2], int n,
                                 bool *found, char path[128]) {
  char *text = strdup(dcs_embedded(source));
  assert_non_null(text);
  for (int i = 0; i < n; i++)
    text = replaced(text, changes[i][0], changes[i][1], &found[i]);
  snprintf(path, 128, "%s%s", folder, strrchr(source, '/'));
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  free(text);
}

/* The map by the kernels with parts of the source, or of its headers, replaced. */
static inline float *compute_changed(const dcs_case *c, const dcs_config *config,
                                     const char *const changes[][2], int n) {
  bool found[8] = {false};
  char paths[4][128];
  int files = 0;
  for (const char *const *source = cells->sources; *source; source++)
    if (strstr(*source, ".cu")) write_changed(*source, changes, n, found, paths[files++]);
  for (int i = 0; i < n; i++)
    if (!found[i]) fail_msg("no \"%s\" in the kernels", changes[i][0]);
  float *map = compute_on("emulated", folder, cells, config, &c->problem, DCS_UNTIMED);
  while (files > 0)
    unlink(paths[--files]);
  return map;
}

/* On a card groups and rows come in any order; here, from the last to the first. */
static inline void expect_any_order(const dcs_case *c, const dcs_config *config) {
  static const char *const changes[][2] = {
      {"a = blockIdx.x * SORT_THREADS + t;",
       "a = (gridDim.x - 1 - blockIdx.x) * SORT_THREADS + t;"},
      {"row = blockIdx.x,", "row = gridDim.x - 1 - blockIdx.x,"},
      {"if (g - 1 < before) place",
       "if (g - 1 >= before && g - 1 < before + SORT_THREADS) break; else place"}};
  size_t bytes = (size_t)dcs_points(c->problem.n) * sizeof(float);
  float *map = compute(c, config);
  float *backwards = compute_changed(c, config, changes, 2);
  assert_memory_equal(backwards, map, bytes);
  /* The comparison can fail: with groups as they came it does. */
  float *unsorted = compute_changed(c, config, changes + 2, 1);
  assert_memory_not_equal(unsorted, map, bytes);
  free(map);
  free(backwards);
  free(unsorted);
}

/* The sorting of a map leaves what the next one finds. */
static inline void expect_same_next(const dcs_case *c, const dcs_config *config) {
  size_t bytes = (size_t)dcs_points(c->problem.n) * sizeof(float);
  float *map = compute(c, config), *next = malloc(bytes);
  dcs_engine *engine;
  dcs_code_facts facts;
  double ns;
  assert_non_null(next);
  assert_int_equal(dcs_engine_devices_open("emulated", NULL, &engine), DCS_OK);
  assert_int_equal(engine->take(engine, kind, &c->problem, MAP_ALONE(next)), DCS_OUTCOME_OK);
  assert_int_equal(engine->prepare(engine, 0, &c->problem.config, cells, config, &facts),
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
}

/* Parts of a map, each computed by one of two devices. */
static inline void expect_same_parts(const dcs_case *c, const dcs_config *config) {
  size_t bytes = (size_t)dcs_points(c->problem.n) * sizeof(float);
  float *map = compute(c, config);
  float *parts =
      compute_on("emulated,emulated", NULL, cells, config, &c->problem, DCS_UNTIMED_WARM);
  assert_memory_equal(parts, map, bytes);
  free(map);
  free(parts);
}

/* ---- configurations ---- */

/* A configuration that does not fit, and what the refusal says. */
typedef struct {
  dcs_config config;
  const char *why;
} refusal;

static inline void expect_refusals(const dcs_config *problem_config, const refusal *list, int n) {
  const dcs_problem problem = {
      .n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = *problem_config};
  char why[DCS_TEXT];
  for (int i = 0; i < n; i++) {
    assert_false(dcs_applicable(cells, &problem, &list[i].config, why));
    if (!strstr(why, list[i].why)) fail_msg("\"%s\" lacks \"%s\"", why, list[i].why);
  }
}

#endif
