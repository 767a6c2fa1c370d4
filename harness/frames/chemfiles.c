#include "harness/frames/chemfiles.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char version[] = "0.10.";
static const char help[] =
    "expected version 0.10: `pip install chemfiles` has it, and DCS_CHEMFILES=FILE says where its "
    "libchemfiles.so is; conda's and the distributions' libchemfiles do as well";

static dcs_chemfiles library;
static bool opened;
static char why[1024]; /* not */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Its warnings go to standard error by themselves. */
static void be_quiet(const char *message) {
  (void)message;
}

static bool find_functions(void *handle) {
  const struct {
    const char *name;
    void *place;
  } functions[] = {{"chfl_version", &library.version},
                   {"chfl_last_error", &library.last_error},
                   {"chfl_set_warning_callback", &library.set_warning_callback},
                   {"chfl_trajectory_with_format", &library.trajectory_with_format},
                   {"chfl_trajectory_close", &library.trajectory_close},
                   {"chfl_trajectory_nsteps", &library.trajectory_nsteps},
                   {"chfl_trajectory_read_step", &library.trajectory_read_step},
                   {"chfl_frame", &library.frame},
                   {"chfl_frame_positions", &library.frame_positions},
                   {"chfl_cell_from_frame", &library.cell_from_frame},
                   {"chfl_cell_lengths", &library.cell_lengths},
                   {"chfl_cell_angles", &library.cell_angles},
                   {"chfl_free", &library.free}};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    void *function = dlsym(handle, functions[f].name);
    if (!function) snprintf(why, sizeof why, "found libchemfiles without %s", functions[f].name);
    if (!function) return false;
    memcpy(functions[f].place, &function, sizeof function);
  }
  return true;
}

static void open_library(void) {
  const char *named = getenv("DCS_CHEMFILES");
  void *handle = dlopen(named ? named : "libchemfiles.so.0.10", RTLD_NOW | RTLD_LOCAL);
  if (!handle && !named) handle = dlopen("libchemfiles.so", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *error = named ? dlerror() : NULL;
    snprintf(why, sizeof why, "found no libchemfiles%s%s", error ? ": DCS_CHEMFILES: " : "",
             error ? error : "");
    return;
  }
  if (!find_functions(handle)) return;
  if (strncmp(library.version(), version, strlen(version)) != 0) {
    snprintf(why, sizeof why, "found libchemfiles %s", library.version());
    return;
  }
  (void)library.set_warning_callback(be_quiet);
  opened = true;
}

dcs_status dcs_chemfiles_open(const dcs_chemfiles **functions) {
  pthread_once(&once, open_library);
  *functions = &library;
  return opened ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "%s; %s", why, help);
}
