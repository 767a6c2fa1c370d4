#include "harness/base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dcs_status cannot(const char *what, const char *path) {
  return dcs_fail(DCS_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static void release(dcs_file *file) {
  free(file->path);
  free(file->beside);
  *file = (dcs_file){0};
}

/* The process id keeps two writers of one file apart. */
static char *name_beside(const char *path) {
  size_t size = strlen(path) + sizeof ".-9223372036854775808.part";
  char *name = malloc(size);
  if (name) snprintf(name, size, "%s.%ld.part", path, (long)getpid());
  return name;
}

static dcs_status open_failed(dcs_file *file, const char *path) {
  dcs_status status = cannot("open for writing", path);
  release(file);
  return status;
}

dcs_status dcs_file_create(dcs_file *file, const char *path) {
  struct stat facts;
  bool in_place = stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
  char *real = realpath(path, NULL);
  *file = (dcs_file){.path = real ? real : strdup(path)};
  if (file->path && !in_place) file->beside = name_beside(file->path);
  if (file->path && (in_place || file->beside))
    file->stream = fopen(in_place ? file->path : file->beside, "w");
  return file->stream ? DCS_OK : open_failed(file, path);
}

dcs_status dcs_file_append(dcs_file *file, const char *path) {
  *file = (dcs_file){.path = strdup(path)};
  if (file->path) file->stream = fopen(path, "a");
  return file->stream ? DCS_OK : open_failed(file, path);
}

/* Pipes and devices have no disk to be flushed to, and say EINVAL. */
static bool flush_to_disk(FILE *stream) {
  return !ferror(stream) && fflush(stream) == 0 &&
         (fsync(fileno(stream)) == 0 || errno == EINVAL || errno == EROFS);
}

dcs_status dcs_file_close(dcs_file *file) {
  dcs_status status = flush_to_disk(file->stream) ? DCS_OK : cannot("write", file->path);
  if (fclose(file->stream) != 0 && status == DCS_OK) status = cannot("write", file->path);
  if (file->beside && status == DCS_OK && rename(file->beside, file->path) != 0)
    status = cannot("rename into place", file->path);
  if (file->beside && status != DCS_OK) unlink(file->beside);
  release(file);
  return status;
}

void dcs_file_abandon(dcs_file *file) {
  fclose(file->stream);
  if (file->beside) unlink(file->beside);
  release(file);
}
