#include "harness/worker/timing.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <math.h>

/* A sample lasts at least this long, so that the clock's resolution and the cost of asking do not
 * matter. */
static const double SAMPLE_NS = 1e6;

/* Where each map is timed alone, on cold data, a sample takes no longer than about this, with what
 * flushes caches. */
static const double COLD_SAMPLE_NS = 20e6;

dcs_outcome dcs_take_sample(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample) {
  dcs_outcome outcome;
  do
    outcome = scope == DCS_FIRST ? dcs_session_first(session, slot, memory, sample)
                                 : dcs_session_run(session, slot, scope, memory, inner, sample);
  while (outcome == DCS_OUTCOME_OK && (sample->continued || sample->fresh) && !dcs_interrupted());
  return outcome;
}

/* A batch that lasts a sample may do so for having been held up: threads that had to wake, a host
 * that took its CPUs. A map's time then falls when there are more of them. Of a batch that is long
 * already there is another of as many; nothing holds one up for LONGEST_NS. */
static const double HELD_UP = 0.9, LONG_NS = 20e6, LONGEST_NS = 1e9;
enum { TIMES_AS_MANY = 8, BATCHES = 12 };

bool dcs_calibration_next(dcs_calibration *c, double ns, double cold_ns) {
  const double map_ns = ns / (double)c->inner;
  double most = cold_ns > 0 ? COLD_SAMPLE_NS / cold_ns : INFINITY; /* times as many maps */
  if (ns < SAMPLE_NS) {
    c->long_inner = 0;
    if (most <= 2) return false;
    most = fmin(most, fmin(1.2 * SAMPLE_NS / fmax(ns, 1), 1000));
    c->inner = (int64_t)ceil((double)c->inner * most);
    return true;
  }
  if (c->long_inner > 0 && map_ns > HELD_UP * c->map_ns) {
    c->inner = c->long_inner;
    return false;
  }
  const bool long_again = ns >= LONG_NS && c->long_inner == c->inner;
  c->long_inner = c->inner;
  c->map_ns = map_ns;
  if (long_again || ns >= LONGEST_NS) return false;
  most = fmin(most, fmin(LONG_NS / ns, TIMES_AS_MANY));
  c->inner *= (int64_t)fmax(most, 1);
  return true;
}

int64_t dcs_lengthened(int64_t inner, double ns) {
  if (ns >= SAMPLE_NS / 2) return inner;
  return (int64_t)ceil((double)inner * fmin(1.2 * SAMPLE_NS / fmax(ns, 1), 1000));
}

dcs_outcome dcs_calibrate(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                          int64_t *inner) {
  dcs_calibration c = {.inner = scope == DCS_FRAME ? DCS_LEAST_FRAMES : 1};
  bool more = scope != DCS_FIRST;
  dcs_outcome outcome = DCS_OUTCOME_OK;
  for (int batch = 0; more && batch < BATCHES && outcome == DCS_OUTCOME_OK; batch++) {
    dcs_sample sample = {0};
    const double started = dcs_now_ns();
    outcome = dcs_take_sample(session, slot, scope, memory, c.inner, &sample);
    const double cold_ns = dcs_session_flushes(session) ? dcs_now_ns() - started : 0;
    if (outcome == DCS_OUTCOME_OK) more = dcs_calibration_next(&c, sample.ns, cold_ns);
  }
  *inner = c.inner;
  return outcome;
}
