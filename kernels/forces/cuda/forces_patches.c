/* Descriptor of cuda_forces_patches. */
#include "kernels/forces/cuda/launch.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_X };
enum { MOST_PATTERNS = 64, AROUND = 27, MOST_IN_Y = 65535, MOST_ATOMS = 1 << 26 };

/* As in the kernels. */
typedef struct {
  dcs_clusters_own own;
  int n_patterns;
  uint32_t bits[MOST_PATTERNS][2];
} patches_own;
_Static_assert(sizeof(patches_own) <= DCS_OWN_BYTES, "a plan holds the patterns");

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const dcs_param params[] = {{"block_x", "threads of a block, a multiple of 32", 32, 256, 64,
                                    NULL, block_x_tried, DCS_ROLE_BLOCK_X}};

/* ---- patterns ---- */

/* Bit 32 + d: the atom d further on is excluded; itself is. False: one is too far on. */
static bool pattern_of(const int32_t *begins, const int32_t *excluded, int64_t a, uint64_t *bits) {
  *bits = UINT64_C(1) << 32;
  for (int32_t e = begins[a]; e < begins[a + 1]; e++) {
    const int64_t bit = excluded[e] - a + 32;
    if (bit < 0 || bit >= 64) return false;
    *bits |= UINT64_C(1) << bit;
  }
  return true;
}

/* Lists the first different patterns; where inputs are not known there are none. */
static void list_patterns(const dcs_problem *problem, patches_own *own) {
  const int32_t *begins = problem->input[DCS_FORCES_BEGINS];
  own->n_patterns = 0;
  for (int64_t a = 0; begins && a < problem->n_inputs && own->n_patterns < MOST_PATTERNS; a++) {
    uint64_t bits;
    if (!pattern_of(begins, problem->input[DCS_FORCES_EXCLUDED], a, &bits)) continue;
    const uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
    int k = 0;
    while (k < own->n_patterns && (own->bits[k][0] != low || own->bits[k][1] != high))
      k++;
    own->bits[k][0] = low;
    own->bits[k][1] = high;
    own->n_patterns += k == own->n_patterns;
  }
}

/* ---- patches ---- */

/* A hundredth more than the cutoff, so that rounding moves no pair farther apart than neighbours.
 */
static dcs_forces_grid patches_of(const dcs_problem *problem) {
  return dcs_forces_divide(problem, 1.01 * problem->config.value[DCS_FORCES_CUTOFF], 1);
}

static int64_t count(const dcs_forces_grid *grid) {
  return (int64_t)grid->n[0] * grid->n[1] * grid->n[2];
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if ((int)config->value[BLOCK_X] % 32 != 0)
    snprintf(why, DCS_TEXT, "%g threads; expected a multiple of 32, a warp",
             config->value[BLOCK_X]);
  else if (problem->n_inputs > MOST_ATOMS)
    snprintf(why, DCS_TEXT, "more than %d atoms", MOST_ATOMS);
  else
    return true;
  return false;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 5 + 2 + 18 + 12 + 11 + 7;
}

/* Of a cell, in a tile of a thread each; then these, and the cells around. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t block = (int64_t)config->value[BLOCK_X];
  return block + dcs_divide_up(problem->n_inputs, block) + AROUND;
}

/* All pairs of neighbouring cells, about: of atoms that are spread evenly. */
static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_forces_grid grid = patches_of(problem);
  const double n = (double)problem->n_inputs, each = n / (double)count(&grid);
  double around = 1;
  (void)config;
  for (int d = 0; d < 3; d++)
    around *= grid.periodic || grid.n[d] > 3 ? 3 : grid.n[d];
  *found = (dcs_candidates){.pairs = n * around * each, .fill = (double)NAN};
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_FORCES_OUT),
                                 DCS_SCRATCH(DCS_CLUSTERS_LISTS),
                                 DCS_SCRATCH(DCS_CLUSTERS_WELLS),
                                 DCS_BUFFER(DCS_FORCES_BEGINS),
                                 DCS_BUFFER(DCS_FORCES_EXCLUDED),
                                 DCS_BUFFER(DCS_FORCES_TYPES),
                                 DCS_BUFFER(DCS_FORCES_TABLE),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  static const dcs_arg found[] = {DCS_SCRATCH(DCS_CLUSTERS_WELLS),
                                  DCS_BUFFER(DCS_FORCES_BEGINS),
                                  DCS_BUFFER(DCS_FORCES_EXCLUDED),
                                  DCS_ARG_N_INPUTS,
                                  DCS_ARG_OWN,
                                  DCS_ARG_END};
  patches_own own = {.own = {dcs_forces_terms_of(problem), patches_of(problem)}};
  const int64_t n = problem->n_inputs, cells = count(&own.own.cells);
  list_patterns(problem, &own);
  *plan = (dcs_plan){
      .chunk_inputs = n,
      .launch_slices = 1,
      .stored = problem->n,
      .block = {(int)config->value[BLOCK_X], 1, 1},
      .grid = {AROUND, cells < MOST_IN_Y ? cells : MOST_IN_Y, dcs_divide_up(cells, MOST_IN_Y)},
      .args = args};
  memcpy(plan->own, &own, sizeof own);
  dcs_forces_add_sort(n, &own.own.cells, plan);
  dcs_add_step(plan, (dcs_plan_step){.kernel = "find_patterns",
                                     .block = {64, 1, 1},
                                     .grid = {dcs_divide_up(n, 64), 1, 1},
                                     .args = found,
                                     .name = "patterns"});
  dcs_plan_adds_to(plan, DCS_FORCES_OUT);
  dcs_forces_add_special_step(problem, plan);
}

static const char *const sources[] = {"kernels/forces/cuda/forces_patches.cu",
                                      "kernels/forces/cuda/forces_patches.c", DCS_FORCES_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_forces_patches = {
    .id = "cuda_forces_patches",
    .kind = "forces",
    .sources = sources,
    .idea = "a block a pair of cells as wide as the cutoff; exclusions as bits in constant memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
    .looks = true,
};
