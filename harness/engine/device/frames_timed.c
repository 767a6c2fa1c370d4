/* The device engine: the problem of a method as frames that are timed, or verified. */
#include "harness/base/clock.h"
#include "harness/engine/device/engine.h"
#include "harness/engine/device_frames.h"

/* n frames, the first of them the nth of its block; as many as there can be in hand. */
static dcs_outcome compute_all(dcs_device_frames *f, const dcs_device_frame *frame, int64_t nth,
                               int64_t n) {
  dcs_device_span computed, copied;
  dcs_outcome outcome = DCS_OUTCOME_OK;
  for (int64_t i = 0; i < n + DCS_FRAMES_IN_HAND && outcome == DCS_OUTCOME_OK; i++) {
    if (i >= DCS_FRAMES_IN_HAND && i - DCS_FRAMES_IN_HAND < n)
      outcome = dcs_device_frames_wait(f, &computed, &copied);
    if (i < n && outcome == DCS_OUTCOME_OK) outcome = dcs_device_frames_add(f, frame, nth + i);
  }
  return outcome;
}

/* What nobody writes is seen: inputs, too, which each frame brings. */
static dcs_outcome spoil(dcs_device_engine *e, int slot) {
  dcs_device *device = e->engine.device;
  dcs_places places;
  const dcs_outcome outcome = dcs_find_places(e, &e->slots[slot], DCS_PAGEABLE, false, &places);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const dcs_buffer_place *inputs = &places.at[0];
  if (dcs_poison(e, &places) != DCS_OK ||
      device->fill(device, inputs->ptr, 0xffffffffu, dcs_words(inputs->bytes)) != DCS_OK)
    return DCS_OUTCOME_LAUNCH;
  return DCS_OUTCOME_OK;
}

/* No frame of them has brought inputs that all methods share. */
static void bring_back(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  (void)device->copy_in(device, e->buffers[0][DCS_BLOCK_DEVICE].ptr, e->shape->input[0],
                        dcs_buffer_bytes(e->kind, 0, e->shape));
}

/* Behind two that are not timed: with these a driver loads the kernels, charges are copied, and the
 * sums of a block are begun. */
static dcs_outcome time_frames(dcs_device_frames *f, const dcs_device_frame *frame, int64_t inner,
                               double *ns) {
  const dcs_outcome outcome = compute_all(f, frame, 1, DCS_FRAMES_IN_HAND);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const double start = dcs_now_ns();
  const dcs_outcome timed = compute_all(f, frame, 1 + DCS_FRAMES_IN_HAND, inner);
  *ns = dcs_now_ns() - start;
  return timed;
}

/* The last has the buffers of the first again. Of equal maps the mean is each of them, to the bit:
 * their sum is exact in double precision. */
static dcs_outcome verify_frames(dcs_device_frames *f, const dcs_device_frame *frame, float *mean) {
  enum { FRAMES = DCS_FRAMES_IN_HAND + 1 };
  const int64_t points = dcs_points(frame->problem.n);
  dcs_device_sums sums;
  dcs_device_span copied;
  dcs_outcome outcome = compute_all(f, frame, 1, FRAMES);
  if (outcome == DCS_OUTCOME_OK) outcome = dcs_device_frames_end_block(f);
  if (outcome == DCS_OUTCOME_OK) outcome = dcs_device_frames_sums(f, &sums, &copied);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  for (int64_t i = 0; i < points; i++)
    mean[i] = (float)(sums.sum[i] / FRAMES);
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_run_frames(dcs_device_engine *e, int slot, dcs_memory memory, int64_t inner,
                           float *mean, double *ns) {
  dcs_device_method *m = &e->slots[slot];
  const dcs_device_frame frame = {.problem = m->problem, .plan = m->plan};
  dcs_device_frames *frames;
  *ns = 0;
  dcs_outcome outcome = dcs_device_frames_of(e, slot, memory, &frames);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  if (mean) outcome = spoil(e, slot);
  if (outcome == DCS_OUTCOME_OK)
    outcome = mean ? verify_frames(frames, &frame, mean) : time_frames(frames, &frame, inner, ns);
  dcs_device_frames_close(frames);
  if (mean && outcome != DCS_OUTCOME_OK) bring_back(e);
  m->replanned = false; /* by a plan of its own: other scopes may capture it */
  return outcome;
}
