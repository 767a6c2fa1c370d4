/* The mean, the variance and the standard error of frames, whatever the order of their blocks. */
#include "harness/base/random.h"
#include "library/frames/average.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
  POINTS = 6,
  MOST_FRAMES = 1000,
  BLOCKS = (MOST_FRAMES + DCS_FRAME_BLOCK - 1) / DCS_FRAME_BLOCK
};

/* The value of a frame's map: noise that frames share in threes around a mean far from 0. */
static float value(int64_t frame, int64_t point) {
  dcs_random random = {(uint64_t)(frame / 3 * POINTS + point + 1)};
  return (float)(1000 + 10 * (double)point + dcs_random_unit(&random));
}

static void fill(int64_t block, int64_t frames, dcs_partial *p) {
  float map[POINTS];
  p->frames = 0;
  for (int64_t f = 0; f < DCS_FRAME_BLOCK && block * DCS_FRAME_BLOCK + f < frames; f++) {
    for (int64_t i = 0; i < POINTS; i++)
      map[i] = value(block * DCS_FRAME_BLOCK + f, i);
    dcs_partial_add(p, map);
  }
}

/* Gives the blocks from..end-1 in the order `order`. */
static void give(dcs_average *a, const int64_t *order, int64_t from, int64_t end, int64_t frames) {
  dcs_partial p;
  assert_int_equal(dcs_partial_make(POINTS, true, &p), DCS_OK);
  for (int64_t b = from; b < end; b++) {
    fill(order[b], frames, &p);
    p.atoms = (uint64_t)(7 * order[b] + 1);
    assert_int_equal(dcs_average_give(a, order[b], &p), DCS_OK);
  }
  dcs_partial_free(&p);
}

static int64_t blocks_of(int64_t frames) {
  return (frames + DCS_FRAME_BLOCK - 1) / DCS_FRAME_BLOCK;
}

typedef struct {
  float mean[POINTS], variance[POINTS], error[POINTS];
} result;

static result finish(dcs_average *a) {
  result r;
  assert_int_equal(dcs_average_finish(a, r.mean, r.variance, r.error), DCS_OK);
  return r;
}

static void in_order(int64_t order[BLOCKS]) {
  for (int64_t b = 0; b < BLOCKS; b++)
    order[b] = b;
}

static void shuffle(int64_t *order, int64_t n, uint64_t seed) {
  dcs_random random = {seed};
  for (int64_t b = n - 1; b > 0; b--) {
    const int64_t other = (int64_t)(dcs_random_unit(&random) * (double)(b + 1)), was = order[b];
    order[b] = order[other];
    order[other] = was;
  }
}

/* ---- right values ---- */

static double mean_of(int64_t from, int64_t n, int64_t point) {
  double sum = 0;
  for (int64_t f = from; f < from + n; f++)
    sum += (double)value(f, point);
  return sum / (double)n;
}

/* By the definition, in two passes. */
static double variance_of(int64_t frames, int64_t point) {
  const double mean = mean_of(0, frames, point);
  double sum = 0;
  for (int64_t f = 0; f < frames; f++)
    sum += pow((double)value(f, point) - mean, 2);
  return sum / (double)(frames - 1);
}

/* Of the means of n long blocks. */
static double error_of(int64_t n, int64_t length, int64_t point) {
  const double mean = mean_of(0, n * length, point);
  double sum = 0;
  for (int64_t b = 0; b < n; b++)
    sum += pow(mean_of(b * length, length, point) - mean, 2);
  return sqrt(sum / (double)(n - 1) / (double)n);
}

static void assert_near(double is, double should, double within) {
  if (!(fabs(is - should) <= within * fabs(should)))
    fail_msg("found %.9g, expected %.9g", is, should);
}

/* n long blocks of `length` frames are expected; below two frames are taken as independent. */
static void check(int64_t frames, int64_t n, int64_t length) {
  dcs_average *a;
  int64_t order[BLOCKS];
  in_order(order);
  assert_int_equal(dcs_average_open(POINTS, true, frames, &a), DCS_OK);
  give(a, order, 0, blocks_of(frames), frames);
  assert_int_equal(dcs_average_frames(a), frames);
  const result r = finish(a);
  for (int64_t i = 0; i < POINTS; i++) {
    const double variance = variance_of(frames, i);
    assert_near((double)r.mean[i], mean_of(0, frames, i), 1e-7);
    assert_near((double)r.variance[i], variance, 1e-6);
    assert_near((double)r.error[i],
                n < 2 ? sqrt(variance / (double)frames) : error_of(n, length, i), 1e-5);
  }
  dcs_average_close(a);
}

