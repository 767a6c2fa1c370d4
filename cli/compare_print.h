/* What `dcsbench compare` prints. */
#ifndef DCS_COMPARE_PRINT_H
#define DCS_COMPARE_PRINT_H

#include "harness/compare/compare.h"

#include <stdio.h>

/* A table with all that is to be known of it; sides: what A and B are. */
void dcs_print_comparison(const char *const sides[2], const dcs_comparison *c);

/* As CSV, to standard output; what is to be known beside the rows. */
dcs_status dcs_write_comparison(const dcs_comparison *c);
void dcs_print_comparison_notes(FILE *out, const dcs_comparison *c);

#endif
