#include "harness/labs/apart.h"

#include "harness/base/interrupt.h"
#include "harness/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child leaves, followed by the context. */
typedef struct {
  bool done;
  dcs_status status;
  char message[4096];
} result;

static void run_child(dcs_status (*run)(void *), void *context, size_t bytes, result *shared) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  shared->status = run(context);
  snprintf(shared->message, sizeof shared->message, "%s", dcs_error_message());
  memcpy(shared + 1, context, bytes);
  shared->done = true;
  kill(getpid(), SIGKILL); /* and nothing of what its parent does at its end */
}

/* Before Linux 5.3 it is waited for. */
static bool ends_in_time(pid_t child, double timeout_s) {
  const int descriptor = dcs_process_descriptor(child);
  if (descriptor < 0) return true;
  const bool ends = dcs_process_ends(descriptor, timeout_s, true);
  close(descriptor);
  return ends;
}

/* How a child ended that left nothing, of which waitpid() said `ended`. */
static dcs_status end_of(bool in_time, int ended, dcs_apart_end *end) {
  if (!in_time && dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  const bool crashed = WIFSIGNALED(ended) && !dcs_is_from_outside(WTERMSIG(ended));
  *end = crashed ? DCS_APART_CRASHED : DCS_APART_LATE;
  if (crashed || !in_time) return DCS_OK;
  return dcs_want("the process of a check was ended"); /* which is no fault of a kernel */
}

dcs_status dcs_run_apart(dcs_status (*run)(void *), void *context, size_t bytes, double timeout_s,
                         dcs_apart_end *end) {
  const size_t size = sizeof(result) + bytes;
  int ended = 0, error = 0;
  *end = DCS_APART_DONE;
  result *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return dcs_fail(DCS_UNAVAILABLE, "no memory for a check");
  pid_t child = fork();
  if (child == 0) run_child(run, context, bytes, shared);
  if (child < 0) error = errno;
  const bool in_time = error || ends_in_time(child, timeout_s);
  if (!in_time) kill(child, SIGKILL);
  if (!error) error = dcs_process_wait(child, &ended);
  dcs_status status = DCS_OK;
  if (error)
    status = dcs_fail(DCS_UNAVAILABLE, "cannot start a process for a check: %s", strerror(error));
  else if (!shared->done)
    status = end_of(in_time, ended, end);
  else
    memcpy(context, shared + 1, bytes);
  if (!error && shared->done && shared->status != DCS_OK)
    status = dcs_fail(shared->status, "%s", shared->message);
  munmap(shared, size);
  return status;
}
