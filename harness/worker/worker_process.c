#include "harness/worker/worker_process.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

dcs_status dcs_worker_start(const char *device, const char *kernels, int arena,
                            dcs_worker_process *p) {
  int requests[2], replies[2];
  if (pipe2(requests, O_CLOEXEC) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
  if (pipe2(replies, O_CLOEXEC) != 0) {
    close(requests[0]);
    close(requests[1]);
    return dcs_fail(DCS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
  }
  char *argv[MOST_WORDS] = {"dcsbench", "worker", (char *)device, (char *)kernels};
  char hashes[DCS_MAX_ADDED][20];
  add_outside(argv, hashes);
  dcs_program worker = {.program = "/proc/self/exe",
                        .argv = argv,
                        .first = DCS_WORKER_REQUESTS,
                        .ends = {requests[0], replies[1], arena}};
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

int dcs_worker_stop(dcs_worker_process *p, bool kill_it) {
  int status = 0;
  if (p->pid == 0) return 0;
  close(p->requests);
  close(p->replies);
  if (kill_it) kill(p->pid, SIGKILL);
  (void)dcs_process_wait(p->pid, &status);
  p->pid = 0;
  return status;
}

bool dcs_worker_send(const dcs_worker_process *p, const dcs_request *request) {
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

dcs_worker_answer dcs_worker_read(const dcs_worker_process *p, double timeout_s, void *to,
                                  size_t bytes) {
  double until = dcs_now_ns() + 1e9 * timeout_s;
  size_t got = 0;
  while (got < bytes) {
    if (!wait_readable(p->replies, &until)) return DCS_WORKER_SILENT;
    ssize_t more = read(p->replies, (char *)to + got, bytes - got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return DCS_WORKER_GONE;
    got += (size_t)more;
  }
  return DCS_WORKER_TOLD;
}
