/* The loops over a mesh's nodes that take most time, for each instruction set. */
#ifndef DCS_CPU_MESH_LINES_H
#define DCS_CPU_MESH_LINES_H

#include <stdint.h>

typedef struct {
  /* to[0..n-1] = the sum of w[j] times rows[j], j < width, in this order; width at most
   * DCS_MESH_FAR_NODES. */
  void (*add_rows)(const double *const *rows, const double *w, int width, int n, double *to);
  /* Adds q wx[i] wy[j] wz[k] to the node at[z[k] + y[j] + i], i, j, k < order. */
  void (*spread)(const double *wx, const double *wy, const double *wz, int order, const int64_t *y,
                 const int64_t *z, double q, double *at);
} dcs_mesh_lines;

/* For an instruction set of DCS_CPU_ISA, which this machine has. */
const dcs_mesh_lines *dcs_mesh_lines_of(int isa);

#endif
