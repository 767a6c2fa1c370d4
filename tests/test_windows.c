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
#define QUIET 0.001

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

typedef struct {
  double quiet[N_LENGTHS], all[N_LENGTHS]; /* shares of windows that hold it, by length */
} shares;

/* Of windows at random, 1,000 of each length where the others kept their pace within `quiet`, NaN
 * where there are not half as many; and of all that were drawn. */
static shares coverage(double quiet) {
  dcs_random random = {3};
  shares of = {{0}, {0}};
  for (int l = 0; l < N_LENGTHS; l++) {
    int held = 0, tried = 0, all_held = 0, all = 0;
    for (; tried < WINDOWS && all < 100 * WINDOWS; all++) {
      const int method = (int)dcs_random_below(&random, recorded.methods);
      const int from = (int)dcs_random_below(&random, recorded.rounds - lengths[l] + 1);
      const bool held_it = holds(method, from, lengths[l]);
      all_held += held_it;
      if (fabs(pace(method, from, lengths[l])) > quiet) continue;
      held += held_it;
      tried++;
    }
    of.quiet[l] = tried >= WINDOWS / 2 ? (double)held / tried : NAN;
    of.all[l] = (double)all_held / all;
  }
  return of;
}

static void print(const char *path, double quiet, const shares *of) {
  print_message("%s, %d methods x %d: held where the others kept within %.2g%%, and of all\n", path,
                recorded.methods, recorded.rounds, 100 * quiet);
  for (int l = 0; l < N_LENGTHS; l++)
    print_message("  windows of %3d: %.3f %.3f\n", lengths[l], of->quiet[l], of->all[l]);
}

/* What is said of each length, and no more. */
static void assert_shares(const double *found, const double *said) {
  for (int l = 0; l < N_LENGTHS; l++)
    assert_float_equal(found[l], said[l], 0.003);
}

/* Of cards and of CPUs that nothing else uses 95% of each length. */
static void quiet_windows_hold_their_sessions_median(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int methods;
    double all[N_LENGTHS];
  } sessions[] = {{"gpu", 9, {0.941, 0.869, 0.817, 0.818}},
                  {"launches", 10, {0.941, 0.902, 0.896, 0.945}},
                  {"cpu_alone", 10, {0.987, 0.985, 0.966, 0.926}}};
  for (size_t s = 0; s < sizeof sessions / sizeof sessions[0]; s++) {
    char path[80];
    snprintf(path, sizeof path, "results/reference/nvidia-h200/windows_%s.csv", sessions[s].name);
    read_session(path);
    assert_int_equal(recorded.methods, sessions[s].methods);
    assert_int_equal(recorded.rounds, 2000);
    const shares of = coverage(QUIET);
    print(path, QUIET, &of);
    for (int l = 0; l < N_LENGTHS; l++)
      assert_true(of.quiet[l] >= 0.95);
    assert_shares(of.all, sessions[s].all);
  }
}

/* A host's CPUs that change their pace: what results/measuring.md says of them, no more. */
static void windows_of_cpus_that_change_their_pace_hold_what_is_said(void **state) {
  (void)state;
  static const double said[N_LENGTHS] = {0.498, 0.449, 0.408, 0.368};
  read_session("results/reference/nvidia-h200/windows_cpu.csv");
  assert_int_equal(recorded.methods, 10);
  assert_int_equal(recorded.rounds, 2000);
  const shares of = coverage(INFINITY);
  assert_shares(of.all, said);
}

/* Another file is told of at several paces. */
static void another_session_is_told_of(void **state) {
  (void)state;
  const char *path = getenv("DCS_WINDOWS");
  if (!path) return;
  read_session(path);
  for (int more = 1; more <= 8; more *= 2) {
    const shares of = coverage(more * QUIET);
    print(path, more * QUIET, &of);
  }
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
      cmocka_unit_test(another_session_is_told_of),
      cmocka_unit_test(a_runs_samples_are_a_table_of_its_rounds),
  };
  return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
