/* The device engine: parts of a map that several devices share. A device has memory for the whole
 * map, computes its parts where they belong, and copies them to the host through a stage of two
 * pieces. */
#include "harness/engine/engine_device.h"

#include <string.h>

enum { PIECES = 2, PIECE_BYTES = 1 << 22 };

/* The events behind parts: what is timed here is timed by the host. */
enum { EVENT_PART = DCS_EVENT_TIMES };

int64_t dcs_part_step(const dcs_plan *plan, const dcs_problem *problem) {
  return dcs_least(plan->slice_step ? plan->slice_step : plan->launch_slices, problem->n.z);
}

int64_t dcs_least_part(const dcs_device_engine *e, const dcs_device_method *m, int n) {
  const dcs_plan *plan = &m->plan;
  const int64_t nz = e->shape->n.z, step = dcs_part_step(plan, e->shape);
  int64_t fair = dcs_divide_up(dcs_divide_up(nz, step), n), steps = 1;
  if (plan->slice_step) {
    int64_t threads = plan->grid[0] * plan->grid[1] * plan->block[0] * plan->block[1];
    steps = (dcs_resident_threads(&e->info, m->registers) + threads / 2) / threads;
  }
  return step * (steps < 1 ? 1 : dcs_least(steps, fair));
}

static int64_t piece_slices(dcs_dims n) {
  int64_t slices = PIECE_BYTES / (n.x * n.y * (int64_t)sizeof(float));
  return slices < 1 ? 1 : dcs_least(slices, n.z);
}

dcs_outcome dcs_find_part_places(dcs_device_engine *e, const dcs_device_method *m, dcs_places *p) {
  const dcs_dims n = e->shape->n;
  dcs_outcome outcome = dcs_find_places(e, m, DCS_PAGEABLE, false, p);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  size_t piece = (size_t)(n.x * n.y * piece_slices(n)) * sizeof(float);
  dcs_status status = dcs_block_grow(e->engine.device, DCS_BLOCK_HOST, PIECES * piece, &e->stage);
  p->stage = e->stage.host;
  p->to = NULL; /* the map of all: nobody may fill it */
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_MEMORY;
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

dcs_status dcs_begin_parts(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                           bool copies) {
  dcs_device *device = e->engine.device;
  device->select_stream(device, 0);
  if (copies) DCS_TRY(device->copy_in(device, p->inputs, p->from, p->inputs_bytes));
  DCS_TRY(dcs_load_constant(e, m, p));
  DCS_TRY(dcs_enqueue_steps(e, m, p));
  return device->record_event(device, DCS_EVENT_BEGUN);
}

/* Two streams alternate where parts need not follow each other, so that the blocks of one fill the
 * card while the last blocks of the one before still run. */
static bool alternates(const dcs_plan *plan, const dcs_problem *problem) {
  return plan->slice_step && (!plan->constant_inputs || dcs_constant_once(plan, problem)) &&
         plan->scratch_floats == 0 && plan->counters == 0;
}

dcs_status dcs_enqueue_part(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            dcs_range part, int64_t nth) {
  dcs_device *device = e->engine.device;
  const dcs_dims stored = m->plan.stored;
  const bool second = nth % 2 == 1 && alternates(&m->plan, e->shape);
  int64_t end = part.end == e->shape->n.z ? stored.z : part.end; /* padding belongs to the last */
  int64_t slice = stored.x * stored.y;
  device->select_stream(device, second ? 1 : 0);
  if (second) DCS_TRY(device->wait_event(device, DCS_EVENT_BEGUN));
  DCS_TRY(device->fill(device, p->stored + (dcs_ptr)(part.from * slice) * sizeof(float), 0,
                       (size_t)((end - part.from) * slice)));
  DCS_TRY(dcs_compute_slices(e, m, p, part.from, part.end));
  return device->record_event(device, EVENT_PART + (int)(nth % 2));
}

dcs_status dcs_synchronize_part(dcs_device_engine *e, int64_t nth) {
  return e->engine.device->synchronize_event(e->engine.device, EVENT_PART + (int)(nth % 2));
}

/* Enqueues the copy of a piece to its half of the stage. */
static dcs_status stage_piece(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              dcs_range piece, int64_t i) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->shape->n, stored = m->plan.stored;
  dcs_ptr from = p->stored + (dcs_ptr)(piece.from * stored.x * stored.y) * sizeof(float);
  float *to = p->stage + i % PIECES * (n.x * n.y * piece_slices(n));
  DCS_TRY(device->copy_out(device, to, (dcs_dims){n.x, n.y, piece.end - piece.from}, from, stored));
  return device->record_event(device, DCS_EVENT_STAGED + (int)(i % PIECES));
}

dcs_status dcs_unload_part(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                           dcs_range part) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->shape->n;
  const int64_t slice = n.x * n.y, most = piece_slices(n);
  dcs_range ahead = {part.from, part.from};
  int64_t staged = 0, i = 0;
  device->select_stream(device, DCS_STREAM_OUT);
  for (int64_t k = part.from; k < part.end; k += most, i++) {
    for (; staged < i + PIECES && ahead.end < part.end; staged++) {
      ahead = (dcs_range){ahead.end, dcs_least(ahead.end + most, part.end)};
      DCS_TRY(stage_piece(e, m, p, ahead, staged));
    }
    DCS_TRY(device->synchronize_event(device, DCS_EVENT_STAGED + (int)(i % PIECES)));
    memcpy(e->out + k * slice, p->stage + i % PIECES * (slice * most),
           (size_t)(slice * (dcs_least(k + most, part.end) - k)) * sizeof(float));
  }
  return DCS_OK;
}
