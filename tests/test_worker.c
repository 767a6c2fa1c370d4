/* Faults in kernels: each costs itself alone, is told apart from the others, and what comes next
 * works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/worker/worker.h"
#include "tests/planted_kernels.h"

#include <errno.h>
#include <sys/wait.h>

/* Plants a kernel, expects its outcome and a part of its message, then a good method on the same
 * bench, on the device and on the CPU. */
static void expect_fault(void **state, const char *text, dcs_outcome outcome, const char *message) {
  bench_fixture *f = fixture_of(state);
  expect_ok(f, "cuda_constant");
  plant("naive.cu", text);
  dcs_trial trial = try_variant(f, "cuda_naive");
  if (trial.outcome != outcome)
    fail_msg("%s: %s", dcs_outcome_name(trial.outcome), dcs_error_message());
  expect_said(message);
  expect_ok(f, "cuda_constant");
  expect_ok(f, "cpu_gather");
  plant("naive.cu", right_kernel);
  expect_ok(f, "cuda_naive");
}

static void does_not_compile(void **state) {
  expect_fault(state, PLANTED_HEAD "  slice[0] = no_such_name;\n}\n", DCS_OUTCOME_COMPILE,
               "no_such_name");
}

/* The folder's file is missing, or lacks the kernel's own name. */
static void has_no_source(void **state) {
  bench_fixture *f = fixture_of(state);
  char path[128];
  kernel_path("naive.cu", path);
  unlink(path);
  assert_int_equal(try_variant(f, "cuda_naive").outcome, DCS_OUTCOME_COMPILE);
  expect_said(path);
  expect_said("No such file");
  plant("naive.cu", "extern \"C\" __global__ void other(float *map) { map[0] = 0; }\n");
  assert_int_equal(try_variant(f, "cuda_naive").outcome, DCS_OUTCOME_COMPILE);
  expect_said("dcs");
  expect_ok(f, "cuda_constant");
}

/* Where the compiler's files have no room for a while, it is no fault of the kernel. */
static void cannot_be_compiled_for_now(void **state) {
  bench_fixture *f = fixture_of(state);
  expect_ok(f, "cuda_constant");
  plant("naive.cu", PLANTED_HEAD PLANTED_SUM("0", "n_atoms") "} /* compiled anew */\n");
  char *temporary = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
  setenv("TMPDIR", "/nonexistent", 1);
  dcs_session_restart(session_of(f, DCS_GPU));
  assert_int_equal(try_variant(f, "cuda_naive").outcome, DCS_OUTCOME_MEMORY);
  expect_said("cannot make a temporary folder");
  unsetenv("TMPDIR");
  if (temporary) setenv("TMPDIR", temporary, 1);
  free(temporary);
  expect_ok(f, "cuda_naive");
  plant("naive.cu", right_kernel);
}

static void dereferences_null(void **state) {
  expect_fault(state, PLANTED_HEAD "  *(volatile int *)(size_t)(nx - nx) = 1;\n}\n",
               DCS_OUTCOME_CRASH, "the worker on emulated ");
}

static void ends_the_process(void **state) {
  expect_fault(state, "#include <unistd.h>\n" PLANTED_HEAD "  _exit(7);\n}\n", DCS_OUTCOME_CRASH,
               "the worker on emulated ended with status 7");
}

/* Killed as where memory runs out, again in the fresh worker that computes it once more. */
static void is_killed_each_time(void **state) {
  expect_fault(state, "#include <signal.h>\n" PLANTED_HEAD "  raise(SIGKILL);\n}\n",
               DCS_OUTCOME_MEMORY, "the worker on emulated was killed twice");
}

/* The map is complete and right, and one value more is written before or after it. */
static void writes_outside(void **state) {
  expect_fault(
      state,
      PLANTED_HEAD PLANTED_SUM("0", "n_atoms") "  if (k == 0 && i + j == 0) slice[-1] = 0;\n}\n",
      DCS_OUTCOME_LAUNCH, "wrote outside its buffer");
  expect_fault(state,
               PLANTED_HEAD PLANTED_SUM("0", "n_atoms") "  if (k == 1) slice[nx * ny] = 0;\n}\n",
               DCS_OUTCOME_LAUNCH, "wrote outside its buffer");
}

static void drops_the_last_atom(void **state) {
  expect_fault(state, drops_an_atom, DCS_OUTCOME_WRONG, "times the tolerance");
}

