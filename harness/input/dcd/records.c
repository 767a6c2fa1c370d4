#include "harness/input/dcd/records.h"

#include <inttypes.h>
#include <stdio.h>

dcs_status dcs_dcd_peek(const dcs_dcd *dcd, size_t bytes, dcs_slice *next) {
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

dcs_status dcs_dcd_wrong(const dcs_dcd *dcd, uint64_t found, const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: byte %" PRIu64 ": found %" PRIu64 "; expected %s", dcd->path,
                  dcd->at, found, expected);
}

dcs_status dcs_dcd_cut(dcs_dcd *dcd, const char *what) {
  dcd->cut = true;
  if (dcd->frame == 0 && !dcd->places[0])
    return dcs_fail(DCS_INPUT, "%s: byte %" PRIu64 ": found the end of the file; expected %s",
                    dcd->path, dcd->at, what);
  return dcs_fail(DCS_INPUT,
                  "%s: byte %" PRIu64 ": found the end of the file inside frame %" PRId64
                  "; expected %s",
                  dcd->path, dcd->at, dcd->frame + 1, what);
}

dcs_status dcs_dcd_check_marker(dcs_dcd *dcd, uint64_t bytes, const char *what, char *expected) {
  const size_t marker = dcs_dcd_marker_bytes(dcd);
  dcs_slice next;
  snprintf(expected, 128, "%" PRIu64 ", the bytes of %s", bytes, what);
  DCS_TRY(dcs_dcd_peek(dcd, marker, &next));
  if (next.length < marker) return dcs_dcd_cut(dcd, expected);
  return dcs_dcd_marker_at(next.text, dcd) == bytes
             ? DCS_OK
             : dcs_dcd_wrong(dcd, dcs_dcd_marker_at(next.text, dcd), expected);
}

dcs_status dcs_dcd_take_record(dcs_dcd *dcd, uint64_t bytes, const char *what, const char **data) {
  const size_t marker = dcs_dcd_marker_bytes(dcd), whole = (size_t)bytes + 2 * marker;
  char expected[128];
  dcs_slice next;
  DCS_TRY(dcs_dcd_check_marker(dcd, bytes, what, expected));
  DCS_TRY(dcs_dcd_peek(dcd, whole, &next));
  if (next.length < whole) return dcs_dcd_cut(dcd, expected);
  DCS_TRY(take(dcd, whole, data));
  *data += marker;
  dcd->at += marker + bytes;
  if (dcs_dcd_marker_at(*data + bytes, dcd) != bytes)
    return dcs_dcd_wrong(dcd, dcs_dcd_marker_at(*data + bytes, dcd), expected);
  dcd->at += marker;
  return DCS_OK;
}
