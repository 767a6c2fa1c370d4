/* The CPU's engine: calls the variant's compute(). */
#include "harness/base/clock.h"
#include "harness/engine/engine.h"
#include "harness/problems/methods.h"

#include <stdlib.h>

typedef struct {
  dcs_engine engine;
  const dcs_problem *problem;
  float *map;
  struct {
    const dcs_variant *variant;
    dcs_config config;
  } * slots;
  int n_slots;
} cpu_engine;

/* A page of memory lies near the processor whose thread touches it first, and nobody has touched
 * the map when a problem is announced. So the threads that will compute it share its pages out, in
 * order, as its rows are. Small maps stay in a cache and are not worth starting the threads. */
static void touch(volatile float *map, int64_t points) {
  enum { PAGE = 1024, SMALL = 1 << 20 }; /* floats */
  if (points < SMALL) return;
#ifdef _OPENMP
#pragma omp parallel for num_threads(dcs_cpus()) schedule(static)
#endif
  for (int64_t i = 0; i < points; i += PAGE)
    map[i] = map[i];
}

static dcs_outcome cpu_problem(dcs_engine *engine, const dcs_problem *problem, float *map) {
  cpu_engine *cpu = (cpu_engine *)engine;
  cpu->problem = problem;
  cpu->map = map;
  cpu->n_slots = 0;
  touch(map, dcs_points(problem->n));
  return DCS_OUTCOME_OK;
}

static dcs_outcome cpu_prepare(dcs_engine *engine, int slot, const dcs_variant *variant,
                               const dcs_config *config, dcs_code_facts *facts) {
  cpu_engine *cpu = (cpu_engine *)engine;
  if (slot >= cpu->n_slots) { /* in a fresh worker, methods return in any order */
    void *slots = realloc(cpu->slots, (size_t)(slot + 1) * sizeof *cpu->slots);
    if (!slots) {
      (void)dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", slot + 1);
      return DCS_OUTCOME_MEMORY;
    }
    cpu->slots = slots;
    cpu->n_slots = slot + 1;
  }
  cpu->slots[slot].variant = variant;
  cpu->slots[slot].config = *config;
  *facts = (dcs_code_facts){.registers = -1,
                            .spill_bytes = -1,
                            .constant_bytes = -1,
                            .shared_bytes = -1,
                            .compile_ms = 0};
  return DCS_OUTCOME_OK;
}

static dcs_outcome cpu_run(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory,
                           int64_t inner, double *ns) {
  (void)memory;
  cpu_engine *cpu = (cpu_engine *)engine;
  double start = dcs_now_ns();
  for (int64_t i = 0; i < inner; i++)
    if (!cpu->slots[slot].variant->compute(cpu->problem, &cpu->slots[slot].config, cpu->map)) {
      (void)dcs_fail(DCS_UNAVAILABLE, "no memory for what %s prepares of %lld atoms",
                     cpu->slots[slot].variant->id, (long long)cpu->problem->n_atoms);
      return DCS_OUTCOME_MEMORY;
    }
  *ns = scope == DCS_UNTIMED || scope == DCS_UNTIMED_WARM ? 0 : dcs_now_ns() - start;
  return DCS_OUTCOME_OK;
}

static void cpu_close(dcs_engine *engine) {
  cpu_engine *cpu = (cpu_engine *)engine;
  free(cpu->slots);
  free(cpu);
}

dcs_status dcs_engine_cpu_open(dcs_engine **engine) {
  cpu_engine *cpu = calloc(1, sizeof *cpu);
  if (!cpu) return dcs_fail(DCS_UNAVAILABLE, "no memory for the CPU engine");
  cpu->engine = (dcs_engine){
      .problem = cpu_problem, .prepare = cpu_prepare, .run = cpu_run, .close = cpu_close};
  *engine = &cpu->engine;
  return DCS_OK;
}
