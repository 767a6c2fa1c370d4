/* The device engine: the launches of an output. */
#include "harness/engine/engine_device.h"

#include <string.h>

/* ---- launches ---- */

void dcs_prepare_inputs(const dcs_device_engine *e, const dcs_device_method *m, void *prepared) {
  const int64_t n = e->shape->n_inputs;
  for (int64_t k = 0; k < e->shape->n.z; k++)
    m->variant->prepare(&m->problem, 0, n, k, (char *)prepared + (size_t)(k * n) * e->input_bytes);
}

/* A chunk prepared in the next buffer of the ring, as soon as that may be written. */
static dcs_status prepare_in_ring(dcs_device_engine *e, const dcs_device_method *m, int64_t first,
                                  int64_t n, int64_t k, const char **chunk) {
  dcs_device *device = e->engine.device;
  char *buffer =
      (char *)e->ring.host + (size_t)(e->launches % DCS_RING * e->ring_inputs) * e->input_bytes;
  if (e->launches >= DCS_RING && e->launches % DCS_HALF_RING == 0)
    DCS_TRY(device->synchronize_event(device, DCS_EVENT_RING +
                                                  (int)(e->launches % DCS_RING / DCS_HALF_RING)));
  m->variant->prepare(&m->problem, first, n, k, buffer);
  *chunk = buffer;
  return DCS_OK;
}

/* The values behind a launch's argument list. */
typedef struct {
  dcs_ptr out, input, scratch, counters;
  int n_inputs, nx, ny, nz, row, k, sms;
  float spacing;
  void *own;
} launch_values;

static void fill_args(launch_values *v, const dcs_arg *list, void *args[DCS_MAX_ARGS]) {
  void *const values[] = {[DCS_ARG_OUTPUT] = &v->out,
                          [DCS_ARG_INPUT] = &v->input,
                          [DCS_ARG_N_INPUTS] = &v->n_inputs,
                          [DCS_ARG_NX] = &v->nx,
                          [DCS_ARG_NY] = &v->ny,
                          [DCS_ARG_NZ] = &v->nz,
                          [DCS_ARG_ROW] = &v->row,
                          [DCS_ARG_K] = &v->k,
                          [DCS_ARG_SPACING] = &v->spacing,
                          [DCS_ARG_SMS] = &v->sms,
                          [DCS_ARG_SCRATCH] = &v->scratch,
                          [DCS_ARG_COUNTERS] = &v->counters,
                          [DCS_ARG_OWN] = v->own};
  for (int a = 0; list[a] != DCS_ARG_END; a++)
    args[a] = values[list[a]];
}

/* Copies a chunk to constant memory. */
static dcs_status load_chunk(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                             int64_t k, int64_t first, int64_t n) {
  dcs_device *device = e->engine.device;
  const char *chunk = p->from + (size_t)first * e->input_bytes;
  if (m->plan.prepared && p->prepared)
    chunk = p->prepared + (size_t)(k * e->shape->n_inputs + first) * e->input_bytes;
  else if (m->plan.prepared)
    DCS_TRY(prepare_in_ring(e, m, first, n, k, &chunk));
  return device->copy_in(device, m->constant, chunk, (size_t)n * e->input_bytes);
}

/* The values of a launch of atoms first..first+n-1 on `slices` slices from k on. */
static launch_values values_of(const dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, int64_t k, int64_t slices, int64_t first,
                               int64_t n) {
  const dcs_problem *problem = e->shape;
  const dcs_plan *plan = &m->plan;
  int64_t slice = plan->stored.x * plan->stored.y;
  return (launch_values){
      .out = p->stored + (dcs_ptr)(k * slice) * sizeof(float),
      .input = p->inputs + (dcs_ptr)first * e->input_bytes,
      .n_inputs = (int)n,
      .nx = (int)problem->n.x,
      .ny = (int)problem->n.y,
      .nz = (int)slices,
      .row = (int)plan->stored.x,
      .k = (int)k,
      .spacing = problem->spacing,
      .sms = e->info.sm_count,
      .scratch = e->scratch.ptr,
      .counters = m->counters.ptr,
      .own = (void *)plan->own,
  };
}

dcs_status dcs_enqueue_steps(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  launch_values values = values_of(e, m, p, 0, e->shape->n.z, 0, e->shape->n_inputs);
  for (int s = 0; s < m->plan.n_steps; s++) {
    const dcs_plan_step *step = &m->plan.steps[s];
    void *args[DCS_MAX_ARGS];
    fill_args(&values, step->args, args);
    DCS_TRY(e->engine.device->launch(e->engine.device, m->module, step->kernel,
                                     (int64_t[]){step->grid, 1, 1}, (int[]){step->block, 1, 1},
                                     args));
  }
  return DCS_OK;
}

/* One launch of a map: atoms first..first+n-1 on `slices` slices from k on. */
static dcs_status launch(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                         int64_t k, int64_t slices, int64_t first, int64_t n) {
  const dcs_plan *plan = &m->plan;
  launch_values values = values_of(e, m, p, k, slices, first, n);
  void *args[DCS_MAX_ARGS];
  fill_args(&values, plan->args, args);
  int64_t grid[3] = {plan->grid[0], plan->grid[1], plan->grid[2]};
  if (plan->slice_step) grid[2] = dcs_divide_up(slices, plan->slice_step);
  grid[2] += plan->spare_layers;
  return e->engine.device->launch(e->engine.device, m->module, "dcs", grid, plan->block, args);
}

static dcs_status launch_chunk(dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, int64_t k, int64_t slices, int64_t first,
                               int64_t n) {
  dcs_device *device = e->engine.device;
  if (m->plan.constant_inputs && !dcs_constant_once(&m->plan, e->shape))
    DCS_TRY(load_chunk(e, m, p, k, first, n));
  DCS_TRY(launch(e, m, p, k, slices, first, n));
  if (!m->plan.prepared || p->prepared) return DCS_OK;
  int64_t at = e->launches++ % DCS_RING; /* counts on from map to map */
  bool half_full = at % DCS_HALF_RING == DCS_HALF_RING - 1;
  return half_full ? device->record_event(device, DCS_EVENT_RING + (int)(at / DCS_HALF_RING))
                   : DCS_OK;
}

dcs_status dcs_load_constant(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  return dcs_constant_once(&m->plan, e->shape) ? load_chunk(e, m, p, 0, 0, e->shape->n_inputs)
                                               : DCS_OK;
}

dcs_status dcs_begin_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  if (!m->plan.overwrites)
    DCS_TRY(device->fill(device, p->stored, 0, (size_t)dcs_points(m->plan.stored)));
  DCS_TRY(dcs_load_constant(e, m, p));
  return dcs_enqueue_steps(e, m, p);
}

dcs_status dcs_compute_slices(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              int64_t from, int64_t end) {
  const dcs_plan *plan = &m->plan;
  for (int64_t k = from; k < end; k += plan->launch_slices)
    for (int64_t first = 0; first < e->shape->n_inputs; first += plan->chunk_inputs)
      DCS_TRY(launch_chunk(e, m, p, k, dcs_least(plan->launch_slices, end - k), first,
                           dcs_least(plan->chunk_inputs, e->shape->n_inputs - first)));
  return DCS_OK;
}

dcs_status dcs_enqueue_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  DCS_TRY(dcs_begin_map(e, m, p));
  return dcs_compute_slices(e, m, p, 0, e->shape->n.z);
}
