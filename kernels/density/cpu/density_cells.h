/* Atoms sorted into cells, so that those near a brick of points lie in a few runs of memory. */
#ifndef DCS_CPU_DENSITY_CELLS_H
#define DCS_CPU_DENSITY_CELLS_H

#include "kernels/common/cpu.h"
#include "kernels/density/density.h"

/* A brick of points: rows of 16 are one vector of AVX-512, and its sums stay in the first-level
 * cache. */
enum { DCS_DENSITY_X = 16, DCS_DENSITY_Y = 8, DCS_DENSITY_Z = 8 };

/* What sorting takes of memory for an atom, at most: its copy, its cell, and cells. */
enum { DCS_DENSITY_ATOM_BYTES = 16 + 4 + 4 * 4 };

/* The atoms whose Gaussians reach the map, by cells of the box of its points; an atom outside the
 * box is in the cell that is nearest. The cells are cubes, x fastest. */
typedef struct {
  dcs_problem problem; /* the first member: a dcs_cpu_kernel finds the others behind it */
  float *x, *y, *z;
  float *rate;         /* what an atom's exponent falls by at a distance of 1 */
  int32_t *start;      /* atoms start[c]..start[c + 1]-1 lie in cell c */
  float limit;         /* a term counts where its exponent is at least -limit */
  float reach;         /* the farthest that any of the atoms reaches, angstrom, and a little more */
  double edge;         /* of a cell, angstrom */
  int32_t n[3];        /* cells */
  int64_t first_slice; /* the map that kernels write begins with this slice, */
  int64_t n_slices;    /* and has so many */
  double *pairs;       /* what kernels that count add to */
} dcs_density_cells;

/* Sorts the problem's atoms (at most 2^31 - 1) into cells of at least that edge; where these would
 * be many more than atoms, the edge is longer. Atoms of a cell stay in order. False: no memory. The
 * caller frees. All slices are written. */
bool dcs_density_sort(const dcs_problem *problem, double edge, int threads,
                      dcs_density_cells *cells);
void dcs_density_free(dcs_density_cells *cells);

/* Index of the cell along dimension d that a coordinate falls into; that of the nearest one for
 * coordinates outside. Never falls where the coordinate rises. */
static inline int32_t dcs_density_cell(const dcs_density_cells *cells, int d, double coordinate) {
  double at = coordinate / cells->edge;
  int32_t last = cells->n[d] - 1;
  return !(at > 0) ? 0 : at >= (double)last ? last : (int32_t)at;
}

/* How far a coordinate lies from lo..hi. */
static inline float dcs_density_outside(float at, float lo, float hi) {
  return at < lo ? lo - at : at > hi ? at - hi : 0;
}

/* What the exponent of an atom may fall to at the nearest point of a box around points: -limit, and
 * a little less, so that no rounding leaves out a term that counts. */
static inline float dcs_density_least(float limit) {
  return -limit * (1 + 0x1p-16f);
}

/* Bricks of the map along each dimension. */
static inline dcs_dims dcs_density_bricks(dcs_dims n) {
  return (dcs_dims){dcs_divide_up(n.x, DCS_DENSITY_X), dcs_divide_up(n.y, DCS_DENSITY_Y),
                    dcs_divide_up(n.z, DCS_DENSITY_Z)};
}

/* Of them, those below the slices that are written. */
static inline int64_t dcs_density_bricks_below(const dcs_density_cells *cells) {
  const dcs_dims bricks = dcs_density_bricks(cells->problem.n);
  return cells->first_slice / DCS_DENSITY_Z * bricks.x * bricks.y;
}

/* The kernels of an instruction set; units are the bricks that the slices written lie in. The
 * problem is that of the cells. NULL where
 * the instruction set is not that of this architecture. */
typedef struct {
  dcs_cpu_kernel *sum;
  dcs_cpu_kernel *count; /* adds the pairs that the other computes to *cells->pairs; no map */
} dcs_density_kernels;

extern const dcs_density_kernels dcs_density_portable, dcs_density_avx2, dcs_density_avx512;

#endif
