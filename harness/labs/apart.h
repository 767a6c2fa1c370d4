/* Running what may crash in a process of its own. */
#ifndef DCS_LAB_APART_H
#define DCS_LAB_APART_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Calls run(context) in a child of this process, which has all that this one has; what it leaves in
 * the context's `bytes`, and its status and message, are there afterwards as if it had been called
 * here. *crashed: it did not come to its end, and the context is as before. The child may start no
 * threads. DCS_UNAVAILABLE when no child can be had, or when it was killed or a library ended it.
 */
dcs_status dcs_run_apart(dcs_status (*run)(void *context), void *context, size_t bytes,
                         bool *crashed);

#endif
