/* The emulated device: .cu files compiled by the host's C++ compiler (emulator.h and
 * emulator_run.h are put before them), blocks and threads run as loops. For correctness without a
 * card; it has no times. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1 */
#endif
#include "harness/device/emulated/device.h"
#include "harness/device/cuda/language.h"
#include "harness/device/emulated/code.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dcs_module {
  void *handle;
  dcs_watched_code *watched; /* NULL: nobody watches */
  dcs_module *next;
};

/* ---- facts ---- */

static int64_t memory_bytes(void) {
  return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

/* As large as a card's multiprocessor, so that maps are cut as on a card. */
static dcs_status emulated_info(dcs_device *device, dcs_device_info *info) {
  (void)device;
  *info = (dcs_device_info){.name = "emulated",
                            .sm_count = 1,
                            .sm_threads = 2048,
                            .sm_registers = 65536,
                            .memory_bytes = memory_bytes(),
                            .cache_bytes = 1 << 20};
  return DCS_OK;
}

static dcs_telemetry emulated_telemetry(dcs_device *device, bool energy) {
  (void)device;
  (void)energy;
  return dcs_telemetry_unknown();
}

static const dcs_device_fact emulated_facts[] = {
    {"gpu_name", true}, {"gpu_compute_capability", false}, {0}};

static dcs_status emulated_read_facts(dcs_device *device, char values[][DCS_FACT]) {
  (void)device;
  snprintf(values[0], DCS_FACT, "emulated");
  snprintf(values[1], DCS_FACT, "0.0");
  return DCS_OK;
}

/* ---- code ---- */

/* A module of an image, which it does not keep. */
static dcs_status make_module(dcs_emulated_device *emulated, const dcs_source *source,
                              const void *image, size_t bytes, dcs_module **module) {
  dcs_module *loaded = calloc(1, sizeof *loaded);
  if (!loaded) return dcs_want("no memory to load %s", source->name);
  dcs_status status = dcs_host_compiler_load(image, bytes, &loaded->handle);
  if (status == DCS_OK && emulated->observed)
    status = dcs_watch_code(loaded->handle, image, bytes, &emulated->observer,
                            (dcs_global_memory){dcs_emulated_holds, emulated}, &loaded->watched);
  if (status != DCS_OK) {
    if (loaded->handle) dlclose(loaded->handle);
    free(loaded);
    return status;
  }
  *module = loaded;
  return DCS_OK;
}

static dcs_status emulated_load(dcs_device *device, const dcs_source *source, dcs_module **module,
                                dcs_code_facts *facts) {
  dcs_emulated_device *emulated = dcs_emulated_of(device);
  void *image;
  size_t bytes;
  DCS_TRY(
      dcs_emulated_compile(&emulated->compiler, emulated->observed, source, &image, &bytes, facts));
  dcs_status status = make_module(emulated, source, image, bytes, module);
  free(image);
  if (status != DCS_OK) return status;
  (*module)->next = emulated->modules;
  emulated->modules = *module;
  return DCS_OK;
}

static void emulated_unload(dcs_device *device, dcs_module *module) {
  dcs_module **link = &dcs_emulated_of(device)->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link) return;
  *link = module->next;
  dcs_watched_code_free(module->watched);
  dlclose(module->handle);
  free(module);
}

