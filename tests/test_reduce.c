/* The kernel that splits the atoms over blocks, on the emulated device: no atom is lost or taken
 * twice, and the map has the same bits in whatever order the blocks run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/device/kernel_source.h"
#include "tests/cache_folder.h"
#include "tests/plain_map.h"

#include <string.h>

static dcs_device *device;

static int open_device(void **state) {
  return cache_folder_make(state) == 0 && dcs_device_open("emulated", &device) != DCS_USAGE ? 0
                                                                                            : -1;
}

static int close_device(void **state) {
  if (device) device->close(device);
  return cache_folder_remove(state);
}

/* A configuration of a variant, loaded, with its memory for the problem. */
typedef struct {
  dcs_problem problem;
  dcs_plan plan;
  dcs_module *module;
  dcs_ptr map, atoms, scratch, counters;
} prepared;

static dcs_module *load(const dcs_variant *variant, const dcs_config *config, bool backwards) {
  dcs_kernel_source kernel;
  const char *options[3 * DCS_MAX_PARAMS + 1];
  dcs_module *module;
  dcs_code_facts facts;
  assert_int_equal(dcs_kernel_source_open(variant, config, NULL, &kernel), DCS_OK);
  dcs_source source = kernel.source;
  memcpy(options, source.options, (size_t)source.n_options * sizeof *options);
  if (backwards) options[source.n_options++] = "-DDCS_EMULATED_BACKWARDS=1";
  source.options = options;
  if (device->load(device, &source, &module, &facts) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_kernel_source_free(&kernel);
  return module;
}

/* Memory of that many words, filled with the pattern; 0 for none. */
static dcs_ptr words(int64_t n, uint32_t pattern) {
  dcs_ptr at = 0;
  if (n == 0) return 0;
  assert_int_equal(device->alloc(device, (size_t)n * 4, &at), DCS_OK);
  assert_int_equal(device->fill(device, at, pattern, (size_t)n), DCS_OK);
  return at;
}

static prepared prepare(const dcs_variant *variant, const dcs_config *config,
                        const dcs_problem *problem, bool backwards) {
  prepared p = {.problem = *problem};
  char why[DCS_TEXT];
  if (!device) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  if (!dcs_applicable(variant, problem, config, why)) fail_msg("%s", why);
  variant->plan(problem, config, &p.plan);
  p.module = load(variant, config, backwards);
  p.map = words(dcs_points(p.plan.stored), 0);
  p.scratch = words(p.plan.scratch_floats, 0x7fc00000u);
  p.counters = words(p.plan.counters, 0);
  p.atoms = words(4 * problem->n_atoms, 0);
  size_t bytes = (size_t)problem->n_atoms * sizeof(dcs_atom);
  assert_int_equal(device->copy_in(device, p.atoms, problem->atoms, bytes), DCS_OK);
  return p;
}

static void release(prepared *p) {
  const dcs_ptr buffers[] = {p->map, p->atoms, p->scratch, p->counters};
  for (int b = 0; b < 4; b++)
    if (buffers[b]) device->release(device, buffers[b]);
  device->unload(device, p->module);
}

/* One launch, which adds to the map; the map as it is then. */
static void launch(prepared *p, float *map) {
  int n_atoms = (int)p->problem.n_atoms, nx = (int)p->problem.n.x, ny = (int)p->problem.n.y;
  int nz = (int)p->problem.n.z;
  void *const values[] = {
      [DCS_ARG_MAP] = &p->map,
      [DCS_ARG_ATOMS] = &p->atoms,
      [DCS_ARG_N_ATOMS] = &n_atoms,
      [DCS_ARG_NX] = &nx,
      [DCS_ARG_NY] = &ny,
      [DCS_ARG_NZ] = &nz,
      [DCS_ARG_SCRATCH] = &p->scratch,
      [DCS_ARG_SPACING] = &p->problem.spacing,
      [DCS_ARG_COUNTERS] = &p->counters,
  };
  void *args[DCS_MAX_ARGS];
  for (int a = 0; p->plan.args[a] != DCS_ARG_END; a++)
    args[a] = values[p->plan.args[a]];
  assert_int_equal(device->launch(device, p->module, "dcs", p->plan.grid, p->plan.block, args),
                   DCS_OK);
  if (device->copy_out(device, map, p->problem.n, p->map, p->plan.stored) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  for (int64_t c = 0; c < p->plan.counters; c++)
    assert_int_equal(((const int *)(uintptr_t)p->counters)[c], 0);
}

/* Small blocks, because a thread is a fibre. */
static const dcs_variant *reduce(dcs_config *config, int splits) {
  const dcs_variant *variant = dcs_find_variant("cuda_reduce");
  assert_non_null(variant);
  *config = dcs_initial_config(variant, 1);
  config->value[dcs_find_param(variant, "block_x")] = 4;
  config->value[dcs_find_param(variant, "block_y")] = 2;
  config->value[dcs_find_param(variant, "splits")] = splits;
  return variant;
}

/* All atoms at distance 1 from the only point, with charges 1, 2, 3, ...: the sum is exact. */
static void no_atom_is_lost(void **state) {
  (void)state;
  enum { MOST = 300 };
  static const int splits[] = {1, 2, 7, 64, 256};
  static dcs_atom atoms[MOST];
  for (int a = 0; a < MOST; a++)
    atoms[a] = (dcs_atom){0, 1, 0, (float)(a + 1)};
  for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++)
    for (int n = 1; n <= MOST; n += n < 20 ? 1 : 7) {
      dcs_config config;
      const dcs_variant *variant = reduce(&config, splits[s]);
      const dcs_problem problem = {.atoms = atoms, .n_atoms = n, .n = {1, 1, 1}, .spacing = 0.5f};
      prepared p = prepare(variant, &config, &problem, false);
      float sum;
      launch(&p, &sum);
      if (sum != (float)(n * (n + 1) / 2)) fail_msg("%d atoms, %d splits: %g", n, splits[s], sum);
      release(&p);
    }
}

enum { NX = 35, NY = 9, NZ = 5, POINTS = NX * NY * NZ, ATOMS = 300 };

/* A random problem that takes several tiles in each dimension. */
static dcs_problem random_problem(void) {
  static dcs_atom atoms[ATOMS];
  dcs_random random = {7};
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)between(&random, 0, 17), (float)between(&random, 0, 4),
                          (float)between(&random, 0, 2), (float)between(&random, -1, 1)};
  return (dcs_problem){.atoms = atoms, .n_atoms = ATOMS, .n = {NX, NY, NZ}, .spacing = 0.5f};
}

