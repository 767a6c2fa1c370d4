/* What the kernels of orbitals with a thread a column of points share: parameters, shape, counts.
 */
#ifndef DCS_CUDA_ORBITAL_POINTS_H
#define DCS_CUDA_ORBITAL_POINTS_H

#include "kernels/orbital/cuda/launch.h"

enum { DCS_ORBITAL_POINTS_PARAMS = 4 };
extern const dcs_param dcs_orbital_points_params[DCS_ORBITAL_POINTS_PARAMS];

/* As dcs_orbital_fits() says of a configuration's blocks. */
bool dcs_orbital_points_fit(const dcs_problem *problem, const dcs_config *config,
                            char why[DCS_TEXT]);

/* Of a descriptor. */
dcs_dims dcs_orbital_points_executed(const dcs_problem *problem, const dcs_config *config);
void dcs_orbital_points_candidates(const dcs_problem *problem, const dcs_config *config,
                                   dcs_candidates *found);
double dcs_orbital_points_flops(const dcs_config *config);
int64_t dcs_orbital_points_longest(const dcs_problem *problem, const dcs_config *config);
void dcs_orbital_points_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan);

/* The files that these come from, for a descriptor's sources. */
#define DCS_ORBITAL_POINTS_SOURCES                                                                 \
  "kernels/orbital/cuda/orbital_points.cuh", "kernels/orbital/cuda/points.c",                      \
      "kernels/orbital/cuda/points.h", DCS_ORBITAL_SOURCES

#endif
