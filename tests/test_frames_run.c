/* Runs over frames: the sums of maps that dcs_map() computes one by one, to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/coulomb/coulomb.h"
#include "library/frames/run.h"
#include "library/map_slabs.h"
#include "library/mapper.h"
#include "tests/library_map.h"
#include "tests/written_dcd.h"

enum { ATOMS = 30, FRAMES = 37 };

static dcs_site sites[ATOMS];
static const dcs_molecule top = {.sites = sites, .n = ATOMS};

/* Atoms wander in the map's box, whose origin is that of request_of(). */
static float place(int frame, int atom, int axis) {
  static const double middle[3] = {2, 9, 12}, reach[3] = {3, 2, 1};
  return (float)(middle[axis] + reach[axis] * sin(atom * (axis + 1.3) + 0.01 * frame * (atom % 7)));
}

static const char *trajectory(int frames) {
  const written_dcd dcd = {.atoms = ATOMS, .frames = frames, .place = place};
  const char *path = in_folder("frames.dcd");
  write_dcd(path, &dcd);
  for (int a = 0; a < ATOMS; a++)
    sites[a] = (dcs_site){0, 0, 0, a == 7 ? 0 : 0.5 + 0.1 * a, 0};
  return path;
}

/* ---- a run in one process ---- */

typedef struct {
  dcs_average *average;
  int64_t next, each;
  float last[POINTS]; /* of the last frame, when each is wanted */
  dcs_status fails;   /* of give */
} one_process;

static dcs_status take(void *user, int64_t *block) {
  one_process *p = user;
  *block = p->next++;
  return DCS_OK;
}

static dcs_status give(void *user, int64_t block, const dcs_partial *partial) {
  one_process *p = user;
  if (p->fails != DCS_OK) return dcs_fail(p->fails, "nobody takes block %d", (int)block);
  return dcs_average_give(p->average, block, partial);
}

static dcs_status each(void *user, int64_t number, const float *values) {
  one_process *p = user;
  p->each++;
  if (number == FRAMES) memcpy(p->last, values, sizeof p->last);
  return DCS_OK;
}

typedef struct {
  float mean[POINTS], variance[POINTS], error[POINTS];
} result;

static dcs_status run(dcs_frames_job *job, one_process *p, dcs_frames_times *times) {
  dcs_status status;
  const char *path = trajectory(FRAMES);
  *p = (one_process){.fails = p->fails};
  job->top = &top;
  job->take = take;
  job->give = give;
  job->user = p;
  if (dcs_frames_open(&path, 1, &top, NULL, NULL, &job->frames) != DCS_OK ||
      dcs_average_open(POINTS, job->variance, FRAMES, &p->average) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  status = dcs_frames_run(job, times);
  dcs_frames_close(job->frames);
  return status;
}

static void finish(one_process *p, bool variance, result *r) {
  if (dcs_average_finish(p->average, r->mean, variance ? r->variance : NULL,
                         variance ? r->error : NULL) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  dcs_average_close(p->average);
}

/* ---- what it has to be ---- */

static void take_frame(int frame, double of[4 * ATOMS]) {
  for (int a = 0; a < ATOMS; a++) {
    for (int d = 0; d < 3; d++) {
      volatile float rounded = place(frame, a, d); /* GCC 12's vectorizer forgets to round else */
      of[4 * a + d] = (double)rounded;
    }
    of[4 * a + 3] = sites[a].q;
  }
}

/* A tolerance is relative to the first frame's map. */
static void map_frame(dcs_mapper *m, const dcs_map_request *r, bool first) {
  static double scale;
  if (dcs_mapper_pose(m, r) != DCS_OK) fail_msg("%s", dcs_error_message());
  if (first) assert_true(dcs_map_scale(&m->c.problem, 1, &scale));
  m->c.problem.scale = scale;
  if (dcs_mapper_slices(m, 0, NZ, map) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void add_maps(const char *device, const dcs_map_request *request, one_process *p) {
  static double frame_atoms[4 * ATOMS];
  dcs_mapper *m = open_mapper(device, NULL);
  dcs_map_request r = *request;
  dcs_partial partial;
  r.n_atoms = ATOMS;
  r.atoms = frame_atoms;
  assert_int_equal(dcs_partial_make(POINTS, true, &partial), DCS_OK);
  for (int f = 0; f < FRAMES; f++) {
    if (f % DCS_FRAME_BLOCK == 0) partial.frames = 0;
    take_frame(f, frame_atoms);
    map_frame(m, &r, f == 0);
    dcs_partial_add(&partial, map);
    if (f % DCS_FRAME_BLOCK == DCS_FRAME_BLOCK - 1 || f == FRAMES - 1)
      assert_int_equal(dcs_average_give(p->average, f / DCS_FRAME_BLOCK, &partial), DCS_OK);
  }
  dcs_partial_free(&partial);
  dcs_mapper_close(m);
}

static void expect(const char *device, const dcs_map_request *request, result *r) {
  one_process p = {0};
  trajectory(FRAMES);
  assert_int_equal(dcs_average_open(POINTS, true, FRAMES, &p.average), DCS_OK);
  add_maps(device, request, &p);
  finish(&p, true, r);
}

static void check(const char *device, const char *one_device, const dcs_map_request *request) {
  static result expected, is;
  one_process p = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = request, .device = device, .variance = true, .each = each};
  expect(one_device, request, &expected);
  if (run(&job, &p, &times) != DCS_OK) fail_msg("%s", dcs_error_message());
  finish(&p, true, &is);
  assert_memory_equal(is.mean, expected.mean, sizeof is.mean);
  assert_memory_equal(is.variance, expected.variance, sizeof is.variance);
  assert_memory_equal(is.error, expected.error, sizeof is.error);
  assert_int_equal(times.frames, FRAMES);
  assert_int_equal(p.each, FRAMES);
  assert_memory_equal(p.last, map, sizeof map); /* expect() left the last frame's */
}

static void on_the_cpu(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  check("cpu", "cpu", &r);
  r.tolerance = 1e-3;
  check("cpu", "cpu", &r);
}

static void on_a_device(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  check("emulated", "emulated", &r);
  r.cutoff = 2.5;
  check("emulated", "emulated", &r);
}

static void to_a_tolerance_on_a_device(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  r.tolerance = 1e-3;
  check("emulated", "emulated", &r);
}

static void on_several_devices(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  check("emulated,emulated", "emulated", &r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_cpu),
      cmocka_unit_test(on_a_device),
      cmocka_unit_test(to_a_tolerance_on_a_device),
      cmocka_unit_test(on_several_devices),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
