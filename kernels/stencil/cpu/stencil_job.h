/* What the CPU kernels of `stencil` share with cpu_stencil. */
#ifndef DCS_CPU_STENCIL_JOB_H
#define DCS_CPU_STENCIL_JOB_H

#include "kernels/common/cpu.h"
#include "kernels/stencil/stencil.h"

/* `problem` comes first: kernels get its address. It has the slices that are computed, which begin
 * with slice first_slice of the grid_slices that inputs have. */
typedef struct {
  dcs_problem problem;
  int64_t first_slice, grid_slices, rows;
} dcs_stencil_job;

/* A unit is a block of rows rows of a slice; slices are fastest, so that a thread takes its rows
 * up through the grid. tile: points that are computed at once, 0 where the instruction set is not
 * there. */
typedef struct {
  int tile;
  dcs_cpu_kernel *advance;
} dcs_stencil_kernel;

extern const dcs_stencil_kernel dcs_stencil_portable, dcs_stencil_avx2, dcs_stencil_avx512;

/* Blocks of rows of a slice. */
static inline int64_t dcs_stencil_blocks(const dcs_stencil_job *job) {
  return dcs_divide_up(job->problem.n.y, job->rows);
}

#endif
