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
  int size = 0;
  for (int64_t atoms = 1; atoms <= 10000; atoms *= 10)
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++, size++) {
      const dcs_dims n = grids[g];
      double evals = (double)(atoms * n.x * n.y * n.z);
      put_time(cpu[0], "kernel", atoms, n, 100 + 8 * evals, "ok");
      put_time(cpu[1], "kernel", atoms, n, 1e6 + evals, "ok");
      put_time(cpu[1], "first", atoms, n, 1, "ok"); /* the CPU's time is its kernel time */
      put_time(cpu[2], "kernel", atoms, n, 1, size < 2 ? "ok" : size % 2 ? "wrong" : "crash");
      if (!with_gpu) continue;
      put_time(gpu[n_gpu - 1], "kernel", atoms, n, 1e3 + 0.01 * evals, "ok");
      put_time(gpu[n_gpu - 1], "warm", atoms, n, 1e5 + 0.01 * evals, "ok");
      put_time(gpu[n_gpu - 1], "first", atoms, n, 5e7 + 0.01 * evals, "ok");
    }
}

/* ---- the decision ---- */

static const dcs_variant *pick(const dcs_dispatch *d, int scope, int64_t atoms, dcs_dims n) {
  const dcs_size size = size_of("", atoms, n);
  const dcs_variant *variant = pick_of(d, scope, &size);
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
    for (int m = 0; m < table_of(&d, "", s)->n; m++)
      assert_ptr_not_equal(table_of(&d, "", s)->list[m].variant, cpu[2]);
  for (int s = 1; s < DCS_DISPATCH_SCOPES; s++) {
    const dcs_dispatch_table *table = table_of(&d, "", s);
    assert_int_equal(table->held_out, 15);
    assert_int_equal(table->loss.sizes, 15);
    assert_true(table->loss.mean < 0.01 && table->loss.worst < 0.05);
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
static void losses_are_told(void **state) {
  (void)state;
  begin_run();
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {8 + i, 8, 8};
    put_time(cpu[0], "kernel", 100, n, 1000, "ok");
    put_time(cpu[1], "kernel", 100, n, i == 3 ? 1400 : 500, "ok");
  }
  assert_loss_of_one_in_8("");
  assert_contains(program_out, "the table loses 5.00% in the mean, 40.00% at the 95th percentile, "
                               "40.00% at worst, of 8 sizes");
}

/* The 95th percentile of 40 losses is the 38th: two larger ones do not show, a third does. */
static void the_95th_percentile_leaves_out_a_20th(void **state) {
  (void)state;
  for (int losing = 2; losing <= 3; losing++) {
    dcs_dispatch d;
    begin_run();
    for (int i = 0; i < 40; i++) {
      const dcs_dims n = {8 + i, 8, 8};
      put_time(cpu[0], "kernel", 100, n, 1000, "ok");
      put_time(cpu[1], "kernel", 100, n, i % 13 == 5 && i / 13 < losing ? 1400 : 500, "ok");
    }
    end_run();
    assert_status(dispatch(""), 0);
    read_back(&d);
    const dcs_loss *loss = &table_of(&d, "", 1)->loss;
    assert_int_equal(loss->sizes, 40);
    assert_true(fabs(loss->p95 - (losing == 2 ? 0 : 0.4)) < 1e-9);
    assert_true(fabs(loss->worst - 0.4) < 1e-9);
    assert_true(fabs(loss->mean - 0.4 * losing / 40) < 1e-9);
  }
}

/* A size counts where the method that the table takes was measured there, and no other: cpu[1] is
 * twice as fast wherever it was measured, which is at 6 of 8 sizes; at the others cpu[2], the
 * slowest, stands beside cpu[0], and at one more, so that it is one of the methods. */
static void sizes_without_the_method_taken_do_not_count(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_run();
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {8 << i, 8, 8};
    const double ns = 1000 << i;
    put_time(cpu[0], "kernel", 100, n, ns, "ok");
    if (i == 2 || i == 5 || i == 6) put_time(cpu[2], "kernel", 100, n, 4 * ns, "ok");
    if (i != 2 && i != 5) put_time(cpu[1], "kernel", 100, n, ns / 2, "ok");
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  const dcs_dispatch_table *table = table_of(&d, "", 1);
  assert_int_equal(table->held_out, 8);
  assert_int_equal(table->loss.sizes, 6);
  assert_true(table->loss.worst < 1e-9);
}

/* By the same rule, what is fastest at the nearest other size: along 1, 10, 100, ... atoms cpu[0]
 * and cpu[1] change places at every size. A neighbour is of the other kind, so each of the 6 sizes
 * takes the slower method, which takes 3 times as long. */
static void the_nearest_size_is_held_beside(void **state) {
  (void)state;
  dcs_dispatch d;
  int64_t atoms = 1;
  begin_run();
  for (int i = 0; i < 6; i++, atoms *= 10)
    for (int v = 0; v < 2; v++)
      put_time(cpu[v], "kernel", atoms, (dcs_dims){8, 8, 8}, v == i % 2 ? 1000 : 3000, "ok");
  end_run();
  assert_status(dispatch(""), 0);
  assert_contains(program_out, "the nearest size loses 200.00% in the mean, 200.00% at the 95th "
                               "percentile, 200.00% at worst, of 6 sizes");
  read_back(&d);
  const dcs_loss *nearest = &table_of(&d, "", 1)->nearest;
  assert_int_equal(nearest->sizes, 6);
  assert_true(fabs(nearest->mean - 2) < 1e-9 && fabs(nearest->p95 - 2) < 1e-9);
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
        put_sample(cpu[v], "kernel", 100, n, 500);
        put_sample(cpu[v], "kernel", 100, n, 900);
      }
    }
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  assert_int_equal(table_of(&d, "", 1)->loss.sizes, 8);
  assert_true(table_of(&d, "", 1)->loss.worst < 1e-9);
}

