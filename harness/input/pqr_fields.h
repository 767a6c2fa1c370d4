/* Where the numbers of an atom stand in a line of a PQR file. */
#ifndef DCS_PQR_FIELDS_H
#define DCS_PQR_FIELDS_H

#include "harness/input/site.h"

/* Finds x, y, z, charge and radius in a line whose record name has `record` characters. DCS_INPUT
 * where the line is none of an atom; the fields need not be numbers. */
dcs_status dcs_pqr_fields(dcs_where at, dcs_slice line, size_t record,
                          dcs_site_field fields[DCS_SITE_FIELDS]);

#endif
