/* Radii of elements, where a file says no more of an atom than what it is. */
#ifndef DCS_ELEMENT_H
#define DCS_ELEMENT_H

#include "harness/input/line.h"

/* Van der Waals radius of the element of that symbol, in any case, angstrom (Bondi, J. Phys. Chem.
 * 68, 441, 1964; of metals that he has not 2, as most of his are 1.4 to 2.3). 0: it is no symbol.
 */
double dcs_element_radius(dcs_slice symbol);

/* The symbol in a line of a PDB file, in columns 77-78 or else in the atom's name, columns 13-16: a
 * symbol of one letter begins in column 14, but where a name of four begins in 13, or in amino
 * acids and nucleotides, which have no other. Ions may have CHARMM's names. */
dcs_slice dcs_element_of_pdb(dcs_slice line);

#endif
