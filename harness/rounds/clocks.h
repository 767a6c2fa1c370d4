/* The SM clocks of a run's samples, and which of them are too low. */
#ifndef DCS_CLOCKS_H
#define DCS_CLOCKS_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  double *mhz; /* ascending */
  size_t n;
} dcs_clocks;

/* Adds the clock of a sample; NaN is left out. */
dcs_status dcs_clocks_add(dcs_clocks *clocks, double mhz);
/* Whether it is below 75% of the run's usual clock, the median of those added. Never with fewer
 * than 5, nor for NaN. */
bool dcs_clocks_slow(const dcs_clocks *clocks, double mhz);
void dcs_clocks_free(dcs_clocks *clocks);

#endif
