/* A sweep as a user meets it: the run's files, what they say of each other, and the outcomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"

static const char samples_header[] = "round,seq,variant,config,scope,memory,devices,problem,"
                                     "problem_config,atoms,nx,ny,nz,inner,time_ns,"
                                     "sm_mhz,temperature_c,power_w,throttle,mark,process,session\n";
static const char summary_header[] =
    "variant,backend,config,block_x,block_y,coarsen,chunk_atoms,threads,devices,scope,memory,"
    "problem,problem_config,atoms,nx,ny,nz,spacing,padded_nx,padded_ny,padded_nz,evals_useful,"
    "evals_"
    "executed,"
    "padding_overhead,overflow_atoms,bin_fill,n,median_ns,ci_lo_ns,ci_hi_ns,min_ns,mad_ns,outliers,"
    "disturbed,"
    "evals_per_s,gflops,"
    "flops_per_eval,bytes_moved,limit_fraction,registers,compile_ms,rel_l2_error,"
    "error_bound_ratio,model_error,energy_j,evals_per_j,outcome,stop_reason,why\n";

static void assert_header(const char *run, const char *name, const char *header) {
  char *text = run_file(run, name, NULL);
  assert_int_equal(strncmp(text, header, strlen(header)), 0);
  assert_null(strchr(text, '\r'));
  assert_null(strstr(text, "nan"));
  free(text);
}

/* ---- the files ---- */

/* What a row says of itself. */
static void check_row(const dcs_table *t, size_t row) {
  double evals = number_at(t, row, "atoms") * number_at(t, row, "nx") * number_at(t, row, "ny") *
                 number_at(t, row, "nz");
  double executed = number_at(t, row, "atoms") * number_at(t, row, "padded_nx") *
                    number_at(t, row, "padded_ny") * number_at(t, row, "padded_nz");
  double rate = 1e9 * evals / number_at(t, row, "median_ns");
  assert_close(number_at(t, row, "evals_useful"), evals);
  assert_close(number_at(t, row, "evals_executed"), executed);
  assert_true(executed >= evals);
  assert_close(number_at(t, row, "padding_overhead"), executed / evals - 1);
  assert_close(number_at(t, row, "evals_per_s"), rate);
  assert_close(number_at(t, row, "gflops"), 1e-9 * rate * number_at(t, row, "flops_per_eval"));
  assert_true(number_at(t, row, "min_ns") <= number_at(t, row, "median_ns"));
  assert_true(number_at(t, row, "mad_ns") >= 0);
  assert_true(number_at(t, row, "error_bound_ratio") > 0 &&
              number_at(t, row, "error_bound_ratio") <= 1);
  assert_true(number_at(t, row, "rel_l2_error") > 0 && number_at(t, row, "rel_l2_error") < 1e-5);
  assert_true(number_at(t, row, "threads") == 1);
  assert_true(number_at(t, row, "spacing") == 0.5);
  assert_string_equal(text_at(t, row, "config"), "threads=1");
  assert_string_equal(text_at(t, row, "backend"), "cpu");
  assert_string_equal(text_at(t, row, "devices"), "cpu");
  assert_string_equal(text_at(t, row, "stop_reason"), "rounds");
  static const char *const empty[] = {"block_x", "block_y",   "coarsen",   "chunk_atoms",
                                      "memory",  "registers", "compile_ms"};
  for (size_t e = 0; e < sizeof empty / sizeof empty[0]; e++)
    assert_string_equal(text_at(t, row, empty[e]), "");
}

static size_t count(const dcs_table *t, const char *column, const char *text) {
  size_t n = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    n += strcmp(text_at(t, row, column), text) == 0;
  return n;
}

