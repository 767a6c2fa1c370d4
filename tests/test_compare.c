/* `dcsbench compare` on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "tests/compared_runs.h"

/* ---- verdicts ---- */

static int compare_examples(const char *options) {
  put_run("before", ENV, before);
  put_run("after", ENV, after);
  return compare("before", "after", options);
}

static void each_cell_has_its_verdict(void **state) {
  (void)state;
  static const struct {
    const char *variant, *scope, *atoms, *n_a, *n_b, *verdict;
    double ratio;
  } rows[] = {{"v1", "kernel", "100", "9", "9", "SLOWER", 1.1},
              {"v2", "kernel", "100", "9", "9", "FASTER", 0.75},
              {"v3", "kernel", "100", "9", "8", "SAME", 1},
              {"v1", "warm", "100", "9", "9", "UNSURE", 1.0125},
              {"v1", "kernel", "2000", "15", "5", "UNSURE", 1.4},
              {"broke", "kernel", "100", "9", "3", "NOT_OK", NAN}};
  assert_status(compare_examples("--csv"), 1);
  dcs_table *t = written();
  assert_int_equal(dcs_table_rows(t), 6);
  for (size_t r = 0; r < 6; r++) {
    assert_string_equal(text_at(t, r, "variant"), rows[r].variant);
    assert_string_equal(text_at(t, r, "scope"), rows[r].scope);
    assert_string_equal(text_at(t, r, "atoms"), rows[r].atoms);
    assert_string_equal(text_at(t, r, "n_a"), rows[r].n_a);
    assert_string_equal(text_at(t, r, "n_b"), rows[r].n_b);
    assert_string_equal(text_at(t, r, "verdict"), rows[r].verdict);
    assert_string_equal(text_at(t, r, "forced"), "no");
    double ratio = number_at(t, r, "ratio"), lo = number_at(t, r, "ratio_lo");
    assert_true(isnan(rows[r].ratio) ? isnan(ratio) : fabs(ratio - rows[r].ratio) < 0.002);
    assert_int_equal(isnan(lo), r >= 4);
    if (r < 4) assert_true(lo <= ratio && ratio <= number_at(t, r, "ratio_hi"));
  }
  dcs_table_free(t);
}

static void the_csv_has_its_columns(void **state) {
  (void)state;
  static const char *const columns = "variant,config,scope,memory,devices,problem,problem_config,"
                                     "atoms,nx,ny,nz,n_a,n_b,median_a_ns,median_b_ns,ratio,"
                                     "ratio_lo,ratio_hi,spread,scatter,pace,p,outcome_a,outcome_b,"
                                     "verdict,forced\n";
  compare_examples("--csv");
  assert_true(strncmp(program_out, columns, strlen(columns)) == 0);
  dcs_table *t = written();
  assert_string_equal(text_at(t, 0, "config"), "x=1,y=2");
  assert_string_equal(text_at(t, 0, "memory"), "");
  assert_string_equal(text_at(t, 0, "devices"), "cpu");
  assert_string_equal(text_at(t, 0, "nz"), "4");
  assert_true(number_at(t, 0, "median_a_ns") == 2e6 && number_at(t, 0, "median_b_ns") == 2.2e6);
  assert_string_equal(text_at(t, 5, "outcome_a"), "ok");
  assert_string_equal(text_at(t, 5, "outcome_b"), "crash");
  assert_string_equal(text_at(t, 5, "median_a_ns"), "");
  dcs_table_free(t);
}

static void the_table_tells_the_same_and_counts(void **state) {
  (void)state;
  assert_status(compare_examples(""), 1);
  static const char *const parts[] = {
      "A is ",
      "100 atoms, 8x8x4           2        2.2   1.100   1.095..1.105  SLOWER   "
      "x=1,y=2\n",
      "  FASTER ",
      "A ok, B crash  NOT_OK ",
      "\n5 compared: 1 slower, 1 faster, 1 same, 2 unsure; median ratio 1.01",
      "\n1 of the unsure has fewer than 6 samples, too few for a verdict: measure with --rounds 6 "
      "or more, with budget enough for them\n",
      "\nnot compared: 2 only in A, 1 only in B, 1 not ok in one, 1 not ok in both\n"};
  for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
    assert_contains(program_out, parts[p]);
  assert_null(strstr(program_out, "gone"));
}

