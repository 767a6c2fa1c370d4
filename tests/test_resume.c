/* Sweeps that are cut off: killed, interrupted, out of budget, out of disk; and taken up again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/sweep/resume.h"
#include "tests/run_folder.h"

#include <time.h>

enum { ROUNDS = 80 };

/* Four methods on each of two grids, 1 ms a sample: long enough to be cut off at 20 samples. */
static const char *sweep_line(const char *run, const char *added) {
  static char line[3 * PATH_MAX];
  snprintf(line, sizeof line,
           "sweep --variants cpu_gather,cpu_simd,cpu_scatter,cpu_scatter_hoisted --config "
           "threads=1 --atoms 50 --grid 8^3,9x7x5 "
           "--rounds %d --out %s %s",
           ROUNDS, in_folder(run), added);
  return line;
}
enum { METHODS = 8 };

static size_t rows_in(const char *text) {
  size_t n = 0;
  for (; (text = strchr(text, '\n')) != NULL; text++)
    n++;
  return n;
}

/* Starts the sweep; returns once samples.csv has `rows` rows. Its messages go to `err`. */
static pid_t start_sweep(const char *run, const char *line, size_t rows, int err) {
  int null = open("/dev/null", O_WRONLY);
  pid_t pid = program_start(line, null, err < 0 ? null : err);
  close(null);
  for (size_t found = 0; found < rows + 1;) { /* the header is one */
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    char *text = run_file(run, "samples.csv", NULL);
    found = rows_in(text);
    free(text);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* it must not end before */
  }
  return pid;
}

static void copy_run(const char *from, const char *to) {
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv"};
  assert_int_equal(mkdir(in_folder(to), 0777), 0);
  for (int f = 0; f < 3; f++) {
    char path[PATH_MAX];
    char *text = run_file(from, names[f], NULL);
    snprintf(path, sizeof path, "%s/%s", in_folder(to), names[f]);
    put_file(path, text);
    free(text);
  }
}

/* ---- killed ---- */

/* Cuts samples.csv in the middle of its last whole row; returns what stands before that row. */
static char *tear(const char *run) {
  char path[PATH_MAX];
  size_t bytes;
  char *text = run_file(run, "samples.csv", &bytes);
  char *end = strrchr(text, '\n');
  assert_non_null(end);
  *end = '\0';
  char *start = strrchr(text, '\n') + 1;
  snprintf(path, sizeof path, "%s/samples.csv", in_folder(run));
  assert_int_equal(truncate(path, (start - text) + (end - start) / 2), 0);
  *start = '\0';
  return text;
}

static void a_killed_sweep_loses_its_torn_row_alone(void **state) {
  (void)state;
  pid_t pid = start_sweep("killed", sweep_line("killed", ""), 20, -1);
  kill(pid, SIGKILL);
  assert_int_equal(program_wait(pid), 128 + SIGKILL);
  char *kept = tear("killed");
  assert_true(rows_in(kept) >= 20);
  assert_status(program_run("%s", sweep_line("killed", "--resume")), 0);
  check_run("killed", METHODS, ROUNDS);
  char *now = run_file("killed", "samples.csv", NULL);
  assert_int_equal(strncmp(now, kept, strlen(kept)), 0);
  free(now);
  free(kept);
}

/* Rows of two kinds in a file would be no table: nothing is changed. */
static void other_columns_are_refused(void **state) {
  (void)state;
  static const char line[] =
      "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds %d %s --out %s";
  char path[PATH_MAX];
  assert_status(program_run(line, 1, "", in_folder("older")), 0);
  char *summary = run_file("older", "summary.csv", NULL);
  char *samples = run_file("older", "samples.csv", NULL), *mark = strstr(samples, ",mark,");
  assert_non_null(mark);
  memcpy(mark, ",kind", 5);
  snprintf(path, sizeof path, "%s/samples.csv", in_folder("older"));
  put_file(path, samples);
  assert_status(program_run(line, 2, "--resume", in_folder("older")), 2);
  assert_contains(program_err, "samples.csv: its columns are those of another version");
  char *now = run_file("older", "summary.csv", NULL);
  assert_string_equal(now, summary);
  free(now);
  free(summary);
  free(samples);
}

