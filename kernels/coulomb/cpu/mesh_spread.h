/* Charges onto the finest mesh, and the potential of far atoms. */
#ifndef DCS_CPU_MESH_SPREAD_H
#define DCS_CPU_MESH_SPREAD_H

#include "kernels/coulomb/cpu/mesh_axis.h"
#include "kernels/coulomb/mesh.h"

/* Adds the charges of the near atoms to the nodes of level 0. The same bits with any number of
 * threads. False: no memory. */
bool dcs_mesh_spread(const dcs_problem *problem, const dcs_mesh_scene *scene, const dcs_mesh *mesh,
                     int threads, const dcs_mesh_lines *lines, const dcs_mesh_nodes *nodes);

/* The potential of the far atoms: their sum at Chebyshev's nodes, to be interpolated. */
typedef struct {
  double *potential; /* NULL: there are none */
  dcs_mesh_nodes nodes;
  dcs_mesh_axis axes[3]; /* of the problem's points */
} dcs_mesh_far;

/* All zero before. False: no memory; the caller frees, whatever it returned. */
bool dcs_mesh_find_far(const dcs_problem *problem, const dcs_mesh_scene *scene,
                       const dcs_mesh *mesh, int threads, dcs_mesh_far *far);
void dcs_mesh_free_far(dcs_mesh_far *far);

#endif
