/* A kind of the test's own with buffers that no map of atoms has: inputs of 16 and 2 bytes an
 * element, outputs on the grid and not, of 8 bytes and 1; from case to judge, on the CPU and on the
 * emulated device; and one whose data are cold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/engine/engine.h"
#include "harness/judge/oracle.h"
#include "harness/problems/common.h"
#include "tests/planted_kernels.h"

#include <math.h>

/* A field of 2 MiB: two slabs. */
enum { NX = 100, NY = 40, NZ = 66, POINTS = NX * NY * NZ, ATOMS = 7, FACTORS = 5, ADDED = 100 };

/* ---- the kind ---- */

enum { WEIGHTS, FACTORS_OF, FIELD, CLASSES };

typedef struct {
  float x, y, z, weight;
} weight;
typedef struct {
  float across, along;
} vector;

static bool weigh(const dcs_site *site, void *element) {
  *(weight *)element = (weight){.weight = (float)(8 + (int)(4 * site->q))};
  return true;
}

static int64_t n_factors(const dcs_problem *problem) {
  (void)problem;
  return FACTORS;
}

static void fill_factors(const dcs_case *c, int buffer, void *data) {
  assert_int_equal(buffer, FACTORS_OF);
  assert_int_equal(c->problem.n_inputs, ATOMS); /* filled after the weights */
  for (int f = 0; f < FACTORS; f++)
    ((int16_t *)data)[f] = (int16_t)(f + 1);
}

static int64_t n_classes(const dcs_problem *problem) {
  return problem->n_inputs;
}

/* Value i of the field: across and along by turns. */
static double field_value(const dcs_problem *problem, int64_t i) {
  const weight *weights = problem->input[WEIGHTS];
  const int16_t *factors = problem->input[FACTORS_OF];
  const int64_t point = i / 2, x = point % NX, y = point / NX % NY, z = point / NX / NY;
  double sum = 0;
  for (int a = 0; a < ATOMS; a++)
    sum += i % 2 ? factors[a % FACTORS] * (double)(z + y)
                 : (double)weights[a].weight * (double)(x + 1);
  return sum;
}

static double class_value(const dcs_problem *problem, int64_t a) {
  const weight *weights = problem->input[WEIGHTS];
  const int16_t *factors = problem->input[FACTORS_OF];
  return (double)weights[a].weight * factors[a % FACTORS] + ADDED;
}

static dcs_sums field_sums(const dcs_case *c, int buffer, int64_t i, double largest) {
  (void)largest;
  assert_int_equal(buffer, FIELD);
  return (dcs_sums){.v = field_value(&c->problem, i), .s = 1};
}

static dcs_sums class_sums(const dcs_case *c, int buffer, int64_t a, double largest) {
  (void)largest;
  assert_int_equal(buffer, CLASSES);
  return (dcs_sums){.v = class_value(&c->problem, a), .s = 1};
}

static double byte_value(const void *data, int64_t i) {
  return ((const unsigned char *)data)[i];
}

static double reach(const dcs_case *c) {
  (void)c;
  return 0;
}

static double rounding(const dcs_config *problem) {
  (void)problem;
  return 16;
}

static const dcs_buffer buffers[] = {[WEIGHTS] = {.name = "weights", .bytes = sizeof(weight)},
                                     [FACTORS_OF] = {.name = "factors",
                                                     .bytes = sizeof(int16_t),
                                                     .count = n_factors,
                                                     .fill = fill_factors},
                                     [FIELD] = {.name = "field",
                                                .bytes = sizeof(vector),
                                                .output = true,
                                                .values = 2,
                                                .reference = field_sums},
                                     [CLASSES] = {.name = "classes",
                                                  .bytes = 1,
                                                  .count = n_classes,
                                                  .output = true,
                                                  .value = byte_value,
                                                  .reference = class_sums}};
/* With all buffers, with those but the classes, and cold. */
static dcs_kind kind = {.id = "test",
                        .axes = dcs_map_axes,
                        .n_axes = DCS_MAP_AXES,
                        .dimensions = dcs_map_dimensions,
                        .n_dimensions = DCS_MAP_DIMENSIONS,
                        .buffers = buffers,
                        .n_buffers = 4,
                        .input = weigh,
                        .reach = reach,
                        .rounding = rounding};
static dcs_kind field_alone, cold_kind;

/* ---- its variants ---- */

