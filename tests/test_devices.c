/* The table of devices: it agrees with its files, and what is made of it: names, lists, refusals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/devices.h"
#include "harness/device/kernel_source.h"
#include "tests/cache_folder.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static size_t count_paths(const char *pattern) {
  glob_t found;
  if (glob(pattern, GLOB_ONLYDIR, NULL, &found) != 0) return 0;
  size_t n = found.gl_pathc;
  globfree(&found);
  return n;
}

/* ---- the table ---- */

/* Each line has its folder, each folder its line, in the table's order. */
static void the_table_and_its_folders_agree(void **state) {
  (void)state;
  FILE *file = fopen("harness/device/devices.def", "r");
  char line[256], prefix[32], path[512];
  int n = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "DCS_DEVICE(%31[a-z0-9_])", prefix) != 1) continue;
    assert_true(n < dcs_n_device_kinds);
    assert_string_equal(dcs_device_kinds[n++]->prefix, prefix);
    snprintf(path, sizeof path, "harness/device/%s", prefix);
    if (count_paths(path) != 1) fail_msg("%s is not there", path);
  }
  fclose(file);
  assert_int_equal(n, dcs_n_device_kinds);
  assert_int_equal(count_paths("harness/device/*/"), n);
}

static void kinds_are_complete(void **state) {
  (void)state;
  for (int k = 0; k < dcs_n_device_kinds; k++) {
    const dcs_device_kind *kind = dcs_device_kinds[k];
    char path[512];
    assert_true(kind->open && kind->facts && strlen(kind->prefix) + 6 < DCS_DEVICE_NAME);
    assert_true(kind->launch.threads > 0 && kind->launch.block[2] > 0 && kind->launch.grid[2] > 0);
    snprintf(path, sizeof path, "kernels/*/%s", kind->language);
    if (count_paths(path) == 0) fail_msg("%s: no kernels are in %s", kind->prefix, path);
    int n = 0;
    for (const dcs_device_fact *fact = kind->facts; fact->key; fact++, n++) {
      for (int before = 0; before < n; before++)
        assert_string_not_equal(kind->facts[before].key, fact->key);
    }
    assert_true(n <= DCS_MAX_DEVICE_FACTS);
  }
}

/* ---- names ---- */

static void names_have_kinds(void **state) {
  (void)state;
  char names[DCS_TEXT], lists[DCS_TEXT];
  assert_string_equal(dcs_default_device(), "cuda:0");
  assert_string_equal(dcs_device_names(names), "cuda:N, opencl:N or emulated");
  assert_string_equal(dcs_device_list_names(lists),
                      "cuda:0,cuda:1 or cuda:all, opencl:0,opencl:1 or opencl:all");
  assert_ptr_equal(dcs_device_kind_of(NULL), dcs_device_kinds[0]);
  assert_string_equal(dcs_device_kind_of("cuda:3")->prefix, "cuda");
  assert_string_equal(dcs_device_kind_of("emulated,emulated")->prefix, "emulated");
  assert_null(dcs_device_kind_of("emulate"));
  assert_null(dcs_device_kind_of("emulated2"));
  assert_null(dcs_device_kind_of(""));
  assert_false(dcs_names_several("emulated:all"));
}

static void kinds_do_not_mix(void **state) {
  (void)state;
  static const char *const bad[] = {"emulated,cuda:0", "cuda:0,emulated", "emulated:0",
                                    "cuda:0,gpu:1",    "cuda:all,cuda:0", "cuda:0,cuda:01"};
  dcs_device_list list;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (dcs_device_list_of(bad[i], &list) != DCS_USAGE) fail_msg("%s was accepted", bad[i]);
  assert_int_equal(dcs_device_list_of("emulated,emulated", &list), DCS_OK);
  assert_int_equal(list.n, 2);
}

static void labels_tell_equals_apart(void **state) {
  (void)state;
  char label[DCS_DEVICE_LABEL];
  dcs_device_list list;
  assert_int_equal(dcs_device_list_of("emulated,emulated", &list), DCS_OK);
  assert_string_equal(dcs_device_label(&list, 1, label), "emulated (2 of 2)");
  assert_int_equal(dcs_device_list_of("emulated", &list), DCS_OK);
  assert_string_equal(dcs_device_label(&list, 0, label), "emulated");
  assert_int_equal(dcs_device_list_of("cuda:4,cuda:2", &list), DCS_OK);
  assert_string_equal(dcs_device_label(&list, 1, label), "cuda:2");
}

static void times_are_needed(void **state) {
  (void)state;
  assert_int_equal(dcs_need_times(NULL), DCS_OK);
  assert_int_equal(dcs_need_times("cuda:0,cuda:1"), DCS_OK);
  assert_int_equal(dcs_need_times("emulated"), DCS_USAGE);
  assert_int_equal(dcs_need_times("emulated,emulated"), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "the emulated device has no times"));
}

/* ---- devices ---- */

static void a_device_is_of_its_kind(void **state) {
  (void)state;
  dcs_device *device;
  dcs_device_facts facts;
  dcs_device_info info;
  if (dcs_device_open("emulated", &device) != DCS_OK) skip();
  assert_string_equal(device->kind->prefix, "emulated");
  assert_false(device->timed);
  assert_int_equal(device->info(device, &info), DCS_OK);
  assert_true(info.sm_count > 0 && info.sm_threads > 0 && info.sm_registers > 0);
  assert_int_equal(dcs_device_read_facts(device, &facts), DCS_OK);
  assert_string_equal(dcs_device_fact_value(&facts, "gpu_name"), "emulated");
  assert_string_equal(dcs_device_fact_value(&facts, "gpu_uuid"), "");
  assert_int_equal(device->telemetry(device, true).throttle, -1);
  device->close(device);
}

static void kernels_are_of_a_language(void **state) {
  (void)state;
  static const char *const other[] = {"kernels/coulomb/hip/naive.cu", NULL}, *const none[] = {
                                                                                 "cuda/naive.cu",
                                                                                 NULL};
  for (int v = 0; v < dcs_n_variants; v++) {
    dcs_variant variant = *dcs_variants[v];
    assert_int_equal(dcs_written_in(&variant, "cuda"), variant.backend == DCS_GPU);
    variant.sources = other;
    assert_false(dcs_written_in(&variant, "cuda"));
    assert_true(dcs_written_in(&variant, "hip"));
    assert_false(dcs_written_in(&variant, "ip"));
    variant.sources = none;
    assert_false(dcs_written_in(&variant, "uda"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_and_its_folders_agree),
      cmocka_unit_test(kinds_are_complete),
      cmocka_unit_test(names_have_kinds),
      cmocka_unit_test(kinds_do_not_mix),
      cmocka_unit_test(labels_tell_equals_apart),
      cmocka_unit_test(times_are_needed),
      cmocka_unit_test(a_device_is_of_its_kind),
      cmocka_unit_test(kernels_are_of_a_language),
  };
  return cmocka_run_group_tests_name("devices", tests, cache_folder_make, cache_folder_remove);
}
