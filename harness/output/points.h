/* Values at points of the user's own, in double precision. */
#ifndef DCS_POINTS_H
#define DCS_POINTS_H

#include "harness/problems/case.h"

typedef struct {
  double x, y, z; /* angstrom */
} dcs_point;

/* Reads a CSV whose columns x, y and z (or x_angstrom, ...) are coordinates, angstrom; others are
 * passed over. DCS_INPUT names file, row and cell. The caller frees *points. */
dcs_status dcs_points_read(const char *path, dcs_point **points, int64_t *n);

/* The value of the case's problem at each point, whose coordinates are those of the molecule's
 * file. An atom nearer to a point than 1e-6 of the case's spacing is left out there; *n_on_atoms
 * counts such points. Parallel. DCS_FAILED at an interrupt. */
dcs_status dcs_points_values(const dcs_case *c, const dcs_point *points, int64_t n, double *values,
                             int64_t *n_on_atoms);

/* Writes them as CSV, the values times `factor` in a column of the units' name; path NULL: standard
 * output. */
dcs_status dcs_points_write(const char *path, const dcs_point *points, int64_t n,
                            const double *values, const char *units, double factor);

#endif
