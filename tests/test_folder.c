/* Folders, and locks that give them one owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/folder.h"
#include "harness/files/lock.h"
#include "tests/program.h"

/* ---- folders ---- */

static void folders_are_made_with_those_around_them(void **state) {
  (void)state;
  struct stat facts;
  assert_int_equal(dcs_make_folder(in_folder("a/b/c"), 0750), DCS_OK);
  assert_int_equal(dcs_make_folder(in_folder("a/b/c"), 0750), DCS_OK); /* as it is */
  assert_int_equal(stat(in_folder("a/b/c"), &facts), 0);
  assert_true(S_ISDIR(facts.st_mode));
  put_file(in_folder("a/file"), "");
  assert_int_equal(dcs_make_folder(in_folder("a/file"), 0777), DCS_IO);
  assert_contains(dcs_error_message(), "a/file: is not a folder");
  assert_int_equal(dcs_make_folder(in_folder("a/file/below"), 0777), DCS_IO);
  assert_contains(dcs_error_message(), "a/file/below: cannot make the folder: Not a directory");
  dcs_remove_folder(in_folder("a"));
  assert_false(exists(in_folder("a")));
}

static void names_that_are_too_long_are_refused(void **state) {
  (void)state;
  static char name[5000];
  char path[4096];
  memset(name, 'n', sizeof name - 1);
  assert_int_equal(dcs_make_folder(name, 0777), DCS_USAGE);
  assert_contains(dcs_error_message(), "the name of the folder is too long");
  assert_int_equal(dcs_path_in(name, "file", path), DCS_USAGE);
  name[4090] = '\0';
  assert_int_equal(dcs_path_in(name, "12345", path), DCS_USAGE);
  assert_int_equal(dcs_path_in(name, "1234", path), DCS_OK);
  assert_int_equal(strlen(path), 4095);
}

static void temporary_folders_are_where_tmpdir_says(void **state) {
  (void)state;
  char folder[4096];
  setenv("TMPDIR", in_folder("nowhere"), 1);
  assert_int_equal(dcs_make_temporary(folder), DCS_IO);
  assert_contains(dcs_error_message(), "nowhere/dcsbench-");
  assert_string_equal(folder, "");
  setenv("TMPDIR", in_folder(""), 1);
  assert_int_equal(dcs_make_temporary(folder), DCS_OK);
  assert_int_equal(strncmp(folder, in_folder(""), strlen(in_folder(""))), 0);
  assert_true(exists(folder));
  char within[4096 + 16];
  snprintf(within, sizeof within, "%s/0", folder);
  assert_true(dcs_is_in_temporary(within));
  assert_false(dcs_is_in_temporary(folder) || dcs_is_in_temporary(in_folder("0")));
  unsetenv("TMPDIR");
  assert_false(dcs_is_in_temporary(within));
  dcs_remove_folder(folder);
  assert_false(exists(folder));
  assert_int_equal(dcs_make_temporary(folder), DCS_OK);
  assert_int_equal(strncmp(folder, "/tmp/dcsbench-", 14), 0);
  dcs_remove_folder(folder);
}

static void expect_folder(const char *own, const char *xdg, const char *home,
                          const char *expected) {
  static const char *const names[] = {"DCS_TEST_OWN", "DCS_TEST_XDG", "HOME"};
  const char *const is[] = {own, xdg, home};
  char path[4096] = "";
  for (int i = 0; i < 3; i++)
    if (is[i])
      setenv(names[i], is[i], 1);
    else
      unsetenv(names[i]);
  assert_int_equal(dcs_user_folder(names[0], names[1], ".cache", path), expected != NULL);
  if (expected) assert_string_equal(path, expected);
}

