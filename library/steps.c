/* The steps of a rank: its grid, the loop, and what becomes of the result. */
#include "library/steps.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/interrupt.h"
#include "harness/engine/stepper.h"
#include "harness/judge/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  dcs_workers *workers;
  const dcs_steps *steps;
  dcs_steps_result *result;
  int64_t from, end; /* the rank's slices of the whole grid */
  int64_t first;     /* slice 0 of its grid there */
  dcs_case c;        /* its grid; the inputs are owned here */
  dcs_stepped stepped;
  dcs_stepper *stepper;
  double *sums; /* of each of its slices, before and after */
  uint64_t *hashes;
} rank;

void dcs_steps_share(int64_t slices, int of, int size, int64_t *from, int64_t *end) {
  *from = slices * of / size;
  *end = slices * (of + 1) / size;
}

/* ---- the rank's grid ---- */

static dcs_status cut(rank *r) {
  const dcs_steps *s = r->steps;
  const int of = r->workers->rank, size = r->workers->size;
  const int64_t halo = s->kind->stepping->halo(&s->problem);
  if (size > 1 && s->n.z / size < halo)
    return dcs_fail(DCS_USAGE,
                    "found %d ranks for %lld slices; expected at most %lld, for each sends %lld "
                    "slices of its own",
                    size, (long long)s->n.z, (long long)(s->n.z / halo), (long long)halo);
  dcs_steps_share(s->n.z, of, size, &r->from, &r->end);
  r->stepped = (dcs_stepped){.kind = s->kind,
                             .variant = s->method.variant,
                             .config = s->method.config,
                             .cut = {of > 0, of < size - 1},
                             .halo = halo,
                             .device = s->device,
                             .kernels = s->kernels};
  r->first = r->from - (of > 0 ? halo : 0);
  const int64_t behind = r->end + (of < size - 1 ? halo : 0);
  r->c = (dcs_case){.kind = s->kind,
                    .spacing = DCS_RANDOM_SPACING,
                    .problem = {.n_inputs = 1,
                                .n = {s->n.x, s->n.y, behind - r->first},
                                .first_slice = r->first,
                                .grid_slices = s->n.z,
                                .spacing = (float)DCS_RANDOM_SPACING,
                                .config = s->problem}};
  return DCS_OK;
}

/* All fields, and the map once more; on a device's host, that is for checks. */
static dcs_status check_memory(const rank *r) {
  int64_t bytes = 0;
  const int64_t available = dcs_available_memory() / r->workers->local_size;
  for (int b = 0; b < r->c.kind->n_buffers; b++)
    bytes += (int64_t)dcs_buffer_bytes(r->c.kind, b, &r->c.problem);
  if (bytes <= available) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "%lld slices of %lldx%lld points need %.3g GB of memory; each "
                  "of this host's %d ranks has %.3g",
                  (long long)r->c.problem.n.z, (long long)r->c.problem.n.x,
                  (long long)r->c.problem.n.y, 1e-9 * (double)bytes, r->workers->local_size,
                  1e-9 * (double)available);
}

static dcs_status fill(rank *r) {
  const dcs_kind *kind = r->c.kind;
  const int64_t own = r->end - r->from;
  void *inputs[DCS_MAX_BUFFERS] = {NULL};
  DCS_TRY(check_memory(r));
  r->sums = malloc(2 * (size_t)own * sizeof *r->sums);
  r->hashes = malloc((size_t)own * sizeof *r->hashes);
  if (!r->sums || !r->hashes) return dcs_fail(DCS_UNAVAILABLE, "no memory for sums of slices");
  for (int b = 0; b < kind->n_buffers; b++) {
    if (kind->buffers[b].output) continue;
    r->c.problem.input[b] = inputs[b] = malloc(dcs_buffer_bytes(kind, b, &r->c.problem));
    if (!inputs[b]) return dcs_fail(DCS_UNAVAILABLE, "no memory for the %s", kind->buffers[b].name);
    kind->buffers[b].fill(&r->c, b, inputs[b]);
  }
  r->c.problem.first_slice = r->c.problem.grid_slices = 0;
  r->stepped.problem = r->c.problem;
  return dcs_stepper_open(&r->stepped, &r->stepper);
}

static void free_rank(rank *r) {
  if (r->stepper) r->stepper->close(r->stepper);
  for (int b = 0; b < r->c.kind->n_buffers; b++)
    free((void *)r->c.problem.input[b]);
  free(r->sums);
  free(r->hashes);
}

/* ---- a step is right ---- */

