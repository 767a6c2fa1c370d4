/* dcs_map() and dcs_explain(): the choice, and the map by it. */
#include "library/mapper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choice ---- */

static void append(dcs_choice *choice, const dcs_variant *variant, const dcs_config *config,
                   double ns) {
  if (choice->n == (int)(sizeof choice->list / sizeof choice->list[0])) return;
  choice->list[choice->n] = (dcs_method){.variant = variant, .config = *config};
  choice->ns[choice->n++] = ns;
}

/* The ladder from its top, without what cannot run. */
static void append_ladder(const dcs_mapper *m, const dcs_problem *problem, dcs_backend backend,
                          dcs_choice *choice) {
  for (int v = dcs_n_variants - 1; v >= 0; v--) {
    const dcs_variant *variant = dcs_variants[v];
    dcs_config config = dcs_initial_config(variant, m->cpus);
    char why[DCS_TEXT];
    if (variant->backend == backend && variant->cutoff == (problem->cutoff > 0) &&
        dcs_variant_available(variant, why) && dcs_applicable(variant, problem, &config, why))
      append(choice, variant, &config, NAN);
  }
}

static bool has_backend(const dcs_dispatch_table *table, dcs_backend backend) {
  for (int i = 0; i < table->n; i++)
    if (table->list[i].variant->backend == backend) return true;
  return false;
}

/* Both lie in host memory: warm once the GPU is open, first before; warm also where a cold start
 * was not measured. */
static void choose_by_record(const dcs_mapper *m, const dcs_problem *problem, dcs_choice *choice) {
  const dcs_dispatch_table *tables = m->dispatch.tables[dcs_dispatch_sum(problem)];
  const dcs_dispatch_table *warm = &tables[1], *first = &tables[2];
  const bool usable[2] = {[DCS_CPU] = true, [DCS_CUDA] = !m->gpu_refused};
  int order[DCS_DISPATCH_MOST];
  double ns[DCS_DISPATCH_MOST];
  bool cold = !m->engines[DCS_CUDA] && has_backend(first, DCS_CUDA);
  choice->table = cold ? first : warm;
  choice->scope = cold ? DCS_FIRST : DCS_WARM;
  int n = dcs_dispatch_rank(choice->table, problem, usable, order, ns);
  for (int i = 0; i < n; i++) {
    const dcs_dispatch_method *method = &choice->table->list[order[i]];
    append(choice, method->variant, &method->config, ns[i]);
  }
  if (n == 0) choice->table = NULL;
}

void dcs_choose(const dcs_mapper *m, const dcs_problem *problem, dcs_choice *choice) {
  choice->n = 0;
  choice->table = NULL;
  choice->scope = m->engines[DCS_CUDA] ? DCS_WARM : DCS_FIRST;
  if (m->use_record) choose_by_record(m, problem, choice);
  if (m->device && !m->gpu_refused) append_ladder(m, problem, DCS_CUDA, choice);
  append_ladder(m, problem, DCS_CPU, choice);
}

/* ---- request ---- */

static dcs_status check_request(const dcs_map_request *r) {
  if (r->n_atoms < 1)
    return dcs_fail(DCS_USAGE, "%lld atoms; a map needs at least 1", (long long)r->n_atoms);
  if (!(r->spacing > 0 && r->spacing <= 1e7))
    return dcs_fail(DCS_USAGE, "spacing %g; it must be above 0 and at most 1e7 angstrom",
                    r->spacing);
  if (r->nx < 1 || r->ny < 1 || r->nz < 1)
    return dcs_fail(DCS_USAGE,
                    "grid %lldx%lldx%lld has no points; every dimension must be at least 1",
                    (long long)r->nx, (long long)r->ny, (long long)r->nz);
  if (!(r->cutoff == 0 || (r->cutoff >= 1e-6 && r->cutoff <= 1e6)))
    return dcs_fail(DCS_USAGE, "cutoff %g; it must be 0 for none, or 1e-6 to 1e6 angstrom",
                    r->cutoff);
  for (int d = 0; d < 3; d++)
    if (!(fabs(r->origin[d]) <= 1e12))
      return dcs_fail(DCS_USAGE, "origin[%d] is %g; expected a finite place", d, r->origin[d]);
  return DCS_OK;
}

