/* The emulated device: .cu files compiled by the host's C++ compiler (emulator.h is put before
 * them), blocks and threads run as loops. For correctness without a card; it has no times. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1 */
#endif
#include "harness/device/device.h"
#include "harness/base/machine.h"
#include "harness/device/cuda/language.h"
#include "harness/device/emulated/code.h"
#include "harness/device/emulated/watch.h"
#include "harness/device/graph.h"
#include "kernels/common/fft.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Buffers begin at multiples of 256 bytes, as a card's do. */
enum { GUARD = 256, GUARD_BYTE = 0xc3, UNWRITTEN_BYTE = 0xff };

struct dcs_module {
  void *handle;
  dcs_watched_code *watched; /* NULL: nobody watches */
  dcs_module *next;
};

/* GUARD bytes, the buffer, GUARD bytes. */
typedef struct buffer {
  unsigned char *base;
  size_t bytes;
  struct buffer *next;
} buffer;

typedef struct {
  dcs_device base; /* first: a dcs_device * is this struct's address */
  dcs_host_compiler compiler;
  dcs_observer observer; /* where observed */
  bool observed;
  buffer *buffers;
  dcs_module *modules;
  bool released_damaged; /* a buffer was found damaged when it was released */
  dcs_graph *capture;    /* the graph being captured, or NULL */
} emulated_device;

static emulated_device *emulated_of(dcs_device *device) {
  return (emulated_device *)device;
}

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

static dcs_telemetry emulated_telemetry(dcs_device *device) {
  (void)device;
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

/* ---- memory ---- */

static bool guard_whole(const unsigned char *guard) {
  for (int i = 0; i < GUARD; i++)
    if (guard[i] != GUARD_BYTE) return false;
  return true;
}

static bool buffer_whole(const buffer *b) {
  return guard_whole(b->base) && guard_whole(b->base + GUARD + b->bytes);
}

/* Like a card's errors, a write outside a buffer stays an error until the device is closed. */
static dcs_status check_guards(const emulated_device *emulated) {
  bool whole = !emulated->released_damaged;
  for (const buffer *b = emulated->buffers; b; b = b->next)
    whole = whole && buffer_whole(b);
  if (whole) return DCS_OK;
  return dcs_fail(DCS_FAILED,
                  "kernel wrote outside its buffer: bytes just before or after a buffer "
                  "of the emulated device have changed");
}

static dcs_status emulated_alloc(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  emulated_device *emulated = emulated_of(device);
  if (bytes == 0) return dcs_fail(DCS_FAILED, "a buffer of 0 bytes asked; at least 1 is needed");
  buffer *b = malloc(sizeof *b);
  /* malloc may promise more than there is, and touching it would then kill the process. */
  const int64_t free_now = dcs_available_memory();
  unsigned char *base = bytes < (size_t)free_now
                            ? aligned_alloc(GUARD, dcs_round_up(bytes, GUARD) + 2 * GUARD)
                            : NULL;
  if (!b || !base) {
    free(b);
    free(base);
    return dcs_fail(DCS_UNAVAILABLE, "memory is too small: %zu bytes asked, %lld bytes free", bytes,
                    (long long)free_now);
  }
  memset(base, GUARD_BYTE, GUARD);
  memset(base + GUARD, UNWRITTEN_BYTE, bytes);
  memset(base + GUARD + bytes, GUARD_BYTE, GUARD);
  *b = (buffer){.base = base, .bytes = bytes, .next = emulated->buffers};
  emulated->buffers = b;
  *ptr = (uintptr_t)(base + GUARD);
  return DCS_OK;
}

static void emulated_release(dcs_device *device, dcs_ptr ptr) {
  emulated_device *emulated = emulated_of(device);
  buffer **link = &emulated->buffers;
  while (*link && (uintptr_t)((*link)->base + GUARD) != ptr)
    link = &(*link)->next;
  buffer *b = *link;
  if (!b) return;
  if (!buffer_whole(b)) emulated->released_damaged = true;
  *link = b->next;
  free(b->base);
  free(b);
}

/* Host and managed memory are buffers like the others: kernels that write outside are seen. */
static dcs_status emulated_alloc_host(dcs_device *device, size_t bytes, void **host, dcs_ptr *ptr) {
  DCS_TRY(emulated_alloc(device, bytes, ptr));
  *host = (void *)(uintptr_t)*ptr;
  return DCS_OK;
}

static void emulated_release_host(dcs_device *device, void *host) {
  emulated_release(device, (uintptr_t)host);
}

static bool emulated_is_locked(dcs_device *device, const void *host) {
  const unsigned char *at = host;
  for (const buffer *b = emulated_of(device)->buffers; b; b = b->next)
    if (at >= b->base + GUARD && at < b->base + GUARD + b->bytes) return true;
  return false;
}

static dcs_status emulated_prefetch(dcs_device *device, dcs_ptr ptr, size_t bytes, bool to_host) {
  (void)device, (void)ptr, (void)bytes, (void)to_host;
  return DCS_OK;
}

static dcs_status emulated_supports(dcs_device *device, dcs_memory memory) {
  (void)device, (void)memory;
  return DCS_OK;
}

static dcs_status emulated_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  dcs_graph *capture = emulated_of(device)->capture;
  if (capture) return dcs_graph_add(capture, (dcs_graph_node){.to = to, .from = from, .n = bytes});
  memcpy((void *)(uintptr_t)to, from, bytes);
  return DCS_OK;
}

