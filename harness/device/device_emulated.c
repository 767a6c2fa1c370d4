/* The emulated device: .cu files compiled by the host's C++ compiler (emulator.h is put before
 * them), blocks and threads run as loops. For correctness without a card; it has no times. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1 */
#endif
#include "harness/base/embedded.h"
#include "harness/device/codecache.h"
#include "harness/device/device.h"
#include "harness/device/device_impl.h"
#include "harness/device/emulated_recording.h"
#include "harness/device/host_compiler.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GUARD = 64, GUARD_BYTE = 0xc3, UNWRITTEN_BYTE = 0xff };

struct dcs_module {
  void *handle;
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
  const char *prelude;
  buffer *buffers;
  dcs_module *modules;
  bool released_damaged;    /* a buffer was found damaged when it was released */
  dcs_recording *recording; /* in progress, or NULL */
} emulated_device;

static emulated_device *emulated_of(dcs_device *device) {
  return (emulated_device *)device;
}

/* ---- facts ---- */

static int64_t memory_bytes(void) {
  return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

static dcs_status emulated_info(dcs_device *device, dcs_device_info *info) {
  (void)device;
  *info = (dcs_device_info){.name = "emulated", .sm_count = 1, .memory_bytes = memory_bytes()};
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
  unsigned char *base = bytes < (size_t)memory_bytes() ? malloc(bytes + 2 * GUARD) : NULL;
  if (!b || !base) {
    free(b);
    free(base);
    long long free_now = (long long)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    return dcs_fail(DCS_UNAVAILABLE, "memory is too small: %zu bytes asked, %lld bytes free", bytes,
                    free_now);
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

static dcs_status emulated_prefetch(dcs_device *device, dcs_ptr ptr, size_t bytes, bool to_host) {
  (void)device, (void)ptr, (void)bytes, (void)to_host;
  return DCS_OK;
}

static dcs_status emulated_supports(dcs_device *device, dcs_memory memory) {
  (void)device, (void)memory;
  return DCS_OK;
}

static dcs_status emulated_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  dcs_recording *recording = emulated_of(device)->recording;
  if (recording)
    return dcs_recording_add(recording, (dcs_step){.to = to, .from = from, .n = bytes});
  memcpy((void *)(uintptr_t)to, from, bytes);
  return DCS_OK;
}

static dcs_status emulated_copy_out(dcs_device *device, float *to, dcs_dims n, dcs_ptr from,
                                    dcs_dims stored) {
  const float *map = (const float *)(uintptr_t)from;
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      memcpy(to + (k * n.y + j) * n.x, map + (k * stored.y + j) * stored.x,
             (size_t)n.x * sizeof *to);
  return check_guards(emulated_of(device));
}

static dcs_status emulated_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  dcs_recording *recording = emulated_of(device)->recording;
  if (recording)
    return dcs_recording_add(recording, (dcs_step){.to = to, .pattern = pattern, .n = words});
  uint32_t *word = (uint32_t *)(uintptr_t)to;
  for (size_t i = 0; i < words; i++)
    word[i] = pattern;
  return DCS_OK;
}

/* ---- code ---- */

enum { KERNEL_NAME = 64, MOST_ENTRIES = 32 };

/* The name of the kernel whose declaration goes on at *at, which is moved behind it: what stands
 * before a parenthesis, unless that opens launch bounds. Not a kernel: "". */
static void kernel_name(const char **at, char name[KERNEL_NAME]) {
  static const char bounds[] = "__launch_bounds__";
  name[0] = '\0';
  *at += strspn(*at, " \n");
  if (strncmp(*at, "void", 4) != 0) return;
  *at += 4 + strspn(*at + 4, " \n");
  if (strncmp(*at, bounds, sizeof bounds - 1) == 0) {
    *at += strcspn(*at, ")");
    *at += strspn(*at, ") \n");
  }
  size_t length = strcspn(*at, "( \n");
  snprintf(name, KERNEL_NAME, "%.*s", length < KERNEL_NAME ? (int)length : 0, *at);
}

/* The entries of all kernels, which are declared as extern "C" __global__ void NAME; of `dcs` even
 * if it is not there, so that the compiler says so. */
static void write_entries(const char *source, char *entries, size_t size) {
  static const char declared[] = "extern \"C\" __global__";
  size_t used = (size_t)snprintf(entries, size, "DCS_EMULATED_ENTRY(dcs)\n");
  for (const char *at = source; (at = strstr(at, declared)) && used < size;) {
    char name[KERNEL_NAME];
    at += sizeof declared - 1;
    kernel_name(&at, name);
    if (name[0] && strcmp(name, "dcs") != 0)
      used += (size_t)snprintf(entries + used, size - used, "DCS_EMULATED_ENTRY(%s)\n", name);
  }
}

/* Prelude, kernels and entries as one text (malloc'd); #line keeps the kernels' own line numbers.
 * Fibres are slow: threads run as loops where the source has no barrier. */
static char *whole_text(const emulated_device *emulated, const dcs_source *source) {
  int fibres = strstr(source->text, "__syncthreads") != NULL;
  static const char format[] = "#define DCS_EMULATED_FIBRES %d\n%s\n#line 1 \"%s\"\n%s\n#line 1 "
                               "\"entry\"\n%s";
  char entries[MOST_ENTRIES * (KERNEL_NAME + 32)];
  write_entries(source->text, entries, sizeof entries);
  size_t bytes = sizeof format + strlen(emulated->prelude) + strlen(source->name) +
                 strlen(source->text) + strlen(entries);
  char *text = malloc(bytes);
  if (text)
    snprintf(text, bytes, format, fibres, emulated->prelude, source->name, source->text, entries);
  return text;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static dcs_status compile_cached(const emulated_device *emulated, const dcs_source *whole,
                                 void **image, size_t *bytes, dcs_code_facts *facts) {
  char *key = dcs_codecache_key(emulated->compiler.version, "emulated", whole);
  if (!key) return dcs_fail(DCS_UNAVAILABLE, "no memory to compile %s", whole->name);
  dcs_status status = DCS_OK;
  if (!dcs_codecache_get(key, image, bytes, facts)) {
    double start = now_ms();
    status = dcs_host_compiler_run(&emulated->compiler, whole, image, bytes);
    *facts = (dcs_code_facts){-1, -1, -1, -1, now_ms() - start, false};
    if (status == DCS_OK) dcs_codecache_put(key, *image, *bytes, facts);
  }
  free(key);
  return status;
}

static dcs_status build(const emulated_device *emulated, const dcs_source *source, void **image,
                        size_t *bytes, dcs_code_facts *facts) {
  dcs_source whole = *source;
  char *text = whole_text(emulated, source);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "no memory to compile %s", source->name);
  whole.text = text;
  dcs_status status = compile_cached(emulated, &whole, image, bytes, facts);
  free(text);
  return status;
}

static dcs_status emulated_load(dcs_device *device, const dcs_source *source, dcs_module **module,
                                dcs_code_facts *facts) {
  emulated_device *emulated = emulated_of(device);
  void *image, *handle;
  size_t bytes;
  DCS_TRY(build(emulated, source, &image, &bytes, facts));
  dcs_status status = dcs_host_compiler_load(image, bytes, &handle);
  free(image);
  if (status != DCS_OK) return status;
  dcs_module *loaded = malloc(sizeof *loaded);
  if (!loaded) {
    dlclose(handle);
    return dcs_fail(DCS_UNAVAILABLE, "no memory to load %s", source->name);
  }
  *loaded = (dcs_module){.handle = handle, .next = emulated->modules};
  emulated->modules = loaded;
  *module = loaded;
  return DCS_OK;
}

static void emulated_unload(dcs_device *device, dcs_module *module) {
  dcs_module **link = &emulated_of(device)->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link) return;
  *link = module->next;
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
  void (*run)(const int64_t grid[3], const int block[3], void **args);
  const size_t *(*sizes)(void); /* of the arguments, closed by 0 */
} entry;

