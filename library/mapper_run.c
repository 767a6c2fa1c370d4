/* Computing by a method in this process, and checking a method before its first use. */
#include "library/mapper.h"

#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/judge/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the engine still holds a slab of such a grid and as many inputs, where these lie; those
 * that slabs have in common something of are the same, too. */
static bool holds_grid(const dcs_ready *r, const dcs_problem *p) {
  return r->shape.input[0] && r->shape.input[0] == p->input[0] &&
         r->shape.n_inputs == p->n_inputs && r->shape.n.x == p->n.x && r->shape.n.y == p->n.y &&
         r->shape.spacing == p->spacing && r->shape.grid_slices == p->grid_slices &&
         (p->grid_slices == 0 || r->same_inputs);
}

/* And this very slab. */
static bool is_ready(const dcs_ready *r, const dcs_problem *p) {
  return holds_grid(r, p) && r->shape.n.z == p->n.z && r->shape.first_slice == p->first_slice;
}

static bool is_prepared(const dcs_ready *r, const dcs_method *method, const dcs_problem *problem) {
  return r->method.variant && dcs_same_method(&r->method, method) &&
         dcs_same_problem(dcs_kind_of(method->variant), &r->shape.config, &problem->config);
}

/* Whether it goes on from another slab of the same grid. */
static bool is_next_slab(const dcs_ready *r, const dcs_method *method, const dcs_problem *p) {
  return p->grid_slices > 0 && holds_grid(r, p) && !is_ready(r, p) && is_prepared(r, method, p);
}

bool dcs_mapper_has_times(const dcs_engine *engine) {
  return engine->n_devices == 0 || engine->devices[0]->timed;
}

/* The inputs that the engine stands ready for are others now. */
static dcs_outcome look_again(dcs_engine *engine, const dcs_method *method,
                              const dcs_problem *problem) {
  dcs_plan plan;
  char why[DCS_TEXT];
  method->variant->plan(problem, &method->config, &plan);
  if (!plan.incomplete) return engine->replan(engine, 0, problem, &plan);
  if (dcs_applicable(method->variant, problem, &method->config, why)) why[0] = '\0';
  (void)dcs_fail(DCS_UNAVAILABLE, "%s", why);
  return DCS_OUTCOME_INAPPLICABLE;
}

static dcs_outcome go_on(dcs_engine *engine, dcs_ready *ready, const dcs_problem *problem,
                         void *const out[DCS_MAX_BUFFERS]) {
  const dcs_method *method = &ready->method;
  dcs_plan plan;
  ready->shape = *problem;
  if (method->variant->plan) method->variant->plan(problem, &method->config, &plan);
  const dcs_outcome outcome = engine->move(engine, 0, &plan, out);
  if (outcome != DCS_OUTCOME_OK) *ready = (dcs_ready){0};
  return outcome;
}

static dcs_outcome make_ready(dcs_mapper *m, dcs_engine *engine, const dcs_method *method,
                              const dcs_problem *problem, float *map) {
  dcs_ready *ready = &m->ready[method->variant->backend];
  const dcs_kind *kind = dcs_kind_of(method->variant);
  dcs_code_facts facts;
  void *out[DCS_MAX_BUFFERS] = {NULL};
  out[dcs_map_of(kind)] = map;
  if (is_next_slab(ready, method, problem)) return go_on(engine, ready, problem, out);
  if (is_ready(ready, problem)) {
    ready->shape.scale = problem->scale; /* of other inputs */
    engine->redirect(engine, out);
  } else {
    *ready = (dcs_ready){.shape = *problem};
    dcs_outcome outcome = engine->take(engine, kind, &ready->shape, out);
    if (outcome != DCS_OUTCOME_OK) {
      *ready = (dcs_ready){0};
      return outcome;
    }
  }
  if (is_prepared(ready, method, problem))
    return method->variant->looks ? look_again(engine, method, problem) : DCS_OUTCOME_OK;
  ready->method.variant = NULL;
  ready->shape.config = problem->config;
  dcs_outcome outcome =
      engine->prepare(engine, 0, &problem->config, method->variant, &method->config, &facts);
  if (outcome == DCS_OUTCOME_OK)
    ready->method = *method;
  else
    *ready = (dcs_ready){0};
  return outcome;
}

/* The engine of a backend, opened if need be. */
static dcs_status open_engine(dcs_mapper *m, dcs_backend backend, dcs_engine **engine) {
  if (backend == DCS_GPU)
    DCS_TRY(dcs_mapper_open_gpu(m));
  else if (!m->engines[DCS_CPU])
    DCS_TRY(dcs_engine_cpu_open(false, &m->engines[DCS_CPU]));
  *engine = m->engines[backend];
  return DCS_OK;
}

