/* The device interface on the CUDA driver: the card's primary context, one stream, some events. */
#include "harness/device/device.h"

#if DCS_WITH_CUDA

#include "harness/device/cuda_driver.h"
#include "harness/device/device_impl.h"
#include "harness/device/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dcs_module {
  CUmodule module;
  CUfunction kernel;
  dcs_module *next;
};

typedef struct {
  dcs_device base; /* first: a dcs_device * is this struct's address */
  CUdevice card;
  CUcontext context; /* NULL until retained */
  CUstream stream;
  CUevent marks[DCS_MARKS];
  dcs_module *modules; /* loaded and not unloaded */
} cuda_device;

/* One thread may hold several devices, so each call makes its own context the current one. */
static dcs_status enter(dcs_device *device, cuda_device **cuda) {
  *cuda = (cuda_device *)device;
  return DCS_CU(cuCtxSetCurrent, (*cuda)->context);
}

/* ---- facts ---- */

static dcs_status attribute(const cuda_device *cuda, CUdevice_attribute which, int *value) {
  return DCS_CU(cuDeviceGetAttribute, value, which, cuda->card);
}

/* As nvidia-smi prints it. */
static void format_uuid(const CUuuid *uuid, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "GPU-");
  for (int i = 0; i < 16; i++) {
    bool dash = i == 4 || i == 6 || i == 8 || i == 10;
    used += (size_t)snprintf(text + used, size - used, "%s%02x", dash ? "-" : "",
                             (unsigned char)uuid->bytes[i]);
  }
}

static dcs_status cuda_info(dcs_device *device, dcs_device_info *info) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  *info = (dcs_device_info){0};
  CUuuid uuid;
  size_t memory;
  int clock_khz, ecc;
  DCS_TRY(DCS_CU(cuDeviceGetName, info->name, (int)sizeof info->name, cuda->card));
  DCS_TRY(DCS_CU(cuDeviceGetUuid, &uuid, cuda->card));
  DCS_TRY(DCS_CU(cuDeviceTotalMem, &memory, cuda->card));
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &info->cc_major));
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &info->cc_minor));
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info->sm_count));
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &clock_khz));
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &ecc));
  DCS_TRY(DCS_CU(cuDriverGetVersion, &info->driver_version));
  DCS_TRY(dcs_nvrtc_version(&info->compiler_version));
  format_uuid(&uuid, info->uuid, sizeof info->uuid);
  info->memory_bytes = (int64_t)memory;
  info->clock_mhz = clock_khz / 1000;
  info->ecc = ecc != 0;
  return DCS_OK;
}

/* ---- memory ---- */

static dcs_status cuda_alloc(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
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

/* A failing free has nobody to tell: the earlier error that is its cause surfaces in wait(). */
static void cuda_release(dcs_device *device, dcs_ptr ptr) {
  cuda_device *cuda;
  if (ptr && enter(device, &cuda) == DCS_OK) dcs_cuda.cuMemFree(ptr);
}

static dcs_status cuda_alloc_host(dcs_device *device, size_t bytes, void **host) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  CUresult result = dcs_cuda.cuMemHostAlloc(host, bytes, 0);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return dcs_fail(DCS_UNAVAILABLE, "no %zu bytes of page-locked host memory", bytes);
  return dcs_cuda_check("cuMemHostAlloc", result);
}

static void cuda_release_host(dcs_device *device, void *host) {
  cuda_device *cuda;
  if (host && enter(device, &cuda) == DCS_OK) dcs_cuda.cuMemFreeHost(host);
}

static dcs_status cuda_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  return DCS_CU(cuMemcpyHtoDAsync, to, from, bytes, cuda->stream);
}

static dcs_status queue_corner(cuda_device *cuda, float *to, dcs_dims n, dcs_ptr from,
                               dcs_dims stored) {
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = from,
                        .srcPitch = (size_t)stored.x * sizeof(float),
                        .srcHeight = (size_t)stored.y,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = to,
                        .dstPitch = (size_t)n.x * sizeof(float),
                        .dstHeight = (size_t)n.y,
                        .WidthInBytes = (size_t)n.x * sizeof(float),
                        .Height = (size_t)n.y,
                        .Depth = (size_t)n.z};
  return DCS_CU(cuMemcpy3DAsync, &copy, cuda->stream);
}

