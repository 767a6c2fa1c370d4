/* The device engine: the steps and launches of a plan. */
#include "harness/engine/device/engine.h"

#include <string.h>

/* ---- launches ---- */

void dcs_prepare_inputs(const dcs_device_engine *e, const dcs_device_method *m, void *prepared) {
  const int64_t n = e->shape->n_inputs;
  for (int64_t k = 0; k < e->shape->n.z; k++)
    m->variant->prepare(&m->problem, 0, n, e->shape->first_slice + k,
                        (char *)prepared + (size_t)(k * n) * e->input_bytes);
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
  m->variant->prepare(&m->problem, first, n, e->shape->first_slice + k, buffer);
  *chunk = buffer;
  return DCS_OK;
}

/* The values behind a launch's argument list. */
typedef struct {
  dcs_ptr at[DCS_N_PLACES];
  int n_inputs, nx, ny, nz, row, k, sms, value;
  float spacing;
  void *own;
} launch_values;

static void fill_args(launch_values *v, const dcs_arg *list, void *args[DCS_MAX_ARGS]) {
  void *const values[] = {[DCS_ARG_N_INPUTS] = &v->n_inputs,
                          [DCS_ARG_NX] = &v->nx,
                          [DCS_ARG_NY] = &v->ny,
                          [DCS_ARG_NZ] = &v->nz,
                          [DCS_ARG_ROW] = &v->row,
                          [DCS_ARG_K] = &v->k,
                          [DCS_ARG_SPACING] = &v->spacing,
                          [DCS_ARG_SMS] = &v->sms,
                          [DCS_ARG_VALUE] = &v->value,
                          [DCS_ARG_OWN] = v->own};
  for (int a = 0; list[a] != DCS_ARG_END; a++)
    args[a] = list[a] < DCS_ARG_BUFFER   ? values[list[a]]
              : list[a] < DCS_ARG_OWN_AT ? (void *)&v->at[list[a] - DCS_ARG_BUFFER]
                                         : (char *)v->own + (list[a] - DCS_ARG_OWN_AT);
}

/* Copies a chunk to constant memory. */
static dcs_status load_chunk(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                             int64_t k, int64_t first, int64_t n) {
  dcs_device *device = e->engine.device;
  const size_t from = (size_t)first * e->input_bytes, bytes = (size_t)n * e->input_bytes;
  const char *chunk = (const char *)p->at[0].host + from;
  if (!m->plan.prepared && !p->at[0].host)
    return device->copy(device, m->constant, p->at[0].ptr + (dcs_ptr)from, bytes);
  if (m->plan.prepared && p->prepared)
    chunk = p->prepared + (size_t)(k * e->shape->n_inputs + first) * e->input_bytes;
  else if (m->plan.prepared)
    DCS_TRY(prepare_in_ring(e, m, first, n, k, &chunk));
  return device->copy_in(device, m->constant, chunk, bytes);
}

/* The values of a launch of inputs first..first+n-1 on `slices` slices from k on. */
static launch_values values_of(const dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, int64_t k, int64_t slices, int64_t first,
                               int64_t n) {
  const dcs_problem *problem = e->shape;
  const dcs_plan *plan = &m->plan;
  launch_values v = {
      .n_inputs = (int)n,
      .nx = (int)problem->n.x,
      .ny = (int)problem->n.y,
      .nz = (int)slices,
      .row = (int)plan->stored.x,
      .k = (int)(problem->first_slice + k),
      .spacing = problem->spacing,
      .sms = e->info.sm_count,
      .own = (void *)plan->own,
  };
  for (int i = 0; i < DCS_N_PLACES; i++)
    v.at[i] = p->at[i].ptr;
  v.at[0] += (dcs_ptr)first * e->input_bytes;
  for (int b = 0; b < e->kind->n_buffers; b++)
    if (dcs_on_grid(e->kind, b)) v.at[b] += (dcs_ptr)(k * p->at[b].stored.x * p->at[b].stored.y);
  return v;
}

/* One launch of a map: inputs first..first+n-1 on `slices` slices from k on. */
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

dcs_status dcs_compute_slices(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              int64_t from, int64_t end) {
  const dcs_plan *plan = &m->plan;
  for (int64_t k = from; k < end; k += plan->launch_slices)
    for (int64_t first = 0; first < e->shape->n_inputs; first += plan->chunk_inputs)
      DCS_TRY(launch_chunk(e, m, p, k, dcs_least(plan->launch_slices, end - k), first,
                           dcs_least(plan->chunk_inputs, e->shape->n_inputs - first)));
  return DCS_OK;
}

