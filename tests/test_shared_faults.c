/* The programs and folders of ../shared/faults (DCS_SHARED), where they are: each showed a fault
 * once. The slow ones run in `make check-full`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/linker_options.h"
#include "tests/run_folder.h"
#include "tests/shell.h"

static char shared[PATH_MAX]; /* "": they are not here */
static const char *build_folder(void) {
  const char *build = getenv("BUILD");
  return build && *build ? build : "build";
}

static const char *compiler(void) {
  const char *cc = getenv("CC");
  return cc && *cc ? cc : "cc";
}

static void need(const char *name) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", shared, name);
  if (*shared && exists(path)) return;
  print_message("skipped: no faults/%s in the folder of shared cases\n", name);
  skip();
}

/* A library to preload, from one of the sources. */
static const char *preload(const char *name) {
  const char *library = in_folder(name);
  need(name);
  if (run("%s -shared -fPIC -o %s.so %s/%s -ldl", compiler(), library, shared, name) != 0)
    fail_msg("%s", said);
  return library;
}

static const char *link_options(void) {
  static char options[512];
  linker_options(options);
  return options;
}

/* A program of the library, which had another header and another name of an option then. */
static void build_user(const char *name) {
  need(name);
  put_file(in_folder("dcs.h"), "#include <dcsbench.h>\n");
  if (run("%s -w -Drecord=dispatch -I%s -I%s/include -o %s %s/%s -L%s -ldcs %s %s -ldl "
          "-lm",
          compiler(), in_folder(""), build_folder(), in_folder("user"), shared, name,
          build_folder(), link_options(), csv_option()) != 0)
    fail_msg("%s", said);
}

/* A shared object of the library's user, called by a program that knows nothing of the library;
 * `options`: how it is linked. */
static void use_plugin(const char *options) {
  need("plugin.c");
  put_file(in_folder("dcs.h"), "#include <dcsbench.h>\n");
  put_file(in_folder("host.c"), "#include <dlfcn.h>\n#include <stdio.h>\n"
                                "int main(int n, char **words) {\n"
                                "  const double atom[4] = {0.25, 0, 0, 2};\n"
                                "  float map[8];\n"
                                "  void *plugin = dlopen(words[n - 1], RTLD_NOW);\n"
                                "  int (*run)(const double *, long, float *, long);\n"
                                "  if (!plugin) return puts(dlerror()), 1;\n"
                                "  *(void **)&run = dlsym(plugin, \"plugin_map\");\n"
                                "  int status = run(atom, 1, map, 2);\n"
                                "  printf(\"status %d: %g %g\\n\", status, map[0], map[1]);\n"
                                "  return status;\n}\n");
  if (run("%s -w -shared -fPIC -I%s -I%s/include -o %s.so %s/plugin.c %s", compiler(),
          in_folder(""), build_folder(), in_folder("plugin"), shared, options) != 0 ||
      run("%s -o %s %s %s -ldl", compiler(), in_folder("host"), in_folder("host.c"),
          link_options()) != 0 ||
      run("LD_LIBRARY_PATH=%s/shared %s %s.so", build_folder(), in_folder("host"),
          in_folder("plugin")) != 0)
    fail_msg("%s", said);
  assert_contains(said, "status 0: 8 8");
}

static void skip_unless_full(void) {
  if (getenv("DCS_TEST_FULL")) return;
  print_message("skipped: minutes of sweeps (make check-full)\n");
  skip();
}

/* ---- the library ---- */

static void the_library_leaves_its_caller_alone(void **state) {
  (void)state;
  build_user("lib_user.c");
  if (run("OMP_NUM_THREADS=1 %s", in_folder("user")) != 0) fail_msg("%s", said);
  assert_contains(said, "after fork, same handle: status 0, map same");
#ifndef DCS_THREAD_SANITIZER /* which has a thread, and lets a child start none */
  assert_contains(said, "threads of the process: 1 -> 1 ");
  if (run("%s", in_folder("user")) != 0) fail_msg("%s", said);
  assert_contains(said, "after fork, same handle: status 0, map same");
#endif
  assert_null(strstr(said, "CHANGED"));
}

