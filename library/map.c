/* dcs_map() and dcs_explain(): the choice, and the map by it. */
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "library/map_phases.h"
#include "library/mapper.h"
#include "library/team.h"

#include "harness/device/devices.h"
#include "harness/device/kernel_source.h"
#include "harness/problems/case.h"
#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choice ---- */

static void append(dcs_choice *choice, const dcs_method *method, double ns, bool extrapolated) {
  if (choice->n == (int)(sizeof choice->list / sizeof choice->list[0])) return;
  choice->list[choice->n++] = (dcs_chosen){*method, ns, extrapolated};
}

/* The ladder from its top, without what cannot run. */
static void append_ladder(const dcs_mapper *m, const dcs_size *size, double spacing,
                          dcs_backend backend, dcs_choice *choice) {
  const dcs_problem problem = dcs_size_problem(size, spacing);
  for (int v = dcs_n_variants - 1; v >= 0; v--) {
    const dcs_method method = {dcs_variants[v], dcs_initial_config(dcs_variants[v], m->threads)};
    char why[DCS_TEXT];
    if (method.variant->backend == backend && dcs_kind_of(method.variant) == size->kind &&
        dcs_variant_available(method.variant, why) &&
        dcs_applicable(method.variant, &problem, &method.config, why))
      append(choice, &method, NAN, false);
  }
}

static bool has_backend(const dcs_dispatch_table *table, dcs_backend backend) {
  for (int i = 0; i < table->n; i++)
    if (table->list[i].variant->backend == backend) return true;
  return false;
}

/* Both lie in host memory: warm once the GPU is open, first before; warm also where a cold start
 * was not measured. Times of more threads than a map may take say nothing of fewer. */
static void choose_by_table(const dcs_mapper *m, const dcs_size *size, double spacing,
                            dcs_choice *choice) {
  const dcs_dispatch_family *family = dcs_dispatch_find(&m->dispatch, size->kind, &size->config);
  const bool usable[2] = {[DCS_CPU] = true, [DCS_GPU] = !m->gpu_refused && !m->other_card};
  dcs_ranked ranked[DCS_DISPATCH_MOST];
  if (!family) return;
  bool cold = !m->engines[DCS_GPU] && !m->other_card &&
              has_backend(&family->tables[dcs_dispatch_scope_index(DCS_FIRST)], DCS_GPU);
  choice->scope = cold ? DCS_FIRST : DCS_WARM;
  int n = dcs_dispatch_rank(&m->dispatch, size, spacing, choice->scope, usable, ranked);
  for (int i = 0; i < n; i++) {
    const dcs_method method = {ranked[i].method->variant, ranked[i].method->config};
    if (dcs_role_value(method.variant, &method.config, DCS_ROLE_THREADS, 1) > m->threads)
      choice->too_wide = true;
    else
      append(choice, &method, ranked[i].ns, ranked[i].extrapolated);
  }
  if (choice->n > 0) choice->family = family;
}

/* The GPU's methods in the order of the reference of its class. How long they take here is not
 * known. */
static void append_shipped(const dcs_mapper *m, const dcs_size *size, double spacing,
                           dcs_choice *choice) {
  const bool gpu_only[2] = {[DCS_GPU] = true};
  dcs_ranked ranked[DCS_DISPATCH_MOST];
  int n = dcs_dispatch_rank(&m->shipped, size, spacing, DCS_WARM, gpu_only, ranked);
  choice->by_reference = n > 0 && choice->n == 0;
  for (int i = 0; i < n; i++) {
    const dcs_method method = {ranked[i].method->variant, ranked[i].method->config};
    append(choice, &method, NAN, ranked[i].extrapolated);
  }
}

void dcs_choose(const dcs_mapper *m, const dcs_size *size, double spacing, dcs_choice *choice) {
  choice->n = 0;
  choice->family = NULL;
  choice->by_reference = choice->too_wide = false;
  choice->scope = m->engines[DCS_GPU] ? DCS_WARM : DCS_FIRST;
  if (m->only.variant) {
    append(choice, &m->only, NAN, false);
    return;
  }
  if (m->use_dispatch) choose_by_table(m, size, spacing, choice);
  if (m->device && !m->gpu_refused) append_shipped(m, size, spacing, choice);
  if (m->device && !m->gpu_refused) append_ladder(m, size, spacing, DCS_GPU, choice);
  append_ladder(m, size, spacing, DCS_CPU, choice);
}

