/* Timings of other programs: what is read of each format, what is refused and how, and the run
 * folder that is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/text.h"
#include "harness/files/lock.h"
#include "harness/problems/external.h"
#include "harness/problems/size.h"
#include "harness/runs/run.h"
#include "tests/imported_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void open_run(dcs_run *run) {
  if (dcs_run_open(run, out) != DCS_OK) fail_msg("%s", dcs_error_message());
}

/* The row of that method, configuration and size. */
static const dcs_run_row *row_of(const dcs_run *run, const char *variant, const char *config,
                                 int64_t x, int64_t y) {
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = &run->rows[i];
    if (strcmp(row->variant, variant) == 0 && strcmp(row->config, config) == 0 &&
        row->size.axes[0] == x && row->size.axes[1] == y)
      return row;
  }
  fail_msg("no row of %s %s at %lld, %lld", variant, config, (long long)x, (long long)y);
  return NULL;
}

static void refused(const char *text, const char *sizes, dcs_status status, const char *said) {
  assert_int_equal(import(text, sizes), status);
  if (!strstr(dcs_error_message(), said))
    fail_msg("\"%s\" is not in: %s", said, dcs_error_message());
  assert_int_not_equal(access(out, F_OK), 0);
}

/* ---- formats ---- */

static void csv_samples_and_rounds(void **state) {
  (void)state;
  dcs_run run;
  assert_int_equal(import("n,method,time_us,round\n1e3,gpu one,7,0\n1000,gpu one,9,1\n"
                          "1000,gpu one,8,2\n2000,cpu,1.5,0\n",
                          NULL),
                   DCS_OK);
  open_run(&run);
  assert_int_equal(run.n_rows, 2);
  const dcs_run_row *row = row_of(&run, "gpu one", "", 1000, 0);
  assert_int_equal(row->n_times, 3);
  assert_float_equal(row->times[1], 9000, 1e-9);
  assert_float_equal(row->median_ns, 8000, 1e-9);
  assert_true(isnan(row->ci_lo_ns)); /* three samples have no interval */
  assert_int_equal(row->backend, DCS_NO_BACKEND);
  assert_int_equal(row->scope, DCS_WARM);
  assert_string_equal(row->size.kind->made_of, "n");
  char text[DCS_TEXT];
  assert_string_equal(dcs_size_text(&row->size, text), "n=1000");
  assert_string_equal(dcs_run_fact(&run, "imported_format"), "csv");
  assert_string_equal(dcs_run_fact(&run, "imported_file"), "times");
  dcs_run_close(&run);
  forget_run();
}

static void csv_two_sizes_and_a_configuration(void **state) {
  (void)state;
  static const char text[] = "method,rows,columns,block,time_ns\na,2,3,32,10\na,2,3,64,20\n";
  dcs_run run;
  refused(text, NULL, DCS_USAGE, "found 3 sizes: rows,columns,block; name at most 2");
  assert_int_equal(import(text, "rows,columns"), DCS_OK);
  open_run(&run);
  assert_float_equal(row_of(&run, "a", "block=64", 2, 3)->median_ns, 20, 0);
  dcs_run_close(&run);
  forget_run();
}

static void google_benchmark_repetitions(void **state) {
  (void)state;
  dcs_run run;
  assert_int_equal(
      import("{\"context\":{\"library_build_type\":\"release\"},\"benchmarks\":["
             "{\"name\":\"BM_sort/8/real_time\",\"run_name\":\"BM_sort/8/real_time\",\"run_type\":"
             "\"iteration\",\"repetition_index\":0,\"real_time\":2.5,\"time_unit\":\"us\"},"
             "{\"name\":\"BM_sort/8/real_time\",\"run_name\":\"BM_sort/8/real_time\",\"run_type\":"
             "\"iteration\",\"repetition_index\":1,\"real_time\":3.5,\"time_unit\":\"us\"},"
             "{\"name\":\"BM_sort/8/real_time_median\",\"run_name\":\"BM_sort/8/real_time\","
             "\"run_type\":\"aggregate\",\"aggregate_name\":\"median\",\"real_time\":3.0,\"time_"
             "unit\":\"us\"},"
             "{\"name\":\"BM_sort/64/threads:4\",\"run_name\":\"BM_sort/64/threads:4\",\"run_"
             "type\":\"iteration\",\"real_time\":7,\"time_unit\":\"ns\"}]}",
             NULL),
      DCS_OK);
  open_run(&run);
  assert_int_equal(run.n_rows, 2);
  const dcs_run_row *row = row_of(&run, "BM_sort", "", 8, 0);
  assert_int_equal(row->n_times, 2); /* the aggregate of what is there is none of them */
  assert_float_equal(row->median_ns, 3000, 1e-9);
  assert_string_equal(row->size.kind->made_of, "size");
  assert_float_equal(row_of(&run, "BM_sort", "threads=4", 64, 0)->median_ns, 7, 0);
  dcs_run_close(&run);
  forget_run();
  refused("{\"context\":{},\"benchmarks\":[{\"name\":\"BM_x/8\",\"run_type\":\"iteration\","
          "\"error_occurred\":true,\"error_message\":\"no file\",\"real_time\":0}]}",
          NULL, DCS_INPUT, "benchmarks[0]: found BM_x/8, which failed: \"no file\"");
}

