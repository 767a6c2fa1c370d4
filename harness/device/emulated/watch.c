#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "harness/device/emulated/watch.h"

#include "harness/device/host_compiler.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dcs_watched_code {
  void *image; /* for its lines */
  size_t bytes;
  uintptr_t base, end;       /* where it is loaded */
  const char *const *spaces; /* begin and end of constant memory, of shared memory */
  const dcs_observer *observer;
  dcs_global_memory global;
};

/* ---- what the kernel tells ---- */

/* As emulator_watch.h has it. */
typedef struct {
  void *context;
  int (*block)(void *context, int64_t block);
  int (*seen)(void *context, int thread, int kind, uint64_t code, uint64_t calls, uint32_t depth,
              uint64_t address, uint32_t bytes);
  void (*together)(void *context);
} watch_functions;

static int on_block(void *context, int64_t block) {
  const dcs_observer *observer = ((dcs_watched_code *)context)->observer;
  return observer->block(observer->context, block);
}

/* False: it is the emulator's own, threadIdx and its like. */
static bool find_space(const dcs_watched_code *watched, dcs_seen *seen) {
  for (int s = 0; s < 2; s++) {
    uint64_t begin = (uintptr_t)watched->spaces[2 * s], end = (uintptr_t)watched->spaces[2 * s + 1];
    if (seen->address < begin || seen->address >= end) continue;
    seen->space = s == 0 ? DCS_SPACE_CONSTANT : DCS_SPACE_SHARED;
    seen->address -= begin;
    return true;
  }
  if (watched->global.holds(watched->global.context, seen->address))
    seen->space = DCS_SPACE_GLOBAL;
  else if (seen->address >= watched->base && seen->address < watched->end)
    return false;
  else
    seen->space = DCS_SPACE_OUTSIDE;
  return true;
}

static int on_seen(void *context, int thread, int kind, uint64_t code, uint64_t calls,
                   uint32_t depth, uint64_t address, uint32_t bytes) {
  const dcs_watched_code *watched = context;
  dcs_seen seen = {.kind = (dcs_seen_kind)kind,
                   .code = code - watched->base,
                   .calls = calls,
                   .depth = depth,
                   .address = address,
                   .bytes = bytes};
  const bool access = kind == DCS_SEEN_LOAD || kind == DCS_SEEN_STORE || kind == DCS_SEEN_ATOMIC;
  if (access && !find_space(watched, &seen)) return 1;
  const bool goes_on = watched->observer->seen(watched->observer->context, thread, &seen);
  return goes_on && (!access || seen.space != DCS_SPACE_OUTSIDE);
}

static void on_together(void *context) {
  const dcs_observer *observer = ((dcs_watched_code *)context)->observer;
  observer->together(observer->context);
}

void dcs_watch_launch(const dcs_watched_code *watched, dcs_module *module, const char *kernel,
                      const int64_t grid[3], const int block[3]) {
  watched->observer->launch(watched->observer->context, module, kernel, grid, block);
}

/* ---- code ---- */

/* Of the module that begins at watched->base. */
static int find_end(struct dl_phdr_info *module, size_t size, void *context) {
  dcs_watched_code *watched = context;
  (void)size;
  if (module->dlpi_addr != watched->base) return 0;
  for (int i = 0; i < module->dlpi_phnum; i++) {
    const uintptr_t end =
        module->dlpi_addr + module->dlpi_phdr[i].p_vaddr + module->dlpi_phdr[i].p_memsz;
    if (module->dlpi_phdr[i].p_type == PT_LOAD && end > watched->end) watched->end = end;
  }
  return 1;
}

dcs_status dcs_watch_code(void *handle, const void *image, size_t bytes,
                          const dcs_observer *observer, dcs_global_memory global,
                          dcs_watched_code **watched) {
  Dl_info where;
  watch_functions *functions = dlsym(handle, "dcs_emulated_watch");
  const char *const *spaces = dlsym(handle, "dcs_emulated_spaces");
  if (!functions || !spaces || !dladdr(functions, &where))
    return dcs_fail(DCS_FAILED, "the module of a watched kernel lacks what watches it");
  dcs_watched_code *code = malloc(sizeof *code);
  void *copy = malloc(bytes);
  if (!code || !copy) {
    free(code);
    free(copy);
    return dcs_want("no memory to watch a kernel");
  }
  memcpy(copy, image, bytes);
  *code = (dcs_watched_code){.image = copy,
                             .bytes = bytes,
                             .base = (uintptr_t)where.dli_fbase,
                             .spaces = spaces,
                             .observer = observer,
                             .global = global};
  dl_iterate_phdr(find_end, code);
  *functions = (watch_functions){code, on_block, on_seen, on_together};
  *watched = code;
  return DCS_OK;
}

void dcs_watched_code_free(dcs_watched_code *watched) {
  if (!watched) return;
  free(watched->image);
  free(watched);
}

/* One of the lines that addr2line prints: "./FILE:LINE (discriminator 1)", or "??:0". */
static void read_place(const char *text, dcs_place *place) {
  const char *end = text + strcspn(text, "\n"), *colon = end;
  while (colon > text && *colon != ':')
    colon--;
  if (strncmp(text, "./", 2) == 0) text += 2;
  place->line = (int)strtol(colon + 1, NULL, 10);
  snprintf(place->file, sizeof place->file, "%.*s", colon > text ? (int)(colon - text) : 0, text);
}

dcs_status dcs_watched_lines(const dcs_watched_code *watched, const uint64_t *codes, int n,
                             dcs_place *places) {
  char *text, *at;
  DCS_TRY(dcs_host_compiler_lines(watched->image, watched->bytes, codes, n, &text));
  at = text;
  for (int i = 0; i < n; i++) {
    read_place(at, &places[i]);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  free(text);
  return DCS_OK;
}
