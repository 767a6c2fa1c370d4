#include "harness/worker/ask.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static dcs_outcome died(dcs_session *session, dcs_worker_process *p) {
  int status = dcs_worker_stop(p, true), signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  session->killed_by = dcs_is_from_outside(signal) ? signal : 0;
  session->aborted = signal == SIGABRT;
  if (signal)
    (void)dcs_fail(DCS_FAILED, "the worker on %s died: %s", session->options.device,
                   strsignal(signal));
  else
    (void)dcs_fail(DCS_FAILED, "the worker on %s ended with status %d", session->options.device,
                   WEXITSTATUS(status));
  return DCS_OUTCOME_CRASH;
}

bool dcs_ask_again(const dcs_session *session, dcs_outcome *outcome, int *kills) {
  if (*outcome != DCS_OUTCOME_CRASH || !session->killed_by || dcs_interrupted()) return false;
  if (++*kills < 2) return true;
  if (session->killed_by == SIGKILL) *outcome = DCS_OUTCOME_MEMORY;
  (void)dcs_fail(DCS_FAILED, "the worker on %s was killed twice: %s%s", session->options.device,
                 strsignal(session->killed_by),
                 session->killed_by == SIGKILL ? " (as where memory runs out)" : "");
  return false;
}

static void forget_kills(dcs_session *session) {
  session->killed_by = 0;
  session->aborted = session->unstarted = false;
}

/* The machine's want, or a device that is gone: not a crash of the method. */
static dcs_outcome unstarted(dcs_session *session) {
  session->unstarted = true;
  return DCS_OUTCOME_MEMORY;
}

bool dcs_session_was_killed(const dcs_session *session) {
  return session->killed_by != 0 || session->unstarted;
}

/* Reads so many bytes. On a crash or a time-out the worker is gone afterwards. */
static dcs_outcome read_whole(dcs_session *session, dcs_worker_process *p, void *to, size_t bytes) {
  switch (dcs_worker_read(p, session->options.timeout_s, to, bytes)) {
  case DCS_WORKER_TOLD:
    return DCS_OUTCOME_OK;
  case DCS_WORKER_GONE:
    return died(session, p);
  case DCS_WORKER_SILENT:
    break;
  }
  dcs_worker_stop(p, true);
  (void)dcs_fail(DCS_FAILED, dcs_interrupted() ? "interrupted" : "no answer from %s within %g s",
                 session->options.device, session->options.timeout_s);
  return DCS_OUTCOME_TIMEOUT;
}

static dcs_outcome receive(dcs_session *session, dcs_worker_process *p, dcs_reply *reply) {
  dcs_outcome outcome = read_whole(session, p, reply, sizeof *reply);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  if (reply->outcome != DCS_OUTCOME_OK || reply->status != DCS_OK)
    (void)dcs_fail(reply->status != DCS_OK ? reply->status : DCS_FAILED, "%s", reply->message);
  session->unstarted = reply->unstarted;
  if (reply->outcome == DCS_OUTCOME_OK && reply->lost[0])
    memcpy(session->lost, reply->lost, sizeof session->lost);
  return reply->outcome;
}

static bool is_cpu(const dcs_session *session) {
  return strcmp(session->options.device, "cpu") == 0;
}

dcs_outcome dcs_outcome_of_preparing(dcs_session *session, const dcs_request *request,
                                     dcs_outcome outcome) {
  const bool kernel = !is_cpu(session) || dcs_variants[request->variant]->outside;
  if (outcome != DCS_OUTCOME_CRASH || !session->aborted || kernel) return outcome;
  (void)dcs_fail(DCS_UNAVAILABLE,
                 "the worker on %s was aborted, as by OpenMP's runtime where it "
                 "cannot start a thread",
                 session->options.device);
  return unstarted(session);
}

/* The first answer, which tells whether the device could be opened. The CPU is always there; the
 * driver of a device may end each worker. */
static dcs_outcome receive_first(dcs_session *session, dcs_worker_process *p, dcs_reply *reply) {
  const bool cpu = is_cpu(session);
  const dcs_outcome outcome = receive(session, p, reply);
  if (outcome == DCS_OUTCOME_CRASH) session->unstarted = cpu;
  if (outcome != DCS_OUTCOME_OK || reply->status == DCS_OK) return outcome;
  return cpu ? unstarted(session) : DCS_OUTCOME_NO_DEVICE;
}

