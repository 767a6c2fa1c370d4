/* `dcsbench tune` as a user runs it, and evaluations of kernels that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/device/cuda/nvrtc.h"
#include "tests/planted_kernels.h"
#include "tests/run_folder.h"
#include "tests/written_journal.h"
#include "tuning/tuner/tuner.h"

static int begin(void **state) {
  if (program_setup(state) != 0 || !mkdtemp(kernel_folder)) return -1;
  return setenv("DCSBENCH_DATA", in_folder("data"), 1);
}

static int end(void **state) {
  char path[128];
  kernel_path("naive.cu", path);
  unlink(path);
  return rmdir(kernel_folder) == 0 ? program_teardown(state) : -1;
}

static const char small[] = "--atoms 50 --grid 12x10x8";

static void forget_all(void) {
  assert_status(program_run("tune forget all"), 0);
  unlink(in_folder("data/journal.csv"));
}

/* ---- on this machine ---- */

static void a_cpu_variant_is_tuned_and_kept(void **state) {
  (void)state;
  forget_all();
  assert_status(program_run("tune cpu_gather %s --budget 20 --last 0", small), 0);
  assert_contains(program_out, "strategy surrogate");
  assert_contains(program_out, "\ncpu_gather threads=");
  assert_contains(program_err, "the winner is kept");
  dcs_table *journal = run_table("data", "journal.csv");
  size_t rows = dcs_table_rows(journal);
  assert_true(rows >= 2);
  for (size_t row = 0; row < rows; row++) {
    assert_string_equal(text_at(journal, row, "outcome"), "ok");
    assert_true(number_at(journal, row, "seq") == (double)row);
    bool final = strcmp(text_at(journal, row, "strategy"), "final") == 0;
    assert_true(number_at(journal, row, "n") == 7 || final);
    assert_true(number_at(journal, row, "median_ns") > 0);
    assert_true(number_at(journal, row, "spent_s") > 0);
  }
  assert_string_equal(text_at(journal, rows - 1, "strategy"), "final");
  dcs_table_free(journal);
  assert_status(program_run("tune show"), 0);
  assert_contains(program_out, "cpu_gather");
  assert_status(program_run("tune export"), 0);
  assert_contains(program_out, "schema,variant,scope,machine");
}

/* Only the last measurement is made anew. */
static void what_the_journal_holds_is_not_measured_again(void **state) {
  (void)state;
  forget_all();
  assert_status(program_run("tune cpu_scatter %s --config threads=1 --samples 6", small), 0);
  dcs_table *journal = run_table("data", "journal.csv");
  assert_int_equal(dcs_table_rows(journal), 2);
  dcs_table_free(journal);
  assert_status(program_run("tune cpu_scatter %s --config threads=1 --samples 6", small), 0);
  assert_contains(program_err, "1 configuration is known from it already");
  assert_contains(program_out, "0 evaluations");
  journal = run_table("data", "journal.csv");
  assert_int_equal(dcs_table_rows(journal), 3);
  assert_string_equal(text_at(journal, 2, "strategy"), "final");
  dcs_table_free(journal);
}

static void an_interrupted_tuning_keeps_what_it_measured(void **state) {
  (void)state;
  forget_all();
  char arguments[512];
  snprintf(arguments, sizeof arguments,
           "tune cpu_gather --atoms 20000 --grid 64^3 --config threads=1 --samples 1000");
  FILE *out = tmpfile(), *err = tmpfile();
  pid_t pid = program_start(arguments, fileno(out), fileno(err));
  while (!exists(in_folder("data/journal.csv")) && waitpid(pid, NULL, WNOHANG) == 0)
    usleep(10000);
  kill(pid, SIGINT);
  int status = program_wait(pid);
  program_take(err, program_err, sizeof program_err);
  fclose(out);
  assert_status(status, 1);
  assert_contains(program_err, "interrupted");
  dcs_table *journal = run_table("data", "journal.csv"); /* whole, if empty */
  dcs_table_free(journal);
}

/* A journal that cannot be read: what is wrong besides is said before it is looked at. */
static void put_wrong_journal(void) {
  mkdir(in_folder("data"), 0777);
  put_file(in_folder("data/journal.csv"), "this,is,none\n");
}

