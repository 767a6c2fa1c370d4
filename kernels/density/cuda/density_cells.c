/* Descriptor of cuda_density_cells. */
#include "kernels/common/cuda/cells.h"
#include "kernels/density/density.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = DCS_CELLS_N_PARAMS, SOFT };
enum { PAIRS, COLUMNS };

/* As in the kernels. */
typedef struct {
  float edge, per_edge;
  float end[3];
  float rate;
  float limit, least;
  int nx, ny, nz;
} cell_grid;
_Static_assert(sizeof(cell_grid) <= DCS_OWN_BYTES, "a plan holds the cells");

static const char *const terms[] = {"pairs", "columns"};
static const int coarsen_z_tried[] = {4, 6, 8, 12, DCS_TRIES_END};
static const int tile_atoms_tried[] = {128, 256, 512, DCS_TRIES_END};
static const int soft_tried[] = {0, 1, 2, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_CELLS_BLOCK,
    {"coarsen_z", "adjacent slices per thread, an even number", 2, 16, 8, NULL, coarsen_z_tried},
    DCS_CELLS_CELL_EDGE,
    {"tile_atoms", "atoms of a tile, a multiple of 32", 32, 1024, 256, NULL, tile_atoms_tried},
    {"terms", "powers of two: one a pair, or one a column of points and one a slice", PAIRS,
     COLUMNS, COLUMNS, terms, NULL},
    {"soft", "of a thread's points, how many have powers of two in software; needs terms=pairs", 0,
     16, 0, NULL, soft_tried},
};

/* Records of the tile, lists and what lanes found, runs. */
static int64_t shared_bytes(const dcs_config *config) {
  const dcs_dims region = dcs_cells_region(config);
  const int64_t threads = region.x * region.y, warps = threads / DCS_CELLS_WARP;
  const int64_t tile = (int64_t)config->value[DCS_CELLS_TILE_ATOMS],
                record = (region.z / 2 + 1) | 1;
  return 16 * record * tile + 2 * warps * tile + 12 * threads + 4;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const int z = (int)config->value[DCS_CELLS_COARSEN_Z], soft = (int)config->value[SOFT];
  if (!dcs_cells_applicable(problem, config, shared_bytes(config), why)) return false;
  if (z % 2 != 0)
    snprintf(why, DCS_TEXT, "%d slices per thread; it must be an even number", z);
  else if (soft > 0 && config->value[TERMS] != PAIRS)
    snprintf(why, DCS_TEXT, "soft=%d; without a power of two a pair (terms=pairs) it must be 0",
             soft);
  else if (soft > z)
    snprintf(why, DCS_TEXT, "soft=%d of %d points per thread", soft, z);
  else
    return true;
  return false;
}

/* What a point takes, and its share of a column: dx, dy (2), fall (dx^2 + dy^2) (4), a power of two
 * (2). */
static double flops_per_eval(const dcs_config *config) {
  const double z = config->value[DCS_CELLS_COARSEN_Z];
  return config->value[TERMS] == COLUMNS ? 2 + 8 / z : 1 + 2 + 1 + 6 / z;
}

/* ---- cells ---- */

/* The whole grid's box, from 0 on, whatever slab the problem is: an atom outside that reaches it is
 * in the nearest cell. */
static cell_grid cells_of(const dcs_problem *problem, const dcs_config *config, dcs_cells *cells) {
  const int64_t n[3] = {problem->n.x, problem->n.y, dcs_whole_grid(problem).n.z};
  const float limit = (float)dcs_density_limit(problem);
  double length[3];
  cell_grid own = {
      .rate = (float)dcs_density_rate(problem), .limit = limit, .least = -limit * (1 + 0x1p-16f)};
  for (int d = 0; d < 3; d++)
    length[d] = (double)(own.end[d] = problem->spacing * (float)(n[d] - 1));
  *cells = dcs_cells_divide(problem, config, 0, length, 0);
  own.edge = cells->edge;
  own.per_edge = cells->per_edge;
  own.nx = cells->nx;
  own.ny = cells->ny;
  own.nz = cells->nz;
  return own;
}

static float outside(float v, float lo, float hi) {
  return fmaxf(fmaxf(lo - v, v - hi), 0);
}

/* Counts the atoms of each cell; returns how far any of them reaches. */
static float count_atoms(const dcs_problem *problem, const cell_grid *own, const dcs_cells *cells,
                         int *counts) {
  const dcs_gaussian *atoms = dcs_gaussians(problem);
  float farthest = -INFINITY;
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const float x = atoms[a].x, y = atoms[a].y, z = atoms[a].z;
    float dx = outside(x, 0, own->end[0]), dy = outside(y, 0, own->end[1]);
    float dz = outside(z, 0, own->end[2]);
    float fall = -own->rate / (atoms[a].radius * atoms[a].radius);
    if (!(fall * (dx * dx + dy * dy + dz * dz) >= own->least)) continue;
    ++*dcs_cell_count(cells, counts, dcs_clamped_cell(x, cells->nx, cells),
                      dcs_clamped_cell(y, cells->ny, cells), dcs_clamped_cell(z, cells->nz, cells));
    farthest = fmaxf(farthest, fall);
  }
  return sqrtf(own->least / farthest);
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_cells cells;
  const cell_grid own = cells_of(problem, config, &cells);
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  int *counts = dcs_cells_counts(&cells);
  if (!counts) return;
  const float reach = count_atoms(problem, &own, &cells, counts);
  found->pairs = dcs_cells_pairs(problem, config, &cells, reach, reach * reach, counts);
  free(counts);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_cells cells;
  const cell_grid own = cells_of(problem, config, &cells);
  dcs_cells_plan(problem, config, &cells, false, plan);
  plan->scratch[DCS_CELLS_LISTS].bytes += 4 * (1 + dcs_cells_sort_blocks(problem)); /* falls */
  memcpy(plan->own, &own, sizeof own);
}

static const char *const sources[] = {"kernels/density/cuda/density_cells.cu",
                                      "kernels/density/cuda/density_cells.c",
                                      "kernels/common/cuda/cells.cuh",
                                      "kernels/common/cuda/cells.c",
                                      "kernels/common/cuda/cells.h",
                                      "kernels/density/density.h",
                                      NULL};

const dcs_variant dcs_variant_cuda_density_cells = {
    .id = "cuda_density_cells",
    .kind = "density",
    .sources = sources,
    .idea = "atoms sorted into cells on the GPU; Gaussians as products over columns of points",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = dcs_cells_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .candidates = candidates,
    .plan = plan,
    .slabs = true,
};
