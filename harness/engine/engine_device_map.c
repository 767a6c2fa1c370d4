/* The device engine: a map, in launches and slabs. */
#include "harness/engine/engine_device.h"

#include <string.h>

/* ---- launches ---- */

/* The atoms of a chunk with dz^2 to slice k in place of z. */
static void prepare_chunk(const dcs_device_engine *e, int64_t first, int64_t n, int64_t k,
                          dcs_atom *chunk) {
  const dcs_atom *atoms = e->problem->atoms + first;
  const double z = (double)e->problem->spacing * (double)k;
  for (int64_t a = 0; a < n; a++) {
    double dz = z - (double)atoms[a].z;
    chunk[a] = (dcs_atom){atoms[a].x, atoms[a].y, (float)(dz * dz), atoms[a].q};
  }
}

void dcs_prepare_atoms(const dcs_device_engine *e, dcs_atom *prepared) {
  for (int64_t k = 0; k < e->problem->n.z; k++)
    prepare_chunk(e, 0, e->problem->n_atoms, k, prepared + k * e->problem->n_atoms);
}

/* A chunk prepared in the next buffer of the ring, as soon as that may be written. */
static dcs_status prepare_in_ring(dcs_device_engine *e, int64_t first, int64_t n, int64_t k,
                                  const dcs_atom **chunk) {
  dcs_device *device = e->engine.device;
  dcs_atom *buffer = (dcs_atom *)e->ring.host + (e->launches % DCS_RING) * e->ring_atoms;
  if (e->launches >= DCS_RING && e->launches % DCS_HALF_RING == 0)
    DCS_TRY(device->reach(device, DCS_MARK_RING + (int)(e->launches % DCS_RING / DCS_HALF_RING)));
  prepare_chunk(e, first, n, k, buffer);
  *chunk = buffer;
  return DCS_OK;
}

/* The values behind a launch's argument list. */
typedef struct {
  dcs_ptr map, atoms, scratch, counters;
  int n_atoms, nx, ny, nz, row, k, units;
  float spacing;
  void *own;
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
  case DCS_ARG_UNITS:
    return &v->units;
  case DCS_ARG_SCRATCH:
    return &v->scratch;
  case DCS_ARG_COUNTERS:
    return &v->counters;
  case DCS_ARG_OWN:
    return v->own;
  case DCS_ARG_END:
    break;
  }
  return NULL;
}

/* Copies a chunk to constant memory. */
static dcs_status load_chunk(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                             int64_t k, int64_t first, int64_t n) {
  dcs_device *device = e->engine.device;
  const dcs_atom *chunk = p->from + first;
  if (m->plan.host_dz2 && p->prepared)
    chunk = p->prepared + k * e->problem->n_atoms + first;
  else if (m->plan.host_dz2)
    DCS_TRY(prepare_in_ring(e, first, n, k, &chunk));
  return device->copy_in(device, m->constant, chunk, (size_t)n * sizeof *chunk);
}

/* The values of a launch of atoms first..first+n-1 on `slices` slices from k on. */
static launch_values values_of(const dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, int64_t k, int64_t slices, int64_t first,
                               int64_t n) {
  const dcs_problem *problem = e->problem;
  const dcs_plan *plan = &m->plan;
  int64_t slice = plan->stored.x * plan->stored.y;
  return (launch_values){
      .map = p->stored + (dcs_ptr)(k * slice) * sizeof(float),
      .atoms = p->atoms + (dcs_ptr)first * sizeof(dcs_atom),
      .n_atoms = (int)n,
      .nx = (int)problem->n.x,
      .ny = (int)problem->n.y,
      .nz = (int)slices,
      .row = (int)plan->stored.x,
      .k = (int)k,
      .spacing = problem->spacing,
      .units = e->sm_count,
      .scratch = e->scratch.ptr,
      .counters = m->counters.ptr,
      .own = (void *)plan->own,
  };
}

static void fill_args(launch_values *values, const dcs_arg *list, void *args[DCS_MAX_ARGS]) {
  for (int a = 0; list[a] != DCS_ARG_END; a++)
    args[a] = argument(values, list[a]);
}

