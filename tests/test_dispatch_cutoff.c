/* `dcsbench dispatch` on rows within a cutoff: who decides when, and what is not decided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dispatch_run.h"

static const dcs_variant *on_cpu, *on_gpu;

/* ---- a run ---- */

/* Pairs within the cutoff c of atoms and points that fill a cube of the edge l evenly, c <= l: the
 * volume in which two points at a vector r both lie in the cube, over the ball of r. */
static double pairs(double atoms, int edge, double c) {
  const double l = edge - 1, x = c / l; /* points 1 angstrom apart */
  const double share =
      4 * M_PI / 3 * pow(x, 3) - 3 * M_PI / 2 * pow(x, 4) + 1.6 * pow(x, 5) - pow(x, 6) / 6;
  return atoms * pow(edge, 3) * share;
}

static int64_t atoms_in(int edge) {
  return (int64_t)ceil(0.1 * pow(edge, 3)); /* as in water */
}

static double cpu_ns(double p) {
  return 2e4 + 2 * p;
}

/* A fixed cost in every scope, and little of a point and a pair. */
static double gpu_ns(double fixed, double p, int edge) {
  return fixed + 0.02 * p + 0.3 * pow(edge, 3);
}

/* The CPU leads below some 90,000 pairs in warm, and never catches up before 75 million in first.
 */
static void put_cube(int edge, double c) {
  const int64_t atoms = atoms_in(edge);
  const dcs_dims n = {edge, edge, edge};
  const double p = pairs((double)atoms, edge, c);
  put_time(on_cpu, "kernel", atoms, n, cpu_ns(p), "ok");
  put_time(on_gpu, "kernel", atoms, n, gpu_ns(1e5, p, edge), "ok");
  put_time(on_gpu, "warm", atoms, n, gpu_ns(2e5, p, edge), "ok");
  put_time(on_gpu, "first", atoms, n, gpu_ns(1.5e8, p, edge), "ok");
}

static const int edges[] = {8, 12, 16, 24, 32, 48, 64};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* Of two cutoffs, smoothed. */
static void put_cubes(void) {
  for (int i = 0; i < EDGES; i++) {
    within = "3,c2";
    put_cube(edges[i], 3);
    within = "6,c2";
    put_cube(edges[i], 6);
  }
}

static void begin_within(void) {
  on_cpu = variant_within(DCS_CPU);
  on_gpu = variant_within(DCS_CUDA);
  within = ",";
  spacing = "1";
  memory = "";
  begin_run();
}

static dcs_problem cube(int edge, double c, dcs_smooth smooth) {
  return (dcs_problem){.n_atoms = atoms_in(edge),
                       .n = {edge, edge, edge},
                       .spacing = 1,
                       .cutoff = (float)c,
                       .smooth = smooth};
}

static const dcs_variant *pick(const dcs_dispatch *d, int scope, int edge, double c) {
  const dcs_problem problem = cube(edge, c, DCS_SMOOTH_C2);
  return pick_of(d, scope, &problem);
}

static void decide_cubes(dcs_dispatch *d) {
  begin_within();
  put_cubes();
  end_run();
  assert_status(dispatch(""), 0);
  read_back(d);
}

/* ---- the decision ---- */

/* At edges that were not measured, on both sides of the crossing and far beyond all of them. */
static void the_pairs_within_the_cutoff_decide(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_within();
  put_cubes();
  end_run();
  assert_status(dispatch("--bench"), 0);
  assert_contains(program_out, "sums within a cutoff, smoothed c2, measured at 3 to 6 angstrom:");
  assert_null(strstr(program_out, "not smoothed"));
  read_back(&d);
  for (int edge = 2; edge <= 400; edge += edge / 3 + 1)
    for (int i = 0; i < 2; i++) {
      const double c = i ? 6 : 3;
      if (c > edge - 1) continue;
      const double p = pairs((double)atoms_in(edge), edge, c);
      const double ratio = cpu_ns(p) / gpu_ns(2e5, p, edge);
      if (ratio > 1 / 1.2 && ratio < 1.2) continue; /* too close to matter */
      assert_ptr_equal(pick(&d, 1, edge, c), ratio < 1 ? on_cpu : on_gpu);
    }
  assert_ptr_equal(pick(&d, 0, 2, 3), on_gpu); /* data on the card stay there */
  assert_ptr_equal(pick(&d, 2, 64, 6), on_cpu);
  assert_ptr_equal(pick(&d, 2, 200, 6), on_gpu);
  for (int s = 1; s < DCS_DISPATCH_SCOPES; s++) {
    assert_int_equal(d.tables[2][s].regret.cells, 2 * EDGES);
    assert_true(d.tables[2][s].regret.mean < 0.02 && d.tables[2][s].regret.worst < 0.1);
  }
}