static void writes_half_the_map(void **state) {
  expect_fault(state, PLANTED_HEAD "  if (i % 2) return;\n" PLANTED_SUM("0", "n_atoms") "}\n",
               DCS_OUTCOME_WRONG, "found 0, expected");
}

static void leaves_a_nan(void **state) {
  expect_fault(state,
               PLANTED_HEAD PLANTED_SUM("0", "n_atoms") "  if (i == 16 && j == 8 && k == 1) "
                                                        "slice[j * nx + i] = sqrtf(-spacing);\n}\n",
               DCS_OUTCOME_WRONG, "point (16, 8, 1): found");
}

/* Compiled beforehand, so that the seconds that a worker is given are the kernel's. */
static void never_ends(void **state) {
  bench_fixture *f = fixture_of(state);
  static const char endless[] = PLANTED_HEAD "  volatile int go = 1;\n  while (go) {\n  }\n}\n";
  const dcs_method naive = method_of("cuda_naive");
  int slot;
  dcs_code_facts facts;
  dcs_session *session = session_of(f, DCS_GPU);
  plant("naive.cu", endless);
  assert_int_equal(dcs_session_prepare(session, 0, naive.variant, &naive.config, &slot, &facts),
                   DCS_OUTCOME_OK);
  expect_ok(f, "cuda_constant");

  bench_fixture *brief = bench_begin("emulated", 2);
  bench_end(f); /* with its worker */
  *state = brief;
  double started = dcs_now_ns();
  assert_int_equal(try_variant(brief, "cuda_naive").outcome, DCS_OUTCOME_TIMEOUT);
  assert_true(dcs_now_ns() - started >= 2e9);
  assert_string_equal(dcs_error_message(), "no answer from emulated within 2 s");
  assert_true(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* the worker is gone */
  expect_ok(brief, "cuda_constant");
  expect_ok(brief, "cpu_gather");
}

/* What the bench refuses before any worker is asked. */
static void inapplicable_is_refused(void **state) {
  bench_fixture *f = fixture_of(state);
  dcs_method method = method_of("cuda_constant");
  method.config.value[dcs_find_param(method.variant, "block_x")] = 1024;
  dcs_trial trial = dcs_bench_try(&f->bench, &method, 0, &f->reference);
  assert_int_equal(trial.outcome, DCS_OUTCOME_INAPPLICABLE);
  expect_said("threads a block");
  expect_ok(f, "cuda_constant");
}

/* An answer is about the problem put last: another grid, more atoms, then the first again. */
static void problems_follow_one_another(void **state) {
  bench_fixture *f = fixture_of(state);
  const dcs_grid grid = {.n = {33, 5, 3}, .spacing = 0.3};
  dcs_case other;
  dcs_reference reference;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 700, &grid, 9, &other), DCS_OK);
  assert_int_equal(dcs_oracle(&other, INT64_MAX, &reference), DCS_OK);
  static const char *const ids[] = {"cuda_constant", "cpu_gather"};
  for (int i = 0; i < 2; i++) {
    const dcs_method method = method_of(ids[i]);
    expect_ok(f, ids[i]);
    assert_int_equal(dcs_bench_put(&f->bench, &other, NULL, 0), DCS_OK);
    dcs_trial trial = dcs_bench_try(&f->bench, &method, 0, &reference);
    assert_int_equal(trial.outcome, DCS_OUTCOME_OK);
    assert_int_equal(dcs_bench_put(&f->bench, &f->c, NULL, 0), DCS_OK);
    expect_ok(f, ids[i]);
  }
  dcs_reference_free(&reference);
  dcs_case_free(&other);
}

#define EMULATED(f) cmocka_unit_test_setup_teardown(f, emulated_begin, emulated_end)

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      EMULATED(does_not_compile),
      EMULATED(has_no_source),
      EMULATED(cannot_be_compiled_for_now),
      EMULATED(dereferences_null),
      EMULATED(ends_the_process),
      EMULATED(is_killed_each_time),
      EMULATED(writes_outside),
      EMULATED(drops_the_last_atom),
      EMULATED(writes_half_the_map),
      EMULATED(leaves_a_nan),
      EMULATED(never_ends),
      EMULATED(inapplicable_is_refused),
      EMULATED(problems_follow_one_another),
  };
  return cmocka_run_group_tests_name("worker", tests, kernel_folder_make, kernel_folder_remove);
}