static void small_sweep(const char *run, int rounds) {
  assert_status(
      program_run("sweep --variants cpu_gather,cpu_simd --config threads=1 --atoms 50,100 "
                  "--grid 8^3,9x7x5 --scope kernel,first --rounds %d --out %s",
                  rounds, in_folder(run)),
      0);
  assert_no_errors();
  assert_header(run, "samples.csv", samples_header);
  assert_header(run, "summary.csv", summary_header);
  check_run(run, 16, rounds); /* 2 variants, 2 atoms, 2 grids, 2 scopes */
  dcs_table *summary = run_table(run, "summary.csv");
  for (size_t row = 0; row < 16; row++)
    check_row(summary, row);
  assert_int_equal(count(summary, "scope", "first"), 8);
  assert_int_equal(count(summary, "variant", "cpu_simd"), 8);
  assert_int_equal(count(summary, "atoms", "100"), 8);
  assert_int_equal(count(summary, "ny", "7"), 8);
  dcs_table_free(summary);
}

static void files_agree_with_odd_rounds(void **state) {
  (void)state;
  small_sweep("odd", 3);
}

static void files_agree_with_even_rounds(void **state) {
  (void)state;
  small_sweep("even", 2);
}

static void samples_are_batched_and_interleaved(void **state) {
  (void)state;
  dcs_table *samples = run_table("odd", "samples.csv");
  size_t batched = 0;
  for (size_t row = 0; row < dcs_table_rows(samples); row++) {
    double inner = number_at(samples, row, "inner");
    bool first = strcmp(text_at(samples, row, "scope"), "first") == 0;
    assert_true(inner >= 1 && number_at(samples, row, "time_ns") > 0);
    if (first) assert_true(inner == 1); /* a process starts once */
    batched += !first && inner > 1;
    assert_true(number_at(samples, row, "seq") == (double)row);
    /* Cells follow each other; within one, nobody starts a round before all ended the last. */
    bool same_cell =
        row > 0 &&
        strcmp(text_at(samples, row, "atoms"), text_at(samples, row - 1, "atoms")) == 0 &&
        strcmp(text_at(samples, row, "ny"), text_at(samples, row - 1, "ny")) == 0;
    if (same_cell)
      assert_true(number_at(samples, row, "round") >= number_at(samples, row - 1, "round"));
  }
  assert_true(batched > 12); /* of 24 kernel samples: so small a map does not last 1 ms */
  dcs_table_free(samples);
}

/* Without --rounds: at least 15 samples, then until the interval is within 1% of the median; a row
 * that says so has samples that say so. */
static void sampling_goes_on_until_the_interval_is_narrow(void **state) {
  (void)state;
  assert_status(program_run("sweep --variants cpu_simd,cpu_gather --config threads=1 --atoms 50 "
                            "--grid 8^3 --out %s",
                            in_folder("narrow")),
                0);
  dcs_table *summary = run_table("narrow", "summary.csv");
  for (size_t row = 0; row < 2; row++) {
    const char *reason = text_at(summary, row, "stop_reason");
    double n = number_at(summary, row, "n"), median = number_at(summary, row, "median_ns");
    bool narrow = number_at(summary, row, "ci_hi_ns") <= 1.01 * median &&
                  number_at(summary, row, "ci_lo_ns") >= 0.99 * median;
    assert_true(n >= 15 && n <= 200);
    if (strcmp(reason, "interval") == 0)
      assert_true(narrow);
    else
      assert_true(strcmp(reason, "rounds") == 0 && n == 200);
  }
  dcs_table_free(summary);
  check_run("narrow", 2, 0);
}