/* The second size is under way, or its rows are being written: the first one's rows stay. */
static void a_finished_cell_stays_when_a_later_one_is_killed(void **state) {
  (void)state;
  pid_t pid = start_sweep("later", sweep_line("later", ""), ROUNDS * METHODS / 2 + 10, -1);
  kill(pid, SIGKILL);
  assert_int_equal(program_wait(pid), 128 + SIGKILL);
  dcs_table *before = run_table("later", "summary.csv");
  assert_int_equal(dcs_table_rows(before), METHODS / 2);
  dcs_table_free(before);
  size_t kept;
  char *first = run_file("later", "summary.csv", &kept);
  assert_status(program_run("%s", sweep_line("later", "--resume")), 0);
  check_run("later", METHODS, ROUNDS);
  char *now = run_file("later", "summary.csv", NULL);
  assert_int_equal(strncmp(now, first, kept), 0);
  free(now);
  free(first);
}

/* A summary whose size is half written, its last row torn: the size's rows are written anew. */
static void a_torn_summary_is_completed_without_doubles(void **state) {
  (void)state;
  char path[PATH_MAX];
  copy_run("killed", "torn");
  char *text = run_file("torn", "summary.csv", NULL);
  char *row = text;
  for (int line = 0; line < 3; line++) /* the header and two rows */
    row = strchr(row, '\n') + 1;
  snprintf(path, sizeof path, "%s/summary.csv", in_folder("torn"));
  assert_int_equal(truncate(path, row - text + 30), 0);
  free(text);
  char *samples = run_file("torn", "samples.csv", NULL);
  assert_status(program_run("%s", sweep_line("torn", "--resume")), 0);
  check_run("torn", METHODS, ROUNDS);
  char *after = run_file("torn", "samples.csv", NULL);
  assert_string_equal(samples, after); /* every sample was there already */
  free(samples);
  free(after);
}

/* ---- resumed ---- */