/* What its author skipped is no time; of two arguments of one name none is told to be the size. */
static void google_benchmarks_that_were_skipped_or_named_alike(void **state) {
  (void)state;
  dcs_run run;
  assert_int_equal(import("{\"context\":{},\"benchmarks\":["
                          "{\"name\":\"BM_x/8\",\"run_type\":\"iteration\",\"real_time\":7},"
                          "{\"name\":\"BM_x/16\",\"run_type\":\"iteration\",\"real_time\":9},"
                          "{\"name\":\"BM_x/32\",\"run_type\":\"iteration\",\"skipped\":true,"
                          "\"skip_message\":\"too large\",\"real_time\":0}]}",
                          NULL),
                   DCS_OK);
  open_run(&run);
  assert_int_equal(run.n_rows, 2);
  assert_float_equal(row_of(&run, "BM_x", "", 16, 0)->median_ns, 9, 0);
  dcs_run_close(&run);
  forget_run();
  refused("{\"context\":{},\"benchmarks\":["
          "{\"name\":\"BM_x/n:1/n:2\",\"run_type\":\"iteration\",\"real_time\":7},"
          "{\"name\":\"BM_x/n:1/n:3\",\"run_type\":\"iteration\",\"real_time\":9}]}",
          "n", DCS_INPUT,
          "benchmarks[0]: found n 2 times beside the time of BM_x; expected a size");
}

static void hyperfine_commands(void **state) {
  (void)state;
  dcs_run run;
  assert_int_equal(
      import("{\"results\":["
             "{\"command\":\"./a 1000\",\"median\":0.5,\"times\":[0.5,0.25,0.75],\"exit_codes\":"
             "[0,0,0],\"parameters\":{\"n\":\"1000\"}},"
             "{\"command\":\"./a 2000\",\"median\":1.5,\"parameters\":{\"n\":\"2000\"}}]}",
             NULL),
      DCS_OK);
  open_run(&run);
  const dcs_run_row *row = row_of(&run, "./a {n}", "", 1000, 0);
  assert_int_equal(row->n_times, 3);
  assert_float_equal(row->median_ns, 5e8, 1);
  assert_int_equal(row->scope, DCS_FIRST);
  row = row_of(&run, "./a {n}", "", 2000, 0);
  assert_int_equal(row->n_times, 1);
  assert_string_equal(dcs_run_cell(&run, row, "stop_reason"), "median");
  dcs_run_close(&run);
  forget_run();
  refused("{\"results\":[{\"command\":\"./a 1\",\"times\":[0.5,0.1],\"exit_codes\":[0,3],"
          "\"parameters\":{\"n\":\"1\"}}]}",
          NULL, DCS_INPUT, "results[0]: found exit code 3 of \"./a 1\" in run 2");
}

