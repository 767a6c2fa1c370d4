/* The device engine: frames one after another. */
#include "harness/engine/device_frames.h"

#include "harness/base/clock.h"
#include "harness/base/embedded.h"
#include "harness/engine/device/coherence.h"
#include "harness/engine/device/engine.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_COMPUTE = 0, STREAM_IN = 1 };

/* Each with one for either frame, or block, in hand. */
enum {
  EVENT_IN = DCS_EVENTS_USED,     /* its places are about to be copied */
  EVENT_COPIED = EVENT_IN + 2,    /* they are on the device */
  EVENT_TAKEN = EVENT_COPIED + 2, /* they lie in atoms, and may be overwritten */
  EVENT_BEGUN = EVENT_TAKEN + 2,  /* its computing */
  EVENT_ADDED = EVENT_BEGUN + 2,  /* its map to the sums */
  EVENT_OUT = EVENT_ADDED + 2,    /* the sums are about to be copied out */
  EVENT_SUMS = EVENT_OUT + 2,     /* they are in host memory */
  EVENT_OPENED = EVENT_SUMS + 2,  /* at opened_ns */
  EVENTS
};
_Static_assert((int)EVENTS <= (int)DCS_EVENTS, "a device has as many events as are used");

/* What host and device both have. In memory that both see there is the host's block alone. */
typedef struct {
  dcs_block host, device;
  dcs_valid valid;
} both;

struct dcs_device_frames {
  dcs_device_engine *e;
  int slot;
  dcs_memory memory;
  dcs_problem shape; /* with the inputs of the frame that is enqueued */
  dcs_module *module;
  both charges, places[DCS_FRAMES_IN_HAND], maps[DCS_FRAMES_IN_HAND];
  both sums[DCS_SUMS_IN_HAND];    /* and squares, behind them */
  float *map[DCS_FRAMES_IN_HAND]; /* where they are wanted */
  int64_t added, waited;          /* frames */
  int64_t ended;                  /* blocks */
  int64_t points;
  bool squares;
  double opened_ns;
};

static dcs_outcome as_outcome(dcs_status status) {
  return status == DCS_OK            ? DCS_OUTCOME_OK
         : status == DCS_UNAVAILABLE ? DCS_OUTCOME_MEMORY
                                     : DCS_OUTCOME_LAUNCH;
}

/* ---- opening ---- */

static size_t sums_bytes(const dcs_device_frames *f) {
  return (size_t)f->points * sizeof(double) * (f->squares ? 2 : 1);
}

static dcs_status make_both(dcs_device_frames *f, size_t bytes, both *b) {
  dcs_device *device = f->e->engine.device;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, bytes, &b->host));
  return dcs_block_grow(device, DCS_BLOCK_DEVICE, bytes, &b->device);
}

/* Where inputs of frames lie on the host. */
static dcs_block_kind input_kind(const dcs_device_frames *f) {
  return f->memory == DCS_PAGEABLE                            ? DCS_BLOCK_ORDINARY
         : f->memory == DCS_PINNED || f->memory == DCS_MAPPED ? DCS_BLOCK_HOST
                                                              : DCS_BLOCK_MANAGED;
}

static bool is_copied(const dcs_device_frames *f) {
  return f->memory == DCS_PAGEABLE || f->memory == DCS_PINNED;
}

static dcs_status make_input(dcs_device_frames *f, size_t bytes, both *b) {
  dcs_device *device = f->e->engine.device;
  DCS_TRY(dcs_block_grow(device, input_kind(f), bytes, &b->host));
  return is_copied(f) ? dcs_block_grow(device, DCS_BLOCK_DEVICE, bytes, &b->device) : DCS_OK;
}

/* For kernels. */
static dcs_ptr input_of(const dcs_device_frames *f, const both *b) {
  return is_copied(f) ? b->device.ptr : b->host.ptr;
}

static dcs_status load(dcs_device_frames *f) {
  dcs_device *device = f->e->engine.device;
  const dcs_source source = {.name = "harness/engine/device/frames.cu",
                             .text = dcs_embedded("harness/engine/device/frames.cu")};
  dcs_code_facts facts;
  return device->load(device, &source, &f->module, &facts);
}

