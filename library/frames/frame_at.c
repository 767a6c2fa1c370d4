/* Apart from frame_case.c: the library, which takes frames from memory, has no reader of files. */
#include "library/frames/frame_case.h"

#include <stdlib.h>

static dcs_status read_at(dcs_frames *frames, int64_t index, dcs_frame *frame) {
  bool found;
  DCS_TRY(dcs_frames_seek(frames, index));
  DCS_TRY(dcs_frames_next(frames, frame, &found));
  if (!found) return dcs_fail(DCS_INPUT, "no frames; expected at least %lld", (long long)index + 1);
  return dcs_frames_seek(frames, 0);
}

dcs_status dcs_frame_case_at(dcs_frames *frames, int64_t index, const dcs_map_request *request,
                             const dcs_molecule *top, dcs_case *c) {
  dcs_frame frame = {.places = malloc((size_t)top->n * 3 * sizeof(double))};
  if (!frame.places)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)top->n);
  dcs_status status = read_at(frames, index, &frame);
  if (status == DCS_OK) status = dcs_frame_case(request, top, &frame, c);
  free(frame.places);
  return status;
}
