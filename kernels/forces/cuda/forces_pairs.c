/* Descriptor of cuda_forces_pairs. */
#include "kernels/forces/cuda/launch.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_Y, ADDING, ROOM, CELL_EDGE };
enum { ATOMICS, SEGMENTS };
enum { LIST = DCS_CLUSTERS_LIST, LENGTHS = DCS_CLUSTERS_COUNT };
enum { WARP = 32, MOST_ATOMS = 1 << 26 };

static const char *const ways[] = {"atomics", "segments"};
static const int room_tried[] = {512, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_y", "warps of a block, an atom each", 1, 8, 4, NULL, dcs_tries_warps, DCS_ROLE_BLOCK_Y},
    {"adding", "how forces are added: to both atoms by atomics, or rows of the list to one",
     ATOMICS, SEGMENTS, SEGMENTS, ways, NULL},
    {"room", "pairs of an atom that the list has room for, a multiple of 32", 32, 4096, 1024, NULL,
     room_tried},
    {"cell_edge", "edge of a cell in tenths of an angstrom, about", 10, 1000, 45, NULL,
     dcs_tries_forces_edge}};

static double edge_of(const dcs_config *config) {
  return config->value[CELL_EDGE] / 10;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if ((int)config->value[ROOM] % WARP != 0)
    snprintf(why, DCS_TEXT, "room=%g; expected a multiple of 32", config->value[ROOM]);
  else if (problem->n_inputs > MOST_ATOMS)
    snprintf(why, DCS_TEXT, "more than %d atoms", MOST_ATOMS);
  else
    return true;
  return false;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 9 + 5 + 2 + 18 + 12 + 8;
}

/* Of a lane, then of lanes; with atomics, all pairs of an atom. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t n = problem->n_inputs;
  return config->value[ADDING] == ATOMICS ? n : dcs_divide_up(n, WARP) + WARP + 1;
}

/* Clusters of one atom: what is within the cutoff. */
static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const double share = config->value[ADDING] == ATOMICS ? 0.5 : 1;
  *found =
      (dcs_candidates){.pairs = share * dcs_forces_cluster_pairs(problem, edge_of(config), 1, 1),
                       .fill = (double)NAN};
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_FORCES_OUT),
                                 DCS_SCRATCH(DCS_CLUSTERS_LISTS),
                                 DCS_SCRATCH(DCS_CLUSTERS_WELLS),
                                 DCS_SCRATCH(LIST),
                                 DCS_SCRATCH(LENGTHS),
                                 DCS_BUFFER(DCS_FORCES_BEGINS),
                                 DCS_BUFFER(DCS_FORCES_EXCLUDED),
                                 DCS_BUFFER(DCS_FORCES_TYPES),
                                 DCS_BUFFER(DCS_FORCES_TABLE),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  const dcs_clusters_own own = {dcs_forces_terms_of(problem),
                                dcs_forces_divide(problem, edge_of(config), DCS_FORCES_FINER)};
  const int64_t n = problem->n_inputs;
  const int warps = (int)config->value[BLOCK_Y];
  *plan =
      (dcs_plan){.chunk_inputs = n,
                 .launch_slices = 1,
                 .stored = problem->n,
                 .scratch = {[LIST] = {4 * n * (int64_t)config->value[ROOM]}, [LENGTHS] = {4 * n}},
                 .block = {WARP, warps, 1},
                 .grid = {dcs_divide_up(n, warps), 1, 1},
                 .args = args};
  memcpy(plan->own, &own, sizeof own);
  dcs_forces_add_sort(n, &own.cells, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = DCS_BUFFER(DCS_FORCES_OUT)});
  dcs_add_step(plan, (dcs_plan_step){.kernel = "list_pairs",
                                     .block = {WARP, warps, 1},
                                     .grid = {dcs_divide_up(n, warps), 1, 1},
                                     .args = args,
                                     .name = "list"});
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  dcs_forces_add_special_step(problem, plan);
}

static const char *const sources[] = {"kernels/forces/cuda/forces_pairs.cu",
                                      "kernels/forces/cuda/forces_pairs.c", DCS_FORCES_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_forces_pairs = {
    .id = "cuda_forces_pairs",
    .kind = "forces",
    .sources = sources,
    .idea = "a list of pairs, a lane each; forces added by atomics, or by rows of the list",
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