static void env_tells_the_run_and_no_user(void **state) {
  (void)state;
  static const char *const keys[] = {"program_version",
                                     "git_state",
                                     "compiler",
                                     "flags",
                                     "cpu_model",
                                     "cpus",
                                     "isa",
                                     "os",
                                     "seed",
                                     "input",
                                     "input_fnv1a64",
                                     "cpu_limits_missing"};
  put_file(in_folder("a.pqr"), "ATOM 1 X UNK 1 0.5 0.25 0.125 1.0 1.0\n");
  setenv("HOME", test_folder, 1);
  assert_status(program_run("sweep --variants cpu_gather --input %s --grid 4^3 --rounds 1 --seed 5 "
                            "--out %s",
                            in_folder("a.pqr"), in_folder("env")),
                0);
  dcs_table *env = run_table("env", "env.csv");
  assert_string_equal(text_at(env, 0, "key"), "schema");
  assert_string_equal(text_at(env, 0, "value"), "4");
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    assert_int_equal(count(env, "key", keys[k]), 1);
  for (size_t row = 0; row < dcs_table_rows(env); row++) {
    const char *key = text_at(env, row, "key"), *value = text_at(env, row, "value");
    if (strcmp(key, "git_state") != 0) assert_string_not_equal(value, "");
    if (strcmp(key, "seed") == 0) assert_string_equal(value, "5");
    if (strcmp(key, "cpu_limits_missing") == 0) assert_string_equal(value, "DCS_NO_LIMITS is set");
    if (strcmp(key, "input") == 0) assert_string_equal(value, "a.pqr");
    /* FNV-1a, 64 bits, computed by hand with another program */
    if (strcmp(key, "input_fnv1a64") == 0) assert_string_equal(value, "992957cf1210e5be");
    if (strcmp(key, "command_line") != 0) continue;
    assert_string_equal(value, "dcsbench sweep --variants cpu_gather --input ~/a.pqr --grid 4^3 "
                               "--rounds 1 --seed 5 --out ~/env");
  }
  dcs_table_free(env);
}

/* A folder whose env.csv is gone, or that has a file of the same name. */
static void what_was_measured_is_never_written_over(void **state) {
  (void)state;
  static const char *const added[] = {"", "--resume"};
  assert_int_equal(mkdir(in_folder("orphan"), 0777), 0);
  put_file(in_folder("orphan/summary.csv"), "name,value\nmine,1\n");
  for (int a = 0; a < 2; a++) {
    assert_status(program_run("sweep --variants cpu_gather --atoms 5 --grid 4^3 --out %s %s",
                              in_folder("orphan"), added[a]),
                  2);
    assert_contains(program_err, "summary.csv: belongs to no run");
    char *text = run_file("orphan", "summary.csv", NULL);
    assert_string_equal(text, "name,value\nmine,1\n");
    free(text);
  }
  put_file(in_folder("orphan/summary.csv"), summary_header); /* a start that was cut off */
  assert_status(program_run("sweep --variants cpu_gather --atoms 5 --grid 4^3 --rounds 1 --out %s",
                            in_folder("orphan")),
                0);
  check_run("orphan", 1, 1);
}

/* ---- outcomes ---- */

static void what_cannot_run_has_a_row_and_the_sweep_goes_on(void **state) {
  (void)state;
  bool gpu = program_has_gpu();
  assert_status(program_run("sweep --variants cuda_naive,cpu_simd --config block_x=64|1024,"
                            "block_y=4 --atoms 50 --grid 8^3 --rounds 2 --out %s",
                            in_folder("mixed")),
                0);
  dcs_table *t = run_table("mixed", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 3);
  for (size_t row = 0; row < 3; row++) {
    bool inapplicable = strcmp(text_at(t, row, "block_x"), "1024") == 0;
    bool missing = strcmp(text_at(t, row, "variant"), "cuda_naive") == 0 && !gpu;
    assert_string_equal(text_at(t, row, "outcome"), inapplicable ? "inapplicable"
                                                    : missing    ? "no_device"
                                                                 : "ok");
    assert_string_equal(text_at(t, row, "n"), inapplicable || missing ? "0" : "2");
    if (!inapplicable && !missing) continue;
    static const char *const empty[] = {"median_ns", "evals_per_s", "gflops", "rel_l2_error",
                                        "stop_reason"};
    for (size_t e = 0; e < sizeof empty / sizeof empty[0]; e++)
      assert_string_equal(text_at(t, row, empty[e]), "");
  }
  assert_contains(program_err, "inapplicable: ");
  dcs_table_free(t);
  if (gpu) return;
  assert_contains(program_err, "GPU variants: no_device: no ");
  assert_status(program_run("sweep --variants cuda_naive --atoms 50 --grid 8^3 --out %s",
                            in_folder("nothing")),
                4);
  assert_contains(program_err, "nothing that was asked for can run on this machine\n");
  /* What is computed to judge, or to tell an error of a model, is not for what cannot run. */
  assert_status(program_run("sweep --variants cuda_cutoff_cells --cutoff 3 --atoms 50 --grid 8^3 "
                            "--out %s",
                            in_folder("nothing_within")),
                4);
  t = run_table("nothing_within", "summary.csv");
  assert_string_equal(text_at(t, 0, "model_error"), "");
  assert_true(number_at(t, 0, "evals_useful") > 0 && number_at(t, 0, "evals_useful") < 50 * 512);
  dcs_table_free(t);
}

