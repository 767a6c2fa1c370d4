/* The command line: exit statuses, and messages that name what was found and what would be right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/problem.h"
#include "tests/program.h"

static const char *const commands[] = {"list",   "info",  "limits",  "generate",
                                       "verify", "sweep", "compile", "plot"};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

#define SWEEP "sweep --variants cpu_gather --atoms 50 --grid 8^3 --rounds 3"

/* Runs what must fail: one message, the parts in it, nothing on standard output. */
static void refused(int status, const char *arguments, const char *const parts[]) {
  assert_status(program_run("%s", arguments), status);
  assert_int_equal(strncmp(program_err, "dcsbench", 8), 0);
  for (int p = 0; parts[p]; p++)
    assert_contains(program_err, parts[p]);
  assert_string_equal(program_out, "");
}
#define REFUSED(status, arguments, ...)                                                            \
  refused(status, arguments, (const char *[]){__VA_ARGS__, NULL})

/* As above, for what is added to a good sweep: no run folder may be left behind. */
static void sweep_refused(int status, const char *added, const char *const parts[]) {
  char arguments[1024];
  snprintf(arguments, sizeof arguments, SWEEP " --out %s %s", in_folder("none"), added);
  refused(status, arguments, parts);
  if (exists(in_folder("none"))) fail_msg("%s left a run folder", added);
}
#define SWEEP_REFUSED(status, added, ...)                                                          \
  sweep_refused(status, added, (const char *[]){__VA_ARGS__, NULL})

static void no_command_is_a_usage_error_that_shows_the_help(void **state) {
  (void)state;
  assert_status(program_run(" "), 2);
  assert_string_equal(program_out, "");
  assert_contains(program_err, "Usage: dcsbench COMMAND");
  assert_contains(program_err, "no command given");
}

static void help_lists_every_command_and_every_status(void **state) {
  (void)state;
  assert_status(program_run("--help"), 0);
  assert_string_equal(program_err, "");
  for (int c = 0; c < N_COMMANDS; c++) {
    char line[64];
    snprintf(line, sizeof line, "\n  %s ", commands[c]);
    assert_contains(program_out, line);
  }
  assert_contains(program_out, "0 success, 1 a measurement or verification failed, 2 usage, 3 bad "
                               "input file");
  assert_status(program_run("--version"), 0);
  assert_int_equal(strncmp(program_out, "dcsbench ", 9), 0);
}

static void help_of_a_command_names_its_options(void **state) {
  (void)state;
  static const char *const options[N_COMMANDS][16] = {
      {"--csv"},
      {"--csv", "[FILE]", "--format"},
      {"--device", "--kernels", "--timeout"},
      {"--atoms", "--edge", "--seed", "--out", "water|uniform|ions|droplet"},
      {"--variants", "--config", "--grid", "--device", "--kernels", "--timeout", "--input",
       "--spacing", "--margin", "--origin", "--format", "--model", "--altloc"},
      {"--variants", "--config", "--atoms", "--grid", "--scope", "--plan", "--rounds", "--budget",
       "--out", "--resume", "--seed", "--device", "--input", "--spacing"},
      {"--arch", "--variants", "--config", "--kernels", "--csv"},
      {"--reference", "DIR"}};
  for (int c = 0; c < N_COMMANDS; c++) {
    assert_status(program_run("%s --help", commands[c]), 0);
    assert_string_equal(program_err, "");
    for (int o = 0; options[c][o]; o++)
      assert_contains(program_out, options[c][o]);
  }
}

/* A letter stands for one option of a command, its own or a shared one. */
static void letters_are_of_one_option(void **state) {
  (void)state;
  static const char *const takers[] = {"info", "generate", "verify",  "sweep",     "tune",
                                       "map",  "plot",     "compare", "crossover", "dispatch",
                                       "diff", "convert",  "report"};
  for (size_t c = 0; c < sizeof takers / sizeof takers[0]; c++) {
    int n[128] = {0};
    assert_status(program_run("%s --help", takers[c]), 0);
    for (const char *at = program_out; (at = strstr(at, "\n  -")); at++)
      if (at[4] != '-' && ++n[at[4] & 127] > 1) fail_msg("%s: -%c twice", takers[c], at[4]);
    assert_int_equal(n['?'], 1);
  }
}