static dcs_status take_sites(const dcs_map_request *r, dcs_site *sites) {
  for (int64_t a = 0; a < r->n_atoms; a++) {
    double v[4];
    for (int i = 0; i < 4; i++) {
      v[i] = r->atoms ? r->atoms[4 * a + i] : (double)r->atoms_float[4 * a + i];
      if (!(fabs(v[i]) <= 1e12))
        return dcs_fail(DCS_USAGE, "atom %lld: %c is %g; expected a number within 1e12",
                        (long long)a, "xyzq"[i], v[i]);
    }
    sites[a] = (dcs_site){v[0], v[1], v[2], v[3], 0};
  }
  return DCS_OK;
}

static dcs_status grow_sites(dcs_mapper *m, int64_t n) {
  if (n <= m->sites_room) return DCS_OK;
  free(m->sites);
  m->sites_room = 0;
  m->sites =
      n <= PTRDIFF_MAX / (int64_t)sizeof *m->sites ? malloc((size_t)n * sizeof *m->sites) : NULL;
  if (!m->sites) return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)n);
  m->sites_room = n;
  return DCS_OK;
}

static dcs_smooth smooth_of(const dcs_map_request *r) {
  return r->smooth ? DCS_SMOOTH_C2 : DCS_SMOOTH_NONE;
}

/* The caller frees the case. */
static dcs_status build_case(dcs_mapper *m, const dcs_map_request *r, dcs_case *c) {
  DCS_TRY(check_request(r));
  if (!r->atoms == !r->atoms_float)
    return dcs_fail(DCS_USAGE, "exactly one of atoms and atoms_float must be given");
  dcs_grid grid = {.n = {r->nx, r->ny, r->nz}, .spacing = r->spacing, .has_origin = true};
  memcpy(grid.origin, r->origin, sizeof grid.origin);
  DCS_TRY(grow_sites(m, r->n_atoms));
  DCS_TRY(take_sites(r, m->sites));
  DCS_TRY(dcs_case_build(&(dcs_molecule){m->sites, r->n_atoms}, &grid, c));
  if (r->cutoff > 0) dcs_case_set_cutoff(c, r->cutoff, smooth_of(r));
  return DCS_OK;
}

/* ---- map ---- */

/* Tries the methods in turn. Opening the GPU may change what is best, so the choice is made anew.
 */
static dcs_status compute(dcs_mapper *m, const dcs_case *c, float *map) {
  dcs_choice choice;
  dcs_status status = dcs_fail(DCS_UNAVAILABLE, "no method can compute this map here");
  dcs_choose(m, &c->problem, &choice);
  if (choice.n > 0 && choice.list[0].variant->backend == DCS_CUDA && !m->engines[DCS_CUDA]) {
    (void)dcs_mapper_open_gpu(m); /* where it fails, what is left is the CPU */
    dcs_choose(m, &c->problem, &choice);
  }
  for (int i = 0; i < choice.n; i++) {
    status = dcs_mapper_check(m, &choice.list[i]);
    if (status == DCS_OK) status = dcs_mapper_run(m, &choice.list[i], &c->problem, map);
    if (status == DCS_OK) return DCS_OK;
  }
  return status;
}

int dcs_map(dcs_mapper *m, const dcs_map_request *request, float *map) {
  dcs_case c;
  DCS_TRY(build_case(m, request, &c));
  dcs_status status = compute(m, &c, map);
  if (status == DCS_OK) dcs_repair(c.near, c.n_near, c.problem.cutoff > 0, map);
  dcs_case_free(&c);
  return status;
}

double dcs_map_method_ns(const dcs_mapper *m) {
  return m->method_ns;
}

/* ---- explanation ---- */

typedef struct {
  char *text;
  size_t size, used;
} writer;

static void say(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = w->used < w->size ? vsnprintf(w->text + w->used, w->size - w->used, format, args) : 0;
  va_end(args);
  if (n > 0) w->used += (size_t)n;
}

static void say_method(writer *w, const dcs_choice *choice, int i) {
  const dcs_method *method = &choice->list[i];
  char config[DCS_TEXT];
  say(w, "%s %s on the %s", method->variant->id,
      dcs_format_config(method->variant, &method->config, config),
      method->variant->backend == DCS_CPU ? "CPU" : "GPU");
  if (!isnan(choice->ns[i])) say(w, ", %.4g ms expected", 1e-6 * choice->ns[i]);
}

