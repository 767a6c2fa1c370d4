#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#endif
#include "harness/base/process.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The end is moved above the numbers that the program has its ends at, so that no duplication
 * overwrites one that is still needed. */
static int add_end(posix_spawn_file_actions_t *actions, int end, int at, int *moved) {
  if (end < 0) return posix_spawn_file_actions_addopen(actions, at, "/dev/null", O_RDWR, 0);
  *moved = fcntl(end, F_DUPFD_CLOEXEC, 16);
  if (*moved < 0) return errno == EINVAL ? EMFILE : errno; /* the limit is below 16 */
  return posix_spawn_file_actions_adddup2(actions, *moved, at);
}

int dcs_process_start(const dcs_program *program, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int moved[3] = {-1, -1, -1}, error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  if (program->folder) error = posix_spawn_file_actions_addchdir_np(&actions, program->folder);
  for (int i = 0; i < 3 && !error; i++)
    error = add_end(&actions, program->ends[i], program->first + i, &moved[i]);
  char *const *environment = program->environment ? program->environment : environ;
  if (!error) error = posix_spawnattr_init(&attributes);
  if (!error) {
    if (program->group) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    error = posix_spawnp(pid, program->program, &actions, &attributes, program->argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  for (int i = 0; i < 3; i++)
    if (moved[i] >= 0) close(moved[i]);
  return error;
}

int dcs_process_wait(pid_t pid, int *status) {
  while (waitpid(pid, status, 0) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

int dcs_process_descriptor(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* It looks up once a second: a signal may come just before poll(). */
bool dcs_process_ends(int descriptor, double timeout_s, bool until_interrupt) {
  const double until = dcs_now_ns() + 1e9 * timeout_s;
  struct pollfd end = {.fd = descriptor, .events = POLLIN};
  for (;;) {
    const double left_ms = 1e-6 * (until - dcs_now_ns());
    if (left_ms <= 0 || (until_interrupt && dcs_interrupted())) return false;
    const int ready = poll(&end, 1, (int)fmin(left_ms + 1, 1000));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
}

bool dcs_is_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
         signal == SIGQUIT;
}