static dcs_status emulated_copy(dcs_device *device, dcs_ptr to, dcs_ptr from, size_t bytes) {
  return emulated_copy_in(device, to, (const void *)(uintptr_t)from, bytes);
}

static dcs_status emulated_copy_out(dcs_device *device, void *to, dcs_dims n, dcs_ptr from,
                                    dcs_dims stored) {
  dcs_pack_corner(to, n, (const void *)(uintptr_t)from, stored);
  return check_guards(emulated_of(device));
}

static dcs_status emulated_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  dcs_graph *capture = emulated_of(device)->capture;
  if (capture)
    return dcs_graph_add(capture, (dcs_graph_node){.to = to, .pattern = pattern, .n = words});
  uint32_t *word = (uint32_t *)(uintptr_t)to;
  for (size_t i = 0; i < words; i++)
    word[i] = pattern;
  return DCS_OK;
}

/* ---- code ---- */

/* Whether the address is a kernel's, in a buffer. */
static bool in_global(void *context, uint64_t address) {
  for (const buffer *b = ((emulated_device *)context)->buffers; b; b = b->next)
    if (address - (uintptr_t)(b->base + GUARD) < b->bytes) return true;
  return false;
}

/* A module of an image, which it does not keep. */
static dcs_status make_module(emulated_device *emulated, const dcs_source *source,
                              const void *image, size_t bytes, dcs_module **module) {
  dcs_module *loaded = calloc(1, sizeof *loaded);
  if (!loaded) return dcs_fail(DCS_UNAVAILABLE, "no memory to load %s", source->name);
  dcs_status status = dcs_host_compiler_load(image, bytes, &loaded->handle);
  if (status == DCS_OK && emulated->observed)
    status = dcs_watch_code(loaded->handle, image, bytes, &emulated->observer,
                            (dcs_global_memory){in_global, emulated}, &loaded->watched);
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
  emulated_device *emulated = emulated_of(device);
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
  dcs_module **link = &emulated_of(device)->modules;
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
  dcs_graph *capture = emulated_of(device)->capture;
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

/* ---- Fourier transforms ---- */

struct dcs_device_fft {
  dcs_fft fft;
};

static dcs_status emulated_has_fft(dcs_device *device) {
  (void)device;
  return DCS_OK;
}

static dcs_status emulated_make_fft(dcs_device *device, const dcs_fft *fft, bool in_place,
                                    dcs_device_fft **made, size_t *work_bytes) {
  (void)device, (void)in_place;
  DCS_TRY(dcs_fft_check(fft));
  *made = malloc(sizeof **made);
  if (!*made) return dcs_fail(DCS_UNAVAILABLE, "no memory for a transform");
  **made = (dcs_device_fft){*fft};
  *work_bytes = (size_t)dcs_fft_bytes(fft);
  return DCS_OK;
}

/* What a library may leave in memory that it was lent. */
static void leave(dcs_ptr at, const dcs_fft *fft) {
  memset((void *)(uintptr_t)at, UNWRITTEN_BYTE, (size_t)dcs_fft_bytes(fft));
}

static dcs_status emulated_run_fft(dcs_device *device, const dcs_device_fft *fft, dcs_ptr from,
                                   dcs_ptr to, dcs_ptr work) {
  dcs_graph *capture = emulated_of(device)->capture;
  if (capture)
    return dcs_graph_add(
        capture, (dcs_graph_node){
                     .fft = fft, .work = work, .to = to, .from = (const void *)(uintptr_t)from});
  leave(work, &fft->fft);
  DCS_TRY(dcs_fft_transform(&fft->fft, (void *)(uintptr_t)from, (void *)(uintptr_t)to));
  if (!fft->fft.forward && from != to) leave(from, &fft->fft);
  return DCS_OK;
}

static void emulated_free_fft(dcs_device *device, dcs_device_fft *fft) {
  (void)device;
  free(fft);
}

/* ---- observing, capturing ---- */

static void emulated_observe(dcs_device *device, const dcs_observer *observer) {
  emulated_of(device)->observer = *observer;
  emulated_of(device)->observed = true;
}

static dcs_status emulated_locate(dcs_device *device, const dcs_module *module,
                                  const uint64_t *codes, int n, dcs_place *places) {
  (void)device;
  return dcs_watched_lines(module->watched, codes, n, places);
}

static dcs_status emulated_begin_capture(dcs_device *device) {
  return dcs_graph_begin(&emulated_of(device)->capture);
}

static dcs_status emulated_end_capture(dcs_device *device, dcs_graph **graph) {
  emulated_device *emulated = emulated_of(device);
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
  return check_guards(emulated_of(device));
}

/* ---- open and close ---- */

static void emulated_close(dcs_device *device) {
  emulated_device *emulated = emulated_of(device);
  while (emulated->modules)
    emulated_unload(device, emulated->modules);
  while (emulated->buffers)
    emulated_release(device, (uintptr_t)(emulated->buffers->base + GUARD));
  free(emulated);
}

static const dcs_device emulated_methods = {.info = emulated_info,
                                            .read_facts = emulated_read_facts,
                                            .telemetry = emulated_telemetry,
                                            .close = emulated_close,
                                            .alloc = emulated_alloc,
                                            .release = emulated_release,
                                            .alloc_host = emulated_alloc_host,
                                            .release_host = emulated_release_host,
                                            .is_locked = emulated_is_locked,
                                            .alloc_managed = emulated_alloc,
                                            .prefetch = emulated_prefetch,
                                            .supports = emulated_supports,
                                            .copy_in = emulated_copy_in,
                                            .copy_out = emulated_copy_out,
                                            .copy = emulated_copy,
                                            .fill = emulated_fill,
                                            .load = emulated_load,
                                            .unload = emulated_unload,
                                            .symbol = emulated_symbol,
                                            .launch = emulated_launch,
                                            .select_stream = emulated_select_stream,
                                            .wait_event = emulated_record_event,
                                            .has_fft = emulated_has_fft,
                                            .make_fft = emulated_make_fft,
                                            .run_fft = emulated_run_fft,
                                            .free_fft = emulated_free_fft,
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
  emulated_device *emulated = calloc(1, sizeof *emulated);
  if (!emulated) return dcs_fail(DCS_UNAVAILABLE, "no memory to open the emulated device");
  emulated->base = emulated_methods;
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
