/* What the descriptors of orbitals on tensor cores share: a block has 32 x 4 columns of 128 slices.
 */
#ifndef DCS_CUDA_ORBITAL_TENSOR_H
#define DCS_CUDA_ORBITAL_TENSOR_H

#include "kernels/orbital/cuda/launch.h"

/* As a variant has them. */
bool dcs_orbital_tensor_applicable(const dcs_problem *problem, const dcs_config *config,
                                   char why[DCS_TEXT]);
dcs_dims dcs_orbital_tensor_executed(const dcs_problem *problem, const dcs_config *config);
void dcs_orbital_tensor_candidates(const dcs_problem *problem, const dcs_config *config,
                                   dcs_candidates *found);
double dcs_orbital_tensor_flops(const dcs_config *config);

/* One launch of blocks of so many warps. */
void dcs_orbital_tensor_plan(const dcs_problem *problem, int warps, dcs_plan *plan);

/* The longest sum where that of a tile of `terms` terms rounds as one of `of_a_tile` additions. */
int64_t dcs_orbital_tensor_sum(const dcs_problem *problem, int of_a_tile, int terms);

/* The files that these come from, for a descriptor's sources. */
#define DCS_ORBITAL_TENSOR_SOURCES                                                                 \
  "kernels/orbital/cuda/tensor.c", "kernels/orbital/cuda/tensor.h",                                \
      "kernels/orbital/cuda/orbital_terms.cuh", "kernels/common/cuda/tensor.cuh",                  \
      DCS_ORBITAL_SOURCES

#endif