static void what_cannot_run_here_is_said(void **state) {
  (void)state;
  put_wrong_journal();
  setenv("DCS_DISABLE_ISA", "avx512,avx2", 1);
  int status = program_run("tune cpu_avx512 --grid 64^3 --atoms 2000 --budget 20 --last 0");
  unsetenv("DCS_DISABLE_ISA");
  assert_status(status, 4);
  assert_contains(program_err, "cpu_avx512");
  if (program_has_gpu()) return;
  assert_status(program_run("tune cuda_padded --grid 64^3 --atoms 2000"), 4);
  assert_status(program_run("tune cpu_simd cuda_padded --pareto=error --grid 8^3 --atoms 20"), 4);
}

static void arguments_are_checked(void **state) {
  (void)state;
  const struct {
    const char *arguments, *said;
    int status;
  } cases[] = {
      {"tune", "the variant to tune is missing", 2},
      {"tune cpu_gather --grid 8^3", "--atoms is missing", 2},
      {"tune cpu_gather --atoms 8", "--grid is missing", 2},
      {"tune cpu_gathr", "did you mean cpu_gather", 2},
      {"tune cpu_gathr --atoms 8 --grid 8^3", "did you mean cpu_gather", 2},
      {"tune cpu --atoms 8 --grid 8^3", "expected one variant", 2},
      {"tune cpu_gather cpu_simd --atoms 8 --grid 8^3", "one is tuned at a time", 2},
      {"tune cpu_gather --atoms 8 --grid 8^3 --strategy gredy", "did you mean greedy", 2},
      {"tune cpu_gather --atoms 8 --grid 8^3 --strategy annealing", "expected exhaustive, random",
       2},
      {"tune cpu_gather --atoms 8 --grid 8^3 --scope warm", "for a CPU variant", 2},
      {"tune cpu_gather --atoms 8 --grid 8^3 --config thread=2", "did you mean threads", 2},
      {"tune cuda_naive --atoms 8 --grid 8^3 --config blokc_x=16", "did you mean block_x", 2},
      {"tune cuda_naive --atoms 8 --grid 8^3 --config block_x=0", "found 0; expected 1 to", 2},
      {"tune cuda_naive --atoms 8 --grid 8^3 --pareto --config block_x=0", "found 0; expected", 2},
      {"tune cuda_naive --atoms 8 --grid 8^3 --device emulated", "no times", 2},
      {"tune --replay", "a JOURNAL is missing", 2},
      {"tune --study x.csv", "--out DIR is missing", 2},
      {"tune --replay /nonexistent/journal.csv", "/nonexistent/journal.csv", 5},
      {"tune show everything", "found \"everything\"; expected nothing", 2},
      {"tune forget", "what to forget", 2},
      {"tune forget cpu_gathr", "did you mean cpu_gather", 2},
      {"tune cpu_gather --atoms 8 --grid 8^3", "journal.csv: found no column", 3},
  };
  put_wrong_journal();
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    assert_status(program_run("%s", cases[c].arguments), cases[c].status);
    assert_contains(program_err, cases[c].said);
  }
  unlink(in_folder("data/journal.csv"));
}

static void the_space_is_listed(void **state) {
  (void)state;
  assert_status(program_run("tune --list cuda_padded --grid 64^3 --atoms 2000"), 0);
  assert_contains(program_out, "legal configurations of");
  assert_contains(program_out, "block_x");
  assert_contains(program_out, "CUDA allows 1024");
}

static void a_damaged_entry_is_a_miss_with_a_warning(void **state) {
  (void)state;
  forget_all();
  assert_status(program_run("tune cpu_scatter %s --config threads=1", small), 0);
  char *text = get_file(in_folder("data/tuned.csv"), NULL);
  char *at = strstr(text, "threads=1");
  assert_non_null(at);
  at[8] = '2';
  put_file(in_folder("data/tuned.csv"), text);
  free(text);
  assert_status(program_run("tune show"), 0);
  assert_contains(program_err, "1 damaged row is left out");
  assert_contains(program_out, "holds no entry");
}

