/* What is read of the hardware while it computes: a stand-in for NVML, a folder in place of
 * /sys/class/powercap, and the rule on clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/cuda/nvml.h"
#include "harness/device/rapl.h"
#include "harness/files/csv.h"
#include "harness/rounds/clocks.h"
#include "harness/rounds/energy.h"
#include "tests/run_folder.h"

#include <math.h>

/* ---- NVML ---- */

#define STUB_HEAD                                                                                  \
  "#include <string.h>\n"                                                                          \
  "int nvmlInit_v2(void) { return 0; }\n"                                                          \
  "int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {\n"                             \
  "  *device = 0; return strcmp(uuid, \"GPU-1\") != 0; }\n"                                        \
  "int nvmlDeviceGetClockInfo(void *d, int which, unsigned *v) { *v = 1410; return which != 1; "   \
  "}\n"                                                                                            \
  "int nvmlDeviceGetTemperature(void *d, int which, unsigned *v) { *v = 45; return which; }\n"     \
  "int nvmlDeviceGetPowerUsage(void *d, unsigned *v) { *v = 300500; return 0; }\n"                 \
  "int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *v) { *v = 700000; return 0; }\n"
#define STUB_NEW                                                                                   \
  "int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *v) {\n"                 \
  "  *v = 0x24; return 0; }\n"
#define STUB_OLD                                                                                   \
  "int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *v) {\n"              \
  "  *v = 0; return 0; }\n"
#define STUB_ENERGY                                                                                \
  "int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *v) {\n"                    \
  "  *v = 1234567; return 0; }\n"

/* In a child that finds the stand-in: prints what is read. */
static int print_telemetry(const char *uuid) {
  char names[DCS_TEXT];
  const dcs_telemetry t = dcs_nvml_read(uuid, true);
  if (!isnan(dcs_nvml_read(uuid, false).energy_j)) return 1; /* it was not asked for */
  printf("%g %g %g [%s] %g %g\n", t.sm_mhz, t.temperature_c, t.power_w,
         dcs_throttle_names(t.throttle, names), t.energy_j, dcs_nvml_power_limit_w(uuid));
  return 0;
}

static void expect_read(const char *stub, const char *uuid, const char *expected) {
  char command[2 * PATH_MAX], line[256] = "";
  put_file(in_folder("stub.c"), stub);
  snprintf(command, sizeof command, "cc -shared -fPIC -o %s %s", in_folder("libnvidia-ml.so.1"),
           in_folder("stub.c"));
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s /proc/%d/exe --read %s", test_folder,
           (int)getpid(), uuid);
  FILE *child = popen(command, "r");
  assert_non_null(child);
  assert_non_null(fgets(line, sizeof line, child));
  assert_int_equal(pclose(child), 0);
  assert_string_equal(line, expected);
}

static void nvml_is_read(void **state) {
  (void)state;
  if (system("cc --version >/dev/null 2>&1") != 0) {
    print_message("skipped: no C compiler named cc\n");
    skip();
  }
  expect_read(STUB_HEAD STUB_NEW STUB_OLD STUB_ENERGY, "GPU-1",
              "1410 45 300.5 [sw_power_cap|sw_thermal] 1234.57 700\n");
  expect_read(STUB_HEAD STUB_OLD, "GPU-1", "1410 45 300.5 [none] nan 700\n");
  expect_read(STUB_HEAD, "GPU-1", "1410 45 300.5 [] nan 700\n");
  expect_read(STUB_HEAD STUB_NEW STUB_ENERGY, "GPU-2", "nan nan nan [] nan nan\n");
}

static void reasons_have_names(void **state) {
  (void)state;
  char text[DCS_TEXT];
  assert_string_equal(dcs_throttle_names(-1, text), "");
  assert_string_equal(dcs_throttle_names(0, text), "none");
  assert_string_equal(dcs_throttle_names(1, text), "gpu_idle");
  assert_string_equal(dcs_throttle_names(0x108, text), "hw_slowdown|display_clocks");
  assert_string_equal(dcs_throttle_names(0x1200, text), "0x1200");
  assert_string_equal(dcs_throttle_names(0x202, text), "applications_clocks|0x200");
}

/* ---- RAPL ---- */

