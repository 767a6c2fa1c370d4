/* Descriptor of cuda_surface. */
#include "kernels/surface/surface.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK, SCAN };
enum { SCAN_BLOCK, SCAN_LEVELS };
enum { INSIDE, BEFORE, SUMS, LEVEL };
enum { WARP = 32 };

static const int block_tried[] = {64, 128, 256, 512, DCS_TRIES_END};
static const char *const scans[] = {"block", "levels"};
static const dcs_param params[] = {
    {"block", "threads of a block", WARP, 1024, 256, NULL, block_tried, DCS_ROLE_NONE},
    {.name = "scan",
     .meaning = "who scans the blocks' sums: one block, or blocks in two levels",
     .hi = 1,
     .initial = SCAN_BLOCK,
     .labels = scans}};

/* What kernels get. */
typedef struct {
  int nx, ny, nz, words;
} surface_grid;
typedef struct {
  surface_grid grid;
  long long words; /* of all rows */
} own_values;

static int64_t all_words(const dcs_problem *problem) {
  return problem->n.y * problem->n.z * dcs_divide_up(problem->n.x, WARP);
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const dcs_dims n = problem->n;
  if ((int)config->value[BLOCK] % WARP != 0)
    snprintf(why, DCS_TEXT, "block=%g; expected a multiple of 32, a warp", config->value[BLOCK]);
  else if (n.x > INT_MAX - WARP || n.y > INT_MAX - 1 || n.z > INT_MAX - 1)
    snprintf(why, DCS_TEXT, "more than %d points in a dimension", INT_MAX - WARP);
  else if (all_words(problem) > INT_MAX)
    snprintf(why, DCS_TEXT, "more than %d words of 32 points", INT_MAX);
  else
    return dcs_surface_fits(problem, why);
  return false;
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return (dcs_dims){dcs_round_up(problem->n.x, WARP), problem->n.y, problem->n.z};
}

/* Of a vertex: two differences, a quotient, a sum. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 4;
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)problem;
  (void)config;
  return 1;
}

#define OWN DCS_OWN_AT(offsetof(own_values, grid)), DCS_OWN_AT(offsetof(own_values, words))

static void add_scan(int64_t sums, int threads, bool levels, dcs_plan *plan) {
  static const dcs_arg scan[] = {DCS_SCRATCH(SUMS), DCS_OWN_AT(offsetof(own_values, words)),
                                 DCS_ARG_END};
  static const dcs_arg sum_level[] = {DCS_SCRATCH(LEVEL), DCS_SCRATCH(SUMS),
                                      DCS_OWN_AT(offsetof(own_values, words)), DCS_ARG_END};
  static const dcs_arg scan_level[] = {DCS_SCRATCH(SUMS), DCS_SCRATCH(LEVEL),
                                       DCS_OWN_AT(offsetof(own_values, words)), DCS_ARG_END};
  dcs_plan_step step = {
      .kernel = "scan", .block = {threads, 1, 1}, .grid = {1, 1, 1}, .args = scan};
  if (levels) {
    step.grid[0] = dcs_divide_up(sums, threads);
    step.kernel = "sum_level";
    step.args = sum_level;
    dcs_add_step(plan, step);
    step.kernel = "scan_level";
    step.args = scan_level;
  }
  dcs_add_step(plan, step);
}

static void add_steps(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg classify[] = {DCS_SCRATCH(INSIDE), DCS_BUFFER(DCS_SURFACE_MAP),
                                     DCS_BUFFER(DCS_SURFACE_LEVEL), OWN, DCS_ARG_END};
  static const dcs_arg count[] = {DCS_SCRATCH(BEFORE),
                                  DCS_SCRATCH(SUMS),
                                  DCS_SCRATCH(INSIDE),
                                  DCS_BUFFER(DCS_SURFACE_CASES),
                                  OWN,
                                  DCS_ARG_END};
  const int threads = (int)config->value[BLOCK];
  const int64_t words = all_words(problem);
  dcs_add_step(plan, (dcs_plan_step){.kernel = "classify",
                                     .block = {WARP, threads / WARP, 1},
                                     .grid = {dcs_divide_up(words, threads / WARP), 1, 1},
                                     .args = classify});
  dcs_add_step(plan, (dcs_plan_step){.kernel = "count",
                                     .block = {threads, 1, 1},
                                     .grid = {dcs_divide_up(words, threads), 1, 1},
                                     .args = count});
  add_scan(dcs_divide_up(words, threads), threads, config->value[SCAN] == SCAN_LEVELS, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES, .name = "emit"});
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_SURFACE_VERTICES),
                                 DCS_BUFFER(DCS_SURFACE_TRIANGLES),
                                 DCS_BUFFER(DCS_SURFACE_MAP),
                                 DCS_BUFFER(DCS_SURFACE_LEVEL),
                                 DCS_BUFFER(DCS_SURFACE_CASES),
                                 DCS_SCRATCH(INSIDE),
                                 DCS_SCRATCH(BEFORE),
                                 DCS_SCRATCH(SUMS),
                                 OWN,
                                 DCS_ARG_END};
  const dcs_dims n = problem->n;
  const int threads = (int)config->value[BLOCK];
  const int64_t words = all_words(problem), sums = dcs_divide_up(words, threads);
  const own_values own = {{(int)n.x, (int)n.y, (int)n.z, (int)dcs_divide_up(n.x, WARP)}, words};
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = n.z,
                     .stored = n,
                     .scratch = {[INSIDE] = {4 * words},
                                 [BEFORE] = {8 * words},
                                 [SUMS] = {8 * sums},
                                 [LEVEL] = {8 * dcs_divide_up(sums, threads)}},
                     .block = {WARP, threads / WARP, 1},
                     .grid = {dcs_divide_up(words, threads / WARP), 1, 1},
                     .args = args};
  memcpy(plan->own, &own, sizeof own);
  add_steps(problem, config, plan);
}

static const char *const sources[] = {
    "kernels/surface/cuda/surface.cu",  "kernels/surface/cuda/surface.c",
    "kernels/surface/cuda/surface.cuh", "kernels/surface/cases.c",
    "kernels/surface/surface.h",        NULL};

const dcs_variant dcs_variant_cuda_surface = {
    .id = "cuda_surface",
    .kind = "surface",
    .sources = sources,
    .idea = "bits by ballot; count, scan and emit, a warp for the 32 points of a word",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = plan,
};
