/* The device interface on the CUDA driver: the card's primary context, its code, streams, events.
 */
#include "harness/device/cuda/device.h"
#include "harness/device/cuda/cufft.h"
#include "harness/device/cuda/language.h"
#include "harness/device/cuda/nvrtc.h"

#if DCS_WITH_CUDA

#include "harness/device/cuda/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dcs_module {
  CUmodule module;
  CUfunction kernel;
  int shared_bytes; /* of the kernel, dynamic */
  dcs_module *next;
};

/* ---- what is known of it ---- */

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
  DCS_CUDA_ENTER(device, cuda);
  *info = (dcs_device_info){0};
  size_t memory;
  int clock_khz, l2;
  DCS_TRY(DCS_CU(cuDeviceGetName, info->name, (int)sizeof info->name, cuda->card));
  DCS_TRY(DCS_CU(cuDeviceTotalMem, &memory, cuda->card));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info->sm_count));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                             &info->sm_threads));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
                             &info->sm_registers));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &clock_khz));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2));
  info->memory_bytes = (int64_t)memory;
  info->cache_bytes = l2;
  info->clock_mhz = clock_khz / 1000;
  return DCS_OK;
}

static dcs_telemetry cuda_telemetry(dcs_device *device, bool energy) {
  return dcs_nvml_read(((const dcs_cuda_device *)device)->uuid, energy);
}

/* ---- code ---- */

static dcs_status capability_of(const dcs_cuda_device *cuda, int *capability) {
  int minor;
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, capability));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
  *capability = 10 * *capability + minor;
  return DCS_OK;
}

static dcs_status cuda_can_run(dcs_device *device, const dcs_source *source) {
  int capability;
  DCS_TRY(capability_of((dcs_cuda_device *)device, &capability));
  return dcs_source_suits(source, capability) ? DCS_OK : DCS_UNAVAILABLE;
}

static dcs_status compile_for_card(const dcs_cuda_device *cuda, const dcs_source *source,
                                   void **image, dcs_code_facts *facts) {
  int capability;
  DCS_TRY(capability_of(cuda, &capability));
  char arch[32];
  snprintf(arch, sizeof arch, "sm_%d", capability);
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

static dcs_status allow_shared(CUfunction kernel, int bytes, dcs_code_facts *facts) {
  if (bytes == 0) return DCS_OK;
  facts->shared_bytes += bytes;
  return DCS_CU(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

static dcs_status load_image(const void *image, dcs_module *module, dcs_code_facts *facts) {
  DCS_TRY(DCS_CU(cuModuleLoadData, &module->module, image));
  dcs_status status = DCS_CU(cuModuleGetFunction, &module->kernel, module->module, "dcs");
  if (status == DCS_OK) status = kernel_facts(module->kernel, facts);
  if (status == DCS_OK) status = allow_shared(module->kernel, module->shared_bytes, facts);
  if (status != DCS_OK) dcs_cuda.cuModuleUnload(module->module);
  return status;
}

static dcs_status cuda_load(dcs_device *device, const dcs_source *source, dcs_module **module,
                            dcs_code_facts *facts) {
  DCS_CUDA_ENTER(device, cuda);
  void *image;
  DCS_TRY(compile_for_card(cuda, source, &image, facts));
  dcs_module *loaded = calloc(1, sizeof *loaded);
  if (loaded) loaded->shared_bytes = source->shared_bytes;
  dcs_status status =
      loaded ? load_image(image, loaded, facts) : dcs_want("no memory to load %s", source->name);
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
  dcs_cuda_device *cuda = (dcs_cuda_device *)device;
  dcs_module **link = &cuda->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link) return;
  *link = module->next;
  if (dcs_cuda_enter(device, &cuda) == DCS_OK) dcs_cuda.cuModuleUnload(module->module);
  free(module);
}

static dcs_status cuda_symbol(dcs_device *device, dcs_module *module, const char *name,
                              dcs_ptr *ptr, size_t *bytes) {
  DCS_CUDA_ENTER(device, cuda);
  CUdeviceptr address;
  CUresult result = dcs_cuda.cuModuleGetGlobal(&address, bytes, module->module, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return dcs_fail(DCS_FAILED, "the kernel's module has no array named \"%s\"", name);
  DCS_TRY(dcs_cuda_check("cuModuleGetGlobal", result));
  *ptr = address;
  return DCS_OK;
}

static dcs_status find_kernel(const dcs_module *module, const char *name, CUfunction *kernel) {
  *kernel = module->kernel;
  if (strcmp(name, "dcs") == 0) return DCS_OK;
  CUresult result = dcs_cuda.cuModuleGetFunction(kernel, module->module, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return dcs_fail(DCS_FAILED, "the module has no kernel named \"%s\"", name);
  return dcs_cuda_check("cuModuleGetFunction", result);
}

static dcs_status cuda_launch(dcs_device *device, dcs_module *module, const char *kernel,
                              const int64_t grid[3], const int block[3], void **args) {
  CUfunction function;
  DCS_TRY(dcs_device_check_launch(&device->kind->launch, grid, block));
  DCS_CUDA_ENTER(device, cuda);
  DCS_TRY(find_kernel(module, kernel, &function));
  const int shared = function == module->kernel ? module->shared_bytes : 0;
  return DCS_CU(cuLaunchKernel, function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                (unsigned)block[0], (unsigned)block[1], (unsigned)block[2], (unsigned)shared,
                cuda->stream, args, NULL);
}

/* ---- time ---- */

static void cuda_select_stream(dcs_device *device, int stream) {
  dcs_cuda_device *cuda = (dcs_cuda_device *)device;
  cuda->stream = cuda->streams[stream];
}

static dcs_status cuda_wait_event(dcs_device *device, int which) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuStreamWaitEvent, cuda->stream, cuda->events[which], 0);
}

static dcs_status cuda_record_event(dcs_device *device, int which) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuEventRecord, cuda->events[which], cuda->stream);
}

