/* What a wrong map looks like: guesses at what a kernel computed instead, each held against the
 * values that it wrote. */
#ifndef DCS_LAB_SUSPECTS_H
#define DCS_LAB_SUSPECTS_H

#include "harness/problems/case.h"
#include "harness/problems/methods.h"

/* Points with wrong values. */
typedef struct {
  const dcs_case *c;
  const dcs_method *method;
  bool all; /* the map has no others */
  int64_t n;
  const int64_t *index; /* into the map */
  const double *found;
} dcs_wrong_values;

/* The guesses below write a clause, as in "the values of row 3 are wrong: CLAUSE", and return
 * whether one fits nearly all points. */

/* Every atom's term is right, but some count twice, or not at all, or all have a common factor. */
bool dcs_suspect_atoms(const dcs_wrong_values *wrong, char clause[DCS_TEXT]);
/* The term of an atom is another formula, or is computed at another place. */
bool dcs_suspect_formula(const dcs_wrong_values *wrong, char clause[DCS_TEXT]);

/* Coordinates of a point of the map. */
void dcs_point_at(const dcs_case *c, int64_t index, int64_t at[3]);
/* Atoms that the kernel takes at a time; all of them where it takes them at once. */
int64_t dcs_atoms_at_a_time(const dcs_wrong_values *wrong);

#endif
