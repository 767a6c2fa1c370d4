/* The header of a DCD file. */
#include "harness/input/dcd/records.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEADER = 84, INTEGERS = 20 };
enum { FRAMES = 0, FIXED = 8, CELLS = 10, FOURTH = 11, CHARGES = 12, VERSION = 19 };

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
  DCS_TRY(dcs_dcd_take_record(dcd, HEADER, "the header", &data));
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
  if (next.length < marker) return dcs_dcd_cut(dcd, what);
  DCS_TRY(dcs_content_take(dcd->content, marker, &data));
  *bytes = dcs_dcd_marker_at(data, dcd);
  return DCS_OK;
}

/* Passes over the titles, however many. */
static dcs_status pass_titles(dcs_dcd *dcd) {
  static const char again[] = "the bytes of the titles again";
  uint64_t bytes = 0, end = 0;
  DCS_TRY(take_marker(dcd, "the bytes of the titles", &bytes));
  if (bytes > INT32_MAX) return dcs_dcd_wrong(dcd, bytes, "the bytes of the titles");
  DCS_TRY(dcs_content_skip(dcd->content, bytes));
  dcd->at += dcs_dcd_marker_bytes(dcd) + bytes;
  DCS_TRY(take_marker(dcd, again, &end));
  if (end != bytes) return dcs_dcd_wrong(dcd, end, again);
  dcd->at += dcs_dcd_marker_bytes(dcd);
  return DCS_OK;
}

static dcs_status read_moving(dcs_dcd *dcd) {
  const int64_t n = dcd->n_atoms - dcd->n_fixed;
  const char *data;
  DCS_TRY(dcs_dcd_take_record(dcd, 4 * (uint64_t)n, "the numbers of the atoms that move", &data));
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
  DCS_TRY(dcs_dcd_take_record(dcd, 4, "the number of atoms", &data));
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