/* A Python extension, say, with the library in it. */
static void a_plugin_holds_the_static_library(void **state) {
  char options[PATH_MAX + 64];
  (void)state;
  snprintf(options, sizeof options, "-L%s -ldcs %s %s -ldl -lm", build_folder(), link_options(),
           csv_option());
  use_plugin(options);
}

static void a_plugin_uses_the_shared_library(void **state) {
  char options[PATH_MAX + 64];
  (void)state;
  snprintf(options, sizeof options, "-L%s/shared -ldcs %s", build_folder(), link_options());
  use_plugin(options);
  assert_int_equal(run("readelf -d %s.so", in_folder("plugin")), 0);
  assert_contains(said, "Shared library: [libdcs.so.");
}

/* Refused, or right: "spacing 1e-16: rc 0 map[1]*h = 1 (1 is right)". */
static void tiny_spacings_are_right_or_refused(void **state) {
  (void)state;
  int lines = 0, rc, exponent;
  double value;
  build_user("lib_tiny_spacing.c");
  assert_int_equal(run("%s || true", in_folder("user")), 0);
  for (char *line = strstr(said, "spacing"); line; line = strstr(line + 1, "spacing")) {
    assert_int_equal(sscanf(line, "spacing 1e%d: rc %d map[1]*h = %lf", &exponent, &rc, &value), 3);
    if (rc == 0 && !(fabs(value - 1) < 1e-5)) fail_msg("%.80s", line);
    lines++;
  }
  assert_int_equal(lines, 22);
}

/* A sanitizer keeps what was freed. */
static void skip_under_a_sanitizer(void) {
  if (!strstr(link_options(), "-fsanitize")) return;
  print_message("skipped: a sanitizer takes memory of its own\n");
  skip();
}

/* "10 VmSize: 123 kB  VmRSS: 45 kB", after every tenth map: none grows from the second line on. */
static void maps_on_the_emulated_device_keep_no_memory(void **state) {
  (void)state;
  long first = 0, last = 0, kib;
  build_user("lib_leak.c");
  skip_under_a_sanitizer();
  if (run("%s", in_folder("user")) != 0) fail_msg("%s", said);
  for (char *at = strstr(said, "VmSize:"); at; at = strstr(at + 1, "VmSize:")) {
    assert_int_equal(sscanf(at, "VmSize: %ld", &kib), 1);
    if (first == 0 && last > 0) first = kib;
    last = kib;
  }
  assert_true(first > 0);
  if (last > first + 64 * 1024) fail_msg("%ld KiB, then %ld KiB", first, last);
}

/* ---- file systems, control groups ---- */

static void locks_that_are_not_supported_are_said(void **state) {
  (void)state;
  const char *library = preload("flock_enosys.c");
  assert_int_equal(run("LD_PRELOAD=%s.so %s sweep --variants cpu_gather --atoms 5 --grid 4^3 "
                       "--rounds 1 --out %s",
                       library, program_path(), in_folder("locks")),
                   5);
  assert_contains(said, "run.lock: cannot lock: Function not implemented");
  assert_contains(said, "take another folder");
  assert_int_equal(run("LD_PRELOAD=%s.so ONLY=tuned.csv DCSBENCH_DATA=%s %s tune cpu_scatter "
                       "--atoms 5 --grid 4^3",
                       library, in_folder("data"), program_path()),
                   5);
  assert_contains(said, "tuned.csv.lock: cannot lock: Function not implemented");
  assert_contains(said, "set DCSBENCH_DATA");
}

static void limits_of_a_job_are_those_of_the_machine(void **state) {
  (void)state;
  need("cgroup_v2_nested");
  const char *library = preload("cgroup_fake.c");
  assert_int_equal(run("LD_PRELOAD=%s.so FAKE_CGROUP=%s/cgroup_v2_nested %s info --csv", library,
                       shared, program_path()),
                   0);
  assert_contains(said, "\ncpus,1\n"); /* 100 ms of each 100 ms */
  assert_contains(said,
                  "\nmemory_available_bytes,2146435072\n"); /* 2 GiB, of which 1 MiB is used */
}

