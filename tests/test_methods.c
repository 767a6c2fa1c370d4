/* Methods chosen by what people type: groups, ids, values, combinations, and their messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/methods.h"
#include "kernels/coulomb/coulomb.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The direct sum, and one within a cutoff. */
static const dcs_config problems[] = {{{0}}, {{5}}, {{[DCS_COULOMB_TOLERANCE] = 1e-2}}};

/* What groups are taken from: so many of the problems, from `first` on. */
static dcs_at_hand at_hand(bool gpu, int first, int n) {
  return (dcs_at_hand){
      .gpu = gpu, .kind = dcs_kinds[0], .problems = problems + first, .n_problems = n};
}

static dcs_methods select_methods(const char *variants, const char *config) {
  dcs_methods methods;
  if (dcs_select_methods(variants, config, at_hand(true, 0, 1), &methods) != DCS_OK)
    fail_msg("%s %s: %s", variants, config ? config : "", dcs_error_message());
  return methods;
}

static void refuse(const char *variants, const char *config, const char *message) {
  dcs_methods methods;
  if (dcs_select_methods(variants, config, at_hand(true, 0, 1), &methods) != DCS_USAGE)
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
  int p = dcs_find_param(method->variant, param);
  return p < 0 ? -1 : (int)method->config.value[p];
}

/* What a parameter is when nobody chooses. */
static int initial(const char *id, const char *param) {
  const dcs_variant *variant = dcs_find_variant(id);
  return (int)variant->params[dcs_find_param(variant, param)].initial;
}

/* Threads that a CPU variant starts with: the CPUs at hand, as far as it takes them. */
static int cpus(void) {
  int most = (int)dcs_find_variant("cpu_gather")->params[0].hi;
  return dcs_cpus() < most ? dcs_cpus() : most;
}

/* ---- variants ---- */

static void expect_group(const char *group, bool cpu, bool gpu) {
  dcs_methods methods = select_methods(group, NULL);
  char why[DCS_TEXT];
  int n = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    bool own = dcs_variants[v]->backend == DCS_CPU ? cpu : gpu;
    if (!own || !available(dcs_variants[v]) || dcs_kind_of(dcs_variants[v]) != dcs_kinds[0])
      continue;
    if (!dcs_solves(dcs_variants[v], &problems[0], why)) continue;
    assert_true(n < methods.n && methods.list[n].variant == dcs_variants[v]);
    n++;
  }
  assert_int_equal(methods.n, n);
  free(methods.list);
}

