/* What a molecule's atoms are to each other: bonds, Lennard-Jones parameters, and which pairs these
 * leave out. */
#ifndef DCS_FORCE_FIELD_H
#define DCS_FORCE_FIELD_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  double half;  /* of R_min, the distance of least energy between two such atoms, angstrom */
  double depth; /* of the well there, kcal/mol, at least 0 */
} dcs_lennard_jones;

typedef struct {
  int64_t n;                /* atoms */
  dcs_lennard_jones *wells; /* of each; NULL: nothing is known, and there are no bonds */
  int64_t (*bonds)[2];      /* n_bonds pairs of atoms, numbered from 0 */
  int64_t n_bonds;
  int32_t *begins;   /* of each atom in `excluded`, and the end; NULL: not worked out */
  int32_t *excluded; /* atoms that are excluded with each, ascending */
} dcs_force_field;

void dcs_force_field_free(dcs_force_field *field); /* leaves it empty */

/* Wells and bonds of the first n atoms of another, which has as many at least. DCS_UNAVAILABLE when
 * memory is short, as below. The caller frees. */
dcs_status dcs_force_field_copy(const dcs_force_field *from, int64_t n, dcs_force_field *field);

/* Of n atoms of water, O, H, H and so on; the last molecule may lack some. TIP3P's (Jorgensen and
 * others, J. Chem. Phys. 79, 1983, 926): of oxygen 0.1521 kcal/mol at 2 x 1.7682 angstrom, none of
 * hydrogen. */
dcs_status dcs_force_field_of_water(int64_t n, dcs_force_field *field);

/* Works out what is excluded: atoms that are bonded (1-2), or to the same atom (1-3). */
dcs_status dcs_force_field_exclude(dcs_force_field *field);

#endif
