/* Memory of the emulated device: buffers between guards, which show writes outside of them. */
#include "harness/base/machine.h"
#include "harness/device/emulated/device.h"

#include <stdlib.h>
#include <string.h>

/* Buffers begin at multiples of 256 bytes, as a card's do. */
enum { GUARD = 256, GUARD_BYTE = 0xc3 };

/* GUARD bytes, the buffer, GUARD bytes. */
struct dcs_emulated_buffer {
  unsigned char *base;
  size_t bytes;
  dcs_emulated_buffer *next;
};

static bool guard_whole(const unsigned char *guard) {
  for (int i = 0; i < GUARD; i++)
    if (guard[i] != GUARD_BYTE) return false;
  return true;
}

static bool buffer_whole(const dcs_emulated_buffer *b) {
  return guard_whole(b->base) && guard_whole(b->base + GUARD + b->bytes);
}

dcs_status dcs_emulated_check_guards(const dcs_emulated_device *emulated) {
  bool whole = !emulated->released_damaged;
  for (const dcs_emulated_buffer *b = emulated->buffers; b; b = b->next)
    whole = whole && buffer_whole(b);
  if (whole) return DCS_OK;
  return dcs_fail(DCS_FAILED,
                  "kernel wrote outside its buffer: bytes just before or after a buffer "
                  "of the emulated device have changed");
}

static dcs_status emulated_alloc(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  dcs_emulated_device *emulated = dcs_emulated_of(device);
  if (bytes == 0) return dcs_fail(DCS_FAILED, "a buffer of 0 bytes asked; at least 1 is needed");
  dcs_emulated_buffer *b = malloc(sizeof *b);
  /* malloc may promise more than there is, and touching it would then kill the process. */
  const int64_t free_now = dcs_available_memory();
  unsigned char *base = bytes < (size_t)free_now
                            ? aligned_alloc(GUARD, dcs_round_up(bytes, GUARD) + 2 * GUARD)
                            : NULL;
  if (!b || !base) {
    free(b);
    free(base);
    return dcs_fail(DCS_UNAVAILABLE, "memory is too small: %zu bytes asked, %lld bytes free", bytes,
                    (long long)free_now);
  }
  memset(base, GUARD_BYTE, GUARD);
  memset(base + GUARD, DCS_UNWRITTEN_BYTE, bytes);
  memset(base + GUARD + bytes, GUARD_BYTE, GUARD);
  *b = (dcs_emulated_buffer){.base = base, .bytes = bytes, .next = emulated->buffers};
  emulated->buffers = b;
  *ptr = (uintptr_t)(base + GUARD);
  return DCS_OK;
}

static void emulated_release(dcs_device *device, dcs_ptr ptr) {
  dcs_emulated_device *emulated = dcs_emulated_of(device);
  dcs_emulated_buffer **link = &emulated->buffers;
  while (*link && (uintptr_t)((*link)->base + GUARD) != ptr)
    link = &(*link)->next;
  dcs_emulated_buffer *b = *link;
  if (!b) return;
  if (!buffer_whole(b)) emulated->released_damaged = true;
  *link = b->next;
  free(b->base);
  free(b);
}

/* Host and managed memory are buffers like the others: kernels that write outside are seen. */
static dcs_status emulated_alloc_host(dcs_device *device, size_t bytes, void **host, dcs_ptr *ptr) {
  DCS_TRY(emulated_alloc(device, bytes, ptr));
  *host = (void *)(uintptr_t)*ptr;
  return DCS_OK;
}

static void emulated_release_host(dcs_device *device, void *host) {
  emulated_release(device, (uintptr_t)host);
}

static bool emulated_is_locked(dcs_device *device, const void *host) {
  const unsigned char *at = host;
  for (const dcs_emulated_buffer *b = dcs_emulated_of(device)->buffers; b; b = b->next)
    if (at >= b->base + GUARD && at < b->base + GUARD + b->bytes) return true;
  return false;
}

static dcs_status emulated_prefetch(dcs_device *device, dcs_ptr ptr, size_t bytes, bool to_host) {
  (void)device, (void)ptr, (void)bytes, (void)to_host;
  return DCS_OK;
}

static dcs_status emulated_supports(dcs_device *device, dcs_memory memory) {
  (void)device, (void)memory;
  return DCS_OK;
}

static dcs_status emulated_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  dcs_graph *capture = dcs_emulated_of(device)->capture;
  if (capture) return dcs_graph_add(capture, (dcs_graph_node){.to = to, .from = from, .n = bytes});
  memcpy((void *)(uintptr_t)to, from, bytes);
  return DCS_OK;
}

static dcs_status emulated_copy(dcs_device *device, dcs_ptr to, dcs_ptr from, size_t bytes) {
  return emulated_copy_in(device, to, (const void *)(uintptr_t)from, bytes);
}

static dcs_status emulated_copy_out(dcs_device *device, void *to, dcs_dims n, dcs_ptr from,
                                    dcs_dims stored) {
  dcs_pack_corner(to, n, (const void *)(uintptr_t)from, stored);
  return dcs_emulated_check_guards(dcs_emulated_of(device));
}

static dcs_status emulated_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  dcs_graph *capture = dcs_emulated_of(device)->capture;
  if (capture)
    return dcs_graph_add(capture, (dcs_graph_node){.to = to, .pattern = pattern, .n = words});
  uint32_t *word = (uint32_t *)(uintptr_t)to;
  for (size_t i = 0; i < words; i++)
    word[i] = pattern;
  return DCS_OK;
}

bool dcs_emulated_holds(void *context, uint64_t address) {
  for (const dcs_emulated_buffer *b = ((dcs_emulated_device *)context)->buffers; b; b = b->next)
    if (address - (uintptr_t)(b->base + GUARD) < b->bytes) return true;
  return false;
}

void dcs_emulated_release_all(dcs_device *device) {
  dcs_emulated_device *emulated = dcs_emulated_of(device);
  while (emulated->buffers)
    emulated_release(device, (uintptr_t)(emulated->buffers->base + GUARD));
}

void dcs_emulated_memory_methods(dcs_device *device) {
  device->alloc = emulated_alloc;
  device->release = emulated_release;
  device->alloc_host = emulated_alloc_host;
  device->release_host = emulated_release_host;
  device->is_locked = emulated_is_locked;
  device->alloc_managed = emulated_alloc;
  device->prefetch = emulated_prefetch;
  device->supports = emulated_supports;
  device->copy_in = emulated_copy_in;
  device->copy_out = emulated_copy_out;
  device->copy = emulated_copy;
  device->fill = emulated_fill;
}