/* Each memory is a row of the scopes that copy, and of those alone. */
/* What fits is measured; what does not has rows that say so, also after a resume. */
static void a_grid_beyond_the_memory_has_rows_and_the_sweep_goes_on(void **state) {
  (void)state;
  for (int part = 0; part < 2; part++) {
    assert_status(program_run("sweep --variants cpu_simd,cpu_gather --config threads=1 --atoms 5 "
                              "--grid 8192^3,4^3 --rounds 2 --out %s %s",
                              in_folder("large"), part ? "--resume" : ""),
                  0);
    assert_contains(program_out, "2 measurements ok, 0 failed, 2 not possible here");
    if (part == 0)
      assert_contains(program_err, "memory: 5 atoms, 8192x8192x8192: needs 2.2e+03 GB");
    dcs_table *summary = run_table("large", "summary.csv");
    assert_int_equal(dcs_table_rows(summary), 4);
    for (size_t row = 0; row < 4; row++) {
      const bool fits = strcmp(text_at(summary, row, "nx"), "4") == 0;
      assert_string_equal(text_at(summary, row, "outcome"), fits ? "ok" : "memory");
      assert_string_equal(text_at(summary, row, "evals_useful"), fits ? "320" : "2748779069440");
      if (!fits) assert_contains(text_at(summary, row, "why"), "GB are free");
    }
    dcs_table_free(summary);
  }
}

static void memory_multiplies_the_scopes_that_copy(void **state) {
  (void)state;
  static const char *const expected[][2] = {{"kernel", ""},
                                            {"warm", "pinned"},
                                            {"warm", "managed"},
                                            {"first", "pinned"},
                                            {"first", "managed"}};
  bool gpu = program_has_gpu();
  put_file(in_folder("memory.csv"), "variants,config,atoms,grid,scope,memory\n"
                                    "cpu_gather,threads=1,50,8^3,\"kernel,first\",pinned\n"
                                    "cuda_naive,,50,8^3,warm,managed\n");
  int status =
      program_run("sweep --variants cpu_gather,cuda_naive --atoms 50 --grid 8^3 --rounds 2 "
                  "--scope kernel,warm,first --memory managed,pinned --out %s",
                  in_folder("memory"));
  assert_status(status, 0);
  dcs_table *t = run_table("memory", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 2 + 5);
  for (size_t row = 0; row < 2; row++)
    assert_string_equal(text_at(t, row, "memory"), "");
  for (size_t row = 0; row < 5; row++) {
    assert_string_equal(text_at(t, 2 + row, "scope"), expected[row][0]);
    assert_string_equal(text_at(t, 2 + row, "memory"), expected[row][1]);
    if (!gpu) assert_string_equal(text_at(t, 2 + row, "outcome"), "no_device");
  }
  dcs_table_free(t);
  assert_status(program_run("sweep --plan %s --rounds 2 --out %s", in_folder("memory.csv"),
                            in_folder("memory_plan")),
                0);
  check_run("memory_plan", gpu ? 3 : 2, 2);
}