/* The outcome of a start where an earlier worker had begun: what ends this one, but for a signal
 * from outside, is the machine's want, too. */
static dcs_outcome again_of(dcs_session *session, dcs_outcome outcome) {
  if (outcome == DCS_OUTCOME_NO_DEVICE) return unstarted(session);
  return outcome == DCS_OUTCOME_CRASH && !session->killed_by ? unstarted(session) : outcome;
}

static dcs_status start(const dcs_session *session, dcs_worker_process *p) {
  return dcs_worker_start(session->options.device, session->options.kernels, session->arena->fd, p);
}

dcs_outcome dcs_begin_worker(dcs_session *session) {
  dcs_reply reply;
  forget_kills(session);
  if (start(session, &session->worker) != DCS_OK) return unstarted(session);
  session->announced = false;
  for (int s = 0; s < session->n_slots; s++) {
    session->slots[s].ready = false;
    memset(session->slots[s].cold, 0xff, sizeof session->slots[s].cold);
  }
  const dcs_outcome outcome = receive_first(session, &session->worker, &reply);
  if (outcome != DCS_OUTCOME_OK) {
    dcs_worker_stop(&session->worker, outcome != DCS_OUTCOME_NO_DEVICE);
    return outcome;
  }
  session->n_devices = reply.n_cards;
  memcpy(session->devices, reply.cards, sizeof session->devices);
  return DCS_OUTCOME_OK;
}

/* A worker in the place of an earlier one. */
static dcs_outcome begin_again(dcs_session *session) {
  const dcs_outcome outcome = dcs_begin_worker(session);
  if (outcome != DCS_OUTCOME_OK) return again_of(session, outcome);
  session->replaced += !session->restarted;
  session->restarted = false;
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_ask(dcs_session *session, const dcs_request *request, dcs_reply *reply) {
  forget_kills(session);
  dcs_outcome outcome = session->worker.pid == 0 ? begin_again(session) : DCS_OUTCOME_OK;
  if (outcome != DCS_OUTCOME_OK) return outcome;
  if (!dcs_worker_send(&session->worker, request)) return died(session, &session->worker);
  outcome = receive(session, &session->worker, reply);
  if (outcome == DCS_OUTCOME_LAUNCH || outcome == DCS_OUTCOME_MEMORY)
    dcs_worker_stop(&session->worker, true);
  return outcome;
}

dcs_outcome dcs_ask_facts(dcs_session *session, dcs_device_facts *facts, int *n) {
  dcs_reply reply;
  dcs_outcome outcome = dcs_ask(session, &(dcs_request){.op = DCS_DO_FACTS}, &reply);
  *n = session->n_devices;
  if (outcome != DCS_OUTCOME_OK) return outcome;
  return read_whole(session, &session->worker, facts, (size_t)*n * sizeof *facts);
}

/* All requests wait in the pipe before the worker runs: one that ends before them has answered what
 * it could. */
dcs_outcome dcs_ask_fresh(dcs_session *session, const dcs_request *requests, int n,
                          dcs_sample *sample) {
  dcs_worker_process p;
  dcs_reply reply;
  const int continues = dcs_continues();
  bool continued = false;
  double started = dcs_now_ns();
  forget_kills(session);
  if (start(session, &p) != DCS_OK) return unstarted(session);
  for (int r = 0; r < n && dcs_worker_send(&p, &requests[r]); r++)
    ;
  for (int r = 0; r < n + 1; r++) {
    dcs_outcome outcome = r == 0 ? again_of(session, receive_first(session, &p, &reply))
                                 : receive(session, &p, &reply);
    if (r > 0 && requests[r - 1].op == DCS_DO_PREPARE)
      outcome = dcs_outcome_of_preparing(session, &requests[r - 1], outcome);
    if (outcome != DCS_OUTCOME_OK) {
      dcs_worker_stop(&p, true);
      return outcome;
    }
    continued = continued || reply.continued;
  }
  *sample = (dcs_sample){.ns = dcs_now_ns() - started,
                         .telemetry = reply.telemetry,
                         .usage = reply.usage,
                         .continued = continued || dcs_continues() != continues};
  dcs_worker_stop(&p, false);
  return DCS_OUTCOME_OK;
}