static void assert_unchanged(const char *run, const char *other) {
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv"};
  for (int f = 0; f < 3; f++) {
    char *a = run_file(run, names[f], NULL), *b = run_file(other, names[f], NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
  }
}

static void a_finished_run_is_left_as_it_is(void **state) {
  (void)state;
  copy_run("killed", "same");
  assert_status(program_run("%s", sweep_line("same", "--resume")), 0);
  assert_no_errors();
  assert_unchanged("same", "killed");
}

/* The limits of a run are measured once: a later part is held against what its env.csv has. */
static void limits_are_those_of_the_run(void **state) {
  (void)state;
  static const char line[] = "sweep --variants cpu_gather --config threads=1 --atoms %s --grid 4^3 "
                             "--rounds 1 %s --out %s",
                    key[] = "\nlimit_cpu_1_evals_per_s,";
  char path[PATH_MAX], changed[8192];
  unsetenv("DCS_NO_LIMITS");
  assert_status(program_run(line, "5", "", in_folder("limits")), 0);
  char *env = run_file("limits", "env.csv", NULL), *value = strstr(env, key);
  assert_non_null(value);
  assert_null(strstr(env, "limits_missing"));
  value += strlen(key);
  snprintf(changed, sizeof changed, "%.*s1e+15%s", (int)(value - env), env, strchr(value, '\n'));
  snprintf(path, sizeof path, "%s/env.csv", in_folder("limits"));
  put_file(path, changed);
  free(env);
  assert_status(program_run(line, "5,6", "--resume", in_folder("limits")), 0);
  dcs_table *summary = run_table("limits", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 2);
  assert_true(number_at(summary, 1, "limit_fraction") > 0);
  assert_close(number_at(summary, 1, "limit_fraction"),
               number_at(summary, 1, "evals_per_s") / 1e15);
  dcs_table_free(summary);
  without_limits();
}

/* Ends row `row` of the summary, from 0, of a method that was ok, with `end`. */
static void end_row(const char *run, int row, const char *end) {
  static const char was[] = ",ok,rounds,\n";
  char path[PATH_MAX];
  char *text = run_file(run, "summary.csv", NULL), *at = text;
  for (int r = 0; r <= row; r++)
    assert_non_null(at = strstr(at + 1, was));
  FILE *file = fopen(strcat(strcpy(path, in_folder(run)), "/summary.csv"), "w");
  assert_non_null(file);
  fprintf(file, "%.*s%s%s", (int)(at - text), text, end, at + sizeof was - 1);
  assert_int_equal(fclose(file), 0);
  free(text);
}

/* A method that was once wrong has samples of wrong maps: right the next time, it gets no times. */
static void what_failed_stays_failed_beside_what_was_cut_off(void **state) {
  (void)state;
  static const char line[] = "sweep --variants cpu_gather,cpu_simd --config threads=1 --atoms 5 "
                             "--grid 4^3 --rounds 3 %s --out %s";
  assert_status(program_run(line, "", in_folder("failed")), 0);
  end_row("failed", 0, ",wrong,,found 1\n");
  end_row("failed", 0, ",ok,interrupted,\n");
  char *before = run_file("failed", "summary.csv", NULL), *row = strchr(before, '\n') + 1;
  assert_status(program_run(line, "--resume", in_folder("failed")), 1);
  assert_contains(program_out, "1 measurements ok, 1 failed");
  char *after = run_file("failed", "summary.csv", NULL);
  assert_int_equal(strncmp(after, before, (size_t)(strchr(row, '\n') + 1 - before)), 0);
  assert_non_null(strstr(after, ",ok,rounds,\n"));
  free(before);
  free(after);
}

static void another_seed_input_or_grid_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *added, *fact;
  } other[] = {{"--seed 2", "seed was \"1\" and is \"2\""},
               {"--spacing 0.7", "asked_spacing was \"\" and is \"0.7\""},
               {"--origin 1,2,3", "asked_origin was \"\" and is \"1 2 3\""}};
  char added[2 * PATH_MAX];
  for (size_t o = 0; o < sizeof other / sizeof other[0]; o++) {
    snprintf(added, sizeof added, "--resume %s", other[o].added);
    assert_status(program_run("%s", sweep_line("same", added)), 2);
    assert_contains(program_err, other[o].fact);
    assert_contains(program_err, "env.csv");
  }
  assert_status(program_run("generate water --atoms 60 --out %s", in_folder("w.pqr")), 0);
  snprintf(added, sizeof added, "--resume --input %s", in_folder("w.pqr"));
  assert_status(program_run("%s", sweep_line("same", added)), 2);
  assert_contains(program_err, "input_fnv1a64 was \"\"");
  assert_unchanged("same", "killed");
}

/* Rows of two schemas never meet in a file. */
static void another_schema_is_refused(void **state) {
  (void)state;
  copy_run("killed", "former");
  char *env = run_file("former", "env.csv", NULL), *schema = strstr(env, "schema,4");
  assert_non_null(schema);
  schema[7] = '3';
  put_file(in_folder("former/env.csv"), env);
  assert_status(program_run("%s", sweep_line("former", "--resume")), 2);
  assert_contains(program_err, "schema was \"3\" and is \"4\"; take another folder");
  assert_status(program_run("report %s", in_folder("former")), 3);
  assert_contains(program_err, "found schema \"3\"; expected 4");
  assert_contains(program_err, "`dcsbench sweep`");
  free(env);
}

