/* Compiling a space before it is timed, on all CPUs at once, into the cache of compiled code. */
#ifndef DCS_TUNE_AHEAD_H
#define DCS_TUNE_AHEAD_H

#include "harness/base/progress.h"
#include "tuning/search/space.h"

/* Compiles every configuration of a CUDA variant's space for the architecture ("sm_90"), in so many
 * processes of this program. What does not compile is no failure here: evaluating it says so. Ends
 * early on an interrupt, and at until_ns (dcs_now_ns()), when what still compiles is given up.
 * DCS_UNAVAILABLE when no process can be started. */
dcs_status dcs_compile_ahead(const dcs_space *space, const char *kernels, const char *arch,
                             int processes, double until_ns, dcs_progress *progress);

#endif
