/* The device engine: problems and methods. */
#include "harness/engine/engine_device.h"
#include "harness/base/clock.h"
#include "harness/device/kernel_source.h"

#include <stdlib.h>
#include <string.h>

static void forget_methods(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < e->n_slots; s++) {
    dcs_erase_recordings(e, &e->slots[s]);
    if (e->slots[s].module) device->unload(device, e->slots[s].module);
    dcs_block_release(device, DCS_BLOCK_DEVICE, &e->slots[s].counters);
  }
  e->n_slots = 0;
}

static dcs_outcome as_outcome(dcs_status status, dcs_outcome failure) {
  return status == DCS_OK ? DCS_OUTCOME_OK : failure;
}

/* Memory that not every problem needs is not kept for the next. */
static void release_memory(dcs_device_engine *e) {
  for (int kind = 0; kind < DCS_N_BLOCK_KINDS; kind++) {
    dcs_block_release(e->engine.device, (dcs_block_kind)kind, &e->atoms[kind]);
    dcs_block_release(e->engine.device, (dcs_block_kind)kind, &e->maps[kind]);
    dcs_block_release(e->engine.device, (dcs_block_kind)kind, &e->placed[kind]);
  }
  dcs_block_release(e->engine.device, DCS_BLOCK_ORDINARY, &e->rest);
  dcs_block_release(e->engine.device, DCS_BLOCK_ORDINARY, &e->rest_map);
  dcs_block_release(e->engine.device, DCS_BLOCK_DEVICE, &e->scratch);
  dcs_block_release(e->engine.device, DCS_BLOCK_HOST, &e->stage);
  for (int turn = 0; turn < DCS_TURNS; turn++)
    dcs_block_release(e->engine.device, DCS_BLOCK_HOST, &e->prepared[turn]);
}

static dcs_outcome device_problem(dcs_engine *engine, const dcs_problem *problem, float *map) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  dcs_device *device = engine->device;
  dcs_block *atoms = &e->atoms[DCS_BLOCK_DEVICE];
  forget_methods(e);
  release_memory(e);
  e->problem = problem;
  e->map = map;
  size_t bytes = (size_t)problem->n_atoms * sizeof(dcs_atom);
  if (dcs_block_grow(device, DCS_BLOCK_DEVICE, bytes, atoms) != DCS_OK) return DCS_OUTCOME_MEMORY;
  device->select(device, 0);
  return as_outcome(device->copy_in(device, atoms->ptr, problem->atoms, bytes), DCS_OUTCOME_LAUNCH);
}

/* ---- preparing a method ---- */

/* Scratch memory and counters, where the plan has them. */
static dcs_status make_scratch(dcs_device_engine *e, dcs_device_method *m) {
  dcs_device *device = e->engine.device;
  size_t n = (size_t)m->plan.counters;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_DEVICE, (size_t)m->plan.scratch_floats * sizeof(float),
                         &e->scratch));
  if (n == 0) return DCS_OK;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_DEVICE, n * sizeof(int32_t), &m->counters));
  return device->fill(device, m->counters.ptr, 0, n);
}

static dcs_status grow_ring(dcs_device_engine *e, int64_t chunk_atoms) {
  dcs_device *device = e->engine.device;
  if (chunk_atoms <= e->ring_atoms) return DCS_OK;
  DCS_TRY(device->wait(device));
  e->ring_atoms = 0;
  e->launches = 0;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, DCS_RING * (size_t)chunk_atoms * sizeof(dcs_atom),
                         &e->ring));
  e->ring_atoms = chunk_atoms;
  return DCS_OK;
}

static dcs_status find_constant(dcs_device_engine *e, dcs_device_method *m) {
  size_t bytes;
  DCS_TRY(e->engine.device->symbol(e->engine.device, m->module, "atoms", &m->constant, &bytes));
  if (bytes < (size_t)m->plan.chunk_atoms * sizeof(dcs_atom))
    return dcs_fail(DCS_FAILED, "%s: constant array `atoms` has %zu bytes, its chunks %zu",
                    m->variant->id, bytes, (size_t)m->plan.chunk_atoms * sizeof(dcs_atom));
  return DCS_OK;
}

