/* A kernel that sums 1/r - P(r^2) with the cells of cuda_cutoff_cells, against double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/engine/engine.h"
#include "kernels/coulomb/cuda/short_range.h"
#include "tests/cache_folder.h"
#include "tests/coulomb_problem.h"
#include "tests/softened_sums.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The map is written whole, with a value of the variant's own added. */
static const char kernels[] =
    "#include \"kernels/coulomb/cuda/cutoff_cells.cuh\"\n"
    "extern \"C\" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)\n"
    "    dcs(float *map, int n_atoms, int nx, int ny, int nz, int first_k, float spacing,\n"
    "        float *scratch, cell_grid cells, radial_polynomial polynomial, float more) {\n"
    "  float sum[COARSEN_Z];\n"
    "  softened_radial<1, RADIAL_MOST> radial = {polynomial, cells.c2};\n"
    "  sum_near(radial, n_atoms, nx, ny, nz, first_k, spacing, scratch, cells, sum);\n"
    "  thread_points at = points_of_thread();\n"
    "  for (int l = 0; l < COARSEN_Z; l++)\n"
    "    if (at.k + l < nz && at.i < nx && at.j < ny)\n"
    "      map[((long long)(at.k + l) * ny + at.j) * nx + at.i] = sum[l] + more;\n"
    "}\n";

static dcs_radial radial;
static float more; /* what the variant's own struct has behind the short range part */

static void plan_sums(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static dcs_arg args[DCS_MAX_ARGS];
  int n = 0;
  dcs_short_range_plan(problem, config, &radial, plan);
  for (; plan->args[n] != DCS_ARG_END; n++)
    args[n] = plan->args[n];
  args[n++] = DCS_OWN_AT(sizeof(dcs_short_range));
  args[n] = DCS_ARG_END;
  plan->args = args;
  memcpy(plan->own + sizeof(dcs_short_range), &more, sizeof more);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

static const dcs_param params[] = {
    DCS_CELLS_BLOCK,
    {"coarsen_z", "slices", 1, 16, 5, NULL, NULL},
    DCS_CELLS_CELL_EDGE,
    {"tile_atoms", "atoms of a tile", 32, 2048, 512, NULL, NULL},
};
static const char *const sources[] = {"kernels/coulomb/cuda/softened.cu", NULL};
static const dcs_variant softened = {.id = "test_softened",
                                     .kind = "coulomb",
                                     .sources = sources,
                                     .backend = DCS_GPU,
                                     .params = params,
                                     .n_params = DCS_CELLS_N_PARAMS,
                                     .plan = plan_sums};

static char folder[] = "/tmp/dcs-test-softened-XXXXXX";
static char file_path[64];

static int write_kernels(void **state) {
  if (place_atoms(state) != 0 || cache_folder_make(state) != 0 || !mkdtemp(folder)) return -1;
  snprintf(file_path, sizeof file_path, "%s/softened.cu", folder);
  FILE *file = fopen(file_path, "w");
  bool whole = file && fputs(kernels, file) >= 0;
  return file && fclose(file) == 0 && whole ? 0 : -1;
}

static int remove_kernels(void **state) {
  unlink(file_path);
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

static const dcs_config small = {{8, 4, 3, 12, 64}};

static void compute(const dcs_problem *p, dcs_scope scope) {
  dcs_engine *engine;
  dcs_code_facts facts;
  double ns;
  assert_int_equal(dcs_engine_devices_open("emulated", folder, &engine), DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], p, OUT(map)), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &p->config, &softened, &small, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  engine->close(engine);
}

static void sums_of_every_degree(void **state) {
  (void)state;
  static const double cutoffs[] = {2.3, 0.7, 5};
  const dcs_problem p = problem_of(150);
  for (int degree = 1; degree <= DCS_RADIAL_MOST; degree++) {
    dcs_radial_taylor(cutoffs[degree % 3], degree, &radial);
    more = (float)degree;
    compute(&p, degree % 2 ? DCS_UNTIMED : DCS_UNTIMED_WARM);
    expect_sums(&p, &radial, more);
  }
}

static void sums_of_erfc(void **state) {
  (void)state;
  const dcs_problem p = problem_of(ATOMS);
  dcs_radial_erf(0.9, 3.5, 1e-6, &radial);
  more = 0;
  compute(&p, DCS_UNTIMED);
  expect_sums(&p, &radial, 0);
}

/* Images count, of atoms inside the cell and outside it. */
static void images_of_a_periodic_problem(void **state) {
  (void)state;
  more = 0;
  for (int c = 0; c < 3; c++) {
    dcs_problem p = problem_of(100);
    dcs_candidates found;
    char why[DCS_TEXT];
    dcs_radial_taylor(periodic_cutoffs[c], 3, &radial);
    make_periodic(&p, periodic_cells[c]);
    compute(&p, c ? DCS_UNTIMED : DCS_UNTIMED_WARM);
    expect_sums(&p, &radial, 0);
    dcs_near_candidates(&p, &small, periodic_cutoffs[c], &found);
    assert_true(found.pairs > POINTS);
    p.n_inputs = 1 << 28;
    assert_false(dcs_near_applicable(&p, &small, periodic_cutoffs[c], why));
    assert_non_null(strstr(why, "images"));
  }
}

/* What is known of it before: as of cuda_cutoff_cells with that cutoff. */
static void what_a_descriptor_needs(void **state) {
  (void)state;
  const dcs_variant *cutoff = dcs_find_variant("cuda_cutoff_cells");
  dcs_problem p = problem_of(ATOMS);
  dcs_candidates found, expected;
  char why[DCS_TEXT] = "";
  p.config.value[DCS_COULOMB_CUTOFF] = 2.5;
  dcs_near_candidates(&p, &small, 2.5, &found);
  cutoff->candidates(&p, &small, &expected);
  assert_true(found.pairs > POINTS && found.pairs == expected.pairs);
  assert_true(dcs_near_applicable(&p, &small, 2.5, why));
  assert_false(dcs_near_applicable(&p, &small, 1e30, why));
  assert_non_null(strstr(why, "must fit a float"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_of_every_degree),
      cmocka_unit_test(sums_of_erfc),
      cmocka_unit_test(images_of_a_periodic_problem),
      cmocka_unit_test(what_a_descriptor_needs),
  };
  return cmocka_run_group_tests_name("short range on CUDA", tests, write_kernels, remove_kernels);
}
