/* The device engine: problems and methods. */
#include "harness/engine/device/engine.h"
#include "harness/base/clock.h"
#include "harness/device/kernel_source.h"

#include <stdlib.h>
#include <string.h>

static void forget_methods(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < e->n_slots; s++) {
    dcs_destroy_graphs(e, &e->slots[s]);
    dcs_free_ffts(e, &e->slots[s]);
    if (e->slots[s].module) device->unload(device, e->slots[s].module);
    for (int z = 0; z < DCS_MAX_SCRATCH; z++)
      dcs_block_release(device, DCS_BLOCK_DEVICE, &e->slots[s].zero[z]);
  }
  e->n_slots = 0;
  e->kept = 0;
}

static dcs_outcome as_outcome(dcs_status status, dcs_outcome failure) {
  return status == DCS_OK ? DCS_OUTCOME_OK : failure;
}

/* Memory that not every problem needs is not kept for the next. */
static void release_memory(dcs_device_engine *e) {
  dcs_device *device = e->engine.device;
  for (int kind = 0; kind < DCS_N_BLOCK_KINDS; kind++) {
    for (int b = 0; b < DCS_MAX_BUFFERS; b++)
      dcs_block_release(device, (dcs_block_kind)kind, &e->buffers[b][kind]);
    dcs_block_release(device, (dcs_block_kind)kind, &e->placed[kind]);
  }
  dcs_block_release(device, DCS_BLOCK_ORDINARY, &e->overflow);
  dcs_block_release(device, DCS_BLOCK_ORDINARY, &e->overflow_out);
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    dcs_block_release(device, DCS_BLOCK_DEVICE, &e->scratch[s]);
  dcs_block_release(device, DCS_BLOCK_DEVICE, &e->fft_work);
  dcs_block_release(device, DCS_BLOCK_HOST, &e->stage);
  dcs_block_release(device, DCS_BLOCK_DEVICE, &e->cold);
  for (int g = 0; g < DCS_GRAPHS; g++)
    dcs_block_release(device, DCS_BLOCK_HOST, &e->prepared[g]);
}

static void device_redirect(dcs_engine *engine, void *const out[DCS_MAX_BUFFERS]) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  memcpy(e->out, out, sizeof e->out);
}

static dcs_outcome device_take(dcs_engine *engine, const dcs_kind *kind, const dcs_problem *shape,
                               void *const out[DCS_MAX_BUFFERS]) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  dcs_device *device = engine->device;
  const size_t input_bytes = kind->buffers[0].bytes;
  forget_methods(e);
  release_memory(e);
  if (input_bytes != e->input_bytes) e->ring_inputs = 0; /* its places are of another size */
  e->kind = kind;
  e->shape = shape;
  e->input_bytes = input_bytes;
  device_redirect(engine, out);
  device->select_stream(device, 0);
  for (int b = 0; b < kind->n_buffers; b++) {
    if (kind->buffers[b].output) continue;
    dcs_block *own = &e->buffers[b][DCS_BLOCK_DEVICE];
    const size_t bytes = dcs_buffer_bytes(kind, b, shape);
    if (dcs_block_grow(device, DCS_BLOCK_DEVICE, bytes, own) != DCS_OK) return DCS_OUTCOME_MEMORY;
    if (device->copy_in(device, own->ptr, shape->input[b], bytes) != DCS_OK)
      return DCS_OUTCOME_LAUNCH;
  }
  return DCS_OUTCOME_OK;
}

/* ---- preparing a method ---- */

static dcs_status grow_ring(dcs_device_engine *e, int64_t chunk_inputs) {
  dcs_device *device = e->engine.device;
  if (chunk_inputs <= e->ring_inputs) return DCS_OK;
  DCS_TRY(device->synchronize(device));
  e->ring_inputs = 0;
  e->launches = 0;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, DCS_RING * (size_t)chunk_inputs * e->input_bytes,
                         &e->ring));
  e->ring_inputs = chunk_inputs;
  return DCS_OK;
}

static dcs_status find_constant(dcs_device_engine *e, dcs_device_method *m) {
  size_t bytes, needed = (size_t)m->plan.chunk_inputs * e->input_bytes;
  DCS_TRY(e->engine.device->symbol(e->engine.device, m->module, "atoms", &m->constant, &bytes));
  if (bytes < needed)
    return dcs_fail(DCS_FAILED, "%s: constant array `atoms` has %zu bytes, its chunks %zu",
                    m->variant->id, bytes, needed);
  return DCS_OK;
}

static dcs_outcome load(dcs_device_engine *e, dcs_device_method *m, const dcs_config *config,
                        dcs_code_facts *facts) {
  dcs_kernel_source source;
  if (dcs_kernel_source_for(m->variant, &m->problem, config, e->kernels, &source) != DCS_OK) {
    dcs_kernel_source_free(&source);
    return dcs_wanted() ? DCS_OUTCOME_MEMORY : DCS_OUTCOME_COMPILE;
  }
  dcs_status status = e->engine.device->load(e->engine.device, &source.source, &m->module, facts);
  dcs_kernel_source_free(&source);
  if (status == DCS_OK && m->plan.constant_inputs) status = find_constant(e, m);
  return status == DCS_OK ? DCS_OUTCOME_OK : dcs_unloaded(status);
}

