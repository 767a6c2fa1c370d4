/* Periodic problems to a tolerance of all kinds, for the methods that compute them. Include after
 * cmocka.h. */
#ifndef DCS_TEST_PERIODIC_SCENES_H
#define DCS_TEST_PERIODIC_SCENES_H

#include "kernels/coulomb/coulomb.h"
#include "tests/scenes.h"

/* Kinds of cells, and of what is in them. */
enum {
  CELL_MANY,
  CELL_SMALL,
  CELL_TINY,
  CELL_LONG,
  CELL_FLAT,
  CELL_CHARGED,
  CELL_DIPOLES,
  CELL_FACES,
  CELL_OUTSIDE,
  CELL_PART,
  CELL_BEYOND,
  CELL_ONE,
  N_CELLS
};
static const char *const cells[N_CELLS] = {"many",    "small",   "tiny",    "long",
                                           "flat",    "charged", "dipoles", "faces",
                                           "outside", "part",    "beyond",  "one"};

static inline void random_cell(dcs_random *random, int scene, double cell[3]) {
  const double edge = scene == CELL_SMALL ? 3 : scene == CELL_TINY ? 0.5 : 9;
  for (int d = 0; d < 3; d++)
    cell[d] = edge * between(random, 1, 1.6);
  if (scene == CELL_LONG) cell[dcs_random_below(random, 3)] *= 8;
  if (scene == CELL_FLAT) cell[dcs_random_below(random, 3)] /= 8;
}

/* As many as the cell needs, but for parts of it and grids that reach beyond it. */
static inline dcs_dims points_of(int scene, const double cell[3], double spacing) {
  const double of = scene == CELL_PART ? 0.4 : scene == CELL_BEYOND ? 1.7 : 1;
  return (dcs_dims){(int64_t)ceil(of * cell[0] / spacing), (int64_t)ceil(of * cell[1] / spacing),
                    (int64_t)ceil(of * cell[2] / spacing)};
}

static inline void place_in_cell(dcs_random *random, int scene, const double cell[3], int a,
                                 dcs_site *s) {
  double r[3];
  for (int d = 0; d < 3; d++) {
    r[d] = between(random, 0, cell[d]);
    if (scene == CELL_FACES && (a >> d) % 2) r[d] = a % 3 ? 0 : cell[d];
  }
  *s = (dcs_site){.x = r[0], .y = r[1], .z = r[2], .q = between(random, -1, 1)};
  if (scene == CELL_CHARGED) s->q = fabs(s->q);
}

/* Moves the atoms that kernels get to other images, which a case that is built does not. */
static inline void move_atoms(dcs_random *random, const double cell[3], dcs_case *c) {
  dcs_atom *atoms = (dcs_atom *)c->problem.input[DCS_COULOMB_ATOMS];
  for (int64_t a = 0; a < c->problem.n_inputs; a++) {
    atoms[a].x += (float)(cell[0] * (double)(dcs_random_below(random, 5) - 2));
    atoms[a].z -= (float)(cell[2] * (double)(dcs_random_below(random, 5) - 2));
  }
}

/* Grids of some size^3 points. */
static inline dcs_case periodic_case(int scene, uint64_t seed, double tolerance, double size) {
  static dcs_site sites[MOST_ATOMS];
  dcs_random random = {seed};
  double cell[3];
  random_cell(&random, scene, cell);
  dcs_grid grid = {.spacing = cbrt(cell[0] * cell[1] * cell[2]) / between(&random, 0.6, 1) / size,
                   .has_origin = true};
  grid.n = points_of(scene, cell, grid.spacing);
  const int n = scene == CELL_ONE ? 1
                : scene == CELL_SMALL || scene == CELL_TINY
                    ? 2 + (int)dcs_random_below(&random, 3)
                    : 10 + (int)dcs_random_below(&random, 90);
  for (int a = 0; a < n; a++)
    place_in_cell(&random, scene, cell, a, &sites[a]);
  if (scene == CELL_DIPOLES) pair_up(&random, DIPOLES, sites, n);
  dcs_config problem = to_tolerance(tolerance);
  problem.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  for (int d = 0; d < 3; d++)
    problem.value[DCS_COULOMB_CELL_X + d] = cell[d];
  dcs_case c;
  if (dcs_case_build(dcs_kinds[0], &problem, &(dcs_molecule){sites, n}, &grid, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  if (scene == CELL_OUTSIDE) move_atoms(&random, cell, &c);
  return c;
}

#endif
