/* Several devices compute one map: emulated ones, with planted failures and unequal speeds. The map
 * is that of one device, bit for bit, however it is split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "tests/plain_map.h"
#include "tests/program.h"

#include <string.h>
#include <unistd.h>

enum { NX = 37, NY = 21, NZ = 41, ATOMS = 23, POINTS = NX * NY * NZ };

static dcs_atom atoms[ATOMS];
static const dcs_problem problem = {
    .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, NZ}, .spacing = 0.4f};
static float map[POINTS], expected[POINTS];

static int make_atoms(void **state) {
  dcs_random random = {5};
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)between(&random, 0, 14), (float)between(&random, 0, 8),
                          (float)between(&random, 0, 16), (float)between(&random, -1, 1)};
  return program_setup(state);
}

static const struct {
  const char *id, *parameter;
  int value;
} methods[] = {{"cuda_split", "coarsen_z", 4},      {"cuda_volume", "atoms", 1},
               {"cuda_volume", "chunk_atoms", 7},   {"cuda_padded", "chunk_atoms", 9},
               {"cuda_constant", "chunk_atoms", 5}, {"cuda_naive", "block_x", 16}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static dcs_engine *open_devices(const char *text) {
  dcs_engine *engine;
  dcs_status status = dcs_engine_devices_open(text, NULL, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
  return engine;
}

static dcs_outcome try_prepare(dcs_engine *engine, int method) {
  const dcs_variant *variant = dcs_find_variant(methods[method].id);
  dcs_config config = dcs_initial_config(variant, 1);
  dcs_code_facts facts;
  config.value[dcs_find_param(variant, methods[method].parameter)] = methods[method].value;
  if (dcs_find_param(variant, "atoms") >= 0 &&
      strcmp(methods[method].parameter, "chunk_atoms") == 0)
    config.value[dcs_find_param(variant, "atoms")] = 1;
  return engine->prepare(engine, 0, &problem.config, variant, &config, &facts);
}

static void prepare(dcs_engine *engine, int method) {
  if (try_prepare(engine, method) != DCS_OUTCOME_OK) fail_msg("%s", dcs_error_message());
}

static dcs_outcome try_run(dcs_engine *engine, dcs_scope scope) {
  double ns;
  memset(map, 0xff, sizeof map);
  return engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns);
}

static void compute_expected(int method) {
  dcs_engine *one = open_devices("emulated");
  prepare(one, method);
  assert_int_equal(try_run(one, DCS_UNTIMED), DCS_OUTCOME_OK);
  memcpy(expected, map, sizeof map);
  one->close(one);
}

static void expect_same(dcs_engine *engine, dcs_scope scope) {
  if (try_run(engine, scope) != DCS_OUTCOME_OK) fail_msg("%s", dcs_error_message());
  assert_memory_equal(map, expected, sizeof map);
}

/* ---- planted behaviour ---- */

enum { PLANTED = 3, NEVER = 1 << 30 };

/* Of each device: how many launches it makes, takes for each, and makes before it fails. */
static struct {
  dcs_device *device;
  int launches, delay_us, fails_after;
  dcs_status (*launch)(dcs_device *, dcs_module *, const char *, const int64_t[3], const int[3],
                       void **);
  dcs_status (*alloc)(dcs_device *, size_t, dcs_ptr *);
} plants[PLANTED];

static int planted_index(const dcs_device *device) {
  int d = 0;
  while (plants[d].device != device)
    d++;
  return d;
}

static dcs_status planted_launch(dcs_device *device, dcs_module *module, const char *kernel,
                                 const int64_t grid[3], const int block[3], void **args) {
  int d = planted_index(device);
  if (plants[d].launches++ >= plants[d].fails_after)
    return dcs_fail(DCS_FAILED, "planted: the card fell off the bus");
  DCS_TRY(plants[d].launch(device, module, kernel, grid, block, args));
  if (plants[d].delay_us) usleep((useconds_t)plants[d].delay_us);
  return DCS_OK;
}

static dcs_status planted_alloc(dcs_device *device, size_t bytes, dcs_ptr *ptr) {
  (void)device, (void)ptr;
  return dcs_fail(DCS_UNAVAILABLE, "planted: no %zu bytes", bytes);
}

static void plant(const dcs_engine *engine) {
  for (int d = 0; d < engine->n_devices; d++) {
    dcs_device *device = engine->devices[d];
    plants[d].device = device;
    plants[d].launches = plants[d].delay_us = 0;
    plants[d].fails_after = NEVER;
    plants[d].launch = device->launch;
    plants[d].alloc = device->alloc;
    device->launch = planted_launch;
  }
}

static void expect_lost(dcs_engine *engine, const char *device, const char *why) {
  assert_contains(engine->lost, device);
  assert_contains(engine->lost, why);
  engine->lost[0] = '\0';
}

/* ---- tests ---- */

