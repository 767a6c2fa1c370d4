#include "harness/judge/previous.h"

#include "harness/judge/stats.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

dcs_recheck dcs_recheck_times(const dcs_previous_time *previous, const double *times_ns, size_t n) {
  double then[DCS_PREVIOUS_SAMPLES];
  size_t n_then = (size_t)previous->n;
  memcpy(then, previous->times_ns, sizeof then);
  dcs_sort_values(then, n_then);
  dcs_recheck check = {.change = previous->median_ns / dcs_median_of_sorted(times_ns, n) - 1,
                       .ratio = dcs_ratio_of_times(then, n_then, times_ns, n)};
  const bool told = check.ratio.lo > 1 || check.ratio.hi < 1; /* false without an interval */
  if (!(fabs(check.change) > DCS_PREVIOUS_MARGIN))
    check.verdict = DCS_PREVIOUS_HOLDS;
  else
    check.verdict = told ? DCS_PREVIOUS_CHANGED : DCS_PREVIOUS_UNSURE;
  return check;
}

const char *dcs_previous_verdict_name(dcs_previous_verdict verdict) {
  static const char *const names[DCS_N_PREVIOUS_VERDICTS] = {"holds", "changed", "unsure"};
  return names[verdict];
}
