/* `make install`: what lies where, programs that are built with what was installed, and that the
 * program needs nothing of the folder it was built in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "library/dcsbench.h"
#include "tests/linker_options.h"
#include "tests/shell.h"

#include <math.h>
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
                                      "share/fish/vendor_completions.d/dcsbench.fish",
                                      "share/doc/dcsbench/README.md",
                                      "share/doc/dcsbench/NEWS.md",
                                      "share/doc/dcsbench/CITATION.cff",
                                      "share/doc/dcsbench/LICENSE",
                                      "share/doc/dcsbench/examples/example_map.c",
                                      "share/doc/dcsbench/examples/example.py"};
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    char path[256];
    snprintf(path, sizeof path, "root/opt/dcs/%s", files[f]);
    if (!exists(in_folder(path))) fail_msg("no %s", files[f]);
  }
}

static void assert_in_file(const char *name, const char *part) {
  char *text = get_file(in_folder(name), NULL);
  assert_contains(text, part);
  free(text);
}

/* The soname, the files, the documents and the number that --version prints are of one version. */
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
  assert_in_file("root/opt/dcs/lib/pkgconfig/dcsbench.pc", expected);
  snprintf(expected, sizeof expected, "\nversion: %d.%d.%d\n", major, minor, patch);
  assert_in_file("root/opt/dcs/share/doc/dcsbench/CITATION.cff", expected);
  snprintf(expected, sizeof expected, "\n## %d.%d.%d ", major, minor, patch);
  assert_in_file("root/opt/dcs/share/doc/dcsbench/NEWS.md", expected);
}

