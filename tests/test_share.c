/* Who computes which slices: devices of any speed finish together, and slabs of devices that fail
 * are computed by the others, each slice once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/engine/share.h"

#include <math.h>
#include <string.h>

enum { MOST_SLICES = 1024, QUEUED = 2 };

/* A device that computes its slabs one after another, two of them queued, in virtual time. */
typedef struct {
  double speed, fails_at; /* slices in a unit of time; INFINITY: never */
  dcs_range slabs[QUEUED];
  int n;
  double ends; /* of the first slab */
} machine;

typedef struct {
  dcs_share share;
  machine machines[DCS_MAX_DEVICES];
  int times[MOST_SLICES]; /* that a slice was done */
  double now, end;        /* end: when the last slice was done */
} simulation;

static void begin(simulation *s, int n, const double *speeds, int64_t least) {
  *s = (simulation){.share = {.n = n}};
  for (int d = 0; d < n; d++) {
    s->machines[d] = (machine){.speed = speeds[d], .fails_at = INFINITY};
    s->share.sharers[d] = (dcs_sharer){.speed = speeds[d], .least = least};
  }
}

static void fill_up(simulation *s, int d) {
  machine *m = &s->machines[d];
  while (m->n < QUEUED && dcs_share_take(&s->share, d, s->now, &m->slabs[m->n])) {
    dcs_range slab = m->slabs[m->n++];
    assert_true(slab.from >= 0 && slab.from < slab.end && slab.end <= s->share.slices);
    assert_int_equal(slab.from % s->share.step, 0);
    assert_true(slab.end % s->share.step == 0 || slab.end == s->share.slices);
    if (m->n == 1) m->ends = s->now + (double)(slab.end - slab.from) / m->speed;
  }
}

static double event_of(const machine *m) {
  return fmin(m->n > 0 ? m->ends : INFINITY, m->fails_at);
}

/* The device whose slab ends, or that fails, next. */
static int next_event(const simulation *s) {
  int next = -1;
  for (int d = 0; d < s->share.n; d++)
    if (!s->share.sharers[d].gone && isfinite(event_of(&s->machines[d])) &&
        (next < 0 || event_of(&s->machines[d]) < event_of(&s->machines[next])))
      next = d;
  return next;
}

static void finish_first(simulation *s, int d) {
  machine *m = &s->machines[d];
  const dcs_range slab = m->slabs[0];
  dcs_share_computed(&s->share, d, s->now, slab);
  dcs_share_done(&s->share, slab);
  for (int64_t k = slab.from; k < slab.end; k++)
    s->times[k]++;
  s->end = s->now;
  m->slabs[0] = m->slabs[1];
  if (--m->n > 0) m->ends = s->now + (double)(m->slabs[0].end - m->slabs[0].from) / m->speed;
}

static void run(simulation *s, int64_t slices, int64_t step) {
  dcs_share_start(&s->share, slices, step);
  memset(s->times, 0, sizeof s->times);
  s->now = s->end = 0;
  while (!dcs_share_over(&s->share)) {
    for (int d = 0; d < s->share.n; d++)
      fill_up(s, d);
    int d = next_event(s);
    assert_true(d >= 0); /* else slices are left and nobody takes them */
    machine *m = &s->machines[d];
    s->now = event_of(m);
    if (m->fails_at <= s->now) {
      dcs_share_fail(&s->share, d, m->slabs, m->n);
      m->n = 0;
    } else {
      finish_first(s, d);
    }
  }
}

static void expect_each_once(const simulation *s) {
  for (int64_t k = 0; k < s->share.slices; k++)
    if (s->times[k] != 1) fail_msg("slice %lld was done %d times", (long long)k, s->times[k]);
}

static void devices_finish_together(void **state) {
  (void)state;
  static const double speeds[][4] = {{1, 1, 1, 1}, {1, 2, 3, 4}, {1, 10, 10, 10}, {5, 5, 1, 1}};
  simulation s;
  for (int n = 1; n <= 4; n++)
    for (int c = 0; c < 4; c++) {
      double together = 0, slowest = INFINITY;
      for (int d = 0; d < n; d++) {
        together += speeds[c][d];
        slowest = fmin(slowest, speeds[c][d]);
      }
      begin(&s, n, speeds[c], 1);
      run(&s, 1024, 1);
      expect_each_once(&s);
      /* Nobody is late by more than a slab of one slice. */
      assert_true(s.end <= 1024 / together + 1 / slowest + 1e-9);
      assert_true(n > 1 || fabs(s.end * together - 1024) < 1e-6);
    }
}

