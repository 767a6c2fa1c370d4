/* libOpenCL, opened at run time, as a table of functions: what of OpenCL 1.2 is used here, declared
 * as its specification has it, so that no header of it is needed to build. */
#ifndef DCS_OPENCL_LIBRARY_H
#define DCS_OPENCL_LIBRARY_H

#include "kernels/status.h"

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef struct cl_platform *cl_platform_id;
typedef struct cl_device *cl_device_id;
typedef struct cl_context_ *cl_context;
typedef struct cl_queue *cl_command_queue;
typedef struct cl_memory *cl_mem;
typedef struct cl_program_ *cl_program;
typedef struct cl_kernel_ *cl_kernel;
typedef struct cl_event_ *cl_event;

enum {
  CL_SUCCESS = 0,
  CL_DEVICE_NOT_FOUND = -1,
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_BUILD_PROGRAM_FAILURE = -11,
  CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_BUFFER_SIZE = -61,
  CL_PLATFORM_NOT_FOUND_KHR = -1001
};

enum {
  CL_PLATFORM_VERSION = 0x0901,
  CL_PLATFORM_NAME = 0x0902,
  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
  CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 0x1020,
  CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
  CL_DEVICE_NAME = 0x102B,
  CL_DRIVER_VERSION = 0x102D,
  CL_DEVICE_VERSION = 0x102F,
  CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
  CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
  CL_PROGRAM_BINARY_SIZES = 0x1165,
  CL_PROGRAM_BINARIES = 0x1166,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
  CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
  CL_PROFILING_COMMAND_END = 0x1283
};

#define CL_DEVICE_TYPE_ALL        ((cl_ulong)0xffffffff)
#define CL_DEVICE_TYPE_CPU        ((cl_ulong)2)
#define CL_DEVICE_TYPE_GPU        ((cl_ulong)4)
#define CL_QUEUE_PROFILING_ENABLE ((cl_ulong)2)
#define CL_MEM_READ_WRITE         ((cl_ulong)1)
#define CL_MEM_ALLOC_HOST_PTR     ((cl_ulong)16)
#define CL_MAP_READ_AND_WRITE     ((cl_ulong)3)

/* Result, name, parameters. Callbacks and lists of properties, which are not used, are void *. */
#define DCS_OPENCL_FUNCTIONS(X)                                                                    \
  X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                              \
  X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))                \
  X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_ulong, cl_uint, cl_device_id *, cl_uint *))        \
  X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                    \
  X(cl_context, clCreateContext,                                                                   \
    (const void *, cl_uint, const cl_device_id *, void *, void *, cl_int *))                       \
  X(cl_int, clReleaseContext, (cl_context))                                                        \
  X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_ulong, cl_int *))        \
  X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                             \
  X(cl_int, clFinish, (cl_command_queue))                                                          \
  X(cl_int, clFlush, (cl_command_queue))                                                           \
  X(cl_mem, clCreateBuffer, (cl_context, cl_ulong, size_t, void *, cl_int *))                      \
  X(cl_int, clReleaseMemObject, (cl_mem))                                                          \
  X(void *, clEnqueueMapBuffer,                                                                    \
    (cl_command_queue, cl_mem, cl_uint, cl_ulong, size_t, size_t, cl_uint, const cl_event *,       \
     cl_event *, cl_int *))                                                                        \
  X(cl_int, clEnqueueUnmapMemObject,                                                               \
    (cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *))                     \
  X(cl_int, clEnqueueWriteBuffer,                                                                  \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, cl_uint, const cl_event *,   \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueReadBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint, const cl_event *,         \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueReadBufferRect,                                                               \
    (cl_command_queue, cl_mem, cl_uint, const size_t *, const size_t *, const size_t *, size_t,    \
     size_t, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))                       \
  X(cl_int, clEnqueueCopyBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,          \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueFillBuffer,                                                                   \
    (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *,    \
     cl_event *))                                                                                  \
  X(cl_program, clCreateProgramWithSource,                                                         \
    (cl_context, cl_uint, const char **, const size_t *, cl_int *))                                \
  X(cl_program, clCreateProgramWithBinary,                                                         \
    (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *,  \
     cl_int *))                                                                                    \
  X(cl_int, clBuildProgram,                                                                        \
    (cl_program, cl_uint, const cl_device_id *, const char *, void *, void *))                     \
  X(cl_int, clGetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))                     \
  X(cl_int, clGetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))  \
  X(cl_int, clReleaseProgram, (cl_program))                                                        \
  X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))                               \
  X(cl_int, clReleaseKernel, (cl_kernel))                                                          \
  X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                            \
  X(cl_int, clGetKernelWorkGroupInfo,                                                              \
    (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                                  \
  X(cl_int, clEnqueueNDRangeKernel,                                                                \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,         \
     cl_uint, const cl_event *, cl_event *))                                                       \
  X(cl_int, clEnqueueMarkerWithWaitList,                                                           \
    (cl_command_queue, cl_uint, const cl_event *, cl_event *))                                     \
  X(cl_int, clEnqueueBarrierWithWaitList,                                                          \
    (cl_command_queue, cl_uint, const cl_event *, cl_event *))                                     \
  X(cl_int, clWaitForEvents, (cl_uint, const cl_event *))                                          \
  X(cl_int, clGetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))                \
  X(cl_int, clReleaseEvent, (cl_event))

typedef struct {
#define X(result, name, parameters) result(*name) parameters;
  DCS_OPENCL_FUNCTIONS(X)
#undef X
} dcs_opencl_library;

/* Valid after dcs_opencl_open_library(). */
extern dcs_opencl_library dcs_opencl;

/* Opens the library once. DCS_UNAVAILABLE: it is not here, or is older than OpenCL 1.2. */
dcs_status dcs_opencl_open_library(void);

/* DCS_FAILED with the call's name and the error's, unless the result is a success; DCS_UNAVAILABLE
 * where that says that memory is short. */
dcs_status dcs_opencl_check(const char *call, cl_int result);

/* Calls a function and checks it. */
#define DCS_CL(name, ...) dcs_opencl_check(#name, dcs_opencl.name(__VA_ARGS__))

#endif
