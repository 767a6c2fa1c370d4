/* `make install`: what lies where, programs that are built with what was installed, and that the
 * program needs nothing of the folder it was built in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/linker_options.h"
#include "tests/shell.h"

#include <stdbool.h>

static void succeeds(const char *what, int status) {
  if (status != 0) fail_msg("%s: status %d: %s", what, status, said);
}

static bool has(const char *tool) {
  if (run("command -v %s", tool) == 0) return true;
  print_message("skipped: no %s here\n", tool);
  return false;
}

static const char *setting(const char *name, const char *other) {
  const char *value = getenv(name);
  return value && *value ? value : other;
}

/* What is built is not built again: not with other flags, and not because of another commit. */
static int setup(void **state) {
  if (program_setup(state) != 0) return -1;
  const char *build = setting("BUILD", "build");
  succeeds("make install",
           run("make BUILD=%s -o %s/flags -o %s/version.h install prefix=/opt/dcs DESTDIR=%s",
               build, build, build, in_folder("root")));
  return 0;
}

static void everything_lies_where_it_is_looked_for(void **state) {
  (void)state;
  static const char *const files[] = {"bin/dcsbench",
                                      "include/dcsbench.h",
                                      "lib/libdcs.a",
                                      "lib/libdcs.so",
                                      "lib/pkgconfig/dcsbench.pc",
                                      "lib/cmake/dcsbench/dcsbench-config.cmake",
                                      "lib/cmake/dcsbench/dcsbench-config-version.cmake",
                                      "share/man/man1/dcsbench.1",
                                      "share/man/man1/dcsbench-sweep.1",
                                      "share/bash-completion/completions/dcsbench",
                                      "share/zsh/site-functions/_dcsbench",
                                      "share/fish/vendor_completions.d/dcsbench.fish"};
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    char path[256];
    snprintf(path, sizeof path, "root/opt/dcs/%s", files[f]);
    if (!exists(in_folder(path))) fail_msg("no %s", files[f]);
  }
}

/* The soname, the files and the number that --version prints are of one version. */
static void the_version_is_one(void **state) {
  (void)state;
  int major, minor, patch;
  char expected[64];
  succeeds("--version", run("%s --version", in_folder("root/opt/dcs/bin/dcsbench")));
  assert_int_equal(sscanf(said, "dcsbench %d.%d.%d", &major, &minor, &patch), 3);
  succeeds("readelf", run("readelf -d %s", in_folder("root/opt/dcs/lib/libdcs.so")));
  snprintf(expected, sizeof expected, "soname: [libdcs.so.%d.%d]", major, minor);
  assert_contains(said, expected);
  succeeds("readlink", run("readlink -f %s", in_folder("root/opt/dcs/lib/libdcs.so")));
  snprintf(expected, sizeof expected, "/libdcs.so.%d.%d.%d\n", major, minor, patch);
  assert_contains(said, expected);
  snprintf(expected, sizeof expected, "Version: %d.%d.%d\n", major, minor, patch);
  char *pc = get_file(in_folder("root/opt/dcs/lib/pkgconfig/dcsbench.pc"), NULL);
  assert_contains(pc, expected);
  free(pc);
}

/* As the header declares them. */
static void the_libraries_export_public_functions_alone(void **state) {
  (void)state;
  static const char functions[] =
      "dcs_error_message\ndcs_explain\ndcs_map\ndcs_map_method_ns\ndcs_mapper_close\n"
      "dcs_mapper_open\n";
  const char *names = "sed -n 's/.* [A-Z] \\(.*\\)$/\\1/p' | grep -v '^__' | LC_ALL=C sort";
  succeeds("nm", run("nm --extern-only --defined-only %s | %s",
                     in_folder("root/opt/dcs/lib/libdcs.a"), names));
  assert_string_equal(said, functions);
  succeeds("nm",
           run("nm -D --defined-only %s | %s", in_folder("root/opt/dcs/lib/libdcs.so"), names));
  assert_string_equal(said, functions);
}

/* Its values are checked in tests/test_library.c. */
static void runs_as_an_example(const char *program) {
  succeeds(program, run("LD_LIBRARY_PATH=%s %s", in_folder("root/opt/dcs/lib"), program));
  assert_contains(said, "150 atoms, 21x13x7 points, in host memory: ");
}

static void pkg_config_finds_the_library(void **state) {
  (void)state;
  char options[512], shared[PATH_MAX], whole[PATH_MAX];
  if (!has("pkg-config")) skip();
  linker_options(options);
  snprintf(shared, sizeof shared, "%s", in_folder("with-shared"));
  snprintf(whole, sizeof whole, "%s", in_folder("with-static"));
  setenv("PKG_CONFIG_SYSROOT_DIR", in_folder("root"), 1);
  setenv("PKG_CONFIG_LIBDIR", in_folder("root/opt/dcs/lib/pkgconfig"), 1);
  const char *cc = setting("CC", "cc");
  succeeds("shared",
           run("%s tests/example_map.c -o %s $(pkg-config --cflags --libs dcsbench) -lm %s", cc,
               shared, options));
  succeeds("static",
           run("%s tests/example_map.c -o %s $(pkg-config --cflags --libs --static dcsbench | "
               "sed 's/-ldcs/-l:libdcs.a/') %s",
               cc, whole, options));
  runs_as_an_example(shared);
  runs_as_an_example(whole);
  succeeds("readelf", run("readelf -d %s", shared));
  assert_contains(said, "[libdcs.so.");
  succeeds("readelf", run("readelf -d %s", whole));
  assert_null(strstr(said, "libdcs"));
}

