/* The engine of a CUDA (or emulated) device: carries out a variant's launch plan. */
#include "harness/base/clock.h"
#include "harness/compute/engine.h"
#include "harness/device/kernel_source.h"

#include <stdlib.h>
#include <string.h>

/* Prepared chunks in flight between host and device: a ring of two halves. A half may be written
 * again once the mark behind its last launch has passed, so host and device work at the same time.
 */
enum { RING = 32, HALF = RING / 2, MARK_HALF = 2 };

typedef struct {
  const dcs_variant *variant;
  dcs_plan plan;
  dcs_module *module;
  dcs_ptr constant; /* address of the module's array of atoms */
  dcs_ptr counters; /* its own, so that one that leaves them wrong spoils no other; or 0 */
} method;

typedef struct {
  dcs_engine engine;
  char *kernels;
  const dcs_problem *problem;
  float *map;
  dcs_ptr atoms, stored, scratch;
  size_t stored_floats, scratch_floats;
  method *slots;
  int n_slots;
  dcs_atom *ring; /* RING chunks of ring_atoms, in memory that copies can be queued from */
  int64_t ring_atoms;
  int64_t launches; /* of methods that use the ring, since it was made */
} device_engine;

static void forget_methods(device_engine *e) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < e->n_slots; s++) {
    if (e->slots[s].module) device->unload(device, e->slots[s].module);
    if (e->slots[s].counters) device->release(device, e->slots[s].counters);
  }
  e->n_slots = 0;
  if (e->scratch) device->release(device, e->scratch);
  e->scratch = 0;
  e->scratch_floats = 0;
}

static dcs_outcome as_outcome(dcs_status status, dcs_outcome failure) {
  return status == DCS_OK ? DCS_OUTCOME_OK : failure;
}

static dcs_status copy_atoms_in(device_engine *e) {
  return e->engine.device->copy_in(e->engine.device, e->atoms, e->problem->atoms,
                                   (size_t)e->problem->n_atoms * sizeof(dcs_atom));
}

static dcs_outcome device_problem(dcs_engine *engine, const dcs_problem *problem, float *map) {
  device_engine *e = (device_engine *)engine;
  dcs_device *device = engine->device;
  forget_methods(e);
  e->problem = problem;
  e->map = map;
  if (e->atoms) device->release(device, e->atoms);
  e->atoms = 0;
  size_t bytes = (size_t)problem->n_atoms * sizeof(dcs_atom);
  if (device->alloc(device, bytes, &e->atoms) != DCS_OK) return DCS_OUTCOME_MEMORY;
  return as_outcome(copy_atoms_in(e), DCS_OUTCOME_LAUNCH);
}

/* ---- preparing a method ---- */

/* A buffer of at least that many floats; its contents are lost when it grows. */
static dcs_status grow(dcs_device *device, int64_t wanted, dcs_ptr *buffer, size_t *floats) {
  if ((size_t)wanted <= *floats) return DCS_OK;
  if (*buffer) device->release(device, *buffer);
  *buffer = 0;
  *floats = 0;
  DCS_TRY(device->alloc(device, (size_t)wanted * sizeof(float), buffer));
  *floats = (size_t)wanted;
  return DCS_OK;
}

static dcs_status make_counters(device_engine *e, method *m) {
  dcs_device *device = e->engine.device;
  size_t n = (size_t)m->plan.counters;
  if (n == 0) return DCS_OK;
  DCS_TRY(device->alloc(device, n * sizeof(int32_t), &m->counters));
  return device->fill(device, m->counters, 0, n);
}

static dcs_status grow_ring(device_engine *e, int64_t chunk_atoms) {
  dcs_device *device = e->engine.device;
  if (chunk_atoms <= e->ring_atoms) return DCS_OK;
  DCS_TRY(device->wait(device));
  if (e->ring) device->release_host(device, e->ring);
  e->ring = NULL;
  e->ring_atoms = 0;
  e->launches = 0;
  void *ring;
  DCS_TRY(device->alloc_host(device, RING * (size_t)chunk_atoms * sizeof(dcs_atom), &ring));
  e->ring = ring;
  e->ring_atoms = chunk_atoms;
  return DCS_OK;
}

static dcs_status find_constant(device_engine *e, method *m) {
  size_t bytes;
  DCS_TRY(e->engine.device->symbol(e->engine.device, m->module, "atoms", &m->constant, &bytes));
  if (bytes < (size_t)m->plan.chunk_atoms * sizeof(dcs_atom))
    return dcs_fail(DCS_FAILED, "%s: constant array `atoms` has %zu bytes, its chunks %zu",
                    m->variant->id, bytes, (size_t)m->plan.chunk_atoms * sizeof(dcs_atom));
  return DCS_OK;
}