static void any_number_of_devices_gives_the_same_map(void **state) {
  (void)state;
  static const char *const lists[] = {"emulated", "emulated,emulated",
                                      "emulated,emulated,emulated"};
  for (int m = 0; m < METHODS; m++) {
    compute_expected(m);
    for (int l = 0; l < 3; l++) {
      dcs_engine *engine = open_devices(lists[l]);
      assert_int_equal(engine->n_devices, l + 1);
      prepare(engine, m);
      expect_same(engine, DCS_UNTIMED);
      expect_same(engine, DCS_UNTIMED_WARM);
      expect_same(engine, DCS_UNTIMED);
      assert_string_equal(engine->lost, "");
      engine->close(engine);
    }
  }
}

/* The slow device does less, and every device does something. */
static void unequal_speeds_give_the_same_map(void **state) {
  (void)state;
  compute_expected(5);
  dcs_engine *engine = open_devices("emulated,emulated,emulated");
  plant(engine);
  prepare(engine, 5);
  plants[0].delay_us = plants[2].delay_us = 500;
  plants[1].delay_us = 8000;
  expect_same(engine, DCS_UNTIMED_WARM); /* it learns how fast they are */
  for (int d = 0; d < PLANTED; d++)
    plants[d].launches = 0;
  expect_same(engine, DCS_UNTIMED_WARM);
  assert_int_equal(plants[0].launches + plants[1].launches + plants[2].launches, NZ);
  assert_true(plants[0].launches > 0 && plants[1].launches > 0 && plants[2].launches > 0);
  assert_true(plants[1].launches < plants[0].launches);
  assert_true(plants[1].launches < plants[2].launches);
  engine->close(engine);
}

/* At any of its launches; where it makes fewer, it does not fail. */
static void others_do_the_part_of_a_device_that_fails(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    compute_expected(m);
    for (int after = 0; after < 9; after += 1 + m % 2) {
      dcs_engine *engine = open_devices("emulated,emulated,emulated");
      plant(engine);
      prepare(engine, m);
      plants[1].fails_after = after;
      expect_same(engine, after % 2 ? DCS_UNTIMED : DCS_UNTIMED_WARM);
      bool failed = plants[1].launches > after;
      if (failed) expect_lost(engine, "emulated (2 of 3)", "fell off the bus");
      expect_same(engine, DCS_UNTIMED);
      if (failed) assert_string_equal(engine->lost, ""); /* said once */
      engine->close(engine);
    }
  }
}

static void two_of_three_fail(void **state) {
  (void)state;
  compute_expected(0);
  dcs_engine *engine = open_devices("emulated,emulated,emulated");
  plant(engine);
  prepare(engine, 0);
  plants[0].fails_after = 0;
  plants[2].fails_after = 1;
  plants[1].delay_us = 20000; /* so that both get to it */
  expect_same(engine, DCS_UNTIMED_WARM);
  expect_lost(engine, "emulated (1 of 3)", "fell off the bus");
  engine->close(engine);
}

static void when_all_fail_the_launch_failed(void **state) {
  (void)state;
  dcs_engine *engine = open_devices("emulated,emulated");
  plant(engine);
  prepare(engine, 5);
  plants[0].fails_after = plants[1].fails_after = 3;
  assert_int_equal(try_run(engine, DCS_UNTIMED), DCS_OUTCOME_LAUNCH);
  assert_contains(dcs_error_message(), "all devices failed");
  assert_contains(dcs_error_message(), "fell off the bus");
  engine->close(engine);
}

/* Memory that is short: of a device at the problem, of one at the map, of all. */
static void devices_without_memory_are_left_out(void **state) {
  (void)state;
  compute_expected(4);
  for (int all = 0; all < 2; all++) {
    dcs_engine *engine = open_devices("emulated,emulated");
    plant(engine);
    prepare(engine, 4);
    plants[0].device->alloc = planted_alloc;
    if (all) {
      plants[1].device->alloc = planted_alloc;
      assert_int_equal(try_run(engine, DCS_UNTIMED), DCS_OUTCOME_MEMORY);
      assert_contains(dcs_error_message(), "planted: no");
    } else {
      expect_same(engine, DCS_UNTIMED);
      expect_lost(engine, "emulated (1 of 2)", "planted: no");
      assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
      prepare(engine, 4);
      expect_same(engine, DCS_UNTIMED_WARM);
    }
    engine->close(engine);
  }
}

/* ---- times ---- */

