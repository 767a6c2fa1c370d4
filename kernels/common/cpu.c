/* What the CPU variants share; see cpu.h. */
#include "kernels/common/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to here (float)i is exact, so a point's coordinate has one rounding. */
static const int64_t max_points = INT64_C(1) << 24;

const int dcs_cpu_thread_tries[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, DCS_TRIES_END};

const dcs_param dcs_cpu_params[1] = {DCS_CPU_THREADS};

const char *const dcs_cpu_isas[] = {"portable", "avx2", "avx512"};

bool dcs_cpu_applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  dcs_dims n = problem->n;
  if (config->value[0] > 1 && DCS_CPU_MAX_THREADS == 1) {
    snprintf(why, DCS_TEXT, "built without OpenMP: threads must be 1");
    return false;
  }
  if (n.x > max_points || n.y > max_points || n.z > max_points) {
    snprintf(why, DCS_TEXT, "more than %lld points in one dimension", (long long)max_points);
    return false;
  }
  return true;
}

bool dcs_cpu_isa_applicable(const dcs_problem *problem, const dcs_config *config,
                            char why[DCS_TEXT]) {
  return dcs_cpu_has_isa((int)config->value[1], why) && dcs_cpu_applicable(problem, config, why);
}

dcs_dims dcs_cpu_executed_exactly(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n;
}

int64_t dcs_cpu_longest_sum_all(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n_inputs;
}

int64_t dcs_cpu_longest_sum_blocks(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  int64_t n = problem->n_inputs;
  int64_t blocks = (n + DCS_CPU_BLOCK - 1) / DCS_CPU_BLOCK;
  return (n < DCS_CPU_BLOCK ? n : DCS_CPU_BLOCK) + blocks;
}

/* Takes n units from *first on, a part of those that are left; false when none are. */
static bool take(_Atomic int64_t *next, int64_t units, int64_t parts, int64_t *first, int64_t *n) {
  *first = atomic_load_explicit(next, memory_order_relaxed);
  do {
    *n = (units - *first + parts - 1) / parts;
  } while (*n > 0 && !atomic_compare_exchange_weak_explicit(
                         next, first, *first + *n, memory_order_relaxed, memory_order_relaxed));
  return *n > 0;
}

/* Runs a kernel on some units. Wide vectors may leave the upper halves of registers in use, and SSE
 * code of whoever comes next then takes up to six times as long on this thread (Intel, Optimization
 * Reference Manual, "Mixing AVX code with SSE code"): they are given back here. */
static void run_units(const dcs_problem *problem, int64_t first, int64_t end,
                      dcs_cpu_kernel *kernel, float *map) {
  kernel(problem, first, end, map);
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper");
#endif
}

/* A slab is the last slices of a grid that begins with the origin, and `map` lies where that grid
 * would: the kernel writes to the slab's part of it alone. */
static dcs_problem whole_grid(const dcs_problem *slab, int64_t units, int64_t *before,
                              float **map) {
  dcs_problem whole = *slab;
  *before = units / slab->n.z * slab->first_slice;
  *map = (float *)((uintptr_t)*map -
                   (uintptr_t)(slab->first_slice * slab->n.y * slab->n.x) * sizeof **map);
  whole.n.z += slab->first_slice;
  whole.first_slice = 0;
  return whole;
}

void dcs_cpu_run(const dcs_problem *problem, int threads, dcs_cpu_sharing sharing, int64_t units,
                 dcs_cpu_kernel *kernel, float *map) {
  int64_t before;
  const dcs_problem whole = whole_grid(problem, units, &before, &map);
  if (problem->first_slice > 0) problem = &whole;
  if (threads == 1) {
    run_units(problem, before, before + units, kernel, map);
    return;
  }
  if (sharing == DCS_CPU_EVENLY) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; thread++) {
      int64_t first = units * thread / threads, end = units * (thread + 1) / threads;
      if (first < end) run_units(problem, before + first, before + end, kernel, map);
    }
    return;
  }
  _Atomic int64_t next = 0;
#pragma omp parallel num_threads(threads)
  for (int64_t first, n; take(&next, units, 2 * (int64_t)threads, &first, &n);)
    run_units(problem, before + first, before + first + n, kernel, map);
}

/* Whether DCS_DISABLE_ISA names the set; when it does, says so. */
static bool disabled(const char *name, char why[DCS_TEXT]) {
  const char *list = getenv("DCS_DISABLE_ISA");
  size_t length = strlen(name);
  while (list) {
    if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0')) {
      snprintf(why, DCS_TEXT, "%s is switched off by DCS_DISABLE_ISA", name);
      return true;
    }
    list = strchr(list, ',');
    if (list) list++;
  }
  return false;
}

bool dcs_cpu_disabled_known(void) {
  static const char *const sets[] = {"avx2", "avx512"};
  const char *list = getenv("DCS_DISABLE_ISA");
  while (list && *list) {
    const size_t length = strcspn(list, ",");
    bool known = false;
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++)
      known = known || (strlen(sets[s]) == length && strncmp(list, sets[s], length) == 0);
    if (!known) return false;
    list += length + (list[length] == ',');
  }
  return true;
}

static bool has(bool supported, const char *name, const char *needs, char why[DCS_TEXT]) {
  if (disabled(name, why)) return false;
  if (!supported) snprintf(why, DCS_TEXT, "needs an x86-64 CPU with %s", needs);
  return supported;
}

#ifdef __x86_64__
#define SUPPORTS(set) (__builtin_cpu_supports(set) != 0)
#else
#define SUPPORTS(set) false
#endif

bool dcs_cpu_has_avx2(char why[DCS_TEXT]) {
  return has(SUPPORTS("avx2") && SUPPORTS("fma"), "avx2", "AVX2 and FMA", why);
}

bool dcs_cpu_has_avx512(char why[DCS_TEXT]) {
  return has(SUPPORTS("avx512f") && SUPPORTS("fma"), "avx512", "AVX-512F", why);
}

bool dcs_cpu_has_isa(int isa, char why[DCS_TEXT]) {
  return isa == DCS_CPU_AVX512 ? dcs_cpu_has_avx512(why)
         : isa == DCS_CPU_AVX2 ? dcs_cpu_has_avx2(why)
                               : true;
}
