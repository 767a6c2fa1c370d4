/* Kernels of the user's, as a user tunes, checks and measures them: the examples, and what is
 * wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"

static int begin(void **state) {
  if (program_setup(state) != 0) return -1;
  return setenv("DCSBENCH_DATA", in_folder("data"), 1);
}

static void copy_example(const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "results/examples/%s", name);
  char *text = get_file(path, NULL);
  assert_true(*text);
  const char *slash = strrchr(path, '/');
  put_file(in_folder(slash + 1), text);
  free(text);
}

/* Writes a file of the folder with the first `from` replaced. */
static void change(const char *name, const char *from, const char *to) {
  char *text = get_file(in_folder(name), NULL), *whole, *at = strstr(text, from);
  if (!at) fail_msg("%s lacks %s", name, from);
  assert_true(asprintf(&whole, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
  put_file(in_folder(name), whole);
  free(whole);
  free(text);
}

static void skip_without_emulated(void) {
  if (program_run("tune cuda_naive --device emulated --budget-evals 1 --atoms 3 --grid 4^3") == 4)
    skip();
}

static size_t count(const dcs_table *table, const char *column, const char *value) {
  size_t n = 0;
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    n += strcmp(text_at(table, row, column), value) == 0;
  return n;
}

/* ---- the examples ---- */

static void the_example_in_cuda_is_checked_without_a_gpu(void **state) {
  (void)state;
  skip_without_emulated();
  assert_status(program_run("tune results/examples/saxpy.json --device emulated --budget-evals 5"),
                0);
  assert_contains(program_out, "own_saxpy: 5 of 35 configurations checked on emulated");
  assert_contains(program_out, ", 5 ok\n");
  assert_status(program_run("tune results/examples/saxpy.json --list"), 0);
  assert_contains(program_out, "35 legal configurations of 40");
  assert_contains(program_out, "STRIDED or PER_THREAD > 1");
}

static void the_example_in_c_is_tuned_resumed_and_kept(void **state) {
  (void)state;
  const char *const command =
      "tune results/examples/dot.json --budget-evals 5 --samples 3 --last 0";
  assert_status(program_run("%s", command), 0);
  assert_contains(program_out, "own_dot: 5 evaluations by strategy surrogate");
  assert_contains(program_err, "the winner is kept");
  dcs_table *journal = run_table("data", "journal.csv");
  const size_t rows = dcs_table_rows(journal);
  assert_true(rows >= 6 && count(journal, "outcome", "ok") == rows);
  assert_int_equal(count(journal, "problem", "own_dot"), rows);
  dcs_table_free(journal);
  assert_status(program_run("%s", command), 0);
  assert_contains(program_err, "5 configurations are known from it already");
  assert_contains(program_out, "the time of ");
  assert_status(
      program_run("tune --replay --spec results/examples/dot.json %s --strategy exhaustive",
                  in_folder("data/journal.csv")),
      0);
  assert_contains(program_out, "found SUMS=");
}

/* As T4 they are read with the specification, and without it: its parameters alone. */
static void evaluations_of_a_specification_are_written_for_others(void **state) {
  (void)state;
  const char *const t4 = "dot.t4.json";
  assert_status(program_run("tune results/examples/dot.json --strategy exhaustive --samples 3 "
                            "--last 0 --journal %s",
                            in_folder("dot.csv")),
                0);
  assert_status(program_run("report --t4 %s %s", in_folder(t4), in_folder("dot.csv")), 0);
  assert_status(program_run("tune --replay %s --strategy exhaustive", in_folder(t4)), 0);
  assert_contains(program_out, "dot: 8 evaluations by strategy exhaustive");
  assert_contains(program_out, ": 0.00% slower than the best recorded, SUMS=");
  assert_status(program_run("tune --replay %s --spec results/examples/dot.json", in_folder(t4)), 0);
  assert_contains(program_out, "own_dot: 8 evaluations by strategy surrogate");
  assert_status(program_run("tune --replay %s", in_folder("dot.csv")), 3);
  assert_contains(program_err, "found no evaluation of a variant that is known; expected one, or "
                               "--spec");
}

/* Rows of a specification mean nothing to a tuning of anything else, and do no harm. */
static void other_tunings_go_on_beside_it(void **state) {
  (void)state;
  assert_status(
      program_run(
          "tune cpu_gather --config threads=1 --atoms 8 --grid 4^3 --budget-evals 1 --samples 1"),
      0);
  assert_status(program_run("tune show"), 0);
  assert_contains(program_out, "cpu_gather");
  assert_null(strstr(program_err, "left out"));
}

/* Without its specification a winner is shown, kept, and forgotten by its id, as any other. */
static void winners_of_specifications_are_in_the_database(void **state) {
  (void)state;
  assert_status(program_run("tune show"), 0);
  assert_contains(program_out, "own_dot ");
  assert_contains(program_out, "SUMS=");
  assert_status(program_run("tune export"), 0);
  assert_contains(program_out, ",own_dot,");
  assert_status(program_run("tune forget cpu_gather"), 0);
  assert_contains(program_out, ": 1 entry removed");
  assert_status(program_run("tune results/examples/dot.json --budget-evals 5 --samples 3 --last 0"),
                0);
  assert_contains(program_out, "the time of ");
  assert_status(program_run("tune forget own_do"), 0);
  assert_contains(program_out, ": 0 entries removed");
  assert_status(program_run("tune forget own_dot"), 0);
  assert_null(strstr(program_out, ": 0 entries removed"));
  assert_status(program_run("tune show"), 0);
  assert_contains(program_out, "holds no entry");
}

/* ---- what is wrong ---- */

static void a_wrong_kernel_has_no_time(void **state) {
  (void)state;
  copy_example("dot.json");
  copy_example("dot.c");
  change("dot.c", "sums[0] += x[i] * y[i]", "sums[0] += 100 * x[i]");
  change("dot.c", "i + SUMS <= n", "i + SUMS <= n - 1000");
  assert_status(program_run("tune %s --budget-evals 3 --samples 1 --journal %s",
                            in_folder("dot.json"), in_folder("wrong.csv")),
                1);
  assert_contains(program_err, "wrong: sum, value 0: found ");
  assert_contains(program_err, "no configuration gave a right result");
  dcs_table *journal = run_table(".", "wrong.csv");
  assert_true(dcs_table_rows(journal) == 3 && count(journal, "outcome", "wrong") == 3);
  assert_int_equal(count(journal, "times_ns", ""), 3);
  dcs_table_free(journal);
}

static void what_does_not_compile_is_said(void **state) {
  (void)state;
  copy_example("dot.json");
  copy_example("dot.c");
  change("dot.c", "double *sum", "doubel *sum");
  assert_status(program_run("tune %s --budget-evals 1 --samples 1", in_folder("dot.json")), 1);
  assert_contains(program_err, "compile: ");
  assert_contains(program_err, "doubel");
  copy_example("dot.c");
  change("dot.c", "void dot(", "void dots(");
  assert_status(program_run("tune %s --budget-evals 1 --samples 1", in_folder("dot.json")), 1);
  assert_contains(program_err, "found no function dot(void *const *arguments)");
}

static void a_crash_costs_itself_alone(void **state) {
  (void)state;
  copy_example("dot.json");
  copy_example("dot.c");
  change("dot.c", "*sum = 0;", "if (SUMS == 2) *(volatile int *)8 = 1;\n  *sum = 0;");
  assert_status(program_run("tune %s --samples 1 --last 0 --journal %s", in_folder("dot.json"),
                            in_folder("crash.csv")),
                0);
  dcs_table *journal = run_table(".", "crash.csv");
  assert_int_equal(count(journal, "outcome", "crash"), 2);
  assert_true(count(journal, "outcome", "ok") >= 6);
  dcs_table_free(journal);
}

/* A kernel of the user's that ends the worker is at fault itself, not the want of a thread. */
static void an_exit_is_a_crash(void **state) {
  (void)state;
  copy_example("dot.json");
  copy_example("dot.c");
  change("dot.c", "{", "{ exit(0);");
  change("dot.c", "", "#include <stdlib.h>\n");
  assert_status(program_run("tune %s --budget-evals 2 --samples 1 --journal %s",
                            in_folder("dot.json"), in_folder("exit.csv")),
                1);
  dcs_table *journal = run_table(".", "exit.csv");
  assert_true(dcs_table_rows(journal) == 2 && count(journal, "outcome", "crash") == 2);
  dcs_table_free(journal);
}

static void nothing_that_is_not_verified_is_kept(void **state) {
  (void)state;
  copy_example("dot.json");
  copy_example("dot.c");
  rename(in_folder("dot.json"), in_folder("free.json"));
  change("free.json", "\"ReferenceArguments\": [", "\"ReferenceArguments\": []}}\n");
  char *text = get_file(in_folder("free.json"), NULL);
  *(strstr(text, "[]}}") + 4) = '\0';
  put_file(in_folder("free.json"), text);
  free(text);
  assert_status(program_run("tune %s", in_folder("free.json")), 2);
  assert_contains(program_err, "--unverified");
  const char *const command =
      "tune %s --unverified --budget-evals 2 --samples 3 --last 0 --journal %s";
  for (int time = 0; time < 2; time++) {
    assert_status(program_run(command, in_folder("free.json"), in_folder("free.csv")), 0);
    assert_contains(program_err, "the winner is not kept");
    if (time) assert_contains(program_err, "2 configurations are known");
  }
  dcs_table *journal = run_table(".", "free.csv");
  assert_int_equal(count(journal, "outcome", "unverified"), dcs_table_rows(journal));
  assert_int_equal(count(journal, "times_ns", ""), 0);
  dcs_table_free(journal);
  char *tuned = get_file(in_folder("data/tuned.csv"), NULL);
  assert_null(strstr(tuned, "own_free"));
  free(tuned);
}

static void words_are_checked(void **state) {
  (void)state;
  const struct {
    const char *arguments, *said;
    int status;
  } cases[] = {{"tune results/examples/none.json", "none.json", 5},
               {"tune results/examples/dot.json --atoms 5", "the specification has them", 2},
               {"tune results/examples/dot.json --cutoff 12", "the specification has them", 2},
               {"tune cpu_gather --spec results/examples/dot.json", "--spec is for JOURNALs", 2},
               {"tune results/examples/saxpy.json --device emulated --budget 5", "no times", 2},
               {"compile --spec results/examples/dot.json", "no CUDA variant", 2}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    assert_status(program_run("%s", cases[c].arguments), cases[c].status);
    assert_contains(program_err, cases[c].said);
  }
}

/* ---- variants of a built-in problem ---- */

static void a_folder_adds_its_variants(void **state) {
  (void)state;
  static const char folder[] = "results/examples/coulomb";
  assert_status(program_run("list --kernels %s", folder), 0);
  assert_contains(program_out, "own_rows");
  assert_status(program_run("tune own_rows --kernels %s --list --atoms 9 --grid 8^3", folder), 0);
  assert_contains(program_out, "11 legal configurations of 12");
  skip_without_emulated();
  assert_status(
      program_run("verify --variants own_rows,cuda_naive --config BLOCK_X=64,PER_THREAD=2 "
                  "--kernels %s --device emulated",
                  folder),
      0);
  assert_contains(program_out, "own_rows");
  assert_contains(program_out, "cuda_naive");
  assert_status(program_run("trace own_rows --kernels %s --atoms 20 --grid 32x4x2", folder), 0);
  assert_contains(program_out, "rows.cu:16 store  global");
}

static void a_wrong_variant_is_found(void **state) {
  (void)state;
  skip_without_emulated();
  mkdir(in_folder("kernels"), 0777);
  copy_example("coulomb/rows.json");
  copy_example("coulomb/rows.cu");
  rename(in_folder("rows.json"), in_folder("kernels/rows.json"));
  rename(in_folder("rows.cu"), in_folder("kernels/rows.cu"));
  change("kernels/rows.cu", "if (x < nx)", "if (x < nx - 1)");
  assert_status(program_run("verify --variants own_rows --config BLOCK_X=64,PER_THREAD=1 --kernels "
                            "%s --device emulated",
                            in_folder("kernels")),
                1);
  assert_contains(program_out, "FAILED");
  assert_contains(program_err, "expected a finite value");
  change("kernels/rows.json", "\"nx\", \"spacing\"", "\"nx\", \"pitch\"");
  assert_status(program_run("list --kernels %s", in_folder("kernels")), 3);
  assert_contains(program_err,
                  "Arguments[4]: found \"pitch\"; expected one of atoms, map, n_inputs");
}

/* In C, beside the CPU's own, through verify and sweep. */
static void a_variant_in_c_is_measured_beside_those_built_in(void **state) {
  (void)state;
  mkdir(in_folder("own"), 0777);
  put_file(
      in_folder("own/loop.json"),
      "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"STEP\", \"Type\": \"int\", "
      "\"Values\": [1, 2]}]}, \"KernelSpecification\": {\"Problem\": \"coulomb\", "
      "\"Language\": \"C\", \"KernelFile\": \"loop.c\", \"KernelName\": \"loop\", "
      "\"CompilerOptions\": [\"-O3\", \"-lm\"]}}");
  put_file(in_folder("own/loop.c"),
           "#include <math.h>\n"
           "void loop(void *const *arguments) {\n"
           "  float *map = arguments[0];\n"
           "  const float *atoms = arguments[1];\n"
           "  const int n = *(int *)arguments[2], nx = *(int *)arguments[3];\n"
           "  const int ny = *(int *)arguments[4], nz = *(int *)arguments[5];\n"
           "  const float spacing = *(float *)arguments[6];\n"
           "  for (int i = 0; i < nx * ny * nz; i++) {\n"
           "    float sum = 0, x = spacing * (i % nx), y = spacing * (i / nx % ny);\n"
           "    const float z = spacing * (i / nx / ny);\n"
           "    for (int a = 0; a < n; a++) {\n"
           "      const float dx = x - atoms[4 * a], dy = y - atoms[4 * a + 1],\n"
           "                  dz = z - atoms[4 * a + 2];\n"
           "      sum += atoms[4 * a + 3] / sqrtf(dx * dx + dy * dy + dz * dz);\n"
           "    }\n"
           "    map[i] = sum;\n"
           "  }\n"
           "}\n");
  assert_status(program_run("verify --variants own_loop --kernels %s", in_folder("own")), 0);
  assert_contains(program_out, "own_loop");
  assert_status(
      program_run("sweep --variants own_loop --cutoff 5 --kernels %s --atoms 9 --grid 8^3 "
                  "--out %s",
                  in_folder("own"), in_folder("none")),
      2);
  assert_contains(program_err, "own_loop: it computes coulomb without cutoff=5");
  assert_status(
      program_run("sweep --variants own_loop,cpu_gather --config STEP=all,threads=1 --kernels %s "
                  "--atoms 9 --grid 8^3 --rounds 2 --out %s",
                  in_folder("own"), in_folder("run")),
      0);
  dcs_table *summary = run_table("run", "summary.csv");
  assert_int_equal(count(summary, "variant", "own_loop"), 2);
  assert_int_equal(count(summary, "outcome", "ok"), dcs_table_rows(summary));
  dcs_table_free(summary);
  assert_status(program_run("report --all %s", in_folder("run")), 0);
  assert_contains(program_out, "own_loop");
}

/* A compiler without room for its files is no fault of the kernel: a resume measures it. */
static void want_of_room_is_not_for_good(void **state) {
  (void)state;
  static const char sweep[] = "sweep --variants own_loop --kernels %s --config STEP=1 --atoms 5 "
                              "--grid 4^3 --rounds 1 --resume --out %s";
  char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL, kernels[PATH_MAX];
  snprintf(kernels, sizeof kernels, "%s", in_folder("own"));
  setenv("DCSBENCH_CACHE", in_folder("cold"), 1);
  setenv("TMPDIR", in_folder("none"), 1);
  const int status = program_run(sweep, kernels, in_folder("room"));
  if (before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
  free(before);
  assert_status(status, DCS_FAILED);
  assert_contains(program_err, "memory");
  assert_status(program_run(sweep, kernels, in_folder("room")), 0);
  assert_contains(program_out, "1 measurements ok");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_in_cuda_is_checked_without_a_gpu),
      cmocka_unit_test(the_example_in_c_is_tuned_resumed_and_kept),
      cmocka_unit_test(evaluations_of_a_specification_are_written_for_others),
      cmocka_unit_test(other_tunings_go_on_beside_it),
      cmocka_unit_test(winners_of_specifications_are_in_the_database),
      cmocka_unit_test(a_wrong_kernel_has_no_time),
      cmocka_unit_test(what_does_not_compile_is_said),
      cmocka_unit_test(a_crash_costs_itself_alone),
      cmocka_unit_test(an_exit_is_a_crash),
      cmocka_unit_test(nothing_that_is_not_verified_is_kept),
      cmocka_unit_test(words_are_checked),
      cmocka_unit_test(a_folder_adds_its_variants),
      cmocka_unit_test(a_wrong_variant_is_found),
      cmocka_unit_test(a_variant_in_c_is_measured_beside_those_built_in),
      cmocka_unit_test(want_of_room_is_not_for_good),
  };
  without_limits();
  return cmocka_run_group_tests_name("own", tests, begin, program_teardown);
}