/* Whether blocks are no larger than the compiled kernel allows, which is the device's to say. */
static bool fits(const dcs_device_method *m, const dcs_code_facts *facts) {
  const int64_t threads = (int64_t)m->plan.block[0] * m->plan.block[1] * m->plan.block[2];
  if (facts->block_threads == 0 || threads <= facts->block_threads) return true;
  return dcs_fail(DCS_USAGE, "%lld threads a block; the device allows this kernel %d",
                  (long long)threads, facts->block_threads) == DCS_OK;
}

/* Whether the device can run what the kernel is written with. */
static bool can_run(const dcs_device_engine *e, const dcs_device_method *m) {
  dcs_kernel_source source;
  if (!e->engine.device->can_run) return true;
  if (dcs_kernel_source_for(m->variant, &m->problem, &m->config, e->kernels, &source) != DCS_OK)
    return true; /* load() says why */
  const dcs_status status = e->engine.device->can_run(e->engine.device, &source.source);
  dcs_kernel_source_free(&source);
  return status == DCS_OK;
}

/* In a fresh worker, methods return in any order: those beyond `slot` stay. */
static bool grow_slots(dcs_device_engine *e, int slot) {
  if (slot < e->n_slots) return true;
  dcs_device_method *slots = realloc(e->slots, (size_t)(slot + 1) * sizeof *slots);
  if (!slots) return dcs_want("no memory for %d methods", slot + 1) == DCS_OK;
  e->slots = slots;
  for (int s = e->n_slots; s <= slot; s++)
    e->slots[s] = (dcs_device_method){0};
  e->n_slots = slot + 1;
  return true;
}

static dcs_outcome device_prepare(dcs_engine *engine, int slot, const dcs_config *problem,
                                  const dcs_variant *variant, const dcs_config *config,
                                  dcs_code_facts *facts) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  if (!dcs_written_in(variant, engine->device->kind->language)) return DCS_OUTCOME_NOT_BUILT;
  dcs_device_method m = {.variant = variant, .config = *config, .problem = *e->shape};
  m.problem.config = *problem;
  if (!can_run(e, &m)) return DCS_OUTCOME_INAPPLICABLE;
  variant->plan(&m.problem, config, &m.plan);
  e->kept = 0;
  if (m.plan.prepared && grow_ring(e, m.plan.chunk_inputs) != DCS_OK) return DCS_OUTCOME_MEMORY;

  if (!grow_slots(e, slot)) return DCS_OUTCOME_MEMORY;
  dcs_outcome outcome =
      dcs_make_scratch(e, &m) == DCS_OK ? dcs_make_ffts(e, &m) : DCS_OUTCOME_MEMORY;
  if (outcome == DCS_OUTCOME_OK) outcome = load(e, &m, config, facts);
  if (outcome == DCS_OUTCOME_OK && !fits(&m, facts)) outcome = DCS_OUTCOME_INAPPLICABLE;
  m.registers = facts->registers;
  dcs_free_ffts(e, &e->slots[slot]);
  e->slots[slot] = m;
  return outcome;
}

static dcs_outcome device_replan(dcs_engine *engine, int slot, const dcs_problem *problem,
                                 const dcs_plan *plan) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  engine->device->select_stream(engine->device, 0);
  e->kept = 0;
  return dcs_adopt_plan(e, slot, problem, plan);
}

static dcs_outcome device_move(dcs_engine *engine, int slot, const dcs_plan *plan,
                               void *const out[DCS_MAX_BUFFERS]) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  dcs_problem problem = *e->shape;
  problem.config = e->slots[slot].problem.config;
  device_redirect(engine, out);
  engine->device->select_stream(engine->device, 0);
  return dcs_adopt_plan(e, slot, &problem, plan);
}

/* ---- running a method ---- */

static dcs_status time_batch(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                             dcs_scope scope, int64_t inner, double *ns) {
  dcs_device *device = e->engine.device;
  if (scope == DCS_KERNEL) {
    DCS_TRY(dcs_run_kernel(e, m, p, inner));
    return device->elapsed_ns(device, DCS_EVENT_TIMES, DCS_EVENT_TIMES + 1, ns);
  }
  double start = dcs_now_ns();
  for (int64_t i = 0; i < inner; i++)
    DCS_TRY(dcs_run_whole(e, m, p));
  *ns = dcs_now_ns() - start;
  return DCS_OK;
}

/* Launches that are timed by the device are enqueued while it still writes, so that it does not
 * wait for them. */
static dcs_status flush_cache(dcs_device_engine *e, bool wait) {
  dcs_device *device = e->engine.device;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_DEVICE, 2 * (size_t)e->info.cache_bytes, &e->cold));
  const uint32_t pattern = (uint32_t)++e->engine.flushes;
  DCS_TRY(device->fill(device, e->cold.ptr, pattern, e->cold.bytes / 4));
  return wait ? device->synchronize(device) : DCS_OK;
}

