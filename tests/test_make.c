/* What make refuses before it builds anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"

/* Runs make on a target that builds nothing, with a build folder of the test's; its messages. */
static int make(const char *variables) {
  char command[PATH_MAX];
  snprintf(command, sizeof command, "make BUILD=%s %s libs > %s 2>&1", in_folder("build"),
           variables, in_folder("said"));
  int status = system(command);
  char *said = get_file(in_folder("said"), NULL);
  snprintf(program_err, sizeof program_err, "%s", said);
  free(said);
  return WEXITSTATUS(status);
}

/* Such options make isnan() a constant: the verifier would accept a map of NaN. */
static void unsafe_arithmetic_is_refused(void **state) {
  (void)state;
  static const char *const refused[] = {
      "CFLAGS='-O3 -ffast-math'",  "CFLAGS=-Ofast",
      "CFLAGS=-ffinite-math-only", "CFLAGS=-funsafe-math-optimizations",
      "CFLAGS=-fassociative-math", "LDFLAGS=-ffast-math",
      "CC='cc -ffast-math'",       "CFLAGS='-freciprocal-math -g'",
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    assert_status(make(refused[i]), 2);
    assert_contains(program_err, "expected options that keep IEEE arithmetic");
  }
  setenv("CFLAGS", "-O2 -ffast-math", 1);
  int status = make("");
  unsetenv("CFLAGS");
  assert_status(status, 2);
  assert_contains(program_err, "found -ffast-math");
  assert_status(make("CFLAGS='-O3 -march=native'"), 0);
}

/* Each writes what it found into the folder, in the place of what another wrote. */
static void makes_may_run_at_once(void **state) {
  (void)state;
  enum { MAKES = 6 };
  pid_t makes[MAKES];
  for (int i = 0; i < MAKES; i++) {
    makes[i] = fork();
    assert_true(makes[i] >= 0);
    if (makes[i] == 0) _exit(make("")); /* the messages are those of all */
  }
  for (int i = 0; i < MAKES; i++)
    assert_status(program_wait(makes[i]), 0);
  char *found = get_file(in_folder("build/config.mk"), NULL);
  assert_int_equal(strncmp(found, "HAVE_LIBS := ", 13), 0);
  assert_contains(found, "\nCROSS_CC := ");
  free(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unsafe_arithmetic_is_refused),
      cmocka_unit_test(makes_may_run_at_once),
  };
  /* Of the make that runs the tests. */
  unsetenv("MAKEFLAGS"), unsetenv("MFLAGS"), unsetenv("MAKELEVEL"), unsetenv("CFLAGS");
  return cmocka_run_group_tests_name("make", tests, program_setup, program_teardown);
}