static dcs_status cuda_synchronize_event(dcs_device *device, int which) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuEventSynchronize, cuda->events[which]);
}

static dcs_status cuda_elapsed_ns(dcs_device *device, int from, int to, double *ns) {
  DCS_CUDA_ENTER(device, cuda);
  float ms;
  DCS_TRY(DCS_CU(cuEventSynchronize, cuda->events[to]));
  DCS_TRY(DCS_CU(cuEventElapsedTime, &ms, cuda->events[from], cuda->events[to]));
  *ns = (double)ms * 1e6;
  return DCS_OK;
}

static dcs_status cuda_synchronize(dcs_device *device) {
  DCS_CUDA_ENTER(device, cuda);
  for (int q = 0; q < DCS_STREAMS; q++)
    DCS_TRY(DCS_CU(cuStreamSynchronize, cuda->streams[q]));
  return DCS_OK;
}

/* ---- open and close ---- */

static void cuda_close(dcs_device *device) {
  dcs_cuda_device *cuda = (dcs_cuda_device *)device;
  while (cuda->modules)
    cuda_unload(device, cuda->modules);
  if (cuda->context && dcs_cuda_enter(device, &cuda) == DCS_OK) {
    for (int i = 0; i < DCS_EVENTS; i++)
      if (cuda->events[i]) dcs_cuda.cuEventDestroy(cuda->events[i]);
    for (int q = 0; q < DCS_STREAMS; q++)
      if (cuda->streams[q]) dcs_cuda.cuStreamDestroy(cuda->streams[q]);
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

static dcs_status cuda_count(int *count) {
  DCS_TRY(dcs_cuda_driver_open());
  DCS_TRY(DCS_CU(cuDeviceGetCount, count));
  if (*count > 0) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "the CUDA driver is here, but it sees no CUDA device");
}

static dcs_status find_card(int index, CUdevice *card) {
  int count;
  DCS_TRY(cuda_count(&count));
  if (index >= count)
    return dcs_fail(DCS_UNAVAILABLE, "cuda:%d is not on this machine: it has %d CUDA device%s",
                    index, count, count == 1 ? " (cuda:0)" : "s");
  return DCS_CU(cuDeviceGet, card, index);
}

static dcs_status start(dcs_cuda_device *cuda) {
  CUuuid uuid;
  DCS_TRY(DCS_CU(cuDeviceGetUuid, &uuid, cuda->card));
  format_uuid(&uuid, cuda->uuid, sizeof cuda->uuid);
  DCS_TRY(DCS_CU(cuDevicePrimaryCtxRetain, &cuda->context, cuda->card));
  DCS_TRY(DCS_CU(cuCtxSetCurrent, cuda->context));
  for (int q = 0; q < DCS_STREAMS; q++)
    DCS_TRY(DCS_CU(cuStreamCreate, &cuda->streams[q], CU_STREAM_NON_BLOCKING));
  cuda->stream = cuda->streams[0];
  for (int i = 0; i < DCS_EVENTS; i++)
    DCS_TRY(DCS_CU(cuEventCreate, &cuda->events[i], CU_EVENT_DEFAULT));
  return DCS_OK;
}

static const dcs_device cuda_methods = {.info = cuda_info,
                                        .read_facts = dcs_cuda_read_facts,
                                        .telemetry = cuda_telemetry,
                                        .close = cuda_close,
                                        .can_run = cuda_can_run,
                                        .load = cuda_load,
                                        .unload = cuda_unload,
                                        .symbol = cuda_symbol,
                                        .launch = cuda_launch,
                                        .select_stream = cuda_select_stream,
                                        .wait_event = cuda_wait_event,
                                        .record_event = cuda_record_event,
                                        .synchronize_event = cuda_synchronize_event,
                                        .elapsed_ns = cuda_elapsed_ns,
                                        .synchronize = cuda_synchronize};

static dcs_status cuda_open(int index, dcs_device **device) {
  CUdevice card;
  DCS_TRY(find_card(index, &card));
  DCS_TRY(check_versions());
  dcs_cuda_device *cuda = calloc(1, sizeof *cuda);
  if (!cuda) return dcs_fail(DCS_UNAVAILABLE, "no memory to open cuda:%d", index);
  cuda->base = cuda_methods;
  dcs_cuda_fft_methods(&cuda->base);
  dcs_cuda_graph_methods(&cuda->base);
  dcs_cuda_memory_methods(&cuda->base);
  cuda->card = card;
  dcs_status status = start(cuda);
  if (status != DCS_OK)
    cuda_close(&cuda->base);
  else
    *device = &cuda->base;
  return status;
}

#else

static dcs_status cuda_count(int *count) {
  *count = 0;
  return dcs_fail(DCS_UNAVAILABLE, "cuda:all: built without CUDA headers; install the CUDA Toolkit "
                                   "and build again");
}

static dcs_status cuda_open(int index, dcs_device **device) {
  *device = NULL;
  return dcs_fail(DCS_UNAVAILABLE,
                  "cuda:%d: built without CUDA headers; install the CUDA Toolkit and build again",
                  index);
}

static const dcs_device_fact dcs_cuda_facts[] = {{0}};

#endif

const dcs_device_kind dcs_device_cuda = {.prefix = "cuda",
                                         .timed = true,
                                         .language = DCS_CUDA_LANGUAGE,
                                         .launch = DCS_CUDA_LAUNCH,
                                         .facts = dcs_cuda_facts,
                                         .count = cuda_count,
                                         .open = cuda_open,
                                         .compile = dcs_nvrtc_compile,
                                         .list = dcs_cuda_list_code};