/* One box: the cutoff decides, and how many atoms are in it. */
static void cutoff_and_density_count(void **state) {
  (void)state;
  dcs_dispatch d;
  decide_cubes(&d);
  assert_ptr_equal(pick(&d, 1, 18, 3), on_cpu);
  assert_ptr_equal(pick(&d, 1, 18, 4.5), on_gpu); /* between those measured */
  assert_ptr_equal(pick(&d, 1, 18, 6), on_gpu);
  dcs_problem dense = cube(18, 3, DCS_SMOOTH_C2), thin = cube(18, 6, DCS_SMOOTH_C2);
  dense.n_atoms *= 10;
  assert_ptr_equal(pick_of(&d, 1, &dense), on_gpu);
  thin.n_atoms /= 10;
  assert_ptr_equal(pick_of(&d, 1, &thin), on_cpu);
}

static void other_cutoffs_and_smoothings_are_not_decided(void **state) {
  (void)state;
  dcs_dispatch d;
  decide_cubes(&d);
  for (int scope = 0; scope < DCS_DISPATCH_SCOPES; scope++) {
    assert_non_null(pick(&d, scope, 40, 2.4)); /* a factor of 1.25 beyond, and of 1.27 */
    assert_null(pick(&d, scope, 40, 2.36));
    assert_non_null(pick(&d, scope, 40, 7.5));
    assert_null(pick(&d, scope, 40, 7.62));
    const dcs_problem plain = cube(40, 6, DCS_SMOOTH_NONE), whole = cube(40, 0, DCS_SMOOTH_NONE);
    assert_null(pick_of(&d, scope, &plain));
    assert_null(pick_of(&d, scope, &whole));
  }
}

/* The rows of each sum decide within it alone: not smoothed and of whole sums, the CPU is faster
 * than anything else. */
static void sums_do_not_mix(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_within();
  put_cubes();
  for (int i = 0; i < EDGES; i++) {
    const dcs_dims n = {edges[i], edges[i], edges[i]};
    within = "6,none";
    put_time(on_cpu, "kernel", atoms_in(edges[i]), n, 1, "ok");
    put_time(on_gpu, "kernel", atoms_in(edges[i]), n, 2, "ok");
    put_time(on_gpu, "warm", atoms_in(edges[i]), n, 2, "ok");
    within = ",";
    put_time(cpu[0], "kernel", atoms_in(edges[i]), n, 1, "ok");
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      assert_true(d.tables[sum][s].n > 0);
      for (int m = 0; m < d.tables[sum][s].n; m++) {
        const dcs_dispatch_method *method = &d.tables[sum][s].list[m];
        assert_true(method->variant->cutoff == (sum > 0));
        assert_true(method->cost.cutoff_least == (sum == 0 ? 0 : sum == 1 ? 6 : 3));
        assert_true(method->cost.cutoff_most == (sum == 0 ? 0 : 6));
      }
    }
  assert_ptr_equal(pick(&d, 1, 40, 6), on_gpu);
  const dcs_problem plain = cube(40, 6, DCS_SMOOTH_NONE), whole = cube(40, 0, DCS_SMOOTH_NONE);
  assert_ptr_equal(pick_of(&d, 1, &plain), on_cpu);
  assert_ptr_equal(pick_of(&d, 1, &whole), cpu[0]);
}

/* A method measured at one of two cutoffs is not taken for the other, which another one decides. */
static void each_method_has_its_own_cutoffs(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_within();
  for (int i = 0; i < EDGES; i++) {
    const dcs_dims n = {edges[i], edges[i], edges[i]};
    within = "3,c2";
    put_time(on_cpu, "kernel", atoms_in(edges[i]), n, 1e6 * (i + 1), "ok");
    within = "6,c2";
    put_time(on_gpu, "warm", atoms_in(edges[i]), n, 1e3 * (i + 1), "ok");
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  assert_ptr_equal(pick(&d, 1, 20, 3), on_cpu);
  assert_ptr_equal(pick(&d, 1, 20, 6), on_gpu);
  assert_null(pick(&d, 1, 20, 4.5));
}

/* Times that change sides without a rule make decisions that lose, and the loss is told. */
static void regret_is_told(void **state) {
  (void)state;
  begin_within();
  within = "3,c2";
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {20 + i, 20, 20};
    put_time(on_cpu, "kernel", 100, n, 1000, "ok");
    put_time(on_gpu, "warm", 100, n, i == 3 ? 4000 : 500, "ok");
  }
  assert_loss_of_one_in_8(2);
}

/* Callers have their maps in pageable memory: other rows are left out, and that is said. */
static void other_memory_is_left_out(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_within();
  memory = "pinned";
  put_cubes();
  end_run();
  assert_status(dispatch(""), 0);
  char note[128];
  snprintf(note, sizeof note, "%d rows of the summary are left out: their memory is not pageable",
           2 * EDGES * 3);
  assert_contains(program_out, note);
  read_back(&d);
  assert_ptr_equal(pick(&d, 1, 60, 6), on_cpu);
}

/* ---- the header ---- */

