/* `dcsbench claims`: what kinds of problems claim of their own, on run folders that the test
 * writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/claims_run.h"

/* A size of a kind: its problem's values, its cells "atoms,nx,ny,nz". */
typedef struct {
  const char *kind, *problem, *axes;
} place;

/* Which takes `ms` at `part` of the limit. */
static void put_at(place at, const char *variant, const char *config, double ms, double part) {
  const bool cpu = strncmp(variant, "cpu_", 4) == 0;
  char keys[256];
  snprintf(keys, sizeof keys, "%s,\"%s\",kernel,,%s,%s,\"%s\",%s", variant, config,
           cpu ? "cpu" : "cuda:0", at.kind, at.problem, at.axes);
  for (int i = 0; i < 9; i++)
    fprintf(samples, "%d,%s,%.3f\n", i, keys, 1e6 * ms * (1 + 0.001 * (i - 4)));
  fprintf(summary, "%s,%s,,,,%.3f,ok,%.3f\n", keys, cpu ? "cpu" : "gpu", 1e6 * ms, part);
}

static void put_stencil(const char *variant, const char *config, int edge, double ms, double part) {
  char axes[64];
  snprintf(axes, sizeof axes, ",%d,%d,%d", edge, edge, edge);
  put_at((place){"stencil", "", axes}, variant, config, ms, part);
}

static void begin_kind(void) {
  begin_run();
  rewind(summary);
  fputs(KEYS ",backend,threads,chunk_atoms,registers,median_ns,outcome,limit_fraction\n", summary);
}

/* Large sizes alone count, and of a method the values that are claimed of; the book's claims are of
 * another kind. */
static void kinds_have_claims(void **state) {
  (void)state;
  begin_kind();
  put_stencil("cuda_stencil_naive", "block_x=64", 256, 3, 0.6);
  put_stencil("cuda_stencil_shared", "block_x=64,halo=threads", 256, 2.5, 0.7);
  put_stencil("cuda_stencil_shared", "block_x=64,halo=past", 256, 2, 0.8);
  put_stencil("cuda_stencil_register", "depth=8", 256, 1, 0.9);
  put_stencil("cuda_stencil_register", "depth=4", 32, 0.01, 0.1);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 4);
  assert_verdict(t, "stencil_85_percent_of_memory", "holds");
  assert_verdict(t, "stencil_shared_beats_global", "holds");
  assert_verdict(t, "stencil_registers_beat_shared", "holds");
  assert_verdict(t, "stencil_halo_by_threads", "fails");
  assert_counts(t, "stencil_85_percent_of_memory", 1, 0, 0, 0);
  const size_t row = row_of(t, "stencil_halo_by_threads");
  assert_true(fabs(number_at(t, row, "value") - 0.8) < 1e-3);
  assert_string_equal(text_at(t, row, "atoms"), "");
  assert_string_equal(text_at(t, row, "grid"), "256x256x256");
  assert_string_equal(text_at(t, row, "base_config"), "block_x=64,halo=past");
  dcs_table_free(t);
  assert_contains(program_out, "4 claims: 3 hold, 0 partly, 1 fail, 0 not measured\n");
}

static void a_kind_falls_short_of_its_limit(void **state) {
  (void)state;
  begin_kind();
  put_stencil("cuda_stencil_register", "depth=8", 512, 1, 0.84);
  conclude("stencil_85_percent_of_memory", "fails");
  begin_kind();
  put_stencil("cuda_stencil_register", "depth=8", 512, 1, 0.8505);
  conclude("stencil_85_percent_of_memory", "not_measured"); /* the interval crosses it */
}

static void assert_value(const dcs_table *t, const char *claim, double value) {
  const double found = number_at(t, row_of(t, claim), "value");
  if (!(fabs(found - value) < 1e-3)) fail_msg("%s: found %g, expected %g", claim, found, value);
}

