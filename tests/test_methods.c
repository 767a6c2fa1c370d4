/* Methods chosen by what people type: groups, ids, values, combinations, and their messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dcs_methods select_methods(const char *variants, const char *config) {
  dcs_methods methods;
  if (dcs_select_methods(variants, config, (dcs_at_hand){.gpu = true}, &methods) != DCS_OK)
    fail_msg("%s %s: %s", variants, config ? config : "", dcs_error_message());
  return methods;
}

static void refuse(const char *variants, const char *config, const char *message) {
  dcs_methods methods;
  if (dcs_select_methods(variants, config, (dcs_at_hand){.gpu = true}, &methods) != DCS_USAGE)
    fail_msg("%s %s was not refused", variants, config ? config : "");
  if (!strstr(dcs_error_message(), message))
    fail_msg("\"%s\" lacks \"%s\"", dcs_error_message(), message);
  assert_null(methods.list);
  assert_int_equal(methods.n, 0);
}

static bool available(const dcs_variant *variant) {
  char why[DCS_TEXT];
  return dcs_variant_available(variant, why);
}

static int value(const dcs_method *method, const char *param) {
  return dcs_config_value(method->variant, &method->config, param, -1);
}

/* What a parameter is when nobody chooses. */
static int initial(const char *id, const char *param) {
  const dcs_variant *variant = dcs_find_variant(id);
  return variant->params[dcs_find_param(variant, param)].initial;
}

/* Threads that a CPU variant starts with: the CPUs at hand, as far as it takes them. */
static int cpus(void) {
  int most = dcs_find_variant("cpu_gather")->params[0].hi;
  return dcs_cpus() < most ? dcs_cpus() : most;
}

/* ---- variants ---- */

static void expect_group(const char *group, bool cpu, bool cuda) {
  dcs_methods methods = select_methods(group, NULL);
  int n = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    bool own = dcs_variants[v]->backend == DCS_CPU ? cpu : cuda;
    if (!own || !available(dcs_variants[v]) || dcs_variants[v]->cutoff) continue;
    assert_true(n < methods.n && methods.list[n].variant == dcs_variants[v]);
    n++;
  }
  assert_int_equal(methods.n, n);
  free(methods.list);
}

static void groups(void **state) {
  (void)state;
  expect_group("cpu", true, false);
  expect_group("cuda", false, true);
  expect_group("all", true, true);
  expect_group("cuda,cpu", true, true);
  expect_group("cpu_gather,cpu", true, false);
}

/* A group takes what this machine can run; a variant that is named stays. */
static void groups_leave_out_the_unavailable(void **state) {
  (void)state;
  setenv("DCS_DISABLE_ISA", "avx2,avx512", 1);
  dcs_methods group = select_methods("cpu", NULL);
  dcs_methods named = select_methods("cpu_avx2", NULL);
  char why[DCS_TEXT];
  bool still = dcs_variant_available(dcs_find_variant("cpu_avx2"), why);
  unsetenv("DCS_DISABLE_ISA");
  assert_false(still);
  assert_string_equal(why, "avx2 is switched off by DCS_DISABLE_ISA");
  for (int m = 0; m < group.n; m++)
    assert_null(strstr(group.list[m].variant->id, "avx"));
  assert_int_equal(group.n, 4);
  assert_int_equal(named.n, 1);
  free(group.list);
  free(named.list);
}

/* With a cutoff at hand, groups have those that need one too. */
static void groups_with_a_cutoff(void **state) {
  (void)state;
  dcs_methods with, without;
  assert_int_equal(dcs_select_methods("all", NULL, (dcs_at_hand){true, true}, &with), DCS_OK);
  assert_int_equal(dcs_select_methods("all", NULL, (dcs_at_hand){true, false}, &without), DCS_OK);
  int cutoff = 0;
  for (int m = 0; m < with.n; m++)
    cutoff += with.list[m].variant->cutoff;
  assert_true(cutoff >= 3);
  assert_int_equal(with.n, without.n + cutoff);
  free(with.list);
  free(without.list);
}

