#include "harness/rounds/clocks.h"

#include "harness/base/grow.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 5 };
static const double SLOW = 0.75;

dcs_status dcs_clocks_add(dcs_clocks *clocks, double mhz) {
  if (isnan(mhz)) return DCS_OK;
  DCS_TRY(dcs_grow(&clocks->mhz, clocks->n, sizeof mhz, "clocks of samples"));
  size_t at = clocks->n;
  while (at > 0 && clocks->mhz[at - 1] > mhz)
    at--;
  memmove(clocks->mhz + at + 1, clocks->mhz + at, (clocks->n - at) * sizeof *clocks->mhz);
  clocks->mhz[at] = mhz;
  clocks->n++;
  return DCS_OK;
}

bool dcs_clocks_slow(const dcs_clocks *clocks, double mhz) {
  if (clocks->n < LEAST) return false;
  return mhz < SLOW * dcs_median_of_sorted(clocks->mhz, clocks->n);
}

void dcs_clocks_free(dcs_clocks *clocks) {
  free(clocks->mhz);
  *clocks = (dcs_clocks){0};
}
