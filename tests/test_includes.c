/* Kernels that include headers: where these are taken from, what they key, and which line a message
 * names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/embedded.h"
#include "harness/device/devices.h"
#include "harness/device/kernel_source.h"
#include "tests/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARED "kernels/common/cuda/cells.cuh"

static const dcs_variant *naive, *cells;
static char folder[] = "/tmp/dcs-test-includes-XXXXXX";
static const char *const planted[] = {"naive.cu", "density_cells.cu", "own.cuh", "cells.cuh"};

static void plant(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int begin(void **state) {
  naive = dcs_find_variant("cuda_naive");
  cells = dcs_find_variant("cuda_density_cells");
  return naive && cells && mkdtemp(folder) && cache_folder_make(state) == 0 ? 0 : -1;
}

static int empty_folder(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, planted[i]);
    unlink(path);
  }
  return 0;
}

static int end(void **state) {
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

static void open_source(const dcs_variant *variant, const char *kernels,
                        dcs_kernel_source *source) {
  const dcs_config config = dcs_initial_config(variant, 1);
  if (dcs_kernel_source_open(variant, &config, kernels, source) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

static uint64_t hash_of(const dcs_variant *variant, const char *kernels) {
  uint64_t hash;
  if (dcs_variant_hash(variant, kernels, &hash) != DCS_OK) fail_msg("%s", dcs_error_message());
  return hash;
}

/* naive.cu with a header of its own that adds VALUE, a macro of the header. */
static void plant_naive(void) {
  plant("naive.cu",
        "// a line\n"
        "#include \"own.cuh\"\n"
        "extern \"C\" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx,\n"
        "                               int ny, int k, float spacing) {\n"
        "  slice[0] = VALUE;\n"
        "}\n");
}

/* ---- text ---- */

/* Each line of the kernel and of the header stands under the #line that counts up to it. */
static void lines_keep_their_numbers(void **state) {
  (void)state;
  dcs_kernel_source source;
  open_source(cells, NULL, &source);
  const char *text = source.source.text, *begin_of = strstr(text, "#line 1 \"" SHARED "\"\n");
  assert_non_null(begin_of);
  char behind[128];
  int before = 1;
  for (const char *c = text; c < begin_of; c++)
    before += *c == '\n';
  snprintf(behind, sizeof behind, "#line %d \"%s\"\n", before + 1, cells->sources[0]);
  const char *header = strchr(begin_of, '\n') + 1, *end_of = strstr(header, behind);
  assert_non_null(end_of);
  assert_int_equal(end_of - header, strlen(dcs_embedded(SHARED)));
  assert_memory_equal(header, dcs_embedded(SHARED), (size_t)(end_of - header));
  assert_null(strstr(text, "#include"));
  dcs_kernel_source_free(&source);
}

/* A folder's own header wins; where it has none, the project's is taken and the hash stays. */
static void a_folders_header_wins(void **state) {
  (void)state;
  plant("density_cells.cu", dcs_embedded(cells->sources[0]));
  assert_true(hash_of(cells, folder) == hash_of(cells, NULL));
  plant("cells.cuh", dcs_embedded(SHARED));
  assert_true(hash_of(cells, folder) == hash_of(cells, NULL));
  plant("cells.cuh", "int edited;\n");
  assert_true(hash_of(cells, folder) != hash_of(cells, NULL));
  dcs_kernel_source source;
  open_source(cells, folder, &source);
  char expected[256];
  snprintf(expected, sizeof expected, "#line 1 \"%s/cells.cuh\"\nint edited;\n#line ", folder);
  assert_non_null(strstr(source.source.text, expected));
  dcs_kernel_source_free(&source);
}

static void expect_refused(const char *header, const char *expected) {
  const dcs_config config = dcs_initial_config(naive, 1);
  dcs_kernel_source source;
  if (header) plant("own.cuh", header);
  assert_int_equal(dcs_kernel_source_open(naive, &config, folder, &source), DCS_FAILED);
  assert_null(source.text);
  if (!strstr(dcs_error_message(), expected))
    fail_msg("\"%s\" lacks \"%s\"", dcs_error_message(), expected);
}

static void what_is_nowhere_is_named(void **state) {
  (void)state;
  plant_naive();
  expect_refused(NULL, "/naive.cu:2: found #include \"own.cuh\"; expected a header of the project");
  expect_refused("\n\n#include \"nowhere.cuh\"\n", "/own.cuh:3: found #include \"nowhere.cuh\"");
  expect_refused("#include \"own.cuh\"\n", "/own.cuh:1: found own.cuh included 9 deep");
}

/* ---- compiled ---- */

static dcs_status compile(dcs_device *device, dcs_code_facts *facts) {
  dcs_kernel_source source;
  dcs_module *module;
  open_source(naive, folder, &source);
  dcs_status status = device ? device->load(device, &source.source, &module, facts)
                             : dcs_device_compile(&source.source, "sm_90", facts);
  if (device && status == DCS_OK) device->unload(device, module);
  dcs_kernel_source_free(&source);
  return status;
}

/* An edit of the header is compiled again; a fault in it is told of the header's line. `at`: how
 * the compiler writes line 2. */
static void expect_compiled(dcs_device *device, const char *at) {
  dcs_code_facts facts;
  char expected[128];
  plant_naive();
  plant("own.cuh", "#define VALUE 1\n");
  if (compile(device, &facts) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_false(facts.cached);
  assert_int_equal(compile(device, &facts), DCS_OK);
  assert_true(facts.cached);
  plant("own.cuh", "#define VALUE 2\n");
  assert_int_equal(compile(device, &facts), DCS_OK);
  assert_false(facts.cached);
  plant("own.cuh", "#define VALUE 2\nint wrong = missing;\n");
  assert_int_equal(compile(device, &facts), DCS_FAILED);
  snprintf(expected, sizeof expected, "%s/own.cuh%s", folder, at);
  if (!strstr(dcs_error_message(), expected)) fail_msg("%s", dcs_error_message());
  plant("own.cuh", "#define VALUE missing\n");
  assert_int_equal(compile(device, &facts), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "naive.cu"));
}

static void the_emulated_device_compiles_them(void **state) {
  (void)state;
  dcs_device *device;
  if (dcs_device_open("emulated", &device) != DCS_OK) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  expect_compiled(device, ":2:");
  device->close(device);
}

static void nvrtc_compiles_them(void **state) {
  (void)state;
  dcs_code_facts facts;
  plant_naive();
  plant("own.cuh", "#define VALUE 0\n");
  if (compile(NULL, &facts) == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  expect_compiled(NULL, "(2)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(lines_keep_their_numbers, empty_folder),
      cmocka_unit_test_teardown(a_folders_header_wins, empty_folder),
      cmocka_unit_test_teardown(what_is_nowhere_is_named, empty_folder),
      cmocka_unit_test_teardown(the_emulated_device_compiles_them, empty_folder),
      cmocka_unit_test_teardown(nvrtc_compiles_them, empty_folder),
  };
  return cmocka_run_group_tests_name("includes", tests, begin, end);
}
