/* The device engine: outputs as a scope has them: launches alone, or copied in and out in slabs. */
#include "harness/engine/device/engine.h"

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

/* Each thread its part, as far as there are threads. */
static void copy_apart(char *to, const char *from, int64_t bytes, int threads) {
  const int64_t part = dcs_round_up(dcs_divide_up(bytes, threads), 4096);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
#endif
  for (int t = 0; t < threads; t++) {
    const int64_t begin = dcs_least(t * part, bytes), end = dcs_least(begin + part, bytes);
    memcpy(to + begin, from + begin, (size_t)(end - begin));
  }
}

void dcs_unstage_slices(const dcs_device_engine *e, const dcs_places *p, dcs_range slices,
                        const char *stage) {
  for (int b = 0; b < e->kind->n_buffers; b++) {
    if (!dcs_on_grid(e->kind, b)) continue;
    const int64_t slice = p->at[b].n.x * p->at[b].n.y, bytes = slice * (slices.end - slices.from);
    copy_apart((char *)e->out[b] + slices.from * slice, stage, bytes, p->copiers);
    stage += bytes;
  }
}

/* ---- maps that are copied out, slab by slab ---- */

static dcs_range slices_of(const dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  const int64_t k = slab * p->slabs.slices;
  return (dcs_range){k, dcs_least(k + p->slabs.slices, e->shape->n.z)};
}

/* Enqueues the computing of a slab. */
static dcs_status slab_in(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                          int64_t slab) {
  dcs_device *device = e->engine.device;
  const dcs_range slices = slices_of(e, p, slab);
  const bool second = p->slabs.alternate && slab % 2 == 1;
  if (slices.from >= slices.end) return DCS_OK; /* the last but one was the last */
  device->select_stream(device, second ? 1 : 0);
  if (second) DCS_TRY(device->wait_event(device, DCS_EVENT_BEGUN));
  if (p->slabs.slices < e->shape->n.z)
    DCS_TRY(dcs_compute_slices(e, m, p, slices.from, slices.end));
  return device->record_event(device, DCS_EVENT_COMPUTED + (int)(slab % 2));
}

/* Pieces on their way through the stage. */
typedef struct {
  dcs_range under_way[DCS_PIECES]; /* piece i in i % DCS_PIECES */
  int64_t staged, taken;
} pieces;

static char *stage_of(const dcs_device_engine *e, const dcs_places *p, int64_t piece) {
  return p->stage + (size_t)(piece % DCS_PIECES * p->piece) * dcs_slice_bytes(e);
}

/* Waits until the next piece lies in the stage, and copies it from there to its place. */
static dcs_status take_piece(dcs_device_engine *e, const dcs_places *p, pieces *q) {
  const int at = (int)(q->taken % DCS_PIECES);
  DCS_TRY(e->engine.device->synchronize_event(e->engine.device, DCS_EVENT_STAGED + at));
  dcs_unstage_slices(e, p, q->under_way[at], stage_of(e, p, q->taken++));
  return DCS_OK;
}

/* Enqueues the copying out of a slab that was enqueued. Where that goes through the stage, takes
 * the pieces from it whose parts are needed, while card and bus work on. */
static dcs_status slab_out(dcs_device_engine *e, const dcs_places *p, int64_t slab, pieces *q) {
  dcs_device *device = e->engine.device;
  const dcs_range slices = slices_of(e, p, slab);
  device->select_stream(device, DCS_STREAM_OUT);
  DCS_TRY(device->wait_event(device, DCS_EVENT_COMPUTED + (int)(slab % 2)));
  if (!p->stage) return dcs_stage_slices(e, p, slices, NULL);
  for (int64_t k = slices.from; k < slices.end; k += p->piece) {
    const dcs_range piece = {k, dcs_least(k + p->piece, slices.end)};
    if (q->staged - q->taken == DCS_PIECES) DCS_TRY(take_piece(e, p, q));
    const int at = (int)(q->staged % DCS_PIECES);
    DCS_TRY(dcs_stage_slices(e, p, piece, stage_of(e, p, q->staged)));
    DCS_TRY(device->record_event(device, DCS_EVENT_STAGED + at));
    q->under_way[at] = piece;
    q->staged++;
  }
  return DCS_OK;
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

/* A slab ahead of the one that is copied out is always enqueued, so that the card has work. */
static dcs_status run_copied(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const int64_t n_slabs = dcs_divide_up(e->shape->n.z, p->slabs.slices);
  pieces q = {.staged = 0};
  DCS_TRY(dcs_copy_inputs(e, p));
  DCS_TRY(dcs_begin_outputs(e, p));
  DCS_TRY(n_slabs > 1 ? dcs_begin_map(e, m, p, false) : dcs_compute_map(e, m, p));
  dcs_compute_overflow(e, m);
  DCS_TRY(device->record_event(device, DCS_EVENT_BEGUN));
  DCS_TRY(slab_in(e, m, p, 0));
  for (int64_t slab = 0; slab < n_slabs; slab++) {
    DCS_TRY(slab_in(e, m, p, slab + 1));
    DCS_TRY(slab_out(e, p, slab, &q));
  }
  for (int b = 0; b < e->kind->n_buffers; b++) /* what is on no grid follows the last slab */
    if (e->kind->buffers[b].output && !dcs_on_grid(e->kind, b))
      DCS_TRY(dcs_copy_output(e, &p->at[b], p->at[b].host));
  while (q.taken < q.staged)
    DCS_TRY(take_piece(e, p, &q));
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
  if (e->n_overflow > 0) /* the host has overflow atoms to compute, not slabs to take */
    places.slabs = (dcs_slabs){.slices = e->shape->n.z};
  DCS_TRY(p->seen ? run_seen(e, m, &places) : run_copied(e, m, &places));
  dcs_add_overflow(e, p);
  return DCS_OK;
}
