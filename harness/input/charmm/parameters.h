/* CHARMM's parameter files: what pairs of atoms of each type have. */
#ifndef DCS_CHARMM_PARAMETERS_H
#define DCS_CHARMM_PARAMETERS_H

#include "harness/input/molecule.h"

/* A type as CHARMM has it, in capitals; in parameters it may have wild cards. */
typedef struct {
  dcs_name type;
  dcs_lennard_jones well, well14; /* of its pairs; of those three bonds apart */
} dcs_charmm_well;

/* NBFIX: what pairs of two types have in place of what their wells combine to. */
typedef struct {
  dcs_name types[2];
  dcs_pair_well well, well14;
} dcs_charmm_fix;

/* MASS: the number that a type has in PSF files that have numbers. */
typedef struct {
  int64_t number;
  dcs_name type;
} dcs_charmm_number;

typedef struct {
  dcs_charmm_well *wells; /* in the order of the files: of those that match the last counts */
  dcs_charmm_fix *fixes;  /* likewise */
  dcs_charmm_number *numbers;
  int64_t n_wells, n_fixes, n_numbers;
  double charges14;   /* E14FAC */
  bool has_charges14; /* else it is 1 */
} dcs_charmm;

/* Adds a file's parameters to those read before it (all zero at first), and gives its hash
 * (harness/base/hash.h). DCS_INPUT names file, line, what was found and what would be right. */
dcs_status dcs_charmm_read(const char *path, dcs_charmm *parameters, uint64_t *hash);
void dcs_charmm_free(dcs_charmm *parameters); /* leaves it empty */

/* Gives the molecule, whose atoms have types, their wells. `path` is that of the types. DCS_INPUT
 * names a type that has none. */
dcs_status dcs_charmm_assign(const dcs_charmm *parameters, const char *path,
                             dcs_molecule *molecule);

/* ---- between the reader's parts ---- */

/* A line with those that continue it, without its comment, and its words. */
enum { DCS_CHARMM_WORDS = 64 };
typedef struct {
  dcs_where at; /* where it begins */
  dcs_slice text;
  dcs_slice words[DCS_CHARMM_WORDS + 1];
  int n;
} dcs_charmm_line;

/* Whether a word begins with these letters, whatever their case: CHARMM looks at four. */
bool dcs_charmm_is(dcs_slice word, const char *start);
/* A type, in capitals. */
dcs_status dcs_charmm_type(const dcs_charmm_line *line, int word, dcs_name *type);

/* The options of NONBONDED, from a word on. */
dcs_status dcs_charmm_options(const dcs_charmm_line *line, int from, dcs_charmm *parameters);
/* A line of NONBONDED, of NBFIX. */
dcs_status dcs_charmm_nonbonded(const dcs_charmm_line *line, dcs_charmm *parameters);
dcs_status dcs_charmm_nbfix(const dcs_charmm_line *line, dcs_charmm *parameters);

#endif