static void a_sweep_takes_what_was_tuned(void **state) {
  (void)state;
  forget_all();
  assert_status(program_run("tune cpu_scatter %s --config threads=1", small), 0);
  assert_status(
      program_run("sweep --variants cpu_scatter,cpu_gather --atoms 50,5000 --grid 12x10x8 "
                  "--config tuned --rounds 2 --out %s",
                  in_folder("tuned_sweep")),
      0);
  assert_contains(program_err,
                  "cpu_scatter on 50 atoms, 12x10x8: tuned on this machine: threads=1");
  assert_contains(program_err, "cpu_scatter on 5000 atoms, 12x10x8: not tuned: initial values");
  assert_contains(program_err, "cpu_gather on 50 atoms, 12x10x8: not tuned: initial values");
  dcs_table *summary = run_table("tuned_sweep", "summary.csv");
  assert_int_equal(dcs_table_rows(summary), 4);
  for (size_t row = 0; row < 4; row++)
    if (strcmp(text_at(summary, row, "variant"), "cpu_scatter") == 0 &&
        strcmp(text_at(summary, row, "atoms"), "50") == 0)
      assert_string_equal(text_at(summary, row, "config"), "threads=1");
  dcs_table_free(summary);
}

/* ---- compiled ahead ---- */

static int cached_files(void) {
  int files = 0;
  DIR *folder = opendir(cache_folder);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));)
    files += entry->d_name[0] != '.';
  closedir(folder);
  return files;
}

/* How many configurations the space has, and how many of them are compiled until then. */
static int compile_ahead(const char *id, const char *config, double until_ns, int *compiled) {
  const dcs_problem problem = {.n_inputs = 100, .n = {64, 64, 64}, .spacing = 1};
  dcs_progress progress = dcs_progress_start();
  dcs_space space;
  int version;
  if (dcs_nvrtc_version(&version) != DCS_OK) skip();
  assert_int_equal(dcs_space_build(dcs_find_variant(id), config, &problem, 2, &space), DCS_OK);
  int before = cached_files(), n = space.n;
  assert_int_equal(dcs_compile_ahead(&space, NULL, "sm_90", 2, until_ns, &progress), DCS_OK);
  *compiled = cached_files() - before;
  dcs_space_free(&space);
  return n;
}

static void a_space_is_compiled_ahead(void **state) {
  (void)state;
  int compiled;
  assert_int_equal(compile_ahead("cuda_padded",
                                 "block_x=16|32,block_y=2|4,coarsen=2,chunk_atoms=64", INFINITY,
                                 &compiled),
                   8);
  assert_int_equal(compiled, 8);
}

/* All of this space takes a hundred times as long. */
static void compiling_ahead_ends_in_time(void **state) {
  (void)state;
  int compiled, n = compile_ahead("cuda_volume", "", dcs_now_ns() + 1e8, &compiled);
  assert_true(compiled < n);
}

/* ---- recorded ---- */

static void a_journal_is_replayed_without_a_machine(void **state) {
  (void)state;
  dcs_space space;
  put_journal(in_folder("recorded.csv"), &padded_space, &space);
  dcs_space_free(&space);
  const char *path = in_folder("recorded.csv");
  assert_status(program_run("tune --replay %s --strategy exhaustive", path), 0);
  assert_contains(program_out, ": 0.00% slower than the best recorded");
  assert_contains(program_out, "3000 atoms, 100x90x80, Generated \"card\", 1, cuda_padded: 304");
  assert_status(program_run("tune --replay %s --seed 4 --budget-evals 25", path), 0);
  assert_contains(program_out, "25 evaluations");
  char *before = strdup(program_out);
  assert_status(program_run("tune --replay %s --seed 4 --budget-evals 25", path), 0);
  assert_string_equal(program_out, before);
  free(before);
  assert_status(program_run("tune --replay %s --budget-evals 1", path), 0);
  assert_contains(program_out, ": 1 evaluation by");
}

