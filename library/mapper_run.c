/* Computing by a method in this process, and checking a method before its first use. */
#include "library/mapper.h"

#include "harness/judge/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the engine still holds a problem of this size, at this place. */
static bool is_ready(const dcs_ready *r, const dcs_problem *p, const float *map) {
  return r->problem.atoms && r->map == map && r->problem.n_atoms == p->n_atoms &&
         r->problem.n.x == p->n.x && r->problem.n.y == p->n.y && r->problem.n.z == p->n.z &&
         r->problem.spacing == p->spacing && r->problem.cutoff == p->cutoff &&
         r->problem.smooth == p->smooth;
}

/* The handle's own copy of the atoms stays where it is from map to map, so that an engine that is
 * ready for the size need not be told of it. */
static dcs_status take_atoms(dcs_mapper *m, const dcs_problem *problem) {
  size_t bytes = (size_t)problem->n_atoms * sizeof *m->atoms;
  if (problem->n_atoms > m->atoms_room) {
    m->ready[DCS_CPU] = m->ready[DCS_CUDA] = (dcs_ready){0};
    free(m->atoms);
    m->atoms_room = 0;
    m->atoms = malloc(bytes);
    if (!m->atoms)
      return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)problem->n_atoms);
    m->atoms_room = problem->n_atoms;
  }
  memcpy(m->atoms, problem->atoms, bytes);
  return DCS_OK;
}

static dcs_outcome make_ready(dcs_mapper *m, dcs_engine *engine, const dcs_method *method,
                              const dcs_problem *problem, float *map) {
  dcs_ready *ready = &m->ready[method->variant->backend];
  dcs_code_facts facts;
  if (!is_ready(ready, problem, map)) {
    *ready = (dcs_ready){*problem, map, {0}};
    ready->problem.atoms = m->atoms;
    dcs_outcome outcome = engine->problem(engine, &ready->problem, map);
    if (outcome != DCS_OUTCOME_OK) {
      *ready = (dcs_ready){0};
      return outcome;
    }
  }
  if (ready->method.variant && dcs_same_method(&ready->method, method)) return DCS_OUTCOME_OK;
  ready->method.variant = NULL;
  dcs_outcome outcome = engine->prepare(engine, 0, method->variant, &method->config, &facts);
  if (outcome == DCS_OUTCOME_OK)
    ready->method = *method;
  else
    *ready = (dcs_ready){0};
  return outcome;
}

dcs_status dcs_mapper_run(dcs_mapper *m, const dcs_method *method, const dcs_problem *problem,
                          float *map) {
  dcs_engine *engine;
  char why[DCS_TEXT];
  if (!dcs_variant_available(method->variant, why) ||
      !dcs_applicable(method->variant, problem, &method->config, why))
    return dcs_fail(DCS_UNAVAILABLE, "%s", why);
  DCS_TRY(dcs_mapper_engine(m, method->variant->backend, &engine));
  DCS_TRY(take_atoms(m, problem));
  dcs_outcome outcome = make_ready(m, engine, method, problem, map);
  bool timed = !engine->device || engine->device->timed;
  if (outcome == DCS_OUTCOME_OK)
    outcome =
        engine->run(engine, 0, timed ? DCS_WARM : DCS_UNTIMED, DCS_PAGEABLE, 1, &m->method_ns);
  if (outcome == DCS_OUTCOME_OK) return DCS_OK;
  char message[1024];
  snprintf(message, sizeof message, "%s", dcs_error_message());
  if (outcome == DCS_OUTCOME_LAUNCH) dcs_mapper_drop_gpu(m, message);
  return dcs_fail(outcome == DCS_OUTCOME_MEMORY ? DCS_UNAVAILABLE : DCS_FAILED, "%s", message);
}

/* ---- check ---- */

#define CHECK_CUTOFF 2.3 /* angstrom, of a box of 11 x 6 x 1.5 */
enum { CHECK_ATOMS = 37, CHECK_X = 31, CHECK_Y = 17, CHECK_Z = 5 };

static dcs_status check_on(dcs_mapper *m, const dcs_method *method, const dcs_case *c) {
  static const int points = CHECK_X * CHECK_Y * CHECK_Z;
  dcs_reference reference;
  float *map = malloc((size_t)points * sizeof *map);
  if (!map) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d points", points);
  for (int i = 0; i < points; i++)
    map[i] = NAN;
  dcs_status status = dcs_mapper_run(m, method, &c->problem, map);
  m->ready[method->variant->backend].map = NULL; /* it goes; the next problem is another */
  if (status == DCS_OK)
    status = dcs_oracle_for(method->variant, c, (int64_t)points * CHECK_ATOMS, &reference);
  if (status == DCS_OK) {
    dcs_repair(c->near, c->n_near, method->variant->cutoff, map);
    dcs_verdict v =
        dcs_check(&reference, map, method->variant->longest_sum(&c->problem, &method->config));
    dcs_reference_free(&reference);
    if (!v.accepted)
      status = dcs_fail(DCS_FAILED, "the map is wrong: found %g, expected %g", v.found, v.expected);
  }
  free(map);
  return status;
}

static dcs_checked *add_checked(dcs_mapper *m, const dcs_method *method) {
  dcs_checked *list = realloc(m->checked, (size_t)(m->n_checked + 1) * sizeof *list);
  if (!list) return NULL;
  m->checked = list;
  list[m->n_checked] = (dcs_checked){.method = *method};
  return &list[m->n_checked++];
}

dcs_status dcs_mapper_check(dcs_mapper *m, const dcs_method *method) {
  const dcs_grid grid = {.n = {CHECK_X, CHECK_Y, CHECK_Z}, .spacing = 0.37};
  dcs_case c;
  for (int i = 0; i < m->n_checked; i++)
    if (dcs_same_method(&m->checked[i].method, method))
      return m->checked[i].good ? DCS_OK : dcs_fail(DCS_FAILED, "%s", m->checked[i].why);
  DCS_TRY(dcs_case_random(CHECK_ATOMS, &grid, 1, &c));
  if (method->variant->cutoff) dcs_case_set_cutoff(&c, CHECK_CUTOFF, DCS_SMOOTH_C2);
  dcs_status status = check_on(m, method, &c);
  dcs_case_free(&c);
  dcs_checked *checked = add_checked(m, method);
  if (!checked) return dcs_fail(DCS_UNAVAILABLE, "no memory for a method");
  checked->good = status == DCS_OK;
  snprintf(checked->why, sizeof checked->why, "%s", checked->good ? "" : dcs_error_message());
  return status;
}
