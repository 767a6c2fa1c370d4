/* The problem kind `density`: the Gaussian density map of QuickSurf
 *
 *     rho(i, j, k) = sum over atoms a of exp(-|h (i, j, k) - r_a|^2 / (2 (s R_a)^2))
 *
 * for every point of a uniform grid of spacing h (angstrom), R_a the atom's radius and s a scale of
 * all radii; a term below the error e is left out (Krone, Stone, Ertl, Schulten, Fast Visualization
 * of Gaussian Density Surfaces for Molecular Dynamics and Particle System Trajectories, EuroVis
 * 2012). Kernels compute it in powers of two: with k = log2(e) / (2 s^2) (here e = 2.718...), the
 * term's exponent is x = -k r^2 / R^2, and it counts where x >= -l, l = log2(1 / error). */
#ifndef DCS_DENSITY_H
#define DCS_DENSITY_H

#include "kernels/contract.h"

#include <math.h>

/* The kind's buffers: dcs_gaussian each; a grid of floats. */
enum { DCS_DENSITY_ATOMS, DCS_DENSITY_MAP };

/* A Gaussian of width s R. */
typedef struct {
  float x, y, z; /* angstrom, relative to grid point (0, 0, 0) */
  float radius;  /* angstrom; 0 where no atom of the input has any: it adds nothing */
} dcs_gaussian;

/* The kind's parameters. */
enum { DCS_DENSITY_SCALE, DCS_DENSITY_ERROR };

static inline const dcs_gaussian *dcs_gaussians(const dcs_problem *problem) {
  return (const dcs_gaussian *)problem->input[DCS_DENSITY_ATOMS];
}

/* k: of an atom of radius 1, what the exponent falls by at a distance of 1. */
static inline double dcs_density_rate(const dcs_problem *problem) {
  const double scale = problem->config.value[DCS_DENSITY_SCALE];
  return 0.72134752044448170368 / (scale * scale);
}

/* l: what the exponent may fall to, at least 1. */
static inline double dcs_density_limit(const dcs_problem *problem) {
  return -log2(problem->config.value[DCS_DENSITY_ERROR]);
}

#endif
