/* The worker process: all maps are computed in it, so that a configuration that crashes or hangs
 * costs itself alone. It reads requests from one pipe, answers on another, and shares an arena. */
#ifndef DCS_WORKER_H
#define DCS_WORKER_H

#include "harness/base/outcome.h"
#include "harness/base/usage.h"
#include "harness/device/device.h"
#include "harness/device/devices.h"
#include "harness/limits/limits.h"

/* File descriptors that a worker is started with. */
enum { DCS_WORKER_REQUESTS = 3, DCS_WORKER_REPLIES = 4, DCS_WORKER_ARENA = 5 };

typedef enum { DCS_DO_TAKE, DCS_DO_PREPARE, DCS_DO_RUN, DCS_DO_LIMITS, DCS_DO_FACTS } dcs_op;

typedef struct {
  dcs_op op;
  int slot;          /* prepare, run */
  int problem;       /* prepare, run: which of the arena's */
  int variant;       /* prepare, run: index in dcs_variants */
  dcs_config config; /* prepare */
  dcs_scope scope;   /* run */
  dcs_memory memory; /* run */
  int64_t inner;     /* run: maps */
  bool energy;       /* run: the energy counters as well */
  bool all;          /* limits: those that cost more time, too */
} dcs_request;

typedef struct {
  dcs_status status; /* of opening the device (first reply), else DCS_OK */
  dcs_outcome outcome;
  double ns;                              /* run: all maps together */
  dcs_limits limits;                      /* limits */
  dcs_code_facts facts;                   /* prepare */
  dcs_device_info cards[DCS_MAX_DEVICES]; /* first reply: the devices, in order */
  int n_cards;
  dcs_telemetry telemetry; /* run */
  dcs_usage usage;         /* run on the CPU; else all 0 */
  bool continued;          /* the worker was stopped meanwhile, or may have been */
  bool unstarted; /* for want of memory, a process or a thread, which is not the method's doing */
  char message[4096];      /* when outcome or status is not ok */
  char lost[2 * DCS_TEXT]; /* which of several devices failed while the others went on; "" */
} dcs_reply;

/* Behind the reply to DCS_DO_FACTS, where its outcome is ok, come the dcs_device_facts of each
 * device. */

/* A worker's words are `worker DEVICE [KERNELS]`, "" for KERNELS where there is none, and then, of
 * each variant that was added, the file that describes it and its hash (dcs_outside). */

/* Serves requests for "cpu", or a device or several (dcs_device_list_of), until the pipe closes.
 * The first reply goes out before any request and tells whether the device could be opened. */
dcs_status dcs_worker(const char *device, const char *kernels);

/* The first reply of a worker that has failed before: its message is the last one. Returns the
 * status. */
dcs_status dcs_worker_refuse(dcs_status status);

#endif
