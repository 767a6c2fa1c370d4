/* The CUDA driver's device: memory and copies. */
#include "harness/device/cuda/device.h"

#if DCS_WITH_CUDA

static dcs_status cuda_alloc(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  DCS_CUDA_ENTER(device, cuda);
  CUdeviceptr address;
  CUresult result = dcs_cuda.cuMemAlloc(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free_now, total;
    DCS_TRY(DCS_CU(cuMemGetInfo, &free_now, &total));
    return dcs_fail(DCS_UNAVAILABLE,
                    "the card's memory is too small: %zu bytes asked, %zu bytes free", bytes,
                    free_now);
  }
  DCS_TRY(dcs_cuda_check("cuMemAlloc", result));
  *ptr = address;
  return DCS_OK;
}

/* A failing free has nobody to tell: the earlier error that is its cause surfaces in synchronize().
 */
static void cuda_release(dcs_device *device, dcs_ptr ptr) {
  dcs_cuda_device *cuda;
  if (ptr && dcs_cuda_enter(device, &cuda) == DCS_OK) dcs_cuda.cuMemFree(ptr);
}

static dcs_status cuda_alloc_host(dcs_device *device, size_t bytes, void **host, dcs_ptr *ptr) {
  CUdeviceptr address;
  DCS_CUDA_ENTER(device, cuda);
  CUresult result = dcs_cuda.cuMemHostAlloc(host, bytes, CU_MEMHOSTALLOC_DEVICEMAP);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return dcs_fail(DCS_UNAVAILABLE, "no %zu bytes of page-locked host memory", bytes);
  DCS_TRY(dcs_cuda_check("cuMemHostAlloc", result));
  dcs_status status = DCS_CU(cuMemHostGetDevicePointer, &address, *host, 0);
  if (status == DCS_OK)
    *ptr = address;
  else
    dcs_cuda.cuMemFreeHost(*host);
  return status;
}

static void cuda_release_host(dcs_device *device, void *host) {
  dcs_cuda_device *cuda;
  if (host && dcs_cuda_enter(device, &cuda) == DCS_OK) dcs_cuda.cuMemFreeHost(host);
}

/* The driver calls memory that it knows nothing of an invalid value. */
static bool cuda_is_locked(dcs_device *device, const void *host) {
  dcs_cuda_device *cuda;
  unsigned type = 0;
  return dcs_cuda_enter(device, &cuda) == DCS_OK &&
         dcs_cuda.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        (CUdeviceptr)(uintptr_t)host) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

static dcs_status cuda_alloc_managed(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  CUdeviceptr address;
  DCS_CUDA_ENTER(device, cuda);
  CUresult result = dcs_cuda.cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return dcs_fail(DCS_UNAVAILABLE, "no %zu bytes of managed memory", bytes);
  DCS_TRY(dcs_cuda_check("cuMemAllocManaged", result));
  *ptr = address;
  return DCS_OK;
}

static dcs_status cuda_prefetch(dcs_device *device, dcs_ptr ptr, size_t bytes, bool to_host) {
  DCS_CUDA_ENTER(device, cuda);
  CUdevice to = to_host ? CU_DEVICE_CPU : cuda->card;
  return dcs_cuda_check("cuMemPrefetchAsync", dcs_cuda.prefetch(ptr, bytes, to, cuda->stream));
}

static dcs_status cuda_supports(dcs_device *device, dcs_memory memory) {
  static const struct {
    CUdevice_attribute attribute;
    const char *lacks;
  } needed[DCS_N_MEMORIES] = {
      [DCS_MAPPED] = {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, "map host memory"},
      [DCS_MANAGED] = {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, "manage memory"},
      [DCS_MANAGED_PREFETCH] = {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                                "move managed memory ahead of use"}};
  int has = 1;
  DCS_CUDA_ENTER(device, cuda);
  if (needed[memory].lacks) DCS_TRY(dcs_cuda_attribute(cuda, needed[memory].attribute, &has));
  if (!has)
    return dcs_fail(DCS_UNAVAILABLE, "this card and driver cannot %s", needed[memory].lacks);
  if (memory == DCS_MANAGED_PREFETCH && !dcs_cuda.prefetch)
    return dcs_fail(DCS_UNAVAILABLE, "the driver's library lacks cuMemPrefetchAsync");
  return DCS_OK;
}

static dcs_status cuda_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuMemcpyHtoDAsync, to, from, bytes, cuda->stream);
}

static dcs_status enqueue_corner(dcs_cuda_device *cuda, void *to, dcs_dims n, dcs_ptr from,
                                 dcs_dims stored) {
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = from,
                        .srcPitch = (size_t)stored.x,
                        .srcHeight = (size_t)stored.y,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = to,
                        .dstPitch = (size_t)n.x,
                        .dstHeight = (size_t)n.y,
                        .WidthInBytes = (size_t)n.x,
                        .Height = (size_t)n.y,
                        .Depth = (size_t)n.z};
  return DCS_CU(cuMemcpy3DAsync, &copy, cuda->stream);
}

static dcs_status cuda_copy_out(dcs_device *device, void *to, dcs_dims n, dcs_ptr from,
                                dcs_dims stored) {
  DCS_CUDA_ENTER(device, cuda);
  size_t bytes = (size_t)n.x * (size_t)n.y * (size_t)n.z;
  if (n.x == stored.x && n.y == stored.y)
    return DCS_CU(cuMemcpyDtoHAsync, to, from, bytes, cuda->stream);
  return enqueue_corner(cuda, to, n, from, stored);
}

static dcs_status cuda_copy(dcs_device *device, dcs_ptr to, dcs_ptr from, size_t bytes) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuMemcpyDtoDAsync, to, from, bytes, cuda->stream);
}

static dcs_status cuda_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuMemsetD32Async, to, pattern, words, cuda->stream);
}

void dcs_cuda_memory_methods(dcs_device *device) {
  device->alloc = cuda_alloc;
  device->release = cuda_release;
  device->alloc_host = cuda_alloc_host;
  device->release_host = cuda_release_host;
  device->is_locked = cuda_is_locked;
  device->alloc_managed = cuda_alloc_managed;
  device->prefetch = cuda_prefetch;
  device->supports = cuda_supports;
  device->copy_in = cuda_copy_in;
  device->copy_out = cuda_copy_out;
  device->copy = cuda_copy;
  device->fill = cuda_fill;
}

#endif
