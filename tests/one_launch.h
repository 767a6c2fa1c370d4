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
  dcs_ptr map, atoms, scratch[DCS_MAX_SCRATCH];
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

/* Memory of that many bytes, filled with the pattern; 0 for none. */
static inline dcs_ptr filled(int64_t bytes, uint32_t pattern) {
  dcs_ptr at = 0;
  if (bytes == 0) return 0;
  assert_int_equal(device->alloc(device, (size_t)bytes, &at), DCS_OK);
  assert_int_equal(device->fill(device, at, pattern, (size_t)bytes / 4), DCS_OK);
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
  p.map = filled(4 * dcs_points(p.plan.stored), 0);
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    p.scratch[s] = filled(p.plan.scratch[s].bytes, p.plan.scratch[s].zero ? 0 : 0xffffffffu);
  p.atoms = filled(16 * problem->n_inputs, 0);
  size_t bytes = (size_t)problem->n_inputs * sizeof(dcs_atom);
  assert_int_equal(device->copy_in(device, p.atoms, problem->input[0], bytes), DCS_OK);
  return p;
}

static inline void release(prepared *p) {
  device->release(device, p->map);
  device->release(device, p->atoms);
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    if (p->scratch[s]) device->release(device, p->scratch[s]);
  device->unload(device, p->module);
}

/* Where the argument lies, of which `values` has those that are no scratch and not the plan's own.
 */
static inline void *argument(prepared *p, void *const *values, dcs_arg arg) {
  if (arg >= DCS_ARG_OWN_AT) return &p->plan.own[arg - DCS_ARG_OWN_AT];
  return arg >= DCS_ARG_SCRATCH ? &p->scratch[arg - DCS_ARG_SCRATCH] : values[arg];
}

/* One launch, on a device of so many SMs; the map as it is then. */
static inline void launch(prepared *p, int sms, float *map) {
  int n_atoms = (int)p->problem.n_inputs, nx = (int)p->problem.n.x, ny = (int)p->problem.n.y;
  int nz = (int)p->problem.n.z, first = 0;
  void *const values[] = {
      [DCS_BUFFER(DCS_COULOMB_MAP)] = &p->map,
      [DCS_BUFFER(DCS_COULOMB_ATOMS)] = &p->atoms,
      [DCS_ARG_N_INPUTS] = &n_atoms,
      [DCS_ARG_NX] = &nx,
      [DCS_ARG_NY] = &ny,
      [DCS_ARG_NZ] = &nz,
      [DCS_ARG_K] = &first,
      [DCS_ARG_SMS] = &sms,
      [DCS_ARG_SPACING] = &p->problem.spacing,
  };
  void *args[DCS_MAX_ARGS];
  for (int a = 0; p->plan.args[a] != DCS_ARG_END; a++)
    args[a] = argument(p, values, p->plan.args[a]);
  const int64_t *grid = p->plan.grid, all[3] = {grid[0], grid[1], grid[2] + p->plan.spare_layers};
  assert_int_equal(device->launch(device, p->module, "dcs", all, p->plan.block, args), DCS_OK);
  dcs_dims n = p->problem.n, stored = p->plan.stored;
  n.x *= (int)sizeof *map;
  stored.x *= (int)sizeof *map;
  if (device->copy_out(device, map, n, p->map, stored) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

#endif
