/* Maps in slabs. */
#include "library/mapper.h"

#include "harness/base/hash.h"

#include <stdio.h>
#include <string.h>

static dcs_backend backend_of(const dcs_method *method) {
  return method->variant->backend;
}

static int64_t slice_points(const dcs_mapper *m) {
  return m->c.problem.n.x * m->c.problem.n.y;
}

/* ---- one method ---- */

/* The slab as a map of its own; the edges of a periodic cell are values of the problem. */
static dcs_status pose_part(dcs_mapper *m, int64_t from, int64_t end) {
  const dcs_case *c = &m->c;
  dcs_grid grid = {.n = {c->problem.n.x, c->problem.n.y, end - from}, .spacing = c->spacing};
  memcpy(grid.origin, c->origin, sizeof grid.origin);
  grid.origin[2] += c->spacing * (double)from;
  DCS_TRY(dcs_case_begin(c->kind, c->n_sites, &grid, &m->part));
  for (int64_t a = 0; a < c->n_sites; a++) {
    m->part.sites[a] = c->sites[a];
    m->part.sites[a].z -= c->spacing * (double)from;
  }
  if (c->basis) DCS_TRY(dcs_basis_copy(c->basis, c->n_sites, &m->part.basis));
  DCS_TRY(dcs_case_end(&c->problem.config, &m->part));
  m->part.problem.scale = c->problem.scale;
  return DCS_OK;
}

static dcs_status run_slab(dcs_mapper *m, const dcs_method *method, int64_t from, int64_t end,
                           float *slab) {
  dcs_problem problem = m->c.problem;
  const bool whole = from == 0 && end == problem.n.z;
  problem.n.z = end - from;
  problem.first_slice = from;
  problem.grid_slices = !whole && method->variant->slabs ? m->c.problem.n.z : 0;
  if (!whole && !dcs_computes_slabs(method->variant)) {
    DCS_TRY(pose_part(m, from, end));
    m->ready[backend_of(method)] = (dcs_ready){0}; /* other inputs lie where the last ones did */
    problem = m->part.problem;
  }
  return dcs_mapper_run(m, method, &problem, slab);
}

/* Slices that a launch of the method begins at a multiple of. */
static int64_t step_of(const dcs_mapper *m, const dcs_method *method) {
  dcs_plan plan;
  if (method->variant->slab_step > 0) return method->variant->slab_step;
  if (!method->variant->plan) return 1;
  method->variant->plan(&m->c.problem, &method->config, &plan);
  return plan.slice_step > 0 ? plan.slice_step : 1;
}

/* Where the device's memory is too small, half of the slices, and so on. */
static dcs_status run_slabs(dcs_mapper *m, const dcs_method *method, int64_t from, int64_t end,
                            float *slab) {
  const bool device = backend_of(method) == DCS_GPU;
  const int64_t step = step_of(m, method);
  double ns = 0;
  for (int64_t k = from; k < end;) {
    const int64_t most = device && m->device_slices > 0 ? m->device_slices : end - k;
    const int64_t next = k + most < end ? k + most : end;
    dcs_status status = run_slab(m, method, k, next, slab + (k - from) * slice_points(m));
    if (status == DCS_OK) {
      ns += m->method_ns;
      k = next;
      continue;
    }
    if (!device || m->outcome != DCS_OUTCOME_MEMORY || next - k <= step) return status;
    m->device_slices = dcs_round_up((next - k) / 2, step);
    if (m->device_slices >= next - k) m->device_slices -= step;
  }
  m->method_ns = ns;
  return DCS_OK;
}

/* ---- the methods of the choice ---- */

static void choose(dcs_mapper *m, dcs_choice *choice) {
  const dcs_size size = dcs_case_size(&m->c);
  dcs_choose(m, &size, m->c.spacing, choice);
}

/* Why the highest rung of the CPU's ladder, which runs anywhere, does not compute it: of those that
 * solve such problems, else of all. */
static dcs_status no_method(const dcs_mapper *m) {
  const dcs_config *problem = &m->c.problem.config;
  char highest[2 * DCS_TEXT] = "", text[DCS_TEXT];
  for (int v = dcs_n_variants - 1; v >= 0; v--) {
    const dcs_variant *variant = dcs_variants[v];
    const dcs_config config = dcs_initial_config(variant, m->threads);
    char why[DCS_TEXT];
    if (variant->backend != DCS_CPU || dcs_kind_of(variant) != m->c.kind) continue;
    if (dcs_variant_available(variant, why) && dcs_solves(variant, problem, why)) {
      if (dcs_applicable(variant, &m->c.problem, &config, why)) continue;
      return dcs_fail(DCS_UNAVAILABLE, "no method can compute this map here; %s: %s", variant->id,
                      why);
    }
    if (!*highest) snprintf(highest, sizeof highest, "%s: %s", variant->id, why);
  }
  return dcs_fail(DCS_UNAVAILABLE, "no method can compute this map here; none computes %s; %s",
                  dcs_format_problem(m->c.kind, problem, text), highest);
}

/* Opening the GPU may change what is best, so the choice is made anew. */
dcs_status dcs_mapper_choose(dcs_mapper *m, dcs_choice *choice) {
  choose(m, choice);
  if (choice->n > 0 && backend_of(&choice->list[0].method) == DCS_GPU && !m->engines[DCS_GPU]) {
    (void)dcs_mapper_open_gpu(m); /* where it fails, what is left is the CPU */
    choose(m, choice);
  }
  return choice->n > 0 ? DCS_OK : no_method(m);
}

