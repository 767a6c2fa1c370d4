/* The problem kind `coulomb`: the electrostatic potential map
 *
 *     V(i, j, k) = sum over atoms a of q_a / |h (i, j, k) - r_a|
 *
 * for every point of a uniform grid of spacing h (angstrom), charges in e, so V is in e/angstrom
 * (Stone et al., J. Comput. Chem. 28 (2007) 2618; Kirk and Hwu, Programming Massively Parallel
 * Processors): the direct sum; or, with a cutoff c, the sum over the atoms nearer than c alone,
 * each term times a switching function; or, to a tolerance t, anything that differs from the direct
 * sum by no more than t R, R the root mean square of the map away from atoms. */
#ifndef DCS_COULOMB_H
#define DCS_COULOMB_H

#include "kernels/contract.h"

/* The kind's buffers: dcs_atom each; a grid of floats. */
enum { DCS_COULOMB_ATOMS, DCS_COULOMB_MAP };

typedef struct {
  float x, y, z; /* angstrom, relative to grid point (0, 0, 0) */
  float q;       /* e */
} dcs_atom;

/* The kind's parameters. */
enum {
  DCS_COULOMB_CUTOFF,
  DCS_COULOMB_SWITCHING,
  DCS_COULOMB_TOLERANCE,
  DCS_COULOMB_BOUNDARY,
  DCS_COULOMB_CELL_X,
  DCS_COULOMB_CELL_Y,
  DCS_COULOMB_CELL_Z
};

/* What an atom's term at distance r < c is multiplied by. */
enum {
  DCS_SWITCHING_NONE, /* 1 */
  DCS_SWITCHING_C2    /* (1 - r^2 / c^2)^2: value and slope are 0 at the cutoff */
};

/* What is beyond the atoms. */
enum {
  DCS_BOUNDARY_OPEN, /* nothing */
  /* Their images, in a lattice of orthorhombic cells with a conductor (tinfoil) around, and a
   * uniform background that neutralises a net charge: the mean of V over the cell is 0, the term of
   * the wave vector 0 is left out. To a tolerance alone. The cell begins at grid point (0, 0, 0);
   * atoms may lie outside, where methods put them back. At a point that coincides with an image of
   * an atom (r < 1e-6 of the spacing) that image's q / r is left out, and nothing else: V is the
   * limit of V - q / r, with all other images of that atom and the background. */
  DCS_BOUNDARY_PERIODIC
};

/* Angstrom; 0: no cutoff. */
static inline float dcs_cutoff(const dcs_problem *problem) {
  return (float)problem->config.value[DCS_COULOMB_CUTOFF];
}
static inline bool dcs_switched(const dcs_problem *problem) {
  return (int)problem->config.value[DCS_COULOMB_SWITCHING] == DCS_SWITCHING_C2;
}
/* 0 or from 1e-12 to 0.5; 0: the direct sum, but for rounding. */
static inline double dcs_tolerance(const dcs_problem *problem) {
  return problem->config.value[DCS_COULOMB_TOLERANCE];
}
static inline bool dcs_periodic(const dcs_problem *problem) {
  return (int)problem->config.value[DCS_COULOMB_BOUNDARY] == DCS_BOUNDARY_PERIODIC;
}
/* The edges of the cell of a periodic problem, angstrom: of any length, multiples of the grid's
 * spacing or not; one that is not given is what the grid spans, points times spacing. */
static inline void dcs_cell_edges(const dcs_problem *problem, double cell[3]) {
  const int64_t n[3] = {problem->n.x, problem->n.y, dcs_whole_grid(problem).n.z};
  const double spacing =
      problem->given_spacing > 0 ? problem->given_spacing : (double)problem->spacing;
  for (int d = 0; d < 3; d++) {
    const double given = problem->config.value[DCS_COULOMB_CELL_X + d];
    cell[d] = given > 0 ? given : (double)n[d] * spacing;
  }
}
static inline const dcs_atom *dcs_atoms(const dcs_problem *problem) {
  return (const dcs_atom *)problem->input[DCS_COULOMB_ATOMS];
}

/* A lower bound of R above 0, by a sample of points; that of water where the sample is of zeros.
 * The same however many threads find it. False: no memory. */
bool dcs_map_scale(const dcs_problem *problem, int threads, double *scale);

/* solves() of the variants of the direct sum, of those within a cutoff, and of those to a
 * tolerance; the last asks nothing of the boundary, which dcs_solves_open() does. */
bool dcs_solves_direct(const dcs_config *problem_config, char why[DCS_TEXT]);
bool dcs_solves_cutoff(const dcs_config *problem_config, char why[DCS_TEXT]);
bool dcs_solves_tolerance(const dcs_config *problem_config, char why[DCS_TEXT]);
bool dcs_solves_open(const dcs_config *problem_config, char why[DCS_TEXT]);
/* accurate() of the variants of the direct sum: whether its rounding is within the tolerance. */
bool dcs_direct_accurate(const dcs_problem *problem, int64_t longest_sum, char why[DCS_TEXT]);

#endif
