/* Scope frame, on the emulated device: what is timed, what is verified, and what is left behind by
 * frames that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/engine/device/engine.h"
#include "harness/worker/worker.h"
#include "kernels/coulomb/cuda/brick.h"
#include "tests/planted_kernels.h"

/* ---- an engine ---- */

typedef struct {
  bench_fixture *of;
  dcs_method method;
  dcs_engine *engine;
  dcs_device *device;
  float *map;
} ready;

static size_t map_bytes(const ready *r) {
  return (size_t)dcs_points(r->of->c.problem.n) * sizeof(float);
}

static ready make_ready_of(void **state, dcs_method method) {
  ready r = {.of = fixture_of(state), .method = method};
  void *out[DCS_MAX_BUFFERS] = {NULL};
  dcs_code_facts facts;
  assert_int_equal(dcs_engine_device_open("emulated", NULL, &r.engine), DCS_OK);
  r.device = r.engine->device;
  r.map = malloc(map_bytes(&r));
  assert_non_null(r.map);
  const dcs_case *c = &r.of->c;
  out[dcs_map_of(c->kind)] = r.map;
  assert_int_equal(r.engine->take(r.engine, c->kind, &c->problem, out), DCS_OUTCOME_OK);
  assert_int_equal(
      r.engine->prepare(r.engine, 0, &c->problem.config, method.variant, &method.config, &facts),
      DCS_OUTCOME_OK);
  return r;
}

static ready make_ready(void **state) {
  return make_ready_of(state, method_of("cuda_naive"));
}

static void end(ready *r) {
  r->engine->close(r->engine);
  free(r->map);
}

static dcs_outcome compute(ready *r, dcs_scope scope) {
  double ns;
  memset(r->map, 0xff, map_bytes(r));
  return r->engine->run(r->engine, 0, scope, DCS_PINNED, 1, &ns);
}

static bool is_right(const ready *r) {
  return dcs_check(&r->of->reference, r->map,
                   r->method.variant->longest_sum(&r->of->c.problem, &r->method.config))
      .accepted;
}

/* ---- a device that is looked at ---- */

enum { MOST_FRAMES = 16 };
typedef enum { NO_FAULT, SPOILED_PLACES, LOST_MAP } fault;

static struct {
  dcs_status (*launch)(dcs_device *, dcs_module *, const char *, const int64_t[3], const int[3],
                       void **);
  dcs_status (*synchronize)(dcs_device *);
  fault in_second;
  int assembled, added;
  double assembled_ns[MOST_FRAMES], synchronized_ns;
  dcs_module *frames; /* of `assemble`; its `dcs` adds a map to the sums */
} seen;

static dcs_status see_launch(dcs_device *device, dcs_module *module, const char *kernel,
                             const int64_t grid[3], const int block[3], void **args) {
  if (strcmp(kernel, "assemble") == 0) {
    assert_true(seen.assembled < MOST_FRAMES);
    seen.frames = module;
    seen.assembled_ns[seen.assembled++] = dcs_now_ns();
    if (seen.in_second == SPOILED_PLACES && seen.assembled == 2)
      DCS_TRY(device->fill(device, *(dcs_ptr *)args[1], 0xffffffffu, 3));
  } else if (module == seen.frames && ++seen.added == 2 && seen.in_second == LOST_MAP) {
    return DCS_OK;
  }
  return seen.launch(device, module, kernel, grid, block, args);
}

static dcs_status see_synchronize(dcs_device *device) {
  seen.synchronized_ns = dcs_now_ns();
  return seen.synchronize(device);
}

static dcs_status no_time_passes(dcs_device *device, int from, int to, double *ns) {
  (void)device, (void)from, (void)to;
  *ns = 0;
  return DCS_OK;
}

static void look(dcs_device *device, fault in_second) {
  memset(&seen, 0, sizeof seen);
  seen.launch = device->launch;
  seen.synchronize = device->synchronize;
  seen.in_second = in_second;
  device->launch = see_launch;
  device->synchronize = see_synchronize;
}