/* No problem of its plan is the initial one; methods are compared within a problem. */
static void forces_are_judged_in_each_problem(void **state) {
  (void)state;
  const place exact = {"forces", "boundary=periodic", "160461,,,"},
              rough = {"forces", "radial_error=1e-05,boundary=periodic", "160461,,,"},
              ewald = {"forces", "electrostatics=ewald,radial_error=0.008,boundary=periodic",
                       "160461,,,"},
              small = {"forces", "boundary=periodic", "6000,,,"};
  begin_kind();
  put_at(exact, "cuda_forces_direct", "cluster=16", 2, 0.1);
  put_at(exact, "cuda_forces_pairs", "block_y=4,adding=atomics", 4, 0.1);
  put_at(exact, "cuda_forces_pairs", "block_y=4,adding=segments", 3, 0.1);
  put_at(rough, "cuda_forces_direct", "cluster=16", 2.5, 0.1);
  put_at(rough, "cuda_forces_table", "cluster=16,memory=global", 3, 0.1);
  put_at(ewald, "cuda_forces_table", "cluster=16,memory=global", 3, 0.1);
  put_at(ewald, "cuda_forces_table", "cluster=16,memory=shared", 2.5, 0.1);
  put_at(small, "cuda_forces_direct", "cluster=16", 1, 0.1);
  put_at(small, "cuda_forces_pairs", "block_y=4,adding=segments", 0.5, 0.1);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 4);
  assert_verdict(t, "forces_table_beats_arithmetic", "fails");
  assert_verdict(t, "forces_shared_table_beats_cached", "holds");
  assert_verdict(t, "forces_segments_beat_atomics", "holds");
  assert_verdict(t, "forces_clusters_beat_pairs", "holds");
  assert_value(t, "forces_table_beats_arithmetic", 2.5 / 3);
  assert_value(t, "forces_shared_table_beats_cached", 3 / 2.5);
  assert_value(t, "forces_segments_beat_atomics", 4.0 / 3);
  assert_value(t, "forces_clusters_beat_pairs", 3.0 / 2);
  for (size_t row = 0; row < 4; row++)
    assert_true(number_at(t, row, "yes") + number_at(t, row, "no") == 1);
  assert_string_equal(text_at(t, row_of(t, "forces_table_beats_arithmetic"), "problem_config"),
                      rough.problem);
  dcs_table_free(t);
}

static void orbitals_are_judged(void **state) {
  (void)state;
  const place large = {"orbital", "", "32,128,128,128"}, small = {"orbital", "", "10,128,128,128"};
  begin_kind();
  put_at(large, "cuda_orbital_constant", "coarsen_z=8", 3, 0.1);
  put_at(large, "cuda_orbital_compiled", "coarsen_z=8", 2.1, 0.2);
  put_at(large, "cuda_orbital_shared", "warps_y=2", 1, 0.4);
  put_at(small, "cuda_orbital_constant", "coarsen_z=8", 0.1, 0.1);
  put_at(large, "cuda_orbital_wgmma", "", 0.8, 0.3);
  put_at(small, "cuda_orbital_shared", "warps_y=2", 0.1, 0.9);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 4);
  assert_verdict(t, "orbital_80_percent_of_fma", "fails");
  assert_verdict(t, "orbital_compiled_40_percent", "holds");
  assert_verdict(t, "orbital_products_beat_powers", "holds");
  assert_verdict(t, "orbital_tensor_cores", "partly");
  assert_value(t, "orbital_tensor_cores", 1 / 0.8);
  assert_value(t, "orbital_80_percent_of_fma", 0.3); /* of the fastest */
  assert_value(t, "orbital_compiled_40_percent", 3 / 2.1);
  assert_value(t, "orbital_products_beat_powers", 3);
  dcs_table_free(t);
}

/* Sixteen threads are not one. */
static void surfaces_are_judged(void **state) {
  (void)state;
  const place large = {"surface", "", ",512,512,512"}, small = {"surface", "", ",64,64,64"};
  begin_kind();
  put_at(large, "cpu_surface", "threads=1,isa=avx2", 30, 0.1);
  put_at(large, "cpu_surface", "threads=16,isa=avx2", 3, 0.1);
  put_at(large, "cuda_surface", "block=256,scan=block", 1.2, 0.1);
  put_at(large, "cuda_surface", "block=256,scan=levels", 1, 0.1);
  put_at(small, "cuda_surface", "block=256,scan=block", 0.01, 0.1);
  put_at(small, "cuda_surface", "block=256,scan=levels", 0.02, 0.1);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 2);
  assert_verdict(t, "surface_dozens_of_a_thread", "holds");
  assert_verdict(t, "surface_levels_beat_one_block", "holds");
  assert_value(t, "surface_dozens_of_a_thread", 30);
  assert_value(t, "surface_levels_beat_one_block", 1.2);
  dcs_table_free(t);
  begin_kind();
  put_at(large, "cpu_surface", "threads=1,isa=avx2", 20, 0.1);
  put_at(large, "cuda_surface", "block=256,scan=block", 1, 0.1);
  conclude("surface_dozens_of_a_thread", "partly");
}