static dcs_status judge(rank *r, const dcs_reference *reference) {
  const float *values;
  DCS_TRY(r->stepper->values(r->stepper, &values));
  const dcs_variant *variant = r->stepped.variant;
  const dcs_verdict v =
      dcs_check(reference, values, variant->longest_sum(&r->c.problem, &r->stepped.config));
  r->result->bound_ratio = v.bound_ratio;
  if (v.accepted) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s: after a step value %lld of its grid is %.9g; expected %.9g",
                  variant->id, (long long)v.worst, v.found, v.expected);
}

/* Of the first step, as of a grid of its own; the field is as before. */
static dcs_status check(rank *r) {
  enum { POINTS = 4096 };
  dcs_reference reference;
  DCS_TRY(dcs_oracle(&r->c, POINTS, &reference));
  dcs_status status = r->stepper->compute(r->stepper, 0, r->c.problem.n.z);
  if (status == DCS_OK) status = r->stepper->take(r->stepper);
  if (status == DCS_OK) status = r->stepper->end(r->stepper);
  if (status == DCS_OK) status = judge(r, &reference);
  dcs_reference_free(&reference);
  DCS_TRY(status);
  return r->stepper->back(r->stepper);
}

/* ---- a step ---- */

/* Of the rank's grid: what it computes, and of that what needs no neighbour's slices. */
typedef struct {
  int64_t from, end, inner_from, inner_end;
} range;

