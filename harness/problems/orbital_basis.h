/* The basis and the orbital of atoms that come without: generated ones. */
#ifndef DCS_ORBITAL_BASIS_H
#define DCS_ORBITAL_BASIS_H

#include "harness/input/molecule.h"

/* Of random atoms a fifth is hydrogen: primitives of an atom, and multiply-adds of one at a point,
 * one for each of the terms (kernels/orbital/orbital.h), on average. Carbon's four primitives of p
 * are also s. */
#define DCS_ORBITAL_EVALS (0.2 * 4 + 0.8 * 15)
#define DCS_ORBITAL_FMA   ((0.2 * 4 + 0.8 * (6 + 2 * 4 + 3)) / DCS_ORBITAL_EVALS)

/* 6-31G* (Hehre, Ditchfield, Pople, J. Chem. Phys. 56, 1972; Hariharan, Pople, Theor. Chim. Acta
 * 28, 1973) of hydrogen for atoms of a radius below 1.2 angstrom, else of carbon. What the orbital
 * has of a function is the atom's charge times a number of the function's, -1 to 1, the same in all
 * atoms: an atom's part of the orbital depends on that atom alone. The caller frees. */
dcs_status dcs_orbital_basis(const dcs_site *sites, int64_t n_sites, dcs_basis **basis);

/* An atom with a shell of each degree, s to f, which generated atoms do not have: 6-31G* ends with
 * d. Each has exponents of its own, so that as terms, too, they are of all shapes. The caller frees
 * the molecule, whatever the status. */
dcs_status dcs_orbital_whole(dcs_molecule *molecule);

#endif
