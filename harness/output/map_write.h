/* Writing a map, in the format that the file's name ends in. */
#ifndef DCS_MAP_WRITE_H
#define DCS_MAP_WRITE_H

#include "harness/output/format.h"

/* The format of a file of that name; DCS_USAGE lists those that are known. */
dcs_status dcs_map_format(const char *path, const dcs_writer **writer);

/* Those that are known, for messages: ".dx (OpenDX)". Returns text. */
char *dcs_map_formats(char text[DCS_TEXT]);

/* Writes the map of the case's grid beside `path` and renames. An interrupt (dcs_interrupted) ends
 * it with DCS_FAILED; that, and a full disk (DCS_IO), leave an old file as it was. */
dcs_status dcs_map_write(const char *path, const dcs_case *c, const float *map);

#endif