/* Emulated devices that pass for timed ones, for what is refused and what is not. */
static void times_are_of_all_devices_or_none(void **state) {
  (void)state;
  double ns = 0;
  dcs_engine *engine = open_devices("emulated,emulated");
  prepare(engine, 5);
  assert_int_equal(try_run(engine, DCS_KERNEL), DCS_OUTCOME_LAUNCH);
  assert_contains(dcs_error_message(), "have no times");
  plant(engine);
  plants[0].device->timed = plants[1].device->timed = true;
  plants[0].delay_us = plants[1].delay_us = 1000;
  assert_int_equal(engine->run(engine, 0, DCS_KERNEL, DCS_PAGEABLE, 3, &ns), DCS_OUTCOME_OK);
  assert_int_equal(plants[0].launches + plants[1].launches, 3 * NZ);
  assert_true(ns > 1e6 * 3 * NZ / 2); /* the sleep is no shorter */
  plants[1].fails_after = plants[1].launches + 2;
  assert_int_equal(engine->run(engine, 0, DCS_WARM, DCS_PAGEABLE, 1, &ns), DCS_OUTCOME_LAUNCH);
  assert_contains(dcs_error_message(), "emulated (2 of 2) failed");
  engine->close(engine);
}

static void what_cannot_be_shared_is_inapplicable(void **state) {
  (void)state;
  double ns;
  dcs_code_facts facts;
  dcs_engine *engine = open_devices("emulated,emulated");
  const dcs_variant *scatter = dcs_find_variant("cuda_scatter");
  dcs_config config = dcs_initial_config(scatter, 1);
  assert_int_equal(engine->prepare(engine, 1, &problem.config, scatter, &config, &facts),
                   DCS_OUTCOME_INAPPLICABLE);
  assert_contains(dcs_error_message(), "cuda_scatter");
  prepare(engine, 5);
  for (int m = DCS_PINNED; m < DCS_N_MEMORIES; m++) {
    assert_int_equal(engine->run(engine, 0, DCS_UNTIMED_WARM, (dcs_memory)m, 1, &ns),
                     DCS_OUTCOME_INAPPLICABLE);
    assert_contains(dcs_error_message(), dcs_memory_name((dcs_memory)m));
  }
  engine->close(engine);
}

/* ---- lists ---- */

static void lists_of_devices(void **state) {
  (void)state;
  static const char *const bad[] = {"cuda:0,cuda:0",  "emulated,cuda:0", "emulated,", ",", "",
                                    "cuda:0,cuda:all"};
  dcs_device_list list;
  assert_int_equal(dcs_device_list_of("cuda:1,cuda:0", &list), DCS_OK);
  assert_true(list.n == 2 && strcmp(list.names[0], "cuda:1") == 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(dcs_device_list_of(bad[i], &list), DCS_USAGE);
  char many[9 * (DCS_MAX_DEVICES + 1) + 1] = "emulated";
  for (int d = 1; d <= DCS_MAX_DEVICES; d++)
    strcat(many, ",emulated");
  assert_int_equal(dcs_device_list_of(many, &list), DCS_USAGE);
  assert_true(dcs_names_several("cuda:all") && dcs_names_several("cuda:0,cuda:1"));
  assert_false(dcs_names_several("cuda:0") || dcs_names_several(NULL));
}

/* ---- the program ---- */

static void commands_take_or_refuse_several(void **state) {
  (void)state;
  static const char verify[] = "verify --device emulated,emulated --variants";
  dcs_engine *probe = open_devices("emulated");
  probe->close(probe);
  assert_status(program_run("%s cuda_naive --config block_x=16,block_y=4", verify), 0);
  assert_contains(program_out, "1 configurations");
  assert_status(program_run("%s cuda_naive,cuda_scatter --config block_x=16", verify), 0);
  assert_contains(program_out, "inapplicable: ");
  assert_status(program_run("verify --device emulated,cuda:0"), 2);
  assert_contains(program_err, "emulated,cuda:0");
  assert_status(program_run("verify --device cuda:0,cuda:0"), 2);
  assert_status(program_run("limits --device cuda:all"), 2);
  assert_contains(program_err, "takes one device");
  assert_status(program_run("tune cuda_naive --grid 8^3 --atoms 5 --device cuda:0,cuda:1"), 2);
  assert_contains(program_err, "takes one device");
  assert_status(program_run("sweep --device emulated,emulated --variants cuda_naive --atoms 5 "
                            "--grid 8^3 --out %s",
                            in_folder("run")),
                2);
  assert_contains(program_err, "no times");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_devices_gives_the_same_map),
      cmocka_unit_test(unequal_speeds_give_the_same_map),
      cmocka_unit_test(others_do_the_part_of_a_device_that_fails),
      cmocka_unit_test(two_of_three_fail),
      cmocka_unit_test(when_all_fail_the_launch_failed),
      cmocka_unit_test(devices_without_memory_are_left_out),
      cmocka_unit_test(times_are_of_all_devices_or_none),
      cmocka_unit_test(what_cannot_be_shared_is_inapplicable),
      cmocka_unit_test(lists_of_devices),
      cmocka_unit_test(commands_take_or_refuse_several),
  };
  return cmocka_run_group_tests_name("several", tests, make_atoms, program_teardown);
}