static dcs_status find_entry(const dcs_module *module, const char *kernel, entry *found) {
  char name[KERNEL_NAME + 32];
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
  dcs_recording *recording = emulated_of(device)->recording;
  entry found;
  DCS_TRY(dcs_device_check_launch(grid, block));
  DCS_TRY(find_entry(module, kernel, &found));
  if (recording)
    return dcs_recording_add_launch(recording, module, kernel, grid, block, args, found.sizes());
  found.run(grid, block, args);
  return DCS_OK;
}

static dcs_status emulated_record(dcs_device *device) {
  return dcs_recording_begin(&emulated_of(device)->recording);
}

static dcs_status emulated_recorded(dcs_device *device, dcs_recording **recording) {
  emulated_device *emulated = emulated_of(device);
  *recording = emulated->recording;
  emulated->recording = NULL;
  return DCS_OK;
}

/* ---- queues and time ---- */

static void emulated_select(dcs_device *device, int queue) {
  (void)device, (void)queue;
}

/* Everything queued is done at once: every mark has passed as soon as it is set. */
static dcs_status emulated_mark(dcs_device *device, int which) {
  (void)device, (void)which;
  return DCS_OK;
}

static dcs_status emulated_elapsed_ns(dcs_device *device, double *ns) {
  (void)device, (void)ns;
  return dcs_fail(DCS_UNAVAILABLE, "the emulated device has no times; use a CUDA device");
}

static dcs_status emulated_wait(dcs_device *device) {
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

static const dcs_device emulated_methods = {.timed = false,
                                            .info = emulated_info,
                                            .close = emulated_close,
                                            .alloc = emulated_alloc,
                                            .release = emulated_release,
                                            .alloc_host = emulated_alloc_host,
                                            .release_host = emulated_release_host,
                                            .alloc_managed = emulated_alloc,
                                            .prefetch = emulated_prefetch,
                                            .supports = emulated_supports,
                                            .copy_in = emulated_copy_in,
                                            .copy_out = emulated_copy_out,
                                            .fill = emulated_fill,
                                            .load = emulated_load,
                                            .unload = emulated_unload,
                                            .symbol = emulated_symbol,
                                            .launch = emulated_launch,
                                            .select = emulated_select,
                                            .follow = emulated_mark,
                                            .record = emulated_record,
                                            .recorded = emulated_recorded,
                                            .replay = dcs_recording_replay,
                                            .erase = dcs_recording_erase,
                                            .mark = emulated_mark,
                                            .reach = emulated_mark,
                                            .elapsed_ns = emulated_elapsed_ns,
                                            .wait = emulated_wait};

dcs_status dcs_device_emulated_open(dcs_device **device) {
  emulated_device *emulated = calloc(1, sizeof *emulated);
  if (!emulated) return dcs_fail(DCS_UNAVAILABLE, "no memory to open the emulated device");
  emulated->base = emulated_methods;
  emulated->prelude = dcs_embedded("harness/device/emulator.h");
  dcs_status status =
      emulated->prelude
          ? dcs_host_compiler_find(&emulated->compiler)
          : dcs_fail(DCS_UNAVAILABLE,
                     "this program was built without harness/device/emulator.h in it");
  if (status != DCS_OK)
    free(emulated);
  else
    *device = &emulated->base;
  return status;
}