/* All atoms of the input, and as many by number, are one size; fewer are another. */
static void cells_of_an_input_are_told_apart(void **state) {
  (void)state;
  char line[2 * PATH_MAX];
  put_file(in_folder("plan.csv"), "variants,config,atoms,grid,scope\n"
                                  "cpu_gather,,,,kernel\n"
                                  "cpu_gather,,30,,kernel\n"
                                  "cpu_gather,,60,,kernel\n"
                                  "cpu_gather,,,8^3,kernel\n");
  snprintf(line, sizeof line, "sweep --plan %s --input %s --spacing 2 --rounds 3 --out %s --resume",
           in_folder("plan.csv"), in_folder("w.pqr"), in_folder("cells"));
  assert_status(program_run("%s", line), 0);
  check_run("cells", 3, 3);
  char path[PATH_MAX];
  char *summary = run_file("cells", "summary.csv", NULL);
  snprintf(path, sizeof path, "%s/summary.csv", in_folder("cells"));
  assert_int_equal(truncate(path, strchr(summary, '\n') + 1 - summary), 0);
  free(summary);
  assert_status(program_run("%s", line), 0);
  check_run("cells", 3, 3);
}

/* A run with samples of a method in several scopes and memories. */
static void put_apart(const char *last_seq) {
  static const char samples[] =
      "round,seq,variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,"
      "inner,time_ns,sm_mhz,temperature_c,power_w,throttle,mark,process,session\n"
      "0,0,cuda_scatter,block_x=128,kernel,,cuda:0,coulomb,,50,8,8,8,1,10,,,,,,0,0\n"
      "0,1,cuda_scatter,block_x=128,warm,pageable,cuda:0,coulomb,,50,8,8,8,1,20,,,,,,0,0\n"
      "0,2,cuda_scatter,block_x=128,warm,pinned,cuda:0,coulomb,,50,8,8,8,1,30,,,,,preempted,0,0\n"
      "1,%s,cuda_scatter,block_x=128,warm,pinned,cuda:0,coulomb,,50,8,8,8,1,31,,,,,,2,1\n";
  static const char summary[] =
      "variant,backend,config,devices,scope,memory,problem,problem_config,atoms,nx,ny,nz,n,"
      "median_ns,outcome,stop_reason\n"
      "cuda_scatter,gpu,block_x=128,cuda:0,kernel,,coulomb,,50,8,8,8,1,10,ok,budget\n"
      "cuda_scatter,gpu,block_x=128,cuda:0,warm,pageable,coulomb,,50,8,8,8,1,20,ok,budget\n"
      "cuda_scatter,gpu,block_x=128,cuda:0,warm,mapped,coulomb,,50,8,8,8,9,,launch,\n";
  char env[128], text[sizeof samples + 16];
  snprintf(env, sizeof env, "key,value\nschema,%d\ncpu_model,x\ncpus,1\nseed,1\n", DCS_RUN_SCHEMA);
  snprintf(text, sizeof text, samples, last_seq);
  assert_true(mkdir(in_folder("apart"), 0777) == 0 || exists(in_folder("apart")));
  put_file(in_folder("apart/env.csv"), env);
  put_file(in_folder("apart/samples.csv"), text);
  put_file(in_folder("apart/summary.csv"), summary);
}

