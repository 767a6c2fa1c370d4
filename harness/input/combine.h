/* Two files that make one molecule: one gives charges and perhaps radii, the other places. */
#ifndef DCS_COMBINE_H
#define DCS_COMBINE_H

#include "harness/input/molecule.h"

/* A file that is read. */
typedef struct {
  dcs_content *content;
  const dcs_reader *reader;
  dcs_molecule molecule;
} dcs_part;

/* Whether the parts, one or two, give charges and places, each once, as far as they are wanted;
 * DCS_INPUT says what they give and what would be right. */
dcs_status dcs_check_parts(const dcs_part *parts, int n, const dcs_read_options *how);

/* Whether a part gives charges; DCS_INPUT says what would. */
dcs_status dcs_check_topology(const dcs_part *part);

/* Makes one molecule of two parts that were read, in whichever order; both are left empty. Atoms
 * belong together in the order of the files: DCS_INPUT where there are not as many in both. As in
 * VMD and NAMD, names need not agree, for programs name atoms differently; how many do not is
 * noted. */
dcs_status dcs_combine_parts(dcs_part parts[2], dcs_molecule *whole, FILE *notes);

#endif