/* ---- tests ---- */

/* The clock starts behind two frames, and so does not run longer than from the second one's launch
 * to the closing, which begins as the device is waited for. */
static void two_frames_go_before_the_timed_ones(void **state) {
  ready r = make_ready(state);
  double ns;
  r.device->timed = true;
  r.device->elapsed_ns = no_time_passes;
  look(r.device, NO_FAULT);
  assert_int_equal(r.engine->run(r.engine, 0, DCS_FRAME, DCS_PINNED, 5, &ns), DCS_OUTCOME_OK);
  assert_int_equal(seen.assembled, 2 + 5);
  assert_int_equal(seen.added, 2 + 5);
  assert_true(ns >= seen.assembled_ns[6] - seen.assembled_ns[2]);
  assert_true(ns <= seen.synchronized_ns - seen.assembled_ns[1]);
  end(&r);
}

/* Frames with either buffers, and their sums. */
static void three_frames_are_verified(void **state) {
  for (fault f = NO_FAULT; f <= LOST_MAP; f++) {
    ready r = make_ready(state);
    look(r.device, f);
    assert_int_equal(compute(&r, DCS_UNTIMED_FRAME), DCS_OUTCOME_OK);
    assert_int_equal(seen.assembled, 3);
    assert_int_equal(is_right(&r), f == NO_FAULT);
    end(&r);
  }
}

/* Constant memory gets what came, on the device: not the host's atoms once more. */
static void constant_memory_has_the_places_that_came(void **state) {
  dcs_method method = method_of("cuda_volume");
  method.config.value[DCS_BRICK_ATOMS] = 1;
  assert_string_equal(dcs_brick_atoms[1], "constant");
  method.config.value[DCS_BRICK_CHUNK_ATOMS] = 64; /* of some hundred */
  for (fault f = NO_FAULT; f <= SPOILED_PLACES; f++) {
    ready r = make_ready_of(state, method);
    look(r.device, f);
    assert_int_equal(compute(&r, DCS_UNTIMED_FRAME), DCS_OUTCOME_OK);
    assert_int_equal(is_right(&r), f == NO_FAULT);
    end(&r);
  }
}

static dcs_status lack_memory(dcs_device *device, dcs_memory memory) {
  (void)device, (void)memory;
  return dcs_fail(DCS_UNAVAILABLE, "no such memory");
}

static void memory_that_the_device_lacks_is_inapplicable(void **state) {
  ready r = make_ready(state);
  r.device->supports = lack_memory;
  assert_int_equal(compute(&r, DCS_UNTIMED_FRAME), DCS_OUTCOME_INAPPLICABLE);
  expect_said("no such memory");
  end(&r);
}

static dcs_status run_out(dcs_device *device, int which) {
  (void)device, (void)which;
  return dcs_fail(DCS_UNAVAILABLE, "out of memory");
}

/* Before it assembles its atoms, which all methods share. */
static void a_frame_that_fails_leaves_the_inputs_right(void **state) {
  ready r = make_ready(state);
  dcs_status (*wait_event)(dcs_device *, int) = r.device->wait_event;
  r.device->wait_event = run_out;
  assert_int_equal(compute(&r, DCS_UNTIMED_FRAME), DCS_OUTCOME_MEMORY);
  r.device->wait_event = wait_event;
  assert_int_equal(compute(&r, DCS_UNTIMED), DCS_OUTCOME_OK);
  assert_true(is_right(&r));
  end(&r);
}

#define EMULATED(f) cmocka_unit_test_setup_teardown(f, emulated_begin, emulated_end)

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      EMULATED(two_frames_go_before_the_timed_ones),
      EMULATED(three_frames_are_verified),
      EMULATED(constant_memory_has_the_places_that_came),
      EMULATED(memory_that_the_device_lacks_is_inapplicable),
      EMULATED(a_frame_that_fails_leaves_the_inputs_right),
  };
  return cmocka_run_group_tests_name("frame_scope", tests, kernel_folder_make,
                                     kernel_folder_remove);
}
