/* How large the map of a periodic problem is, roughly. */
#ifndef DCS_CPU_MESH_ROUGH_H
#define DCS_CPU_MESH_ROUGH_H

#include "kernels/coulomb/mesh.h"

/* A point of the map. */
typedef struct {
  double v, w; /* sum of q/r; of the squares of q/r, r at least 1 angstrom */
  float at[3];
  bool far; /* 1 angstrom or more from all atoms */
} dcs_mesh_sample;

/* The samples' v, of all images, off by two percent or so of its terms; w and far of each atom's
 * nearest image. False: no memory. */
bool dcs_mesh_sum_images(const dcs_problem *problem, int threads, dcs_mesh_sample *samples, int n);

#endif
