/* Other programs, started without a shell. */
#ifndef DCS_PROCESS_H
#define DCS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
  const char *program;      /* a path, or a name to be found on PATH */
  char *const *argv;        /* its arguments, ended by NULL; the first is its name */
  char *const *environment; /* NULL: this process's */
  const char *folder;       /* where it starts; NULL: where this process is */
  int first;   /* it has ends[0], ends[1] and ends[2] as descriptors first, first + 1, first + 2 */
  int ends[3]; /* of this process; -1: /dev/null */
  bool group;  /* it leads a group of its own: a signal to -pid ends what it started, too */
} dcs_program;

/* Returns 0 or an errno. Other descriptors are inherited unless they are closed on exec. */
int dcs_process_start(const dcs_program *program, pid_t *pid);

/* Waits until it has ended; 0 or an errno. *status is waitpid's. */
int dcs_process_wait(pid_t pid, int *status);

/* A descriptor of the process, closed on exec; -1 and errno where there is none: before Linux 5.3.
 */
int dcs_process_descriptor(pid_t pid);
/* Waits so long at most, and where that is wanted until an interrupt: whether the process has
 * ended, for dcs_process_wait() to be called. A wait that fails for another reason says so, too. */
bool dcs_process_ends(int descriptor, double timeout_s, bool until_interrupt);

/* Whether a process that the signal ended was killed by somebody: no code raises these. */
bool dcs_is_from_outside(int signal);

#endif
