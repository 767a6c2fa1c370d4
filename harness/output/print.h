/* Maps as text in which z varies fastest, printed by all CPUs. */
#ifndef DCS_PRINT_H
#define DCS_PRINT_H

#include "harness/output/field.h"

enum { DCS_PRINTED = 18 }; /* bytes of a value at most */

/* Prints values[n], those from the file's value number `first` on, as the file has them; returns
 * behind the last byte. */
typedef char *dcs_printer(const dcs_field *field, const float *values, int64_t first, int64_t n,
                          char *text);

/* Errors of the file are left to who closes it; DCS_FAILED at an interrupt. */
dcs_status dcs_print_values(FILE *out, const dcs_field *field, dcs_printer *print);

#endif
