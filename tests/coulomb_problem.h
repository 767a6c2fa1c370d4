/* Problems of the kind coulomb. */
#ifndef DCS_TEST_COULOMB_PROBLEM_H
#define DCS_TEST_COULOMB_PROBLEM_H

#include "harness/problems/case.h"
#include "kernels/coulomb/coulomb.h"

/* Outputs with that map. */
#define OUT(map) ((void *[DCS_MAX_BUFFERS]){[DCS_COULOMB_MAP] = (map)})

/* Angstrom (0: the direct sum), DCS_SWITCHING_NONE or DCS_SWITCHING_C2. */
static inline dcs_config within(double cutoff, int switching) {
  return (dcs_config){{[DCS_COULOMB_CUTOFF] = cutoff, [DCS_COULOMB_SWITCHING] = switching}};
}

static inline dcs_config to_tolerance(double tolerance) {
  return (dcs_config){{[DCS_COULOMB_TOLERANCE] = tolerance}};
}

/* Poses it on the case. */
static inline void pose_within(dcs_case *c, double cutoff, int switching) {
  const dcs_config problem = within(cutoff, switching);
  dcs_case_pose(c, &problem);
}

#endif
