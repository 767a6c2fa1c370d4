#include "harness/device/opencl/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

dcs_opencl_library dcs_opencl;
static pid_t opened_in; /* the process that did; 0: none yet */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static dcs_status load_functions(void *handle) {
  const char *missing = NULL;
#define X(result, name, parameters)                                                                \
  *(void **)&dcs_opencl.name = dlsym(handle, #name);                                               \
  if (!dcs_opencl.name) missing = #name;
  DCS_OPENCL_FUNCTIONS(X)
#undef X
  if (!missing) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "the OpenCL library is too old: it lacks %s; install one for OpenCL 1.2 or newer",
                  missing);
}

static dcs_status open_once(void) {
  if (opened_in == getpid()) return DCS_OK;
  if (opened_in)
    return dcs_fail(DCS_UNAVAILABLE,
                    "process %ld used OpenCL before it called fork(): its threads are not in its "
                    "children; use it there alone, or start a program with exec()",
                    (long)opened_in);
  void *handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return dcs_fail(DCS_UNAVAILABLE,
                    "no OpenCL on this machine (libOpenCL.so.1): install a loader, as "
                    "ocl-icd-libopencl1, and the driver of a device, as pocl-opencl-icd for CPUs");
  const dcs_status status = load_functions(handle);
  if (status != DCS_OK)
    dlclose(handle);
  else
    opened_in = getpid();
  return status;
}

dcs_status dcs_opencl_open_library(void) {
  pthread_mutex_lock(&opening);
  const dcs_status status = open_once();
  pthread_mutex_unlock(&opening);
  return status;
}

static const char *name_of(cl_int result) {
  static const struct {
    cl_int result;
    const char *name;
  } names[] = {{-2, "device not available"},
               {-3, "compiler not available"},
               {CL_MEM_OBJECT_ALLOCATION_FAILURE, "memory object allocation failure"},
               {CL_OUT_OF_RESOURCES, "out of resources"},
               {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
               {-7, "profiling information not available"},
               {CL_BUILD_PROGRAM_FAILURE, "build program failure"},
               {-14, "a command that was waited for failed"},
               {-38, "invalid memory object"},
               {CL_INVALID_KERNEL_NAME, "invalid kernel name"},
               {-48, "invalid kernel"},
               {-49, "invalid argument index"},
               {-51, "invalid argument size"},
               {-52, "invalid kernel arguments"},
               {-54, "invalid work-group size"},
               {-55, "invalid work-item size"},
               {CL_INVALID_BUFFER_SIZE, "invalid buffer size"},
               {-63, "invalid global work size"}};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (names[k].result == result) return names[k].name;
  return "error";
}

dcs_status dcs_opencl_check(const char *call, cl_int result) {
  if (result == CL_SUCCESS) return DCS_OK;
  const int memory = result == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                     result == CL_OUT_OF_HOST_MEMORY || result == CL_INVALID_BUFFER_SIZE;
  return dcs_fail(memory ? DCS_UNAVAILABLE : DCS_FAILED, "%s: %s (%d)", call, name_of(result),
                  (int)result);
}
