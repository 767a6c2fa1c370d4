/* How dense the charges of a problem are, as an error of the long range part takes them.
 *
 * What a lattice of spacing h gets wrong are the waves of the charges that are not much longer than
 * h. Of charges at random these have the mean square `sum of q^2 over the volume`; of molecules,
 * whose charges cancel, less the longer they are: that of the charges that linear weights put on
 * the nodes of a grid of spacing h. So the density at a detail h is that of the grid's charges, in
 * the volume of a reach where it is largest. */
#ifndef DCS_CROWD_H
#define DCS_CROWD_H

#include "kernels/coulomb/coulomb.h"

enum { DCS_CROWD_DETAILS = 8, DCS_CROWD_REACHES = 4 };

/* [reach]: the largest sums in cubes of 2^reach spacings. */
typedef struct {
  double squares[DCS_CROWD_REACHES]; /* e^2 */
  double sizes[DCS_CROWD_REACHES];   /* of |q|, e */
} dcs_crowd_sums;

typedef struct {
  double spacing; /* of the finest grid, angstrom; the others have 2, 4, ... times that */
  dcs_crowd_sums atoms, grid[DCS_CROWD_DETAILS];
} dcs_crowd;

/* The box of the atoms, or of other inputs of four floats: their least and largest x, y, z and q.
 * INFINITY and -INFINITY of none. */
void dcs_crowd_box(const dcs_problem *problem, float least[4], float most[4]);

/* Looks at the atoms, but those so far from the map that they are one charge to it. False: no
 * memory. */
bool dcs_crowd_look(const dcs_problem *problem, dcs_crowd *crowd);

/* That has these densities anywhere, of q^2, e^2/angstrom^3, and of |q|, e/angstrom^3, whatever the
 * detail; that of water, whose molecules are in no order. */
dcs_crowd dcs_crowd_even(double squares, double sizes);
dcs_crowd dcs_crowd_of_water(void);

typedef struct {
  double squares; /* e^2/angstrom^3 */
  double sizes;   /* e/angstrom^3 */
} dcs_crowd_density;

/* Of charges that cancel within `detail` angstrom, in the densest volume `reach` long. */
dcs_crowd_density dcs_crowd_at(const dcs_crowd *crowd, double detail, double reach);

/* Errors of charges at random are normally distributed: of as many points as the map has the
 * largest is so many times the root mean square. */
double dcs_crowd_largest(const dcs_problem *problem);

/* Of what is allowed, that the expected error may take: over problems of 18 kinds the largest error
 * was up to 0.7 of that. */
#define DCS_CROWD_RESERVE 0.7

#endif
