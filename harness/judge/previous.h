/* A time that was measured in an earlier run, and whether it still holds. */
#ifndef DCS_PREVIOUS_H
#define DCS_PREVIOUS_H

#include "harness/judge/ratio.h"

enum { DCS_PREVIOUS_SAMPLES = 15 }; /* the most that are kept */

typedef struct {
  double median_ns;                      /* of one output; 0: there is none */
  double times_ns[DCS_PREVIOUS_SAMPLES]; /* n */
  int n;
  char date[24]; /* when it was measured, as in env.csv */
} dcs_previous_time;

typedef enum {
  DCS_PREVIOUS_HOLDS,   /* the rate is within the margin of the previous one */
  DCS_PREVIOUS_CHANGED, /* it is not, and the samples tell the two apart */
  DCS_PREVIOUS_UNSURE,  /* it is not, but the samples do not tell the two apart */
  DCS_N_PREVIOUS_VERDICTS
} dcs_previous_verdict;

/* A rate within this share of the previous one holds. */
#define DCS_PREVIOUS_MARGIN 0.03

typedef struct {
  double change;   /* of the rate, by the medians: -0.04: it is 4% lower now */
  dcs_ratio ratio; /* time now / time then */
  dcs_previous_verdict verdict;
} dcs_recheck;

/* Holds times_ns[n], n at least 1, sorted ascending, against the previous time. The two are told
 * apart when the 95% interval of the ratio of their times does not hold 1; with fewer than 6
 * samples on either side there is no interval. The margin is asked of the medians and not of the
 * whole interval, so that what is off by more is never passed over in silence. */
dcs_recheck dcs_recheck_times(const dcs_previous_time *previous, const double *times_ns, size_t n);

/* "holds", "changed", "unsure". */
const char *dcs_previous_verdict_name(dcs_previous_verdict verdict);

#endif
