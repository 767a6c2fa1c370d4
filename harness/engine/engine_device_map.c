/* The device engine: an output as a scope has it: launches alone, or copied in and out in slabs. */
#include "harness/engine/engine_device.h"

#include <string.h>

dcs_status dcs_run_kernel(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                          int64_t inner) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->record_event(device, DCS_EVENT_TIMES));
  for (int64_t i = 0; i < inner; i++)
    DCS_TRY(dcs_compute_map(e, m, p));
  return device->record_event(device, DCS_EVENT_TIMES + 1);
}

/* ---- maps that are copied out, slab by slab ---- */

/* Waits until a slab lies in the stage, and copies it from there to its place. */
static dcs_status unstage(dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->shape->n;
  int64_t whole = n.x * n.y * p->slabs.slices;
  int64_t size = dcs_least(whole, dcs_points(n) - slab * whole);
  DCS_TRY(device->synchronize_event(device, DCS_EVENT_STAGED + (int)(slab % DCS_STAGES)));
  memcpy(p->to + slab * whole, p->stage + slab % DCS_STAGES * whole, (size_t)size * sizeof(float));
  return DCS_OK;
}

/* Enqueues the copying out of a slab that was just enqueued, then takes the slab from the stage
 * whose part the next one needs, while the card works on. */
static dcs_status slab_out(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                           int64_t slab) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->shape->n, stored = m->plan.stored;
  int64_t k = slab * p->slabs.slices;
  dcs_dims part = {n.x, n.y, dcs_least(p->slabs.slices, n.z - k)};
  dcs_ptr from = p->stored + (dcs_ptr)(k * stored.x * stored.y) * sizeof(float);
  float *to = p->stage ? p->stage + slab % DCS_STAGES * (n.x * n.y * p->slabs.slices)
                       : p->to + k * n.x * n.y;
  DCS_TRY(device->record_event(device, DCS_EVENT_COMPUTED));
  device->select_stream(device, DCS_STREAM_OUT);
  DCS_TRY(device->wait_event(device, DCS_EVENT_COMPUTED));
  DCS_TRY(device->copy_out(device, to, part, from, stored));
  if (!p->stage) return DCS_OK;
  DCS_TRY(device->record_event(device, DCS_EVENT_STAGED + (int)(slab % DCS_STAGES)));
  return slab >= DCS_STAGES - 1 ? unstage(e, p, slab - (DCS_STAGES - 1)) : DCS_OK;
}

static dcs_status run_copied(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const int64_t nz = e->shape->n.z;
  DCS_TRY(device->copy_in(device, p->inputs, p->from, p->inputs_bytes));
  const bool cut = p->slabs.slices < nz;
  DCS_TRY(cut ? dcs_begin_map(e, m, p) : dcs_compute_map(e, m, p));
  dcs_compute_overflow(e, m);
  DCS_TRY(device->record_event(device, DCS_EVENT_BEGUN));
  int64_t slab = 0;
  for (int64_t k = 0; k < nz; k += p->slabs.slices, slab++) {
    bool second = p->slabs.alternate && slab % 2 == 1;
    device->select_stream(device, second ? 1 : 0);
    if (second) DCS_TRY(device->wait_event(device, DCS_EVENT_BEGUN));
    if (cut) DCS_TRY(dcs_compute_slices(e, m, p, k, dcs_least(k + p->slabs.slices, nz)));
    DCS_TRY(slab_out(e, m, p, slab));
  }
  for (int64_t left = slab > DCS_STAGES - 1 ? slab - (DCS_STAGES - 1) : 0; p->stage && left < slab;
       left++)
    DCS_TRY(unstage(e, p, left));
  device->select_stream(device, 0);
  return device->synchronize(device);
}

/* ---- maps in memory that the host sees ---- */

static dcs_status move_managed(dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, bool to_host) {
  dcs_device *device = e->engine.device;
  size_t map_bytes = (size_t)dcs_points(m->plan.stored) * sizeof(float);
  if (!to_host) DCS_TRY(device->prefetch(device, p->inputs, p->inputs_bytes, false));
  return device->prefetch(device, p->stored, map_bytes, to_host);
}

static dcs_status run_seen(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const dcs_problem *problem = e->shape;
  const bool ahead = p->memory == DCS_MANAGED_PREFETCH;
  if (p->memory != DCS_MAPPED && !p->placed) /* a map's atoms are new: their pages are the host's */
    memcpy((void *)(uintptr_t)p->inputs, problem->input, p->inputs_bytes);
  if (ahead) DCS_TRY(move_managed(e, m, p, false));
  DCS_TRY(dcs_compute_map(e, m, p));
  if (ahead) DCS_TRY(move_managed(e, m, p, true));
  dcs_compute_overflow(e, m);
  DCS_TRY(device->synchronize(device));
  if (p->to != p->view) dcs_pack_corner(p->to, problem->n, p->view, m->plan.stored);
  return DCS_OK;
}

dcs_status dcs_run_whole(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_places places = *p;
  dcs_place_inputs(e, m, p);
  if (e->n_overflow >
      0) { /* the host has overflow atoms to compute, not slabs to take from the stage */
    places.slabs = (dcs_slabs){.slices = e->shape->n.z};
    places.stage = NULL;
  }
  DCS_TRY(p->view ? run_seen(e, m, &places) : run_copied(e, m, &places));
  dcs_add_overflow(e, p->to);
  return DCS_OK;
}
