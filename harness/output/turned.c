/* The values of a map in the order of a file, from memory or from slabs that are computed
 * meanwhile.
 *
 * Slabs are slices of constant z, because that is what all methods and devices compute one after
 * another with the bits of the whole map. In a file in which x varies fastest they follow each
 * other. Where z varies fastest, each has a part of every plane of constant x: slabs wait, with z
 * fastest, in a file without a name, from which planes are then put together. Runs along z in place
 * in the file would save that, and be a few bytes each where memory is short; of text nobody knows
 * the place. */
#include "harness/output/field.h"

#include "harness/base/interrupt.h"
#include "harness/base/machine.h"
#include "harness/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A step of writing, told; the last one is shown as done. */
static dcs_status go_on(const dcs_field *f, double share, const char *what) {
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  if (f->progress) dcs_progress_draw(f->progress, share, what);
  return DCS_OK;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* ---- x fastest ---- */

static dcs_status next_slab(const dcs_field *f, int64_t from, int64_t *end, const char *what) {
  *end = least(from + f->slabs->slices, f->n.z);
  DCS_TRY(go_on(f, (double)from / (double)f->n.z, what));
  return f->slabs->compute(f->slabs->with, from, *end, f->slabs->values);
}

dcs_status dcs_field_next(const dcs_field *f, int64_t from, int64_t *end, const float **values) {
  enum { BLOCK = 1 << 20 };
  if (f->slabs) {
    *values = f->slabs->values;
    return next_slab(f, from, end, "computing and writing");
  }
  const int64_t slice = f->n.x * f->n.y, slices = slice < BLOCK ? BLOCK / slice : 1;
  *end = least(from + slices, f->n.z);
  *values = f->values + from * slice;
  return go_on(f, (double)from / (double)f->n.z, "writing");
}

/* ---- z fastest ---- */

enum { PLANES = 16 }; /* a cache line of x */

/* Planes i..i+15 of slices, transposed. 16 x 16 tiles: a cache line is read whole, and each plane's
 * line is written whole. */
static void turn(const float *values, dcs_dims n, int64_t from, float *planes) {
  const int64_t count = least(n.x - from, PLANES), plane = n.y * n.z;
#ifdef _OPENMP
#pragma omp parallel for num_threads(dcs_loop_threads()) if (plane > 1 << 16)
#endif
  for (int64_t j = 0; j < n.y; j++)
    for (int64_t k = 0; k < n.z; k++) {
      const float *row = values + (k * n.y + j) * n.x + from;
      float *to = planes + j * n.z + k;
      for (int64_t i = 0; i < count; i++)
        to[i * plane] = row[i];
    }
}

static dcs_status make_planes(dcs_turned *turned, int64_t values) {
  turned->planes = malloc((size_t)values * sizeof *turned->planes);
  return turned->planes ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory to write a map");
}

/* ---- slabs that wait ---- */

/* A file without a name, in the folder of `beside`: it goes with the process. */
static dcs_status open_waiting(const char *beside, int *fd) {
  char *path = strdup(beside), *folder = path ? dirname(path) : NULL;
  *fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
  if (*fd < 0 && folder) { /* not every file system has such files */
    char name[4096];
    snprintf(name, sizeof name, "%s/dcsbench-XXXXXX", folder);
    *fd = mkostemp(name, O_CLOEXEC);
    if (*fd >= 0) unlink(name);
  }
  const dcs_status status =
      *fd < 0 ? dcs_cannot("make a file for slabs beside it", beside) : DCS_OK;
  free(path);
  return status;
}

/* The disk has room for all slabs, or it is said now. */
static dcs_status reserve(int fd, const dcs_field *f) {
  const off_t bytes = (off_t)dcs_points(f->n) * (off_t)sizeof(float);
  if (fallocate(fd, 0, 0, bytes) == 0 || (errno != ENOSPC && errno != EFBIG && errno != EDQUOT))
    return DCS_OK;
  return dcs_fail(DCS_IO, "%s: %.3g GB for the map's slabs beside it: %s", f->slabs->beside,
                  1e-9 * (double)bytes, strerror(errno));
}

/* Writes, or reads, all of it. */
static dcs_status transfer(const dcs_field *f, int fd, float *values, int64_t n, off_t at,
                           bool writes) {
  char *bytes = (char *)values;
  for (size_t left = (size_t)n * sizeof *values; left > 0;) {
    const ssize_t done = writes ? pwrite(fd, bytes, left, at) : pread(fd, bytes, left, at);
    if (done < 0 && errno == EINTR && !dcs_interrupted()) continue;
    if (done == 0) errno = EIO;
    if (done <= 0)
      return dcs_cannot(writes ? "write a slab beside it" : "read a slab beside it",
                        f->slabs->beside);
    bytes += done;
    at += done;
    left -= (size_t)done;
  }
  return DCS_OK;
}

/* Where the part of plane i lies that the slab from..end-1 has. */
static off_t place_of(dcs_dims n, int64_t from, int64_t end, int64_t i) {
  return (off_t)((n.x * from + i * (end - from)) * n.y) * (off_t)sizeof(float);
}

static dcs_status put_slab(dcs_turned *t, int64_t from, int64_t end) {
  const dcs_field *f = t->field;
  const dcs_dims n = {f->n.x, f->n.y, end - from};
  for (int64_t i = 0; i < n.x; i += PLANES) {
    turn(f->slabs->values, n, i, t->planes);
    DCS_TRY(transfer(f, t->waiting, t->planes, least(n.x - i, PLANES) * n.y * n.z,
                     place_of(f->n, from, end, i), true));
  }
  return DCS_OK;
}

static dcs_status put_slabs(dcs_turned *t) {
  const dcs_field *f = t->field;
  DCS_TRY(open_waiting(f->slabs->beside, &t->waiting));
  DCS_TRY(reserve(t->waiting, f));
  for (int64_t from = 0, end; from < f->n.z; from = end) {
    DCS_TRY(next_slab(f, from, &end, "computing"));
    DCS_TRY(put_slab(t, from, end));
  }
  if (f->progress) dcs_progress_next(f->progress);
  return DCS_OK;
}

/* Puts plane i together. */
static dcs_status gather(dcs_turned *t, int64_t i) {
  const dcs_field *f = t->field;
  float *part = t->planes + f->n.y * f->n.z;
  for (int64_t from = 0, end; from < f->n.z; from = end) {
    end = least(from + f->slabs->slices, f->n.z);
    DCS_TRY(
        transfer(f, t->waiting, part, f->n.y * (end - from), place_of(f->n, from, end, i), false));
    for (int64_t j = 0; j < f->n.y; j++)
      memcpy(t->planes + j * f->n.z + from, part + j * (end - from),
             (size_t)(end - from) * sizeof *part);
  }
  return DCS_OK;
}

/* ---- both ---- */

dcs_status dcs_turned_begin(const dcs_field *field, dcs_turned *turned) {
  const dcs_dims n = field->n;
  *turned = (dcs_turned){.field = field, .waiting = -1};
  const int64_t one = n.y * n.z;
  if (!field->slabs) return make_planes(turned, PLANES * one);
  const int64_t part = n.y * field->slabs->slices; /* of a plane */
  DCS_TRY(make_planes(turned, PLANES * part > one + part ? PLANES * part : one + part));
  const dcs_status status = put_slabs(turned);
  if (status != DCS_OK) dcs_turned_end(turned);
  return status;
}

dcs_status dcs_turned_next(dcs_turned *turned, int64_t from, int64_t *end, const float **planes) {
  const dcs_field *f = turned->field;
  DCS_TRY(go_on(f, (double)from / (double)f->n.x, "writing"));
  *planes = turned->planes;
  *end = least(from + (f->slabs ? 1 : PLANES), f->n.x);
  if (f->slabs) return gather(turned, from);
  turn(f->values, f->n, from, turned->planes);
  return DCS_OK;
}

void dcs_turned_end(dcs_turned *turned) {
  free(turned->planes);
  if (turned->waiting >= 0) close(turned->waiting);
}
