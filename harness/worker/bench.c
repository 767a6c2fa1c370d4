#include "harness/worker/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dcs_status dcs_bench_open(const char *device, const char *kernels, double timeout_s,
                          dcs_bench *bench) {
  *bench =
      (dcs_bench){.device = device ? device : "cuda:0", .kernels = kernels, .timeout_s = timeout_s};
  return dcs_arena_open(&bench->arena);
}

void dcs_bench_close(dcs_bench *bench) {
  dcs_session_close(bench->cpu);
  dcs_session_close(bench->gpu);
  dcs_arena_close(&bench->arena);
}

dcs_status dcs_bench_session(dcs_bench *bench, dcs_backend backend, dcs_session **session) {
  dcs_session **own = backend == DCS_CPU ? &bench->cpu : &bench->gpu;
  if (!*own) {
    if (backend == DCS_CUDA && bench->gpu_refused)
      return dcs_fail(DCS_UNAVAILABLE, "%s", bench->why);
    dcs_session_options options = {backend == DCS_CPU ? "cpu" : bench->device, bench->kernels,
                                   bench->timeout_s};
    dcs_status status = dcs_session_open(&options, &bench->arena, own);
    if (status != DCS_OK) {
      bench->gpu_refused = backend == DCS_CUDA;
      snprintf(bench->why, sizeof bench->why, "%s", dcs_error_message());
      return status;
    }
  }
  *session = *own;
  return DCS_OK;
}

dcs_status dcs_bench_put(dcs_bench *bench, const dcs_case *c) {
  DCS_TRY(dcs_arena_put(&bench->arena, c));
  if (bench->cpu) dcs_session_new_problem(bench->cpu);
  if (bench->gpu) dcs_session_new_problem(bench->gpu);
  return DCS_OK;
}

static dcs_outcome refuse(dcs_outcome outcome, const char *why) {
  (void)dcs_fail(DCS_UNAVAILABLE, "%s", why);
  return outcome;
}

/* Up to the point where the method stands ready in a worker. */
static dcs_outcome make_ready(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                              dcs_trial *trial) {
  char why[DCS_TEXT];
  if (!dcs_variant_available(method->variant, why)) return refuse(DCS_OUTCOME_NOT_BUILT, why);
  if (!dcs_applicable(method->variant, &c->problem, &method->config, why))
    return refuse(DCS_OUTCOME_INAPPLICABLE, why);
  if (dcs_bench_session(bench, method->variant->backend, &trial->session) != DCS_OK)
    return DCS_OUTCOME_NOT_BUILT;
  return dcs_session_prepare(trial->session, method->variant, &method->config, &trial->slot,
                             &trial->facts);
}

static dcs_outcome judge(const dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                         const dcs_reference *reference, dcs_trial *trial) {
  int64_t longest = method->variant->longest_sum(&c->problem, &method->config);
  trial->verdict = dcs_check(reference, bench->arena.map, longest);
  const dcs_verdict *v = &trial->verdict;
  if (v->accepted) return DCS_OUTCOME_OK;
  dcs_dims n = c->problem.n;
  char what[DCS_TEXT];
  if (isfinite(v->found))
    snprintf(what, sizeof what, "found %.9g, expected %.9g, %.3g bounds off", v->found, v->expected,
             v->bound_ratio);
  else
    snprintf(what, sizeof what, "found %g, expected a finite value", v->found);
  (void)dcs_fail(DCS_FAILED, "point (%lld, %lld, %lld): %s", (long long)(v->worst % n.x),
                 (long long)(v->worst / n.x % n.y), (long long)(v->worst / n.x / n.y), what);
  return DCS_OUTCOME_WRONG;
}

/* Computes a map over NaN and judges it. */
static void check(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                  const dcs_reference *reference, dcs_scope scope, dcs_memory memory,
                  dcs_trial *trial) {
  dcs_sample sample;
  int64_t points = dcs_points(c->problem.n);
  for (int64_t i = 0; i < points; i++)
    bench->arena.map[i] = NAN;
  trial->outcome = dcs_session_run(trial->session, trial->slot, scope, memory, 1, &sample);
  if (trial->outcome == DCS_OUTCOME_OK) trial->outcome = judge(bench, method, c, reference, trial);
}

dcs_trial dcs_bench_try(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                        const dcs_reference *reference) {
  dcs_trial trial = {.facts = {.registers = -1}};
  trial.outcome = make_ready(bench, method, c, &trial);
  if (trial.outcome == DCS_OUTCOME_OK)
    check(bench, method, c, reference, DCS_UNTIMED, DCS_PAGEABLE, &trial);
  if (trial.session) dcs_session_take_lost(trial.session, trial.lost);
  return trial;
}

void dcs_bench_try_memory(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                          const dcs_reference *reference, dcs_memory memory, dcs_trial *trial) {
  check(bench, method, c, reference, DCS_UNTIMED_WARM, memory, trial);
  dcs_session_take_lost(trial->session, trial->lost);
}
