/* The device engine: maps whose launches are recorded and replayed. */
#include "harness/engine/engine_device.h"

/* Queueing these one by one would take longer than they do. So it is with a plan's steps. Atoms
 * with dz^2 are prepared before the first launch of a recorded map, and beside the launches of one
 * that is not: with many of them recording loses. */
enum {
  MANY_LAUNCHES = 8,
  SHORT_LAUNCH = 1 << 24, /* evaluations: some microseconds of a large card */
  MOST_PREPARED = 1 << 14 /* atoms of all launches of a map */
};

static bool worth_recording(const dcs_problem *problem, const dcs_plan *plan) {
  int64_t chunks = dcs_round_up(problem->n_atoms, plan->chunk_atoms) / plan->chunk_atoms;
  int64_t launches = dcs_round_up(problem->n.z, plan->launch_slices) / plan->launch_slices * chunks;
  int64_t points = plan->stored.x * plan->stored.y * plan->launch_slices;
  int64_t atoms = chunks > 1 ? plan->chunk_atoms : problem->n_atoms;
  if (plan->atoms_in_constant && !plan->host_dz2) return false; /* copies of pageable memory */
  if (plan->host_dz2 && problem->n_atoms * problem->n.z > MOST_PREPARED) return false;
  return plan->n_steps > 0 || (launches >= MANY_LAUNCHES && points * atoms <= SHORT_LAUNCH);
}

static dcs_status grow_prepared(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  size_t bytes = (size_t)(e->problem->n_atoms * e->problem->n.z) * sizeof(dcs_atom);
  for (int turn = 0; turn < DCS_TURNS; turn++) {
    if (bytes > e->prepared[turn].bytes) DCS_TRY(device->wait(device));
    DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, bytes, &e->prepared[turn]));
  }
  return DCS_OK;
}

static dcs_status record_map(dcs_device_engine *e, dcs_device_method *m, const dcs_places *p,
                             int turn) {
  dcs_device *device = e->engine.device;
  dcs_places places = *p;
  if (m->plan.host_dz2) places.prepared = e->prepared[turn].host;
  DCS_TRY(device->record(device));
  dcs_status queued = dcs_queue_map(e, m, &places);
  DCS_TRY(device->recorded(device, &m->recordings[turn]));
  return queued;
}

void dcs_erase_recordings(dcs_device_engine *e, dcs_device_method *m) {
  for (int turn = 0; turn < DCS_TURNS; turn++) {
    if (m->recordings[turn]) e->engine.device->erase(e->engine.device, m->recordings[turn]);
    m->recordings[turn] = NULL;
  }
}

dcs_status dcs_keep_recorded(dcs_device_engine *e, dcs_device_method *m, const dcs_places *p) {
  const dcs_plan *plan = &m->plan;
  if (!worth_recording(e->problem, plan)) return DCS_OK;
  if (plan->n_steps > 0 && !m->steps_loaded) {
    m->steps_loaded = true;
    return DCS_OK;
  }
  if (plan->host_dz2) DCS_TRY(grow_prepared(e));
  const dcs_ptr holds[4] = {p->stored, p->atoms, e->prepared[0].ptr, e->scratch.ptr};
  bool same = m->recordings[0] != NULL;
  for (int i = 0; i < 4; i++)
    same = same && m->recorded[i] == holds[i];
  if (same) return DCS_OK;
  dcs_erase_recordings(e, m);
  for (int turn = 0; turn < (plan->host_dz2 ? DCS_TURNS : 1); turn++)
    DCS_TRY(record_map(e, m, p, turn));
  for (int i = 0; i < 4; i++)
    m->recorded[i] = holds[i];
  return DCS_OK;
}

dcs_status dcs_compute_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  if (!m->recordings[0]) return dcs_queue_map(e, m, p);
  if (!m->plan.host_dz2) return device->replay(device, m->recordings[0]);
  const int turn = (int)(e->turns++ % DCS_TURNS);
  DCS_TRY(device->reach(device, DCS_MARK_RING + turn)); /* the map that had these atoms is done */
  dcs_prepare_atoms(e, e->prepared[turn].host);
  DCS_TRY(device->replay(device, m->recordings[turn]));
  return device->mark(device, DCS_MARK_RING + turn);
}
