/* Isosurfaces of the map that `map` computes. */
#ifndef DCS_CLI_MAP_SURFACE_H
#define DCS_CLI_MAP_SURFACE_H

#include "cli/map/frames.h"
#include "library/surface.h"

/* "0.5", "0.05,-0.05": DCS_USAGE for what is no list of numbers. The caller frees *list. */
dcs_status dcs_parse_isovalues(const char *text, double **list, int *n);

/* Computes the surfaces at a->isovalue, writes them to a->out where that is given, and says what
 * they measure: a table. A surface that leaves the grid is open, which is said. */
dcs_status dcs_map_surfaces(const dcs_map_arguments *a, dcs_mapper *mapper, const dcs_field *field);

#endif
