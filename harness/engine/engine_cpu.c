/* The CPU's engine: calls the variant's compute(). */
#include "harness/base/clock.h"
#include "harness/base/machine.h"
#include "harness/engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct {
  dcs_engine engine;
  bool measured;
  const dcs_kind *kind;
  const dcs_problem *shape;
  void *out[DCS_MAX_BUFFERS];
  char *cold; /* what is written to flush caches; NULL: nothing yet */
  struct {
    const dcs_variant *variant;
    dcs_config config, posed; /* of the variant; of the problem */
    void *begun;              /* what slabs of a grid have in common; NULL: nothing yet */
  } * slots;
  int n_slots;
} cpu_engine;

/* A page of memory lies near the processor whose thread touches it first, and nobody has touched
 * an output when a problem is announced. So the threads that will compute it share its pages out,
 * in order, as its rows are. Small ones stay in a cache and are not worth starting the threads. */
static void touch(const cpu_engine *cpu, volatile char *out, int64_t bytes) {
  enum { PAGE = 4096, SMALL = 1 << 22 };
  if (bytes < SMALL) return;
  const int threads = cpu->measured ? dcs_cpus() : dcs_loop_threads();
  (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < bytes; i += PAGE)
    out[i] = out[i];
}

static void cpu_redirect(dcs_engine *engine, void *const out[DCS_MAX_BUFFERS]) {
  cpu_engine *cpu = (cpu_engine *)engine;
  for (int b = 0; b < cpu->kind->n_buffers; b++) {
    cpu->out[b] = cpu->kind->buffers[b].output ? out[b] : NULL;
    if (cpu->out[b]) touch(cpu, out[b], (int64_t)dcs_buffer_bytes(cpu->kind, b, cpu->shape));
  }
}

static void forget(cpu_engine *cpu, int slot) {
  if (cpu->slots[slot].begun) cpu->slots[slot].variant->forget(cpu->slots[slot].begun);
  cpu->slots[slot].begun = NULL;
}

static void forget_all(cpu_engine *cpu) {
  for (int s = 0; s < cpu->n_slots; s++)
    forget(cpu, s);
  cpu->n_slots = 0;
}

static dcs_outcome cpu_take(dcs_engine *engine, const dcs_kind *kind, const dcs_problem *shape,
                            void *const out[DCS_MAX_BUFFERS]) {
  cpu_engine *cpu = (cpu_engine *)engine;
  forget_all(cpu);
  cpu->kind = kind;
  cpu->shape = shape;
  cpu_redirect(engine, out);
  return DCS_OUTCOME_OK;
}

static dcs_outcome cpu_move(dcs_engine *engine, int slot, const dcs_plan *plan,
                            void *const out[DCS_MAX_BUFFERS]) {
  (void)slot, (void)plan;
  cpu_redirect(engine, out);
  return DCS_OUTCOME_OK;
}

#ifdef _OPENMP
static void *wait_for_gate(void *gate) {
  (void)pthread_mutex_lock(gate);
  (void)pthread_mutex_unlock(gate);
  return NULL;
}

/* Starts so many threads beside each other and ends them; returns pthread_create's error. */
static int try_threads(int n) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *threads = malloc((size_t)n * sizeof *threads);
  int started = 0, error = threads ? 0 : ENOMEM;
  (void)pthread_mutex_lock(&gate);
  while (!error && started < n)
    if (!(error = pthread_create(&threads[started], NULL, wait_for_gate, &gate))) started++;
  (void)pthread_mutex_unlock(&gate);
  for (int t = 0; t < started; t++)
    (void)pthread_join(threads[t], NULL);
  free(threads);
  return error;
}
#endif

/* Threads that a team which asks for so many really has; with the dynamic ones off, always as many.
 */
static int team_of(int threads) {
  int team = 1;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#pragma omp single
  team = omp_get_num_threads();
#else
  (void)threads;
#endif
  return team;
}

