/* The CUDA driver library, opened at run time, as a table of functions. Empty in a build without
 * the CUDA Toolkit's headers. */
#ifndef DCS_CUDA_DRIVER_H
#define DCS_CUDA_DRIVER_H

#if DCS_WITH_CUDA

#include "kernels/status.h"

#include <cuda.h>

/* Function (for its type) and symbol. The symbols are written out, because cuda.h maps a name to
 * the newest symbol of its own version, which an older driver may lack although an older symbol of
 * the same type does the same. */
#define DCS_CUDA_FUNCTIONS(X)                                                                      \
  X(cuInit, "cuInit")                                                                              \
  X(cuDriverGetVersion, "cuDriverGetVersion")                                                      \
  X(cuGetErrorName, "cuGetErrorName")                                                              \
  X(cuGetErrorString, "cuGetErrorString")                                                          \
  X(cuDeviceGetCount, "cuDeviceGetCount")                                                          \
  X(cuDeviceGet, "cuDeviceGet")                                                                    \
  X(cuDeviceGetName, "cuDeviceGetName")                                                            \
  X(cuDeviceGetUuid, "cuDeviceGetUuid")                                                            \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute")                                                  \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2")                                                       \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                          \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")                                     \
  X(cuCtxSetCurrent, "cuCtxSetCurrent")                                                            \
  X(cuStreamCreate, "cuStreamCreate")                                                              \
  X(cuStreamDestroy, "cuStreamDestroy_v2")                                                         \
  X(cuStreamSynchronize, "cuStreamSynchronize")                                                    \
  X(cuEventCreate, "cuEventCreate")                                                                \
  X(cuEventDestroy, "cuEventDestroy_v2")                                                           \
  X(cuEventRecord, "cuEventRecord")                                                                \
  X(cuEventSynchronize, "cuEventSynchronize")                                                      \
  X(cuStreamWaitEvent, "cuStreamWaitEvent")                                                        \
  X(cuEventElapsedTime, "cuEventElapsedTime")                                                      \
  X(cuMemGetInfo, "cuMemGetInfo_v2")                                                               \
  X(cuMemAlloc, "cuMemAlloc_v2")                                                                   \
  X(cuMemFree, "cuMemFree_v2")                                                                     \
  X(cuMemHostAlloc, "cuMemHostAlloc")                                                              \
  X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")                                     \
  X(cuMemAllocManaged, "cuMemAllocManaged")                                                        \
  X(cuPointerGetAttribute, "cuPointerGetAttribute")                                                \
  X(cuMemFreeHost, "cuMemFreeHost")                                                                \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                                                     \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                                                     \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                                                     \
  X(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2")                                                         \
  X(cuMemsetD32Async, "cuMemsetD32Async")                                                          \
  X(cuModuleLoadData, "cuModuleLoadData")                                                          \
  X(cuModuleUnload, "cuModuleUnload")                                                              \
  X(cuModuleGetFunction, "cuModuleGetFunction")                                                    \
  X(cuModuleGetGlobal, "cuModuleGetGlobal_v2")                                                     \
  X(cuFuncSetAttribute, "cuFuncSetAttribute")                                                      \
  X(cuFuncGetAttribute, "cuFuncGetAttribute")                                                      \
  X(cuLaunchKernel, "cuLaunchKernel")                                                              \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2")                                               \
  X(cuStreamEndCapture, "cuStreamEndCapture")                                                      \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")                                    \
  X(cuGraphDestroy, "cuGraphDestroy")                                                              \
  X(cuGraphLaunch, "cuGraphLaunch")                                                                \
  X(cuGraphExecDestroy, "cuGraphExecDestroy")

typedef struct {
#define X(name, symbol) __typeof__(name) *name;
  DCS_CUDA_FUNCTIONS(X)
#undef X
  /* The symbol cuMemPrefetchAsync, which cuda.h declares with another type since CUDA 13. NULL: the
   * driver is older than CUDA 8. */
  CUresult (*prefetch)(CUdeviceptr ptr, size_t bytes, CUdevice to, CUstream stream);
} dcs_cuda_driver;

/* Valid after dcs_cuda_driver_open(). */
extern dcs_cuda_driver dcs_cuda;

/* Opens the library and initialises the driver, once. DCS_UNAVAILABLE when there is no driver or it
 * refuses to start. */
dcs_status dcs_cuda_driver_open(void);

/* DCS_FAILED with the call's name and the error's name and text, unless the result is a success. */
dcs_status dcs_cuda_check(const char *call, CUresult result);

/* Calls a driver function and checks it. */
#define DCS_CU(name, ...) dcs_cuda_check(#name, dcs_cuda.name(__VA_ARGS__))

#endif
#endif