/* ---- request ---- */

dcs_config dcs_request_problem(const dcs_map_request *r) {
  const int64_t n[3] = {r->nx, r->ny, r->nz};
  dcs_config problem = dcs_initial_problem(dcs_kinds[0]);
  problem.value[DCS_COULOMB_CUTOFF] = r->cutoff;
  problem.value[DCS_COULOMB_TOLERANCE] = r->tolerance;
  if (r->cutoff > 0)
    problem.value[DCS_COULOMB_SWITCHING] = r->switched ? DCS_SWITCHING_C2 : DCS_SWITCHING_NONE;
  if (!r->periodic) return problem;
  problem.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  for (int d = 0; d < 3; d++) /* also where the map is computed in parts */
    problem.value[DCS_COULOMB_CELL_X + d] = r->cell[d] > 0 ? r->cell[d] : (double)n[d] * r->spacing;
  return problem;
}

dcs_status dcs_request_check(const dcs_map_request *r) {
  if (r->n_atoms < 1)
    return dcs_fail(DCS_USAGE, "%lld atoms; a map needs at least 1", (long long)r->n_atoms);
  DCS_TRY(dcs_check_spacing(r->spacing));
  DCS_TRY(dcs_check_grid((dcs_dims){r->nx, r->ny, r->nz}));
  if (!(r->cutoff == 0 || (r->cutoff >= 1e-6 && r->cutoff <= 1e6)))
    return dcs_fail(DCS_USAGE, "cutoff %g; it must be 0 for none, or 1e-6 to 1e6 angstrom",
                    r->cutoff);
  if (!(r->tolerance == 0 || (r->tolerance >= 1e-12 && r->tolerance <= 0.5)))
    return dcs_fail(DCS_USAGE, "tolerance %g; it must be 0 for none, or 1e-12 to 0.5",
                    r->tolerance);
  for (int d = 0; d < 3; d++)
    if (!(r->cell[d] == 0 || (r->cell[d] >= 0.1 && r->cell[d] <= 1e6)))
      return dcs_fail(DCS_USAGE,
                      "cell[%d] is %g; it must be 0 for what the grid spans, or 0.1 to 1e6 "
                      "angstrom",
                      d, r->cell[d]);
  for (int d = 0; d < 3; d++)
    if (r->cell[d] != 0 && !r->periodic)
      return dcs_fail(DCS_USAGE, "cell[%d] is %g and periodic 0; expected periodic 1, or no cell",
                      d, r->cell[d]);
  if (r->switched && r->cutoff == 0)
    return dcs_fail(DCS_USAGE, "switched is %d and cutoff 0; expected a cutoff, or switched 0",
                    r->switched);
  dcs_config problem = dcs_request_problem(r);
  char why[DCS_TEXT];
  if (!dcs_kinds[0]->canonical(&problem, why)) return dcs_fail(DCS_USAGE, "%s", why);
  for (int d = 0; d < 3; d++)
    if (!(fabs(r->origin[d]) <= 1e12))
      return dcs_fail(DCS_USAGE, "origin[%d] is %g; expected a finite place", d, r->origin[d]);
  return DCS_OK;
}

/* Number i of an atom: x, y, z, q. */
static double value_of(const dcs_map_request *r, int64_t a, int i) {
  return r->atoms ? r->atoms[4 * a + i] : (double)r->atoms_float[4 * a + i];
}

static dcs_status bad_atom(const dcs_map_request *r, int64_t a) {
  int i = 0;
  while (dcs_within_1e12(value_of(r, a, i)))
    i++;
  return dcs_fail(DCS_USAGE, "atom %lld: %c is %g; expected a number within 1e12", (long long)a,
                  "xyzq"[i], value_of(r, a, i));
}