/* ---- steps ---- */

static dcs_status launch_step(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              const dcs_plan_step *step) {
  const int64_t slices = dcs_whole_grid(e->shape).n.z;
  launch_values values = values_of(e, m, p, 0, slices, 0, e->shape->n_inputs);
  void *args[DCS_MAX_ARGS];
  values.value = step->value;
  fill_args(&values, step->args, args);
  return e->engine.device->launch(e->engine.device, m->module, step->kernel, step->grid,
                                  step->block, args);
}

/* A step but the launches. */
static dcs_status enqueue_step(dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, const dcs_plan_step *step) {
  dcs_device *device = e->engine.device;
  if (step->does == DCS_STEP_KERNEL) return launch_step(e, m, p, step);
  const dcs_buffer_place *to = &p->at[step->to - DCS_ARG_BUFFER];
  if (step->does == DCS_STEP_FILL) return device->fill(device, to->ptr, 0, dcs_words(to->bytes));
  const dcs_buffer_place *from = &p->at[step->from - DCS_ARG_BUFFER];
  if (step->does == DCS_STEP_FFT)
    return device->run_fft(device, m->ffts[step - m->plan.steps], from->ptr, to->ptr,
                           p->at[DCS_FFT_WORK].ptr);
  return device->copy(device, to->ptr, from->ptr,
                      to->bytes < from->bytes ? to->bytes : from->bytes);
}

static int launches_of(const dcs_plan *plan) {
  int s = 0;
  while (plan->steps[s].does != DCS_STEP_LAUNCHES)
    s++;
  return s;
}

bool dcs_ends_with_launches(const dcs_plan *plan) {
  return launches_of(plan) == plan->n_steps - 1;
}

static bool fills_grid(const dcs_kind *kind, const dcs_plan_step *step) {
  const int b = (int)step->to - DCS_ARG_BUFFER;
  return step->does == DCS_STEP_FILL && b < kind->n_buffers && dcs_on_grid(kind, b);
}

dcs_status dcs_begin_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                         bool parts) {
  const dcs_plan_step *steps = m->plan.steps;
  const bool kept = e->kept > 0 && m == &e->slots[e->kept - 1];
  for (int s = 0; s < launches_of(&m->plan); s++)
    if (fills_grid(e->kind, &steps[s]) ? !parts : !kept) DCS_TRY(enqueue_step(e, m, p, &steps[s]));
  return dcs_constant_once(&m->plan, e->shape) ? load_chunk(e, m, p, 0, 0, e->shape->n_inputs)
                                               : DCS_OK;
}

dcs_status dcs_enqueue_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  DCS_TRY(dcs_begin_map(e, m, p, false));
  DCS_TRY(dcs_compute_slices(e, m, p, 0, e->shape->n.z));
  for (int s = launches_of(&m->plan) + 1; s < m->plan.n_steps; s++)
    DCS_TRY(enqueue_step(e, m, p, &m->plan.steps[s]));
  return DCS_OK;
}

/* ---- phases ---- */

static const char *phase_of(const dcs_plan_step *step) {
  static const char *const does[] = {[DCS_STEP_FILL] = "fill",
                                     [DCS_STEP_COPY] = "copy",
                                     [DCS_STEP_FFT] = "transform",
                                     [DCS_STEP_LAUNCHES] = "dcs"};
  if (step->name) return step->name;
  return step->does == DCS_STEP_KERNEL ? step->kernel : does[step->does];
}

static dcs_status enqueue_launches(dcs_device_engine *e, const dcs_device_method *m,
                                   const dcs_places *p) {
  if (dcs_constant_once(&m->plan, e->shape)) DCS_TRY(load_chunk(e, m, p, 0, 0, e->shape->n_inputs));
  return dcs_compute_slices(e, m, p, 0, e->shape->n.z);
}

dcs_status dcs_time_steps(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                          dcs_phases *phases) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < m->plan.n_steps; s++) {
    const dcs_plan_step *step = &m->plan.steps[s];
    double ns;
    DCS_TRY(device->record_event(device, DCS_EVENT_TIMES));
    if (step->does == DCS_STEP_LAUNCHES)
      DCS_TRY(enqueue_launches(e, m, p));
    else
      DCS_TRY(enqueue_step(e, m, p, step));
    DCS_TRY(device->record_event(device, DCS_EVENT_TIMES + 1));
    DCS_TRY(device->elapsed_ns(device, DCS_EVENT_TIMES, DCS_EVENT_TIMES + 1, &ns));
    dcs_phases_add(phases, phase_of(step), ns);
  }
  return DCS_OK;
}