/* OpenMP's runtime ends the process that it cannot start a thread in, which is not the method's
 * doing. The calling thread's team of before waits for more work, and needs to be started no more.
 * One thread at a time tries and then starts its team, or both would count on the same room. */
static dcs_outcome check_threads(const dcs_variant *variant, const dcs_config *config) {
#ifdef _OPENMP
  static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
  static _Thread_local int there = 1;
  const int threads = dcs_role_value(variant, config, DCS_ROLE_THREADS, 1);
  int error = 0;
  if (threads > there) {
    pthread_mutex_lock(&starting);
    error = try_threads(threads - there);
    if (!error) team_of(threads);
    pthread_mutex_unlock(&starting);
  }
  if (error) {
    (void)dcs_fail(DCS_UNAVAILABLE, "threads=%d: cannot start them: %s", threads, strerror(error));
    return DCS_OUTCOME_MEMORY;
  }
  there = threads;
#else
  (void)variant, (void)config;
#endif
  return DCS_OUTCOME_OK;
}

/* What is measured under a number of threads has that many. */
static dcs_outcome check_team(const dcs_variant *variant, const dcs_config *config) {
  const int threads = dcs_role_value(variant, config, DCS_ROLE_THREADS, 1), team = team_of(threads);
  if (team == threads) return DCS_OUTCOME_OK;
  (void)dcs_fail(DCS_UNAVAILABLE,
                 "threads=%d: OpenMP gives %d; expected as many: look at OMP_THREAD_LIMIT", threads,
                 team);
  return DCS_OUTCOME_NOT_BUILT;
}

static dcs_outcome cpu_prepare(dcs_engine *engine, int slot, const dcs_config *problem,
                               const dcs_variant *variant, const dcs_config *config,
                               dcs_code_facts *facts) {
  cpu_engine *cpu = (cpu_engine *)engine;
  const double started = dcs_now_ns();
  dcs_outcome outcome = check_threads(variant, config);
  if (outcome == DCS_OUTCOME_OK && cpu->measured) outcome = check_team(variant, config);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const dcs_status loaded = variant->load ? variant->load(config) : DCS_OK;
  if (loaded != DCS_OK) return dcs_unloaded(loaded);
  if (slot >= cpu->n_slots) { /* in a fresh worker, methods return in any order */
    void *slots = realloc(cpu->slots, (size_t)(slot + 1) * sizeof *cpu->slots);
    if (!slots) {
      (void)dcs_want("no memory for %d methods", slot + 1);
      return DCS_OUTCOME_MEMORY;
    }
    cpu->slots = slots;
    for (; cpu->n_slots <= slot; cpu->n_slots++)
      cpu->slots[cpu->n_slots].begun = NULL;
  }
  forget(cpu, slot);
  cpu->slots[slot].variant = variant;
  cpu->slots[slot].config = *config;
  cpu->slots[slot].posed = *problem;
  *facts = (dcs_code_facts){.registers = -1,
                            .spill_bytes = -1,
                            .constant_bytes = -1,
                            .shared_bytes = -1,
                            .local_bytes = -1,
                            .compile_ms = variant->load ? 1e-6 * (dcs_now_ns() - started) : 0};
  return DCS_OUTCOME_OK;
}

/* Every CPU writes its part. */
static dcs_status flush_caches(cpu_engine *cpu) {
  enum { LINE = 64 };
  const int64_t bytes = dcs_flush_bytes();
  if (!cpu->cold) cpu->cold = malloc((size_t)bytes);
  if (!cpu->cold)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld bytes that flush caches",
                    (long long)bytes);
  const char value = (char)++cpu->engine.flushes;
  volatile char *cold = cpu->cold;
#ifdef _OPENMP
#pragma omp parallel for num_threads(dcs_cpus()) schedule(static)
#endif
  for (int64_t i = 0; i < bytes; i += LINE)
    cold[i] = value;
  return DCS_OK;
}