static void the_status_tells_whether_anything_is_slower(void **state) {
  (void)state;
  put_run("a", ENV, plain);
  put_run("b", ENV, slow);
  assert_status(compare("a", "b", ""), 1);
  assert_contains(program_err, "1 row is slower in");
  assert_status(compare("b", "a", ""), 0);
  assert_string_equal(program_err, "");
  assert_status(compare("a", "a", ""), 0);
  assert_contains(program_out, "SAME");
}

/* ---- by simulation ---- */

enum { PAIRS = 200 };

/* A run of PAIRS cells, each with 40 noisy times of median `ms`; it slows down by 1%. */
static void put_simulated_run(const char *run, uint64_t seed, double ms) {
  static const measured none[] = {{0}};
  dcs_random random = {seed};
  put_run(run, ENV, none);
  FILE *samples = fopen(path_in(run, "samples.csv"), "a");
  FILE *summary = fopen(path_in(run, "summary.csv"), "a");
  assert_true(samples && summary);
  for (int p = 1; p <= PAIRS; p++) {
    for (int r = 0; r < 40; r++)
      fprintf(samples, "%d,%d,v,x=1,kernel,,cpu,coulomb,,%d,8,8,4,1,%.3f,,,\n", r, 40 * p + r, p,
              1e6 * ms * (1 + 0.01 * r / 39) * simulated_noise(&random, 0.015));
    fprintf(summary, "v,cpu,x=1,cpu,kernel,,coulomb,,%d,8,8,4,%.3f,ok\n", p, 1e6 * ms);
  }
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
}

static int count_verdicts(const char *verdict) {
  dcs_table *t = written();
  int n = 0;
  assert_int_equal(dcs_table_rows(t), PAIRS);
  for (size_t row = 0; row < PAIRS; row++)
    n += strcmp(text_at(t, row, "verdict"), verdict) == 0;
  dcs_table_free(t);
  return n;
}

static void a_planted_change_is_found_and_nothing_else(void **state) {
  (void)state;
  put_simulated_run("a", 3, 2);
  put_simulated_run("same", 4, 2);
  put_simulated_run("slow", 5, 2.1);
  (void)compare("a", "same", "--csv");
  int different = count_verdicts("SLOWER") + count_verdicts("FASTER");
  assert_status(compare("a", "slow", "--csv"), 1);
  int slower = count_verdicts("SLOWER");
  print_message("%d of %d called different, %d of %d slowdowns found\n", different, PAIRS, slower,
                PAIRS);
  assert_true(different <= 0.05 * PAIRS);
  assert_true(slower >= 0.95 * PAIRS);
}

/* ---- sessions ---- */

/* Eight rows; the times of `run` are those of the first times `factors`. */
static void put_factors(const char *run, const double factors[8]) {
  measured rows[9] = {{0}};
  for (int r = 0; r < 8; r++)
    rows[r] = (measured){"v1", "kernel", 100 + r, 9, 2 * factors[r], 0.001, "ok"};
  put_run(run, ENV, rows);
}

/* All rows 10% slower are a slower build. A pace that changed from row to row is none: by 10% in
 * the mean, too, and by a deviation of 1.4826 times 0.1. */
static void a_pace_that_changes_is_in_the_interval(void **state) {
  (void)state;
  static const double once[] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const double slower[] = {1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1};
  double moved[8];
  for (int r = 0; r < 8; r++)
    moved[r] = 1.1 * exp(r % 2 ? 0.1 : -0.1);
  put_factors("a", once);
  put_factors("slower", slower);
  put_factors("moved", moved);
  assert_status(compare("a", "slower", ""), 1);
  assert_contains(program_out, "8 compared: 8 slower");
  assert_null(strstr(program_out, "changed its pace"));
  assert_status(compare("a", "moved", ""), 0);
  assert_contains(program_out, "8 compared: 0 slower, 0 faster");
  assert_contains(program_out, "CPU ratios of scope kernel scatter by 15%: the machine changed its "
                               "pace, or some methods changed: `compare --run` tells");
}

/* 12 rows, half of them by 1.3, which is 1.4826 times half of log 1.3; beside them 8 rows of
 * another scope, all slower by 1.1. */
