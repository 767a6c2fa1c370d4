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
#include "harness/input/dcd/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEADER = 84, INTEGERS = 20, CELL = DCS_DCD_CELL_BYTES, MOST_OF_RECORD = INT32_MAX };
enum { FRAMES = 0, FIXED = 8, CELLS = 10, FOURTH = 11, CHARGES = 12, VERSION = 19 };

/* ---- records ---- */

static dcs_status peek(const dcs_dcd *dcd, size_t bytes, dcs_slice *next) {
  if (dcd->content) return dcs_content_peek(dcd->content, bytes, next);
  const size_t there = dcd->taken.length;
  *next = (dcs_slice){dcd->taken.text, there < bytes ? there : bytes};
  return DCS_OK;
}

/* Of bytes that were peeked at. */
static dcs_status take(dcs_dcd *dcd, size_t bytes, const char **data) {
  if (dcd->content) return dcs_content_take(dcd->content, bytes, data);
  *data = dcd->taken.text;
  dcd->taken = (dcs_slice){*data + bytes, dcd->taken.length - bytes};
  return DCS_OK;
}

static dcs_status wrong(const dcs_dcd *dcd, uint64_t found, const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: byte %" PRIu64 ": found %" PRIu64 "; expected %s", dcd->path,
                  dcd->at, found, expected);
}

static dcs_status cut(dcs_dcd *dcd, const char *what) {
  dcd->cut = true;
  if (dcd->frame == 0 && !dcd->places[0])
    return dcs_fail(DCS_INPUT, "%s: byte %" PRIu64 ": found the end of the file; expected %s",
                    dcd->path, dcd->at, what);
  return dcs_fail(DCS_INPUT,
                  "%s: byte %" PRIu64 ": found the end of the file inside frame %" PRId64
                  "; expected %s",
                  dcd->path, dcd->at, dcd->frame + 1, what);
}

/* Whether the next record's marker says `bytes`; expected[128] gets what is right. */
static dcs_status check_marker(dcs_dcd *dcd, uint64_t bytes, const char *what, char *expected) {
  const size_t marker = dcs_dcd_marker_bytes(dcd);
  dcs_slice next;
  snprintf(expected, 128, "%" PRIu64 ", the bytes of %s", bytes, what);
  DCS_TRY(peek(dcd, marker, &next));
  if (next.length < marker) return cut(dcd, expected);
  return dcs_dcd_marker_at(next.text, dcd) == bytes
             ? DCS_OK
             : wrong(dcd, dcs_dcd_marker_at(next.text, dcd), expected);
}

/* The next record, which has `bytes` bytes; *data lasts until the next call. */
static dcs_status take_record(dcs_dcd *dcd, uint64_t bytes, const char *what, const char **data) {
  const size_t marker = dcs_dcd_marker_bytes(dcd), whole = (size_t)bytes + 2 * marker;
  char expected[128];
  dcs_slice next;
  DCS_TRY(check_marker(dcd, bytes, what, expected));
  DCS_TRY(peek(dcd, whole, &next));
  if (next.length < whole) return cut(dcd, expected);
  DCS_TRY(take(dcd, whole, data));
  *data += marker;
  dcd->at += marker + bytes;
  if (dcs_dcd_marker_at(*data + bytes, dcd) != bytes)
    return wrong(dcd, dcs_dcd_marker_at(*data + bytes, dcd), expected);
  dcd->at += marker;
  return DCS_OK;
}

/* ---- the header ---- */

/* Markers and byte order by the first record, of 84 bytes. */
static bool find_flavour(dcs_slice head, dcs_dcd *dcd) {
  for (int way = 0; way < 4; way++) {
    dcd->wide = way / 2;
    dcd->swapped = way % 2;
    const size_t marker = dcs_dcd_marker_bytes(dcd);
    if (head.length < marker + 4 || dcs_dcd_marker_at(head.text, dcd) != HEADER) continue;
    const dcs_slice behind = {head.text + marker, head.length - marker};
    if (dcs_starts_with(behind, "CORD") || dcs_starts_with(behind, "VELD")) return true;
  }
  return false;
}

bool dcs_is_dcd(dcs_slice head) {
  dcs_dcd dcd = {0};
  return find_flavour(head, &dcd);
}

static dcs_status read_first(dcs_dcd *dcd) {
  const char *data;
  int32_t value[INTEGERS];
  DCS_TRY(take_record(dcd, HEADER, "the header", &data));
  for (int i = 0; i < INTEGERS; i++)
    value[i] = (int32_t)dcs_dcd_integer_at(data + 4 + (size_t)i * 4, dcd->swapped);
  if (memcmp(data, "CORD", 4) != 0)
    return dcs_fail(DCS_INPUT,
                    "%s: found velocities (VELD); expected a DCD file with coordinates "
                    "(CORD)",
                    dcd->path);
  const bool charmm = value[VERSION] != 0;
  if (charmm && value[CHARGES])
    return dcs_fail(DCS_INPUT,
                    "%s: found fluctuating charges in its frames; expected coordinates "
                    "alone, and charges in a topology",
                    dcd->path);
  dcd->has_cell = charmm && value[CELLS];
  dcd->has_fourth = charmm && value[FOURTH];
  dcd->n_fixed = value[FIXED];
  dcd->n_stated = value[FRAMES] > 0 ? value[FRAMES] : 0;
  return DCS_OK;
}

