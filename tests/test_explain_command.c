/* dcsbench explain, as a user runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"

#include <math.h>

/* The value of a line that --csv prints; NaN where it is empty. */
static double value_of(const char *section, const char *name) {
  char key[128];
  snprintf(key, sizeof key, "\n%s,%s,", section, name);
  const char *at = strstr(program_out, key);
  if (!at) fail_msg("found no \"%s,%s\" in \"%s\"", section, name, program_out);
  at += strlen(key);
  return *at == ',' ? NAN : strtod(at, NULL);
}

static int compiles(void) {
  return strstr(program_out, "\ncode,compiler,") == NULL;
}

/* 64 x 8 threads of 4 points, 512 x 512 x 16 points: what needs no compiler. */
static void launches_work_and_the_measured_time(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_coarsened --config block_x=64,block_y=8 --atoms 4000 "
                            "--grid 512x512x16 --csv --predict 2.1e12"),
                0);
  assert_int_equal(strncmp(program_out, "section,name,value,unit,text\n", 29), 0);
  assert_float_equal(value_of("work", "operations_per_eval"), 31 / 4.0, 1e-12);
  assert_float_equal(value_of("work", "evals"), 4000.0 * 512 * 512 * 16, 1);
  assert_float_equal(value_of("card", "sms"), 132, 0);
  assert_float_equal(value_of("launch", "launches"), 16, 0);
  assert_float_equal(value_of("launch", "blocks_per_launch"), 128, 0);
  assert_float_equal(value_of("launch", "points_per_thread"), 4, 0);
  assert_float_equal(value_of("occupancy", "imbalance"), 132 / 128.0, 1e-12);
  const double rate = value_of("measured", "evals_per_s");
  assert_in_range((long)(rate / 1e9), 2000, 4000);
  assert_float_equal(value_of("measured", "prediction_ratio"), 2.1e12 / rate, 1e-9);
  assert_contains(program_out, ",you said 2.1e+12; measured 3.252e+12: 0.646 times\n");
  /* The limit that binds is one. */
  assert_true(value_of("limits", "binds") < value_of("measured", "time"));
}

static void skip_without_compiler(void) {
  if (compiles()) return;
  print_message("skipped: no NVRTC\n");
  skip();
}

/* Registers as the measurement had them, and an evaluation of the loop takes a reciprocal square
 * root of the 16 that an SM does in a cycle. */
static void what_the_compiler_made(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_coarsened --config coarsen=8 --csv"), 0);
  skip_without_compiler();
  assert_true(value_of("code", "registers_per_thread") > 16);
  assert_float_equal(value_of("code", "local_bytes_per_thread"), 0, 0);
  const double evals = value_of("inner_loop", "evals_per_iteration");
  assert_float_equal(value_of("inner_loop", "sfu"), evals, 0);
  assert_true(evals == 8 || evals == 16 || evals == 32);
  assert_true(value_of("inner_loop", "fp32") >= 3 * evals);
  assert_float_equal(value_of("limits", "sfu"), 4.1374, 1e-3);
}

/* A loop that is not unrolled puts x[m] and sum[m] into local memory. */
static void an_array_in_local_memory(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_coarsened --csv"), 0);
  skip_without_compiler();
  static const char loop[] =
      "#pragma unroll\n    for (int m = 0; m < COARSEN; m++) {\n      float dx";
  char *text = get_file("kernels/coulomb/cuda/coarsened.cu", NULL), *rolled;
  char *inner = strstr(text, loop);
  assert_non_null(inner);
  *inner = '\0';
  assert_true(asprintf(&rolled, "%s#pragma unroll 1\n%s", text, strchr(inner + 1, '\n') + 1) > 0);
  put_file(in_folder("coarsened.cu"), rolled);
  free(rolled);
  free(text);
  assert_status(program_run("explain cuda_coarsened --csv --kernels %s", in_folder(".")), 0);
  assert_float_equal(value_of("code", "local_bytes_per_thread"), 32, 0);
  assert_float_equal(value_of("code", "spill_bytes"), 0, 0);
  assert_float_equal(value_of("inner_loop", "evals_per_iteration"), 1, 0);
  assert_true(value_of("inner_loop", "load_local") >= 1);
  assert_contains(program_out, "\nmeasured,kernel,,,\"as it was then, not that of ");
}

/* Of a card that is not known there are no waves and no times. */
static void another_architecture(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_coarsened --arch sm_75 --csv"), 0);
  assert_true(isnan(value_of("card", "sms")));
  assert_true(isnan(value_of("limits", "binds")));
  assert_null(strstr(program_out, "\noccupancy,waves,"));
  assert_true(value_of("occupancy", "blocks_per_sm") >= 1);
  assert_true(value_of("measured", "time") > 0);
}

static void a_size_that_was_not_measured(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_reduce --atoms 777 --grid 99^3"), 0);
  assert_contains(program_out, "\ncoulomb, 777 atoms, 99x99x99; sm_90\n");
  assert_contains(program_out, "not this one on this size");
  assert_null(strstr(program_out, "of the limit "));
}