static dcs_status make_memory(dcs_device_frames *f) {
  const size_t n = (size_t)f->shape.n_inputs;
  DCS_TRY(make_input(f, n * sizeof(float), &f->charges));
  for (int i = 0; i < DCS_FRAMES_IN_HAND; i++)
    DCS_TRY(make_input(f, 3 * n * sizeof(float), &f->places[i]));
  for (int i = 0; i < DCS_SUMS_IN_HAND; i++)
    DCS_TRY(make_both(f, sums_bytes(f), &f->sums[i]));
  const float *atoms = f->shape.input[0];
  float *charges = f->charges.host.host;
  for (size_t a = 0; a < n; a++)
    charges[a] = atoms[4 * a + 3];
  dcs_host_writes(&f->charges.valid);
  return DCS_OK;
}

static dcs_outcome check_form(const dcs_kind *kind, const dcs_variant *variant) {
  if (!variant->place && kind->buffers[0].bytes == 4 * sizeof(float) && kind->n_buffers == 2 &&
      dcs_map_of(kind) == 1)
    return DCS_OUTCOME_OK;
  (void)dcs_fail(DCS_FAILED, "%s: frames need inputs that lie on the device as they are",
                 variant->id);
  return DCS_OUTCOME_INAPPLICABLE;
}

/* From then on the device's times can be told by the host's clock. */
static dcs_status compare_clocks(dcs_device_frames *f) {
  dcs_device *device = f->e->engine.device;
  DCS_TRY(device->synchronize(device));
  DCS_TRY(device->record_event(device, EVENT_OPENED));
  DCS_TRY(device->synchronize_event(device, EVENT_OPENED));
  f->opened_ns = dcs_now_ns();
  return DCS_OK;
}

/* A first map, of nobody's: a driver loads a kernel when it is first launched. */
static dcs_outcome warm_up(dcs_device_frames *f) {
  dcs_places places;
  dcs_device_method *method = &f->e->slots[f->slot];
  const dcs_outcome outcome = dcs_find_places(f->e, method, DCS_PAGEABLE, false, &places);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const dcs_status status = dcs_enqueue_map(f->e, method, &places);
  return as_outcome(status == DCS_OK ? compare_clocks(f) : status);
}

/* The method is prepared. */
static dcs_outcome make_ready(dcs_device_frames *f) {
  dcs_outcome outcome = as_outcome(load(f));
  if (outcome == DCS_OUTCOME_OK) outcome = as_outcome(make_memory(f));
  return outcome == DCS_OUTCOME_OK ? warm_up(f) : outcome;
}

static dcs_outcome open_frames(dcs_device_frames *f, const dcs_kind *kind,
                               const dcs_variant *variant, const dcs_config *config) {
  dcs_engine *engine = &f->e->engine;
  void *const out[DCS_MAX_BUFFERS] = {NULL};
  dcs_code_facts facts;
  dcs_outcome outcome = check_form(kind, variant);
  if (outcome == DCS_OUTCOME_OK) outcome = engine->take(engine, kind, &f->shape, out);
  if (outcome == DCS_OUTCOME_OK)
    outcome = engine->prepare(engine, f->slot, &f->shape.config, variant, config, &facts);
  return outcome == DCS_OUTCOME_OK ? make_ready(f) : outcome;
}

/* NULL without memory. */
static dcs_device_frames *new_frames(dcs_device_engine *e, const dcs_problem *shape,
                                     dcs_memory memory) {
  dcs_device_frames *f = calloc(1, sizeof *f);
  if (f) *f = (dcs_device_frames){.e = e, .memory = memory, .shape = *shape};
  if (f) f->points = dcs_points(shape->n);
  if (!f) (void)dcs_want("no memory for frames");
  return f;
}

