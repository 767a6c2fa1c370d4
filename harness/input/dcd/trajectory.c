/* DCD trajectories of CHARMM, NAMD, X-PLOR, LAMMPS, OpenMM and others: places, no charges.
 *
 * A file is Fortran's unformatted records: a marker with the number of bytes, as many bytes, the
 * marker again. Numbers are of either byte order and markers of 32 or 64 bits, which the first
 * record shows. The records are
 *
 *     "CORD" and 20 integers (84 bytes): [0] frames, [8] fixed atoms, [10] whether there are cells,
 *         [11] whether there is a fourth dimension, [12] fluctuating charges, [19] CHARMM's
 *         version; 0 there is X-PLOR's flavour, in which 10 to 12 mean nothing
 *     a count of titles, and titles: passed over
 *     the number of atoms (4 bytes)
 *     where atoms are fixed, the numbers of the others, from 1
 *
 * and of each frame
 *
 *     where there are cells, six numbers in double precision (48 bytes)
 *     x of all atoms in single precision, then y, then z; behind the first frame, of those atoms
 *         alone that are not fixed
 *     where there is one, the fourth dimension: passed over
 *
 * Refused: velocities ("VELD"), fluctuating charges, coordinates in double precision, coordinates
 * that are not finite or beyond 1e7 angstrom.
 */
#include "harness/input/dcd/records.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The atoms that the next frame holds. */
static int64_t held(const dcs_dcd *dcd, int64_t frame) {
  return frame == 0 ? dcd->n_atoms : dcd->n_atoms - dcd->n_fixed;
}

static uint64_t bytes_of(const dcs_dcd *dcd, int64_t frame) {
  const uint64_t markers = 2 * dcs_dcd_marker_bytes(dcd), axes = dcd->has_fourth ? 4 : 3;
  return (dcd->has_cell ? DCS_DCD_CELL_BYTES + markers : 0) +
         axes * (4 * (uint64_t)held(dcd, frame) + markers);
}

size_t dcs_dcd_frame_bytes(const dcs_dcd *dcd) {
  return (size_t)bytes_of(dcd, dcd->frame);
}

int64_t dcs_dcd_frames(const dcs_dcd *dcd, uint64_t bytes, uint64_t *left) {
  const uint64_t each = bytes_of(dcd, 1);
  int64_t frames = dcd->frame;
  *left = bytes > dcd->at ? bytes - dcd->at : 0;
  if (frames == 0 && *left >= bytes_of(dcd, 0)) {
    *left -= bytes_of(dcd, 0);
    frames = 1;
  }
  if (frames == 0 || each == 0) return frames;
  frames += (int64_t)(*left / each);
  *left %= each;
  return frames;
}

static dcs_status read_cell(dcs_dcd *dcd) {
  const char *data;
  double value[6];
  DCS_TRY(dcs_dcd_take_record(dcd, DCS_DCD_CELL_BYTES, "the cell", &data));
  for (int i = 0; i < 6; i++)
    value[i] = dcs_dcd_double_at(data + (size_t)i * 8, dcd->swapped);
  dcd->cell = dcs_dcd_cell(value);
  return DCS_OK;
}

/* The first of a record that is not finite, or too large; n: none. */
static int64_t find_bad(const char *data, bool swapped, int64_t n) {
  int bad = 0;
  if (swapped) {
    for (int64_t i = 0; i < n; i++)
      bad |= !(fabsf(dcs_dcd_float_at(data + 4 * i, true)) <= DCS_DCD_LARGEST);
  } else {
#pragma omp simd reduction(| : bad)
    for (int64_t i = 0; i < n; i++)
      bad |= !(fabsf(dcs_dcd_float_at(data + 4 * i, false)) <= DCS_DCD_LARGEST);
  }
  for (int64_t i = 0; bad && i < n; i++)
    if (!(fabsf(dcs_dcd_float_at(data + 4 * i, swapped)) <= DCS_DCD_LARGEST)) return i;
  return n;
}

static char *name_axis(const dcs_dcd *dcd, int axis, char what[64]) {
  snprintf(what, 64, "%c of frame %" PRId64, "xyz"[axis], dcd -> frame + 1);
  return what;
}