static void put_halves(const char *run, double changed, double warm) {
  measured rows[21] = {{0}};
  for (int r = 0; r < 12; r++)
    rows[r] = (measured){"v1", "kernel", 100 + r, 9, r % 2 ? 2 * changed : 2, 0.001, "ok"};
  for (int r = 12; r < 20; r++)
    rows[r] = (measured){"v1", "warm", 100 + r, 9, 2 * warm, 0.001, "ok"};
  put_run(run, ENV, rows);
}

/* Sessions one after the other do not tell a half that changed from a pace, and it is said; the
 * other scope has nothing of it. */
static void a_scatter_is_of_one_scope(void **state) {
  (void)state;
  put_halves("a", 1, 1);
  put_halves("b", 1.3, 1.1);
  assert_status(compare("a", "b", ""), 1);
  assert_contains(program_out, "20 compared: 8 slower, 0 faster, 0 same, 12 unsure");
  assert_contains(program_out, "CPU ratios of scope kernel scatter by 19%");
  assert_null(strstr(program_out, "scope warm"));
  compare("a", "b", "--csv");
  dcs_table *t = written();
  for (size_t r = 0; r < 20; r++)
    assert_float_equal(number_at(t, r, "scatter"), r < 12 ? 1.4826 * log(1.3) / 2 : 0, 1e-6);
  dcs_table_free(t);
}

/* Four sizes of three methods; times of `run` are those of the first times the size's and the
 * method's factor. */
static void put_sizes(const char *run, const double sizes[4], const double methods[3]) {
  static const char *const names[] = {"v1", "v2", "v3"};
  measured rows[13] = {{0}};
  for (int r = 0; r < 12; r++)
    rows[r] = (measured){names[r % 3], "kernel", 100 + r / 3, 9, 2 * sizes[r / 3] * methods[r % 3],
                         0.001,        "ok"};
  put_run(run, ENV, rows);
}

/* What all methods of a size have in common may be a slow spell while it was measured: of 0, 0, 0
 * and log 1.3 the deviation is half of log 1.3, and Student's quantile of 3 degrees of
 * freedom 3.18. What a method has in common at all sizes is not, nor what all rows have. */
static void a_pace_from_size_to_size_is_in_the_interval(void **state) {
  (void)state;
  static const double alike[] = {1, 1, 1, 1}, one_size[] = {1, 1.3, 1, 1},
                      all[] = {1.1, 1.1, 1.1, 1.1}, one_method[] = {1, 1.3, 1};
  put_sizes("a", alike, alike);
  put_sizes("size", one_size, alike);
  put_sizes("method", alike, one_method);
  put_sizes("all", all, alike);
  assert_status(compare("a", "size", ""), 0);
  assert_contains(program_out, "12 compared: 0 slower, 0 faster");
  assert_contains(
      program_out,
      "CPU ratios of scope kernel move together from size to size, by up to 52%: the machine "
      "changed its pace, or all methods changed at some sizes: `compare --run` tells");
  compare("a", "size", "--csv");
  dcs_table *t = written();
  for (size_t r = 0; r < 12; r++)
    assert_float_equal(number_at(t, r, "pace"), 3.182446 * log(1.3) / 2, 1e-6);
  dcs_table_free(t);
  assert_status(compare("a", "method", ""), 1);
  assert_contains(program_out, "12 compared: 4 slower, 0 faster");
  assert_null(strstr(program_out, "move together"));
  assert_status(compare("a", "all", ""), 1);
  assert_contains(program_out, "12 compared: 12 slower");
}

static void assert_interval(double value, double half_within, double half_between) {
  dcs_table *t = written();
  assert_true(fabs(number_at(t, 0, "ratio") - value) < 1e-6);
  const double half = hypot(half_within, half_between);
  const double lo = log(value / number_at(t, 0, "ratio_lo"));
  const double hi = log(number_at(t, 0, "ratio_hi") / value);
  if (!(fabs(lo - half) < 0.002 * half && fabs(hi - half) < 0.002 * half))
    fail_msg("halves %.6f and %.6f; expected %.6f", lo, hi, half);
  dcs_table_free(t);
}