/* Equal devices and slabs that divide evenly: nobody waits at all. */
static void equal_devices_share_evenly(void **state) {
  (void)state;
  static const double speeds[] = {1, 1, 1, 1};
  simulation s;
  for (int n = 1; n <= 4; n++) {
    begin(&s, n, speeds, 16);
    run(&s, 16 * 12, 16);
    expect_each_once(&s);
    assert_true(fabs(s.end - 16 * 12.0 / n) < 1e-9);
  }
}

/* Cards of one kind differ by a percent. */
static void nearly_equal_devices_share_evenly(void **state) {
  (void)state;
  static const double speeds[] = {1, 1, 1, 1}, real[] = {0.99, 1, 1.01, 1};
  simulation s;
  for (int steps = 16; steps <= 128; steps *= 2) {
    begin(&s, 4, speeds, 8);
    for (int d = 0; d < 4; d++)
      s.machines[d].speed = real[d];
    run(&s, 8 * (int64_t)steps, 8);
    expect_each_once(&s);
    assert_true(s.end <= 8 * steps / 4 / 0.98);
  }
}

/* The speeds that they are shared by are wrong: a device is given no more than half its part at
 * first, and so the others make up for it. */
static void wrong_speeds_are_made_up_for(void **state) {
  (void)state;
  static const double speeds[] = {1, 1};
  simulation s;
  begin(&s, 2, speeds, 1);
  s.machines[1].speed = 0.5;
  run(&s, 1024, 1);
  expect_each_once(&s);
  assert_true(s.end < 1.2 * 1024 / 1.5);
}

/* At random: speeds, steps, least slabs, failures. */
static void every_slice_is_done_once(void **state) {
  (void)state;
  dcs_random random = {1};
  simulation s;
  for (int round = 0; round < 2000; round++) {
    double speeds[DCS_MAX_DEVICES];
    int n = 1 + (int)dcs_random_below(&random, DCS_MAX_DEVICES);
    int64_t step = 1 + dcs_random_below(&random, 9);
    for (int d = 0; d < n; d++)
      speeds[d] = (double)(1 + dcs_random_below(&random, 50));
    begin(&s, n, speeds, step);
    for (int d = 0; d < n; d++) {
      s.share.sharers[d].least = step * (1 + dcs_random_below(&random, 5));
      s.machines[d].speed = (double)(1 + dcs_random_below(&random, 50));
      if (d > 0 && dcs_random_below(&random, 3) == 0)
        s.machines[d].fails_at = 0.1 * (double)dcs_random_below(&random, 100);
    }
    run(&s, 1 + dcs_random_below(&random, MOST_SLICES), step);
    expect_each_once(&s);
  }
}

static void it_is_over_when_nobody_is_left(void **state) {
  (void)state;
  static const double speeds[] = {1, 1};
  simulation s;
  begin(&s, 2, speeds, 1);
  s.machines[0].fails_at = 3;
  s.machines[1].fails_at = 5;
  run(&s, 1024, 1);
  assert_true(s.share.done < 1024);
  dcs_range slab;
  assert_false(dcs_share_take(&s.share, 0, 6, &slab));
}

/* A device so slow that the others are done before it: it is left out at the end. */
static void a_slow_device_takes_no_last_slab(void **state) {
  (void)state;
  static const double speeds[] = {100, 1};
  simulation s;
  begin(&s, 2, speeds, 8);
  run(&s, 64, 8);
  expect_each_once(&s);
  assert_true(s.end <= 64.0 / 100 + 0.09);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_finish_together),
      cmocka_unit_test(equal_devices_share_evenly),
      cmocka_unit_test(nearly_equal_devices_share_evenly),
      cmocka_unit_test(wrong_speeds_are_made_up_for),
      cmocka_unit_test(every_slice_is_done_once),
      cmocka_unit_test(it_is_over_when_nobody_is_left),
      cmocka_unit_test(a_slow_device_takes_no_last_slab),
  };
  return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