static const char header_user[] =
    "#include \"dispatch.h\"\n#include <stdio.h>\n"
    "int main(void) {\n"
    "  static const int64_t n[][3] = {{1, 1, 1}, {16, 16, 16}, {20, 20, 20}, {70, 60, 2}, {400, "
    "300,"
    " 200}};\n"
    "  static const double cutoff[] = {2, 2.5, 3, 4.5, 7.5, 8};\n"
    "  int s, i, c, smooth;\n"
    "  for (s = 0; s < 3; s++)\n"
    "    for (i = 0; i < 5; i++)\n"
    "      for (c = 0; c < 6; c++)\n"
    "        for (smooth = 0; smooth < 2; smooth++) {\n"
    "          const dcs_dispatch_method *m = dcs_dispatch_choose_within((dcs_dispatch_scope)s,\n"
    "              n[i][0] * n[i][1] * n[i][2] / 10 + 1, n[i][0], n[i][1], n[i][2], 1.0, cutoff[c],"
    " smooth);\n"
    "          printf(\"%s\\n\", m ? m->variant : \"none\");\n"
    "        }\n"
    "  printf(\"%s\\n\", dcs_dispatch_choose(DCS_DISPATCH_WARM, 5, 5, 5, 5) ? \"some\" : "
    "\"none\");\n"
    "  return 0;\n}\n";

static void check_header(const char *compiler, const char *source, const dcs_dispatch *d) {
  static const dcs_dims n[] = {{1, 1, 1}, {16, 16, 16}, {20, 20, 20}, {70, 60, 2}, {400, 300, 200}};
  static const double cutoff[] = {2, 2.5, 3, 4.5, 7.5, 8};
  int taken[2] = {0, 0};
  run_user(compiler, source);
  char *picks = run_file("run", "picks", NULL), *line = strtok(picks, "\n");
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int i = 0; i < 5; i++)
      for (int c = 0; c < 6; c++)
        for (int smooth = 0; smooth < 2; smooth++, line = strtok(NULL, "\n")) {
          const dcs_problem problem = {.n_atoms = dcs_points(n[i]) / 10 + 1,
                                       .n = n[i],
                                       .spacing = 1,
                                       .cutoff = (float)cutoff[c],
                                       .smooth = smooth ? DCS_SMOOTH_C2 : DCS_SMOOTH_NONE};
          const dcs_variant *variant = pick_of(d, s, &problem);
          assert_non_null(line);
          assert_string_equal(line, variant ? variant->id : "none");
          if (variant) taken[variant->backend]++;
        }
  assert_string_equal(line, "none"); /* of whole sums nothing was measured */
  assert_true(taken[DCS_CPU] > 0 && taken[DCS_CUDA] > 0);
  free(picks);
}

static void the_header_decides_alike_in_c_and_cxx(void **state) {
  (void)state;
  dcs_dispatch d;
  decide_cubes(&d);
  char *header = run_file("run", "dispatch.h", NULL);
  assert_contains(header, "warm   within a cutoff, smoothed c2  mean ");
  free(header);
  put_file(run_path("user.c"), header_user);
  put_file(run_path("user.cc"), header_user);
  check_header("cc -std=c99", "user.c", &d);
  check_header("c++ -std=c++98 -Wno-long-long", "user.cc", &d);
}

/* ---- what is refused ---- */

static void refuse_row(const dcs_variant *variant, const char *keys, const char *h,
                       const char *part) {
  begin_within();
  put_cubes();
  within = keys;
  spacing = h;
  put_time(variant, "kernel", 77, (dcs_dims){9, 9, 9}, 10, "ok");
  end_run();
  refuse(3, part);
}

static void rows_that_contradict_themselves_are_refused(void **state) {
  (void)state;
  begin_within();
  end_run();
  refuse_row(cpu[0], "3,c2", "1", "found cutoff \"3\" of ");
  assert_contains(program_err, "summary.csv: row 58: ");
  refuse_row(on_cpu, ",", "1", "found cutoff \"\" of ");
  refuse_row(on_cpu, "3,c3", "1", "smooth \"c3\"");
  refuse_row(on_cpu, "0,c2", "1", "found cutoff \"0\", smooth");
  refuse_row(on_cpu, "x,c2", "1", "found cutoff \"x\", smooth");
  refuse_row(on_cpu, "3,c2", "", "spacing \"\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pairs_within_the_cutoff_decide),
      cmocka_unit_test(cutoff_and_density_count),
      cmocka_unit_test(other_cutoffs_and_smoothings_are_not_decided),
      cmocka_unit_test(sums_do_not_mix),
      cmocka_unit_test(each_method_has_its_own_cutoffs),
      cmocka_unit_test(regret_is_told),
      cmocka_unit_test(other_memory_is_left_out),
      cmocka_unit_test(the_header_decides_alike_in_c_and_cxx),
      cmocka_unit_test(rows_that_contradict_themselves_are_refused),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
