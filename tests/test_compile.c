/* `dcsbench compile`: every covering configuration of CUDA variants compiles, a few of those whose
 * compilation takes long; all of them, and for several architectures, with DCS_TEST_FULL. Compiled
 * code is kept from run to run (run.sh names the folder). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"
#include "tests/slow_variants.h"

static bool is_covered(const dcs_variant *variant) {
  return is_computed(variant) && strcmp(variant->id, "cuda_forces_table") != 0 &&
         strcmp(variant->id, "cuda_forces_direct") != 0;
}

/* Registers are counted. Adds the rows that were printed, and those that spill. */
static void count_rows(int *rows, int *spilled) {
  for (const char *line = strchr(program_out, '\n'); line && line[1];
       line = strchr(line + 1, '\n')) {
    const char *arch = strstr(line, ",sm_");
    int sm, registers, spill, constant, shared;
    assert_non_null(arch);
    assert_int_equal(
        sscanf(arch, ",sm_%d,%d,%d,%d,%d", &sm, &registers, &spill, &constant, &shared), 5);
    assert_true(registers > 0 && registers <= 255);
    *spilled += spill > 0;
    ++*rows;
  }
}

/* Configurations that an architecture lacks the instructions for. */
static int count_unsuited(void) {
  int n = 0;
  for (const char *at = program_err; (at = strstr(at, ": inapplicable: kernels/")); at++)
    n++;
  return n;
}

/* At most a few corner configurations spill. */
static void cuda_variants_compile(void **state) {
  (void)state;
  static const char *const few[] = {
      "cuda_cutoff_bins,cuda_cutoff_cells,cuda_padded,cuda_orbital_constant,cuda_orbital_compiled "
      "--config block_x=8|32",
      "cuda_orbital_shared --config groups=1|3", "cuda_orbital_tensor,cuda_orbital_wgmma",
      "cuda_forces_direct,cuda_forces_table --config cluster=16|32"};
  static const int n_few[] = {10, 2, 2, 4};
  program_seconds = 900; /* it compiles some hundred kernels */
  const bool full = getenv("DCS_TEST_FULL");
  int status =
      full ? program_run("compile --csv --arch sm_75,sm_90,sm_100")
           : program_run("compile --csv --arch sm_90 --variants %s", variants_that(is_covered));
  if (status == DCS_UNAVAILABLE) {
    printf("skipped: no NVRTC: %s", program_err);
    skip();
  }
  assert_int_equal(status, 0);
  int rows = 0, spilled = 0;
  count_rows(&rows, &spilled);
  if (full) assert_int_equal((rows + count_unsuited()) % 3, 0);
  for (int f = 0; !full && f < 4; f++) {
    const int before = rows;
    assert_status(program_run("compile --csv --arch sm_90 --variants %s", few[f]), 0);
    count_rows(&rows, &spilled);
    assert_int_equal(rows - before, n_few[f]);
  }
  assert_true(spilled * 20 <= rows);
  assert_true(rows > (full ? 3 : 1) * 16 * 3); /* three families of sixteen coarsening factors */
}

/* Dynamic shared memory counts, and instructions that an architecture lacks are no mistake. */
static void instructions_of_one_architecture(void **state) {
  (void)state;
  int status = program_run("compile --csv --variants cuda_orbital_tensor,cuda_orbital_wgmma "
                           "--arch sm_75,sm_90,sm_100");
  if (status == DCS_UNAVAILABLE) skip();
  assert_status(status, 0);
  assert_contains(program_out, "cuda_orbital_wgmma,,sm_90,128,0,0,205200,0");
  assert_contains(program_out, "cuda_orbital_tensor,,sm_100,");
  assert_null(strstr(program_out, "sm_75"));
  assert_contains(program_err,
                  "orbital_wgmma.cu is for compute capability 9.0 alone; this is 10.0\n");
  assert_contains(program_err,
                  "orbital_tensor.cu is for compute capability 8.0 and later ones; this is 7.5\n");
}

/* 1,024 x 4 threads are more than a block has. */
static void what_no_card_can_run_is_refused(void **state) {
  (void)state;
  int status = program_run("compile --variants cuda_naive --config block_x=16|1024,block_y=4");
  if (status == DCS_UNAVAILABLE) skip();
  assert_status(status, 0);
  assert_contains(program_err, "cuda_naive block_x=1024,block_y=4: inapplicable: ");
  assert_contains(program_out, "block_x=16,block_y=4\n");
  assert_null(strstr(program_out, "1024"));
  assert_status(program_run("compile --variants cuda_naive --config block_x=1024,block_y=4"), 2);
  assert_string_equal(program_out, ""); /* no table above the error */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_of_one_architecture),
      cmocka_unit_test(what_no_card_can_run_is_refused),
      cmocka_unit_test(cuda_variants_compile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
