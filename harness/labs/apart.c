#include "harness/labs/apart.h"

#include "harness/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child leaves, followed by the context. */
typedef struct {
  bool done;
  dcs_status status;
  char message[4096];
} result;

static void run_child(dcs_status (*run)(void *), void *context, size_t bytes, result *shared) {
  shared->status = run(context);
  snprintf(shared->message, sizeof shared->message, "%s", dcs_error_message());
  memcpy(shared + 1, context, bytes);
  shared->done = true;
  kill(getpid(), SIGKILL); /* and nothing of what its parent does at its end */
}

dcs_status dcs_run_apart(dcs_status (*run)(void *), void *context, size_t bytes, bool *crashed) {
  const size_t size = sizeof(result) + bytes;
  int ended;
  result *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return dcs_fail(DCS_UNAVAILABLE, "no memory for a check");
  pid_t child = fork();
  if (child == 0) run_child(run, context, bytes, shared);
  const int error = child < 0 ? errno : dcs_process_wait(child, &ended);
  dcs_status status = DCS_OK;
  const bool gone = !error && !shared->done;
  *crashed = gone && WIFSIGNALED(ended) && !dcs_is_from_outside(WTERMSIG(ended));
  if (gone && !*crashed) /* by a library or from outside, which is no fault of a kernel */
    status = dcs_want("the process of a check was ended");
  else if (error)
    status = dcs_fail(DCS_UNAVAILABLE, "cannot start a process for a check: %s", strerror(error));
  else if (shared->done)
    memcpy(context, shared + 1, bytes);
  if (!error && shared->done && shared->status != DCS_OK)
    status = dcs_fail(shared->status, "%s", shared->message);
  munmap(shared, size);
  return status;
}
