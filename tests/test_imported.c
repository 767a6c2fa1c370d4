/* What is decided from timings of other programs: thresholds, their header, and the header that
 * chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/text.h"
#include "harness/figures/figures.h"
#include "tests/imported_run.h"
#include "tuning/crossover/crossover.h"
#include "tuning/dispatch/imported.h"

#include <math.h>
#include <string.h>

/* ---- thresholds ---- */

/* A normal deviate of the seed's stream (sum of twelve, Irwin-Hall). */
static double normal(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (double)(*state >> 11) / 9007199254740992.0;
  }
  return sum;
}

/* Times of `slow` and `fast` with 5% noise, equal at a size of 51. */
static void put_planted(uint64_t seed, char text[32768]) {
  size_t used = (size_t)snprintf(text, 32768, "method,n,round,time_ns\n");
  for (int round = 0; round < 15; round++)
    for (int n = 1; n <= 2048; n *= 2)
      for (int fast = 0; fast < 2; fast++)
        used += (size_t)snprintf(text + used, 32768 - used, "%s,%d,%d,%.6g\n",
                                 fast ? "fast" : "slow", n, round,
                                 (fast ? 510 + 10.0 * n : 20.0 * n) * exp(0.05 * normal(&seed)));
}

static void a_planted_threshold_is_within_its_interval(void **state) {
  (void)state;
  static char text[32768];
  int held = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    dcs_crossovers found;
    put_planted(seed, text);
    assert_int_equal(import(text, NULL), DCS_OK);
    assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_OK);
    assert_int_equal(found.n, 1);
    held += found.list[0].threshold.lo <= 51 && 51 <= found.list[0].threshold.hi;
    assert_string_equal(dcs_crossover_method(&found.measured, &found.list[0], 1), "fast");
    dcs_crossovers_free(&found);
    forget_run();
  }
  printf("%d of 100 intervals hold the planted size\n", held);
  assert_true(held >= 95);
}

static void too_few_sizes_are_said(void **state) {
  (void)state;
  dcs_crossovers found;
  assert_int_equal(import("method,n,time_ns\na,1,2\nb,1,3\na,2,2\nb,2,3\n", NULL), DCS_OK);
  assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "its methods have 2 sizes in common at most along an "
                                              "axis (0 rows are not ok); expected two methods of "
                                              "one scope with 4"));
  dcs_crossovers_free(&found);
  forget_run();
}

/* The header, compiled as C and as C++ by a user who takes every warning for an error. */
static void check_user(const char *program) {
  char path[128], command[512];
  snprintf(path, sizeof path, "%s/user.c", folder);
  FILE *user = fopen(path, "w");
  assert_non_null(user);
  assert_true(fputs(program, user) >= 0);
  assert_int_equal(fclose(user), 0);
  static const char *const compilers[] = {"cc -std=c99", "c++ -x c++"};
  for (size_t c = 0; c < 2; c++) {
    snprintf(command, sizeof command,
             "%s -Wall -Wextra -Werror -Wno-unused-function -I%s %s -o %s/user -lm && %s/user",
             compilers[c], folder, path, folder, folder);
    assert_int_equal(system(command), 0);
  }
}

static void thresholds_to_paste(void **state) {
  (void)state;
  static char text[32768];
  char header[128], sentence[1024];
  dcs_crossovers found;
  put_planted(1, text);
  assert_int_equal(import(text, NULL), DCS_OK);
  assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_OK);
  dcs_threshold *t = &found.list[0].threshold;
  t->estimate = 18063.4; /* of the interval's hundredth: 10 */
  t->lo = 17291;
  t->hi = 18938;
  t->regret_worst = 0.0213;
  assert_string_equal(dcs_crossover_sentence(&found.measured, &found.list[0], sentence),
                      "n (warm): use fast from 18060 on (95%: 17290 to 18940), slow below; it "
                      "loses at most 2.1% at a size that it was not drawn from");
  snprintf(header, sizeof header, "%s/thresholds.h", folder);
  assert_int_equal(dcs_crossovers_write_header(header, &found), DCS_OK);
  t->regret_worst = 1.506; /* no digits with an exponent */
  assert_non_null(strstr(dcs_crossover_sentence(&found.measured, &found.list[0], sentence),
                         "; it loses at most 150% at"));
  dcs_crossovers_free(&found);
  forget_run();
  check_user("#include \"thresholds.h\"\n"
             "int main(void) { return DCS_FAST_OVER_SLOW_WARM_FROM_N == 18060 ? 0 : 1; }\n");
}