/* The record of an axis. */
static dcs_status take_axis(dcs_dcd *dcd, int axis, const char **data) {
  const int64_t n = held(dcd, dcd->frame);
  char what[64];
  name_axis(dcd, axis, what);
  DCS_TRY(dcs_dcd_take_record(dcd, 4 * (uint64_t)n, what, data));
  const int64_t bad = find_bad(*data, dcd->swapped, n);
  if (bad == n) return DCS_OK;
  return dcs_fail(
      DCS_INPUT,
      "%s: found %g, %s, atom %" PRId64 ", before byte %" PRIu64 "; expected at most %g "
      "in size",
      dcd->path, (double)dcs_dcd_float_at(*data + 4 * bad, dcd->swapped), what,
      (n < dcd->n_atoms ? dcd->moving[bad] : bad) + 1, dcd->at, (double)DCS_DCD_LARGEST);
}

static dcs_status read_axis(dcs_dcd *dcd, int axis) {
  const int64_t n = held(dcd, dcd->frame);
  const char *data;
  DCS_TRY(take_axis(dcd, axis, &data));
  if (!dcd->places[axis]) dcd->places[axis] = calloc((size_t)dcd->n_atoms, sizeof(float));
  if (!dcd->places[axis])
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", dcd->n_atoms);
  for (int64_t i = 0; i < n; i++) {
    const int64_t to = n < dcd->n_atoms ? dcd->moving[i] : i;
    dcd->places[axis][to] = dcs_dcd_float_at(data + 4 * i, dcd->swapped);
  }
  return DCS_OK;
}

/* Whether there is a frame more, which begins as one does. */
static dcs_status is_there(dcs_dcd *dcd, bool *found) {
  char expected[128], what[64];
  dcs_slice next;
  DCS_TRY(dcs_dcd_peek(dcd, 1, &next));
  *found = next.length > 0;
  if (!*found) return DCS_OK;
  return dcd->has_cell ? dcs_dcd_check_marker(dcd, DCS_DCD_CELL_BYTES, "the cell", expected)
                       : dcs_dcd_check_marker(dcd, 4 * (uint64_t)held(dcd, dcd->frame),
                                              name_axis(dcd, 0, what), expected);
}

dcs_status dcs_dcd_next(dcs_dcd *dcd, bool *found) {
  const char *ignored;
  DCS_TRY(is_there(dcd, found));
  if (!*found) return DCS_OK;
  if (dcd->has_cell) DCS_TRY(read_cell(dcd));
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(read_axis(dcd, axis));
  if (dcd->has_fourth)
    DCS_TRY(dcs_dcd_take_record(dcd, 4 * (uint64_t)held(dcd, dcd->frame), "the fourth dimension",
                                &ignored));
  dcd->frame++;
  return DCS_OK;
}

/* ---- in two steps ---- */

static dcs_status grow(char **bytes, size_t *room, size_t size) {
  if (*room >= size) return DCS_OK;
  char *larger = realloc(*bytes, size);
  if (!larger) return dcs_fail(DCS_UNAVAILABLE, "no memory for a frame of %zu bytes", size);
  *bytes = larger;
  *room = size;
  return DCS_OK;
}

dcs_status dcs_dcd_take(dcs_dcd *dcd, char **bytes, size_t *room, dcs_dcd *frame, bool *found) {
  const size_t size = dcs_dcd_frame_bytes(dcd);
  size_t got;
  DCS_TRY(grow(bytes, room, size));
  DCS_TRY(dcs_content_copy(dcd->content, size, *bytes, &got));
  *frame = *dcd;
  frame->content = NULL;
  frame->taken = (dcs_slice){*bytes, got};
  const dcs_status status = is_there(frame, found);
  dcd->cut = frame->cut;
  DCS_TRY(status);
  if (!*found) return DCS_OK;
  if (got < size) return dcs_dcd_cut(dcd, "all of it");
  dcd->at += size;
  dcd->frame++;
  return DCS_OK;
}

