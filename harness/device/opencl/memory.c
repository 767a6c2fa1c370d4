/* An OpenCL device: memory and copies. */
#include "harness/device/opencl/device.h"

#include "harness/base/machine.h"
#include "harness/device/graph.h"

#include <stdlib.h>

/* Where addresses begin, far from those of the host, and what lies between two buffers. */
enum { GAP = 256 };
static const dcs_ptr first_ptr = (dcs_ptr)1 << 56;

dcs_status dcs_opencl_find(const dcs_opencl_device *opencl, dcs_ptr ptr, cl_mem *memory,
                           size_t *offset) {
  for (const dcs_opencl_buffer *b = opencl->buffers; b; b = b->next) {
    if (ptr - b->ptr >= b->bytes) continue;
    *memory = b->memory;
    *offset = ptr - b->ptr;
    return DCS_OK;
  }
  return dcs_fail(DCS_FAILED, "address %llx is in no buffer of the device",
                  (unsigned long long)ptr);
}

/* A device whose memory is the host's promises more than there is, and touching it would kill the
 * process. */
static dcs_status check_free(const dcs_opencl_device *opencl, size_t bytes) {
  const int64_t free_now = opencl->unified ? dcs_available_memory() : INT64_MAX;
  if (bytes < (uint64_t)free_now) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "memory is too small: %zu bytes asked, %lld bytes free", bytes,
                  (long long)free_now);
}

static dcs_status create(dcs_opencl_device *opencl, size_t bytes, cl_ulong flags,
                         dcs_opencl_buffer **made) {
  cl_int result;
  DCS_TRY(check_free(opencl, bytes));
  dcs_opencl_buffer *b = calloc(1, sizeof *b);
  if (!b) return dcs_want("no memory for a buffer");
  b->bytes = bytes;
  b->memory =
      dcs_opencl.clCreateBuffer(opencl->context, CL_MEM_READ_WRITE | flags, bytes, NULL, &result);
  const dcs_status status = dcs_opencl_check("clCreateBuffer", result);
  if (status != DCS_OK) {
    free(b);
    return status;
  }
  if (!opencl->next_ptr) opencl->next_ptr = first_ptr;
  b->ptr = opencl->next_ptr;
  opencl->next_ptr += (dcs_ptr)dcs_round_up((int64_t)bytes, GAP) + GAP;
  b->next = opencl->buffers;
  opencl->buffers = b;
  *made = b;
  return DCS_OK;
}

static dcs_status opencl_alloc(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  dcs_opencl_buffer *b;
  DCS_TRY(create(dcs_opencl_of(device), bytes, 0, &b));
  *ptr = b->ptr;
  return DCS_OK;
}

static void release(dcs_opencl_device *opencl, dcs_opencl_buffer **link) {
  dcs_opencl_buffer *b = *link;
  *link = b->next;
  if (b->host)
    dcs_opencl.clEnqueueUnmapMemObject(opencl->queues[0], b->memory, b->host, 0, NULL, NULL);
  dcs_opencl.clReleaseMemObject(b->memory);
  free(b);
}

static void opencl_release(dcs_device *device, dcs_ptr ptr) {
  dcs_opencl_buffer **link = &dcs_opencl_of(device)->buffers;
  while (*link && (*link)->ptr != ptr)
    link = &(*link)->next;
  if (*link) release(dcs_opencl_of(device), link);
}

/* A buffer that the driver keeps on the host, mapped as long as it lives. Its address names it, but
 * kernels cannot use it. */
static dcs_status opencl_alloc_host(dcs_device *device, size_t bytes, void **host, dcs_ptr *ptr) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  dcs_opencl_buffer *b;
  cl_int result;
  DCS_TRY(create(opencl, bytes, CL_MEM_ALLOC_HOST_PTR, &b));
  *host = b->host = dcs_opencl.clEnqueueMapBuffer(
      opencl->queues[0], b->memory, 1, CL_MAP_READ_AND_WRITE, 0, bytes, 0, NULL, NULL, &result);
  const dcs_status status = dcs_opencl_check("clEnqueueMapBuffer", result);
  if (status != DCS_OK) {
    b->host = NULL;
    opencl_release(device, b->ptr);
    return status;
  }
  *ptr = b->ptr;
  return DCS_OK;
}

static void opencl_release_host(dcs_device *device, void *host) {
  dcs_opencl_buffer **link = &dcs_opencl_of(device)->buffers;
  while (*link && (!host || (*link)->host != host))
    link = &(*link)->next;
  if (*link) release(dcs_opencl_of(device), link);
}