static void the_report_keeps_memories_apart(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_folder("reported"), 0777), 0);
  put_file(in_folder("reported/summary.csv"),
           "variant,backend,threads,config,devices,scope,memory,problem,problem_config,atoms,nx,ny,"
           "nz,median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,gflops,limit_fraction,outcome\n"
           "v,gpu,,a=1,cuda:0,warm,pinned,coulomb,,5,8,8,8,3000000,,,3e9,30,,ok\n"
           "v,gpu,,a=2,cuda:0,warm,pinned,coulomb,,5,8,8,8,2000000,,,4e9,40,,ok\n"
           "v,gpu,,a=1,cuda:0,warm,mapped,coulomb,,5,8,8,8,7000000,,,1e9,10,,ok\n");
  put_file(in_folder("reported/env.csv"), "key,value\nschema,4\ncpu_model,c\ncpus,2\nseed,1\n");
  assert_status(program_run("report %s --all", in_folder("reported")), 0);
  assert_contains(program_out, "warm   pinned   2  ");
  assert_contains(program_out, "warm   mapped   7  ");
  assert_status(program_run("report %s", in_folder("reported")), 0);
  assert_contains(program_out, "a=2"); /* the best of all */
  assert_null(strstr(program_out, "a=1"));
}

static void an_atom_on_a_grid_point_is_reported_and_left_out(void **state) {
  (void)state;
  put_file(in_folder("node.pqr"), "ATOM 1 X UNK 1 2.0 2.0 2.0 1.0 1.0\n"
                                  "ATOM 2 X UNK 1 1.0 1.5 0.5 -1.0 1.0\n"
                                  "ATOM 3 X UNK 1 1.1 1.6 0.7 -1.0 1.0\n");
  assert_status(
      program_run("sweep --variants cpu --input %s --spacing 0.5 --origin 0,0,0 --grid 9^3 "
                  "--rounds 1 --out %s",
                  in_folder("node.pqr"), in_folder("node")),
      0);
  assert_contains(program_err, "2 atoms lie on grid points");
  dcs_table *t = run_table("node", "summary.csv");
  assert_true(dcs_table_rows(t) >= 4);
  assert_int_equal(count(t, "outcome", "ok"), dcs_table_rows(t));
  assert_int_equal(count(t, "spacing", "0.5"), dcs_table_rows(t));
  dcs_table_free(t);
}

/* ---- inputs and plans ---- */

static void an_input_gives_atoms_and_grid(void **state) {
  (void)state;
  assert_status(program_run("generate water --atoms 60 --out %s", in_folder("w.pqr")), 0);
  assert_status(
      program_run("sweep --variants cpu_gather --input %s --spacing 2 --margin 3 --rounds "
                  "1 --out %s",
                  in_folder("w.pqr"), in_folder("box")),
      0);
  dcs_table *t = run_table("box", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 1);
  assert_string_equal(text_at(t, 0, "atoms"), "60");
  assert_string_equal(text_at(t, 0, "spacing"), "2");
  /* 20 molecules at 0.0334 each cubic angstrom: a box of 8.4 angstrom, less what hydrogens leave
   * free, and twice 3 around it. */
  assert_true(number_at(t, 0, "nx") >= 6 && number_at(t, 0, "nx") <= 9);
  dcs_table_free(t);
  assert_status(program_run("sweep --variants cpu_gather --input %s --atoms 10,61 --out %s",
                            in_folder("w.pqr"), in_folder("none")),
                2);
  assert_contains(program_err, "w.pqr has 60 atoms; --atoms asks for 61");
  assert_false(exists(in_folder("none")));
  assert_status(program_run("sweep --variants cpu_gather --out %s", in_folder("none")), 2);
  assert_contains(program_err, "--atoms is missing");
}

static void executed_work_leaves_out_atoms_without_charge(void **state) {
  (void)state;
  put_file(in_folder("half.pqr"),
           "ATOM 1 C A 1 1.0 1.0 1.0 0.5 1.0\nATOM 2 C A 1 2.0 1.5 1.0 0.0 1.0\n"
           "ATOM 3 C A 1 3.0 1.0 2.0 0.0 1.0\nATOM 4 C A 1 4.0 2.0 2.0 -0.25 1.0\n");
  assert_status(program_run("sweep --variants cpu_gather --config threads=1 --input %s --grid 5^3 "
                            "--rounds 2 --out %s",
                            in_folder("half.pqr"), in_folder("half")),
                0);
  dcs_table *summary = run_table("half", "summary.csv");
  assert_true(number_at(summary, 0, "atoms") == 4);
  assert_true(number_at(summary, 0, "evals_useful") == 4 * 125);
  assert_true(number_at(summary, 0, "evals_executed") == 2 * 125);
  dcs_table_free(summary);
}

