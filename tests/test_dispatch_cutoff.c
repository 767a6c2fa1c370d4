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

/* Of two cutoffs, with the switching function. */
static void put_cubes(void) {
  for (int i = 0; i < EDGES; i++) {
    within = "cutoff=3,switching=c2";
    put_cube(edges[i], 3);
    within = "cutoff=6,switching=c2";
    put_cube(edges[i], 6);
  }
}

static void begin_within(void) {
  on_cpu = variant_within(DCS_CPU);
  on_gpu = variant_within(DCS_GPU);
  within = "";
  spacing = "1";
  memory = "";
  begin_run();
}

static dcs_size cube(int edge, double c, const char *switching) {
  char problem[64] = "";
  if (c > 0) snprintf(problem, sizeof problem, "cutoff=%g%s", c, switching);
  return size_of(problem, atoms_in(edge), (dcs_dims){edge, edge, edge});
}

static const char c2[] = ",switching=c2", none[] = "";

static const dcs_variant *pick(const dcs_dispatch *d, int scope, int edge, double c) {
  const dcs_size size = cube(edge, c, c2);
  return pick_of(d, scope, &size);
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
  assert_contains(program_out, "coulomb, cutoff 3 to 6 angstrom, switching c2:\n");
  assert_null(strstr(program_out, "coulomb:")); /* of direct sums there are none */
  assert_null(strstr(program_out, "angstrom:"));
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
    const dcs_dispatch_table *table = table_of(&d, "cutoff=3,switching=c2", s);
    assert_int_equal(table->held_out, 2 * EDGES);
    assert_int_equal(table->loss.sizes, 2 * EDGES);
    assert_true(table->loss.mean < 0.02 && table->loss.worst < 0.1);
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
  dcs_size dense = cube(18, 3, c2), thin = cube(18, 6, c2);
  dense.axes[0] *= 10;
  assert_ptr_equal(pick_of(&d, 1, &dense), on_gpu);
  thin.axes[0] /= 10;
  assert_ptr_equal(pick_of(&d, 1, &thin), on_cpu);
}

static void other_cutoffs_and_switching_are_not_decided(void **state) {
  (void)state;
  dcs_dispatch d;
  decide_cubes(&d);
  for (int scope = 0; scope < DCS_DISPATCH_SCOPES; scope++) {
    assert_non_null(pick(&d, scope, 40, 2.4)); /* a factor of 1.25 beyond, and of 1.27 */
    assert_null(pick(&d, scope, 40, 2.36));
    assert_non_null(pick(&d, scope, 40, 7.5));
    assert_null(pick(&d, scope, 40, 7.62));
    const dcs_size plain = cube(40, 6, none), direct = cube(40, 0, none);
    assert_null(pick_of(&d, scope, &plain));
    assert_null(pick_of(&d, scope, &direct));
  }
}

/* Beside the cubes, rows without a switching function and of direct sums, in which the CPU is
 * faster than anything else. */
static void decide_families(dcs_dispatch *d) {
  begin_within();
  put_cubes();
  for (int i = 0; i < EDGES; i++) {
    const dcs_dims n = {edges[i], edges[i], edges[i]};
    within = "cutoff=6";
    put_time(on_cpu, "kernel", atoms_in(edges[i]), n, 1, "ok");
    put_time(on_gpu, "kernel", atoms_in(edges[i]), n, 2, "ok");
    put_time(on_gpu, "warm", atoms_in(edges[i]), n, 2, "ok");
    within = "";
    put_time(cpu[0], "kernel", atoms_in(edges[i]), n, 1, "ok");
  }
  end_run();
  assert_status(dispatch(""), 0);
  read_back(d);
}

/* The rows of each family decide within it alone. */
static void families_do_not_mix(void **state) {
  (void)state;
  dcs_dispatch d;
  decide_families(&d);
  static const struct {
    const char *problem;
    double least, most;
  } families[] = {{"cutoff=4,switching=c2", 3, 6}, {"cutoff=5", 6, 6}, {"", 0, 0}};
  assert_int_equal(d.n_families, 3);
  for (int f = 0; f < 3; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      const dcs_dispatch_table *table = table_of(&d, families[f].problem, s);
      assert_true(table->n > 0);
      for (int m = 0; m < table->n; m++) {
        const dcs_dispatch_method *method = &table->list[m];
        assert_true(solves(method->variant, families[f].problem));
        assert_true(method->cost.least.config.value[0] == families[f].least);
        assert_true(method->cost.most.config.value[0] == families[f].most);
        assert_true(method->cost.least.axes[1] == 8 && method->cost.most.axes[3] == 64);
      }
    }
  assert_ptr_equal(pick(&d, 1, 40, 6), on_gpu);
  const dcs_size plain = cube(40, 6, none), direct = cube(40, 0, none);
  assert_ptr_equal(pick_of(&d, 1, &plain), on_cpu);
  assert_ptr_equal(pick_of(&d, 1, &direct), cpu[0]);
}

