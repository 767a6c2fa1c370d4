/* What the files of several problem kinds share. */
#ifndef DCS_KINDS_COMMON_H
#define DCS_KINDS_COMMON_H

#include "harness/problems/case.h"

/* Of atoms on a grid. */
enum { DCS_MAP_AXES = 4, DCS_MAP_DIMENSIONS = 2 };
extern const char *const dcs_map_axes[DCS_MAP_AXES];
extern const dcs_dimension dcs_map_dimensions[DCS_MAP_DIMENSIONS];

/* Of atoms alone. */
enum { DCS_ATOM_AXES = 1, DCS_ATOM_DIMENSIONS = 1 };
extern const char *const dcs_atom_axes[DCS_ATOM_AXES];
extern const dcs_dimension dcs_atom_dimensions[DCS_ATOM_DIMENSIONS];

/* Of a grid alone. */
enum { DCS_GRID_AXES = 3, DCS_GRID_DIMENSIONS = 1 };
extern const char *const dcs_grid_axes[DCS_GRID_AXES];
extern const dcs_dimension dcs_grid_dimensions[DCS_GRID_DIMENSIONS];

/* count() of a buffer of a kind of atoms alone. */
int64_t dcs_one_an_atom(const dcs_problem *problem);

/* reach() where no atom is too far to count, or there is none. */
double dcs_reaches_all(const dcs_case *c);

/* Points of the case's grid in a ball around an atom; `closed`: with those on its surface. */
double dcs_points_in_ball(const dcs_case *c, const dcs_site *site, double radius, bool closed);

#endif
