/* `dcsbench dispatch` on run folders that the test writes, and the header that it writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dispatch_run.h"

/* ---- a run ---- */

/* Cubes and slabs with 100 to 10,000 atoms. Of the CPU's, one costs 8 ns an evaluation, one 1 ms a
 * map and 1 ns; one is fastest of all and wrong, one has a size too few. The GPU's costs 50 ms a
 * map in first, 0.1 ms in warm, and 0.01 ns an evaluation. */
static void put_planted(bool with_gpu) {
  static const dcs_dims grids[] = {{16, 16, 16}, {40, 40, 3}, {32, 32, 32}};
  int cell = 0;
  for (int64_t atoms = 1; atoms <= 10000; atoms *= 10)
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++, cell++) {
      const dcs_dims n = grids[g];
      double evals = (double)(atoms * n.x * n.y * n.z);
      put_time(cpu[0], "kernel", atoms, n, 100 + 8 * evals, "ok");
      put_time(cpu[1], "kernel", atoms, n, 1e6 + evals, "ok");
      put_time(cpu[1], "first", atoms, n, 1, "ok"); /* the CPU's time is its kernel time */
      put_time(cpu[2], "kernel", atoms, n, 1, cell < 2 ? "ok" : cell % 2 ? "wrong" : "crash");
      if (!with_gpu) continue;
      put_time(gpu[n_gpu - 1], "kernel", atoms, n, 1e3 + 0.01 * evals, "ok");
      put_time(gpu[n_gpu - 1], "warm", atoms, n, 1e5 + 0.01 * evals, "ok");
      put_time(gpu[n_gpu - 1], "first", atoms, n, 5e7 + 0.01 * evals, "ok");
    }
}

/* ---- the decision ---- */

static const dcs_variant *pick(const dcs_dispatch *d, int scope, int64_t atoms, dcs_dims n) {
  const dcs_variant *variant =
      pick_of(d, scope, &(dcs_problem){.n_atoms = atoms, .n = n, .spacing = 1});
  assert_non_null(variant);
  return variant;
}

static void planted_times_decide(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_run();
  put_planted(true);
  end_run();
  assert_status(dispatch("--bench"), 0);
  assert_contains(program_out, " ns a decision");
  read_back(&d);
  assert_string_equal(d.facts[DCS_FOR_DATE], "2020-01-01T00:00:00Z");
  assert_string_equal(d.facts[DCS_FOR_KERNELS], "0123");
  const dcs_variant *card = gpu[n_gpu - 1];
  const dcs_dims point = {1, 1, 1}, cube = {20, 20, 20}, huge = {2000, 2000, 2000};
  assert_ptr_equal(pick(&d, 0, 1, point), card); /* data on the card stay there */
  assert_ptr_equal(pick(&d, 1, 1, point), cpu[0]);
  assert_ptr_equal(pick(&d, 1, 50, cube), card);
  assert_ptr_equal(pick(&d, 2, 10, cube), cpu[0]);
  assert_ptr_equal(pick(&d, 2, 1000, cube), cpu[1]);
  assert_ptr_equal(pick(&d, 2, 1000000, huge), card);
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int m = 0; m < d.tables[0][s].n; m++)
      assert_ptr_not_equal(d.tables[0][s].list[m].variant, cpu[2]);
  for (int s = 1; s < DCS_DISPATCH_SCOPES; s++) {
    assert_int_equal(d.tables[0][s].regret.cells, 15);
    assert_true(d.tables[0][s].regret.mean < 0.01 && d.tables[0][s].regret.worst < 0.05);
  }
}

static void without_a_gpu_the_cpu_has_all_scopes(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_run();
  put_planted(false);
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
    assert_ptr_equal(pick(&d, s, 1, (dcs_dims){2, 2, 2}), cpu[0]);
    assert_ptr_equal(pick(&d, s, 100000, (dcs_dims){50, 60, 70}), cpu[1]);
  }
}