/* Without a GPU, groups have no CUDA variants, but know their parameters; a named one stays. */
static void groups_without_a_gpu(void **state) {
  (void)state;
  dcs_methods methods;
  assert_int_equal(dcs_select_methods("all", "coarsen=2,threads=1", (dcs_at_hand){0}, &methods),
                   DCS_OK);
  assert_true(methods.n >= 4);
  for (int m = 0; m < methods.n; m++)
    assert_int_equal(methods.list[m].variant->backend, DCS_CPU);
  free(methods.list);
  assert_int_equal(dcs_select_methods("cuda", NULL, (dcs_at_hand){0}, &methods), DCS_OK);
  assert_int_equal(methods.n, 0);
  free(methods.list);
  assert_int_equal(dcs_select_methods("cpu_gather,cuda_padded", NULL, (dcs_at_hand){0}, &methods),
                   DCS_OK);
  assert_int_equal(methods.n, 2);
  free(methods.list);
  assert_int_equal(dcs_select_methods("cuda,cuda_naive", NULL, (dcs_at_hand){0}, &methods), DCS_OK);
  assert_int_equal(methods.n, 1);
  assert_string_equal(methods.list[0].variant->id, "cuda_naive");
  free(methods.list);
  assert_int_equal(dcs_select_methods("cuda", "threads=1", (dcs_at_hand){0}, &methods), DCS_USAGE);
}

/* The ladder's order, whatever the order typed; a variant named twice counts once. */
static void ids(void **state) {
  (void)state;
  dcs_methods methods = select_methods("cuda_padded,cpu_gather,cuda_padded", NULL);
  assert_int_equal(methods.n, 2);
  assert_string_equal(methods.list[0].variant->id, "cpu_gather");
  assert_string_equal(methods.list[1].variant->id, "cuda_padded");
  assert_int_equal(value(&methods.list[0], "threads"), cpus());
  assert_int_equal(value(&methods.list[1], "coarsen"), initial("cuda_padded", "coarsen"));
  free(methods.list);
}

static void unknown_variants(void **state) {
  (void)state;
  refuse("cpu_gathr", NULL, "unknown variant \"cpu_gathr\"; did you mean cpu_gather?");
  refuse("cuda_naive,cuda_paded", NULL, "\"cuda_paded\"; did you mean cuda_padded?");
  refuse("cud", NULL, "\"cud\"; did you mean cuda?");
  refuse("warp_speed", NULL, "\"warp_speed\"; expected all, cpu, cuda, or ids");
  refuse("", NULL, "empty name");
  refuse("cpu_gather,", NULL, "empty name");
  refuse("CPU_GATHER", NULL, "unknown variant \"CPU_GATHER\"");
}

/* ---- configurations ---- */

static void one_value(void **state) {
  (void)state;
  dcs_methods methods = select_methods("cuda_padded", "block_x=16,read=start,coarsen=3");
  assert_int_equal(methods.n, 1);
  assert_int_equal(value(methods.list, "block_x"), 16);
  assert_int_equal(value(methods.list, "read"), 0);
  assert_int_equal(value(methods.list, "coarsen"), 3);
  assert_int_equal(value(methods.list, "block_y"), initial("cuda_padded", "block_y"));
  free(methods.list);
}

