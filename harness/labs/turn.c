#include "harness/labs/turn.h"

#include "harness/base/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The folder holds a file for each that waits, whose name is a number and which it has locked. */

enum { PATH = 4096, WAIT_MS = 100 };

static void ticket_path(const char *folder, long number, char path[PATH]) {
  snprintf(path, PATH, "%s/%08ld", folder, number);
}

/* Anybody may make files in it, and nobody but their owner remove them. */
static dcs_status open_folder(const char *folder) {
  if (mkdir(folder, 0777) == 0) return chmod(folder, 01777) == 0 ? DCS_OK : DCS_IO;
  if (errno == EEXIST) return DCS_OK;
  return dcs_fail(DCS_IO, "%s: cannot make the folder of those who wait: %s", folder,
                  strerror(errno));
}

/* Counts tickets below `mine` that are held; *highest is that of all. Those of processes that are
 * gone are removed where they may be. */
static dcs_status look(const char *folder, long mine, int *before, long *highest) {
  DIR *files = opendir(folder);
  if (!files) return dcs_fail(DCS_IO, "%s: cannot read: %s", folder, strerror(errno));
  *before = 0;
  *highest = 0;
  for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
    char path[PATH], *end;
    const long number = strtol(entry->d_name, &end, 10);
    if (*end || number <= 0 || number == mine) continue;
    ticket_path(folder, number, path);
    if (!dcs_lock_is_held(path)) {
      unlink(path);
      continue;
    }
    *before += number < mine;
    if (number > *highest) *highest = number;
  }
  closedir(files);
  return DCS_OK;
}

/* The next number; who takes it between looking and locking was first. */
static dcs_status draw(const char *folder, dcs_turn *turn, long *mine) {
  enum { TRIES = 1000 };
  char path[PATH];
  int before;
  long highest;
  DCS_TRY(look(folder, 0, &before, &highest));
  dcs_status status = DCS_UNAVAILABLE;
  for (int i = 1; i <= TRIES && status != DCS_OK; i++) {
    *mine = highest + i;
    ticket_path(folder, *mine, path);
    status = dcs_lock_own(path, "try again", &turn->ticket);
  }
  return status;
}

dcs_status dcs_turn_wait(const char *folder, void (*tell)(int before), dcs_turn *turn) {
  const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};
  int before, told = 0, free_looks = 0;
  long mine, highest;
  DCS_TRY(open_folder(folder));
  DCS_TRY(draw(folder, turn, &mine));
  /* Looked at twice: one with a lower number may have drawn it and not locked it yet. */
  while (free_looks < 2) {
    dcs_status status = look(folder, mine, &before, &highest);
    if (status == DCS_OK && dcs_interrupted()) status = dcs_fail(DCS_FAILED, "interrupted");
    if (status != DCS_OK) {
      dcs_turn_end(turn);
      return status;
    }
    if (before != told) tell(told = before);
    free_looks = before ? 0 : free_looks + 1;
    nanosleep(&pause, NULL);
  }
  return DCS_OK;
}

void dcs_turn_end(dcs_turn *turn) {
  dcs_lock_leave(&turn->ticket);
}
