/* The levels of the mesh method on the CPU, in double precision. */
#ifndef DCS_CPU_MESH_CONVOLVE_H
#define DCS_CPU_MESH_CONVOLVE_H

#include "kernels/common/fftw.h"
#include "kernels/coulomb/cpu/mesh_axis.h"
#include "kernels/coulomb/mesh.h"

/* A level's values: its nodes are the first of a transform's. */
typedef struct {
  dcs_fftw fftw;
  dcs_mesh_nodes nodes;
  dcs_mesh_axis axes[3]; /* the next finer level's nodes on this one; none on the finest */
} dcs_mesh_values;

/* All zero. False: no memory. The caller frees, whatever it returned. */
bool dcs_mesh_allocate(const dcs_mesh *mesh, int threads, dcs_mesh_values *levels);
void dcs_mesh_release(const dcs_mesh *mesh, dcs_mesh_values *levels);

/* What the meshes and their transforms take, and the layers that are there at a time when coarser
 * meshes are made or a map of n points is read. */
double dcs_mesh_working_bytes(const dcs_mesh *mesh, dcs_dims n, int threads);

/* The charges on the finest level become the potential there. False: no memory. */
bool dcs_mesh_convolve(const dcs_mesh *mesh, int threads, const dcs_mesh_lines *lines,
                       dcs_mesh_values *levels);

/* The axes that read n positions, start + i * step angstrom in each dimension, from a level's
 * nodes. False: no memory; the caller frees the three. */
bool dcs_mesh_axes(const dcs_mesh *mesh, int l, const double start[3], const int n[3], double step,
                   dcs_mesh_axis axes[3]);

#endif