/* What outputs begin with, where they begin with anything. */
static void begin_outputs(const cpu_engine *cpu) {
  for (int b = 0; b < cpu->kind->n_buffers; b++) {
    const int from = cpu->kind->buffers[b].begins;
    if (from > 0)
      memcpy(cpu->out[b], cpu->shape->input[from], dcs_buffer_bytes(cpu->kind, b, cpu->shape));
  }
}

/* What a slab has in common with others of its grid stays for these. */
static bool compute_once(const cpu_engine *cpu, int slot, const dcs_problem *problem) {
  const dcs_variant *variant = cpu->slots[slot].variant;
  const dcs_config *config = &cpu->slots[slot].config;
  if (problem->grid_slices == 0 || !variant->begin)
    return variant->compute(problem, config, cpu->out);
  void **begun = &cpu->slots[slot].begun;
  if (!*begun) *begun = variant->begin(problem, config);
  return *begun && variant->compute_slab(problem, config, *begun, cpu->out);
}

/* Computes the outputs `inner` times. */
static dcs_status compute(const cpu_engine *cpu, int slot, int64_t inner) {
  const dcs_variant *variant = cpu->slots[slot].variant;
  dcs_problem problem = *cpu->shape; /* whose owner may have changed what its inputs say */
  problem.config = cpu->slots[slot].posed;
  for (int64_t i = 0; i < inner; i++)
    if (!compute_once(cpu, slot, &problem))
      return dcs_fail(DCS_UNAVAILABLE, "no memory for what %s prepares of %lld %s", variant->id,
                      (long long)cpu->shape->n_inputs, cpu->kind->buffers[0].name);
  return DCS_OK;
}

static dcs_outcome cpu_run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory,
                           int64_t inner, double *ns) {
  (void)memory;
  cpu_engine *cpu = (cpu_engine *)engine;
  const bool timed = dcs_is_timed(scope);
  const bool cold = timed && cpu->kind->cold, anew = !timed || dcs_reads_outputs(cpu->kind);
  const int64_t batch = cold || anew ? 1 : inner;
  *ns = 0;
  for (int64_t i = 0; i < inner; i += batch) {
    if (anew) begin_outputs(cpu);
    if (cold && flush_caches(cpu) != DCS_OK) return DCS_OUTCOME_MEMORY;
    double start = dcs_now_ns();
    if (compute(cpu, slot, batch) != DCS_OK) return DCS_OUTCOME_MEMORY;
    if (timed) *ns += dcs_now_ns() - start;
  }
  return DCS_OUTCOME_OK;
}

static dcs_outcome cpu_time_phases(dcs_engine *engine, int slot, dcs_phases *phases) {
  cpu_engine *cpu = (cpu_engine *)engine;
  begin_outputs(cpu);
  if (slot < cpu->n_slots) forget(cpu, slot); /* it counts */
  phases->now_ns = dcs_now_ns;
  dcs_phases_listen(phases);
  const dcs_status status = compute(cpu, slot, 1);
  dcs_phase(NULL);
  dcs_phases_listen(NULL);
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_MEMORY;
}

static void cpu_close(dcs_engine *engine) {
  cpu_engine *cpu = (cpu_engine *)engine;
  forget_all(cpu);
  free(cpu->cold);
  free(cpu->slots);
  free(cpu);
}

dcs_status dcs_engine_cpu_open(bool measured, dcs_engine **engine) {
  cpu_engine *cpu = calloc(1, sizeof *cpu);
  if (!cpu) return dcs_fail(DCS_UNAVAILABLE, "no memory for the CPU engine");
#ifdef _OPENMP
  if (measured) omp_set_dynamic(0); /* a team has the threads that it asks for */
#endif
  cpu->measured = measured;
  cpu->engine = (dcs_engine){.take = cpu_take,
                             .redirect = cpu_redirect,
                             .prepare = cpu_prepare,
                             .move = cpu_move,
                             .run = cpu_run,
                             .time_phases = cpu_time_phases,
                             .close = cpu_close};
  *engine = &cpu->engine;
  return DCS_OK;
}
