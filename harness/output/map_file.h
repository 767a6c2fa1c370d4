/* A potential map as an OpenDX file, which VMD, PyMOL, ChimeraX and APBS read. */
#ifndef DCS_MAP_FILE_H
#define DCS_MAP_FILE_H

#include "harness/input/case.h"

/* Writes the map of the case's grid beside `path` and renames: e/angstrom, z fastest as the format
 * has it. An interrupt (dcs_interrupted) ends it with DCS_FAILED; that, and a full disk (DCS_IO),
 * leave an old file as it was. */
dcs_status dcs_map_write_dx(const char *path, const dcs_case *c, const float *map);

#endif
