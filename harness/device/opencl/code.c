/* An OpenCL device: code. A program is the prelude, the translated kernels, and the macros of a
 * configuration as lines of its text, as compilers differ in what an option may hold. */
#include "harness/device/opencl/device.h"

#include "harness/base/clock.h"
#include "harness/base/embedded.h"
#include "harness/device/codecache.h"
#include "harness/device/graph.h"
#include "harness/files/text_stream.h"

#include <stdlib.h>
#include <string.h>

/* The options of another compiler are not this one's. */
static const char *const build_options = "-cl-std=CL1.2 -w";

/* ---- from text to program ---- */

/* -DNAME=VALUE, or -DNAME. */
static void write_macro(FILE *out, const char *option) {
  if (strncmp(option, "-D", 2) != 0) return;
  const char *name = option + 2, *value = strchr(name, '=');
  fprintf(out, "#define %.*s %s\n", value ? (int)(value - name) : (int)strlen(name), name,
          value ? value + 1 : "1");
}

static dcs_status write_program(const dcs_source *source, const char *kernels, char **text) {
  const char *prelude = dcs_embedded("harness/device/opencl/prelude.cl");
  dcs_text_stream whole;
  if (!prelude) return dcs_fail(DCS_FAILED, "the prelude of OpenCL is not built in");
  DCS_TRY(dcs_text_begin(&whole));
  for (int o = 0; o < source->n_options; o++)
    write_macro(whole.stream, source->options[o]);
  fprintf(whole.stream, "%s%s", prelude, kernels);
  return dcs_text_end(&whole, text, NULL);
}

