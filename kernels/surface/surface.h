/* The problem kind `surface`: the isosurface of a map, as triangles, by marching cubes
 *
 * (Lorensen and Cline, Marching cubes: a high resolution 3D surface construction algorithm,
 * SIGGRAPH 1987). A point of the map is inside where its value is at least the level. An edge
 * between neighbours of which one is inside is cut, and has a vertex where the value is the level
 * by linear interpolation. Each cell of eight points has the triangles of its case, which is what
 * of its corners is inside.
 *
 * Vertices are numbered in the order of the points that their edges begin at, x fastest, and at a
 * point those along x, y and z; triangles in the order of cells, and in a cell in that of its case.
 * So the mesh is the same to the bit whoever computes it, and cells share vertices. Triangles turn
 * anticlockwise seen from outside.
 *
 * In steps, as on GPUs: what is inside, a bit a point; how many vertices and triangles words of
 * bits have, counted; their sums over the words before, by a scan; and both emitted. */
#ifndef DCS_SURFACE_H
#define DCS_SURFACE_H

#include "kernels/contract.h"

/* The kind's buffers. */
enum {
  DCS_SURFACE_MAP,   /* a grid of floats */
  DCS_SURFACE_CASES, /* 256 numbers, as dcs_surface_make_cases() writes them */
  DCS_SURFACE_LEVEL, /* a float */
  DCS_SURFACE_ROWS,  /* of each row of points, dcs_surface_counts of those before it; behind the
                        last, all: how large the surface is */
  DCS_SURFACE_VERTICES,
  DCS_SURFACE_TRIANGLES,
  DCS_SURFACE_BUFFERS
};

typedef struct {
  int64_t vertices, triangles;
} dcs_surface_counts;

typedef struct {
  float x, y, z; /* in spacings from grid point (0, 0, 0) */
} dcs_surface_vertex;

typedef struct {
  int32_t vertex[3];
} dcs_surface_triangle;

enum { DCS_SURFACE_N_CASES = 256, DCS_SURFACE_MOST = 5 /* triangles of a case */ };

/* Of each case (bit c: the corner at x, y, z = bits 0, 1, 2 of c is inside) its number of triangles
 * in the highest four bits, and from the lowest on three edges of each, four bits an edge. Edge
 * 4 a + q is along axis a and begins at the q-th corner whose bit a is 0.
 *
 * The rule: where a face of the cell has two corners inside that lie across from each other, they
 * are apart: each is cut off by a line of its own. Both cells of a face see the same four corners,
 * so their lines are the same; the lines of all faces make loops, and loops are cut into triangles
 * without a line within a face, as every case allows. So an edge of a triangle that lies in a face
 * is a line that both cells have, in opposite directions, and any other is of two triangles of one
 * cell: the surface is closed but where it leaves the grid. */
void dcs_surface_make_cases(uint64_t cases[DCS_SURFACE_N_CASES]);

/* Fills rows[n.y * n.z + 1], as the buffer has them, by so many threads; false: there is no memory
 * for it. */
bool dcs_surface_measure(const float *map, dcs_dims n, const uint64_t *cases, float level,
                         int threads, dcs_surface_counts *rows);

/* Whether the vertices and triangles can be numbered; when not, says why. */
bool dcs_surface_fits(const dcs_problem *problem, char why[DCS_TEXT]);

static inline float dcs_surface_level(const dcs_problem *problem) {
  return *(const float *)problem->input[DCS_SURFACE_LEVEL];
}

/* NULL where only the shape matters. */
static inline const dcs_surface_counts *dcs_surface_size(const dcs_problem *problem) {
  const dcs_surface_counts *rows = (const dcs_surface_counts *)problem->input[DCS_SURFACE_ROWS];
  return rows ? rows + problem->n.y * problem->n.z : NULL;
}

#endif
