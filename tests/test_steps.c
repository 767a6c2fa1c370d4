/* Kernels that a plan launches before a map, and the struct that it hands to them: once a map, in
 * order, however the map is cut and wherever it lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/engine/engine.h"
#include "tests/cache_folder.h"
#include "tests/coulomb_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Large enough for a map that is copied out in slabs. */
enum { NX = 128, NY = 128, NZ = 64, POINTS = NX * NY * NZ, ATOMS = 3, SCRATCH = 2, STEP = 4 };

typedef struct {
  double factor;
  float offset[16];
} own_values;

/* The counter is the number of maps begun, and stays: each map shows it. */
static const char kernels[] =
    "struct own_values { double factor; float offset[16]; };\n"
    "extern \"C\" __global__ void first(float *scratch, int *begun, int n_atoms, int nz) {\n"
    "  if (blockIdx.x == 0 && threadIdx.x == 0) begun[0] += 1;\n"
    "  scratch[0] = n_atoms + 1000 * nz;\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(32)\n"
    "second(float *scratch, const float4 *atoms, own_values own) {\n"
    "  scratch[1] = scratch[0] + own.factor * atoms[2].w + own.offset[15];\n"
    "}\n"
    "extern \"C\" __global__ void dcs(float *map, float *scratch, int *begun, int nz) {\n"
    "  int at = blockIdx.x * 128 + threadIdx.x, k = blockIdx.z * 4;\n"
    "  for (int l = 0; l < 4 && k + l < nz; l++)\n"
    "    map[(k + l) * 128 * 128 + at] += 1e6f * begun[0] + scratch[1];\n"
    "}\n";

enum { SUMS, BEGUN }; /* scratch */

static void plan_steps(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg first[] = {DCS_SCRATCH(SUMS), DCS_SCRATCH(BEGUN), DCS_ARG_N_INPUTS,
                                  DCS_ARG_NZ, DCS_ARG_END};
  static const dcs_arg second[] = {DCS_SCRATCH(SUMS), DCS_BUFFER(DCS_COULOMB_ATOMS), DCS_ARG_OWN,
                                   DCS_ARG_END};
  static const dcs_arg map[] = {DCS_BUFFER(DCS_COULOMB_MAP), DCS_SCRATCH(SUMS), DCS_SCRATCH(BEGUN),
                                DCS_ARG_NZ, DCS_ARG_END};
  own_values own = {.factor = 7, .offset[15] = 0.25f};
  *plan = (dcs_plan){
      .chunk_inputs = problem->n_inputs,
      .launch_slices = NZ,
      .slice_step = STEP,
      .stored = problem->n,
      .scratch = {[SUMS] = {SCRATCH * sizeof(float)}, [BEGUN] = {sizeof(int), .zero = true}},
      .block = {128, 1, 1},
      .grid = {NX * NY / 128, 1, NZ / STEP},
      .args = map,
      .steps = {{.does = DCS_STEP_FILL, .to = DCS_BUFFER(DCS_COULOMB_MAP)},
                {.kernel = config->value[0] ? "third" : "first",
                 .block = {64, 1, 1},
                 .grid = {2, 1, 1},
                 .args = first},
                {.kernel = "second",
                 .block = {32, 1, 1},
                 .grid = {1, 1, 1},
                 .args = second,
                 .name = "sum"},
                {.does = DCS_STEP_LAUNCHES}},
      .n_steps = 4};
  memcpy(plan->own, &own, sizeof own);
}

static const dcs_param params[] = {{"lost", "a step that no kernel is", 0, 1, 0, NULL, NULL}};
static const char *const sources[] = {"kernels/coulomb/cuda/stepped.cu", NULL};
static const dcs_variant stepped = {.id = "test_stepped",
                                    .kind = "coulomb",
                                    .sources = sources,
                                    .backend = DCS_GPU,
                                    .params = params,
                                    .n_params = 1,
                                    .plan = plan_steps};

static const dcs_atom atoms[ATOMS] = {{0, 0, 0, 1}, {1, 0, 0, 2}, {0, 1, 0, 3}};
static const dcs_problem problem = {
    .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, NZ}, .spacing = 0.5f};
static float map[POINTS];
static char folder[] = "/tmp/dcs-test-steps-XXXXXX";
static char file_path[64];

static int write_kernels(void **state) {
  if (cache_folder_make(state) != 0 || !mkdtemp(folder)) return -1;
  snprintf(file_path, sizeof file_path, "%s/stepped.cu", folder);
  FILE *file = fopen(file_path, "w");
  bool whole = file && fputs(kernels, file) >= 0;
  return file && fclose(file) == 0 && whole ? 0 : -1;
}