dcs_outcome dcs_device_frames_open(dcs_engine *engine, const dcs_kind *kind,
                                   const dcs_variant *variant, const dcs_config *config,
                                   const dcs_problem *first, bool squares,
                                   dcs_device_frames **frames) {
  dcs_device_frames *f = new_frames((dcs_device_engine *)engine, first, DCS_PINNED);
  *frames = NULL;
  if (!f) return DCS_OUTCOME_MEMORY;
  f->squares = squares;
  dcs_outcome outcome = open_frames(f, kind, variant, config);
  if (outcome == DCS_OUTCOME_OK)
    *frames = f;
  else
    dcs_device_frames_close(f);
  return outcome;
}

dcs_outcome dcs_device_frames_of(dcs_device_engine *e, int slot, dcs_memory memory,
                                 dcs_device_frames **frames) {
  const dcs_variant *variant = e->slots[slot].variant;
  *frames = NULL;
  const dcs_status supported = e->engine.device->supports(e->engine.device, memory);
  if (supported == DCS_UNAVAILABLE) return DCS_OUTCOME_INAPPLICABLE;
  if (supported != DCS_OK) return DCS_OUTCOME_LAUNCH;
  dcs_outcome outcome = check_form(e->kind, variant);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  dcs_device_frames *f = new_frames(e, e->shape, memory);
  if (!f) return DCS_OUTCOME_MEMORY;
  f->slot = slot;
  outcome = make_ready(f);
  if (outcome == DCS_OUTCOME_OK)
    *frames = f;
  else
    dcs_device_frames_close(f);
  return outcome;
}

static void release_both(dcs_device *device, dcs_block_kind kind, both *b) {
  dcs_block_release(device, kind, &b->host);
  dcs_block_release(device, DCS_BLOCK_DEVICE, &b->device);
}

void dcs_device_frames_close(dcs_device_frames *f) {
  if (!f) return;
  dcs_device *device = f->e->engine.device;
  (void)device->synchronize(device);
  device->select_stream(device, STREAM_COMPUTE);
  if (f->module) device->unload(device, f->module);
  release_both(device, input_kind(f), &f->charges);
  for (int i = 0; i < DCS_FRAMES_IN_HAND; i++) {
    release_both(device, input_kind(f), &f->places[i]);
    release_both(device, DCS_BLOCK_HOST, &f->maps[i]);
  }
  for (int i = 0; i < DCS_SUMS_IN_HAND; i++)
    release_both(device, DCS_BLOCK_HOST, &f->sums[i]);
  free(f);
}

/* ---- a frame ---- */

/* Enqueues the copy to the device of what is stale there. Memory that both see is fetched when it
 * is read, or moved ahead. */
static dcs_status bring(dcs_device_frames *f, both *b) {
  dcs_device *device = f->e->engine.device;
  bool copy;
  DCS_TRY(dcs_device_reads(&b->valid, &copy));
  if (copy && is_copied(f))
    return device->copy_in(device, b->device.ptr, b->host.host, b->host.bytes);
  if (copy && f->memory == DCS_MANAGED_PREFETCH)
    return device->prefetch(device, b->host.ptr, b->host.bytes, false);
  return DCS_OK;
}

static dcs_status bring_places(dcs_device_frames *f, const dcs_problem *problem, int which) {
  dcs_device *device = f->e->engine.device;
  const float *atoms = problem->input[0];
  float *places = f->places[which].host.host;
  for (int64_t a = 0; a < problem->n_inputs; a++)
    memcpy(places + 3 * a, atoms + 4 * a, 3 * sizeof *places);
  dcs_host_writes(&f->places[which].valid);
  device->select_stream(device, STREAM_IN);
  DCS_TRY(device->wait_event(device, EVENT_TAKEN + which));
  DCS_TRY(device->record_event(device, EVENT_IN + which));
  DCS_TRY(bring(f, &f->charges));
  DCS_TRY(bring(f, &f->places[which]));
  return device->record_event(device, EVENT_COPIED + which);
}