/* Samples go to the record of their memory; a row of one memory does not finish another. */
static void memory_tells_records_apart(void **state) {
  (void)state;
  static const dcs_sweep_line lines[] = {{.variants = "cuda_scatter",
                                          .config = "block_x=128",
                                          .atoms = "50",
                                          .grid = "8^3",
                                          .scope = "warm,kernel",
                                          .memory = "pinned,pageable"}};
  const dcs_sweep_options options = {.lines = lines, .n_lines = 1, .device = "cuda:0"};
  const dcs_molecule molecule = {0};
  dcs_sweep_sizes sizes;
  int64_t seq = 0;
  int process = 0, session = 0;
  put_apart("3");
  assert_int_equal(dcs_expand_sizes(&options, &molecule, true, NULL, &sizes), DCS_OK);
  dcs_run run;
  assert_int_equal(dcs_run_open(&run, in_folder("apart")), DCS_OK);
  assert_int_equal(dcs_resume(&run, 9, false, &sizes, &seq, &process, &session), DCS_OK);
  dcs_run_close(&run);
  assert_true(sizes.n == 1 && sizes.list[0].n_records == 3 && seq == 4 && process == 3);
  assert_int_equal(session, 2);
  assert_true(sizes.list[0].has_rows);
  dcs_record *records = sizes.list[0].records;
  static const size_t n_times[] = {1, 1, 2}; /* kernel, pageable, pinned */
  for (int r = 0; r < 3; r++)
    assert_true(records[r].n_times == n_times[r] && records[r].n_disturbed == (r == 2));
  assert_true(records[1].times_ns[0] == 20 && records[2].times_ns[1] == 31);
  for (int r = 0; r < 3; r++) {
    records[r].judged = r > 0; /* an interrupt came before the first */
    records[r].n_inputs = 50;
    records[r].spacing = 0.5;
  }
  assert_int_equal(dcs_replace_rows(in_folder("apart"), &sizes.list[0]), DCS_OK);
  dcs_sweep_sizes_free(&sizes);
  static const struct {
    const char *memory;
    double n;
  } rows[] = {{"", 1}, {"mapped", 9}, {"pageable", 1}, {"pinned", 2}};
  dcs_table *kept = run_table("apart", "summary.csv");
  assert_int_equal(dcs_table_rows(kept), 4);
  for (size_t row = 0; row < 4; row++) {
    assert_string_equal(text_at(kept, row, "memory"), rows[row].memory);
    assert_true(number_at(kept, row, "n") == rows[row].n);
  }
  dcs_table_free(kept);
}

/* Samples of two devices would be those of one row, which no reader finds under its name. */
static void another_device_is_refused(void **state) {
  (void)state;
  static const dcs_sweep_line lines[] = {
      {.variants = "cuda_scatter", .config = "block_x=128", .atoms = "50", .grid = "8^3"}};
  const dcs_sweep_options options = {.lines = lines, .n_lines = 1, .device = "cuda:all"};
  const dcs_molecule molecule = {0};
  dcs_sweep_sizes sizes;
  int64_t seq = 0;
  int process = 0, session = 0;
  dcs_run run;
  put_apart("3");
  assert_int_equal(dcs_expand_sizes(&options, &molecule, true, NULL, &sizes), DCS_OK);
  assert_int_equal(dcs_run_open(&run, in_folder("apart")), DCS_OK);
  assert_int_equal(dcs_resume(&run, 20, false, &sizes, &seq, &process, &session), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "samples.csv: row 2: was measured on cuda:0, and "
                                              "--device is cuda:all now; go on with --device "
                                              "cuda:0, or take another folder"));
  dcs_run_close(&run);
  dcs_sweep_sizes_free(&sizes);
}

/* A number that no integer holds is refused; it is what the next samples are counted from. */
static void a_number_of_a_sample_has_an_end(void **state) {
  (void)state;
  dcs_sweep_sizes sizes = {0};
  int64_t seq = 0;
  int process = 0, session = 0;
  dcs_run run;
  put_apart("1e300");
  assert_int_equal(dcs_run_open(&run, in_folder("apart")), DCS_OK);
  assert_int_equal(dcs_resume(&run, 9, false, &sizes, &seq, &process, &session), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "found seq \"1e300\"; expected a number"));
  dcs_run_close(&run);
}

/* ---- another run ---- */

/* One fact of env.csv becomes another. */
static void change_fact(const char *run, const char *key, const char *value) {
  char path[PATH_MAX], line[256];
  char *env = run_file(run, "env.csv", NULL);
  snprintf(path, sizeof path, "%s/env.csv", in_folder(run));
  snprintf(line, sizeof line, "\n%s,", key);
  char *at = strstr(env, line), *end = at ? strchr(at + 1, '\n') : NULL;
  if (!at || !end) fail_msg("env.csv lacks %s", key);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%.*s%s%s%s", (int)(at - env), env, line, value, end);
  assert_int_equal(fclose(file), 0);
  free(env);
}

