#include "harness/files/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

dcs_status dcs_cannot(const char *what, const char *path) {
  return dcs_fail(DCS_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* ---- names of one file ---- */

/* Facts of a file, or of the folder that it will be in. */
static bool look_at(const char *path, const char **name, bool *there, struct stat *facts) {
  const char *slash = strrchr(path, '/');
  char folder[4096];
  *name = slash ? slash + 1 : path;
  *there = stat(path, facts) == 0;
  if (*there) return true;
  snprintf(folder, sizeof folder, "%.*s", (int)(*name - path), path);
  return stat(*folder ? folder : ".", facts) == 0;
}

bool dcs_is_same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  const char *name_a, *name_b;
  bool there_a, there_b;
  return look_at(a, &name_a, &there_a, &of_a) && look_at(b, &name_b, &there_b, &of_b) &&
         there_a == there_b && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
         (there_a || strcmp(name_a, name_b) == 0);
}

/* ---- what is written ---- */

static void release(dcs_file *file) {
  free(file->path);
  free(file->beside);
  *file = (dcs_file){0};
}

static dcs_status failed_to(const char *what, dcs_file *file, const char *path) {
  dcs_status status = dcs_cannot(what, path);
  release(file);
  return status;
}

/* ---- names beside ---- */

/* A name beside is that of the file, cut where it would be longer than names may be, then this: the
 * process id keeps two writers of one file apart. */
enum { ENDING = sizeof ".-9223372036854775808.part" };

static size_t kept_of_name(const char *base) {
  size_t length = strlen(base);
  return length < NAME_MAX - ENDING ? length : NAME_MAX - ENDING;
}

static char *name_beside(const char *path) {
  const char *base = basename(path);
  size_t kept = (size_t)(base - path) + kept_of_name(base), size = kept + ENDING;
  char *name = malloc(size);
  if (name) snprintf(name, size, "%.*s.%ld.part", (int)kept, path, (long)getpid());
  return name;
}

/* Whether `name` is one beside `base`, of a writer that has this process's id or that of none. */
static bool left_behind(const char *name, const char *base) {
  size_t kept = kept_of_name(base);
  char *end;
  if (strncmp(name, base, kept) != 0 || name[kept] != '.') return false;
  if (name[kept + 1] < '0' || name[kept + 1] > '9') return false;
  long writer = strtol(name + kept + 1, &end, 10);
  if (strcmp(end, ".part") != 0 || writer < 1 || writer > INT_MAX) return false;
  return writer == getpid() || (kill((pid_t)writer, 0) != 0 && errno == ESRCH);
}

/* A writer holds a lock on its file, wherever it runs: another machine's shows so. */
static void remove_unlocked(int folder, const char *name) {
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
  close(fd);
}

/* Removes what killed writers of `path` left beside it. */
static void sweep_up(const char *path) {
  const char *base = basename(path);
  char *folder = base == path ? strdup(".") : strndup(path, (size_t)(base - path));
  DIR *open = folder ? opendir(folder) : NULL;
  free(folder);
  if (!open) return;
  for (struct dirent *entry; (entry = readdir(open)) != NULL;)
    if (left_behind(entry->d_name, base)) remove_unlocked(dirfd(open), entry->d_name);
  closedir(open);
}

/* ---- opening ---- */

/* The new file has the modes of the old, and its owner where that may be given. */
static bool take_modes(int fd, const struct stat *old) {
  if (fchown(fd, old->st_uid, old->st_gid) != 0 && errno != EPERM) return false;
  return fchmod(fd, old->st_mode & 07777) == 0;
}

static dcs_status open_beside(dcs_file *file, const char *path, const struct stat *old) {
  sweep_up(file->path);
  file->beside = name_beside(file->path);
  if (file->beside) file->stream = fopen(file->beside, "wxe");
  if (!file->stream) return failed_to("open for writing", file, path);
  int fd = fileno(file->stream);
  flock(fd, LOCK_EX | LOCK_NB);
  if (!old || take_modes(fd, old)) return DCS_OK;
  dcs_status status = dcs_cannot("give its modes to what replaces it", path);
  dcs_file_abandon(file);
  return status;
}

/* A link to nothing: whoever made it expects a file elsewhere. */
static dcs_status refuse_link(const char *path) {
  return dcs_fail(DCS_IO,
                  "%s: is a link to what is not there; expected a file, or a name that is free: "
                  "remove the link, or make what it points at",
                  path);
}

dcs_status dcs_file_create(dcs_file *file, const char *path) {
  struct stat facts;
  *file = (dcs_file){0};
  if (!*path) return dcs_fail(DCS_USAGE, "found an empty name; expected that of a file to write");
  bool there = stat(path, &facts) == 0;
  if (!there && errno == ENOENT && lstat(path, &facts) == 0) return refuse_link(path);
  bool regular = there && S_ISREG(facts.st_mode);
  file->path = regular ? realpath(path, NULL) : strdup(path);
  if (!file->path) return failed_to("open for writing", file, path);
  if (!there || regular) return open_beside(file, path, there ? &facts : NULL);
  file->stream = fopen(file->path, "we");
  return file->stream ? DCS_OK : failed_to("open for writing", file, path);
}

dcs_status dcs_file_append(dcs_file *file, const char *path) {
  *file = (dcs_file){.path = strdup(path)};
  if (file->path) file->stream = fopen(path, "ae");
  return file->stream ? DCS_OK : failed_to("open for writing", file, path);
}

/* ---- closing ---- */

/* Pipes and devices have no disk to be flushed to, and say EINVAL. */
static dcs_status flush_to_disk(const dcs_file *file) {
  if (fflush(file->stream) != 0 ||
      (fsync(fileno(file->stream)) != 0 && errno != EINVAL && errno != EROFS))
    return dcs_cannot("write", file->path);
  if (!ferror(file->stream)) return DCS_OK;
  return dcs_fail(DCS_IO, "%s: not written: an earlier write to it failed", file->path);
}

dcs_status dcs_file_close(dcs_file *file) {
  dcs_status status = flush_to_disk(file);
  if (fclose(file->stream) != 0 && status == DCS_OK) status = dcs_cannot("write", file->path);
  if (file->beside && status == DCS_OK && rename(file->beside, file->path) != 0)
    status = dcs_cannot("rename into place", file->path);
  if (file->beside && status != DCS_OK) unlink(file->beside);
  release(file);
  return status;
}

void dcs_file_abandon(dcs_file *file) {
  fclose(file->stream);
  if (file->beside) unlink(file->beside);
  release(file);
}

dcs_status dcs_file_finish(dcs_file *file, dcs_status status) {
  if (status == DCS_OK) return dcs_file_close(file);
  dcs_file_abandon(file);
  return status;
}
