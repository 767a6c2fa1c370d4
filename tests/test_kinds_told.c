/* What pages tell of the shipped references of born, stencil, orbital, forces and surface, held
 * against what was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "tests/program.h"
#include "tests/run_folder.h"

#define SHIPPED "results/reference/nvidia-h200/"

static dcs_table *shipped(const char *run, const char *name) {
  char path[PATH_MAX];
  dcs_table *t;
  snprintf(path, sizeof path, SHIPPED "%s/%s", run, name);
  if (dcs_table_read(path, &t) != DCS_OK) fail_msg("%s", dcs_error_message());
  return t;
}

/* Rows of a run: a variant, "block=256,..." that its configuration has, a problem, and what is in
 * the column of its size. NULL: any. */
typedef struct {
  const char *run, *variant, *config, *problem, *size;
} rows;

static const char *size_column(const char *run) {
  const bool grid = strcmp(run, "stencil") == 0 || strcmp(run, "surface") == 0;
  return grid ? "nx" : "atoms";
}

static bool is_one(const dcs_table *t, size_t row, const rows *of) {
  return strcmp(text_at(t, row, "variant"), of->variant) == 0 &&
         strcmp(text_at(t, row, "outcome"), "ok") == 0 &&
         (!of->config || strstr(text_at(t, row, "config"), of->config)) &&
         (!of->problem || strcmp(text_at(t, row, "problem_config"), of->problem) == 0) &&
         strcmp(text_at(t, row, size_column(of->run)), of->size) == 0;
}

/* A number of the fastest of them. */
static double of_best(const rows *of, const char *column) {
  dcs_table *t = shipped(of->run, "summary.csv");
  double best = INFINITY, value = NAN;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (!is_one(t, row, of) || !(number_at(t, row, "median_ns") < best)) continue;
    best = number_at(t, row, "median_ns");
    value = number_at(t, row, column);
  }
  if (isnan(value)) fail_msg("%s: no %s of %s", of->run, column, of->variant);
  dcs_table_free(t);
  return value;
}

static double ms(rows of) {
  return 1e-6 * of_best(&of, "median_ns");
}
static double part(rows of) {
  return 100 * of_best(&of, "limit_fraction");
}
static double rate(rows of) {
  return of_best(&of, "evals_per_s");
}

