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

/* The names of a header so far. Begins as {0}; the texts are its own. */
typedef struct {
  char **list;
  size_t n;
  bool no_memory; /* one could not be kept: what was written is no header */
} dcs_c_names;

/* Writes text as a whole name, as dcs_put_name() does; one that is taken has a number behind it. */
void dcs_put_new_name(FILE *out, const char *text, bool upper, dcs_c_names *taken);
void dcs_c_names_free(dcs_c_names *names);

#endif
