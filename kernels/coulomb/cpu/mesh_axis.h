/* Values on one regular grid from those on another, as sums with weights along x, then y, then z.
 */
#ifndef DCS_CPU_MESH_AXIS_H
#define DCS_CPU_MESH_AXIS_H

#include "kernels/coulomb/cpu/mesh_lines.h"

#include <stdbool.h>
#include <stdint.h>

/* A dimension: value i of the one is the sum over j < width of w[i width + j] times value
 * first[i] + j of the other. */
typedef struct {
  int n, width;
  int32_t *first;
  double *w;
} dcs_mesh_axis;

/* Room for n values; false: no memory. The caller frees and may free what was all zero. */
bool dcs_mesh_axis_make(int n, int width, dcs_mesh_axis *axis);
void dcs_mesh_axis_free(dcs_mesh_axis *axis);

/* Nodes in memory: element (k * layer + j * row + i), layers and rows of which n count. Where n is
 * more than are stored, nodes are periodic: number `stored` is number 0 again. */
typedef struct {
  double *at;
  int n[3], stored[3];
  int64_t row, layer;
} dcs_mesh_nodes;

/* Layers of `nodes` that the next function has in memory at a time for an axis in z that wide. */
int dcs_mesh_layers(int width, int nodes, int threads);

/* Adds to the map (n of the axes, x fastest) or, where that is NULL, to the nodes `to` what the
 * axes read from `from`; no axis is wider than nodes are stored, and DCS_MESH_FAR_NODES. The same
 * bits with any number of threads. False: no memory. */
bool dcs_mesh_interpolate(const dcs_mesh_nodes *from, const dcs_mesh_axis axes[3], int threads,
                          const dcs_mesh_lines *lines, float *map, const dcs_mesh_nodes *to);

/* The transpose: spreads the nodes `from`, each where its weights are, and writes the nodes `to`;
 * neither are periodic. False: no memory. */
bool dcs_mesh_restrict(const dcs_mesh_nodes *from, const dcs_mesh_axis axes[3], int threads,
                       const dcs_mesh_nodes *to);

#endif
