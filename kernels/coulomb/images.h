/* The atoms of a periodic problem and their images, as far as these are within reach of the grid:
 * what its short range part sums over. */
#ifndef DCS_IMAGES_H
#define DCS_IMAGES_H

#include "kernels/coulomb/coulomb.h"

#include <math.h>

/* The coordinate of the image that is in the cell, 0..edge; `edge` itself where it rounds to it. */
static inline double dcs_in_cell(double coordinate, double edge) {
  return coordinate - edge * floor(coordinate / edge);
}

/* Along one dimension: images lie `period` apart, those at lo..hi count. */
typedef struct {
  double period, lo, hi; /* angstrom */
  int most;              /* of an atom, at most */
} dcs_image_line;

void dcs_image_lines(const dcs_problem *problem, double reach, dcs_image_line lines[3]);
/* Of an atom in all dimensions, at most. */
double dcs_most_images(const dcs_problem *problem, double reach);

/* Lists them, in the order of the atoms; the caller frees. NULL: no memory. */
dcs_atom *dcs_images(const dcs_problem *problem, double reach, int64_t *n);

#endif