/* Tries the methods in turn. */
static dcs_status compute(dcs_mapper *m, int64_t from, int64_t end, float *slab) {
  dcs_choice choice;
  dcs_status status = DCS_OK;
  DCS_TRY(dcs_mapper_choose(m, &choice));
  for (int i = 0; i < choice.n; i++) {
    status = dcs_mapper_check(m, &choice.list[i].method);
    if (status == DCS_OK) status = run_slabs(m, &choice.list[i].method, from, end, slab);
    if (status == DCS_OK) return DCS_OK;
  }
  return status;
}

dcs_status dcs_mapper_decide(dcs_mapper *m, char text[DCS_METHOD_TEXT]) {
  dcs_choice choice;
  dcs_status status = DCS_OK;
  char config[DCS_TEXT];
  DCS_TRY(dcs_mapper_choose(m, &choice));
  for (int i = 0; i < choice.n; i++) {
    const dcs_method *method = &choice.list[i].method;
    status = dcs_mapper_check(m, method);
    if (status != DCS_OK) continue;
    snprintf(text, DCS_METHOD_TEXT, "%s %s", method->variant->id,
             dcs_format_config(method->variant, &method->config, config));
    m->only = *method;
    return DCS_OK;
  }
  return status;
}

dcs_status dcs_mapper_keep(dcs_mapper *m, const char *text) {
  dcs_method method;
  DCS_TRY(dcs_method_of(text, &method));
  const dcs_kind *kind = m->c.kind ? m->c.kind : dcs_kinds[0]; /* posed, or to come */
  if (dcs_kind_of(method.variant) != kind)
    return dcs_fail(DCS_INPUT, "method: found \"%s\", of %s; expected one of %s",
                    method.variant->id, method.variant->kind, kind->id);
  DCS_TRY(dcs_mapper_check(m, &method));
  m->only = method;
  return DCS_OK;
}

uint64_t dcs_mapper_hash(const dcs_mapper *m) {
  const dcs_problem *p = &m->c.problem;
  char text[2 * DCS_TEXT];
  int used = snprintf(text, sizeof text, "%s %lldx%lldx%lld %a %a,%a,%a", m->c.kind->id,
                      (long long)p->n.x, (long long)p->n.y, (long long)p->n.z, m->c.spacing,
                      m->c.origin[0], m->c.origin[1], m->c.origin[2]);
  uint64_t hash = dcs_hash(DCS_HASH_START, text, (size_t)used);
  hash = dcs_hash(hash, p->config.value, (size_t)m->c.kind->n_params * sizeof *p->config.value);
  hash = dcs_hash(hash, m->c.sites, (size_t)m->c.n_sites * sizeof *m->c.sites);
  return dcs_hash(hash, p->input[0], dcs_buffer_bytes(m->c.kind, 0, p));
}

bool dcs_mapper_slabs_exact(dcs_mapper *m) {
  dcs_choice choice;
  choose(m, &choice);
  return choice.n > 0 && dcs_computes_slabs(choice.list[0].method.variant);
}

int64_t dcs_mapper_slab_step(dcs_mapper *m) {
  dcs_choice choice;
  choose(m, &choice);
  return choice.n > 0 ? step_of(m, &choice.list[0].method) : 1;
}

double dcs_mapper_working_bytes(dcs_mapper *m) {
  dcs_choice choice;
  choose(m, &choice);
  const dcs_method *method = &choice.list[0].method;
  if (choice.n == 0 || !method->variant->working_bytes) return 0;
  return method->variant->working_bytes(&m->c.problem, &method->config);
}

/* Evaluations a second that are at hand: a guess. Where not all atoms are summed at each point,
 * each counts as so many. */
enum { EVALS_A_POINT = 200 };
static double rate_of(const dcs_mapper *m, const dcs_method *method) {
  const double of_cpu = 1e9, of_gpu = 5e12, of_emulated = 1e7;
  if (backend_of(method) == DCS_CPU) return of_cpu * m->threads;
  const dcs_engine *engine = m->engines[DCS_GPU];
  if (!engine) return of_gpu;
  return (dcs_mapper_has_times(engine) ? of_gpu : of_emulated) * engine->n_devices;
}

int64_t dcs_mapper_slab_slices(dcs_mapper *m) {
  dcs_choice choice;
  const int64_t nz = m->c.problem.n.z;
  choose(m, &choice);
  if (choice.n == 0 || !dcs_computes_slabs(choice.list[0].method.variant)) return nz;
  const bool all = !choice.list[0].method.variant->slabs &&
                   dcs_problem_range(m->c.kind, &m->c.problem.config) == 0;
  const double evals = all ? (double)m->c.problem.n_inputs : EVALS_A_POINT;
  const double slice = (double)slice_points(m) * evals;
  const double slices = rate_of(m, &choice.list[0].method) / slice;
  if (slices >= (double)nz) return nz;
  return dcs_round_up((int64_t)slices + 1, step_of(m, &choice.list[0].method));
}

dcs_status dcs_mapper_slices(dcs_mapper *m, int64_t from, int64_t end, float *slab) {
  const int64_t before = from * slice_points(m), points = (end - from) * slice_points(m);
  DCS_TRY(compute(m, from, end, slab));
  for (int64_t f = 0; f < m->c.n_fixes; f++) {
    const int64_t at = m->c.fixes[f].index - before;
    if (at >= 0 && at < points) slab[at] = m->c.fixes[f].value;
  }
  return DCS_OK;
}