/* Atoms of the request as sites from its origin. */
static dcs_status take_sites(const dcs_map_request *r, dcs_site *sites) {
  int64_t bad = r->n_atoms; /* the first */
#pragma omp parallel for reduction(min : bad) if (r->n_atoms > 20000)
  for (int64_t a = 0; a < r->n_atoms; a++) {
    const double x = value_of(r, a, 0), y = value_of(r, a, 1), z = value_of(r, a, 2),
                 q = value_of(r, a, 3);
    if (!(dcs_within_1e12(x) && dcs_within_1e12(y) && dcs_within_1e12(z) && dcs_within_1e12(q)) &&
        a < bad)
      bad = a;
    sites[a] = (dcs_site){x - r->origin[0], y - r->origin[1], z - r->origin[2], q, 0};
  }
  return bad < r->n_atoms ? bad_atom(r, bad) : DCS_OK;
}

static dcs_size size_of(const dcs_map_request *r) {
  return (dcs_size){.kind = dcs_kinds[0],
                    .config = dcs_request_problem(r),
                    .axes = {r->n_atoms, r->nx, r->ny, r->nz}};
}

/* Into the handle's case, whose memory is kept from map to map. */
static dcs_status build_case(dcs_mapper *m, const dcs_map_request *r) {
  DCS_TRY(dcs_request_check(r));
  if (!r->atoms == !r->atoms_float)
    return dcs_fail(DCS_USAGE, "exactly one of atoms and atoms_float must be given");
  dcs_grid grid = {.n = {r->nx, r->ny, r->nz},
                   .spacing = r->spacing,
                   .has_origin = true,
                   .origin = {r->origin[0], r->origin[1], r->origin[2]}};
  const dcs_config problem = dcs_request_problem(r);
  const dcs_molecule whole = {NULL, r->n_atoms}; /* the grid leaves nothing open */
  DCS_TRY(dcs_case_grid(&whole, &grid));
  DCS_TRY(dcs_case_begin(dcs_kinds[0], r->n_atoms, &grid, &m->c));
  DCS_TRY(take_sites(r, m->c.sites));
  return dcs_case_end(&problem, &m->c);
}

/* ---- map ---- */

void dcs_mapper_change_inputs(dcs_mapper *m) {
  m->device_slices = 0;
  m->ready[DCS_CPU].same_inputs = m->ready[DCS_GPU].same_inputs = false;
}

/* Methods look at their inputs more than once before they compute: what a tolerance is relative to
 * is found here, for all of them and for slabs of the map. */
dcs_status dcs_mapper_pose(dcs_mapper *m, const dcs_map_request *r) {
  dcs_problem *problem = &m->c.problem;
  dcs_mapper_change_inputs(m);
  DCS_TRY(build_case(m, r));
  if (r->tolerance == 0 || dcs_map_scale(problem, m->threads, &problem->scale)) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for a sample of the map");
}

/* Kinds of maps to a tolerance are posed by requests, which know its scale. */
dcs_status dcs_mapper_pose_case(dcs_mapper *m, dcs_case *c) {
  dcs_mapper_change_inputs(m);
  dcs_case_free(&m->c);
  m->c = *c;
  *c = (dcs_case){0};
  m->ready[DCS_CPU] = m->ready[DCS_GPU] = (dcs_ready){0};
  return DCS_OK;
}

dcs_status dcs_mapper_again(dcs_mapper *m, float *map) {
  dcs_mapper_change_inputs(m);
  return dcs_mapper_slices(m, 0, m->c.problem.n.z, map);
}

typedef struct {
  dcs_mapper *m;
  const dcs_map_request *request;
  float *map;
} map_job;

static dcs_status make_map(void *data) {
  const map_job *job = data;
  DCS_TRY(dcs_mapper_pose(job->m, job->request));
  return dcs_mapper_slices(job->m, 0, job->m->c.problem.n.z, job->map);
}