dcs_status dcs_queue_steps(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  launch_values values = values_of(e, m, p, 0, e->problem->n.z, 0, e->problem->n_atoms);
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
  if (plan->slice_step) grid[2] = dcs_round_up(slices, plan->slice_step) / plan->slice_step;
  grid[2] += plan->spare_layers;
  return e->engine.device->launch(e->engine.device, m->module, "dcs", grid, plan->block, args);
}

static dcs_status launch_chunk(dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, int64_t k, int64_t slices, int64_t first,
                               int64_t n) {
  dcs_device *device = e->engine.device;
  if (m->plan.atoms_in_constant && !dcs_constant_once(&m->plan, e->problem))
    DCS_TRY(load_chunk(e, m, p, k, first, n));
  DCS_TRY(launch(e, m, p, k, slices, first, n));
  if (!m->plan.host_dz2 || p->prepared) return DCS_OK;
  int64_t at = e->launches++ % DCS_RING; /* counts on from map to map */
  bool half_full = at % DCS_HALF_RING == DCS_HALF_RING - 1;
  return half_full ? device->mark(device, DCS_MARK_RING + (int)(at / DCS_HALF_RING)) : DCS_OK;
}

dcs_status dcs_load_constant(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  return dcs_constant_once(&m->plan, e->problem) ? load_chunk(e, m, p, 0, 0, e->problem->n_atoms)
                                                 : DCS_OK;
}

/* What comes before the first launch of a map. */
static dcs_status begin_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->fill(device, p->stored, 0, (size_t)dcs_points(m->plan.stored)));
  DCS_TRY(dcs_load_constant(e, m, p));
  return dcs_queue_steps(e, m, p);
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

dcs_status dcs_compute_slices(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                              int64_t from, int64_t end) {
  const dcs_plan *plan = &m->plan;
  for (int64_t k = from; k < end; k += plan->launch_slices)
    for (int64_t first = 0; first < e->problem->n_atoms; first += plan->chunk_atoms)
      DCS_TRY(launch_chunk(e, m, p, k, least(plan->launch_slices, end - k), first,
                           least(plan->chunk_atoms, e->problem->n_atoms - first)));
  return DCS_OK;
}

dcs_status dcs_queue_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  DCS_TRY(begin_map(e, m, p));
  return dcs_compute_slices(e, m, p, 0, e->problem->n.z);
}

dcs_status dcs_run_kernel(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                          int64_t inner) {
  dcs_device *device = e->engine.device;
  DCS_TRY(device->mark(device, DCS_MARK_TIMES));
  for (int64_t i = 0; i < inner; i++)
    DCS_TRY(dcs_compute_map(e, m, p));
  return device->mark(device, DCS_MARK_TIMES + 1);
}

/* ---- maps that are copied out, slab by slab ---- */

enum { QUEUE_OUT = 2 }; /* 0 and 1 compute */

/* Waits until a slab lies in the stage, and copies it from there to its place. */
static dcs_status unstage(dcs_device_engine *e, const dcs_places *p, int64_t slab) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->problem->n;
  int64_t whole = n.x * n.y * p->slabs.slices;
  int64_t size = least(whole, dcs_points(n) - slab * whole);
  DCS_TRY(device->reach(device, DCS_MARK_STAGED + (int)(slab % DCS_STAGES)));
  memcpy(p->to + slab * whole, p->stage + slab % DCS_STAGES * whole, (size_t)size * sizeof(float));
  return DCS_OK;
}

/* Queues the copying out of a slab that was just queued, then takes the slab from the stage whose
 * part the next one needs, while the card works on. */
