/* What the pages tell of two cards and four, of ranks and of modes of memory, held against what was
 * measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"
#include "tests/run_folder.h"

#define SHIPPED "results/reference/nvidia-h200/"

static dcs_table *shipped(const char *path) {
  dcs_table *t;
  if (dcs_table_read(path, &t) != DCS_OK) fail_msg("%s", dcs_error_message());
  return t;
}

static double median_ms(const dcs_table *t, size_t row) {
  return number_at(t, row, "median_ns") / 1e6;
}

static void a_map_by_one_card_and_two(void **state) {
  (void)state;
  dcs_table *one = shipped(SHIPPED "cards/one/summary.csv");
  dcs_table *two = shipped(SHIPPED "cards/two/summary.csv");
  char *page = get_file("results/clusters.md", NULL), told[128];
  const double a = median_ms(one, 0), b = median_ms(two, 0);
  assert_string_equal(text_at(one, 0, "config"), text_at(two, 0, "config"));
  assert_true(a > 2000 && a < 10000 && b > 1000);
  snprintf(told, sizeof told, "took %d,%03d ms by one card and %d,%03d by two: %.1f%% of linear",
           (int)(a + 0.5) / 1000, (int)(a + 0.5) % 1000, (int)(b + 0.5) / 1000,
           (int)(b + 0.5) % 1000, 100 * a / b / 2);
  assert_contains(page, told);
  free(page);
  dcs_table_free(one);
  dcs_table_free(two);
}

/* ---- frames ---- */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of the runs of so many frames by so many cards. */
static double median_of(const dcs_table *t, int frames, int cards, const char *column) {
  double values[16];
  size_t n = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (number_at(t, row, "frames") == frames && number_at(t, row, "cards") == cards)
      values[n++] = number_at(t, row, column);
  assert_true(n >= 2 && n <= 16);
  qsort(values, n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void frames_by_one_card_and_two(void **state) {
  (void)state;
  static const int counts[] = {2016, 10000};
  dcs_table *t = shipped(SHIPPED "cards/frames/runs.csv");
  char *page = get_file("results/clusters.md", NULL), told[256];
  for (int i = 0; i < 2; i++) {
    double wall[2], whole[2];
    for (int c = 0; c < 2; c++) {
      const int n = counts[i];
      wall[c] = median_of(t, n, c + 1, "wall_s");
      whole[c] = median_of(t, n, c + 1, "whole_s");
      int used = snprintf(told, sizeof told, "  | %d,%03d | %d | %.3f | %.3f | ", n / 1000,
                          n % 1000, c + 1, median_of(t, n, c + 1, "opening_s"), wall[c]);
      if (c == 0) snprintf(told + used, sizeof told - (size_t)used, "| %.3f | |\n", whole[0]);
      if (c == 1)
        snprintf(told + used, sizeof told - (size_t)used, "%.1f | %.3f | %.1f |\n",
                 100 * wall[0] / wall[1] / 2, whole[1], 100 * whole[0] / whole[1] / 2);
      assert_contains(page, told);
    }
  }
  free(page);
  dcs_table_free(t);
}

/* The mean of so many frames has one hash. */
static void same_bits(const char *path) {
  dcs_table *t = shipped(path);
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    for (size_t other = 0; other < row; other++)
      if (number_at(t, row, "frames") == number_at(t, other, "frames"))
        assert_string_equal(text_at(t, row, "mean_md5"), text_at(t, other, "mean_md5"));
  dcs_table_free(t);
}

static void cards_gave_the_same_bits(void **state) {
  (void)state;
  same_bits(SHIPPED "cards/frames/runs.csv");
  same_bits(SHIPPED "cards4/frames/runs.csv");
}

/* Of the spans in which a card computed, from the first to the last. */
static void expect_busy(const char *path, int cards) {
  double from = INFINITY, until = 0, busy = 0;
  dcs_table *t = shipped(path);
  char *page = get_file("results/clusters.md", NULL), told[64];
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (strcmp(text_at(t, row, "stage"), "computing") != 0) continue;
    const double a = number_at(t, row, "begin_s"), b = number_at(t, row, "end_s");
    from = fmin(from, a);
    until = fmax(until, b);
    busy += b - a;
  }
  snprintf(told, sizeof told, "the cards computed %.1f%% of the time",
           100 * busy / (until - from) / cards);
  assert_contains(page, told);
  free(page);
  dcs_table_free(t);
}

static void cards_are_busy(void **state) {
  (void)state;
  expect_busy(SHIPPED "cards/frames/timeline.csv", 2);
  expect_busy(SHIPPED "cards4/frames/timeline.csv", 4);
}

/* ---- four cards of another host ---- */

static void a_map_by_four_cards(void **state) {
  (void)state;
  static const char *const runs[] = {"one", "two", "four"};
  char *page = get_file("results/clusters.md", NULL), path[128], told[160];
  double ms[3];
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, SHIPPED "cards4/%s/summary.csv", runs[i]);
    dcs_table *t = shipped(path);
    assert_string_equal(text_at(t, 0, "variant"), "cuda_split");
    assert_string_equal(text_at(t, 0, "nx"), "512");
    ms[i] = median_ms(t, 0);
    dcs_table_free(t);
  }
  assert_true(ms[0] > 2000 && ms[0] < 10000 && ms[1] > 1000 && ms[2] < 1000);
  const int one = (int)(ms[0] + 0.5), two = (int)(ms[1] + 0.5);
  snprintf(told, sizeof told,
           "  map took %d,%03d ms by one card, %d,%03d by two and %d by four: %.1f%% and %.1f%% of "
           "linear.",
           one / 1000, one % 1000, two / 1000, two % 1000, (int)(ms[2] + 0.5),
           100 * ms[0] / ms[1] / 2, 100 * ms[0] / ms[2] / 4);
  assert_contains(page, told);
  free(page);
}

