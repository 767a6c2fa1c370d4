/* The engine of several devices: problems and methods. */
#include "harness/engine/engine_several.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices that fail ---- */

static dcs_member *first_left(dcs_several *s) {
  for (int d = 0; d < s->n; d++)
    if (!s->members[d].gone) return &s->members[d];
  return NULL;
}

/* Adds to what is said of lost devices; what does not fit is cut. */
static void tell(dcs_several *s, dcs_member *member) {
  size_t used = strlen(s->engine.lost);
  member->told = true;
  snprintf(s->engine.lost + used, sizeof s->engine.lost - used,
           "%s%s failed, and its part was left to the others: %s", used ? "; " : "", member->label,
           member->why);
}

/* How a request ended: what did not compile does so nowhere; a failure counts when nobody is left.
 */
static dcs_outcome outcome_of(dcs_several *s) {
  const dcs_member *failed = NULL;
  for (int d = 0; d < s->n; d++) {
    dcs_member *member = &s->members[d];
    if (!member->gone && member->outcome != DCS_OUTCOME_OK) {
      (void)dcs_fail(DCS_FAILED, "%s: %s", member->label, member->why);
      return member->outcome;
    }
    if (member->gone) failed = member;
  }
  if (failed && !first_left(s)) {
    (void)dcs_fail(DCS_FAILED, "all devices failed, at last %s: %s", failed->label, failed->why);
    return failed->outcome;
  }
  for (int d = 0; d < s->n; d++)
    if (s->members[d].gone && !s->members[d].told) tell(s, &s->members[d]);
  return DCS_OUTCOME_OK;
}

/* ---- the engine ---- */

typedef struct {
  const dcs_kind *kind;
  const dcs_problem *shape;
  void *const *out;
  int slot;
  const dcs_config *problem;
  const dcs_variant *variant;
  const dcs_config *config;
} request;

static void take_on(dcs_several *s, dcs_member *member, void *arg) {
  const request *r = arg;
  (void)s;
  dcs_engine *engine = &member->e->engine;
  dcs_member_ended(member, engine->take(engine, r->kind, r->shape, r->out));
}

static dcs_outcome several_take(dcs_engine *engine, const dcs_kind *kind, const dcs_problem *shape,
                                void *const out[DCS_MAX_BUFFERS]) {
  dcs_several *s = (dcs_several *)engine;
  request r = {.kind = kind, .shape = shape, .out = out};
  s->kind = kind;
  s->shape = shape;
  dcs_each_member(s, 0, take_on, &r);
  return outcome_of(s);
}

static void several_redirect(dcs_engine *engine, void *const out[DCS_MAX_BUFFERS]) {
  dcs_several *s = (dcs_several *)engine;
  for (int d = 0; d < s->n; d++)
    if (!s->members[d].gone) s->members[d].e->engine.redirect(&s->members[d].e->engine, out);
}

static void prepare_on(dcs_several *s, dcs_member *member, void *arg) {
  const request *r = arg;
  (void)s;
  dcs_engine *engine = &member->e->engine;
  dcs_member_ended(
      member, engine->prepare(engine, r->slot, r->problem, r->variant, r->config, &member->facts));
}

/* What devices share is slices of outputs on the grid, each finished by one of them. */
static dcs_outcome check_shared(const dcs_several *s, const dcs_variant *variant,
                                const dcs_plan *plan) {
  const char *why = NULL, *of = "";
  if (variant->place) why = "has the host place the inputs and compute what overflows";
  if (!plan->slice_step && plan->launch_slices > 1 && plan->launch_slices >= s->shape->n.z)
    why = "computes the whole map in one launch";
  if (!dcs_ends_with_launches(plan)) why = "has steps after its launches";
  for (int b = 0; b < s->kind->n_buffers; b++) {
    if (!s->kind->buffers[b].output || dcs_on_grid(s->kind, b)) continue;
    of = s->kind->buffers[b].name;
    why = "computes an output on no grid: ";
  }
  if (!why) return DCS_OUTCOME_OK;
  (void)dcs_fail(DCS_FAILED, "%s %s%s, which %s cannot share", variant->id, why, of, s->text);
  return DCS_OUTCOME_INAPPLICABLE;
}

static dcs_outcome several_prepare(dcs_engine *engine, int slot, const dcs_config *problem,
                                   const dcs_variant *variant, const dcs_config *config,
                                   dcs_code_facts *facts) {
  dcs_several *s = (dcs_several *)engine;
  request r = {.slot = slot, .problem = problem, .variant = variant, .config = config};
  dcs_problem posed = *s->shape;
  dcs_plan plan;
  posed.config = *problem;
  variant->plan(&posed, config, &plan);
  dcs_outcome shared = check_shared(s, variant, &plan);
  if (shared != DCS_OUTCOME_OK) return shared;
  /* The first compiles, and the others find the code in the cache. */
  dcs_member *first;
  while ((first = first_left(s))) {
    prepare_on(s, first, &r);
    if (!first->gone) break;
  }
  if (first && first->outcome == DCS_OUTCOME_OK)
    dcs_each_member(s, (int)(first - s->members) + 1, prepare_on, &r);
  if (first) *facts = first->facts;
  return outcome_of(s);
}

static dcs_outcome several_replan(dcs_engine *engine, int slot, const dcs_problem *problem,
                                  const dcs_plan *plan) {
  dcs_several *s = (dcs_several *)engine;
  for (int d = 0; d < s->n; d++)
    if (!s->members[d].gone)
      dcs_member_ended(&s->members[d], s->members[d].e->engine.replan(&s->members[d].e->engine,
                                                                      slot, problem, plan));
  return outcome_of(s);
}