static dcs_status slab_out(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                           int64_t slab) {
  dcs_device *device = e->engine.device;
  const dcs_dims n = e->problem->n, stored = m->plan.stored;
  int64_t k = slab * p->slabs.slices;
  dcs_dims part = {n.x, n.y, least(p->slabs.slices, n.z - k)};
  dcs_ptr from = p->stored + (dcs_ptr)(k * stored.x * stored.y) * sizeof(float);
  float *to = p->stage ? p->stage + slab % DCS_STAGES * (n.x * n.y * p->slabs.slices)
                       : p->to + k * n.x * n.y;
  DCS_TRY(device->mark(device, DCS_MARK_COMPUTED));
  device->select(device, QUEUE_OUT);
  DCS_TRY(device->follow(device, DCS_MARK_COMPUTED));
  DCS_TRY(device->copy_out(device, to, part, from, stored));
  if (!p->stage) return DCS_OK;
  DCS_TRY(device->mark(device, DCS_MARK_STAGED + (int)(slab % DCS_STAGES)));
  return slab >= DCS_STAGES - 1 ? unstage(e, p, slab - (DCS_STAGES - 1)) : DCS_OK;
}

static dcs_status run_copied(dcs_device_engine *e, const dcs_device_method *m,
                             const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const int64_t nz = e->problem->n.z;
  DCS_TRY(device->copy_in(device, p->atoms, p->from, p->atoms_bytes));
  const bool cut = p->slabs.slices < nz;
  DCS_TRY(cut ? begin_map(e, m, p) : dcs_compute_map(e, m, p));
  dcs_compute_rest(e, m);
  DCS_TRY(device->mark(device, DCS_MARK_BEGUN));
  int64_t slab = 0;
  for (int64_t k = 0; k < nz; k += p->slabs.slices, slab++) {
    bool second = p->slabs.alternate && slab % 2 == 1;
    device->select(device, second ? 1 : 0);
    if (second) DCS_TRY(device->follow(device, DCS_MARK_BEGUN));
    if (cut) DCS_TRY(dcs_compute_slices(e, m, p, k, least(k + p->slabs.slices, nz)));
    DCS_TRY(slab_out(e, m, p, slab));
  }
  for (int64_t left = slab > DCS_STAGES - 1 ? slab - (DCS_STAGES - 1) : 0; p->stage && left < slab;
       left++)
    DCS_TRY(unstage(e, p, left));
  device->select(device, 0);
  return device->wait(device);
}

/* ---- maps in memory that the host sees ---- */

static void pack_corner(float *to, dcs_dims n, const float *from, dcs_dims stored) {
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      memcpy(to + (k * n.y + j) * n.x, from + (k * stored.y + j) * stored.x,
             (size_t)n.x * sizeof *to);
}

static dcs_status move_managed(dcs_device_engine *e, const dcs_device_method *m,
                               const dcs_places *p, bool to_host) {
  dcs_device *device = e->engine.device;
  size_t map_bytes = (size_t)dcs_points(m->plan.stored) * sizeof(float);
  if (!to_host) DCS_TRY(device->prefetch(device, p->atoms, p->atoms_bytes, false));
  return device->prefetch(device, p->stored, map_bytes, to_host);
}

static dcs_status run_seen(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_device *device = e->engine.device;
  const dcs_problem *problem = e->problem;
  const bool ahead = p->memory == DCS_MANAGED_PREFETCH;
  if (p->memory != DCS_MAPPED && !p->placed) /* a map's atoms are new: their pages are the host's */
    memcpy((void *)(uintptr_t)p->atoms, problem->atoms, p->atoms_bytes);
  if (ahead) DCS_TRY(move_managed(e, m, p, false));
  DCS_TRY(dcs_compute_map(e, m, p));
  if (ahead) DCS_TRY(move_managed(e, m, p, true));
  dcs_compute_rest(e, m);
  DCS_TRY(device->wait(device));
  if (p->to != p->view) pack_corner(p->to, problem->n, p->view, m->plan.stored);
  return DCS_OK;
}

dcs_status dcs_run_whole(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  dcs_places places = *p;
  dcs_place_atoms(e, m, p);
  if (e->n_rest > 0) { /* the host has the rest to compute, not slabs to take from the stage */
    places.slabs = (dcs_slabs){.slices = e->problem->n.z};
    places.stage = NULL;
  }
  DCS_TRY(p->view ? run_seen(e, m, &places) : run_copied(e, m, &places));
  dcs_add_rest(e, p->to);
  return DCS_OK;
}