static dcs_status no_times(void) {
  return dcs_fail(DCS_UNAVAILABLE, "this device has no times: it exists for correctness");
}

static dcs_status run_timed(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            dcs_scope scope, int64_t inner, double *ns) {
  if (!e->engine.device->timed) return no_times();
  const bool reads = dcs_reads_outputs(e->kind);
  if (!e->kind->cold && !reads) return time_batch(e, m, p, scope, inner, ns);
  for (int64_t i = 0; i < inner; i++) {
    double one;
    if (reads && scope == DCS_KERNEL) DCS_TRY(dcs_begin_outputs(e, p));
    if (e->kind->cold) DCS_TRY(flush_cache(e, scope != DCS_KERNEL));
    DCS_TRY(time_batch(e, m, p, scope, 1, &one));
    *ns += one;
  }
  return DCS_OK;
}

static dcs_status run_untimed(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              bool whole) {
  dcs_device *device = e->engine.device;
  DCS_TRY(dcs_poison(e, p));
  if (whole) {
    DCS_TRY(dcs_run_whole(e, m, p));
    for (int b = 0; b < e->kind->n_buffers; b++)
      if (e->kind->buffers[b].output && p->at[b].host != e->out[b])
        memcpy(e->out[b], p->at[b].host, (size_t)dcs_points(p->at[b].n));
    return DCS_OK;
  }
  DCS_TRY(dcs_begin_outputs(e, p));
  DCS_TRY(dcs_run_kernel(e, m, p, 1));
  dcs_compute_overflow(e, m);
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (e->kind->buffers[b].output) DCS_TRY(dcs_copy_output(e, &p->at[b], e->out[b]));
  DCS_TRY(device->synchronize(device));
  dcs_add_overflow(e, p);
  return DCS_OK;
}

/* Maps of the same inputs, which are copied for each all the same. */
static dcs_outcome run_frames(dcs_device_engine *e, int slot, bool timed, dcs_memory memory,
                              int64_t inner, double *ns) {
  if (timed && !e->engine.device->timed) return as_outcome(no_times(), DCS_OUTCOME_LAUNCH);
  return dcs_run_frames(e, slot, memory, inner, timed ? NULL : e->out[dcs_map_of(e->kind)], ns);
}

static dcs_outcome device_run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory,
                              int64_t inner, double *ns) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  if (scope == DCS_FRAME || scope == DCS_UNTIMED_FRAME)
    return run_frames(e, slot, scope == DCS_FRAME, memory, inner, ns);
  dcs_device_method *m = &e->slots[slot];
  dcs_places places;
  bool whole = scope == DCS_WARM || scope == DCS_UNTIMED_WARM;
  engine->device->select_stream(engine->device, 0);
  dcs_outcome outcome = dcs_find_places(e, m, whole ? memory : DCS_PAGEABLE, whole, &places);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const bool timed = dcs_is_timed(scope);
  if (!whole) outcome = dcs_place_ahead(e, m, &places, timed);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  *ns = 0;
  bool in_slabs = !places.seen && places.slabs.slices < e->shape->n.z;
  if (!in_slabs && dcs_keep_graphs(e, m, &places) != DCS_OK) return DCS_OUTCOME_LAUNCH;
  if (e->kept != slot + 1) e->kept = 0;
  dcs_status status =
      timed ? run_timed(e, m, &places, scope, inner, ns) : run_untimed(e, m, &places, whole);
  e->kept = status == DCS_OK && e->shape->grid_slices > 0 ? slot + 1 : 0;
  return as_outcome(status, DCS_OUTCOME_LAUNCH);
}

static dcs_outcome device_time_phases(dcs_engine *engine, int slot, dcs_phases *phases) {
  dcs_device_engine *e = (dcs_device_engine *)engine;
  const dcs_device_method *m = &e->slots[slot];
  dcs_places places;
  if (!engine->device->timed) return DCS_OUTCOME_OK;
  engine->device->select_stream(engine->device, 0);
  dcs_outcome outcome = dcs_find_places(e, m, DCS_PAGEABLE, false, &places);
  if (outcome == DCS_OUTCOME_OK) outcome = dcs_place_ahead(e, m, &places, false);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  e->kept = 0;
  dcs_status status = dcs_begin_outputs(e, &places);
  if (status == DCS_OK) status = dcs_time_steps(e, m, &places, phases);
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
  e->info = info;
  e->engine = (dcs_engine){.take = device_take,
                           .redirect = device_redirect,
                           .prepare = device_prepare,
                           .replan = device_replan,
                           .move = device_move,
                           .run = device_run,
                           .time_phases = device_time_phases,
                           .device = device,
                           .devices = {device},
                           .n_devices = 1,
                           .close = device_close};
  *engine = &e->engine;
  return DCS_OK;
}
