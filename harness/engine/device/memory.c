/* The device engine: where buffers lie in each mode of memory. */
#include "harness/base/machine.h"
#include "harness/engine/device/engine.h"

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
  bytes = 4 * dcs_words(bytes); /* fills are of words */
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

size_t dcs_slice_bytes(const dcs_device_engine *e) {
  size_t bytes = 0;
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (dcs_on_grid(e->kind, b)) bytes += e->kind->buffers[b].bytes;
  return bytes * (size_t)(e->shape->n.x * e->shape->n.y);
}

/* Whether copies from the device can be enqueued straight to all outputs on the grid. */
static bool outputs_locked(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (dcs_on_grid(e->kind, b) && !device->is_locked(device, e->out[b])) return false;
  return true;
}

/* Threads that move a map within the host's memory. One copies a third as fast as the bus, and more
 * than eight no faster. */
static int copiers(void) {
  enum { MOST = 8 };
  return (int)dcs_least(dcs_loop_threads(), MOST);
}

/* Slices of a piece of a map: a quarter of it; more than 4 MiB gain nothing. */
static int64_t piece_of(const dcs_device_engine *e) {
  enum { MOST_BYTES = 1 << 22 };
  const int64_t slices = dcs_divide_up(e->shape->n.z, DCS_PIECES);
  const int64_t most = MOST_BYTES / (int64_t)dcs_slice_bytes(e);
  return most < 1 ? 1 : dcs_least(slices, most);
}

/* Ordinary memory that several threads fill from a stage is full sooner than by the driver's own
 * copy, even of a map that is not cut. A single thread is slower: it leaves all to the driver,
 * which waits for each copy, so that slabs gain nothing. Of a small map a copy is no longer than
 * starting threads. */
static dcs_status grow_stage(dcs_device_engine *e, dcs_places *places) {
  enum { LEAST_BYTES = 1 << 20 };
  const size_t slice = dcs_slice_bytes(e);
  if (slice == 0 || outputs_locked(e)) return DCS_OK;
  places->copiers = copiers();
  if (places->copiers < 2 || (int64_t)slice * e->shape->n.z < LEAST_BYTES) {
    places->slabs = (dcs_slabs){.slices = e->shape->n.z};
    return DCS_OK;
  }
  places->piece = piece_of(e);
  DCS_TRY(dcs_block_grow(e->engine.device, DCS_BLOCK_HOST,
                         DCS_PIECES * (size_t)places->piece * slice, &e->stage));
  places->stage = e->stage.host;
  return DCS_OK;
}

/* Makes the place that of placed inputs; `kind` is that of the inputs for kernels. */
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
  p->placed = e->placed[source].host;
  p->at[0] = (dcs_buffer_place){.ptr = e->placed[kind].ptr, .bytes = bytes, .host = p->placed};
  return DCS_OK;
}

/* The place of a buffer; `kind` is that of its memory for kernels. */
static dcs_status find_place(dcs_device_engine *e, const dcs_device_method *m, dcs_block_kind kind,
                             int b, dcs_places *p) {
  dcs_device *device = e->engine.device;
  const bool output = e->kind->buffers[b].output, grid = dcs_on_grid(e->kind, b);
  const size_t packed = dcs_buffer_bytes(e->kind, b, e->shape);
  const dcs_dims flat = {(int64_t)packed, 1, 1};
  dcs_buffer_place *at = &p->at[b];
  *at = (dcs_buffer_place){.n = grid ? e->shape->n : flat, .stored = grid ? m->plan.stored : flat};
  if (grid) at->n.x *= (int64_t)e->kind->buffers[b].bytes;
  if (grid) at->stored.x *= (int64_t)e->kind->buffers[b].bytes;
  at->bytes = (size_t)dcs_points(at->stored);
  dcs_block *own = &e->buffers[b][kind], *locked = &e->buffers[b][DCS_BLOCK_HOST];
  DCS_TRY(dcs_block_grow(device, kind, at->bytes, own));
  if (p->memory == DCS_PINNED) DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, packed, locked));
  const bool pinned = p->memory == DCS_PINNED || (p->memory == DCS_MAPPED && at->bytes == packed);
  if (pinned && !output) memcpy(locked->host, e->shape->input[b], packed);
  at->ptr = own->ptr;
  at->view = own->host;
  at->host = pinned ? locked->host : output ? e->out[b] : (void *)e->shape->input[b];
  return DCS_OK;
}

