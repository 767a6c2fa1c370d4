#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <stdio.h>

static bool no(const char *needs, char why[DCS_TEXT]) {
  snprintf(why, DCS_TEXT, "%s", needs);
  return false;
}

/* What a direct sum may be off, over R, in units of u = 2^-24: 16 for its terms, and 8 for each of
 * growth(). Measured where it is worst: charges at random in a box, all added one after another
 * (cpu_gather), are off by 1.7e-5 of 3,000 atoms and 3.9e-5 of 30,000 at the worst of 13,824
 * points, which is 7.4 and 5.3 for each of growth(); tests/test_tolerance.c tries many more. */
enum { OF_TERMS = 16, OF_GROWTH = 8 };

static const double U = 0x1p-24;

/* How much larger the sums are that are rounded on the way than what they end as, were all atoms as
 * far away: the root of the sum of the squares of the running sums of charge, over the same of the
 * charges; those within runs of so many atoms, and those over whole runs. Of unknown atoms it is
 * taken to be that of charges at random. */
static double growth(const dcs_problem *problem, int64_t run) {
  const dcs_atom *atoms = dcs_atoms(problem);
  double sums2 = 0, charges2 = 0, sum = 0, whole = 0;
  if (run > problem->n_inputs) run = problem->n_inputs;
  if (!atoms) return sqrt(0.5 * (double)run);
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const double q = atoms[a].q;
    if (a % run == 0) {
      whole += sum;
      sums2 += whole * whole;
      sum = 0;
    }
    sum += q;
    sums2 += sum * sum;
    charges2 += q * q;
  }
  return charges2 > 0 ? sqrt(sums2 / charges2) : 0;
}

bool dcs_solves_direct(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (problem_config->value[DCS_COULOMB_CUTOFF] > 0)
    return no("it computes the direct sum, which has no cutoff", why);
  return dcs_solves_open(problem_config, why);
}

bool dcs_direct_accurate(const dcs_problem *problem, int64_t longest_sum, char why[DCS_TEXT]) {
  const double tolerance = dcs_tolerance(problem);
  if (tolerance == 0) return true;
  const double least = U * (OF_TERMS + OF_GROWTH * growth(problem, longest_sum));
  if (tolerance >= least) return true;
  snprintf(why, DCS_TEXT, "tolerance %g: in single precision its rounding may reach %.2g here",
           tolerance, least);
  return false;
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