static void two_builds_share_no_row(void **state) {
  (void)state;
  static const char *const facts[] = {"git_state", "flags", "compiler", "kernels_fnv1a64",
                                      "program_fnv1a64"};
  for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
    char run[64], said[128];
    snprintf(run, sizeof run, "build-%s", facts[f]);
    copy_run("killed", run);
    change_fact(run, facts[f], "another");
    assert_status(program_run("%s", sweep_line(run, "--resume")), 2);
    snprintf(said, sizeof said, "%s was \"another\"", facts[f]);
    assert_contains(program_err, said);
  }
}

/* Runs a sweep of the molecule in a file, which comes through a pipe. */
static int sweep_pipe(const char *molecule, const char *run) {
  size_t bytes;
  const char *pipe = in_folder("pipe");
  char *text = get_file(molecule, &bytes);
  pid_t writer = fork();
  assert_true(writer >= 0);
  if (writer == 0) {
    FILE *file = fopen(pipe, "w");
    _exit(file && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0 ? 0 : 1);
  }
  free(text);
  int status = program_run("sweep --variants cpu_gather --config threads=1 --input %s --spacing 2 "
                           "--rounds 2 --resume --out %s",
                           pipe, in_folder(run));
  assert_int_equal(program_wait(writer), 0);
  return status;
}

static void two_inputs_through_a_pipe_share_no_row(void **state) {
  (void)state;
  assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
  assert_status(program_run("generate water --atoms 30 --out %s", in_folder("one.pqr")), 0);
  assert_status(program_run("generate water --atoms 30 --seed 2 --out %s", in_folder("two.pqr")),
                0);
  assert_status(sweep_pipe(in_folder("one.pqr"), "piped"), 0);
  assert_status(sweep_pipe(in_folder("two.pqr"), "piped"), 2);
  assert_contains(program_err, "input_fnv1a64 was");
  assert_status(sweep_pipe(in_folder("one.pqr"), "piped"), 0);
  check_run("piped", 1, 2);
}

/* Samples that a row of the summary is of are gone: neither taken up nor read. */
static void a_cut_file_of_samples_is_noticed(void **state) {
  (void)state;
  char path[PATH_MAX];
  copy_run("killed", "cut");
  char *samples = run_file("cut", "samples.csv", NULL);
  snprintf(path, sizeof path, "%s/samples.csv", in_folder("cut"));
  char *last = strrchr(samples, '\n');
  *last = '\0';
  assert_int_equal(truncate(path, strrchr(samples, '\n') + 1 - samples), 0);
  free(samples);
  char *summary = run_file("cut", "summary.csv", NULL);
  assert_status(program_run("%s", sweep_line("cut", "--resume")), 3);
  assert_contains(program_err, "samples.csv: found 79 samples of row ");
  assert_status(program_run("crossover %s", in_folder("cut")), 3);
  assert_contains(program_err, "samples.csv: found 79 samples of row ");
  assert_status(program_run("compare %s %s", in_folder("killed"), in_folder("cut")), 3);
  char *after = run_file("cut", "summary.csv", NULL);
  assert_string_equal(after, summary);
  free(after);
  free(summary);
}

/* A number of a sample that no integer holds would be taken for any. */
static void a_number_that_no_sample_has_is_refused(void **state) {
  (void)state;
  char path[PATH_MAX];
  copy_run("killed", "numbered");
  char *samples = run_file("numbered", "samples.csv", NULL);
  snprintf(path, sizeof path, "%s/samples.csv", in_folder("numbered"));
  char *last = strrchr(samples, '\n');
  *last = '\0';
  char *row = strrchr(samples, '\n') + 1, *rest = strchr(strchr(row, ',') + 1, ',');
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%.*s0,1e300%s\n", (int)(row - samples), samples, rest);
  assert_int_equal(fclose(file), 0);
  free(samples);
  assert_status(program_run("%s", sweep_line("numbered", "--resume")), 3);
  assert_contains(program_err, "\"1e300\"; expected a number, at least 0");
}