/* A method measured at one of two cutoffs is not taken for the other, which another one decides. */
static void each_method_has_its_own_cutoffs(void **state) {
  (void)state;
  dcs_dispatch d;
  begin_within();
  for (int i = 0; i < EDGES; i++) {
    const dcs_dims n = {edges[i], edges[i], edges[i]};
    within = "cutoff=3,switching=c2";
    put_time(on_cpu, "kernel", atoms_in(edges[i]), n, 1e6 * (i + 1), "ok");
    within = "cutoff=6,switching=c2";
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
static void losses_are_told(void **state) {
  (void)state;
  begin_within();
  within = "cutoff=3,switching=c2";
  for (int i = 0; i < 8; i++) {
    const dcs_dims n = {20 + i, 20, 20};
    put_time(on_cpu, "kernel", 100, n, 1000, "ok");
    put_time(on_gpu, "warm", 100, n, i == 3 ? 1400 : 500, "ok");
  }
  assert_loss_of_one_in_8("cutoff=3,switching=c2");
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
    "  static const dcs_dispatch_family family[] = {DCS_DISPATCH_COULOMB,\n"
    "      DCS_DISPATCH_COULOMB_CUTOFF, DCS_DISPATCH_COULOMB_CUTOFF_C2};\n"
    "  int s, i, c, f;\n"
    "  for (s = 0; s < 3; s++)\n"
    "    for (i = 0; i < 5; i++)\n"
    "      for (c = 0; c < 6; c++)\n"
    "        for (f = 0; f < 3; f++) {\n"
    "          const dcs_dispatch_method *m = dcs_dispatch_choose((dcs_dispatch_scope)s, "
    "family[f],\n"
    "              n[i][0] * n[i][1] * n[i][2] / 10 + 1, n[i][0], n[i][1], n[i][2], 1.0,\n"
    "              f ? cutoff[c] : 0.0);\n"
    "          printf(\"%s\\n\", m ? m->variant : \"none\");\n"
    "        }\n"
    "  return 0;\n}\n";

static void check_header(const char *compiler, const char *source, const dcs_dispatch *d) {
  static const dcs_dims n[] = {{1, 1, 1}, {16, 16, 16}, {20, 20, 20}, {70, 60, 2}, {400, 300, 200}};
  static const double cutoff[] = {2, 2.5, 3, 4.5, 7.5, 8};
  static const char *const family[] = {"", "cutoff=%g", "cutoff=%g,switching=c2"};
  int taken[3][2] = {{0}}, none_taken[3] = {0};
  run_user(compiler, source);
  char *picks = run_file("run", "picks", NULL), *line = strtok(picks, "\n");
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int i = 0; i < 5; i++)
      for (int c = 0; c < 6; c++)
        for (int f = 0; f < 3; f++, line = strtok(NULL, "\n")) {
          char problem[64];
          snprintf(problem, sizeof problem, family[f], cutoff[c]);
          const dcs_size size = size_of(problem, dcs_points(n[i]) / 10 + 1, n[i]);
          const dcs_variant *variant = pick_of(d, s, &size);
          assert_non_null(line);
          assert_string_equal(line, variant ? variant->id : "none");
          if (variant)
            taken[f][variant->backend]++;
          else
            none_taken[f]++;
        }
  assert_null(line);
  assert_true(taken[0][DCS_CPU] > 0 && taken[0][DCS_GPU] == 0 && none_taken[0] == 0);
  assert_true(taken[1][DCS_CPU] > 0 && none_taken[1] > 0);
  assert_true(taken[2][DCS_CPU] > 0 && taken[2][DCS_GPU] > 0 && none_taken[2] > 0);
  free(picks);
}

static void the_header_decides_alike_in_c_and_cxx(void **state) {
  (void)state;
  dcs_dispatch d;
  decide_families(&d);
  char *header = run_file("run", "dispatch.h", NULL);
  assert_contains(header, " *   coulomb, cutoff 3 to 6 angstrom, switching c2\n");
  assert_contains(header, " *     warm   loss mean ");
  assert_contains(header, "  DCS_DISPATCH_COULOMB_CUTOFF, /* coulomb, cutoff 6 angstrom: range 6 ");
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
  refuse_row(cpu[0], "cutoff=3,switching=c2", "1",
             "found problem coulomb \"cutoff=3,switching=c2\" of ");
  assert_contains(program_err, "summary.csv: row 58: ");
  refuse_row(on_cpu, "", "1", "found problem coulomb \"\" of ");
  refuse_row(on_cpu, "cutoff=3,switching=c3", "1",
             "found problem_config \"cutoff=3,switching=c3\"");
  refuse_row(on_cpu, "cutoff=0,switching=c2", "1",
             "found problem_config \"cutoff=0,switching=c2\"");
  refuse_row(on_cpu, "cutoff=x,switching=c2", "1",
             "found problem_config \"cutoff=x,switching=c2\"");
  refuse_row(on_cpu, "cutoff=3,switching=c2", "", "row 58: found spacing \"\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pairs_within_the_cutoff_decide),
      cmocka_unit_test(cutoff_and_density_count),
      cmocka_unit_test(other_cutoffs_and_switching_are_not_decided),
      cmocka_unit_test(families_do_not_mix),
      cmocka_unit_test(each_method_has_its_own_cutoffs),
      cmocka_unit_test(losses_are_told),
      cmocka_unit_test(other_memory_is_left_out),
      cmocka_unit_test(the_header_decides_alike_in_c_and_cxx),
      cmocka_unit_test(rows_that_contradict_themselves_are_refused),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
