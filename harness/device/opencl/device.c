/* An OpenCL device: what is known of it, queues, events; opening and closing. */
#include "harness/device/opencl/device.h"

#include "harness/device/cuda/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is known of it ---- */

#define GET(opencl, what, value)                                                                   \
  DCS_CL(clGetDeviceInfo, (opencl)->card, what, sizeof(value), &(value), NULL)

/* Longer ones are cut, which is no success of OpenCL's. */
static dcs_status device_text(const dcs_opencl_device *opencl, cl_uint what, char text[DCS_FACT]) {
  char whole[1024] = "";
  DCS_TRY(DCS_CL(clGetDeviceInfo, opencl->card, what, sizeof whole - 1, whole, NULL));
  snprintf(text, DCS_FACT, "%.*s", DCS_FACT - 1, whole);
  return DCS_OK;
}

static dcs_status platform_text(const dcs_opencl_device *opencl, cl_uint what,
                                char text[DCS_FACT]) {
  char whole[1024] = "";
  DCS_TRY(DCS_CL(clGetPlatformInfo, opencl->platform, what, sizeof whole - 1, whole, NULL));
  snprintf(text, DCS_FACT, "%.*s", DCS_FACT - 1, whole);
  return DCS_OK;
}

/* The name says that it is OpenCL's: what was measured by CUDA on the same card is another
 * device's. Registers and how many threads a compute unit holds are no words of OpenCL: a
 * work-group at least.
 */
static dcs_status opencl_info(dcs_device *device, dcs_device_info *info) {
  const dcs_opencl_device *opencl = dcs_opencl_of(device);
  cl_uint units, mhz;
  cl_ulong memory, cache;
  size_t group;
  char name[DCS_FACT];
  *info = (dcs_device_info){0};
  DCS_TRY(device_text(opencl, CL_DEVICE_NAME, name));
  snprintf(info->name, sizeof info->name, "%s: %.100s",
           opencl->type & CL_DEVICE_TYPE_CPU ? "OpenCL on a CPU" : "OpenCL", name);
  DCS_TRY(GET(opencl, CL_DEVICE_MAX_COMPUTE_UNITS, units));
  DCS_TRY(GET(opencl, CL_DEVICE_MAX_WORK_GROUP_SIZE, group));
  DCS_TRY(GET(opencl, CL_DEVICE_MAX_CLOCK_FREQUENCY, mhz));
  DCS_TRY(GET(opencl, CL_DEVICE_GLOBAL_MEM_SIZE, memory));
  DCS_TRY(GET(opencl, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cache));
  info->sm_count = (int)units;
  info->sm_threads = (int)group;
  info->clock_mhz = (int)mhz;
  info->memory_bytes = (int64_t)memory;
  info->cache_bytes = (int64_t)cache;
  info->vectorises = opencl->type & CL_DEVICE_TYPE_CPU;
  return DCS_OK;
}

enum { NAME, TYPE, PLATFORM, PLATFORM_VERSION, VERSION, DRIVER, UNITS, CLOCK, MEMORY, N_FACTS };

static const dcs_device_fact facts[] = {[NAME] = {"gpu_name", true},
                                        [TYPE] = {"gpu_type", false},
                                        [PLATFORM] = {"opencl_platform", true},
                                        [PLATFORM_VERSION] = {"opencl_platform_version", true},
                                        [VERSION] = {"opencl_device_version", true},
                                        [DRIVER] = {"opencl_driver", true},
                                        [UNITS] = {"gpu_sm_count", false},
                                        [CLOCK] = {"gpu_max_clock_mhz", false},
                                        [MEMORY] = {"gpu_memory_bytes", false},
                                        [N_FACTS] = {0}};

static dcs_status opencl_read_facts(dcs_device *device, char values[][DCS_FACT]) {
  const dcs_opencl_device *opencl = dcs_opencl_of(device);
  dcs_device_info info;
  DCS_TRY(opencl_info(device, &info));
  snprintf(values[NAME], DCS_FACT, "%s", info.name);
  snprintf(values[TYPE], DCS_FACT, "%s",
           opencl->type & CL_DEVICE_TYPE_CPU   ? "CPU"
           : opencl->type & CL_DEVICE_TYPE_GPU ? "GPU"
                                               : "accelerator");
  DCS_TRY(platform_text(opencl, CL_PLATFORM_NAME, values[PLATFORM]));
  DCS_TRY(platform_text(opencl, CL_PLATFORM_VERSION, values[PLATFORM_VERSION]));
  DCS_TRY(device_text(opencl, CL_DEVICE_VERSION, values[VERSION]));
  DCS_TRY(device_text(opencl, CL_DRIVER_VERSION, values[DRIVER]));
  snprintf(values[UNITS], DCS_FACT, "%d", info.sm_count);
  if (info.clock_mhz) snprintf(values[CLOCK], DCS_FACT, "%d", info.clock_mhz);
  snprintf(values[MEMORY], DCS_FACT, "%lld", (long long)info.memory_bytes);
  return DCS_OK;
}

