/* Writing a map, in the format that the file's name ends in: one line of formats.def. */
#ifndef DCS_MAP_WRITE_H
#define DCS_MAP_WRITE_H

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

/* The format of a file of that name; DCS_USAGE lists those that are known. */
dcs_status dcs_map_format(const char *path, const dcs_writer **writer);

/* Those that are known, for messages: ".dx (OpenDX)". Returns text. */
char *dcs_map_formats(char text[DCS_TEXT]);

/* Writes the map of the case's grid beside `path` and renames. An interrupt (dcs_interrupted) ends
 * it with DCS_FAILED; that, and a full disk (DCS_IO), leave an old file as it was. */
dcs_status dcs_map_write(const char *path, const dcs_case *c, const float *map);

#endif
