/* Atoms that the host arranges for a kernel, and the overflow that it adds itself: a variant of
 * this test's own, on the emulated device. Every way to run it gives the whole map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/machine.h"
#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "tests/plain_map.h"
#include "tests/planted_kernels.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum {
  NX = 96,
  NY = 80,
  NZ = 72,
  POINTS = NX * NY * NZ,
  ATOMS = 20,
  EVERY = 3,
  OVERFLOW_ATOMS = 7
};

/* ---- the variant ---- */

static const char kernel[] =
    "struct own { int places; };\n"
    "extern \"C\" __global__ void dcs(float *map, const float4 *atoms, int n_atoms, int nx, int "
    "ny,\n"
    "                               int nz, int first_k, float spacing, own o) {\n"
    "  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y, k = blockIdx.z;\n"
    "  if (i >= nx || k >= nz) return;\n"
    "  float sum = 0;\n"
    "  for (int a = 0; a < o.places; a++) {\n"
    "    float dx = spacing * i - atoms[a].x, dy = spacing * j - atoms[a].y;\n"
    "    float dz = spacing * (first_k + k) - atoms[a].z;\n"
    "    sum += atoms[a].w * rsqrtf(dx * dx + dy * dy + dz * dz);\n"
    "  }\n"
    "  map[((long long)k * ny + j) * nx + i] += sum;\n"
    "}\n";

static const dcs_param params[] = {
    {"keep", "whether every third atom overflows", 0, 1, 1, NULL, NULL}};

/* What happened, in order: a map placed, launched, its overflow added, copied out. */
static char events[64];
static int n_events;

static void event(char what) {
  if (n_events < (int)sizeof events - 1) events[n_events++] = what;
  events[n_events] = '\0';
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n;
}

/* Places in reverse order, an empty one behind each atom. */
static int64_t place(const dcs_problem *problem, const dcs_config *config, void *placed_atoms,
                     void *overflow_atoms) {
  dcs_atom *placed = placed_atoms, *overflow = overflow_atoms;
  const int64_t places = 2 * problem->n_inputs;
  int64_t n_overflow = 0;
  event('p');
  for (int64_t p = 0; p < places; p++)
    placed[p] = (dcs_atom){1e6f, 1e6f, 1e6f, 0};
  for (int64_t a = 0; a < problem->n_inputs; a++)
    if (config->value[0] && a % EVERY == 0)
      overflow[n_overflow++] = dcs_atoms(problem)[a];
    else
      placed[places - 2 - 2 * a] = dcs_atoms(problem)[a];
  return n_overflow;
}

static void add_overflow(const dcs_problem *overflow, const dcs_config *config, float *map) {
  const dcs_case c = {.problem = *overflow};
  static float part[POINTS];
  (void)config;
  event('o');
  compute(&c, honest(&c), part);
  for (int64_t i = 0; i < dcs_points(overflow->n); i++)
    map[i] += part[i];
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_COULOMB_MAP),
                                 DCS_BUFFER(DCS_COULOMB_ATOMS),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  const dcs_dims n = problem->n;
  const int places = (int)(2 * problem->n_inputs);
  (void)config;
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = n.z,
                     .slice_step = 1,
                     .stored = n,
                     .placed_inputs = places,
                     .block = {16, 1, 1},
                     .grid = {dcs_round_up(n.x, 16) / 16, n.y, n.z},
                     .args = args};
  dcs_plan_adds_to(plan, DCS_COULOMB_MAP);
  memcpy(plan->own, &places, sizeof places);
}

static const char *const sources[] = {"kernels/coulomb/cuda/placed.cu", NULL};

static const dcs_variant variant = {.id = "cuda_placed",
                                    .kind = "coulomb",
                                    .sources = sources,
                                    .backend = DCS_GPU,
                                    .params = params,
                                    .n_params = 1,
                                    .executed = executed,
                                    .plan = plan,
                                    .place = place,
                                    .add_overflow = add_overflow};

/* ---- the engine ---- */

static dcs_atom atoms[ATOMS];
static const dcs_problem problem = {
    .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, NZ}, .spacing = 0.5f};
static float map[POINTS];
static dcs_status (*launch)(dcs_device *, dcs_module *, const char *, const int64_t[3],
                            const int[3], void **);
static dcs_status (*copy_out)(dcs_device *, void *, dcs_dims, dcs_ptr, dcs_dims);

static dcs_status seen_launch(dcs_device *device, dcs_module *module, const char *name,
                              const int64_t grid[3], const int block[3], void **args) {
  event('l');
  return launch(device, module, name, grid, block, args);
}

static dcs_status seen_copy_out(dcs_device *device, void *to, dcs_dims n, dcs_ptr from,
                                dcs_dims stored) {
  event('c');
  return copy_out(device, to, n, from, stored);
}

static int make_atoms(void **state) {
  dcs_random random = {11};
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)between(&random, 0, 48), (float)between(&random, 0, 40),
                          (float)between(&random, 0, 36), (float)between(&random, 0.5, 1)};
  if (kernel_folder_make(state) != 0) return -1;
  plant("placed.cu", kernel);
  plant("naive.cu", right_kernel);
  return 0;
}

static int remove_folder(void **state) {
  char path[128];
  kernel_path("placed.cu", path);
  unlink(path);
  return kernel_folder_remove(state);
}

