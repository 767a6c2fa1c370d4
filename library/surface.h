/* Isosurfaces of maps, where the maps are computed. */
#ifndef DCS_LIBRARY_SURFACE_H
#define DCS_LIBRARY_SURFACE_H

#include "harness/output/field.h"
#include "harness/output/mesh.h"
#include "library/dcsbench.h"

/* The surface of a map, whose values are in memory, at an isovalue; of a negative one inside is
 * what is below. Whatever computes it, it is the same to the bit. The caller frees the mesh.
 * DCS_USAGE where the map has no such surface; DCS_UNAVAILABLE: it is too large, or memory short.
 */
dcs_status dcs_mapper_surface(dcs_mapper *mapper, const dcs_field *field, double isovalue,
                              dcs_surface_mesh *mesh);

#endif
