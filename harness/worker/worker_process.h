/* A worker as a process: its start, its pipes and its end. Internal to harness/worker. */
#ifndef DCS_WORKER_PROCESS_H
#define DCS_WORKER_PROCESS_H

#include "harness/worker/worker.h"

#include <sys/types.h>

typedef struct {
  pid_t pid; /* 0: none runs */
  int requests, replies;
} dcs_worker_process;

/* Starts a worker for a device, with kernels from a folder (NULL: those built in) and the arena of
 * that descriptor. DCS_UNAVAILABLE: no pipe, no process; then none runs. */
dcs_status dcs_worker_start(const char *device, const char *kernels, int arena,
                            dcs_worker_process *p);

/* Ends the worker, where one runs; returns its wait status. */
int dcs_worker_stop(dcs_worker_process *p, bool kill_it);

/* False: nobody reads it. */
bool dcs_worker_send(const dcs_worker_process *p, const dcs_request *request);

typedef enum { DCS_WORKER_TOLD, DCS_WORKER_SILENT, DCS_WORKER_GONE } dcs_worker_answer;

/* Reads so many bytes of its replies. Silent: they did not come within timeout_s, which time in
 * which this process was stopped does not count towards, or before an interrupt. */
dcs_worker_answer dcs_worker_read(const dcs_worker_process *p, double timeout_s, void *to,
                                  size_t bytes);

#endif
