/* The device engine: parts of a map that several devices share. A device has memory for the whole
 * map, computes its parts where they belong, and copies them to the host through a stage of two
 * pieces. */
#include "harness/engine/device/engine.h"

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

static int64_t piece_slices(const dcs_device_engine *e) {
  int64_t slices = PIECE_BYTES / (int64_t)dcs_slice_bytes(e);
  return slices < 1 ? 1 : dcs_least(slices, e->shape->n.z);
}

dcs_outcome dcs_find_part_places(dcs_device_engine *e, const dcs_device_method *m, dcs_places *p) {
  dcs_outcome outcome = dcs_find_places(e, m, DCS_PAGEABLE, false, p);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  size_t piece = (size_t)piece_slices(e) * dcs_slice_bytes(e);
  dcs_status status = dcs_block_grow(e->engine.device, DCS_BLOCK_HOST, PIECES * piece, &e->stage);
  p->stage = e->stage.host;
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (e->kind->buffers[b].output) p->at[b].host = NULL; /* that of all: nobody may fill it */
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_MEMORY;
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

dcs_status dcs_begin_parts(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                           bool copies) {
  dcs_device *device = e->engine.device;
  device->select_stream(device, 0);
  if (copies) DCS_TRY(dcs_copy_inputs(e, p));
  DCS_TRY(dcs_begin_map(e, m, p, true));
  return device->record_event(device, DCS_EVENT_BEGUN);
}

/* Two streams alternate where parts need not follow each other, so that the blocks of one fill the
 * card while the last blocks of the one before still run. */
static bool alternates(const dcs_plan *plan, const dcs_problem *problem) {
  return plan->slice_step && (!plan->constant_inputs || dcs_constant_once(plan, problem)) &&
         plan->scratch[0].bytes == 0;
}

/* Zeros in a part of the outputs on the grid that launches add to; padding belongs to the last. */
static dcs_status fill_part(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            dcs_range part) {
  dcs_device *device = e->engine.device;
  for (int b = 0; b < e->kind->n_buffers; b++) {
    const dcs_dims stored = p->at[b].stored;
    const int64_t end = part.end == e->shape->n.z ? stored.z : part.end;
    if (dcs_on_grid(e->kind, b) && dcs_plan_fills(&m->plan, b))
      DCS_TRY(device->fill(device, p->at[b].ptr + (dcs_ptr)(part.from * stored.x * stored.y), 0,
                           dcs_words((size_t)((end - part.from) * stored.x * stored.y))));
  }
  return DCS_OK;
}

dcs_status dcs_enqueue_part(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            dcs_range part, int64_t nth) {
  dcs_device *device = e->engine.device;
  const bool second = nth % 2 == 1 && alternates(&m->plan, e->shape);
  device->select_stream(device, second ? 1 : 0);
  if (second) DCS_TRY(device->wait_event(device, DCS_EVENT_BEGUN));
  DCS_TRY(fill_part(e, m, p, part));
  DCS_TRY(dcs_compute_slices(e, m, p, part.from, part.end));
  return device->record_event(device, EVENT_PART + (int)(nth % 2));
}

dcs_status dcs_synchronize_part(dcs_device_engine *e, int64_t nth) {
  return e->engine.device->synchronize_event(e->engine.device, EVENT_PART + (int)(nth % 2));
}

/* The half of the stage that a piece goes through. */
static char *half_of(const dcs_device_engine *e, const dcs_places *p, int64_t i) {
  return p->stage + (size_t)(i % PIECES) * (size_t)piece_slices(e) * dcs_slice_bytes(e);
}

/* Enqueues the copy of a piece to its half of the stage. */
static dcs_status stage_piece(dcs_device_engine *e, const dcs_places *p, dcs_range piece,
                              int64_t i) {
  dcs_device *device = e->engine.device;
  DCS_TRY(dcs_stage_slices(e, p, piece, half_of(e, p, i)));
  return device->record_event(device, DCS_EVENT_STAGED + (int)(i % PIECES));
}

dcs_status dcs_unload_part(dcs_device_engine *e, const dcs_places *p, dcs_range part) {
  dcs_device *device = e->engine.device;
  const int64_t most = piece_slices(e);
  dcs_range ahead = {part.from, part.from};
  int64_t staged = 0, i = 0;
  device->select_stream(device, DCS_STREAM_OUT);
  for (int64_t k = part.from; k < part.end; k += most, i++) {
    for (; staged < i + PIECES && ahead.end < part.end; staged++) {
      ahead = (dcs_range){ahead.end, dcs_least(ahead.end + most, part.end)};
      DCS_TRY(stage_piece(e, p, ahead, staged));
    }
    DCS_TRY(device->synchronize_event(device, DCS_EVENT_STAGED + (int)(i % PIECES)));
    dcs_unstage_slices(e, p, (dcs_range){k, dcs_least(k + most, part.end)}, half_of(e, p, i));
  }
  return DCS_OK;
}