static const measured steady[] = {{"v1", "kernel", 100, 9, 2, 1e-9, "ok"}, {0}};

static void the_spread_between_sessions_is_in_the_interval(void **state) {
  (void)state;
  const double pace = log(1 + 0.003 * sqrt(2)); /* of equal times */
  static const measured tenth[] = {{"v1", "kernel", 100, 9, 2.2, 1e-9, "ok"}, {0}};
  put_run("a", ENV, steady);
  put_run("b", ENV, tenth);
  put_spread("0.01", "11");
  assert_status(compare("a", "b", "--csv"), 1);
  assert_contains(program_err,
                  "spread of CPU times between sessions, in each interval: 1%, measured on this "
                  "machine in 11 sessions, 2026-01-02\n");
  /* Student's t with 10 degrees of freedom: 2.228. */
  assert_interval(1.1, pace, 2.228139 * 0.01 * sqrt(2));
  put_spread("0.01", "2");
  assert_status(compare("a", "b", ""), 3);
  assert_contains(program_err, "spread.csv: row 3: found sessions \"2\"");
  assert_int_equal(unlink(in_folder("spread.csv")), 0);
  assert_status(compare("a", "b", "--csv"), 0); /* 1.1 may be chance */
  assert_contains(program_err, "in each interval: 3%, assumed: `dcsbench limits --sessions 10`");
  assert_interval(1.1, pace, 1.959964 * 0.03 * sqrt(2));
  put_spread("1e-6", "9");
}

/* A run of which each process took five samples, with these times. Before sample `replaced` another
 * took the place of one that died; NONE: before none. `told`: samples name their sessions, of ten
 * samples each. */
enum { NONE = -1 };
static void put_samples(const char *run, const double *ms, int n, const char *more, int replaced,
                        bool told) {
  char env[512];
  snprintf(env, sizeof env, "%s%s", ENV, more);
  put_run(run, env, steady);
  FILE *samples = fopen(path_in(run, "samples.csv"), "w");
  assert_non_null(samples);
  fputs("round,seq,variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,inner,"
        "time_ns,mark,process",
        samples);
  fputs(told ? ",session\n" : "\n", samples);
  for (int i = 0; i < 5 * n; i++) {
    fprintf(samples, "%d,%d,v1,\"x=1,y=2\",kernel,,cpu,coulomb,,100,8,8,4,1,%.6f,,%d", i, i,
            1e6 * ms[i / 5] * (1 + 1e-9 * (i % 5)), i / 5 + (replaced != NONE && i >= replaced));
    if (told) fprintf(samples, ",%d", i / 10);
    fputc('\n', samples);
  }
  assert_int_equal(fclose(samples), 0);
}

static void put_replaced(const char *run, const double *ms, int n, const char *more, int replaced) {
  put_samples(run, ms, n, more, replaced, false);
}

static void put_sessions(const char *run, const double *ms, int n, const char *more) {
  put_replaced(run, ms, n, more, NONE);
}

static void sessions_of_the_runs_tell_their_spread(void **state) {
  (void)state;
  static const double a[] = {2, 2 * 1.02, 2 / 1.02}, b[] = {3, 3 * 1.04, 3, 3 / 1.04, 3};
  put_sessions("a", a, 3, "");
  put_sessions("b", b, 5, "");
  assert_status(compare("a", "b", "--csv"), 1);
  assert_contains(program_err, "as between the sessions of these runs\n");
  /* Squares of log 1.02 (twice, 2 degrees) and of log 1.04 (twice, 4 degrees): 6 in all, t 2.447.
   */
  const double squares = 2 * pow(log(1.02), 2) + 2 * pow(log(1.04), 2);
  const double between = 2.446912 * sqrt(squares / 6) * sqrt(1.0 / 3 + 1.0 / 5);
  dcs_table *t = written();
  assert_true(fabs(number_at(t, 0, "spread") - sqrt(squares / 6)) < 1e-6);
  assert_true(log(number_at(t, 0, "ratio_hi") / number_at(t, 0, "ratio")) > 0.999 * between);
  assert_string_equal(text_at(t, 0, "p"), "");
  dcs_table_free(t);
}

/* What a worker that died leaves behind is not another session: neither where there are some, nor
 * where there is but one. */
