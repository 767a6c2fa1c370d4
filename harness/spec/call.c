/* Kernels in C: compiled to shared objects, one for each configuration, and called with a list of
 * their arguments: the first element of a vector, a scalar. */
#include "harness/spec/made.h"

#include "harness/device/codecache.h"
#include "harness/device/host_compiler.h"
#include "harness/device/kernel_source.h"
#include "harness/problems/methods.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static dcs_status compile(const dcs_source *source, void **image, size_t *bytes) {
  dcs_host_compiler compiler;
  dcs_code_facts facts = {-1, -1, -1, -1, -1, 0, false};
  DCS_TRY(dcs_host_compiler_find_c(&compiler));
  char *key = dcs_codecache_key(compiler.version, "c", source);
  if (!key) return dcs_want("no memory to compile %s", source->name);
  dcs_status status = DCS_OK;
  if (!dcs_codecache_get(key, image, bytes, &facts)) {
    status = dcs_host_compiler_run(&compiler, source, image, bytes);
    if (status == DCS_OK) dcs_codecache_put(key, *image, *bytes, &facts);
  }
  free(key);
  return status;
}

static dcs_status load(const dcs_made *made, const dcs_config *config, dcs_made_code *code) {
  dcs_kernel_source source;
  void *image = NULL, *handle, *symbol;
  size_t bytes;
  dcs_status status = dcs_kernel_source_open(&made->variant, config, NULL, &source);
  if (status == DCS_OK) status = compile(&source.source, &image, &bytes);
  dcs_kernel_source_free(&source);
  if (status == DCS_OK) status = dcs_host_compiler_load(image, bytes, &handle);
  free(image);
  if (status != DCS_OK) return status;
  symbol = dlsym(handle, made->spec.kernel_name);
  memcpy(&code->call, &symbol, sizeof symbol);
  if (symbol) return DCS_OK;
  dlclose(handle);
  return dcs_fail(DCS_FAILED, "%s: found no function %s(void *const *arguments) in it",
                  made->spec.kernel_file, made->spec.kernel_name);
}

static bool is_of(const dcs_made *made, int code, const dcs_config *config) {
  const dcs_method known = {&made->variant, made->code[code].config},
                   asked = {&made->variant, *config};
  return dcs_same_method(&known, &asked);
}

/* -1: it is not compiled. */
static int find(dcs_made *made, const dcs_config *config) {
  if (made->last < made->n_code && is_of(made, made->last, config)) return made->last;
  for (int c = 0; c < made->n_code; c++)
    if (is_of(made, c, config)) return made->last = c;
  return -1;
}

dcs_status dcs_made_load(dcs_made *made, const dcs_config *config) {
  dcs_made_code code = {.config = *config};
  if (find(made, config) >= 0) return DCS_OK;
  DCS_TRY(load(made, config, &code));
  DCS_TRY(dcs_grow(&made->code, (size_t)made->n_code, sizeof code, "compiled kernels"));
  made->code[made->n_code++] = code;
  return DCS_OK;
}

bool dcs_made_compute(dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                      void *const out[DCS_MAX_BUFFERS]) {
  void *arguments[DCS_MAX_ARGS];
  int n_inputs = (int)problem->n_inputs, nx = (int)problem->n.x, ny = (int)problem->n.y,
      nz = (int)problem->n.z, n = 0, sms = 1;
  float spacing = problem->spacing;
  void *const values[] = {
      [DCS_ARG_N_INPUTS] = &n_inputs, [DCS_ARG_NX] = &nx,  [DCS_ARG_NY] = &ny, [DCS_ARG_NZ] = &nz,
      [DCS_ARG_SPACING] = &spacing,   [DCS_ARG_SMS] = &sms};
  const int code = find(made, config);
  if (code < 0) return false;
  for (const dcs_arg *arg = made->args; *arg != DCS_ARG_END; arg++) {
    const int b = (int)*arg - DCS_ARG_BUFFER;
    if (*arg < DCS_ARG_BUFFER)
      arguments[n++] = values[*arg];
    else if (*arg >= DCS_ARG_OWN_AT)
      arguments[n++] = made->own + (*arg - DCS_ARG_OWN_AT);
    else
      arguments[n++] = made->of->buffers[b].output ? out[b] : (void *)problem->input[b];
  }
  made->code[code].call(arguments);
  return true;
}