static dcs_status cuda_copy_out(dcs_device *device, float *to, dcs_dims n, dcs_ptr from,
                                dcs_dims stored) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  size_t bytes = (size_t)n.x * (size_t)n.y * (size_t)n.z * sizeof(float);
  if (n.x == stored.x && n.y == stored.y)
    DCS_TRY(DCS_CU(cuMemcpyDtoHAsync, to, from, bytes, cuda->stream));
  else
    DCS_TRY(queue_corner(cuda, to, n, from, stored));
  return DCS_CU(cuStreamSynchronize, cuda->stream);
}

static dcs_status cuda_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  return DCS_CU(cuMemsetD32Async, to, pattern, words, cuda->stream);
}

/* ---- code ---- */

static dcs_status compile_for_card(const cuda_device *cuda, const dcs_source *source, void **image,
                                   dcs_code_facts *facts) {
  int major, minor;
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
  DCS_TRY(attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
  char arch[32];
  snprintf(arch, sizeof arch, "sm_%d%d", major, minor);
  size_t bytes;
  dcs_status status = dcs_nvrtc_compile(source, arch, image, &bytes, facts);
  if (status != DCS_USAGE) return status;
  char why[1024]; /* a copy, because the next failure overwrites the message */
  snprintf(why, sizeof why, "%s", dcs_error_message());
  return dcs_fail(DCS_UNAVAILABLE, "this card needs another version of the CUDA Toolkit: %s", why);
}

static dcs_status kernel_facts(CUfunction kernel, dcs_code_facts *facts) {
  DCS_TRY(DCS_CU(cuFuncGetAttribute, &facts->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel));
  DCS_TRY(DCS_CU(cuFuncGetAttribute, &facts->constant_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
                 kernel));
  return DCS_CU(cuFuncGetAttribute, &facts->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                kernel);
}

static dcs_status load_image(const void *image, dcs_module *module, dcs_code_facts *facts) {
  DCS_TRY(DCS_CU(cuModuleLoadData, &module->module, image));
  dcs_status status = DCS_CU(cuModuleGetFunction, &module->kernel, module->module, "dcs");
  if (status == DCS_OK) status = kernel_facts(module->kernel, facts);
  if (status != DCS_OK) dcs_cuda.cuModuleUnload(module->module);
  return status;
}

static dcs_status cuda_load(dcs_device *device, const dcs_source *source, dcs_module **module,
                            dcs_code_facts *facts) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  void *image;
  DCS_TRY(compile_for_card(cuda, source, &image, facts));
  dcs_module *loaded = calloc(1, sizeof *loaded);
  dcs_status status = loaded ? load_image(image, loaded, facts)
                             : dcs_fail(DCS_UNAVAILABLE, "no memory to load %s", source->name);
  free(image);
  if (status != DCS_OK) {
    free(loaded);
    return status;
  }
  loaded->next = cuda->modules;
  cuda->modules = loaded;
  *module = loaded;
  return DCS_OK;
}

static void cuda_unload(dcs_device *device, dcs_module *module) {
  cuda_device *cuda = (cuda_device *)device;
  dcs_module **link = &cuda->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link) return;
  *link = module->next;
  if (enter(device, &cuda) == DCS_OK) dcs_cuda.cuModuleUnload(module->module);
  free(module);
}

static dcs_status cuda_symbol(dcs_device *device, dcs_module *module, const char *name,
                              dcs_ptr *ptr, size_t *bytes) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  CUdeviceptr address;
  CUresult result = dcs_cuda.cuModuleGetGlobal(&address, bytes, module->module, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return dcs_fail(DCS_FAILED, "the kernel's module has no array named \"%s\"", name);
  DCS_TRY(dcs_cuda_check("cuModuleGetGlobal", result));
  *ptr = address;
  return DCS_OK;
}

static dcs_status cuda_launch(dcs_device *device, dcs_module *module, const int64_t grid[3],
                              const int block[3], void **args) {
  cuda_device *cuda;
  DCS_TRY(dcs_device_check_launch(grid, block));
  DCS_TRY(enter(device, &cuda));
  return DCS_CU(cuLaunchKernel, module->kernel, (unsigned)grid[0], (unsigned)grid[1],
                (unsigned)grid[2], (unsigned)block[0], (unsigned)block[1], (unsigned)block[2], 0,
                cuda->stream, args, NULL);
}

/* ---- time ---- */

static dcs_status cuda_mark(dcs_device *device, int which) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  return DCS_CU(cuEventRecord, cuda->marks[which], cuda->stream);
}

static dcs_status cuda_reach(dcs_device *device, int which) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  return DCS_CU(cuEventSynchronize, cuda->marks[which]);
}