/* One time of 31 us among those of 6 ms and more: believed it would take every decision. Of cpu[2],
 * two sizes clash with nothing else, and the slower is the one that is wrong. */
static void times_that_stray_are_said_and_left_out(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_run();
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {16 << i, 16, 16};
    put_time(cpu[0], "kernel", 1000, n, 12e6 * (1 << i), "ok");
    put_time(cpu[1], "kernel", 1000, n, i == 5 ? 31e3 : 6e6 * (1 << i), "ok");
  }
  put_time(cpu[2], "kernel", 1000, (dcs_dims){16, 16, 16}, 24e6, "ok");
  put_time(cpu[2], "kernel", 1000, (dcs_dims){32, 16, 16}, 7.9e6, "ok");
  end_run();
  assert_status(dispatch(""), 0);
  assert_contains(program_out, "summary.csv: row 13: ");
  assert_contains(program_out, "on 1000 atoms, 512x16x16, scope kernel: 0.031 ms is far off "
                               "what smaller and larger sizes took: left out\n");
  assert_contains(program_out, "summary.csv: row 18: ");
  assert_null(strstr(program_out, "row 12: "));
  assert_null(strstr(program_out, "row 19: "));
  read_back(&d);
  assert_ptr_equal(pick(&d, 1, 1000, (dcs_dims){600, 16, 16}), cpu[1]);
  assert_int_equal(table_of(&d, "", 1)->loss.sizes, 7);
  assert_true(table_of(&d, "", 1)->loss.worst < 1e-6);
}

/* cpu[1] is faster at small sizes and slower at large ones; of cpu[0] nothing large was measured,
 * nor a rate as good. */
