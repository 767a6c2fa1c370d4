/* Charges onto the finest mesh, and the potential of far atoms. */
#ifndef DCS_CPU_MESH_SPREAD_H
#define DCS_CPU_MESH_SPREAD_H

#include "kernels/coulomb/cpu/mesh_axis.h"
#include "kernels/coulomb/mesh.h"

/* Adds the charges of the near atoms to the nodes of level 0. The same bits with any number of
 * threads. False: no memory. */
bool dcs_mesh_spread(const dcs_problem *problem, const dcs_mesh_scene *scene, const dcs_mesh *mesh,
                     int threads, const dcs_mesh_nodes *nodes);

/* Adds the potential of the far atoms to the map: their sum at Chebyshev's nodes, interpolated.
 * False: no memory. */
bool dcs_mesh_add_far(const dcs_problem *problem, const dcs_mesh_scene *scene, const dcs_mesh *mesh,
                      int threads, float *map);

#endif