/* Takes a marker of the titles' record. */
static dcs_status take_marker(dcs_dcd *dcd, const char *what, uint64_t *bytes) {
  const size_t marker = dcs_dcd_marker_bytes(dcd);
  const char *data;
  dcs_slice next;
  DCS_TRY(dcs_content_peek(dcd->content, marker, &next));
  if (next.length < marker) return cut(dcd, what);
  DCS_TRY(dcs_content_take(dcd->content, marker, &data));
  *bytes = dcs_dcd_marker_at(data, dcd);
  return DCS_OK;
}

/* Passes over the titles, however many. */
static dcs_status pass_titles(dcs_dcd *dcd) {
  static const char again[] = "the bytes of the titles again";
  uint64_t bytes, end;
  DCS_TRY(take_marker(dcd, "the bytes of the titles", &bytes));
  if (bytes > MOST_OF_RECORD) return wrong(dcd, bytes, "the bytes of the titles");
  DCS_TRY(dcs_content_skip(dcd->content, bytes));
  dcd->at += dcs_dcd_marker_bytes(dcd) + bytes;
  DCS_TRY(take_marker(dcd, again, &end));
  if (end != bytes) return wrong(dcd, end, again);
  dcd->at += dcs_dcd_marker_bytes(dcd);
  return DCS_OK;
}

static dcs_status read_moving(dcs_dcd *dcd) {
  const int64_t n = dcd->n_atoms - dcd->n_fixed;
  const char *data;
  DCS_TRY(take_record(dcd, 4 * (uint64_t)n, "the numbers of the atoms that move", &data));
  dcd->moving = malloc((size_t)n * sizeof *dcd->moving);
  if (!dcd->moving) return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", n);
  for (int64_t i = 0; i < n; i++) {
    const uint32_t atom = dcs_dcd_integer_at(data + 4 * i, dcd->swapped);
    if (atom < 1 || atom > dcd->n_atoms)
      return dcs_fail(DCS_INPUT,
                      "%s: found %" PRIu32 " among the atoms that move; expected 1 to "
                      "%" PRId64,
                      dcd->path, atom, dcd->n_atoms);
    dcd->moving[i] = (int32_t)atom - 1;
  }
  return DCS_OK;
}

dcs_status dcs_dcd_open(dcs_content *content, dcs_dcd *dcd) {
  const char *data;
  dcs_slice head;
  *dcd = (dcs_dcd){.content = content, .path = dcs_content_place(content).path};
  dcs_content_unhashed(content);
  DCS_TRY(dcs_content_peek(content, 12, &head));
  if (!find_flavour(head, dcd))
    return dcs_fail(DCS_INPUT,
                    "%s: byte 0: found another start; expected a record of 84 bytes "
                    "with \"CORD\", of a DCD file",
                    dcd->path);
  DCS_TRY(read_first(dcd));
  DCS_TRY(pass_titles(dcd));
  DCS_TRY(take_record(dcd, 4, "the number of atoms", &data));
  dcd->n_atoms = (int32_t)dcs_dcd_integer_at(data, dcd->swapped);
  if (dcd->n_atoms < 1)
    return dcs_fail(DCS_INPUT, "%s: found %" PRId64 " atoms; expected 1 or more", dcd->path,
                    dcd->n_atoms);
  if (dcd->n_fixed < 0 || dcd->n_fixed >= dcd->n_atoms)
    return dcs_fail(DCS_INPUT,
                    "%s: found %" PRId64 " fixed atoms of %" PRId64 "; expected fewer, "
                    "and not below 0",
                    dcd->path, dcd->n_fixed, dcd->n_atoms);
  return dcd->n_fixed ? read_moving(dcd) : DCS_OK;
}

void dcs_dcd_close(dcs_dcd *dcd) {
  free(dcd->moving);
  for (int axis = 0; axis < 3; axis++)
    free(dcd->places[axis]);
  *dcd = (dcs_dcd){0};
}

/* ---- frames ---- */

/* The atoms that the next frame holds. */
static int64_t held(const dcs_dcd *dcd, int64_t frame) {
  return frame == 0 ? dcd->n_atoms : dcd->n_atoms - dcd->n_fixed;
}

static uint64_t bytes_of(const dcs_dcd *dcd, int64_t frame) {
  const uint64_t markers = 2 * dcs_dcd_marker_bytes(dcd), axes = dcd->has_fourth ? 4 : 3;
  return (dcd->has_cell ? CELL + markers : 0) + axes * (4 * (uint64_t)held(dcd, frame) + markers);
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
  DCS_TRY(take_record(dcd, CELL, "the cell", &data));
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
  DCS_TRY(take_record(dcd, 4 * (uint64_t)n, what, data));
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
  DCS_TRY(peek(dcd, 1, &next));
  *found = next.length > 0;
  if (!*found) return DCS_OK;
  return dcd->has_cell ? check_marker(dcd, CELL, "the cell", expected)
                       : check_marker(dcd, 4 * (uint64_t)held(dcd, dcd->frame),
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
    DCS_TRY(
        take_record(dcd, 4 * (uint64_t)held(dcd, dcd->frame), "the fourth dimension", &ignored));
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
  if (got < size) return cut(dcd, "all of it");
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
    DCS_TRY(take_record(&dcd, 4 * (uint64_t)dcd.n_atoms, "the fourth dimension", &ignored));
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
    if (next.length == 0) return cut(dcd, "all of it");
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
