/* Atoms sorted into cells, so that those near a tile of points lie in a few runs of memory. */
#ifndef DCS_CPU_CUTOFF_CELLS_H
#define DCS_CPU_CUTOFF_CELLS_H

#include "kernels/common/cpu.h"
#include "kernels/coulomb/coulomb.h"
#include "kernels/coulomb/radial.h"

enum {
  DCS_CUTOFF_TILE = 4,    /* points of a tile along each dimension */
  DCS_CUTOFF_SIDE = 2,    /* tiles of a brick along each dimension */
  DCS_CUTOFF_BATCH = 512, /* atoms that a brick takes to its tiles at once: they and what is
                             prepared for them stay near the first-level cache */
  DCS_CUTOFF_PAD = 16     /* floats behind the atoms that may be read with the last of them */
};

/* The atoms that may lie within the cutoff of a point of the map, by cells of a box around them.
 * The cells are cubes, x fastest; the last in a dimension holds what rounding puts behind it. */
typedef struct dcs_cutoff_cells {
  dcs_problem problem; /* the first member: a dcs_cpu_kernel finds the others behind it */
  float *x, *y, *z, *q;
  int32_t *start;           /* atoms start[c]..start[c + 1]-1 lie in cell c */
  double lo[3];             /* corner of cell 0, angstrom */
  double edge;              /* of a cell, angstrom */
  double per_edge;          /* 1 / edge */
  int32_t n[3];             /* cells */
  int64_t first_slice;      /* the map that kernels write begins with this slice, */
  int64_t n_slices;         /* and has so many */
  double *pairs;            /* what kernels that count add to */
  const dcs_radial *radial; /* of the kernel that softens */
} dcs_cutoff_cells;

/* Sorts the problem's atoms (at most 2^31 - 1 - DCS_CUTOFF_PAD) into cells of at least that edge;
 * where these would be many more than atoms, the edge is longer. Atoms of a cell stay in order.
 * False: no memory. The caller frees. */
/* All slices are written. */
bool dcs_cutoff_sort(const dcs_problem *problem, double edge, int threads, dcs_cutoff_cells *cells);
void dcs_cutoff_free(dcs_cutoff_cells *cells);

/* Index of the cell along dimension d that a coordinate falls into; that of the nearest one for
 * coordinates outside. Never falls where the coordinate rises. */
static inline int32_t dcs_cutoff_cell(const dcs_cutoff_cells *cells, int d, double coordinate) {
  double at = (coordinate - cells->lo[d]) * cells->per_edge;
  int32_t last = cells->n[d] - 1;
  return !(at > 0) ? 0 : at >= (double)last ? last : (int32_t)at;
}

/* Tiles of the map along each dimension. */
static inline dcs_dims dcs_cutoff_tiles(dcs_dims n) {
  enum { T = DCS_CUTOFF_TILE };
  return (dcs_dims){(n.x + T - 1) / T, (n.y + T - 1) / T, (n.z + T - 1) / T};
}

enum { DCS_CUTOFF_BRICK = DCS_CUTOFF_TILE * DCS_CUTOFF_SIDE };

/* Bricks of the map along each dimension. */
static inline dcs_dims dcs_cutoff_bricks(dcs_dims n) {
  enum { B = DCS_CUTOFF_BRICK };
  return (dcs_dims){(n.x + B - 1) / B, (n.y + B - 1) / B, (n.z + B - 1) / B};
}

/* Of them, those below the slices that are written. */
static inline int64_t dcs_cutoff_bricks_below(const dcs_cutoff_cells *cells) {
  const dcs_dims bricks = dcs_cutoff_bricks(cells->problem.n);
  return cells->first_slice / DCS_CUTOFF_BRICK * bricks.x * bricks.y;
}

/* The kernels of an instruction set; units are the bricks that the slices written lie in. The
 * problem is that of the cells. NULL where the instruction set is not that of this architecture. */
typedef struct {
  dcs_cpu_kernel *plain, *switched;
  dcs_cpu_kernel *softened; /* terms 1/r - P(r^2) of cells->radial, added to the map */
  dcs_cpu_kernel *count;    /* adds the candidate pairs of the others to *cells->pairs; no map */
} dcs_cutoff_kernels;

extern const dcs_cutoff_kernels dcs_cutoff_portable, dcs_cutoff_avx2, dcs_cutoff_avx512;

#endif
