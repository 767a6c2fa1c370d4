/* An OpenCL device, in the files that implement it: memory.c, code.c, device.c for everything else.
 *
 * OpenCL names memory by buffers, the device interface by addresses: each buffer gets a range of
 * addresses that nothing else has. */
#ifndef DCS_DEVICE_OPENCL_H
#define DCS_DEVICE_OPENCL_H

#include "harness/device/device.h"
#include "harness/device/opencl/library.h"
#include "harness/device/opencl/translate.h"

typedef struct dcs_opencl_buffer {
  cl_mem memory;
  dcs_ptr ptr;
  size_t bytes;
  void *host; /* page-locked memory: where it is mapped; NULL: device memory */
  struct dcs_opencl_buffer *next;
} dcs_opencl_buffer;

struct dcs_module {
  cl_program program;
  dcs_opencl_text text; /* its arguments; the text itself is freed */
  cl_kernel kernels[DCS_OPENCL_KERNELS];
  dcs_ptr constants[DCS_OPENCL_CONSTANTS];
  dcs_module *next;
};

typedef struct {
  dcs_device base; /* first: a dcs_device * is this struct's address */
  cl_platform_id platform;
  cl_device_id card;
  cl_ulong type; /* bits of CL_DEVICE_TYPE_ */
  cl_context context;
  cl_command_queue queues[DCS_STREAMS];
  cl_command_queue queue; /* the one selected */
  cl_event events[DCS_EVENTS];
  char id[5 * DCS_FACT]; /* platform, device and versions: what code is compiled for */
  size_t constant_bytes; /* of a constant array */
  bool unified;          /* its memory is the host's */
  bool has_doubles;
  dcs_opencl_buffer *buffers;
  dcs_ptr next_ptr;
  dcs_module *modules;
  dcs_graph *capture; /* the graph being captured, or NULL */
} dcs_opencl_device;

static inline dcs_opencl_device *dcs_opencl_of(dcs_device *device) {
  return (dcs_opencl_device *)device;
}

/* ---- memory ---- */

/* Fills in alloc ... supports, copy_in, copy_out, copy, fill. */
void dcs_opencl_memory_methods(dcs_device *device);
/* The buffer that an address is in, and how far; DCS_FAILED: in none. */
dcs_status dcs_opencl_find(const dcs_opencl_device *opencl, dcs_ptr ptr, cl_mem *memory,
                           size_t *offset);

/* ---- code ---- */

/* Whether an OpenCL device that has doubles can run it. */
dcs_status dcs_opencl_can_run(const dcs_source *source);
/* Fills in can_run, load, unload, symbol. */
void dcs_opencl_code_methods(dcs_device *device);
/* The module's kernel of that name: its place among them. */
dcs_status dcs_opencl_find_kernel(const dcs_module *module, const char *name, int *found);
/* How many threads a block of the module's k-th kernel has at most. */
dcs_status dcs_opencl_block_threads(const dcs_opencl_device *opencl, const dcs_module *module,
                                    int k, int *threads);

/* ---- launches ---- */

/* Fills in launch and what captures and launches graphs. */
void dcs_opencl_launch_methods(dcs_device *device);

#endif
