/* Shapes: families of grids that differ in size alone. A row of grids of other shapes would mix the
 * effect of their size with that of their slices. */
#ifndef DCS_SHAPE_H
#define DCS_SHAPE_H

#include "kernels/contract.h"

/* A grid has a shape of each kind. */
typedef enum {
  DCS_SHAPE_SLICES,    /* slices grow, their number stays: aN x bN x c */
  DCS_SHAPE_MULTIPLES, /* all edges grow: aN x bN x cN */
  DCS_N_SHAPE_KINDS
} dcs_shape_kind;

typedef struct {
  dcs_shape_kind kind;
  dcs_dims unit; /* a, b, c in lowest terms; of slices, c is their number */
} dcs_shape;

/* Of a grid with edges of at least 1. */
dcs_shape dcs_shape_of(dcs_dims n, dcs_shape_kind kind);
bool dcs_shape_equal(dcs_shape a, dcs_shape b);
/* "NxNx4", "2NxNx1"; "N^3", "4Nx2NxN"; returns text. */
char *dcs_shape_text(dcs_shape shape, char text[DCS_TEXT]);
/* The grid of the shape whose number of points is nearest in ratio. */
dcs_dims dcs_shape_grid(dcs_shape shape, double points);

#endif
