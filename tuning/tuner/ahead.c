#include "tuning/tuner/tuner.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_PROCESSES = 256 };

/* The two parameters with the most values; -1: none. */
static void find_largest(const dcs_space *space, int *first, int *second) {
  *first = *second = -1;
  for (int p = 0; p < space->variant->n_params; p++) {
    if (*first < 0 || space->n_values[p] > space->n_values[*first]) {
      *second = *first;
      *first = p;
    } else if (*second < 0 || space->n_values[p] > space->n_values[*second]) {
      *second = p;
    }
  }
}

/* A slice of the space is one value of each of these two with all values of the others; here as
 * text for --config. */
static void describe(const dcs_space *space, int slice, char text[4096]) {
  int first, second;
  text[0] = '\0';
  find_largest(space, &first, &second);
  for (int p = 0; p < space->variant->n_params; p++) {
    const dcs_param *param = &space->variant->params[p];
    bool fixed = p == first || p == second;
    int n = space->n_values[p];
    int at = p == first ? slice % n : slice / space->n_values[first];
    dcs_append(text, 4096, "%s%s=", p ? "," : "", param->name);
    for (int v = fixed ? at : 0; v < (fixed ? at + 1 : n); v++) {
      char value[32];
      dcs_append(text, 4096, "%s%s", v > (fixed ? at : 0) ? "|" : "",
                 dcs_format_value(param, space->values[p][v], value));
    }
  }
}

static int n_slices(const dcs_space *space) {
  int first, second;
  find_largest(space, &first, &second);
  return space->n_values[first] * (second >= 0 ? space->n_values[second] : 1);
}

/* Starts the process of a slice with nothing to read or say; returns 0 or an errno. */
static int start(const dcs_space *space, int slice, const char *kernels, const char *arch,
                 pid_t *pid) {
  char config[4096];
  describe(space, slice, config);
  const dcs_outside *outside = space->variant->outside;
  char *argv[] = {"dcsbench",
                  "compile",
                  outside ? "--spec" : "--variants",
                  (char *)(outside ? outside->file : space->variant->id),
                  "--arch",
                  (char *)arch,
                  "--config",
                  config,
                  kernels ? "--kernels" : NULL,
                  (char *)kernels,
                  NULL};
  const dcs_program program = {.program = "/proc/self/exe", .argv = argv, .ends = {-1, -1, -1}};
  return dcs_process_start(&program, pid);
}

/* Until the process has ended, of itself or because the time is over. */
static void wait_for(pid_t pid, double until_ns) {
  const struct timespec pause = {0, 2000000};
  for (;;) {
    pid_t ended = waitpid(pid, NULL, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return;
    if (dcs_now_ns() >= until_ns) kill(pid, SIGKILL);
    nanosleep(&pause, NULL);
  }
}

dcs_status dcs_compile_ahead(const dcs_space *space, const char *kernels, const char *arch,
                             int processes, double until_ns, dcs_progress *progress) {
  pid_t running[MOST_PROCESSES] = {0}; /* in a ring: the oldest is waited for */
  int started = 0, ended = 0, error = 0;
  if (space->variant->n_params == 0) return DCS_OK; /* one configuration: nothing to gain */
  const int slices = n_slices(space);
  if (processes < 1) processes = 1;
  if (processes > MOST_PROCESSES) processes = MOST_PROCESSES;
  for (;;) {
    bool more = !error && !dcs_interrupted() && dcs_now_ns() < until_ns && started < slices;
    if (more && started - ended < processes) {
      error = start(space, started, kernels, arch, &running[started % processes]);
      started += !error;
    } else if (ended < started) {
      wait_for(running[ended++ % processes], until_ns);
      dcs_progress_draw(progress, (double)ended / slices, "compiling");
    } else {
      break;
    }
  }
  if (!error) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "cannot start a process to compile: %s", strerror(error));
}
