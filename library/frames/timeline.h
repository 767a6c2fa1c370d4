/* When the stages of a run over frames did what: spans of seconds from the first frame on. */
#ifndef DCS_TIMELINE_H
#define DCS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int stage; /* dcs_stage */
  double begin_s, end_s;
} dcs_span;

/* All zero at first. */
typedef struct {
  dcs_span *spans; /* in the order in which they were told */
  size_t n;
  bool cut; /* there were more than it holds */
} dcs_timeline;

/* Takes what it has room for: a million spans, or what memory there is. */
void dcs_timeline_add(dcs_timeline *timeline, dcs_span span);
void dcs_timeline_free(dcs_timeline *timeline);

/* Sorts the spans by stage and begin, and gives each a lane of its stage, from 0, so that those of
 * a lane follow each other: lane[n]. A stage has at most lanes[stage] of them, the number of its
 * workers; what one clock's rounding makes overlap shares the lane that is free first. */
void dcs_timeline_lanes(dcs_timeline *timeline, const int *lanes, int *lane);

/* What share of the lanes was busy in each of n bins of equal length from begin_s to end_s. */
void dcs_timeline_shares(const dcs_timeline *timeline, int stage, int lanes, double begin_s,
                         double end_s, int n, double *share);

#endif
