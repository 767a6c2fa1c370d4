/* The emulated device: from the text of a .cu file to a shared object. */
#include "harness/device/emulated/code.h"

#include "harness/base/clock.h"
#include "harness/device/codecache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 32 };

/* The name of the kernel whose declaration goes on at *at, which is moved behind it: what stands
 * before a parenthesis, unless that opens launch bounds. Not a kernel: "". */
static void kernel_name(const char **at, char name[DCS_KERNEL_NAME]) {
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
  snprintf(name, DCS_KERNEL_NAME, "%.*s", length < DCS_KERNEL_NAME ? (int)length : 0, *at);
}

/* The entries of all kernels, which are declared as extern "C" __global__ void NAME; of `dcs` even
 * if it is not there, so that the compiler says so. */
static void write_entries(const char *source, char *entries, size_t size) {
  static const char declared[] = "extern \"C\" __global__";
  size_t used = (size_t)snprintf(entries, size, "DCS_EMULATED_ENTRY(dcs)\n");
  for (const char *at = source; (at = strstr(at, declared)) && used < size;) {
    char name[DCS_KERNEL_NAME];
    at += sizeof declared - 1;
    kernel_name(&at, name);
    if (name[0] && strcmp(name, "dcs") != 0)
      used += (size_t)snprintf(entries + used, size - used, "DCS_EMULATED_ENTRY(%s)\n", name);
  }
}

/* Prelude, kernels and entries as one text (malloc'd); #line keeps the kernels' own line numbers.
 * Fibres are slow: threads run as loops where the source has no barrier. */
static char *whole_text(const char *prelude, const dcs_source *source) {
  int fibres = strstr(source->text, "__syncthreads") != NULL;
  static const char format[] = "#define DCS_EMULATED_FIBRES %d\n%s\n#line 1 \"%s\"\n%s\n#line 1 "
                               "\"entry\"\n%s";
  char entries[MOST_ENTRIES * (DCS_KERNEL_NAME + 32)];
  write_entries(source->text, entries, sizeof entries);
  size_t bytes = sizeof format + strlen(prelude) + strlen(source->name) + strlen(source->text) +
                 strlen(entries);
  char *text = malloc(bytes);
  if (text) snprintf(text, bytes, format, fibres, prelude, source->name, source->text, entries);
  return text;
}

static dcs_status compile_cached(const dcs_host_compiler *compiler, const dcs_source *whole,
                                 void **image, size_t *bytes, dcs_code_facts *facts) {
  char *key = dcs_codecache_key(compiler->version, "emulated", whole);
  if (!key) return dcs_fail(DCS_UNAVAILABLE, "no memory to compile %s", whole->name);
  dcs_status status = DCS_OK;
  if (!dcs_codecache_get(key, image, bytes, facts)) {
    double start = dcs_now_ns();
    status = dcs_host_compiler_run(compiler, whole, image, bytes);
    *facts = (dcs_code_facts){-1, -1, -1, -1, 1e-6 * (dcs_now_ns() - start), false};
    if (status == DCS_OK) dcs_codecache_put(key, *image, *bytes, facts);
  }
  free(key);
  return status;
}

dcs_status dcs_emulated_compile(const dcs_host_compiler *compiler, const char *prelude,
                                const dcs_source *source, void **image, size_t *bytes,
                                dcs_code_facts *facts) {
  dcs_source whole = *source;
  char *text = whole_text(prelude, source);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "no memory to compile %s", source->name);
  whole.text = text;
  dcs_status status = compile_cached(compiler, &whole, image, bytes, facts);
  free(text);
  return status;
}
