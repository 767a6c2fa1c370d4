/* Specifications: the kernel, how it is compiled and launched. */
#include "harness/spec/read.h"

#include "harness/base/hash.h"
#include "harness/device/kernel_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its text ---- */

/* The kernel's definition or declaration: the name, called, behind __global__; NULL: none. */
static char *find_kernel(char *text, const char *name) {
  const size_t length = strlen(name);
  for (char *at = text; (at = strstr(at, "__global__")) != NULL; at += strlen("__global__")) {
    char *end = at + strcspn(at, ";{");
    for (char *found = at; (found = strstr(found, name)) != NULL && found < end; found += length) {
      const char before = found[-1], *behind = found + length;
      const bool apart = before == ' ' || before == '\n' || before == '\t';
      if (apart && behind[strspn(behind, " \t\r\n")] == '(') return at;
    }
  }
  return NULL;
}

static bool is_template(const char *text, const char *kernel) {
  const char *at = kernel;
  while (at > text && strchr(" \t\r\n", at[-1]))
    at--;
  return at > text && at[-1] == '>';
}

/* Every module has its kernel under one name, without what C++ adds to names: the kernel is
 * declared so, and its name is a macro. */
static dcs_status make_entry(const dcs_json_place *place, const char *name, char **text) {
  static const char linkage[] = "extern \"C\" ";
  char *at = find_kernel(*text, name), *whole;
  if (!at) return dcs_json_wrong(place, "the name of a __global__ function of KernelFile");
  if (is_template(*text, at)) return dcs_json_wrong(place, "a kernel that is no template");
  if (asprintf(&whole, "#define %s dcs\n#line 1\n%.*s%s%s", name, (int)(at - *text), *text, linkage,
               at) < 0)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a kernel");
  free(*text);
  *text = whole;
  return DCS_OK;
}

static dcs_status read_text(dcs_spec *spec, const dcs_json_place *name) {
  uint64_t hash;
  DCS_TRY(dcs_outside_text(spec->kernel_file, &spec->kernel, &hash));
  spec->hash = dcs_hash(spec->hash, &hash, sizeof hash);
  if (!spec->is_c && strcmp(spec->kernel_name, "dcs") != 0)
    return make_entry(name, spec->kernel_name, &spec->kernel);
  return DCS_OK;
}

/* ---- its sizes ---- */

static dcs_status read_sizes(dcs_spec *spec, const dcs_json_place *sizes,
                             dcs_spec_formula formulas[3]) {
  static const char *const members[] = {"X", "Y", "Z", NULL};
  DCS_TRY(dcs_json_only(sizes, members));
  for (int d = 0; d < 3; d++) {
    dcs_json_place size = dcs_json_member(sizes, members[d]);
    json_t *one = json_integer(1);
    if (d > 0 && !size.json) size.json = one;
    const dcs_status status = dcs_spec_read_formula(spec, &size, &formulas[d]);
    json_decref(one);
    DCS_TRY(status);
  }
  return DCS_OK;
}

static dcs_status read_launch(dcs_spec *spec, const dcs_json_place *kernel) {
  static const char *const types[] = {"CUDA", "Vulkan", "OpenCL", NULL};
  const dcs_json_place global = dcs_json_member(kernel, "GlobalSize"),
                       local = dcs_json_member(kernel, "LocalSize"),
                       type = dcs_json_member(kernel, "GlobalSizeType");
  int which = 0;
  if (spec->is_c) {
    const dcs_json_place *sizes[] = {&global, &local, &type};
    for (int s = 0; s < 3; s++)
      if (sizes[s]->json) return dcs_json_wrong(sizes[s], "nothing: a function of C has no blocks");
    return DCS_OK;
  }
  if (type.json) DCS_TRY(dcs_json_get_word(&type, types, &which));
  spec->counts_threads = which == 2;
  DCS_TRY(read_sizes(spec, &global, spec->global));
  return read_sizes(spec, &local, spec->local);
}

/* ---- the rest ---- */

static dcs_status read_options(dcs_spec *spec, const dcs_json_place *options) {
  size_t n = 0;
  if (options->json) DCS_TRY(dcs_json_get_array(options, 32, &n));
  DCS_TRY(dcs_room_take(&spec->room, &spec->options, DCS_MAX_OPTIONS, sizeof *spec->options,
                        "options"));
  for (size_t o = 0; o < n; o++) {
    const dcs_json_place item = dcs_json_item(options, o);
    const char *text = json_string_value(item.json);
    if (!text) return dcs_json_wrong(&item, "an option of the compiler");
    if (*text) spec->options[spec->n_options++] = text;
  }
  return DCS_OK;
}

/* What is in T1 and has one value here. */
static dcs_status check_rest(const dcs_json_place *kernel) {
  const dcs_json_place shared = dcs_json_member(kernel, "SharedMemory"),
                       profiling = dcs_json_member(kernel, "Profiling");
  if (shared.json && (!json_is_integer(shared.json) || json_integer_value(shared.json) != 0))
    return dcs_json_wrong(&shared, "0: shared memory is declared in the kernel");
  if (profiling.json && !json_is_false(profiling.json))
    return dcs_json_wrong(&profiling, "false: counters are not read");
  return DCS_OK;
}

dcs_status dcs_spec_read_kernel(dcs_spec *spec, const dcs_json_place *kernel) {
  static const char *const members[] = {
      "BenchmarkName",   "Language",           "KernelName", "KernelFile",
      "CompilerOptions", "GlobalSizeType",     "GlobalSize", "LocalSize",
      "Arguments",       "ReferenceArguments", "Problem",    "SharedMemory",
      "Profiling",       "SimulationInput",    "Device",     NULL};
  static const char *const languages[] = {"CUDA", "C", NULL};
  int which;
  const char *path;
  DCS_TRY(dcs_json_only(kernel, members));
  const dcs_json_place language = dcs_json_member(kernel, "Language"),
                       name = dcs_json_member(kernel, "KernelName"),
                       file = dcs_json_member(kernel, "KernelFile"),
                       options = dcs_json_member(kernel, "CompilerOptions");
  DCS_TRY(dcs_json_get_word(&language, languages, &which));
  spec->is_c = which == 1;
  DCS_TRY(dcs_json_get_text(&name, &spec->kernel_name));
  if (!dcs_is_identifier(spec->kernel_name)) return dcs_json_wrong(&name, "the name of a function");
  DCS_TRY(dcs_json_get_text(&file, &path));
  DCS_TRY(dcs_spec_keep_path(spec, path, &spec->kernel_file));
  DCS_TRY(read_options(spec, &options));
  DCS_TRY(check_rest(kernel));
  DCS_TRY(read_text(spec, &name));
  return read_launch(spec, kernel);
}