static dcs_status emulated_symbol(dcs_device *device, dcs_module *module, const char *name,
                                  dcs_ptr *ptr, size_t *bytes) {
  (void)device;
  void *address = dlsym(module->handle, name);
  Dl_info where;
  const ElfW(Sym) *symbol = NULL; /* dlsym tells no sizes; the symbol table does */
  if (!address || !dladdr1(address, &where, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
    return dcs_fail(DCS_FAILED, "the kernel's module has no array named \"%s\"", name);
  *ptr = (uintptr_t)address;
  *bytes = symbol->st_size;
  return DCS_OK;
}

/* What DCS_EMULATED_ENTRY makes of a kernel. */
typedef struct {
  int (*run)(const int64_t grid[3], const int block[3], void **args);
  const size_t *(*sizes)(void); /* of the arguments, closed by 0 */
} entry;

static dcs_status find_entry(const dcs_module *module, const char *kernel, entry *found) {
  char name[DCS_KERNEL_NAME + 32];
  snprintf(name, sizeof name, "dcs_emulated_run_%s", kernel);
  void *run = dlsym(module->handle, name);
  snprintf(name, sizeof name, "dcs_emulated_sizes_of_%s", kernel);
  void *sizes = dlsym(module->handle, name);
  if (!run || !sizes) return dcs_fail(DCS_FAILED, "the module has no kernel named \"%s\"", kernel);
  memcpy(&found->run, &run, sizeof run); /* C has no cast from object to function pointer */
  memcpy(&found->sizes, &sizes, sizeof sizes);
  return DCS_OK;
}

static dcs_status emulated_launch(dcs_device *device, dcs_module *module, const char *kernel,
                                  const int64_t grid[3], const int block[3], void **args) {
  dcs_graph *capture = dcs_emulated_of(device)->capture;
  entry found;
  DCS_TRY(dcs_device_check_launch(&device->kind->launch, grid, block));
  DCS_TRY(find_entry(module, kernel, &found));
  if (capture)
    return dcs_graph_add_launch(capture, module, kernel, grid, block, args, found.sizes());
  if (module->watched) dcs_watch_launch(module->watched, module, kernel, grid, block);
  int result = found.run(grid, block, args);
  if (result > 0) return DCS_OK;
  if (result == 0)
    return dcs_fail(DCS_UNAVAILABLE, "memory is too small for the %d threads of a block",
                    block[0] * block[1] * block[2]);
  return dcs_fail(DCS_FAILED,
                  "%s: some threads of a block wait forever: the others have ended, or wait at "
                  "another barrier, shuffle or vote",
                  kernel);
}

/* ---- observing, capturing ---- */

static void emulated_observe(dcs_device *device, const dcs_observer *observer) {
  dcs_emulated_of(device)->observer = *observer;
  dcs_emulated_of(device)->observed = true;
}

static dcs_status emulated_locate(dcs_device *device, const dcs_module *module,
                                  const uint64_t *codes, int n, dcs_place *places) {
  (void)device;
  return dcs_watched_lines(module->watched, codes, n, places);
}

static dcs_status emulated_begin_capture(dcs_device *device) {
  return dcs_graph_begin(&dcs_emulated_of(device)->capture);
}

static dcs_status emulated_end_capture(dcs_device *device, dcs_graph **graph) {
  dcs_emulated_device *emulated = dcs_emulated_of(device);
  *graph = emulated->capture;
  emulated->capture = NULL;
  return DCS_OK;
}

/* ---- streams and time ---- */

static void emulated_select_stream(dcs_device *device, int stream) {
  (void)device, (void)stream;
}

/* Everything enqueued is done at once: every event has completed as soon as it is recorded. */
static dcs_status emulated_record_event(dcs_device *device, int which) {
  (void)device, (void)which;
  return DCS_OK;
}

static dcs_status emulated_elapsed_ns(dcs_device *device, int from, int to, double *ns) {
  (void)device, (void)from, (void)to, (void)ns;
  return dcs_fail(DCS_UNAVAILABLE, "the emulated device has no times; use a CUDA device");
}

static dcs_status emulated_synchronize(dcs_device *device) {
  return dcs_emulated_check_guards(dcs_emulated_of(device));
}

/* ---- open and close ---- */

static void emulated_close(dcs_device *device) {
  dcs_emulated_device *emulated = dcs_emulated_of(device);
  while (emulated->modules)
    emulated_unload(device, emulated->modules);
  dcs_emulated_release_all(device);
  free(emulated);
}

static const dcs_device emulated_methods = {.info = emulated_info,
                                            .read_facts = emulated_read_facts,
                                            .telemetry = emulated_telemetry,
                                            .close = emulated_close,
                                            .load = emulated_load,
                                            .unload = emulated_unload,
                                            .symbol = emulated_symbol,
                                            .launch = emulated_launch,
                                            .select_stream = emulated_select_stream,
                                            .wait_event = emulated_record_event,
                                            .begin_capture = emulated_begin_capture,
                                            .end_capture = emulated_end_capture,
                                            .launch_graph = dcs_graph_launch,
                                            .destroy_graph = dcs_graph_destroy,
                                            .record_event = emulated_record_event,
                                            .synchronize_event = emulated_record_event,
                                            .elapsed_ns = emulated_elapsed_ns,
                                            .synchronize = emulated_synchronize,
                                            .observe = emulated_observe,
                                            .locate = emulated_locate};

static dcs_status emulated_open(int index, dcs_device **device) {
  (void)index;
  dcs_emulated_device *emulated = calloc(1, sizeof *emulated);
  if (!emulated) return dcs_fail(DCS_UNAVAILABLE, "no memory to open the emulated device");
  emulated->base = emulated_methods;
  dcs_emulated_memory_methods(&emulated->base);
  dcs_emulated_fft_methods(&emulated->base);
  dcs_status status = dcs_host_compiler_find(&emulated->compiler);
  if (status != DCS_OK)
    free(emulated);
  else
    *device = &emulated->base;
  return status;
}

const dcs_device_kind dcs_device_emulated = {.prefix = "emulated",
                                             .timed = false,
                                             .watched = true,
                                             .language = DCS_CUDA_LANGUAGE,
                                             .launch = DCS_CUDA_LAUNCH,
                                             .facts = emulated_facts,
                                             .open = emulated_open};