static dcs_status say_log(const dcs_opencl_device *opencl, const char *name, cl_program program,
                          cl_int result) {
  size_t bytes = 0;
  if (result != CL_BUILD_PROGRAM_FAILURE) return dcs_opencl_check("clBuildProgram", result);
  dcs_opencl.clGetProgramBuildInfo(program, opencl->card, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
  char *log = calloc(1, bytes + 1);
  if (log)
    dcs_opencl.clGetProgramBuildInfo(program, opencl->card, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
  dcs_status status = dcs_fail(DCS_FAILED, "%s does not compile as OpenCL C:\n%s", name,
                               log ? log : "no memory for the compiler's log");
  free(log);
  return status;
}

static dcs_status build(const dcs_opencl_device *opencl, const char *name, cl_program program) {
  const cl_int result =
      dcs_opencl.clBuildProgram(program, 1, &opencl->card, build_options, NULL, NULL);
  return result == CL_SUCCESS ? DCS_OK : say_log(opencl, name, program, result);
}

static dcs_status build_text(const dcs_opencl_device *opencl, const char *name, const char *text,
                             cl_program *program) {
  cl_int result;
  *program = dcs_opencl.clCreateProgramWithSource(opencl->context, 1, &text, NULL, &result);
  DCS_TRY(dcs_opencl_check("clCreateProgramWithSource", result));
  const dcs_status status = build(opencl, name, *program);
  if (status != DCS_OK) dcs_opencl.clReleaseProgram(*program);
  return status;
}

/* A driver may refuse what an entry of the cache holds; then it is compiled again. */
static bool build_image(const dcs_opencl_device *opencl, const void *image, size_t bytes,
                        cl_program *program) {
  const unsigned char *binary = image;
  cl_int loaded, result;
  *program = dcs_opencl.clCreateProgramWithBinary(opencl->context, 1, &opencl->card, &bytes,
                                                  &binary, &loaded, &result);
  if (result != CL_SUCCESS) return false;
  if (loaded == CL_SUCCESS && build(opencl, "", *program) == DCS_OK) return true;
  dcs_opencl.clReleaseProgram(*program);
  return false;
}

static void keep_image(cl_program program, const char *key, const dcs_code_facts *facts) {
  size_t bytes = 0;
  if (dcs_opencl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
          CL_SUCCESS ||
      bytes == 0)
    return;
  unsigned char *image = malloc(bytes);
  if (image && dcs_opencl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof image, &image,
                                           NULL) == CL_SUCCESS)
    dcs_codecache_put(key, image, bytes, facts);
  free(image);
}

static dcs_status compile(const dcs_opencl_device *opencl, const char *name, const char *text,
                          cl_program *program, dcs_code_facts *facts) {
  const dcs_source whole = {.name = name, .text = text, .options = &build_options, .n_options = 1};
  char *key = dcs_codecache_key("OpenCL C", opencl->id, &whole);
  void *image = NULL;
  size_t bytes;
  if (!key) return dcs_want("no memory to compile %s", name);
  dcs_status status = DCS_OK;
  const bool cached =
      dcs_codecache_get(key, &image, &bytes, facts) && build_image(opencl, image, bytes, program);
  if (!cached) {
    const double start = dcs_now_ns();
    status = build_text(opencl, name, text, program);
    *facts = (dcs_code_facts){.registers = -1,
                              .spill_bytes = -1,
                              .local_bytes = -1,
                              .constant_bytes = -1,
                              .shared_bytes = -1,
                              .compile_ms = 1e-6 * (dcs_now_ns() - start)};
    if (status == DCS_OK) keep_image(*program, key, facts);
  }
  free(image);
  free(key);
  return status;
}

/* ---- modules ---- */

static void free_module(dcs_device *device, dcs_module *module) {
  for (int c = 0; c < module->text.n_constants; c++)
    if (module->constants[c]) device->release(device, module->constants[c]);
  for (int k = 0; k < module->text.n_kernels; k++)
    if (module->kernels[k]) dcs_opencl.clReleaseKernel(module->kernels[k]);
  if (module->program) dcs_opencl.clReleaseProgram(module->program);
  free(module);
}

/* Has the device itself say how large it takes the structs that kernels get. */
static dcs_status run_sizes(dcs_device *device, dcs_module *module, cl_kernel kernel, dcs_ptr at,
                            int *sizes) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  const size_t one = 1, bytes = (size_t)module->text.n_sizes * sizeof *sizes;
  cl_mem memory;
  size_t offset;
  DCS_TRY(dcs_opencl_find(opencl, at, &memory, &offset));
  DCS_TRY(DCS_CL(clSetKernelArg, kernel, 0, sizeof(void *), &memory));
  DCS_TRY(
      DCS_CL(clEnqueueNDRangeKernel, opencl->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
  return DCS_CL(clEnqueueReadBuffer, opencl->queue, memory, 1, offset, bytes, sizes, 0, NULL, NULL);
}

static dcs_status find_sizes(dcs_device *device, dcs_module *module) {
  int *sizes = calloc((size_t)module->text.n_sizes, sizeof *sizes);
  dcs_ptr at = 0;
  cl_int result;
  cl_kernel kernel = dcs_opencl.clCreateKernel(module->program, "dcs_sizes", &result);
  dcs_status status = dcs_opencl_check("clCreateKernel", result);
  if (status == DCS_OK && !sizes) status = dcs_want("no memory for sizes");
  if (status == DCS_OK)
    status = device->alloc(device, (size_t)module->text.n_sizes * sizeof *sizes, &at);
  if (status == DCS_OK) status = run_sizes(device, module, kernel, at, sizes);
  for (int k = 0; status == DCS_OK && k < module->text.n_kernels; k++)
    for (int a = 0; a < module->text.kernels[k].n_args; a++)
      if (module->text.kernels[k].args[a].bytes == 0)
        module->text.kernels[k].args[a].bytes = sizes[module->text.kernels[k].args[a].struct_];
  if (at) device->release(device, at);
  if (result == CL_SUCCESS) dcs_opencl.clReleaseKernel(kernel);
  free(sizes);
  return status;
}

static dcs_status fill_module(dcs_device *device, dcs_module *module, dcs_code_facts *facts) {
  const dcs_opencl_device *opencl = dcs_opencl_of(device);
  cl_int result;
  for (int k = 0; k < module->text.n_kernels; k++) {
    const char *name = module->text.kernels[k].name;
    module->kernels[k] = dcs_opencl.clCreateKernel(module->program, name, &result);
    DCS_TRY(dcs_opencl_check("clCreateKernel", result));
    cl_ulong local;
    if (strcmp(name, "dcs") != 0) continue;
    DCS_TRY(DCS_CL(clGetKernelWorkGroupInfo, module->kernels[k], opencl->card,
                   CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    facts->shared_bytes = (int)local;
    DCS_TRY(dcs_opencl_block_threads(opencl, module, k, &facts->block_threads));
  }
  for (int c = 0; c < module->text.n_constants; c++)
    DCS_TRY(device->alloc(device, opencl->constant_bytes, &module->constants[c]));
  return module->text.n_sizes > 0 ? find_sizes(device, module) : DCS_OK;
}

static dcs_status make_program(const dcs_opencl_device *opencl, const dcs_source *source,
                               dcs_module *module, dcs_code_facts *facts) {
  char *text;
  DCS_TRY(dcs_opencl_translate(source, opencl->has_doubles, &module->text));
  dcs_status status = write_program(source, module->text.text, &text);
  free(module->text.text);
  DCS_TRY(status);
  status = compile(opencl, source->name, text, &module->program, facts);
  free(text);
  if (status != DCS_OK) module->program = NULL;
  return status;
}

static dcs_status opencl_load(dcs_device *device, const dcs_source *source, dcs_module **module,
                              dcs_code_facts *facts) {
  dcs_opencl_device *opencl = dcs_opencl_of(device);
  dcs_module *loaded = calloc(1, sizeof *loaded);
  if (!loaded) return dcs_want("no memory to load %s", source->name);
  dcs_status status = make_program(opencl, source, loaded, facts);
  if (status == DCS_OK) status = fill_module(device, loaded, facts);
  if (status != DCS_OK) {
    free_module(device, loaded);
    return status;
  }
  loaded->next = opencl->modules;
  opencl->modules = loaded;
  *module = loaded;
  return DCS_OK;
}

static void opencl_unload(dcs_device *device, dcs_module *module) {
  dcs_module **link = &dcs_opencl_of(device)->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link) return;
  *link = module->next;
  free_module(device, module);
}

static dcs_status opencl_symbol(dcs_device *device, dcs_module *module, const char *name,
                                dcs_ptr *ptr, size_t *bytes) {
  for (int c = 0; c < module->text.n_constants; c++) {
    if (strcmp(module->text.constants[c], name) != 0) continue;
    *ptr = module->constants[c];
    *bytes = dcs_opencl_of(device)->constant_bytes;
    return DCS_OK;
  }
  return dcs_fail(DCS_FAILED, "the kernel's module has no array named \"%s\"", name);
}

dcs_status dcs_opencl_can_run(const dcs_source *source) {
  dcs_opencl_text text;
  DCS_TRY(dcs_opencl_translate(source, true, &text));
  free(text.text);
  return DCS_OK;
}

static dcs_status opencl_can_run(dcs_device *device, const dcs_source *source) {
  dcs_opencl_text text;
  DCS_TRY(dcs_opencl_translate(source, dcs_opencl_of(device)->has_doubles, &text));
  free(text.text);
  return DCS_OK;
}

void dcs_opencl_code_methods(dcs_device *device) {
  device->can_run = opencl_can_run;
  device->load = opencl_load;
  device->unload = opencl_unload;
  device->symbol = opencl_symbol;
}