static void groups(void **state) {
  (void)state;
  expect_group("cpu", true, false);
  expect_group("gpu", false, true);
  expect_group("all", true, true);
  expect_group("gpu,cpu", true, true);
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

/* Groups have the variants that solve one of the problems at hand; with none at hand, all. */
static void groups_solve_the_problems(void **state) {
  (void)state;
  dcs_methods direct, within, both, every, any;
  char why[DCS_TEXT];
  assert_int_equal(dcs_select_methods("all", NULL, at_hand(true, 0, 1), &direct), DCS_OK);
  assert_int_equal(dcs_select_methods("all", NULL, at_hand(true, 1, 1), &within), DCS_OK);
  assert_int_equal(dcs_select_methods("all", NULL, at_hand(true, 0, 2), &both), DCS_OK);
  assert_int_equal(dcs_select_methods("all", NULL, at_hand(true, 0, 3), &every), DCS_OK);
  assert_int_equal(dcs_select_methods("all", NULL, at_hand(true, 0, 0), &any), DCS_OK);
  for (int m = 0; m < direct.n; m++)
    assert_true(dcs_solves(direct.list[m].variant, &problems[0], why));
  for (int m = 0; m < within.n; m++)
    assert_true(dcs_solves(within.list[m].variant, &problems[1], why));
  assert_true(within.n >= 3);
  assert_int_equal(both.n, direct.n + within.n);
  assert_true(every.n > both.n);
  assert_int_equal(any.n, every.n);
  free(direct.list);
  free(within.list);
  free(both.list);
  free(every.list);
  free(any.list);
}

/* A kind is a group, of what it has at hand; the variants of another kind are refused by name. */
static void kinds_are_groups(void **state) {
  (void)state;
  dcs_methods methods;
  for (int k = 0; k < dcs_n_kinds; k++) {
    const dcs_at_hand any = {.gpu = true};
    int n = 0;
    for (int v = 0; v < dcs_n_variants; v++)
      n += available(dcs_variants[v]) && dcs_kind_of(dcs_variants[v]) == dcs_kinds[k];
    assert_int_equal(dcs_select_methods(dcs_kinds[k]->id, NULL, any, &methods), DCS_OK);
    assert_true(n > 0 && methods.n == n);
    for (int m = 0; m < methods.n; m++)
      assert_ptr_equal(dcs_kind_of(methods.list[m].variant), dcs_kinds[k]);
    free(methods.list);
  }
  refuse("cpu_simd,cpu_density", NULL, "cpu_density computes density, not coulomb");
  const dcs_kind *density = dcs_find_kind("density");
  assert_ptr_equal(dcs_kind_of_names("density"), density);
  assert_ptr_equal(dcs_kind_of_names("cpu_density,cuda_density_cells"), density);
  assert_ptr_equal(dcs_kind_of_names("cpu_density,cpu_simd"), dcs_kinds[0]);
  assert_ptr_equal(dcs_kind_of_names("cpu_density,all"), dcs_kinds[0]);
  assert_ptr_equal(dcs_kind_of_names("all"), dcs_kinds[0]);
  assert_ptr_equal(dcs_kind_of_names(""), dcs_kinds[0]);
}

/* A variant that is named stays, whatever it solves. */
static void named_variants_need_no_problem(void **state) {
  (void)state;
  dcs_methods methods = select_methods("cpu_cutoff", NULL);
  assert_int_equal(methods.n, 1);
  assert_string_equal(methods.list[0].variant->id, "cpu_cutoff");
  free(methods.list);
}

/* Without a GPU, groups have no CUDA variants, but know their parameters; a named one stays. */
static void groups_without_a_gpu(void **state) {
  (void)state;
  dcs_methods methods;
  assert_int_equal(dcs_select_methods("all", "coarsen=2,threads=1", at_hand(false, 0, 1), &methods),
                   DCS_OK);
  assert_true(methods.n >= 4);
  for (int m = 0; m < methods.n; m++)
    assert_int_equal(methods.list[m].variant->backend, DCS_CPU);
  free(methods.list);
  assert_int_equal(dcs_select_methods("gpu", NULL, at_hand(false, 0, 1), &methods), DCS_OK);
  assert_int_equal(methods.n, 0);
  free(methods.list);
  assert_int_equal(
      dcs_select_methods("cpu_gather,cuda_padded", NULL, at_hand(false, 0, 1), &methods), DCS_OK);
  assert_int_equal(methods.n, 2);
  free(methods.list);
  assert_int_equal(dcs_select_methods("gpu,cuda_naive", NULL, at_hand(false, 0, 1), &methods),
                   DCS_OK);
  assert_int_equal(methods.n, 1);
  assert_string_equal(methods.list[0].variant->id, "cuda_naive");
  free(methods.list);
  assert_int_equal(dcs_select_methods("gpu", "threads=1", at_hand(false, 0, 1), &methods),
                   DCS_USAGE);
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
  refuse("gp", NULL, "\"gp\"; did you mean gpu?");
  refuse("warp_speed", NULL, "\"warp_speed\"; expected all, cpu, gpu, or names");
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
  refuse("cuda_padded", "block_x=all,block_y=all", "more than 100000 combinations of values");
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
      dcs_method read;
      assert_int_equal(
          dcs_read_method(variant->id, dcs_format_config(variant, &config, text), &read), DCS_OK);
      assert_ptr_equal(read.variant, variant);
      for (int p = 0; p < variant->n_params; p++)
        assert_true(read.config.value[p] == config.value[p]);
    }
}

/* Whatever a caller of the library chose: dispatch.csv keeps the texts, and they are compared. */
static void texts_are_the_same_in_every_locale(void **state) {
  (void)state;
  char folder[] = "/tmp/dcs-test-locale-XXXXXX", command[128], text[DCS_TEXT];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
           folder);
  const bool made = system(command) == 0;
  setenv("LOCPATH", folder, 1);
  const bool chosen = made && setlocale(LC_ALL, "de_DE.UTF-8");
  if (chosen) {
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    const dcs_config third = {{[DCS_COULOMB_TOLERANCE] = 1e-3}};
    assert_string_equal(dcs_format_problem(dcs_kinds[0], &third, text), "tolerance=0.001");
    dcs_config read;
    assert_int_equal(dcs_parse_problem(dcs_kinds[0], "tolerance=0.001", &read), DCS_OK);
    assert_true(read.value[DCS_COULOMB_TOLERANCE] == 1e-3);
    snprintf(text, sizeof text, "%.1f", 0.5); /* the caller's is as it was */
    assert_string_equal(text, "0,5");
    setlocale(LC_ALL, "C");
  }
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  if (!chosen) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups),
      cmocka_unit_test(groups_leave_out_the_unavailable),
      cmocka_unit_test(groups_solve_the_problems),
      cmocka_unit_test(named_variants_need_no_problem),
      cmocka_unit_test(kinds_are_groups),
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
      cmocka_unit_test(texts_are_the_same_in_every_locale),
  };
  unsetenv("DCS_DISABLE_ISA");
  return cmocka_run_group_tests_name("methods", tests, NULL, NULL);
}
