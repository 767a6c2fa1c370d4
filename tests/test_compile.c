/* `dcsbench compile`: every covering configuration of CUDA variants compiles; of all of them, and
 * for several architectures, with DCS_TEST_FULL. Compiled code is kept from run to run (run.sh
 * names the folder). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"
#include "tests/slow_variants.h"

/* Registers are counted, and at most a few corner configurations spill. */
static void cuda_variants_compile(void **state) {
  (void)state;
  program_seconds = 900; /* it compiles some hundred kernels */
  const bool full = getenv("DCS_TEST_FULL");
  int status =
      full ? program_run("compile --csv --arch sm_75,sm_90,sm_100")
           : program_run("compile --csv --arch sm_90 --variants %s", variants_that(is_tried));
  if (status == DCS_UNAVAILABLE) {
    printf("skipped: no NVRTC: %s", program_err);
    skip();
  }
  assert_int_equal(status, 0);
  int rows = 0, spilled = 0;
  for (const char *line = strchr(program_out, '\n'); line && line[1];
       line = strchr(line + 1, '\n')) {
    const char *arch = strstr(line, ",sm_");
    int sm, registers, spill, constant, shared;
    assert_non_null(arch);
    assert_int_equal(
        sscanf(arch, ",sm_%d,%d,%d,%d,%d", &sm, &registers, &spill, &constant, &shared), 5);
    assert_true(registers > 0 && registers <= 255);
    spilled += spill > 0;
    rows++;
  }
  if (full) assert_int_equal(rows % 3, 0);
  assert_true(spilled * 20 <= rows);
  assert_true(rows > (full ? 3 : 1) * 16 * 3); /* three families of sixteen coarsening factors */
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
      cmocka_unit_test(what_no_card_can_run_is_refused),
      cmocka_unit_test(cuda_variants_compile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
