/* The steps of a rank. */
#include "library/steps_rank.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/interrupt.h"

#include "version.h" /* written by the Makefile */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a step ---- */

/* Of the rank's grid: what it computes, and of that what needs no neighbour's slices. */
typedef struct {
  int64_t from, end, inner_from, inner_end;
} range;

static range range_of(const dcs_steps_rank *r) {
  const int64_t halo = r->stepped.halo;
  range g = {r->from - r->first, r->end - r->first, 0, 0};
  g.inner_from = g.from + (r->stepped.cut[DCS_BELOW] ? halo : 0);
  g.inner_end = g.end - (r->stepped.cut[DCS_ABOVE] ? halo : 0);
  if (g.inner_end < g.inner_from) g.inner_end = g.inner_from; /* too few: the first part is all */
  if (g.inner_from > g.end) g.inner_from = g.inner_end = g.end;
  return g;
}

/* When things happened in a step, by dcs_now_ns(). */
typedef struct {
  double begun, computed, there; /* of what is computed meanwhile; of the halos */
  double looking;                /* between them, within MPI, ns */
  bool arrived;
} moments;

static void look(dcs_steps_rank *r, moments *m) {
  const double start = dcs_now_ns();
  m->arrived = r->workers->halos_there(r->workers);
  m->there = dcs_now_ns();
  m->looking += m->there - start;
}

static dcs_status begin_halos(dcs_steps_rank *r, moments *m) {
  dcs_halos halos = {.slices = (int)r->stepped.halo, .floats = dcs_slice_of(&r->stepped)};
  for (int end = 0; end < DCS_ENDS; end++) {
    halos.sent[end] = r->stepper->sent[end];
    halos.received[end] = r->stepper->received[end];
  }
  DCS_TRY(r->workers->halos_begin(r->workers, &halos));
  m->looking = dcs_now_ns() - m->begun;
  look(r, m);
  return DCS_OK;
}

/* A part at a time where somebody looks meanwhile, for MPI moves what is large when it is called.
 * A part of 16 slices reads 2 h / 16 of one field twice. */
static dcs_status compute_inner(dcs_steps_rank *r, const range *g, moments *m) {
  enum { PART = 16 };
  for (int64_t k = g->inner_from, end; k < g->inner_end; k = end) {
    end = m->arrived || r->stepper->beside || k + PART > g->inner_end ? g->inner_end : k + PART;
    DCS_TRY(r->stepper->compute(r->stepper, k, end));
    if (!m->arrived) look(r, m);
  }
  return DCS_OK;
}

static void add_times(dcs_steps_rank *r, const moments *m, double end_ns) {
  double exposed_ns = m->looking, hidden_ns = 0;
  if (r->workers->size > 1) {
    double waited_ns = m->there > m->computed ? m->there - m->computed : 0;
    const double beside_ns = r->stepper->beside_ns - (m->computed - m->begun);
    if (beside_ns > 0) waited_ns -= beside_ns < waited_ns ? beside_ns : waited_ns;
    exposed_ns += waited_ns;
    if (m->there - m->begun > exposed_ns) hidden_ns = m->there - m->begun - exposed_ns;
  }
  r->result->exposed_s += 1e-9 * exposed_ns;
  r->result->hidden_s += 1e-9 * hidden_ns;
  r->result->computing_s += 1e-9 * (end_ns - m->begun - exposed_ns);
}

static dcs_status step(dcs_steps_rank *r, const range *g) {
  moments m = {.begun = dcs_now_ns(), .arrived = r->workers->size == 1};
  if (!m.arrived) DCS_TRY(begin_halos(r, &m));
  DCS_TRY(compute_inner(r, g, &m));
  m.computed = dcs_now_ns();
  if (!m.arrived) {
    r->workers->halos_wait(r->workers);
    m.there = dcs_now_ns();
  }
  DCS_TRY(r->stepper->take(r->stepper));
  DCS_TRY(r->stepper->compute(r->stepper, g->from, g->inner_from));
  DCS_TRY(r->stepper->compute(r->stepper, g->inner_end, g->end));
  DCS_TRY(r->stepper->end(r->stepper));
  add_times(r, &m, dcs_now_ns());
  return DCS_OK;
}

