/* NVRTC, opened at run time: source to cubin, and what ptxas says about it. */
#include "harness/device/cuda/nvrtc.h"

#if DCS_WITH_CUDA

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/device/codecache.h"
#include "harness/device/cuda/library.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVRTC_FUNCTIONS(X)                                                                         \
  X(nvrtcVersion)                                                                                  \
  X(nvrtcGetErrorString)                                                                           \
  X(nvrtcGetNumSupportedArchs)                                                                     \
  X(nvrtcGetSupportedArchs)                                                                        \
  X(nvrtcCreateProgram)                                                                            \
  X(nvrtcDestroyProgram)                                                                           \
  X(nvrtcCompileProgram)                                                                           \
  X(nvrtcGetProgramLogSize)                                                                        \
  X(nvrtcGetProgramLog)                                                                            \
  X(nvrtcGetPTXSize)                                                                               \
  X(nvrtcGetPTX)                                                                                   \
  X(nvrtcGetCUBINSize)                                                                             \
  X(nvrtcGetCUBIN)

static struct {
  void *handle; /* NULL until the library was found whole */
  int major, minor;
#define X(name) __typeof__(name) *name;
  NVRTC_FUNCTIONS(X)
#undef X
} lib;

/* What every kernel is compiled with. Denormals are flushed so that rsqrtf is the one instruction
 * of the special function units, without the scaling around it. */
#define FIXED_OPTIONS "--ftz=true", "--std=c++17"
#define FIXED_TEXT    "--ftz=true --std=c++17"

/* ---- the library ---- */

static dcs_status load_once(void) {
  if (lib.handle) return DCS_OK;
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                      "libnvrtc.so", NULL};
  void *handle = dcs_cuda_library(names);
  if (!handle)
    return dcs_fail(
        DCS_UNAVAILABLE,
        "NVRTC is not on this machine: no libnvrtc.so (13, 12 or 11.2) " DCS_CUDA_LIBRARY_PLACES
        "; install the CUDA Toolkit, or set CUDA_HOME");
  const char *missing = NULL;
#define X(name)                                                                                    \
  *(void **)&lib.name = dlsym(handle, #name);                                                      \
  if (!lib.name) missing = #name;
  NVRTC_FUNCTIONS(X)
#undef X
  if (missing || lib.nvrtcVersion(&lib.major, &lib.minor) != NVRTC_SUCCESS) {
    dlclose(handle);
    return dcs_fail(DCS_UNAVAILABLE, "the NVRTC found here does not work (%s); 11.2 or newer does",
                    missing ? missing : "nvrtcVersion");
  }
  lib.handle = handle;
  return DCS_OK;
}

static dcs_status load_library(void) {
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&loading);
  dcs_status status = load_once();
  pthread_mutex_unlock(&loading);
  return status;
}

dcs_status dcs_nvrtc_version(int *version) {
  DCS_TRY(load_library());
  *version = lib.major * 1000 + lib.minor * 10;
  return DCS_OK;
}

static dcs_status check(const char *call, nvrtcResult result) {
  if (result == NVRTC_SUCCESS) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s: %s", call, lib.nvrtcGetErrorString(result));
}
#define NVRTC(name, ...) check(#name, lib.name(__VA_ARGS__))

/* ---- architectures ---- */

/* Whether arch is sm_ with one of the numbers, and perhaps the a or f of a feature set. */
static bool arch_known(const char *arch, const int *known, int n) {
  for (int i = 0; i < n; i++) {
    char text[32];
    int length = snprintf(text, sizeof text, "sm_%d", known[i]);
    if (strncmp(arch, text, (size_t)length) != 0) continue;
    const char *rest = arch + length;
    if (rest[0] == '\0' || ((rest[0] == 'a' || rest[0] == 'f') && rest[1] == '\0')) return true;
  }
  return false;
}

static dcs_status check_arch(const char *arch) {
  int n, known[256];
  DCS_TRY(NVRTC(nvrtcGetNumSupportedArchs, &n));
  if (n < 1 || n > 256)
    return dcs_fail(DCS_FAILED, "NVRTC says that it knows %d architectures; 1 to 256 expected", n);
  DCS_TRY(NVRTC(nvrtcGetSupportedArchs, known));
  if (arch_known(arch, known, n)) return DCS_OK;
  char list[1024] = "";
  for (int i = 0; i < n; i++)
    dcs_append(list, sizeof list, " sm_%d", known[i]);
  return dcs_fail(DCS_USAGE, "NVRTC %d.%d does not know the architecture \"%s\"; it knows%s",
                  lib.major, lib.minor, arch, list);
}

