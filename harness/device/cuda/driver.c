/* The CUDA driver library, opened at run time. */
#include "harness/device/cuda/driver.h"

#if DCS_WITH_CUDA

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

dcs_cuda_driver dcs_cuda;
static bool opened;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static dcs_status load_functions(void *handle) {
  const char *missing = NULL;
#define X(name, symbol)                                                                            \
  *(void **)&dcs_cuda.name = dlsym(handle, symbol);                                                \
  if (!dcs_cuda.name) missing = symbol;
  DCS_CUDA_FUNCTIONS(X)
#undef X
  *(void **)&dcs_cuda.prefetch = dlsym(handle, "cuMemPrefetchAsync");
  if (missing)
    return dcs_fail(DCS_UNAVAILABLE,
                    "the CUDA driver is too old: its library lacks %s; install a driver for CUDA "
                    "11.4 or newer",
                    missing);
  return DCS_OK;
}

static dcs_status initialise(void) {
  CUresult result = dcs_cuda.cuInit(0);
  if (result == CUDA_SUCCESS) return DCS_OK;
  if (result == CUDA_ERROR_NO_DEVICE)
    return dcs_fail(DCS_UNAVAILABLE, "the CUDA driver is here, but there is no CUDA device: no "
                                     "card, or CUDA_VISIBLE_DEVICES hides it");
  dcs_cuda_check("cuInit", result);
  return DCS_UNAVAILABLE;
}

static dcs_status open_once(void) {
  if (opened) return DCS_OK;
  void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return dcs_fail(DCS_UNAVAILABLE,
                    "no CUDA driver on this machine (%s); install the card's driver", dlerror());
  dcs_status status = load_functions(handle);
  if (status == DCS_OK) status = initialise();
  if (status != DCS_OK)
    dlclose(handle);
  else
    opened = true;
  return status;
}

dcs_status dcs_cuda_driver_open(void) {
  pthread_mutex_lock(&opening);
  dcs_status status = open_once();
  pthread_mutex_unlock(&opening);
  return status;
}

dcs_status dcs_cuda_check(const char *call, CUresult result) {
  if (result == CUDA_SUCCESS) return DCS_OK;
  const char *name = NULL;
  const char *text = NULL;
  if (dcs_cuda.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  if (dcs_cuda.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) text = "no description";
  return dcs_fail(DCS_FAILED, "%s: %s (%d): %s", call, name, (int)result, text);
}

#endif