static bool opencl_is_locked(dcs_device *device, const void *host) {
  for (const dcs_opencl_buffer *b = dcs_opencl_of(device)->buffers; b; b = b->next)
    if (b->host && (uintptr_t)host - (uintptr_t)b->host < b->bytes) return true;
  return false;
}

static dcs_status no_memory_of(dcs_memory memory) {
  return dcs_fail(DCS_UNAVAILABLE,
                  "kernels of OpenCL devices work in the device's memory alone: found memory %s; "
                  "expected %s or %s",
                  dcs_memory_name(memory), dcs_memory_name(DCS_PAGEABLE),
                  dcs_memory_name(DCS_PINNED));
}

static dcs_status opencl_supports(dcs_device *device, dcs_memory memory) {
  (void)device;
  return memory == DCS_PAGEABLE || memory == DCS_PINNED ? DCS_OK : no_memory_of(memory);
}

static dcs_status opencl_alloc_managed(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  (void)device, (void)bytes, (void)ptr;
  return no_memory_of(DCS_MANAGED);
}

static dcs_status opencl_prefetch(dcs_device *device, dcs_ptr ptr, size_t bytes, bool to_host) {
  (void)device, (void)ptr, (void)bytes, (void)to_host;
  return no_memory_of(DCS_MANAGED_PREFETCH);
}

/* ---- copies ---- */

/* From ordinary memory, the call waits until that may be reused. */
static dcs_status opencl_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  cl_mem memory;
  size_t offset;
  if (opencl->capture)
    return dcs_graph_add(opencl->capture, (dcs_graph_node){.to = to, .from = from, .n = bytes});
  DCS_TRY(dcs_opencl_find(opencl, to, &memory, &offset));
  return DCS_CL(clEnqueueWriteBuffer, opencl->queue, memory, !opencl_is_locked(device, from),
                offset, bytes, from, 0, NULL, NULL);
}

/* Whatever the memory on the host is: all of it is enqueued. */
static dcs_status opencl_copy_out(dcs_device *device, void *to, dcs_dims n, dcs_ptr from,
                                  dcs_dims stored) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  cl_mem memory;
  size_t offset;
  DCS_TRY(dcs_opencl_find(opencl, from, &memory, &offset));
  if (n.x == stored.x && n.y == stored.y)
    return DCS_CL(clEnqueueReadBuffer, opencl->queue, memory, 0, offset, (size_t)(n.x * n.y * n.z),
                  to, 0, NULL, NULL);
  const size_t row = (size_t)stored.x, layer = (size_t)(stored.x * stored.y);
  const size_t start[3] = {offset % row, offset % layer / row, offset / layer}, zero[3] = {0};
  const size_t region[3] = {(size_t)n.x, (size_t)n.y, (size_t)n.z};
  return DCS_CL(clEnqueueReadBufferRect, opencl->queue, memory, 0, start, zero, region, row, layer,
                (size_t)n.x, (size_t)(n.x * n.y), to, 0, NULL, NULL);
}

static dcs_status opencl_copy(dcs_device *device, dcs_ptr to, dcs_ptr from, size_t bytes) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  cl_mem source, target;
  size_t at, offset;
  if (opencl->capture)
    return dcs_graph_add(opencl->capture, (dcs_graph_node){.to = to, .within = from, .n = bytes});
  DCS_TRY(dcs_opencl_find(opencl, from, &source, &at));
  DCS_TRY(dcs_opencl_find(opencl, to, &target, &offset));
  return DCS_CL(clEnqueueCopyBuffer, opencl->queue, source, target, at, offset, bytes, 0, NULL,
                NULL);
}

static dcs_status opencl_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  cl_mem memory;
  size_t offset;
  if (opencl->capture)
    return dcs_graph_add(opencl->capture,
                         (dcs_graph_node){.to = to, .pattern = pattern, .n = words});
  if (words == 0) return DCS_OK;
  DCS_TRY(dcs_opencl_find(opencl, to, &memory, &offset));
  return DCS_CL(clEnqueueFillBuffer, opencl->queue, memory, &pattern, sizeof pattern, offset,
                words * sizeof pattern, 0, NULL, NULL);
}

void dcs_opencl_memory_methods(dcs_device *device) {
  device->alloc = opencl_alloc;
  device->release = opencl_release;
  device->alloc_host = opencl_alloc_host;
  device->release_host = opencl_release_host;
  device->is_locked = opencl_is_locked;
  device->alloc_managed = opencl_alloc_managed;
  device->prefetch = opencl_prefetch;
  device->supports = opencl_supports;
  device->copy_in = opencl_copy_in;
  device->copy_out = opencl_copy_out;
  device->copy = opencl_copy;
  device->fill = opencl_fill;
}
