/* What the descriptors of `stencil` share. */
#ifndef DCS_CUDA_STENCIL_LAUNCH_H
#define DCS_CUDA_STENCIL_LAUNCH_H

#include "kernels/stencil/stencil.h"

/* One launch of blocks of x by y threads, a thread `coarsen` points in x and `depth` in z, with
 * arguments out, c, u, v, w, kx, ky, kz, nx, ny, slices, first slice, stencil. */
void dcs_stencil_plan(const dcs_problem *problem, int x, int y, int coarsen, int depth,
                      dcs_plan *plan);

/* Whether such blocks, and as many as the grid takes, are legal; when not, says why. */
bool dcs_stencil_fits(const dcs_problem *problem, int x, int y, int coarsen, int depth,
                      char why[DCS_TEXT]);

/* Descriptor functions that all share. */
double dcs_stencil_flops(const dcs_config *config);
int64_t dcs_stencil_longest_sum(const dcs_problem *problem, const dcs_config *config);

/* Those of variants with a thread a point, whose first parameters are block_x and block_y. */
bool dcs_stencil_point_applicable(const dcs_problem *problem, const dcs_config *config,
                                  char why[DCS_TEXT]);
void dcs_stencil_point_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan);

/* The files that these come from, for a descriptor's sources. */
#define DCS_STENCIL_SOURCES                                                                        \
  "kernels/stencil/cuda/stencil.cuh", "kernels/stencil/cuda/launch.c",                             \
      "kernels/stencil/cuda/launch.h", "kernels/stencil/stencil.h"

#endif
