/* A slice of a map as a picture. */
#ifndef DCS_SLICE_H
#define DCS_SLICE_H

#include "harness/output/field.h"

/* Whether a file of that name is a picture: .png or .svg. */
bool dcs_is_picture(const char *path);

/* Draws a map that is one point wide along one axis, with gnuplot, and writes the picture beside
 * `path` and renames. Colours are symmetric about 0 and end where 1% of the values lie beyond, so
 * that the points next to atoms do not take them all. DCS_USAGE for a map that is no slice;
 * DCS_UNAVAILABLE without gnuplot. */
dcs_status dcs_slice_draw(const char *path, const dcs_field *field);

#endif
