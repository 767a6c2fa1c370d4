/* The launches of a problem on a device that can be watched. */
#ifndef DCS_TRACE_LAUNCHES_H
#define DCS_TRACE_LAUNCHES_H

#include "harness/device/device.h"
#include "harness/problems/case.h"
#include "harness/problems/methods.h"

typedef struct {
  const dcs_observer *observer;
  /* Once all launches are done, while the module is there that `launch` told of last. */
  dcs_status (*done)(void *context, dcs_device *device);
} dcs_watch;

/* Lets the observer see all launches of a method on a case's problem. DCS_USAGE where it cannot
 * compute it, DCS_UNAVAILABLE where this machine cannot watch, DCS_FAILED for a kernel that does
 * not compile or run. `kernels`: folder to read .cu files from, or NULL for those built in. */
dcs_status dcs_watch_launches(const dcs_method *method, const dcs_case *c, const char *kernels,
                              const dcs_watch *watch);

/* The same launches, once, on a device by its name, watched by nobody here: for a profiler. */
dcs_status dcs_run_launches(const dcs_method *method, const dcs_case *c, const char *kernels,
                            const char *device);

/* Whether blocks of the method work together, or launches build on each other: then all blocks are
 * to be run, whichever are looked at. */
bool dcs_blocks_depend(const dcs_method *method, const dcs_case *c);

/* The line of a code, and its text without what it begins with; "" where the file is not there. */
typedef struct {
  dcs_place place;
  char text[DCS_TEXT];
} dcs_source_line;

/* The lines of n codes of a module (malloc'd, the caller frees). */
dcs_status dcs_find_lines(dcs_device *device, const dcs_module *module, const uint64_t *codes,
                          int n, dcs_source_line **lines);

#endif