static bool compute(const dcs_problem *problem, const dcs_config *config, void *const out[]) {
  (void)config;
  assert_null(out[WEIGHTS]);
  for (int64_t i = 0; i < 2 * POINTS; i++)
    ((float *)out[FIELD])[i] = (float)field_value(problem, i);
  for (int64_t a = 0; a < ATOMS; a++)
    ((unsigned char *)out[CLASSES])[a] = (unsigned char)class_value(problem, a);
  return true;
}

static const dcs_variant on_cpu = {
    .id = "cpu_test", .kind = "test", .backend = DCS_CPU, .compute = compute};

/* Classes are computed in scratch, in two steps of one kernel, and copied. */
static const char kernels[] =
    "extern \"C\" __global__ void add(unsigned char *to, const float4 *weights,\n"
    "                               const short *factors, int n, int value) {\n"
    "  int a = blockIdx.y * 4 + threadIdx.x;\n"
    "  if (a < n) to[a] = value ? to[a] + value : weights[a].w * factors[a % 5];\n"
    "}\n"
    "extern \"C\" __global__ void dcs(float2 *field, const float4 *weights, const short *factors,\n"
    "                               int n, int nx, int row, int k) {\n"
    "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y, z = blockIdx.z;\n"
    "  if (x >= nx) return;\n"
    "  float2 *at = field + ((long long)z * gridDim.y + y) * row + x;\n"
    "  for (int a = 0; a < n; a++) {\n"
    "    at->x += weights[a].w * (x + 1);\n"
    "    at->y += factors[a % 5] * (k + z + y);\n"
    "  }\n"
    "}\n";

static dcs_plan_step add_step(int value) {
  static const dcs_arg args[] = {DCS_SCRATCH(0),   DCS_BUFFER(WEIGHTS), DCS_BUFFER(FACTORS_OF),
                                 DCS_ARG_N_INPUTS, DCS_ARG_VALUE,       DCS_ARG_END};
  return (dcs_plan_step){
      .kernel = "add", .block = {4, 1, 1}, .grid = {1, 2, 1}, .args = args, .value = value};
}

/* Config: whether steps follow the launches. The launches take five inputs each, then two. */
static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(FIELD), DCS_BUFFER(WEIGHTS), DCS_BUFFER(FACTORS_OF),
                                 DCS_ARG_N_INPUTS,  DCS_ARG_NX,          DCS_ARG_ROW,
                                 DCS_ARG_K,         DCS_ARG_END};
  const dcs_dims n = problem->n;
  const dcs_plan_step copy = {
      .does = DCS_STEP_COPY, .to = DCS_BUFFER(CLASSES), .from = DCS_SCRATCH(0)};
  const bool after = config->value[0] > 0, alone = config->value[0] < 0;
  *plan = (dcs_plan){.chunk_inputs = FACTORS,
                     .launch_slices = n.z,
                     .slice_step = 1,
                     .stored = {128, n.y, n.z},
                     .scratch = {{.bytes = alone ? 0 : 64}},
                     .block = {32, 1, 1},
                     .grid = {4, n.y, n.z},
                     .args = args};
  if (!alone) dcs_add_step(plan, add_step(0));
  if (!alone && !after) dcs_add_step(plan, add_step(ADDED));
  if (!alone && !after) dcs_add_step(plan, copy);
  dcs_plan_adds_to(plan, FIELD);
  if (after) dcs_add_step(plan, add_step(ADDED));
  if (after) dcs_add_step(plan, copy);
}

static const char *const sources[] = {"kernels/test/cuda/mixed.cu", NULL};
static const dcs_variant on_device = {
    .id = "cuda_test", .kind = "test", .sources = sources, .backend = DCS_GPU, .plan = plan};

/* ---- fixture ---- */

static dcs_case c;
static float field[2 * POINTS];
static unsigned char classes[ATOMS];
static void *const out[DCS_MAX_BUFFERS] = {[FIELD] = field, [CLASSES] = classes};

static int make(void **state) {
  const dcs_grid grid = {.n = {NX, NY, NZ}, .spacing = 0.5};
  field_alone = cold_kind = kind;
  field_alone.n_buffers = CLASSES;
  cold_kind.cold = true;
  if (kernel_folder_make(state) != 0) return -1;
  plant("mixed.cu", kernels);
  return dcs_case_random(&kind, NULL, ATOMS, &grid, 5, &c) == DCS_OK ? 0 : -1;
}

static int clean_up(void **state) {
  char path[128];
  dcs_case_free(&c);
  kernel_path("mixed.cu", path);
  unlink(path);
  return kernel_folder_remove(state);
}