static void a_plan_measures_a_method_once_where_its_lines_meet(void **state) {
  (void)state;
  put_file(in_folder("plan.csv"), "scope,variants,config,atoms,grid\n"
                                  "kernel,cpu_gather,threads=1,50,8^3\n"
                                  ",\"cpu_simd,cpu_gather\",threads=1|2,\"50,60\",8x8x8\n");
  assert_status(
      program_run("sweep --plan %s --rounds 2 --out %s", in_folder("plan.csv"), in_folder("plan")),
      0);
  check_run("plan", 8, 2); /* 2 variants, 2 numbers of threads, 2 of atoms */
}

static void a_plan_that_is_wrong_is_named_with_its_row(void **state) {
  (void)state;
  static const struct {
    const char *text, *parts[2];
  } bad[] = {
      {"variants,config,atoms,grid\ncpu_gather,,50,8^3\n", {"no column \"scope\"", "header"}},
      {"variants,config,atoms,grid,scope\n", {"no rows", "expected"}},
      {"variants,config,atoms,grid,scope,cutoff,smooth\ncpu,,5,8^3,kernel,12,\n",
       {"row 1: found 2 columns that no plan has", "problem_config"}},
      {"variants,config,atoms,grid,scope,problem_config\ncpu,,5,8^3,kernel,cutof=1\n",
       {"row 2", "did you mean cutoff?"}},
      {"variants,config,atoms,grid,scope,problem\ncpu,,5,8^3,kernel,densty\n",
       {"row 2", "\"densty\""}},
      {"variants,config,atoms,grid,scope\ncpu,,5,8^3,\ncpu,,5o,8^3,\n", {"row 3", "\"5o\""}},
      {"variants,config,atoms,grid,scope\ncpu,,5,8^3,wram\n", {"row 2", "\"wram\""}},
      {"variants,config,atoms,grid,scope,memory\ncpu,,5,8^3,,pined\n", {"row 2", "\"pined\""}},
      {"variants,config,atoms,grid,scope\ncpu,,5\n", {"row 2", "3 cells; expected 5"}},
      {"variants,config,atoms,grid,scope\ncpu,,5,8^3,kernel\ncpu,,6,8^3,kernel",
       {"row 3", "expected a newline behind it"}},
      {"", {"empty file", "header row"}}};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
    put_file(in_folder("bad.csv"), bad[b].text);
    assert_status(program_run("sweep --plan %s --out %s", in_folder("bad.csv"), in_folder("none")),
                  3);
    assert_contains(program_err, in_folder("bad.csv"));
    assert_contains(program_err, bad[b].parts[0]);
    assert_contains(program_err, bad[b].parts[1]);
    assert_false(exists(in_folder("none")));
  }
  assert_status(program_run("sweep --plan %s --out %s", in_folder("no.csv"), in_folder("none")), 5);
  assert_contains(program_err, in_folder("no.csv"));
  assert_status(program_run("sweep --plan %s --atoms 5 --out x", in_folder("plan.csv")), 2);
  assert_contains(program_err, "one or the other");
}

/* A row of two threads has two; where fewer can be had there is none of that name, and the limit of
 * all CPUs is that of those that can be used. */
