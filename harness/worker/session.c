#include "harness/worker/session.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A running worker. */
typedef struct {
  pid_t pid; /* 0: none */
  int requests, replies;
} process;

typedef struct {
  int problem; /* which of the arena's */
  int variant; /* index in dcs_variants */
  dcs_config config;
  bool ready;                    /* prepared in the worker that runs now */
  unsigned cold[DCS_N_MEMORIES]; /* scopes that it has not run in, while an earlier worker might */
} slot_state;

struct dcs_session {
  dcs_session_options options;
  dcs_arena *arena;
  process worker;
  dcs_device_info devices[DCS_MAX_DEVICES];
  int n_devices;
  char lost[2 * DCS_TEXT];
  bool announced; /* the worker that runs now knows the problem */
  int killed_by;  /* the signal from outside that ended the last worker that died; 0: none did */
  bool aborted;   /* that ended so */
  bool unstarted; /* the last worker did not begin, or a thread in it */
  bool restarted; /* the next worker is asked for by dcs_session_restart() */
  int replaced;   /* workers begun that were not */
  slot_state *slots;
  int n_slots;
};

/* ---- the process ---- */

enum { MOST_WORDS = 5 + 2 * DCS_MAX_ADDED };

/* What the worker is to read of the user's, too: file and hash of each. */
static void add_outside(char *argv[MOST_WORDS], char hashes[DCS_MAX_ADDED][20]) {
  static char none[] = "";
  int n = 4;
  for (int v = dcs_n_built_in; v < dcs_n_variants; v++) {
    const dcs_outside *outside = dcs_variants[v]->outside;
    char *hash = hashes[v - dcs_n_built_in];
    if (!argv[3]) argv[3] = none;
    snprintf(hash, 20, "%016llx", (unsigned long long)outside->hash);
    argv[n++] = (char *)outside->file;
    argv[n++] = hash;
  }
}

