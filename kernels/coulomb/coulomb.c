#include "kernels/coulomb/coulomb.h"

#include <stdio.h>

bool dcs_solves_direct(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_CUTOFF] == 0) return true;
  snprintf(why, DCS_TEXT, "it computes the direct sum, which has no cutoff");
  return false;
}

bool dcs_solves_cutoff(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_CUTOFF] > 0) return true;
  snprintf(why, DCS_TEXT, "it computes the sum within a cutoff, and none is given (--cutoff)");
  return false;
}
