/* What the problem kinds share whose output is a map of atoms on a grid. */
#ifndef DCS_MAPS_H
#define DCS_MAPS_H

#include "harness/problems/case.h"

enum { DCS_MAP_AXES = 4, DCS_MAP_DIMENSIONS = 2 };
extern const char *const dcs_map_axes[DCS_MAP_AXES];
extern const dcs_dimension dcs_map_dimensions[DCS_MAP_DIMENSIONS];

/* Points of the case's grid in a ball around an atom; `closed`: with those on its surface. */
double dcs_points_in_ball(const dcs_case *c, const dcs_site *site, double radius, bool closed);

#endif