static dcs_outcome load(device_engine *e, method *m, const dcs_config *config,
                        dcs_code_facts *facts) {
  dcs_kernel_source source;
  dcs_status status = dcs_kernel_source_open(m->variant, config, e->kernels, &source);
  if (status == DCS_OK)
    status = e->engine.device->load(e->engine.device, &source.source, &m->module, facts);
  dcs_kernel_source_free(&source);
  if (status == DCS_OK && m->plan.atoms_in_constant) status = find_constant(e, m);
  return as_outcome(status, DCS_OUTCOME_COMPILE);
}

/* In a fresh worker, methods return in any order: those beyond `slot` stay. */
static bool grow_slots(device_engine *e, int slot) {
  if (slot < e->n_slots) return true;
  method *slots = realloc(e->slots, (size_t)(slot + 1) * sizeof *slots);
  if (!slots) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", slot + 1) == DCS_OK;
  e->slots = slots;
  for (int s = e->n_slots; s <= slot; s++)
    e->slots[s] = (method){0};
  e->n_slots = slot + 1;
  return true;
}

static dcs_outcome device_prepare(dcs_engine *engine, int slot, const dcs_variant *variant,
                                  const dcs_config *config, dcs_code_facts *facts) {
  device_engine *e = (device_engine *)engine;
  method m = {.variant = variant};
  variant->plan(e->problem, config, &m.plan);
  dcs_device *device = engine->device;
  if (grow(device, dcs_points(m.plan.stored), &e->stored, &e->stored_floats) != DCS_OK ||
      grow(device, m.plan.scratch_floats, &e->scratch, &e->scratch_floats) != DCS_OK)
    return DCS_OUTCOME_MEMORY;
  if (m.plan.host_dz2 && grow_ring(e, m.plan.chunk_atoms) != DCS_OK) return DCS_OUTCOME_MEMORY;

  if (!grow_slots(e, slot)) return DCS_OUTCOME_MEMORY;
  dcs_outcome outcome =
      make_counters(e, &m) == DCS_OK ? load(e, &m, config, facts) : DCS_OUTCOME_MEMORY;
  e->slots[slot] = m;
  return outcome;
}

/* ---- running a method ---- */

/* The atoms of a chunk with dz^2 to slice k in place of z, in the next buffer of the ring. */
static const dcs_atom *prepare_chunk(device_engine *e, int64_t first, int64_t n, int64_t k,
                                     int64_t launch) {
  dcs_atom *chunk = e->ring + (launch % RING) * e->ring_atoms;
  const dcs_atom *atoms = e->problem->atoms + first;
  const double z = (double)e->problem->spacing * (double)k;
  for (int64_t a = 0; a < n; a++) {
    double dz = z - (double)atoms[a].z;
    chunk[a] = (dcs_atom){atoms[a].x, atoms[a].y, (float)(dz * dz), atoms[a].q};
  }
  return chunk;
}

/* The values behind a launch's argument list. */
typedef struct {
  dcs_ptr map, atoms, scratch, counters;
  int n_atoms, nx, ny, nz, row, k;
  float spacing;
} launch_values;

static void *argument(launch_values *v, dcs_arg arg) {
  switch (arg) {
  case DCS_ARG_MAP:
    return &v->map;
  case DCS_ARG_ATOMS:
    return &v->atoms;
  case DCS_ARG_N_ATOMS:
    return &v->n_atoms;
  case DCS_ARG_NX:
    return &v->nx;
  case DCS_ARG_NY:
    return &v->ny;
  case DCS_ARG_NZ:
    return &v->nz;
  case DCS_ARG_ROW:
    return &v->row;
  case DCS_ARG_K:
    return &v->k;
  case DCS_ARG_SPACING:
    return &v->spacing;
  case DCS_ARG_SCRATCH:
    return &v->scratch;
  case DCS_ARG_COUNTERS:
    return &v->counters;
  case DCS_ARG_END:
    break;
  }
  return NULL;
}

