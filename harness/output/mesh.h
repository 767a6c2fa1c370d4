/* Meshes of isosurfaces, and their files. */
#ifndef DCS_MESH_FILES_H
#define DCS_MESH_FILES_H

#include "kernels/surface/surface.h"

typedef struct {
  double isovalue;
  const char *by;            /* the variant that computed it */
  double origin[3], spacing; /* of the grid, angstrom */
  int64_t n_vertices, n_triangles;
  dcs_surface_vertex *vertices;
  dcs_surface_triangle *triangles; /* anticlockwise seen from outside */
} dcs_surface_mesh;

void dcs_surface_mesh_free(dcs_surface_mesh *mesh); /* leaves no triangles */

typedef struct {
  double area;   /* angstrom^2 */
  double volume; /* of what is inside, angstrom^3: signed tetrahedra; NaN unless it is closed */
  int64_t open;  /* edges of one triangle alone */
  int64_t wrong; /* edges of more than two, or of two that run the same way along it */
  int64_t euler; /* vertices - edges + triangles */
} dcs_surface_facts;

/* Of the mesh as it is. DCS_UNAVAILABLE where memory is short. */
dcs_status dcs_surface_look(const dcs_surface_mesh *mesh, dcs_surface_facts *facts);

/* DCS_USAGE unless the name ends in .ply or .obj. */
dcs_status dcs_check_mesh_name(const char *path);
/* Writes them all, beside and renamed: PLY (binary, little endian; of several meshes each vertex
 * has its isovalue), or OBJ (a group each). Places are in angstrom. */
dcs_status dcs_surface_write(const char *path, const dcs_surface_mesh *meshes, int n);

#endif