/* What asks for the instructions that an architecture alone has, as code for it alone may use. */
static const char *own_features(const char *arch) {
  const bool has_some = atoi(arch + strlen("sm_")) >= 90 && lib.major >= 12;
  return has_some && isdigit((unsigned char)arch[strlen(arch) - 1]) ? "a" : "";
}

/* ---- facts ---- */

/* The number that stands before the text, or -1. */
static int number_before(const char *log, const char *text) {
  const char *at = strstr(log, text);
  if (!at) return -1;
  const char *digits = at;
  while (digits > log && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  return digits < at ? atoi(digits) : -1;
}

/* Bytes of the module's __constant__ arrays: the cubin's section .nv.constant3. Recent versions of
 * ptxas leave them out of what they report. -1 when the image is not such a file. */
static int constant_bytes(const char *image, size_t bytes) {
  Elf64_Ehdr file;
  if (bytes < sizeof file) return -1;
  memcpy(&file, image, sizeof file);
  if (memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_shentsize != sizeof(Elf64_Shdr) ||
      file.e_shoff > bytes || file.e_shnum > (bytes - file.e_shoff) / sizeof(Elf64_Shdr) ||
      file.e_shstrndx >= file.e_shnum)
    return -1;
  Elf64_Shdr names, section;
  memcpy(&names, image + file.e_shoff + file.e_shstrndx * sizeof names, sizeof names);
  static const char wanted[] = ".nv.constant3";
  for (int i = 0; i < file.e_shnum; i++) {
    memcpy(&section, image + file.e_shoff + (size_t)i * sizeof section, sizeof section);
    uint64_t at = names.sh_offset + section.sh_name;
    if (at <= bytes - sizeof wanted && memcmp(image + at, wanted, sizeof wanted) == 0)
      return (int)section.sh_size;
  }
  return 0;
}

static void read_facts(const char *log, const char *image, size_t bytes, dcs_code_facts *facts) {
  const char *kernel = strstr(log, "Compiling entry function 'dcs'");
  if (!kernel) kernel = "";
  facts->registers = number_before(kernel, " registers");
  facts->spill_bytes = number_before(kernel, " bytes spill stores");
  facts->local_bytes = number_before(kernel, " bytes stack frame");
  facts->shared_bytes = number_before(kernel, " bytes smem");
  /* ptxas does not mention shared memory where there is none. */
  if (facts->shared_bytes < 0 && facts->registers >= 0) facts->shared_bytes = 0;
  facts->constant_bytes = constant_bytes(image, bytes);
  facts->cached = false;
}

/* ---- compiling ---- */

/* The program's log (malloc'd; the caller frees). */
static dcs_status get_log(nvrtcProgram program, char **log) {
  size_t bytes;
  DCS_TRY(NVRTC(nvrtcGetProgramLogSize, program, &bytes));
  *log = calloc(bytes + 1, 1);
  if (!*log) return dcs_want("no memory for a compiler log of %zu bytes", bytes);
  dcs_status status = NVRTC(nvrtcGetProgramLog, program, *log);
  if (status != DCS_OK) free(*log);
  return status;
}

static dcs_status get_cubin(nvrtcProgram program, void **image, size_t *bytes) {
  DCS_TRY(NVRTC(nvrtcGetCUBINSize, program, bytes));
  *image = malloc(*bytes);
  if (!*image) return dcs_want("no memory for a cubin of %zu bytes", *bytes);
  dcs_status status = NVRTC(nvrtcGetCUBIN, program, *image);
  if (status != DCS_OK) free(*image);
  return status;
}

static nvrtcResult run_compiler(nvrtcProgram program, const dcs_source *source, const char *arch) {
  char arch_option[64];
  snprintf(arch_option, sizeof arch_option, "--gpu-architecture=%s%s", arch, own_features(arch));
  const char *const fixed[] = {arch_option, FIXED_OPTIONS, "--ptxas-options=-v"};
  size_t n_fixed = sizeof fixed / sizeof fixed[0];
  size_t n = n_fixed + (size_t)source->n_options;
  const char **options = malloc(n * sizeof *options);
  if (!options) return NVRTC_ERROR_OUT_OF_MEMORY;
  memcpy(options, fixed, sizeof fixed);
  for (int i = 0; i < source->n_options; i++)
    options[n_fixed + (size_t)i] = source->options[i];
  nvrtcResult result = lib.nvrtcCompileProgram(program, (int)n, options);
  free(options);
  return result;
}

/* Leaves what the compiler said in *log, which the caller frees. */
static dcs_status compile_logged(nvrtcProgram program, const dcs_source *source, const char *arch,
                                 char **log) {
  nvrtcResult result = run_compiler(program, source, arch);
  DCS_TRY(get_log(program, log));
  if (result == NVRTC_SUCCESS) return DCS_OK;
  dcs_status status = dcs_fail(DCS_FAILED, "%s does not compile for %s (%s):\n%.3000s",
                               source->name, arch, lib.nvrtcGetErrorString(result), *log);
  free(*log);
  return status;
}

static dcs_status compile_program(nvrtcProgram program, const dcs_source *source, const char *arch,
                                  void **image, size_t *bytes, dcs_code_facts *facts) {
  double start = dcs_now_ns();
  char *log;
  DCS_TRY(compile_logged(program, source, arch, &log));
  facts->compile_ms = 1e-6 * (dcs_now_ns() - start);
  dcs_status status = get_cubin(program, image, bytes);
  if (status == DCS_OK) read_facts(log, *image, *bytes, facts);
  free(log);
  return status;
}

static dcs_status compile(const dcs_source *source, const char *arch, void **image, size_t *bytes,
                          dcs_code_facts *facts) {
  nvrtcProgram program;
  DCS_TRY(NVRTC(nvrtcCreateProgram, &program, source->text, source->name, 0, NULL, NULL));
  dcs_status status = compile_program(program, source, arch, image, bytes, facts);
  lib.nvrtcDestroyProgram(&program);
  return status;
}

dcs_status dcs_nvrtc_compile(const dcs_source *source, const char *arch, void **image,
                             size_t *image_bytes, dcs_code_facts *facts) {
  DCS_TRY(load_library());
  DCS_TRY(check_arch(arch));
  char compiler[128];
  snprintf(compiler, sizeof compiler, "nvrtc %d.%d %s", lib.major, lib.minor, FIXED_TEXT);
  char *key = dcs_codecache_key(compiler, arch, source);
  if (!key) return dcs_want("no memory to compile %s", source->name);
  void *code = NULL;
  size_t bytes = 0;
  dcs_status status = DCS_OK;
  if (!dcs_codecache_get(key, &code, &bytes, facts)) {
    status = compile(source, arch, &code, &bytes, facts);
    if (status == DCS_OK) dcs_codecache_put(key, code, bytes, facts);
  }
  free(key);
  if (status != DCS_OK) return status;
  if (facts->shared_bytes >= 0) facts->shared_bytes += source->shared_bytes;
  if (image) {
    *image = code;
    *image_bytes = bytes;
  } else {
    free(code);
  }
  return DCS_OK;
}

/* ---- PTX ---- */

static dcs_status get_ptx(nvrtcProgram program, char **text) {
  size_t bytes;
  DCS_TRY(NVRTC(nvrtcGetPTXSize, program, &bytes));
  *text = calloc(bytes + 1, 1);
  if (!*text) return dcs_want("no memory for %zu bytes of PTX", bytes);
  dcs_status status = NVRTC(nvrtcGetPTX, program, *text);
  if (status != DCS_OK) free(*text);
  return status;
}

dcs_status dcs_nvrtc_ptx(const dcs_source *source, const char *arch, char **text) {
  nvrtcProgram program;
  char *log;
  DCS_TRY(load_library());
  DCS_TRY(check_arch(arch));
  DCS_TRY(NVRTC(nvrtcCreateProgram, &program, source->text, source->name, 0, NULL, NULL));
  dcs_status status = compile_logged(program, source, arch, &log);
  if (status == DCS_OK) {
    free(log);
    status = get_ptx(program, text);
  }
  lib.nvrtcDestroyProgram(&program);
  return status;
}

#else /* without the CUDA Toolkit's headers */

static dcs_status not_built(void) {
  return dcs_fail(DCS_UNAVAILABLE,
                  "built without CUDA headers: there is no NVRTC; install the CUDA "
                  "Toolkit and build again");
}

dcs_status dcs_nvrtc_compile(const dcs_source *source, const char *arch, void **image,
                             size_t *image_bytes, dcs_code_facts *facts) {
  (void)source, (void)arch, (void)image, (void)image_bytes, (void)facts;
  return not_built();
}

dcs_status dcs_nvrtc_ptx(const dcs_source *source, const char *arch, char **text) {
  (void)source, (void)arch, (void)text;
  return not_built();
}

dcs_status dcs_nvrtc_version(int *version) {
  (void)version;
  return not_built();
}

#endif