/* A command whose values stand in several places, in the program's name, or behind one another. */
static void hyperfine_commands_are_told_by_all_results(void **state) {
  (void)state;
  static const char *const expected[][2] = {{"./a {n} -o {n}.txt", "10"},
                                            {"./a {n} -o {n}.txt", "20"},
                                            {"./b10 {n}", "10"},
                                            {"./b10 {n}", "20"},
                                            {"named", "10"},
                                            {"named", "20"},
                                            {"./c {n} x{n}", "3"},
                                            {"./c {n} x{n}", "4"},
                                            {"./d {n} 5", "3"},
                                            {"./alone3 {n}", "3"}};
  dcs_run run;
  assert_int_equal(
      import("{\"results\":["
             "{\"command\":\"./a 10 -o 10.txt\",\"median\":1,\"parameters\":{\"n\":\"10\"}},"
             "{\"command\":\"./a 20 -o 20.txt\",\"median\":1,\"parameters\":{\"n\":\"20\"}},"
             "{\"command\":\"./b10 10\",\"median\":1,\"parameters\":{\"n\":\"10\"}},"
             "{\"command\":\"./b10 20\",\"median\":1,\"parameters\":{\"n\":\"20\"}},"
             "{\"command\":\"named\",\"median\":1,\"parameters\":{\"n\":\"10\"}},"
             "{\"command\":\"named\",\"median\":1,\"parameters\":{\"n\":\"20\"}},"
             "{\"command\":\"./c 3 x3\",\"median\":1,\"parameters\":{\"n\":\"3\"}},"
             "{\"command\":\"./c 4 x4\",\"median\":1,\"parameters\":{\"n\":\"4\"}},"
             "{\"command\":\"./d 3 5\",\"median\":1,\"parameters\":{\"n\":3}},"
             "{\"command\":\"./alone3 3\",\"median\":1,\"parameters\":{\"n\":\"3\"}}]}",
             NULL),
      DCS_OK);
  open_run(&run);
  assert_int_equal(run.n_rows, 10);
  for (size_t e = 0; e < 10; e++)
    (void)row_of(&run, expected[e][0], "", atoi(expected[e][1]), 0);
  dcs_run_close(&run);
  forget_run();
  assert_int_equal(
      import("{\"results\":["
             "{\"command\":\"./a 10 10\",\"median\":1,\"parameters\":{\"m\":\"10\",\"n\":\"10\"}},"
             "{\"command\":\"./a 10 1\",\"median\":1,\"parameters\":{\"m\":\"1\",\"n\":\"10\"}},"
             "{\"command\":\"./a 1 10\",\"median\":1,\"parameters\":{\"m\":\"10\",\"n\":\"1\"}}]}",
             NULL),
      DCS_OK);
  open_run(&run);
  (void)row_of(&run, "./a {n} {m}", "", 10, 10);
  (void)row_of(&run, "./a {n} {m}", "", 1, 10);
  (void)row_of(&run, "./a {n} {m}", "", 10, 1);
  dcs_run_close(&run);
  forget_run();
}

static void nvbench_means(void **state) {
  (void)state;
#define STATE(n, time)                                                                             \
  "{\"axis_values\":[{\"name\":\"N\",\"type\":\"int64\",\"value\":\"" n                            \
  "\"},{\"name\":\"T\",\"type\":\"string\",\"value\":\"F32\"}],\"summaries\":[{\"tag\":\"nv/"      \
  "cold/time/cpu/mean\",\"data\":[{\"name\":\"value\",\"value\":\"9\"}]},{\"tag\":\"nv/cold/"      \
  "time/gpu/mean\",\"data\":[{\"name\":\"value\",\"type\":\"float64\",\"value\":\"" time           \
  "\"}]}],\"is_skipped\":false}"
  dcs_run run;
  assert_int_equal(
      import("{\"benchmarks\":[{\"name\":\"copy\",\"states\":[" STATE("1024", "1.5e-06") "," STATE(
                 "2048", "2.5e-06") ",{\"is_skipped\":true}]}]}",
             NULL),
      DCS_OK);
  open_run(&run);
  assert_int_equal(run.n_rows, 2);
  const dcs_run_row *row = row_of(&run, "copy", "T=F32", 2048, 0);
  assert_float_equal(row->median_ns, 2500, 1e-6);
  assert_int_equal(row->backend, DCS_GPU);
  assert_int_equal(row->scope, DCS_KERNEL);
  dcs_run_close(&run);
  forget_run();
}

/* NVBench measures on each device: their times are of methods of their own. */
static void nvbench_devices_are_told_apart(void **state) {
  (void)state;
#define ON(device, n, time) "{\"device\":" device "," STATE_MEMBERS(n, time)
#define STATE_MEMBERS(n, time)                                                                     \
  "\"axis_values\":[{\"name\":\"N\",\"type\":\"int64\",\"value\":\"" n                             \
  "\"}],\"summaries\":[{\"tag\":\"nv/cold/time/gpu/"                                               \
  "mean\",\"data\":[{\"name\":\"value\",\"value\":\"" time "\"}]}]}"
  dcs_run run;
  assert_int_equal(
      import("{\"benchmarks\":[{\"name\":\"copy\",\"states\":[" ON("0", "1024", "1e-06") "," ON(
                 "0", "2048", "2e-06") "," ON("1", "1024", "3e-06") "," ON("1", "2048",
                                                                           "4e-06") "]}]}",
             NULL),
      DCS_OK);
  open_run(&run);
  assert_int_equal(run.n_rows, 4);
  assert_float_equal(row_of(&run, "copy", "device=gpu_0", 2048, 0)->median_ns, 2000, 1e-6);
  assert_float_equal(row_of(&run, "copy", "device=gpu_1", 1024, 0)->median_ns, 3000, 1e-6);
  dcs_run_close(&run);
  forget_run();
}