/* What a launch costs cannot be told from what an atom costs where all maps had as many atoms. The
 * fastest method has only such times: it is taken for as many atoms, and more, and half; not for
 * fewer, for which another one was measured. Where all methods are so, it is for any number. */
static void one_number_of_atoms_says_nothing_of_fewer(void **state) {
  (void)state;
  for (int others = 1; others >= 0; others--) {
    dcs_dispatch d;
    begin_run();
    for (int i = 0; i < 4; i++) {
      const dcs_dims n = {16 << i, 16, 16};
      put_time(cpu[0], "kernel", 1000, n, 1e6 * (1 << i), "ok");
      put_time(cpu[1], "kernel", 1000, n, 9e6 * (1 << i), "ok");
      if (others) put_time(cpu[1], "kernel", 10, n, 9e4 * (1 << i), "ok");
    }
    end_run();
    assert_status(dispatch(""), 0);
    read_back(&d);
    assert_ptr_equal(pick(&d, 1, 100000, (dcs_dims){20, 16, 16}), cpu[0]);
    assert_ptr_equal(pick(&d, 1, 500, (dcs_dims){20, 16, 16}), cpu[0]);
    assert_ptr_equal(pick(&d, 1, 499, (dcs_dims){20, 16, 16}), cpu[others]);
  }
}

/* Times that no sum of costs has make decisions that lose, and the loss is told. */
static void regret_is_told(void **state) {
  (void)state;
  begin_run();
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {8 + i, 8, 8};
    put_time(cpu[0], "kernel", 100, n, 1000, "ok");
    put_time(cpu[1], "kernel", 100, n, i == 3 ? 4000 : 500, "ok");
  }
  assert_loss_of_one_in_8(0);
}

/* A sample more of the row that put_time() wrote last with these. */
static void put_sample(const dcs_variant *variant, int64_t atoms, dcs_dims n, double ns) {
  char config[DCS_TEXT];
  dcs_config values = dcs_initial_config(variant, 1);
  fprintf(samples, "0,%s,\"%s\",kernel,,cpu,%lld,%lld,%lld,%lld,%.3f\n", variant->id,
          dcs_format_config(variant, &values, config), (long long)atoms, (long long)n.x,
          (long long)n.y, (long long)n.z, ns);
}

/* Samples in two heaps: of 500 and 900 ns, with another one in the middle of each method. The
 * medians differ by 80%, the methods do not. */
static void heaps_are_no_loss(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_run();
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {8 + i, 8, 8};
    for (int v = 0; v < 2; v++) {
      put_time(cpu[v], "kernel", 100, n, v == (i == 3) ? 500 : 900, "ok");
      for (int s = 0; s < 4; s++) {
        put_sample(cpu[v], 100, n, 500);
        put_sample(cpu[v], 100, n, 900);
      }
    }
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  assert_int_equal(d.tables[0][1].regret.cells, 8);
  assert_true(d.tables[0][1].regret.worst < 1e-9);
}

static void a_row_twice_is_refused(void **state) {
  (void)state;
  begin_run();
  for (int i = 0; i < 3; i++)
    put_time(cpu[0], "kernel", 100, (dcs_dims){8, 8, 8}, 500, "ok");
  end_run();
  assert_status(dispatch(""), 3);
  assert_contains(program_err, "rows of the same method and size");
}

/* ---- the header ---- */

static const char header_user[] =
    "#include \"dispatch.h\"\n#include <stdio.h>\n"
    "int main(void) {\n"
    "  static const int64_t atoms[] = {1, 37, 900, 20000, 3000000};\n"
    "  static const int64_t n[][3] = {{1, 1, 1}, {31, 7, 5}, {64, 64, 64}, {3, 500, 2}, {900, 800, "
    "700}};\n"
    "  int s, a, i;\n"
    "  for (s = 0; s < 3; s++)\n"
    "    for (a = 0; a < 5; a++)\n"
    "      for (i = 0; i < 5; i++) {\n"
    "        const dcs_dispatch_method *m = dcs_dispatch_choose((dcs_dispatch_scope)s, atoms[a], "
    "n[i][0], n[i][1], n[i][2]);\n"
    "        printf(\"%s\\n\", m ? m->variant : \"none\");\n"
    "      }\n"
    "  return 0;\n}\n";