/* Of cards that work together. */
static void readings_are_joined(void **state) {
  (void)state;
  const dcs_telemetry a = {1410, 45, 300, 7000, 4}, b = {1200, 60, 250, 500, 32};
  const dcs_telemetry unknown = dcs_telemetry_unknown();
  const dcs_telemetry t = dcs_telemetry_join(&a, &b), none = dcs_telemetry_join(&a, &unknown);
  assert_true(t.sm_mhz == 1200 && t.temperature_c == 60 && t.power_w == 550);
  assert_true(t.energy_j == 7500 && isnan(none.energy_j));
  assert_int_equal(t.throttle, 36);
  assert_true(isnan(none.sm_mhz) && isnan(none.temperature_c) && isnan(none.power_w));
  assert_int_equal(none.throttle, -1);
}

static void put_zone(const char *zone, const char *name, const char *energy) {
  char path[64];
  mkdir(in_folder(zone), 0777);
  snprintf(path, sizeof path, "%s/name", zone);
  put_file(in_folder(path), name);
  snprintf(path, sizeof path, "%s/max_energy_range_uj", zone);
  put_file(in_folder(path), "1000000000\n");
  snprintf(path, sizeof path, "%s/energy_uj", zone);
  put_file(in_folder(path), energy);
}

static void packages_are_added(void **state) {
  (void)state;
  dcs_rapl none = dcs_rapl_read(in_folder("nowhere"));
  assert_int_equal(none.n, 0);
  assert_true(isnan(dcs_rapl_used_j(&none, &none)));
  put_zone("intel-rapl:0", "package-0\n", "100000000\n");
  put_zone("intel-rapl:0:0", "core\n", "7\n");
  put_zone("intel-rapl:1", "package-1\n", "999000000\n");
  put_zone("intel-rapl:2", "psys\n", "5\n");
  dcs_rapl before = dcs_rapl_read(test_folder);
  put_zone("intel-rapl:0", "package-0\n", "150000000\n");
  put_zone("intel-rapl:0:0", "core\n", "900\n");
  put_zone("intel-rapl:1", "package-1\n", "2000000\n"); /* has started again */
  put_zone("intel-rapl:2", "psys\n", "900\n");
  dcs_rapl after = dcs_rapl_read(test_folder);
  assert_int_equal(before.n, 2);
  assert_close(dcs_rapl_used_j(&before, &after), 50 + 3);
  assert_true(isnan(dcs_rapl_used_j(&none, &after)));
  put_zone("intel-rapl:1", "package-1\n", "1000000\n"); /* set to 0 in between: no wraparound */
  const dcs_rapl again = dcs_rapl_read(test_folder);
  assert_true(isnan(dcs_rapl_used_j(&after, &again)));
}

static void what_cannot_be_read_is_unknown(void **state) {
  (void)state;
  put_zone("intel-rapl:0", "package-0\n", "secret\n");
  put_zone("intel-rapl:1", "package-1\n", "\n");
  dcs_rapl rapl = dcs_rapl_read(test_folder);
  assert_int_equal(rapl.n, 0);
}

/* ---- clocks ---- */

static void a_clock_below_three_quarters_is_slow(void **state) {
  (void)state;
  dcs_clocks clocks = {0};
  static const double mhz[] = {1980, 1500, 1970, 1975};
  for (int i = 0; i < 4; i++)
    assert_int_equal(dcs_clocks_add(&clocks, mhz[i]), DCS_OK);
  assert_int_equal(dcs_clocks_add(&clocks, NAN), DCS_OK);
  assert_false(dcs_clocks_slow(&clocks, 100)); /* four are too few */
  assert_int_equal(dcs_clocks_add(&clocks, 2000), DCS_OK);
  assert_int_equal(clocks.n, 5);
  assert_true(clocks.mhz[0] == 1500 && clocks.mhz[2] == 1975 && clocks.mhz[4] == 2000);
  assert_true(dcs_clocks_slow(&clocks, 0.75 * 1975 - 1));
  assert_false(dcs_clocks_slow(&clocks, 0.75 * 1975 + 1));
  assert_false(dcs_clocks_slow(&clocks, NAN));
  for (int i = 0; i < 1000; i++) /* the card runs slower from now on: that is its usual clock */
    assert_int_equal(dcs_clocks_add(&clocks, 1000 + i % 10), DCS_OK);
  assert_false(dcs_clocks_slow(&clocks, 1000));
  dcs_clocks_free(&clocks);
}

