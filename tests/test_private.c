/* Published texts name no user: the home folder under every name that it has, folders of the user's
 * name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/private.h"
#include "tests/program.h"

static void expect(const char *format, const char *expected) {
  char text[PATH_MAX + 256], found[PATH_MAX + 256];
  snprintf(text, sizeof text, format, getenv("HOME"));
  text[strcspn(text, "\n")] = '\0';
  assert_string_equal(dcs_without_user(text, found, sizeof found), expected);
}

/* The home is a link, and HOME ends with a slash, which the format takes away: %.*s would hide it.
 */
static void home_is_a_tilde(void **state) {
  (void)state;
  char text[PATH_MAX + 64], found[PATH_MAX + 64];
  static const char *const homes[] = {"link", "real"};
  for (int h = 0; h < 2; h++) {
    snprintf(text, sizeof text, "--out=%s/runs/a,%s:%s", in_folder(homes[h]), in_folder(homes[h]),
             in_folder(homes[h]));
    assert_string_equal(dcs_without_user(text, found, sizeof found), "--out=~/runs/a,~:~");
    snprintf(text, sizeof text, "%s-old/x", in_folder(homes[h])); /* another folder */
    assert_string_equal(dcs_without_user(text, found, sizeof found), text);
  }
  expect("%s", "~/");
  expect("%sa", "~/a");
}

static void folders_of_the_users_name_are_told_of_none(void **state) {
  (void)state;
  expect("/scratch/some.one/run /data/some.one\n%s", "/scratch/USER/run /data/USER");
  expect("/scratch/some.one.else/run\n%s", "/scratch/some.one.else/run");
  expect("--variants some.one\n%s", "--variants some.one"); /* no folder */
}

static void what_is_too_long_is_cut(void **state) {
  (void)state;
  char found[8];
  assert_string_equal(dcs_without_user("0123456789", found, sizeof found), "0123456");
}

/* env.csv holds the command as typed. */
static void a_run_names_no_user(void **state) {
  (void)state;
  size_t bytes;
  assert_status(program_run("sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 "
                            "--rounds 1 --out %s/run",
                            in_folder("real")),
                0);
  char *env = get_file(in_folder("real/run/env.csv"), &bytes);
  assert_contains(env, "--out ~/run\n");
  assert_null(strstr(env, test_folder));
  free(env);
}

static int setup(void **state) {
  char home[PATH_MAX];
  if (program_setup(state) != 0) return -1;
  snprintf(home, sizeof home, "%s/", in_folder("link"));
  return mkdir(in_folder("real"), 0777) == 0 && symlink("real", in_folder("link")) == 0 &&
                 setenv("HOME", home, 1) == 0 && setenv("USER", "some.one", 1) == 0
             ? 0
             : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(home_is_a_tilde),
      cmocka_unit_test(folders_of_the_users_name_are_told_of_none),
      cmocka_unit_test(what_is_too_long_is_cut),
      cmocka_unit_test(a_run_names_no_user),
  };
  return cmocka_run_group_tests_name("private", tests, setup, program_teardown);
}
