/* A session is the program's side of a worker process: it starts one, asks it for maps, and gets a
 * fresh one after a crash, a hang or a failed launch.
 *
 * A worker that SIGKILL, SIGTERM, SIGINT, SIGHUP or SIGQUIT ended was killed from outside: no
 * kernel raises these. What it was asked is asked once more, in a fresh worker. Killed again, the
 * outcome is `memory` after SIGKILL, which the system sends where memory runs out, else `crash`.
 * One that a library ended, as OpenMP's does for want of a thread, is `memory`, too; `crash` where
 * the kernels come from outside and may have done so. On an interrupt of the program itself,
 * outcomes mean nothing: ask dcs_interrupted(). */
#ifndef DCS_SESSION_H
#define DCS_SESSION_H

#include "harness/engine/arena.h"
#include "harness/worker/worker.h"

typedef struct dcs_session dcs_session;

typedef struct {
  const char *device;  /* "cpu", or as dcs_device_list_of() takes it */
  const char *kernels; /* folder of .cu files, or NULL for those built in */
  double timeout_s;    /* of one answer; while this process is stopped, no time counts */
} dcs_session_options;

/* Starts a worker and waits until its device is open: `no_device` when it cannot be, `timeout` when
 * that is too short to start in; *killed: dcs_session_was_killed() of it. The arena must outlive
 * the session. */
dcs_outcome dcs_session_open(const dcs_session_options *options, dcs_arena *arena,
                             dcs_session **session, bool *killed);
void dcs_session_close(dcs_session *session); /* NULL is fine */

/* What was opened, in order; *n of them, none on the CPU. */
const dcs_device_info *dcs_session_devices(const dcs_session *session, int *n);

/* What is to be said of each of them. */
dcs_outcome dcs_session_facts(dcs_session *session, dcs_device_facts facts[DCS_MAX_DEVICES],
                              int *n);

/* Moves what is to be said of devices that failed while the others went on; "" when nothing is. */
void dcs_session_take_lost(dcs_session *session, char lost[2 * DCS_TEXT]);

/* Ends the worker: the next request starts a fresh one, in which methods are prepared again. */
void dcs_session_restart(dcs_session *session);

/* How many workers took the place of one that died, hung or was given up; not of one that
 * dcs_session_restart() ended. */
int dcs_session_replaced(const dcs_session *session);

/* Whether the last outcome, of a crash or want of memory, is that of a worker which was killed
 * twice, or that, or a thread in it, could not be started, or ended before it said that it was
 * there: not the method's doing, and worth another try at another time. */
bool dcs_session_was_killed(const dcs_session *session);

/* Announces that the arena holds a new problem; prepared methods are forgotten. */
void dcs_session_new_problem(dcs_session *session);

/* Whether caches are flushed before each map that is timed, which takes longer than many a map. */
bool dcs_session_flushes(const dcs_session *session);

/* Makes a method ready for one of the arena's problems; *slot names it from then on. The functions
 * below leave the reason in dcs_error_message() when the outcome is not ok. */
dcs_outcome dcs_session_prepare(dcs_session *session, int problem, const dcs_variant *variant,
                                const dcs_config *config, int *slot, dcs_code_facts *facts);

typedef struct {
  double ns; /* `inner` maps together */
  dcs_telemetry telemetry;
  dcs_usage usage; /* on the CPU; else all 0 */
  bool continued;  /* this process or the worker went on after a stop (Ctrl-Z): no time */
  bool fresh;      /* what a worker that was started anew did first, so, with the method: no time */
} dcs_sample;

/* Runs a prepared method; after a crash of the worker it is prepared again in a fresh one. `memory`
 * matters where copies are part of the scope, on a device. */
dcs_outcome dcs_session_run(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample);

/* The same, with the counters of energy in the telemetry. */
dcs_outcome dcs_session_run_energy(dcs_session *session, int slot, dcs_scope scope,
                                   dcs_memory memory, int64_t inner, dcs_sample *sample);

/* Scope `first`: a fresh process from its start until the map lies in host memory. */
dcs_outcome dcs_session_first(dcs_session *session, int slot, dcs_memory memory,
                              dcs_sample *sample);

/* Measures the limits of the session's device or CPU; `all`: those that no rate is held against,
 * too. */
dcs_outcome dcs_session_limits(dcs_session *session, bool all, dcs_limits *limits);

/* Time from the start of a fresh worker until its device is open. */
dcs_outcome dcs_session_start_ns(dcs_session *session, double *ns);

#endif
