/* Texts inside generated C. */
#ifndef DCS_C_TEXT_H
#define DCS_C_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Writes text that stands in a comment; what would end it, or open another, becomes a blank. */
void dcs_put_comment(FILE *out, const char *text);

/* Writes text as part of a name: with one "_" for what no name may hold, in upper case for a
 * macro. */
void dcs_put_name(FILE *out, const char *text, bool upper);

#endif