static void check_header(const char *compiler, const char *source) {
  static const int64_t atoms[] = {1, 37, 900, 20000, 3000000};
  static const dcs_dims n[] = {{1, 1, 1}, {31, 7, 5}, {64, 64, 64}, {3, 500, 2}, {900, 800, 700}};
  dcs_dispatch d;
  run_user(compiler, source);
  char *picks = run_file("run", "picks", NULL), *line = strtok(picks, "\n");
  read_back(&d);
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int a = 0; a < 5; a++)
      for (int i = 0; i < 5; i++, line = strtok(NULL, "\n")) {
        assert_non_null(line);
        assert_string_equal(line, pick(&d, s, atoms[a], n[i])->id);
      }
  free(picks);
}

static void the_header_decides_alike_in_c_and_cxx(void **state) {
  (void)state;
  begin_run();
  put_planted(true);
  end_run();
  assert_status(dispatch(""), 0);
  char *header = run_file("run", "dispatch.h", NULL);
  assert_contains(header, "Some CPU");
  assert_contains(header, "dcsbench sweep --out run");
  free(header);
  put_file(run_path("user.c"), header_user);
  put_file(run_path("user.cc"), header_user);
  check_header("cc -std=c99", "user.c");
  check_header("c++ -std=c++98 -Wno-long-long", "user.cc");
}

/* ---- what is refused ---- */

static void runs_that_cannot_decide_are_refused(void **state) {
  (void)state;
  mkdir(in_folder("empty"), 0777);
  assert_status(program_run("dispatch %s", in_folder("empty")), 5);
  assert_contains(program_err, "env.csv");
  assert_status(program_run("dispatch"), 2);
  assert_contains(program_err, "the run folder is missing");
  begin_run();
  end_run();
  refuse(3, "samples.csv");
  begin_run();
  for (int i = 0; i < 2; i++)
    put_time(cpu[0], "kernel", 10 + i, (dcs_dims){8, 8, 8}, 10, "ok");
  put_time(cpu[0], "kernel", 20, (dcs_dims){8, 8, 8}, 10, "wrong");
  end_run();
  refuse(3, "no method was measured at 3 sizes");
  begin_run();
  dcs_variant unknown = *cpu[0];
  unknown.id = "cpu_imagined";
  put_time(&unknown, "kernel", 20, (dcs_dims){8, 8, 8}, 10, "ok");
  end_run();
  refuse(3, "row 2: found variant \"cpu_imagined\"");
}

static void old_files_stay_when_new_ones_cannot_be_written(void **state) {
  (void)state;
  begin_run();
  put_planted(false);
  end_run();
  assert_status(dispatch(""), 0);
  char *before = run_file("run", "dispatch.h", NULL);
  program_file_limit = 100;
  int status = dispatch("");
  program_file_limit = 0;
  assert_status(status, 5);
  char *after = run_file("run", "dispatch.h", NULL);
  assert_string_equal(before, after);
  free(before);
  free(after);
  assert_status(program_run("dispatch %s -o %s", in_folder("run"), in_folder("absent")), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_times_decide),
      cmocka_unit_test(without_a_gpu_the_cpu_has_all_scopes),
      cmocka_unit_test(one_number_of_atoms_says_nothing_of_fewer),
      cmocka_unit_test(regret_is_told),
      cmocka_unit_test(heaps_are_no_loss),
      cmocka_unit_test(a_row_twice_is_refused),
      cmocka_unit_test(the_header_decides_alike_in_c_and_cxx),
      cmocka_unit_test(runs_that_cannot_decide_are_refused),
      cmocka_unit_test(old_files_stay_when_new_ones_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
