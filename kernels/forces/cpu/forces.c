/* Forces: clusters of atoms that lie near each other stay in registers while their neighbours go
 * by.
 *
 * Idea: atoms are sorted into cells, and a vector of those that follow each other is a cluster.
 *   What is within the cutoff of its box is listed; then each atom of the list meets all lanes at
 *   once, so that nothing is gathered and forces need no reduction. A pair is computed from both
 *   its sides: a sum over lanes for the other side would cost as much as it saves. Bonded atoms are
 *   told from a small set of bits, and looked up where it says so, as are pairs of types in a
 *   table. Special pairs are added behind all others.
 * Derives from: cpu_born.
 * Per pair: 3 subtractions, 3 for r^2, a reciprocal square root (an estimate and a Newton step: 5
 *   operations), Lennard-Jones with switching 24, Coulomb 9 (shifted) or 35 (Ewald), 10 to mask
 *   and add.
 * Parameters: threads (1..1024), which share the clusters; isa (portable, avx2, avx512); cell_edge
 *   in tenths of an angstrom.
 * Limits: clusters are of 4, 8, 16 atoms. At 12 angstrom half of the pairs of a cluster of 8 and
 *   its list are within the cutoff. */
#include "kernels/forces/cpu/forces_atoms.h"

#include <stdlib.h>

enum { THREADS, ISA, CELL_EDGE, N_PARAMS };

static const int cell_edge_tries[] = {30, 40, 50, 60, DCS_TRIES_END};

static const dcs_forces_kernel *kernel_of(const dcs_config *config) {
  static const dcs_forces_kernel *const kernels[] = {&dcs_forces_portable, &dcs_forces_avx2,
                                                     &dcs_forces_avx512};
  return kernels[(int)config->value[ISA]];
}

static double edge_of(const dcs_config *config) {
  return config->value[CELL_EDGE] / 10;
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_dims){dcs_round_up(problem->n.x, kernel_of(config)->tile), 1, 1};
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 5 + 5 + 24 + 9 + 7;
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  *found = (dcs_candidates){
      .pairs = dcs_forces_cluster_pairs(problem, edge_of(config), kernel_of(config)->tile, 1),
      .fill = (double)NAN};
}

static bool compute(const dcs_problem *problem, const dcs_config *config,
                    void *const out[DCS_MAX_BUFFERS]) {
  const dcs_forces_kernel *kernel = kernel_of(config);
  dcs_forces_atoms atoms = {.problem = *problem,
                            .terms = dcs_forces_terms_of(problem),
                            .begins = problem->input[DCS_FORCES_BEGINS],
                            .excluded = problem->input[DCS_FORCES_EXCLUDED],
                            .types = problem->input[DCS_FORCES_TYPES],
                            .table = problem->input[DCS_FORCES_TABLE]};
  int64_t n;
  if (!dcs_forces_sort(problem, edge_of(config), &atoms.sorted)) return false;
  dcs_forces_cluster *clusters = dcs_forces_clusters(&atoms.sorted, kernel->tile, &n);
  atoms.clusters = clusters;
  if (clusters)
    dcs_cpu_run(&atoms.problem, (int)config->value[THREADS], DCS_CPU_GUIDED, n, kernel->pull,
                out[DCS_FORCES_OUT]);
  free(clusters);
  dcs_forces_sorted_free(&atoms.sorted);
  return clusters != NULL;
}

static const dcs_param params[N_PARAMS] = {[THREADS] = DCS_CPU_THREADS,
                                           [ISA] = DCS_CPU_ISA,
                                           [CELL_EDGE] = DCS_CPU_CELL_EDGE(cell_edge_tries)};

static const char *const sources[] = {"kernels/forces/cpu/forces.c",
                                      "kernels/forces/cpu/forces_atoms.h",
                                      "kernels/forces/cpu/forces_tile.h",
                                      "kernels/forces/cpu/special.c",
                                      "kernels/forces/cpu/forces_avx2.c",
                                      "kernels/forces/cpu/forces_avx512.c",
                                      "kernels/forces/cpu/forces_portable.c",
                                      "kernels/forces/clusters.c",
                                      "kernels/forces/clusters.h",
                                      "kernels/forces/forces.h",
                                      "kernels/common/rsqrt_avx2.h",
                                      "kernels/common/rsqrt_avx512.h",
                                      "kernels/common/rsqrt_portable.h",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_forces = {
    .id = "cpu_forces",
    .kind = "forces",
    .sources = sources,
    .idea = "clusters of near atoms in registers; lists of what is within the cutoff of them",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .applicable = dcs_cpu_isa_applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_blocks,
    .candidates = candidates,
    .compute = compute,
};
