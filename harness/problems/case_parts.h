/* What the parts of a case share. Internal to case.c, case_grid.c, case_fixes.c. */
#ifndef DCS_CASE_PARTS_H
#define DCS_CASE_PARTS_H

#include "harness/problems/case.h"

/* Fills in what the user left open of a grid around the box from lo to hi. */
dcs_status dcs_derive_grid(const double lo[3], const double hi[3], dcs_grid *grid);

/* Whether atoms and map repeat in a cell, and its edges, angstrom. */
bool dcs_case_repeats(const dcs_case *c, double cell[3]);

/* Lists the points that are very near to atoms, and counts the atoms that coincide with one. */
dcs_status dcs_find_fixes(dcs_case *c);

/* Computes their values of the problem that is posed; NaN, which no verification lets pass, where
 * memory is short. */
void dcs_set_fixes(dcs_case *c);

#endif
