/* Running what may crash, or not end, in a process of its own. */
#ifndef DCS_LAB_APART_H
#define DCS_LAB_APART_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { DCS_APART_DONE, DCS_APART_CRASHED, DCS_APART_LATE } dcs_apart_end;

/* Calls run(context) in a child of this process, which has all that this one has; what it leaves in
 * the context's `bytes`, and its status and message, are there afterwards as if it had been called
 * here. Crashed, or late, after so many seconds: the context is as before. The child may start no
 * threads, and ends with this process. DCS_UNAVAILABLE when no child can be had, or when it was
 * killed or a library ended it; DCS_FAILED on an interrupt. */
dcs_status dcs_run_apart(dcs_status (*run)(void *context), void *context, size_t bytes,
                         double timeout_s, dcs_apart_end *end);

#endif
