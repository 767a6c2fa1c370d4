/* Recorded sessions, a column a method and a row a round: how often the interval of a window of
 * them holds the median of its whole session. That is what intervals promise where the machine
 * keeps its pace; whether it does, the other methods of the same rounds tell. `DCS_WINDOWS=FILE`
 * reads another file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/files/csv.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_METHODS = 20, MOST_ROUNDS = 4000, WINDOWS = 1000 };
static const int lengths[] = {15, 30, 60, 200};
enum { N_LENGTHS = sizeof lengths / sizeof lengths[0] };

typedef struct {
  int methods, rounds;
  double times[MOST_METHODS][MOST_ROUNDS], median[MOST_METHODS];
} session;

static session recorded;
static double room[MOST_ROUNDS];

static double median_of(const double *times, int n) {
  memcpy(room, times, (size_t)n * sizeof *times);
  dcs_sort_values(room, (size_t)n);
  return dcs_median_of_sorted(room, (size_t)n);
}

static void read_session(const char *path) {
  dcs_table *t;
  if (dcs_table_read(path, &t) != DCS_OK) fail_msg("%s", dcs_error_message());
  recorded.rounds = (int)dcs_table_rows(t);
  recorded.methods = 0;
  assert_in_range(recorded.rounds, 500, MOST_ROUNDS);
  assert_in_range(dcs_table_columns(t), 2, MOST_METHODS);
  while (recorded.methods < (int)dcs_table_columns(t)) {
    double *times = recorded.times[recorded.methods];
    for (int r = 0; r < recorded.rounds; r++)
      assert_true((times[r] = dcs_table_number(t, (size_t)r, recorded.methods)) > 0);
    recorded.median[recorded.methods++] = median_of(times, recorded.rounds);
  }
  dcs_table_free(t);
}

/* How far the other methods were from their medians in the same rounds: the median of the logs. */
static double pace(int method, int from, int n) {
  double shifts[MOST_METHODS];
  int others = 0;
  for (int m = 0; m < recorded.methods; m++)
    if (m != method)
      shifts[others++] = log(median_of(recorded.times[m] + from, n) / recorded.median[m]);
  dcs_sort_values(shifts, (size_t)others);
  return dcs_median_of_sorted(shifts, (size_t)others);
}

static bool holds(int method, int from, int n) {
  const dcs_stats s = dcs_summarize_series(recorded.times[method] + from, (size_t)n, room);
  return s.lo <= recorded.median[method] && recorded.median[method] <= s.hi;
}

/* Of windows at random, of each length a quarter: the share that holds it of those where the others
 * kept their pace within `quiet`; *of_all of all of them. */
static double coverage(double quiet, double *of_all) {
  dcs_random random = {3};
  int held = 0, tried = 0, all_held = 0, all = 0;
  for (; tried < WINDOWS && all < 100 * WINDOWS; all++) {
    const int n = lengths[all % N_LENGTHS];
    const int method = (int)dcs_random_below(&random, recorded.methods);
    const int from = (int)dcs_random_below(&random, recorded.rounds - n + 1);
    const bool held_it = holds(method, from, n);
    all_held += held_it;
    if (fabs(pace(method, from, n)) > quiet) continue;
    held += held_it;
    tried++;
  }
  *of_all = (double)all_held / all;
  return tried >= WINDOWS / 2 ? (double)held / tried : NAN;
}

static void quiet_windows_hold_their_sessions_median(void **state) {
  (void)state;
  const char *other = getenv("DCS_WINDOWS");
  const char *path = other ? other : "results/reference/nvidia-h200/windows_gpu.csv";
  double of_all;
  read_session(path);
  for (int double_it = 0; double_it < 4; double_it++) {
    const double quiet = 0.001 * (1 << double_it), share = coverage(quiet, &of_all);
    print_message(
        "%s, %d methods x %d: %.3f of windows where the others kept within %.2g%%, %.3f of all\n",
        path, recorded.methods, recorded.rounds, share, 100 * quiet, of_all);
    if (double_it == 0 && !other) assert_true(share >= 0.95);
  }
}

/* A host's CPUs that change their pace: what results/measuring.md says of them, no more. */
static void windows_of_cpus_that_change_their_pace_hold_what_is_said(void **state) {
  (void)state;
  double of_all;
  read_session("results/reference/nvidia-h200/windows_cpu.csv");
  assert_int_equal(recorded.methods, 10);
  assert_int_equal(recorded.rounds, 2000);
  assert_float_equal(coverage(INFINITY, &of_all), 0.38, 0.005);
}

/* Ten methods on a card, three of which take one of three times by chance. */
static void windows_of_many_launches_hold_what_is_said(void **state) {
  (void)state;
  double of_all;
  read_session("results/reference/nvidia-h200/windows_launches.csv");
  assert_int_equal(recorded.methods, 10);
  assert_int_equal(recorded.rounds, 2000);
  assert_float_equal(coverage(0.001, &of_all), 0.88, 0.005);
  assert_float_equal(of_all, 0.83, 0.005);
}

/* ---- how they are recorded ---- */

static void a_runs_samples_are_a_table_of_its_rounds(void **state) {
  (void)state;
  char folder[] = "/tmp/dcs-test-windows-XXXXXX", path[64], command[128], line[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/samples.csv", folder);
  FILE *samples = fopen(path, "w");
  assert_non_null(samples);
  fputs("round,variant,config,scope,time_ns,mark\n"
        "0,cuda_padded,\"block_x=16,block_y=2\",kernel,1200.5,\n"
        "0,cpu_simd,threads=2,kernel,30,\n"
        "1,cpu_simd,threads=2,kernel,31,preempted\n"
        "1,cuda_padded,\"block_x=16,block_y=2\",kernel,1100,\n"
        "2,cuda_padded,\"block_x=16,block_y=2\",kernel,1000,\n",
        samples);
  assert_int_equal(fclose(samples), 0);
  snprintf(command, sizeof command, "awk -f tests/windows.awk %s", path);
  FILE *table = popen(command, "r");
  assert_non_null(table);
  static const char *const lines[] = {"cuda_padded,cpu_simd threads=2\n", "1200.5,30\n",
                                      "1100,31\n"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    assert_string_equal(fgets(line, sizeof line, table), lines[i]);
  assert_null(fgets(line, sizeof line, table));
  assert_int_equal(pclose(table), 0);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quiet_windows_hold_their_sessions_median),
      cmocka_unit_test(windows_of_cpus_that_change_their_pace_hold_what_is_said),
      cmocka_unit_test(windows_of_many_launches_hold_what_is_said),
      cmocka_unit_test(a_runs_samples_are_a_table_of_its_rounds),
  };
  return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
