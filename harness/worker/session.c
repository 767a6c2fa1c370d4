#include "harness/worker/session.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A running worker. */
typedef struct {
  pid_t pid; /* 0: none */
  int requests, replies;
} process;

typedef struct {
  int variant; /* index in dcs_variants */
  dcs_config config;
  bool ready; /* prepared in the worker that runs now */
} slot_state;

struct dcs_session {
  dcs_session_options options;
  dcs_arena *arena;
  process worker;
  dcs_device_info devices[DCS_MAX_DEVICES];
  int n_devices;
  char lost[2 * DCS_TEXT];
  bool announced; /* the worker that runs now knows the problem */
  slot_state *slots;
  int n_slots;
};

/* ---- the process ---- */

/* Duplicates the ends a worker needs onto the numbers it expects. The originals are moved above
 * those numbers first, so that no duplication overwrites one still needed. */
static int spawn_with(pid_t *pid, const int ends[3], char *const argv[]) {
  int high[3];
  for (int i = 0; i < 3; i++)
    high[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, 16);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; i++)
    posix_spawn_file_actions_adddup2(&actions, high[i], DCS_WORKER_REQUESTS + i);
  int error = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  for (int i = 0; i < 3; i++)
    if (high[i] >= 0) close(high[i]);
  return error;
}

