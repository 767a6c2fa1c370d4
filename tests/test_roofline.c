/* The roofline: bytes moved by hand, points, roofs and ceilings, what is said where they are
 * missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/figures/figure.h"
#include "harness/runs/record.h"
#include "tests/program.h"

#include <math.h>

#define HEADER                                                                                     \
  "variant,backend,config,threads,scope,devices,memory,problem,problem_config,atoms,nx,ny,nz,"     \
  "median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,flops_per_eval,bytes_moved,outcome\n"
/* 1e6 evaluations a map: at 10 operations 1e7 in 1 ms are 10 GFLOPS, and 100 a byte for 1e5 bytes.
 */
#define ROWS                                                                                       \
  "plain,cpu,threads=1,1,kernel,-,,coulomb,,100,100,100,1,1e6,,,1e9,10,1e5,ok\n"                   \
  "plain,cpu,threads=4,4,kernel,-,,coulomb,,100,100,100,1,5e5,4e5,1e6,2e9,10,1e5,ok\n"             \
  "quick,cpu,threads=1,1,kernel,-,,coulomb,,100,100,100,1,5e5,,,2e9,6,1e4,ok\n"                    \
  "card,gpu,slow=1,,kernel,-,,coulomb,,100,100,100,1,2e4,,,5e10,8,4e5,ok\n"                        \
  "card,gpu,slow=0,,kernel,-,,coulomb,,100,100,100,1,1e4,,,1e11,8,4e5,ok\n"                        \
  "liar,gpu,,,kernel,-,,coulomb,,100,100,100,1,1,,,1e15,8,4e5,wrong\n"
#define CPU_LIMITS                                                                                 \
  "key,value\nschema,4\ncpus,8\nseed,1\ncpu_model,C\nlimit_cpu_1_evals_per_s,4e9\nlimit_cpu_1_"    \
  "fma_per_s,5e10\n"                                                                               \
  "limit_cpu_1_memory_bytes_per_s,2e10\nlimit_cpu_all_evals_per_s,1.2e10\n"                        \
  "limit_cpu_all_fma_per_s,2e11\nlimit_cpu_all_memory_bytes_per_s,4e10\n"
#define GPU_LIMITS                                                                                 \
  "limit_gpu_rsqrt_per_s,4e11\nlimit_gpu_fma_per_s,5e12\nlimit_gpu_memory_bytes_per_s,1e12\n"

static char *text, why[DCS_TEXT];