/* Times of 10 n and 35: at 3 the one is faster, at 4 the other. */
static void small_thresholds_are_whole_sizes(void **state) {
  (void)state;
  char text[2048] = "method,n,time_ns\n", header[128], sentence[1024];
  dcs_crossovers found;
  for (int n = 1; n <= 6; n++)
    for (int round = 0; round < 7; round++)
      dcs_append(text, sizeof text, "a,%d,%d\nb,%d,35\n", n, 10 * n, n);
  assert_int_equal(import(text, NULL), DCS_OK);
  assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_OK);
  assert_true(found.list[0].threshold.estimate > 3 && found.list[0].threshold.estimate < 4);
  assert_string_equal(dcs_crossover_sentence(&found.measured, &found.list[0], sentence),
                      "n (warm): use b from 4 on (95%: 4 to 4), a below; it loses nothing at sizes "
                      "that it was not drawn from");
  snprintf(header, sizeof header, "%s/thresholds.h", folder);
  assert_int_equal(dcs_crossovers_write_header(header, &found), DCS_OK);
  dcs_crossovers_free(&found);
  forget_run();
  check_user("#include \"thresholds.h\"\n"
             "int main(void) { return DCS_B_OVER_A_WARM_FROM_N == 4 ? 0 : 1; }\n");
  assert_true(dcs_crossover_whole(4) == 4 && dcs_crossover_whole(exp(log(1000))) == 1000);
  assert_true(dcs_crossover_whole(4.01) == 5);
}

/* thresholds.h of the run, into the folder of check_user(). */
static void write_thresholds(void) {
  dcs_crossovers found;
  char header[128];
  assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_OK);
  snprintf(header, sizeof header, "%s/thresholds.h", folder);
  assert_int_equal(dcs_crossovers_write_header(header, &found), DCS_OK);
  dcs_crossovers_free(&found);
}

static void write_decision(void) {
  char header[128];
  dcs_measured measured;
  dcs_imported drawn;
  assert_int_equal(dcs_measured_read(out, NULL, &measured), DCS_OK);
  assert_int_equal(dcs_imported_draw(&measured, &drawn), DCS_OK);
  snprintf(header, sizeof header, "%s/dispatch.h", folder);
  assert_int_equal(dcs_imported_write_header(header, &drawn), DCS_OK);
  dcs_measured_free(&measured);
}

