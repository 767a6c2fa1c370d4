/* The problem kind `stencil`: one explicit step of the transport of a substance,
 *
 *     dc/dt + div(u c) = div(K grad c) - d c,        K = diag(kx, ky, kz)
 *
 * advection, diffusion and a reaction of first order (decay, washout) of a concentration c, as
 * models of volcanic ash and radionuclides have it (FALL3D: Folch and others, Geosci. Model Dev.
 * 13, 1431, 2020, with settling in the vertical velocity). WARIS (de la Cruz and others, Unveiling
 * WARIS code, Lect. Notes Comput. Sci. Eng. 103, 577, 2015) runs it as explicit finite differences
 * on a structured grid, in stencils of few points with coefficients of every point in each
 * direction.
 *
 * The discretisation here is by finite volumes, so that mass is conserved to rounding. Lengths are
 * in cells, and walls are closed. With F the flux through the face between cells m and p, and mm,
 * pp the cells behind them,
 *
 *     c' = c - t (Fx+ - Fx- + Fy+ - Fy- + Fz+ - Fz- + d c)
 *     F = u (cm + cp) / 2 - (|u| / 2 + k) (cp - cm)                                    7 points
 *     F = u (7 (cm + cp) - (cmm + cpp)) / 12
 *         + |u| ((cpp - cmm) - 3 (cp - cm)) / 12 - k (cp - cm)                        13 points
 *
 * upwind differences of the first order, and of the third (Wicker and Skamarock, Mon. Weather Rev.
 * 130, 2088, 2002); diffusion is of the second. Where everything sinks, w <= 0 at all faces, the
 * vertical flux of the third order is w (2 cm + 5 cp - cpp) / 6 - kz (cp - cm) and needs no cell
 * two below: 12 points. Beyond a wall c is as in the cell at the wall. */
#ifndef DCS_STENCIL_H
#define DCS_STENCIL_H

#include "kernels/contract.h"

/* The kind's buffers: grids of floats. A velocity or diffusivity at (i, j, k) is that of the cell's
 * lower face in its direction, so that of the upper face is the next cell's. Those of a lower wall
 * are 0, and there is one plane more, all 0: hence what lies next in memory is right at upper
 * walls, too. */
enum {
  DCS_STENCIL_C, /* concentration */
  DCS_STENCIL_U, /* velocity in x, cells a unit of time */
  DCS_STENCIL_V, /* in y */
  DCS_STENCIL_W, /* in z: nowhere above 0 */
  DCS_STENCIL_KX,
  DCS_STENCIL_KY,
  DCS_STENCIL_KZ,
  DCS_STENCIL_OUT, /* concentration after the step */
  DCS_STENCIL_BUFFERS
};

/* The kind's parameters. */
enum { DCS_STENCIL_POINTS, DCS_STENCIL_STEP, DCS_STENCIL_DECAY };

/* What kernels get of them; nz: slices of the whole grid. */
typedef struct {
  float step, decay;
  int points, nz;
} dcs_stencil;

static inline dcs_stencil dcs_stencil_of(const dcs_problem *problem) {
  const double *value = problem->config.value;
  return (dcs_stencil){(float)value[DCS_STENCIL_STEP], (float)value[DCS_STENCIL_DECAY],
                       (int)value[DCS_STENCIL_POINTS], (int)dcs_whole_grid(problem).n.z};
}

#endif
