/* A file that all ranks write parts of, by MPI-IO. */
#include "harness/base/clock.h"
#include "mpi/ranks.h"

#include <stdio.h>

static dcs_status check(const dcs_ranks *ranks, const char *what, int code) {
  char why[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return DCS_OK;
  MPI_Error_string(code, why, &length);
  return dcs_fail(DCS_IO, "%s: cannot %s: %s", ranks->path, what, why);
}

dcs_status dcs_ranks_open(dcs_workers *w, const char *path) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  if (w->rank == 0) snprintf(ranks->path, sizeof ranks->path, "%s", path);
  dcs_ranks_broadcast(ranks, ranks->path, sizeof ranks->path);
  pthread_mutex_lock(&ranks->lock);
  const int code =
      MPI_File_open(MPI_COMM_WORLD, ranks->path, MPI_MODE_WRONLY, MPI_INFO_NULL, &ranks->file);
  pthread_mutex_unlock(&ranks->lock);
  return check(ranks, "open", code);
}

dcs_status dcs_ranks_put(dcs_workers *w, int64_t offset, const void *bytes, size_t n) {
  enum { MOST = 1 << 30 };
  dcs_ranks *ranks = dcs_ranks_of(w);
  const double start = dcs_now_ns();
  int code = MPI_SUCCESS;
  pthread_mutex_lock(&ranks->lock);
  for (size_t at = 0; at < n && code == MPI_SUCCESS; at += MOST)
    code = MPI_File_write_at(ranks->file, offset + (int64_t)at, (const char *)bytes + at,
                             (int)(n - at < MOST ? n - at : MOST), MPI_BYTE, MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&ranks->lock);
  w->communicating_s += 1e-9 * (dcs_now_ns() - start);
  return check(ranks, "write", code);
}

dcs_status dcs_ranks_close(dcs_workers *w) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  pthread_mutex_lock(&ranks->lock);
  const int code = MPI_File_close(&ranks->file);
  pthread_mutex_unlock(&ranks->lock);
  return check(ranks, "close", code);
}
