/* What the pages tell of two cards, of ranks and of modes of memory, held against what was
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
static void cards_gave_the_same_bits(void **state) {
  (void)state;
  dcs_table *t = shipped(SHIPPED "cards/frames/runs.csv");
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    for (size_t other = 0; other < row; other++)
      if (number_at(t, row, "frames") == number_at(t, other, "frames"))
        assert_string_equal(text_at(t, row, "mean_md5"), text_at(t, other, "mean_md5"));
  dcs_table_free(t);
}

/* Of the spans in which a card computed, from the first to the last. */
static void cards_are_busy(void **state) {
  (void)state;
  double from = INFINITY, until = 0, busy = 0;
  dcs_table *t = shipped(SHIPPED "cards/frames/timeline.csv");
  char *page = get_file("results/clusters.md", NULL), told[64];
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (strcmp(text_at(t, row, "stage"), "computing") != 0) continue;
    const double a = number_at(t, row, "begin_s"), b = number_at(t, row, "end_s");
    from = fmin(from, a);
    until = fmax(until, b);
    busy += b - a;
  }
  snprintf(told, sizeof told, "the cards computed %.1f%% of the time",
           100 * busy / (until - from) / 2);
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
      cmocka_unit_test(ranks_and_threads),         cmocka_unit_test(modes_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