static void cmake_finds_the_library(void **state) {
  (void)state;
  char options[512];
  if (!has("cmake")) skip();
  linker_options(options);
  mkdir(in_folder("project"), 0777);
  put_file(in_folder("project/CMakeLists.txt"),
           "cmake_minimum_required(VERSION 3.10)\nproject(user C)\n"
           "find_package(dcsbench 0.1 REQUIRED)\n"
           "foreach(kind dcs dcs_static)\n"
           "  add_executable(with_${kind} ${SOURCE})\n"
           "  target_link_libraries(with_${kind} dcsbench::${kind} m)\nendforeach()\n");
  succeeds("cmake",
           run("cmake -S %s -B %s -DSOURCE=$PWD/tests/example_map.c -DCMAKE_C_FLAGS='%s' "
               "-DCMAKE_C_COMPILER=$(command -v %s) -DCMAKE_PREFIX_PATH=%s && cmake --build %s",
               in_folder("project"), in_folder("project/build"), options, setting("CC", "cc"),
               in_folder("root/opt/dcs"), in_folder("project/build")));
  runs_as_an_example(in_folder("project/build/with_dcs"));
  runs_as_an_example(in_folder("project/build/with_dcs_static"));
}

/* From another folder, with kernels, labs and what starts workers in the program itself. */
static void the_program_needs_no_sources(void **state) {
  (void)state;
  succeeds("verify",
           run("cd / && %s verify --variants cpu_gather", in_folder("root/opt/dcs/bin/dcsbench")));
  succeeds("lab", run("cd / && %s lab 1 --start %s", in_folder("root/opt/dcs/bin/dcsbench"),
                      in_folder("lab")));
  assert_true(exists(in_folder("lab/naive.cu")));
}

static void man_pages_tell_what_the_help_does(void **state) {
  (void)state;
  succeeds("help", run("%s --help", in_folder("root/opt/dcs/bin/dcsbench")));
  int commands = 0;
  for (char *at = strstr(said, "\n  list "); at && strncmp(at, "\n  ", 3) == 0;
       at = strchr(at + 1, '\n'), commands++) {
    char path[256], name[32];
    assert_int_equal(sscanf(at, " %31s", name), 1);
    snprintf(path, sizeof path, "root/opt/dcs/share/man/man1/dcsbench-%s.1", name);
    if (!exists(in_folder(path))) fail_msg("no page of %s", name);
  }
  assert_true(commands > 10);
  char *page = get_file(in_folder("root/opt/dcs/share/man/man1/dcsbench-map.1"), NULL);
  assert_contains(page, ".TH DCSBENCH\\-MAP 1 ");
  assert_contains(page, "dcsbench\\-map \\- compute the map of a molecule");
  assert_contains(page, ".SH SYNOPSIS\ndcsbench map [OPTION...] FILE\n");
  assert_contains(page, ".B \\-o, \\-\\-out=FILE\nwhere to write the map; ");
  free(page);
  if (run("command -v man") != 0) return; /* what follows is on top */
  succeeds("man", run("LC_ALL=C man --warnings -l %s/opt/dcs/share/man/man1/*.1 2>&1 >/dev/null",
                      in_folder("root")));
  assert_string_equal(said, "");
}

/* What bash would offer for the last of the words. */
static void expect_offered(const char *words, const char *offered) {
  succeeds("bash", run("bash -c '. %s/opt/dcs/share/bash-completion/completions/dcsbench; "
                       "compopt() { :; }; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                       "_dcsbench; echo \"${COMPREPLY[*]}\"'",
                       in_folder("root"), words));
  assert_string_equal(said, offered);
}

static void shells_complete_commands_and_options(void **state) {
  (void)state;
  if (!has("bash")) skip();
  expect_offered("dcsbench sw", "sweep\n");
  expect_offered("dcsbench map --ou", "--out=\n");
  expect_offered("dcsbench map --ti", "--time\n");
  expect_offered("dcsbench map --input = tests/test_inst", "tests/test_install.c\n");
}

static void other_shells_do_too(void **state) {
  (void)state;
  if (!has("zsh") || !has("fish")) skip();
  succeeds("zsh", run("zsh -n %s", in_folder("root/opt/dcs/share/zsh/site-functions/_dcsbench")));
  succeeds("fish", run("fish -c 'source %s; complete -C \"dcsbench map --ou\"'",
                       in_folder("root/opt/dcs/share/fish/vendor_completions.d/dcsbench.fish")));
  assert_contains(said, "--out\twhere to write the map;");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_lies_where_it_is_looked_for),
      cmocka_unit_test(the_version_is_one),
      cmocka_unit_test(the_libraries_export_public_functions_alone),
      cmocka_unit_test(pkg_config_finds_the_library),
      cmocka_unit_test(cmake_finds_the_library),
      cmocka_unit_test(the_program_needs_no_sources),
      cmocka_unit_test(man_pages_tell_what_the_help_does),
      cmocka_unit_test(shells_complete_commands_and_options),
      cmocka_unit_test(other_shells_do_too),
  };
  return cmocka_run_group_tests_name("install", tests, setup, program_teardown);
}