/* As the header declares them. */
static void the_libraries_export_public_functions_alone(void **state) {
  (void)state;
  static const char functions[] =
      "dcs_error_message\ndcs_explain\ndcs_map\ndcs_map_method_ns\ndcs_mapper_close\n"
      "dcs_mapper_open\ndcs_mean_add\ndcs_mean_close\ndcs_mean_finish\ndcs_mean_open\n";
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

/* A block of code of README.md, as a file: what a reader pastes. */
static void paste(const char *language, const char *name) {
  succeeds("paste", run("sed -n '/^```%s$/,/^```$/p' README.md | grep -v '^```' > %s && test -s %s",
                        language, in_folder(name), in_folder(name)));
}

static void programs_of_the_readme_work(void **state) {
  (void)state;
  char options[512], program[PATH_MAX];
  if (!has("pkg-config")) skip();
  linker_options(options);
  paste("c", "pasted.c");
  snprintf(program, sizeof program, "%s", in_folder("pasted"));
  succeeds("build", run("%s -Wall -Werror %s -o %s $(pkg-config --cflags --libs dcsbench) %s",
                        setting("CC", "cc"), in_folder("pasted.c"), program, options));
  succeeds("run", run("LD_LIBRARY_PATH=%s %s", in_folder("root/opt/dcs/lib"), program));
  const double expected = 1 / sqrt(14) - 0.5 / sqrt(48);
  assert_true(fabs(strtod(said, NULL) - expected) < 1e-5);
}

/* One with NumPy, if the readers of others were installed for `make readers`. */
static const char *python(void) {
  static char path[PATH_MAX];
  const char *build = setting("BUILD", "build");
  snprintf(path, sizeof path, "%s%s%s/readers/bin/python", *build == '/' ? "" : getenv("PWD"),
           *build == '/' ? "" : "/", build);
  return exists(path) ? path : "python3";
}

/* What is run in the folder of the example. */
static const char maps[] =
    "import os, sys\n"
    "from example import *\n"
    "assert ctypes.sizeof(Options) == int(sys.argv[1])\n"
    "assert ctypes.sizeof(Request) == int(sys.argv[2])\n"
    "assert ctypes.sizeof(MeanRequest) == int(sys.argv[3])\n"
    "atoms = [(math.sin(a), 2 * math.cos(a), 0.1 * a, 1 - 0.3 * a) for a in range(9)]\n"
    "def expected(i, j, k):\n"
    "    at = (0.25 + 0.5 * i, -1 + 0.5 * j, 0.5 * k)\n"
    "    return sum(q / math.dist(at, (x, y, z)) for x, y, z, q in atoms)\n"
    "def check(m):\n"
    "    v = m.map(atoms, 0.5, (7, 5, 3), (0.25, -1, 0))\n"
    "    for i, j, k in ((i, j, k) for i in range(7) for j in range(5) for k in range(3)):\n"
    "        found = v[(k * 5 + j) * 7 + i] if numpy is None else v[i, j, k]\n"
    "        assert abs(found - expected(i, j, k)) < 1e-4, (i, j, k, found, expected(i, j, k))\n"
    "    if numpy is not None:\n"
    "        assert v.dtype == numpy.float32 and not v.flags.owndata\n"
    "m = Mapper(device='cpu', threads=2)\n"
    "for more in (dict(cutoff=3, switched=True), dict(tolerance=1e-3)):\n"
    "    v = m.map(atoms, 0.5, (16, 16, 16), (-4, -4, -4), **more)\n"
    "    first = v[0] if numpy is None else v[0, 0, 0]\n"
    "    whole = sum(q / math.dist((-4, -4, -4), (x, y, z)) for x, y, z, q in atoms)\n"
    "    assert first == 0 if 'cutoff' in more else abs(first - whole) < 5e-3, (more, first)\n"
    "check(m)\n"
    "child = os.fork()\n"
    "if child == 0:\n"
    "    check(m), check(Mapper(device='cpu'))\n"
    "    os._exit(0)\n"
    "assert os.waitpid(child, 0)[1] == 0\n"
    "try: m.map(atoms, 1e-23, (7, 5, 3))\n"
    "except RuntimeError as e: assert 'spacing 1e-23' in str(e) and 'status 2' in str(e)\n"
    "else: assert False\n"
    "for call in (lambda: m.map(atoms, 0.5, (7, 5, 3), tolerence=1e-3),\n"
    "             lambda: m.mean([1.0], 0.5, (7, 5, 3), nx=9)):\n"
    "    try: call()\n"
    "    except TypeError as e: assert 'expected one of cutoff, switched' in str(e), e\n"
    "    else: assert False\n"
    "exec(open('mean.py').read())\n"
    "print('right', numpy is not None)\n";

static const char mean[] =
    "mean = m.mean([a[3] for a in atoms], 0.5, (7, 5, 3), (0.25, -1, 0), variance=True)\n"
    "for frame in range(3): mean.add([a[:3] for a in atoms])\n"
    "try: mean.add([a[:3] for a in atoms], (9, 9, 9))\n"
    "except RuntimeError as e: assert 'not periodic' in str(e)\n"
    "else: assert False\n"
    "try: mean.add(atoms[:3])\n"
    "except ValueError: pass\n"
    "else: assert False\n"
    "value, variance, error = [v[0] if numpy is None else v[0, 0, 0] for v in mean.finish()]\n"
    "assert abs(value - expected(0, 0, 0)) < 1e-4 and variance == error == 0\n";

static void python_computes_maps(void **state) {
  (void)state;
  char options[512];
  linker_options(options);
  if (strstr(options, "-fsanitize"))
    print_message("skipped: a sanitizer, of which Python knows none\n");
  if (strstr(options, "-fsanitize") || !has("python3")) skip();
  put_file(in_folder("root/opt/dcs/share/doc/dcsbench/examples/check.py"), maps);
  put_file(in_folder("root/opt/dcs/share/doc/dcsbench/examples/mean.py"), mean);
  succeeds("python", run("cd %s && LD_LIBRARY_PATH=%s %s check.py %zu %zu %zu",
                         in_folder("root/opt/dcs/share/doc/dcsbench/examples"),
                         in_folder("root/opt/dcs/lib"), python(), sizeof(dcs_mapper_options),
                         sizeof(dcs_map_request), sizeof(dcs_mean_request)));
  assert_contains(said, "right");
  paste("python", "pasted.py");
  succeeds("pasted", run("LD_LIBRARY_PATH=%s PYTHONPATH=%s %s %s", in_folder("root/opt/dcs/lib"),
                         in_folder("root/opt/dcs/share/doc/dcsbench/examples"), python(),
                         in_folder("pasted.py")));
  succeeds("example", run("LD_LIBRARY_PATH=%s %s %s/example.py", in_folder("root/opt/dcs/lib"),
                          python(), in_folder("root/opt/dcs/share/doc/dcsbench/examples")));
  assert_contains(said, "V(2.6, 3.2, 3.8) = 0.15651 e/A; summed here: 0.15651");
  assert_contains(said,
                  "mean of 3 frames: 0.233856 e/A, standard error 0.044; summed here: 0.2338");
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
  assert_contains(page, ".SH SYNOPSIS\ndcsbench map [OPTION...] FILE");
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
  expect_offered("dcsbench map --expl", "--explain\n");
  expect_offered("dcsbench map --input = tests/test_inst", "tests/test_install.c\n");
}

static void other_shells_do_too(void **state) {
  (void)state;
  if (!has("zsh") || !has("fish")) skip();
  succeeds("zsh", run("zsh -n %s", in_folder("root/opt/dcs/share/zsh/site-functions/_dcsbench")));
  succeeds("fish", run("fish -c 'source %s; complete -C \"dcsbench map --ou\"'",
                       in_folder("root/opt/dcs/share/fish/vendor_completions.d/dcsbench.fish")));
  assert_contains(said, "--out\twhere to write the map;");
  /* a file that is named as a command is */
  succeeds("fish", run("fish -c 'source %s; complete -C \"dcsbench map trace --ar\"; complete -C "
                       "\"dcsbench --v\"'",
                       in_folder("root/opt/dcs/share/fish/vendor_completions.d/dcsbench.fish")));
  assert_string_equal(said, "--version\tPrint the version\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_lies_where_it_is_looked_for),
      cmocka_unit_test(the_version_is_one),
      cmocka_unit_test(the_libraries_export_public_functions_alone),
      cmocka_unit_test(pkg_config_finds_the_library),
      cmocka_unit_test(cmake_finds_the_library),
      cmocka_unit_test(programs_of_the_readme_work),
      cmocka_unit_test(python_computes_maps),
      cmocka_unit_test(the_program_needs_no_sources),
      cmocka_unit_test(man_pages_tell_what_the_help_does),
      cmocka_unit_test(shells_complete_commands_and_options),
      cmocka_unit_test(other_shells_do_too),
  };
  return cmocka_run_group_tests_name("install", tests, setup, program_teardown);
}
