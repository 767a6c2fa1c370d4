/* A time that was recorded in an earlier run, and whether it still holds. */
#ifndef DCS_RECORDED_H
#define DCS_RECORDED_H

#include "harness/judge/ratio.h"

enum { DCS_RECORDED_SAMPLES = 15 }; /* the most that a record keeps */

typedef struct {
  double median_ns;                      /* of one map; 0: nothing is recorded */
  double times_ns[DCS_RECORDED_SAMPLES]; /* n; none: only the median is known */
  int n;
  char date[24]; /* when it was measured, as in env.csv; "": unknown */
} dcs_recorded;

typedef enum {
  DCS_RECORD_HOLDS,   /* the rate is within the margin of what is recorded */
  DCS_RECORD_CHANGED, /* it is not, and the samples tell the two apart */
  DCS_RECORD_UNSURE,  /* it is not, but the samples do not tell the two apart */
  DCS_N_RECORD_VERDICTS
} dcs_record_verdict;

/* A rate within this share of the recorded one is as recorded. */
#define DCS_RECORD_MARGIN 0.03

typedef struct {
  double change;   /* of the rate, by the medians: -0.04: it is 4% lower now */
  dcs_ratio ratio; /* time now / time then */
  dcs_record_verdict verdict;
} dcs_recheck;

/* Holds times_ns[n], n at least 1, sorted ascending, against the record. The two are told apart
 * when the 95% interval of the ratio of their times does not hold 1; with fewer than 6 samples on
 * either side there is no interval. The margin is asked of the medians and not of the whole
 * interval, so that what is off by more is never passed over in silence. */
dcs_recheck dcs_recheck_times(const dcs_recorded *recorded, const double *times_ns, size_t n);

/* "holds", "changed", "unsure". */
const char *dcs_record_verdict_name(dcs_record_verdict verdict);

/* "2026-11-20" of a date as in env.csv, or "an unknown day"; returns text. */
char *dcs_record_day(const char *date, char text[24]);

#endif