int dcs_map(dcs_mapper *m, const dcs_map_request *request, float *map) {
  map_job job = {m, request, map};
  DCS_TRY(dcs_need(m, "mapper"));
  DCS_TRY(dcs_need(request, "request"));
  DCS_TRY(dcs_need(map, "map"));
  pthread_mutex_lock(&m->lock);
  dcs_mapper_leave_parent(m);
  const dcs_status status = dcs_team_run(m->threads, make_map, &job);
  pthread_mutex_unlock(&m->lock);
  return status;
}

typedef struct {
  dcs_mapper *m;
  dcs_phases *phases;
} phases_job;

static dcs_status time_phases(void *data) {
  const phases_job *job = data;
  dcs_engine *engine = job->m->last;
  if (!engine || !engine->time_phases) return DCS_OK;
  return engine->time_phases(engine, 0, job->phases) == DCS_OUTCOME_OK ? DCS_OK : DCS_FAILED;
}

dcs_status dcs_map_phases(dcs_mapper *m, dcs_phases *phases) {
  phases_job job = {m, phases};
  return dcs_team_run(m->threads, time_phases, &job);
}

double dcs_map_method_ns(const dcs_mapper *m) {
  if (!m) return 0;
  pthread_mutex_t *lock = (pthread_mutex_t *)&m->lock;
  pthread_mutex_lock(lock);
  const double ns = m->method_ns;
  pthread_mutex_unlock(lock);
  return ns;
}

/* ---- explanation ---- */

/* A text that explains, and its room. */
typedef struct {
  char *text;
  size_t size;
} writer;

#define say(w, ...) dcs_append((w)->text, (w)->size, __VA_ARGS__)

static void say_method(writer *w, const dcs_chosen *chosen) {
  const dcs_method *method = &chosen->method;
  char config[DCS_TEXT];
  say(w, "%s %s on the %s", method->variant->id,
      dcs_format_config(method->variant, &method->config, config),
      method->variant->backend == DCS_CPU ? "CPU" : "GPU");
  if (!isnan(chosen->ns))
    say(w, ", %.4g ms expected%s", 1e-6 * chosen->ns,
        chosen->extrapolated ? " (extrapolated: beyond the sizes that it was measured at)" : "");
}

static void say_loss(writer *w, const char *what, const dcs_loss *loss) {
  if (loss->sizes > 0)
    say(w, "%s %.1f%% in the mean, %.1f%% at the 95th percentile, %.1f%% at worst (%lld sizes)",
        what, 100 * loss->mean, 100 * loss->p95, 100 * loss->worst, (long long)loss->sizes);
}

static void say_table(writer *w, const dcs_mapper *m, const dcs_choice *choice) {
  const dcs_dispatch_table *table =
      &choice->family->tables[dcs_dispatch_scope_index(choice->scope)];
  char text[DCS_TEXT];
  say(w, "\ndispatch table: %s, of %s, scope %s, %s", m->dispatch_path,
      m->dispatch.facts[DCS_FOR_DATE], dcs_scope_name(choice->scope),
      dcs_dispatch_text(choice->family, text));
  say_loss(w, "; at sizes held out it lost", &table->loss);
  say_loss(w, "; what is fastest at the nearest size loses", &table->nearest);
}

/* A table of direct sums, or of other cutoffs, does not decide within this one. */
static void say_no_method(writer *w, const dcs_mapper *m, const dcs_size *size) {
  const dcs_dispatch_family *family = dcs_dispatch_find(&m->dispatch, size->kind, &size->config);
  char text[DCS_TEXT];
  dcs_format_problem(size->kind, &size->config, text);
  say(w, "\nthe dispatch table has no method for %s%s%s", size->kind->id, *text ? ", " : "", text);
  if (family) say(w, ": it was measured at %s", dcs_dispatch_text(family, text));
}