static dcs_status place(dcs_device_engine *e, const dcs_device_method *m, bool cut, dcs_places *p) {
  static const dcs_block_kind kinds[DCS_N_MEMORIES] = {[DCS_PAGEABLE] = DCS_BLOCK_DEVICE,
                                                       [DCS_PINNED] = DCS_BLOCK_DEVICE,
                                                       [DCS_MAPPED] = DCS_BLOCK_HOST,
                                                       [DCS_MANAGED] = DCS_BLOCK_MANAGED,
                                                       [DCS_MANAGED_PREFETCH] = DCS_BLOCK_MANAGED};
  const dcs_block_kind kind = kinds[p->memory];
  p->seen = kind != DCS_BLOCK_DEVICE;
  for (int b = 0; b < e->kind->n_buffers; b++)
    DCS_TRY(find_place(e, m, kind, b, p));
  for (int s = 0; s < DCS_MAX_SCRATCH; s++) {
    const dcs_block *scratch = m->plan.scratch[s].zero ? &m->zero[s] : &e->scratch[s];
    p->at[DCS_MAX_BUFFERS + s] =
        (dcs_buffer_place){.ptr = scratch->ptr, .bytes = (size_t)m->plan.scratch[s].bytes};
  }
  p->at[DCS_FFT_WORK] = (dcs_buffer_place){.ptr = e->fft_work.ptr, .bytes = m->fft_work_bytes};
  if (cut && p->memory == DCS_PAGEABLE) DCS_TRY(grow_stage(e, p));
  return m->variant->place ? find_placed(e, m, kind, p) : DCS_OK;
}

dcs_outcome dcs_find_places(dcs_device_engine *e, const dcs_device_method *m, dcs_memory memory,
                            bool cut, dcs_places *places) {
  dcs_device *device = e->engine.device;
  int64_t resident = dcs_resident_threads(&e->info, m->registers);
  *places = (dcs_places){.memory = memory, .slabs = {.slices = e->shape->n.z}, .copiers = 1};
  if (cut && dcs_slice_bytes(e) > 0 && dcs_ends_with_launches(&m->plan))
    places->slabs = dcs_cut_slabs(&m->plan, e->shape, dcs_slice_bytes(e), resident);
  dcs_status status = device->supports(device, memory);
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_INAPPLICABLE;
  if (status == DCS_OK) status = place(e, m, cut, places);
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_MEMORY;
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

static dcs_status fill_with_nan(dcs_device *device, dcs_ptr ptr, size_t bytes) {
  return ptr ? device->fill(device, ptr, 0xffffffffu, dcs_words(bytes)) : DCS_OK;
}

dcs_status dcs_poison(dcs_device_engine *e, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < DCS_MAX_SCRATCH && !e->kept; s++)
    DCS_TRY(fill_with_nan(device, e->scratch[s].ptr, e->scratch[s].bytes));
  DCS_TRY(fill_with_nan(device, e->fft_work.ptr, e->fft_work.bytes));
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (e->kind->buffers[b].output) DCS_TRY(fill_with_nan(device, p->at[b].ptr, p->at[b].bytes));
  DCS_TRY(device->synchronize(device));
  if (p->stage) memset(p->stage, 0xff, e->stage.bytes);
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (e->kind->buffers[b].output && p->at[b].host && p->at[b].host != p->at[b].view)
      memset(p->at[b].host, 0xff, (size_t)dcs_points(p->at[b].n));
  return DCS_OK;
}
