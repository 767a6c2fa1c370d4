/* Requests of a session, and what became of them. Internal to harness/worker.
 *
 * Outcomes that are not ok have their reason in dcs_error_message(). */
#ifndef DCS_WORKER_ASK_H
#define DCS_WORKER_ASK_H

#include "harness/worker/session.h"
#include "harness/worker/worker_process.h"

/* A method that was prepared. */
typedef struct {
  int problem; /* which of the arena's */
  int variant; /* index in dcs_variants */
  dcs_config config;
  bool ready;                    /* prepared in the worker that runs now */
  unsigned cold[DCS_N_MEMORIES]; /* scopes that it has not run in, while an earlier worker might */
} dcs_slot;

struct dcs_session {
  dcs_session_options options;
  dcs_arena *arena;
  dcs_worker_process worker;
  dcs_device_info devices[DCS_MAX_DEVICES];
  int n_devices;
  char lost[2 * DCS_TEXT];
  bool announced; /* the worker that runs now knows the problem */
  int killed_by;  /* the signal from outside that ended the last worker that died; 0: none did */
  bool aborted;   /* that ended so */
  bool unstarted; /* the last worker did not begin, or a thread in it */
  bool restarted; /* the next worker is asked for by dcs_session_restart() */
  int replaced;   /* workers begun that were not */
  dcs_slot *slots;
  int n_slots;
};

/* Starts the session's first worker, and waits until its device is open. */
dcs_outcome dcs_begin_worker(dcs_session *session);

/* One request and its answer. A launch that failed may have poisoned the device's context, and
 * memory that ran out may be missed by methods that share it: the worker is given up, and the next
 * request starts a fresh one. */
dcs_outcome dcs_ask(dcs_session *session, const dcs_request *request, dcs_reply *reply);

/* The outcome of preparing, where asking had this one. On the CPU no kernel of this program runs
 * meanwhile, but OpenMP's team is started: clang's runtime aborts where it cannot. */
dcs_outcome dcs_outcome_of_preparing(dcs_session *session, const dcs_request *request,
                                     dcs_outcome outcome);

/* The facts of the devices; *n of them. */
dcs_outcome dcs_ask_facts(dcs_session *session, dcs_device_facts *facts, int *n);

/* n requests of a fresh worker, which then ends; the sample's time is that from its start. */
dcs_outcome dcs_ask_fresh(dcs_session *session, const dcs_request *requests, int n,
                          dcs_sample *sample);

/* Whether what became of a request is not the method's doing, and it is to be made again; *kills
 * counts, from 0. What is killed twice has its outcome here. */
bool dcs_ask_again(const dcs_session *session, dcs_outcome *outcome, int *kills);

#endif