static void unknown_words_are_usage_errors(void **state) {
  (void)state;
  REFUSED(2, "swep", "\"swep\"", "did you mean sweep?");
  REFUSED(2, "xyzzy-plugh", "\"xyzzy-plugh\"", "--help");
  assert_null(strstr(program_err, "did you mean"));
  for (int c = 0; c < N_COMMANDS; c++) {
    char arguments[64];
    snprintf(arguments, sizeof arguments, "%s --no-such-option", commands[c]);
    REFUSED(2, arguments, "--no-such-option", "--help");
    snprintf(arguments, sizeof arguments, "%s %s two", commands[c],
             strcmp(commands[c], "generate") == 0 ? "water"
             : strcmp(commands[c], "info") == 0   ? "none one"
                                                  : "one");
    REFUSED(2, arguments, "Too many arguments");
  }
  REFUSED(2, "generate", "kind is missing", "water, uniform, ions, droplet or replicate");
  REFUSED(2, "generate watr", "\"watr\"", "did you mean water?");
  REFUSED(2, "generate replicat w.pqr 1 1 1", "\"replicat\"", "did you mean replicate?");
  REFUSED(2, "generate one two", "\"one\"", "water, uniform, ions, droplet or replicate");
  REFUSED(2, "generate replicate w.pqr 1 1 1 1", "Too many arguments");
  REFUSED(2, "plot", "run folder is missing");
  REFUSED(2, "verify --grid 8^3", "--grid needs --input");
}

static void bad_values_are_named_with_what_would_be_right(void **state) {
  (void)state;
  SWEEP_REFUSED(2, "--variants cpu_gathr", "\"cpu_gathr\"", "did you mean cpu_gather?");
  SWEEP_REFUSED(2, "--variants nothing_alike", "\"nothing_alike\"", "dcsbench list");
  SWEEP_REFUSED(2, "--config thread=2", "\"thread\"", "did you mean threads?");
  SWEEP_REFUSED(2, "--config block_x=8", "\"block_x\"");
  SWEEP_REFUSED(2, "--config threads=0", "threads", "found 0", "1 to 1024");
  SWEEP_REFUSED(2, "--config threads=two", "threads", "\"two\"", "whole number");
  SWEEP_REFUSED(2, "--config threads", "\"threads\"", "NAME=VALUE");
  SWEEP_REFUSED(2, "--variants cuda_padded --config read=middle", "read", "\"middle\"",
                "start or end");
  SWEEP_REFUSED(2, "--scope wram", "\"wram\"", "kernel, warm, first or frame");
  SWEEP_REFUSED(2, "--atoms 0", "atoms", "found 0", "expected 1 to");
  SWEEP_REFUSED(2, "--atoms 100A", "atoms", "\"100A\"", "whole number");
  SWEEP_REFUSED(2, "--atoms 100,", "atoms", "\"\"", "whole number");
  SWEEP_REFUSED(2, "--atoms 10:5", "atoms", "found 10:5", "smaller number first");
  SWEEP_REFUSED(2, "--atoms 99999999999999999999", "99999999999999999999", "expected 1 to");
  SWEEP_REFUSED(2, "--grid 8x8", "\"8x8\"", "NXxNYxNZ or N^3");
  SWEEP_REFUSED(2, "--grid 8^3,", "grid", "found \"\"", "NXxNYxNZ or N^3");
  SWEEP_REFUSED(2, "--atoms 1:200 --grid 1:200^3", "more than 10000 sizes");
  SWEEP_REFUSED(2, "--variants cpu_gather --config threads=1:21 --atoms 1:100 --grid 1:100^3",
                "more than 200000 rows");
  SWEEP_REFUSED(2, "--grid 0x8x8", "grid", "found 0", "1 to");
  SWEEP_REFUSED(2, "--rounds 0", "--rounds", "found 0", "1 to 1000000");
  SWEEP_REFUSED(2, "--budget -1", "--budget", "found -1");
  SWEEP_REFUSED(2, "--seed x", "--seed", "\"x\"", "whole number");
  SWEEP_REFUSED(2, "--spacing 1e-22", "--spacing", "1e-22", "1e-12 to 1e+07");
  SWEEP_REFUSED(2, "--spacing 0.5A", "--spacing", "\"0.5A\"", "decimal number");
  SWEEP_REFUSED(2, "--origin 1,2", "--origin", "\"1,2\"", "X,Y,Z");
  SWEEP_REFUSED(2, "--timeout 0", "--timeout", "found 0");
  REFUSED(2, "generate water --atoms 0", "--atoms", "found 0", "1 to");
  REFUSED(2, "generate replicate", "found 0 words", "replicate FILE NX NY NZ");
  REFUSED(2, "generate replicate w.pqr 1 0 1", "NY", "found 0", "1 to");
  REFUSED(2, "generate replicate w.pqr 1 1 two", "NZ", "\"two\"", "whole number");
  REFUSED(2, "generate replicate w.pqr 1 1 1 --seed 4", "--seed is not for copies");
  REFUSED(5, "generate replicate no_such.pqr 1 1 1", "no_such.pqr", "cannot open");
}

