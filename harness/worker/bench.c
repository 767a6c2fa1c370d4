#include "harness/worker/bench.h"

#include "harness/base/grow.h"
#include "harness/device/devices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dcs_status dcs_bench_open(const char *device, const char *kernels, double timeout_s,
                          dcs_bench *bench) {
  *bench = (dcs_bench){
      .device = device ? device : dcs_default_device(), .kernels = kernels, .timeout_s = timeout_s};
  return dcs_arena_open(&bench->arena);
}

void dcs_bench_close(dcs_bench *bench) {
  dcs_session_close(bench->cpu);
  dcs_session_close(bench->gpu);
  dcs_arena_close(&bench->arena);
}

static dcs_status status_of(dcs_outcome opened) {
  return opened == DCS_OUTCOME_TIMEOUT || opened == DCS_OUTCOME_CRASH ? DCS_FAILED
                                                                      : DCS_UNAVAILABLE;
}

dcs_status dcs_bench_session(dcs_bench *bench, dcs_backend backend, dcs_session **session) {
  dcs_session **own = backend == DCS_CPU ? &bench->cpu : &bench->gpu;
  dcs_outcome *opened = &bench->opened[backend];
  if (!*own && backend == DCS_GPU && *opened != DCS_OUTCOME_OK)
    return dcs_fail(status_of(*opened), "%s", bench->why);
  if (!*own) {
    dcs_session_options options = {backend == DCS_CPU ? "cpu" : bench->device, bench->kernels,
                                   bench->timeout_s};
    dcs_status named = backend == DCS_GPU ? dcs_check_devices(bench->device) : DCS_OK;
    *opened = named == DCS_OK
                  ? dcs_session_open(&options, &bench->arena, own, &bench->killed[backend])
                  : DCS_OUTCOME_NO_DEVICE;
    if (*opened != DCS_OUTCOME_OK) {
      if (backend == DCS_GPU) snprintf(bench->why, sizeof bench->why, "%s", dcs_error_message());
      return named == DCS_OK ? status_of(*opened) : named;
    }
  }
  *session = *own;
  return DCS_OK;
}

dcs_status dcs_bench_put(dcs_bench *bench, dcs_case *c, const dcs_config *problems, int n) {
  DCS_TRY(dcs_arena_put(&bench->arena, c, problems, n));
  if (bench->cpu) dcs_session_new_problem(bench->cpu);
  if (bench->gpu) dcs_session_new_problem(bench->gpu);
  return DCS_OK;
}

static dcs_outcome refuse(dcs_outcome outcome, const char *why) {
  (void)dcs_fail(DCS_UNAVAILABLE, "%s", why);
  return outcome;
}

/* Up to the point where the method stands ready in a worker. */
static dcs_outcome make_ready(dcs_bench *bench, const dcs_method *method, int which,
                              dcs_trial *trial) {
  char why[DCS_TEXT];
  dcs_problem problem = bench->arena.shape;
  problem.config = bench->arena.configs[which];
  if (!dcs_variant_available(method->variant, why)) return refuse(DCS_OUTCOME_NOT_BUILT, why);
  if (!dcs_applicable(method->variant, &problem, &method->config, why))
    return refuse(DCS_OUTCOME_INAPPLICABLE, why);
  trial->longest_sum = method->variant->longest_sum(&problem, &method->config);
  if (dcs_bench_session(bench, method->variant->backend, &trial->session) != DCS_OK) {
    trial->killed = bench->killed[method->variant->backend];
    return bench->opened[method->variant->backend];
  }
  return dcs_session_prepare(trial->session, which, method->variant, &method->config, &trial->slot,
                             &trial->facts);
}

/* Names a value of an output: "point (1, 2, 3)". */
static const char *place_of(const dcs_arena *arena, const dcs_reference *reference, int64_t i,
                            char text[DCS_TEXT]) {
  const dcs_buffer *buffer = &arena->kind->buffers[reference->buffer];
  const dcs_dims n = arena->shape.n;
  if (dcs_on_grid(arena->kind, reference->buffer) && buffer->values <= 1)
    snprintf(text, DCS_TEXT, "point (%lld, %lld, %lld)", (long long)(i % n.x),
             (long long)(i / n.x % n.y), (long long)(i / n.x / n.y));
  else
    snprintf(text, DCS_TEXT, "%s, value %lld", buffer->name, (long long)i);
  return text;
}

/* Judges each output; the verdict is that of the first that is not accepted, else of the one
 * nearest to its bound. */
static dcs_outcome judge(const dcs_bench *bench, const dcs_reference *reference, dcs_trial *trial) {
  const dcs_reference *r = reference;
  trial->verdict = dcs_check(r, bench->arena.out[r->buffer], trial->longest_sum);
  while (trial->verdict.accepted && r->next) {
    r = r->next;
    dcs_verdict next = dcs_check(r, bench->arena.out[r->buffer], trial->longest_sum);
    if (!next.accepted || next.bound_ratio > trial->verdict.bound_ratio) trial->verdict = next;
  }
  const dcs_verdict *v = &trial->verdict;
  if (v->accepted) return DCS_OUTCOME_OK;
  char what[DCS_TEXT], where[DCS_TEXT];
  if (isfinite(v->found))
    snprintf(what, sizeof what, "found %.9g, expected %.9g, %.3g times the tolerance", v->found,
             v->expected, v->bound_ratio);
  else
    snprintf(what, sizeof what, "found %g, expected a finite value",
             isnan(v->found) ? NAN : v->found);
  if (isfinite(v->max_error))
    dcs_append(what, sizeof what, "; the largest error is %.3g of the map's root mean square",
               v->max_error);
  (void)dcs_fail(DCS_FAILED, "%s: %s", place_of(&bench->arena, r, v->worst, where), what);
  return DCS_OUTCOME_WRONG;
}

/* Computes outputs over NaN, in floats and doubles, and judges them. */
static void check(dcs_bench *bench, const dcs_reference *reference, dcs_scope scope,
                  dcs_memory memory, dcs_trial *trial) {
  dcs_sample sample;
  const dcs_arena *arena = &bench->arena;
  for (int b = 0; b < arena->kind->n_buffers; b++)
    if (arena->out[b]) memset(arena->out[b], 0xff, dcs_buffer_bytes(arena->kind, b, &arena->shape));
  trial->outcome = dcs_session_run(trial->session, trial->slot, scope, memory, 1, &sample);
  if (trial->outcome == DCS_OUTCOME_OK) trial->outcome = judge(bench, reference, trial);
}

static void say(dcs_trial *trial) {
  if (trial->session)
    trial->killed = trial->outcome != DCS_OUTCOME_OK && dcs_session_was_killed(trial->session);
  if (trial->outcome != DCS_OUTCOME_OK)
    snprintf(trial->why, sizeof trial->why, "%s", dcs_error_message());
  if (trial->session) dcs_session_take_lost(trial->session, trial->lost);
}

dcs_trial dcs_bench_try(dcs_bench *bench, const dcs_method *method, int which,
                        const dcs_reference *reference) {
  dcs_trial trial = {.facts = {.registers = -1}};
  trial.outcome = make_ready(bench, method, which, &trial);
  if (trial.outcome == DCS_OUTCOME_OK) check(bench, reference, DCS_UNTIMED, DCS_PAGEABLE, &trial);
  say(&trial);
  return trial;
}

void dcs_bench_try_again(dcs_bench *bench, const dcs_reference *reference, dcs_scope scope,
                         dcs_memory memory, dcs_trial *trial) {
  check(bench, reference, scope, memory, trial);
  say(trial);
}
