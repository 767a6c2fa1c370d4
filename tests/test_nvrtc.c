/* NVRTC and the cache in front of it. Skipped where there is no NVRTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/cuda/nvrtc.h"
#include "harness/device/devices.h"
#include "harness/device/kernel_source.h"
#include "harness/verify/verify.h"
#include "tests/cache_folder.h"

#include <string.h>

static const char kernel[] =
    "__constant__ float4 atoms[N];\n"
    "extern \"C\" __global__ void dcs(float *map, int n) {\n"
    "  __shared__ float tile[64];\n"
    "  tile[threadIdx.x & 63] = map[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  if ((int)threadIdx.x < n) map[threadIdx.x] = atoms[n].x + rsqrtf(tile[n & 63]);\n"
    "}\n";
static const char *const options[] = {"-DN=100"};
static const dcs_source source = {"kernel.cu", kernel, options, 1};

static void need_nvrtc(void) {
  int version;
  if (dcs_nvrtc_version(&version) != DCS_UNAVAILABLE) return;
  print_message("skipped: %s\n", dcs_error_message());
  skip();
}

static void version_is_one(void **state) {
  (void)state;
  need_nvrtc();
  int version = 0;
  assert_int_equal(dcs_nvrtc_version(&version), DCS_OK);
  assert_in_range(version, 11020, 99990);
  assert_int_equal(version % 10, 0);
}

static void compiles_once(void **state) {
  (void)state;
  need_nvrtc();
  cache_folder_empty();
  void *first, *second;
  size_t first_bytes, second_bytes;
  dcs_code_facts made, cached;
  assert_int_equal(dcs_nvrtc_compile(&source, "sm_90", &first, &first_bytes, &made), DCS_OK);
  assert_memory_equal(first, "\177ELF", 4);
  assert_false(made.cached);
  assert_in_range(made.registers, 1, 255);
  assert_int_equal(made.spill_bytes, 0);
  assert_int_equal(made.constant_bytes, 100 * 16);
  assert_int_equal(made.shared_bytes, 64 * 4);
  assert_true(made.compile_ms > 0);

  assert_int_equal(dcs_nvrtc_compile(&source, "sm_90", &second, &second_bytes, &cached), DCS_OK);
  assert_true(cached.cached);
  assert_int_equal(cached.registers, made.registers);
  assert_true(cached.compile_ms == made.compile_ms);
  assert_int_equal(second_bytes, first_bytes);
  assert_memory_equal(second, first, first_bytes);
  free(first);
  free(second);
}

static void facts_alone(void **state) {
  (void)state;
  need_nvrtc();
  const char *const other[] = {"-DN=7"};
  const dcs_source variant = {"kernel.cu", kernel, other, 1};
  dcs_code_facts facts;
  assert_int_equal(dcs_nvrtc_compile(&variant, "sm_90", NULL, NULL, &facts), DCS_OK);
  assert_int_equal(facts.constant_bytes, 7 * 16);
}

/* 64 values live at once, in a block that leaves 32 registers a thread. */
static void spills_are_seen(void **state) {
  (void)state;
  need_nvrtc();
  static const char text[] =
      "extern \"C\" __global__ void __launch_bounds__(1024, 2) dcs(float *p) {\n"
      "  float v[64];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 64; i++) v[i] = p[i * 1024 + threadIdx.x];\n"
      "  __syncthreads();\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 64; i++) p[(63 - i) * 1024 + threadIdx.x] = v[i] * v[63 - i];\n"
      "}\n";
  const dcs_source spilling = {"spill.cu", text, NULL, 0};
  dcs_code_facts facts;
  assert_int_equal(dcs_nvrtc_compile(&spilling, "sm_90", NULL, NULL, &facts), DCS_OK);
  assert_in_range(facts.registers, 1, 32);
  assert_in_range(facts.spill_bytes, 1, 100000);
}

static void bad_source_has_the_log(void **state) {
  (void)state;
  need_nvrtc();
  const dcs_source bad = {"bad.cu", "extern \"C\" __global__ void dcs() { undeclared = 1; }", NULL,
                          0};
  dcs_code_facts facts;
  assert_int_equal(dcs_nvrtc_compile(&bad, "sm_90", NULL, NULL, &facts), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "bad.cu(1)"));
  assert_non_null(strstr(dcs_error_message(), "\"undeclared\" is undefined"));
}

static void unknown_archs_are_refused(void **state) {
  (void)state;
  need_nvrtc();
  static const char *const archs[] = {"sm_1", "sm_9", "sm_900", "sm_90x", "compute_90", "90", ""};
  for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
    dcs_code_facts facts;
    assert_int_equal(dcs_nvrtc_compile(&source, archs[i], NULL, NULL, &facts), DCS_USAGE);
    assert_non_null(strstr(dcs_error_message(), " sm_90"));
  }
}

/* An array whose index is not known lies in local memory, and the listing has its loads. */
static void written_down(void **state) {
  (void)state;
  need_nvrtc();
  static const char text[] = "extern \"C\" __global__ void dcs(float *map, int n) {\n"
                             "  float x[64] = {};\n"
                             "  for (int i = 0; i < n; i++) x[(int)map[i] & 63] += map[i];\n"
                             "  for (int i = 0; i < n; i++) map[i] = x[i & 63];\n"
                             "}\n";
  const dcs_source local = {"local.cu", text, NULL, 0};
  dcs_listing listing;
  dcs_code_facts facts;
  char *ptx;
  assert_int_equal(dcs_cuda_list_code(&local, "sm_90", &listing, &facts), DCS_OK);
  assert_int_equal(facts.local_bytes, 64 * sizeof(float));
  assert_non_null(strstr(listing.text, listing.machine ? "LDL" : "ld.local"));
  assert_true(listing.by[0] != '\0');
  free(listing.text);
  assert_int_equal(dcs_nvrtc_ptx(&local, "sm_90", &ptx), DCS_OK);
  assert_non_null(strstr(ptx, ".entry dcs("));
  free(ptx);
  assert_int_equal(dcs_nvrtc_ptx(&local, "sm_1", &ptx), DCS_USAGE);
}

/* By other processes, into the cache. */
static void compiles_ahead(void **state) {
  (void)state;
  need_nvrtc();
  cache_folder_empty();
  const dcs_variant *variant = dcs_find_variant("cuda_naive");
  dcs_method list[] = {{variant, dcs_initial_config(variant, 1)},
                       {variant, dcs_initial_config(variant, 1)},
                       {dcs_find_variant("cpu_gather"), {{1}}}};
  list[1].config.value[0] *= 2;
  dcs_verify_compile_for("sm_90", NULL, &(dcs_methods){.list = list, .n = 3});
  for (int m = 0; m < 2; m++) {
    dcs_kernel_source opened;
    dcs_code_facts facts;
    assert_int_equal(dcs_kernel_source_open(variant, &list[m].config, NULL, &opened), DCS_OK);
    assert_int_equal(dcs_device_compile(&opened.source, "sm_90", &facts), DCS_OK);
    assert_true(facts.cached);
    dcs_kernel_source_free(&opened);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_is_one),
      cmocka_unit_test(compiles_once),
      cmocka_unit_test(facts_alone),
      cmocka_unit_test(spills_are_seen),
      cmocka_unit_test(bad_source_has_the_log),
      cmocka_unit_test(unknown_archs_are_refused),
      cmocka_unit_test(written_down),
      cmocka_unit_test(compiles_ahead),
  };
  return cmocka_run_group_tests_name("nvrtc", tests, cache_folder_make, cache_folder_remove);
}