static void grids_beyond_the_memory_are_refused_before_anything_is_measured(void **state) {
  (void)state;
  SWEEP_REFUSED(4, "--grid 10000^3", "10000x10000x10000", "4e+03 GB", "GB are free");
  SWEEP_REFUSED(4, "--grid 8192^3", "8192x8192x8192", "2.2e+03 GB", "GB are free");
  SWEEP_REFUSED(4, "--variants cuda_naive --scope kernel,frame --grid 8192^3", "8192x8192x8192",
                "1.1e+04 GB", "GB are free"); /* 16 B a point beside 4 */
  SWEEP_REFUSED(4, "--variants cpu_orbital --atoms 1000000000 --grid 8^3",
                "1000000000 atoms, 8x8x8", "needs 1.03e+03 GB", "GB are free");
  SWEEP_REFUSED(2, "--grid 1099511627776x1x1", "1099511627776", "1 to 1073741824");
}

/* The edges of a cell are one option. */
static const char *option_of(const dcs_kind *kind, int param) {
  const bool edge = kind->cell && param >= kind->cell_edges && param < kind->cell_edges + 3;
  return edge ? "cell" : kind->params[param].name;
}

/* Where a problem is chosen, each parameter of each kind is an option; one of another kind is
 * refused. */
static void parameters_of_kinds_are_options(void **state) {
  (void)state;
  static const char *const takers[] = {"verify", "sweep", "tune", "map"};
  for (size_t c = 0; c < sizeof takers / sizeof takers[0]; c++) {
    assert_status(program_run("%s --help", takers[c]), 0);
    assert_contains(program_out, "--problem=KIND");
    for (int k = 0; k < dcs_n_kinds; k++)
      for (int p = 0; p < dcs_kinds[k]->n_params; p++) {
        char option[64];
        snprintf(option, sizeof option, "--%s=", option_of(dcs_kinds[k], p));
        assert_contains(program_out, option);
      }
  }
  SWEEP_REFUSED(2, "--problem densty", "--problem: found \"densty\"", "dcsbench list");
  SWEEP_REFUSED(2, "--scale 2", "coulomb has no parameter \"scale\"");
  SWEEP_REFUSED(2, "--problem density --cutoff 5", "density has no parameter \"cutoff\"");
  SWEEP_REFUSED(2, "--cutoff 5", "cpu_gather: it computes the direct sum");
  SWEEP_REFUSED(2, "--problem density --cell 5,5,5", "--cell: problem density has no cell");
  SWEEP_REFUSED(2, "--cell 5,5,5", "cell_z: found 5 with an open boundary", "--boundary periodic");
  SWEEP_REFUSED(2, "--cell 5,5", "--cell: found \"5,5\"; expected A,B,C");
  SWEEP_REFUSED(2, "--cell 5,a,5 --boundary periodic --tolerance 1e-3", "cell_y: found \"a\"");
  SWEEP_REFUSED(2, "--boundary periodic", "without a tolerance", "--tolerance 1e-4");
  SWEEP_REFUSED(2, "--margin 3", "--margin: found 3 without a molecule's file");
  SWEEP_REFUSED(2, "--input x.pqr --margin 3 --boundary periodic --tolerance 1e-3",
                "--margin: found 3 with a periodic boundary", "--cell A,B,C");
  SWEEP_REFUSED(2, "--switching c2", "--switching: found \"c2\", which changes nothing here");
}