/* The buffer of the inputs, whose method finds them there. */
static dcs_status assemble(dcs_device_frames *f, dcs_ptr atoms, int which) {
  enum { THREADS = 256 };
  dcs_device *device = f->e->engine.device;
  dcs_ptr places = input_of(f, &f->places[which]), charges = input_of(f, &f->charges);
  int n = (int)f->shape.n_inputs;
  void *args[] = {&atoms, &places, &charges, &n};
  DCS_TRY(device->wait_event(device, EVENT_COPIED + which));
  DCS_TRY(device->record_event(device, EVENT_BEGUN + which));
  DCS_TRY(device->launch(device, f->module, "assemble",
                         (int64_t[3]){dcs_divide_up(n, THREADS), 1, 1}, (int[3]){THREADS, 1, 1},
                         args));
  return device->record_event(device, EVENT_TAKEN + which);
}

/* Few, if any. */
static dcs_status apply_fixes(dcs_device_frames *f, const dcs_device_frame *frame,
                              const dcs_buffer_place *map) {
  dcs_device *device = f->e->engine.device;
  const dcs_dims n = f->shape.n, stored = map->stored; /* of stored, x in bytes */
  for (int64_t i = 0; i < frame->n_fixes; i++) {
    const int64_t index = frame->fixes[i].index, line = index / n.x, slice = line / n.y;
    const int64_t row = slice * stored.y + line % n.y;
    const int64_t at = row * stored.x + index % n.x * (int64_t)sizeof(float);
    DCS_TRY(device->copy_in(device, map->ptr + (dcs_ptr)at, &frame->fixes[i].value, sizeof(float)));
  }
  return DCS_OK;
}

static dcs_status add_map(dcs_device_frames *f, const dcs_buffer_place *map, int64_t nth) {
  enum { THREADS = 256 };
  dcs_device *device = f->e->engine.device;
  both *sums = &f->sums[f->ended % DCS_SUMS_IN_HAND];
  dcs_ptr sum = sums->device.ptr;
  dcs_ptr m2 = f->squares ? sum + (dcs_ptr)f->points * sizeof(double) : 0, from = map->ptr;
  long long points = f->points;
  int nx = (int)f->shape.n.x, ny = (int)f->shape.n.y, n = (int)nth;
  int row = (int)(map->stored.x / (int64_t)sizeof(float)), rows = (int)map->stored.y;
  double factor = nth > 1 ? 1 / ((double)nth * (double)(nth - 1)) : 0;
  void *args[] = {&sum, &m2, &from, &points, &nx, &ny, &row, &rows, &n, &factor};
  if (nth == 1) /* they were copied out */
    DCS_TRY(device->wait_event(device, EVENT_SUMS + (int)(f->ended % DCS_SUMS_IN_HAND)));
  dcs_device_writes(&sums->valid);
  return device->launch(device, f->module, "dcs",
                        (int64_t[3]){dcs_divide_up(points, THREADS), 1, 1}, (int[3]){THREADS, 1, 1},
                        args);
}

/* The map itself, before the next frame writes it. */
static dcs_status copy_map(dcs_device_frames *f, const dcs_device_frame *frame,
                           const dcs_buffer_place *map, int which) {
  dcs_device *device = f->e->engine.device;
  f->map[which] = frame->map;
  if (!frame->map) return DCS_OK;
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_HOST, (size_t)f->points * sizeof(float),
                         &f->maps[which].host));
  return dcs_copy_output(f->e, map, f->maps[which].host.host);
}

static dcs_status compute(dcs_device_frames *f, const dcs_device_frame *frame,
                          const dcs_places *places, int64_t nth, int which) {
  dcs_device *device = f->e->engine.device;
  const dcs_buffer_place *map = &places->at[dcs_map_of(f->e->kind)];
  device->select_stream(device, STREAM_COMPUTE);
  DCS_TRY(assemble(f, places->at[0].ptr, which));
  DCS_TRY(dcs_enqueue_map(f->e, &f->e->slots[f->slot], places));
  DCS_TRY(apply_fixes(f, frame, map));
  DCS_TRY(add_map(f, map, nth));
  DCS_TRY(copy_map(f, frame, map, which));
  return device->record_event(device, EVENT_ADDED + which);
}

