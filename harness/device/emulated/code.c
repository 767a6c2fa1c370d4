/* The emulated device: from the text of a .cu file to a shared object. */
#include "harness/device/emulated/code.h"

#include "harness/base/clock.h"
#include "harness/base/embedded.h"
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

/* What is put before kernels; watch: "" where nobody watches. */
typedef struct {
  const char *watch, *language, *run;
} preludes;

static bool find_preludes(bool watched, preludes *p) {
  *p = (preludes){.watch = watched ? dcs_embedded("harness/device/emulated/emulator_watch.h") : "",
                  .language = dcs_embedded("harness/device/emulated/emulator.h"),
                  .run = dcs_embedded("harness/device/emulated/emulator_run.h")};
  return p->watch && p->language && p->run;
}

/* Preludes, kernels and entries as one text (malloc'd); #line keeps the kernels' own line numbers.
 * Fibres are slow: threads run as loops where the source has nothing that they wait at. */
static char *whole_text(const preludes *p, const dcs_source *source) {
  int fibres = *p->watch || strstr(source->text, "__syncthreads") || strstr(source->text, "_sync(");
  static const char format[] =
      "#define DCS_EMULATED_FIBRES %d\n%s%s%s\n#line 1 \"%s\"\n%s\n#line 1 "
      "\"entry\"\n%s";
  char entries[MOST_ENTRIES * (DCS_KERNEL_NAME + 32)];
  write_entries(source->text, entries, sizeof entries);
  size_t bytes = sizeof format + strlen(p->watch) + strlen(p->language) + strlen(p->run) +
                 strlen(source->name) + strlen(source->text) + strlen(entries);
  char *text = malloc(bytes);
  if (text)
    snprintf(text, bytes, format, fibres, p->watch, p->language, p->run, source->name, source->text,
             entries);
  return text;
}

static dcs_status compile_cached(const dcs_host_compiler *compiler, const dcs_source *whole,
                                 void **image, size_t *bytes, dcs_code_facts *facts) {
  char *key = dcs_codecache_key(compiler->version, "emulated", whole);
  if (!key) return dcs_want("no memory to compile %s", whole->name);
  dcs_status status = DCS_OK;
  if (!dcs_codecache_get(key, image, bytes, facts)) {
    double start = dcs_now_ns();
    status = dcs_host_compiler_run(compiler, whole, image, bytes);
    *facts = (dcs_code_facts){.registers = -1,
                              .spill_bytes = -1,
                              .local_bytes = -1,
                              .constant_bytes = -1,
                              .shared_bytes = -1,
                              .compile_ms = 1e-6 * (dcs_now_ns() - start)};
    if (status == DCS_OK) dcs_codecache_put(key, *image, *bytes, facts);
  }
  free(key);
  return status;
}

/* A kernel that leaves an array of a known size ends there, as a crash: what lies behind shared
 * memory here is other memory of the kernel, on a card it is none. */
static const char *const checking[] = {"-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"};

/* With the calls that emulator_watch.h answers, and with lines. Without the sanitizer's library:
 * what the kernel needs is in this process. */
static const char *const watching[] = {"-O0",
                                       "-g",
                                       "-fno-omit-frame-pointer",
                                       "-fno-threadsafe-statics",
                                       "-fno-exceptions",
                                       "-fsanitize=thread",
                                       "-fsanitize-coverage=trace-pc",
                                       "-nodefaultlibs",
                                       "-lgcc"};

static dcs_status compile_so(const dcs_host_compiler *compiler, const char *const *how, int n,
                             const dcs_source *source, void **image, size_t *bytes,
                             dcs_code_facts *facts) {
  dcs_source whole = *source;
  const char **options = calloc((size_t)source->n_options + (size_t)n, sizeof *options);
  if (!options) return dcs_want("no memory to compile %s", source->name);
  for (int i = 0; i < source->n_options; i++)
    options[i] = source->options[i];
  memcpy(options + source->n_options, how, (size_t)n * sizeof *how);
  whole.options = options;
  whole.n_options = source->n_options + n;
  dcs_status status = compile_cached(compiler, &whole, image, bytes, facts);
  free(options);
  return status;
}

/* Macros are the kernel's; other options are those of another compiler. */
static void keep_macros(const dcs_source *source, const char **options, dcs_source *whole) {
  whole->options = options;
  whole->n_options = 0;
  for (int i = 0; i < source->n_options; i++)
    if (strncmp(source->options[i], "-D", 2) == 0 || strncmp(source->options[i], "-U", 2) == 0)
      options[whole->n_options++] = source->options[i];
}

dcs_status dcs_emulated_compile(const dcs_host_compiler *compiler, bool watched,
                                const dcs_source *source, void **image, size_t *bytes,
                                dcs_code_facts *facts) {
  dcs_source whole = *source;
  preludes p;
  if (!find_preludes(watched, &p))
    return dcs_fail(DCS_UNAVAILABLE,
                    "this program was built without the emulator's preludes in it");
  char *text = whole_text(&p, source);
  const char **options = calloc((size_t)source->n_options + 1, sizeof *options);
  if (!text || !options) {
    free(text);
    free(options);
    return dcs_want("no memory to compile %s", source->name);
  }
  whole.text = text;
  keep_macros(source, options, &whole);
  enum { WATCHING = sizeof watching / sizeof watching[0] };
  enum { CHECKING = sizeof checking / sizeof checking[0] };
  dcs_status status = compile_so(compiler, watched ? watching : checking,
                                 watched ? WATCHING : CHECKING, &whole, image, bytes, facts);
  free(text);
  free(options);
  return status;
}
