/* Problems that other programs timed, as `dcsbench import` reads them. Their axes are the file's,
 * so that a kind is made for each set of names; it has no variants, inputs or reference. */
#ifndef DCS_EXTERNAL_H
#define DCS_EXTERNAL_H

#include "harness/problems/problem.h"

/* Columns of the axes in the files of such a run, NULL last. */
extern const char *const dcs_external_axes[];

/* The kind whose axes have these names, up to DCS_MAX_DIMENSIONS with commas between: "n",
 * "rows,columns". The same names give the same kind, which lives as long as the program. DCS_INPUT
 * says what is wrong with the names. */
dcs_status dcs_external_kind(const char *names, const dcs_kind **kind);

#endif