/* Starts a worker whose threads stay on their CPUs, unless the user says. Returns 0 or an errno. */
static int start_bound(dcs_program *worker, pid_t *pid) {
  static char bind[] = "OMP_PROC_BIND=true";
  size_t n = 0;
  if (getenv("OMP_PROC_BIND")) return dcs_process_start(worker, pid);
  while (environ[n])
    n++;
  char **environment = malloc((n + 2) * sizeof *environment);
  if (!environment) return ENOMEM;
  memcpy(environment, environ, n * sizeof *environment);
  environment[n] = bind;
  environment[n + 1] = NULL;
  worker->environment = environment;
  const int error = dcs_process_start(worker, pid);
  free(environment);
  worker->environment = NULL;
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
  char *argv[MOST_WORDS] = {"dcsbench", "worker", (char *)session->options.device,
                            (char *)session->options.kernels};
  char hashes[DCS_MAX_ADDED][20];
  add_outside(argv, hashes);
  dcs_program worker = {.program = "/proc/self/exe",
                        .argv = argv,
                        .first = DCS_WORKER_REQUESTS,
                        .ends = {requests[0], replies[1], session->arena->fd}};
  int error = start_bound(&worker, &p->pid);
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
  (void)dcs_process_wait(p->pid, &status);
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

/* Waits until *until_ns for the next byte: 1 readable, 0 time is over or interrupted. It looks up
 * once a second: a signal may come just before poll(). Time in which this process was stopped
 * (Ctrl-Z stops the worker, too) is added. */
static int wait_readable(int fd, double *until_ns) {
  while (!dcs_interrupted()) {
    double now = dcs_now_ns(), left_ms = (*until_ns - now) * 1e-6;
    if (left_ms <= 0) return 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int wait_ms = left_ms > 1000 ? 1000 : (int)left_ms + 1, ready = poll(&p, 1, wait_ms);
    if (ready > 0) return 1;
    if (ready < 0 && errno != EINTR) return 0;
    double late_ns = dcs_now_ns() - now - 1e6 * wait_ms;
    if (late_ns > 1e9) *until_ns += late_ns;
  }
  return 0;
}

static dcs_outcome died(dcs_session *session, process *p) {
  int status = stop(p, true), signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
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

/* Whether what became of a request is not the method's doing, and it is to be made again; *kills
 * counts, from 0. What is killed twice has its outcome here. */
static bool ask_again(const dcs_session *session, dcs_outcome *outcome, int *kills) {
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
static dcs_outcome read_whole(dcs_session *session, process *p, void *to, size_t bytes) {
  double until = dcs_now_ns() + 1e9 * session->options.timeout_s;
  size_t got = 0;
  while (got < bytes) {
    if (!wait_readable(p->replies, &until)) {
      stop(p, true);
      (void)dcs_fail(DCS_FAILED,
                     dcs_interrupted() ? "interrupted" : "no answer from %s within %g s",
                     session->options.device, session->options.timeout_s);
      return DCS_OUTCOME_TIMEOUT;
    }
    ssize_t more = read(p->replies, (char *)to + got, bytes - got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return died(session, p);
    got += (size_t)more;
  }
  return DCS_OUTCOME_OK;
}

static dcs_outcome receive(dcs_session *session, process *p, dcs_reply *reply) {
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

/* The outcome of preparing. On the CPU no kernel of this program runs meanwhile, but OpenMP's team
 * is started: clang's runtime aborts where it cannot. */
static dcs_outcome prepared(dcs_session *session, const dcs_request *request, dcs_outcome outcome) {
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
static dcs_outcome receive_first(dcs_session *session, process *p, dcs_reply *reply) {
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

/* ---- the session ---- */

static dcs_outcome begin(dcs_session *session) {
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
    stop(&session->worker, outcome != DCS_OUTCOME_NO_DEVICE);
    return outcome;
  }
  session->n_devices = reply.n_cards;
  memcpy(session->devices, reply.cards, sizeof session->devices);
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_session_open(const dcs_session_options *options, dcs_arena *arena,
                             dcs_session **out, bool *killed) {
  dcs_session *session = calloc(1, sizeof *session);
  dcs_outcome outcome;
  int kills = 0;
  *killed = false;
  if (!session) {
    (void)dcs_fail(DCS_UNAVAILABLE, "no memory for a session");
    return DCS_OUTCOME_MEMORY;
  }
  session->options = *options;
  session->arena = arena;
  signal(SIGPIPE, SIG_IGN); /* a dead worker shows as an error of write() */
  do
    outcome = begin(session);
  while (ask_again(session, &outcome, &kills));
  *killed = outcome != DCS_OUTCOME_OK && dcs_session_was_killed(session);
  if (outcome != DCS_OUTCOME_OK)
    free(session);
  else
    *out = session;
  return outcome;
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

void dcs_session_restart(dcs_session *session) {
  stop(&session->worker, false);
  session->restarted = true;
}

int dcs_session_replaced(const dcs_session *session) {
  return session->replaced;
}

void dcs_session_new_problem(dcs_session *session) {
  session->announced = false;
  session->n_slots = 0;
}

/* A worker in the place of an earlier one. */
static dcs_outcome begin_again(dcs_session *session) {
  const dcs_outcome outcome = begin(session);
  if (outcome != DCS_OUTCOME_OK) return again_of(session, outcome);
  session->replaced += !session->restarted;
  session->restarted = false;
  return DCS_OUTCOME_OK;
}

/* One request and its answer. A launch that failed may have poisoned the device's context, and
 * memory that ran out may be missed by methods that share it: the worker is given up, and the next
 * request starts a fresh one. */
static dcs_outcome ask(dcs_session *session, const dcs_request *request, dcs_reply *reply) {
  forget_kills(session);
  dcs_outcome outcome = session->worker.pid == 0 ? begin_again(session) : DCS_OUTCOME_OK;
  if (outcome != DCS_OUTCOME_OK) return outcome;
  if (!send_request(&session->worker, request)) return died(session, &session->worker);
  outcome = receive(session, &session->worker, reply);
  if (outcome == DCS_OUTCOME_LAUNCH || outcome == DCS_OUTCOME_MEMORY) stop(&session->worker, true);
  return outcome;
}

static dcs_outcome announce(dcs_session *session) {
  dcs_reply reply;
  if (session->worker.pid != 0 && session->announced) return DCS_OUTCOME_OK;
  dcs_outcome outcome = ask(session, &(dcs_request){.op = DCS_DO_TAKE}, &reply);
  session->announced = outcome == DCS_OUTCOME_OK;
  return outcome;
}

static dcs_request prepare_request(const dcs_session *session, int slot) {
  return (dcs_request){.op = DCS_DO_PREPARE,
                       .slot = slot,
                       .problem = session->slots[slot].problem,
                       .variant = session->slots[slot].variant,
                       .config = session->slots[slot].config};
}

static dcs_outcome try_ready(dcs_session *session, int slot, dcs_code_facts *facts) {
  dcs_outcome outcome = announce(session);
  if (outcome != DCS_OUTCOME_OK || session->slots[slot].ready) return outcome;
  dcs_request request = prepare_request(session, slot);
  dcs_reply reply;
  outcome = prepared(session, &request, ask(session, &request, &reply));
  session->slots[slot].ready = outcome == DCS_OUTCOME_OK;
  if (facts && outcome == DCS_OUTCOME_OK) *facts = reply.facts;
  return outcome;
}

static dcs_outcome make_ready(dcs_session *session, int slot, dcs_code_facts *facts) {
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = try_ready(session, slot, facts);
  while (ask_again(session, &outcome, &kills));
  return outcome;
}

bool dcs_session_flushes(const dcs_session *session) {
  return session->arena->kind->cold;
}

dcs_outcome dcs_session_prepare(dcs_session *session, int problem, const dcs_variant *variant,
                                const dcs_config *config, int *slot, dcs_code_facts *facts) {
  if (dcs_grow(&session->slots, (size_t)session->n_slots, sizeof *session->slots, "methods") !=
      DCS_OK)
    return DCS_OUTCOME_MEMORY;
  int index = 0;
  while (dcs_variants[index] != variant)
    index++;
  *slot = session->n_slots++;
  session->slots[*slot] = (slot_state){.problem = problem, .variant = index, .config = *config};
  return make_ready(session, *slot, facts);
}

static dcs_outcome run_ready(dcs_session *session, const dcs_request *request, dcs_sample *sample) {
  dcs_reply reply;
  const int continues = dcs_continues();
  dcs_outcome outcome = try_ready(session, request->slot, NULL);
  if (outcome == DCS_OUTCOME_OK) outcome = ask(session, request, &reply);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  unsigned *cold = &session->slots[request->slot].cold[request->memory];
  *sample = (dcs_sample){reply.ns, reply.telemetry, reply.usage,
                         reply.continued || dcs_continues() != continues, *cold & request->scope};
  *cold &= ~(unsigned)request->scope;
  return outcome;
}

static dcs_outcome run(dcs_session *session, dcs_request request, dcs_sample *sample) {
  dcs_outcome outcome;
  int kills = 0;
  request.op = DCS_DO_RUN;
  request.problem = session->slots[request.slot].problem;
  request.variant = session->slots[request.slot].variant;
  do
    outcome = run_ready(session, &request, sample);
  while (ask_again(session, &outcome, &kills));
  return outcome;
}

dcs_outcome dcs_session_run(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample) {
  return run(session, (dcs_request){.slot = slot, .scope = scope, .memory = memory, .inner = inner},
             sample);
}

dcs_outcome dcs_session_run_energy(dcs_session *session, int slot, dcs_scope scope,
                                   dcs_memory memory, int64_t inner, dcs_sample *sample) {
  return run(
      session,
      (dcs_request){.slot = slot, .scope = scope, .memory = memory, .inner = inner, .energy = true},
      sample);
}

/* All requests wait in the pipe before the worker runs: one that ends before them has answered what
 * it could. */
static dcs_outcome run_fresh(dcs_session *session, const dcs_request *requests, int n,
                             dcs_sample *sample) {
  process p;
  dcs_reply reply;
  const int continues = dcs_continues();
  bool continued = false;
  double started = dcs_now_ns();
  forget_kills(session);
  if (start(session, &p) != DCS_OK) return unstarted(session);
  for (int r = 0; r < n && send_request(&p, &requests[r]); r++)
    ;
  for (int r = 0; r < n + 1; r++) {
    dcs_outcome outcome = r == 0 ? again_of(session, receive_first(session, &p, &reply))
                                 : receive(session, &p, &reply);
    if (r > 0 && requests[r - 1].op == DCS_DO_PREPARE)
      outcome = prepared(session, &requests[r - 1], outcome);
    if (outcome != DCS_OUTCOME_OK) {
      stop(&p, true);
      return outcome;
    }
    continued = continued || reply.continued;
  }
  *sample = (dcs_sample){.ns = dcs_now_ns() - started,
                         .telemetry = reply.telemetry,
                         .usage = reply.usage,
                         .continued = continued || dcs_continues() != continues};
  stop(&p, false);
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_session_first(dcs_session *session, int slot, dcs_memory memory,
                              dcs_sample *sample) {
  dcs_request prepare = prepare_request(session, slot);
  prepare.slot = 0; /* in the fresh worker the method is its first */
  const dcs_request requests[] = {{.op = DCS_DO_TAKE},
                                  prepare,
                                  {.op = DCS_DO_RUN,
                                   .problem = prepare.problem,
                                   .variant = prepare.variant,
                                   .scope = DCS_WARM,
                                   .memory = memory,
                                   .inner = 1}};
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = run_fresh(session, requests, 3, sample);
  while (ask_again(session, &outcome, &kills));
  return outcome;
}

dcs_outcome dcs_session_limits(dcs_session *session, bool all, dcs_limits *limits) {
  const dcs_request request = {.op = DCS_DO_LIMITS, .all = all};
  dcs_reply reply;
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = ask(session, &request, &reply);
  while (ask_again(session, &outcome, &kills) || (outcome == DCS_OUTCOME_OK && reply.continued));
  if (outcome == DCS_OUTCOME_OK) *limits = reply.limits;
  return outcome;
}

dcs_outcome dcs_session_start_ns(dcs_session *session, double *ns) {
  dcs_sample sample = {0};
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = run_fresh(session, NULL, 0, &sample);
  while (ask_again(session, &outcome, &kills) || (outcome == DCS_OUTCOME_OK && sample.continued));
  *ns = sample.ns;
  return outcome;
}

static dcs_outcome ask_facts(dcs_session *session, dcs_device_facts *facts, int *n) {
  dcs_reply reply;
  dcs_outcome outcome = ask(session, &(dcs_request){.op = DCS_DO_FACTS}, &reply);
  *n = session->n_devices;
  if (outcome != DCS_OUTCOME_OK) return outcome;
  return read_whole(session, &session->worker, facts, (size_t)*n * sizeof *facts);
}

dcs_outcome dcs_session_facts(dcs_session *session, dcs_device_facts facts[DCS_MAX_DEVICES],
                              int *n) {
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = ask_facts(session, facts, n);
  while (ask_again(session, &outcome, &kills));
  return outcome;
}