static dcs_status cuda_elapsed_ns(dcs_device *device, double *ns) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  float ms;
  DCS_TRY(DCS_CU(cuEventSynchronize, cuda->marks[1]));
  DCS_TRY(DCS_CU(cuEventElapsedTime, &ms, cuda->marks[0], cuda->marks[1]));
  *ns = (double)ms * 1e6;
  return DCS_OK;
}

static dcs_status cuda_wait(dcs_device *device) {
  cuda_device *cuda;
  DCS_TRY(enter(device, &cuda));
  return DCS_CU(cuStreamSynchronize, cuda->stream);
}

/* ---- open and close ---- */

static void cuda_close(dcs_device *device) {
  cuda_device *cuda = (cuda_device *)device;
  while (cuda->modules)
    cuda_unload(device, cuda->modules);
  if (cuda->context && enter(device, &cuda) == DCS_OK) {
    for (int i = 0; i < DCS_MARKS; i++)
      if (cuda->marks[i]) dcs_cuda.cuEventDestroy(cuda->marks[i]);
    if (cuda->stream) dcs_cuda.cuStreamDestroy(cuda->stream);
  }
  if (cuda->context) dcs_cuda.cuDevicePrimaryCtxRelease(cuda->card);
  free(cuda);
}

/* Code of a newer major version than the driver's does not load. */
static dcs_status check_versions(void) {
  int driver, compiler;
  DCS_TRY(DCS_CU(cuDriverGetVersion, &driver));
  DCS_TRY(dcs_nvrtc_version(&compiler));
  if (driver / 1000 >= compiler / 1000) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "the CUDA driver (for CUDA %d.%d) is too old for the code of the NVRTC found "
                  "here (%d.%d); update the driver, or let CUDA_HOME name an older CUDA Toolkit",
                  driver / 1000, driver % 1000 / 10, compiler / 1000, compiler % 1000 / 10);
}

static dcs_status find_card(int index, CUdevice *card) {
  int count;
  DCS_TRY(DCS_CU(cuDeviceGetCount, &count));
  if (count == 0)
    return dcs_fail(DCS_UNAVAILABLE, "the CUDA driver is here, but it sees no CUDA device");
  if (index >= count)
    return dcs_fail(DCS_UNAVAILABLE, "cuda:%d is not on this machine: it has %d CUDA device%s",
                    index, count, count == 1 ? " (cuda:0)" : "s");
  return DCS_CU(cuDeviceGet, card, index);
}

static dcs_status start(cuda_device *cuda) {
  DCS_TRY(DCS_CU(cuDevicePrimaryCtxRetain, &cuda->context, cuda->card));
  DCS_TRY(DCS_CU(cuCtxSetCurrent, cuda->context));
  DCS_TRY(DCS_CU(cuStreamCreate, &cuda->stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < DCS_MARKS; i++)
    DCS_TRY(DCS_CU(cuEventCreate, &cuda->marks[i], CU_EVENT_DEFAULT));
  return DCS_OK;
}

static const dcs_device cuda_methods = {.timed = true,
                                        .info = cuda_info,
                                        .close = cuda_close,
                                        .alloc = cuda_alloc,
                                        .release = cuda_release,
                                        .alloc_host = cuda_alloc_host,
                                        .release_host = cuda_release_host,
                                        .copy_in = cuda_copy_in,
                                        .copy_out = cuda_copy_out,
                                        .fill = cuda_fill,
                                        .load = cuda_load,
                                        .unload = cuda_unload,
                                        .symbol = cuda_symbol,
                                        .launch = cuda_launch,
                                        .mark = cuda_mark,
                                        .reach = cuda_reach,
                                        .elapsed_ns = cuda_elapsed_ns,
                                        .wait = cuda_wait};

dcs_status dcs_device_cuda_open(int index, dcs_device **device) {
  CUdevice card;
  DCS_TRY(dcs_cuda_driver_open());
  DCS_TRY(find_card(index, &card));
  DCS_TRY(check_versions());
  cuda_device *cuda = calloc(1, sizeof *cuda);
  if (!cuda) return dcs_fail(DCS_UNAVAILABLE, "no memory to open cuda:%d", index);
  cuda->base = cuda_methods;
  cuda->card = card;
  dcs_status status = start(cuda);
  if (status != DCS_OK)
    cuda_close(&cuda->base);
  else
    *device = &cuda->base;
  return status;
}

#else

dcs_status dcs_device_cuda_open(int index, dcs_device **device) {
  *device = NULL;
  return dcs_fail(DCS_UNAVAILABLE,
                  "cuda:%d: built without CUDA headers; install the CUDA Toolkit and build again",
                  index);
}

#endif
