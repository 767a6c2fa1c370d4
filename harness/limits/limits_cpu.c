/* The limits of the CPU: the probes of the kernels' instruction sets, timed. */
#include "harness/base/clock.h"
#include "harness/base/machine.h"
#include "harness/limits/limits.h"
#include "harness/problems/methods.h"
#include "kernels/common/probe.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINKS = 8000, FEWEST = 20, SETTLED = 10, MOST = DCS_MAX_LIMIT_RUNS, MEMORY_RUNS = 3 };
enum { HUGE_PAGE = 1 << 21 };
static const double RUN_NS = 3e6;
static const double BETTER = 1.005; /* a best that a round raises by less has settled */
static const double MOST_NS = 1e9;  /* that rounds beyond the fewest may take to */

/* One loop on a number of threads. */
typedef struct {
  const dcs_probe_loop *loop;
  const char *what, *unit, *how;
  int threads;
  bool all;                   /* a thread for each CPU, which may be one */
  double ns_link[MOST], best; /* ns of a link, all threads together */
} arithmetic;

static dcs_status run_loop(const arithmetic *a, double *ns_link) {
  double rate = 0;
  double found = dcs_probe_run(a->loop, a->threads, LINKS, RUN_NS, dcs_now_ns, &rate);
  *ns_link = 1 / rate;
  if (fabs(found - a->loop->expected) <= 0.01 * a->loop->expected) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s: the probe computed %g instead of %g", a->what, found,
                  a->loop->expected);
}

/* The loops are interleaved, so that a slow spell of the machine does not fall on all runs of one,
 * and go on until none has become better for a while: others may use the machine, too. */
static dcs_status interleave(arithmetic *list, int n, int *rounds) {
  double start = dcs_now_ns();
  for (int r = 0, settled = 0; r < MOST; r++, settled++) {
    if (r >= FEWEST && (settled >= SETTLED || dcs_now_ns() - start > MOST_NS)) break;
    for (int i = 0; i < n; i++) {
      DCS_TRY(run_loop(&list[i], &list[i].ns_link[r]));
      if (r == 0 || list[i].ns_link[r] * BETTER < list[i].best) settled = 0;
      list[i].best = r == 0 ? list[i].ns_link[0] : fmin(list[i].best, list[i].ns_link[r]);
    }
    *rounds = r + 1;
  }
  return DCS_OK;
}

static void add_arithmetic(const dcs_probe *probe, arithmetic *a, int rounds, dcs_limits *limits) {
  char name[sizeof limits->list[0].name], how[sizeof limits->list[0].how];
  snprintf(name, sizeof name, "cpu_%s_%s_per_s", a->all ? "all" : "1", a->what);
  snprintf(how, sizeof how, "%s, %d lanes: %s", probe->isa, probe->lanes, a->how);
  dcs_limits_add_rate(limits, name, a->unit, how, a->loop->per_link, a->ns_link, rounds);
}

static dcs_status measure_arithmetic(int cpus, dcs_limits *limits) {
  const dcs_probe *probe = dcs_probe_widest();
  const arithmetic loops[] = {
      {.loop = &probe->evals,
       .what = "evals",
       .unit = "evaluations/s",
       .how = "the direct sum's instruction mix in registers"},
      {.loop = &probe->rsqrt, .what = "rsqrt", .unit = "1/s", .how = "estimate and Newton steps"},
      {.loop = &probe->fma, .what = "fma", .unit = "1/s", .how = "independent chains of y m + c"}};
  enum { N = sizeof loops / sizeof loops[0] };
  arithmetic list[2 * N];
  int rounds = 0;
  for (int i = 0; i < 2 * N; i++) {
    list[i] = loops[i % N];
    list[i].all = i >= N;
    list[i].threads = list[i].all ? cpus : 1;
  }
  DCS_TRY(interleave(list, 2 * N, &rounds));
  for (int i = 0; i < 2 * N; i++)
    add_arithmetic(probe, &list[i], rounds, limits);
  return DCS_OK;
}

/* What the system tells of CPU c's last cache. */
static char *last_cache(int c, const char *what, char text[DCS_LINE]) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/%s", c, what);
  return dcs_system_line(path, "", text);
}

/* The first CPU of the set that shares CPU c's last cache; -1 where unknown. The list is as in
 * "0-3,8". */
static long first_sharing(int c, const cpu_set_t *set) {
  char list[DCS_LINE], *at = last_cache(c, "shared_cpu_list", list);
  while (*at) {
    const long first = strtol(at, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
    for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, set)) return cpu;
    if (*at++ != ',') break;
  }
  return -1;
}

/* Bytes of all last caches that the process's CPUs have; what libc says of the whole machine where
 * the system does not tell of each. */
static double last_caches(void) {
  cpu_set_t set;
  double sum = 0;
  if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
  for (int c = 0; c < CPU_SETSIZE; c++) {
    char size[DCS_LINE], unit = 0;
    double kib;
    if (!CPU_ISSET(c, &set) || sscanf(last_cache(c, "size", size), "%lf%c", &kib, &unit) != 2)
      continue;
    if (unit == 'K' && first_sharing(c, &set) == c) sum += 1024 * kib;
  }
  return sum > 0 ? sum : (double)sysconf(_SC_LEVEL3_CACHE_SIZE); /* 0 or -1 where unknown */
}

/* Values of each of the triad's three arrays: together twice the last caches, so that nothing is in
 * them any more when it is wanted again; at least 96 MB, at most a quarter of the memory left. */
static int64_t triad_values(void) {
  double bytes = fmin(fmax(2 * last_caches(), 96e6), 0.25 * (double)dcs_available_memory());
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

dcs_status dcs_measure_cpu(dcs_limits *limits) {
#ifdef _OPENMP
  int cpus = dcs_cpus();
#else
  int cpus = 1;
#endif
  *limits = (dcs_limits){.n = 0};
  DCS_TRY(measure_arithmetic(cpus, limits));
  return measure_memory(cpus, limits);
}