static void figure(const char *summary, const char *env) {
  dcs_figure_run run;
  size_t size;
  put_file(in_folder("summary.csv"), summary);
  put_file(in_folder("env.csv"), env);
  free(text);
  why[0] = '\0';
  FILE *dat = open_memstream(&text, &size);
  assert_non_null(dat);
  if (dcs_figure_load(&run, test_folder, NULL) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(dcs_figure_roofline(&run, dat, why), DCS_OK);
  dcs_figure_unload(&run);
  assert_int_equal(fclose(dat), 0);
}

static void lacks(const char *part) {
  if (strstr(text, part)) fail_msg("found \"%s\" in \"%s\"", part, text);
}

static void points_stand_where_they_should(void **state) {
  (void)state;
  figure(HEADER ROWS, CPU_LIMITS GPU_LIMITS);
  assert_string_equal(why, "");
  assert_contains(text, "\"points\"\n600\t12\t12\t12\t\"quick\"\t\"threads=1\"\n");
  assert_contains(text, "\n100\t10\t10\t10\t\"plain\"\t\"threads=1\"\n");
  assert_contains(text, "\"points\"\n100\t20\t10\t25\t\"plain\"\t\"threads=4\"\n");
  assert_contains(text, "\"points\"\n20\t800\t800\t800\t\"card\"\t\"slow=0\"\n");
  lacks("slow=1");
  lacks("liar");
  lacks("no roof");
  assert_contains(text, "\"left out: 1 row without a verified time\"\n");
}

/* The axes begin at a tenth of the ridge or of the leftmost point, and end at 3 times the rightmost
 * and at twice the peak. */
static void roofs_bend_at_the_ridge(void **state) {
  (void)state;
  figure(HEADER ROWS, CPU_LIMITS GPU_LIMITS);
  assert_contains(text, "\"CPU, 1 thread: memory 20 GB/s, FMA 100 GFLOPS; dashed: 4·10⁹ "
                        "evaluations/s of 6 operations\"\n0.5\t1800\t5\t200\n");
  assert_contains(text, "\"roof\"\n0.5\t10\n5\t100\n1800\t100\n");
  assert_contains(text, "\"CPU, 4 threads: memory 40 GB/s, FMA 400 GFLOPS; dashed: 12·10⁹ ");
  assert_contains(text, "\"roof\"\n1\t40\n10\t400\n300\t400\n");
  assert_contains(text, "\"GPU: memory 1000 GB/s, FMA 10000 GFLOPS; dashed: 400·10⁹ ");
  assert_contains(text, "\"roof\"\n1\t1000\n10\t10000\n60\t10000\n");
  /* From the slope on, at the operations of the fastest: 4e9 of 6, 12e9 of 10, 4e11 of 8. */
  assert_contains(text, "\"limit\"\n1.2\t24\n1800\t24\n");
  assert_contains(text, "\"limit\"\n3\t120\n300\t120\n");
  assert_contains(text, "\"limit\"\n3.2\t3200\n60\t3200\n");
}

/* Many variants of one rate: their names still stand apart, within the axes, in order. */
static void names_stand_apart(void **state) {
  (void)state;
  enum { N = 40 };
  char *summary, *line;
  size_t size;
  FILE *out = open_memstream(&summary, &size);
  fputs(HEADER, out);
  for (int v = 0; v < N; v++)
    fprintf(out, "v%d,cpu,,1,kernel,-,,coulomb,,100,100,100,1,1e6,,,1e9,10,1e5,ok\n", v);
  fclose(out);
  figure(summary, CPU_LIMITS);
  free(summary);
  double ends[4], previous = INFINITY;
  assert_non_null(line = strstr(text, "\n\n\"CPU, 1 thread"));
  line = strchr(line + 2, '\n') + 1;
  assert_int_equal(sscanf(line, "%lf%lf%lf%lf", &ends[0], &ends[1], &ends[2], &ends[3]), 4);
  assert_non_null(line = strstr(line, "\n\n\n"));
  line += 3;
  for (int v = 0; v < N; v++, line = strchr(line, '\n') + 1) {
    double x, y, at;
    assert_int_equal(sscanf(line, "%lf%lf%lf", &x, &y, &at), 3);
    assert_true(at < previous / 1.01 && at >= ends[2] && at <= ends[3]);
    previous = at;
  }
}

/* A variant that was not measured at the problem stands where its largest other one puts it, with a
 * star. */
static void variants_of_other_sizes_are_marked(void **state) {
  (void)state;
  figure(HEADER ROWS "late,gpu,,,kernel,-,,coulomb,,10,50,50,1,1e4,,,2.5e9,8,2e4,ok\n"
                     "late,gpu,,,kernel,-,,coulomb,,10,10,10,1,1e4,,,1e8,8,1e4,ok\n",
         CPU_LIMITS GPU_LIMITS);
  assert_contains(text, "\"* not measured at that size: at its largest other\"\n");
  assert_contains(text, "\"late*  20\"\n");
  assert_contains(text, "\n10\t20\t20\t20\t\"late\"");
  lacks("plain*");
  figure(HEADER ROWS, CPU_LIMITS GPU_LIMITS);
  lacks("*");
}

/* Its operations are those of tensor cores, which the roof is not of. */
static void another_units_variant_is_left_out(void **state) {
  (void)state;
  figure(HEADER ROWS
         "cuda_orbital_tensor,gpu,,,kernel,-,,coulomb,,100,100,100,1,1e3,,,1e12,8,4e5,ok\n",
         CPU_LIMITS GPU_LIMITS);
  lacks("8000");
  assert_contains(text,
                  "\"left out: cuda_orbital_tensor, which multiplies on other units than FMA\"\n");
}

static void what_is_missing_is_said(void **state) {
  (void)state;
  figure(HEADER, CPU_LIMITS);
  assert_contains(why, "no variant has a verified kernel time");
  figure(HEADER ROWS,
         "key,value\nschema,4\ncpus,8\nseed,1\ncpu_model,C\nlimit_gpu_rsqrt_per_s,4e11\n");
  assert_contains(why, "env.csv has no measured limits");
  assert_string_equal(text, "");
  figure(
      "variant,backend,config,threads,scope,devices,memory,problem,problem_config,atoms,nx,ny,nz,"
      "median_ns,evals_per_s,outcome\n"
      "plain,cpu,,1,kernel,-,,coulomb,,100,100,100,1,1e6,1e9,ok\n",
      CPU_LIMITS);
  assert_contains(why, "summary.csv has no bytes_moved");
  figure(HEADER ROWS, CPU_LIMITS);
  assert_string_equal(why, "");
  assert_contains(
      text,
      "\n\n\"GPU: no roof, its limits are not in env.csv; no limit of evaluations in env.csv\"\n");
  assert_contains(text, "\"points\"\n20\t800\t");
  lacks("thread: no roof");
}

/* 10x6x4 points, 5 atoms. */
static void bytes_by_hand(void **state) {
  (void)state;
  const dcs_problem shape = {.n_inputs = 5, .n = {10, 6, 4}, .spacing = 0.5f};
  const dcs_variant *gather = dcs_find_variant("cpu_gather");
  const dcs_variant *naive = dcs_find_variant("cuda_naive");
  const dcs_variant *padded = dcs_find_variant("cuda_padded");
  dcs_config config = dcs_initial_config(gather, 1);
  assert_true(dcs_bytes_moved(gather, &shape, &config) == 5 * 16 + 240 * 4);
  config = dcs_initial_config(naive, 1);
  dcs_plan plan;
  naive->plan(&shape, &config, &plan);
  assert_true(plan.chunk_inputs >= 5 && plan.launch_slices == 1);
  assert_true(dcs_bytes_moved(naive, &shape, &config) == 240 * 4 * 3 + 5 * 16 * 4);
  config = dcs_initial_config(padded, 1);
  config.value[dcs_find_param(padded, "block_x")] = 8;
  config.value[dcs_find_param(padded, "block_y")] = 4;
  config.value[dcs_find_param(padded, "coarsen")] = 2;
  config.value[dcs_find_role(padded, DCS_ROLE_CHUNK)] = 2;
  /* Stored as 16x8x4 points, zeroed, then read and written by 3 launches a slice; in each slice the
   * atoms are written to constant memory and read. */
  assert_true(dcs_bytes_moved(padded, &shape, &config) == 512 * 4 * (1 + 2 * 3) + 5 * 16 * 4 * 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_stand_where_they_should),
      cmocka_unit_test(roofs_bend_at_the_ridge),
      cmocka_unit_test(names_stand_apart),
      cmocka_unit_test(variants_of_other_sizes_are_marked),
      cmocka_unit_test(another_units_variant_is_left_out),
      cmocka_unit_test(what_is_missing_is_said),
      cmocka_unit_test(bytes_by_hand),
  };
  int failed = cmocka_run_group_tests_name("roofline", tests, program_setup, program_teardown);
  free(text);
  return failed;
}
