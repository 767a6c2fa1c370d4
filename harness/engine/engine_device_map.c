/* The device engine: outputs as a scope has them: launches alone, or copied in and out in slabs. */
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

/* ---- copying ---- */

dcs_status dcs_copy_output(dcs_device_engine *e, const dcs_buffer_place *at, void *to) {
  return e->engine.device->copy_out(e->engine.device, to, at->n, at->ptr, at->stored);
}

dcs_status dcs_stage_slices(dcs_device_engine *e, const dcs_places *p, dcs_range slices,
                            char *stage) {
  dcs_device *device = e->engine.device;
  for (int b = 0; b < e->kind->n_buffers; b++) {
    if (!dcs_on_grid(e->kind, b)) continue;
    const dcs_buffer_place *at = &p->at[b];
    const dcs_dims n = {at->n.x, at->n.y, slices.end - slices.from};
    char *to = stage ? stage : (char *)at->host + slices.from * n.x * n.y;
    dcs_ptr from = at->ptr + (dcs_ptr)(slices.from * at->stored.x * at->stored.y);
    DCS_TRY(device->copy_out(device, to, n, from, at->stored));
    if (stage) stage += dcs_points(n);
  }
  return DCS_OK;
}

void dcs_unstage_slices(const dcs_device_engine *e, const dcs_places *p, dcs_range slices,
                        const char *stage) {
  for (int b = 0; b < e->kind->n_buffers; b++) {
    if (!dcs_on_grid(e->kind, b)) continue;
    const int64_t slice = p->at[b].n.x * p->at[b].n.y, bytes = slice * (slices.end - slices.from);
    memcpy((char *)e->out[b] + slices.from * slice, stage, (size_t)bytes);
    stage += bytes;
  }
}

/* ---- maps that are copied out, slab by slab ---- */

static dcs_range slices_of(const dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  const int64_t k = slab * p->slabs.slices;
  return (dcs_range){k, dcs_least(k + p->slabs.slices, e->shape->n.z)};
}

/* Where a slab lies in the stage; NULL: there is none. */
static char *stage_of(const dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  const size_t bytes = (size_t)p->slabs.slices * dcs_slice_bytes(e);
  return p->stage ? p->stage + (size_t)(slab % DCS_STAGES) * bytes : NULL;
}

/* Waits until a slab lies in the stage, and copies it from there to its place. */
static dcs_status unstage(dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->synchronize_event(device, DCS_EVENT_STAGED + (int)(slab % DCS_STAGES)));
  dcs_unstage_slices(e, p, slices_of(e, p, slab), stage_of(e, p, slab));
  return DCS_OK;
}

/* Enqueues the copying out of a slab that was just enqueued, then takes the slab from the stage
 * whose part the next one needs, while the card works on. */
static dcs_status slab_out(dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->record_event(device, DCS_EVENT_COMPUTED));
  device->select_stream(device, DCS_STREAM_OUT);
  DCS_TRY(device->wait_event(device, DCS_EVENT_COMPUTED));
  DCS_TRY(dcs_stage_slices(e, p, slices_of(e, p, slab), stage_of(e, p, slab)));
  if (!p->stage) return DCS_OK;
  DCS_TRY(device->record_event(device, DCS_EVENT_STAGED + (int)(slab % DCS_STAGES)));
  return slab >= DCS_STAGES - 1 ? unstage(e, p, slab - (DCS_STAGES - 1)) : DCS_OK;
}

dcs_status dcs_copy_inputs(dcs_device_engine *e, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (!e->kind->buffers[b].output)
      DCS_TRY(device->copy_in(device, p->at[b].ptr, p->at[b].host, p->at[b].bytes));
  return DCS_OK;
}

dcs_status dcs_begin_outputs(dcs_device_engine *e, const dcs_places *p) {
  for (int b = 0; b < e->kind->n_buffers; b++) {
    const int from = e->kind->buffers[b].begins;
    if (from > 0)
      DCS_TRY(e->engine.device->copy(e->engine.device, p->at[b].ptr, p->at[from].ptr,
                                     p->at[from].bytes));
  }
  return DCS_OK;
}

static dcs_status run_copied(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const int64_t nz = e->shape->n.z;
  DCS_TRY(dcs_copy_inputs(e, p));
  DCS_TRY(dcs_begin_outputs(e, p));
  const bool cut = p->slabs.slices < nz;
  DCS_TRY(cut ? dcs_begin_map(e, m, p, false) : dcs_compute_map(e, m, p));
  dcs_compute_overflow(e, m);
  DCS_TRY(device->record_event(device, DCS_EVENT_BEGUN));
  int64_t slab = 0;
  for (int64_t k = 0; k < nz; k += p->slabs.slices, slab++) {
    bool second = p->slabs.alternate && slab % 2 == 1;
    device->select_stream(device, second ? 1 : 0);
    if (second) DCS_TRY(device->wait_event(device, DCS_EVENT_BEGUN));
    if (cut) DCS_TRY(dcs_compute_slices(e, m, p, k, dcs_least(k + p->slabs.slices, nz)));
    DCS_TRY(slab_out(e, p, slab));
  }
  for (int b = 0; b < e->kind->n_buffers; b++) /* what is on no grid follows the last slab */
    if (e->kind->buffers[b].output && !dcs_on_grid(e->kind, b))
      DCS_TRY(dcs_copy_output(e, &p->at[b], p->at[b].host));
  for (int64_t left = slab > DCS_STAGES - 1 ? slab - (DCS_STAGES - 1) : 0; p->stage && left < slab;
       left++)
    DCS_TRY(unstage(e, p, left));
  device->select_stream(device, 0);
  return device->synchronize(device);
}

/* ---- maps in memory that the host sees ---- */

/* Inputs go to the device, outputs there and back. */
static dcs_status move_managed(dcs_device_engine *e, const dcs_places *p, bool to_host) {
  dcs_device *device = e->engine.device;
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (e->kind->buffers[b].output || !to_host)
      DCS_TRY(device->prefetch(device, p->at[b].ptr, p->at[b].bytes, to_host));
  return DCS_OK;
}

static dcs_status run_seen(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const bool ahead = p->memory == DCS_MANAGED_PREFETCH;
  /* A map's inputs are new: their pages are the host's. */
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (p->memory != DCS_MAPPED && p->at[b].view && !e->kind->buffers[b].output)
      memcpy(p->at[b].view, p->at[b].host, p->at[b].bytes);
  if (ahead) DCS_TRY(move_managed(e, p, false));
  DCS_TRY(dcs_begin_outputs(e, p));
  DCS_TRY(dcs_compute_map(e, m, p));
  if (ahead) DCS_TRY(move_managed(e, p, true));
  dcs_compute_overflow(e, m);
  DCS_TRY(device->synchronize(device));
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (e->kind->buffers[b].output && p->at[b].host != p->at[b].view)
      dcs_pack_corner(p->at[b].host, p->at[b].n, p->at[b].view, p->at[b].stored);
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
  DCS_TRY(p->seen ? run_seen(e, m, &places) : run_copied(e, m, &places));
  dcs_add_overflow(e, p);
  return DCS_OK;
}
