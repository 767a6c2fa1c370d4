#include "kernels/coulomb/coulomb.h"

#include <stdio.h>

static bool no(const char *needs, char why[DCS_TEXT]) {
  snprintf(why, DCS_TEXT, "%s", needs);
  return false;
}

bool dcs_solves_direct(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_CUTOFF] > 0)
    return no("it computes the direct sum, which has no cutoff", why);
  if (problem_config->value[DCS_COULOMB_TOLERANCE] > 0)
    return no("it computes the direct sum, which has no tolerance", why);
  return dcs_solves_open(problem_config, why);
}

bool dcs_solves_cutoff(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_CUTOFF] > 0) return true;
  return no("it computes the sum within a cutoff, and none is given (--cutoff)", why);
}

bool dcs_solves_tolerance(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_TOLERANCE] > 0) return true;
  return no("it computes to a tolerance, and none is given (--tolerance)", why);
}

bool dcs_solves_open(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_BOUNDARY] == DCS_BOUNDARY_OPEN) return true;
  return no("it computes open boundaries, and these are periodic", why);
}
