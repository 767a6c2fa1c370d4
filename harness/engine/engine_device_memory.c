/* The device engine: where atoms and map lie in each mode of memory. */
#include "harness/engine/engine_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dcs_block_release(dcs_device *device, dcs_block_kind kind, dcs_block *block) {
  if (kind == DCS_BLOCK_ORDINARY)
    free(block->host);
  else if (block->ptr && kind == DCS_BLOCK_HOST)
    device->release_host(device, block->host);
  else if (block->ptr)
    device->release(device, block->ptr);
  *block = (dcs_block){0};
}

dcs_status dcs_block_grow(dcs_device *device, dcs_block_kind kind, size_t bytes, dcs_block *block) {
  if (bytes <= block->bytes) return DCS_OK;
  dcs_block_release(device, kind, block);
  dcs_block made = {.bytes = bytes};
  switch (kind) {
  case DCS_BLOCK_HOST:
    DCS_TRY(device->alloc_host(device, bytes, &made.host, &made.ptr));
    break;
  case DCS_BLOCK_MANAGED:
    DCS_TRY(device->alloc_managed(device, bytes, &made.ptr));
    made.host = (void *)(uintptr_t)made.ptr;
    break;
  case DCS_BLOCK_ORDINARY:
    made.host = malloc(bytes);
    if (!made.host) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu bytes", bytes);
    break;
  default:
    DCS_TRY(device->alloc(device, bytes, &made.ptr));
  }
  *block = made;
  return DCS_OK;
}

static size_t map_bytes(dcs_dims n) {
  return (size_t)dcs_points(n) * sizeof(float);
}

/* Atoms and a map of that kind. */
static dcs_status grow_pair(dcs_device_engine *e, dcs_block_kind kind, dcs_dims n) {
  size_t inputs_bytes = (size_t)e->shape->n_inputs * e->input_bytes;
  DCS_TRY(dcs_block_grow(e->engine.device, kind, inputs_bytes, &e->inputs[kind]));
  DCS_TRY(dcs_block_grow(e->engine.device, kind, map_bytes(n), &e->outputs[kind]));
  if (kind == DCS_BLOCK_HOST) memcpy(e->inputs[kind].host, e->shape->input, inputs_bytes);
  return DCS_OK;
}

/* A map that is copied in one piece needs no stage: the driver has its own. */
static dcs_status grow_stage(dcs_device_engine *e, dcs_places *places) {
  dcs_dims slab = e->shape->n;
  if (places->slabs.slices >= slab.z) return DCS_OK;
  slab.z = places->slabs.slices;
  DCS_TRY(
      dcs_block_grow(e->engine.device, DCS_BLOCK_HOST, DCS_STAGES * map_bytes(slab), &e->stage));
  places->stage = e->stage.host;
  return DCS_OK;
}

/* Makes the places those of placed inputs; `kind` is that of the inputs for kernels. */
static dcs_status find_placed(dcs_device_engine *e, const dcs_device_method *m, dcs_block_kind kind,
                              dcs_places *p) {
  dcs_device *device = e->engine.device;
  const size_t bytes = (size_t)m->plan.placed_inputs * e->input_bytes;
  const size_t overflow = (size_t)e->shape->n_inputs * e->input_bytes;
  const size_t map = (size_t)dcs_points(e->shape->n) * sizeof(float);
  /* What explicit copies start from; otherwise the host writes where kernels read. */
  dcs_block_kind source = p->memory == DCS_PAGEABLE ? DCS_BLOCK_ORDINARY
                          : p->memory == DCS_PINNED ? DCS_BLOCK_HOST
                                                    : kind;
  DCS_TRY(dcs_block_grow(device, kind, bytes, &e->placed[kind]));
  DCS_TRY(dcs_block_grow(device, source, bytes, &e->placed[source]));
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_ORDINARY, overflow, &e->overflow));
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_ORDINARY, map, &e->overflow_out));
  p->inputs = e->placed[kind].ptr;
  p->placed = e->placed[source].host;
  p->from = p->placed;
  p->inputs_bytes = bytes;
  return DCS_OK;
}

static dcs_status place(dcs_device_engine *e, const dcs_device_method *m, dcs_places *p) {
  static const dcs_block_kind kinds[DCS_N_MEMORIES] = {[DCS_PAGEABLE] = DCS_BLOCK_DEVICE,
                                                       [DCS_PINNED] = DCS_BLOCK_DEVICE,
                                                       [DCS_MAPPED] = DCS_BLOCK_HOST,
                                                       [DCS_MANAGED] = DCS_BLOCK_MANAGED,
                                                       [DCS_MANAGED_PREFETCH] = DCS_BLOCK_MANAGED};
  const dcs_block_kind kind = kinds[p->memory];
  const dcs_dims n = e->shape->n, stored = m->plan.stored;
  DCS_TRY(grow_pair(e, kind, stored));
  if (p->memory == DCS_PINNED) DCS_TRY(grow_pair(e, DCS_BLOCK_HOST, n));
  if (p->memory == DCS_PAGEABLE) DCS_TRY(grow_stage(e, p));
  p->inputs = e->inputs[kind].ptr;
  p->stored = e->outputs[kind].ptr;
  p->stored_bytes = e->outputs[kind].bytes;
  p->view = e->outputs[kind].host;
  bool locked = p->memory == DCS_PINNED || p->memory == DCS_MAPPED;
  bool padded = stored.x != n.x || stored.y != n.y || stored.z != n.z;
  p->from = locked ? e->inputs[DCS_BLOCK_HOST].host : e->shape->input;
  p->to = p->memory == DCS_PINNED || (p->memory == DCS_MAPPED && !padded)
              ? e->outputs[DCS_BLOCK_HOST].host
              : e->out;
  p->inputs_bytes = (size_t)e->shape->n_inputs * e->input_bytes;
  return m->variant->place ? find_placed(e, m, kind, p) : DCS_OK;
}

dcs_outcome dcs_find_places(dcs_device_engine *e, const dcs_device_method *m, dcs_memory memory,
                            bool cut, dcs_places *places) {
  dcs_device *device = e->engine.device;
  int64_t resident = dcs_resident_threads(&e->info, m->registers);
  *places = (dcs_places){.memory = memory, .slabs = {.slices = e->shape->n.z}};
  if (cut) places->slabs = dcs_cut_slabs(&m->plan, e->shape, resident);
  dcs_status status = device->supports(device, memory);
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_NOT_BUILT;
  if (status == DCS_OK) status = place(e, m, places);
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_MEMORY;
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

static void fill_with_nan(float *map, size_t n) {
  for (size_t i = 0; i < n; i++)
    map[i] = NAN;
}

dcs_status dcs_poison(dcs_device_engine *e, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->fill(device, p->stored, 0x7fc00000u, p->stored_bytes / sizeof(float)));
  if (e->scratch.ptr)
    DCS_TRY(device->fill(device, e->scratch.ptr, 0x7fc00000u, e->scratch.bytes / sizeof(float)));
  DCS_TRY(device->synchronize(device));
  if (p->stage) fill_with_nan(p->stage, e->stage.bytes / sizeof(float));
  if (p->to != p->view) fill_with_nan(p->to, (size_t)dcs_points(e->shape->n));
  return DCS_OK;
}