static dcs_telemetry opencl_telemetry(dcs_device *device, bool energy) {
  (void)device;
  (void)energy;
  return dcs_telemetry_unknown();
}

/* ---- Fourier transforms ---- */

static dcs_status opencl_has_fft(dcs_device *device) {
  (void)device;
  return dcs_fail(DCS_UNAVAILABLE, "OpenCL has no library for Fourier transforms");
}

static dcs_status opencl_make_fft(dcs_device *device, const dcs_fft *fft, bool in_place,
                                  dcs_device_fft **made, size_t *work_bytes) {
  (void)fft, (void)in_place, (void)made, (void)work_bytes;
  return opencl_has_fft(device);
}

static dcs_status opencl_run_fft(dcs_device *device, const dcs_device_fft *fft, dcs_ptr from,
                                 dcs_ptr to, dcs_ptr work) {
  (void)fft, (void)from, (void)to, (void)work;
  return opencl_has_fft(device);
}

static void opencl_free_fft(dcs_device *device, dcs_device_fft *fft) {
  (void)device, (void)fft; /* none was made */
}

/* ---- streams and time ---- */

static void opencl_select_stream(dcs_device *device, int stream) {
  dcs_opencl_of(device)->queue = dcs_opencl_of(device)->queues[stream];
}

/* Others may wait for it: what it is behind must be on its way. */
static dcs_status opencl_record_event(dcs_device *device, int which) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  if (opencl->events[which]) dcs_opencl.clReleaseEvent(opencl->events[which]);
  opencl->events[which] = NULL;
  DCS_TRY(DCS_CL(clEnqueueMarkerWithWaitList, opencl->queue, 0, NULL, &opencl->events[which]));
  return DCS_CL(clFlush, opencl->queue);
}

static dcs_status opencl_wait_event(dcs_device *device, int which) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  if (!opencl->events[which]) return DCS_OK;
  return DCS_CL(clEnqueueBarrierWithWaitList, opencl->queue, 1, &opencl->events[which], NULL);
}

static dcs_status opencl_synchronize_event(dcs_device *device, int which) {
  const dcs_opencl_device *opencl = dcs_opencl_of(device);
  return opencl->events[which] ? DCS_CL(clWaitForEvents, 1, &opencl->events[which]) : DCS_OK;
}

/* When what came before the event had ended. */
static dcs_status ended(const dcs_opencl_device *opencl, int which, cl_ulong *ns) {
  return DCS_CL(clGetEventProfilingInfo, opencl->events[which], CL_PROFILING_COMMAND_END,
                sizeof *ns, ns, NULL);
}

static dcs_status opencl_elapsed_ns(dcs_device *device, int from, int to, double *ns) {
  cl_ulong begin, end;
  DCS_TRY(opencl_synchronize_event(device, from));
  DCS_TRY(opencl_synchronize_event(device, to));
  DCS_TRY(ended(dcs_opencl_of(device), from, &begin));
  DCS_TRY(ended(dcs_opencl_of(device), to, &end));
  *ns = end > begin ? (double)(end - begin) : 0;
  return DCS_OK;
}

static dcs_status opencl_synchronize(dcs_device *device) {
  for (int q = 0; q < DCS_STREAMS; q++)
    DCS_TRY(DCS_CL(clFinish, dcs_opencl_of(device)->queues[q]));
  return DCS_OK;
}

/* ---- open and close ---- */

enum { MOST = 64 }; /* platforms; devices of all of them */

/* The nth device of all platforms, in their order; *n is what remains of it: 0 where it was found.
 */
static dcs_status find_card(int *n, cl_platform_id *platform, cl_device_id *card) {
  cl_platform_id platforms[MOST];
  cl_device_id cards[MOST];
  cl_uint n_platforms = 0, n_cards;
  cl_int result = dcs_opencl.clGetPlatformIDs(MOST, platforms, &n_platforms);
  if (result != CL_PLATFORM_NOT_FOUND_KHR) DCS_TRY(dcs_opencl_check("clGetPlatformIDs", result));
  for (cl_uint p = 0; p < n_platforms && p < MOST; p++) {
    n_cards = 0;
    result = dcs_opencl.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, cards, &n_cards);
    if (result == CL_DEVICE_NOT_FOUND) continue;
    DCS_TRY(dcs_opencl_check("clGetDeviceIDs", result));
    if (n_cards > MOST) n_cards = MOST;
    if (*n < (int)n_cards) {
      *platform = platforms[p];
      *card = cards[*n];
      *n = 0;
      return DCS_OK;
    }
    *n -= (int)n_cards;
  }
  return dcs_fail(DCS_UNAVAILABLE, "the OpenCL library is here, but no device of that number");
}

static dcs_status opencl_count(int *count) {
  cl_platform_id platform;
  cl_device_id card;
  int left = MOST * MOST;
  DCS_TRY(dcs_opencl_open_library());
  const dcs_status status = find_card(&left, &platform, &card);
  *count = MOST * MOST - left;
  if (status == DCS_FAILED) return status;
  if (*count > 0) return DCS_OK;
  return dcs_fail(
      DCS_UNAVAILABLE,
      "the OpenCL library is here, but it sees no device: install the driver of one, as "
      "pocl-opencl-icd for CPUs");
}

