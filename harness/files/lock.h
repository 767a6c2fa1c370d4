/* One owner of a file or folder at a time, among all processes that ask. */
#ifndef DCS_LOCK_H
#define DCS_LOCK_H

#include "kernels/status.h"

#include <stdbool.h>

/* A lock on a file of its own, since what it guards may be replaced. It ends with the process,
 * however that ends. */
typedef struct {
  char *path; /* NULL: none is held */
  int fd;
  bool own; /* its file goes with it */
} dcs_lock;

/* Takes the lock at once; its file says who has it and is removed by dcs_lock_leave(). `instead` is
 * what the user can do otherwise, as in "take another folder". DCS_UNAVAILABLE says who has it;
 * DCS_IO when the file cannot be made or its file system has no locks. */
dcs_status dcs_lock_own(const char *path, const char *instead, dcs_lock *lock);

/* Waits for the lock, alone or `shared` with others that share it; its file stays. DCS_IO as above,
 * DCS_FAILED on an interrupt. */
dcs_status dcs_lock_wait(const char *path, bool shared, const char *instead, dcs_lock *lock);

/* Whether a process has the lock now. */
bool dcs_lock_is_held(const char *path);

void dcs_lock_leave(dcs_lock *lock); /* none held is fine */

#endif