/* Blocks win at few atoms, threads at many: both are observed. */
static void born_radii_are_judged(void **state) {
  (void)state;
  const place large = {"born", "", "100000,,,"}, few = {"born", "", "4096,,,"};
  begin_kind();
  put_at(large, "cuda_born_thread", "block_x=64", 12, 0.2);
  put_at(large, "cuda_born_block", "block_x=128", 15, 0.2);
  put_at(large, "cuda_born_tiles", "block_y=8,coarsen=8,order=place", 4, 0.7);
  put_at(few, "cuda_born_thread", "block_x=64", 0.2, 0.2);
  put_at(few, "cuda_born_block", "block_x=128", 0.1, 0.2);
  put_at(few, "cuda_born_tiles", "block_y=8,coarsen=8,order=place", 0.3, 0.9);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 3);
  assert_verdict(t, "born_85_percent_of_issue", "fails");
  assert_verdict(t, "born_block_beats_thread", "partly");
  assert_verdict(t, "born_tiles_beat_thread", "holds");
  assert_value(t, "born_85_percent_of_issue", 0.7);
  assert_value(t, "born_tiles_beat_thread", 3);
  assert_counts(t, "born_block_beats_thread", 1, 0, 1, 0);
  dcs_table_free(t);
}

/* A kind that nothing is claimed of is not held against another's. */
static void the_book_is_of_its_kind(void **state) {
  (void)state;
  const place map = {"density", "", "4000,64,64,64"};
  begin_kind();
  put_at(map, "cuda_density_naive", "block_x=16", 1, 0.1);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 0);
  dcs_table_free(t);
  assert_contains(program_out, "0 claims: 0 hold, 0 partly, 0 fail, 0 not measured\n");
}

/* The book's claims are of the initial problem alone. */
static void the_book_is_of_the_initial_problem(void **state) {
  (void)state;
  const place cut = {"coulomb", "cutoff=12", "4000,512,512,4"};
  begin_kind();
  put_at(cut, book(DCS_BOOK_VERSION_1), "block_x=16", 14, 0.1);
  put_at(cut, book(DCS_BOOK_VERSION_2), "block_x=16", 10, 0.1);
  conclude("coarsening_40_percent", "not_measured");
}

/* Whether a line of a plan has the method: its variant, and a list with each of its values. */
static bool is_planned(const dcs_table *plan, const dcs_claimed_method *claimed) {
  for (size_t row = 0; row < dcs_table_rows(plan); row++) {
    char name[64], value[64];
    const bool has_value = claimed->config != NULL;
    if (has_value) assert_int_equal(sscanf(claimed->config, "%63[^=]=%63s", name, value), 2);
    const char *list = has_value ? strstr(text_at(plan, row, "config"), name) : NULL;
    if (strstr(text_at(plan, row, "variants"), claimed->variant) &&
        (!has_value || (list && strstr(list, value))))
      return true;
  }
  return false;
}

static void plans_have_what_is_claimed_of(void **state) {
  (void)state;
  for (int k = 0; dcs_claims_of_kinds[k]; k++) {
    const dcs_kind_claims *of = dcs_claims_of_kinds[k];
    char path[128];
    dcs_table *plan;
    snprintf(path, sizeof path, "results/%s.plan.csv", of->kind);
    assert_int_equal(dcs_table_read(path, &plan), DCS_OK);
    for (int c = 0; c < of->n; c++)
      if ((of->list[c].method.variant && !is_planned(plan, &of->list[c].method)) ||
          (of->list[c].base.variant && !is_planned(plan, &of->list[c].base)))
        fail_msg("%s: found no line for %s", path, of->list[c].id);
    dcs_table_free(plan);
  }
}

/* `make study` measures problems of each such kind, on the CPU and on a GPU. */
static void the_study_has_each_of_these_kinds(void **state) {
  (void)state;
  dcs_table *plan;
  assert_int_equal(dcs_table_read("results/study.plan.csv", &plan), DCS_OK);
  for (int k = 0; dcs_claims_of_kinds[k]; k++) {
    bool cpu = false, gpu = false;
    for (size_t row = 0; row < dcs_table_rows(plan); row++) {
      if (strcmp(text_at(plan, row, "problem"), dcs_claims_of_kinds[k]->kind) != 0) continue;
      cpu = cpu || strncmp(text_at(plan, row, "variants"), "cpu_", 4) == 0;
      gpu = gpu || strncmp(text_at(plan, row, "variants"), "cuda_", 5) == 0;
    }
    if (!cpu || !gpu) fail_msg("the study lacks %s", dcs_claims_of_kinds[k]->kind);
  }
  dcs_table_free(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_have_claims),
      cmocka_unit_test(a_kind_falls_short_of_its_limit),
      cmocka_unit_test(forces_are_judged_in_each_problem),
      cmocka_unit_test(orbitals_are_judged),
      cmocka_unit_test(surfaces_are_judged),
      cmocka_unit_test(born_radii_are_judged),
      cmocka_unit_test(the_book_is_of_its_kind),
      cmocka_unit_test(the_book_is_of_the_initial_problem),
      cmocka_unit_test(plans_have_what_is_claimed_of),
      cmocka_unit_test(the_study_has_each_of_these_kinds),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
