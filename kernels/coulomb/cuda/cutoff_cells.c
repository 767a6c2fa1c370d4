/* Descriptor of cuda_cutoff_cells. */
#include "kernels/common/cuda/cells.h"
#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in the kernels. */
typedef struct {
  float origin, edge, per_edge;
  float c2, per_c2, reach2;
  int nx, ny, nz;
  int switched;
} cell_grid;
_Static_assert(sizeof(cell_grid) <= DCS_OWN_BYTES, "a plan holds the cells");

static const int coarsen_z_tried[] = {4, 5, 6, 8, DCS_TRIES_END};
static const int tile_atoms_tried[] = {512, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_CELLS_BLOCK,
    {"coarsen_z", "adjacent slices per thread", 1, 16, 5, NULL, coarsen_z_tried},
    DCS_CELLS_CELL_EDGE,
    {"tile_atoms", "atoms of a tile, a multiple of 32", 32, 2048, 512, NULL, tile_atoms_tried},
};

/* Tile, lists and their bits, runs. */
static int64_t shared_bytes(const dcs_config *config) {
  const dcs_dims region = dcs_cells_region(config);
  const int64_t threads = region.x * region.y, warps = threads / DCS_CELLS_WARP;
  const int64_t tile = (int64_t)config->value[DCS_CELLS_TILE_ATOMS];
  return 16 * tile + 2 * warps * tile + tile / 8 * warps + 4 * warps + 8 * threads + 4;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (!dcs_cells_applicable(problem, config, shared_bytes(config), why)) return false;
  if (dcs_cutoff(problem) >= 1e-15f && dcs_cutoff(problem) <= 1e15f) return true;
  snprintf(why, DCS_TEXT, "a cutoff of %g; its square must fit a float",
           (double)dcs_cutoff(problem));
  return false;
}

/* Of a switched map. */
static double flops_per_eval(const dcs_config *config) {
  return 1 + 2 + 2 + 2 + 2 + 2 + 5.0 / config->value[DCS_CELLS_COARSEN_Z];
}

/* ---- cells ---- */

static double reach_of(const dcs_problem *problem) {
  return (double)dcs_cutoff(problem) * (1 + 1e-5);
}

/* They cover all within reach of the grid, with one to spare for rounding at the end. */
static dcs_cells cells_of(const dcs_problem *problem, const dcs_config *config) {
  const double reach = reach_of(problem), h = (double)problem->spacing;
  const dcs_dims n = problem->n;
  const double length[3] = {h * (double)(n.x - 1) + 2 * reach, h * (double)(n.y - 1) + 2 * reach,
                            h * (double)(n.z - 1) + 2 * reach};
  return dcs_cells_divide(problem, config, -reach, length, 1);
}

/* What a block looks at: atoms outside the cells are out of reach. */
static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_cells cells = cells_of(problem, config);
  const float reach2 = (float)(reach_of(problem) * reach_of(problem));
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  int *counts = dcs_cells_counts(&cells);
  if (!counts) return;
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const dcs_atom *atom = &dcs_atoms(problem)[a];
    float x = dcs_cell_coordinate(atom->x, &cells), y = dcs_cell_coordinate(atom->y, &cells);
    float z = dcs_cell_coordinate(atom->z, &cells);
    if (x >= 0 && x < (float)cells.nx && y >= 0 && y < (float)cells.ny && z >= 0 &&
        z < (float)cells.nz)
      ++*dcs_cell_count(&cells, counts, (int)x, (int)y, (int)z);
  }
  found->pairs = dcs_cells_pairs(problem, config, &cells, sqrtf(reach2), reach2, counts);
  free(counts);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  const dcs_cells cells = cells_of(problem, config);
  const double c = (double)dcs_cutoff(problem), reach = reach_of(problem);
  const cell_grid own = {.origin = cells.origin,
                         .edge = cells.edge,
                         .per_edge = cells.per_edge,
                         .c2 = (float)(c * c),
                         .per_c2 = (float)(1 / (c * c)),
                         .reach2 = (float)(reach * reach),
                         .nx = cells.nx,
                         .ny = cells.ny,
                         .nz = cells.nz,
                         .switched = dcs_switched(problem)};
  dcs_cells_plan(problem, config, &cells, true, plan);
  memcpy(plan->own, &own, sizeof own);
}

static const char *const sources[] = {"kernels/coulomb/cuda/cutoff_cells.cu",
                                      "kernels/coulomb/cuda/cutoff_cells.c",
                                      "kernels/common/cuda/cells.cuh",
                                      "kernels/common/cuda/cells.c",
                                      "kernels/common/cuda/cells.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cuda_cutoff_cells = {
    .id = "cuda_cutoff_cells",
    .kind = "coulomb",
    .sources = sources,
    .idea =
        "a cutoff: atoms sorted into cells on the GPU, those near a warp listed in shared memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_cutoff,
    .applicable = applicable,
    .executed = dcs_cells_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_cells_longest_sum,
    .candidates = candidates,
    .plan = plan,
};
