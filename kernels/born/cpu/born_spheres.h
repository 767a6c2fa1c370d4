/* What the instruction sets of cpu_born share: the spheres as they go by. */
#ifndef DCS_CPU_BORN_SPHERES_H
#define DCS_CPU_BORN_SPHERES_H

#include "kernels/born/born.h"
#include "kernels/common/cpu.h"

/* A problem, as dcs_cpu_run() hands it on, and of each of its spheres place, radius s, the square
 * within which it is near, and the series' coefficients times s^3, s^5, s^7, s^9. */
typedef struct {
  dcs_problem problem;
  float *x, *y, *z, *radius, *near2, *c[4];
} dcs_born_spheres;

/* An instruction set: computes tiles of so many atoms. NULL: the compiler lacks it. */
typedef struct {
  dcs_cpu_kernel *descreen; /* of a dcs_born_spheres */
  int tile;
} dcs_born_kernel;
extern const dcs_born_kernel dcs_born_portable, dcs_born_avx2, dcs_born_avx512;

#endif