/* Two axes: the frontier is a function; and the decision is that of the nearest size. */
static void two_axes(void **state) {
  (void)state;
  static char text[32768];
  size_t used = (size_t)snprintf(text, sizeof text, "method,n,m,round,time_ns\n");
  for (int round = 0; round < 8; round++)
    for (int n = 1; n <= 256; n *= 2)
      for (int m = 1; m <= 100; m *= 10)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "slow,%d,%d,%d,%g\nfast,%d,%d,%d,%g\n", n, m, round,
            10.0 * n + 0.01 * round, n, m, round, 5.0 * n + 50.0 + m + 0.01 * round);
  assert_int_equal(import(text, NULL), DCS_OK);
  char header[128];
  write_thresholds();
  dcs_measured measured;
  dcs_imported drawn;
  assert_int_equal(dcs_measured_read(out, NULL, &measured), DCS_OK);
  assert_int_equal(dcs_imported_draw(&measured, &drawn), DCS_OK);
  assert_int_equal(drawn.rule, DCS_IMPORTED_NEAREST);
  assert_int_equal(drawn.loss[DCS_IMPORTED_NEAREST].sizes, 27);
  snprintf(header, sizeof header, "%s/dispatch.h", folder);
  assert_int_equal(dcs_imported_write_header(header, &drawn), DCS_OK);
  dcs_measured_free(&measured);
  forget_run();
  /* 10 n = 5 n + 50 + m: n = 10.2, 12 and 30 at m = 1, 10 and 100. */
  check_user("#include \"thresholds.h\"\n#include \"dispatch.h\"\n"
             "static int near(double a, double b) { return a > 0.8 * b && a < 1.25 * b; }\n"
             "int main(void) {\n"
             "  if (!near(dcs_fast_over_slow_warm_from_n(0.1), 10.2)) return 1;\n"
             "  if (!near(dcs_fast_over_slow_warm_from_n(10), 12)) return 2;\n"
             "  if (!near(dcs_fast_over_slow_warm_from_n(1000), 30)) return 3;\n"
             "  if (dcs_dispatch_choose(4, 2) != DCS_DISPATCH_SLOW) return 4;\n"
             "  if (dcs_dispatch_choose(250, 90) != DCS_DISPATCH_FAST) return 5;\n"
             "  return 0;\n}\n");
}

/* Methods whose names differ in signs alone, and axes whose names would end a comment. */
static void names_of_a_header_are_all_different(void **state) {
  (void)state;
  static const char *const methods[] = {"a-b", "a_b", "a_b_2", "A B", "日", "本", "*/ int", "for"};
  enum { METHODS = sizeof methods / sizeof methods[0] };
  static char text[1 << 16];
  size_t used = (size_t)snprintf(text, sizeof text, "method,*/ int x; /*,b*/,round,time_ns\n");
  for (int round = 0; round < 6; round++)
    for (int n = 1; n <= 1000; n *= 10)
      for (int m = 1; m <= 10; m *= 10)
        for (int method = 0; method < METHODS; method++)
          used += (size_t)snprintf(text + used, sizeof text - used, "%s,%d,%d,%d,%g\n",
                                   methods[method], n, m, round,
                                   (method + 1) * n + 1000.0 / (method + 1) + m + 0.001 * round);
  assert_true(used < sizeof text);
  assert_int_equal(import(text, NULL), DCS_OK);
  write_thresholds();
  write_decision();
  forget_run();
  check_user("#include \"thresholds.h\"\n#include \"dispatch.h\"\n"
             "int main(void) {\n"
             "  const dcs_dispatch_method all[] = {DCS_DISPATCH_A_B, DCS_DISPATCH_A_B_2,\n"
             "      DCS_DISPATCH_A_B_2_2, DCS_DISPATCH_A_B_3, DCS_DISPATCH_, DCS_DISPATCH__2,\n"
             "      DCS_DISPATCH_INT, DCS_DISPATCH_FOR};\n"
             "  unsigned seen = 0;\n"
             "  for (int i = 0; i < 8; i++) seen |= 1u << all[i];\n"
             "  return seen == 255 ? 0 : 1;\n}\n");
}

/* Three methods whose pairs do not follow each other, and values of the second axis at which one is
 * the faster at all sizes: the functions decide as the times do wherever these differ by 6%. */
