/* The CUDA driver library, opened at run time. */
#include "harness/device/cuda/driver.h"

#if DCS_WITH_CUDA

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

dcs_cuda_driver dcs_cuda;
static pid_t opened_in; /* the process that did; 0: none yet */
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

static bool is_card(int devices, const char *name) {
  char path[300], line[256];
  bool nvidia = false, display = false;
  snprintf(path, sizeof path, "%s/uevent", name);
  const int fd = openat(devices, path, O_RDONLY | O_CLOEXEC);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
  while (file && fgets(line, sizeof line, file)) {
    nvidia |= strncmp(line, "PCI_ID=10DE:", 12) == 0;
    display |= strncmp(line, "PCI_CLASS=3", 11) == 0; /* 30000, 30200 */
  }
  if (file)
    fclose(file);
  else if (fd >= 0)
    close(fd);
  return nvidia && display;
}

/* Whether the PCI bus has a display device or accelerator of NVIDIA's. Not by glob(), which frees
 * twice where memory is short (glibc 2.36). */
static bool has_card(void) {
  DIR *devices = opendir("/sys/bus/pci/devices");
  bool has = false;
  for (struct dirent *entry; devices && !has && (entry = readdir(devices));)
    has = is_card(dirfd(devices), entry->d_name);
  if (devices) closedir(devices);
  return has;
}

/* Who has no card has nothing to install. */
static dcs_status no_driver(void) {
  const char *why = dlerror();
  if (has_card())
    return dcs_fail(DCS_UNAVAILABLE,
                    "no CUDA driver for the NVIDIA GPU of this machine (%s); install the card's "
                    "driver",
                    why);
  return dcs_fail(DCS_UNAVAILABLE, "no NVIDIA GPU on this machine, and no CUDA driver");
}

static dcs_status open_once(void) {
  if (opened_in == getpid()) return DCS_OK;
  if (opened_in)
    return dcs_fail(DCS_UNAVAILABLE,
                    "process %ld used the GPU before it called fork(): CUDA does not work in its "
                    "children; use it there alone, or start a program with exec()",
                    (long)opened_in);
  void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return no_driver();
  dcs_status status = load_functions(handle);
  if (status == DCS_OK) status = initialise();
  if (status != DCS_OK)
    dlclose(handle);
  else
    opened_in = getpid();
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
