/* What the descriptors of Born radii share. */
#ifndef DCS_CUDA_BORN_LAUNCH_H
#define DCS_CUDA_BORN_LAUNCH_H

#include "kernels/born/born.h"

/* One launch of so many blocks of x by y threads, with arguments radii, atoms, n_atoms, born. */
void dcs_born_plan(const dcs_problem *problem, int64_t blocks, int x, int y, dcs_plan *plan);

/* Lets that launch have the numbers of atoms behind them; where it `sorts`, of n atoms that
 * sort.cuh, a part of the kernel's text, has sorted by place before. */
void dcs_born_sort(int64_t n, bool sorts, dcs_plan *plan);

/* Whether atoms are few enough to be counted by int, and blocks of `threads` threads legal; when
 * not, says why. Whole warps, where `warps`. */
bool dcs_born_fits(const dcs_problem *problem, int threads, bool warps, char why[DCS_TEXT]);

/* The files that these come from, for a descriptor's sources. */
#define DCS_BORN_SOURCES                                                                           \
  "kernels/born/cuda/born.cuh", "kernels/born/cuda/launch.c", "kernels/born/cuda/launch.h",        \
      "kernels/born/born.h"

#endif