static int remove_kernels(void **state) {
  unlink(file_path);
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

static dcs_engine *open_engine(const char *devices, int lost) {
  dcs_engine *engine;
  dcs_code_facts facts;
  dcs_config config = {{lost}};
  dcs_status status = dcs_engine_devices_open(devices, folder, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &problem.config, &stepped, &config, &facts) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  return engine;
}

/* The nth map: atoms, slices, the factor times the last charge, the offset. */
static void expect_map(dcs_engine *engine, dcs_scope scope, dcs_memory memory, int nth) {
  double ns;
  const float value = 1e6f * (float)nth + (ATOMS + 1000 * NZ + 7 * 3 + 0.25f);
  if (engine->run(engine, 0, scope, memory, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  for (int i = 0; i < POINTS; i++)
    if (map[i] != value)
      fail_msg("map %d, point %d: %.9g, expected %.9g", nth, i, (double)map[i], (double)value);
}

static void steps_come_once_before_each_map(void **state) {
  (void)state;
  dcs_engine *engine = open_engine("emulated", 0);
  expect_map(engine, DCS_UNTIMED, DCS_PAGEABLE, 1);
  expect_map(engine, DCS_UNTIMED_WARM, DCS_PAGEABLE, 2); /* in slabs */
  expect_map(engine, DCS_UNTIMED_WARM, DCS_MAPPED, 3);
  expect_map(engine, DCS_UNTIMED_WARM, DCS_MANAGED, 4);
  expect_map(engine, DCS_UNTIMED, DCS_PAGEABLE, 5);
  engine->close(engine);
}

/* Each device has taken its steps, and each part has what they left. */
static void every_device_takes_the_steps(void **state) {
  (void)state;
  dcs_engine *engine = open_engine("emulated,emulated", 0);
  expect_map(engine, DCS_UNTIMED, DCS_PAGEABLE, 1);
  expect_map(engine, DCS_UNTIMED_WARM, DCS_PAGEABLE, 2);
  engine->close(engine);
}

static void a_step_that_no_kernel_is_fails(void **state) {
  (void)state;
  double ns;
  dcs_engine *engine = open_engine("emulated", 1);
  assert_int_equal(engine->run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE, 1, &ns), DCS_OUTCOME_LAUNCH);
  assert_non_null(strstr(dcs_error_message(), "no kernel named \"third\""));
  engine->close(engine);
}

static dcs_status (*launch_graph)(dcs_device *, dcs_graph *);
static int graph_launches;

static dcs_status count_launch(dcs_device *device, dcs_graph *graph) {
  graph_launches++;
  return launch_graph(device, graph);
}

/* All maps of a method but its first, and those in slabs, are captured; the steps run in each. */
static void maps_with_steps_are_captured(void **state) {
  (void)state;
  static const struct {
    dcs_scope scope;
    dcs_memory memory;
    int graph_launches;
  } maps[] = {{DCS_UNTIMED, DCS_PAGEABLE, 0},      {DCS_UNTIMED, DCS_PAGEABLE, 1},
              {DCS_UNTIMED_WARM, DCS_PAGEABLE, 1}, {DCS_UNTIMED_WARM, DCS_MAPPED, 2},
              {DCS_UNTIMED, DCS_PAGEABLE, 3},      {DCS_UNTIMED, DCS_PAGEABLE, 4}};
  dcs_engine *engine = open_engine("emulated", 0);
  launch_graph = engine->device->launch_graph;
  engine->device->launch_graph = count_launch;
  graph_launches = 0;
  for (int i = 0; i < (int)(sizeof maps / sizeof maps[0]); i++) {
    expect_map(engine, maps[i].scope, maps[i].memory, i + 1);
    assert_int_equal(graph_launches, maps[i].graph_launches);
  }
  engine->close(engine);
}

/* A captured launch keeps its kernel and the values of large arguments. */
static void steps_are_launched_as_a_graph(void **state) {
  (void)state;
  dcs_engine *engine = open_engine("emulated", 0);
  dcs_device *device = engine->device;
  const dcs_source source = {"stepped.cu", kernels, NULL, 0};
  dcs_module *module;
  dcs_code_facts facts;
  dcs_graph *graph;
  float scratch[SCRATCH] = {5, 0};
  own_values own = {.factor = 2, .offset[15] = 0.5f};
  const dcs_atom *from = atoms;
  float *to = scratch;
  void *args[] = {&to, &from, &own};
  assert_int_equal(device->load(device, &source, &module, &facts), DCS_OK);
  assert_int_equal(device->begin_capture(device), DCS_OK);
  assert_int_equal(
      device->launch(device, module, "second", (int64_t[]){1, 1, 1}, (int[]){1, 1, 1}, args),
      DCS_OK);
  assert_int_equal(device->end_capture(device, &graph), DCS_OK);
  own.offset[15] = 99;
  assert_true(scratch[1] == 0);
  assert_int_equal(device->launch_graph(device, graph), DCS_OK);
  assert_true(scratch[1] == 5 + 2 * 3 + 0.5f);
  device->destroy_graph(device, graph);
  engine->close(engine);
}

/* ---- phases ---- */

static int timed_steps;

static dcs_status count_steps(dcs_device *device, int from, int to, double *ns) {
  (void)from, (void)to;
  (void)device;
  *ns = 100 * ++timed_steps;
  return DCS_OK;
}

static void expect_phase(const dcs_phases *phases, int i, const char *name, double ns) {
  assert_true(i < phases->n);
  assert_string_equal(phases->list[i].name, name);
  assert_true(phases->list[i].ns == ns);
}

/* Every step has a time under its name, and the map is a map; without times there are none. */
static void each_step_has_its_time(void **state) {
  (void)state;
  dcs_engine *engine = open_engine("emulated", 0);
  dcs_phases phases = {0};
  assert_int_equal(engine->time_phases(engine, 0, &phases), DCS_OUTCOME_OK);
  assert_int_equal(phases.n, 0);
  engine->device->timed = true;
  engine->device->elapsed_ns = count_steps;
  timed_steps = 0;
  assert_int_equal(engine->time_phases(engine, 0, &phases), DCS_OUTCOME_OK);
  assert_int_equal(phases.n, 4);
  expect_phase(&phases, 0, "fill", 100);
  expect_phase(&phases, 1, "first", 200);
  expect_phase(&phases, 2, "sum", 300);
  expect_phase(&phases, 3, "dcs", 400);
  assert_int_equal(engine->time_phases(engine, 0, &phases), DCS_OUTCOME_OK);
  expect_phase(&phases, 0, "fill", 100 + 500);
  engine->device->timed = false;
  expect_map(engine, DCS_UNTIMED, DCS_PAGEABLE, 3);
  engine->close(engine);
}

static double clock_ns;

static double now(void) {
  return clock_ns;
}

/* Of one name they add up; what begins ends what was; nobody may listen. */
static void phases_follow_each_other(void **state) {
  (void)state;
  dcs_phases phases = {.now_ns = now};
  dcs_phase("unheard");
  dcs_phases_listen(&phases);
  static const char *const names[] = {"spread", "transform", "spread", NULL};
  for (int i = 0; i < 4; i++) {
    dcs_phase(names[i]);
    clock_ns += 10 * (i + 1);
  }
  dcs_phase(NULL);
  dcs_phases_listen(NULL);
  dcs_phase("unheard");
  assert_int_equal(phases.n, 2);
  expect_phase(&phases, 0, "spread", 40);
  expect_phase(&phases, 1, "transform", 20);
}

static void phases_without_number_end_in_the_last(void **state) {
  (void)state;
  static char names[DCS_MAX_PHASES + 2][4];
  dcs_phases phases = {0};
  for (int i = 0; i < DCS_MAX_PHASES + 2; i++) {
    snprintf(names[i], sizeof names[i], "%d", i);
    dcs_phases_add(&phases, names[i], 1);
  }
  assert_int_equal(phases.n, DCS_MAX_PHASES);
  expect_phase(&phases, DCS_MAX_PHASES - 1, "23", 3);
}

static bool in_phases(const dcs_problem *p, const dcs_config *config, void *const out[]) {
  (void)p, (void)config;
  dcs_phase("begin");
  memset(out[DCS_COULOMB_MAP], 0, sizeof map);
  dcs_phase("end");
  return true;
}

static void a_variant_of_the_cpu_says_its_phases(void **state) {
  (void)state;
  static const dcs_variant phased = {
      .id = "test_phased", .kind = "coulomb", .sources = sources, .compute = in_phases};
  dcs_engine *engine;
  dcs_code_facts facts;
  const dcs_config config = {{0}};
  dcs_phases phases = {0};
  assert_int_equal(dcs_engine_cpu_open(false, &engine), DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
  assert_int_equal(engine->prepare(engine, 0, &problem.config, &phased, &config, &facts),
                   DCS_OUTCOME_OK);
  assert_int_equal(engine->time_phases(engine, 0, &phases), DCS_OUTCOME_OK);
  assert_int_equal(phases.n, 2);
  assert_string_equal(phases.list[0].name, "begin");
  assert_string_equal(phases.list[1].name, "end");
  assert_true(phases.list[0].ns > 0 && phases.list[1].ns >= 0);
  engine->close(engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_step_has_its_time),
      cmocka_unit_test(phases_follow_each_other),
      cmocka_unit_test(phases_without_number_end_in_the_last),
      cmocka_unit_test(a_variant_of_the_cpu_says_its_phases),
      cmocka_unit_test(steps_come_once_before_each_map),
      cmocka_unit_test(every_device_takes_the_steps),
      cmocka_unit_test(a_step_that_no_kernel_is_fails),
      cmocka_unit_test(maps_with_steps_are_captured),
      cmocka_unit_test(steps_are_launched_as_a_graph),
  };
  return cmocka_run_group_tests_name("steps", tests, write_kernels, remove_kernels);
}