static void devices_that_cannot_be_timed_are_refused(void **state) {
  (void)state;
  SWEEP_REFUSED(2, "--device emulated", "emulated", "dcsbench verify");
  SWEEP_REFUSED(2, "--device cuda:x", "\"cuda:x\"", "cuda:0", "emulated");
  SWEEP_REFUSED(2, "--device cpu", "\"cpu\"", "cuda:N", "--variants cpu");
  REFUSED(2, "verify --device gpu", "\"gpu\"", "cuda:0", "emulated");
  REFUSED(2, "limits --device emulated", "emulated", "GPU");
  if (program_has_gpu()) {
    print_message("skipped what a machine without a GPU says: there is one\n");
    return;
  }
  SWEEP_REFUSED(4, "--device cuda:0", "CUDA driver", "NVIDIA GPU");
  SWEEP_REFUSED(4, "--variants gpu", "nothing to measure but on a GPU", "CUDA driver");
  REFUSED(4, "limits --device cuda:0", "CUDA driver");
  REFUSED(4, "verify --device cuda:0", "CUDA driver");
}

static void the_run_folder_must_be_a_new_one(void **state) {
  (void)state;
  char arguments[1024];
  REFUSED(2, SWEEP, "--out DIR is missing");
  REFUSED(2, SWEEP " --out ''", "--out DIR is missing");
  put_file(in_folder("file"), "text\n");
  snprintf(arguments, sizeof arguments, SWEEP " --out %s", in_folder("file"));
  REFUSED(5, arguments, in_folder("file"), "is not a folder");
  snprintf(arguments, sizeof arguments, SWEEP " --out %s", in_folder("file/below"));
  REFUSED(5, arguments, in_folder("file/below"), "cannot make the folder", "Not a directory");
  REFUSED(5, SWEEP " --out /proc/x/y", "/proc/x", "cannot make the folder");

  assert_status(program_run(SWEEP " --out %s", in_folder("deep/er/run")), 0);
  assert_true(exists(in_folder("deep/er/run/summary.csv")));
  snprintf(arguments, sizeof arguments, SWEEP " --out %s", in_folder("deep/er/run"));
  REFUSED(2, arguments, in_folder("deep/er/run"), "holds a run already", "--resume");
}

/* Standard output full, and closed: a file of the program must not take its place either. */
static void output_that_cannot_be_written_is_status_5(void **state) {
  (void)state;
  static const char *const lines[] = {"--help",
                                      "--version",
                                      "list",
                                      "list --csv",
                                      "info --csv",
                                      "generate water --atoms 9000",
                                      "info",
                                      "sweep --help",
                                      "generate ions --atoms 2",
                                      "verify --variants cpu_gather"};
  for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++) {
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    assert_status(program_run_on(full, lines[l]), 5);
    assert_contains(program_err, "dcsbench: standard output: cannot write");
    close(full);
    assert_status(program_run_on(-1, lines[l]), 5);
    assert_contains(program_err, "dcsbench: standard output: cannot write");
  }
}

static int cpus_told(void) {
  int cpus = 0;
  assert_status(program_run("info --csv"), 0);
  const char *line = strstr(program_out, "\ncpus,");
  assert_non_null(line);
  assert_int_equal(sscanf(line, "\ncpus,%d", &cpus), 1);
  return cpus;
}

