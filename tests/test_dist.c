/* `make dist`: what a release holds, and that it builds outside a repository. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/shell.h"

static char release[PATH_MAX]; /* its folder, unpacked */

static void succeeds(const char *what, int status) {
  if (status != 0) fail_msg("%s: status %d: %s", what, status, said);
}

static int setup(void **state) {
  if (program_setup(state) != 0) return -1;
  if (run("git rev-parse --verify HEAD") != 0) return 0;
  succeeds("make dist", run("make BUILD=%s dist && tar -xzf %s/dcsbench-*.tar.gz -C %s",
                            in_folder("out"), in_folder("out"), in_folder("")));
  succeeds("ls", run("ls -d %s/dcsbench-*/", in_folder("")));
  snprintf(release, sizeof release, "%.*s", (int)strcspn(said, "\n"), said);
  return 0;
}

static void need_release(void) {
  if (*release) return;
  print_message("skipped: no git repository here\n");
  skip();
}

/* The files of the commit, and none that was built. */
static void it_holds_the_sources(void **state) {
  (void)state;
  static const char *const files[] = {"Makefile",     "README.md",          "LICENSE",    "NEWS.md",
                                      "CITATION.cff", "library/example.py", ".clang-tidy"};
  need_release();
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", release, files[f]);
    if (!exists(path)) fail_msg("no %s", files[f]);
  }
  succeeds("list",
           run("git ls-tree -r --name-only HEAD | LC_ALL=C sort > %s; cd %s && find . -type "
               "f | sed 's,^./,,' | LC_ALL=C sort | cmp - %s",
               in_folder("tracked"), release, in_folder("tracked")));
  succeeds("built",
           run("! find %s -name '*.[oa]' -o -name '*.so*' -o -name build | grep .", release));
}

/* Even within the repository of another, whose commit is not the release's. */
static void it_knows_its_commit(void **state) {
  (void)state;
  char expected[128];
  need_release();
  succeeds("other", run("cd %s && git init -q && git -c user.name=x -c user.email=x@y commit -q "
                        "--allow-empty -m x",
                        in_folder("")));
  succeeds("commit", run("git rev-parse --short HEAD"));
  snprintf(expected, sizeof expected, "#define DCS_GIT_STATE \"%.*s", 7, said);
  succeeds("version", run("cd %s && make BUILD=b b/version.h && cat b/version.h", release));
  assert_contains(said, expected);
}

/* All of it where tests may take long; else what make would do. */
static void it_builds(void **state) {
  (void)state;
  need_release();
  const int full = getenv("DCS_TEST_FULL") != NULL;
  succeeds("make", run("cd %s && make %s BUILD=b all", release, full ? "-j2" : "-n"));
  if (!full) return;
  succeeds("verify", run("%s/b/dcsbench verify --variants cpu_gather", release));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_holds_the_sources),
      cmocka_unit_test(it_knows_its_commit),
      cmocka_unit_test(it_builds),
  };
  /* Of the make that runs the tests. */
  unsetenv("MAKEFLAGS"), unsetenv("MFLAGS"), unsetenv("MAKELEVEL"), unsetenv("CFLAGS");
  return cmocka_run_group_tests_name("dist", tests, setup, program_teardown);
}
