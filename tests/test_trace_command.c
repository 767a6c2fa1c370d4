/* dcsbench trace, as a user runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"

static void need_a_compiler(void) {
  if (program_run("trace cuda_naive --atoms 1 --grid 8x1x1") != 4) return;
  print_message("skipped: no C++ compiler\n");
  skip();
}

/* 64 x 2 points by 32 x 2 threads of K = 2: a block, two warps, each with two stores of 8 sectors.
 */
#define SMALL "cuda_coarsened --config block_x=32,block_y=2,coarsen=2 --atoms 3 --grid 64x2x1"

static void rows_as_csv(void **state) {
  (void)state;
  need_a_compiler();
  assert_status(program_run("trace " SMALL " --csv"), 0);
  assert_string_equal(
      program_out,
      "file,line,access,space,requests,sectors,sectors_per_request,lines_per_request,bytes_used,"
      "bytes_moved,efficiency,bank_conflicts,distinct_constant_addresses,divergent\n"
      "kernels/coulomb/cuda/coarsened.cu,37,load,constant,6,,,,,,,,1,0\n"
      "kernels/coulomb/cuda/coarsened.cu,53,load,global,4,32,8,2,512,1024,0.5,,,0\n"
      "kernels/coulomb/cuda/coarsened.cu,53,store,global,4,32,8,2,512,1024,0.5,,,0\n");
}

static void rows_as_json(void **state) {
  (void)state;
  need_a_compiler();
  assert_status(program_run("trace " SMALL " --json"), 0);
  assert_contains(program_out,
                  " {\"file\": \"kernels/coulomb/cuda/coarsened.cu\", \"line\": 53, \"access\": "
                  "\"store\", \"space\": \"global\", \"requests\": 4, \"sectors\": 32, "
                  "\"sectors_per_request\": 8, \"lines_per_request\": 2, \"bytes_used\": 512, "
                  "\"bytes_moved\": 1024, \"efficiency\": 0.5, \"bank_conflicts\": null, "
                  "\"distinct_constant_addresses\": null, \"divergent\": 0}\n]\n");
}

static void table_and_lanes(void **state) {
  (void)state;
  need_a_compiler();
  assert_status(program_run("trace " SMALL " --out %s", in_folder("lanes.svg")), 0);
  assert_contains(program_out, "read=end: 1 of 1 blocks of 1 launches; coulomb, 3 atoms, 64x2x1; "
                               "sm_90\n");
  assert_contains(program_out,
                  "kernels/coulomb/cuda/coarsened.cu:53 store  global           4      "
                  "8.00      2.00     50.0%                             0\n");
  assert_contains(program_out,
                  "   53 store  global    00001111 22223333 44445555 66667777  point[m] += ");
  char *svg = get_file(in_folder("lanes.svg"), NULL);
  assert_contains(svg, "<svg xmlns=");
  assert_contains(svg, "coarsened.cu:53 store, global</tspan>, 4 bytes a lane: 8 sectors for 128 "
                       "bytes");
  assert_contains(svg, "</svg>\n");
  free(svg);
}

/* For a profiler of another device: the launches alone. */
static void launches_on_another_device(void **state) {
  (void)state;
  need_a_compiler();
  assert_status(program_run("trace " SMALL " --device emulated"), 0);
  assert_string_equal(program_out, "");
  assert_status(program_run("trace " SMALL " --device nowhere"), 2);
}

static const char racing[] =
    "extern \"C\" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx,\n"
    "                               int ny, int k, float spacing) {\n"
    "  slice[0] += atoms[0].w;\n"
    "}\n";

static void races_are_failures(void **state) {
  (void)state;
  need_a_compiler();
  assert_status(program_run("trace cuda_naive --races --atoms 3 --grid 40x2x1"), 0);
  assert_string_equal(program_out, "cuda_naive: no races\n");
  put_file(in_folder("naive.cu"), racing);
  assert_status(
      program_run("trace cuda_naive --races --atoms 3 --grid 40x2x1 --kernels %s", in_folder(".")),
      1);
  assert_contains(program_out, "naive.cu:3, store by thread 0 of block 0");
  assert_contains(program_out, "\n    slice[0] += atoms[0].w;\n");
  assert_status(program_run("trace cuda_naive --races --csv --atoms 3 --grid 40x2x1 --kernels %s",
                            in_folder(".")),
                1);
  assert_contains(program_out, "space,first_file,first_line,first_access,first_block,first_thread,"
                               "then_file,then_line,then_access,then_block,then_thread,words\n"
                               "global,");
}

static void wrong_words_are_refused(void **state) {
  (void)state;
  assert_status(program_run("trace"), 2);
  assert_status(program_run("trace cpu_gather"), 2);
  assert_status(program_run("trace cuda_naive,cuda_constant"), 2);
  assert_contains(program_err, "found 2 methods; expected one variant with one configuration");
  assert_status(program_run("trace cuda_naive --arch sm_35"), 2);
  assert_contains(program_err, "expected sm_70 or later");
  assert_status(program_run("trace cuda_naive --blocks some"), 2);
  assert_contains(program_err, "expected few or all");
  assert_status(program_run("trace cuda_naive --races --out x.svg"), 2);
  static const char *const silent[] = {"--races", "--out x.svg", "--csv", "--json"};
  for (int s = 0; s < 4; s++) {
    assert_status(program_run("trace cuda_naive --device emulated %s", silent[s]), 2);
    assert_contains(program_err, "--device only runs the launches, and counts nothing");
  }
  assert_status(program_run("trace cuda_naive --csv --json"), 2);
  assert_contains(program_err, "found --csv and --json; expected one");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_as_csv),        cmocka_unit_test(rows_as_json),
      cmocka_unit_test(table_and_lanes),    cmocka_unit_test(launches_on_another_device),
      cmocka_unit_test(races_are_failures), cmocka_unit_test(wrong_words_are_refused),
  };
  return cmocka_run_group_tests_name("trace_command", tests, program_setup, program_teardown);
}
