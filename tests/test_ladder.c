/* The whole ladder through the program: every variant that can run without a card is verified at
 * every edge size, the CUDA kernels on the emulated device. Compiled code is kept from run to run
 * (run.sh names the folder). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/problem.h"
#include "tests/program.h"
#include "tests/slow_variants.h"

/* The line of the output that begins with the id, or NULL. */
static const char *line_of(const char *id) {
  char start[DCS_TEXT];
  snprintf(start, sizeof start, "\n%s ", id);
  if (strncmp(program_out, start + 1, strlen(start) - 1) == 0) return program_out;
  const char *found = strstr(program_out, start);
  return found ? found + 1 : NULL;
}

/* Problems of the kind that verify tries the variant on. */
static int count_problems(const dcs_variant *variant) {
  const dcs_kind *kind = dcs_kind_of(variant);
  dcs_config problem;
  int n = 0;
  for (int p = 0; kind->verified[p]; p++) {
    assert_int_equal(dcs_parse_problem(kind, kind->verified[p], &problem), DCS_OK);
    n += dcs_tries(variant, &problem);
  }
  return n;
}

/* Every variant of the backend has a line that counts maps and ends in "ok". */
static void assert_verified(dcs_backend backend) {
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    if (variant->backend != backend || (variant->available && !variant->available(why))) continue;
    if (!is_computed(variant)) continue;
    const char *line = line_of(variant->id);
    assert_non_null(line);
    int configurations, maps;
    assert_int_equal(
        sscanf(line + strlen(variant->id), "%d configurations %d maps", &configurations, &maps), 2);
    const int problems = count_problems(variant);
    assert_true(configurations >= 1 && problems >= 1);
    /* each of 11 sizes with each problem, but those too large for a configuration; six sizes at
     * least are small, and computed twice. Without a grid it is 5 and 2, without atoms 6 and 1. The
     * whole molecule of a kind is one more, and small */
    const bool grid = dcs_has_grid(dcs_kind_of(variant)),
               atoms = dcs_has_atoms(dcs_kind_of(variant));
    const int whole = dcs_kind_of(variant)->whole != NULL;
    const int sizes = (!grid ? 5 : atoms ? 11 : 6) + whole;
    const int least = sizes + (!grid ? 2 : atoms ? 6 : 1) + whole;
    assert_true(maps <= 2 * sizes * problems * configurations);
    assert_true(maps > least * (problems - 1) * configurations);
    assert_true(problems > 1 || maps >= least * configurations);
    assert_memory_equal(strchr(line, '\n') - 2, "ok", 2);
  }
}

static void cpu_variants_are_right(void **state) {
  (void)state;
  assert_int_equal(program_run("verify --variants cpu"), 0);
  assert_verified(DCS_CPU);
}

/* Every precision and order of the slow ones, not every shape of a block. */
static void slow_variants_are_right_on_the_emulated_device(void **state) {
  (void)state;
  program_seconds = 900;
  int status = program_run("verify --device emulated --variants cuda_mesh --config "
                           "mesh=single|double,coarsen_z=3");
  if (status == DCS_UNAVAILABLE) skip();
  assert_status(status, 0);
  assert_contains(program_out, " 2 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_multilevel --config "
                            "order=cubic|quintic|septic|ninth,coarsen_z=3"),
                0);
  assert_contains(program_out, " 4 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_cutoff_bins --config "
                            "block_x=8,block_y=8,coarsen_z=8,bin_edge=20|30,capacity=2|8"),
                0);
  assert_contains(program_out, " 4 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_cutoff_cells --config "
                            "block_x=8|32,block_y=16,coarsen_z=5,cell_edge=20|30,tile_atoms=64"),
                0);
  assert_contains(program_out, " 4 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_padded --config "
                            "block_x=16|32,block_y=3,coarsen=1|16,chunk_atoms=7,read=start|end"),
                0);
  assert_contains(program_out, " 8 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_orbital_constant,"
                            "cuda_orbital_compiled --config "
                            "block_x=8|32,block_y=3,coarsen_z=1|8,chunk_shells=2"),
                0);
  assert_contains(program_out, " 4 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_orbital_shared --config "
                            "warps_y=1,warps_z=3,groups=3,terms_a_warp=1|2"),
                0);
  assert_contains(program_out, " 2 configurations");
  assert_status(program_run("verify --device emulated --variants "
                            "cuda_orbital_tensor,cuda_orbital_wgmma"),
                0);
  assert_contains(program_out, "cuda_orbital_tensor       1 configurations");
  assert_contains(program_out, "cuda_orbital_wgmma        1 configurations");
  assert_status(program_run("verify --device emulated --variants cuda_stencil_naive,"
                            "cuda_stencil_shared,cuda_stencil_register --config "
                            "block_x=32,block_y=4,depth=3,coarsen=2"),
                0);
}

static void cuda_variants_are_right_on_the_emulated_device(void **state) {
  (void)state;
  program_seconds = 900; /* it compiles a hundred kernels */
  int status = program_run("verify --device emulated --variants %s", variants_that(is_computed));
  if (status == DCS_UNAVAILABLE) {
    printf("skipped: no C++ compiler for the emulated device: %s", program_err);
    skip();
  }
  assert_int_equal(status, 0);
  assert_verified(DCS_GPU);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cpu_variants_are_right),
      cmocka_unit_test(cuda_variants_are_right_on_the_emulated_device),
      cmocka_unit_test(slow_variants_are_right_on_the_emulated_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