/* The run has no rate of tensor cores: what binds is not known, whatever memory allows. */
static void a_limit_that_was_not_measured(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_orbital_tensor --atoms 100 --grid 64^3 --csv --run "
                            "results/reference/nvidia-h200/water"),
                0);
  assert_true(isnan(value_of("limits", "binds")));
  assert_contains(program_out, "unknown: gpu_tf32_fma_per_s was not measured");
}

/* The problem within a cutoff that was measured. */
static void within_a_cutoff(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_cutoff_cells --csv --run results/reference/nvidia-h200/"
                            "water"),
                0);
  assert_float_equal(value_of("launch", "other_launches"), 3, 0);
  assert_true(value_of("launch", "scratch") >= 28 * 777); /* an atom takes 28 bytes */
  assert_true(isnan(value_of("work", "executed_evals")));
  assert_true(value_of("measured", "time") > 0);
  assert_status(program_run("explain cuda_cutoff_cells --cutoff 12 --atoms 1000 --grid 64^3"), 0);
  assert_contains(program_out, "64x64x64, cutoff=12; sm_90");
}

/* What a mesh does are not the evaluations of the direct sum, which would bind it at what that
 * takes. */
static void to_a_tolerance(void **state) {
  (void)state;
  assert_status(program_run("explain cpu_mesh --config threads=16 --tolerance 1e-3 --csv"), 0);
  assert_true(isnan(value_of("work", "executed_evals")));
  assert_contains(program_out, "of another algorithm");
  assert_null(strstr(program_out, "\nlimits,evals,"));
  assert_null(strstr(program_out, "\nlimits,fma,"));
  assert_true(value_of("limits", "binds") < 5); /* memory */
}

/* A kernel of the user's: nobody says its operations, and nothing was measured. */
static void an_own_kernel(void **state) {
  (void)state;
  assert_status(program_run("explain own_rows --kernels results/examples/coulomb --predict 1e12 "
                            "--csv"),
                0);
  assert_true(isnan(value_of("work", "operations_per_eval")));
  assert_true(isnan(value_of("measured", "time")));
  assert_true(isnan(value_of("measured", "prediction_ratio")));
  assert_contains(program_out, "you said 1e+12; nothing was measured to hold it against");
  skip_without_compiler();
  assert_true(value_of("inner_loop", "evals_per_iteration") >= 1);
}

static void cpu_variants(void **state) {
  (void)state;
  assert_status(
      program_run("explain cpu_avx512 --config threads=16 --atoms 4000 --grid 256^3 --csv"), 0);
  assert_float_equal(value_of("cpu", "vector_floats"), 16, 0);
  assert_float_equal(value_of("work", "operations_per_eval"), 5.5, 0.5);
  assert_true(value_of("limits", "binds") <= value_of("measured", "time"));
  assert_null(strstr(program_out, "\nlaunch,"));
}

static void as_text_and_json(void **state) {
  (void)state;
  assert_status(program_run("explain cuda_split --predict 4e12"), 0);
  assert_contains(program_out, "\nas cuda_volume, some reciprocal square roots in software");
  assert_contains(program_out, "\noccupancy\n");
  assert_contains(program_out, "you said 4e+12; measured ");
  assert_status(program_run("explain cuda_split --json"), 0);
  assert_contains(program_out, "{\"section\": \"launch\", \"name\": \"threads_per_block\", "
                               "\"value\": 256, \"unit\": \"\", \"text\": \"16 x 16 x 1\"}");
}

static void wrong_words_are_refused(void **state) {
  (void)state;
  assert_status(program_run("explain"), 2);
  assert_status(program_run("explain cuda_coarsned"), 2);
  assert_contains(program_err, "did you mean cuda_coarsened?");
  assert_status(program_run("explain cuda_coarsened --config coarse=3"), 2);
  assert_contains(program_err, "did you mean coarsen?");
  assert_status(program_run("explain cuda_coarsened --config coarsen=99"), 2);
  assert_status(program_run("explain cuda_coarsened --arch sm_35"), 2);
  assert_contains(program_err, "expected sm_75, ");
  assert_status(program_run("explain cuda_coarsened,cuda_split"), 2);
  assert_status(program_run("explain cuda_coarsened --predict fast"), 2);
  assert_status(program_run("explain cuda_coarsened --csv --json"), 2);
  assert_status(program_run("explain cuda_coarsened --device emulated"), 2);
  assert_status(program_run("explain cuda_coarsened --cutoff 3"), 2);
  assert_status(program_run("explain cpu_avx2 --device cuda:0"), 2);
  assert_status(program_run("explain cuda_coarsened --run nowhere"), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launches_work_and_the_measured_time),
      cmocka_unit_test(what_the_compiler_made),
      cmocka_unit_test(an_array_in_local_memory),
      cmocka_unit_test(another_architecture),
      cmocka_unit_test(a_size_that_was_not_measured),
      cmocka_unit_test(a_limit_that_was_not_measured),
      cmocka_unit_test(within_a_cutoff),
      cmocka_unit_test(to_a_tolerance),
      cmocka_unit_test(an_own_kernel),
      cmocka_unit_test(cpu_variants),
      cmocka_unit_test(as_text_and_json),
      cmocka_unit_test(wrong_words_are_refused),
  };
  return cmocka_run_group_tests_name("explain_command", tests, program_setup, program_teardown);
}