/* ---- interrupted ---- */

static void an_interrupted_sweep_says_how_to_go_on(void **state) {
  (void)state;
  FILE *err = tmpfile();
  assert_non_null(err);
  pid_t pid = start_sweep("stopped", sweep_line("stopped", ""), 20, fileno(err));
  kill(pid, SIGINT);
  int status = program_wait(pid);
  program_take(err, program_err, sizeof program_err);
  assert_status(status, 1);
  assert_contains(program_err, "interrupted");
  assert_contains(program_err, "--resume");
  check_run("stopped", METHODS / 2, 0);
  dcs_table *summary = run_table("stopped", "summary.csv");
  for (size_t row = 0; row < dcs_table_rows(summary); row++)
    assert_string_equal(text_at(summary, row, "stop_reason"), "interrupted");
  dcs_table_free(summary);
  assert_status(program_run("%s", sweep_line("stopped", "--resume")), 0);
  check_run("stopped", METHODS, ROUNDS);
}

static void a_budget_ends_the_sampling(void **state) {
  (void)state;
  char line[PATH_MAX + 256];
  snprintf(line, sizeof line,
           "sweep --variants cpu_gather,cpu_simd --config threads=1 --atoms 50 --grid 8^3 --rounds "
           "1000000 --budget 1 "
           "--out %s --resume",
           in_folder("budget"));
  assert_status(program_run("%s", line), 0);
  check_run("budget", 2, 0);
  dcs_table *summary = run_table("budget", "summary.csv");
  for (size_t row = 0; row < 2; row++) {
    assert_string_equal(text_at(summary, row, "stop_reason"), "budget");
    assert_true(number_at(summary, row, "n") >= 3);
  }
  dcs_table_free(summary);
  copy_run("budget", "spent");
  assert_status(program_run("%s", line), 0);
  assert_unchanged("budget", "spent"); /* a spent budget is an end */
}

/* The first size spends its share, a quarter, before it has its samples; the second, which starts a
 * process a sample, leaves of its own: the first gets the rest. On a busy machine a larger budget,
 * with as many atoms as the time of a map before it says. */
static void what_is_left_of_a_budget_is_used(void **state) {
  (void)state;
  enum { STARTS = 20 };
  bool used = false;
  int atoms = 900;
  for (int seconds = 3; !used && seconds < 200; seconds *= 2) {
    char plan[PATH_MAX], text[256], folder[32];
    snprintf(text, sizeof text,
             "variants,config,atoms,grid,scope\n"
             "cpu_gather,threads=1,%d,32^3,kernel\n"
             "cpu_gather,threads=1,1,1x1x1,first\n",
             atoms);
    snprintf(plan, sizeof plan, "%s", in_folder("left.plan.csv"));
    put_file(plan, text);
    snprintf(folder, sizeof folder, "left%d", seconds);
    assert_status(program_run("sweep --plan %s --rounds %d --budget %d --out %s", plan, STARTS,
                              seconds, in_folder(folder)),
                  0);
    used = strstr(program_err, "1 size has fewer samples than asked for: more in the ") != NULL;
    check_run(folder, 2, 0);
    dcs_table *summary = run_table(folder, "summary.csv");
    const size_t last = dcs_table_rows(summary) - 1; /* written last where it was measured on */
    if (used) {
      assert_true(number_at(summary, last, "atoms") == atoms);
      assert_true(number_at(summary, 0, "n") == STARTS);
    }
    const size_t slow = number_at(summary, last, "atoms") == atoms ? last : 0;
    const double next_s = (double)seconds / STARTS; /* half the next budget */
    atoms = (int)ceil(atoms * next_s / (1e-9 * number_at(summary, slow, "median_ns"))) + 1;
    dcs_table_free(summary);
  }
  assert_true(used);
}

