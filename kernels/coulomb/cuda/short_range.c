#include "kernels/coulomb/cuda/short_range.h"
#include "kernels/coulomb/images.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int dcs_tries_near_coarsen_z[] = {4, 5, 6, 8, DCS_TRIES_END};

/* Tile, lists and their bits, runs. */
static int64_t shared_bytes(const dcs_config *config) {
  const dcs_dims region = dcs_cells_region(config);
  const int64_t threads = region.x * region.y, warps = threads / DCS_CELLS_WARP;
  const int64_t tile = (int64_t)config->value[DCS_CELLS_TILE_ATOMS];
  return 16 * tile + 2 * warps * tile + tile / 8 * warps + 4 * warps + 8 * threads + 4;
}

static double reach_of(double cutoff) {
  return cutoff * (1 + 1e-5);
}

/* For atoms, and images of a periodic problem. */
static double places_of(const dcs_problem *problem, double cutoff) {
  const dcs_problem grid = dcs_whole_grid(problem);
  const double images = dcs_periodic(problem) ? dcs_most_images(&grid, reach_of(cutoff)) : 1;
  return images * (double)problem->n_inputs;
}

bool dcs_near_applicable(const dcs_problem *problem, const dcs_config *config, double cutoff,
                         char why[DCS_TEXT]) {
  if (!dcs_cells_applicable(problem, config, shared_bytes(config), why)) return false;
  if (!(cutoff >= 1e-15 && cutoff <= 1e15))
    snprintf(why, DCS_TEXT, "a cutoff of %g; its square must fit a float", cutoff);
  else if (places_of(problem, cutoff) > INT_MAX / 2)
    snprintf(why, DCS_TEXT, "more than %d places for images of atoms", INT_MAX / 2);
  else
    return true;
  return false;
}

/* ---- cells ---- */

/* With one to spare for rounding at the end. */
dcs_cells dcs_near_cells(const dcs_problem *problem, const dcs_config *config, double cutoff) {
  const double reach = reach_of(cutoff), h = (double)problem->spacing;
  const dcs_dims n = dcs_whole_grid(problem).n;
  const double length[3] = {h * (double)(n.x - 1) + 2 * reach, h * (double)(n.y - 1) + 2 * reach,
                            h * (double)(n.z - 1) + 2 * reach};
  return dcs_cells_divide(problem, config, -reach, length, 1);
}

dcs_near_grid dcs_near_grid_of(const dcs_cells *cells, double cutoff) {
  const double c2 = cutoff * cutoff, reach = reach_of(cutoff);
  return (dcs_near_grid){.origin = cells->origin,
                         .edge = cells->edge,
                         .per_edge = cells->per_edge,
                         .c2 = (float)c2,
                         .per_c2 = (float)(1 / c2),
                         .reach2 = (float)(reach * reach),
                         .nx = cells->nx,
                         .ny = cells->ny,
                         .nz = cells->nz};
}

static void count_atom(const dcs_atom *atom, const dcs_cells *cells, int *counts) {
  const float x = dcs_cell_coordinate(atom->x, cells), y = dcs_cell_coordinate(atom->y, cells);
  const float z = dcs_cell_coordinate(atom->z, cells);
  if (x >= 0 && x < (float)cells->nx && y >= 0 && y < (float)cells->ny && z >= 0 &&
      z < (float)cells->nz)
    ++*dcs_cell_count(cells, counts, (int)x, (int)y, (int)z);
}

void dcs_near_candidates(const dcs_problem *problem, const dcs_config *config, double cutoff,
                         dcs_candidates *found) {
  const dcs_cells cells = dcs_near_cells(problem, config, cutoff);
  const float reach2 = dcs_near_grid_of(&cells, cutoff).reach2;
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  int64_t n = problem->n_inputs;
  dcs_atom *images = dcs_periodic(problem) ? dcs_images(problem, reach_of(cutoff), &n) : NULL;
  int *counts = dcs_periodic(problem) && !images ? NULL : dcs_cells_counts(&cells);
  if (!counts) {
    free(images);
    return;
  }
  for (int64_t a = 0; a < n; a++)
    count_atom(images ? &images[a] : &dcs_atoms(problem)[a], &cells, counts);
  free(images);
  found->pairs = dcs_cells_pairs(problem, config, &cells, sqrtf(reach2), reach2, counts);
  free(counts);
}

/* ---- the short range part of other methods ---- */

static dcs_near_radial radial_of(const dcs_radial *radial) {
  dcs_near_radial own = {.twice_per_c2 = 2 / (radial->cutoff * radial->cutoff),
                         .degree = radial->degree};
  memcpy(own.c, radial->c, sizeof own.c);
  return own;
}

static dcs_near_lattice lattice_of(const dcs_problem *problem, double reach) {
  const dcs_problem grid = dcs_whole_grid(problem);
  dcs_image_line lines[3];
  dcs_near_lattice lattice = {{0}};
  dcs_image_lines(&grid, reach, lines);
  for (int d = 0; d < 3; d++) {
    lattice.period[d] = lines[d].period;
    lattice.lo[d] = lines[d].lo;
    lattice.hi[d] = lines[d].hi;
    lattice.most[d] = lines[d].most;
  }
  return lattice;
}

static void add_images(int n, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_SCRATCH(DCS_CELLS_ATOMS), DCS_BUFFER(DCS_COULOMB_ATOMS),
                                 DCS_SHORT_RANGE_ATOMS,
                                 DCS_OWN_AT(offsetof(dcs_short_range, lattice)), DCS_ARG_END};
  dcs_add_step(plan, (dcs_plan_step){.kernel = "place_images",
                                     .block = {DCS_CELLS_SORT_THREADS, 1, 1},
                                     .grid = {dcs_divide_up(n, DCS_CELLS_SORT_THREADS), 1, 1},
                                     .args = args,
                                     .name = "sort"});
}

void dcs_short_range_plan(const dcs_problem *problem, const dcs_config *config,
                          const dcs_radial *radial, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_COULOMB_MAP),
                                 DCS_SHORT_RANGE_ATOMS,
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_SCRATCH(DCS_CELLS_LISTS),
                                 DCS_ARG_OWN,
                                 DCS_SHORT_RANGE_RADIAL,
                                 DCS_ARG_END};
  const double cutoff = (double)radial->cutoff;
  const dcs_cells cells = dcs_near_cells(problem, config, cutoff);
  dcs_short_range own = {.grid = dcs_near_grid_of(&cells, cutoff),
                         .radial = radial_of(radial),
                         .n_atoms = (int)places_of(problem, cutoff)};
  dcs_cells_begin_plan(problem, config, &cells, plan);
  plan->args = args;
  if (dcs_periodic(problem)) {
    own.lattice = lattice_of(problem, reach_of(cutoff));
    add_images(own.n_atoms, plan);
    dcs_cells_add_sort_of(own.n_atoms, &cells, plan);
  } else {
    dcs_cells_add_sort(problem, &cells, plan);
  }
  memcpy(plan->own, &own, sizeof own);
}