static void say_record(writer *w, const dcs_mapper *m, const dcs_choice *choice, int sum) {
  const dcs_regret *r = &choice->table->regret;
  char cutoffs[DCS_TEXT];
  say(w, "\nrecord: %s, of %s, scope %s", m->record, m->dispatch.facts[DCS_FOR_DATE],
      dcs_scope_name(choice->scope));
  if (sum > 0)
    say(w, ", %s, measured at %s", dcs_dispatch_sum_names[sum],
        dcs_dispatch_cutoffs(&m->dispatch, sum, cutoffs));
  if (r->cells > 0)
    say(w, "; at %lld sizes held out it lost %.1f%% in the mean, %.1f%% at worst",
        (long long)r->cells, 100 * r->mean, 100 * r->worst);
}

/* A record of whole sums, or of other cutoffs, does not decide within this one. */
static void say_no_method(writer *w, const dcs_mapper *m, const dcs_problem *problem, int sum) {
  char cutoffs[DCS_TEXT];
  say(w, "\nthe record has no method for %s", sum == 0 ? "this" : "sums ");
  if (sum == 0) return;
  say(w, "%s", dcs_dispatch_sum_names[sum]);
  if (*dcs_dispatch_cutoffs(&m->dispatch, sum, cutoffs))
    say(w, ", near %g angstrom: it was measured at %s", (double)problem->cutoff, cutoffs);
}

static void say_why(writer *w, const dcs_mapper *m, const dcs_problem *problem,
                    const dcs_choice *choice) {
  const int sum = dcs_dispatch_sum(problem);
  if (choice->table)
    say_record(w, m, choice, sum);
  else if (*m->miss)
    say(w, "\nrecord not used: %s", m->miss);
  else if (m->record)
    say_no_method(w, m, problem, sum);
  else
    say(w, "\nno record");
  if (!choice->table) say(w, "; the highest rung of the ladder that runs here");
  if (*m->gpu_why) say(w, "\nGPU: %s", m->gpu_why);
  for (int i = 0; i < m->n_checked; i++)
    if (!m->checked[i].good)
      say(w, "\nnot used, failed its check: %s: %s", m->checked[i].method.variant->id,
          m->checked[i].why);
}

/* The first of the choice that has not failed its check. */
static int first_good(const dcs_mapper *m, const dcs_choice *choice, int from) {
  for (int i = from; i < choice->n; i++) {
    bool bad = false;
    for (int k = 0; k < m->n_checked; k++)
      bad |= !m->checked[k].good && m->checked[k].method.variant == choice->list[i].variant &&
             memcmp(&m->checked[k].method.config, &choice->list[i].config, sizeof(dcs_config)) == 0;
    if (!bad) return i;
  }
  return choice->n;
}

int dcs_explain(dcs_mapper *m, const dcs_map_request *r, char *text, size_t size) {
  writer w = {text, size, 0};
  dcs_choice choice;
  DCS_TRY(check_request(r));
  const dcs_problem problem = {.n_atoms = r->n_atoms,
                               .n = {r->nx, r->ny, r->nz},
                               .spacing = (float)r->spacing,
                               .cutoff = (float)r->cutoff,
                               .smooth = smooth_of(r)};
  dcs_choose(m, &problem, &choice);
  int pick = first_good(m, &choice, 0), next = first_good(m, &choice, pick + 1);
  if (size > 0) text[0] = '\0';
  say(&w, "%lld atoms, %lldx%lldx%lld points, ", (long long)r->n_atoms, (long long)r->nx,
      (long long)r->ny, (long long)r->nz);
  if (r->cutoff > 0) say(&w, "within a cutoff of %g angstrom, ", r->cutoff);
  say(&w, "in host memory: ");
  if (pick < choice.n)
    say_method(&w, &choice, pick);
  else
    say(&w, "no method can compute this here");
  if (next < choice.n && !isnan(choice.ns[next])) {
    say(&w, "\nnext best: ");
    say_method(&w, &choice, next);
  }
  say_why(&w, m, &problem, &choice);
  say(&w, "\n");
  return DCS_OK;
}