static void a_cut_last_row_is_said(void **state) {
  (void)state;
  dcs_space space;
  const char *path = in_folder("cut.csv");
  put_journal(path, &padded_space, &space);
  assert_status(program_run("tune --replay %s --strategy exhaustive", path), 0);
  assert_null(strstr(program_err, "cut off"));
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(truncate(path, facts.st_size - 5), 0);
  assert_status(program_run("tune --replay %s --strategy exhaustive", path), 0);
  assert_contains(program_err, "cut.csv: the last row was cut off and is left out");
  char known[64];
  snprintf(known, sizeof known, "known now: %d of %d", space.n - 1, space.n - 1);
  assert_contains(program_out, known);
  dcs_space_free(&space);
}

/* ---- failures are outcomes ---- */

static void a_wrong_kernel_is_an_outcome_without_a_time(void **state) {
  (void)state;
  bench_fixture *f = fixture_of(state);
  const dcs_variant *variant = dcs_find_variant("cuda_naive");
  dcs_live live = {
      .bench = f->bench,
      .c = f->c,
      .subject = {.variant = variant, .scope = DCS_KERNEL, .size = dcs_case_size(&f->c)},
      .device = "emulated",
      .driver = "",
      .nvrtc = ""};
  dcs_space space;
  dcs_journal_writer journal;
  dcs_evaluation e = dcs_evaluation_unknown;
  unlink(in_folder("wrong.csv"));
  plant("naive.cu", drops_an_atom);
  assert_int_equal(dcs_space_build(variant, "block_x=32,block_y=4", &f->c.problem, 2, &space),
                   DCS_OK);
  assert_int_equal(dcs_journal_open(in_folder("wrong.csv"), &journal), DCS_OK);
  assert_int_equal(dcs_live_open(&live, &space, DCS_KERNEL), DCS_OK);
  live.journal = &journal;
  assert_int_equal(live.evaluator.more(&live.evaluator, 0, 3, &e), DCS_OK);
  assert_true(e.known);
  assert_int_equal(e.outcome, DCS_OUTCOME_WRONG);
  assert_int_equal(e.n, 0);
  plant("naive.cu", "this does not compile");
  live.methods[0] = (dcs_live_method){0};
  assert_int_equal(live.evaluator.more(&live.evaluator, 0, 3, &e), DCS_OK);
  assert_int_equal(e.outcome, DCS_OUTCOME_COMPILE);
  assert_int_equal(dcs_journal_close(&journal), DCS_OK);
  dcs_live_close(&live);
  dcs_space_free(&space);
  f->c = (dcs_case){0}; /* closed with the live evaluator */
  dcs_reference_free(&f->reference);
  free(f);
  *state = NULL;
  char path[PATH_MAX], *paths[] = {path};
  snprintf(path, sizeof path, "%s", in_folder("wrong.csv"));
  dcs_table *table;
  assert_int_equal(dcs_table_read(path, &table), DCS_OK);
  assert_int_equal(dcs_table_rows(table), 2);
  assert_string_equal(text_at(table, 0, "outcome"), "wrong");
  assert_string_equal(text_at(table, 0, "times_ns"), "");
  assert_string_equal(text_at(table, 0, "median_ns"), "");
  assert_contains(text_at(table, 0, "why"), "expected");
  assert_string_equal(text_at(table, 1, "outcome"), "compile");
  dcs_table_free(table);
  dcs_journal read;
  assert_int_equal(dcs_journal_read(paths, 1, &read, stderr), DCS_OK);
  dcs_journal_free(&read);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  if (argc > 2 && strcmp(argv[1], "compile") == 0) return dcs_command_compile(argc - 1, argv + 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cpu_variant_is_tuned_and_kept),
      cmocka_unit_test(what_the_journal_holds_is_not_measured_again),
      cmocka_unit_test(an_interrupted_tuning_keeps_what_it_measured),
      cmocka_unit_test(what_cannot_run_here_is_said),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(the_space_is_listed),
      cmocka_unit_test(a_damaged_entry_is_a_miss_with_a_warning),
      cmocka_unit_test(a_sweep_takes_what_was_tuned),
      cmocka_unit_test(a_space_is_compiled_ahead),
      cmocka_unit_test(compiling_ahead_ends_in_time),
      cmocka_unit_test(a_journal_is_replayed_without_a_machine),
      cmocka_unit_test(a_cut_last_row_is_said),
      cmocka_unit_test_setup_teardown(a_wrong_kernel_is_an_outcome_without_a_time, emulated_begin,
                                      emulated_end),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