static void beyond_the_sizes_the_rate_shown_decides(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_run();
  for (int i = 0; i < 4; i++) {
    const dcs_dims n = {8 << i, 8, 8};
    const double evals = 10.0 * (512 << i);
    put_time(cpu[0], "kernel", 10, n, 1e6 + 0.001 * evals, "ok");
    put_time(cpu[1], "kernel", 10, n, 2 * evals, "ok");
    put_time(cpu[1], "kernel", 1000, n, 2e2 * evals, "ok");
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  assert_ptr_equal(pick(&d, 1, 1000, (dcs_dims){64, 8, 8}), cpu[1]);
  assert_ptr_equal(pick(&d, 1, 1000000, (dcs_dims){500, 500, 500}), cpu[1]);
}

/* A table held against a run at other sizes, and of other times: cpu[1] is slower there by half at
 * two sizes of four, and the rule of the nearest size, too, takes it. */
static void a_table_is_held_against_another_run(void **state) {
  (void)state;
  begin_run();
  put_planted(false);
  end_run();
  assert_int_equal(rename(in_folder("run"), in_folder("drawn")), 0);
  begin_run();
  for (int i = 0; i < 4; i++) {
    const dcs_dims n = {50, 50, 10 + i};
    put_time(cpu[0], "kernel", 20000, n, 4e9, "ok");
    put_time(cpu[1], "kernel", 20000, n, i < 2 ? 6e9 : 2e9, "ok");
  }
  end_run();
  assert_status(program_run("dispatch %s --check %s", in_folder("drawn"), in_folder("run")), 0);
  assert_contains(program_out, "warm     the table loses 25.00% in the mean, 50.00% at the 95th "
                               "percentile, 50.00% at worst, of 4 sizes\n");
  char *rows = run_file("drawn", "check.csv", NULL);
  assert_contains(rows, "scope,problem,problem_config,atoms,nx,ny,nz,variant,config,");
  assert_contains(rows, "\nwarm,coulomb,,20000,50,50,10,cpu_scatter,threads=1,");
  free(rows);
  put_file(run_path("env.csv"), "key,value\nschema,4\ncpu_model,Another CPU\ncpus,8\nseed,1\n"
                                "kernels_fnv1a64,0123\ndate,2020-01-01T00:00:00Z\n");
  assert_status(program_run("dispatch %s --check %s", in_folder("drawn"), in_folder("run")), 3);
  assert_contains(program_err, "found cpu_model \"Another CPU\"; expected that of ");
  assert_status(program_run("dispatch %s --check %s", in_folder("drawn"), in_folder("nothing")), 5);
}

static void a_row_twice_is_refused(void **state) {
  (void)state;
  begin_run();
  for (int i = 0; i < 3; i++)
    put_time(cpu[0], "kernel", 100, (dcs_dims){8, 8, 8}, 500, "ok");
  end_run();
  assert_status(dispatch(""), 3);
  assert_contains(program_err, "rows 2 and 3: found cpu_gather twice at the same size");
}

/* ---- what is said ---- */

/* Of one method there is nothing to choose; rows that an interrupt ended, and samples that it left
 * without a row, are no whole run. */
static void what_a_table_lacks_is_said(void **state) {
  (void)state;
  const dcs_dims n = {8, 8, 8};
  begin_run();
  put_planted(true);
  end_run();
  assert_status(dispatch(""), 0);
  assert_contains(program_out, "coulomb, scope kernel: 1 method of 1 measured at 3 sizes or more: "
                               "nothing to choose from\n");
  assert_null(strstr(program_out, "coulomb, scope warm"));
  assert_null(strstr(program_out, "interrupted"));
  begin_run();
  put_planted(true);
  stopped = "interrupted";
  put_time(cpu[0], "kernel", 77, n, 1e6, "ok");
  put_time(cpu[1], "kernel", 77, n, 1e6, "ok");
  stopped = "rounds";
  put_sample(cpu[0], "kernel", 78, n, 1e6);
  end_run();
  assert_status(dispatch(""), 0);
  assert_contains(program_out, "2 rows of the summary were cut short: the sweep was interrupted");
  assert_contains(program_out, "1 sample has no row in the summary");
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
    "        const dcs_dispatch_method *m = dcs_dispatch_choose((dcs_dispatch_scope)s, "
    "DCS_DISPATCH_COULOMB, atoms[a], n[i][0], n[i][1], n[i][2], 1.0, 0.0);\n"
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

/* Facts that end the comment, or would once a compiler has joined lines. */
static void facts_of_a_run_are_never_code(void **state) {
  (void)state;
  begin_run();
  put_planted(true);
  end_run();
  put_file(run_path("env.csv"),
           "key,value\nschema,4\ncpu_model,\"*\\\n/ int planted1; /\\\n*\"\ncpus,8\n"
           "seed,\"*?\?/\n/ int planted2; /* \"\nkernels_fnv1a64,*/ int planted3; /*\n"
           "gpu_name,\"/* \r\n*/#error planted4\"\ngpu_compute_capability,9.0\\\n"
           "gpu_sm_count,10?\?/\ndate,2020-01-01T00:00:00Z\n"
           "command_line,\"dcsbench // \\\n#error planted5\"\n");
  assert_status(dispatch(""), 0);
  char *header = run_file("run", "dispatch.h", NULL);
  const char *end = strstr(header, "*/");
  assert_non_null(end);
  for (const char *at = header; (at = strstr(at, "planted")) != NULL; at++)
    assert_true(at < end);
  free(header);
  put_file(run_path("user.c"), header_user);
  put_file(run_path("user.cc"), header_user);
  check_header("cc -std=c99", "user.c");
  check_header("c++ -std=c++98 -Wno-long-long", "user.cc");
}

/* ---- families ---- */

static const char *const modes[] = {"plain", "fine"};
static const dcs_param imagined_params[] = {
    {.name = "tolerance", .lo = 0, .hi = 1, .real = true, .unit = "kT"},
    {.name = "order", .lo = 1, .hi = 9, .initial = 4},
    {.name = "mode", .lo = 0, .hi = 1, .labels = modes}};
static const dcs_kind imagined = {.id = "imagined", .params = imagined_params, .n_params = 3};

static const dcs_param bounded_params[] = {
    {.name = "tolerance", .lo = 0, .hi = 1, .real = true, .times = DCS_TIMES_ABOVE},
    {.name = "edge", .lo = 0, .hi = 9, .real = true, .times = DCS_TIMES_ANY}};
static const dcs_kind bounded = {.id = "bounded", .params = bounded_params, .n_params = 2};

/* Of a tolerance the nearest that was measured and is not looser serves, or a little looser. */
static void tolerances_serve_looser_ones(void **state) {
  (void)state;
  static const dcs_config measured[] = {{{0, 0}}, {{0.1, 0}}, {{0.001, 5}}, {{0.01, 0}}};
  static const struct {
    double tolerance;
    int family; /* -1: none */
  } asked[] = {{0, 0},     {0.001, 2}, {0.00085, 2}, {0.0005, -1}, {0.002, 2},
               {0.009, 3}, {0.01, 3},  {0.05, 3},    {0.1, 1},     {0.5, 1}};
  dcs_dispatch d = {0};
  for (int f = 0; f < 4; f++)
    assert_ptr_equal(dcs_dispatch_add(&d, &bounded, &measured[f]), &d.families[f]);
  for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
    const dcs_config problem = {{asked[i].tolerance, 7}};
    const dcs_dispatch_family *found = dcs_dispatch_find(&d, &bounded, &problem);
    const int family = found ? (int)(found - d.families) : -1;
    if (family != asked[i].family)
      fail_msg("%g: family %d; expected %d", asked[i].tolerance, family, asked[i].family);
  }
  char text[DCS_TEXT];
  assert_string_equal(dcs_dispatch_text(&d.families[2], text), "bounded, tolerance 0.001");
}

/* Real parameters may differ unless one is initial; others may not. */
static void families_differ_in_real_parameters_alone(void **state) {
  (void)state;
  static const dcs_config all[] = {{{0, 4, 0}},   {{0.1, 4, 0}}, {{0.5, 4, 0}},
                                   {{0.1, 6, 0}}, {{0.1, 4, 1}}, {{0, 4, 1}}};
  enum { ALL = sizeof all / sizeof all[0] };
  static const int family[ALL] = {0, 1, 1, 2, 3, 4};
  dcs_dispatch d = {0};
  for (int a = 0; a < ALL; a++) {
    for (int b = 0; b < ALL; b++)
      assert_int_equal(dcs_same_family(&imagined, &all[a], &all[b]), family[a] == family[b]);
    assert_ptr_equal(dcs_dispatch_add(&d, &imagined, &all[a]), &d.families[family[a]]);
  }
  assert_int_equal(d.n_families, 5);
  assert_ptr_equal(dcs_dispatch_find(&d, &imagined, &all[2]), &d.families[1]);
  assert_null(dcs_dispatch_find(&d, dcs_kinds[0], &all[0]));
  char text[DCS_TEXT];
  assert_string_equal(dcs_dispatch_text(&d.families[3], text),
                      "imagined, tolerance 0.1 kT, mode fine");
  assert_int_equal(dcs_dispatch_write_header(in_folder("families.h"), &d), DCS_OK);
  char *header = get_file(in_folder("families.h"), NULL);
  assert_contains(header, "  DCS_DISPATCH_IMAGINED, /* imagined */\n"
                          "  DCS_DISPATCH_IMAGINED_TOLERANCE, /* imagined, tolerance 0.1 kT */\n"
                          "  DCS_DISPATCH_IMAGINED_TOLERANCE_ORDER6, ");
  assert_contains(header, "  DCS_DISPATCH_IMAGINED_TOLERANCE_FINE, ");
  assert_contains(header, "  DCS_DISPATCH_IMAGINED_FINE /* imagined, mode fine */\n}");
  free(header);
}

/* A handful of tables is room enough for what people measure; more are refused, not lost. */
static void families_without_room_are_refused(void **state) {
  (void)state;
  dcs_dispatch d = {0};
  for (int order = 0; order <= DCS_DISPATCH_FAMILIES; order++) {
    const dcs_config config = {{0, order, 0}};
    const dcs_dispatch_family *added = dcs_dispatch_add(&d, &imagined, &config);
    assert_int_equal(added != NULL, order < DCS_DISPATCH_FAMILIES);
  }
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
  refuse(3, "none of its 0 rows is ok");
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
  skip_where_clang_runs_openmp();
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

/* Seconds of CPU time of a process. */
static double cpu_seconds(pid_t pid) {
  char path[64], text[1024];
  unsigned long user = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  FILE *stat_file = fopen(path, "r");
  if (!stat_file) return 0;
  text[fread(text, 1, sizeof text - 1, stat_file)] = '\0';
  fclose(stat_file);
  const char *fields = strrchr(text, ')');
  if (fields) (void)sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &user);
  return (double)user / (double)sysconf(_SC_CLK_TCK);
}

/* A run that takes seconds to hold out: many sizes of many methods. */
static void put_many(void) {
  for (int i = 0; i < 300; i++)
    for (int v = 0; v < n_gpu; v++) {
      const dcs_dims n = {8 + i, 8 + i % 7, 1 + i % 5};
      put_time(gpu[v], "kernel", 1 + 13 * i, n, 1e3 + 7 * i + 11 * v, "ok");
    }
}

static void an_interrupt_writes_nothing(void **state) {
  (void)state;
  char arguments[4096];
  begin_run();
  put_many();
  end_run();
  unlink(run_path("dispatch.csv"));
  FILE *err = tmpfile();
  snprintf(arguments, sizeof arguments, "dispatch %s", in_folder("run"));
  pid_t pid = program_start(arguments, STDOUT_FILENO, fileno(err));
  while (cpu_seconds(pid) < 0.3 && program_goes_on(pid)) {
  }
  kill(pid, SIGINT);
  int status = program_wait(pid);
  program_take(err, program_err, sizeof program_err);
  assert_status(status, 1);
  assert_contains(program_err, "interrupted");
  assert_false(exists(run_path("dispatch.csv")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_times_decide),
      cmocka_unit_test(without_a_gpu_the_cpu_has_all_scopes),
      cmocka_unit_test(one_number_of_atoms_says_nothing_of_fewer),
      cmocka_unit_test(losses_are_told),
      cmocka_unit_test(the_95th_percentile_leaves_out_a_20th),
      cmocka_unit_test(sizes_without_the_method_taken_do_not_count),
      cmocka_unit_test(the_nearest_size_is_held_beside),
      cmocka_unit_test(heaps_are_no_loss),
      cmocka_unit_test(what_a_table_lacks_is_said),
      cmocka_unit_test(times_that_stray_are_said_and_left_out),
      cmocka_unit_test(beyond_the_sizes_the_rate_shown_decides),
      cmocka_unit_test(a_table_is_held_against_another_run),
      cmocka_unit_test(a_row_twice_is_refused),
      cmocka_unit_test(the_header_decides_alike_in_c_and_cxx),
      cmocka_unit_test(facts_of_a_run_are_never_code),
      cmocka_unit_test(families_differ_in_real_parameters_alone),
      cmocka_unit_test(tolerances_serve_looser_ones),
      cmocka_unit_test(families_without_room_are_refused),
      cmocka_unit_test(runs_that_cannot_decide_are_refused),
      cmocka_unit_test(an_interrupt_writes_nothing),
      cmocka_unit_test(old_files_stay_when_new_ones_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