static dcs_status start(const dcs_session *session, process *p) {
  int requests[2], replies[2];
  if (pipe2(requests, O_CLOEXEC) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
  if (pipe2(replies, O_CLOEXEC) != 0) {
    close(requests[0]);
    close(requests[1]);
    return dcs_fail(DCS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
  }
  const int ends[3] = {requests[0], replies[1], session->arena->fd};
  char *argv[] = {"dcsbench", "worker", (char *)session->options.device,
                  (char *)session->options.kernels, NULL};
  int error = spawn_with(&p->pid, ends, argv);
  close(requests[0]);
  close(replies[1]);
  p->requests = requests[1];
  p->replies = replies[0];
  if (error == 0) return DCS_OK;
  close(p->requests);
  close(p->replies);
  p->pid = 0;
  return dcs_fail(DCS_UNAVAILABLE, "cannot start a worker process: %s", strerror(error));
}

/* Ends the worker; returns its wait status. */
static int stop(process *p, bool kill_it) {
  int status = 0;
  if (p->pid == 0) return 0;
  close(p->requests);
  close(p->replies);
  if (kill_it) kill(p->pid, SIGKILL);
  while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
    ;
  p->pid = 0;
  return status;
}

static bool send_request(const process *p, const dcs_request *request) {
  /* Smaller than PIPE_BUF: written whole or not at all. */
  ssize_t put;
  do
    put = write(p->requests, request, sizeof *request);
  while (put < 0 && errno == EINTR && !dcs_interrupted());
  return put == (ssize_t)sizeof *request;
}

/* Waits until `until_ns` for the next byte: 1 readable, 0 time is over or interrupted. */
static int wait_readable(int fd, double until_ns) {
  while (!dcs_interrupted()) {
    double left_ms = (until_ns - dcs_now_ns()) * 1e-6;
    if (left_ms <= 0) return 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready = poll(&p, 1, left_ms > 1e9 ? 1000000000 : (int)left_ms + 1);
    if (ready > 0) return 1;
    if (ready < 0 && errno != EINTR) return 0;
  }
  return 0;
}

static dcs_outcome died(dcs_session *session, process *p) {
  int status = stop(p, true);
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    (void)dcs_fail(DCS_FAILED, "the worker on %s died: %s", session->options.device,
                   strsignal(WTERMSIG(status)));
  else if (WIFSIGNALED(status))
    (void)dcs_fail(DCS_FAILED, "the worker on %s was killed (out of memory?)",
                   session->options.device);
  else
    (void)dcs_fail(DCS_FAILED, "the worker on %s ended with status %d", session->options.device,
                   WEXITSTATUS(status));
  return DCS_OUTCOME_CRASH;
}

/* Reads one reply. On a crash or a time-out the worker is gone afterwards. */
static dcs_outcome receive(dcs_session *session, process *p, dcs_reply *reply) {
  double until = dcs_now_ns() + 1e9 * session->options.timeout_s;
  size_t got = 0;
  while (got < sizeof *reply) {
    if (!wait_readable(p->replies, until)) {
      stop(p, true);
      (void)dcs_fail(DCS_FAILED,
                     dcs_interrupted() ? "interrupted" : "no answer from %s within %g s",
                     session->options.device, session->options.timeout_s);
      return DCS_OUTCOME_TIMEOUT;
    }
    ssize_t more = read(p->replies, (char *)reply + got, sizeof *reply - got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return died(session, p);
    got += (size_t)more;
  }
  if (reply->outcome != DCS_OUTCOME_OK || reply->status != DCS_OK)
    (void)dcs_fail(reply->status != DCS_OK ? reply->status : DCS_FAILED, "%s", reply->message);
  if (reply->outcome == DCS_OUTCOME_OK && reply->lost[0])
    memcpy(session->lost, reply->lost, sizeof session->lost);
  return reply->outcome;
}

/* ---- the session ---- */

static dcs_status begin(dcs_session *session) {
  dcs_reply reply;
  DCS_TRY(start(session, &session->worker));
  session->announced = false;
  for (int s = 0; s < session->n_slots; s++)
    session->slots[s].ready = false;
  if (receive(session, &session->worker, &reply) != DCS_OUTCOME_OK)
    return dcs_fail(DCS_UNAVAILABLE, "%s", strdupa(dcs_error_message()));
  if (reply.status != DCS_OK) {
    stop(&session->worker, false);
    return reply.status;
  }
  session->n_devices = reply.n_cards;
  memcpy(session->devices, reply.cards, sizeof session->devices);
  return DCS_OK;
}

dcs_status dcs_session_open(const dcs_session_options *options, dcs_arena *arena,
                            dcs_session **out) {
  dcs_session *session = calloc(1, sizeof *session);
  if (!session) return dcs_fail(DCS_UNAVAILABLE, "no memory for a session");
  session->options = *options;
  session->arena = arena;
  signal(SIGPIPE, SIG_IGN); /* a dead worker shows as an error of write() */
  dcs_status status = begin(session);
  if (status != DCS_OK)
    free(session);
  else
    *out = session;
  return status;
}

void dcs_session_close(dcs_session *session) {
  if (!session) return;
  stop(&session->worker, false);
  free(session->slots);
  free(session);
}

const dcs_device_info *dcs_session_devices(const dcs_session *session, int *n) {
  *n = session->n_devices;
  return session->devices;
}

void dcs_session_take_lost(dcs_session *session, char lost[2 * DCS_TEXT]) {
  memcpy(lost, session->lost, sizeof session->lost);
  session->lost[0] = '\0';
}

void dcs_session_new_problem(dcs_session *session) {
  session->announced = false;
  session->n_slots = 0;
}

/* One request and its answer. A launch that failed may have poisoned the device's context, and
 * memory that ran out may be missed by methods that share it: the worker is given up, and the next
 * request starts a fresh one. */
static dcs_outcome ask(dcs_session *session, const dcs_request *request, dcs_reply *reply) {
  if (session->worker.pid == 0 && begin(session) != DCS_OK) return DCS_OUTCOME_CRASH;
  if (!send_request(&session->worker, request)) return died(session, &session->worker);
  dcs_outcome outcome = receive(session, &session->worker, reply);
  if (outcome == DCS_OUTCOME_LAUNCH || outcome == DCS_OUTCOME_MEMORY) stop(&session->worker, true);
  return outcome;
}

static dcs_outcome announce(dcs_session *session) {
  dcs_reply reply;
  if (session->worker.pid != 0 && session->announced) return DCS_OUTCOME_OK;
  dcs_outcome outcome = ask(session, &(dcs_request){.op = DCS_DO_PROBLEM}, &reply);
  session->announced = outcome == DCS_OUTCOME_OK;
  return outcome;
}

static dcs_request prepare_request(const dcs_session *session, int slot) {
  return (dcs_request){.op = DCS_DO_PREPARE,
                       .slot = slot,
                       .variant = session->slots[slot].variant,
                       .config = session->slots[slot].config};
}

static dcs_outcome make_ready(dcs_session *session, int slot, dcs_code_facts *facts) {
  dcs_outcome outcome = announce(session);
  if (outcome != DCS_OUTCOME_OK || session->slots[slot].ready) return outcome;
  dcs_request request = prepare_request(session, slot);
  dcs_reply reply;
  outcome = ask(session, &request, &reply);
  session->slots[slot].ready = outcome == DCS_OUTCOME_OK;
  if (facts && outcome == DCS_OUTCOME_OK) *facts = reply.facts;
  return outcome;
}

dcs_outcome dcs_session_prepare(dcs_session *session, const dcs_variant *variant,
                                const dcs_config *config, int *slot, dcs_code_facts *facts) {
  slot_state *slots = realloc(session->slots, (size_t)(session->n_slots + 1) * sizeof *slots);
  if (!slots) {
    (void)dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", session->n_slots + 1);
    return DCS_OUTCOME_MEMORY;
  }
  session->slots = slots;
  int index = 0;
  while (dcs_variants[index] != variant)
    index++;
  *slot = session->n_slots++;
  slots[*slot] = (slot_state){.variant = index, .config = *config};
  return make_ready(session, *slot, facts);
}

dcs_outcome dcs_session_run(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample) {
  dcs_outcome outcome = make_ready(session, slot, NULL);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  dcs_request request = {.op = DCS_DO_RUN,
                         .slot = slot,
                         .variant = session->slots[slot].variant,
                         .scope = scope,
                         .memory = memory,
                         .inner = inner};
  dcs_reply reply;
  outcome = ask(session, &request, &reply);
  if (outcome == DCS_OUTCOME_OK) *sample = (dcs_sample){reply.ns, reply.telemetry};
  return outcome;
}

dcs_outcome dcs_session_first(dcs_session *session, int slot, dcs_memory memory,
                              dcs_sample *sample) {
  /* In the fresh worker the method is its first. All requests wait in the pipe before it runs. */
  dcs_request prepare = prepare_request(session, slot);
  prepare.slot = 0;
  const dcs_request requests[] = {{.op = DCS_DO_PROBLEM},
                                  prepare,
                                  {.op = DCS_DO_RUN,
                                   .variant = prepare.variant,
                                   .scope = DCS_WARM,
                                   .memory = memory,
                                   .inner = 1}};
  process p;
  dcs_reply reply;
  double started = dcs_now_ns();
  if (start(session, &p) != DCS_OK) return DCS_OUTCOME_CRASH;
  for (int r = 0; r < 3; r++)
    if (!send_request(&p, &requests[r])) return died(session, &p);
  for (int r = 0; r < 4; r++) { /* the first answer is about opening the device */
    dcs_outcome outcome = receive(session, &p, &reply);
    if (outcome == DCS_OUTCOME_OK && reply.status != DCS_OK) outcome = DCS_OUTCOME_CRASH;
    if (outcome != DCS_OUTCOME_OK) {
      stop(&p, true);
      return outcome;
    }
  }
  *sample = (dcs_sample){dcs_now_ns() - started, reply.telemetry};
  stop(&p, false);
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_session_limits(dcs_session *session, bool all, dcs_limits *limits) {
  dcs_reply reply;
  dcs_outcome outcome = ask(session, &(dcs_request){.op = DCS_DO_LIMITS, .all = all}, &reply);
  if (outcome == DCS_OUTCOME_OK) *limits = reply.limits;
  return outcome;
}

dcs_outcome dcs_session_start_ns(dcs_session *session, double *ns) {
  process p;
  dcs_reply reply;
  double started = dcs_now_ns();
  if (start(session, &p) != DCS_OK) return DCS_OUTCOME_CRASH;
  dcs_outcome outcome = receive(session, &p, &reply);
  if (outcome == DCS_OUTCOME_OK && reply.status != DCS_OK) outcome = DCS_OUTCOME_CRASH;
  *ns = dcs_now_ns() - started;
  stop(&p, outcome != DCS_OUTCOME_OK);
  return outcome;
}