/* Each device has begun the map that the slab before was of, so each goes on from there. */
static dcs_outcome several_move(dcs_engine *engine, int slot, const dcs_plan *plan,
                                void *const out[DCS_MAX_BUFFERS]) {
  dcs_several *s = (dcs_several *)engine;
  for (int d = 0; d < s->n; d++)
    if (!s->members[d].gone)
      dcs_member_ended(&s->members[d],
                       s->members[d].e->engine.move(&s->members[d].e->engine, slot, plan, out));
  return outcome_of(s);
}

static dcs_outcome check_request(const dcs_several *s, bool timed, dcs_memory memory) {
  for (int d = 0; timed && d < s->n; d++) {
    if (s->members[d].e->engine.device->timed) continue;
    (void)dcs_fail(DCS_UNAVAILABLE, "these devices have no times: they exist for correctness");
    return DCS_OUTCOME_LAUNCH;
  }
  if (memory == DCS_PAGEABLE) return DCS_OUTCOME_OK;
  (void)dcs_fail(DCS_FAILED, "several devices share maps in memory pageable alone, not in %s",
                 dcs_memory_name(memory));
  return DCS_OUTCOME_INAPPLICABLE;
}

static dcs_outcome several_run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory,
                               int64_t inner, double *ns) {
  dcs_several *s = (dcs_several *)engine;
  const bool timed = scope == DCS_KERNEL || scope == DCS_WARM;
  const bool whole = scope == DCS_WARM || scope == DCS_UNTIMED_WARM;
  if (scope == DCS_FRAME || scope == DCS_UNTIMED_FRAME) {
    (void)dcs_fail(DCS_FAILED, "frames are not shared by several devices: each computes its own");
    return DCS_OUTCOME_INAPPLICABLE;
  }
  dcs_outcome outcome = check_request(s, timed, whole ? memory : DCS_PAGEABLE);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  dcs_share_maps(s, slot, scope, inner, ns);
  outcome = outcome_of(s);
  if (outcome != DCS_OUTCOME_OK || !timed) {
    if (!timed) *ns = 0;
    return outcome;
  }
  for (int d = 0; d < s->n; d++) {
    if (!s->members[d].gone) continue;
    (void)dcs_fail(DCS_FAILED, "not timed, for %s failed and the others had to do its part: %s",
                   s->members[d].label, s->members[d].why);
    return DCS_OUTCOME_LAUNCH;
  }
  return DCS_OUTCOME_OK;
}

static void several_close(dcs_engine *engine) {
  dcs_several *s = (dcs_several *)engine;
  for (int d = 0; d < s->n; d++)
    if (s->members[d].e) s->members[d].e->engine.close(&s->members[d].e->engine);
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

/* ---- opening ---- */

typedef struct {
  const dcs_device_list *list;
  const char *kernels;
  dcs_status status[DCS_MAX_DEVICES];
} opening;

static void open_member(dcs_several *s, dcs_member *member, void *arg) {
  opening *o = arg;
  const int d = (int)(member - s->members);
  dcs_engine *engine = NULL;
  dcs_device_info info;
  o->status[d] = dcs_engine_device_open(o->list->names[d], o->kernels, &engine);
  if (o->status[d] == DCS_OK) {
    member->e = (dcs_device_engine *)engine;
    s->engine.devices[d] = engine->device;
    o->status[d] = engine->device->info(engine->device, &info);
  }
  /* Until they have computed something, cards are as fast as their multiprocessors and clocks. */
  if (o->status[d] == DCS_OK)
    s->share.sharers[d].speed = (double)info.sm_count * (info.clock_mhz > 0 ? info.clock_mhz : 1);
  dcs_member_ended(member, o->status[d] == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH);
}

static dcs_status open_members(dcs_several *s, const dcs_device_list *list, const char *kernels) {
  opening o = {.list = list, .kernels = kernels};
  s->n = s->engine.n_devices = list->n;
  for (int d = 0; d < s->n; d++)
    dcs_device_label(list, d, s->members[d].label);
  dcs_each_member(s, 0, open_member, &o);
  for (int d = 0; d < s->n; d++)
    if (s->members[d].gone)
      return dcs_fail(o.status[d] == DCS_OK ? DCS_UNAVAILABLE : o.status[d], "%s",
                      s->members[d].why);
  return DCS_OK;
}

dcs_status dcs_engine_devices_open(const char *text, const char *kernels, dcs_engine **engine) {
  dcs_device_list list;
  DCS_TRY(dcs_device_list_of(text, &list));
  if (list.n == 1) return dcs_engine_device_open(list.names[0], kernels, engine);
  dcs_several *s = calloc(1, sizeof *s);
  if (!s) return dcs_fail(DCS_UNAVAILABLE, "no memory for the engine of %s", text);
  s->engine = (dcs_engine){.take = several_take,
                           .redirect = several_redirect,
                           .prepare = several_prepare,
                           .replan = several_replan,
                           .move = several_move,
                           .run = several_run,
                           .close = several_close};
  snprintf(s->text, sizeof s->text, "%s", text);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  dcs_status status = open_members(s, &list, kernels);
  if (status == DCS_OK)
    *engine = &s->engine;
  else
    several_close(&s->engine);
  return status;
}