static dcs_outcome load(dcs_device_engine *e, dcs_device_method *m, const dcs_config *config,
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
static bool grow_slots(dcs_device_engine *e, int slot) {
  if (slot < e->n_slots) return true;
  dcs_device_method *slots = realloc(e->slots, (size_t)(slot + 1) * sizeof *slots);
  if (!slots) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", slot + 1) == DCS_OK;
  e->slots = slots;
  for (int s = e->n_slots; s <= slot; s++)
    e->slots[s] = (dcs_device_method){0};
  e->n_slots = slot + 1;
  return true;
}

static dcs_outcome device_prepare(dcs_engine *engine, int slot, const dcs_variant *variant,
                                  const dcs_config *config, dcs_code_facts *facts) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  dcs_device_method m = {.variant = variant, .config = *config};
  variant->plan(e->problem, config, &m.plan);
  if (m.plan.host_dz2 && grow_ring(e, m.plan.chunk_atoms) != DCS_OK) return DCS_OUTCOME_MEMORY;

  if (!grow_slots(e, slot)) return DCS_OUTCOME_MEMORY;
  dcs_outcome outcome =
      make_scratch(e, &m) == DCS_OK ? load(e, &m, config, facts) : DCS_OUTCOME_MEMORY;
  m.registers = facts->registers;
  e->slots[slot] = m;
  return outcome;
}

/* ---- running a method ---- */

static dcs_status run_timed(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            dcs_scope scope, int64_t inner, double *ns) {
  dcs_device *device = e->engine.device;
  if (!device->timed)
    return dcs_fail(DCS_UNAVAILABLE, "this device has no times: it exists for correctness");
  if (scope == DCS_KERNEL) {
    DCS_TRY(dcs_run_kernel(e, m, p, inner));
    return device->elapsed_ns(device, ns);
  }
  double start = dcs_now_ns();
  for (int64_t i = 0; i < inner; i++)
    DCS_TRY(dcs_run_whole(e, m, p));
  *ns = dcs_now_ns() - start;
  return DCS_OK;
}

static dcs_status run_untimed(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              bool whole) {
  dcs_device *device = e->engine.device;
  DCS_TRY(dcs_poison(e, p));
  if (whole) {
    DCS_TRY(dcs_run_whole(e, m, p));
    if (p->to != e->map) memcpy(e->map, p->to, (size_t)dcs_points(e->problem->n) * sizeof *e->map);
    return DCS_OK;
  }
  DCS_TRY(dcs_run_kernel(e, m, p, 1));
  dcs_compute_rest(e, m);
  DCS_TRY(device->copy_out(device, e->map, e->problem->n, p->stored, m->plan.stored));
  DCS_TRY(device->wait(device));
  dcs_add_rest(e, e->map);
  return DCS_OK;
}

static dcs_outcome device_run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory,
                              int64_t inner, double *ns) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  dcs_device_method *m = &e->slots[slot];
  dcs_places places;
  bool whole = scope == DCS_WARM || scope == DCS_UNTIMED_WARM;
  engine->device->select(engine->device, 0);
  dcs_outcome outcome = dcs_find_places(e, m, whole ? memory : DCS_PAGEABLE, whole, &places);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const bool timed = scope != DCS_UNTIMED && scope != DCS_UNTIMED_WARM;
  if (!whole) outcome = dcs_place_ahead(e, m, &places, timed);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  *ns = 0;
  bool in_slabs = !places.view && places.slabs.slices < e->problem->n.z;
  if (!in_slabs && dcs_keep_recorded(e, m, &places) != DCS_OK) return DCS_OUTCOME_LAUNCH;
  dcs_status status =
      timed ? run_timed(e, m, &places, scope, inner, ns) : run_untimed(e, m, &places, whole);
  return as_outcome(status, DCS_OUTCOME_LAUNCH);
}

static void device_close(dcs_engine *engine) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  dcs_device *device = engine->device;
  forget_methods(e);
  release_memory(e);
  dcs_block_release(device, DCS_BLOCK_HOST, &e->ring);
  device->close(device);
  free(e->slots);
  free(e->kernels);
  free(e);
}

dcs_status dcs_engine_device_open(const char *name, const char *kernels, dcs_engine **engine) {
  dcs_device *device;
  dcs_device_info info;
  DCS_TRY(dcs_device_open(name, &device));
  dcs_status status = device->info(device, &info);
  if (status != DCS_OK) {
    device->close(device);
    return status;
  }
  dcs_device_engine *e = calloc(1, sizeof *e);
  if (!e || (kernels && !(e->kernels = strdup(kernels)))) {
    free(e);
    device->close(device);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the engine of %s", name);
  }
  e->sm_count = info.sm_count;
  e->engine = (dcs_engine){.problem = device_problem,
                           .prepare = device_prepare,
                           .run = device_run,
                           .device = device,
                           .devices = {device},
                           .n_devices = 1,
                           .close = device_close};
  *engine = &e->engine;
  return DCS_OK;
}
