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

dcs_outcome dcs_calibrate(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                          int64_t *inner) {
  dcs_sample sample = {0};
  *inner = scope == DCS_FRAME ? DCS_LEAST_FRAMES : 1;
  if (scope == DCS_FIRST) return DCS_OUTCOME_OK;
  for (int tries = 0; tries < 8; tries++) {
    const double started = dcs_now_ns();
    dcs_outcome outcome = dcs_take_sample(session, slot, scope, memory, *inner, &sample);
    const double cold = dcs_session_flushes(session) ? dcs_now_ns() - started : 0;
    /* A map that was held up once must not pass for a long one. */
    double ns = sample.ns;
    if (outcome == DCS_OUTCOME_OK && ns >= SAMPLE_NS && ns < 20 * SAMPLE_NS) {
      outcome = dcs_take_sample(session, slot, scope, memory, *inner, &sample);
      sample.ns = fmin(sample.ns, ns);
    }
    if (outcome != DCS_OUTCOME_OK || sample.ns >= SAMPLE_NS || 2 * cold >= COLD_SAMPLE_NS)
      return outcome;
    double factor = 1.2 * SAMPLE_NS / fmax(sample.ns, 1);
    if (cold > 0) factor = fmin(factor, COLD_SAMPLE_NS / cold);
    *inner = (int64_t)ceil((double)*inner * fmin(factor, 1000));
  }
  return DCS_OUTCOME_OK;
}