static void t4_configurations(void **state) {
  (void)state;
  static const char text[] =
      "{\"schema_version\":\"1.0.0\",\"results\":["
      "{\"configuration\":{\"block\":64,\"n\":8},\"times\":{\"runtimes\":[1.5,2.5]},"
      "\"invalidity\":\"correct\",\"correctness\":1},"
      "{\"configuration\":{\"block\":128,\"n\":8},\"times\":{\"runtimes\":[]},\"invalidity\":"
      "\"compile\",\"correctness\":0}]}";
  dcs_run run;
  refused(text, NULL, DCS_USAGE, "name it with --size");
  refused(text, "m", DCS_USAGE, "results[0]: found no \"m\" beside the time");
  assert_int_equal(import(text, "n"), DCS_OK);
  open_run(&run);
  assert_float_equal(row_of(&run, "kernel", "block=64", 8, 0)->median_ns, 2e6, 1e-3);
  assert_int_equal(row_of(&run, "kernel", "block=128", 8, 0)->outcome, DCS_OUTCOME_COMPILE);
  dcs_run_close(&run);
  forget_run();
}

/* ---- what is refused ---- */

static void wrong_files(void **state) {
  (void)state;
  refused("hello\n", NULL, DCS_INPUT, "found no timings; expected one of: CSV");
  refused("method,n\na,1\n", NULL, DCS_INPUT, "found columns \"method\", \"n\"; expected");
  refused("Method, n,time_ns\na,1,2\n", NULL, DCS_INPUT, "found columns \"Method\", \" n\"");
  refused("method;n;time_ns\na;1;2,5\n", NULL, DCS_INPUT, "row 1: found a semicolon between");
  refused("method\tn\ttime_ns\na\t1\t2\n", NULL, DCS_INPUT, "row 1: found a tab between");
  refused("method,n,time_ns,time_s\na,1,1,1\n", NULL, DCS_INPUT, "expected one time");
  refused("method,n,time_ns\n", NULL, DCS_INPUT, "found no time in it");
  refused("method,n,time_ns\na,1,nan\n", NULL, DCS_INPUT, "row 2: found time_ns \"nan\"");
  refused("method,n,time_ns\n,1,2\n", NULL, DCS_INPUT, "row 2: found method \"\"");
  refused("method,n,time_ns\na,1.5,2\n", NULL, DCS_INPUT, "row 2: found n \"1.5\"");
  refused("method,n,time_ns\na,0,2\n", NULL, DCS_INPUT, "row 2: found n \"0\"");
  refused("method,n,time_ns\na,1,2\na,2,3", NULL, DCS_INPUT, "row 3: found no end of the row");
  refused("method,n,time_ns,round\na,1,2,0\nb,1,2,0\na,1,3,0\n", NULL, DCS_INPUT,
          "row 2 and row 4: found a twice in one round");
  refused("method,n,time_ns,scope\na,1,2,cold\n", NULL, DCS_INPUT, "kernel, warm, first or frame");
  refused("method,n,time_ns\na,1,2\n", "size", DCS_USAGE, "found no \"size\"");
  refused("method,n,time_ns\n\"a\nb\",1,2\n", NULL, DCS_INPUT, "row 2: found a name or value of 3");
  refused("method,n,time_ns\n\33[31ma,1,2\n", NULL, DCS_INPUT, "without control characters");
  refused("method,n,time_ns\n\xff,1,2\n", NULL, DCS_INPUT, "of UTF-8");
  refused("method,\"n\nm\",time_ns\na,1,2\n", NULL, DCS_INPUT, "a name or value of 3 bytes");
  char text[512];
  snprintf(text, sizeof text, "method,n,time_ns\n%0*d,1,2\n", DCS_MOST_NAME + 1, 7);
  refused(text, NULL, DCS_INPUT, "of 201 bytes; expected up to 200");
  snprintf(text, sizeof text, "method,%061d,time_ns\na,1,2\n", 7);
  refused(text, NULL, DCS_INPUT, "an axis whose name is 61 bytes; expected up to 60");
  refused("{\"results\": [{\"command\":", NULL, DCS_INPUT, "found no whole JSON");
  refused("{\"results\": []}", NULL, DCS_INPUT, "found no timings");
}

