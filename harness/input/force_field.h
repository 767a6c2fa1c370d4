/* What a molecule's atoms are to each other: bonds, Lennard-Jones parameters, and which pairs bonds
 * leave out or make special. */
#ifndef DCS_FORCE_FIELD_H
#define DCS_FORCE_FIELD_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  double half;  /* of R_min, the distance of least energy between two such atoms, angstrom */
  double depth; /* of the well there, kcal/mol, at least 0 */
} dcs_lennard_jones;

/* Of a pair of atoms. */
typedef struct {
  double minimum; /* R_min, angstrom */
  double depth;   /* kcal/mol */
} dcs_pair_well;

/* Lorentz and Berthelot: the sum of the halves, the root of the product of the depths. */
dcs_pair_well dcs_combine_wells(const dcs_lennard_jones *one, const dcs_lennard_jones *other);

/* What is special of a pair that is three bonds apart. */
typedef struct {
  int32_t atom; /* the other one */
  dcs_pair_well well;
  double charges; /* what their Coulomb terms are multiplied by */
} dcs_special_pair;

typedef struct {
  int64_t n;                /* atoms */
  dcs_lennard_jones *wells; /* of each; NULL: not known */
  int64_t (*bonds)[2];      /* n_bonds pairs of atoms, numbered from 0 */
  int64_t n_bonds;
  /* Types whose wells do not all combine (CHARMM's NBFIX) have numbers from 1 on: of each atom that
   * of its type, else 0. NULL: all combine. */
  int32_t *types;
  int n_types;
  dcs_pair_well *pairs; /* of types a + 1 and b + 1, in place a n_types + b */
  /* Of pairs that are three bonds apart (1-4), as above; NULL: they are as all others. */
  dcs_lennard_jones *wells14;
  dcs_pair_well *pairs14; /* NULL where there are no types */
  double charges14;       /* what their Coulomb terms are multiplied by */
  /* Worked out, where `begins` is not NULL: where each atom begins in a list, and the end; atoms
   * that are excluded with each, ascending; of these, its special pairs. */
  int32_t *begins, *excluded;
  int32_t *begins14;
  dcs_special_pair *special;
} dcs_force_field;

/* What a pair has that is not special: its types', or what its atoms' wells combine to. */
dcs_pair_well dcs_force_field_well(const dcs_force_field *field, int64_t a, int64_t b);

void dcs_force_field_free(dcs_force_field *field); /* leaves it empty */

/* What is given of the first n atoms of another, which has as many at least. DCS_UNAVAILABLE when
 * memory is short, as below. The caller frees. */
dcs_status dcs_force_field_copy(const dcs_force_field *from, int64_t n, dcs_force_field *field);

/* Of n atoms of water, O, H, H and so on; the last molecule may lack some. TIP3P's (Jorgensen and
 * others, J. Chem. Phys. 79, 1983, 926): of oxygen 0.1521 kcal/mol at 2 x 1.7682 angstrom, none of
 * hydrogen. */
dcs_status dcs_force_field_of_water(int64_t n, dcs_force_field *field);

/* Bonds of an atom. */
enum { DCS_MOST_BONDS = 32 };

/* Works out what is excluded: atoms that are bonded (1-2), or to the same atom (1-3); where they
 * are special, also those three bonds apart (1-4) that are none of these, which come into the list
 * of special pairs, too. DCS_INPUT: an atom has more than DCS_MOST_BONDS bonds. */
dcs_status dcs_force_field_exclude(dcs_force_field *field);

#endif
