/* The device engine: parts of a map that several devices share. A device has memory for the whole
 * map, computes its parts where they belong, and copies them to the host through a stage of two
 * pieces. */
#include "harness/engine/engine_device.h"

#include <string.h>

enum { PIECES = 2, PIECE_BYTES = 1 << 22, QUEUE_OUT = 2 };

/* The marks behind parts: what is timed here is timed by the host. */
enum { MARK_PART = DCS_MARK_TIMES };

static int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}

int64_t dcs_part_step(const dcs_plan *plan, const dcs_problem *problem) {
  return least_of(plan->slice_step ? plan->slice_step : plan->launch_slices, problem->n.z);
}

int64_t dcs_least_part(const dcs_device_engine *e, const dcs_device_method *m, int n) {
  const dcs_plan *plan = &m->plan;
  const int64_t nz = e->problem->n.z, step = dcs_part_step(plan, e->problem);
  int64_t fair = dcs_round_up(dcs_round_up(nz, step) / step, n) / n, steps = 1;
  if (plan->slice_step) {
    int64_t threads = plan->grid[0] * plan->grid[1] * plan->block[0] * plan->block[1];
    steps = (dcs_resident_threads(e->sm_count, m->registers) + threads / 2) / threads;
  }
  return step * (steps < 1 ? 1 : least_of(steps, fair));
}

static int64_t piece_slices(dcs_dims n) {
  int64_t slices = PIECE_BYTES / (n.x * n.y * (int64_t)sizeof(float));
  return slices < 1 ? 1 : least_of(slices, n.z);
}

dcs_outcome dcs_find_part_places(dcs_device_engine *e, const dcs_device_method *m, dcs_places *p) {
  const dcs_dims n = e->problem->n;
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
  device->select(device, 0);
  if (copies)
    DCS_TRY(
        device->copy_in(device, p->atoms, p->from, (size_t)e->problem->n_atoms * sizeof *p->from));
  DCS_TRY(dcs_load_constant(e, m, p));
  DCS_TRY(dcs_queue_steps(e, m, p));
  return device->mark(device, DCS_MARK_BEGUN);
}

/* Two queues take turns where parts need not follow each other, so that the blocks of one fill the
 * card while the last blocks of the one before still run. */
static bool alternates(const dcs_plan *plan, const dcs_problem *problem) {
  return plan->slice_step && (!plan->atoms_in_constant || dcs_constant_once(plan, problem)) &&
         plan->scratch_floats == 0 && plan->counters == 0;
}

dcs_status dcs_queue_part(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                          dcs_range part, int64_t nth) {
  dcs_device *device = e->engine.device;
  const dcs_dims stored = m->plan.stored;
  const bool second = nth % 2 == 1 && alternates(&m->plan, e->problem);
  int64_t end = part.end == e->problem->n.z ? stored.z : part.end; /* padding belongs to the last */
  int64_t slice = stored.x * stored.y;
  device->select(device, second ? 1 : 0);
  if (second) DCS_TRY(device->follow(device, DCS_MARK_BEGUN));
  DCS_TRY(device->fill(device, p->stored + (dcs_ptr)(part.from * slice) * sizeof(float), 0,
                       (size_t)((end - part.from) * slice)));
  DCS_TRY(dcs_compute_slices(e, m, p, part.from, part.end));
  return device->mark(device, MARK_PART + (int)(nth % 2));
}

dcs_status dcs_reach_part(dcs_device_engine *e, int64_t nth) {
  return e->engine.device->reach(e->engine.device, MARK_PART + (int)(nth % 2));
}

/* Queues the copy of a piece to its half of the stage. */
static dcs_status stage_piece(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              dcs_range piece, int64_t i) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->problem->n, stored = m->plan.stored;
  dcs_ptr from = p->stored + (dcs_ptr)(piece.from * stored.x * stored.y) * sizeof(float);
  float *to = p->stage + i % PIECES * (n.x * n.y * piece_slices(n));
  DCS_TRY(device->copy_out(device, to, (dcs_dims){n.x, n.y, piece.end - piece.from}, from, stored));
  return device->mark(device, DCS_MARK_STAGED + (int)(i % PIECES));
}

dcs_status dcs_unload_part(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                           dcs_range part) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->problem->n;
  const int64_t slice = n.x * n.y, most = piece_slices(n);
  dcs_range ahead = {part.from, part.from};
  int64_t staged = 0, i = 0;
  device->select(device, QUEUE_OUT);
  for (int64_t k = part.from; k < part.end; k += most, i++) {
    for (; staged < i + PIECES && ahead.end < part.end; staged++) {
      ahead = (dcs_range){ahead.end, least_of(ahead.end + most, part.end)};
      DCS_TRY(stage_piece(e, m, p, ahead, staged));
    }
    DCS_TRY(device->reach(device, DCS_MARK_STAGED + (int)(i % PIECES)));
    memcpy(e->map + k * slice, p->stage + i % PIECES * (slice * most),
           (size_t)(slice * (least_of(k + most, part.end) - k)) * sizeof(float));
  }
  return DCS_OK;
}
