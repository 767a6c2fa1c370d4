#include "library/frames/timeline.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SPANS = 1000000, MOST_LANES = 256 };

void dcs_timeline_add(dcs_timeline *t, dcs_span span) {
  t->cut = t->cut || t->n == MOST_SPANS ||
           dcs_grow(&t->spans, t->n, sizeof span, "the timeline") != DCS_OK;
  if (!t->cut) t->spans[t->n++] = span;
}

void dcs_timeline_free(dcs_timeline *t) {
  free(t->spans);
  *t = (dcs_timeline){0};
}

static int by_stage_and_begin(const void *a, const void *b) {
  const dcs_span *x = a, *y = b;
  if (x->stage != y->stage) return x->stage - y->stage;
  return (x->begin_s > y->begin_s) - (x->begin_s < y->begin_s);
}

/* The first that is free then, or the one that is free first. */
static int free_lane(const double *ends, int n, double begin) {
  int first = 0;
  for (int l = 0; l < n; l++) {
    if (ends[l] <= begin) return l;
    if (ends[l] < ends[first]) first = l;
  }
  return first;
}

void dcs_timeline_lanes(dcs_timeline *t, const int *lanes, int *lane) {
  double ends[MOST_LANES] = {0};
  if (t->n > 0) qsort(t->spans, t->n, sizeof *t->spans, by_stage_and_begin);
  for (size_t i = 0; i < t->n; i++) {
    const dcs_span *span = &t->spans[i];
    const int n = lanes[span->stage] < MOST_LANES ? lanes[span->stage] : MOST_LANES;
    if (i == 0 || span[-1].stage != span->stage)
      for (int l = 0; l < n; l++)
        ends[l] = -INFINITY;
    lane[i] = free_lane(ends, n, span->begin_s);
    ends[lane[i]] = fmax(ends[lane[i]], span->end_s);
  }
}

void dcs_timeline_shares(const dcs_timeline *t, int stage, int lanes, double begin_s, double end_s,
                         int n, double *share) {
  const double bin = (end_s - begin_s) / n;
  for (int b = 0; b < n; b++)
    share[b] = 0;
  for (size_t i = 0; i < t->n; i++) {
    const dcs_span *s = &t->spans[i];
    if (s->stage != stage || s->end_s <= begin_s || s->begin_s >= end_s) continue;
    const int first = (int)fmax(0, floor((s->begin_s - begin_s) / bin));
    for (int b = first; b < n && begin_s + b * bin < s->end_s; b++) {
      const double from = fmax(s->begin_s, begin_s + b * bin),
                   to = fmin(s->end_s, begin_s + (b + 1) * bin);
      share[b] += fmax(0, to - from) / (bin * lanes);
    }
  }
}