static void frontiers_decide_as_the_times_do(void **state) {
  (void)state;
  static char text[1 << 16];
  size_t used = (size_t)snprintf(text, sizeof text, "method,n,m,round,time_ns\n");
  for (int round = 0; round < 8; round++)
    for (int n = 1; n <= 256; n *= 2)
      for (int m = 1; m <= 10000; m *= 10) {
        const double times[] = {10.0 * n, 5.0 * n + 50 + m, 0.1 * n + 2000.0 / m};
        for (int method = 0; method < 3; method++)
          used += (size_t)snprintf(text + used, sizeof text - used, "%c,%d,%d,%d,%g\n",
                                   'a' + method, n, m, round, times[method] + 0.001 * round);
      }
  assert_int_equal(import(text, NULL), DCS_OK);
  write_thresholds();
  forget_run();
  check_user("#include \"thresholds.h\"\n"
             "static int wrong(double n, double from, double below, double above) {\n"
             "  if (below / above > 1.06) return n < from;\n"
             "  return above / below > 1.06 && n >= from;\n}\n"
             "int main(void) {\n"
             "  for (double m = 1; m <= 10000; m *= 10)\n"
             "    for (double n = 1; n <= 256; n *= 2) {\n"
             "      const double a = 10 * n, b = 5 * n + 50 + m, c = 0.1 * n + 2000 / m;\n"
             "      if (wrong(n, dcs_b_over_a_warm_from_n(m), a, b)) return 1;\n"
             "      if (wrong(n, dcs_c_over_a_warm_from_n(m), a, c)) return 2;\n"
             "      if (wrong(n, dcs_c_over_b_warm_from_n(m), b, c)) return 3;\n"
             "    }\n"
             "  return 0;\n}\n");
}

/* ---- the figure ---- */

/* Draws the run and reads the data back, which the caller frees. */
static char *draw_run(void) {
  char path[128], *text;
  size_t bytes;
  const dcs_figures_options options = {.dir = out};
  if (dcs_figures(&options) != DCS_OK) fail_msg("%s", dcs_error_message());
  snprintf(path, sizeof path, "%s/plots/external_times.dat", out);
  assert_int_equal(dcs_read_file(path, &text, &bytes), DCS_OK);
  return text;
}

/* As above, with the crossover points. */
static char *draw_times(void) {
  dcs_crossovers found;
  assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_OK);
  assert_int_equal(dcs_crossovers_write(out, &found), DCS_OK);
  dcs_crossovers_free(&found);
  return draw_run();
}

static void times_are_drawn_with_their_crossover_points(void **state) {
  (void)state;
  static char text[32768];
  double x, ms, lo, hi;
  put_planted(1, text);
  assert_int_equal(import(text, NULL), DCS_OK);
  char *data = draw_times(), *marks = strstr(data, "\"crossover point, 95%\"\n");
  assert_non_null(strstr(data, "\"Time against n\"\n\"imported from times\"\n\n\n2\n"));
  assert_non_null(marks);
  assert_int_equal(sscanf(strchr(marks, '\n'), "%lf%lf%lf%lf", &x, &ms, &lo, &hi), 4);
  assert_true(lo <= 51 && 51 <= hi && lo <= x && x <= hi);
  assert_true(fabs(ms / 0.00102 - 1) < 0.05);
  free(data);
  forget_run();
}

/* Of two axes, the value of the second with most sizes; of 20 methods those that are the fastest
 * somewhere are drawn before others. */
static void the_fastest_of_many_are_drawn(void **state) {
  (void)state;
  static char text[1 << 15];
  size_t used = (size_t)snprintf(text, sizeof text, "method,n,m,time_ns\n");
  for (int method = 0; method < 20; method++)
    for (int n = 1; n <= 64; n *= 4)
      for (int m = 1; m <= 3; m++)
        if (m == 2 || n > 1)
          used += (size_t)snprintf(text + used, sizeof text - used, "m%d,%d,%d,%d\n", method, n, m,
                                   (100 + (n > 8 ? method : 20 - method)) * m * n);
  dcs_crossovers found; /* two are the fastest somewhere: 1 pair, at 1 value of m with 4 sizes */
  assert_int_equal(import(text, NULL), DCS_OK);
  assert_int_equal(dcs_crossovers_find(out, NULL, &found), DCS_OK);
  assert_int_equal(found.measured.n_left_out, 18);
  assert_int_equal(found.n, 1);
  dcs_crossovers_free(&found);
  char *data = draw_times();
  assert_non_null(strstr(data, "\"Time against n, m 2 (12 of 20 methods, the fastest first)\""));
  assert_true(strstr(data, "\"m0\"\n") < strstr(data, "\"m1\"\n"));
  assert_true(strstr(data, "\"m19\"\n") < strstr(data, "\"m1\"\n"));
  assert_null(strstr(data, "\"m2\"\n"));
  assert_non_null(strstr(data, "\"m0\"\n1\t0.00024\t0.00024\t0.00024\t\"m0\""));
  free(data);
  forget_run();
}