static void values_are_right(void **state) {
  (void)state;
  check(2, 0, 0);
  check(17, 1, 16);
  check(40, 2, 16);
  check(320, 20, 16);
  check(640, 20, 32);
  check(1000, 20, 48); /* 62 blocks and a half: long ones of 3, the last 40 frames are in none */
}

/* Frames in threes are the same: taken as independent, the error would be too small by root 3. */
static void correlated_frames_have_a_larger_error(void **state) {
  (void)state;
  dcs_average *a;
  int64_t order[BLOCKS];
  double ratio = 0;
  in_order(order);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  give(a, order, 0, BLOCKS, MOST_FRAMES);
  const result r = finish(a);
  for (int64_t i = 0; i < POINTS; i++)
    ratio += (double)r.error[i] / sqrt((double)r.variance[i] / MOST_FRAMES) / POINTS;
  assert_true(ratio > 1.3 && ratio < 2.2);
  dcs_average_close(a);
}

/* ---- the same bits ---- */

static void any_order_gives_the_same_bits(void **state) {
  (void)state;
  int64_t order[BLOCKS];
  result first, r;
  for (uint64_t seed = 0; seed < 20; seed++) {
    dcs_average *a;
    in_order(order);
    if (seed > 0) shuffle(order, BLOCKS, seed);
    assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
    give(a, order, 0, BLOCKS, MOST_FRAMES);
    r = finish(a);
    if (seed == 0) first = r;
    assert_memory_equal(&r, &first, sizeof r);
    dcs_average_close(a);
  }
}

static const dcs_average_job job = {7, "a map", "a method", "a program"};

/* Another run goes on from the checkpoint of one that had so many blocks in that order. */
static void go_on(const char *path, const int64_t *order, int64_t done, const result *whole) {
  dcs_average *a;
  bool found;
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  give(a, order, 0, done, MOST_FRAMES);
  assert_int_equal(dcs_average_write(a, path, &job), DCS_OK);
  dcs_average_close(a);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  assert_int_equal(dcs_average_read(a, path, &job, &found), DCS_OK);
  assert_true(found);
  int64_t last = -1;
  uint64_t atoms;
  for (int64_t b = 0; b < BLOCKS; b++)
    assert_int_equal(dcs_average_has(a, order[b]), b < done);
  for (int64_t b = 0; b < done; b++)
    if (order[b] > last) last = order[b];
  assert_int_equal(dcs_average_last(a, &atoms), last);
  if (last >= 0) assert_int_equal(atoms, 7 * last + 1);
  give(a, order, done, BLOCKS, MOST_FRAMES);
  const result r = finish(a);
  assert_memory_equal(&r, whole, sizeof r);
  dcs_average_close(a);
}

static void checkpoint_path(char path[64]) {
  snprintf(path, 64, "/tmp/test_average_%ld.checkpoint", (long)getpid());
}

static void checkpoints_go_on_to_the_same_bits(void **state) {
  (void)state;
  char path[64];
  dcs_average *a;
  int64_t order[BLOCKS];
  checkpoint_path(path);
  in_order(order);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  give(a, order, 0, BLOCKS, MOST_FRAMES);
  const result whole = finish(a);
  dcs_average_close(a);
  shuffle(order, BLOCKS, 3);
  for (int64_t done = 0; done <= BLOCKS; done += 9)
    go_on(path, order, done, &whole);
  unlink(path);
}

static void assert_refused(dcs_average *a, const char *path, dcs_average_job other,
                           const char *why) {
  bool found;
  assert_int_equal(dcs_average_read(a, path, &other, &found), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "of another job"));
  if (!strstr(dcs_error_message(), why)) fail_msg("%s", dcs_error_message());
}

