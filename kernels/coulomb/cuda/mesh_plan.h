/* The steps of cuda_mesh. */
#ifndef DCS_CUDA_MESH_PLAN_H
#define DCS_CUDA_MESH_PLAN_H

#include "kernels/coulomb/cuda/short_range.h"
#include "kernels/coulomb/mesh.h"

/* Threads of a block of a pass over values; the most points in y that its blocks can have. */
enum { DCS_MESH_PASS_X = 32, DCS_MESH_PASS_Y = 4, DCS_MESH_MOST_IN_Y = 65535 * DCS_MESH_PASS_Y };

/* How many atoms are sorted to be spread, places for images of a periodic problem among them. */
int64_t dcs_mesh_spread_atoms(const dcs_problem *problem, const dcs_mesh *mesh);

/* Fills the launch plan of a problem that goes that way, its meshes in doubles or floats. */
void dcs_mesh_plan(const dcs_problem *problem, const dcs_config *config, const dcs_mesh_way *way,
                   bool doubles, dcs_plan *plan);

#endif
