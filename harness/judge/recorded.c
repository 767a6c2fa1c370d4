#include "harness/judge/recorded.h"

#include "harness/judge/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

dcs_recheck dcs_recheck_times(const dcs_recorded *recorded, const double *times_ns, size_t n) {
  double then[DCS_RECORDED_SAMPLES];
  size_t n_then = (size_t)recorded->n;
  memcpy(then, recorded->times_ns, sizeof then);
  dcs_sort_values(then, n_then);
  dcs_recheck check = {.change = recorded->median_ns / dcs_median_of_sorted(times_ns, n) - 1,
                       .ratio = dcs_ratio_of_times(then, n_then, times_ns, n)};
  const bool told = check.ratio.lo > 1 || check.ratio.hi < 1; /* false without an interval */
  if (!(fabs(check.change) > DCS_RECORD_MARGIN))
    check.verdict = DCS_RECORD_HOLDS;
  else
    check.verdict = told ? DCS_RECORD_CHANGED : DCS_RECORD_UNSURE;
  return check;
}

const char *dcs_record_verdict_name(dcs_record_verdict verdict) {
  static const char *const names[DCS_N_RECORD_VERDICTS] = {"holds", "changed", "unsure"};
  return names[verdict];
}

char *dcs_record_day(const char *date, char text[24]) {
  if (*date)
    snprintf(text, 24, "%.10s", date);
  else
    snprintf(text, 24, "an unknown day");
  return text;
}
