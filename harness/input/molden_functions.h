/* Functions of shells in the order of Molden files. */
#ifndef DCS_MOLDEN_FUNCTIONS_H
#define DCS_MOLDEN_FUNCTIONS_H

#include "harness/input/basis.h"

/* How many functions a shell has; spherical ones where l is 2 or 3. */
int dcs_molden_functions(int l, bool spherical);

/* Adds c times function f of a shell, from 0, to what the orbital has of its monomials. */
void dcs_molden_add(dcs_shell *shell, bool spherical, int f, double c);

#endif