static void a_run_is_never_written_over(void **state) {
  (void)state;
  assert_int_equal(import("method,n,time_ns\na,1,2\n", NULL), DCS_OK);
  assert_int_equal(import("method,n,time_ns\na,1,3\n", NULL), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "holds a run already"));
  dcs_run run;
  open_run(&run);
  assert_float_equal(run.rows[0].median_ns, 2, 0);
  dcs_run_close(&run);
  forget_run();
}

/* A killed import left its tables without env.csv: the next one writes them again, and no file that
 * is none of them. */
static void what_a_killed_import_left_is_no_run(void **state) {
  (void)state;
  char env[128], samples[128];
  snprintf(env, sizeof env, "%s/env.csv", out);
  snprintf(samples, sizeof samples, "%s/samples.csv", out);
  assert_int_equal(import("method,n,time_ns\na,1,2\n", NULL), DCS_OK);
  assert_int_equal(unlink(env), 0);
  assert_int_equal(import("method,n,time_ns\na,1,3\n", NULL), DCS_OK);
  dcs_run run;
  open_run(&run);
  assert_float_equal(run.rows[0].median_ns, 3, 0);
  dcs_run_close(&run);
  assert_int_equal(unlink(env), 0);
  FILE *own = fopen(samples, "w");
  assert_true(own && fputs("sample,mass\na,1\n", own) >= 0 && fclose(own) == 0);
  assert_int_equal(import("method,n,time_ns\na,1,3\n", NULL), DCS_USAGE);
  FILE *swept = fopen(samples, "w"); /* of this program, with an env.csv that was lost */
  assert_true(swept && fputs("round,variant,config,scope,atoms\n0,a,,kernel,1\n", swept) >= 0 &&
              fclose(swept) == 0);
  assert_int_equal(import("method,n,time_ns\na,1,3\n", NULL), DCS_USAGE);
  forget_run();
}

/* Tables of one beside the facts of the other would be a run. */
static void a_second_import_at_once_ends(void **state) {
  (void)state;
  char path[128];
  dcs_lock lock;
  assert_int_equal(mkdir(out, 0700), 0);
  snprintf(path, sizeof path, "%s/run.lock", out);
  assert_int_equal(dcs_lock_own(path, "wait", &lock), DCS_OK);
  assert_int_equal(import("method,n,time_ns\na,1,2\n", NULL), DCS_UNAVAILABLE);
  assert_non_null(strstr(dcs_error_message(), "wait for its end, or take another folder"));
  dcs_lock_leave(&lock);
  snprintf(path, sizeof path, "%s/samples.csv", out);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(import("method,n,time_ns\na,1,2\n", NULL), DCS_OK);
  forget_run();
}

/* ---- kinds ---- */

static void a_kind_for_each_set_of_names(void **state) {
  (void)state;
  const dcs_kind *n, *again, *two, *none;
  assert_int_equal(dcs_external_kind("n", &n), DCS_OK);
  assert_int_equal(dcs_external_kind("n", &again), DCS_OK);
  assert_int_equal(dcs_external_kind("n,m", &two), DCS_OK);
  assert_ptr_equal(n, again);
  assert_ptr_not_equal(n, two);
  assert_int_equal(two->n_axes, 2);
  assert_string_equal(two->dimensions[1].name, "m");
  assert_int_equal(dcs_external_kind("n,n", &none), DCS_INPUT);
  assert_int_equal(dcs_external_kind("n,", &none), DCS_INPUT);
  assert_int_equal(dcs_external_kind("a,b,c", &none), DCS_INPUT);
}
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(csv_samples_and_rounds),
      cmocka_unit_test(csv_two_sizes_and_a_configuration),
      cmocka_unit_test(google_benchmark_repetitions),
      cmocka_unit_test(hyperfine_commands),
      cmocka_unit_test(hyperfine_commands_are_told_by_all_results),
      cmocka_unit_test(nvbench_means),
      cmocka_unit_test(google_benchmarks_that_were_skipped_or_named_alike),
      cmocka_unit_test(nvbench_devices_are_told_apart),
      cmocka_unit_test(t4_configurations),
      cmocka_unit_test(wrong_files),
      cmocka_unit_test(a_run_is_never_written_over),
      cmocka_unit_test(what_a_killed_import_left_is_no_run),
      cmocka_unit_test(a_second_import_at_once_ends),
      cmocka_unit_test(a_kind_for_each_set_of_names)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