static dcs_outcome prepare(dcs_engine *engine, const dcs_kind *of, int config) {
  const bool cpu = engine->n_devices == 0;
  dcs_code_facts facts;
  assert_int_equal(engine->take(engine, of, &c.problem, out), DCS_OUTCOME_OK);
  return engine->prepare(engine, 0, &c.problem.config, cpu ? &on_cpu : &on_device,
                         &(dcs_config){{config}}, &facts);
}

static dcs_engine *open_device(const char *devices, const dcs_kind *of, int config) {
  dcs_engine *engine;
  dcs_status status = dcs_engine_devices_open(devices, kernel_folder, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  if (prepare(engine, of, config) != DCS_OUTCOME_OK) fail_msg("%s", dcs_error_message());
  return engine;
}

static void run(dcs_engine *engine, dcs_scope scope, dcs_memory memory, bool with_classes) {
  double ns;
  memset(field, 0xff, sizeof field);
  memset(classes, 0xff, sizeof classes);
  if (engine->run(engine, 0, scope, memory, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  for (int64_t i = 0; i < 2 * POINTS; i++)
    if ((double)field[i] != field_value(&c.problem, i))
      fail_msg("scope %d, memory %d, value %lld of the field: %g", scope, memory, (long long)i,
               (double)field[i]);
  for (int a = 0; a < ATOMS && with_classes; a++)
    if ((double)classes[a] != class_value(&c.problem, a))
      fail_msg("scope %d, memory %d, class %d: %d", scope, memory, a, classes[a]);
}

/* ---- tests ---- */

static void the_cpu_computes_all_outputs(void **state) {
  (void)state;
  dcs_engine *engine;
  assert_int_equal(dcs_engine_cpu_open(false, &engine), DCS_OK);
  assert_int_equal(prepare(engine, &kind, 0), DCS_OUTCOME_OK);
  run(engine, DCS_UNTIMED, DCS_PAGEABLE, true);
  engine->close(engine);
}

/* Twice each: what one leaves behind must not matter to the next. Maps with kernels as steps are
 * captured from the second on. */
static void a_device_computes_all_outputs_in_every_memory(void **state) {
  (void)state;
  for (int after = 0; after < 2; after++) {
    dcs_engine *engine = open_device("emulated", &kind, after);
    for (int round = 0; round < 2; round++) {
      run(engine, DCS_UNTIMED, DCS_PAGEABLE, true);
      for (int m = 0; m < DCS_N_MEMORIES; m++)
        run(engine, DCS_UNTIMED_WARM, (dcs_memory)m, true);
    }
    engine->close(engine);
  }
}

static void devices_share_what_is_on_the_grid(void **state) {
  (void)state;
  dcs_engine *engine = open_device("emulated,emulated", &field_alone, -1);
  run(engine, DCS_UNTIMED, DCS_PAGEABLE, false);
  run(engine, DCS_UNTIMED_WARM, DCS_PAGEABLE, false);
  assert_int_equal(prepare(engine, &kind, 0), DCS_OUTCOME_INAPPLICABLE);
  assert_non_null(strstr(dcs_error_message(), "an output on no grid: classes"));
  assert_int_equal(prepare(engine, &field_alone, 1), DCS_OUTCOME_INAPPLICABLE);
  assert_non_null(strstr(dcs_error_message(), "steps after its launches"));
  engine->close(engine);
}

static void the_judge_sees_every_output(void **state) {
  (void)state;
  dcs_reference reference;
  for (int64_t i = 0; i < 2 * POINTS; i++)
    field[i] = (float)field_value(&c.problem, i);
  for (int a = 0; a < ATOMS; a++)
    classes[a] = (unsigned char)class_value(&c.problem, a);
  assert_int_equal(dcs_oracle(&c, 1000000, &reference), DCS_OK);
  assert_true(reference.buffer == FIELD && reference.points == 2 * POINTS);
  const dcs_reference *of_classes = reference.next;
  assert_true(of_classes && of_classes->buffer == CLASSES && of_classes->n == ATOMS);
  assert_null(of_classes->next);
  assert_true(dcs_check(&reference, field, 1).accepted);
  assert_true(dcs_check(of_classes, classes, 1).accepted);
  for (int last = 0; last < 2; last++) { /* both values of an element are among the references */
    const int64_t at = reference.index[last];
    const float was = field[at];
    assert_int_equal(at % 2, last);
    field[at] += 1;
    assert_false(dcs_check(&reference, field, 1).accepted);
    field[at] = was;
  }
  classes[ATOMS - 1]++;
  dcs_verdict verdict = dcs_check(of_classes, classes, 1);
  assert_true(!verdict.accepted && verdict.worst == ATOMS - 1);
  dcs_reference_free(&reference);
}

/* ---- cold data ---- */

static void the_cpu_flushes_before_each_timed_output(void **state) {
  (void)state;
  double ns;
  dcs_engine *engine;
  assert_int_equal(dcs_engine_cpu_open(false, &engine), DCS_OK);
  for (int cold = 0; cold < 2; cold++) {
    assert_int_equal(prepare(engine, cold ? &cold_kind : &kind, 0), DCS_OUTCOME_OK);
    assert_int_equal(engine->run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE, 1, &ns), DCS_OUTCOME_OK);
    assert_int_equal(engine->run(engine, 0, DCS_KERNEL, DCS_PAGEABLE, 3, &ns), DCS_OUTCOME_OK);
    assert_true(ns > 0);
    assert_int_equal(engine->flushes, cold ? 3 : 0);
  }
  engine->close(engine);
}

/* What the device is asked for: Fill of its cache and more, Begin and End of what is timed, Launch,
 * Synchronize. */
static char seen[64];
static int n_seen;
static dcs_device real;

static void note(char what) {
  if (n_seen < (int)sizeof seen - 1) seen[n_seen++] = what;
  seen[n_seen] = '\0';
}

static dcs_status seen_fill(dcs_device *device, dcs_ptr to, uint32_t pattern, size_t words) {
  dcs_device_info info;
  assert_int_equal(device->info(device, &info), DCS_OK);
  if (pattern != 0 && 4 * words >= 2 * (size_t)info.cache_bytes) note('F');
  return real.fill(device, to, pattern, words);
}

static dcs_status seen_launch(dcs_device *device, dcs_module *module, const char *kernel,
                              const int64_t grid[3], const int block[3], void **args) {
  note('L');
  return real.launch(device, module, kernel, grid, block, args);
}

static dcs_status seen_event(dcs_device *device, int which) {
  if (which < 2) note(which ? 'E' : 'B');
  return real.record_event(device, which);
}

static dcs_status seen_synchronize(dcs_device *device) {
  note('S');
  return real.synchronize(device);
}

static dcs_status one_ns(dcs_device *device, int from, int to, double *ns) {
  (void)device, (void)from, (void)to;
  *ns = 1;
  return DCS_OK;
}

/* Two maps, of two launches each. */
static void expect_seen(dcs_engine *engine, dcs_scope scope, const char *expected) {
  double ns;
  n_seen = 0;
  assert_int_equal(engine->run(engine, 0, scope, DCS_MAPPED, 2, &ns), DCS_OUTCOME_OK);
  assert_string_equal(seen, expected);
  if (scope == DCS_KERNEL) assert_true(ns == 1 || ns == 2);
}

static void a_device_flushes_outside_of_what_is_timed(void **state) {
  (void)state;
  dcs_engine *engine = open_device("emulated", &field_alone, -1);
  dcs_device *device = engine->device;
  dcs_kind cold = field_alone;
  real = *device;
  device->timed = true;
  device->fill = seen_fill;
  device->launch = seen_launch;
  device->record_event = seen_event;
  device->synchronize = seen_synchronize;
  device->elapsed_ns = one_ns;
  expect_seen(engine, DCS_KERNEL, "BLLLLE");
  expect_seen(engine, DCS_WARM, "LLSLLS");
  assert_int_equal(engine->flushes, 0);
  cold.cold = true;
  assert_int_equal(prepare(engine, &cold, -1), DCS_OUTCOME_OK);
  expect_seen(engine, DCS_KERNEL, "FBLLEFBLLE");
  expect_seen(engine, DCS_WARM, "FSLLSFSLLS");
  assert_int_equal(engine->flushes, 4);
  engine->close(engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cpu_computes_all_outputs),
      cmocka_unit_test(a_device_computes_all_outputs_in_every_memory),
      cmocka_unit_test(devices_share_what_is_on_the_grid),
      cmocka_unit_test(the_judge_sees_every_output),
      cmocka_unit_test(the_cpu_flushes_before_each_timed_output),
      cmocka_unit_test(a_device_flushes_outside_of_what_is_timed),
  };
  return cmocka_run_group_tests_name("buffers", tests, make, clean_up);
}