/* The sweep was killed while it measured on a size that the budget had ended. */
static void samples_behind_a_row_are_counted(void **state) {
  (void)state;
  char path[PATH_MAX];
  const char *line = "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds "
                     "%d --out %s %s";
  assert_status(program_run(line, 4, in_folder("behind"), ""), 0);
  char *row = run_file("behind", "summary.csv", NULL);
  assert_status(program_run(line, 7, in_folder("behind"), "--resume"), 0);
  char *reason = strstr(row, ",ok,rounds,");
  assert_non_null(reason);
  memcpy(reason, ",ok,budget,", strlen(",ok,budget,"));
  snprintf(path, sizeof path, "%s/summary.csv", in_folder("behind"));
  put_file(path, row); /* it counts 4 samples of 7 */
  free(row);
  assert_status(program_run(line, 7, in_folder("behind"), "--resume"), 0);
  check_run("behind", 1, 7);
}

/* ---- a full disk ---- */

static void a_full_disk_is_said_and_what_was_written_is_whole(void **state) {
  (void)state;
  static const char format[] = "sweep --variants cpu_gather --config threads=1 --atoms 10 --grid "
                               "4^3 --rounds 120 --out %s %s";
  program_file_limit = 3000; /* env.csv and the headers fit, 120 samples do not */
  int status = program_run(format, in_folder("full"), "");
  program_file_limit = 0;
  assert_status(status, 5);
  assert_contains(program_err, "samples.csv: cannot write: File too large");
  dcs_table *env = run_table("full", "env.csv"), *summary = run_table("full", "summary.csv");
  dcs_table_free(env);
  dcs_table_free(summary);
  char *samples = run_file("full", "samples.csv", NULL);
  assert_true(rows_in(samples) > 10 && rows_in(samples) < 120);
  free(samples);
  assert_status(program_run(format, in_folder("full"), "--resume"), 0);
  check_run("full", 1, 120);
}

static void a_folder_without_room_for_a_header_is_left_empty(void **state) {
  (void)state;
  skip_where_clang_runs_openmp();
  program_file_limit = 100;
  const int status =
      program_run("sweep --variants cpu_gather --atoms 1 --grid 1^3 --out %s", in_folder("bare"));
  program_file_limit = 0;
  assert_true(status == 5);
  assert_contains(program_err, "samples.csv: cannot write: File too large");
  assert_int_equal(rmdir(in_folder("bare")), 0); /* nothing was left in it */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_columns_are_refused),
      cmocka_unit_test(a_killed_sweep_loses_its_torn_row_alone),
      cmocka_unit_test(a_finished_cell_stays_when_a_later_one_is_killed),
      cmocka_unit_test(a_torn_summary_is_completed_without_doubles),
      cmocka_unit_test(a_finished_run_is_left_as_it_is),
      cmocka_unit_test(limits_are_those_of_the_run),
      cmocka_unit_test(what_failed_stays_failed_beside_what_was_cut_off),
      cmocka_unit_test(another_seed_input_or_grid_is_refused),
      cmocka_unit_test(another_schema_is_refused),
      cmocka_unit_test(cells_of_an_input_are_told_apart),
      cmocka_unit_test(memory_tells_records_apart),
      cmocka_unit_test(another_device_is_refused),
      cmocka_unit_test(a_number_of_a_sample_has_an_end),
      cmocka_unit_test(two_builds_share_no_row),
      cmocka_unit_test(two_inputs_through_a_pipe_share_no_row),
      cmocka_unit_test(a_cut_file_of_samples_is_noticed),
      cmocka_unit_test(a_number_that_no_sample_has_is_refused),
      cmocka_unit_test(an_interrupted_sweep_says_how_to_go_on),
      cmocka_unit_test(a_budget_ends_the_sampling),
      cmocka_unit_test(what_is_left_of_a_budget_is_used),
      cmocka_unit_test(samples_behind_a_row_are_counted),
      cmocka_unit_test(a_full_disk_is_said_and_what_was_written_is_whole),
      cmocka_unit_test(a_folder_without_room_for_a_header_is_left_empty),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