/* An engine with the variant under slot 0, the overflow kept or not. */
static dcs_engine *open_engine(bool keep) {
  dcs_engine *engine;
  dcs_code_facts facts;
  dcs_status status = dcs_engine_devices_open("emulated", kernel_folder, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  launch = engine->device->launch;
  copy_out = engine->device->copy_out;
  engine->device->launch = seen_launch;
  engine->device->copy_out = seen_copy_out;
  assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
  if (engine->prepare(engine, 0, &problem.config, &variant, &(dcs_config){{keep}}, &facts) !=
      DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  return engine;
}

static dcs_outcome try_run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory) {
  double ns;
  memset(map, 0xff, sizeof map);
  n_events = 0;
  return engine->run(engine, slot, scope, memory, 1, &ns);
}

static void run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory) {
  if (try_run(engine, slot, scope, memory) != DCS_OUTCOME_OK) fail_msg("%s", dcs_error_message());
}

/* All charges are above 0.5 and no point is farther than 80 from an atom: one atom that is missing
 * or counted twice is 0.006 or more. */
static void expect_whole_map(void) {
  static float expected[POINTS];
  const dcs_case c = {.problem = problem};
  if (expected[0] == 0) compute(&c, honest(&c), expected);
  for (int i = 0; i < POINTS; i++)
    if (!(fabsf(map[i] - expected[i]) <= 1e-5f * expected[i]))
      fail_msg("point %d: %g, not %g", i, (double)map[i], (double)expected[i]);
}

/* Whether several threads take a map from a stage, in pieces of a quarter. */
static bool in_pieces(int memory) {
#ifdef _OPENMP
  return memory == DCS_PAGEABLE && dcs_cpus() > 1 && omp_get_max_threads() > 1;
#else
  return memory < 0;
#endif
}

/* The host's part comes between launch and copy, where the device is busy with the map. */
static void every_memory_gives_the_whole_map(void **state) {
  (void)state;
  dcs_engine *engine = open_engine(true);
  for (int round = 0; round < 2; round++)
    for (int m = 0; m < DCS_N_MEMORIES; m++) {
      run(engine, 0, DCS_UNTIMED_WARM, (dcs_memory)m);
      expect_whole_map();
      assert_string_equal(events, in_pieces(m)                           ? "plocccc"
                                  : m == DCS_PAGEABLE || m == DCS_PINNED ? "ploc"
                                                                         : "plo");
    }
  run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE);
  expect_whole_map();
  assert_string_equal(events, "ploc");
  engine->close(engine);
}

/* Then the map is cut: 2 MiB are two slabs, both enqueued before the first is copied. */
static void without_overflow_the_host_adds_nothing(void **state) {
  (void)state;
  dcs_engine *engine = open_engine(false);
  for (int m = 0; m < DCS_N_MEMORIES; m++) {
    run(engine, 0, DCS_UNTIMED_WARM, (dcs_memory)m);
    expect_whole_map();
    assert_string_equal(events, in_pieces(m)        ? "pllcccc"
                                : m == DCS_PAGEABLE ? "plc"
                                : m == DCS_PINNED   ? "pllcc"
                                                    : "pl");
  }
  run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE);
  expect_whole_map();
  assert_string_equal(events, "plc");
  engine->close(engine);
}

/* Two configurations and a variant that places nothing, one after another in one engine. */
static void methods_do_not_disturb_each_other(void **state) {
  (void)state;
  dcs_engine *engine = open_engine(true);
  const dcs_method naive = method_of("cuda_naive");
  dcs_code_facts facts;
  assert_int_equal(
      engine->prepare(engine, 1, &problem.config, naive.variant, &naive.config, &facts),
      DCS_OUTCOME_OK);
  assert_int_equal(
      engine->prepare(engine, 2, &problem.config, &variant, &(dcs_config){{0}}, &facts),
      DCS_OUTCOME_OK);
  static const int order[] = {0, 1, 2, 0, 2, 1, 1};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    run(engine, order[i], i % 2 ? DCS_UNTIMED : DCS_UNTIMED_WARM,
        i % 3 ? DCS_PAGEABLE : DCS_MAPPED);
    expect_whole_map();
  }
  engine->close(engine);
}

static void launches_alone_are_timed_only_without_overflow(void **state) {
  (void)state;
  char said[64];
  dcs_engine *engine = open_engine(true);
  assert_int_equal(try_run(engine, 0, DCS_KERNEL, DCS_PAGEABLE), DCS_OUTCOME_INAPPLICABLE);
  snprintf(said, sizeof said, "%d of %d atoms overflow", OVERFLOW_ATOMS, ATOMS);
  expect_said(said);
  expect_said("scopes warm and first include");
  run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE); /* and nothing is spoilt */
  expect_whole_map();
  engine->close(engine);
  engine = open_engine(false);
  assert_int_equal(try_run(engine, 0, DCS_KERNEL, DCS_PAGEABLE), DCS_OUTCOME_LAUNCH);
  expect_said("no times"); /* the emulated device's own reason */
  engine->close(engine);
}

static void several_devices_do_not_share_it(void **state) {
  (void)state;
  dcs_engine *engine;
  dcs_code_facts facts;
  dcs_status status = dcs_engine_devices_open("emulated,emulated", kernel_folder, &engine);
  if (status == DCS_UNAVAILABLE) skip();
  assert_int_equal(status, DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
  assert_int_equal(
      engine->prepare(engine, 0, &problem.config, &variant, &(dcs_config){{1}}, &facts),
      DCS_OUTCOME_INAPPLICABLE);
  expect_said("which emulated,emulated cannot share");
  engine->close(engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_memory_gives_the_whole_map),
      cmocka_unit_test(without_overflow_the_host_adds_nothing),
      cmocka_unit_test(methods_do_not_disturb_each_other),
      cmocka_unit_test(launches_alone_are_timed_only_without_overflow),
      cmocka_unit_test(several_devices_do_not_share_it),
  };
  return cmocka_run_group_tests_name("place", tests, make_atoms, remove_folder);
}