/* The fastest comes first, in whichever scope. */
static void times_of_frames_count_as_well(void **state) {
  (void)state;
  assert_int_equal(import("method,n,time_ns,scope\na,1,90,frame\nb,1,20,frame\n"
                          "a,2,95,frame\nb,2,30,frame\n",
                          NULL),
                   DCS_OK);
  char *data = draw_run();
  const char *fast = strstr(data, "\"b\"\n"), *slow = strstr(data, "\"a\"\n");
  assert_non_null(fast);
  assert_non_null(slow);
  assert_true(fast < slow);
  free(data);
  forget_run();
}

static void a_scope_that_is_none_is_named(void **state) {
  (void)state;
  dcs_run run;
  char command[128];
  assert_int_equal(import("method,n,time_ns\na,1,90\n", NULL), DCS_OK);
  snprintf(command, sizeof command, "sed -i s/,warm,/,frames,/ %s/s*.csv", out);
  assert_int_equal(system(command), 0);
  assert_int_equal(dcs_run_open(&run, out), DCS_INPUT);
  assert_non_null(
      strstr(dcs_error_message(), "found scope \"frames\"; expected kernel, warm, first or frame"));
  dcs_run_close(&run);
  forget_run();
}

/* One axis: times are interpolated, which loses less than the nearest size. */
static void a_decision_by_interpolation(void **state) {
  (void)state;
  static char text[32768];
  char header[128];
  dcs_measured measured;
  dcs_imported drawn;
  put_planted(3, text);
  assert_int_equal(import(text, NULL), DCS_OK);
  assert_int_equal(dcs_measured_read(out, NULL, &measured), DCS_OK);
  assert_true(dcs_is_imported(&measured));
  assert_int_equal(dcs_imported_draw(&measured, &drawn), DCS_OK);
  assert_int_equal(drawn.rule, DCS_IMPORTED_INTERPOLATED);
  assert_int_equal(drawn.loss[DCS_IMPORTED_INTERPOLATED].sizes, 12);
  assert_true(drawn.loss[DCS_IMPORTED_INTERPOLATED].mean <= drawn.loss[DCS_IMPORTED_NEAREST].mean);
  snprintf(header, sizeof header, "%s/dispatch.h", folder);
  assert_int_equal(dcs_imported_write_header(header, &drawn), DCS_OK);
  dcs_measured_free(&measured);
  forget_run();
  check_user("#include \"dispatch.h\"\n"
             "int main(void) {\n"
             "  for (double n = 0.5; n < 10000; n *= 1.1) {\n"
             "    const int fast = dcs_dispatch_choose(n) == DCS_DISPATCH_FAST;\n"
             "    if (n < 45 && fast) return 1;\n"
             "    if (n > 58 && !fast) return 2;\n"
             "  }\n"
             "  return 0;\n}\n");
}

/* A method that was measured at small sizes alone, where it is fast, is not taken for as fast at
 * those where others went on; between two that have no size in common the lesser time counts. */
