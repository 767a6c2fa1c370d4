/* What runs the tests: that nothing fails in silence. The programs are scripts of the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"

enum { ENOUGH = 600 };
#define PASSED "echo '[==========] 2 test(s) run.'\n"

static void put_script(const char *name, const char *text) {
  char script[1000];
  snprintf(script, sizeof script, "#!/bin/sh\n%s", text);
  put_file(in_folder(name), script);
  assert_int_equal(chmod(in_folder(name), 0755), 0);
}

/* Runs the programs `names` of the folder, with a program that passes on either side; each may take
 * so long. Where the machine has much to do, what passes takes seconds, too. */
static int run(const char *names, int seconds) {
  char command[4 * PATH_MAX], programs[PATH_MAX] = "", list[256];
  put_script("test_first", PASSED);
  put_script("test_last", PASSED);
  snprintf(list, sizeof list, "%s", names);
  for (char *name = strtok(list, " "); name; name = strtok(NULL, " "))
    snprintf(programs + strlen(programs), sizeof programs - strlen(programs), " %s",
             in_folder(name));
  snprintf(command, sizeof command,
           "BUILD=%s DCS_TEST_SECONDS=%d sh tests/run.sh %s %s %s > %s 2>&1", test_folder, seconds,
           in_folder("test_first"), programs, in_folder("test_last"), in_folder("said"));
  int status = system(command);
  char *said = get_file(in_folder("said"), NULL);
  snprintf(program_err, sizeof program_err, "%s", said);
  free(said);
  return WEXITSTATUS(status);
}

static void programs_that_pass(void **state) {
  (void)state;
  put_script("test_csv", PASSED "echo '[  SKIPPED ] a_full_disk_is_said'\n");
  put_script("test_nvrtc", PASSED "echo '[  SKIPPED ] anything'\n");
  assert_status(run("test_csv test_nvrtc", ENOUGH), 0);
  assert_contains(program_err, "skipped, 2 tests:\n");
  assert_contains(program_err, "  test_csv: a_full_disk_is_said\n");
  assert_contains(program_err, "all 4 test programs passed");
}

static void programs_that_fail(void **state) {
  (void)state;
  static const struct {
    const char *script, *said;
    int seconds;
  } cases[] = {
      {PASSED "exit 3\n", "test_bad: status 3"},
      {PASSED "exit 255\n", "test_bad: status 255"},
      {PASSED "kill -9 $$\n", "test_bad: "},
      {PASSED "sleep 900\n", "test_bad: ended after 1 s: it hangs", 1},
      {"", "test_bad: did not say that its tests ran"},
      {"echo '[==========] 0 test(s) run.'\n", "did not say that its tests ran"},
      {PASSED "echo '[  SKIPPED ] a_full_disk_is_said'\n", "test_bad: skipped a_full_disk_is_said"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    put_script("test_bad", cases[i].script);
    assert_status(run("test_bad", cases[i].seconds > 0 ? cases[i].seconds : ENOUGH), 1);
    assert_contains(program_err, cases[i].said);
    assert_contains(program_err, "FAILED: ");
    assert_null(strstr(program_err, "test programs passed"));
  }
}

/* Programs that end together write to one file; each has its whole text there. */
static void texts_of_programs_that_end_together_are_whole(void **state) {
  (void)state;
  enum { N = 20, ROUNDS = 10 };
  char names[256] = "", whole[PATH_MAX + 64];
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "test_%d", i);
    put_script(name, PASSED);
    snprintf(names + strlen(names), sizeof names - strlen(names), " %s", name);
  }
  for (int round = 0; round < ROUNDS; round++) {
    assert_status(run(names, ENOUGH), 0);
    for (int i = 0; i < N; i++) {
      snprintf(whole, sizeof whole, "== %s/test_%d\n[==========] 2 test(s) run.\n", test_folder, i);
      assert_contains(program_err, whole);
    }
  }
}

/* A folder of logs that takes nothing, as a full one: the status alone must tell. */
static void a_failure_needs_no_log(void **state) {
  (void)state;
  char command[2 * PATH_MAX];
  put_script("test_bad", PASSED "exit 3\n");
  snprintf(command, sizeof command,
           "here=tests logs=%s DCS_TEST_SECONDS=%d sh tests/run_one.sh %s >%s 2>&1",
           in_folder("absent"), ENOUGH, in_folder("test_bad"), in_folder("said"));
  assert_int_not_equal(system(command), 0);
  put_script("test_bad", PASSED);
  assert_int_not_equal(system(command), 0);
}

/* The list names programs that are there, each line with a test and a reason. */
static void the_list_of_skips_is_of_tests(void **state) {
  (void)state;
  char line[512], program[128], test[128];
  int length, n = 0;
  FILE *list = fopen("tests/skips.txt", "r");
  assert_non_null(list);
  while (fgets(line, sizeof line, list)) {
    if (strncmp(line, "test_", 5) != 0) continue;
    assert_int_equal(sscanf(line, "%127s %127s %n", program, test, &length), 2);
    assert_true(strlen(line + length) > 2);
    char path[256];
    snprintf(path, sizeof path, "tests/%s.c", program);
    char *source = get_file(path, NULL);
    if (strcmp(test, "*") != 0) assert_contains(source, test);
    assert_true(*source);
    free(source);
    n++;
  }
  fclose(list);
  assert_true(n > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_that_pass),
      cmocka_unit_test(programs_that_fail),
      cmocka_unit_test(texts_of_programs_that_end_together_are_whole),
      cmocka_unit_test(a_failure_needs_no_log),
      cmocka_unit_test(the_list_of_skips_is_of_tests),
  };
  return cmocka_run_group_tests_name("run", tests, program_setup, program_teardown);
}
