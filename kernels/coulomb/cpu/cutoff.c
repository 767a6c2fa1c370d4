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
#include "kernels/coulomb/cpu/cutoff.h"
#include "kernels/coulomb/cpu/cutoff_cells.h"
#include "kernels/coulomb/images.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS, ISA, CELL_EDGE, N_PARAMS };
static const int edge_tries[] = {10, 15, 20, 30, 40, 50, 60, 80, 120, DCS_TRIES_END};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (problem->n_inputs > INT32_MAX - DCS_CUTOFF_PAD) {
    snprintf(why, DCS_TEXT, "more than %d atoms", INT32_MAX - DCS_CUTOFF_PAD);
    return false;
  }
  return dcs_cpu_isa_applicable(problem, config, why);
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
  return (n < BATCH ? n : BATCH) + dcs_divide_up(n, BATCH);
}

static const dcs_cutoff_kernels *kernels_of(const dcs_cpu_bricks *how) {
  static const dcs_cutoff_kernels *const kernels[] = {&dcs_cutoff_portable, &dcs_cutoff_avx2,
                                                      &dcs_cutoff_avx512};
  return kernels[how->isa];
}

static dcs_cpu_bricks bricks_of(const dcs_config *config) {
  return (dcs_cpu_bricks){.threads = (int)config->value[THREADS],
                          .isa = (int)config->value[ISA],
                          .cell_edge = 0.1 * config->value[CELL_EDGE]};
}

/* Runs a kernel over all bricks of the slices that are written. */
static void run(const dcs_cutoff_cells *cells, int threads, dcs_cpu_kernel *kernel, float *map) {
  const dcs_dims bricks = dcs_cutoff_bricks(cells->problem.n);
  const int64_t end = dcs_divide_up(cells->first_slice + cells->n_slices, DCS_CUTOFF_BRICK);
  dcs_cpu_run(&cells->problem, threads, DCS_CPU_GUIDED,
              end * bricks.x * bricks.y - dcs_cutoff_bricks_below(cells), kernel, map);
}

static void *begin(const dcs_problem *problem, const dcs_config *config) {
  const dcs_cpu_bricks how = bricks_of(config);
  const dcs_problem whole = dcs_whole_grid(problem);
  dcs_cutoff_cells *cells = malloc(sizeof *cells);
  if (cells && dcs_cutoff_sort(&whole, how.cell_edge, how.threads, cells)) return cells;
  free(cells);
  return NULL;
}

static bool compute_slab(const dcs_problem *problem, const dcs_config *config, const void *begun,
                         void *const out[]) {
  const dcs_cpu_bricks how = bricks_of(config);
  const dcs_cutoff_kernels *kernels = kernels_of(&how);
  dcs_cutoff_cells cells = *(const dcs_cutoff_cells *)begun;
  cells.first_slice = problem->first_slice;
  cells.n_slices = problem->n.z;
  run(&cells, how.threads, dcs_switched(problem) ? kernels->switched : kernels->plain,
      out[DCS_COULOMB_MAP]);
  return true;
}

static void forget(void *begun) {
  if (begun) dcs_cutoff_free(begun);
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
  return DCS_CUTOFF_ATOM_BYTES * (double)problem->n_inputs;
}

static double count_pairs(const dcs_problem *problem, const dcs_cpu_bricks *how) {
  double pairs = 0;
  dcs_cutoff_cells cells;
  if (!dcs_cutoff_sort(problem, how->cell_edge, how->threads, &cells)) return NAN;
  cells.pairs = &pairs;
  run(&cells, how->threads, kernels_of(how)->count, NULL);
  dcs_cutoff_free(&cells);
  return pairs;
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_cpu_bricks how = bricks_of(config);
  *found = (dcs_candidates){.pairs = count_pairs(problem, &how), .fill = NAN};
}

/* ---- the short range part of other methods ---- */

/* The problem within the radial function's cutoff alone; of a periodic one with the images, which
 * the caller frees. False: no memory. */
static bool pose_within(const dcs_problem *problem, const dcs_radial *radial, dcs_problem *within,
                        dcs_atom **images) {
  const double cutoff = (double)radial->cutoff;
  *within = *problem;
  *images = NULL;
  within->config = (dcs_config){{[DCS_COULOMB_CUTOFF] = cutoff}};
  if (!dcs_periodic(problem)) return true;
  *images = dcs_images(problem, cutoff * (1 + 1e-6), &within->n_inputs);
  within->input[DCS_COULOMB_ATOMS] = *images;
  return *images;
}

bool dcs_cpu_short_range_sort(const dcs_problem *problem, const dcs_radial *radial,
                              const dcs_cpu_bricks *how, dcs_cutoff_cells *cells) {
  const dcs_problem whole = dcs_whole_grid(problem);
  dcs_problem within;
  dcs_atom *images;
  const bool done = pose_within(&whole, radial, &within, &images) &&
                    dcs_cutoff_sort(&within, how->cell_edge, how->threads, cells);
  free(images);
  return done;
}

void dcs_cpu_short_range_add(const dcs_cutoff_cells *sorted, const dcs_problem *slab,
                             const dcs_radial *radial, const dcs_cpu_bricks *how, float *map) {
  dcs_cutoff_cells cells = *sorted;
  cells.radial = radial;
  cells.first_slice = slab->first_slice;
  cells.n_slices = slab->n.z;
  run(&cells, how->threads, kernels_of(how)->softened, map);
}

double dcs_cpu_short_range_pairs(const dcs_problem *problem, const dcs_radial *radial,
                                 const dcs_cpu_bricks *how) {
  dcs_problem within;
  dcs_atom *images;
  const double pairs =
      pose_within(problem, radial, &within, &images) ? count_pairs(&within, how) : NAN;
  free(images);
  return pairs;
}

static const dcs_param params[N_PARAMS] = {
    [THREADS] = DCS_CPU_THREADS, [ISA] = DCS_CPU_ISA, [CELL_EDGE] = DCS_CPU_CELL_EDGE(edge_tries)};

static const char *const sources[] = {DCS_CPU_SHORT_RANGE_SOURCES, NULL};

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
    .slabs = true,
    .begin = begin,
    .compute_slab = compute_slab,
    .forget = forget,
    .working_bytes = working_bytes,
    .slab_step = DCS_CUTOFF_BRICK,
};