/* Version 1: a folder a controller, a limit of a group around the job's, and pages of files, which
 * are given up. */
static void limits_of_version_1_groups_count_too(void **state) {
  (void)state;
  char library[PATH_MAX];
  snprintf(library, sizeof library, "%s", preload("cgroup_fake.c"));
  if (run("mkdir -p %s/sys/memory/job/step %s/sys/cpu/job/step", in_folder("v1"),
          in_folder("v1")) != 0)
    fail_msg("%s", said);
  put_file(in_folder("v1/self"), "4:memory:/job/step\n3:cpu,cpuacct:/job/step\n0::/\n");
  put_file(in_folder("v1/sys/memory/job/memory.limit_in_bytes"), "1073741824\n");
  put_file(in_folder("v1/sys/memory/job/memory.usage_in_bytes"), "536870912\n");
  put_file(in_folder("v1/sys/memory/job/memory.stat"), "cache 9\ntotal_inactive_file 268435456\n");
  put_file(in_folder("v1/sys/memory/job/step/memory.limit_in_bytes"), "9223372036854771712\n");
  put_file(in_folder("v1/sys/memory/job/step/memory.usage_in_bytes"), "4096\n");
  put_file(in_folder("v1/sys/cpu/job/cpu.cfs_quota_us"), "50000\n");
  put_file(in_folder("v1/sys/cpu/job/cpu.cfs_period_us"), "100000\n");
  put_file(in_folder("v1/sys/cpu/job/step/cpu.cfs_quota_us"), "-1\n");
  put_file(in_folder("v1/sys/cpu/job/step/cpu.cfs_period_us"), "100000\n");
  assert_int_equal(run("LD_PRELOAD=%s.so FAKE_CGROUP=%s %s info --csv", library, in_folder("v1"),
                       program_path()),
                   0);
  assert_contains(said, "\ncpus,1\n");
  assert_contains(said, "\nmemory_available_bytes,805306368\n");
}

/* In slabs, with the bytes of the map that was computed whole. */
static void a_map_larger_than_the_job_s_memory_goes_by_slabs(void **state) {
  (void)state;
  static const char grid[] = "--grid 40x41x42 --units V", *const endings[] = {"mrc", "dx"};
  char limited[2 * PATH_MAX];
  snprintf(limited, sizeof limited, "LD_PRELOAD=%s.so FAKE_CGROUP=%s", preload("cgroup_fake.c"),
           in_folder("job"));
  if (run("mkdir -p %s/sys/job && %s generate water --atoms 60 -o %s", in_folder("job"),
          program_path(), in_folder("w.pqr")) != 0)
    fail_msg("%s", said);
  put_file(in_folder("job/self"), "0::/job\n");
  put_file(in_folder("job/sys/job/memory.max"), "200000\n");
  put_file(in_folder("job/sys/job/memory.current"), "0\n");
  for (int e = 0; e < 2; e++) {
    if (run("%s map %s %s -o %s.%s", program_path(), in_folder("w.pqr"), grid, in_folder("whole"),
            endings[e]) != 0)
      fail_msg("%s", said);
    assert_null(strstr(said, "slabs"));
    if (run("%s %s map %s %s -o %s.%s", limited, program_path(), in_folder("w.pqr"), grid,
            in_folder("slabs"), endings[e]) != 0)
      fail_msg("%s", said);
    assert_contains(said, "GB are free: it is computed in ");
    assert_int_equal(strstr(said, "which wait in a file of 0.000276 GB beside ") != NULL, e == 1);
    assert_int_equal(
        run("cmp %s.%s %s.%s", in_folder("whole"), endings[e], in_folder("slabs"), endings[e]), 0);
  }
  put_file(in_folder("job/sys/job/memory.max"), "10000\n");
  assert_int_equal(run("%s %s map %s %s -o %s.npy", limited, program_path(), in_folder("w.pqr"),
                       grid, in_folder("none")),
                   4);
  assert_contains(said, "slice by slice; 1e-05 GB are free");
  assert_false(exists(in_folder("none.npy")));
}

