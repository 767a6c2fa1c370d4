/* Samples of a prepared method that last long enough to be believed. */
#ifndef DCS_TIMING_H
#define DCS_TIMING_H

#include "harness/worker/session.h"

/* In a sample of scope `frame`, so that there are two in hand for nearly all of it. */
enum { DCS_LEAST_FRAMES = 8 };

/* `inner` maps in a sample; one, in a fresh process, in scope `first`. One across Ctrl-Z, or
 * the first of a worker that was started anew, is taken again. The reason of an outcome that is not
 * ok lies in dcs_error_message(). */
dcs_outcome dcs_take_sample(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample);

/* Finds how many maps last a sample; its runs warm up and are not data. */
dcs_outcome dcs_calibrate(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                          int64_t *inner);

#endif
