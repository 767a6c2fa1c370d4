/* Cutoff: for tiles of points, sum over the atoms nearer than the cutoff.
 *
 * Idea: atoms sorted into cells, so that a brick of 2 x 2 x 2 tiles finds those near it in runs of
 *   memory; distances to the boxes of brick and tiles drop most atoms that are too far, and what a
 *   tile sees goes to all its points. The smaller the tile the fewer of these are beyond a point's
 *   own cutoff, the larger the more of the work is shared: 4 x 4 x 4 points. The brick is there to
 *   find atoms once for eight tiles.
 * Derives from: cpu_simd, cpu_avx2, cpu_avx512 in the arithmetic (cutoff_tile.h).
 * Per candidate pair, switched: 9 operations (dz^2 added, the reciprocal square root, 1 - r^2/c^2,
 *   its products with q and 1/r, an FMA) and its part of dx, dy and dx^2 + dy^2, which four points
 *   share; in 10 vector instructions for a vector's lanes with AVX2 and AVX-512. Without switching
 *   4 operations fewer, and the mask of those within.
 * Parameters: threads (1..1024), which share the bricks; isa (portable, avx2, avx512); cell_edge
 *   (5..10000 tenths of an angstrom): long cells bring atoms that culling has to drop, short ones
 *   short runs. Cells are longer where there would be many more of them than atoms.
 * Limits: a tile larger than the cutoff (a coarse grid) has many candidate pairs in vain, and tiles
 *   at the map's edges are computed whole and stored in part; bricks are what threads share, so a
 *   map of few leaves threads idle. */
#include "kernels/coulomb/cpu/cutoff_cells.h"

#include <math.h>
#include <stdio.h>

enum { THREADS, ISA, CELL_EDGE, N_PARAMS };
enum { PORTABLE, AVX2, AVX512 };

static const char *const isas[] = {"portable", "avx2", "avx512"};
static const int edge_tries[] = {10, 15, 20, 30, 40, 50, 60, 80, 120, DCS_TRIES_END};

static bool has_isa(int isa, char why[DCS_TEXT]) {
  return isa == AVX512 ? dcs_cpu_has_avx512(why) : isa == AVX2 ? dcs_cpu_has_avx2(why) : true;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (problem->n_inputs > INT32_MAX - DCS_CUTOFF_PAD) {
    snprintf(why, DCS_TEXT, "more than %d atoms", INT32_MAX - DCS_CUTOFF_PAD);
    return false;
  }
  return has_isa(config->value[ISA], why) && dcs_cpu_applicable(problem, config, why);
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  const dcs_dims tiles = dcs_cutoff_tiles(problem->n);
  return (dcs_dims){tiles.x * DCS_CUTOFF_TILE, tiles.y * DCS_CUTOFF_TILE,
                    tiles.z * DCS_CUTOFF_TILE};
}

/* Of the switched sum, see above; the points of a column of the tile share dx, dy (2) and
 * dx^2 + dy^2 (3). */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 9.0 + 5.0 / DCS_CUTOFF_TILE;
}

/* A tile sums what it sees of a batch, then adds that to the map. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  enum { BATCH = DCS_CUTOFF_BATCH };
  (void)config;
  int64_t n = problem->n_inputs;
  return (n < BATCH ? n : BATCH) + (n + BATCH - 1) / BATCH;
}

static const dcs_cutoff_kernels *kernels_of(const dcs_config *config) {
  static const dcs_cutoff_kernels *const kernels[] = {&dcs_cutoff_portable, &dcs_cutoff_avx2,
                                                      &dcs_cutoff_avx512};
  return kernels[(int)config->value[ISA]];
}

/* The atoms in the configuration's cells, and the tiles of the map. */
static bool prepare(const dcs_problem *problem, const dcs_config *config, dcs_cutoff_cells *cells,
                    int64_t *bricks) {
  const dcs_dims n = dcs_cutoff_bricks(problem->n);
  *bricks = n.x * n.y * n.z;
  return dcs_cutoff_sort(problem, 0.1 * config->value[CELL_EDGE], config->value[THREADS], cells);
}

static bool compute(const dcs_problem *problem, const dcs_config *config, float *map) {
  const dcs_cutoff_kernels *kernels = kernels_of(config);
  dcs_cutoff_cells cells;
  int64_t bricks;
  if (!prepare(problem, config, &cells, &bricks)) return false;
  dcs_cpu_run(&cells.problem, config->value[THREADS], DCS_CPU_GUIDED, bricks,
              dcs_switched(problem) ? kernels->switched : kernels->plain, map);
  dcs_cutoff_free(&cells);
  return true;
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_cutoff_cells cells;
  int64_t bricks;
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  if (!prepare(problem, config, &cells, &bricks)) return;
  found->pairs = 0;
  cells.pairs = &found->pairs;
  dcs_cpu_run(&cells.problem, config->value[THREADS], DCS_CPU_GUIDED, bricks,
              kernels_of(config)->count, NULL);
  dcs_cutoff_free(&cells);
}

static const dcs_param params[N_PARAMS] = {
    [THREADS] = DCS_CPU_THREADS,
    [ISA] = {.name = "isa",
             .meaning = "instruction set",
             .lo = PORTABLE,
             .hi = AVX512,
             .initial = DCS_HIGHEST,
             .labels = isas},
    [CELL_EDGE] = {.name = "cell_edge",
                   .meaning = "edge of the cells that atoms are sorted into, in tenths of an "
                              "angstrom",
                   .lo = 5,
                   .hi = 10000,
                   .initial = 40,
                   .tries = edge_tries}};

static const char *const sources[] = {"kernels/coulomb/cpu/cutoff.c",
                                      "kernels/coulomb/cpu/cutoff_brick.h",
                                      "kernels/coulomb/cpu/cutoff_cells.c",
                                      "kernels/coulomb/cpu/cutoff_cells.h",
                                      "kernels/coulomb/cpu/cutoff_tile.h",
                                      "kernels/coulomb/cpu/cutoff_portable.c",
                                      "kernels/coulomb/cpu/cutoff_avx2.c",
                                      "kernels/coulomb/cpu/cutoff_avx512.c",
                                      "kernels/common/rsqrt_portable.h",
                                      "kernels/common/rsqrt_avx2.h",
                                      "kernels/common/rsqrt_avx512.h",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_cutoff = {
    .id = "cpu_cutoff",
    .kind = "coulomb",
    .sources = sources,
    .idea = "atoms in cells; tiles of points in registers sum those within a cutoff",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .solves = dcs_solves_cutoff,
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .compute = compute,
};
