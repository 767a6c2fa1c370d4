/* Sums with a cutoff on the CPU: what other variants use of them. */
#ifndef DCS_CPU_CUTOFF_H
#define DCS_CPU_CUTOFF_H

#include "kernels/coulomb/coulomb.h"

/* Adds to the map (n.x*n.y*n.z floats) the terms of the problem's atoms, each at the points nearer
 * than the cutoff, which is above 0: the textbook's sequential sum with a cutoff. One thread; no
 * more than 2^24 points in a dimension. Meant for few atoms. */
void dcs_cpu_cutoff_add(const dcs_problem *few, float *map);

#endif