/* Where one of several devices fails, the others compute the map without a time. */
static dcs_outcome run_method(dcs_mapper *m, dcs_engine *engine) {
  const bool timed = dcs_mapper_has_times(engine);
  dcs_outcome outcome = DCS_OUTCOME_LAUNCH;
  if (timed) outcome = engine->run(engine, 0, DCS_WARM, DCS_PAGEABLE, 1, &m->method_ns);
  if (!timed || (outcome == DCS_OUTCOME_LAUNCH && engine->n_devices > 1))
    outcome = engine->run(engine, 0, DCS_UNTIMED_WARM, DCS_PAGEABLE, 1, &m->method_ns);
  return outcome;
}

dcs_status dcs_mapper_run(dcs_mapper *m, const dcs_method *method, const dcs_problem *problem,
                          float *map) {
  dcs_engine *engine;
  char why[DCS_TEXT];
  m->outcome = DCS_OUTCOME_INAPPLICABLE;
  const dcs_ready *ready = &m->ready[method->variant->backend];
  const bool will_look =
      (method->variant->looks && is_ready(ready, problem) && is_prepared(ready, method, problem)) ||
      is_next_slab(ready, method, problem); /* once is enough */
  if (!dcs_variant_available(method->variant, why) ||
      (!will_look && !dcs_applicable(method->variant, problem, &method->config, why)))
    return dcs_fail(DCS_UNAVAILABLE, "%s", why);
  DCS_TRY(open_engine(m, method->variant->backend, &engine));
  dcs_outcome outcome = make_ready(m, engine, method, problem, map);
  if (outcome == DCS_OUTCOME_OK) outcome = run_method(m, engine);
  m->outcome = outcome;
  m->last = outcome == DCS_OUTCOME_OK ? engine : NULL;
  m->ready[method->variant->backend].same_inputs = outcome == DCS_OUTCOME_OK;
  if (engine->lost[0]) snprintf(m->gpu_why, sizeof m->gpu_why, "%s", engine->lost);
  if (outcome == DCS_OUTCOME_OK) return DCS_OK;
  char message[1024];
  snprintf(message, sizeof message, "%s", dcs_error_message());
  if (outcome == DCS_OUTCOME_LAUNCH) dcs_mapper_drop_gpu(m, message);
  return dcs_fail(outcome == DCS_OUTCOME_MEMORY ? DCS_UNAVAILABLE : DCS_FAILED, "%s", message);
}

/* ---- check ---- */

enum { CHECK_ATOMS = 37, CHECK_X = 31, CHECK_Y = 17, CHECK_Z = 5 };

static dcs_status check_on(dcs_mapper *m, const dcs_method *method, const dcs_case *c) {
  static const int points = CHECK_X * CHECK_Y * CHECK_Z;
  dcs_reference reference;
  float *map = malloc((size_t)points * sizeof *map);
  if (!map) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d points", points);
  for (int i = 0; i < points; i++)
    map[i] = NAN;
  dcs_status status = dcs_mapper_run(m, method, &c->problem, map);
  m->ready[method->variant->backend] = (dcs_ready){0}; /* its inputs go */
  if (status == DCS_OK) status = dcs_oracle(c, (int64_t)points * CHECK_ATOMS, &reference);
  if (status == DCS_OK) {
    dcs_apply_fixes(c->fixes, c->n_fixes, map);
    dcs_verdict v =
        dcs_check(&reference, map, method->variant->longest_sum(&c->problem, &method->config));
    dcs_reference_free(&reference);
    if (!v.accepted)
      status = dcs_fail(DCS_FAILED, "the map is wrong: found %g, expected %g", v.found, v.expected);
  }
  free(map);
  return status;
}

/* The last of the kind's list that the variant is to be tried on. */
static dcs_status pose_solved(const dcs_variant *variant, dcs_case *c) {
  for (const char *const *text = c->kind->verified; *text; text++) {
    dcs_config problem;
    DCS_TRY(dcs_parse_problem(c->kind, *text, &problem));
    if (dcs_tries(variant, &problem)) dcs_case_pose(c, &problem);
  }
  return DCS_OK;
}

dcs_status dcs_mapper_check(dcs_mapper *m, const dcs_method *method) {
  const dcs_grid grid = {.n = {CHECK_X, CHECK_Y, CHECK_Z}, .spacing = 0.37};
  dcs_case c;
  for (int i = 0; i < m->n_checked; i++)
    if (dcs_same_method(&m->checked[i].method, method))
      return m->checked[i].good ? DCS_OK : dcs_fail(DCS_FAILED, "%s", m->checked[i].why);
  DCS_TRY(dcs_case_random(dcs_kind_of(method->variant), NULL, CHECK_ATOMS, &grid, 1, &c));
  dcs_status status = pose_solved(method->variant, &c);
  if (status == DCS_OK) status = check_on(m, method, &c);
  dcs_case_free(&c);
  if (status != DCS_OK && dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  const bool good = status == DCS_OK;
  dcs_checked checked = {.method = *method, .good = good};
  if (!good) snprintf(checked.why, sizeof checked.why, "%s", dcs_error_message());
  DCS_TRY(dcs_grow(&m->checked, (size_t)m->n_checked, sizeof checked, "methods"));
  m->checked[m->n_checked++] = checked;
  return status;
}
