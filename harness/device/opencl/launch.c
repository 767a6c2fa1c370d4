/* An OpenCL device: launches, and graphs of them, which OpenCL 1.2 has none of: they are carried
 * out one by one. */
#include "harness/device/opencl/device.h"

#include "harness/device/graph.h"

#include <limits.h>
#include <string.h>

dcs_status dcs_opencl_find_kernel(const dcs_module *module, const char *name, int *found) {
  for (*found = 0; *found < module->text.n_kernels; (*found)++)
    if (strcmp(module->text.kernels[*found].name, name) == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "the module has no kernel named \"%s\"", name);
}

/* ---- arguments ---- */

static dcs_status set_pointer(const dcs_opencl_device *opencl, cl_kernel kernel, cl_uint at,
                              dcs_ptr ptr) {
  cl_mem memory = NULL; /* of no address: a pointer that is NULL */
  size_t within = 0;
  if (ptr) DCS_TRY(dcs_opencl_find(opencl, ptr, &memory, &within));
  const int64_t offset = (int64_t)within;
  DCS_TRY(DCS_CL(clSetKernelArg, kernel, at, sizeof(void *), &memory));
  return DCS_CL(clSetKernelArg, kernel, at + 1, sizeof offset, &offset);
}

static dcs_status set_arguments(const dcs_opencl_device *opencl, const dcs_module *module, int k,
                                void **args) {
  const dcs_opencl_kernel *kernel = &module->text.kernels[k];
  cl_uint at = 0;
  for (int a = 0; a < kernel->n_args; a++) {
    if (kernel->args[a].pointer) {
      DCS_TRY(set_pointer(opencl, module->kernels[k], at, *(dcs_ptr *)args[a]));
      at += 2;
    } else {
      DCS_TRY(
          DCS_CL(clSetKernelArg, module->kernels[k], at++, (size_t)kernel->args[a].bytes, args[a]));
    }
  }
  for (int c = 0; c < module->text.n_constants; c++) {
    cl_mem memory;
    size_t none;
    DCS_TRY(dcs_opencl_find(opencl, module->constants[c], &memory, &none));
    DCS_TRY(DCS_CL(clSetKernelArg, module->kernels[k], at++, sizeof(void *), &memory));
  }
  return DCS_OK;
}

/* ---- launches ---- */

dcs_status dcs_opencl_block_threads(const dcs_opencl_device *opencl, const dcs_module *module,
                                    int k, int *threads) {
  size_t most;
  DCS_TRY(DCS_CL(clGetKernelWorkGroupInfo, module->kernels[k], opencl->card,
                 CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  *threads = most < INT_MAX ? (int)most : INT_MAX;
  return DCS_OK;
}

static dcs_status check_group(const dcs_opencl_device *opencl, const dcs_module *module, int k,
                              const int block[3]) {
  int most;
  const int64_t threads = (int64_t)block[0] * block[1] * block[2];
  DCS_TRY(dcs_opencl_block_threads(opencl, module, k, &most));
  if (threads <= most) return DCS_OK;
  return dcs_fail(DCS_FAILED, "launch refused: a block has %lld threads; at most %d of %s fit",
                  (long long)threads, most, module->text.kernels[k].name);
}

static dcs_status capture_launch(dcs_opencl_device *opencl, dcs_module *module, const char *name,
                                 int k, const int64_t grid[3], const int block[3], void **args) {
  const dcs_opencl_kernel *kernel = &module->text.kernels[k];
  size_t sizes[DCS_MAX_ARGS + 1] = {0};
  for (int a = 0; a < kernel->n_args; a++)
    sizes[a] = kernel->args[a].pointer ? sizeof(dcs_ptr) : (size_t)kernel->args[a].bytes;
  return dcs_graph_add_launch(opencl->capture, module, name, grid, block, args, sizes);
}

static dcs_status opencl_launch(dcs_device *device, dcs_module *module, const char *name,
                                const int64_t grid[3], const int block[3], void **args) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  size_t global[3], local[3];
  int k;
  DCS_TRY(dcs_device_check_launch(&device->kind->launch, grid, block));
  DCS_TRY(dcs_opencl_find_kernel(module, name, &k));
  DCS_TRY(check_group(opencl, module, k, block));
  if (opencl->capture) return capture_launch(opencl, module, name, k, grid, block, args);
  DCS_TRY(set_arguments(opencl, module, k, args));
  for (int d = 0; d < 3; d++) {
    local[d] = (size_t)block[d];
    global[d] = (size_t)grid[d] * local[d];
  }
  return DCS_CL(clEnqueueNDRangeKernel, opencl->queue, module->kernels[k], 3, NULL, global, local,
                0, NULL, NULL);
}

/* ---- graphs ---- */

static dcs_status opencl_begin_capture(dcs_device *device) {
  return dcs_graph_begin(&dcs_opencl_of(device)->capture);
}

static dcs_status opencl_end_capture(dcs_device *device, dcs_graph **graph) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  *graph = opencl->capture;
  opencl->capture = NULL;
  return DCS_OK;
}

void dcs_opencl_launch_methods(dcs_device *device) {
  device->launch = opencl_launch;
  device->begin_capture = opencl_begin_capture;
  device->end_capture = opencl_end_capture;
  device->launch_graph = dcs_graph_launch;
  device->destroy_graph = dcs_graph_destroy;
}