static inline void gather(const char *const axes[3], bool swapped, int64_t n, double *places) {
  for (int64_t i = 0; i < n; i++)
    for (int axis = 0; axis < 3; axis++)
      places[3 * i + axis] = (double)dcs_dcd_float_at(axes[axis] + 4 * i, swapped);
}

dcs_status dcs_dcd_decode(const dcs_dcd *frame, double *places, dcs_unit_cell *cell) {
  dcs_dcd dcd = *frame;
  const char *axes[3], *ignored;
  if (dcd.has_cell) DCS_TRY(read_cell(&dcd));
  *cell = dcd.cell;
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(take_axis(&dcd, axis, &axes[axis]));
  if (dcd.has_fourth)
    DCS_TRY(dcs_dcd_take_record(&dcd, 4 * (uint64_t)dcd.n_atoms, "the fourth dimension", &ignored));
  if (dcd.swapped)
    gather(axes, true, dcd.n_atoms, places);
  else
    gather(axes, false, dcd.n_atoms, places);
  return DCS_OK;
}

/* ---- passing over frames ---- */

/* Passes over frames one after the other, as those of a pipe. */
static dcs_status pass_each(dcs_dcd *dcd, int64_t frames, bool *found) {
  const char *last;
  for (; frames > 0; frames--) {
    const uint64_t bytes = dcs_dcd_frame_bytes(dcd);
    dcs_slice next;
    DCS_TRY(is_there(dcd, found));
    if (!*found) return DCS_OK;
    DCS_TRY(dcs_content_skip(dcd->content, bytes - 1));
    DCS_TRY(dcs_content_peek(dcd->content, 1, &next));
    if (next.length == 0) return dcs_dcd_cut(dcd, "all of it");
    DCS_TRY(dcs_content_take(dcd->content, 1, &last));
    dcd->at += bytes;
    dcd->frame++;
  }
  return DCS_OK;
}

int64_t dcs_dcd_leap(dcs_dcd *dcd, uint64_t bytes, int64_t frames) {
  uint64_t left;
  const int64_t there = dcs_dcd_frames(dcd, bytes, &left) - dcd->frame;
  const int64_t passed = there < frames ? there : frames;
  /* All frames that are left have one size: where atoms are fixed the first was read. */
  dcd->at += (uint64_t)passed * dcs_dcd_frame_bytes(dcd);
  dcd->frame += passed;
  return passed;
}

dcs_status dcs_dcd_pass(dcs_dcd *dcd, int64_t frames, bool *found) {
  uint64_t bytes;
  *found = true;
  if (frames > 0 && dcd->n_fixed && dcd->frame == 0) {
    DCS_TRY(dcs_dcd_next(dcd, found));
    frames--;
  }
  if (!*found || frames <= 0) return DCS_OK;
  if (!dcs_content_size(dcd->content, &bytes)) return pass_each(dcd, frames, found);
  DCS_TRY(is_there(dcd, found));
  const uint64_t before = dcd->at;
  const int64_t passed = dcs_dcd_leap(dcd, bytes, frames);
  DCS_TRY(dcs_content_skip(dcd->content, dcd->at - before));
  return passed < frames ? dcs_dcd_next(dcd, found) : DCS_OK;
}

/* ---- what is said of a file ---- */

void dcs_dcd_tell_cut(const dcs_dcd *dcd, int64_t frame, FILE *notes) {
  fprintf(notes, "%s: frame %" PRId64 " is cut: the file ends in it\n", dcd->path, frame);
}

void dcs_dcd_tell(const dcs_dcd *dcd, FILE *notes) {
  uint64_t bytes, left;
  if (!dcs_content_size(dcd->content, &bytes)) return;
  const int64_t frames = dcs_dcd_frames(dcd, bytes, &left);
  if (left > 0) dcs_dcd_tell_cut(dcd, frames + 1, notes);
  if (dcd->n_stated > 0 && dcd->n_stated != frames)
    fprintf(notes, "%s: its header says %" PRId64 " frames, it has %" PRId64 "\n", dcd->path,
            dcd->n_stated, frames);
}