/* What ulimit leaves is less than the machine has. */
static void limits_of_the_process_count_too(void **state) {
  (void)state;
  const char *at;
  if (strstr(link_options(), "-fsanitize")) skip(); /* it has terabytes of addresses */
  assert_int_equal(run("ulimit -v 1000000 && %s info --csv", program_path()), 0);
  assert_non_null(at = strstr(said, "\nmemory_available_bytes,"));
  assert_in_range(atoll(strchr(at, ',') + 1), 1, 1024000000);
}

/* ---- run folders ---- */

/* Three classes of methods would take the same samples. */
static void a_run_of_doubled_rows_is_refused(void **state) {
  (void)state;
  need("crossover_heap_overflow");
  assert_int_equal(run("cp -r %s/crossover_heap_overflow %s", shared, in_folder("overflow")), 0);
  assert_int_equal(run("%s crossover %s", program_path(), in_folder("overflow")), 3);
  assert_contains(said, "dcsbench: ");
}

static void a_plan_whose_later_grid_is_wrong_is_refused(void **state) {
  (void)state;
  need("sweep_grid_double_free/plan.csv");
  assert_int_equal(run("%s sweep --plan %s/sweep_grid_double_free/plan.csv --out %s",
                       program_path(), shared, in_folder("plan")),
                   3);
  assert_int_equal(run("%s sweep --variants cpu_simd --atoms 5 --grid '8^3,' --out %s",
                       program_path(), in_folder("plan")),
                   2);
}

static void an_interrupt_of_a_resumed_sweep_is_no_result(void **state) {
  (void)state;
  need("twice.py");
  skip_unless_full();
  if (run("python3 %s/twice.py %s %s", shared, program_path(), in_folder("twice")) != 0)
    fail_msg("%s", said);
  assert_contains(said, "right: every row is ok");
}

static void a_second_sweep_of_a_folder_changes_nothing(void **state) {
  (void)state;
  need("second_sweep.py");
  skip_unless_full();
  if (run("python3 %s/second_sweep.py %s %s", shared, program_path(), in_folder("second")) != 0)
    fail_msg("%s", said);
  assert_contains(said, "replaced under the first: False");
  assert_contains(said, "rows of samples.csv: 48 (48 asked for); of summary.csv: 6 (6 asked for)");
}

static int setup(void **state) {
  const char *folder = getenv("DCS_SHARED");
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/faults", folder ? folder : "../shared");
  if (!realpath(path, shared)) shared[0] = '\0';
  /* The programs end with what they allocated, and a preload library is before the sanitizer. */
  setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", 1);
  return program_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_library_leaves_its_caller_alone),
      cmocka_unit_test(a_plugin_holds_the_static_library),
      cmocka_unit_test(a_plugin_uses_the_shared_library),
      cmocka_unit_test(tiny_spacings_are_right_or_refused),
      cmocka_unit_test(maps_on_the_emulated_device_keep_no_memory),
      cmocka_unit_test(locks_that_are_not_supported_are_said),
      cmocka_unit_test(limits_of_a_job_are_those_of_the_machine),
      cmocka_unit_test(limits_of_version_1_groups_count_too),
      cmocka_unit_test(a_map_larger_than_the_job_s_memory_goes_by_slabs),
      cmocka_unit_test(limits_of_the_process_count_too),
      cmocka_unit_test(a_run_of_doubled_rows_is_refused),
      cmocka_unit_test(a_plan_whose_later_grid_is_wrong_is_refused),
      cmocka_unit_test(an_interrupt_of_a_resumed_sweep_is_no_result),
      cmocka_unit_test(a_second_sweep_of_a_folder_changes_nothing),
  };
  return cmocka_run_group_tests_name("shared faults", tests, setup, program_teardown);
}
