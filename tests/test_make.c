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

/* A compiler that does not find what matches; what make chose with it, and said. */
static void make_without(const char *pattern, int status, const char *chosen, const char *says) {
  char script[512], variables[PATH_MAX];
  snprintf(script, sizeof script,
           "#!/bin/sh\ncase \"$*\" in *%s*) exit 1 ;; esac\nexec cc \"$@\"\n", pattern);
  put_file(in_folder("compiler"), script);
  assert_int_equal(chmod(in_folder("compiler"), 0700), 0);
  snprintf(variables, sizeof variables, "CC=%s", in_folder("compiler"));
  assert_status(make(variables), status);
  assert_contains(program_err, says);
  char *found = get_file(in_folder("build/config.mk"), NULL);
  assert_contains(found, chosen);
  free(found);
}

static void a_shared_library_stands_in_for_an_archive(void **state) {
  (void)state;
  make_without("-l:libcsv.a", 0, "LIB_CSV := -lcsv\nLIB_JSON := -l:libjansson.a\n",
               "libcsv: no archive libcsv.a (Debian's libcsv-dev has it): the shared library is "
               "used");
  make_without("-l:libz.a", 0, "LIB_Z := -lz\n", "zlib: no archive libz.a");
  make_without("-l*jansson", 2, "LIB_JSON := \n", "jansson: none: nothing can be built");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unsafe_arithmetic_is_refused),
      cmocka_unit_test(a_shared_library_stands_in_for_an_archive),
      cmocka_unit_test(makes_may_run_at_once),
  };
  /* Of the make that runs the tests. */
  unsetenv("MAKEFLAGS"), unsetenv("MFLAGS"), unsetenv("MAKELEVEL"), unsetenv("CFLAGS");
  return cmocka_run_group_tests_name("make", tests, program_setup, program_teardown);
}
