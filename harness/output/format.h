/* What a format that maps are written in is: one line of formats.def. */
#ifndef DCS_OUTPUT_FORMAT_H
#define DCS_OUTPUT_FORMAT_H

#include "harness/problems/case.h"

#include <stdio.h>

typedef struct {
  const char *name;   /* "OpenDX" */
  const char *suffix; /* ".dx", of the names of its files */
  /* Writes the map of the case's grid, e/angstrom, x fastest in memory. Errors of the file may be
   * left to who closes it. An interrupt (dcs_interrupted) ends it with DCS_FAILED. */
  dcs_status (*write)(FILE *out, const dcs_case *c, const float *map);
} dcs_writer;

/* In the order of formats.def. */
extern const dcs_writer *const dcs_writers[];
extern const int dcs_n_writers;

#endif
