/* The Ewald sum (P. P. Ewald, Ann. Phys. 369 (1921) 253; Allen and Tildesley, Computer Simulation
 * of Liquids, chapter 6): the potential of charges that repeat in a lattice of orthorhombic cells,
 * in double precision. */
#ifndef DCS_EWALD_H
#define DCS_EWALD_H

#include "harness/input/molecule.h"

/* v[n], e/angstrom: the potential at points (angstrom, as the sites are; both may lie outside the
 * cell) of all images of the sites. The lattice is surrounded by a conductor (tinfoil), and a net
 * charge is neutralised by a uniform background: the potential's mean over the cell is 0. Where an
 * image of a site is nearer than `coincident` to a point, its own q / r is left out there, and its
 * other images and the background count: the limit of V - q / r. Off by about 1e-13 of the
 * terms. DCS_UNAVAILABLE: no memory. An interrupt leaves v undefined. */
dcs_status dcs_ewald(const dcs_site *sites, int64_t n_sites, const double cell[3],
                     double coincident, const double (*points)[3], int64_t n, double *v);

/* x - y in the cell of that edge, from -edge/2 to edge/2: to the nearest image. */
double dcs_nearest_image(double difference, double edge);

#endif