/* Whether the map's bits are the same with the blocks in either order. A second launch must double
 * the map to the bit, which needs the counters that the first one leaves. */
static bool same_in_either_order(const dcs_variant *variant, const dcs_config *config) {
  static float map[2][POINTS], twice[POINTS];
  const dcs_problem problem = random_problem();
  for (int backwards = 0; backwards < 2; backwards++) {
    prepared p = prepare(variant, config, &problem, backwards);
    launch(&p, map[backwards]);
    launch(&p, twice);
    for (int i = 0; i < POINTS && p.plan.counters; i++)
      assert_true(twice[i] == 2 * map[backwards][i]);
    release(&p);
  }
  return memcmp(map[0], map[1], sizeof map[0]) == 0;
}

static void the_order_of_blocks_changes_no_bit(void **state) {
  (void)state;
  static const int splits[] = {1, 2, 7, 64, 256};
  for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) {
    dcs_config config;
    const dcs_variant *variant = reduce(&config, splits[s]);
    assert_true(same_in_either_order(variant, &config));
  }
}

/* The comparison can fail: atomic additions in another order give other bits. */
static void atomic_additions_do_depend_on_the_order(void **state) {
  (void)state;
  const dcs_variant *scatter = dcs_find_variant("cuda_scatter");
  dcs_config config = dcs_initial_config(scatter, 1);
  config.value[dcs_find_param(scatter, "block_x")] = 32;
  assert_false(same_in_either_order(scatter, &config));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_atom_is_lost),
      cmocka_unit_test(the_order_of_blocks_changes_no_bit),
      cmocka_unit_test(atomic_additions_do_depend_on_the_order),
  };
  return cmocka_run_group_tests_name("reduce", tests, open_device, close_device);
}
