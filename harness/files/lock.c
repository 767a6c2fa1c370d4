#include "harness/files/lock.h"

#include "harness/base/interrupt.h"
#include "harness/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OWNER = 128 }; /* bytes of what a lock's file says */

static void write_owner(int fd) {
  char host[HOST_NAME_MAX + 1] = "", text[OWNER];
  gethostname(host, sizeof host - 1);
  snprintf(text, sizeof text, "process %ld on %.64s\n", (long)getpid(), host);
  /* Where it cannot be written, the lock holds all the same. */
  if (ftruncate(fd, 0) == 0 && pwrite(fd, text, strlen(text), 0) < 0) return;
}

static void read_owner(int fd, char owner[OWNER]) {
  ssize_t got = pread(fd, owner, OWNER - 1, 0);
  owner[got > 0 ? got : 0] = '\0';
  owner[strcspn(owner, "\n")] = '\0';
  if (!*owner) snprintf(owner, OWNER, "another process");
}

static dcs_status refuse(int error, int fd, const char *path, const char *instead) {
  char owner[OWNER];
  if (error == EINTR) return dcs_fail(DCS_FAILED, "interrupted");
  if (error != EWOULDBLOCK)
    return dcs_fail(DCS_IO,
                    "%s: cannot lock: %s; expected a file system with locks (Lustre has them when "
                    "mounted with -o flock): %s",
                    path, strerror(error), instead);
  read_owner(fd, owner);
  return dcs_fail(DCS_UNAVAILABLE, "%s: %s has it; wait for its end, or %s", path, owner, instead);
}

/* Whether the file that is open still has that name: its last owner may have removed it meanwhile.
 */
static bool is_named(int fd, const char *path) {
  struct stat open, named;
  return fstat(fd, &open) == 0 && stat(path, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

static dcs_status take(const char *path, int kind, const char *instead, int *lock) {
  for (*lock = -1; *lock < 0;) {
    dcs_status status = DCS_OK;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return dcs_cannot("open for writing", path);
    if (flock(fd, kind) != 0) {
      if (errno != EINTR || dcs_interrupted()) status = refuse(errno, fd, path, instead);
    } else if (is_named(fd, path)) {
      *lock = fd;
      return DCS_OK;
    }
    close(fd);
    DCS_TRY(status);
  }
  return DCS_OK;
}

static dcs_status hold(const char *path, int kind, const char *instead, dcs_lock *lock) {
  *lock = (dcs_lock){.path = strdup(path), .fd = -1};
  if (!lock->path) return dcs_fail(DCS_UNAVAILABLE, "no memory for a lock");
  dcs_status status = take(path, kind, instead, &lock->fd);
  if (status == DCS_OK) return DCS_OK;
  free(lock->path);
  lock->path = NULL;
  return status;
}

dcs_status dcs_lock_own(const char *path, const char *instead, dcs_lock *lock) {
  DCS_TRY(hold(path, LOCK_EX | LOCK_NB, instead, lock));
  write_owner(lock->fd);
  lock->own = true;
  return DCS_OK;
}

dcs_status dcs_lock_wait(const char *path, bool shared, const char *instead, dcs_lock *lock) {
  return hold(path, shared ? LOCK_SH : LOCK_EX, instead, lock);
}

bool dcs_lock_is_held(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

void dcs_lock_leave(dcs_lock *lock) {
  if (!lock->path) return;
  if (lock->own) unlink(lock->path); /* still held: who has opened it will find it gone */
  close(lock->fd);
  free(lock->path);
  lock->path = NULL;
}