/* Of an odd number of runs. */
static double middle_of(const dcs_table *t, int frames, int cards, const char *column) {
  double values[16];
  size_t n = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (number_at(t, row, "frames") == frames && number_at(t, row, "cards") == cards)
      values[n++] = number_at(t, row, column);
  assert_int_equal(n, frames == 2016 ? 3 : 1);
  qsort(values, n, sizeof *values, by_value);
  return values[n / 2];
}

static void frames_by_four_cards(void **state) {
  (void)state;
  static const int counts[] = {2016, 10000};
  dcs_table *t = shipped(SHIPPED "cards4/frames/runs.csv");
  char *page = get_file("results/clusters.md", NULL), told[256];
  for (int i = 0; i < 2; i++)
    for (int cards = 1; cards <= 4; cards *= 2) {
      const int n = counts[i];
      const double wall = middle_of(t, n, cards, "wall_s"),
                   whole = middle_of(t, n, cards, "whole_s");
      const double one = middle_of(t, n, 1, "wall_s"), all = middle_of(t, n, 1, "whole_s");
      int used = snprintf(told, sizeof told, "  | %d,%03d | %d | %.3f | %.3f | ", n / 1000,
                          n % 1000, cards, middle_of(t, n, cards, "opening_s"), wall);
      if (cards == 1) snprintf(told + used, sizeof told - (size_t)used, "| %.3f | |\n", whole);
      if (cards > 1)
        snprintf(told + used, sizeof told - (size_t)used, "%.1f | %.3f | %.1f |\n",
                 100 * one / wall / cards, whole, 100 * all / whole / cards);
      assert_contains(page, told);
    }
  free(page);
  dcs_table_free(t);
}

/* Of what `contexts` says, with so many cards visible: the least and the most of a column. */
static void range_of(const dcs_table *t, const char *contexts, const char *cards,
                     const char *visible, const char *held, const char *column, double range[2]) {
  range[0] = INFINITY;
  range[1] = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (contexts && strcmp(text_at(t, row, "contexts"), contexts) != 0) continue;
    if (cards && strcmp(text_at(t, row, "cards"), cards) != 0) continue;
    if (strcmp(text_at(t, row, "visible"), visible) != 0) continue;
    if (strcmp(text_at(t, row, "held"), held) != 0) continue;
    range[0] = fmin(range[0], number_at(t, row, column));
    range[1] = fmax(range[1], number_at(t, row, column));
  }
}

