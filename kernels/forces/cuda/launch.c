#include "kernels/forces/cuda/launch.h"

#include <stdio.h>
#include <string.h>

enum { SORT_THREADS = 64, WARP = 32, MOST_ATOMS = 1 << 26 /* 28 bytes each, counted by int */ };

const int dcs_tries_warps[] = {1, 2, 4, 8, DCS_TRIES_END};
const int dcs_tries_cluster[] = {4, 8, 16, 32, DCS_TRIES_END};
const int dcs_tries_forces_edge[] = {35, 45, 55, 65, DCS_TRIES_END};

static int size_of(const dcs_config *config) {
  return (int)config->value[DCS_CLUSTERS_SIZE];
}

static double edge_of(const dcs_config *config) {
  return config->value[DCS_CLUSTERS_CELL_EDGE] / 10;
}

bool dcs_clusters_applicable(const dcs_problem *problem, const dcs_config *config,
                             char why[DCS_TEXT]) {
  const int size = size_of(config);
  if ((size & (size - 1)) != 0)
    snprintf(why, DCS_TEXT, "clusters of %d atoms; expected 4, 8, 16 or 32, which share a warp",
             size);
  else if (problem->n_inputs > MOST_ATOMS)
    snprintf(why, DCS_TEXT, "more than %d atoms", MOST_ATOMS);
  else
    return true;
  return false;
}

dcs_dims dcs_clusters_executed(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_dims){dcs_round_up(problem->n.x, size_of(config)), 1, 1};
}

/* Of a list of 32 that the groups of lanes share, then these, then the groups. */
int64_t dcs_clusters_longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int groups = WARP / size_of(config);
  return WARP / groups + dcs_divide_up(problem->n_inputs, WARP) + groups;
}

void dcs_clusters_candidates(const dcs_problem *problem, const dcs_config *config,
                             dcs_candidates *found) {
  const int size = size_of(config);
  *found = (dcs_candidates){
      .pairs = dcs_forces_cluster_pairs(problem, edge_of(config), size, WARP / size),
      .fill = (double)NAN};
}

/* ---- plan ---- */

#define LISTS    DCS_SCRATCH(DCS_CLUSTERS_LISTS)
#define COUNTERS DCS_SCRATCH(DCS_CLUSTERS_COUNTERS)
#define WELLS    DCS_SCRATCH(DCS_CLUSTERS_WELLS)
#define CLUSTERS DCS_SCRATCH(DCS_CLUSTERS_LIST)
#define COUNT    DCS_SCRATCH(DCS_CLUSTERS_COUNT)

static void add_sort_step(const char *kernel, int64_t threads, const dcs_arg *args,
                          dcs_plan *plan) {
  dcs_add_step(plan, (dcs_plan_step){.kernel = kernel,
                                     .block = {SORT_THREADS, 1, 1},
                                     .grid = {dcs_divide_up(threads, SORT_THREADS), 1, 1},
                                     .args = args,
                                     .name = "sort"});
}

void dcs_forces_add_sort(int64_t n, const dcs_forces_grid *cells, dcs_plan *plan) {
  static const dcs_arg group[] = {
      LISTS, COUNTERS, DCS_BUFFER(DCS_FORCES_ATOMS), DCS_ARG_N_INPUTS, DCS_ARG_OWN, DCS_ARG_END};
  static const dcs_arg rows[] = {LISTS, COUNTERS, DCS_ARG_N_INPUTS, DCS_ARG_OWN, DCS_ARG_END};
  static const dcs_arg place[] = {LISTS,
                                  COUNTERS,
                                  DCS_BUFFER(DCS_FORCES_ATOMS),
                                  DCS_BUFFER(DCS_FORCES_WELLS),
                                  DCS_BUFFER(DCS_FORCES_TYPES),
                                  WELLS,
                                  DCS_ARG_N_INPUTS,
                                  DCS_ARG_OWN,
                                  DCS_ARG_END};
  const int64_t n_rows = (int64_t)cells->n[1] * cells->n[2];
  const int64_t places = (cells->n[0] + 1) * n_rows;
  plan->scratch[DCS_CLUSTERS_LISTS].bytes = 4 * ((4 + 2 + 1) * n + 2 * places);
  plan->scratch[DCS_CLUSTERS_COUNTERS] = (dcs_scratch){4 * (1 + places), .zero = true};
  plan->scratch[DCS_CLUSTERS_WELLS].bytes = 16 * n;
  add_sort_step("group_atoms", n, group, plan);
  add_sort_step("place_rows", n_rows * SORT_THREADS, rows, plan);
  add_sort_step("place_atoms", n, place, plan);
}

void dcs_forces_add_special_step(const dcs_problem *problem, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_FORCES_OUT),
                                 DCS_BUFFER(DCS_FORCES_ATOMS),
                                 DCS_BUFFER(DCS_FORCES_SPECIAL_BEGINS),
                                 DCS_BUFFER(DCS_FORCES_SPECIAL),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  if (!dcs_forces_any_special(problem)) return;
  add_sort_step("add_special", problem->n_inputs, args, plan);
  plan->steps[plan->n_steps - 1].name = "special";
}

static void add_cut(int64_t rows, dcs_plan *plan) {
  static const dcs_arg cut[] = {LISTS, CLUSTERS, COUNT, DCS_ARG_N_INPUTS, DCS_ARG_OWN, DCS_ARG_END};
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = COUNT, .name = "sort"});
  add_sort_step("cut_rows", rows, cut, plan);
}

void dcs_clusters_begin_plan(const dcs_problem *problem, const dcs_config *config,
                             const dcs_arg *args, dcs_plan *plan) {
  const dcs_clusters_own own = {dcs_forces_terms_of(problem),
                                dcs_forces_divide(problem, edge_of(config), DCS_FORCES_FINER)};
  const int64_t n = problem->n_inputs, rows = (int64_t)own.cells.n[1] * own.cells.n[2];
  const int64_t clusters = n / size_of(config) + (own.cells.periodic ? 1 : 2) * rows;
  const int warps = (int)config->value[DCS_CLUSTERS_BLOCK_Y];
  *plan = (dcs_plan){.chunk_inputs = n,
                     .launch_slices = 1,
                     .stored = problem->n,
                     .scratch = {[DCS_CLUSTERS_LIST] = {8 * clusters}, [DCS_CLUSTERS_COUNT] = {4}},
                     .block = {WARP, warps, 1},
                     .grid = {dcs_divide_up(clusters, warps), 1, 1},
                     .args = args};
  dcs_forces_add_sort(n, &own.cells, plan);
  add_cut(rows, plan);
  memcpy(plan->own, &own, sizeof own);
}
