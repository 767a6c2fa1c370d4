/* One owner at a time of a run folder, a journal and tuned.csv; and file systems without locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/lock.h"
#include "harness/sweep/sweep.h"
#include "harness/worker/worker.h"
#include "tests/run_folder.h"
#include "tuning/database/tuned.h"
#include "tuning/journal/journal.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/syscall.h>

static bool no_locks; /* as on a Lustre mount without -o flock */

static const char *removed; /* by its owner, who leaves, before the next lock is taken */

int flock(int fd, int operation) {
  if (removed) unlink(removed);
  removed = NULL;
  if (!no_locks) return (int)syscall(SYS_flock, fd, operation);
  errno = ENOSYS;
  return -1;
}

static void expect_said(const char *part) {
  assert_contains(dcs_error_message(), part);
}

/* ---- the lock ---- */

static void a_second_one_is_told_who_has_it(void **state) {
  (void)state;
  dcs_lock lock;
  char who[64];
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t owner = fork();
  assert_true(owner >= 0);
  if (owner == 0) {
    bool has = dcs_lock_own(in_folder("lock"), "wait", &lock) == DCS_OK;
    if (write(ready[1], &has, sizeof has) == sizeof has) pause();
    _exit(0);
  }
  bool has = false;
  assert_int_equal(read(ready[0], &has, sizeof has), sizeof has);
  assert_true(has);
  assert_int_equal(dcs_lock_own(in_folder("lock"), "take another folder", &lock), DCS_UNAVAILABLE);
  snprintf(who, sizeof who, "process %ld on ", (long)owner);
  expect_said(who);
  expect_said("take another folder");
  assert_null(lock.path);

  kill(owner, SIGKILL); /* what it left behind is no lock */
  assert_int_equal(program_wait(owner), 128 + SIGKILL);
  assert_int_equal(dcs_lock_own(in_folder("lock"), "wait", &lock), DCS_OK);
  dcs_lock_leave(&lock);
  assert_false(exists(in_folder("lock")));
}

/* The file that a lock is on is removed by its owner: who opened it before must not think that he
 * has one. */
static void a_lock_on_a_removed_file_is_none(void **state) {
  (void)state;
  dcs_lock first, second;
  assert_int_equal(dcs_lock_own(in_folder("gone"), "wait", &first), DCS_OK);
  int old = open(in_folder("gone"), O_RDWR);
  dcs_lock_leave(&first);
  assert_int_equal(flock(old, LOCK_EX | LOCK_NB), 0);
  assert_int_equal(dcs_lock_own(in_folder("gone"), "wait", &second), DCS_OK);
  dcs_lock_leave(&second);
  close(old);
}

/* Removed between the opening and the lock. */
static void a_lock_is_on_the_file_of_that_name(void **state) {
  (void)state;
  dcs_lock first, second;
  removed = in_folder("passing");
  assert_int_equal(dcs_lock_own(in_folder("passing"), "wait", &first), DCS_OK);
  assert_true(exists(in_folder("passing")));
  assert_int_equal(dcs_lock_own(in_folder("passing"), "wait", &second), DCS_UNAVAILABLE);
  dcs_lock_leave(&first);
}

static void readers_share_and_a_writer_waits_for_none(void **state) {
  (void)state;
  dcs_lock one, two;
  assert_int_equal(dcs_lock_wait(in_folder("shared"), true, "go away", &one), DCS_OK);
  assert_int_equal(dcs_lock_wait(in_folder("shared"), true, "go away", &two), DCS_OK);
  dcs_lock_leave(&one);
  dcs_lock_leave(&two);
  assert_int_equal(dcs_lock_wait(in_folder("shared"), false, "go away", &one), DCS_OK);
  assert_int_equal(dcs_lock_own(in_folder("shared"), "go away", &two), DCS_UNAVAILABLE);
  dcs_lock_leave(&one);
}

/* ---- run folders ---- */

static const char sweep_line[] =
    "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 2 --out %s%s";

static void a_second_sweep_ends_at_once(void **state) {
  (void)state;
  dcs_lock lock;
  char who[64];
  const char *out = in_folder("run");
  assert_status(program_run(sweep_line, out, ""), 0);
  check_run("run", 1, 2);
  assert_false(exists(in_folder("run/run.lock")));
  char *before = run_file("run", "samples.csv", NULL);
  assert_int_equal(dcs_lock_own(in_folder("run/run.lock"), "wait", &lock), DCS_OK);
  snprintf(who, sizeof who, "run/run.lock: process %ld on ", (long)getpid());
  for (int resume = 0; resume < 2; resume++) {
    assert_status(program_run(sweep_line, out, resume ? " --resume" : ""), 4);
    assert_contains(program_err, who);
    assert_contains(program_err, "wait for its end, or take another folder");
  }
  char *after = run_file("run", "samples.csv", NULL);
  assert_string_equal(after, before);
  dcs_lock_leave(&lock);
  assert_status(program_run(sweep_line, out, " --resume"), 0);
  free(before);
  free(after);
}

/* ---- without locks ---- */

static void a_sweep_without_locks_measures_nothing(void **state) {
  (void)state;
  const dcs_sweep_line line = {
      .variants = "cpu_gather", .config = "threads=1", .atoms = "5", .grid = "4^3"};
  const dcs_sweep_options options = {.lines = &line,
                                     .n_lines = 1,
                                     .device = "cuda:0",
                                     .out = in_folder("lustre"),
                                     .sampling = dcs_sampling_of(2),
                                     .timeout_s = 60};
  no_locks = true;
  assert_int_equal(dcs_sweep(&options), DCS_IO);
  no_locks = false;
  expect_said("lustre/run.lock: cannot lock: ");
  expect_said("expected a file system with locks");
  expect_said("take another folder");
  assert_false(exists(in_folder("lustre/env.csv")));
}

static void a_tuning_without_locks_is_told_before(void **state) {
  (void)state;
  dcs_journal_writer writer;
  dcs_tuned tuned;
  char path[4096];
  assert_int_equal(setenv("DCSBENCH_DATA", in_folder("data"), 1), 0);
  assert_int_equal(dcs_tuned_ready(), DCS_OK);
  no_locks = true;
  assert_int_equal(dcs_journal_open(in_folder("j.csv"), &writer), DCS_IO);
  expect_said("take another --journal");
  assert_false(exists(in_folder("j.csv")));
  assert_int_equal(dcs_tuned_ready(), DCS_IO);
  expect_said("set DCSBENCH_DATA to a folder that has them");
  assert_int_equal(dcs_tuned_path("tuned.csv", path), DCS_OK);
  assert_int_equal(dcs_tuned_read(path, &tuned), DCS_OK); /* reading goes on */
  dcs_tuned_free(&tuned);
  no_locks = false;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return (int)dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_one_is_told_who_has_it),
      cmocka_unit_test(a_lock_on_a_removed_file_is_none),
      cmocka_unit_test(a_lock_is_on_the_file_of_that_name),
      cmocka_unit_test(readers_share_and_a_writer_waits_for_none),
      cmocka_unit_test(a_second_sweep_ends_at_once),
      cmocka_unit_test(a_sweep_without_locks_measures_nothing),
      cmocka_unit_test(a_tuning_without_locks_is_told_before),
  };
  return cmocka_run_group_tests_name("owner", tests, program_setup, program_teardown);
}
