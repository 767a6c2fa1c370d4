/* Descriptor of cuda_forces_table. */
#include "kernels/forces/cuda/launch.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY = DCS_CLUSTERS_N_PARAMS };
enum { GLOBAL, SHARED };
enum { TABLE = DCS_CLUSTERS_N_SCRATCH };
enum { MOST_BITS = 16 };
enum { SORT_THREADS = 64, MOST_SHARED = 682 /* intervals */, FIRST_EXPONENT = 0 /* of r^2 */ };

/* As in the kernel. */
typedef struct {
  dcs_clusters_own own;
  int shift, first, n;
} table_own;

static const char *const memories[] = {"global", "shared"};
static const dcs_param params[] = {
    DCS_CLUSTERS_PARAMS,
    {"memory", "where the table lies", GLOBAL, SHARED, GLOBAL, memories, NULL}};

/* What terms are off by, over their magnitude, with 2^k intervals to a power of two: r^-14 by
 * 7 / 4^k at most, and what is switched, where that is done within w of r^2, by so many cubes of
 * c^2 / w more. */
static double off_by(const dcs_problem *problem, int k) {
  const dcs_forces_terms terms = dcs_forces_terms_of(problem);
  return (7 + 0.5 * pow((double)terms.cutoff2 * (double)terms.slope, 3)) / pow(4, k);
}

/* A tenth of what is allowed is left to rounding. */
static bool is_met(const dcs_problem *problem, int k) {
  return off_by(problem, k) <= 0.9 * problem->config.value[DCS_FORCES_RADIAL_ERROR];
}

static int bits_of(const dcs_problem *problem) {
  int k = 0;
  while (k < MOST_BITS && !is_met(problem, k))
    k++;
  return k;
}

static void divide(const dcs_problem *problem, table_own *own) {
  const int k = bits_of(problem);
  const float last = dcs_forces_terms_of(problem).cutoff2;
  int32_t bits;
  memcpy(&bits, &last, sizeof bits);
  own->shift = 23 - k;
  own->first = (127 + FIRST_EXPONENT) << k;
  own->n = (bits >> own->shift) - own->first + 1;
  if (own->n < 1) own->n = 1;
}

static bool solves(const dcs_config *problem, char why[DCS_TEXT]) {
  if (problem->value[DCS_FORCES_RADIAL_ERROR] > 0) return true;
  snprintf(why, DCS_TEXT, "needs a radial_error above 0: a table is off by more than rounding");
  return false;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  table_own own;
  if (!dcs_clusters_applicable(problem, config, why)) return false;
  if (!is_met(problem, MOST_BITS)) {
    snprintf(
        why, DCS_TEXT,
        "radial_error: found %g; tables of 2^%d intervals to a power of two may be off by %.2g",
        problem->config.value[DCS_FORCES_RADIAL_ERROR], MOST_BITS, off_by(problem, MOST_BITS));
    return false;
  }
  divide(problem, &own);
  if (config->value[MEMORY] != SHARED) return true;
  if (own.n > MOST_SHARED)
    snprintf(why, DCS_TEXT, "a table of %d intervals; %d fit shared memory", own.n, MOST_SHARED);
  else if (config->value[DCS_CLUSTERS_BLOCK_Y] > 3)
    snprintf(why, DCS_TEXT, "%g warps with a table in shared memory; lists of 3 fit beside it",
             config->value[DCS_CLUSTERS_BLOCK_Y]);
  else
    return true;
  return false;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 5 + 2 + 5 + 12 + 12 + 11;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_FORCES_OUT),
                                 DCS_SCRATCH(DCS_CLUSTERS_LISTS),
                                 DCS_SCRATCH(DCS_CLUSTERS_WELLS),
                                 DCS_SCRATCH(DCS_CLUSTERS_LIST),
                                 DCS_SCRATCH(DCS_CLUSTERS_COUNT),
                                 DCS_BUFFER(DCS_FORCES_BEGINS),
                                 DCS_BUFFER(DCS_FORCES_EXCLUDED),
                                 DCS_BUFFER(DCS_FORCES_TYPES),
                                 DCS_BUFFER(DCS_FORCES_TABLE),
                                 DCS_SCRATCH(TABLE),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  static const dcs_arg filled[] = {DCS_SCRATCH(TABLE), DCS_ARG_OWN, DCS_ARG_END};
  table_own own;
  dcs_clusters_begin_plan(problem, config, args, plan);
  memcpy(&own.own, plan->own, sizeof own.own);
  divide(problem, &own);
  memcpy(plan->own, &own, sizeof own);
  plan->scratch[TABLE].bytes = 48 * (int64_t)own.n;
  dcs_add_step(plan, (dcs_plan_step){.kernel = "make_table",
                                     .block = {SORT_THREADS, 1, 1},
                                     .grid = {dcs_divide_up(own.n, SORT_THREADS), 1, 1},
                                     .args = filled,
                                     .name = "table"});
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  dcs_forces_add_special_step(problem, plan);
}

static const char *const sources[] = {"kernels/forces/cuda/forces_table.cu",
                                      "kernels/forces/cuda/forces_table.c", DCS_CLUSTERS_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_forces_table = {
    .id = "cuda_forces_table",
    .kind = "forces",
    .sources = sources,
    .idea = "a warp a cluster of near atoms; terms interpolated in a table over r^2",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = solves,
    .applicable = applicable,
    .executed = dcs_clusters_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_clusters_longest_sum,
    .candidates = dcs_clusters_candidates,
    .plan = plan,
    .looks = true,
};
