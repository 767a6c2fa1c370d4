/* The limits of the CPU: the probes of the kernels' instruction sets, timed. */
#include "harness/base/clock.h"
#include "harness/compute/arena.h"
#include "harness/compute/limits.h"
#include "harness/compute/methods.h"
#include "kernels/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINKS = 20000, RUNS = 7, MEMORY_RUNS = 3, HUGE_PAGE = 1 << 21 };
static const double RUN_NS = 1.5e6; /* a run lasts at least so long */

static dcs_status run_loop(const dcs_probe_loop *loop, const char *name, int threads,
                           int64_t repeats, double *ns) {
  double start = dcs_now_ns();
  double found = dcs_probe_run(loop, threads, LINKS, repeats);
  *ns = dcs_now_ns() - start;
  if (fabs(found - loop->expected) <= 0.01 * loop->expected) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s: the probe computed %g instead of %g", name, found,
                  loop->expected);
}

static dcs_status measure_loop(const dcs_probe_loop *loop, const char *name, const char *unit,
                               const char *how, int threads, dcs_limits *limits) {
  double ns[RUNS] = {0};
  int64_t repeats = 1;
  DCS_TRY(run_loop(loop, name, threads, 1, &ns[0])); /* starts the threads */
  for (ns[0] = 0; ns[0] < RUN_NS && repeats < 1 << 20; repeats *= 2)
    DCS_TRY(run_loop(loop, name, threads, repeats, &ns[0]));
  for (int r = 0; r < RUNS; r++)
    DCS_TRY(run_loop(loop, name, threads, repeats, &ns[r]));
  double work = loop->per_link * (double)(LINKS * repeats * threads);
  dcs_limits_add_rate(limits, name, unit, how, work, ns, RUNS);
  return DCS_OK;
}

/* Values of each of the triad's three arrays: together twice the last cache, so that nothing is in
 * it any more when it is wanted again; at least 96 MB, at most a quarter of the memory left. */
static int64_t triad_values(void) {
  double cache = (double)sysconf(_SC_LEVEL3_CACHE_SIZE); /* 0 or -1 where unknown */
  double bytes = fmin(fmax(2 * cache, 96e6), 0.25 * (double)dcs_available_memory());
  return (int64_t)(bytes / (3 * sizeof(double)));
}

static dcs_status measure_triad(const char *name, int threads, int64_t n, double *arrays,
                                dcs_limits *limits) {
  double ns[MEMORY_RUNS], *b = arrays + n, *c = arrays + 2 * n;
  char how[sizeof limits->list[0].how];
  for (int r = 0; r < MEMORY_RUNS; r++) {
    double start = dcs_now_ns();
    dcs_probe_triad(arrays, b, c, n, threads);
    ns[r] = dcs_now_ns() - start;
  }
  if (arrays[n / 2] != 7 || arrays[n - 1] != 7)
    return dcs_fail(DCS_FAILED, "%s: the triad computed %g instead of 7", name, arrays[n - 1]);
  snprintf(how, sizeof how, "triad a = b + 3 c on 3 arrays of %.3g MB; 2 reads, 1 write",
           8e-6 * (double)n);
  dcs_limits_add_rate(limits, name, "bytes/s", how, 24 * (double)n, ns, MEMORY_RUNS);
  return DCS_OK;
}

static dcs_status measure_memory(int cpus, dcs_limits *limits) {
  int64_t n = triad_values();
  size_t bytes = (size_t)dcs_round_up(3 * (int64_t)sizeof(double) * n, HUGE_PAGE);
  double *arrays = aligned_alloc(HUGE_PAGE, bytes);
  if (!arrays) return dcs_fail(DCS_UNAVAILABLE, "no memory to measure the memory's bandwidth");
  (void)madvise(arrays, bytes, MADV_HUGEPAGE); /* it is only quicker */
  dcs_probe_triad_start(arrays, arrays + n, arrays + 2 * n, n, cpus);
  dcs_status status = measure_triad("cpu_1_memory_bytes_per_s", 1, n, arrays, limits);
  if (status == DCS_OK)
    status = measure_triad("cpu_all_memory_bytes_per_s", cpus, n, arrays, limits);
  free(arrays);
  return status;
}

static dcs_status measure_arithmetic(const char *threads_name, int threads, dcs_limits *limits) {
  const dcs_probe *probe = dcs_probe_widest();
  char name[sizeof limits->list[0].name], how[sizeof limits->list[0].how];
  snprintf(name, sizeof name, "cpu_%s_evals_per_s", threads_name);
  snprintf(how, sizeof how, "%s, %d lanes: the direct sum's instruction mix in registers",
           probe->isa, probe->lanes);
  DCS_TRY(measure_loop(&probe->evals, name, "evaluations/s", how, threads, limits));
  snprintf(name, sizeof name, "cpu_%s_rsqrt_per_s", threads_name);
  snprintf(how, sizeof how, "%s, %d lanes: estimate and Newton steps", probe->isa, probe->lanes);
  DCS_TRY(measure_loop(&probe->rsqrt, name, "1/s", how, threads, limits));
  snprintf(name, sizeof name, "cpu_%s_fma_per_s", threads_name);
  snprintf(how, sizeof how, "%s, %d lanes: independent chains of y m + c", probe->isa,
           probe->lanes);
  return measure_loop(&probe->fma, name, "1/s", how, threads, limits);
}

dcs_status dcs_measure_cpu(dcs_limits *limits) {
#ifdef _OPENMP
  int cpus = dcs_cpus();
#else
  int cpus = 1;
#endif
  *limits = (dcs_limits){.n = 0};
  DCS_TRY(measure_arithmetic("1", 1, limits));
  DCS_TRY(measure_arithmetic("all", cpus, limits));
  return measure_memory(cpus, limits);
}
