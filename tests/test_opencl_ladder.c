/* The ladder of the direct sum on an OpenCL device, as a user runs it. Skipped as test_opencl is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"
#include "tests/run_folder.h"

#define CONSTANT "cuda_constant,cuda_coarsened,cuda_coalesced,cuda_padded"
/* Few points a thread, which compile fast. */
#define SMALL  "coarsen=2,coarsen_x=2,coarsen_z=2,unroll=1"
#define LADDER "cuda_scatter,cuda_naive," CONSTANT ",cuda_shared,cuda_volume"

/* The same for every test: the device does not come and go. */
static bool is_here(void) {
  if (program_run("info") != 0) fail_msg("%s", program_err);
  if (!strstr(program_out, "opencl_missing")) return true;
  if (access("/etc/OpenCL/vendors/pocl.icd", F_OK) == 0)
    fail_msg("a driver is installed, but %s", program_out);
  return false;
}

static int lines_with(const char *text, const char *what) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, what)); at++)
    n++;
  return n;
}

static void the_ladder_is_right(void **state) {
  (void)state;
  if (!is_here()) skip();
  put_file(in_folder("atoms.csv"), "x,y,z,q\n0.1,0.2,0.3,1\n2.5,1.1,0.7,-0.8\n1.3,3.2,1.9,0.25\n");
  const bool full = getenv("DCS_TEST_FULL");
  int status =
      full ? program_run("verify --device opencl:0 --variants " LADDER ",cuda_reduce")
           : program_run("verify --device opencl:0 --variants " LADDER
                         ",cuda_reduce --input %s --grid 9x7x5 --spacing 0.5 --config " SMALL,
                         in_folder("atoms.csv"));
  assert_status(status, 0);
  assert_int_equal(lines_with(program_out, "ok\n"), 8);
  assert_contains(program_out, "cuda_reduce            inapplicable: ");
  assert_contains(program_out, "which this device's OpenCL C has not");
}

/* As cards of NVIDIA allow, whose OpenCL compiles kernels for blocks of 256 threads. */
static void blocks_that_the_device_has_not_are_inapplicable(void **state) {
  (void)state;
  if (!is_here()) skip();
  setenv("POCL_MAX_WORK_GROUP_SIZE", "256", 1);
  const int status =
      program_run("verify --device opencl:0 --variants cuda_naive --config block_x=128,block_y=8");
  assert_status(status, 4);
  assert_contains(program_out, "cuda_naive             inapplicable: 1024 threads a block; the "
                               "device allows this kernel 256");
  /* The other configurations are verified, wherever that one stands among them. */
  static const char *const orders[] = {"128|16|32", "16|128|32", "16|32|128"};
  for (int o = 0; o < 3; o++) {
    assert_status(program_run("verify --device opencl:0 --variants cuda_naive --config "
                              "block_x=%s,block_y=8",
                              orders[o]),
                  0);
    assert_contains(program_out, "cuda_naive                2 configurations ");
    assert_contains(program_out, "of the tolerance   ok\n");
    assert_contains(program_out, "cuda_naive                1 more inapplicable: 1024 threads");
  }
  unsetenv("POCL_MAX_WORK_GROUP_SIZE");
}

/* With the limits that a sweep measures first, which takes a CPU long. */
static void times_are_measured(void **state) {
  (void)state;
  if (!getenv("DCS_TEST_FULL") || !is_here()) skip();
  int status = program_run("sweep --device opencl:0 --variants cuda_naive --atoms 20 --grid 4^3 "
                           "--rounds 2 --scope kernel,warm --memory pageable,mapped --out %s",
                           in_folder("run"));
  assert_status(status, 0);
  dcs_table *summary = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 3);
  for (size_t row = 0; row < 3; row++) {
    const bool mapped = strcmp(text_at(summary, row, "memory"), "mapped") == 0;
    assert_string_equal(text_at(summary, row, "outcome"), mapped ? "inapplicable" : "ok");
    if (!mapped) assert_true(strtod(text_at(summary, row, "median_ns"), NULL) > 0);
    if (mapped) assert_contains(text_at(summary, row, "why"), "pageable or pinned");
  }
  dcs_table_free(summary);
}

static void maps_name_what_computed_them(void **state) {
  (void)state;
  if (!is_here()) skip();
  put_file(in_folder("atoms.csv"), "x,y,z,q\n0.1,0.2,0.3,1\n2.5,1.1,0.7,-0.8\n1.3,3.2,1.9,0.25\n");
  assert_status(
      program_run("map %s --device opencl:0 --grid 9x7x5 --explain", in_folder("atoms.csv")), 0);
  assert_contains(program_out, "cuda_split "); /* the rungs above need what OpenCL C has not */
  assert_contains(program_out, "on the GPU");
}

static void a_device_that_is_not_there_is_said(void **state) {
  (void)state;
  if (!is_here()) skip();
  assert_status(program_run("verify --device opencl:77 --variants cuda_naive"), 4);
  assert_contains(program_err, "opencl:77 is not on this machine");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ladder_is_right),
      cmocka_unit_test(blocks_that_the_device_has_not_are_inapplicable),
      cmocka_unit_test(times_are_measured),
      cmocka_unit_test(maps_name_what_computed_them),
      cmocka_unit_test(a_device_that_is_not_there_is_said),
  };
  return cmocka_run_group_tests_name("the ladder by OpenCL", tests, program_setup,
                                     program_teardown);
}