static dcs_status advance(dcs_steps_rank *r) {
  const dcs_steps *s = r->steps;
  const range g = range_of(r);
  const double start = dcs_now_ns();
  for (int64_t i = 0; i < s->steps; i++) {
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    if (s->progress) dcs_progress_draw(s->progress, (double)i / (double)s->steps, "steps");
    DCS_TRY(step(r, &g));
  }
  r->result->steps_s = 1e-9 * (dcs_now_ns() - start);
  if (s->progress) dcs_progress_clear(s->progress);
  return DCS_OK;
}

/* ---- all of it ---- */

/* Of what must be the same on all ranks. */
static uint64_t hash_of(const dcs_steps *s) {
  static const char program[] = DCS_VERSION " " DCS_GIT_STATE " " DCS_COMPILER " " DCS_FLAGS;
  char problem[DCS_TEXT], text[2 * DCS_TEXT];
  const int length = snprintf(text, sizeof text, "%s %s %lldx%lldx%lld %lld %d", s->kind->id,
                              dcs_format_problem(s->kind, &s->problem, problem), (long long)s->n.x,
                              (long long)s->n.y, (long long)s->n.z, (long long)s->steps, s->gather);
  return dcs_hash(dcs_hash(DCS_HASH_START, program, sizeof program), text, (size_t)length);
}

/* All take rank 0's method, for bits depend on it, and each its own number of threads. */
static dcs_status settle(dcs_steps_rank *r) {
  char text[2 * DCS_TEXT] = "", config[DCS_TEXT];
  dcs_method method = r->steps->method;
  snprintf(text, sizeof text, "%s %s", method.variant->id,
           dcs_format_config(method.variant, &method.config, config));
  DCS_TRY(r->workers->agree(r->workers, hash_of(r->steps), text, sizeof text));
  if (r->workers->rank == 0) return DCS_OK;
  const int threads = dcs_find_role(method.variant, DCS_ROLE_THREADS);
  const double own = threads >= 0 ? method.config.value[threads] : 0;
  DCS_TRY(dcs_method_of(text, &method));
  const int there = dcs_find_role(method.variant, DCS_ROLE_THREADS);
  if (threads >= 0 && there >= 0) method.config.value[there] = own;
  r->stepped.variant = method.variant;
  r->stepped.config = method.config;
  return DCS_OK;
}

/* All are ready before the first step. */
static dcs_status meet(dcs_steps_rank *r) {
  char nothing[1] = "";
  return r->workers->agree(r->workers, hash_of(r->steps), nothing, sizeof nothing);
}

static dcs_status run(dcs_steps_rank *r) {
  DCS_TRY(settle(r));
  DCS_TRY(dcs_steps_fill(r));
  DCS_TRY(dcs_steps_check(r));
  DCS_TRY(dcs_steps_look_before(r));
  DCS_TRY(meet(r));
  const double begun_ns = dcs_now_ns();
  DCS_TRY(advance(r));
  DCS_TRY(dcs_steps_tell_slices(r));
  if (r->steps->gather) DCS_TRY(dcs_steps_collect_values(r));
  r->workers->begun_ns = begun_ns;
  return DCS_OK;
}

dcs_status dcs_steps_run(dcs_workers *workers, const dcs_steps *steps, dcs_steps_result *result) {
  *result = (dcs_steps_result){0};
  dcs_steps_rank r = {.workers = workers, .steps = steps, .result = result};
  DCS_TRY(dcs_steps_cut(&r));
  result->slices = r.end - r.from;
  const dcs_status status = run(&r);
  if (status != DCS_OK) free(result->values);
  if (status != DCS_OK) result->values = NULL;
  dcs_steps_free(&r);
  return status;
}