static void a_worker_that_died_begins_no_session(void **state) {
  (void)state;
  static const double ms[] = {2, 2, 2.04, 2.04, 2 / 1.02, 2 / 1.02, 2, 2};
  put_samples("a", ms, 8, "", NONE, true); /* in the middle of each */
  put_samples("b", ms, 8, "", 33, true);
  assert_status(compare("a", "b", "--csv"), 0);
  assert_contains(program_err, "as between the sessions of these runs\n");
  dcs_table *t = written();
  assert_true(fabs(number_at(t, 0, "spread") - log(1.02) * sqrt(2.0 / 3)) < 1e-6);
  dcs_table_free(t);
  for (int n = 2; n <= 8; n += 6) {
    dcs_run run;
    put_samples("a", ms, n, "", NONE, true);
    assert_int_equal(dcs_run_open(&run, in_folder("a")), DCS_OK);
    assert_int_equal(dcs_row_sessions(&run, &run.rows[0]), n / 2);
    dcs_run_close(&run);
  }
}

/* ---- times of other programs ---- */

/* Two methods at four sizes, six rounds each, those of the second by so much longer. */
static void put_imported(const char *run, double factor) {
  char text[4096] = "method,n,m,round,time_ns\n";
  for (int i = 0; i < 48; i++)
    dcs_append(text, sizeof text, "%s,%d,7,%d,%.9g\n", i % 2 ? "x" : "y", 10 << i / 12, i % 12 / 2,
               factor * (1000 + i % 12 / 2));
  put_file(in_folder("times.csv"), text);
  assert_status(program_run("import %s --out %s", in_folder("times.csv"), in_folder(run)), 0);
}

static void imported_times_have_the_spread_of_sessions_and_their_own_axes(void **state) {
  (void)state;
  put_imported("left", 1);
  put_imported("right", 1.06); /* as sessions of one program do */
  assert_status(compare("left", "right", "--csv"), 0);
  assert_contains(program_err, "spread of times between sessions, in each interval: 3%, assumed");
  dcs_table *t = written();
  assert_int_equal(dcs_table_rows(t), 8);
  for (size_t r = 0; r < 8; r++) {
    assert_true(number_at(t, r, "axis_1") >= 10 && number_at(t, r, "axis_2") == 7);
    assert_string_equal(text_at(t, r, "problem_config"), "n,m");
    assert_true(number_at(t, r, "n_a") == 6 && number_at(t, r, "n_b") == 6);
    assert_true(fabs(number_at(t, r, "ratio") - 1.06) < 1e-6);
    assert_true(number_at(t, r, "spread") == 0.03);
    assert_true(log(number_at(t, r, "ratio_hi") / 1.06) > 0.999 * 1.959964 * 0.03 * sqrt(2));
    assert_string_equal(text_at(t, r, "verdict"), "UNSURE");
    assert_string_equal(text_at(t, r, "forced"), "no");
  }
  dcs_table_free(t);
  put_imported("fifth", 1.2);
  assert_status(compare("left", "fifth", ""), 1);
  assert_contains(program_out, "8 compared: 8 slower");
}