static void several_values(void **state) {
  (void)state;
  static const struct {
    const char *config, *param;
    int n, values[16];
  } cases[] = {
      {"coarsen=1:16", "coarsen", 16, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
      {"coarsen=all", "coarsen", 16, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
      {"coarsen=8|1:3|2", "coarsen", 4, {8, 1, 2, 3}},
      {"block_x=32:256:32", "block_x", 8, {32, 64, 96, 128, 160, 192, 224, 256}},
      {"read=start|end", "read", 2, {0, 1}},
      {"read=all", "read", 2, {0, 1}},
      {"read=end|end", "read", 1, {1}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    dcs_methods methods = select_methods("cuda_padded", cases[c].config);
    assert_int_equal(methods.n, cases[c].n);
    for (int m = 0; m < methods.n; m++)
      assert_int_equal(value(&methods.list[m], cases[c].param), cases[c].values[m]);
    free(methods.list);
  }
}

static void threads(void **state) {
  (void)state;
  dcs_methods methods = select_methods("cpu_gather", "threads=max");
  assert_int_equal(methods.n, 1);
  assert_true(dcs_cpus() >= 1);
  assert_int_equal(value(methods.list, "threads"), cpus());
  free(methods.list);
  methods = select_methods("cpu_gather", "threads=1");
  assert_int_equal(value(methods.list, "threads"), 1);
  free(methods.list);
  refuse("cuda_padded", "coarsen=max", "coarsen: found \"max\"");
}

/* Every combination once, the last parameter fastest. */
static void combinations(void **state) {
  (void)state;
  dcs_methods methods = select_methods("cuda_padded", "block_x=8|16,coarsen=1:16,read=all");
  assert_int_equal(methods.n, 2 * 16 * 2);
  for (int m = 0; m < methods.n; m++) {
    assert_int_equal(value(&methods.list[m], "read"), m % 2);
    assert_int_equal(value(&methods.list[m], "coarsen"), 1 + m / 2 % 16);
    assert_int_equal(value(&methods.list[m], "block_x"), m < 32 ? 8 : 16);
  }
  free(methods.list);
  refuse("cuda_padded", "block_x=all,block_y=all", "config: more than 100000 combinations");
}

/* Of the variants chosen, one has the parameter: the other keeps its own configuration. */
static void a_parameter_that_only_some_have(void **state) {
  (void)state;
  dcs_methods methods =
      select_methods("cpu_gather,cuda_naive,cuda_padded", "coarsen=2|4,threads=1");
  assert_int_equal(methods.n, 4);
  assert_string_equal(methods.list[0].variant->id, "cpu_gather");
  assert_int_equal(value(&methods.list[0], "threads"), 1);
  assert_string_equal(methods.list[1].variant->id, "cuda_naive");
  assert_int_equal(value(&methods.list[2], "coarsen"), 2);
  assert_int_equal(value(&methods.list[3], "coarsen"), 4);
  free(methods.list);
}

static void bad_configurations(void **state) {
  (void)state;
  refuse("cuda_padded", "coarsn=2",
         "no chosen variant has a parameter \"coarsn\"; did you mean coarsen?");
  refuse("cpu_gather", "coarsen=2", "no chosen variant has a parameter \"coarsen\"");
  assert_null(strstr(dcs_error_message(), "did you mean"));
  refuse("cuda_padded", "read=begin", "read: found \"begin\"; expected start or end");
  refuse("cuda_padded", "read=1", "read: found \"1\"; expected start or end");
  refuse("cuda_padded", "coarsen=17", "coarsen: found 17; expected 1 to 16");
  refuse("cuda_padded", "coarsen=0", "coarsen: found 0; expected 1 to 16");
  refuse("cuda_padded", "coarsen=two", "coarsen: found \"two\"");
  refuse("cuda_padded", "coarsen=", "coarsen: found \"\"");
  refuse("cuda_padded", "coarsen=1|", "coarsen: found \"\"");
  refuse("cuda_padded", "coarsen", "config: found \"coarsen\"; expected NAME=VALUE");
  refuse("cuda_padded", "coarsen=2,,read=end", "config: found \"\"; expected NAME=VALUE");
  refuse("cuda_padded", "=2", "has a parameter \"\"");
  dcs_methods methods = select_methods("cuda_padded", ""); /* as if none were given */
  assert_int_equal(methods.n, 1);
  free(methods.list);
}

/* What is printed for a configuration chooses that configuration. */
static void configurations_round_trip(void **state) {
  (void)state;
  char text[DCS_TEXT];
  dcs_config config = {{16, 8, 3, 100, 0}};
  const dcs_variant *padded = dcs_find_variant("cuda_padded");
  assert_string_equal(dcs_format_config(padded, &config, text),
                      "block_x=16,block_y=8,coarsen=3,chunk_atoms=100,read=start");
  for (int v = 0; v < dcs_n_variants; v++)
    for (int which = 0; which < 3; which++) {
      const dcs_variant *variant = dcs_variants[v];
      config = dcs_initial_config(variant, 1);
      for (int p = 0; which > 0 && p < variant->n_params; p++)
        config.value[p] = which == 1 ? variant->params[p].lo : variant->params[p].hi;
      dcs_methods methods = select_methods(variant->id, dcs_format_config(variant, &config, text));
      assert_int_equal(methods.n, 1);
      for (int p = 0; p < variant->n_params; p++)
        assert_int_equal(methods.list[0].config.value[p], config.value[p]);
      free(methods.list);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups),
      cmocka_unit_test(groups_leave_out_the_unavailable),
      cmocka_unit_test(groups_with_a_cutoff),
      cmocka_unit_test(groups_without_a_gpu),
      cmocka_unit_test(ids),
      cmocka_unit_test(unknown_variants),
      cmocka_unit_test(one_value),
      cmocka_unit_test(several_values),
      cmocka_unit_test(threads),
      cmocka_unit_test(combinations),
      cmocka_unit_test(a_parameter_that_only_some_have),
      cmocka_unit_test(bad_configurations),
      cmocka_unit_test(configurations_round_trip),
  };
  unsetenv("DCS_DISABLE_ISA");
  return cmocka_run_group_tests_name("methods", tests, NULL, NULL);
}
