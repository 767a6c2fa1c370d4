/* What the descriptors of forces share: how atoms are sorted (sorted.cuh), and, of kernels that
 * take clusters (clusters.cuh), parameters, the launch plan, and the candidates. */
#ifndef DCS_CUDA_FORCES_LAUNCH_H
#define DCS_CUDA_FORCES_LAUNCH_H

#include "kernels/forces/clusters.h"

/* The parameters that they have in common, in the order of their configurations. */
enum { DCS_CLUSTERS_BLOCK_Y, DCS_CLUSTERS_SIZE, DCS_CLUSTERS_CELL_EDGE, DCS_CLUSTERS_N_PARAMS };
#define DCS_CLUSTERS_PARAMS                                                                        \
  {                                                                                                \
      "block_y",       "warps of a block, a cluster each", 1, 8, 4, NULL, dcs_tries_warps,         \
      DCS_ROLE_BLOCK_Y},                                                                           \
      {"cluster", "atoms of a cluster: 4, 8, 16, 32", 4, 32, 16, NULL, dcs_tries_cluster}, {       \
    "cell_edge", "edge of a cell in tenths of an angstrom, about", 10, 1000, 55, NULL,             \
        dcs_tries_forces_edge                                                                      \
  }
extern const int dcs_tries_warps[], dcs_tries_cluster[], dcs_tries_forces_edge[];

/* The plan's scratch: sorted atoms, counters, what else is known of each atom in its place,
 * clusters and how many there are. */
enum {
  DCS_CLUSTERS_LISTS,
  DCS_CLUSTERS_COUNTERS,
  DCS_CLUSTERS_WELLS,
  DCS_CLUSTERS_LIST,
  DCS_CLUSTERS_COUNT,
  DCS_CLUSTERS_N_SCRATCH
};

/* As in the kernels: what they know beside atoms. */
typedef struct {
  dcs_forces_terms terms;
  dcs_forces_grid cells;
} dcs_clusters_own;

bool dcs_clusters_applicable(const dcs_problem *problem, const dcs_config *config,
                             char why[DCS_TEXT]);
dcs_dims dcs_clusters_executed(const dcs_problem *problem, const dcs_config *config);
int64_t dcs_clusters_longest_sum(const dcs_problem *problem, const dcs_config *config);
void dcs_clusters_candidates(const dcs_problem *problem, const dcs_config *config,
                             dcs_candidates *found);

/* The plan's scratch for n atoms in cells, the first three of those above, and its steps that sort
 * them. Its `own` begins with dcs_clusters_own. */
void dcs_forces_add_sort(int64_t n, const dcs_forces_grid *cells, dcs_plan *plan);

/* A plan whose steps so far sort, of launches of a warp a cluster, with these arguments. Its `own`
 * begins with dcs_clusters_own. */
void dcs_clusters_begin_plan(const dcs_problem *problem, const dcs_config *config,
                             const dcs_arg *args, dcs_plan *plan);

/* The step behind all others that adds special pairs, where there are any: a variant that has it
 * looks. */
void dcs_forces_add_special_step(const dcs_problem *problem, dcs_plan *plan);

/* The files that these come from, for a descriptor's sources. */
#define DCS_FORCES_SOURCES                                                                         \
  "kernels/forces/cuda/walk.cuh", "kernels/forces/cuda/special.cuh",                               \
      "kernels/forces/cuda/sorted.cuh", "kernels/forces/cuda/forces.cuh",                          \
      "kernels/forces/cuda/launch.c", "kernels/forces/cuda/launch.h", "kernels/forces/clusters.c", \
      "kernels/forces/clusters.h", "kernels/forces/forces.h", "kernels/common/cuda/cells.cuh"
#define DCS_CLUSTERS_SOURCES "kernels/forces/cuda/clusters.cuh", DCS_FORCES_SOURCES

#endif
