/* Atoms of a molecule that a user names. */
#ifndef DCS_SELECTION_H
#define DCS_SELECTION_H

#include "harness/input/molecule.h"

typedef struct {
  int64_t *atoms; /* their indices, from 0, ascending */
  int64_t n;      /* 1 at least */
} dcs_selection;

/* "all", numbers from 1 and ranges of them ("1:100,205"), or names ("name=CA,CB"). DCS_USAGE for
 * another text, numbers that there are not, names that no atom has. The caller frees atoms. */
dcs_status dcs_select_atoms(const char *text, const dcs_molecule *molecule,
                            dcs_selection *selection);

#endif