/* What code is compiled for, and the limits that memory and code need. */
static dcs_status look_at(dcs_opencl_device *opencl) {
  char text[4][DCS_FACT];
  enum { MOST_CONSTANT = 1 << 16 }; /* what CUDA has of it */
  cl_ulong doubles, constant;
  cl_uint unified, compiler;
  DCS_TRY(platform_text(opencl, CL_PLATFORM_NAME, text[0]));
  DCS_TRY(platform_text(opencl, CL_PLATFORM_VERSION, text[1]));
  DCS_TRY(device_text(opencl, CL_DEVICE_NAME, text[2]));
  DCS_TRY(device_text(opencl, CL_DRIVER_VERSION, text[3]));
  snprintf(opencl->id, sizeof opencl->id, "%s; %s; %s; %s", text[0], text[1], text[2], text[3]);
  DCS_TRY(GET(opencl, CL_DEVICE_TYPE, opencl->type));
  DCS_TRY(GET(opencl, CL_DEVICE_DOUBLE_FP_CONFIG, doubles));
  DCS_TRY(GET(opencl, CL_DEVICE_HOST_UNIFIED_MEMORY, unified));
  DCS_TRY(GET(opencl, CL_DEVICE_COMPILER_AVAILABLE, compiler));
  DCS_TRY(GET(opencl, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, constant));
  opencl->has_doubles = doubles != 0;
  opencl->unified = unified != 0;
  opencl->constant_bytes = constant < MOST_CONSTANT ? (size_t)constant : MOST_CONSTANT;
  if (compiler) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "%s has no compiler for OpenCL C", opencl->id);
}

static dcs_status start(dcs_opencl_device *opencl) {
  cl_int result;
  DCS_TRY(look_at(opencl));
  opencl->context = dcs_opencl.clCreateContext(NULL, 1, &opencl->card, NULL, NULL, &result);
  DCS_TRY(dcs_opencl_check("clCreateContext", result));
  for (int q = 0; q < DCS_STREAMS; q++) {
    opencl->queues[q] = dcs_opencl.clCreateCommandQueue(opencl->context, opencl->card,
                                                        CL_QUEUE_PROFILING_ENABLE, &result);
    DCS_TRY(dcs_opencl_check("clCreateCommandQueue", result));
  }
  opencl->queue = opencl->queues[0];
  return DCS_OK;
}

static void opencl_close(dcs_device *device) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  while (opencl->modules)
    device->unload(device, opencl->modules);
  while (opencl->buffers)
    device->release(device, opencl->buffers->ptr);
  for (int i = 0; i < DCS_EVENTS; i++)
    if (opencl->events[i]) dcs_opencl.clReleaseEvent(opencl->events[i]);
  for (int q = 0; q < DCS_STREAMS; q++)
    if (opencl->queues[q]) dcs_opencl.clReleaseCommandQueue(opencl->queues[q]);
  if (opencl->context) dcs_opencl.clReleaseContext(opencl->context);
  free(opencl);
}

static const dcs_device methods = {.info = opencl_info,
                                   .read_facts = opencl_read_facts,
                                   .telemetry = opencl_telemetry,
                                   .close = opencl_close,
                                   .has_fft = opencl_has_fft,
                                   .make_fft = opencl_make_fft,
                                   .run_fft = opencl_run_fft,
                                   .free_fft = opencl_free_fft,
                                   .select_stream = opencl_select_stream,
                                   .wait_event = opencl_wait_event,
                                   .record_event = opencl_record_event,
                                   .synchronize_event = opencl_synchronize_event,
                                   .elapsed_ns = opencl_elapsed_ns,
                                   .synchronize = opencl_synchronize};

static dcs_status opencl_open(int index, dcs_device **device) {
  int count, left = index;
  DCS_TRY(opencl_count(&count));
  if (index >= count)
    return dcs_fail(DCS_UNAVAILABLE, "opencl:%d is not on this machine: it has %d OpenCL device%s",
                    index, count, count == 1 ? " (opencl:0)" : "s");
  dcs_opencl_device *opencl = calloc(1, sizeof *opencl);
  if (!opencl) return dcs_fail(DCS_UNAVAILABLE, "no memory to open opencl:%d", index);
  opencl->base = methods;
  dcs_opencl_memory_methods(&opencl->base);
  dcs_opencl_code_methods(&opencl->base);
  dcs_opencl_launch_methods(&opencl->base);
  dcs_status status = find_card(&left, &opencl->platform, &opencl->card);
  if (status == DCS_OK) status = start(opencl);
  if (status != DCS_OK)
    opencl_close(&opencl->base);
  else
    *device = &opencl->base;
  return status;
}

const dcs_device_kind dcs_device_opencl = {.prefix = "opencl",
                                           .timed = true,
                                           .language = DCS_CUDA_LANGUAGE,
                                           .launch = DCS_CUDA_LAUNCH,
                                           .facts = facts,
                                           .count = opencl_count,
                                           .open = opencl_open,
                                           .can_run = dcs_opencl_can_run};
