/* The problem kind `coulomb`: the electrostatic potential map
 *
 *     V(i, j, k) = sum over atoms a of q_a / |h (i, j, k) - r_a|
 *
 * for every point of a uniform grid of spacing h (angstrom), charges in e, so V is in e/angstrom
 * (Stone et al., J. Comput. Chem. 28 (2007) 2618; Kirk and Hwu, Programming Massively Parallel
 * Processors): the direct sum, or, with a cutoff c, the sum over the atoms nearer than c alone,
 * each term times a switching function. */
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
enum { DCS_COULOMB_CUTOFF, DCS_COULOMB_SWITCHING };

/* What an atom's term at distance r < c is multiplied by. */
enum {
  DCS_SWITCHING_NONE, /* 1 */
  DCS_SWITCHING_C2    /* (1 - r^2 / c^2)^2: value and slope are 0 at the cutoff */
};

/* Angstrom; 0: the direct sum. */
static inline float dcs_cutoff(const dcs_problem *problem) {
  return (float)problem->config.value[DCS_COULOMB_CUTOFF];
}
static inline bool dcs_switched(const dcs_problem *problem) {
  return (int)problem->config.value[DCS_COULOMB_SWITCHING] == DCS_SWITCHING_C2;
}
static inline const dcs_atom *dcs_atoms(const dcs_problem *problem) {
  return (const dcs_atom *)problem->input[DCS_COULOMB_ATOMS];
}

/* solves() of the variants of the direct sum, and of those within a cutoff. */
bool dcs_solves_direct(const dcs_config *problem_config, char why[DCS_TEXT]);
bool dcs_solves_cutoff(const dcs_config *problem_config, char why[DCS_TEXT]);

#endif