/* ---- energy ---- */

/* A counter that is brought up to date every `step_ns` shows the power of runs of `run_ns`. */
static double counter_at(double ns, double step_ns, double watts) {
  return 1e-9 * watts * step_ns * floor(ns / step_ns);
}

/* The first part's, in how many runs. */
static dcs_spent first_part(double run_ns, int64_t outputs, double step_ns, int *runs) {
  dcs_energy_part part = {0};
  dcs_spent spent = {NAN, NAN};
  double ns = 0.3 * step_ns;
  for (*runs = 1; *runs < 10000; ++*runs) {
    ns += run_ns;
    if (dcs_energy_take(&part, counter_at(ns, step_ns, 500), run_ns, outputs, &spent)) break;
  }
  return spent;
}

static void a_part_of_runs_begins_and_ends_at_steps_of_the_counter(void **state) {
  (void)state;
  static const double steps_ns[] = {1e6, 2e7, 1e8};
  int runs;
  for (int s = 0; s < 3; s++) {
    const dcs_spent spent = first_part(25e6, 5, steps_ns[s], &runs);
    assert_true(fabs(spent.time_ns - 5e6) < 1e-3);
    /* 500 W for 5 ms are 2.5 J; each end is off by a run or a step at most, of ten runs */
    assert_true(fabs(spent.energy_j / 2.5 - 1) < 0.11);
    assert_true(runs >= 10 && runs <= 40);
  }
  const dcs_spent spent = first_part(2e9, 1, 1e8, &runs); /* long runs: one is a part */
  assert_true(fabs(spent.energy_j / 1000 - 1) < 0.06);
  assert_int_equal(runs, 3);
  assert_true(isnan(first_part(25e6, 5, 1e15, &runs).energy_j)); /* it stands still */
}

/* The driver was loaded again between two runs: no part has what the counter lost. */
static void a_counter_that_begins_anew_begins_a_part(void **state) {
  (void)state;
  dcs_energy_part part = {0};
  dcs_spent spent;
  double ns = 3e5, lost_j = 0;
  int parts = 0;
  for (int run = 0; run < 100; run++) {
    ns += 25e6;
    if (run == 15) lost_j = counter_at(ns, 1e6, 500) - 1;
    if (!dcs_energy_take(&part, counter_at(ns, 1e6, 500) - lost_j, 25e6, 5, &spent)) continue;
    assert_true(fabs(spent.energy_j / 2.5 - 1) < 0.11);
    parts++;
  }
  assert_in_range(parts, 7, 9);
  assert_int_equal(part.resets, 1);
}

/* ---- the program ---- */

static void energy_is_measured_where_it_can_be(void **state) {
  (void)state;
  dcs_rapl here = dcs_rapl_read(DCS_RAPL_FOLDER);
  assert_status(program_run("sweep --variants cpu_simd --config threads=1 --atoms 100 --grid 16^3 "
                            "--rounds 3 --energy --out %s",
                            in_folder("run")),
                0);
  dcs_table *summary = run_table("run", "summary.csv");
  if (here.n == 0) {
    assert_contains(program_err, "energy_uj");
    assert_string_equal(text_at(summary, 0, "energy_j"), "");
    assert_string_equal(text_at(summary, 0, "evals_per_j"), "");
  } else {
    double energy = number_at(summary, 0, "energy_j");
    assert_true(energy > 0);
    assert_close(number_at(summary, 0, "evals_per_j"), 100 * 16 * 16 * 16 / energy);
  }
  dcs_table_free(summary);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--read") == 0) return print_telemetry(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nvml_is_read),
      cmocka_unit_test(reasons_have_names),
      cmocka_unit_test(readings_are_joined),
      cmocka_unit_test(packages_are_added),
      cmocka_unit_test(what_cannot_be_read_is_unknown),
      cmocka_unit_test(a_clock_below_three_quarters_is_slow),
      cmocka_unit_test(a_part_of_runs_begins_and_ends_at_steps_of_the_counter),
      cmocka_unit_test(a_counter_that_begins_anew_begins_a_part),
      cmocka_unit_test(energy_is_measured_where_it_can_be),
  };
  return cmocka_run_group_tests_name("telemetry", tests, program_setup, program_teardown);
}