/* What `limits --sessions` does with its sessions: four, of two rows each. */
static void sessions_of_a_machine_are_kept_for_it(void **state) {
  (void)state;
  static const double factor[] = {1.03, 1, 1 / 1.03, 1};
  dcs_run runs[4];
  dcs_spread spread, found;
  bool any;
  for (int r = 0; r < 4; r++) {
    const measured list[] = {{"v1", "kernel", 100, 9, 2 * factor[r], 1e-9, "ok"},
                             {"v2", "kernel", 100, 9, 7 * factor[r], 1e-9, "ok"},
                             {0}};
    const char *names[] = {"s0", "s1", "s2", "s3"};
    put_run(names[r], ENV "date,2026-03-04T05:06:07Z\n", list);
    assert_int_equal(dcs_run_open(&runs[r], in_folder(names[r])), DCS_OK);
  }
  assert_false(dcs_spread_of_runs(runs, 2, DCS_CPU, &spread)); /* too few */
  assert_false(dcs_spread_of_runs(runs, 4, DCS_GPU, &spread));
  assert_true(dcs_spread_of_runs(runs, 4, DCS_CPU, &spread));
  assert_true(fabs(spread.deviation - log(1.03) * sqrt(2.0 / 3)) < 1e-6 && spread.degrees == 3);
  /* Student's t with 3 degrees of freedom is 3.182. */
  assert_true(fabs(dcs_spread_half(&spread, 1, 1) / (spread.deviation * sqrt(2)) - 3.182) < 0.03);

  const char *path = in_folder("kept.csv");
  assert_int_equal(dcs_spread_find(path, &runs[0], DCS_CPU, &found, &any), DCS_OK);
  assert_false(any);
  assert_int_equal(dcs_spread_put(path, &runs[0], DCS_CPU, &spread), DCS_OK);
  spread.deviation *= 2;
  assert_int_equal(dcs_spread_put(path, &runs[0], DCS_CPU, &spread), DCS_OK);
  assert_int_equal(dcs_spread_find(path, &runs[3], DCS_CPU, &found, &any), DCS_OK);
  assert_true(any && found.source == DCS_SPREAD_MACHINE && found.degrees == 3);
  assert_true(fabs(found.deviation / spread.deviation - 1) < 1e-9);
  assert_string_equal(found.date, "2026-03-04T05:06:07Z");
  assert_int_equal(dcs_spread_find(path, &runs[0], DCS_GPU, &found, &any), DCS_OK);
  assert_false(any);
  for (int r = 0; r < 4; r++)
    dcs_run_close(&runs[r]);
  assert_status(program_run("limits --sessions 3"), 2);
}

/* Each file is begun by one of them. */
static void sessions_kept_at_once_lose_no_row(void **state) {
  (void)state;
  enum { PROCESSES = 4, FILES = 200 };
  const measured list[] = {{"v1", "kernel", 100, 9, 2, 1e-9, "ok"}, {0}};
  const dcs_spread spread = {.deviation = 0.01, .degrees = 3};
  char path[PATH_MAX];
  dcs_run run;
  dcs_table *table;
  pid_t pids[PROCESSES];
  put_run("at_once", ENV "date,2026-03-04T05:06:07Z\n", list);
  assert_int_equal(dcs_run_open(&run, in_folder("at_once")), DCS_OK);
  for (int p = 0; p < PROCESSES; p++) {
    assert_true((pids[p] = fork()) >= 0);
    if (pids[p] > 0) continue;
    int failed = 0;
    for (int f = 0; f < FILES; f++) {
      snprintf(path, sizeof path, "%s%d", in_folder("kept"), f);
      failed += dcs_spread_put(path, &run, DCS_CPU, &spread) != DCS_OK;
    }
    _exit(failed > 0);
  }
  for (int p = 0; p < PROCESSES; p++)
    assert_int_equal(program_wait(pids[p]), 0);
  for (int f = 0; f < FILES; f++) {
    snprintf(path, sizeof path, "%s%d", in_folder("kept"), f);
    assert_int_equal(dcs_table_read_whole(path, &table), DCS_OK);
    assert_int_equal(dcs_table_rows(table), PROCESSES);
    dcs_table_free(table);
  }
  dcs_run_close(&run);
}

/* Samples taken in turns: the same times say what no sequence of sessions does. */
static void runs_measured_in_turns_are_compared_in_pairs(void **state) {
  (void)state;
  double a[8], b[8];
  for (int i = 0; i < 8; i++) { /* the machine drifts by a factor of 2 */
    a[i] = 2 + 0.25 * i;
    b[i] = a[i] * (1.049 + 0.001 * (i % 3));
  }
  put_sessions("a", a, 8, "interleaved,1f\n");
  put_sessions("b", b, 8, "interleaved,1f\n");
  assert_status(compare("a", "b", "--csv"), 1);
  assert_contains(program_err, "measured in turns");
  dcs_table *t = written();
  assert_string_equal(text_at(t, 0, "verdict"), "SLOWER");
  assert_true(fabs(number_at(t, 0, "ratio") - 1.05) < 0.001);
  assert_true(number_at(t, 0, "ratio_lo") > 1.048 && number_at(t, 0, "ratio_hi") < 1.052);
  assert_true(number_at(t, 0, "p") == 2.0 / 256);
  assert_string_equal(text_at(t, 0, "spread"), "");
  dcs_table_free(t);
  put_sessions("b", b, 8, "interleaved,2f\n"); /* with another run */
  assert_status(compare("a", "b", ""), 0);
  assert_null(strstr(program_out, "measured in turns"));
  assert_contains(program_out, "UNSURE");
  put_sessions("a", a, 5, "interleaved,3f\n"); /* five pairs have no interval */
  put_sessions("b", b, 5, "interleaved,3f\n");
  assert_status(compare("a", "b", ""), 0);
  assert_contains(program_out, "UNSURE");
  assert_contains(program_out, "samples of fewer than 6 pairs of processes");
}

