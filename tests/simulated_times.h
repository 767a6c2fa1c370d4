/* Times as a machine gives them, with medians that a test plants. Include after cmocka.h. */
#ifndef DCS_TEST_SIMULATED_TIMES_H
#define DCS_TEST_SIMULATED_TIMES_H

#include "harness/base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of the standard normal distribution. */
static inline double simulated_normal(dcs_random *random) {
  double u = 1 - dcs_random_unit(random), v = dcs_random_unit(random);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Lognormal scatter, and now and then a time that is up to half as long again. */
static inline double simulated_noise(dcs_random *random, double scatter) {
  double factor = exp(scatter * simulated_normal(random));
  if (scatter > 0 && dcs_random_unit(random) < 0.05)
    factor *= 1.05 + 0.45 * dcs_random_unit(random);
  return factor;
}

/* Trials of a simulation: all of them in `make check-full`, which sets DCS_TEST_FULL, else a part
 * that ends soon. */
static inline int simulated_trials(int all, int part) {
  return getenv("DCS_TEST_FULL") ? all : part;
}

/* The least count that `share` of all trials comes to; of a part, three standard deviations of the
 * binomial distribution fewer. The seeds are fixed: a test that passes, passes always. */
static inline double simulated_least(double share, int trials, bool part) {
  double slack = part ? 3 * sqrt(share * (1 - share) * trials) : 0;
  return share * trials - slack;
}

#endif
