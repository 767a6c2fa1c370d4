/* Density: each atom is added to the bricks of points that it reaches.
 *
 * Idea: a Gaussian is separable, exp(-(dx^2 + dy^2 + dz^2)) = exp(-dx^2) exp(-dy^2) exp(-dz^2),
 *   so 32 exponentials serve the 16 x 8 x 8 points of a brick, and what is left a point is a
 *   comparison (does the term count?) and a multiply-add. With so little work a point, atoms
 *   are taken to the slices of the brick that they reach, not points to atoms. Atoms are sorted
 *   into cells, so that a brick finds those near it in runs of memory; its sums stay in the
 *   first-level cache.
 * Derives from: cpu_cutoff in its cells, cpu_scatter in its order.
 * Per pair of a slice that is reached: an FMA, and a 16th of its row's product. Exponentials:
 *   powers of two by range reduction and a polynomial (density_brick.h).
 * Parameters: threads (1..1024), which share the bricks; isa (portable, avx2, avx512);
 *   cell_edge (5..10000 tenths of an angstrom), longer where there would be many more cells
 *   than atoms.
 * Limits: slices of 16 x 8 points are computed whole: at 1 angstrom and radii of 1.5 one pair
 *   in six counts. (Tried and slower: from the first to the last row that is reached. It nearly
 *   halves the pairs, but no branch prediction knows how many rows a slice has.) The farthest
 *   reaching atom decides how many cells a brick searches. One thread counts and places the
 *   atoms of all cells, some ns an atom, and a map of few bricks leaves threads idle. */
#include "kernels/density/cpu/density_cells.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS, ISA, CELL_EDGE, N_PARAMS };
static const int edge_tries[] = {10, 20, 30, 40, 60, 80, DCS_TRIES_END};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (problem->n_inputs > INT32_MAX) {
    snprintf(why, DCS_TEXT, "more than %d atoms", INT32_MAX);
    return false;
  }
  return dcs_cpu_isa_applicable(problem, config, why);
}

/* Whole slices of a brick. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return (dcs_dims){dcs_round_up(problem->n.x, DCS_DENSITY_X),
                    dcs_round_up(problem->n.y, DCS_DENSITY_Y), problem->n.z};
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 2 + 1.0 / DCS_DENSITY_X;
}

static const dcs_density_kernels *kernels_of(const dcs_config *config) {
  static const dcs_density_kernels *const kernels[] = {&dcs_density_portable, &dcs_density_avx2,
                                                       &dcs_density_avx512};
  return kernels[(int)config->value[ISA]];
}

/* Runs a kernel over all bricks of the slices that are written. */
static void run(const dcs_density_cells *cells, const dcs_config *config, dcs_cpu_kernel *kernel,
                float *map) {
  const dcs_dims bricks = dcs_density_bricks(cells->problem.n);
  const int64_t end = dcs_divide_up(cells->first_slice + cells->n_slices, DCS_DENSITY_Z);
  dcs_cpu_run(&cells->problem, (int)config->value[THREADS], DCS_CPU_GUIDED,
              end * bricks.x * bricks.y - dcs_density_bricks_below(cells), kernel, map);
}

static bool sort(const dcs_problem *problem, const dcs_config *config, dcs_density_cells *cells) {
  return dcs_density_sort(problem, 0.1 * config->value[CELL_EDGE], (int)config->value[THREADS],
                          cells);
}

static void *begin(const dcs_problem *problem, const dcs_config *config) {
  const dcs_problem whole = dcs_whole_grid(problem);
  dcs_density_cells *cells = malloc(sizeof *cells);
  if (cells && sort(&whole, config, cells)) return cells;
  free(cells);
  return NULL;
}

static bool compute_slab(const dcs_problem *problem, const dcs_config *config, const void *begun,
                         void *const out[]) {
  dcs_density_cells cells = *(const dcs_density_cells *)begun;
  cells.first_slice = problem->first_slice;
  cells.n_slices = problem->n.z;
  run(&cells, config, kernels_of(config)->sum, out[DCS_DENSITY_MAP]);
  return true;
}

static void forget(void *begun) {
  if (begun) dcs_density_free(begun);
  free(begun);
}

static bool compute(const dcs_problem *problem, const dcs_config *config, void *const out[]) {
  void *begun = begin(problem, config);
  const bool computed = begun && compute_slab(problem, config, begun, out);
  forget(begun);
  return computed;
}

static double working_bytes(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return DCS_DENSITY_ATOM_BYTES * (double)problem->n_inputs;
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  double pairs = 0;
  dcs_density_cells cells;
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  if (!sort(problem, config, &cells)) return;
  cells.pairs = &pairs;
  run(&cells, config, kernels_of(config)->count, NULL);
  dcs_density_free(&cells);
  found->pairs = pairs;
}

static const dcs_param params[N_PARAMS] = {
    [THREADS] = DCS_CPU_THREADS, [ISA] = DCS_CPU_ISA, [CELL_EDGE] = DCS_CPU_CELL_EDGE(edge_tries)};

static const char *const sources[] = {"kernels/density/cpu/density.c",
                                      "kernels/density/cpu/density_brick.h",
                                      "kernels/density/cpu/density_cells.c",
                                      "kernels/density/cpu/density_cells.h",
                                      "kernels/density/cpu/density_avx2.c",
                                      "kernels/density/cpu/density_avx512.c",
                                      "kernels/density/cpu/density_portable.c",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/density/density.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_density = {
    .id = "cpu_density",
    .kind = "density",
    .sources = sources,
    .idea = "atoms in cells, each added to bricks of points as a product of three Gaussians",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_all,
    .candidates = candidates,
    .compute = compute,
    .slabs = true,
    .begin = begin,
    .compute_slab = compute_slab,
    .forget = forget,
    .working_bytes = working_bytes,
    .slab_step = DCS_DENSITY_Z,
};