static void a_row_has_its_threads(void **state) {
  (void)state;
#ifndef _OPENMP
  skip();
#endif
  assert_int_equal(setenv("OMP_THREAD_LIMIT", "1", 1), 0);
  int status = program_run("sweep --variants cpu_gather --config threads=1|2 --atoms 5 --grid 4^3 "
                           "--rounds 2 --out %s",
                           in_folder("limited"));
  assert_int_equal(unsetenv("OMP_THREAD_LIMIT"), 0);
  assert_status(status, 0);
  assert_contains(program_err, "threads=2: OpenMP gives 1; expected as many");
  dcs_table *summary = run_table("limited", "summary.csv"), *env = run_table("limited", "env.csv");
  assert_int_equal(dcs_table_rows(summary), 2);
  assert_string_equal(text_at(summary, 0, "threads"), "1");
  assert_string_equal(text_at(summary, 0, "outcome"), "ok");
  assert_string_equal(text_at(summary, 1, "threads"), "2");
  assert_string_equal(text_at(summary, 1, "outcome"), "not_built");
  assert_string_equal(text_at(summary, 1, "n"), "0");
  assert_contains(text_at(summary, 1, "why"), "OMP_THREAD_LIMIT");
  for (size_t row = 0; row < dcs_table_rows(env); row++)
    if (strcmp(text_at(env, row, "key"), "cpus") == 0)
      assert_string_equal(text_at(env, row, "value"), "1");
  dcs_table_free(summary);
  dcs_table_free(env);
}

/* However the environment asks for fewer, as a shared machine's may. */
static void dynamic_threads_change_nothing(void **state) {
  (void)state;
#ifndef _OPENMP
  skip();
#endif
  assert_int_equal(setenv("OMP_DYNAMIC", "true", 1), 0);
  int status = program_run("sweep --variants cpu_gather --config threads=33 --atoms 5 --grid 4^3 "
                           "--rounds 2 --out %s",
                           in_folder("dynamic"));
  assert_int_equal(unsetenv("OMP_DYNAMIC"), 0);
  assert_status(status, 0);
  check_run("dynamic", 1, 2);
}

/* `limits --sessions` and `compare --run` sweep in folders that they then remove. */
static void of_a_folder_that_is_removed_nothing_is_told(void **state) {
  (void)state;
  static const char *const folders[] = {"dcsbench-abcdef/0", "dcsbench-abcde/0"};
  setenv("TMPDIR", test_folder, 1);
  for (int i = 0; i < 2; i++) {
    char line[2 * PATH_MAX], samples[64];
    snprintf(samples, sizeof samples, "%s/samples.csv", folders[i]);
    snprintf(line, sizeof line,
             "sweep --variants cpu_gather --atoms 1000 --grid 32^3 --rounds 1000 --out %s",
             in_folder(folders[i]));
    FILE *err = tmpfile();
    assert_non_null(err);
    const pid_t pid = program_start(line, STDOUT_FILENO, fileno(err));
    while (!exists(in_folder(samples)) && program_goes_on(pid))
      ;
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(program_wait(pid), DCS_FAILED);
    program_take(err, program_err, sizeof program_err);
    assert_contains(program_err, "interrupted");
    assert_true((strstr(program_err, "is kept in") == NULL) == (i == 0));
  }
  unsetenv("TMPDIR");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_has_its_threads),
      cmocka_unit_test(dynamic_threads_change_nothing),
      cmocka_unit_test(files_agree_with_odd_rounds),
      cmocka_unit_test(files_agree_with_even_rounds),
      cmocka_unit_test(samples_are_batched_and_interleaved),
      cmocka_unit_test(sampling_goes_on_until_the_interval_is_narrow),
      cmocka_unit_test(env_tells_the_run_and_no_user),
      cmocka_unit_test(what_was_measured_is_never_written_over),
      cmocka_unit_test(what_cannot_run_has_a_row_and_the_sweep_goes_on),
      cmocka_unit_test(a_grid_beyond_the_memory_has_rows_and_the_sweep_goes_on),
      cmocka_unit_test(memory_multiplies_the_scopes_that_copy),
      cmocka_unit_test(the_report_keeps_memories_apart),
      cmocka_unit_test(an_atom_on_a_grid_point_is_reported_and_left_out),
      cmocka_unit_test(an_input_gives_atoms_and_grid),
      cmocka_unit_test(executed_work_leaves_out_atoms_without_charge),
      cmocka_unit_test(a_plan_measures_a_method_once_where_its_lines_meet),
      cmocka_unit_test(a_plan_that_is_wrong_is_named_with_its_row),
      cmocka_unit_test(of_a_folder_that_is_removed_nothing_is_told),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
