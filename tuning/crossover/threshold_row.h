/* What a threshold and a frontier share: a row of sizes, judged one by one, and its resamples.
 * Internal to both. */
#ifndef DCS_THRESHOLD_ROW_H
#define DCS_THRESHOLD_ROW_H

#include "harness/base/grow.h"
#include "tuning/crossover/threshold.h"

#include <stdbool.h>

enum {
  DCS_THRESHOLD_RESAMPLES = 400,
  DCS_THRESHOLD_TAIL = 10 /* 2.5% of them lie beyond each end of the interval */
};

typedef struct {
  const dcs_threshold_size *sizes;
  size_t n, most; /* sizes; most times of one method at one size */
  double *log_x, *d;
  int *signs;       /* 1: B is surely faster; -1: A; 0: not sure */
  double *times[2]; /* place for those of one size */
} dcs_threshold_row;

/* Judges each size; the row lasts as long as the room. DCS_INPUT when there are fewer than two,
 * DCS_UNAVAILABLE where there is no memory. */
dcs_status dcs_threshold_row_open(dcs_room *room, const dcs_threshold_size *sizes, size_t n,
                                  dcs_threshold_row *row);

/* How often the sure signs change, the size `without` left out (n: none); *last becomes the last of
 * them, 0 where there is none. */
int dcs_threshold_changes(const dcs_threshold_row *row, size_t without, int *last);

/* d[n] of a resample: of the times of a method at a size, the k-th is that of round uniform[k]; it
 * lies in [0, 1) and there are `most` of them. */
void dcs_threshold_resample(const dcs_threshold_row *row, const double *uniform, double *d);

/* The status of a row whose sure signs do not change; `last` is theirs. */
dcs_threshold_status dcs_threshold_one_method(const dcs_threshold_row *row, int last);

/* The status of a threshold that has all else, its regret counted. */
dcs_threshold_status dcs_threshold_after_regret(const dcs_threshold *threshold);

/* Whether the rule is right within 5% at each size, by the medians; or at each whose sign is sure.
 */
bool dcs_threshold_fits(const dcs_threshold_row *row, dcs_threshold_rule rule, bool sure_only);

/* Of n sizes, with nothing known of it yet. */
dcs_threshold dcs_threshold_none(size_t n);

/* Puts the interval, from the logs of all resamples' thresholds, which it sorts. */
void dcs_threshold_interval(double logs[DCS_THRESHOLD_RESAMPLES], dcs_threshold *threshold);

#endif
