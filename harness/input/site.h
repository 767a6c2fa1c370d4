/* The numbers of an atom, as texts state them. */
#ifndef DCS_SITE_H
#define DCS_SITE_H

#include "harness/input/molecule.h"
#include "kernels/contract.h"

/* x, y, z, charge, radius. */
enum { DCS_SITE_FIELDS = 5 };

/* A text and the value that it has, where it is a number. */
typedef struct {
  dcs_slice text;
  double value;
  bool number;
} dcs_site_field;

/* The field with that text; `number` says whether it is one. */
dcs_site_field dcs_site_read(dcs_slice text);

/* The first of n fields that is no number, or too large: coordinates lie within 1e7 angstrom,
 * charge and radius fit a float. n where there is none. */
int dcs_site_wrong(const dcs_site_field *fields, int n);
/* What that field should be, for messages: "y, a number such as ...". */
char *dcs_site_expected(int field, char text[DCS_TEXT]);
/* DCS_INPUT where a field is wrong. */
dcs_status dcs_site_check(dcs_where at, const dcs_site_field *fields, int n);

/* Adds the atom of n fields; the rest is 0. */
dcs_status dcs_site_add(dcs_molecule *molecule, const dcs_site_field *fields, int n);

#endif
