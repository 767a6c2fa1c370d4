/* Samples of a prepared method that last long enough to be believed. */
#ifndef DCS_TIMING_H
#define DCS_TIMING_H

#include "harness/worker/session.h"

#include <stdbool.h>

/* In a sample of scope `frame`, so that there are two in hand for nearly all of it. */
enum { DCS_LEAST_FRAMES = 8 };

/* `inner` maps in a sample; one, in a fresh process, in scope `first`. One across Ctrl-Z, or
 * the first of a worker that was started anew, is taken again. The reason of an outcome that is not
 * ok lies in dcs_error_message(). */
dcs_outcome dcs_take_sample(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample);

typedef struct {
  int64_t inner;      /* maps in the next batch; in the end, in a sample */
  int64_t long_inner; /* in the last batch, where that lasted a sample; else 0 */
  double map_ns;      /* a map's time in that */
} dcs_calibration;

/* Takes the time of a batch of c->inner maps, and of all that went with it where caches are flushed
 * before each map (cold_ns; else 0), and chooses the next batch. False: c->inner maps last a sample
 * of 1 ms, also when nothing holds them up, or cannot. Begins with {.inner = least}. */
bool dcs_calibration_next(dcs_calibration *c, double ns, double cold_ns);

/* Maps in the next sample after one of `inner` that took ns: more where that was short, as behind a
 * calibration that was held up all the time. */
int64_t dcs_lengthened(int64_t inner, double ns);

/* Finds how many maps last a sample; its runs warm up and are not data. */
dcs_outcome dcs_calibrate(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                          int64_t *inner);

#endif