static void the_drivers_start(void **state) {
  (void)state;
  dcs_table *t = shipped(SHIPPED "cards4/start.csv");
  char *page = get_file("results/clusters.md", NULL), told[256];
  double all[2], one[2], held[2], serial[2], parallel[2], apart[2], released[2];
  range_of(t, NULL, NULL, "4", "0", "cuinit_s", all);
  range_of(t, NULL, NULL, "1", "0", "cuinit_s", one);
  range_of(t, NULL, NULL, "4", "1", "cuinit_s", held);
  range_of(t, "serial", "4", "4", "0", "contexts_s", serial);
  range_of(t, "parallel", "4", "4", "0", "contexts_s", parallel);
  range_of(t, "serial", "4", "4", "0", "release_s", released);
  range_of(t, "parallel", "4", "4", "0", "release_s", apart);
  snprintf(told, sizeof told,
           "%.3f to %.3f s, %.3f where `CUDA_VISIBLE_DEVICES` left it one card, and %.3f while",
           all[0], all[1], one[0], held[0]);
  assert_contains(page, told);
  snprintf(told, sizeof told, "%.3f and %.3f s one after another and %.3f and %.3f at once",
           serial[0], serial[1], parallel[0], parallel[1]);
  assert_contains(page, told);
  snprintf(told, sizeof told, "letting go of them %.3f to %.3f.", fmin(released[0], apart[0]),
           fmax(released[1], apart[1]));
  assert_contains(page, told);
  free(page);
  dcs_table_free(t);
}

static void modes_of_memory(void **state) {
  (void)state;
  dcs_table *mesh = shipped(SHIPPED "memory/mesh/summary.csv");
  dcs_table *direct = shipped(SHIPPED "memory/direct/summary.csv");
  char *page = get_file("results/frames.md", NULL), told[64];
  assert_int_equal(dcs_table_rows(mesh), 5);
  for (size_t row = 0; row < 5; row++) {
    assert_string_equal(text_at(mesh, row, "memory"), text_at(direct, row, "memory"));
    snprintf(told, sizeof told, "| `%s` | %.3f | %.3f |\n", text_at(mesh, row, "memory"),
             median_ms(mesh, row), median_ms(direct, row));
    assert_contains(page, told);
  }
  free(page);
  dcs_table_free(mesh);
  dcs_table_free(direct);
}

/* Ranks of threads, and what the simulation says of two. */
static void ranks_and_threads(void **state) {
  (void)state;
  dcs_table *t = shipped(SHIPPED "ranks/scaling.csv"), *s = shipped(SHIPPED "ranks/simulated.csv");
  char *page = get_file("results/clusters.md", NULL), told[96];
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (number_at(t, row, "crowded") != 0) continue;
    snprintf(told, sizeof told, "  | %s | %s | %.3f | %.3f |\n", text_at(t, row, "ranks"),
             text_at(t, row, "threads"), number_at(t, row, "wall_s"),
             number_at(t, row, "speed_up"));
    assert_contains(page, told);
  }
  assert_int_equal(dcs_table_rows(t), 4);
  for (size_t row = 0; row < dcs_table_rows(s); row++) {
    if (strcmp(text_at(s, row, "nodes"), "2") != 0 || !*text_at(s, row, "measured_s")) continue;
    snprintf(told, sizeof told, "The simulation says %.3f s for 2 ranks,\n  %.1f%% less",
             number_at(s, row, "wall_s"),
             100 - 100 * number_at(s, row, "wall_s") / number_at(s, row, "measured_s"));
    assert_contains(page, told);
  }
  free(page);
  dcs_table_free(t);
  dcs_table_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_map_by_one_card_and_two), cmocka_unit_test(frames_by_one_card_and_two),
      cmocka_unit_test(cards_gave_the_same_bits),  cmocka_unit_test(cards_are_busy),
      cmocka_unit_test(a_map_by_four_cards),       cmocka_unit_test(frames_by_four_cards),
      cmocka_unit_test(the_drivers_start),         cmocka_unit_test(ranks_and_threads),
      cmocka_unit_test(modes_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