/* One launch of a map: atoms first..first+n-1 on the slices from k on. */
static dcs_status launch_chunk(device_engine *e, const method *m, int64_t k, int64_t first,
                               int64_t n) {
  dcs_device *device = e->engine.device;
  const int64_t launch = m->plan.host_dz2 ? e->launches++ : 0; /* counts on from map to map */
  const dcs_problem *problem = e->problem;
  const dcs_plan *plan = &m->plan;
  if (plan->atoms_in_constant) {
    const dcs_atom *chunk = problem->atoms + first;
    if (plan->host_dz2) {
      if (launch >= RING && launch % HALF == 0)
        DCS_TRY(device->reach(device, MARK_HALF + (int)(launch % RING / HALF)));
      chunk = prepare_chunk(e, first, n, k, launch);
    }
    DCS_TRY(device->copy_in(device, m->constant, chunk, (size_t)n * sizeof *chunk));
  }
  int64_t slice = plan->stored.x * plan->stored.y;
  launch_values values = {
      .map = e->stored + (dcs_ptr)(k * slice) * sizeof(float),
      .atoms = e->atoms + (dcs_ptr)first * sizeof(dcs_atom),
      .n_atoms = (int)n,
      .nx = (int)problem->n.x,
      .ny = (int)problem->n.y,
      .nz = (int)problem->n.z,
      .row = (int)plan->stored.x,
      .k = (int)k,
      .spacing = problem->spacing,
      .scratch = e->scratch,
      .counters = m->counters,
  };
  void *args[DCS_MAX_ARGS];
  for (int a = 0; plan->args[a] != DCS_ARG_END; a++)
    args[a] = argument(&values, plan->args[a]);
  DCS_TRY(device->launch(device, m->module, plan->grid, plan->block, args));
  bool half_full = plan->host_dz2 && launch % HALF == HALF - 1;
  return half_full ? device->mark(device, MARK_HALF + (int)(launch % RING / HALF)) : DCS_OK;
}

static dcs_status compute_map(device_engine *e, const method *m) {
  dcs_device *device = e->engine.device;
  const dcs_plan *plan = &m->plan;
  DCS_TRY(device->fill(device, e->stored, 0, (size_t)dcs_points(plan->stored)));
  for (int64_t k = 0; k < e->problem->n.z; k += plan->launch_slices)
    for (int64_t first = 0; first < e->problem->n_atoms; first += plan->chunk_atoms) {
      int64_t rest = e->problem->n_atoms - first;
      int64_t n = rest < plan->chunk_atoms ? rest : plan->chunk_atoms;
      DCS_TRY(launch_chunk(e, m, k, first, n));
    }
  return DCS_OK;
}

static dcs_status run_kernel(device_engine *e, const method *m, int64_t inner, double *ns) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->mark(device, 0));
  for (int64_t i = 0; i < inner; i++)
    DCS_TRY(compute_map(e, m));
  DCS_TRY(device->mark(device, 1));
  return device->elapsed_ns(device, ns);
}

static dcs_status run_whole(device_engine *e, const method *m, int64_t inner, double *ns) {
  double start = dcs_now_ns();
  for (int64_t i = 0; i < inner; i++) {
    DCS_TRY(copy_atoms_in(e));
    DCS_TRY(compute_map(e, m));
    DCS_TRY(e->engine.device->copy_out(e->engine.device, e->map, e->problem->n, e->stored,
                                       m->plan.stored));
  }
  *ns = dcs_now_ns() - start;
  return DCS_OK;
}

/* Fills the device's map with NaN, so that a point that nobody zeroed or wrote is seen; likewise
 * the scratch memory, which holds the right values of the last map. */
static dcs_status run_untimed(device_engine *e, const method *m, double *ns) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->fill(device, e->stored, 0x7fc00000u, e->stored_floats));
  if (e->scratch) DCS_TRY(device->fill(device, e->scratch, 0x7fc00000u, e->scratch_floats));
  DCS_TRY(run_whole(e, m, 1, ns));
  *ns = 0;
  return DCS_OK;
}

static dcs_outcome device_run(dcs_engine *engine, int slot, dcs_scope scope, int64_t inner,
                              double *ns) {
  device_engine *e = (device_engine *)engine;
  const method *m = &e->slots[slot];
  dcs_status status;
  if (scope == DCS_UNTIMED)
    status = run_untimed(e, m, ns);
  else if (!engine->device->timed)
    status = dcs_fail(DCS_UNAVAILABLE, "this device has no times: it exists for correctness");
  else
    status = scope == DCS_KERNEL ? run_kernel(e, m, inner, ns) : run_whole(e, m, inner, ns);
  return as_outcome(status, DCS_OUTCOME_LAUNCH);
}

static void device_close(dcs_engine *engine) {
  device_engine *e = (device_engine *)engine;
  dcs_device *device = engine->device;
  forget_methods(e);
  if (e->atoms) device->release(device, e->atoms);
  if (e->stored) device->release(device, e->stored);
  if (e->ring) device->release_host(device, e->ring);
  device->close(device);
  free(e->slots);
  free(e->kernels);
  free(e);
}

dcs_status dcs_engine_device_open(const char *name, const char *kernels, dcs_engine **engine) {
  dcs_device *device;
  DCS_TRY(dcs_device_open(name, &device));
  device_engine *e = calloc(1, sizeof *e);
  if (!e || (kernels && !(e->kernels = strdup(kernels)))) {
    free(e);
    device->close(device);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the engine of %s", name);
  }
  e->engine = (dcs_engine){.problem = device_problem,
                           .prepare = device_prepare,
                           .run = device_run,
                           .device = device,
                           .close = device_close};
  *engine = &e->engine;
  return DCS_OK;
}