static void other_checkpoints_are_refused(void **state) {
  (void)state;
  char path[64];
  dcs_average *a;
  int64_t order[BLOCKS];
  bool found;
  checkpoint_path(path);
  in_order(order);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  assert_int_equal(dcs_average_read(a, path, &job, &found), DCS_OK);
  assert_false(found);
  give(a, order, 0, 5, MOST_FRAMES);
  assert_int_equal(dcs_average_write(a, path, &job), DCS_OK);
  assert_refused(a, path, (dcs_average_job){8, "a map", "a method", "a program"},
                 "frames: found other files");
  assert_refused(a, path, (dcs_average_job){7, "one more", "a method", "a program"},
                 "map: found a map; expected one more");
  assert_refused(a, path, (dcs_average_job){7, "a map", "b", "a program"},
                 "method: found a method; expected b");
  assert_refused(a, path, (dcs_average_job){7, "a map", "a method", "b"},
                 "program: found a program; expected b");
  for (long at = 0; at < 2400; at += 97) { /* one byte that is wrong, anywhere */
    FILE *file = fopen(path, "r+b");
    fseek(file, at, SEEK_SET);
    const int was = fgetc(file);
    fseek(file, at, SEEK_SET);
    if (was != EOF) fputc(was ^ 4, file);
    fclose(file);
    if (was == EOF) break;
    assert_int_equal(dcs_average_read(a, path, &job, &found), DCS_INPUT);
    assert_int_equal(dcs_average_frames(a), 0);
    file = fopen(path, "r+b");
    fseek(file, at, SEEK_SET);
    fputc(was, file);
    fclose(file);
  }
  FILE *file = fopen(path, "ab"); /* one too many */
  fputc(0, file);
  fclose(file);
  assert_int_equal(dcs_average_read(a, path, &job, &found), DCS_INPUT);
  assert_int_equal(dcs_average_frames(a), 0);
  assert_int_equal(truncate(path, 200), 0);
  assert_int_equal(dcs_average_read(a, path, &job, &found), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "ends too early"));
  dcs_average_close(a);
  unlink(path);
}

/* ---- misuse ---- */

/* Read to its end, where its checksum is wrong: the average goes on as if there had been none. */
static void nothing_is_left_of_a_damaged_checkpoint(void **state) {
  (void)state;
  char path[64];
  dcs_average *a;
  int64_t order[BLOCKS];
  bool found;
  checkpoint_path(path);
  in_order(order);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  give(a, order, 3, 40, MOST_FRAMES); /* without the first ones they wait */
  assert_int_equal(dcs_average_write(a, path, &job), DCS_OK);
  dcs_average_close(a);
  FILE *file = fopen(path, "r+b");
  fseek(file, -1, SEEK_END);
  const int last = fgetc(file);
  fseek(file, -1, SEEK_END);
  fputc(last ^ 1, file);
  fclose(file);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  assert_int_equal(dcs_average_read(a, path, &job, &found), DCS_INPUT);
  for (int64_t b = 0; b < BLOCKS; b++)
    assert_false(dcs_average_has(a, b));
  give(a, order, 0, BLOCKS, MOST_FRAMES);
  const result r = finish(a);
  dcs_average_close(a);
  assert_int_equal(dcs_average_open(POINTS, true, MOST_FRAMES, &a), DCS_OK);
  give(a, order, 0, BLOCKS, MOST_FRAMES);
  const result whole = finish(a);
  assert_memory_equal(&r, &whole, sizeof r);
  dcs_average_close(a);
  unlink(path);
}

static void blocks_are_needed_once(void **state) {
  (void)state;
  dcs_average *a;
  dcs_partial p;
  float mean[POINTS];
  int64_t order[BLOCKS];
  in_order(order);
  assert_int_equal(dcs_average_open(POINTS, false, -1, &a), DCS_OK);
  assert_int_equal(dcs_average_finish(a, mean, NULL, NULL), DCS_USAGE);
  assert_int_equal(dcs_partial_make(POINTS, false, &p), DCS_OK);
  fill(1, 40, &p);
  assert_int_equal(dcs_average_give(a, 1, &p), DCS_OK);
  assert_int_equal(dcs_average_give(a, 1, &p), DCS_FAILED);
  assert_int_equal(dcs_average_finish(a, mean, NULL, NULL), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "block 0 of the frames is missing"));
  fill(0, 40, &p);
  assert_int_equal(dcs_average_give(a, 0, &p), DCS_OK);
  assert_int_equal(dcs_average_give(a, 0, &p), DCS_FAILED);
  assert_int_equal(dcs_average_finish(a, mean, NULL, NULL), DCS_OK);
  assert_near((double)mean[2], mean_of(0, 32, 2), 1e-7);
  assert_int_equal(dcs_average_finish(a, mean, mean, NULL), DCS_USAGE);
  dcs_partial_free(&p);
  dcs_average_close(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_right),
      cmocka_unit_test(correlated_frames_have_a_larger_error),
      cmocka_unit_test(any_order_gives_the_same_bits),
      cmocka_unit_test(checkpoints_go_on_to_the_same_bits),
      cmocka_unit_test(other_checkpoints_are_refused),
      cmocka_unit_test(nothing_is_left_of_a_damaged_checkpoint),
      cmocka_unit_test(blocks_are_needed_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
