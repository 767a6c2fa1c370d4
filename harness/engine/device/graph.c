/* The device engine: maps whose launches are captured in graphs. */
#include "harness/engine/device/engine.h"

#include <string.h>

/* Enqueueing these one by one would take longer than they do. So it is with kernels as steps, and
 * transforms. Atoms with dz^2 are prepared before the first launch of a captured map, and beside
 * the launches of one that is not: with many of them capturing loses. */
enum {
  MANY_LAUNCHES = 8,
  SHORT_LAUNCH = 1 << 24, /* evaluations: some microseconds of a large card */
  MOST_PREPARED = 1 << 14 /* atoms of all launches of a map */
};

static bool has_kernels(const dcs_plan *plan) {
  for (int s = 0; s < plan->n_steps; s++)
    if (plan->steps[s].does == DCS_STEP_KERNEL || plan->steps[s].does == DCS_STEP_FFT) return true;
  return false;
}

static bool worth_capturing(const dcs_problem *problem, const dcs_plan *plan) {
  int64_t chunks = dcs_divide_up(problem->n_inputs, plan->chunk_inputs);
  int64_t launches = dcs_divide_up(problem->n.z, plan->launch_slices) * chunks;
  int64_t points = plan->stored.x * plan->stored.y * plan->launch_slices;
  int64_t atoms = chunks > 1 ? plan->chunk_inputs : problem->n_inputs;
  if (plan->constant_inputs && !plan->prepared) return false; /* copies of pageable memory */
  if (plan->prepared && problem->n_inputs * problem->n.z > MOST_PREPARED) return false;
  return has_kernels(plan) || (launches >= MANY_LAUNCHES && points * atoms <= SHORT_LAUNCH);
}

static dcs_status grow_prepared(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  size_t bytes = (size_t)(e->shape->n_inputs * e->shape->n.z) * e->input_bytes;
  for (int which = 0; which < DCS_GRAPHS; which++) {
    if (bytes > e->prepared[which].bytes) DCS_TRY(device->synchronize(device));
    DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, bytes, &e->prepared[which]));
  }
  return DCS_OK;
}

static dcs_status capture_map(dcs_device_engine *e, dcs_device_method *m, const dcs_places *p,
                              int which) {
  dcs_device *device = e->engine.device;
  dcs_places places = *p;
  if (m->plan.prepared) places.prepared = e->prepared[which].host;
  DCS_TRY(device->begin_capture(device));
  dcs_status enqueued = dcs_enqueue_map(e, m, &places);
  DCS_TRY(device->end_capture(device, &m->graphs[which]));
  return enqueued;
}

void dcs_destroy_graphs(dcs_device_engine *e, dcs_device_method *m) {
  for (int which = 0; which < DCS_GRAPHS; which++) {
    if (m->graphs[which]) e->engine.device->destroy_graph(e->engine.device, m->graphs[which]);
    m->graphs[which] = NULL;
  }
}

dcs_status dcs_keep_graphs(dcs_device_engine *e, dcs_device_method *m, const dcs_places *p) {
  const dcs_plan *plan = &m->plan;
  if (m->replanned || e->shape->grid_slices > 0 || !worth_capturing(e->shape, plan)) return DCS_OK;
  if (has_kernels(plan) && !m->steps_loaded) {
    m->steps_loaded = true;
    return DCS_OK;
  }
  if (plan->prepared) DCS_TRY(grow_prepared(e));
  dcs_ptr holds[DCS_N_PLACES + 1] = {[DCS_N_PLACES] = e->prepared[0].ptr};
  for (int i = 0; i < DCS_N_PLACES; i++)
    holds[i] = p->at[i].ptr;
  if (m->graphs[0] && memcmp(m->captured, holds, sizeof holds) == 0) return DCS_OK;
  dcs_destroy_graphs(e, m);
  for (int which = 0; which < (plan->prepared ? DCS_GRAPHS : 1); which++)
    DCS_TRY(capture_map(e, m, p, which));
  memcpy(m->captured, holds, sizeof holds);
  return DCS_OK;
}

dcs_status dcs_compute_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  if (!m->graphs[0]) return dcs_enqueue_map(e, m, p);
  if (!m->plan.prepared) return device->launch_graph(device, m->graphs[0]);
  const int which = (int)(e->graph_launches++ % DCS_GRAPHS);
  DCS_TRY(device->synchronize_event(device, DCS_EVENT_RING +
                                                which)); /* the map that had these atoms is done */
  dcs_prepare_inputs(e, m, e->prepared[which].host);
  DCS_TRY(device->launch_graph(device, m->graphs[which]));
  return device->record_event(device, DCS_EVENT_RING + which);
}