static void a_method_counts_where_it_was_measured(void **state) {
  (void)state;
  static const struct {
    const char *text, *program;
    int64_t at[6];
    int taken[6];
  } runs[] = {
      {"method,n,time_ns\nnaive,1,1\nnaive,2,4\nnaive,4,16\nnaive,8,64\n"
       "fast,1,105\nfast,2,110\nfast,4,120\nfast,8,140\nfast,16,180\nfast,32,260\n",
       "#include \"dispatch.h\"\n"
       "int main(void) {\n"
       "  static const int at[] = {1, 4, 8, 12, 32, 1000000}, taken[] = {0, 0, 0, 1, 1, 1};\n"
       "  for (int i = 0; i < 6; i++)\n"
       "    if ((dcs_dispatch_choose(at[i]) == DCS_DISPATCH_FAST) != taken[i]) return 1 + i;\n"
       "  return 0;\n}\n",
       {1, 4, 8, 12, 32, 1000000},
       {0, 0, 0, 1, 1, 1}},
      {"method,n,time_ns\nsmall,1,10\nsmall,2,10\nlarge,8,20\nlarge,16,20\n",
       "#include \"dispatch.h\"\n"
       "int main(void) {\n"
       "  static const int at[] = {1, 2, 4, 8, 16, 99}, taken[] = {0, 0, 0, 1, 1, 1};\n"
       "  for (int i = 0; i < 6; i++)\n"
       "    if ((dcs_dispatch_choose(at[i]) == DCS_DISPATCH_LARGE) != taken[i]) return 1 + i;\n"
       "  return 0;\n}\n",
       {1, 2, 4, 8, 16, 99},
       {0, 0, 0, 1, 1, 1}}};
  for (size_t r = 0; r < 2; r++) {
    char header[128];
    dcs_measured measured;
    dcs_imported drawn;
    assert_int_equal(import(runs[r].text, NULL), DCS_OK);
    assert_int_equal(dcs_measured_read(out, NULL, &measured), DCS_OK);
    assert_int_equal(dcs_imported_draw(&measured, &drawn), DCS_OK);
    drawn.rule = DCS_IMPORTED_INTERPOLATED;
    for (int i = 0; i < 6; i++) {
      dcs_size size = measured.sizes[0].size;
      size.axes[0] = runs[r].at[i];
      const int taken =
          dcs_imported_choose(&drawn, DCS_IMPORTED_INTERPOLATED, &size, measured.n_sizes);
      const char *name = measured.classes[taken].name;
      assert_int_equal(strcmp(name, "fast") == 0 || strcmp(name, "large") == 0, runs[r].taken[i]);
    }
    snprintf(header, sizeof header, "%s/dispatch.h", folder);
    assert_int_equal(dcs_imported_write_header(header, &drawn), DCS_OK);
    dcs_measured_free(&measured);
    forget_run();
    check_user(runs[r].program);
  }
}

static void decisions_that_are_refused(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"method,n,time_ns\na,1,2\na,2,2\na,3,2\n", "found one method"},
      {"method,n,time_ns\na,1,2\nb,1,2\na,2,2\n", "found 2 sizes; expected 3"},
      {"method,n,time_ns,scope\na,1,2,warm\nb,1,2,first\na,2,2,warm\na,3,2,warm\n",
       "found times of scope"}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dcs_measured measured;
    dcs_imported drawn;
    assert_int_equal(import(texts[i][0], NULL), DCS_OK);
    assert_int_equal(dcs_measured_read(out, NULL, &measured), DCS_OK);
    assert_int_equal(dcs_imported_draw(&measured, &drawn), DCS_INPUT);
    assert_non_null(strstr(dcs_error_message(), texts[i][1]));
    dcs_measured_free(&measured);
    forget_run();
  }
}
int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_planted_threshold_is_within_its_interval),
                                     cmocka_unit_test(too_few_sizes_are_said),
                                     cmocka_unit_test(thresholds_to_paste),
                                     cmocka_unit_test(small_thresholds_are_whole_sizes),
                                     cmocka_unit_test(two_axes),
                                     cmocka_unit_test(names_of_a_header_are_all_different),
                                     cmocka_unit_test(times_are_drawn_with_their_crossover_points),
                                     cmocka_unit_test(the_fastest_of_many_are_drawn),
                                     cmocka_unit_test(times_of_frames_count_as_well),
                                     cmocka_unit_test(a_scope_that_is_none_is_named),
                                     cmocka_unit_test(frontiers_decide_as_the_times_do),
                                     cmocka_unit_test(a_decision_by_interpolation),
                                     cmocka_unit_test(a_method_counts_where_it_was_measured),
                                     cmocka_unit_test(decisions_that_are_refused)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