dcs_outcome dcs_device_frames_add(dcs_device_frames *f, const dcs_device_frame *frame,
                                  int64_t nth) {
  dcs_places places;
  const int which = (int)(f->added % DCS_FRAMES_IN_HAND);
  if (frame->problem.n_inputs != f->shape.n_inputs)
    return as_outcome(dcs_fail(DCS_FAILED, "a frame has %lld inputs, the first has %lld",
                               (long long)frame->problem.n_inputs, (long long)f->shape.n_inputs));
  f->shape.input[0] = frame->problem.input[0];
  f->e->engine.device->select_stream(f->e->engine.device, STREAM_COMPUTE);
  dcs_outcome outcome = dcs_adopt_plan(f->e, f->slot, &frame->problem, &frame->plan);
  if (outcome == DCS_OUTCOME_OK)
    outcome = dcs_find_places(f->e, &f->e->slots[f->slot], DCS_PAGEABLE, false, &places);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  places.at[0].host = NULL; /* they come together on the device */
  dcs_status status = bring_places(f, &frame->problem, which);
  if (status == DCS_OK) status = compute(f, frame, &places, nth, which);
  f->added += status == DCS_OK;
  return as_outcome(status);
}

/* Between two events that have passed. */
static dcs_status take_span(dcs_device_frames *f, int from, int to, dcs_device_span *span) {
  dcs_device *device = f->e->engine.device;
  double before = 0, ns = 0;
  if (device->timed) DCS_TRY(device->elapsed_ns(device, EVENT_OPENED, from, &before));
  if (device->timed) DCS_TRY(device->elapsed_ns(device, from, to, &ns));
  *span = (dcs_device_span){f->opened_ns + before, f->opened_ns + before + ns};
  return DCS_OK;
}

dcs_outcome dcs_device_frames_wait(dcs_device_frames *f, dcs_device_span *computed,
                                   dcs_device_span *copied) {
  dcs_device *device = f->e->engine.device;
  const int which = (int)(f->waited++ % DCS_FRAMES_IN_HAND);
  dcs_status status = device->synchronize_event(device, EVENT_ADDED + which);
  if (status == DCS_OK) status = take_span(f, EVENT_BEGUN + which, EVENT_ADDED + which, computed);
  if (status == DCS_OK) status = take_span(f, EVENT_IN + which, EVENT_COPIED + which, copied);
  if (status == DCS_OK && f->map[which])
    memcpy(f->map[which], f->maps[which].host.host, (size_t)f->points * sizeof(float));
  return as_outcome(status);
}

/* ---- a block ---- */

static dcs_status copy_sums(dcs_device_frames *f, int set) {
  dcs_device *device = f->e->engine.device;
  both *sums = &f->sums[set];
  const dcs_dims flat = {(int64_t)sums_bytes(f), 1, 1};
  bool copy;
  DCS_TRY(dcs_host_reads(&sums->valid, &copy));
  device->select_stream(device, DCS_STREAM_OUT);
  DCS_TRY(device->wait_event(device, EVENT_ADDED + (int)((f->added - 1) % DCS_FRAMES_IN_HAND)));
  DCS_TRY(device->record_event(device, EVENT_OUT + set));
  if (copy) DCS_TRY(device->copy_out(device, sums->host.host, flat, sums->device.ptr, flat));
  return device->record_event(device, EVENT_SUMS + set);
}

dcs_outcome dcs_device_frames_end_block(dcs_device_frames *f) {
  return as_outcome(copy_sums(f, (int)(f->ended++ % DCS_SUMS_IN_HAND)));
}

dcs_outcome dcs_device_frames_sums(dcs_device_frames *f, dcs_device_sums *sums,
                                   dcs_device_span *copied) {
  dcs_device *device = f->e->engine.device;
  const int set = (int)((f->ended - 1) % DCS_SUMS_IN_HAND);
  double *sum = f->sums[set].host.host;
  *sums = (dcs_device_sums){sum, f->squares ? sum + f->points : NULL};
  dcs_status status = device->synchronize_event(device, EVENT_SUMS + set);
  if (status == DCS_OK) status = take_span(f, EVENT_OUT + set, EVENT_SUMS + set, copied);
  return as_outcome(status);
}