static void say_why(writer *w, const dcs_mapper *m, const dcs_size *size,
                    const dcs_choice *choice) {
  if (choice->family)
    say_table(w, m, choice);
  else if (*m->miss)
    say(w, "\ndispatch table not used: %s", m->miss);
  else if (choice->too_wide)
    say(w, "\nno method of the dispatch table for this takes %d threads or fewer", m->threads);
  else if (m->dispatch_path)
    say_no_method(w, m, size);
  else
    say(w, "\nno dispatch table");
  if (choice->by_reference)
    say(w, "; what took least on the reference's %s, of the same compute capability",
        m->shipped.facts[DCS_FOR_GPU]);
  else if (!choice->family)
    say(w, "; the highest rung of the ladder that runs here");
  if (choice->family && choice->too_wide)
    say(w, "\nthe table's methods of more than %d threads are not used", m->threads);
  if (*m->gpu_why) say(w, "\nGPU: %s", m->gpu_why);
  for (int i = 0; i < m->n_checked; i++)
    if (!m->checked[i].good)
      say(w, "\nnot used, failed its check: %s: %s", m->checked[i].method.variant->id,
          m->checked[i].why);
}

/* Whether devices of the mapper's kind run what the kernel is written with, though none is open. */
static bool can_run(const dcs_mapper *m, const dcs_method *method) {
  const dcs_device_kind *kind = dcs_device_kind_of(m->device);
  dcs_kernel_source source;
  if (method->variant->backend != DCS_GPU || !kind || !kind->can_run) return true;
  if (dcs_kernel_source_open(method->variant, &method->config, NULL, &source) != DCS_OK)
    return false;
  const dcs_status status = kind->can_run(&source.source);
  dcs_kernel_source_free(&source);
  return status == DCS_OK;
}

/* The first of the choice that has not failed its check, and will not. */
static int first_good(const dcs_mapper *m, const dcs_choice *choice, int from) {
  for (int i = from; i < choice->n; i++) {
    bool bad = !can_run(m, &choice->list[i].method);
    for (int k = 0; k < m->n_checked; k++)
      bad |= !m->checked[k].good && dcs_same_method(&m->checked[k].method, &choice->list[i].method);
    if (!bad) return i;
  }
  return choice->n;
}

static void say_size(writer *w, const dcs_size *size) {
  const dcs_dims n = dcs_size_points(size);
  const double cutoff = size->config.value[DCS_COULOMB_CUTOFF];
  char text[DCS_TEXT];
  say(w, "%lld atoms, %lldx%lldx%lld points, ", (long long)dcs_size_inputs(size), (long long)n.x,
      (long long)n.y, (long long)n.z);
  if (size->kind != dcs_kinds[0])
    say(w, "%s%s%s, ", size->kind->id,
        *dcs_format_problem(size->kind, &size->config, text) ? ", " : "", text);
  else if (cutoff > 0)
    say(w, "within a cutoff of %g angstrom, ", cutoff);
}

static void explain(dcs_mapper *m, const dcs_size *size_asked, double spacing, char *text,
                    size_t size) {
  writer w = {text, size};
  dcs_choice choice;
  dcs_mapper_leave_parent(m);
  dcs_choose(m, size_asked, spacing, &choice);
  int pick = first_good(m, &choice, 0), next = first_good(m, &choice, pick + 1);
  text[0] = '\0';
  say_size(&w, size_asked);
  say(&w, "in host memory: ");
  if (pick < choice.n)
    say_method(&w, &choice.list[pick]);
  else
    say(&w, "no method can compute this here");
  if (next < choice.n && !isnan(choice.list[next].ns)) {
    say(&w, "\nnext best: ");
    say_method(&w, &choice.list[next]);
  }
  say_why(&w, m, size_asked, &choice);
  say(&w, "\n");
}

void dcs_mapper_explain(dcs_mapper *m, const dcs_size *size, double spacing, char *text,
                        size_t length) {
  pthread_mutex_lock(&m->lock);
  explain(m, size, spacing, text, length);
  pthread_mutex_unlock(&m->lock);
}

int dcs_explain(dcs_mapper *m, const dcs_map_request *r, char *text, size_t size) {
  DCS_TRY(dcs_need(m, "mapper"));
  DCS_TRY(dcs_need(r, "request"));
  if (size > 0) DCS_TRY(dcs_need(text, "text"));
  DCS_TRY(dcs_request_check(r));
  if (size == 0) return DCS_OK; /* no room for a text, which may then be NULL */
  const dcs_size asked = size_of(r);
  dcs_mapper_explain(m, &asked, r->spacing, text, size);
  return DCS_OK;
}
