#include "harness/files/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct dcs_shared_file {
  int descriptor;
  atomic_int holders;
};

dcs_shared_file *dcs_shared_file_open(int descriptor) {
  dcs_shared_file *file = malloc(sizeof *file);
  if (!file) return NULL;
  file->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  atomic_init(&file->holders, 1);
  if (file->descriptor >= 0) return file;
  free(file);
  return NULL;
}

dcs_shared_file *dcs_shared_file_hold(dcs_shared_file *file) {
  atomic_fetch_add(&file->holders, 1);
  return file;
}

void dcs_shared_file_let_go(dcs_shared_file *file) {
  if (!file || atomic_fetch_sub(&file->holders, 1) > 1) return;
  close(file->descriptor);
  free(file);
}

uint64_t dcs_shared_file_size(const dcs_shared_file *file) {
  struct stat facts;
  return fstat(file->descriptor, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

void dcs_shared_file_ahead(const dcs_shared_file *file, uint64_t at, size_t bytes) {
  (void)posix_fadvise(file->descriptor, (off_t)at, (off_t)bytes, POSIX_FADV_WILLNEED);
}

ssize_t dcs_shared_file_read(const dcs_shared_file *file, uint64_t at, void *to, size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    const ssize_t n = pread(file->descriptor, (char *)to + got, bytes - got, (off_t)(at + got));
    if (n < 0 && errno != EINTR) return -1;
    if (n == 0) break;
    if (n > 0) got += (size_t)n;
  }
  return (ssize_t)got;
}
