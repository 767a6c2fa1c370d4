/* A frame of a DCD file is read where it lies, in blocks that stay in the CPU's cache: a part of x,
 * y and z each, which go from there to the atoms' places. */
#include "harness/input/dcd/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { BLOCK = 8192, MARKER = sizeof(uint64_t) };

static bool get(const dcs_shared_file *file, uint64_t at, void *to, size_t bytes) {
  return dcs_shared_file_read(file, at, to, bytes) == (ssize_t)bytes;
}

/* ---- records ---- */

/* Whether a record of so many bytes lies at *at, which then is behind it; *data: where they are. */
static bool find_record(const dcs_dcd *dcd, const dcs_shared_file *file, uint64_t bytes,
                        uint64_t *at, uint64_t *data) {
  const size_t marker = dcs_dcd_marker_bytes(dcd);
  char before[MARKER], behind[MARKER];
  *data = *at + marker;
  if (!get(file, *at, before, marker) || !get(file, *data + bytes, behind, marker)) return false;
  *at += bytes + 2 * marker;
  return dcs_dcd_marker_at(before, dcd) == bytes && dcs_dcd_marker_at(behind, dcd) == bytes;
}

static bool find_cell(const dcs_dcd *dcd, const dcs_shared_file *file, uint64_t *at,
                      dcs_unit_cell *cell) {
  char bytes[DCS_DCD_CELL_BYTES];
  double value[6];
  uint64_t data;
  *cell = dcd->cell;
  if (!dcd->has_cell) return true;
  if (!find_record(dcd, file, sizeof bytes, at, &data) || !get(file, data, bytes, sizeof bytes))
    return false;
  for (size_t i = 0; i < 6; i++)
    value[i] = dcs_dcd_double_at(bytes + 8 * i, dcd->swapped);
  *cell = dcs_dcd_cell(value);
  return true;
}

/* ---- places ---- */

static void swap(float *values, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    values[i] = dcs_dcd_float_at((const char *)&values[i], true);
}

static inline int is_bad(float value) {
  return !(fabsf(value) <= DCS_DCD_LARGEST);
}

/* False where one is not finite, or too large. */
static bool put(const float *restrict x, const float *restrict y, const float *restrict z,
                int64_t n, double *restrict places) {
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (int64_t i = 0; i < n; i++) {
    places[3 * i] = (double)x[i];
    places[3 * i + 1] = (double)y[i];
    places[3 * i + 2] = (double)z[i];
    bad |= is_bad(x[i]) | is_bad(y[i]) | is_bad(z[i]);
  }
  return !bad;
}

static bool read_places(const dcs_dcd *dcd, const dcs_shared_file *file, const uint64_t axes[3],
                        double *places) {
  float block[3][BLOCK];
  for (int64_t from = 0; from < dcd->n_atoms; from += BLOCK) {
    const int64_t left = dcd->n_atoms - from, n = left < BLOCK ? left : BLOCK;
    for (int axis = 0; axis < 3; axis++) {
      if (!get(file, axes[axis] + 4 * (uint64_t)from, block[axis], 4 * (size_t)n)) return false;
      if (dcd->swapped) swap(block[axis], n);
    }
    if (!put(block[0], block[1], block[2], n, places + 3 * from)) return false;
  }
  return true;
}

/* False where anything is not as it should be. */
static bool read_right(const dcs_dcd *dcd, const dcs_shared_file *file, double *places,
                       dcs_unit_cell *cell) {
  uint64_t at = dcd->at, data[4];
  bool right = find_cell(dcd, file, &at, cell);
  for (int axis = 0; right && axis < 3 + dcd->has_fourth; axis++)
    right = find_record(dcd, file, 4 * (uint64_t)dcd->n_atoms, &at, &data[axis]);
  return right && read_places(dcd, file, data, places);
}

/* ---- what is wrong ---- */

static dcs_status read_whole(const dcs_dcd *dcd, const dcs_shared_file *file, char *bytes,
                             double *places, dcs_unit_cell *cell) {
  const ssize_t got = dcs_shared_file_read(file, dcd->at, bytes, dcs_dcd_frame_bytes(dcd));
  dcs_dcd frame = *dcd;
  if (got < 0)
    return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a trajectory", dcd->path,
                    strerror(errno));
  frame.content = NULL;
  frame.taken = (dcs_slice){bytes, (size_t)got};
  return dcs_dcd_decode(&frame, places, cell);
}

/* One that is not right is read anew, by what says where. */
dcs_status dcs_dcd_read(const dcs_dcd *dcd, const dcs_shared_file *file, double *places,
                        dcs_unit_cell *cell) {
  if (read_right(dcd, file, places, cell)) return DCS_OK;
  char *bytes = malloc(dcs_dcd_frame_bytes(dcd));
  if (!bytes)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a frame of %zu bytes",
                    dcs_dcd_frame_bytes(dcd));
  const dcs_status status = read_whole(dcd, file, bytes, places, cell);
  free(bytes);
  return status;
}