/* A process that died leaves the other's block as it is, on either side and on both. */
static void a_block_is_of_both_processes(void **state) {
  (void)state;
  double a[8], b[8];
  for (int i = 0; i < 8; i++) {
    a[i] = 2 + 0.25 * i;
    b[i] = a[i] * (1.049 + 0.001 * (i % 3));
  }
  static const int replaced[][2] = {{7, NONE}, {NONE, 7}, {7, 13}, {5, NONE}, {NONE, 38}};
  for (size_t r = 0; r < sizeof replaced / sizeof replaced[0]; r++) {
    put_replaced("a", a, 8, "interleaved,1f\n", replaced[r][0]);
    put_replaced("b", b, 8, "interleaved,1f\n", replaced[r][1]);
    assert_status(compare("a", "b", "--csv"), 1);
    dcs_table *t = written();
    assert_true(number_at(t, 0, "p") == 2.0 / 256);
    dcs_table_free(t);
  }
}

static void rows_that_stayed_disturbed_say_so(void **state) {
  (void)state;
  put_run("a", ENV, steady);
  put_run("b", ENV, steady);
  for (int disturbed = 2; disturbed <= 3; disturbed++) { /* of 9 */
    char summary[512];
    snprintf(summary, sizeof summary,
             "variant,backend,config,devices,scope,memory,problem,problem_config,atoms,nx,ny,nz,n,"
             "median_ns,disturbed,evals_per_s,outcome\n"
             "v1,cpu,\"x=1,y=2\",cpu,kernel,,coulomb,,100,8,8,4,9,2000000,%d,1e9,ok\n",
             disturbed);
    put_file(path_in("b", "summary.csv"), summary);
    assert_status(compare("a", "b", ""), 0);
    assert_int_equal(strstr(program_out, "x=1,y=2  disturbed\n") != NULL, disturbed == 3);
    assert_int_equal(strstr(program_out, "\n1 disturbed: in more than a quarter") != NULL,
                     disturbed == 3);
    assert_status(program_run("report %s", in_folder("b")), 0);
    assert_int_equal(strstr(program_out, "disturbed") != NULL, disturbed == 3);
    assert_int_equal(strstr(program_out, "1 of 1 rows are disturbed") != NULL, disturbed == 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_cell_has_its_verdict),
      cmocka_unit_test(the_csv_has_its_columns),
      cmocka_unit_test(the_table_tells_the_same_and_counts),
      cmocka_unit_test(the_status_tells_whether_anything_is_slower),
      cmocka_unit_test(a_planted_change_is_found_and_nothing_else),
      cmocka_unit_test(a_pace_that_changes_is_in_the_interval),
      cmocka_unit_test(a_scatter_is_of_one_scope),
      cmocka_unit_test(a_pace_from_size_to_size_is_in_the_interval),
      cmocka_unit_test(the_spread_between_sessions_is_in_the_interval),
      cmocka_unit_test(sessions_of_the_runs_tell_their_spread),
      cmocka_unit_test(a_worker_that_died_begins_no_session),
      cmocka_unit_test(imported_times_have_the_spread_of_sessions_and_their_own_axes),
      cmocka_unit_test(sessions_of_a_machine_are_kept_for_it),
      cmocka_unit_test(sessions_kept_at_once_lose_no_row),
      cmocka_unit_test(runs_measured_in_turns_are_compared_in_pairs),
      cmocka_unit_test(a_block_is_of_both_processes),
      cmocka_unit_test(rows_that_stayed_disturbed_say_so),
  };
  return cmocka_run_group_tests(tests, make_folder_with_spread, program_teardown);
}