/* Where no worker can be started it is not known what can run here. */
static void a_short_machine_lists_nothing(void **state) {
  (void)state;
  struct rlimit before, few;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  few = (struct rlimit){9, before.rlim_max};
  FILE *err = tmpfile();
  assert_non_null(err);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    setrlimit(RLIMIT_NOFILE, &few);
    program_become("list --csv", open("/dev/null", O_WRONLY), fileno(err));
  }
  int status = program_wait(pid);
  program_take(err, program_err, sizeof program_err);
  assert_status(status, 4);
  assert_contains(program_err, "cannot start a worker process: Too many open files");
}

/* A thread that OpenMP has bound sees one CPU; the process has as many as before. Workers are
 * started so. */
static void bound_threads_leave_the_cpus(void **state) {
  (void)state;
  assert_int_equal(unsetenv("OMP_PROC_BIND"), 0);
  int cpus = cpus_told();
  assert_int_equal(setenv("OMP_PROC_BIND", "true", 1), 0);
  int bound = cpus_told();
  assert_int_equal(unsetenv("OMP_PROC_BIND"), 0);
  assert_int_equal(bound, cpus);
}

static int count(const char *text, const char *part) {
  int n = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    n++;
  return n;
}

/* A student's slip is told once, in the student's file, however many configurations there are. */
static void a_syntax_error_is_said_once(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_folder("mine"), 0777), 0);
  put_file(in_folder("mine/naive.cu"), "extern \"C\" __global__ void dcs() {\n  int x = ;\n}\n");
  assert_status(program_run("verify --variants cuda_naive --config block_x=8|16|32,block_y=1|2 "
                            "--device emulated --kernels %s",
                            in_folder("mine")),
                1);
  assert_int_equal(count(program_err, "naive.cu:2:"), 1);
  assert_contains(program_err,
                  "cuda_naive: 5 more configurations do not compile for the same reason");
}

/* Whatever the configuration and the architecture; another variant has its own. */
static void compile_says_a_syntax_error_once_too(void **state) {
  (void)state;
  static const char *const said[] = {"naive.cu(2): error", "coarsened.cu(2): error"};
  assert_int_equal(mkdir(in_folder("slips"), 0777), 0);
  for (int f = 0; f < 2; f++)
    put_file(in_folder(f ? "slips/coarsened.cu" : "slips/naive.cu"),
             "extern \"C\" __global__ void dcs() {\n  int x = ;\n}\n");
  const int status = program_run("compile --variants cuda_naive,cuda_coarsened --kernels %s "
                                 "--config block_x=8|16,block_y=1 --arch sm_75,sm_90",
                                 in_folder("slips"));
  if (status == DCS_UNAVAILABLE) skip();
  assert_status(status, 1);
  for (int f = 0; f < 2; f++) {
    const char *first = strstr(program_err, said[f]);
    assert_non_null(first);
    assert_null(strstr(first + 1, said[f]));
  }
  assert_contains(program_err,
                  "cuda_naive: 3 more configurations do not compile for the same reason\n");
  assert_contains(program_err,
                  "cuda_coarsened: 3 more configurations do not compile for the same reason\n");
  assert_contains(program_err, "8 configurations did not compile\n");
  assert_string_equal(program_out, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_command_is_a_usage_error_that_shows_the_help),
      cmocka_unit_test(help_lists_every_command_and_every_status),
      cmocka_unit_test(help_of_a_command_names_its_options),
      cmocka_unit_test(letters_are_of_one_option),
      cmocka_unit_test(unknown_words_are_usage_errors),
      cmocka_unit_test(bad_values_are_named_with_what_would_be_right),
      cmocka_unit_test(grids_beyond_the_memory_are_refused_before_anything_is_measured),
      cmocka_unit_test(parameters_of_kinds_are_options),
      cmocka_unit_test(devices_that_cannot_be_timed_are_refused),
      cmocka_unit_test(the_run_folder_must_be_a_new_one),
      cmocka_unit_test(output_that_cannot_be_written_is_status_5),
      cmocka_unit_test(a_short_machine_lists_nothing),
      cmocka_unit_test(bound_threads_leave_the_cpus),
      cmocka_unit_test(a_syntax_error_is_said_once),
      cmocka_unit_test(compile_says_a_syntax_error_once_too),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
