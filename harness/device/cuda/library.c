#include "harness/device/cuda/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* root NULL: the loader's own search. */
static void *open_below(const char *root, const char *const *names) {
  for (; *names; names++) {
    char path[4096];
    int n = root ? snprintf(path, sizeof path, "%s/lib64/%s", root, *names)
                 : snprintf(path, sizeof path, "%s", *names);
    if (n < 0 || (size_t)n >= sizeof path) continue;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
  }
  return NULL;
}

void *dcs_cuda_library(const char *const *names) {
  const char *home = getenv("CUDA_HOME");
  const char *path = getenv("CUDA_PATH");
  void *handle = open_below(NULL, names);
  if (!handle && home) handle = open_below(home, names);
  if (!handle && path) handle = open_below(path, names);
  return handle ? handle : open_below("/usr/local/cuda", names);
}