/* A page, its lines joined, has the text with these numbers. */
static void expect(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void expect(const char *path, const char *format, ...) {
  char told[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(told, sizeof told, format, list);
  va_end(list);
  char *page = get_file(path, NULL);
  for (char *at = page; *at; at++)
    if (*at == '\n') *at = ' ';
  if (!strstr(page, told)) fail_msg("%s lacks \"%s\"", path, told);
  free(page);
}

/* ---- pages ---- */

static void orbitals(void **state) {
  (void)state;
  static const char page[] = "kernels/orbital/README.md";
  const rows constant = {"orbital", "cuda_orbital_constant", "coarsen_z=8", NULL, "100"};
  const rows constant_4 = {"orbital", "cuda_orbital_constant", "coarsen_z=4", NULL, "100"};
  const rows compiled = {"orbital", "cuda_orbital_compiled", "coarsen_z=8", NULL, "100"};
  const rows compiled_4 = {"orbital", "cuda_orbital_compiled", "coarsen_z=4", NULL, "100"};
  const rows many_constant = {"orbital", "cuda_orbital_constant", NULL, NULL, "1000"};
  const rows many_compiled = {"orbital", "cuda_orbital_compiled", NULL, NULL, "1000"};
  const rows shared = {"orbital", "cuda_orbital_shared", NULL, NULL, "100"};
  const rows many_shared = {"orbital", "cuda_orbital_shared", NULL, NULL, "1000"};
  const rows tensor = {"orbital", "cuda_orbital_tensor", NULL, NULL, "100"};
  const rows many_tensor = {"orbital", "cuda_orbital_tensor", NULL, NULL, "1000"};
  expect(page, "%.1f x 10^12 with `coarsen_z=8`", 1e-12 * rate(constant));
  expect(page,
         "%.2f ms against %.2f, %.2f times; with `coarsen_z=4` it is slower, %.2f against %.2f; "
         "with 1,000 atoms %.2f times",
         ms(compiled), ms(constant), ms(constant) / ms(compiled), ms(compiled_4), ms(constant_4),
         ms(many_constant) / ms(many_compiled));
  expect(page, "%.3f ms, %.0f%% of the limit, and %.0f%% with 1,000 atoms", ms(shared),
         part(shared), part(many_shared));
  expect(page,
         "it takes %.3f ms, %.0f%% of the limit, %.2f times as fast as `cuda_orbital_shared`; with "
         "1,000 atoms %.3f ms, %.0f%%, %.2f times",
         ms(tensor), part(tensor), ms(shared) / ms(tensor), ms(many_tensor), part(many_tensor),
         ms(many_shared) / ms(many_tensor));
  const rows wgmma = {"orbital", "cuda_orbital_wgmma", NULL, NULL, "100"};
  const rows many_wgmma = {"orbital", "cuda_orbital_wgmma", NULL, NULL, "1000"};
  expect(page,
         "it takes %.3f ms, %.0f%% of its limit, %.2f times as fast as `cuda_orbital_tensor` and "
         "%.2f times as `cuda_orbital_shared`; with 1,000 atoms %.3f ms, %.0f%%",
         ms(wgmma), part(wgmma), ms(tensor) / ms(wgmma), ms(shared) / ms(wgmma), ms(many_wgmma),
         part(many_wgmma));
  expect("results/reference.md",
         "takes `cuda_orbital_wgmma` %.3f ms, `cuda_orbital_tensor` %.3f and `cuda_orbital_shared` "
         "%.3f",
         ms(wgmma), ms(tensor), ms(shared));
}

static void born_radii(void **state) {
  (void)state;
  static const char page[] = "kernels/born/README.md";
  const rows tiles = {"born", "cuda_born_tiles", "coarsen=8", NULL, "100000"};
  const rows few_1 = {"born", "cuda_born_tiles", "coarsen=1", NULL, "4096"};
  const rows few_8 = {"born", "cuda_born_tiles", "coarsen=8", NULL, "4096"};
  const rows many_1 = {"born", "cuda_born_tiles", "coarsen=1", NULL, "89975"};
  const rows many_8 = {"born", "cuda_born_tiles", "coarsen=8", NULL, "89975"};
  const rows block = {"born", "cuda_born_block", NULL, NULL, "5060"};
  const rows last = {"born", "cuda_born_block", NULL, NULL, "8997"};
  const rows beaten = {"born", "cuda_born_tiles", NULL, NULL, "8997"};
  const rows lost = {"born", "cuda_born_block", NULL, NULL, "16000"};
  const rows won = {"born", "cuda_born_tiles", "coarsen=2", NULL, "16000"};
  expect(page, "it takes %.1f ms for atoms in any order", ms(tiles));
  expect(page, "%.0f%% of the limit of 10 instructions", part(tiles));
  expect(page,
         "`coarsen=1` takes %.3f ms there and `coarsen=8` %.3f, at 89,975 atoms %.1f and %.1f",
         ms(few_1), ms(few_8), ms(many_1), ms(many_8));
  expect(page, "%.3f ms at 5,060; at 16,000 it takes %.2f ms, and tiles with `coarsen=2` %.2f",
         ms(block), ms(lost), ms(won));
  assert_true(ms(last) < ms(beaten));
  const rows tensor = {"born", "cuda_born_tensor", "coarsen=6", NULL, "100000"};
  const rows few_tensor = {"born", "cuda_born_tensor", "coarsen=1,order=input", NULL, "4096"};
  const rows some_tensor = {"born", "cuda_born_tensor", "coarsen=2", NULL, "16000"};
  expect(
      page,
      "An H200 takes %.2f ms for 100,000 atoms in random order, %.0f%% of that limit, where "
      "`cuda_born_tiles` takes %.2f; with 16,000 atoms and `coarsen=2` %.3f and %.3f; with 4,096, "
      "`coarsen=1` and `order=input` %.3f",
      ms(tensor), part(tensor), ms(tiles), ms(some_tensor), ms(won), ms(few_tensor));
  expect("results/reference.md", "`cuda_born_tensor` %.1f ms and `cuda_born_tiles` %.1f",
         ms(tensor), ms(tiles));
}

static void stencils(void **state) {
  (void)state;
  static const char page[] = "kernels/stencil/README.md";
  const rows naive = {"stencil", "cuda_stencil_naive", NULL, "", "512"};
  const rows naive_7 = {"stencil", "cuda_stencil_naive", NULL, "points=7", "512"};
  const rows threads = {"stencil", "cuda_stencil_shared", "halo=threads", "", "512"};
  const rows past = {"stencil", "cuda_stencil_shared", "halo=past", "", "512"};
  const rows best = {"stencil", "cuda_stencil_register", "coarsen=4,depth=32", "", "512"};
  const rows depth = {"stencil", "cuda_stencil_register", "coarsen=4,depth=16", "", "512"};
  const rows one = {"stencil", "cuda_stencil_register", "coarsen=1", "", "512"};
  const rows smaller = {"stencil", "cuda_stencil_register", NULL, "", "256"};
  expect(page,
         "%.0f 10^9 points a second, %.0f%% of the measured bandwidth; with 7 points %.0f, %.0f%%",
         1e-9 * rate(naive), part(naive), 1e-9 * rate(naive_7), part(naive_7));
  expect(page, "%.0f 10^9 points a second with `halo=threads`, %.0f with `halo=past`, %.0f without",
         1e-9 * rate(threads), 1e-9 * rate(past), 1e-9 * rate(naive));
  expect(page,
         "%.0f 10^9 points a second, %.0f%% of the measured bandwidth, with "
         "`coarsen=4,depth=32,resident=384`, and %.0f with `depth=16`; %.0f with points loaded one "
         "by one; at "
         "256^3 %.0f, %.0f%%",
         1e-9 * rate(best), part(best), 1e-9 * rate(depth), 1e-9 * rate(one), 1e-9 * rate(smaller),
         part(smaller));
  expect("results/reference.md", "`cuda_stencil_register` %.2f ms", ms(best));
  expect("results/reference.md",
         "%.0f%% of the measured memory bandwidth, by the 32 bytes a point that it must move; a "
         "thread a point %.0f%%, a tile in shared memory %.0f%%",
         part(best), part(naive), part(threads));
  dcs_table *steps = shipped("stencil", "steps.csv");
  expect(page, "through %.0f steps of %.0f^3 points in %.2f ms each", number_at(steps, 0, "steps"),
         number_at(steps, 0, "slices"),
         1e3 * number_at(steps, 0, "computing_s") / number_at(steps, 0, "steps"));
  dcs_table_free(steps);
}

static void forces(void **state) {
  (void)state;
#define PERIODIC "boundary=periodic"
#define EWALD    "electrostatics=ewald,"
  static const char page[] = "kernels/forces/README.md";
  const rows direct = {"forces", "cuda_forces_direct", "cluster=16", PERIODIC, "160461"};
  const rows of_8 = {"forces", "cuda_forces_direct", "cluster=8", PERIODIC, "160461"};
  const rows of_32 = {"forces", "cuda_forces_direct", "cluster=32", PERIODIC, "160461"};
  const rows ewald = {"forces", "cuda_forces_direct", NULL, EWALD PERIODIC, "160461"};
  const rows table = {"forces", "cuda_forces_table", NULL, "radial_error=1e-05," PERIODIC,
                      "160461"};
  const rows fine = {"forces", "cuda_forces_table", NULL, EWALD "radial_error=1e-05," PERIODIC,
                     "160461"};
  const rows rough = {"forces", "cuda_forces_table", "memory=global",
                      EWALD "radial_error=0.008," PERIODIC, "160461"};
  const rows in_shared = {"forces", "cuda_forces_table", "memory=shared",
                          EWALD "radial_error=0.008," PERIODIC, "160461"};
  expect(page, "by arithmetic %.2f ms, from a table off by 1e-5 (14,593 intervals) %.2f.",
         ms(direct), ms(table));
  expect(page, "%.2f ms against %.2f, and off by 0.008 %.2f, from shared memory %.2f.", ms(ewald),
         ms(fine), ms(rough), ms(in_shared));
  expect(page, "%.2f ms with `cluster=8`, %.2f with 16, %.2f with 32; with an Ewald sum %.2f.",
         ms(of_8), ms(direct), ms(of_32), ms(ewald));
  expect("results/reference.md", "`cuda_forces_direct` %.2f ms", ms(direct));
}

static void forces_without_a_boundary(void **state) {
  (void)state;
  static const char page[] = "kernels/forces/README.md";
  const rows open = {"forces_open", "cuda_forces_direct", NULL, NULL, "160461"};
  const rows open_few = {"forces_open", "cuda_forces_direct", NULL, NULL, "24000"};
  const rows closed = {"forces", "cuda_forces_direct", "cluster=16", PERIODIC, "160461"};
  const rows closed_few = {"forces", "cuda_forces_direct", "cluster=16", PERIODIC, "24000"};
  const rows open_patches = {"forces_open", "cuda_forces_patches", NULL, NULL, "160461"};
  const rows patches = {"forces", "cuda_forces_patches", NULL, PERIODIC, "160461"};
  const rows of_8 = {"forces_bonded", "cuda_forces_direct", "cluster=8", NULL, "24000"};
  const rows of_16 = {"forces_bonded", "cuda_forces_direct", "cluster=16", NULL, "24000"};
  const rows pairs = {"forces_bonded", "cuda_forces_pairs", "adding=segments", NULL, "24000"};
  const rows bonded = {"forces_bonded", "cuda_forces_patches", NULL, NULL, "24000"};
  expect(
      page,
      "%.2f ms for 160,461 atoms with `cluster=16`, %.3f for 24,000, where periodic ones take %.2f "
      "and %.3f",
      ms(open), ms(open_few), ms(closed), ms(closed_few));
  expect(page, "%.0f%% more pairs: %.0f x 10^6 against %.0f",
         100 * (of_best(&open, "evals_executed") / of_best(&closed, "evals_executed") - 1),
         1e-6 * of_best(&open, "evals_executed"), 1e-6 * of_best(&closed, "evals_executed"));
  expect(page, "`cuda_forces_patches` takes %.2f ms, of %.2f periodic", ms(open_patches),
         ms(patches));
  expect(page,
         "%.3f ms with `cluster=8` and %.2f with 16; `cuda_forces_pairs` by segments %.3f, "
         "`cuda_forces_patches` %.3f.",
         ms(of_8), ms(of_16), ms(pairs), ms(bonded));
}

static void surfaces(void **state) {
  (void)state;
  static const char page[] = "kernels/surface/README.md";
  const rows levels = {"surface", "cuda_surface", "scan=levels", NULL, "512"};
  const rows block = {"surface", "cuda_surface", "scan=block", NULL, "512"};
  const rows small_levels = {"surface", "cuda_surface", "scan=levels", NULL, "256"};
  const rows small_block = {"surface", "cuda_surface", "scan=block", NULL, "256"};
  const rows thread = {"surface", "cpu_surface", "threads=1,", NULL, "256"};
  const rows sixteen = {"surface", "cpu_surface", "threads=16", NULL, "256"};
  expect(page,
         "%.2f ms for 512^3 points with levels and %.2f with one block, %.3f and %.3f at 256^3",
         ms(levels), ms(block), ms(small_levels), ms(small_block));
  expect(page, "takes %.0f ms at 256^3, %.0f times as long, sixteen %.1f", ms(thread),
         ms(thread) / ms(small_levels), ms(sixteen));
  expect("results/reference.md", "`cuda_surface` %.1f ms", ms(levels));
}

/* ---- claims ---- */

/* The shipped verdicts are those of the shipped samples. */
static void claims(void **state) {
  (void)state;
  static const char *const runs[] = {"born", "stencil", "orbital", "forces", "surface"};
  for (int r = 0; r < 5; r++) {
    char path[PATH_MAX], found[PATH_MAX];
    assert_int_equal(mkdir(in_folder(runs[r]), 0777), 0);
    static const char *const files[] = {"env.csv", "samples.csv", "summary.csv"};
    for (int f = 0; f < 3; f++) {
      snprintf(path, sizeof path, SHIPPED "%s/%s", runs[r], files[f]);
      snprintf(found, sizeof found, "%s/%s", in_folder(runs[r]), files[f]);
      char *text = get_file(path, NULL);
      put_file(found, text);
      free(text);
    }
    assert_status(program_run("claims %s", in_folder(runs[r])), 0);
    snprintf(path, sizeof path, SHIPPED "%s/claims.csv", runs[r]);
    snprintf(found, sizeof found, "%s/claims.csv", in_folder(runs[r]));
    char *shipped_claims = get_file(path, NULL), *claims = get_file(found, NULL);
    assert_string_equal(claims, shipped_claims);
    free(shipped_claims);
    free(claims);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orbitals),
      cmocka_unit_test(born_radii),
      cmocka_unit_test(stencils),
      cmocka_unit_test(forces),
      cmocka_unit_test(forces_without_a_boundary),
      cmocka_unit_test(surfaces),
      cmocka_unit_test(claims),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