static range range_of(const rank *r) {
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

static void look(rank *r, moments *m) {
  const double start = dcs_now_ns();
  m->arrived = r->workers->halos_there(r->workers);
  m->there = dcs_now_ns();
  m->looking += m->there - start;
}

static dcs_status begin_halos(rank *r, moments *m) {
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
static dcs_status compute_inner(rank *r, const range *g, moments *m) {
  enum { PART = 16 };
  for (int64_t k = g->inner_from, end; k < g->inner_end; k = end) {
    end = m->arrived || r->stepper->beside || k + PART > g->inner_end ? g->inner_end : k + PART;
    DCS_TRY(r->stepper->compute(r->stepper, k, end));
    if (!m->arrived) look(r, m);
  }
  return DCS_OK;
}

static void add_times(rank *r, const moments *m, double end_ns) {
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

static dcs_status step(rank *r, const range *g) {
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

static dcs_status advance(rank *r) {
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

/* ---- what it comes to ---- */

/* Each slice in the same order, whoever has it. */
static dcs_status sum_slices(rank *r, double *sums, const float **own) {
  const float *values;
  const int64_t slice = dcs_slice_of(&r->stepped), n = r->end - r->from;
  DCS_TRY(r->stepper->values(r->stepper, &values));
  *own = values + (r->from - r->first) * slice;
#pragma omp parallel for num_threads(dcs_loop_threads())
  for (int64_t k = 0; k < n; k++) {
    sums[k] = 0;
    for (int64_t i = 0; i < slice; i++)
      sums[k] += (double)(*own)[k * slice + i];
    r->hashes[k] = dcs_hash(DCS_HASH_START, *own + k * slice, (size_t)slice * sizeof **own);
  }
  return DCS_OK;
}

/* Rank 0's collection: of each slice of the whole grid. */
typedef struct {
  const rank *r;
  double *before, *after;
  uint64_t *hashes;
  float *values;
} whole;

static dcs_status deliver(void *with, int64_t part, const struct iovec *pieces, int n_pieces) {
  whole *w = with;
  int64_t from, end;
  dcs_steps_share(w->r->steps->n.z, (int)part, w->r->workers->size, &from, &end);
  const size_t n = (size_t)(end - from);
  memcpy(w->before + from, pieces[0].iov_base, n * sizeof(double));
  memcpy(w->after + from, (double *)pieces[0].iov_base + n, n * sizeof(double));
  memcpy(w->hashes + from, pieces[1].iov_base, n * sizeof(uint64_t));
  if (n_pieces > 2)
    memcpy(w->values + from * dcs_slice_of(&w->r->stepped), pieces[2].iov_base, pieces[2].iov_len);
  return DCS_OK;
}

static dcs_status make_whole(rank *r, whole *w) {
  const dcs_dims n = r->steps->n;
  const size_t slices = r->workers->rank == 0 ? (size_t)n.z : 1;
  *w = (whole){r, malloc(slices * sizeof(double)), malloc(slices * sizeof(double)),
               malloc(slices * sizeof(uint64_t)), NULL};
  const bool gather = r->steps->gather && r->workers->rank == 0;
  const size_t bytes = (size_t)dcs_points(n) * sizeof(float);
  if (gather && (double)bytes < (double)dcs_available_memory()) w->values = malloc(bytes);
  if (w->before && w->after && w->hashes && (w->values || !gather)) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lldx%lldx%lld values of all ranks",
                  (long long)n.x, (long long)n.y, (long long)n.z);
}

static dcs_status hand_over(rank *r, whole *w, const float *own) {
  const size_t n = (size_t)(r->end - r->from);
  const size_t bytes = n * (size_t)dcs_slice_of(&r->stepped) * sizeof *own;
  const struct iovec pieces[] = {
      {r->sums, 2 * n * sizeof *r->sums}, {r->hashes, n * sizeof *r->hashes}, {(void *)own, bytes}};
  const dcs_parts parts = {.n = r->workers->size, .deliver = deliver, .with = w};
  DCS_TRY(r->workers->begin(r->workers, &parts));
  DCS_TRY(r->workers->give(r->workers, r->workers->rank, pieces, r->steps->gather ? 3 : 2));
  DCS_TRY(r->workers->finish(r->workers));
  if (r->workers->rank > 0) return DCS_OK;
  r->result->hash = DCS_HASH_START;
  for (int64_t k = 0; k < r->steps->n.z; k++) {
    r->result->sum_before += w->before[k];
    r->result->sum_after += w->after[k];
  }
  r->result->hash = dcs_hash(r->result->hash, w->hashes, (size_t)r->steps->n.z * sizeof *w->hashes);
  return DCS_OK;
}

static dcs_status collect(rank *r) {
  whole w;
  const float *own;
  dcs_status status = make_whole(r, &w);
  if (status == DCS_OK) status = sum_slices(r, r->sums + (r->end - r->from), &own);
  if (status == DCS_OK) status = hand_over(r, &w, own);
  if (status == DCS_OK)
    r->result->values = w.values;
  else
    free(w.values);
  free(w.before);
  free(w.after);
  free(w.hashes);
  return status;
}

/* ---- all of it ---- */

static uint64_t hash_of(const dcs_steps *s) {
  char problem[DCS_TEXT], text[2 * DCS_TEXT];
  const int length = snprintf(text, sizeof text, "%s %s %lldx%lldx%lld %lld %d", s->kind->id,
                              dcs_format_problem(s->kind, &s->problem, problem), (long long)s->n.x,
                              (long long)s->n.y, (long long)s->n.z, (long long)s->steps, s->gather);
  return dcs_hash(DCS_HASH_START, text, (size_t)length);
}

/* All take rank 0's method, for bits depend on it, and each its own number of threads. */
static dcs_status settle(rank *r) {
  char text[2 * DCS_TEXT] = "", config[DCS_TEXT];
  dcs_method method = r->steps->method;
  snprintf(text, sizeof text, "%s %s", method.variant->id,
           dcs_format_config(method.variant, &method.config, config));
  DCS_TRY(r->workers->agree(r->workers, hash_of(r->steps), text, sizeof text));
  if (r->workers->rank == 0) return DCS_OK;
  const int threads = dcs_find_role(method.variant, DCS_ROLE_THREADS);
  const double own = threads >= 0 ? method.config.value[threads] : 0;
  char *space = strchr(text, ' ');
  *space = '\0';
  DCS_TRY(dcs_read_method(text, space + 1, &method));
  const int there = dcs_find_role(method.variant, DCS_ROLE_THREADS);
  if (threads >= 0 && there >= 0) method.config.value[there] = own;
  r->stepped.variant = method.variant;
  r->stepped.config = method.config;
  return DCS_OK;
}

/* All are ready before the first step. */
static dcs_status meet(rank *r) {
  char nothing[1] = "";
  return r->workers->agree(r->workers, hash_of(r->steps), nothing, sizeof nothing);
}

static dcs_status run(rank *r) {
  const float *own;
  DCS_TRY(settle(r));
  DCS_TRY(fill(r));
  DCS_TRY(check(r));
  DCS_TRY(sum_slices(r, r->sums, &own));
  DCS_TRY(meet(r));
  const double begun_ns = dcs_now_ns();
  DCS_TRY(advance(r));
  DCS_TRY(collect(r));
  r->workers->begun_ns = begun_ns;
  return DCS_OK;
}

dcs_status dcs_steps_run(dcs_workers *workers, const dcs_steps *steps, dcs_steps_result *result) {
  *result = (dcs_steps_result){0};
  rank r = {.workers = workers, .steps = steps, .result = result};
  DCS_TRY(cut(&r));
  result->slices = r.end - r.from;
  const dcs_status status = run(&r);
  free_rank(&r);
  return status;
}