/* The XDG specification has relative paths ignored. */
static void folders_of_the_user(void **state) {
  (void)state;
  static char endless[5000];
  memset(endless, '/', sizeof endless - 1);
  char *home = strdup(getenv("HOME") ? getenv("HOME") : "/");
  expect_folder("own", "/xdg", "/home", "own");
  expect_folder("", "/xdg", "/home", "/xdg/dcsbench");
  expect_folder(NULL, "xdg", "/home", "/home/.cache/dcsbench");
  expect_folder(NULL, NULL, "/home", "/home/.cache/dcsbench");
  expect_folder(NULL, NULL, "", NULL);
  expect_folder(NULL, "", NULL, NULL);
  expect_folder(NULL, endless, "/home", NULL);
  setenv("HOME", home, 1);
  free(home);
}

/* ---- locks ---- */

static void a_lock_has_one_owner(void **state) {
  (void)state;
  char path[PATH_MAX], owner[64];
  dcs_lock lock, second;
  snprintf(path, sizeof path, "%s", in_folder("lock"));
  snprintf(owner, sizeof owner, "lock: process %ld on ", (long)getpid());
  assert_false(dcs_lock_is_held(path));
  assert_int_equal(dcs_lock_own(path, "go elsewhere", &lock), DCS_OK);
  assert_true(dcs_lock_is_held(path));
  assert_int_equal(dcs_lock_own(path, "go elsewhere", &second), DCS_UNAVAILABLE);
  assert_contains(dcs_error_message(), owner);
  assert_contains(dcs_error_message(), "has it; wait for its end, or go elsewhere");
  assert_null(second.path);
  dcs_lock_leave(&second); /* nothing */
  assert_int_equal(truncate(path, 0), 0);
  assert_int_equal(dcs_lock_own(path, "go elsewhere", &second), DCS_UNAVAILABLE);
  assert_contains(dcs_error_message(), "lock: another process has it");
  dcs_lock_leave(&lock);
  assert_false(exists(path));
  assert_int_equal(dcs_lock_own(in_folder("nowhere/lock"), "go elsewhere", &lock), DCS_IO);
  assert_contains(dcs_error_message(), "nowhere/lock: cannot open for writing");
}

static void a_lock_is_shared(void **state) {
  (void)state;
  dcs_lock first, second;
  const char *path = in_folder("shared");
  assert_int_equal(dcs_lock_wait(path, true, "", &first), DCS_OK);
  assert_int_equal(dcs_lock_wait(path, true, "", &second), DCS_OK);
  assert_false(dcs_lock_is_held(path)); /* by an owner */
  dcs_lock_leave(&first);
  dcs_lock_leave(&second);
  assert_true(exists(path));
  assert_int_equal(dcs_lock_wait(path, false, "", &first), DCS_OK);
  assert_true(dcs_lock_is_held(path));
  dcs_lock_leave(&first);
  assert_false(dcs_lock_is_held(path));
}

/* The owner before removes its file while another waits for it: that one's lock is on a file of the
 * name, not on the one that is gone. */
static void who_waited_locks_a_file_that_is_there(void **state) {
  (void)state;
  char path[PATH_MAX];
  dcs_lock lock;
  snprintf(path, sizeof path, "%s", in_folder("handed"));
  assert_int_equal(dcs_lock_own(path, "", &lock), DCS_OK);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dcs_lock mine;
    alarm(30);
    close(lock.fd); /* the parent's, which it would hold as well */
    _exit(dcs_lock_wait(path, false, "", &mine) != DCS_OK || !exists(path));
  }
  usleep(100000); /* it waits; where it does not yet, it finds no lock */
  dcs_lock_leave(&lock);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folders_are_made_with_those_around_them),
      cmocka_unit_test(names_that_are_too_long_are_refused),
      cmocka_unit_test(temporary_folders_are_where_tmpdir_says),
      cmocka_unit_test(folders_of_the_user),
      cmocka_unit_test(a_lock_has_one_owner),
      cmocka_unit_test(a_lock_is_shared),
      cmocka_unit_test(who_waited_locks_a_file_that_is_there),
  };
  return cmocka_run_group_tests_name("folder", tests, program_setup, program_teardown);
}
