/* A kernel of the ladder, launched once on the emulated device without the engine around it.
 * Include after cmocka.h. */
#ifndef DCS_TEST_ONE_LAUNCH_H
#define DCS_TEST_ONE_LAUNCH_H

#include "harness/device/devices.h"
#include "harness/device/kernel_source.h"
#include "tests/cache_folder.h"
#include "tests/coulomb_problem.h"

#include <string.h>

static dcs_device *device;

static inline int open_device(void **state) {
  return cache_folder_make(state) == 0 && dcs_device_open("emulated", &device) != DCS_USAGE ? 0
                                                                                            : -1;
}

static inline int close_device(void **state) {
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

static inline dcs_module *load(const dcs_variant *variant, const dcs_config *config,
                               bool backwards) {
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
static inline dcs_ptr words(int64_t n, uint32_t pattern) {
  dcs_ptr at = 0;
  if (n == 0) return 0;
  assert_int_equal(device->alloc(device, (size_t)n * 4, &at), DCS_OK);
  assert_int_equal(device->fill(device, at, pattern, (size_t)n), DCS_OK);
  return at;
}

static inline prepared prepare(const dcs_variant *variant, const dcs_config *config,
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
  p.atoms = words(4 * problem->n_inputs, 0);
  size_t bytes = (size_t)problem->n_inputs * sizeof(dcs_atom);
  assert_int_equal(device->copy_in(device, p.atoms, problem->input, bytes), DCS_OK);
  return p;
}

static inline void release(prepared *p) {
  const dcs_ptr buffers[] = {p->map, p->atoms, p->scratch, p->counters};
  for (int b = 0; b < 4; b++)
    if (buffers[b]) device->release(device, buffers[b]);
  device->unload(device, p->module);
}

/* One launch, which adds to the map, on a device of so many SMs; the map as it is then. */
static inline void launch(prepared *p, int sms, float *map) {
  int n_atoms = (int)p->problem.n_inputs, nx = (int)p->problem.n.x, ny = (int)p->problem.n.y;
  int nz = (int)p->problem.n.z, first = 0;
  void *const values[] = {
      [DCS_ARG_OUTPUT] = &p->map,
      [DCS_ARG_INPUT] = &p->atoms,
      [DCS_ARG_N_INPUTS] = &n_atoms,
      [DCS_ARG_NX] = &nx,
      [DCS_ARG_NY] = &ny,
      [DCS_ARG_NZ] = &nz,
      [DCS_ARG_K] = &first,
      [DCS_ARG_SMS] = &sms,
      [DCS_ARG_SCRATCH] = &p->scratch,
      [DCS_ARG_SPACING] = &p->problem.spacing,
      [DCS_ARG_COUNTERS] = &p->counters,
  };
  void *args[DCS_MAX_ARGS];
  for (int a = 0; p->plan.args[a] != DCS_ARG_END; a++)
    args[a] = values[p->plan.args[a]];
  const int64_t *grid = p->plan.grid, all[3] = {grid[0], grid[1], grid[2] + p->plan.spare_layers};
  assert_int_equal(device->launch(device, p->module, "dcs", all, p->plan.block, args), DCS_OK);
  if (device->copy_out(device, map, p->problem.n, p->map, p->plan.stored) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

#endif
