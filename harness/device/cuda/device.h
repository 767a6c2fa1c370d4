/* The CUDA driver's device, in the files that implement it: memory, graphs, facts,
 * everything else. */
#ifndef DCS_DEVICE_CUDA_H
#define DCS_DEVICE_CUDA_H

#include "harness/device/device.h"

#if DCS_WITH_CUDA

#include "harness/device/cuda/driver.h"

typedef struct {
  dcs_device base; /* first: a dcs_device * is this struct's address */
  CUdevice card;
  char uuid[64];     /* "GPU-...", as nvidia-smi prints it */
  CUcontext context; /* NULL until retained */
  CUstream streams[DCS_STREAMS];
  CUstream stream; /* the one selected */
  CUevent events[DCS_EVENTS];
  dcs_module *modules; /* loaded and not unloaded */
} dcs_cuda_device;

/* One thread may hold several devices, so each call makes its own context the current one. */
static inline dcs_status dcs_cuda_enter(dcs_device *device, dcs_cuda_device **cuda) {
  *cuda = (dcs_cuda_device *)device;
  return DCS_CU(cuCtxSetCurrent, (*cuda)->context);
}

/* `cuda` is the device from here on, its context current. */
#define DCS_CUDA_ENTER(device, cuda)                                                               \
  dcs_cuda_device *cuda;                                                                           \
  DCS_TRY(dcs_cuda_enter(device, &cuda))

static inline dcs_status dcs_cuda_attribute(const dcs_cuda_device *cuda, CUdevice_attribute which,
                                            int *value) {
  return DCS_CU(cuDeviceGetAttribute, value, which, cuda->card);
}

/* Fills in the methods that deal with memory: alloc ... supports, copy_in, copy_out, copy, fill. */
void dcs_cuda_memory_methods(dcs_device *device);
/* Fills in begin_capture ... destroy_graph. */
void dcs_cuda_graph_methods(dcs_device *device);

/* Of every card, ended by key NULL. */
extern const dcs_device_fact dcs_cuda_facts[];
dcs_status dcs_cuda_read_facts(dcs_device *device, char values[][DCS_FACT]);

#endif
#endif
