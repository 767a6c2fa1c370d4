/* Results that other tuners read and write: T4, KTT's output, caches of Kernel Tuner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/timings/json.h"
#include "tests/run_folder.h"
#include "tests/written_journal.h"
#include "tuning/study/study.h"

static dcs_status read_one(const char *name, dcs_journal *journal) {
  char path[PATH_MAX], *paths[] = {path};
  snprintf(path, sizeof path, "%s", in_folder(name));
  return dcs_journal_read(paths, 1, journal, stderr);
}

/* ---- what others write ---- */

static void read_text(const char *text, dcs_journal *journal) {
  put_file(in_folder("other.t4.json"), text);
  if (read_one("other.t4.json", journal) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(journal->n, 1);
  assert_string_equal(journal->list[0].subject.variant->id, "other");
}

/* A configuration's text and its median, in ns; the median of a failure is 0. */
static void assert_recorded(const dcs_recorded_space *r, int c, const char *config, double ns) {
  char text[DCS_TEXT];
  assert_true(c < r->n);
  assert_string_equal(dcs_format_config(r->subject.variant, &r->configs[c], text), config);
  assert_float_equal(r->evaluations[c].n ? r->evaluations[c].stats.median : 0, ns, 1e-6 * ns);
}

static void t4_of_kernel_tuner(void **state) {
  (void)state;
  dcs_journal journal;
  read_text("{\"metadata\":{\"timeunit\":\"miliseconds\"},\"results\":["
            "{\"configuration\":{\"bx\":32,\"cmem\":1,\"mode\":\"a\"},\"times\":{\"runtimes\":[1,3,"
            "2]},\"invalidity\":\"correct\",\"correctness\":1,\"measurements\":[{\"name\":\"time\","
            "\"value\":2,\"unit\":\"\"}],\"objectives\":[\"time\"]},"
            "{\"configuration\":{\"bx\":64,\"cmem\":1,\"mode\":\"b\"},\"times\":{\"runtimes\":[]},"
            "\"invalidity\":\"runtime\",\"correctness\":0}]}",
            &journal);
  assert_recorded(&journal.list[0], 0, "bx=32,mode=a", 2e6); /* of one value: no parameter */
  assert_recorded(&journal.list[0], 1, "bx=64,mode=b", 0);
  assert_int_equal(journal.list[0].evaluations[1].outcome, DCS_OUTCOME_LAUNCH);
  dcs_journal_free(&journal);
}

/* KTT writes T4 in two ways: with the unit beside the measurement, and with all values as texts. */
static void t4_of_ktt(void **state) {
  (void)state;
  dcs_journal journal;
  read_text("{\"schema_version\":\"1.0.0\",\"results\":["
            "{\"configuration\":{\"X\":16},\"objectives\":[\"TotalDuration\"],\"times\":{"
            "\"runtimes\":[3037.5]},\"invalidity\":\"correct\",\"correctness\":1,\"measurements\":["
            "{\"name\":\"TotalDuration\",\"value\":3037.5,\"unit\":\"Microseconds\"}]},"
            "{\"configuration\":{\"X\":8},\"objectives\":[\"TotalDuration\"],\"times\":{"
            "\"runtimes\":[]},\"invalidity\":\"correct\",\"correctness\":1,\"measurements\":["
            "{\"name\":\"TotalDuration\",\"value\":2,\"unit\":\"Microseconds\"}]}]}",
            &journal);
  assert_recorded(&journal.list[0], 0, "X=16", 3037500);
  assert_recorded(&journal.list[0], 1, "X=8", 2000); /* what was tuned for is all there is */
  dcs_journal_free(&journal);
  read_text("{\"metadata\":{\"device\":\"a card\",\"timeunit\":\"microseconds\"},\"results\":["
            "{\"configuration\":{\"X\":\"16\"},\"times\":{\"runtimes\":[5]},\"invalidity\":"
            "\"correct\",\"correctness\":1,\"measurements\":[{\"name\":\"time\",\"value\":5,"
            "\"unit\":\"\"}]},"
            "{\"configuration\":{\"X\":\"8\"},\"times\":{\"runtimes\":[4]},\"invalidity\":"
            "\"correct\",\"correctness\":1}]}",
            &journal);
  assert_recorded(&journal.list[0], 0, "X=16", 5000);
  assert_true(journal.list[0].configs[1].value[0] == 8);
  assert_string_equal(journal.list[0].subject.machine, "a card");
  dcs_journal_free(&journal);
}

/* What was tuned for may be a rate: that is no time, and its unit not that of the times. */
#define A_RATE  "\"objectives\":[\"GFLOP/s\"],\"invalidity\":\"correct\",\"measurements\":["
#define OF_1234 "{\"name\":\"GFLOP/s\",\"value\":1234,\"unit\":\"\"}"
static void t4_of_a_rate(void **state) {
  (void)state;
  dcs_journal journal;
  read_text("{\"results\":["
            "{\"configuration\":{\"X\":8},\"times\":{\"runtimes\":[]}," A_RATE OF_1234
            ",{\"name\":\"time\",\"value\":2,\"unit\":\"us\"}]},"
            "{\"configuration\":{\"X\":16},\"times\":{\"runtimes\":[3]}," A_RATE OF_1234 "]}]}",
            &journal);
  assert_recorded(&journal.list[0], 0, "X=8", 2000);
  assert_recorded(&journal.list[0], 1, "X=16", 3e6);
  dcs_journal_free(&journal);
}

static void ktt_output(void **state) {
  (void)state;
  dcs_journal journal;
  read_text("{\"Metadata\":{\"Device\":\"a card\",\"TimeUnit\":\"Microseconds\"},\"Results\":["
            "{\"Configuration\":[{\"Name\":\"X\",\"Value\":2},{\"Name\":\"Y\",\"Value\":7}],"
            "\"Status\":\"Ok\",\"TotalDuration\":1.5},"
            "{\"Configuration\":[{\"Name\":\"X\",\"Value\":4},{\"Name\":\"Y\",\"Value\":9}],"
            "\"Status\":\"ComputationFailed\",\"TotalDuration\":0}]}",
            &journal);
  assert_recorded(&journal.list[0], 0, "X=2,Y=7", 1500);
  assert_int_equal(journal.list[0].evaluations[1].outcome, DCS_OUTCOME_LAUNCH);
  dcs_journal_free(&journal);
}

static void a_cache_of_kernel_tuner(void **state) {
  (void)state;
  dcs_journal journal;
  read_text("{\"device_name\":\"a card\",\"tune_params_keys\":[\"bx\",\"by\"],\"cache\":{"
            "\"1,2\":{\"bx\":1,\"by\":2,\"time\":9,\"times\":[3,1,2],\"GFLOP/s\":7},"
            "\"1,4\":{\"bx\":1,\"by\":4,\"time\":5},"
            "\"2,4\":{\"bx\":2,\"by\":4,\"time\":\"CompilationFailedConfig\"}}}",
            &journal);
  assert_recorded(&journal.list[0], 0, "bx=1,by=2", 2e6);
  assert_recorded(&journal.list[0], 1, "bx=1,by=4", 5e6);
  assert_int_equal(journal.list[0].evaluations[2].outcome, DCS_OUTCOME_COMPILE);
  dcs_journal_free(&journal);
}

static void refused(const char *text, const char *said) {
  dcs_journal journal;
  put_file(in_folder("wrong.json"), text);
  assert_int_equal(read_one("wrong.json", &journal), DCS_INPUT);
  dcs_journal_free(&journal);
  if (!strstr(dcs_error_message(), "wrong.json") || !strstr(dcs_error_message(), said))
    fail_msg("\"%s\" is not in: %s", said, dcs_error_message());
}

static void wrong_files_are_refused_with_their_place(void **state) {
  (void)state;
#define OK(config, times)                                                                          \
  "{\"configuration\":" config ",\"times\":{\"runtimes\":[" times                                  \
  "]},\"invalidity\":\"correct\",\"correctness\":1}"
  refused("{\"results\":[{\"configuration\":{\"X\":8},\"times\":{\"runtimes\":[]}," A_RATE OF_1234
          "]}]}",
          "results[0].times.runtimes: found no time; expected one at least");
  refused("{\"a\":1}", "found no results of a tuner");
  refused("{\"results\":[" OK("{\"x\":1}", "1") ",", "line 1");
  refused("{\"results\":[" OK("{\"x\":1}", "1") "," OK("{\"x\":2}", "-1") "]}",
          "results[1].times.runtimes[0]: found a time of -1e+06 ns");
  refused("{\"results\":[" OK("{\"x\":1}", "1") "," OK("{\"x\":2}", "") "]}",
          "results[1].times.runtimes: found no time");
  refused("{\"results\":[" OK("{\"x\":1}", "1") "," OK("{\"x\":[2]}", "1") "]}",
          "results[1].configuration.x: found another kind of value");
  refused("{\"results\":[" OK("{\"x\":1}", "1") "," OK("{\"y\":2}", "1") "]}",
          "configuration 2: found no x");
  refused("{\"results\":[" OK("{\"x\":1}", "1") "]}", "found no parameter of several values");
  refused("{\"results\":[{\"configuration\":{\"x\":1},\"invalidity\":\"odd\"}]}",
          "results[0].invalidity: found \"odd\"");
  refused("{\"Metadata\":{\"TimeUnit\":\"Years\"},\"Results\":[{\"Configuration\":[],\"Status\":"
          "\"Ok\"}]}",
          "Metadata.TimeUnit: found \"Years\"");
  refused("{\"tune_params_keys\":[\"x\"],\"cache\":{\"1\":{\"x\":1,\"time\":\"Oh\"}}}",
          "cache[\"1\"].time: found \"Oh\"");
  refused("{\"results\":[{\"configuration\":{\"x\":1},\"dcsbench\":{\"seq\":1},\"times\":{"
          "\"runtimes\":[1]},\"invalidity\":\"correct\"}]}",
          "results[0].dcsbench.seq: found no text");
}

/* ---- what this program writes ---- */

/* What the schema requires of a result, and the types of what it has. */
static void assert_result(const json_t *result) {
  static const char *const invalid[] = {"timeout",     "compile",     "runtime",
                                        "correctness", "constraints", "correct"};
  const char *text = dcs_json_text(result, "invalidity");
  const json_t *times = json_object_get(result, "times"),
               *measurements = json_object_get(result, "measurements"), *one;
  bool known = false;
  size_t m;
  for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
    known = known || strcmp(text, invalid[i]) == 0;
  assert_true(known);
  assert_true(json_is_object(json_object_get(result, "configuration")));
  assert_true(json_is_number(json_object_get(result, "correctness")));
  assert_true(json_is_array(json_object_get(result, "objectives")));
  assert_true(json_is_object(times) && json_is_array(json_object_get(times, "runtimes")));
  assert_true(!json_object_get(times, "compilation_time") ||
              json_is_number(json_object_get(times, "compilation_time")));
  assert_true(json_is_array(measurements));
  json_array_foreach(measurements, m, one) {
    assert_true(json_is_string(json_object_get(one, "name")));
    assert_true(json_is_string(json_object_get(one, "unit")));
    assert_true(json_is_number(json_object_get(one, "value")));
  }
}

/* Reads a file that was written, as whole T4 of so many results; the caller has the reference. */
static json_t *assert_t4(const char *name, size_t n) {
  char *text = get_file(in_folder(name), NULL);
  json_t *root;
  assert_int_equal(dcs_json_parse(name, text, strlen(text), &root), DCS_OK);
  free(text);
  assert_string_equal(dcs_json_text(root, "schema_version"), "1.0.0");
  const json_t *results = dcs_json_array(root, "results");
  assert_int_equal(json_array_size(results), n);
  for (size_t r = 0; r < n; r++)
    assert_result(json_array_get(results, r));
  return root;
}

static void assert_same_recording(const dcs_recorded_space *a, const dcs_recorded_space *b) {
  assert_true(dcs_same_subject(&a->subject, &b->subject));
  assert_int_equal(a->n, b->n);
  assert_memory_equal(a->configs, b->configs, (size_t)a->n * sizeof *a->configs);
  for (int c = 0; c < a->n; c++) {
    assert_int_equal(a->evaluations[c].outcome, b->evaluations[c].outcome);
    assert_int_equal(a->evaluations[c].registers, b->evaluations[c].registers);
    assert_int_equal(a->evaluations[c].n, b->evaluations[c].n);
    for (int i = 0; i < a->evaluations[c].n; i++)
      assert_true(a->evaluations[c].times[i] == b->evaluations[c].times[i]);
  }
}

static void a_journal_comes_back_to_the_last_digit(void **state) {
  (void)state;
  dcs_space space;
  dcs_journal before, after;
  put_journal(in_folder("j.csv"), &padded_space, &space);
  assert_status(program_run("report --t4 %s %s", in_folder("j.json"), in_folder("j.csv")), 0);
  json_t *root = assert_t4("j.json", (size_t)space.n);
  const json_t *first = json_array_get(dcs_json_array(root, "results"), 0);
  assert_string_equal(dcs_json_text(json_object_get(first, "configuration"), "variant"),
                      "cuda_padded");
  json_decref(root);
  assert_int_equal(read_one("j.csv", &before), DCS_OK);
  assert_int_equal(read_one("j.json", &after), DCS_OK);
  assert_int_equal(after.n, 1);
  assert_same_recording(&before.list[0], &after.list[0]);
  dcs_journal_free(&before);
  dcs_journal_free(&after);
  dcs_space_free(&space);
  /* The same searches are the same curves. */
  char *own;
  assert_status(program_run("tune --replay %s --budget-evals 25", in_folder("j.csv")), 0);
  assert_non_null(own = strdup(program_out));
  assert_status(program_run("tune --replay %s --budget-evals 25", in_folder("j.json")), 0);
  assert_string_equal(program_out, own);
  free(own);
}

/* The schema has no word for it: invalid is none, and `correctness` is 0. */
static void unverified_times_are_written(void **state) {
  (void)state;
  dcs_space space;
  written_space unverified = padded_space;
  unverified.outcome = DCS_OUTCOME_UNVERIFIED;
  unverified.fails_every = 0;
  put_journal(in_folder("u.csv"), &unverified, &space);
  assert_status(program_run("report --t4 %s %s", in_folder("u.json"), in_folder("u.csv")), 0);
  json_t *root = assert_t4("u.json", (size_t)space.n);
  dcs_space_free(&space);
  const json_t *results = dcs_json_array(root, "results");
  for (size_t r = 0; r < json_array_size(results); r++) {
    const json_t *result = json_array_get(results, r);
    assert_string_equal(dcs_json_text(result, "invalidity"), "correct");
    assert_true(dcs_json_number(result, "correctness") == 0);
    assert_int_equal(json_array_size(dcs_json_array(result, "measurements")), 1);
  }
  json_decref(root);
  char *own;
  assert_status(program_run("tune --replay %s --budget-evals 25", in_folder("u.csv")), 0);
  assert_non_null(own = strdup(program_out));
  assert_status(program_run("tune --replay %s --budget-evals 25", in_folder("u.json")), 0);
  assert_string_equal(program_out, own);
  free(own);
}

static void a_run_is_written(void **state) {
  (void)state;
  assert_status(program_run("sweep --variants cpu_gather,cpu_scatter --config threads=1 --atoms "
                            "10,20 --grid 8^3 --out %s",
                            in_folder("run")),
                0);
  assert_status(program_run("report --t4 %s %s", in_folder("run.json"), in_folder("run")), 0);
  json_t *root = assert_t4("run.json", 4);
  const json_t *result = json_array_get(dcs_json_array(root, "results"), 0);
  const json_t *configuration = json_object_get(result, "configuration");
  assert_true(dcs_json_number(configuration, "atoms") == 10); /* it varies; the grid does not */
  assert_null(json_object_get(configuration, "nx"));
  json_decref(root);
  assert_status(
      program_run("import %s --size atoms --out %s", in_folder("run.json"), in_folder("again")), 0);
  dcs_table *summary = run_table("again", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 4);
  assert_string_equal(dcs_table_text(summary, 0, "variant"), "cpu_gather");
  dcs_table_free(summary);
}

static void axes_of_timings_keep_their_names(void **state) {
  (void)state;
  put_file(in_folder("times.csv"),
           "method,rows,columns,time_ns\na,3,5,700\na,4,5,800\na,4,6,900\n");
  assert_status(program_run("import %s --out %s", in_folder("times.csv"), in_folder("times")), 0);
  assert_status(program_run("report --t4 %s %s", in_folder("times.json"), in_folder("times")), 0);
  assert_status(program_run("import %s --size rows,columns --out %s", in_folder("times.json"),
                            in_folder("times_again")),
                0);
  dcs_table *summary = run_table("times_again", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 3);
  assert_string_equal(dcs_table_text(summary, 1, "problem_config"), "rows,columns");
  assert_string_equal(dcs_table_text(summary, 1, "axis_1"), "4");
  assert_string_equal(dcs_table_text(summary, 1, "axis_2"), "5");
  assert_string_equal(dcs_table_text(summary, 1, "median_ns"), "800");
  dcs_table_free(summary);
}

/* Names of methods that read as numbers are names all the same. */
static void names_come_back_as_they_were(void **state) {
  (void)state;
  static const char *const names[] = {"007", "1d5", "7"};
  put_file(in_folder("names.csv"), "method,block,n,time_ns\n007,08,1,5\n007,8,2,5\n"
                                   "1d5,8,1,5\n1d5,8,2,5\n7,8,1,5\n7,8,2,5\n");
  assert_status(
      program_run("import %s --size n --out %s", in_folder("names.csv"), in_folder("names")), 0);
  assert_status(program_run("report --t4 %s %s", in_folder("names.json"), in_folder("names")), 0);
  assert_status(
      program_run("import %s --size n --out %s", in_folder("names.json"), in_folder("names_again")),
      0);
  dcs_table *before = run_table("names", "summary.csv"),
            *after = run_table("names_again", "summary.csv");
  assert_int_equal(dcs_table_rows(after), 6);
  for (size_t row = 0; row < 6; row++) {
    assert_string_equal(dcs_table_text(after, row, "variant"), names[row / 2]);
    assert_string_equal(dcs_table_text(after, row, "config"),
                        dcs_table_text(before, row, "config"));
  }
  dcs_table_free(before);
  dcs_table_free(after);
}

/* A scope is no parameter, nor is that of a run that has one alone the kernel's. */
static void scopes_come_back(void **state) {
  (void)state;
  static const char *const texts[] = {"method,n,scope,time_ns\na,1,kernel,5\na,2,warm,6\n",
                                      "method,n,scope,time_ns\na,1,warm,5\na,2,warm,6\n"};
  static const char *const scopes[] = {"kernel", "warm", "warm", "warm"};
  for (int i = 0; i < 2; i++) {
    char name[3][16];
    snprintf(name[0], sizeof name[0], "scopes%d", i);
    snprintf(name[1], sizeof name[1], "scopes%d.json", i);
    snprintf(name[2], sizeof name[2], "scopes%d_2", i);
    put_file(in_folder("scopes.csv"), texts[i]);
    assert_status(program_run("import %s --out %s", in_folder("scopes.csv"), in_folder(name[0])),
                  0);
    assert_status(program_run("report --t4 %s %s", in_folder(name[1]), in_folder(name[0])), 0);
    assert_status(
        program_run("import %s --size n --out %s", in_folder(name[1]), in_folder(name[2])), 0);
    dcs_table *after = run_table(name[2], "summary.csv");
    assert_int_equal(dcs_table_rows(after), 2);
    for (size_t row = 0; row < 2; row++) {
      assert_string_equal(dcs_table_text(after, row, "scope"), scopes[2 * i + (int)row]);
      assert_string_equal(dcs_table_text(after, row, "config"), "");
      assert_string_equal(dcs_table_text(after, row, "median_ns"), row ? "6" : "5");
    }
    dcs_table_free(after);
  }
  assert_status(program_run("tune --replay %s", in_folder("scopes0.json")), 3);
  assert_non_null(strstr(program_err, "results[1]: found the scope warm after kernel; expected "
                                      "results of one scope"));
  dcs_journal journal;
  assert_int_equal(read_one("scopes1.json", &journal), DCS_OK);
  assert_int_equal(journal.list[0].subject.scope, DCS_WARM);
  dcs_journal_free(&journal);
  read_text("{\"metadata\":{\"autotuner\":\"another\"},\"results\":["
            "{\"configuration\":{\"scope\":\"kernel\"},\"times\":{\"runtimes\":[5]}},"
            "{\"configuration\":{\"scope\":\"warm\"},\"times\":{\"runtimes\":[6]}}]}",
            &journal);
  assert_recorded(&journal.list[0], 1, "scope=warm", 6e6); /* a parameter of that name */
  dcs_journal_free(&journal);
}

/* Parameters and axes that are named as what this program adds, and values with commas. */
static void no_name_takes_the_place_of_another(void **state) {
  (void)state;
  put_file(
      in_folder("clash.csv"),
      "method,n,scope,variant,flags,time_ns\n"
      "a,1,warm,1,\"-g,-O2\",5\na,2,warm,2,-g,6\nb,1,first,1,-g,7\nb,2,first,2,\"-g,-O2\",8\n");
  assert_status(program_run("import %s --size n,variant --out %s", in_folder("clash.csv"),
                            in_folder("clash")),
                0);
  assert_status(program_run("report --t4 %s %s", in_folder("clash.json"), in_folder("clash")), 0);
  json_t *root = assert_t4("clash.json", 4);
  const json_t *results = dcs_json_array(root, "results");
  static const char *const methods[] = {"a", "a", "b", "b"};
  static const char *const flags[] = {"-g", "-g,-O2", "-g", "-g,-O2"};
  for (size_t r = 0; r < 4; r++) {
    const json_t *of = json_object_get(json_array_get(results, r), "configuration");
    assert_string_equal(dcs_json_text(of, "variant"), methods[r]);
    assert_true(dcs_json_number(of, "variant_2") == dcs_json_number(of, "n"));
    assert_string_equal(dcs_json_text(of, "flags"), flags[r]);
    assert_string_equal(dcs_json_text(of, "scope"), r < 2 ? "warm" : "first");
  }
  json_decref(root);
  put_file(in_folder("own.json"),
           "{\"schema_version\":\"1.0.0\",\"results\":["
           "{\"configuration\":{\"n\":8,\"variant\":3},\"times\":{\"runtimes\":[1]}},"
           "{\"configuration\":{\"n\":8,\"variant\":4},\"times\":{\"runtimes\":[2]}}]}");
  assert_status(program_run("import %s --size n --out %s", in_folder("own.json"), in_folder("own")),
                0);
  assert_status(program_run("report --t4 %s %s", in_folder("own2.json"), in_folder("own")), 0);
  root = assert_t4("own2.json", 2);
  const json_t *of =
      json_object_get(json_array_get(dcs_json_array(root, "results"), 1), "configuration");
  assert_string_equal(dcs_json_text(of, "variant"), "kernel");
  assert_true(dcs_json_number(of, "variant_2") == 4);
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(t4_of_kernel_tuner),
      cmocka_unit_test(t4_of_ktt),
      cmocka_unit_test(t4_of_a_rate),
      cmocka_unit_test(ktt_output),
      cmocka_unit_test(a_cache_of_kernel_tuner),
      cmocka_unit_test(wrong_files_are_refused_with_their_place),
      cmocka_unit_test(a_journal_comes_back_to_the_last_digit),
      cmocka_unit_test(unverified_times_are_written),
      cmocka_unit_test(a_run_is_written),
      cmocka_unit_test(axes_of_timings_keep_their_names),
      cmocka_unit_test(names_come_back_as_they_were),
      cmocka_unit_test(scopes_come_back),
      cmocka_unit_test(no_name_takes_the_place_of_another),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
